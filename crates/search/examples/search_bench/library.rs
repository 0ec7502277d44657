//! The engine as the program uses it: a library of all laws on disk, regulations chosen by the engine.

use std::sync::Arc;

use regreader_embed::StaticModel;
use regreader_model::{
    BlockType, ContentBlock, DocumentStructure, PageDocument, PageNumber, ReferenceGraph, Regulation,
    TableRegistry, TextOrigin,
};
use regreader_search::{EngineOptions, RegulationScope, SearchEngine, SearchRequest};
use regreader_store::{Library, OpenOptions};

use crate::corpus::{ON_A_PAGE, Shelves, articles, questions, shelve};
use crate::measure::{Times, memory, milliseconds, timed};
use crate::{Options, Outcome};

/// Stores the laws, indexes them, asks.
pub fn run(options: &Options) -> Outcome<()> {
    let articles = articles(&options.corpus)?;
    let questions = questions(&options.corpus, options.questions)?;
    let (shelves, _) = shelve(&articles)?;
    println!(
        "\nlibrary: {} articles in {} regulations, {} questions",
        articles.len(),
        shelves.len(),
        questions.len()
    );
    let scratch = tempfile::tempdir()?;
    let folder = options.keep.clone().unwrap_or_else(|| scratch.path().to_owned());
    let library = Library::open(folder.clone(), OpenOptions::new())?;
    if library.ids()?.len() < shelves.len() {
        let ((), wall, cpu) = timed(|| store(&library, &shelves))?;
        println!("stored in {wall:.1} s wall, {cpu:.1} s CPU");
    }
    drop((articles, shelves));
    let open = || {
        let embedder = Some(StaticModel::builtin()? as Arc<_>);
        Ok(SearchEngine::open(library.clone(), &folder.join("index"), EngineOptions::default(), embedder)?)
    };
    let (engine, ..) = timed(open)?;
    let (report, wall, cpu) = timed(|| Ok(engine.refresh(&mut |_| {})?))?;
    if report.documents > 0 {
        let rate = report.documents as f64 / cpu;
        println!(
            "index: {} blocks in {wall:.1} s wall, {cpu:.1} s CPU with reading the store, {rate:.0} blocks per CPU second",
            report.documents
        );
    }
    drop(engine);
    let (engine, wall, cpu) = timed(open)?;
    println!("open: {:.1} ms wall, {:.0} ms CPU", wall * 1000.0, cpu * 1000.0);
    for (name, scope) in [
        ("smart_search, regulations chosen", RegulationScope::Auto),
        ("all regulations", RegulationScope::All),
    ] {
        let began = std::time::Instant::now();
        if let Some(question) = questions.first() {
            engine.search(&SearchRequest::new(&question.question).scope(scope.clone()))?;
        }
        let first = milliseconds(began.elapsed());
        let times = Times::of(&questions, options.rounds, |question| {
            engine.search(&SearchRequest::new(&question.question).scope(scope.clone()))?;
            Ok(())
        })?;
        println!("{name}: {}  (the very first {first:.1} ms)", times.show());
    }
    println!("memory: {} MiB at most, {} MiB without mapped files", memory("VmHWM"), memory("RssAnon"));
    Ok(())
}

fn store(library: &Library, shelves: &Shelves) -> Outcome<()> {
    for (reg_id, documents) in shelves {
        let law = documents.first().and_then(|one| one.chapter_path.first()).cloned().unwrap_or_default();
        let pages: Vec<PageDocument> = documents
            .chunks(ON_A_PAGE)
            .enumerate()
            .map(|(at, blocks)| {
                let block = |(order, document): (usize, &regreader_index::IndexDocument)| {
                    let json = serde_json::json!({
                        "block_id": document.key.block_id, "block_type": BlockType::SectionContent,
                        "order_in_page": order, "content_markdown": document.text,
                        "chapter_path": document.chapter_path,
                    });
                    serde_json::from_value::<ContentBlock>(json)
                };
                let content_blocks = blocks.iter().enumerate().map(block).collect::<Result<Vec<_>, _>>()?;
                Ok(PageDocument {
                    reg_id: reg_id.clone(),
                    page_num: PageNumber::from_index(at),
                    page_label: None,
                    chapter_path: vec![law.clone()],
                    active_chapters: Vec::new(),
                    content_markdown: String::new(),
                    content_blocks,
                    continues_from_prev: false,
                    continues_to_next: false,
                    annotations: Vec::new(),
                    origin: TextOrigin::TextLayer,
                    size: None,
                })
            })
            .collect::<Outcome<_>>()?;
        let info = serde_json::json!({
            "reg_id": reg_id, "title": law, "source_file": format!("{reg_id}.md"),
            "total_pages": pages.len(), "indexed_at": "",
        });
        let regulation = Regulation {
            info: serde_json::from_value(info)?,
            pages,
            structure: DocumentStructure::empty(reg_id.clone()),
            tables: TableRegistry::new(reg_id.clone(), Vec::new()),
            references: ReferenceGraph { reg_id: reg_id.clone(), references: Vec::new() },
            quality: serde_json::from_value(serde_json::json!({ "reg_id": reg_id }))?,
        };
        library.replace(&regulation, None)?;
    }
    Ok(())
}
