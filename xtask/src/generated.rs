//! Documentation made from the code: written by `bless`, compared by `tidy`.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::root;

/// Each generated page and the `regreader docs` argument that prints it.
const PAGES: &[(&str, &str)] =
    &[("docs/cli.md", "cli"), ("docs/settings.md", "settings"), ("docs/tools.md", "tools")];

/// Writes all generated pages.
pub fn bless() -> Result<()> {
    for (path, what) in PAGES {
        let path = root().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, print(what)?).with_context(|| path.display().to_string())?;
        println!("wrote {}", path.display());
    }
    cases()
}

/// Has the tests write their case files (`tests/cases/*.md`). One call for all crates that have some: cargo then builds what they
/// share once, and as everybody builds it.
fn cases() -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let packages = ["regreader-question", "regreader-assemble", "regreader"].map(|name| ["--package", name]);
    let mut tests = Command::new(cargo);
    tests.args(["test", "--quiet"]).args(packages.concat());
    tests.args(["--test", "cases", "--test", "all", "case_files"]).env("REGREADER_BLESS", "1");
    if !tests.current_dir(root()).status().context("running the tests of case files")?.success() {
        bail!("the case files could not be written");
    }
    Ok(())
}

/// Names the generated pages that no longer match the code.
pub fn stale() -> Result<Vec<String>> {
    let mut stale = Vec::new();
    for (path, what) in PAGES {
        let written = fs::read_to_string(root().join(path)).unwrap_or_default();
        if written != print(what)? {
            stale.push(format!("{path} is stale: run `cargo xtask bless`"));
        }
    }
    Ok(stale)
}

fn print(what: &str) -> Result<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--package", "regreader", "--bin", "regreader", "--", "docs", what])
        .current_dir(root())
        .output()
        .context("running regreader docs")?;
    if !output.status.success() {
        bail!("regreader docs {what} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
