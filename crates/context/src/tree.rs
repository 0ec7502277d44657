//! The context folder as a list of documents. Owns the walk: which folders count, links, loops and limits. Reads no
//! document.
//!
//! Links are followed within the project only, and a document reached by two ways is listed once, by its own path.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::ContextError;
use crate::model::Warning;

/// Where the documents live, from the project folder.
pub(crate) const CONTEXT_FOLDER: &str = ".the_conn/context";

const MAX_DEPTH: usize = 8;
/// Far above any real project; stops a walk that a link has led astray.
const MAX_ENTRIES: usize = 200_000;

/// Everything under the context folder.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// In path order.
    pub documents: Vec<Entry>,
    /// Things of the context folder that are none of the above: other files, folders that are no epic.
    pub strays: Vec<String>,
    /// Names of the epic folders, in order.
    pub epics: Vec<String>,
    pub warnings: Vec<Warning>,
}

/// One document of the tree.
#[derive(Debug)]
pub(crate) struct Entry {
    /// From the project folder, with forward slashes.
    pub path: String,
    pub file: PathBuf,
    pub place: Place,
}

/// Which part of the tree a document is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Under `global/`; `direct` when not in a folder below.
    Global { direct: bool },
    /// Under the epic folder of this name.
    Epic(String),
}

impl Entry {
    /// The file name without its extension.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

/// Lists the documents of a project. Only a project folder (or context folder) that cannot be listed is an error.
pub(crate) fn list(root: &Path) -> Result<Tree, ContextError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| ContextError::RootUnreadable { path, source }
    };
    fs::read_dir(root).map_err(unreadable(root))?;
    let context = root.join(CONTEXT_FOLDER);
    let entries = match fs::read_dir(&context) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Tree::default()),
        Err(error) => return Err(unreadable(&context)(error)),
    };
    let real_root = fs::canonicalize(root).map_err(unreadable(root))?;
    let real_context = fs::canonicalize(&context).map_err(unreadable(&context))?;
    let mut walk = Walk {
        tree: Tree::default(),
        home: vec![real_root, real_context.clone()],
        linked: Vec::new(),
        entered: BTreeSet::new(),
        entries: 0,
    };
    for child in walk.children(entries, CONTEXT_FOLDER) {
        walk.top(&child);
    }
    Ok(walk.finish(&real_context))
}

struct Walk {
    tree: Tree,
    /// Folders that links may lead into.
    home: Vec<PathBuf>,
    /// Documents reached through a link, with the path they really have.
    linked: Vec<(PathBuf, Entry)>,
    /// Real paths of the folders entered through a link.
    entered: BTreeSet<PathBuf>,
    entries: usize,
}

/// A directory entry, looked at once.
struct Child {
    path: String,
    name: String,
    file: PathBuf,
    kind: Kind,
    /// The real path, when the entry is a link.
    target: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    File,
    Other,
}

impl Walk {
    /// A child of the context folder itself.
    fn top(&mut self, child: &Child) {
        match (child.kind, child.name.as_str()) {
            (Kind::Folder, "global") => {
                self.folder(child, &Place::Global { direct: true }, 1, child.target.is_some());
            }
            (Kind::Folder, "epics") => {
                for epic in self.open(child) {
                    if epic.kind == Kind::Folder && is_epic(&epic.name) {
                        let linked = child.target.is_some() || epic.target.is_some();
                        self.tree.epics.push(epic.name.clone());
                        self.folder(&epic, &Place::Epic(epic.name.clone()), 1, linked);
                    } else {
                        self.tree.strays.push(epic.path);
                    }
                }
            }
            _ => self.tree.strays.push(child.path.clone()),
        }
    }

    fn folder(&mut self, folder: &Child, place: &Place, depth: usize, linked: bool) {
        if depth > MAX_DEPTH {
            self.warn(&folder.path, format!("folders deeper than {MAX_DEPTH} are not searched"));
            return;
        }
        for child in self.open(folder) {
            let linked = linked || child.target.is_some();
            match child.kind {
                Kind::Folder => {
                    let below = match place {
                        Place::Global { .. } => Place::Global { direct: false },
                        Place::Epic(name) => Place::Epic(name.clone()),
                    };
                    self.folder(&child, &below, depth + 1, linked);
                }
                Kind::File if is_document(&child.name) => self.document(child, place.clone(), linked),
                Kind::Other if is_document(&child.name) => {
                    self.warn(&child.path, "not a regular file, passed over".to_owned());
                }
                Kind::File | Kind::Other => {}
            }
        }
    }

    fn document(&mut self, child: Child, place: Place, linked: bool) {
        let entry = Entry { path: child.path, file: child.file, place };
        if !linked {
            self.tree.documents.push(entry);
            return;
        }
        match fs::canonicalize(&entry.file) {
            Ok(real) => self.linked.push((real, entry)),
            Err(error) => self.warn(&entry.path, error.to_string()),
        }
    }

    /// The children of a folder in name order; none, with a warning, when it cannot be listed or is a loop.
    fn open(&mut self, folder: &Child) -> Vec<Child> {
        if let Some(target) = &folder.target
            && !self.entered.insert(target.clone())
        {
            self.warn(
                &folder.path,
                "symbolic link to a folder already searched, not followed again".to_owned(),
            );
            return Vec::new();
        }
        match fs::read_dir(&folder.file) {
            Ok(entries) => self.children(entries, &folder.path),
            Err(error) => {
                self.warn(&folder.path, error.to_string());
                Vec::new()
            }
        }
    }

    fn children(&mut self, entries: fs::ReadDir, parent: &str) -> Vec<Child> {
        let mut children = Vec::new();
        for entry in entries {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                self.warn(parent, format!("more than {MAX_ENTRIES} files, the rest is not searched"));
                break;
            }
            match entry {
                Ok(entry) => children.extend(self.child(&entry, parent)),
                Err(error) => self.warn(parent, error.to_string()),
            }
        }
        children.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        children
    }

    fn child(&mut self, entry: &fs::DirEntry, parent: &str) -> Option<Child> {
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            self.warn(
                &format!("{parent}/{}", name.to_string_lossy()),
                "the name is not UTF-8, passed over".to_owned(),
            );
            return None;
        };
        if name.starts_with('.') {
            return None;
        }
        let (path, file) = (format!("{parent}/{name}"), entry.path());
        let looked_at = entry.file_type().and_then(|kind| {
            if kind.is_symlink() {
                Ok((fs::metadata(&file)?.file_type(), Some(fs::canonicalize(&file)?)))
            } else {
                Ok((kind, None))
            }
        });
        let (kind, target) = match looked_at {
            Ok(both) => both,
            Err(error) => {
                self.warn(&path, error.to_string());
                return None;
            }
        };
        if let Some(target) = &target {
            if !self.home.iter().any(|home| target.starts_with(home)) {
                self.warn(&path, "symbolic link leads out of the project, not followed".to_owned());
                return None;
            }
            let above = fs::canonicalize(file.parent().unwrap_or(&file)).unwrap_or_default();
            if kind.is_dir() && above.starts_with(target) {
                self.warn(&path, "symbolic link leads back to a folder above it, not followed".to_owned());
                return None;
            }
        }
        let kind = match kind {
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_file() => Kind::File,
            _ => Kind::Other,
        };
        Some(Child { path, name: name.to_owned(), file, kind, target })
    }

    fn warn(&mut self, path: &str, message: String) {
        self.tree.warnings.push(Warning { path: path.to_owned(), message });
    }

    /// Adds what was reached through links and is not listed by its own path already.
    fn finish(mut self, real_context: &Path) -> Tree {
        let mut known: BTreeSet<PathBuf> = BTreeSet::new();
        if !self.linked.is_empty() {
            let prefix = format!("{CONTEXT_FOLDER}/");
            let below =
                |entry: &Entry| entry.path.strip_prefix(&prefix).map(|below| real_context.join(below));
            known.extend(self.tree.documents.iter().filter_map(below));
        }
        for (real, entry) in self.linked {
            if known.insert(real) {
                self.tree.documents.push(entry);
            }
        }
        self.tree.documents.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.tree
    }
}

/// `EPIC-01`, also with a name after it (`EPIC-01_Users`).
fn is_epic(name: &str) -> bool {
    name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("EPIC-")) && name.len() > 5
}

fn is_document(name: &str) -> bool {
    Path::new(name)
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}
