//! What a vector backend outside the default build keeps beside its vectors: a manifest that says what counts, and exact
//! cosines.
//!
//! A backend's own files may hold more than counts: what a crash left behind, or what a reader of another process still
//! looks at. The manifest is one small file that is replaced whole, so a change becomes visible at once or not at all.

mod manifest;
mod rank;

pub use manifest::{Held, Manifest};
pub use rank::{ask_for, best, cosine, is_closed, place};
