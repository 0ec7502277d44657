//! What changed from one edition of a regulation to the next, which edition is in force on a day, and which places of a
//! library concern a device.
//!
//! Pure functions over the model: whoever holds a library reads the pages and hands them in, and brings the date.
//!
//! - [`diff`] aligns two editions, clauses and tables alike, and gives one [`ChangeRecord`] per change with its place in
//!   both. Clauses are paired by content before number, so an inserted clause is one addition and some renumbering, never
//!   a chapter of changes.
//! - [`status`] computes from the recorded events whether an edition is in force on a day.
//! - [`EntityCatalog`] collects the things that a regulation names.
//! - [`export`] writes changes for a meeting, [`describe`] says one in a line.
//! - [`mention`] finds every place that names something, and what refers to those places.
//!
//! ```
//! use regreader_changes::describe::summary;
//! use regreader_changes::{ChangeKind, DiffOptions, EditionText, diff};
//! # use regreader_model::Regulation;
//! # fn read(reg_id: &str, text: &str) -> Regulation {
//! #     use regreader_assemble::{AssembleOptions, assemble};
//! #     let parsed = regreader_parse::parse(text.as_bytes(), "a.md", &Default::default()).unwrap();
//! #     assemble(parsed.document, parsed.diagnostics, &AssembleOptions::new(reg_id.parse().unwrap(), "a.md"))
//! # }
//!
//! // Editions as they were read from their files.
//! let old = read("wengui_2023", "# 1 限额\n\n## 1.1 断面\n\n断面限额为 545 万千瓦，超过时应立即调整。\n");
//! let new = read("wengui_2024", "# 1 限额\n\n## 1.1 断面\n\n断面限额为 520 万千瓦，超过时应立即调整。\n");
//! let changes = diff(&EditionText::of(&old), &EditionText::of(&new), &DiffOptions::default());
//! assert_eq!(changes.changes.len(), 1);
//! let change = &changes.changes[0];
//! assert_eq!(change.kind, ChangeKind::Limit);
//! assert!(summary(change, Default::default()).contains("545 → 520 万千瓦（-25）"));
//! ```

mod align;
mod assign;
mod clause;
pub mod describe;
mod diff;
mod entity;
pub mod export;
mod follow;
mod likeness;
pub mod mention;
mod note;
mod record;
mod split;
pub mod status;
mod table;
mod words;

pub use clause::EditionText;
pub use diff::{DiffOptions, diff};
pub use entity::{Entity, EntityCatalog};
pub use record::{ChangeKind, ChangeRecord, Changes, Place, QuantityChange};
pub use words::changed_words;
