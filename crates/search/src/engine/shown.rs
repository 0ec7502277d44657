//! What is shown of a hit: the document as its page has it. The indexes only say where to look; every page file is hashed
//! when it is read, so a damaged index can cost a hit but never change a number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use regreader_messages::errors;
use regreader_model::{PageNumber, RegId};
use regreader_store::{RegulationReader, StoreError};

use super::SearchEngine;
use crate::documents::documents_of_page;
use regreader_index::storage::catalog::CatalogView;
use regreader_index::{DocumentKey, IndexDocument, IndexError};

/// Characters of text that are kept of pages read lately: some thousand pages.
const KEPT_CHARS: usize = 4_000_000;

/// Pages read lately, as documents.
#[derive(Default)]
pub(super) struct ShownPages {
    kept: Mutex<Kept>,
}

type PageKey = (RegId, String, PageNumber);

#[derive(Default)]
struct Kept {
    pages: HashMap<PageKey, (u64, usize, Arc<Vec<IndexDocument>>)>,
    chars: usize,
    clock: u64,
}

/// What became of a document that was found.
pub(super) enum Shown {
    /// The document as its page has it.
    Document(IndexDocument),
    /// The page has no such block: the regulation was replaced since the index was built.
    Gone,
    /// The page cannot be read.
    Unreadable(String),
}

impl SearchEngine {
    /// A document that was found, as its page has it.
    pub(super) fn shown(&self, key: &DocumentKey, view: &CatalogView) -> Result<Shown, IndexError> {
        let reader = match self.reader(&key.reg_id) {
            Err(IndexError::Store(StoreError::Domain(_))) => return Ok(Shown::Gone),
            reader => reader?,
        };
        if key.page_num.get() > reader.total_pages() {
            return Ok(Shown::Gone);
        }
        let documents = match self.shown_pages.page(&reader, key.page_num) {
            Err(StoreError::Corrupt { reason, .. }) => {
                let page = key.page_num;
                return Ok(Shown::Unreadable(errors::page_unreadable(&key.reg_id, page, reason)));
            }
            documents => documents?,
        };
        let found = documents.iter().find(|document| document.key.block_id == key.block_id);
        // Built from this very content, so it must be this very text.
        let is_same_content = view.content_hash(&key.reg_id) == Some(reader.content_hash());
        if is_same_content {
            let indexed = view.get(key)?.map(|document| document.text);
            if indexed.as_ref() != found.map(|document| &document.text) {
                return Err(IndexError::corrupt(&self.place().blocks(), errors::PAGE_DIFFERS));
            }
        }
        Ok(found.map_or(Shown::Gone, |document| Shown::Document(document.clone())))
    }
}

impl ShownPages {
    fn page(
        &self,
        reader: &RegulationReader,
        page: PageNumber,
    ) -> Result<Arc<Vec<IndexDocument>>, StoreError> {
        let key = (reader.reg_id().clone(), reader.content_hash().to_owned(), page);
        if let Some(known) = self.known(&key) {
            return Ok(known);
        }
        let (structure, tables) = (reader.structure()?, reader.tables()?);
        let documents = Arc::new(documents_of_page(reader.page(page)?, &structure, &tables));
        self.keep(key, &documents);
        Ok(documents)
    }

    fn known(&self, key: &PageKey) -> Option<Arc<Vec<IndexDocument>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let (used, _, documents) = kept.pages.get_mut(key)?;
        *used = now;
        Some(Arc::clone(documents))
    }

    fn keep(&self, key: PageKey, documents: &Arc<Vec<IndexDocument>>) {
        let chars = documents.iter().map(|document| document.text.len()).sum::<usize>() + 1_000;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        if kept.pages.insert(key, (now, chars, Arc::clone(documents))).is_none() {
            kept.chars += chars;
        }
        if kept.chars > KEPT_CHARS {
            // The older half goes at once, so that the order is looked at seldom.
            let mut ages: Vec<u64> = kept.pages.values().map(|(used, _, _)| *used).collect();
            ages.sort_unstable();
            let middle = ages.get(ages.len() / 2).copied().unwrap_or(0);
            kept.pages.retain(|_, (used, _, _)| *used > middle);
            kept.chars = kept.pages.values().map(|(_, chars, _)| *chars).sum();
        }
    }
}
