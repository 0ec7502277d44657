//! What a toolbox keeps between calls: the notes of a regulation, changes between editions, and folded texts. Open readers
//! are kept by the library.
//!
//! All are kept by the hash of the content they were taken from, and bounded: the longest unused goes first.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use regreader_changes::Changes;
use regreader_changes::mention::RegulationTexts;
use regreader_changes::status::Statuses;
use regreader_model::{Annotation, PageNumber, RegId};
use regreader_proof::Passages;
use regreader_search::RegulationsSeen;
use regreader_store::RegulationReader;

/// Most regulations of which notes, or pairs of which changes, are kept.
const MAX_KEPT: usize = 16;

/// Most pages whose passages are kept: an answer and its question touch a dozen.
const MAX_PAGES: usize = 64;

/// The notes of a regulation, in document order.
pub type Notes = Arc<Vec<Annotation>>;

/// What is kept.
#[derive(Default)]
pub struct Kept {
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
    /// The notes of a reader's edition, made when they are not known yet.
    pub fn notes<E>(
        &self,
        reader: &RegulationReader,
        make: impl FnOnce() -> Result<Vec<Annotation>, E>,
    ) -> Result<Notes, E> {
        let key = format!("{} {}", reader.reg_id(), reader.content_hash());
        keyed(&self.notes, &key, MAX_KEPT, make)
    }

    /// The changes between two editions, computed when they are not known yet.
    pub fn changes<E>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<Changes, E>,
    ) -> Result<Arc<Changes>, E> {
        keyed(&self.changes, key, MAX_KEPT, make)
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
        keyed(&self.passages, &key, MAX_PAGES, cut)
    }
}

/// What is kept under a key, made when it is not known yet. Making is outside of the lock: two calls at once may both
/// make it, and one of the two is kept.
fn keyed<T, E>(
    list: &Mutex<VecDeque<(String, Arc<T>)>>,
    key: &str,
    most: usize,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<Arc<T>, E> {
    let is_it = |(known, _): &(String, Arc<T>)| known == key;
    if let Some((_, kept)) = find(list, is_it) {
        return Ok(kept);
    }
    let made = Arc::new(make()?);
    put(list, (key.to_owned(), Arc::clone(&made)), most, is_it);
    Ok(made)
}

/// An item, which stays in the list and is now the last to go: whoever comes meanwhile finds it too.
fn find<T: Clone>(list: &Mutex<VecDeque<T>>, is_it: impl Fn(&T) -> bool) -> Option<T> {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    let at = list.iter().position(is_it)?;
    let item = list.remove(at)?;
    list.push_back(item.clone());
    Some(item)
}

/// Puts an item in the place of those that it stands for.
fn put<T>(list: &Mutex<VecDeque<T>>, item: T, most: usize, stands_for: impl Fn(&T) -> bool) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    list.retain(|kept| !stands_for(kept));
    list.push_back(item);
    while list.len() > most {
        list.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Every call that found a reader in use used to open another, with tables and chapters of its own.
    #[test]
    fn what_is_in_use_is_found_by_others_too() {
        let list: Mutex<VecDeque<(String, Arc<u32>)>> = Mutex::default();
        let made = |number| move || Ok::<u32, Infallible>(number);
        let Ok(first) = keyed(&list, "a", 2, made(1));
        let Ok(again) = keyed(&list, "a", 2, || {
            // Somebody else asks while this one is at work.
            let Ok(other) = keyed(&list, "a", 2, made(3));
            Ok::<u32, Infallible>(*other + 1)
        });
        assert!(Arc::ptr_eq(&first, &again) && *again == 1);
        let Ok(_) = keyed(&list, "b", 2, || keyed(&list, "b", 2, made(4)).map(|inner| *inner));
        let names = |list: &Mutex<VecDeque<(String, Arc<u32>)>>| -> Vec<String> {
            list.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
        };
        assert_eq!(names(&list), ["a", "b"], "once, though it was made twice");
        let Ok(_) = keyed(&list, "a", 2, made(5));
        let Ok(_) = keyed(&list, "c", 2, made(6));
        assert_eq!(names(&list), ["a", "c"], "the longest unused is gone");
    }
}
