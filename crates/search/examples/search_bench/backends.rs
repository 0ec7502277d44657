//! Each keyword index with the flat index over all articles, without a library around them.

use std::collections::BTreeMap;
use std::sync::Arc;

use regreader_embed::StaticModel;
use regreader_index::{
    Corpus, CorpusOptions, DocumentKey, Filter, Fusion, FusionOptions, KeywordBackend, Reading, Replacement,
};

use crate::corpus::{Gold, Question, Shelves, articles, questions, shelve};
use crate::measure::{Times, timed};
use crate::{Options, Outcome};

/// Documents that are handed over at once.
pub const TOGETHER: usize = 64_000;

/// Measures all of them.
pub fn run(options: &Options) -> Outcome<()> {
    let articles = articles(&options.corpus)?;
    let questions = questions(&options.corpus, options.questions)?;
    let (shelves, gold) = shelve(&articles)?;
    println!("\nbackends: {} articles, {} questions", articles.len(), questions.len());
    for backend in KeywordBackend::EMBEDDED {
        let folder = tempfile::tempdir()?;
        let settings = CorpusOptions { keyword_backend: backend, ..CorpusOptions::default() };
        let reading = Arc::new(Reading::default());
        let corpus = Corpus::open(folder.path(), settings, &reading, Some(StaticModel::builtin()?))?;
        let ((), wall, cpu) = timed(|| build(&corpus, &shelves))?;
        let rate = articles.len() as f64 / cpu;
        println!(
            "{backend} + flat: built in {wall:.1} s wall, {cpu:.1} s CPU, {rate:.0} blocks per CPU second"
        );
        for fusion in [Fusion::Keyword, Fusion::Vector, Fusion::Adaptive] {
            if fusion != Fusion::Vector || backend == KeywordBackend::default() {
                measure(&corpus, fusion, &questions, &gold, options.rounds)?;
            }
        }
    }
    Ok(())
}

/// Builds everything, some regulations at a time.
pub fn build(corpus: &Corpus, shelves: &Shelves) -> Outcome<()> {
    let mut batch = Vec::new();
    let mut waiting = 0;
    for (at, (reg_id, documents)) in shelves.iter().enumerate() {
        batch.push(Replacement { reg_id, content_hash: "bench", documents });
        waiting += documents.len();
        if waiting >= TOGETHER || at + 1 == shelves.len() {
            corpus.replace(&batch)?;
            batch.clear();
            waiting = 0;
        }
    }
    Ok(())
}

fn measure(
    corpus: &Corpus,
    fusion: Fusion,
    questions: &[Question],
    gold: &BTreeMap<Gold, DocumentKey>,
    rounds: usize,
) -> Outcome<()> {
    let options = FusionOptions { fusion, ..FusionOptions::default() };
    let (mut recall, mut asked) = (0.0, 0.0_f64);
    for question in questions {
        let wanted: Vec<&DocumentKey> = question.gold.iter().filter_map(|one| gold.get(one)).collect();
        let found = corpus.search_by(&options, &question.question, &Filter::default(), 10)?;
        let there = found.documents.iter().filter(|hit| wanted.contains(&&hit.key)).count();
        if !wanted.is_empty() {
            recall += there as f64 / wanted.len() as f64;
            asked += 1.0;
        }
    }
    let times = Times::of(questions, rounds, |question| {
        corpus.search_by(&options, &question.question, &Filter::default(), 10)?;
        Ok(())
    })?;
    println!("  {:9} R@10 {:.3}  {}", fusion.name(), recall / asked.max(1.0), times.show());
    Ok(())
}
