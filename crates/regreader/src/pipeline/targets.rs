//! Which files an `ingest` means: files, folders and patterns.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use regreader_messages::errors;

use crate::failure::Refusal;

/// Not vocabulary: extensions that are taken from a folder. A file named by itself may have any.
const EXTENSIONS: &[&str] = &[
    "pdf", "docx", "pptx", "xlsx", "html", "htm", "md", "markdown", "txt", "png", "jpg", "jpeg", "tif",
    "tiff", "json",
];

/// All files meant, each once, in a fixed order. A pattern or folder without any document is an error: whoever typed it
/// expected some.
pub fn collect(paths: &[String], files: &[PathBuf], folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = BTreeSet::new();
    found.extend(files.iter().cloned());
    for folder in folders {
        add_folder(folder, &mut found)?;
    }
    for text in paths {
        let path = Path::new(text);
        if path.is_dir() {
            add_folder(path, &mut found)?;
        } else if path.exists() || !text.contains(['*', '?', '[']) {
            found.insert(path.to_owned());
        } else {
            add_pattern(text, &mut found)?;
        }
    }
    Ok(found.into_iter().collect())
}

/// The documents of a folder and of the folders below it. Hidden folders are left out, and links to folders are not
/// followed: they may lead round in a ring.
fn add_folder(folder: &Path, found: &mut BTreeSet<PathBuf>) -> anyhow::Result<()> {
    let before = found.len();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        let entries = fs::read_dir(&next).with_context(|| next.display().to_string())?;
        for entry in entries {
            let entry = entry.with_context(|| next.display().to_string())?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() && !is_hidden(&path) {
                waiting.push(path);
            } else if path.is_file() && is_document(&path) {
                found.insert(path);
            }
        }
    }
    if found.len() == before {
        let message = errors::no_documents(folder.display());
        return Err(Refusal::library(message, errors::formats_read(EXTENSIONS.join(", "))).into());
    }
    Ok(())
}

fn add_pattern(pattern: &str, found: &mut BTreeSet<PathBuf>) -> anyhow::Result<()> {
    let matches = glob::glob(pattern).with_context(|| pattern.to_owned())?;
    let before = found.len();
    for path in matches {
        let path = path.with_context(|| pattern.to_owned())?;
        if path.is_file() {
            found.insert(path);
        }
    }
    if found.len() == before {
        return Err(Refusal::library(errors::no_match(pattern), errors::HINT_PATTERN).into());
    }
    Ok(())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['.', '~']))
}

fn is_document(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    !is_hidden(path) && extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}
