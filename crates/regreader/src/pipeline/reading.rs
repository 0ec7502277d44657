//! The models that read pages without usable text, loaded when the first such page comes.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

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
    engine: OnceLock<Result<Engine, String>>,
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
        Ok(Some(Self { model, folder, threads, recognition, engine: OnceLock::new() }))
    }

    /// Which pages it is to read.
    pub fn recognition(&self) -> Recognition {
        self.recognition
    }

    /// Name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    fn engine(&self) -> Result<&Engine, RecognizeError> {
        let loaded = self.engine.get_or_init(|| self.load());
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

    fn recognize(&self, picture: &Picture) -> Result<Vec<RecognizedLine>, RecognizeError> {
        self.engine()?.recognize(picture)
    }
}
