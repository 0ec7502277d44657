//! Measures search over the articles of Chinese statutes: recall of the keyword leg, the vector leg and both together,
//! the time of a search, and the speed of building.
//!
//! ```sh
//! cargo run --release -p regreader-index --example stard_bench -- CORPUS/stard [--index DIR] [--backend tantivy]
//!     [--one-regulation] [--no-vectors] [--questions N] [--repeat N]
//! ```
//!
//! Without a real model, vectors are hashed bigrams (`--hashed`): they say nothing about quality and all about speed.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use regreader_embed::{EmbedError, Embedder};
use regreader_index::{
    Corpus, CorpusOptions, DocumentKey, Filter, Fusion, FusionOptions, IndexDocument, KeywordBackend,
    Reading, Replacement,
};
use regreader_model::{BlockId, BlockType, PageNumber, RegId};
use serde::Deserialize;

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the data set")]
struct Article {
    doc: String,
    law: String,
    article: String,
    text: String,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    gold: Vec<Gold>,
}

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Clone)]
struct Gold {
    doc: String,
    article: String,
}

struct Options {
    corpus: PathBuf,
    index: Option<PathBuf>,
    backend: KeywordBackend,
    one_regulation: bool,
    vectors: bool,
    questions: usize,
    repeat: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = read_options()?;
    let articles: Vec<Article> =
        read_lines(BufReader::new(GzDecoder::new(File::open(options.corpus.join("articles.jsonl.gz"))?)))?;
    let mut questions: Vec<Question> =
        read_lines(BufReader::new(File::open(options.corpus.join("questions.jsonl"))?))?;
    questions.truncate(options.questions);
    println!("articles {}  questions {}", articles.len(), questions.len());

    let scratch = tempfile::tempdir()?;
    let folder = options.index.clone().unwrap_or_else(|| scratch.path().to_owned());
    let reading = Arc::new(Reading::default());
    let embedder: Option<Arc<dyn Embedder>> = if options.vectors { Some(embedder(&reading)) } else { None };
    if let Some(embedder) = &embedder {
        println!("model {} ({} dimensions)", embedder.model(), embedder.dimension());
    }
    let corpus_options = CorpusOptions { keyword_backend: options.backend, ..CorpusOptions::default() };
    let began = Instant::now();
    let corpus = Corpus::open(&folder, corpus_options, &reading, embedder)?;
    println!("open {:.1} ms", milliseconds(began.elapsed()));

    let (shelves, gold) = shelve(&articles, options.one_regulation)?;
    let built = corpus.built_from()?;
    if built.keyword.len() < shelves.len() || built.vector.is_some_and(|vector| vector.len() < shelves.len())
    {
        build(&corpus, &shelves, articles.len())?;
    }
    for fusion in [Fusion::Keyword, Fusion::Vector, Fusion::Rrf, Fusion::Adaptive] {
        if fusion == Fusion::Keyword || options.vectors {
            measure(&corpus, fusion, &questions, &gold, options.repeat)?;
        }
    }
    Ok(())
}

type Shelves = BTreeMap<RegId, Vec<IndexDocument>>;

/// The articles as documents, one regulation per law or one for all, and the key of each.
fn shelve(articles: &[Article], one: bool) -> Result<(Shelves, BTreeMap<Gold, DocumentKey>), Box<dyn Error>> {
    let mut ids: BTreeMap<&str, RegId> = BTreeMap::new();
    let mut shelves = Shelves::new();
    let mut gold = BTreeMap::new();
    for (at, article) in articles.iter().enumerate() {
        let next = if one { "all".to_owned() } else { format!("law{:05}", ids.len()) };
        let reg_id = match ids.get(article.doc.as_str()) {
            Some(known) => known.clone(),
            None => next.parse()?,
        };
        ids.insert(&article.doc, reg_id.clone());
        let shelf = shelves.entry(reg_id.clone()).or_default();
        let key = DocumentKey {
            reg_id,
            page_num: PageNumber::from_index(shelf.len() / 10),
            block_id: BlockId::new(format!("a{at}")),
        };
        gold.insert(Gold { doc: article.doc.clone(), article: article.article.clone() }, key.clone());
        shelf.push(IndexDocument {
            key,
            block_type: BlockType::SectionContent,
            chapter_path: vec![article.law.clone()],
            ancestry: Vec::new(),
            section_number: None,
            table_id: None,
            text: article.text.clone(),
        });
    }
    Ok((shelves, gold))
}

fn build(corpus: &Corpus, shelves: &Shelves, documents: usize) -> Result<(), Box<dyn Error>> {
    let began = (Instant::now(), cpu_time());
    let mut batch = Vec::new();
    let mut waiting = 0;
    for (at, (reg_id, documents)) in shelves.iter().enumerate() {
        batch.push(Replacement { reg_id, content_hash: "bench", documents });
        waiting += documents.len();
        if waiting >= 16_000 || at + 1 == shelves.len() {
            corpus.replace(&batch)?;
            batch.clear();
            waiting = 0;
        }
    }
    let (wall, cpu) = (began.0.elapsed().as_secs_f64(), cpu_time().saturating_sub(began.1).as_secs_f64());
    println!("build {wall:.1} s wall, {cpu:.1} s CPU: {:.0} blocks per CPU second", documents as f64 / cpu);
    Ok(())
}

fn measure(
    corpus: &Corpus,
    fusion: Fusion,
    questions: &[Question],
    gold: &BTreeMap<Gold, DocumentKey>,
    repeat: usize,
) -> Result<(), Box<dyn Error>> {
    let options = FusionOptions { fusion, ..FusionOptions::default() };
    let (mut at_10, mut at_100, mut asked) = (0.0, 0.0, 0);
    // The shortest of the rounds counts: whatever else the machine does must not.
    let mut times = vec![Duration::MAX; questions.len()];
    let mut cpu = Duration::ZERO;
    for round in 0..=repeat {
        let cpu_before = cpu_time();
        for (question, time) in questions.iter().zip(&mut times) {
            // The first round is for recall and to warm up; the others are timed with the usual number of hits.
            let limit = if round == 0 { 100 } else { 10 };
            let began = Instant::now();
            let ranking = corpus.search_by(&options, &question.question, &Filter::default(), limit)?;
            if round > 0 {
                *time = (*time).min(began.elapsed());
                continue;
            }
            let wanted: Vec<&DocumentKey> = question.gold.iter().filter_map(|one| gold.get(one)).collect();
            if wanted.is_empty() {
                continue;
            }
            let found = |depth: usize| {
                let there =
                    ranking.documents.iter().take(depth).filter(|hit| wanted.contains(&&hit.key)).count();
                there as f64 / wanted.len() as f64
            };
            at_10 += found(10);
            at_100 += found(100);
            asked += 1;
        }
        if round > 0 {
            cpu += cpu_time().saturating_sub(cpu_before);
        }
    }
    times.sort_unstable();
    let percentile = |share: f64| {
        let at = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times.get(at).copied().map_or(0.0, milliseconds)
    };
    println!(
        "{:9} R@10 {:.3}  R@100 {:.3}   p50 {:.2} ms  p99 {:.2} ms  CPU {:.2} ms a search",
        fusion.name(),
        at_10 / f64::from(asked),
        at_100 / f64::from(asked),
        percentile(0.5),
        percentile(0.99),
        milliseconds(cpu) / (questions.len() * repeat).max(1) as f64,
    );
    Ok(())
}

fn read_options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        corpus: PathBuf::new(),
        index: None,
        backend: KeywordBackend::default(),
        one_regulation: false,
        vectors: true,
        questions: usize::MAX,
        repeat: 3,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--index" => options.index = Some(PathBuf::from(value()?)),
            "--backend" => options.backend = value()?.parse()?,
            "--questions" => options.questions = value()?.parse()?,
            "--repeat" => options.repeat = value()?.parse()?,
            "--one-regulation" => options.one_regulation = true,
            "--no-vectors" => options.vectors = false,
            _ => options.corpus = PathBuf::from(argument),
        }
    }
    if options.corpus == Path::new("") {
        return Err("usage: stard_bench CORPUS/stard [options]".into());
    }
    Ok(options)
}

fn read_lines<T: for<'de> Deserialize<'de>>(reader: impl BufRead) -> Result<Vec<T>, Box<dyn Error>> {
    let mut all = Vec::new();
    for line in reader.lines() {
        all.push(serde_json::from_str(&line?)?);
    }
    Ok(all)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// CPU time of this process, all threads; nothing where the system does not tell.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: u64 = stat.rsplit_once(')').map_or(0, |(_, rest)| {
        rest.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum()
    });
    // Linux counts in hundredths of a second on every machine of today.
    Duration::from_millis(ticks * 10)
}

fn embedder(reading: &Arc<Reading>) -> Arc<dyn Embedder> {
    Arc::new(HashedBigrams { reading: Arc::clone(reading) })
}

/// Stands in for a model where only speed is measured.
struct HashedBigrams {
    reading: Arc<Reading>,
}

const DIMENSION: usize = 512;

impl Embedder for HashedBigrams {
    fn model(&self) -> &'static str {
        "hashed-bigrams (speed only)"
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = vec![0.0_f32; DIMENSION];
        self.reading.tokenizer().visit(text, |token| {
            let mut hash = token.text.bytes().fold(14_695_981_039_346_656_037_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
            });
            for _ in 0..4 {
                hash ^= hash >> 29;
                hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                if let Some(value) = vector.get_mut((hash >> 32) as usize % DIMENSION) {
                    *value += if hash & 1 == 0 { 1.0 } else { -1.0 };
                }
            }
        });
        let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-9);
        Ok(vector.into_iter().map(|value| value / norm).collect())
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.embed_query(text)).collect()
    }
}
