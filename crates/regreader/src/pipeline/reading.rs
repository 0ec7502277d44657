//! The models that read pages without usable text, loaded when the first such page comes.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use regreader_ocr::{Engine, ModelBytes};
use regreader_parse::Recognition;
use regreader_parse::recognize::{Picture, RecognizeError, RecognizedLine, Recognizer};

use crate::failure::{MODEL, Refusal};
use crate::models;
use crate::settings::Settings;

/// Reads pictures of pages with the model that the settings name.
pub struct PageReader {
    model: String,
    folder: PathBuf,
    threads: usize,
    recognition: Recognition,
    /// Time that one page may take. None: any.
    limit: Option<Duration>,
    engine: OnceLock<Result<Arc<Engine>, String>>,
}

impl PageReader {
    /// The reader that the settings ask for. None when it is switched off, or left to itself and not installed.
    pub fn find(settings: &Settings) -> anyhow::Result<Option<Self>> {
        let recognition = match settings.ocr.as_str() {
            "off" => return Ok(None),
            "force" => Recognition::Everywhere,
            _ => Recognition::WhereNeeded,
        };
        let dir = settings.models_path();
        let Some(folder) = models::installed(&dir, &settings.ocr_model) else {
            if recognition == Recognition::WhereNeeded {
                return Ok(None);
            }
            return Err(Refusal {
                code: MODEL,
                message: format!("`ocr=force`, and the model `{}` is not installed", settings.ocr_model),
                hint: Some(format!("regreader models pull {}", settings.ocr_model)),
            }
            .into());
        };
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = if settings.jobs > 0 { settings.jobs } else { cores() };
        let model = settings.ocr_model.clone();
        let limit = (settings.ocr_page_timeout > 0).then(|| Duration::from_secs(settings.ocr_page_timeout));
        Ok(Some(Self { model, folder, threads, recognition, limit, engine: OnceLock::new() }))
    }

    /// Which pages it is to read.
    pub fn recognition(&self) -> Recognition {
        self.recognition
    }

    /// Name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    fn engine(&self) -> Result<&Arc<Engine>, RecognizeError> {
        let loaded = self.engine.get_or_init(|| self.load().map(Arc::new));
        loaded.as_ref().map_err(|reason| RecognizeError(reason.clone()))
    }

    fn load(&self) -> Result<Engine, String> {
        let read = |name: &str| {
            let path = self.folder.join(name);
            fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let optional = |name: &str| fs::read(self.folder.join(name)).ok();
        let characters = optional("rec.yml").map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let bytes = ModelBytes {
            detection: read("det.onnx")?,
            recognition: read("rec.onnx")?,
            direction: optional("cls.onnx"),
            characters,
        };
        Engine::load(&self.model, bytes, self.threads).map_err(|error| error.to_string())
    }
}

impl Recognizer for PageReader {
    fn name(&self) -> &str {
        &self.model
    }

    fn concurrency(&self) -> usize {
        // The parser asks once there are pages to read: this is where the models are loaded, before the first of them.
        self.engine().map_or(1, |engine| engine.concurrency())
    }

    fn recognize(&self, picture: &Picture) -> Result<Vec<RecognizedLine>, RecognizeError> {
        let engine = Arc::clone(self.engine()?);
        let Some(limit) = self.limit else { return engine.recognize(picture) };
        let deadline = Instant::now() + limit;
        let picture = picture.clone();
        within(limit, move || engine.recognize_until(&picture, Some(deadline)))
    }
}

/// Runs `read` on a thread of its own and waits for it no longer than `limit`. The page then counts as unread and the
/// document goes on; a thread that hangs in the model runtime is left behind and ends with the process.
fn within<R: Send + 'static>(
    limit: Duration,
    read: impl FnOnce() -> Result<R, RecognizeError> + Send + 'static,
) -> Result<R, RecognizeError> {
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::Builder::new().name("ocr-page".to_owned());
    thread
        .spawn(move || sender.send(read()))
        .map_err(|error| RecognizeError(format!("no thread could be started: {error}")))?;
    match receiver.recv_timeout(limit) {
        Ok(read) => read,
        Err(RecvTimeoutError::Timeout) => {
            let seconds = limit.as_secs();
            Err(RecognizeError(format!("not done in {seconds} s (setting ocr_page_timeout)")))
        }
        Err(RecvTimeoutError::Disconnected) => {
            Err(RecognizeError("the model runtime failed on this picture".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_never_ends_is_given_up_and_one_that_panics_is_an_error() {
        let (hold, held) = mpsc::channel::<()>();
        let hung = within(Duration::from_millis(1), move || {
            // Waits for good: the sender is dropped at the end of the test.
            let _ = held.recv();
            Ok(())
        });
        assert!(hung.unwrap_err().to_string().contains("ocr_page_timeout"));
        drop(hold);
        let panicked =
            within(Duration::from_mins(1), || -> Result<(), RecognizeError> { panic!("on purpose") });
        assert!(panicked.unwrap_err().to_string().contains("failed on this picture"));
        assert_eq!(within(Duration::from_mins(1), || Ok(7)).unwrap(), 7);
    }
}
