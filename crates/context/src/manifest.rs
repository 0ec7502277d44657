//! `context.manifest.json`: the file in which a task keeps the contexts found for it. Owns reading, merging and the
//! atomic write; the search knows nothing of it.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ContextError;
use crate::model::{SearchResult, TaskType};

/// The usual name of the file.
pub const MANIFEST_FILE: &str = "context.manifest.json";

const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// A manifest as read: a search result fits, and so does a file with `contexts` alone and keys of its own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// Paths from the project folder.
    #[serde(default)]
    pub contexts: Vec<String>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// The task they were found for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_type: Option<TaskType>,
    /// The keywords they were found by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_keywords: Option<Vec<String>>,
    /// The sentence that went with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Keys that are not ours.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// What an update did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ManifestUpdate {
    /// There was none before.
    Created,
    /// The result was put in place of the former one.
    Updated,
    /// The file already held this result and was not touched.
    Unchanged,
}

/// Reads a manifest.
pub fn read_manifest(path: &Path) -> Result<Manifest, ContextError> {
    let text = read(path)?.ok_or_else(|| io_error(path)(io::Error::from(io::ErrorKind::NotFound)))?;
    serde_json::from_slice(&text).map_err(|error| invalid(path, &error))
}

/// Puts a result into the manifest at `path`, keeping the keys that are not its own and the order of all. The file
/// is replaced whole or not at all; one that is no JSON object is an error and stays as it is.
pub fn update_manifest(path: &Path, result: &SearchResult) -> Result<ManifestUpdate, ContextError> {
    let former = read(path)?;
    let mut manifest: Map<String, Value> = match &former {
        Some(text) if text.iter().all(u8::is_ascii_whitespace) => Map::new(),
        Some(text) => serde_json::from_slice(text).map_err(|error| invalid(path, &error))?,
        None => Map::new(),
    };
    let value = serde_json::to_value(result).map_err(|error| invalid(path, &error))?;
    if let Value::Object(fields) = value {
        manifest.extend(fields);
    }
    let mut text = serde_json::to_vec_pretty(&manifest).map_err(|error| invalid(path, &error))?;
    text.push(b'\n');
    if former.as_deref() == Some(&text) {
        return Ok(ManifestUpdate::Unchanged);
    }
    replace(path, &text).map_err(io_error(path))?;
    Ok(if former.is_some() { ManifestUpdate::Updated } else { ManifestUpdate::Created })
}

/// The file's bytes without a byte order mark, or nothing when there is no file.
fn read(path: &Path) -> Result<Option<Vec<u8>>, ContextError> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(path)(error)),
    };
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(io_error(path))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(ContextError::ManifestInvalid {
            path: path.to_owned(),
            reason: format!("over {MAX_BYTES} bytes"),
        });
    }
    Ok(Some(text.strip_prefix(b"\xef\xbb\xbf").map_or_else(|| text.clone(), <[u8]>::to_vec)))
}

/// Writes beside the file and renames over it, so that a reader sees the old or the new and never half. A link is
/// followed first, or the rename would replace the link and not the file.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let real: PathBuf = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match real.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".context.manifest.");
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::PermissionsExt;
        // Without this the file would be readable by its owner only; the process's mask still applies.
        builder.permissions(fs::Permissions::from_mode(0o666))
    };
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text)?;
    if let Ok(former) = fs::metadata(&real) {
        file.as_file().set_permissions(former.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&real).map_err(|error| error.error)?;
    Ok(())
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> ContextError + use<> {
    let path = path.to_owned();
    |source| ContextError::ManifestIo { path, source }
}

fn invalid(path: &Path, error: &serde_json::Error) -> ContextError {
    ContextError::ManifestInvalid { path: path.to_owned(), reason: error.to_string() }
}
