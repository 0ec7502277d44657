//! The plain data of RegReader: what a regulation is once it has been read.
//!
//! A [`RawDocument`] is what a parser saw: pages of positioned lines and grids. Assembly turns it into a
//! [`Regulation`]: [`PageDocument`]s with [`ContentBlock`]s, one [`DocumentStructure`] (the chapter tree), one
//! [`TableRegistry`] (logical tables with their segments on pages), one [`ReferenceGraph`] and one
//! [`QualityReport`]. Everything above (store, index, tools, agents) speaks in these types.
//!
//! This crate owns names and shapes, nothing else: no IO, no clock, no grammar (that is `regreader-text`). It depends on
//! serde, on a calendar, and on `regreader-messages` for the words of its errors. Serde names are those of the earlier Python system, so that its files can still be read;
//! what was added since is optional when reading.
//!
//! Identifiers and numbers that could be mistaken for one another are types: a [`PageNumber`] is never 0, a [`RegId`] is safe
//! as the name of a folder, a [`CivilDate`] exists in the calendar. They check themselves when they are read, so nothing
//! above has to.
//!
//! ```
//! use regreader_model::{Citation, CitationTarget, PageNumber, RegulationInfo};
//!
//! let info: RegulationInfo = serde_json::from_str(r#"{
//!     "reg_id": "angui_2024", "title": "安全自动装置规定", "aliases": ["安规2024"],
//!     "source_file": "a.pdf", "total_pages": 120, "indexed_at": ""
//! }"#).unwrap();
//! let target = CitationTarget::Table("6-2".to_owned());
//! let cited = Citation::of(&info, PageNumber::new(85), Some(target));
//! assert_eq!(cited.to_string(), "[来源: 安规2024 P85 表6-2]");
//! assert!("../escape".parse::<regreader_model::RegId>().is_err());
//! ```

mod citation;
mod error;
mod event;
mod geometry;
mod ids;
mod moment;
mod page;
mod quality;
mod raw;
mod redact;
mod reference;
mod regulation;
#[cfg(feature = "schema")]
mod schema;
mod search;
mod structure;
mod table;

pub use citation::{Citation, CitationTarget};
pub use error::DomainError;
pub use event::{CivilDate, EditionEvent, EventEvidence, EventKind, InvalidDate};
pub use geometry::Rect;
pub use ids::{BlockId, ClauseNumber, InvalidId, NodeId, PageNumber, RegId, TableId};
pub use moment::rfc3339;
pub use page::{
    Annotation, AnnotationKind, AnnotationScope, BlockType, ContentBlock, LineBox, PageDocument, TextOrigin,
};
pub use quality::{
    Diagnostic, DiagnosticCode, DroppedText, NumberingGap, QualityReport, Severity, StitchRecord,
    UnresolvedReference,
};
pub use raw::{
    Link, OutlineEntry, RawDocument, RawElement, RawPage, RawPicture, RawTable, RawText, SourceFormat,
    TableKind, TextRole, TextUnit,
};
pub use redact::hide_passwords;
pub use reference::{Location, Reference, ReferenceGraph, ReferenceKind, ReferenceTarget, Resolution};
pub use regulation::{Regulation, RegulationInfo};
pub use search::{SearchHit, SearchSource};
pub use structure::{ChapterNode, DocumentStructure, TocItem, TocTree};
pub use table::{LogicalTable, TableCell, TableMeta, TableRegistry, TableSegment};
