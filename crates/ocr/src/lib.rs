//! Reads text from pictures of pages: where lines are, what they say, how sure that is.
//!
//! [`Engine`] runs models of the PP-OCR family on a pure-Rust runtime, behind the
//! [`Recognizer`](regreader_parse::recognize::Recognizer) that `regreader-parse` calls. This crate owns detection,
//! cropping and decoding. It must not know where model files come from (it is given their bytes), nor pages, tables or
//! reading order: lines with boxes go back, and the parser places them.

mod characters;
mod crop;
mod ctc;
mod detect;
mod direction;
mod engine;
mod geometry;
mod lanes;
mod recognise;
mod regions;
mod runtime;

pub use engine::{Engine, EngineError, ModelBytes};
