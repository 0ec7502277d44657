//! Questions put to a collection of articles, each article one document: no pages, no parsing, search alone.

use std::collections::BTreeMap;
use std::path::Path;

use flate2::read::GzDecoder;
use regreader_index::{Corpus, DocumentKey, Filter, FusionOptions, IndexDocument, Replacement};
use regreader_model::{BlockId, BlockType, PageNumber, RegId};
use serde::Deserialize;

use crate::questions::{open, read_lines};
use crate::{ArticleQuestion, EvalError, Judged};

/// How deep rankings are looked into.
const DEPTH: usize = 100;
/// Articles to a page: a collection has none, and the key of a document wants one.
const ARTICLES_PER_PAGE: usize = 10;
/// Articles that are indexed at once.
const BATCH: usize = 16_000;

/// A collection of articles, read from `articles.jsonl` or `articles.jsonl.gz`.
pub struct Collection {
    shelves: BTreeMap<RegId, Vec<IndexDocument>>,
    places: BTreeMap<(String, String), DocumentKey>,
    hash: String,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the data set")]
struct Article {
    doc: String,
    law: String,
    article: String,
    text: String,
}

impl Collection {
    /// Reads the articles: one JSON object a line with `doc`, `law`, `article` and `text`.
    pub fn read(path: &Path) -> Result<Self, EvalError> {
        let articles: Vec<Article> = if path.extension().is_some_and(|extension| extension == "gz") {
            read_lines(path, std::io::BufReader::new(GzDecoder::new(open(path)?)))?
        } else {
            read_lines(path, open(path)?)?
        };
        Self::shelve(articles)
    }

    fn shelve(articles: Vec<Article>) -> Result<Self, EvalError> {
        let mut ids: BTreeMap<String, RegId> = BTreeMap::new();
        let mut shelves: BTreeMap<RegId, Vec<IndexDocument>> = BTreeMap::new();
        let mut places = BTreeMap::new();
        let hash = format!("{} articles", articles.len());
        for (at, article) in articles.into_iter().enumerate() {
            let reg_id = if let Some(known) = ids.get(&article.doc) {
                known.clone()
            } else {
                let name = format!("law{:05}", ids.len());
                let new: RegId = name.parse().map_err(|_| EvalError::Name(name))?;
                ids.insert(article.doc.clone(), new.clone());
                new
            };
            let shelf = shelves.entry(reg_id.clone()).or_default();
            let key = DocumentKey {
                reg_id,
                page_num: PageNumber::from_index(shelf.len() / ARTICLES_PER_PAGE),
                block_id: BlockId::new(format!("a{at}")),
            };
            places.insert((article.doc, article.article), key.clone());
            shelf.push(IndexDocument {
                key,
                block_type: BlockType::SectionContent,
                chapter_path: vec![article.law],
                ancestry: Vec::new(),
                section_number: None,
                table_id: None,
                text: article.text,
            });
        }
        Ok(Self { shelves, places, hash })
    }

    /// How many articles.
    pub fn len(&self) -> usize {
        self.shelves.values().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shelves.is_empty()
    }

    /// Indexes the articles, unless the corpus holds them already.
    pub fn index(&self, corpus: &Corpus, progress: &mut dyn FnMut(usize)) -> Result<(), EvalError> {
        let built = corpus.built_from()?;
        let holds = |part: &BTreeMap<RegId, String>| {
            part.len() == self.shelves.len() && part.values().all(|hash| *hash == self.hash)
        };
        if holds(&built.catalog) && holds(&built.keyword) && built.vector.as_ref().is_none_or(holds) {
            return Ok(());
        }
        let mut batch = Vec::new();
        let (mut waiting, mut done) = (0, 0);
        for (at, (reg_id, documents)) in self.shelves.iter().enumerate() {
            batch.push(Replacement { reg_id, content_hash: &self.hash, documents });
            waiting += documents.len();
            if waiting >= BATCH || at + 1 == self.shelves.len() {
                corpus.replace(&batch)?;
                batch.clear();
                done += waiting;
                waiting = 0;
                progress(done);
            }
        }
        Ok(())
    }

    /// How every question went. A question none of whose articles is in the collection gives an empty judgement.
    pub fn judge(
        &self,
        corpus: &Corpus,
        options: &FusionOptions,
        questions: &[ArticleQuestion],
    ) -> Result<Vec<Judged>, EvalError> {
        let judge = |question: &ArticleQuestion| {
            let wanted: Vec<&DocumentKey> =
                question.gold.iter().filter_map(|gold| self.places.get(gold)).collect();
            if wanted.is_empty() {
                return Ok(Judged::default());
            }
            let ranking = corpus.search_by(options, &question.question, &Filter::default(), DEPTH)?;
            Ok(Judged::new(&wanted, &ranking.documents, |need, found| **need == found.key))
        };
        questions.iter().map(judge).collect()
    }
}
