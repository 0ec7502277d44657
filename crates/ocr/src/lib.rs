//! Reads text from pictures of pages: where lines are, what they say, how sure that is.
//!
//! [`Engine`] runs models of the PP-OCR family on a pure-Rust runtime, behind the
//! [`Recognizer`](regreader_parse::recognize::Recognizer) that `regreader-parse` calls. This crate owns detection,
//! cropping and decoding. It must not know where model files come from (it is given their bytes), nor pages, tables or
//! reading order: lines with boxes go back, and the parser places them.
//!
//! A picture goes through two networks. Detection gives a map of where text is, from which tilted boxes are cut; recognition
//! reads each box, straightened, into characters with probabilities. A page that stands on its head is turned; a line that
//! runs up or down the page is read both ways and the surer reading counts. Pictures are read side by side, each in a lane
//! with its own share of the cores.
//!
//! ```
//! use regreader_ocr::{Engine, ModelBytes};
//!
//! // Whoever has the files hands in their bytes; files that are no models are refused by name.
//! let bytes = ModelBytes { recognition: b"not a model".to_vec(), ..ModelBytes::default() };
//! let error = Engine::load("pp-ocrv6-small", bytes, 1).err().unwrap();
//! assert_eq!(error.part, "recognition");
//! ```

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
