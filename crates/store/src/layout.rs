//! Where everything stands. No other module puts a path together from strings.

use std::path::{Path, PathBuf};

use regreader_model::{PageNumber, RegId};

pub(crate) const INFO: &str = "info.json";
pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const STRUCTURE: &str = "structure.json";
pub(crate) const TABLES: &str = "tables.json";
pub(crate) const REFERENCES: &str = "references.json";
pub(crate) const QUALITY: &str = "quality.json";
pub(crate) const PAGES: &str = "pages";

/// The files that every regulation has beside its pages, info and manifest.
pub(crate) const PARTS: [&str; 4] = [QUALITY, REFERENCES, STRUCTURE, TABLES];

/// Far above any document; keeps a hostile list of files from growing without end.
pub(crate) const MAX_PAGES: u32 = 100_000;

/// Paths of one library.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    root: PathBuf,
}

impl Layout {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn regulations(&self) -> PathBuf {
        self.root.join("regulations")
    }

    /// The folder of a regulation: whatever stands under this name is the edition in force.
    pub(crate) fn live(&self, reg_id: &RegId) -> PathBuf {
        self.regulations().join(reg_id.as_str())
    }

    /// Inside `regulations`, so that it is on the same file system whatever is mounted where. No `RegId` begins with
    /// a dot.
    pub(crate) fn staging(&self) -> PathBuf {
        self.regulations().join(".staging")
    }

    /// The edition being written; after the exchange, the one that was in force.
    pub(crate) fn staged(&self, reg_id: &RegId) -> PathBuf {
        self.staging().join(format!("{reg_id}.new"))
    }

    /// The edition in force, set aside for the moment between two renames.
    pub(crate) fn set_aside(&self, reg_id: &RegId) -> PathBuf {
        self.staging().join(format!("{reg_id}{SET_ASIDE}"))
    }

    /// A single file on its way into a regulation's folder.
    pub(crate) fn draft(&self, reg_id: &RegId, name: &str) -> PathBuf {
        self.staging().join(format!("{reg_id}.{name}{DRAFT}"))
    }

    /// Something to be removed once nobody reads it. No staged name of a regulation is of this form.
    pub(crate) fn trash(&self, number: u32) -> PathBuf {
        self.staging().join(format!("trash-{number}"))
    }

    /// The same, where there is no room for a staging folder.
    pub(crate) fn last_resort(&self) -> PathBuf {
        self.regulations().join(".trash")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.regulations().join(".lock")
    }

    pub(crate) fn audit(&self) -> PathBuf {
        self.root.join("audit")
    }
}

/// Whether something is a folder itself and no link to one. What a link leads to is not ours to write to or clear away.
pub(crate) fn is_own_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Whether an entry of the staging folder is named as we name them: only such are removed.
pub(crate) fn is_staged_name(name: &str) -> bool {
    let of_regulation = |end: &str| name.strip_suffix(end).is_some_and(|id| id.parse::<RegId>().is_ok());
    let of_draft = || {
        let (id_and_file, _) = name.rsplit_once(DRAFT)?;
        let files = [INFO, MANIFEST].into_iter();
        files
            .filter_map(|file| id_and_file.strip_suffix(file)?.strip_suffix('.'))
            .find(|id| id.parse::<RegId>().is_ok())
    };
    let of_trash = || {
        let number = name.strip_prefix("trash-")?;
        number.parse::<u32>().ok()
    };
    of_regulation(".new") || of_regulation(SET_ASIDE) || of_draft().is_some() || of_trash().is_some()
}

const DRAFT: &str = ".draft";
const SET_ASIDE: &str = ".old";

/// The regulation that an entry of the staging folder was set aside for.
pub(crate) fn set_aside_id(name: &str) -> Option<RegId> {
    name.strip_suffix(SET_ASIDE)?.parse().ok()
}

/// `pages/0001.json`
pub(crate) fn page_file(page: PageNumber) -> String {
    format!("{PAGES}/{:04}.json", page.get())
}

/// The page that a file is named for, if it is named exactly as [`page_file`] names it.
pub(crate) fn page_of(name: &str) -> Option<PageNumber> {
    let digits = name.strip_prefix("pages/")?.strip_suffix(".json")?;
    let page = PageNumber::new(digits.parse().ok()?)?;
    (page.get() <= MAX_PAGES && page_file(page) == name).then_some(page)
}

/// The name of the document inside the folder: `source.` and its own extension, as far as that is a plain one.
pub(crate) fn source_file(file_name: &str) -> String {
    let extension = Path::new(file_name)
        .extension()
        .and_then(|extension| extension.to_str())
        .map(str::to_ascii_lowercase)
        .filter(|extension| is_plain_extension(extension))
        .unwrap_or_else(|| "bin".to_owned());
    format!("source.{extension}")
}

/// Whether a file name is one that [`source_file`] gives.
pub(crate) fn is_source_file(name: &str) -> bool {
    name.strip_prefix("source.").is_some_and(is_plain_extension)
}

fn is_plain_extension(extension: &str) -> bool {
    (1..=8).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_names_are_read_only_as_they_are_written() {
        for number in [1, 12, 9_999, 10_000] {
            let page = PageNumber::new(number).unwrap();
            assert_eq!(page_of(&page_file(page)), Some(page));
        }
        for bad in [
            "pages/1.json",
            "pages/0000.json",
            "pages/+001.json",
            "0001.json",
            "pages/0001.json/",
            "pages/99999999.json",
        ] {
            assert_eq!(page_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_source_keeps_a_plain_extension_only() {
        assert_eq!(source_file("安规 2024.PDF"), "source.pdf");
        assert_eq!(source_file("x.tar.gz"), "source.gz");
        for odd in ["x", "x.", "x.附件", "x.p/../../etc", "x.verylongextension", ".json"] {
            assert_eq!(source_file(odd), "source.bin", "{odd}");
        }
        assert!(
            is_source_file("source.pdf") && !is_source_file("source.PDF") && !is_source_file("source.a/b")
        );
    }

    #[test]
    fn no_regulation_can_be_taken_for_another_ones_staging() {
        let layout = Layout::new(PathBuf::from("/x"));
        let awkward: RegId = "a.old".parse().unwrap();
        assert_eq!(set_aside_id("a.old.old"), Some(awkward.clone()));
        assert_eq!(set_aside_id("a.old.new"), None);
        for ours in [
            layout.staged(&awkward),
            layout.set_aside(&awkward),
            layout.draft(&awkward, INFO),
            layout.draft(&awkward, MANIFEST),
            layout.trash(7),
        ] {
            let name = ours.file_name().unwrap().to_string_lossy().into_owned();
            assert!(is_staged_name(&name), "{name}");
        }
        for foreign in ["letters", "a b.new", ".new", "trash-x", "notes.draft", "x.txt"] {
            assert!(!is_staged_name(foreign), "{foreign}");
        }
        assert_eq!(layout.staged(&awkward).file_name().unwrap(), "a.old.new");
    }
}
