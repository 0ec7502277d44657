//! How time and memory grow from ten thousand to a million blocks. Blocks beyond the corpus are made from it: the
//! sentences of its articles, put together anew, so that words are as common as they are in law.

use std::process::Command;
use std::sync::Arc;

use regreader_embed::StaticModel;
use regreader_index::{Corpus, CorpusOptions, DocumentKey, Filter, IndexDocument, Reading, Replacement};
use regreader_model::{BlockId, PageNumber, RegId};

use crate::backends::TOGETHER;
use crate::corpus::{Article, articles, document, questions};
use crate::measure::{Times, memory, size_of, timed};
use crate::{Options, Outcome};

const SIZES: [usize; 5] = [10_000, 30_000, 100_000, 300_000, 1_000_000];
/// Blocks of a regulation.
const EACH: usize = 1_000;

/// Measures every size in a process of its own, because memory is counted per process.
pub fn run(options: &Options) -> Outcome<()> {
    println!(
        "\n| blocks | build wall s | build CPU s | blocks per CPU s | most memory while building, MiB | on disk, MiB | p50 ms | p99 ms | CPU ms a search | most memory while searching, MiB (without mapped files) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for size in SIZES {
        for part in ["build", "search"] {
            let folder = options.keep.clone().unwrap_or_else(std::env::temp_dir).join("regreader-growth");
            let status = Command::new(std::env::current_exe()?)
                .arg(&options.corpus)
                .args(["--only", part, "--size", &size.to_string()])
                .args([
                    "--questions",
                    &options.questions.to_string(),
                    "--rounds",
                    &options.rounds.to_string(),
                ])
                .arg("--keep")
                .arg(&folder)
                .status()?;
            if part == "search" || !status.success() {
                let _ = std::fs::remove_dir_all(&folder);
            }
            if !status.success() {
                return Err(format!("{size} blocks: {part} failed").into());
            }
        }
    }
    Ok(())
}

/// Builds, or searches, one size.
pub fn one(options: &Options, size: usize) -> Outcome<()> {
    let folder = options.keep.clone().ok_or("--size needs --keep")?;
    let reading = Arc::new(Reading::default());
    let corpus = Corpus::open(&folder, CorpusOptions::default(), &reading, Some(StaticModel::builtin()?))?;
    if options.only.as_deref() == Some("build") {
        let articles = articles(&options.corpus)?;
        let ((), wall, cpu) = timed(|| build(&corpus, &articles, size))?;
        let (most, disk) = (memory("VmHWM"), size_of(&folder) >> 20);
        print!("| {size} | {wall:.1} | {cpu:.1} | {:.0} | {most} | {disk} ", size as f64 / cpu);
        return Ok(());
    }
    let questions = questions(&options.corpus, options.questions)?;
    let times = Times::of(&questions, options.rounds, |question| {
        corpus.search(&question.question, &Filter::default(), 10)?;
        Ok(())
    })?;
    println!(
        "| {:.2} | {:.2} | {:.2} | {} ({}) |",
        times.percentile(0.5),
        times.percentile(0.99),
        times.cpu(),
        memory("VmHWM"),
        memory("RssAnon")
    );
    Ok(())
}

fn build(corpus: &Corpus, articles: &[Article], size: usize) -> Outcome<()> {
    let mut made = Made::new(articles);
    let mut shelves: Vec<(RegId, Vec<IndexDocument>)> = Vec::new();
    for start in (0..size).step_by(EACH) {
        let reg_id: RegId = format!("made{:05}", start / EACH).parse()?;
        let documents = (start..(start + EACH).min(size)).map(|at| made.next(&reg_id, at)).collect();
        shelves.push((reg_id, documents));
        if shelves.len() * EACH >= TOGETHER || start + EACH >= size {
            let batch: Vec<Replacement<'_>> = shelves
                .iter()
                .map(|(reg_id, documents)| Replacement { reg_id, content_hash: "bench", documents })
                .collect();
            corpus.replace(&batch)?;
            shelves.clear();
        }
    }
    Ok(())
}

/// Makes blocks: first the articles as they are, then their sentences anew.
struct Made<'a> {
    articles: &'a [Article],
    sentences: Vec<&'a str>,
    state: u64,
}

impl<'a> Made<'a> {
    fn new(articles: &'a [Article]) -> Self {
        let sentences = articles.iter().flat_map(|article| article.text.split_inclusive(['。', '；', '\n']));
        Self { articles, sentences: sentences.filter(|text| text.len() > 12).collect(), state: 0x9E37_79B9 }
    }

    fn next(&mut self, reg_id: &RegId, at: usize) -> IndexDocument {
        let key = DocumentKey {
            reg_id: reg_id.clone(),
            page_num: PageNumber::from_index(at % EACH / 10),
            block_id: BlockId::new(format!("b{at}")),
        };
        if let Some(article) = self.articles.get(at) {
            return document(key, &article.law, article.text.clone());
        }
        let (laws, sentences) = (self.articles.len(), self.sentences.len());
        let law = self.random(laws);
        let mut text = String::new();
        for _ in 0..=self.random(4) {
            let sentence = self.random(sentences);
            text.push_str(self.sentences.get(sentence).copied().unwrap_or_default());
        }
        document(key, self.articles.get(law).map_or("", |article| &article.law), text)
    }

    fn random(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % below.max(1)
    }
}
