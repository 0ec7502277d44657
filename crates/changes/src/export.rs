//! Changes as documents for a meeting: an HTML page that prints, a workbook, and a three-column table for Word.
//!
//! What went is struck and what came is underlined, so that a copy in black and white still says it.

mod docx;
mod html;
mod xlsx;

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::record::{ChangeRecord, Changes};
use crate::words::word_changes;
use regreader_messages::{Language, errors, tools};
use regreader_text::script::language_of;

pub use docx::docx;
pub use html::html;
pub use xlsx::xlsx;

/// What a document says about the two editions.
#[derive(Debug, Clone)]
pub struct Heading {
    /// Name of the older edition.
    pub old: String,
    /// Name of the newer edition.
    pub new: String,
    /// Language of the labels.
    pub language: Language,
}

impl Heading {
    /// A heading in the language of the newer edition's name.
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> Self {
        let (old, new) = (old.into(), new.into());
        Self { language: language_of(&new), old, new }
    }

    fn title(&self) -> String {
        let word = self.language.say(tools::CHANGES_TITLE);
        format!("{word} {} → {}", self.old, self.new)
    }
}

/// A document could not be written.
#[derive(Debug)]
pub struct ExportError(String);

impl std::fmt::Display for ExportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&errors::export_failed(&self.0))
    }
}

impl std::error::Error for ExportError {}

/// How a stretch of text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Plain,
    Struck,
    Underlined,
}

/// A stretch of text with its mark.
type Run = (Mark, String);

/// The two sides of a change: what the older edition says with what went struck, what the newer says with what
/// came underlined.
fn sides(record: &ChangeRecord) -> (Vec<Run>, Vec<Run>) {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    match (&record.old_text, &record.new_text) {
        (Some(a), Some(b)) => {
            for change in word_changes(a, b) {
                let (struck, underlined) =
                    if change.same { (Mark::Plain, Mark::Plain) } else { (Mark::Struck, Mark::Underlined) };
                old.push((struck, change.old.to_owned()));
                new.push((underlined, change.new.to_owned()));
            }
        }
        (Some(a), None) => old.push((Mark::Struck, a.clone())),
        (None, Some(b)) => new.push((Mark::Underlined, b.clone())),
        (None, None) => {}
    }
    old.retain(|(_, text)| !text.is_empty());
    new.retain(|(_, text)| !text.is_empty());
    (old, new)
}

/// `数值 12 · 文字 3 · …`.
fn counts(changes: &Changes, language: Language) -> String {
    let present = crate::record::ChangeKind::ALL.into_iter().filter_map(|kind| {
        let count = changes.counts.get(kind.name())?;
        Some(format!("{} {count}", kind.label(language)))
    });
    present.collect::<Vec<_>>().join(" · ")
}

/// Text for XML and HTML. Characters that XML 1.0 cannot hold are left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

/// Files in a zip archive. The time of each is fixed: the same changes give the same bytes.
fn archive(files: &[(&str, String)]) -> Result<Vec<u8>, ExportError> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let failed = |error: &dyn std::fmt::Display| ExportError(error.to_string());
    for (name, content) in files {
        writer.start_file(*name, options).map_err(|error| failed(&error))?;
        writer.write_all(content.as_bytes()).map_err(|error| failed(&error))?;
    }
    Ok(writer.finish().map_err(|error| failed(&error))?.into_inner())
}
