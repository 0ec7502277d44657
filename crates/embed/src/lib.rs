//! Text to vector.
//!
//! One trait, [`Embedder`], and the models behind it: [`StaticModel`], which is inside the binary; [`OnnxModel`], a
//! transformer from a folder; [`HttpEmbedder`], a server. Vectors are normalised to length 1, so that a dot product is a
//! cosine. This crate knows no index and no regulation: it takes strings and gives numbers.

mod embedder;
mod http;
mod onnx;
mod static_model;
mod tokens;
mod vocabulary;
mod wordpiece;

pub use embedder::{EmbedError, Embedder};
pub use http::{HttpEmbedder, HttpOptions};
pub use onnx::OnnxModel;
pub use static_model::StaticModel;
