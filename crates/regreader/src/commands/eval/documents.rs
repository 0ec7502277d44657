//! The documents that a set of questions names by the stems of their files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use regreader_eval::EvalError;
use regreader_model::RegId;

use crate::pipeline;

/// Folders below the corpus that are looked into.
const DEEPEST: usize = 4;

/// Files to read with the names they get, and which name each stem became.
#[derive(Debug, Default)]
pub struct Documents {
    /// Every document in the folders that hold a named one: questions are asked among others, not in an empty room.
    pub files: Vec<(PathBuf, RegId)>,
    ids: BTreeMap<String, RegId>,
}

impl Documents {
    /// Finds the named documents below a folder, with their neighbours.
    pub fn find(folder: &Path, names: &BTreeSet<String>) -> anyhow::Result<Self> {
        let mut folders = Vec::new();
        list_folders(folder, 0, &mut folders)?;
        let mut documents = Self::default();
        let mut found = BTreeSet::new();
        for folder in folders {
            let files = documents_in(&folder)?;
            let here: Vec<&String> = names.iter().filter(|name| files.contains_key(*name)).collect();
            if !here.is_empty() {
                found.extend(here.into_iter().cloned());
                for (stem, path) in files {
                    documents.add(stem, path);
                }
            }
        }
        if let Some(missing) = names.iter().find(|name| !found.contains(*name)) {
            return Err(EvalError::Name(missing.clone())).with_context(|| {
                format!("{} has no document {missing}; is --corpus right?", folder.display())
            });
        }
        Ok(documents)
    }

    /// The regulation that a file became.
    pub fn reg_id(&self, stem: &str) -> Option<RegId> {
        self.ids.get(stem).cloned()
    }

    fn add(&mut self, stem: String, path: PathBuf) {
        if let Some(reg_id) = reg_id_of_stem(&stem)
            && !self.ids.contains_key(&stem)
        {
            self.ids.insert(stem, reg_id.clone());
            self.files.push((path, reg_id));
        }
    }
}

/// The name that a file of this stem gets in a library.
pub fn reg_id_of_stem(stem: &str) -> Option<RegId> {
    // `cip-002-5.1a` is a stem, and its `.1a` no extension.
    pipeline::reg_id_for(Path::new(&format!("{stem}.pdf")))
}

fn list_folders(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    into.push(folder.to_owned());
    if depth < DEEPEST {
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                list_folders(&path, depth + 1, into)?;
            }
        }
    }
    into.sort();
    Ok(())
}

/// The documents of a folder by stem. Of several formats of one document the PDF counts: the sets give pages of it.
fn documents_in(folder: &Path) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    const FORMATS: &[&str] = &["pdf", "docx", "html", "md", "xlsx", "pptx", "txt"];
    let rank = |path: &Path| {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        FORMATS.iter().position(|format| *format == extension)
    };
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let (Some(stem), Some(format)) = (path.file_stem(), rank(&path)) else { continue };
        let stem = stem.to_string_lossy().into_owned();
        let better = found.get(&stem).is_none_or(|known| rank(known).is_none_or(|known| format < known));
        if path.is_file() && better && stem != "README" {
            found.insert(stem, path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_documents_come_with_their_neighbours_and_once() {
        let folder = tempfile::tempdir().unwrap();
        let make = |path: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        };
        for path in ["zh/GB 1.pdf", "zh/GB 1.xlsx", "zh/other.md", "en/cip-002-5.1a.pdf", "zh/README.md"] {
            make(path);
        }
        let names = BTreeSet::from(["GB 1".to_owned()]);
        let found = Documents::find(folder.path(), &names).unwrap();
        let ids: Vec<&str> = found.files.iter().map(|(_, id)| id.as_str()).collect();
        assert_eq!(ids, ["GB_1", "other"]);
        assert!(found.files[0].0.extension().is_some_and(|extension| extension == "pdf"));
        assert_eq!(found.reg_id("GB 1").unwrap().as_str(), "GB_1");
        assert_eq!(reg_id_of_stem("cip-002-5.1a").unwrap().as_str(), "cip-002-5.1a");
        let error = Documents::find(folder.path(), &BTreeSet::from(["none".to_owned()])).unwrap_err();
        assert!(format!("{error:#}").contains("no document none"), "{error:#}");
    }
}
