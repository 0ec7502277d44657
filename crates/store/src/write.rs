//! What changes a library: storing, describing and deleting regulations.

use regreader_messages::errors;
use regreader_model::{RegId, Regulation, RegulationInfo};

use crate::audit::AuditEvent;
use crate::encode::{self, Encoded, Source};
use crate::error::StoreError;
use crate::folder::Folder;
use crate::layout::INFO;
use crate::library::Library;
use crate::reader::{self, RegulationReader};

/// What became of a regulation that was stored.
#[derive(Debug)]
pub struct Stored {
    /// Its info as it now stands, with hashes, date and what survived from before.
    pub info: RegulationInfo,
    /// What that meant for the library.
    pub change: Change,
    /// What did not go as it should, though the regulation is stored.
    pub warnings: Vec<String>,
}

/// What storing a regulation meant for the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It was not there before.
    New,
    /// It took the place of another edition, or of the same one with other info or damaged files.
    Replaced,
    /// It was there already, byte for byte: nothing was written.
    Unchanged,
}

impl Change {
    /// The name used in the audit log.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
        }
    }
}

/// What became of an info that was changed.
#[derive(Debug)]
pub struct Updated {
    /// The info as it now stands.
    pub info: RegulationInfo,
    /// What did not go as it should, though the info is stored.
    pub warnings: Vec<String>,
}

/// What became of a regulation that was deleted.
#[derive(Debug)]
pub struct Deleted {
    /// What did not go as it should, though the regulation is gone.
    pub warnings: Vec<String>,
}

impl Library {
    /// Stores a regulation, in the place of the edition that is there, if one is. All of it or nothing.
    ///
    /// The store fills `total_pages`, `content_hash` and `source_hash`, and `indexed_at` where it is empty. From the
    /// edition before it keeps what people or models have written about it and the new info leaves open (description,
    /// keywords, scope, aliases, series, edition, effective_from, supersedes, events that do not come from a page), and,
    /// when content, source and pipeline are the same, `indexed_at`.
    pub fn replace(&self, regulation: &Regulation, source: Option<Source<'_>>) -> Result<Stored, StoreError> {
        let reg_id = &regulation.info.reg_id;
        // Before the lock is taken: encoding is most of the work and needs nothing from the disk.
        let content = encode::encode_content(regulation)?;
        let session = self.session()?;
        let present = self.present(reg_id)?;
        let encoded = Encoded::new(regulation, content, source, present.info());
        let info = encoded.manifest.info.clone();
        let change = match &present {
            Present::Whole(reader) if is_same(reader, &encoded) => Change::Unchanged,
            Present::Nothing => Change::New,
            _ => Change::Replaced,
        };
        // Gives up our own lease on the edition that is about to go.
        drop(present);
        if change != Change::Unchanged {
            session.stage(&encoded, source)?;
            session.commit(reg_id)?;
        }
        drop(session);
        let warnings = self.record(AuditEvent::ingested(&info, change));
        Ok(Stored { info, change, warnings })
    }

    /// Changes what is known about a regulation, and not a byte of the rest. Fields that follow from the content
    /// (ids, hashes, page count, source, pipeline, date) cannot be changed this way.
    pub fn update_info(
        &self,
        reg_id: &RegId,
        change: impl FnOnce(&mut RegulationInfo),
    ) -> Result<Updated, StoreError> {
        let session = self.session()?;
        let before = self.info(reg_id)?;
        let mut info = before.clone();
        change(&mut info);
        if info == before {
            return Ok(Updated { info, warnings: Vec::new() });
        }
        if let Some(field) = fixed_field_changed(&before, &info) {
            return Err(StoreError::refused(reg_id, errors::fixed_field(field)));
        }
        session.write_in_force(reg_id, INFO, &encode::encode_info(&info)?)?;
        drop(session);
        let warnings = self.record(AuditEvent::updated(&before, &info));
        Ok(Updated { info, warnings })
    }

    /// Deletes a regulation, also one that cannot be read. Readers that have it open go on.
    pub fn delete(&self, reg_id: &RegId) -> Result<Deleted, StoreError> {
        let session = self.session()?;
        let content_hash = match self.present(reg_id)? {
            Present::Nothing => return Err(StoreError::not_found(reg_id)),
            present => present.info().and_then(|info| info.content_hash.clone()),
        };
        session.remove(reg_id)?;
        drop(session);
        let warnings = self.record(AuditEvent::Deleted { reg_id: reg_id.clone(), content_hash });
        Ok(Deleted { warnings })
    }

    /// What stands in the regulation's place.
    pub(crate) fn present(&self, reg_id: &RegId) -> Result<Present, StoreError> {
        let reader = match self.reader(reg_id) {
            Err(StoreError::Corrupt { .. }) => None,
            Err(StoreError::Domain(_)) => return Ok(Present::Nothing),
            reader => Some(reader?),
        };
        if let Some(reader) = reader {
            return Ok(Present::Whole(Box::new(reader)));
        }
        let inner = self.inner();
        let salvage = |folder: Folder| {
            reader::read_info(&folder, reg_id)
                .or_else(|_| reader::read_manifest(&folder, reg_id).map(|manifest| manifest.info))
                .ok()
        };
        let folder = Folder::open(&inner.layout, reg_id, inner.holding).ok().flatten();
        Ok(Present::Damaged(folder.and_then(salvage).map(Box::new)))
    }
}

/// What stands in a regulation's place before it is replaced.
pub(crate) enum Present {
    Nothing,
    /// Something that cannot be used, and what can still be known about it.
    Damaged(Option<Box<RegulationInfo>>),
    Whole(Box<RegulationReader>),
}

impl Present {
    pub(crate) fn info(&self) -> Option<&RegulationInfo> {
        match self {
            Self::Nothing => None,
            Self::Damaged(info) => info.as_deref(),
            Self::Whole(reader) => Some(reader.info()),
        }
    }
}

/// Whether the very same thing is stored already, and whole: storing it again mends what is damaged.
fn is_same(reader: &RegulationReader, encoded: &Encoded) -> bool {
    reader.manifest().files == encoded.manifest.files
        && *reader.info() == encoded.manifest.info
        && encoded.manifest.files.keys().all(|name| reader.bytes(name).is_ok())
}

fn fixed_field_changed(before: &RegulationInfo, after: &RegulationInfo) -> Option<&'static str> {
    let fields = [
        ("reg_id", before.reg_id == after.reg_id),
        ("source_file", before.source_file == after.source_file),
        ("total_pages", before.total_pages == after.total_pages),
        ("indexed_at", before.indexed_at == after.indexed_at),
        ("source_format", before.source_format == after.source_format),
        ("source_hash", before.source_hash == after.source_hash),
        ("content_hash", before.content_hash == after.content_hash),
        ("pipeline", before.pipeline == after.pipeline),
        ("pages_approximate", before.pages_approximate == after.pages_approximate),
    ];
    fields.into_iter().find(|(_, same)| !same).map(|(name, _)| name)
}
