//! The models together: a picture in, lines out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use regreader_parse::recognize::{Picture, RecognizeError, RecognizedLine, Recognizer};
use rten::ThreadPool;

use crate::characters::Characters;
use crate::ctc::Decoded;
use crate::detect::Detector;
use crate::direction::Direction;
use crate::geometry::Patch;
use crate::lanes::Lanes;
use crate::recognise::Reader;
use crate::runtime::Net;

/// Lines below this confidence are noise: smudges, parts of drawings.
const NOISE: f32 = 0.5;
/// Length of all lines of a picture together, in heights of a line. A page printed full has about a thousand; a picture
/// made to look like more text than that is refused before it takes minutes.
const MAX_TEXT: f32 = 12_000.0;
/// A reading this sure needs no second look.
const SURE: f32 = 0.95;

/// The files of a model, as bytes.
#[derive(Debug, Default)]
pub struct ModelBytes {
    /// Finds lines.
    pub detection: Vec<u8>,
    /// Reads them.
    pub recognition: Vec<u8>,
    /// Tells whether a line stands on its head.
    pub direction: Option<Vec<u8>>,
    /// The character list as a configuration file, where the recognition model does not carry it.
    pub characters: Option<String>,
}

/// A model that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the {part} model cannot be used: {reason}")]
pub struct EngineError {
    /// Which one.
    pub part: &'static str,
    /// What went wrong while loading or running it.
    pub reason: String,
}

impl EngineError {
    pub(crate) fn new(part: &'static str, reason: impl std::fmt::Display) -> Self {
        Self { part, reason: format!("{reason}") }
    }
}

/// Models loaded and ready. Reads several pictures at once, as many as there are lanes; more callers wait.
pub struct Engine {
    name: String,
    detector: Detector,
    reader: Reader,
    direction: Option<Direction>,
    lanes: Lanes,
}

impl Engine {
    /// Loads models. `threads` is how many cores may be used in all; `name` stands in the quality report.
    pub fn load(name: &str, bytes: ModelBytes, threads: usize) -> Result<Self, EngineError> {
        let lanes = Lanes::new(threads);
        // The runtime prepares weights in parallel, in the pool of the thread that loads. On a thread and a pool of our own
        // no worker of the caller's pool is waited for, which may be waiting for this engine.
        let parts = std::thread::scope(|scope| {
            let loading = scope.spawn(|| lanes.with(|lane| lane.run(|| load_parts(bytes))));
            loading
                .join()
                .unwrap_or_else(|_| Err(EngineError::new("recognition", "the model runtime failed")))
        });
        let Parts { detector, reader, direction } = parts?;
        Ok(Self { name: name.to_owned(), detector, reader, direction, lanes })
    }

    /// Reads a picture until it is told that nobody waits any more. The runtime cannot be interrupted, so this is looked
    /// at between its runs, of which a page has one for each line.
    pub fn recognize_unless(
        &self,
        picture: &Picture,
        given_up: &AtomicBool,
    ) -> Result<Vec<RecognizedLine>, RecognizeError> {
        let pixels = picture.width as usize * picture.height as usize;
        if pixels == 0 || picture.rgb.len() < pixels * 3 {
            return Err(RecognizeError("the picture has no pixels".to_owned()));
        }
        // On a thread of its own: a worker of a thread pool that waits for the models would begin another page
        // meanwhile, and another, each with its picture in memory.
        std::thread::scope(|scope| {
            let reading = scope.spawn(|| self.read(picture, given_up));
            match reading.join() {
                Ok(lines) => lines.map_err(|error| RecognizeError(error.to_string())),
                Err(_) => Err(RecognizeError("the model runtime failed on this picture".to_owned())),
            }
        })
    }

    fn read(&self, picture: &Picture, given_up: &AtomicBool) -> Result<Vec<RecognizedLine>, EngineError> {
        self.lanes.with(|lane| {
            let patches = self.detector.find(picture, lane)?;
            if text_length(&patches) > MAX_TEXT {
                return Err(EngineError::new("detection", "more text than a page can hold"));
            }
            let turned = match &self.direction {
                Some(direction) => direction.upside_down(picture, &patches, lane)?,
                None => false,
            };
            let patches: Vec<Patch> =
                if turned { patches.iter().map(Patch::upside_down).collect() } else { patches };
            let mut lines = Vec::with_capacity(patches.len());
            for patch in &patches {
                if given_up.load(Ordering::Relaxed) {
                    return Err(EngineError::new("recognition", "the page took too long"));
                }
                let (patch, read) = self.read_line(picture, patch, lane)?;
                if read.text.trim().is_empty() || read.confidence < NOISE {
                    continue;
                }
                lines.push(RecognizedLine {
                    centers: read.places.iter().map(|place| patch.at(*place, 0.5)[0]).collect(),
                    bbox: patch.bounds(),
                    text: read.text,
                    confidence: read.confidence,
                });
            }
            Ok(lines)
        })
    }

    /// Reads a line; one that runs up or down the page is read both ways, and the surer reading is taken.
    fn read_line(
        &self,
        picture: &Picture,
        patch: &Patch,
        lane: &Arc<ThreadPool>,
    ) -> Result<(Patch, Decoded), EngineError> {
        let read = self.reader.read(picture, patch, lane)?;
        if !patch.is_upright() || read.confidence > SURE {
            return Ok((*patch, read));
        }
        let other = patch.upside_down();
        let reread = self.reader.read(picture, &other, lane)?;
        Ok(if reread.confidence > read.confidence { (other, reread) } else { (*patch, read) })
    }
}

/// What is loaded from the files.
struct Parts {
    detector: Detector,
    reader: Reader,
    direction: Option<Direction>,
}

fn load_parts(bytes: ModelBytes) -> Result<Parts, EngineError> {
    let recognition = Net::load("recognition", bytes.recognition)?;
    let characters = Characters::of(recognition.metadata("character"), bytes.characters.as_deref())
        .ok_or_else(|| EngineError::new("recognition", "there is no list of its characters"))?;
    let direction = bytes.direction.map(|bytes| Net::load("direction", bytes)).transpose()?;
    Ok(Parts {
        detector: Detector::new(Net::load("detection", bytes.detection)?),
        reader: Reader::new(recognition, characters),
        direction: direction.map(Direction::new),
    })
}

/// Length of all lines, in heights of each.
fn text_length(patches: &[Patch]) -> f32 {
    patches.iter().map(|patch| patch.width() / patch.height().max(1.0) + 1.0).sum()
}

impl Recognizer for Engine {
    fn name(&self) -> &str {
        &self.name
    }

    fn concurrency(&self) -> usize {
        self.lanes.count()
    }

    fn recognize(&self, picture: &Picture) -> Result<Vec<RecognizedLine>, RecognizeError> {
        self.recognize_unless(picture, &AtomicBool::new(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(width: f32) -> Patch {
        Patch { corner: [0.0, 0.0], right: [width, 0.0], down: [0.0, 20.0] }
    }

    #[test]
    fn a_full_page_is_far_from_the_bound_and_a_page_of_nothing_but_lines_is_not() {
        assert!(text_length(&vec![line(1400.0); 80]) * 2.0 < MAX_TEXT, "eighty long lines");
        assert!(text_length(&vec![line(20.0); 1500]) * 2.0 < MAX_TEXT, "a table of single digits");
        assert!(text_length(&vec![line(1400.0); 400]) > MAX_TEXT);
    }

    #[test]
    fn what_is_no_model_is_refused_with_its_part() {
        let bytes = || b"not a model".to_vec();
        let given = ModelBytes { detection: bytes(), recognition: bytes(), ..ModelBytes::default() };
        let error = Engine::load("broken", given, 1).err().unwrap();
        assert_eq!(error.part, "recognition");
    }
}
