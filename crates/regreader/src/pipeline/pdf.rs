//! How PDF files are opened and drawn: by which engine, and with which font of the system where a file brings none.

use std::sync::OnceLock;

use regreader_messages::errors;
use regreader_parse::pdf::{Engine, FallbackFont};

use super::fonts;
use crate::failure::Refusal;
use crate::settings::Settings;

/// Name of PDFium's library among the models.
pub const PDFIUM: &str = "pdfium-linux-x64";

/// What reading PDF files needs beyond their bytes.
#[derive(Default)]
pub struct PdfSupport {
    engine: Option<Box<dyn Engine + Send>>,
    font_file: Option<std::path::PathBuf>,
    font: OnceLock<Option<FallbackFont>>,
}

impl PdfSupport {
    /// What the settings ask for. An engine that this program lacks or cannot load is an error, never another engine.
    pub fn find(settings: &Settings) -> anyhow::Result<Self> {
        let engine = match settings.pdf_engine.as_str() {
            "pdfium" => Some(load(settings)?),
            _ => None,
        };
        let font_file = Settings::optional_path(&settings.fallback_font).map(std::path::Path::to_owned);
        if let Some(path) = font_file.as_deref().filter(|path| !path.is_file()) {
            let message = errors::no_font(path.display());
            return Err(Refusal::usage(message, errors::HINT_SYSTEM_FONTS).into());
        }
        Ok(Self { engine, font_file, font: OnceLock::new() })
    }

    /// The engine, unless it is the default one.
    pub fn engine(&self) -> Option<&dyn Engine> {
        self.engine.as_deref().map(|engine| engine as &dyn Engine)
    }

    /// A font that covers Chinese and Latin: the one that is set, else one of the system. Looked for once.
    pub fn fallback_font(&self) -> Option<FallbackFont> {
        self.font
            .get_or_init(|| match &self.font_file {
                Some(path) => fonts::read(path),
                None => fonts::find(&fonts::folders()).and_then(|path| fonts::read(&path)),
            })
            .clone()
    }
}

#[cfg(not(feature = "pdfium"))]
fn load(_: &Settings) -> anyhow::Result<Box<dyn Engine + Send>> {
    Err(Refusal::usage(errors::NO_PDFIUM, errors::HINT_PDFIUM).into())
}

#[cfg(feature = "pdfium")]
fn load(settings: &Settings) -> anyhow::Result<Box<dyn Engine + Send>> {
    let library = match Settings::optional_path(&settings.pdfium_library) {
        Some(path) => path.to_owned(),
        None => {
            let installed = crate::models::installed(&settings.models_path(), PDFIUM);
            let message = "`pdf_engine=pdfium`, and its library is not installed";
            let hint = format!("regreader models pull {PDFIUM}, or name the library in `pdfium_library`");
            installed.ok_or_else(|| Refusal::backend(message, hint))?.join("libpdfium.so")
        }
    };
    pdfium(&library)
}

/// PDFium from a library file. A process loads it once.
#[cfg(feature = "pdfium")]
pub fn pdfium(library: &std::path::Path) -> anyhow::Result<Box<dyn Engine + Send>> {
    use pdfium_render::prelude::Pdfium;

    let bindings = Pdfium::bind_to_library(library).map_err(|error| {
        let message = format!("{}: PDFium cannot be loaded: {error}", library.display());
        Refusal::backend(message, "`pdfium_library` must name the library of PDFium, build 7881 or later")
    })?;
    Ok(Box::new(regreader_parse::pdf::PdfiumEngine::new(Pdfium::new(bindings))))
}
