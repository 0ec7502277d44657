//! The library on disk.
//!
//! A library is a folder; a regulation is one folder in it, and everything about it stands there as plain JSON:
//!
//! ```text
//! regulations/{reg_id}/  info.json        what is known about it; the only file that changes in place
//!                        structure.json  tables.json  references.json  quality.json
//!                        pages/0001.json …
//!                        source.pdf       the document itself, under its own extension
//!                        manifest.json    size and blake3 of every file but info.json, and the info of the ingest
//! regulations/.staging/  what a writer is at work on; gone when it is done, or at the next open
//! regulations/.lock      held by the one process that writes
//! audit/2026-11.jsonl    what was ingested, changed, deleted, carried and asked
//! ```
//!
//! # What holds, and why
//!
//! **A regulation is replaced whole.** The new edition is written to the staging folder, every file and folder of it
//! is synced, and one `renameat2(RENAME_EXCHANGE)` puts it in the place of the old one: there is no moment at which
//! the name leads nowhere. Where the file system or the system has no such call, the old edition is set aside as
//! `.staging/{reg_id}.old` and the new one renamed into place; readers that come between the two renames read the
//! edition that was set aside, and an open after a crash between them puts it back.
//!
//! **A reader sees one edition.** [`RegulationReader`] opens the regulation's *folder*, takes a shared lock on it
//! (a lease that a writer never waits for), and then makes sure that the name still leads to that folder. From then
//! on every file is opened relative to it, so a replace that happens meanwhile does not reach this reader; and the old
//! folder is removed only when nobody holds a lease on it any more. No reader waits, and no writer waits for a reader.
//! Where folders cannot be held open or locked, every file is still checked against the manifest read at the
//! beginning: a file of another edition does not pass, and [`StoreError::Replaced`] says so; [`Library::read`] then
//! begins again by itself.
//!
//! **One writer at a time**, in whichever process, by a lock on `regulations/.lock` that the system drops when the
//! process dies. Only the holder creates or removes anything in the staging folder, so whatever is found there by
//! someone who gets the lock was left by a process that died, and goes. [`Library::open`] does that when there is
//! something to clear away and the lock is free; while another process is writing it leaves the folder alone.
//!
//! **Same content, same bytes.** Files are written in a fixed order of keys; the `content_hash` is taken over the
//! files' hashes; storing the same regulation again changes nothing on disk.
//!
//! This crate knows nothing of parsing, indexes, tools or settings. Everything above it reaches regulations through
//! [`Library`] and [`RegulationReader`], never through paths.
//!
//! ```
//! use regreader_model::{PageNumber, Regulation};
//! use regreader_store::{Library, OpenOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let regulation: Regulation = serde_json::from_str(r#"{
//!     "info": { "reg_id": "angui_2024", "title": "安规", "source_file": "a.pdf", "total_pages": 1, "indexed_at": "" },
//!     "pages": [{ "reg_id": "angui_2024", "page_num": 1, "content_markdown": "母线失压时应立即汇报。" }],
//!     "structure": { "reg_id": "angui_2024", "root_node_ids": [], "all_nodes": {} },
//!     "tables": { "reg_id": "angui_2024", "tables": {} },
//!     "references": { "reg_id": "angui_2024", "references": [] },
//!     "quality": { "reg_id": "angui_2024" }
//! }"#)?;
//! let library = Library::open(folder.path(), OpenOptions::new())?;
//! library.replace(&regulation, None)?;
//!
//! let reader = library.reader(&regulation.info.reg_id)?;
//! assert_eq!(reader.page(PageNumber::FIRST)?.content_markdown, "母线失压时应立即汇报。");
//! library.delete(&regulation.info.reg_id)?;
//! assert!(reader.page(PageNumber::FIRST).is_ok(), "who has it open goes on reading");
//! # Ok(()) }
//! ```

mod audit;
pub mod bundle;
mod clock;
mod disk;
mod doctor;
mod encode;
mod error;
mod folder;
mod layout;
pub mod legacy;
mod library;
mod lock;
mod manifest;
mod reader;
mod staging;
mod write;

pub use audit::{AuditEvent, AuditLog, AuditPage, AuditRecord};
pub use clock::now;
pub use disk::{Disk, RealDisk};
pub use doctor::{Problem, ProblemKind, Remedy, RepairReport};
pub use encode::{Source, content_hash};
pub use error::StoreError;
pub use library::{Library, LibraryMark, ListEntry, OpenOptions};
pub use manifest::{FileStamp, Manifest};
pub use reader::RegulationReader;
pub use write::{Change, Deleted, Stored, Updated};
