//! The articles and questions, as documents.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use regreader_index::{DocumentKey, IndexDocument};
use regreader_model::{BlockId, BlockType, PageNumber, RegId};
use serde::Deserialize;

use crate::Outcome;

/// An article of a law.
#[derive(Deserialize)]
pub struct Article {
    /// File of the law.
    pub doc: String,
    /// Its title.
    pub law: String,
    /// Number of the article.
    #[serde(rename = "article")]
    pub number: String,
    /// What it says.
    pub text: String,
}

/// A question with the articles that answer it.
#[derive(Deserialize)]
pub struct Question {
    /// What is asked.
    pub question: String,
    /// Which articles answer.
    pub gold: Vec<Gold>,
}

/// An article that answers.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Clone)]
pub struct Gold {
    /// File of the law.
    pub doc: String,
    /// Number of the article.
    pub article: String,
}

/// All articles.
pub fn articles(corpus: &Path) -> Outcome<Vec<Article>> {
    lines(BufReader::new(GzDecoder::new(File::open(corpus.join("articles.jsonl.gz"))?)))
}

/// The first questions.
pub fn questions(corpus: &Path, count: usize) -> Outcome<Vec<Question>> {
    let mut all: Vec<Question> = lines(BufReader::new(File::open(corpus.join("questions.jsonl"))?))?;
    all.truncate(count);
    Ok(all)
}

/// Documents by regulation.
pub type Shelves = BTreeMap<RegId, Vec<IndexDocument>>;

/// Articles on a page.
pub const ON_A_PAGE: usize = 10;

/// The articles as documents, one regulation per law, and the key of each.
pub fn shelve(articles: &[Article]) -> Outcome<(Shelves, BTreeMap<Gold, DocumentKey>)> {
    let mut ids: BTreeMap<&str, RegId> = BTreeMap::new();
    let mut shelves = Shelves::new();
    let mut gold = BTreeMap::new();
    for (at, article) in articles.iter().enumerate() {
        let next = format!("law{:05}", ids.len());
        let reg_id = match ids.get(article.doc.as_str()) {
            Some(known) => known.clone(),
            None => next.parse()?,
        };
        ids.insert(&article.doc, reg_id.clone());
        let shelf = shelves.entry(reg_id.clone()).or_default();
        let key = DocumentKey {
            reg_id,
            page_num: PageNumber::from_index(shelf.len() / ON_A_PAGE),
            block_id: BlockId::new(format!("a{at}")),
        };
        gold.insert(Gold { doc: article.doc.clone(), article: article.number.clone() }, key.clone());
        shelf.push(document(key, &article.law, article.text.clone()));
    }
    Ok((shelves, gold))
}

/// A plain document.
pub fn document(key: DocumentKey, law: &str, text: String) -> IndexDocument {
    IndexDocument {
        key,
        block_type: BlockType::SectionContent,
        chapter_path: vec![law.to_owned()],
        ancestry: Vec::new(),
        section_number: None,
        table_id: None,
        text,
    }
}

fn lines<T: for<'de> Deserialize<'de>>(reader: impl BufRead) -> Outcome<Vec<T>> {
    let mut all = Vec::new();
    for line in reader.lines() {
        all.push(serde_json::from_str(&line?)?);
    }
    Ok(all)
}
