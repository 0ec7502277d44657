//! Writing a bundle.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use regreader_messages::errors;
use regreader_model::RegId;

use super::Counted;
use super::catalog::{BundleFile, BundledRegulation, CATALOG, Catalog};
use crate::audit::AuditEvent;
use crate::encode;
use crate::error::StoreError;
use crate::layout::{self, INFO, MANIFEST};
use crate::library::Library;
use crate::manifest::{FileStamp, pretty};
use crate::reader::RegulationReader;

/// Which regulations to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// All of them. One that is damaged is an error: nobody should believe that he carries a library that he does not.
    All,
    /// Only the regulations with these ids.
    Only(Vec<RegId>),
}

/// What was written.
#[derive(Debug)]
pub struct ExportReport {
    /// The list of contents.
    pub catalog: Catalog,
    /// blake3 of the bundle, hex: to be compared on the other side.
    pub blake3: String,
    /// Length of the bundle.
    pub bytes: u64,
    /// What did not go as it should, though the bundle is whole.
    pub warnings: Vec<String>,
}

/// Writes a bundle to `output`. Every file is checked as it is read; each regulation is one edition, whatever writers
/// do meanwhile.
pub fn export(
    library: &Library,
    selection: &Selection,
    output: impl Write,
) -> Result<ExportReport, StoreError> {
    write_bundle(library, selection, output, Path::new("-"))
}

/// Writes a bundle to a file, which is there whole or not at all.
pub fn export_to_file(
    library: &Library,
    selection: &Selection,
    path: &Path,
) -> Result<ExportReport, StoreError> {
    let draft = draft_beside(path);
    let written = File::create(&draft).map_err(|error| StoreError::writing(&draft, error)).and_then(|file| {
        let report = write_bundle(library, selection, BufWriter::new(&file), &draft)?;
        file.sync_all()
            .and_then(|()| fs::rename(&draft, path))
            .map_err(|error| StoreError::writing(path, error))?;
        Ok(report)
    });
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

fn draft_beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

fn write_bundle(
    library: &Library,
    selection: &Selection,
    output: impl Write,
    path: &Path,
) -> Result<ExportReport, StoreError> {
    let readers = open_readers(library, selection)?;
    let infos: Vec<Vec<u8>> =
        readers.iter().map(|reader| encode::encode_info(reader.info())).collect::<Result<_, _>>()?;
    let manifests: Vec<Vec<u8>> = readers.iter().map(manifest_bytes).collect::<Result<_, _>>()?;
    let regulations = readers
        .iter()
        .zip(infos.iter().zip(&manifests))
        .map(|(reader, (info, manifest))| describe(reader, info, manifest))
        .collect();
    let catalog = Catalog::new(regulations);

    let failed = |error: io::Error| StoreError::writing(path, error);
    // No name, no time, no system in the header: the same regulations give the same bytes.
    let compressed =
        GzBuilder::new().operating_system(255).write(Counted::new(output), Compression::default());
    let mut archive = tar::Builder::new(compressed);
    let catalog_bytes = pretty(&catalog).map_err(|error| failed(error.into()))?;
    append(&mut archive, CATALOG, &catalog_bytes).map_err(failed)?;
    let own_files = infos.iter().zip(&manifests);
    for ((reader, regulation), (info, manifest)) in readers.iter().zip(&catalog.regulations).zip(own_files) {
        for file in &regulation.files {
            let entry = regulation.entry_path(file);
            match file.path.as_str() {
                INFO => append(&mut archive, &entry, info),
                MANIFEST => append(&mut archive, &entry, manifest),
                name if layout::is_source_file(name) => append_source(&mut archive, &entry, file, reader)?,
                name => append(&mut archive, &entry, &reader.bytes(name)?),
            }
            .map_err(failed)?;
        }
    }
    let mut counted = archive.into_inner().and_then(flate2::write::GzEncoder::finish).map_err(failed)?;
    let (bytes, blake3) = (counted.bytes, counted.hash());
    counted.flush().map_err(failed)?;
    let reg_ids = readers.iter().map(|reader| reader.reg_id().clone()).collect();
    let warnings = library.record(AuditEvent::Exported { reg_ids, bundle_hash: Some(blake3.clone()) });
    Ok(ExportReport { catalog, blake3, bytes, warnings })
}

fn open_readers(library: &Library, selection: &Selection) -> Result<Vec<RegulationReader>, StoreError> {
    let ids = match selection {
        Selection::All => library.ids()?,
        Selection::Only(ids) => {
            let mut ids = ids.clone();
            ids.sort_unstable();
            ids.dedup();
            ids
        }
    };
    ids.iter().map(|reg_id| library.reader(reg_id)).collect()
}

fn manifest_bytes(reader: &RegulationReader) -> Result<Vec<u8>, StoreError> {
    reader.manifest().to_bytes().map_err(|error| StoreError::refused(reader.reg_id(), error.to_string()))
}

/// Info first, so that whoever reads along knows early what comes; pages last.
fn describe(reader: &RegulationReader, info: &[u8], manifest: &[u8]) -> BundledRegulation {
    let file = |path: &str, stamp: &FileStamp| BundleFile {
        path: path.to_owned(),
        size: stamp.size,
        blake3: stamp.blake3.clone(),
    };
    let mut files = vec![file(INFO, &FileStamp::of(info)), file(MANIFEST, &FileStamp::of(manifest))];
    files.extend(reader.manifest().files.iter().map(|(name, stamp)| file(name, stamp)));
    BundledRegulation {
        reg_id: reader.reg_id().clone(),
        title: reader.info().title.clone(),
        content_hash: reader.content_hash().to_owned(),
        files,
    }
}

fn append(archive: &mut tar::Builder<impl Write>, path: &str, bytes: &[u8]) -> io::Result<()> {
    archive.append(&header(path, bytes.len() as u64)?, bytes)
}

/// The source document as it is read, since it may be large: the outer error is ours, the inner one the output's.
fn append_source(
    archive: &mut tar::Builder<impl Write>,
    path: &str,
    file: &BundleFile,
    reader: &RegulationReader,
) -> Result<io::Result<()>, StoreError> {
    let Some(source) = reader.open_source()? else { return Ok(Ok(())) };
    let header = match header(path, file.size) {
        Ok(header) => header,
        Err(error) => return Ok(Err(error)),
    };
    let mut content = Counted::new(source);
    if let Err(error) = archive.append(&header, (&mut content).take(file.size)) {
        return Ok(Err(error));
    }
    // Written already, but nobody gets to see it: the export as a whole fails.
    if content.hash() != file.blake3 {
        let shown = reader.source_path().unwrap_or_default();
        return Err(StoreError::corrupt(shown, errors::WRONG_HASH));
    }
    Ok(Ok(()))
}

fn header(path: &str, size: u64) -> io::Result<tar::Header> {
    let mut header = tar::Header::new_ustar();
    header.set_path(path)?;
    header.set_size(size);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header.set_cksum();
    Ok(header)
}
