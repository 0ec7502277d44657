//! The layout of the earlier system, read and written:
//!
//! ```text
//! pages/{reg_id}/info.json  pages/{reg_id}/page_001.json …
//! structures/{reg_id}_structure.json
//! tables/{reg_id}_tables.json
//! ```
//!
//! It has no references, no quality report and no source document, and its tables may be a list of segments. What is
//! missing is filled as far as it follows from the pages; what cannot be read becomes a remark in the quality report
//! and an empty page, so that page numbers stay right. An export loses references, quality report and source document,
//! for which the old layout has no place.

mod export;
mod import;
mod tables;

use std::path::{Path, PathBuf};

use regreader_model::{PageNumber, RegId, Regulation};

use crate::audit::AuditEvent;
use crate::error::StoreError;
use crate::library::{Library, children};
use crate::write::Stored;

/// Regulations that stand in a folder of the earlier system, in order.
pub fn list(root: &Path) -> Result<Vec<RegId>, StoreError> {
    let folders = children(&root.join("pages"))?;
    Ok(folders
        .into_iter()
        .filter(|(_, path)| path.is_dir())
        .filter_map(|(name, _)| name.parse().ok())
        .collect())
}

/// Reads one regulation from a folder of the earlier system. Does not touch it.
pub fn read(root: &Path, reg_id: &RegId) -> Result<Regulation, StoreError> {
    import::read(&Old::new(root), reg_id)
}

/// Stores one regulation of the earlier system in the library.
pub fn import(library: &Library, root: &Path, reg_id: &RegId) -> Result<Stored, StoreError> {
    library.replace(&read(root, reg_id)?, None)
}

/// Writes one regulation of the library into a folder as the earlier system would have. One that stands there already
/// is refused, not overwritten. Gives what did not go as it should, though all is written.
pub fn export(library: &Library, reg_id: &RegId, root: &Path) -> Result<Vec<String>, StoreError> {
    library.read(reg_id, |reader| export::write(reader, &Old::new(root)))?;
    Ok(library.record(AuditEvent::Exported { reg_ids: vec![reg_id.clone()], bundle_hash: None }))
}

/// Paths of the old layout.
struct Old {
    root: PathBuf,
}

impl Old {
    fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    fn pages(&self) -> PathBuf {
        self.root.join("pages")
    }

    fn folder(&self, reg_id: &RegId) -> PathBuf {
        self.pages().join(reg_id.as_str())
    }

    fn structure(&self, reg_id: &RegId) -> PathBuf {
        self.root.join("structures").join(format!("{reg_id}_structure.json"))
    }

    fn tables(&self, reg_id: &RegId) -> PathBuf {
        self.root.join("tables").join(format!("{reg_id}_tables.json"))
    }
}

fn page_name(page: PageNumber) -> String {
    format!("page_{:03}.json", page.get())
}

/// `page_001.json`; any number of digits, since nobody knows what wrote it.
fn page_of(name: &str) -> Option<PageNumber> {
    let digits = name.strip_prefix("page_")?.strip_suffix(".json")?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { PageNumber::new(digits.parse().ok()?) } else { None }
}
