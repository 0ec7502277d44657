//! From Tantivy's numbers back to documents' keys. A key is text in a column with a dictionary: finding one means reading
//! half a block of it, and a search wants hundreds. A process that goes on asking therefore keeps the dictionaries
//! unpacked, a few dozen bytes a document; one that asks once reads what it needs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use regreader_model::{BlockId, PageNumber, RegId};
use tantivy::columnar::StrColumn;
use tantivy::index::SegmentId;
use tantivy::{DocAddress, Searcher};

use super::tantivy::{BETWEEN, failed, lost};
use crate::{DocumentKey, IndexError};

/// Searches after which the dictionaries are unpacked.
const ONCE_ASKED: usize = 3;

/// The unpacked dictionaries of an index.
#[derive(Default)]
pub(super) struct KeyTables {
    asked: AtomicUsize,
    tables: Mutex<HashMap<SegmentId, Arc<Unpacked>>>,
}

/// The texts of a dictionary one behind the other, and where each ends.
struct Unpacked {
    texts: String,
    ends: Vec<u32>,
}

/// The keys of one search.
pub(super) struct Keys<'a> {
    searcher: &'a Searcher,
    tables: &'a KeyTables,
    unpack: bool,
    segments: BTreeMap<u32, Segment>,
    regulations: BTreeSet<RegId>,
}

struct Segment {
    column: StrColumn,
    unpacked: Option<Arc<Unpacked>>,
}

impl KeyTables {
    /// For one search.
    pub(super) fn of<'a>(&'a self, searcher: &'a Searcher) -> Keys<'a> {
        let unpack = self.asked.fetch_add(1, Ordering::Relaxed) >= ONCE_ASKED;
        Keys { searcher, tables: self, unpack, segments: BTreeMap::new(), regulations: BTreeSet::new() }
    }

    fn get(
        &self,
        searcher: &Searcher,
        id: SegmentId,
        column: &StrColumn,
    ) -> Result<Arc<Unpacked>, IndexError> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = tables.get(&id) {
            return Ok(Arc::clone(there));
        }
        // Segments that were merged away are asked for no more.
        let now: BTreeSet<SegmentId> =
            searcher.segment_readers().iter().map(tantivy::SegmentReader::segment_id).collect();
        tables.retain(|id, _| now.contains(id));
        let unpacked = Arc::new(Unpacked::of(column)?);
        tables.insert(id, Arc::clone(&unpacked));
        Ok(unpacked)
    }
}

impl Unpacked {
    fn of(column: &StrColumn) -> Result<Self, IndexError> {
        let (mut texts, mut ends) = (String::new(), Vec::with_capacity(column.num_terms()));
        let mut stream = column.dictionary().stream().map_err(|error| failed(error.into()))?;
        while stream.advance() {
            texts.push_str(std::str::from_utf8(stream.key()).map_err(|_| lost())?);
            // Four gigabytes of keys are more documents than a segment can have.
            ends.push(u32::try_from(texts.len()).map_err(|_| lost())?);
        }
        Ok(Self { texts, ends })
    }

    fn get(&self, ordinal: u64) -> Option<&str> {
        let at = usize::try_from(ordinal).ok()?;
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.texts.get(start as usize..*self.ends.get(at)? as usize)
    }
}

impl Keys<'_> {
    /// The key of a document.
    pub(super) fn get(&mut self, address: DocAddress) -> Result<DocumentKey, IndexError> {
        if !self.segments.contains_key(&address.segment_ord) {
            let reader = self.searcher.segment_reader(address.segment_ord);
            let column = reader.fast_fields().str("key").map_err(failed)?.ok_or_else(lost)?;
            let unpacked = if self.unpack {
                Some(self.tables.get(self.searcher, reader.segment_id(), &column)?)
            } else {
                None
            };
            self.segments.insert(address.segment_ord, Segment { column, unpacked });
        }
        let segment = self.segments.get(&address.segment_ord).ok_or_else(lost)?;
        let ordinal = segment.column.term_ords(address.doc_id).next().ok_or_else(lost)?;
        let mut read = String::new();
        let text = match &segment.unpacked {
            Some(unpacked) => unpacked.get(ordinal).ok_or_else(lost)?,
            None => {
                segment.column.ord_to_str(ordinal, &mut read).map_err(|error| failed(error.into()))?;
                &read
            }
        };
        let mut parts = text.splitn(3, BETWEEN);
        let mut part = || parts.next().ok_or_else(lost);
        let (reg_id, page, block_id) = (part()?, part()?, part()?);
        let reg_id = match self.regulations.get(reg_id) {
            Some(known) => known.clone(),
            None => {
                let parsed: RegId = reg_id.parse().map_err(|_| lost())?;
                self.regulations.insert(parsed.clone());
                parsed
            }
        };
        let page_num = page.parse().ok().and_then(PageNumber::new).ok_or_else(lost)?;
        Ok(DocumentKey { reg_id, page_num, block_id: BlockId::new(block_id) })
    }
}
