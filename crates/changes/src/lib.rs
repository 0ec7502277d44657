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
