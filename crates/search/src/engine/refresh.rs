//! Keeping the indexes in step with the library: only what is stale is built, all of it under one lock, and other
//! processes take it over when it is done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use regreader_messages::errors;
use regreader_model::{RegId, RegulationInfo};
use regreader_store::{ListEntry, StoreError};
use serde::Serialize;

use super::{SearchEngine, State};
use crate::documents::{blocks_of, tables_of};
use regreader_index::disk;
use regreader_index::storage::generation;
use regreader_index::{BuiltFrom, Corpus, Damage, Parts};
use regreader_index::{IndexDocument, IndexError, Replacement};

/// What happens during a refresh, as it happens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefreshEvent {
    /// A part of the index could not be used and is built anew.
    Damaged(Damage),
    /// The indexes cannot be written where they belong, and are built in this folder.
    Elsewhere(PathBuf),
    /// Work begins.
    Started {
        /// How many regulations are to be indexed.
        regulations: usize,
    },
    /// A regulation is in the index.
    Indexed {
        /// Regulation concerned.
        reg_id: RegId,
        /// How many documents it gave.
        documents: usize,
        /// How many regulations are done.
        done: usize,
        /// How many there are to do.
        total: usize,
    },
    /// A regulation is gone from the library, and now from the index.
    Removed {
        /// Regulation concerned.
        reg_id: RegId,
    },
    /// A regulation cannot be read, so it cannot be found either.
    Unreadable {
        /// Regulation concerned.
        reg_id: RegId,
        /// Cause, for a person.
        problem: String,
    },
}

/// What a refresh did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RefreshReport {
    /// Regulations that were indexed.
    pub indexed: Vec<RegId>,
    /// Regulations that were removed from the index.
    pub removed: Vec<RegId>,
    /// Regulations that cannot be read.
    pub unreadable: Vec<RegId>,
    /// Documents that were indexed.
    pub documents: usize,
    /// Parts that could not be used and were built anew.
    pub damaged: usize,
}

/// Regulations are indexed together until they have so many documents: a commit costs the same for one as for many, and
/// leaves a segment that every later search pays for.
const TOGETHER: usize = 64_000;

/// What to go by in deciding whether there is anything to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looking {
    /// The state that was written last, and the blocks' indexes, which are open anyway.
    AtState,
    /// Every index.
    AtEverything,
}

/// Which regulations to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Building {
    /// Those that some part does not hold as they are.
    Stale,
    /// Everything is built.
    All,
}

/// A regulation read for indexing.
struct Read {
    reg_id: RegId,
    content_hash: String,
    blocks: Vec<IndexDocument>,
    tables: Vec<IndexDocument>,
}

/// Readable regulations with their info, and what is wrong with the others.
type Wanted = (BTreeMap<RegId, RegulationInfo>, BTreeMap<RegId, String>);

impl SearchEngine {
    /// Brings the indexes in step with the library. Cheap when they are.
    pub fn refresh(&self, report: &mut dyn FnMut(RefreshEvent)) -> Result<RefreshReport, IndexError> {
        self.bring_in_step(Looking::AtState, report)
    }

    /// The same, unless another process is at it: then nothing is done, and nothing is returned. For a server, whose
    /// callers should hear that the indexes are being built rather than wait for it.
    pub fn refresh_unless_busy(
        &self,
        report: &mut dyn FnMut(RefreshEvent),
    ) -> Result<Option<RefreshReport>, IndexError> {
        let mut done = RefreshReport::default();
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner).clone();
        if seen.is_some_and(|seen| seen.behind == 0 && seen.marks == (self.library.mark(), self.mark())) {
            return Ok(Some(done));
        }
        let Some(wanted) = self.out_of_step(Looking::AtState, report, &mut done)? else {
            return Ok(Some(done));
        };
        let Some(_lock) = self.try_lock()? else {
            // What there is goes on being searched; which regulations it lacks is noted.
            self.see()?;
            return Ok(None);
        };
        self.fill(&wanted, Building::Stale, report, &mut done)?;
        Ok(Some(done))
    }

    pub(super) fn bring_in_step(
        &self,
        looking: Looking,
        report: &mut dyn FnMut(RefreshEvent),
    ) -> Result<RefreshReport, IndexError> {
        let mut done = RefreshReport::default();
        if let Some(wanted) = self.out_of_step(looking, report, &mut done)? {
            let _lock = self.lock()?;
            self.fill(&wanted, Building::Stale, report, &mut done)?;
        }
        Ok(done)
    }

    /// What the indexes should hold, if they do not hold exactly that.
    fn out_of_step(
        &self,
        looking: Looking,
        report: &mut dyn FnMut(RefreshEvent),
        done: &mut RefreshReport,
    ) -> Result<Option<BTreeMap<RegId, RegulationInfo>>, IndexError> {
        // Before the list: whatever changes after this is seen next time.
        let marks = (self.library.mark(), self.mark());
        let (wanted, unreadable) = self.wanted()?;
        done.unreadable = unreadable.keys().cloned().collect();
        for (reg_id, problem) in unreadable {
            report(RefreshEvent::Unreadable { reg_id, problem });
        }
        if looking == Looking::AtState && self.is_in_step(&wanted)? {
            self.note(wanted, marks);
            return Ok(None);
        }
        Ok(Some(wanted))
    }

    /// Builds what is missing. Only the holder of the lock calls this.
    fn fill(
        &self,
        wanted: &BTreeMap<RegId, RegulationInfo>,
        building: Building,
        report: &mut dyn FnMut(RefreshEvent),
        done: &mut RefreshReport,
    ) -> Result<(), IndexError> {
        // Another process may have done the work while we waited.
        self.reload()?;
        if self.options.fallback_dir.as_ref() == Some(&self.place().root) {
            report(RefreshEvent::Elsewhere(self.place().root.clone()));
        }
        let tables = self.tables()?;
        for damage in self.blocks.take_damage().into_iter().chain(tables.take_damage()) {
            done.damaged += 1;
            report(RefreshEvent::Damaged(damage));
        }
        self.remove_gone(wanted, report, done)?;
        self.index(wanted, building, report, done)?;
        self.write_state(wanted)?;
        self.reload()?;
        self.see()?;
        Ok(())
    }

    /// Builds all indexes anew beside the present ones, which are searched until the new ones are complete. One rename
    /// makes those count.
    pub fn rebuild(&self, report: &mut dyn FnMut(RefreshEvent)) -> Result<RefreshReport, IndexError> {
        let _lock = self.lock()?;
        let (wanted, unreadable) = self.wanted()?;
        let mut done =
            RefreshReport { unreadable: unreadable.keys().cloned().collect(), ..RefreshReport::default() };
        for (reg_id, problem) in unreadable {
            report(RefreshEvent::Unreadable { reg_id, problem });
        }
        let beside = self.beside()?;
        beside.fill(&wanted, Building::All, report, &mut done)?;
        let root = self.place().root.clone();
        beside.place().generation.publish(&root)?;
        drop(beside);
        self.reload()?;
        self.see()?;
        generation::clear(&root);
        Ok(done)
    }

    /// How many of these regulations the indexes do not hold as they are, by the state that was written last. Without
    /// one, all.
    pub(super) fn count_behind(&self, infos: &BTreeMap<RegId, RegulationInfo>) -> usize {
        let state = read_state(&self.state_path()).ok().flatten();
        let held = |info: &&RegulationInfo| {
            let known = state.as_ref().and_then(|state| state.regulations.get(&info.reg_id));
            known == info.content_hash.as_ref()
        };
        infos.values().filter(|info| !held(info)).count()
    }

    /// Regulations whose content the indexes do not hold, or hold of another edition.
    pub fn stale(&self) -> Result<Vec<RegId>, IndexError> {
        let (wanted, _) = self.wanted()?;
        self.blocks.reload()?;
        let built = self.blocks.built_from()?;
        Ok(wanted
            .keys()
            .filter(|reg_id| stale_parts(&built, reg_id, &wanted) != Parts::NONE)
            .cloned()
            .collect())
    }

    /// What the library holds: every readable regulation with its info, and what is wrong with the others.
    fn wanted(&self) -> Result<Wanted, IndexError> {
        let (mut wanted, mut unreadable) = (BTreeMap::new(), BTreeMap::new());
        for entry in self.library.list()? {
            match entry {
                ListEntry::Regulation(info) => {
                    wanted.insert(info.reg_id.clone(), info);
                }
                ListEntry::Broken { reg_id, problem } => {
                    unreadable.insert(reg_id, problem.to_string());
                }
            }
        }
        Ok((wanted, unreadable))
    }

    /// Whether the last state that was written is the library's, and the indexes are as it says.
    fn is_in_step(&self, wanted: &BTreeMap<RegId, RegulationInfo>) -> Result<bool, IndexError> {
        match read_state(&self.state_path()) {
            Ok(Some(there)) if there == state(wanted) => {}
            Ok(_) => return Ok(false),
            Err(error) => {
                self.blocks.add_damage(Some(Damage { part: "state".to_owned(), reason: error.to_string() }));
                return Ok(false);
            }
        }
        let built = self.blocks.built_from()?;
        Ok(wanted.keys().all(|reg_id| stale_parts(&built, reg_id, wanted) == Parts::NONE))
    }

    fn remove_gone(
        &self,
        wanted: &BTreeMap<RegId, RegulationInfo>,
        report: &mut dyn FnMut(RefreshEvent),
        done: &mut RefreshReport,
    ) -> Result<(), IndexError> {
        let mut gone = BTreeSet::new();
        for corpus in [&self.blocks, self.tables()?] {
            let built = corpus.built_from()?;
            let vector = built.vector.unwrap_or_default();
            let there = built.catalog.into_keys().chain(built.keyword.into_keys()).chain(vector.into_keys());
            let mine: BTreeSet<RegId> = there.filter(|reg_id| !wanted.contains_key(reg_id)).collect();
            for reg_id in &mine {
                corpus.delete(reg_id)?;
            }
            gone.extend(mine);
        }
        for reg_id in gone {
            report(RefreshEvent::Removed { reg_id: reg_id.clone() });
            done.removed.push(reg_id);
        }
        Ok(())
    }

    fn index(
        &self,
        wanted: &BTreeMap<RegId, RegulationInfo>,
        building: Building,
        report: &mut dyn FnMut(RefreshEvent),
        done: &mut RefreshReport,
    ) -> Result<(), IndexError> {
        let (blocks, tables) = (self.blocks.built_from()?, self.tables()?.built_from()?);
        let stale: Vec<&RegId> = wanted
            .keys()
            .filter(|reg_id| {
                building == Building::All
                    || stale_parts(&blocks, reg_id, wanted) != Parts::NONE
                    || stale_parts(&tables, reg_id, wanted) != Parts::NONE
            })
            .collect();
        if stale.is_empty() {
            return Ok(());
        }
        report(RefreshEvent::Started { regulations: stale.len() });
        let mut batch: Vec<Read> = Vec::new();
        let (mut waiting, mut finished) = (0, 0);
        for (at, reg_id) in stale.iter().enumerate() {
            match self.read_for_index(reg_id) {
                Ok(read) => {
                    waiting += read.blocks.len() + read.tables.len();
                    batch.push(read);
                }
                // Deleted meanwhile; the next refresh removes what is left of it.
                Err(IndexError::Store(StoreError::Domain(_))) => {}
                Err(IndexError::Store(error)) => {
                    done.unreadable.push((*reg_id).clone());
                    report(RefreshEvent::Unreadable {
                        reg_id: (*reg_id).clone(),
                        problem: error.to_string(),
                    });
                }
                Err(error) => return Err(error),
            }
            if waiting >= TOGETHER || at + 1 == stale.len() {
                self.index_batch(&batch, building, &blocks, &tables)?;
                for read in batch.drain(..) {
                    finished += 1;
                    done.documents += read.blocks.len();
                    report(RefreshEvent::Indexed {
                        reg_id: read.reg_id.clone(),
                        documents: read.blocks.len(),
                        done: finished,
                        total: stale.len(),
                    });
                    done.indexed.push(read.reg_id);
                }
                waiting = 0;
            }
        }
        Ok(())
    }

    fn read_for_index(&self, reg_id: &RegId) -> Result<Read, IndexError> {
        let read = self.library.read(reg_id, |reader| {
            Ok(Read {
                reg_id: reg_id.clone(),
                content_hash: reader.content_hash().to_owned(),
                blocks: blocks_of(reader)?,
                tables: tables_of(reader)?,
            })
        });
        Ok(read?)
    }

    fn index_batch(
        &self,
        batch: &[Read],
        building: Building,
        blocks: &BuiltFrom,
        tables: &BuiltFrom,
    ) -> Result<(), IndexError> {
        build_parts(&self.blocks, batch, building, blocks, |read| &read.blocks)?;
        build_parts(self.tables()?, batch, building, tables, |read| &read.tables)
    }

    fn write_state(&self, wanted: &BTreeMap<RegId, RegulationInfo>) -> Result<(), IndexError> {
        let path = self.state_path();
        let bytes = serde_json::to_vec(&state(wanted))
            .map_err(|error| IndexError::corrupt(&path, error.to_string()))?;
        disk::write_atomically(&path, &bytes)
    }
}

/// Builds each part of a corpus for those regulations of which that part is stale.
fn build_parts(
    corpus: &Corpus,
    batch: &[Read],
    building: Building,
    built: &BuiltFrom,
    documents: impl Fn(&Read) -> &[IndexDocument],
) -> Result<(), IndexError> {
    let mut by_parts: Vec<(Parts, Vec<Replacement<'_>>)> = Vec::new();
    for read in batch {
        let parts = match building {
            Building::All => Parts::ALL,
            Building::Stale => differing(built, &read.reg_id, Some(&read.content_hash)),
        };
        let one = Replacement {
            reg_id: &read.reg_id,
            content_hash: &read.content_hash,
            documents: documents(read),
        };
        match by_parts.iter_mut().find(|(known, _)| *known == parts) {
            Some((_, list)) => list.push(one),
            None => by_parts.push((parts, vec![one])),
        }
    }
    by_parts.iter().try_for_each(|(parts, list)| corpus.build(list, *parts))
}

fn stale_parts(built: &BuiltFrom, reg_id: &RegId, wanted: &BTreeMap<RegId, RegulationInfo>) -> Parts {
    differing(built, reg_id, wanted.get(reg_id).and_then(|info| info.content_hash.as_deref()))
}

/// Which parts were not built from this content.
fn differing(built: &BuiltFrom, reg_id: &RegId, hash: Option<&str>) -> Parts {
    let differs =
        |part: &BTreeMap<RegId, String>| part.get(reg_id).map(String::as_str) != hash || hash.is_none();
    Parts {
        catalog: differs(&built.catalog),
        keyword: differs(&built.keyword),
        vector: built.vector.as_ref().is_some_and(differs),
    }
}

fn state(wanted: &BTreeMap<RegId, RegulationInfo>) -> State {
    let hash = |info: &RegulationInfo| info.content_hash.clone().unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    for info in wanted.values() {
        hasher.update(&serde_json::to_vec(info).unwrap_or_default());
    }
    State {
        regulations: wanted.iter().map(|(reg_id, info)| (reg_id.clone(), hash(info))).collect(),
        described: hasher.finalize().to_hex().to_string(),
        check: String::new(),
    }
    .checked()
}

/// The state that was written last; none when there is none. One that is not what was written is an error.
pub(super) fn read_state(path: &Path) -> Result<Option<State>, IndexError> {
    let Some(bytes) = disk::read_if_there(path)? else { return Ok(None) };
    let torn = |reason: String| IndexError::corrupt(path, reason);
    let state: State = serde_json::from_slice(&bytes).map_err(|error| torn(error.to_string()))?;
    if state.clone().checked() == state { Ok(Some(state)) } else { Err(torn(errors::CHECKSUM.into())) }
}

/// Whether every part was built from a regulation as it is.
pub(super) fn holds(built: &BuiltFrom, info: &RegulationInfo) -> bool {
    differing(built, &info.reg_id, info.content_hash.as_deref()) == Parts::NONE
}
