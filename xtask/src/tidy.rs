//! Checks that the compiler does not make.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::wording::Wording;
use crate::{generated, public, root, supply};

/// A file longer than this needs a line that says why.
const LONG_FILE: usize = 800;
/// The words that introduce such a reason.
const LONG_REASON: &str = "tidy: long because";

/// Runs every check and fails with all that was found.
pub fn run() -> Result<()> {
    let mut problems = Vec::new();
    problems.extend(crate_table()?);
    problems.extend(supply::problems()?);
    let mut wording = Wording::default();
    for path in tracked_files()? {
        problems.extend(source_file(&path, &mut wording)?);
    }
    problems.extend(wording.problems());
    problems.extend(public::unused(&tracked_files()?));
    problems.extend(generated::stale()?);
    problems.extend(test_files_left_out()?);
    if problems.is_empty() {
        println!("tidy: ok");
        return Ok(());
    }
    for problem in &problems {
        eprintln!("tidy: {problem}");
    }
    bail!("{} problem(s)", problems.len())
}

/// Compares the crate table of ARCHITECTURE.md with what cargo says the crates use.
fn crate_table() -> Result<Vec<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).context("ARCHITECTURE.md")?;
    let allowed = parse_table(&text);
    if allowed.is_empty() {
        return Ok(vec!["ARCHITECTURE.md has no crate table".to_owned()]);
    }
    let used = workspace_dependencies()?;
    let mut problems = Vec::new();
    for (name, dependencies) in &used {
        match allowed.get(name) {
            None => problems.push(format!("crate `{name}` is missing from the table in ARCHITECTURE.md")),
            Some(Allowed::All) => {}
            Some(Allowed::These(list)) => {
                for dependency in dependencies.difference(list) {
                    problems.push(format!(
                        "crate `{name}` uses `{dependency}`, which ARCHITECTURE.md does not allow"
                    ));
                }
            }
        }
    }
    for name in allowed.keys().filter(|name| !used.contains_key(*name)) {
        problems.push(format!("ARCHITECTURE.md lists crate `{name}`, which does not exist"));
    }
    Ok(problems)
}

/// What a row of the table lets a crate use.
#[derive(Debug, PartialEq)]
enum Allowed {
    All,
    These(BTreeSet<String>),
}

/// Rows `| name | owns | may use |` below a header that begins with `| crate`.
fn parse_table(text: &str) -> BTreeMap<String, Allowed> {
    let mut rows = BTreeMap::new();
    let table = text.lines().skip_while(|line| !line.starts_with("| crate")).skip(2);
    for line in table.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, uses] = cells[..] else { continue };
        let allowed = if uses == "all" {
            Allowed::All
        } else {
            Allowed::These(uses.split(',').map(str::trim).filter(|n| *n != "–").map(str::to_owned).collect())
        };
        rows.insert(name.trim_matches('`').to_owned(), allowed);
    }
    rows
}

/// The workspaces whose crates the table has.
const WORKSPACES: [&str; 2] = ["Cargo.toml", "backends/Cargo.toml"];

/// Every workspace crate (without the `regreader-` prefix) and the workspace crates it uses outside tests.
fn workspace_dependencies() -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut used = BTreeMap::new();
    for manifest in WORKSPACES {
        for package in metadata(manifest)?["packages"].as_array().into_iter().flatten() {
            let dependencies = package["dependencies"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|dependency| dependency["kind"].is_null())
                .filter_map(|dependency| dependency["name"].as_str())
                .filter_map(|name| name.strip_prefix("regreader-"))
                .map(str::to_owned)
                .collect();
            let name = package["name"].as_str().unwrap_or_default();
            used.insert(name.strip_prefix("regreader-").unwrap_or(name).to_owned(), dependencies);
        }
    }
    Ok(used)
}

fn metadata(manifest: &str) -> Result<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--locked", "--manifest-path", manifest])
        .current_dir(root())
        .output()
        .context("cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata of {manifest} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn tracked_files() -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "*.rs"])
        .current_dir(root())
        .output()
        .context("git ls-files")?;
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}

/// Test files that the one test program of their crate does not name, so that nobody would notice that they never run.
fn test_files_left_out() -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for path in tracked_files()? {
        let Some((folder, name)) = path.rsplit_once("/tests/") else { continue };
        let all = root().join(folder).join("tests/all.rs");
        let Some(module) =
            name.strip_suffix(".rs").filter(|module| !module.contains('/') && *module != "all")
        else {
            continue;
        };
        if all.is_file() && root().join(&path).is_file() {
            let named = fs::read_to_string(&all)?.lines().any(|line| line.trim() == format!("mod {module};"));
            if !named {
                problems.push(format!("{path} never runs: {folder}/tests/all.rs does not name it"));
            }
        }
    }
    Ok(problems)
}

fn source_file(path: &str, wording: &mut Wording) -> Result<Vec<String>> {
    let full = root().join(path);
    if !full.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&full).with_context(|| path.to_owned())?;
    let mut problems = Vec::new();
    let lines = text.lines().count();
    if lines > LONG_FILE && !text.contains(LONG_REASON) {
        problems.push(format!("{path} has {lines} lines; split it or say `{LONG_REASON} …`"));
    }
    let in_src = Path::new(path).components().any(|part| part.as_os_str() == "src");
    if in_src {
        wording.count(path, &text);
    }
    if in_src && !text.starts_with("//!") {
        problems.push(format!("{path} has no `//!` charter at its top"));
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_table_is_read_row_by_row() {
        let text = "x\n| crate | owns | may use |\n|---|---|---|\n| model | data | – |\n| `text` | words | model |\n\
                    | regreader | all of it | all |\n\nafter\n";
        let rows = parse_table(text);
        assert_eq!(rows["model"], Allowed::These(BTreeSet::new()));
        assert_eq!(rows["text"], Allowed::These(BTreeSet::from(["model".to_owned()])));
        assert_eq!(rows["regreader"], Allowed::All);
    }
}
