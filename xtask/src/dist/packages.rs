//! Packages of the language registries: a wheel, npm packages, and a bundle for MCP clients. Each wraps the static program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::{Workshop, fresh, put, put_template, run_tool, try_program};
use crate::packages as registry;
use crate::root;

const DESCRIPTION: &str =
    "Reads regulations (规程): finds the page, joins tables, notes and references, checks citations";
/// The programs that packages of the registries wrap: where they lie, what they are called in a package, the platform as npm names
/// it, and the wheel's, in the order in which `wheel pack` names them. A static program runs with either C library.
const PLATFORMS: [Platform; 3] = [
    Platform {
        file: "x86_64-unknown-linux-musl/regreader",
        name: "regreader",
        npm: ("linux", "x64"),
        wheel: "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    },
    Platform {
        file: "aarch64-unknown-linux-gnu/regreader",
        name: "regreader",
        npm: ("linux", "arm64"),
        wheel: "manylinux2014_aarch64.manylinux_2_17_aarch64",
    },
    Platform {
        file: "x86_64-pc-windows-gnu/regreader.exe",
        name: "regreader.exe",
        npm: ("win32", "x64"),
        wheel: "win_amd64",
    },
];

struct Platform {
    file: &'static str,
    name: &'static str,
    npm: (&'static str, &'static str),
    wheel: &'static str,
}

/// The platforms whose program has been made; the others are said.
fn platforms(workshop: &Workshop) -> Vec<&'static Platform> {
    let is_made = |platform: &&Platform| {
        let made = workshop.out.join(platform.file).is_file();
        if !made {
            println!("note: {} has not been made, so there is no package of it", platform.file);
        }
        made
    };
    PLATFORMS.iter().filter(is_made).collect()
}

/// The static program, which must have been made before.
pub fn program(workshop: &Workshop) -> Result<PathBuf> {
    let program = workshop.out.join("x86_64-unknown-linux-musl/regreader");
    if !program.is_file() {
        bail!("make linux-x86_64 first: cargo xtask dist linux-x86_64");
    }
    Ok(program)
}

/// Wheels with the program as their only script; `pip` and `uvx` put it onto the path. Gives the one for this kind of machine.
pub fn wheel(workshop: &Workshop) -> Result<PathBuf> {
    program(workshop)?;
    let python = registry::python("dist-wheel", "wheel>=0.45\n")?;
    let out = workshop.out.join("wheel");
    fresh(&out)?;
    for platform in platforms(workshop) {
        let folder = workshop.out.join("wheel-tree");
        wheel_tree(workshop, platform, &folder)?;
        let mut pack = Command::new(&python);
        pack.args(["-m", "wheel", "pack"]).arg(&folder).arg("--dest-dir").arg(&out);
        // A zip file knows no day before 1980.
        run_tool(pack.env("SOURCE_DATE_EPOCH", "315532800"))?;
    }
    Ok(out.join(format!("regreader-{}-py3-none-{}.whl", workshop.version, PLATFORMS[0].wheel)))
}

fn wheel_tree(workshop: &Workshop, platform: &Platform, folder: &Path) -> Result<()> {
    let version = &workshop.version;
    fresh(folder)?;
    let script = folder.join(format!("regreader-{version}.data/scripts")).join(platform.name);
    put(&workshop.out.join(platform.file), &script)?;
    let info = folder.join(format!("regreader-{version}.dist-info"));
    put(&root().join("LICENSE"), &info.join("licenses/LICENSE"))?;
    let tags: Vec<String> = platform.wheel.split('.').map(|tag| format!("Tag: py3-none-{tag}")).collect();
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
    Ok(())
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
    let mut dependencies = serde_json::Map::new();
    program(workshop)?;
    for platform in platforms(workshop) {
        let (os, cpu) = platform.npm;
        let folder = tree.join(format!("{os}-{cpu}"));
        put(&workshop.out.join(platform.file), &folder.join("bin").join(platform.name))?;
        put(&root().join("LICENSE"), &folder.join("LICENSE"))?;
        let manifest = json!({
            "name": format!("@regreader/{os}-{cpu}"), "version": version, "description": DESCRIPTION, "license": "MIT",
            "os": [os], "cpu": [cpu], "files": ["bin"],
        });
        pack(&folder, &manifest, &out)?;
        dependencies.insert(format!("@regreader/{os}-{cpu}"), json!(version));
    }
    let folder = tree.join("regreader");
    put(&root().join("packaging/npm/run.js"), &folder.join("run.js"))?;
    put(&root().join("README.md"), &folder.join("README.md"))?;
    put(&root().join("LICENSE"), &folder.join("LICENSE"))?;
    let manifest = json!({
        "name": "regreader", "version": version, "description": DESCRIPTION, "license": "MIT",
        "bin": { "regreader": "run.js" }, "files": ["run.js"], "engines": { "node": ">=16" },
        "optionalDependencies": dependencies,
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
