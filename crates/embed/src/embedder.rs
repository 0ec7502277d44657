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
}

/// Why a text could not be embedded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model's file is damaged, or of another version.
    #[error("embedding model {model}: {reason}")]
    BadModel {
        /// Which.
        model: String,
        /// What is wrong.
        reason: String,
    },
    /// The backend failed or could not be reached.
    #[error("embedding backend {backend}: {reason}")]
    Backend {
        /// Which.
        backend: String,
        /// What it said.
        reason: String,
    },
}
