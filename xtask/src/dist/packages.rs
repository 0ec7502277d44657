//! Packages of the language registries: a wheel, npm packages, and a bundle for MCP clients. Each wraps the static program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::{Workshop, fresh, put, put_template, run_tool, try_program};
use crate::packages as registry;
use crate::root;

const DESCRIPTION: &str =
    "Reads regulations (规程): finds the page, joins tables, notes and references, checks citations";
/// A static program runs with either C library.
const WHEEL_TAG: &str = "py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64";

/// The static program, which must have been made before.
pub fn program(workshop: &Workshop) -> Result<PathBuf> {
    let program = workshop.out.join("x86_64-unknown-linux-musl/regreader");
    if !program.is_file() {
        bail!("make linux-x86_64 first: cargo xtask dist linux-x86_64");
    }
    Ok(program)
}

/// A wheel with the program as its only script; `pip` and `uvx` put it onto the path.
pub fn wheel(workshop: &Workshop) -> Result<PathBuf> {
    let version = &workshop.version;
    let folder = workshop.out.join("wheel-tree");
    fresh(&folder)?;
    put(&program(workshop)?, &folder.join(format!("regreader-{version}.data/scripts/regreader")))?;
    let info = folder.join(format!("regreader-{version}.dist-info"));
    put(&root().join("LICENSE"), &info.join("licenses/LICENSE"))?;
    let (head, platforms) = WHEEL_TAG.rsplit_once('-').context("a wheel tag has three parts")?;
    let tags: Vec<String> = platforms.split('.').map(|platform| format!("Tag: {head}-{platform}")).collect();
    let about = "Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false";
    fs::write(info.join("WHEEL"), format!("{about}\n{}\n", tags.join("\n")))?;
    let readme = fs::read_to_string(root().join("README.md"))?;
    fs::write(
        info.join("METADATA"),
        format!(
            "Metadata-Version: 2.3\nName: regreader\nVersion: {version}\nSummary: {DESCRIPTION}\nLicense-Expression: MIT\n\
             Requires-Python: >=3.7\nDescription-Content-Type: text/markdown\n\n{readme}"
        ),
    )?;
    let python = registry::python("dist-wheel", "wheel>=0.45\n")?;
    let out = workshop.out.join("wheel");
    fresh(&out)?;
    run_tool(Command::new(python).args(["-m", "wheel", "pack"]).arg(&folder).arg("--dest-dir").arg(&out))?;
    only_file(&out)
}

/// Installs it into an empty environment without any index.
pub fn check_wheel(_: &Workshop, made: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let venv = folder.path().join("venv");
    run_tool(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    run_tool(Command::new(venv.join("bin/pip")).args(["install", "--no-index", "--no-deps"]).arg(made))?;
    try_program(&mut || Command::new(venv.join("bin/regreader")))?;
    Ok("pip install --no-index, demo, ask".to_owned())
}

/// `regreader` and the platform package it starts; no install script.
pub fn npm(workshop: &Workshop) -> Result<PathBuf> {
    let version = &workshop.version;
    let tree = workshop.out.join("npm-tree");
    fresh(&tree)?;
    let out = workshop.out.join("npm");
    fresh(&out)?;
    let mut platforms = serde_json::Map::new();
    let built = [
        ("linux", "x64", "x86_64-unknown-linux-musl/regreader", "regreader"),
        ("linux", "arm64", "aarch64-unknown-linux-gnu/regreader", "regreader"),
        ("win32", "x64", "x86_64-pc-windows-gnu/regreader.exe", "regreader.exe"),
    ];
    program(workshop)?;
    for (os, cpu, file, name) in built {
        let program = workshop.out.join(file);
        if !program.is_file() {
            println!("note: npm package for {os}-{cpu} left out: {file} has not been made");
            continue;
        }
        let folder = tree.join(format!("{os}-{cpu}"));
        put(&program, &folder.join("bin").join(name))?;
        put(&root().join("LICENSE"), &folder.join("LICENSE"))?;
        let manifest = json!({
            "name": format!("@regreader/{os}-{cpu}"), "version": version, "description": DESCRIPTION, "license": "MIT",
            "os": [os], "cpu": [cpu], "files": ["bin"],
        });
        pack(&folder, &manifest, &out)?;
        platforms.insert(format!("@regreader/{os}-{cpu}"), json!(version));
    }
    let folder = tree.join("regreader");
    put(&root().join("packaging/npm/run.js"), &folder.join("run.js"))?;
    put(&root().join("README.md"), &folder.join("README.md"))?;
    put(&root().join("LICENSE"), &folder.join("LICENSE"))?;
    let manifest = json!({
        "name": "regreader", "version": version, "description": DESCRIPTION, "license": "MIT",
        "bin": { "regreader": "run.js" }, "files": ["run.js"], "engines": { "node": ">=16" },
        "optionalDependencies": platforms,
    });
    pack(&folder, &manifest, &out)?;
    Ok(out.join(format!("regreader-{version}.tgz")))
}

fn pack(folder: &Path, manifest: &Value, out: &Path) -> Result<()> {
    fs::write(folder.join("package.json"), serde_json::to_string_pretty(manifest)?)?;
    run_tool(
        Command::new("npm").args(["pack", "--silent", "--pack-destination"]).arg(out).current_dir(folder),
    )?;
    Ok(())
}

/// Installs the two packages offline and without scripts.
pub fn check_npm(workshop: &Workshop, made: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("package.json"), r#"{"private": true}"#)?;
    let platform = made.with_file_name(format!("regreader-linux-x64-{}.tgz", workshop.version));
    let install = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    run_tool(Command::new("npm").args(install).arg(&platform).arg(made).current_dir(folder.path()))?;
    try_program(&mut || Command::new(folder.path().join("node_modules/.bin/regreader")))?;
    Ok("npm install --offline --ignore-scripts, demo, ask".to_owned())
}

/// A bundle that MCP clients install with one click: manifest and program in a zip file.
pub fn mcpb(workshop: &Workshop) -> Result<PathBuf> {
    let tree = workshop.out.join("mcpb-tree");
    fresh(&tree)?;
    put(&program(workshop)?, &tree.join("server/regreader"))?;
    put_template(workshop, "mcpb/manifest.json", &tree.join("manifest.json"))?;
    let tool = registry::node(
        "dist-mcpb",
        &[("node", "22"), ("@anthropic-ai/mcpb", "2")],
        registry::Optional::Wanted,
    )?;
    let out = workshop.out.join(format!("regreader-{}-linux-x64.mcpb", workshop.version));
    run_tool(tool.run(&tool.script("mcpb")).arg("pack").arg(&tree).arg(&out))?;
    Ok(out)
}

pub fn check_mcpb(workshop: &Workshop, made: &Path) -> Result<String> {
    let tool = registry::node(
        "dist-mcpb",
        &[("node", "22"), ("@anthropic-ai/mcpb", "2")],
        registry::Optional::Wanted,
    )?;
    run_tool(
        tool.run(&tool.script("mcpb")).arg("validate").arg(workshop.out.join("mcpb-tree/manifest.json")),
    )?;
    let folder = tempfile::tempdir()?;
    run_tool(tool.run(&tool.script("mcpb")).arg("unpack").arg(made).arg(folder.path()))?;
    run_tool(Command::new(folder.path().join("server/regreader")).arg("version"))?;
    Ok("validated and unpacked by its own command line".to_owned())
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    files.next().context("nothing was made")
}
