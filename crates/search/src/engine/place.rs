//! Where the engine's indexes stand: which generation counts, what to do where nothing can be written, and what to do
//! when they turn out to be damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use regreader_embed::Embedder;
use regreader_messages::errors;
use regreader_model::RegId;
use regreader_store::{Library, ListEntry};
use serde::Serialize;

use super::refresh::Looking;
use super::{EngineOptions, SearchEngine, TABLE_CHARS, corpus_options};
use regreader_index::Reading;
use regreader_index::disk::{FileMark, WriterLock};
use regreader_index::storage::generation::{self, Generation};
use regreader_index::{Corpus, CorpusOptions, Damage};
use regreader_index::{IndexError, disk};

/// The folder that an engine works in.
pub(crate) struct Place {
    /// The index directory.
    pub(super) root: PathBuf,
    pub(super) generation: Generation,
    pointer: Pointer,
}

/// How a place follows the generations of its root.
#[derive(Debug, PartialEq)]
enum Pointer {
    /// It moves on when the pointer is no longer as it was.
    Followed(Option<FileMark>),
    /// It is being built and stays where it is.
    Ignored,
}

/// What changes when another process has changed the indexes.
pub(super) type Mark = (Option<FileMark>, Option<FileMark>);

/// What [`SearchEngine::verify`] finds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IndexHealth {
    /// Parts that are not what was written.
    pub damaged: Vec<Damage>,
    /// Regulations that the indexes do not hold, or hold of another edition.
    pub stale: Vec<RegId>,
    /// Regulations that the indexes hold and the library does not.
    pub surplus: Vec<RegId>,
    /// An older version of this program built the indexes: whole in their way, and built anew by the next search.
    pub older: bool,
}

impl IndexHealth {
    /// Whether the indexes are whole and hold what the library holds.
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty() && self.stale.is_empty() && self.surplus.is_empty() && !self.older
    }
}

impl Place {
    /// The generation of a root that counts. A torn pointer is taken away, and said: the indexes begin anew.
    pub(super) fn find(root: &Path) -> Result<(Self, Option<Damage>), IndexError> {
        let mut damage = None;
        let pointer = generation::pointer_mark(root);
        let generation = match Generation::current(root) {
            Err(error @ IndexError::Corrupt { .. }) => {
                let _mending = WriterLock::acquire(root)?;
                match Generation::current(root) {
                    Err(IndexError::Corrupt { .. }) => {
                        generation::drop_pointer(root)?;
                        damage = Some(Damage { part: "current".to_owned(), reason: error.to_string() });
                        Generation::current(root)?
                    }
                    found => found?,
                }
            }
            found => found?,
        };
        // The pointer as it was before it was read: a change in between is seen next time.
        let pointer = Pointer::Followed(if damage.is_some() { None } else { pointer });
        Ok((Self { root: root.to_owned(), generation, pointer }, damage))
    }

    /// A new generation of a root, which does not count yet.
    fn beside(root: &Path) -> Result<Self, IndexError> {
        Ok(Self { root: root.to_owned(), generation: Generation::create(root)?, pointer: Pointer::Ignored })
    }

    pub(super) fn blocks(&self) -> PathBuf {
        self.generation.folder().join("blocks")
    }

    pub(super) fn tables(&self) -> PathBuf {
        self.generation.folder().join("tables")
    }
}

impl SearchEngine {
    pub(super) fn place(&self) -> Arc<Place> {
        Arc::clone(&self.place.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The file that says which state of the library the indexes of these settings are in.
    pub(super) fn state_path(&self) -> PathBuf {
        self.place().generation.folder().join(&self.state_name)
    }

    pub(super) fn mark(&self) -> Mark {
        (generation::pointer_mark(&self.place().root), disk::mark(&self.state_path()))
    }

    /// Sees what other processes have done: another generation may count by now.
    pub(super) fn reload(&self) -> Result<(), IndexError> {
        let place = self.place();
        if let Pointer::Followed(pointer) = &place.pointer
            && generation::pointer_mark(&place.root) != *pointer
        {
            return self.move_to(&place.root);
        }
        self.blocks.reload()?;
        self.tables.get().map_or(Ok(()), Corpus::reload)
    }

    /// Opens the indexes again. Parts that are torn at a glance are emptied.
    fn reopen(&self) -> Result<(), IndexError> {
        self.move_to(&self.place().root)
    }

    /// Opens the indexes of a root: of the generation that counts there.
    fn move_to(&self, root: &Path) -> Result<(), IndexError> {
        let (place, damage) = Place::find(root)?;
        self.blocks.move_to(&place.blocks())?;
        if let Some(tables) = self.tables.get() {
            tables.move_to(&place.tables())?;
        }
        self.blocks.add_damage(damage);
        *self.place.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(place);
        Ok(())
    }

    /// Takes the right to write. Where the index directory cannot be written to, the engine moves to the folder that the
    /// options give for that.
    pub(super) fn lock(&self) -> Result<WriterLock, IndexError> {
        match WriterLock::acquire(&self.place().root) {
            Err(error) if error.cannot_write() => {
                let fallback = self.fallback(error)?;
                let lock = WriterLock::acquire(&fallback)?;
                self.move_to(&fallback)?;
                Ok(lock)
            }
            lock => lock,
        }
    }

    /// The same, if nobody else is writing.
    pub(super) fn try_lock(&self) -> Result<Option<WriterLock>, IndexError> {
        match WriterLock::try_acquire(&self.place().root) {
            Err(error) if error.cannot_write() => {
                let fallback = self.fallback(error)?;
                let Some(lock) = WriterLock::try_acquire(&fallback)? else { return Ok(None) };
                self.move_to(&fallback)?;
                Ok(Some(lock))
            }
            lock => lock,
        }
    }

    fn fallback(&self, error: IndexError) -> Result<PathBuf, IndexError> {
        self.options.fallback_dir.clone().filter(|fallback| *fallback != self.place().root).ok_or(error)
    }

    /// An engine over the same library whose indexes are built in a new generation beside the present one. Only the
    /// holder of the lock calls this.
    pub(super) fn beside(&self) -> Result<Self, IndexError> {
        let place = Place::beside(&self.place().root)?;
        Self::over(self.library.clone(), place, self.options.clone(), self.embedder.clone())
    }

    /// Answers a question. When the indexes turn out to be damaged on the way, they are built again, and the question is
    /// put once more.
    pub(crate) fn mending<T>(&self, ask: impl Fn() -> Result<T, IndexError>) -> Result<T, IndexError> {
        let first = match ask() {
            Err(error) if error.is_damage() => error,
            answer => return answer,
        };
        // The files may belong to another generation by now, or be torn so that opening tells.
        self.reopen()?;
        if !self.is_damaged() {
            match ask() {
                Err(error) if error.is_damage() => {}
                answer => return answer,
            }
            // Nothing is wrong at a glance: every byte is looked at.
            let mut found = self.blocks.empty_damaged()?;
            found |= self.tables()?.empty_damaged()?;
            if !found {
                return Err(first);
            }
        }
        self.forget_state();
        self.bring_in_step(Looking::AtEverything, &mut |_| {})?;
        ask()
    }

    pub(super) fn is_damaged(&self) -> bool {
        self.blocks.is_damaged() || self.tables.get().is_some_and(Corpus::is_damaged)
    }

    /// Says to other processes that the indexes are not in step. Failing to is of no consequence for this one.
    pub(super) fn forget_state(&self) {
        let _ = fs::remove_file(self.state_path());
    }

    /// Checks every byte of the indexes of a library, and whether they hold what it holds. Changes nothing.
    pub fn verify(
        library: &Library,
        index_dir: &Path,
        options: &EngineOptions,
        embedder: Option<&Arc<dyn Embedder>>,
    ) -> Result<IndexHealth, IndexError> {
        let mut health = IndexHealth::default();
        if !index_dir.exists() {
            return Ok(health);
        }
        let generation = match Generation::current(index_dir) {
            Err(error @ IndexError::Corrupt { .. }) => {
                health.damaged.push(Damage { part: "current".to_owned(), reason: error.to_string() });
                return Ok(health);
            }
            generation => generation?,
        };
        if regreader_index::is_of_older_version(&generation.folder().join("blocks")) {
            health.older = true;
            return Ok(health);
        }
        let reading = Arc::new(Reading::new(&options.terms));
        let mut held = Vec::new();
        let parts = [("blocks", CorpusOptions::default().embedded_chars), ("tables", TABLE_CHARS)];
        for (name, embedded_chars) in parts {
            let folder = generation.folder().join(name);
            let (built, damaged) = regreader_index::examine(
                &folder,
                &corpus_options(options, embedded_chars),
                &reading,
                embedder,
            )?;
            health.damaged.extend(
                damaged
                    .into_iter()
                    .map(|one| Damage { part: format!("{name}/{}", one.damage.part), ..one.damage }),
            );
            held.push(built);
        }
        let state = generation.folder().join(state_name(options, embedder.map(AsRef::as_ref)));
        // Without its state an index that holds something was cut off in a change, or lost the file.
        let holds_something = held.iter().any(|built| built.regulations().next().is_some());
        let reason = match super::refresh::read_state(&state) {
            Err(error) => Some(error.to_string()),
            Ok(None) if holds_something => Some(errors::NO_STATE.into()),
            Ok(_) => None,
        };
        health.damaged.extend(reason.map(|reason| Damage { part: "state".to_owned(), reason }));
        let listed = library.list()?.into_iter();
        let infos: Vec<_> = listed
            .filter_map(|entry| match entry {
                ListEntry::Regulation(info) => Some(info),
                ListEntry::Broken { .. } => None,
            })
            .collect();
        let is_stale = |info: &regreader_model::RegulationInfo| {
            held.iter().any(|built| !super::refresh::holds(built, info))
        };
        health.stale = infos.iter().filter(|info| is_stale(info)).map(|info| info.reg_id.clone()).collect();
        let mut surplus: Vec<RegId> =
            held.iter().flat_map(regreader_index::BuiltFrom::regulations).cloned().collect();
        surplus.retain(|reg_id| infos.iter().all(|info| info.reg_id != *reg_id));
        surplus.sort();
        surplus.dedup();
        health.surplus = surplus;
        Ok(health)
    }
}

/// Name of the file that says what indexes of these settings hold.
pub(super) fn state_name(options: &EngineOptions, embedder: Option<&dyn Embedder>) -> String {
    let model = embedder.map_or("none", |embedder| embedder.model());
    let settings = format!("{} {} {model}", options.keyword_backend, options.vector_backend);
    let mark: String = blake3::hash(settings.as_bytes()).to_hex().chars().take(8).collect();
    format!("state-{mark}.json")
}
