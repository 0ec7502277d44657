//! Impact over a large library: `cargo xtask bench impact LIBRARY [--names N] [NAME …]`.
//!
//! For names taken from the pages themselves (seeded) and those given, the pages that `find_mentions` lists are compared with
//! a plain scan of the folded pages, and each warm call is timed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark that cannot set itself up should fail"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use regreader_search::{EngineOptions, SearchEngine};
use regreader_store::{Library, OpenOptions};
use regreader_text::fold;
use regreader_text::script::is_cjk;
use regreader_tools::{FindMentions, Tool as _, Toolbox, ToolboxOptions};

/// A page: regulation, number, folded text.
type Page = (String, u32, String);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("the folder of a library"));
    let (mut count, mut names) = (200, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--names" => count = arguments.next().expect("a number").parse().expect("a number"),
            _ => names.push(argument),
        }
    }
    let library = Library::open(&folder, OpenOptions::new()).expect("a library");
    let pages = folded_pages(&library);
    names.extend(some_names(&pages, count));
    let regulations = library.ids().expect("ids").len();
    println!("{regulations} regulations, {} pages, {} names", pages.len(), names.len());

    let index = folder.join("index-impact");
    let engine =
        SearchEngine::open(library.clone(), &index, EngineOptions::default(), None).expect("an index");
    let toolbox = Toolbox::new(library, Arc::new(engine), ToolboxOptions::default());
    let begin = Instant::now();
    mentions(&toolbox, &names[0]);
    println!("first call, everything folded: {:?}", begin.elapsed());

    let (mut times, mut places, mut wrong) = (Vec::new(), 0, 0);
    for name in &names {
        let begin = Instant::now();
        let first = request(name, None).run(&toolbox).expect("a list");
        times.push(begin.elapsed());
        assert!(first.complete, "{:?}", first.unreadable_regulations);
        places += first.total as usize;
        let key = fold(name).trim().to_owned();
        let scanned: BTreeSet<(&str, u32)> = pages
            .iter()
            .filter(|(.., text)| text.contains(&key))
            .map(|(reg_id, page, _)| (reg_id.as_str(), *page))
            .collect();
        let listed = mentions(&toolbox, name);
        let found: BTreeSet<(&str, u32)> = listed.iter().map(|(id, page)| (id.as_str(), *page)).collect();
        if found != scanned {
            wrong += 1;
            let missing: Vec<_> = scanned.difference(&found).take(3).collect();
            let extra: Vec<_> = found.difference(&scanned).take(3).collect();
            println!("! {name}: missing {missing:?}, extra {extra:?}");
        }
    }
    times.sort_unstable();
    let at = |share: usize| times.get((times.len() - 1) * share / 100).copied().unwrap_or(Duration::ZERO);
    println!("lists that differ from the scan: {wrong} of {}; {places} places in all", names.len());
    println!("warm call: median {:?}, p95 {:?}, longest {:?}", at(50), at(95), at(100));
}

fn request(name: &str, cursor: Option<String>) -> FindMentions {
    FindMentions { entity: name.to_owned(), reg_ids: Vec::new(), as_of: None, limit: 200, cursor }
}

/// The pages of the whole list.
fn mentions(toolbox: &Toolbox, name: &str) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    let mut cursor = None;
    loop {
        let part = request(name, cursor).run(toolbox).expect("a list");
        found.extend(part.mentions.into_iter().map(|one| {
            let place = one.impact.mention.place;
            (place.reg_id, place.page)
        }));
        match part.next {
            Some(next) => cursor = Some(next),
            None => return found,
        }
    }
}

fn folded_pages(library: &Library) -> Vec<Page> {
    let mut pages = Vec::new();
    for id in library.ids().expect("ids") {
        let reader = library.reader(&id).expect("a regulation");
        for page in reader.all_pages() {
            let page = page.expect("a page");
            // Block by block: what stands in two blocks beside each other is no name.
            let texts = page.content_blocks.iter().map(|block| block.content_markdown.as_str());
            let texts = texts.chain(page.annotations.iter().map(|note| note.content.as_str()));
            let text: Vec<String> = texts.map(fold).collect();
            pages.push((id.to_string(), page.page_num.get(), text.join("\n")));
        }
    }
    pages
}

/// Names out of the pages: runs of three to eight Chinese characters, or two Latin words, spread evenly.
fn some_names(pages: &[Page], count: usize) -> Vec<String> {
    let step = (pages.len() / count.max(1)).max(1);
    let mut names = Vec::new();
    for (at, (.., text)) in pages.iter().enumerate().step_by(step) {
        let skip = text.chars().count() / 3;
        let length = 3 + at % 6;
        let run: String =
            text.chars().skip(skip).skip_while(|c| !is_cjk(*c)).take_while(|c| is_cjk(*c)).collect();
        let name: String = run.chars().take(length).collect();
        if name.chars().count() >= 3 && names.len() < count {
            names.push(name);
        }
    }
    names
}
