//! The papers of a release: bill of materials (CycloneDX) and the notices of everything that is compiled in.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::{Workshop, run_tool};
use crate::root;

/// A crate that is compiled into the program.
struct Component {
    name: String,
    version: String,
    licence: String,
    folder: PathBuf,
}

/// Writes both, and gives the path of the notices.
pub fn make(workshop: &Workshop) -> Result<PathBuf> {
    let components = components()?;
    fs::write(workshop.out.join("regreader.cdx.json"), bill(workshop, &components)?)?;
    let notices = workshop.out.join("THIRD-PARTY-NOTICES.txt");
    fs::write(&notices, notices_text(&components)?)?;
    Ok(notices)
}

/// Every crate of the program's dependency tree has a licence text or at least a licence, and is in the bill.
pub fn check(workshop: &Workshop, made: &Path) -> Result<String> {
    let bill: Value = serde_json::from_slice(&fs::read(workshop.out.join("regreader.cdx.json"))?)?;
    let listed = bill["components"].as_array().map_or(0, Vec::len);
    let notices = fs::read_to_string(made)?;
    let titles = notices.lines().filter(|line| line.starts_with("== ")).count();
    if listed < 100 || titles != listed {
        bail!("{listed} components in the bill, {titles} in the notices");
    }
    Ok(format!("{listed} components in bill and notices"))
}

/// The crates that `regreader` links on any target, from cargo itself.
fn components() -> Result<Vec<Component>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let metadata = run_tool(
        Command::new(cargo).args(["metadata", "--format-version", "1", "--locked"]).current_dir(root()),
    )?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages: BTreeMap<&str, &Value> = array(&metadata["packages"])
        .iter()
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let nodes: BTreeMap<&str, &Value> = array(&metadata["resolve"]["nodes"])
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let start = packages.iter().find(|(_, package)| package["name"] == "regreader").map(|(id, _)| *id);
    let mut open = vec![start.context("cargo knows no package `regreader`")?];
    let mut seen = BTreeMap::new();
    while let Some(id) = open.pop() {
        let (Some(package), Some(node)) = (packages.get(id), nodes.get(id)) else { continue };
        if seen.insert(id, *package).is_some() {
            continue;
        }
        for dependency in array(&node["deps"]) {
            let linked = array(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            open.extend(dependency["pkg"].as_str().filter(|_| linked));
        }
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut components: Vec<Component> = seen
        .values()
        .filter(|package| !package["source"].is_null())
        .map(|package| Component {
            name: text(&package["name"]),
            version: text(&package["version"]),
            licence: text(&package["license"]),
            folder: Path::new(package["manifest_path"].as_str().unwrap_or_default())
                .parent()
                .map(Path::to_owned)
                .unwrap_or_default(),
        })
        .collect();
    components.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(components)
}

fn bill(workshop: &Workshop, components: &[Component]) -> Result<String> {
    let listed: Vec<Value> = components
        .iter()
        .map(|component| {
            json!({
                "type": "library", "name": component.name, "version": component.version,
                "purl": format!("pkg:cargo/{}@{}", component.name, component.version),
                "licenses": [{ "expression": component.licence.replace('/', " OR ") }],
            })
        })
        .collect();
    let bill = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": { "component": { "type": "application", "name": "regreader", "version": workshop.version,
                                     "purl": format!("pkg:cargo/regreader@{}", workshop.version) } },
        "components": listed,
    });
    Ok(serde_json::to_string_pretty(&bill)?)
}

fn notices_text(components: &[Component]) -> Result<String> {
    let mut text =
        String::from("RegReader contains the following works of others, each under its licence.\n");
    for component in components {
        let _ = write!(text, "\n== {} {} ({})\n\n", component.name, component.version, component.licence);
        let mut files: Vec<PathBuf> = fs::read_dir(&component.folder)
            .with_context(|| component.folder.display().to_string())?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.is_file() && is_licence(path))
            .collect();
        files.sort();
        for file in files {
            text.push_str(String::from_utf8_lossy(&fs::read(file)?).trim());
            text.push_str("\n\n");
        }
    }
    Ok(text)
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
    ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT"].iter().any(|start| name.starts_with(start))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
