//! Text to vector.
//!
//! One trait, [`Embedder`], and the models behind it: [`StaticModel`], which is inside the binary; [`OnnxModel`], a
//! transformer from a folder; [`HttpEmbedder`], a server. Vectors are normalised to length 1, so that a dot product is a
//! cosine. This crate knows no index and no regulation: it takes strings and gives numbers.
//!
//! The model inside the binary is a table with a row for each piece of a word; a text is the weighted sum of its rows. It
//! knows no word order, but needs no runtime and finds a paragraph that says it in other words; whoever wants more sets a
//! transformer instead. An index carries the name of the model that made it, because vectors of two
//! models cannot be compared.
//!
//! ```
//! use regreader_embed::{Embedder, StaticModel};
//!
//! let model = StaticModel::builtin().unwrap();
//! let question = model.embed_query("母线失去电压").unwrap();
//! let passages = model.embed_documents(&["母线失压时应立即汇报", "食堂的开放时间"]).unwrap();
//! let cosine = |passage: &[f32]| question.iter().zip(passage).map(|(a, b)| a * b).sum::<f32>();
//! assert!(cosine(&passages[0]) > cosine(&passages[1]));
//! ```

mod embedder;
mod http;
mod onnx;
mod similar_words;
mod static_model;
mod tokens;
mod vocabulary;
mod wordpiece;

pub use embedder::{EmbedError, Embedder};
pub use http::{HttpEmbedder, HttpOptions};
pub use onnx::OnnxModel;
pub use similar_words::{Found, Said, SimilarWords};
pub use static_model::StaticModel;
