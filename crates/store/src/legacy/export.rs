//! Writing the old layout.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use regreader_messages::errors;
use serde::Serialize;

use super::{Old, page_name, tables};
use crate::error::StoreError;
use crate::layout::INFO;
use crate::manifest::pretty;
use crate::reader::RegulationReader;

/// Pages go into a folder beside their place that is renamed last, so that a listing never shows a half one.
pub(super) fn write(reader: &RegulationReader, old: &Old) -> Result<(), StoreError> {
    let reg_id = reader.reg_id();
    let folder = old.folder(reg_id);
    for taken in [&folder, &old.structure(reg_id), &old.tables(reg_id)] {
        if fs::symlink_metadata(taken).is_ok() {
            return Err(StoreError::refused(reg_id, errors::exists_already(taken.display())));
        }
    }
    let draft = old.pages().join(format!(".{reg_id}.{}.part", std::process::id()));
    create_dir(&draft)?;
    let written = write_parts(reader, old, &draft)
        .and_then(|()| fs::rename(&draft, &folder).map_err(|error| StoreError::writing(&folder, error)));
    if written.is_err() {
        // None of these stood there before.
        let _ = fs::remove_dir_all(&draft);
        let _ = fs::remove_file(old.structure(reg_id));
        let _ = fs::remove_file(old.tables(reg_id));
    }
    written
}

fn write_parts(reader: &RegulationReader, old: &Old, draft: &Path) -> Result<(), StoreError> {
    let reg_id = reader.reg_id();
    for page in reader.all_pages() {
        let page = page?;
        write_json(reader, &draft.join(page_name(page.page_num)), &page)?;
    }
    write_json(reader, &draft.join(INFO), reader.info())?;
    write_json(reader, &old.structure(reg_id), reader.structure()?.as_ref())?;
    write_json(reader, &old.tables(reg_id), &tables::to_old(reader.tables()?.as_ref()))
}

fn write_json(reader: &RegulationReader, path: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    let bytes = pretty(value).map_err(|error| StoreError::refused(reader.reg_id(), error.to_string()))?;
    if let Some(folder) = path.parent() {
        create_dir(folder)?;
    }
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_all()))
        .map_err(|error| StoreError::writing(path, error))
}

fn create_dir(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(|error| StoreError::writing(path, error))
}
