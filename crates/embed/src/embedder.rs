//! What every embedding model offers.

/// Turns text into vectors of length 1.
pub trait Embedder: Send + Sync {
    /// Name and version of the model. An index built with one model cannot be searched with another.
    fn model(&self) -> &str;

    /// Length of the vectors.
    fn dimension(&self) -> usize;

    /// The vector of a question.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// The vectors of passages, in their order.
    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// How wide the model's cosines lie: how far the best passage stands out from the mean one, measured against the
    /// built-in model's 1. Fusion divides by it, so that the weight of meaning against words does not depend on the
    /// model. Contrastively trained transformers put all text into a narrow cone and have about half.
    fn spread(&self) -> f32 {
        DEFAULT_SPREAD
    }
}

/// Spread of a model that nobody has measured.
pub(crate) const DEFAULT_SPREAD: f32 = 0.5;

/// Why a text could not be embedded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model's file is damaged, or of another version.
    #[error("embedding model {model}: {reason}")]
    BadModel {
        /// Model that was to be loaded: its folder, or its kind (`built-in`, `static`) when it has none.
        model: String,
        /// What is wrong.
        reason: String,
    },
    /// The backend failed or could not be reached.
    #[error("embedding backend {backend}: {reason}")]
    Backend {
        /// Backend that was asked: a model's name, or the address of an embedding service.
        backend: String,
        /// What it said.
        reason: String,
    },
}

/// Scales a vector to length 1; the zero vector stays.
pub(crate) fn unit_length(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt();
    if length > 0.0 {
        for value in &mut vector {
            *value = (f64::from(*value) / length) as f32;
        }
    }
    vector
}
