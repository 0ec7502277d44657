//! What a toolbox keeps between calls: open readers with what they have parsed, the notes of a regulation, changes between
//! editions, and folded texts.
//!
//! A kept reader is used only while the library still holds exactly its edition; the others are kept by the hash of the content they
//! were taken from. All are bounded, the longest unused goes first.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use regreader_changes::Changes;
use regreader_changes::mention::RegulationTexts;
use regreader_changes::status::Statuses;
use regreader_model::{Annotation, PageNumber, RegId};
use regreader_proof::Passages;
use regreader_search::RegulationsSeen;
use regreader_store::{Library, RegulationReader, StoreError};

/// Most regulations that are kept open.
const MAX_KEPT: usize = 16;

/// Most pages whose passages are kept: an answer and its question touch a dozen.
const MAX_PAGES: usize = 64;

/// The notes of a regulation, in document order.
pub type Notes = Arc<Vec<Annotation>>;

/// What is kept.
#[derive(Default)]
pub struct Kept {
    readers: Mutex<VecDeque<Arc<RegulationReader>>>,
    notes: Mutex<VecDeque<(String, Notes)>>,
    passages: Mutex<VecDeque<(String, Arc<Passages>)>>,
    changes: Mutex<VecDeque<(String, Arc<Changes>)>>,
    texts: Mutex<FoldedTexts>,
    statuses: Mutex<Option<(RegulationsSeen, Arc<Statuses>)>>,
}

/// Most bytes of folded text that are kept. Beyond it regulations are folded for each call: slower, and as complete.
const MAX_FOLDED_BYTES: usize = 512 << 20;

/// Folded regulations by id, with the content they were folded from.
#[derive(Default)]
struct FoldedTexts {
    by_id: BTreeMap<RegId, (String, Arc<RegulationTexts>)>,
    bytes: usize,
}

impl Kept {
    /// A reader of the edition in force.
    pub fn reader(&self, library: &Library, reg_id: &RegId) -> Result<Arc<RegulationReader>, StoreError> {
        let known = take(&self.readers, |reader| reader.reg_id() == reg_id);
        // Asking the disk is outside of the lock.
        let reader = match known {
            Some(reader) if reader.is_current() => reader,
            _ => Arc::new(library.reader(reg_id)?),
        };
        put(&self.readers, Arc::clone(&reader));
        Ok(reader)
    }

    /// The notes of a reader's edition, made when they are not known yet.
    pub fn notes<E>(
        &self,
        reader: &RegulationReader,
        make: impl FnOnce() -> Result<Vec<Annotation>, E>,
    ) -> Result<Notes, E> {
        let key = format!("{} {}", reader.reg_id(), reader.content_hash());
        let notes = match take(&self.notes, |(known, _)| *known == key) {
            Some((_, notes)) => notes,
            None => Arc::new(make()?),
        };
        put(&self.notes, (key, Arc::clone(&notes)));
        Ok(notes)
    }

    /// The changes between two editions, computed when they are not known yet.
    pub fn changes<E>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<Changes, E>,
    ) -> Result<Arc<Changes>, E> {
        let changes = match take(&self.changes, |(known, _)| known == key) {
            Some((_, changes)) => changes,
            None => Arc::new(make()?),
        };
        put(&self.changes, (key.to_owned(), Arc::clone(&changes)));
        Ok(changes)
    }

    /// The events of a library, read once while nothing changes in it.
    pub fn statuses(&self, regulations: &RegulationsSeen) -> Arc<Statuses> {
        let mut kept = self.statuses.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref().filter(|(seen, _)| seen.is_same(regulations)) {
            Some((_, statuses)) => Arc::clone(statuses),
            None => {
                let statuses = Arc::new(Statuses::new(regulations.iter(), &regulations.superseding()));
                *kept = Some((regulations.clone(), Arc::clone(&statuses)));
                statuses
            }
        }
    }

    /// A regulation folded for finding names, made when it is not known yet.
    pub fn texts<E>(
        &self,
        reg_id: &RegId,
        content_hash: &str,
        make: impl FnOnce() -> Result<RegulationTexts, E>,
    ) -> Result<Arc<RegulationTexts>, E> {
        let lock = || self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((hash, texts)) = lock().by_id.get(reg_id)
            && hash == content_hash
        {
            return Ok(Arc::clone(texts));
        }
        // Folding is outside of the lock.
        let texts = Arc::new(make()?);
        let mut kept = lock();
        if let Some((_, gone)) = kept.by_id.remove(reg_id) {
            kept.bytes = kept.bytes.saturating_sub(gone.size());
        }
        let size = texts.size();
        if kept.bytes + size <= MAX_FOLDED_BYTES {
            kept.bytes += size;
            kept.by_id.insert(reg_id.clone(), (content_hash.to_owned(), Arc::clone(&texts)));
        }
        Ok(texts)
    }
}

impl Kept {
    /// The passages of a page of a reader's edition, cut when they are not known yet.
    pub fn passages<E>(
        &self,
        reader: &RegulationReader,
        page: PageNumber,
        cut: impl FnOnce() -> Result<Passages, E>,
    ) -> Result<Arc<Passages>, E> {
        let key = format!("{} {} {page}", reader.reg_id(), reader.content_hash());
        let passages = match take(&self.passages, |(known, _)| *known == key) {
            Some((_, passages)) => passages,
            None => Arc::new(cut()?),
        };
        let mut list = self.passages.lock().unwrap_or_else(PoisonError::into_inner);
        list.push_back((key, Arc::clone(&passages)));
        if list.len() > MAX_PAGES {
            list.pop_front();
        }
        Ok(passages)
    }
}

/// Two calls at once may both take and both put: then the same is there twice for a while, which harms nobody.
fn take<T>(list: &Mutex<VecDeque<T>>, is_it: impl Fn(&T) -> bool) -> Option<T> {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    let at = list.iter().position(is_it)?;
    list.remove(at)
}

fn put<T>(list: &Mutex<VecDeque<T>>, item: T) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    list.push_back(item);
    if list.len() > MAX_KEPT {
        list.pop_front();
    }
}
