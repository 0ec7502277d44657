//! Measures the vector indexes beside each other, on the articles of Chinese statutes: the same vectors into each, the
//! same questions to each.
//!
//! ```sh
//! cargo xtask bench vectors CORPUS/stard [QUESTIONS [ROUNDS [ARTICLES]]]
//! ```
//!
//! Times are of one thread that asks: the shortest of several rounds for each question. CPU seconds are of the whole
//! process, with whatever threads a backend has of its own.

#[allow(dead_code, reason = "the other measurements use the rest")]
#[path = "../../../crates/index/examples/search_bench/corpus.rs"]
mod corpus;
#[allow(dead_code, reason = "the other measurements use the rest")]
#[path = "../../../crates/index/examples/search_bench/measure.rs"]
mod measure;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use regreader_embed::{Embedder, StaticModel};
use regreader_index::{DocumentKey, Filter, IndexDocument, Replacement, VectorBackend, VectorIndex};
use regreader_model::RegId;

use crate::corpus::{Shelves, articles, questions, shelve};
use crate::measure::{Times, size_of, timed};

/// What goes wrong ends the measurement.
type Outcome<T> = Result<T, Box<dyn Error>>;

/// Documents that are handed over at once, as the engine does.
const TOGETHER: usize = 64_000;
/// Characters of a document that are embedded, likewise.
const EMBEDDED: usize = 1_600;
const WANTED: usize = 10;

/// A regulation with its vectors.
type Shelf<'a> = (&'a RegId, &'a [IndexDocument], Vec<Vec<f32>>);

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let corpus =
        arguments.next().ok_or("usage: vector_bench CORPUS/stard [QUESTIONS [ROUNDS [ARTICLES]]]")?;
    let mut number = |usual: usize| arguments.next().map_or(Ok(usual), |text| text.parse());
    let (asked, rounds, most) = (number(400)?, number(3)?, number(usize::MAX)?);
    let model = StaticModel::builtin()?;
    let mut articles = articles(Path::new(&corpus))?;
    articles.truncate(most);
    let (shelves, _) = shelve(&articles)?;
    let (shelves, wall, cpu) = timed(|| embed(model.as_ref(), &shelves))?;
    let texts = questions(Path::new(&corpus), asked)?;
    let asked: Vec<Vec<f32>> =
        texts.iter().map(|one| model.embed_query(&one.question)).collect::<Result<_, _>>()?;
    println!(
        "{} articles of {} laws, {} questions, dimension {}; embedded in {wall:.1} s wall, {cpu:.1} s CPU",
        articles.len(),
        shelves.len(),
        asked.len(),
        model.dimension()
    );
    let mut exact = Vec::new();
    for backend in [VectorBackend::Flat, VectorBackend::Added(&regreader_lancedb::BACKEND)] {
        let folder = tempfile::tempdir()?;
        let open = || Ok(backend.open(folder.path(), model.model(), model.dimension())?);
        let index = open()?;
        let ((), wall, cpu) = timed(|| build(index.as_ref(), &shelves))?;
        let disk = size_of(folder.path()) >> 20;
        println!("{backend}: built in {wall:.2} s wall, {cpu:.2} s CPU, {disk} MiB");
        drop(index);
        let (index, wall, _) = timed(open)?;
        println!("  opened in {:.1} ms", wall * 1000.0);
        let mut found = Vec::new();
        for vector in &asked {
            found.push(index.search(vector, &Filter::default(), WANTED)?);
        }
        if exact.is_empty() {
            exact.clone_from(&found);
        }
        println!("  of the ten nearest by flat, found: {:.4}", agreement(&exact, &found));
        let times = Times::of(&asked, rounds, |vector| search(index.as_ref(), vector, &Filter::default()))?;
        println!("  all regulations: {}", times.show());
        let few: BTreeSet<RegId> = shelves.iter().step_by(100).map(|(id, ..)| (*id).clone()).collect();
        let filter = Filter { regulations: Some(few), ..Filter::default() };
        let times = Times::of(&asked, rounds, |vector| search(index.as_ref(), vector, &filter))?;
        println!("  one regulation in a hundred: {}", times.show());
        let keys: Vec<DocumentKey> = exact.iter().flatten().map(|(key, _)| key.clone()).take(100).collect();
        let times = Times::of(&asked, rounds, |vector| Ok(index.score(vector, &keys).map(|_| ())?))?;
        println!("  cosines of {} documents: {}", keys.len(), times.show());
    }
    Ok(())
}

fn embed<'a>(model: &dyn Embedder, shelves: &'a Shelves) -> Outcome<Vec<Shelf<'a>>> {
    let mut made = Vec::new();
    for (reg_id, documents) in shelves {
        let texts: Vec<String> = documents.iter().map(|one| one.embedding_text(EMBEDDED)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        made.push((reg_id, documents.as_slice(), model.embed_documents(&texts)?));
    }
    Ok(made)
}

fn build(index: &dyn VectorIndex, shelves: &[Shelf<'_>]) -> Outcome<()> {
    let (mut batch, mut vectors, mut waiting) = (Vec::new(), Vec::new(), 0);
    for (at, (reg_id, documents, theirs)) in shelves.iter().enumerate() {
        batch.push(Replacement { reg_id, content_hash: "bench", documents });
        vectors.push(theirs.clone());
        waiting += documents.len();
        if waiting >= TOGETHER || at + 1 == shelves.len() {
            index.replace(&batch, &vectors)?;
            batch.clear();
            vectors.clear();
            waiting = 0;
        }
    }
    Ok(())
}

fn search(index: &dyn VectorIndex, vector: &[f32], filter: &Filter) -> Outcome<()> {
    index.search(vector, filter, WANTED)?;
    Ok(())
}

/// Share of what one found that the other found too.
fn agreement(one: &[Vec<(DocumentKey, f32)>], other: &[Vec<(DocumentKey, f32)>]) -> f64 {
    let (mut both, mut all) = (0, 0);
    for (one, other) in one.iter().zip(other) {
        all += one.len();
        both += one.iter().filter(|(key, _)| other.iter().any(|(there, _)| there == key)).count();
    }
    f64::from(both as u32) / f64::from(all.max(1) as u32)
}
