//! The web reader: the page, the passage marked, the answer beside it.
//!
//! Server-rendered HTML, one style sheet and a few small ES modules, all embedded in the binary; nothing is fetched from
//! anywhere. [`router`] makes an axum router over a [`Backend`], which is everything that this crate knows of the library:
//! pages, tables, tools, agents, page pictures and uploads. It must not know the store, the index, PDF or a language model.
//! The binary fills the trait; tests fill it with a library of a few pages.
//!
//! Three rules hold for every view:
//!
//! * It is an address. Searching, reading, tables and comparing work without JavaScript; scripts add keys, peeking,
//!   marks that follow the pointer and streamed answers.
//! * Text of documents is never markup. Everything goes through maud's escaping; links lead only into the reader; the
//!   Content-Security-Policy allows no inline script or style and no other host.
//! * Marks come from boxes that were stored when the document was read (see [`marks`]), never from what a model wrote.
//!   Where the place is unsure nothing is marked, and the page says so.
//!
//! ```
//! use regreader_model::PageDocument;
//! use regreader_web::marks::{Certainty, Target, on_page};
//!
//! let page: PageDocument = serde_json::from_str(r#"{
//!     "reg_id": "angui_2024", "page_num": 24,
//!     "content_blocks": [{
//!         "block_id": "b1", "block_type": "text", "content_markdown": "母线失压时，应立即汇报。",
//!         "bbox": { "x0": 72, "y0": 90, "x1": 300, "y1": 102 }
//!     }]
//! }"#).unwrap();
//! let quoted = |words: &str| on_page(&page, &Target { quote: Some(words.to_owned()), ..Target::default() }, None);
//! assert_eq!(quoted("应立即汇报").certainty, Certainty::Whole, "no lines were stored: the block is marked");
//! assert!(quoted("变压器过负荷").rects.is_empty(), "words that do not stand there mark nothing");
//! ```

mod access;
mod address;
mod app;
mod assets;
mod backend;
mod blocks;
mod export;
#[cfg(test)]
mod fake;
mod form;
mod handlers;
pub mod marks;
mod office;
mod pool;
#[cfg(test)]
mod tests;
mod view_options;
mod views;

pub use app::{WebOptions, router};
pub use backend::{
    AgentChoice, AnswerReply, AnswerStatement, AskEvent, AskRequest, Backend, ChangesAsked, DocumentFormat,
    Failure, FailureKind, Identity, IngestEvent, IngestReport, Metadata, Operand, Picture, PictureRequest,
    ProvenPlace, RecordedEvent, RegulationCard, RegulationParts, RelatedPassage, RemovedStatement, Review,
    ReviewVerdict, Role, Upload,
};
