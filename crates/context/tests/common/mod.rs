//! A project folder to search in, built line by line by each test.

#![allow(dead_code, reason = "each test binary uses its own part of this module")]

use std::fs;
use std::path::{Path, PathBuf};

use regreader_context::{SearchReport, SearchRequest, TaskType, search};
use tempfile::TempDir;

/// A temporary project.
pub struct Project {
    folder: TempDir,
}

impl Project {
    /// A project without any context.
    pub fn empty() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    /// A project with these documents, paths from `.the_conn/context/`, each sound and about nothing searched for.
    pub fn with(paths: &[&str]) -> Self {
        paths.iter().fold(Self::empty(), |project, path| {
            project.doc(path, "---\ntitle: 无关\ntags: [其他]\n---\n# 概述\n")
        })
    }

    /// Adds a document, path from `.the_conn/context/`.
    pub fn doc(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let file = self.path(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
        fs::write(file, text).expect("a document");
        self
    }

    /// Adds a document that only its tags make a match.
    pub fn tagged(self, path: &str, tags: &str) -> Self {
        self.doc(path, format!("---\ntitle: 无关\ntags: [{tags}]\n---\n# 概述\n"))
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// A path from `.the_conn/context/`.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(".the_conn/context").join(path)
    }

    pub fn search(&self, request: &SearchRequest) -> SearchReport {
        search(self.root(), request).expect("a readable project")
    }

    /// What these keywords find in a quick change, which has no fallback.
    pub fn find(&self, keywords: &[&str]) -> SearchReport {
        self.search(&SearchRequest::new(keywords.iter().copied(), TaskType::QuickChange))
    }

    /// The points a document of this name and text gets for a keyword; 0 when it is no candidate.
    pub fn points(name: &str, text: &str, keyword: &str) -> u8 {
        let report = Self::empty().doc(&format!("epics/EPIC-01/{name}"), text).find(&[keyword]);
        report.candidates.first().map_or(0, |candidate| candidate.score)
    }
}

/// Result paths without their common beginning.
pub fn short(report: &SearchReport) -> Vec<&str> {
    let cut = |path: &'_ String| path.len().min(".the_conn/context/".len());
    report.result.contexts.iter().map(|path| &path[cut(path)..]).collect()
}

/// Root may do anything, so it has a test run once more by a user who may not. False where this user cannot hand over.
#[cfg(unix)]
pub fn again_as_nobody(test: &str) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    // The program may lie in a folder that only root can enter.
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let copy = folder.path().join("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let mut command = std::process::Command::new(copy);
    command.args([test, "--exact", "--nocapture"]).current_dir("/").uid(65_534).gid(65_534);
    let Ok(ran) = command.output() else { return false };
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("1 passed") && !said.contains("skipped:"), "{said}");
    true
}
