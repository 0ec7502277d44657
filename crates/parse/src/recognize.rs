//! The seam for reading pictures of pages.

use regreader_model::Rect;

/// Reads text from a picture. Implementations hold models; this crate only calls them.
pub trait Recognizer: Sync {
    /// Name and version of the models, for the quality report.
    fn name(&self) -> &str;

    /// How many pictures it reads at the same time. The parser hands it no more than that.
    fn concurrency(&self) -> usize {
        1
    }

    /// Reads one picture. Boxes are in pixels of the picture.
    ///
    /// The parser calls this from threads of its own, never from a worker of a thread pool. An implementation may load its
    /// models here and use the pool for that: on a worker, waiting for the pool would run other pages, which would wait
    /// for the models that are still being loaded.
    fn recognize(&self, picture: &Picture) -> Result<Vec<RecognizedLine>, RecognizeError>;
}

/// An 8-bit RGB picture, row by row, without padding.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `width * height * 3` bytes.
    pub rgb: Vec<u8>,
}

/// A line of text found in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognizedLine {
    /// The characters.
    pub text: String,
    /// Box in pixels.
    pub bbox: Rect,
    /// Middle of each character from the left, in pixels. Empty when the reader cannot tell.
    pub centers: Vec<f32>,
    /// 0 to 1.
    pub confidence: f32,
}

/// Why a picture could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RecognizeError(pub String);
