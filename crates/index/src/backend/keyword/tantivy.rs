//! The default keyword index: our tokens in Tantivy.
//!
//! Tantivy keeps the postings, merges segments and scores by BM25; it never sees text, only tokens that were made
//! here. Which regulations the index holds, and from which content, stands in the payload of the commit that made them
//! visible, so the two cannot disagree.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use regreader_messages::errors;
use regreader_model::{BlockType, RegId};
use regreader_text::QueryTokens;
use serde::{Deserialize, Serialize};
use tantivy::collector::TopDocs;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory, WatchCallback, WatchHandle,
    WritePtr,
};
use tantivy::indexer::NoMergePolicy;
use tantivy::query::{
    BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery, Query, TermQuery, TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{
    DocAddress, Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term,
};

use super::keys::KeyTables;
use super::{KeywordIndex, Reading, Replacement, reading};
use crate::storage::disk::{self, WriterLock};
use crate::storage::seal::{self, Depth};
use crate::{Filter, IndexDocument, IndexError, Scored};

const NAME: &str = "tantivy";
/// What the writer may fill before it flushes a segment.
const WRITER_BYTES: usize = 192 << 20;
/// More segments than this are merged after a commit: each costs a little in every search.
const MAX_SEGMENTS: usize = 6;
/// Between the parts of a key. No id holds it.
pub(super) const BETWEEN: char = '\u{1}';

/// Tokens in Tantivy.
pub struct TantivyIndex {
    folder: PathBuf,
    index: Index,
    reader: IndexReader,
    fields: Fields,
    reading: Arc<Reading>,
    mark: String,
    keys: KeyTables,
}

#[derive(Clone, Copy)]
struct Fields {
    body: Field,
    head: Field,
    reg_id: Field,
    node: Field,
    block_type: Field,
    section: Field,
    key: Field,
}

/// What a commit says about the whole index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Payload {
    mark: String,
    regulations: BTreeMap<RegId, String>,
    /// Hash over the rest: a regulation that is noted as another edition would never be built again.
    check: String,
}

impl Payload {
    fn checked(mut self) -> Self {
        self.check = String::new();
        let text = serde_json::to_vec(&self).unwrap_or_default();
        self.check = blake3::hash(&text).to_hex().to_string();
        self
    }
}

impl TantivyIndex {
    /// Opens the index in a folder, making one where there is none. One that was made by another way of reading text
    /// is corrupt for us.
    pub fn open(folder: &Path, reading: Arc<Reading>) -> Result<Self, IndexError> {
        let (schema, fields) = schema();
        let mark = reading.token_mark();
        let is_new = || !folder.join("meta.json").exists() && !seal::exists(folder);
        if is_new() {
            let _lock = WriterLock::acquire(folder)?;
            if is_new() {
                disk::empty_folder(folder)?;
                Index::create_in_dir(folder, schema.clone()).map_err(|error| torn(folder, &error))?;
                seal::write(folder, is_fixed)?;
            }
        }
        seal::check_at_rest(folder, Depth::Quick)?;
        let directory = MmapDirectory::open(folder).map_err(|error| torn(folder, &error.into()))?;
        let index = Index::open(Shared(directory)).map_err(|error| torn(folder, &error))?;
        if index.schema() != schema {
            return Err(IndexError::corrupt(folder, errors::OTHER_BUILD));
        }
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(|error: TantivyError| torn(folder, &error))?;
        let keys = KeyTables::default();
        let this = Self { folder: folder.to_owned(), index, reader, fields, reading, mark, keys };
        this.payload()?;
        Ok(this)
    }

    /// What the last commit says. An index without one is new.
    fn payload(&self) -> Result<Payload, IndexError> {
        let metas = self.index.load_metas().map_err(|error| torn(&self.folder, &error))?;
        let Some(text) = metas.payload else {
            return Ok(Payload { mark: self.mark.clone(), ..Payload::default() });
        };
        let payload: Payload = serde_json::from_str(&text)
            .map_err(|error| IndexError::corrupt(&self.folder, error.to_string()))?;
        if payload.clone().checked() != payload {
            return Err(IndexError::corrupt(&self.folder, errors::CHECKSUM));
        }
        if payload.mark != self.mark {
            return Err(IndexError::corrupt(&self.folder, errors::OTHER_TOKENS));
        }
        Ok(payload)
    }

    fn update(
        &self,
        change: impl FnOnce(&IndexWriter, &mut Payload) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let _lock = WriterLock::acquire(&self.folder)?;
        // Nothing is built on what is damaged.
        seal::check(&self.folder, Depth::Quick)?;
        let mut payload = self.payload()?;
        let mut writer: IndexWriter = self.index.writer_with_num_threads(1, WRITER_BYTES).map_err(failed)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        change(&writer, &mut payload)?;
        let text =
            serde_json::to_string(&payload.checked()).map_err(|error| IndexError::backend(NAME, error))?;
        let mut commit = writer.prepare_commit().map_err(failed)?;
        commit.set_payload(&text);
        commit.commit().map_err(failed)?;
        self.tidy_up(&mut writer)?;
        writer.wait_merging_threads().map_err(failed)?;
        seal::write(&self.folder, is_fixed)?;
        self.reader.reload().map_err(|error| torn(&self.folder, &error))
    }

    /// Merges the small segments into one when there are many. Done here rather than by a policy of Tantivy's, so that
    /// the same updates give the same segments.
    fn tidy_up(&self, writer: &mut IndexWriter) -> Result<(), IndexError> {
        let mut metas = self.index.searchable_segment_metas().map_err(failed)?;
        if metas.len() > MAX_SEGMENTS {
            metas.sort_by_key(|meta| (meta.num_docs(), meta.id()));
            let largest = metas.last().map_or(0, tantivy::SegmentMeta::num_docs);
            let total: u32 = metas.iter().map(tantivy::SegmentMeta::num_docs).sum();
            // A segment that holds most of the index is left in peace until the others have grown to its size.
            let spared = usize::from(largest > total / 2);
            let merged: Vec<_> =
                metas.iter().take(metas.len() - spared).map(tantivy::SegmentMeta::id).collect();
            writer.merge(&merged).wait().map_err(failed)?;
        }
        writer.garbage_collect_files().wait().map_err(failed)?;
        Ok(())
    }

    fn document(&self, document: &IndexDocument) -> TantivyDocument {
        let fields = self.fields;
        let key = &document.key;
        let mut made = TantivyDocument::new();
        made.add_pre_tokenized_text(fields.body, self.tokenized(&document.text));
        made.add_pre_tokenized_text(fields.head, self.tokenized(&reading::head(document)));
        made.add_text(fields.reg_id, &key.reg_id);
        for node in &document.ancestry {
            made.add_text(fields.node, node_term(&key.reg_id, node.as_str()));
        }
        made.add_text(fields.block_type, document.block_type.name());
        if let Some(number) = &document.section_number {
            made.add_text(fields.section, number);
        }
        made.add_text(
            fields.key,
            format!("{}{BETWEEN}{}{BETWEEN}{}", key.reg_id, key.page_num, key.block_id),
        );
        made
    }

    fn tokenized(&self, text: &str) -> PreTokenizedString {
        let mut tokens = Vec::with_capacity(text.len() / 3);
        self.reading.tokenizer().visit(text, |token| {
            tokens.push(Token {
                offset_from: token.start,
                offset_to: token.end,
                position: token.position as usize,
                text: token.text.to_owned(),
                position_length: 1,
            });
        });
        // The text itself is kept nowhere, so an empty one will do.
        PreTokenizedString { text: String::new(), tokens }
    }

    /// The words of the query that are sought, in the text and in the titles; none when the index has none of them.
    fn words_query(
        &self,
        searcher: &Searcher,
        read: &QueryTokens,
    ) -> Result<Option<BooleanQuery>, IndexError> {
        let term = |field, text: &str| Term::from_field_text(field, text);
        let having = |text: &str| -> Result<[u64; 2], IndexError> {
            let body = searcher.doc_freq(&term(self.fields.body, text)).map_err(failed)?;
            let head = searcher.doc_freq(&term(self.fields.head, text)).map_err(failed)?;
            Ok([body, head])
        };
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for word in reading::sought(read, searcher.num_docs(), having)? {
            let fields = [(self.fields.body, 1.0), (self.fields.head, reading::HEAD_WEIGHT)];
            for ((field, share), having) in fields.into_iter().zip(word.having) {
                if having > 0 {
                    let query = TermQuery::new(term(field, &word.token.text), IndexRecordOption::WithFreqs);
                    let boosted = BoostQuery::new(Box::new(query), share * word.token.weight);
                    clauses.push((Occur::Should, Box::new(boosted)));
                }
            }
        }
        Ok((!clauses.is_empty()).then(|| BooleanQuery::new(clauses)))
    }

    /// The runs of words that stand together in the query.
    fn phrases_query(&self, read: &QueryTokens) -> Option<BooleanQuery> {
        let clauses: Vec<(Occur, Box<dyn Query>)> = read
            .phrases
            .iter()
            .map(|phrase| {
                let terms =
                    phrase.iter().map(|token| Term::from_field_text(self.fields.body, token)).collect();
                let query = BoostQuery::new(Box::new(PhraseQuery::new(terms)), reading::PHRASE_WEIGHT);
                (Occur::Should, Box::new(query) as Box<dyn Query>)
            })
            .collect();
        (!clauses.is_empty()).then(|| BooleanQuery::new(clauses))
    }

    /// The filter as queries that must all match.
    fn filter_queries(&self, filter: &Filter) -> Vec<Box<dyn Query>> {
        let mut queries: Vec<Box<dyn Query>> = Vec::new();
        let mut any = |terms: Vec<Term>| queries.push(Box::new(TermSetQuery::new(terms)));
        if let Some(regulations) = &filter.regulations {
            any(regulations
                .iter()
                .map(|reg_id| Term::from_field_text(self.fields.reg_id, reg_id.as_str()))
                .collect());
        }
        if let Some(scope) = &filter.scope {
            let term = |(reg_id, node): &(RegId, regreader_model::NodeId)| {
                Term::from_field_text(self.fields.node, &node_term(reg_id, node.as_str()))
            };
            any(scope.iter().map(term).collect());
        }
        if !filter.block_types.is_empty() {
            let term = |kind: &BlockType| Term::from_field_text(self.fields.block_type, kind.name());
            any(filter.block_types.iter().map(term).collect());
        }
        if let Some(number) = &filter.section_number {
            any(vec![Term::from_field_text(self.fields.section, number.as_str())]);
        }
        queries
    }
}

impl KeywordIndex for TantivyIndex {
    fn name(&self) -> &'static str {
        NAME
    }

    fn built_from(&self) -> Result<BTreeMap<RegId, String>, IndexError> {
        Ok(self.payload()?.regulations)
    }

    fn replace(&self, batch: &[Replacement<'_>]) -> Result<(), IndexError> {
        self.update(|writer, payload| {
            for one in batch {
                writer.delete_term(Term::from_field_text(self.fields.reg_id, one.reg_id.as_str()));
                for document in one.documents {
                    writer.add_document(self.document(document)).map_err(failed)?;
                }
                payload.regulations.insert(one.reg_id.clone(), one.content_hash.to_owned());
            }
            Ok(())
        })
    }

    fn delete_regulation(&self, reg_id: &RegId) -> Result<(), IndexError> {
        self.update(|writer, payload| {
            writer.delete_term(Term::from_field_text(self.fields.reg_id, reg_id.as_str()));
            payload.regulations.remove(reg_id);
            Ok(())
        })
    }

    fn reload(&self) -> Result<(), IndexError> {
        // While somebody writes, the files are ahead of their seal.
        if !WriterLock::is_held(&self.folder) {
            seal::check_at_rest(&self.folder, Depth::Quick)?;
        }
        self.reader.reload().map_err(|error| torn(&self.folder, &error))
    }

    fn verify(&self) -> Result<(), IndexError> {
        seal::check_at_rest(&self.folder, Depth::Full)
    }

    fn search(&self, query: &str, filter: &Filter, limit: usize) -> Result<Scored, IndexError> {
        let read = reading::read_query(self.reading.tokenizer(), query);
        let searcher = self.reader.searcher();
        let Some(words) = self.words_query(&searcher, &read)? else { return Ok(Vec::new()) };
        if limit == 0 {
            return Ok(Vec::new());
        }
        let filters = self.filter_queries(filter);
        let top = |query: BooleanQuery| {
            let collector = TopDocs::with_limit(limit).order_by_score();
            searcher.search(&narrowed(query, &filters), &collector).map_err(failed)
        };
        let mut found = top(words)?;
        // Phrases are looked for apart: Tantivy skips whole blocks of postings only in a union of plain words.
        if let Some(phrases) = self.phrases_query(&read) {
            add_phrases(&mut found, &top(phrases)?);
        }
        let mut keys = self.keys.of(&searcher);
        let mut hits = Vec::with_capacity(found.len());
        for (score, address) in found {
            hits.push((keys.get(address)?, score));
        }
        hits.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        hits.truncate(limit);
        Ok(hits)
    }

    fn weights(&self, query: &str) -> Result<Vec<(String, f32)>, IndexError> {
        let searcher = self.reader.searcher();
        let read = reading::read_query(self.reading.tokenizer(), query);
        let total = searcher.num_docs();
        let weight = |token: &regreader_text::QueryToken| {
            let term = Term::from_field_text(self.fields.body, &token.text);
            let having = searcher.doc_freq(&term).map_err(failed)?;
            Ok((token.text.clone(), token.weight * reading::rarity(total, having)))
        };
        read.tokens.iter().map(weight).collect()
    }
}

/// A folder that can also be read where it cannot be written to. Tantivy takes a lock to read, against a writer that
/// clears away files just then; where no lock file can be made, there is no such writer.
#[derive(Debug, Clone)]
struct Shared(MmapDirectory);

impl Directory for Shared {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.0.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.0.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.0.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.0.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.0.sync_directory()
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.0.watch(callback)
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.0.acquire_lock(lock) {
            Err(LockError::IoError(error))
                if lock.filepath == META_LOCK.filepath && disk::cannot_write(&error) =>
            {
                Ok(DirectoryLock::from(Box::new(())))
            }
            result => result,
        }
    }
}

/// Files of segments never change; these two are replaced by every commit.
fn is_fixed(name: &str) -> bool {
    !matches!(name, "meta.json" | ".managed.json")
}

/// Adds what phrases score. A document that has the phrase has its words, so one that is not among the best by words
/// stands just below them.
fn add_phrases(found: &mut Vec<(f32, DocAddress)>, phrases: &[(f32, DocAddress)]) {
    let floor = found.last().map_or(0.0, |(score, _)| *score);
    let mut places: BTreeMap<DocAddress, usize> =
        found.iter().enumerate().map(|(place, (_, address))| (*address, place)).collect();
    for (score, address) in phrases {
        if let Some(hit) = places.remove(address).and_then(|place| found.get_mut(place)) {
            hit.0 += score;
        } else {
            found.push((floor + score, *address));
        }
    }
}

/// The query within the filter.
fn narrowed(query: BooleanQuery, filters: &[Box<dyn Query>]) -> BooleanQuery {
    if filters.is_empty() {
        return query;
    }
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = vec![(Occur::Must, Box::new(query))];
    for filter in filters {
        clauses.push((Occur::Must, Box::new(ConstScoreQuery::new(filter.box_clone(), 0.0))));
    }
    BooleanQuery::new(clauses)
}

pub(super) fn lost() -> IndexError {
    IndexError::backend(NAME, errors::NO_KEY)
}

fn schema() -> (Schema, Fields) {
    // The tokenizer is named only because there must be one: tokens come ready-made.
    let indexed = |record| {
        let indexing = TextFieldIndexing::default().set_tokenizer("raw").set_index_option(record);
        TextOptions::default().set_indexing_options(indexing)
    };
    let mut schema = Schema::builder();
    let fields = Fields {
        body: schema.add_text_field("body", indexed(IndexRecordOption::WithFreqsAndPositions)),
        head: schema.add_text_field("head", indexed(IndexRecordOption::WithFreqs)),
        reg_id: schema.add_text_field("reg_id", STRING),
        node: schema.add_text_field("node", STRING),
        block_type: schema.add_text_field("block_type", STRING),
        section: schema.add_text_field("section", STRING),
        key: schema.add_text_field("key", TextOptions::default().set_fast("raw")),
    };
    (schema.build(), fields)
}

fn node_term(reg_id: &RegId, node: &str) -> String {
    format!("{reg_id}{BETWEEN}{node}")
}

fn torn(folder: &Path, error: &TantivyError) -> IndexError {
    match error {
        TantivyError::IoError(source) if disk::cannot_write(source) => {
            IndexError::io(folder, std::io::Error::new(source.kind(), source.to_string()))
        }
        _ => IndexError::corrupt(folder, error.to_string()),
    }
}

pub(super) fn failed(error: TantivyError) -> IndexError {
    IndexError::backend(NAME, error)
}
