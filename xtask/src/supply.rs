//! Checks of the dependencies: each is used, has a licence that `deny.toml` allows, comes from the registry, and is not
//! banned.
//!
//! `cargo deny` reads the same `deny.toml` and knows more; building it takes longer than building RegReader, so that CI
//! would not run it on every change.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::root;

/// Every problem that is found, a line each.
pub fn problems() -> Result<Vec<String>> {
    let metadata = metadata()?;
    let rules = Rules::read()?;
    let members: BTreeSet<&str> =
        metadata["workspace_members"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut problems = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        if package["id"].as_str().is_some_and(|id| members.contains(id)) {
            problems.extend(unused(package)?);
        } else {
            problems.extend(rules.broken_by(package));
        }
    }
    Ok(problems)
}

/// The parts of `deny.toml` that are checked here.
struct Rules {
    licences: BTreeSet<String>,
    banned: BTreeSet<String>,
}

impl Rules {
    fn read() -> Result<Self> {
        let text = fs::read_to_string(root().join("deny.toml")).context("deny.toml")?;
        let file: toml::Table = text.parse().context("deny.toml")?;
        let list = |section: &str, key: &str| -> BTreeSet<String> {
            let values =
                file.get(section).and_then(|section| section.get(key)).and_then(toml::Value::as_array);
            values.into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let rules = Self { licences: list("licenses", "allow"), banned: list("bans", "deny") };
        if rules.licences.is_empty() {
            bail!("deny.toml allows no licence");
        }
        Ok(rules)
    }

    fn broken_by(&self, package: &Value) -> Vec<String> {
        let name = package["name"].as_str().unwrap_or_default();
        let mut problems = Vec::new();
        if self.banned.contains(name) {
            problems.push(format!("dependency `{name}` is banned by deny.toml"));
        }
        let source = package["source"].as_str().unwrap_or_default();
        if !source.starts_with("registry+https://github.com/rust-lang/crates.io-index") {
            problems.push(format!("dependency `{name}` comes from {source:?}, not from the registry"));
        }
        match package["license"].as_str() {
            Some(expression) if satisfied(expression, &self.licences) => {}
            Some(expression) => {
                problems.push(format!(
                    "licence of dependency `{name}` is {expression}, which deny.toml does not allow"
                ));
            }
            None => problems.push(format!("dependency `{name}` has no licence expression")),
        }
        problems
    }
}

/// Whether an SPDX expression can be met with the allowed licences. `OR` binds weaker than `AND`; the old form `A/B` means
/// `A OR B`.
fn satisfied(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    any_of(&mut words, allowed)
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let mut met = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all_of(words, allowed);
    }
    met
}

fn all_of(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let mut met = licence(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= licence(words, allowed);
    }
    met
}

fn licence(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let met = any_of(words, allowed);
        words.next_if_eq(&")");
        return met;
    }
    let mut name = words.next().unwrap_or_default().to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next().unwrap_or_default());
    }
    allowed.contains(&name)
}

/// Dependencies of a workspace crate whose name stands in none of its source files.
fn unused(package: &Value) -> Result<Vec<String>> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().context("a manifest lies in a folder")?;
    let mut sources = String::new();
    for part in ["src", "tests", "examples", "benches", "build.rs"] {
        gather(&folder.join(part), &mut sources)?;
    }
    let used = |dependency: &Value| {
        let name = dependency["rename"].as_str().or(dependency["name"].as_str()).unwrap_or_default();
        mentions(&sources, &name.replace('-', "_"))
    };
    let crate_name = package["name"].as_str().unwrap_or_default();
    let chosen_for_features = |name: &str| {
        let named = package["metadata"]["tidy"]["features-only"].as_array();
        named.into_iter().flatten().any(|one| one.as_str() == Some(name))
    };
    let listed = package["dependencies"].as_array().into_iter().flatten();
    Ok(listed
        .filter(|dependency| !used(dependency))
        .filter_map(|dependency| dependency["name"].as_str())
        .filter(|name| !chosen_for_features(name))
        .map(|name| format!("crate `{crate_name}` lists the dependency `{name}` and does not use it"))
        .collect())
}

/// Whether a name stands in the text as a whole identifier.
fn mentions(text: &str, name: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(part_of_name) && !after.starts_with(part_of_name)
    })
}

fn gather(path: &Path, sources: &mut String) -> Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            gather(&entry?.path(), sources)?;
        }
    } else if path.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
        // Doc tests use dependencies too, so comments count.
        sources.push_str(&fs::read_to_string(path)?);
        sources.push('\n');
    }
    Ok(())
}

fn metadata() -> Result<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .context("cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_expressions_follow_spdx() {
        let allowed: BTreeSet<String> =
            ["MIT", "Apache-2.0", "Unicode-3.0"].into_iter().map(str::to_owned).collect();
        for met in ["MIT", "GPL-3.0 OR MIT", "MIT/Apache-2.0", "(MIT OR GPL-3.0) AND Unicode-3.0"] {
            assert!(satisfied(met, &allowed), "{met}");
        }
        for broken in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "(MIT OR Apache-2.0) AND GPL-3.0",
        ] {
            assert!(!satisfied(broken, &allowed), "{broken}");
        }
    }

    #[test]
    fn a_name_counts_only_as_a_whole_identifier() {
        assert!(mentions("use zip::ZipArchive;", "zip"));
        assert!(!mentions("use gzip::Reader; zipped()", "zip"));
    }
}
