//! What is carried into an isolated network: program, documentation, samples, models on request, papers, sums, signature.
//!
//! `regreader bundle verify` checks the signature and every sum before anything is loaded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::packages::program;
use super::{Workshop, fresh, put, run_tool};
use crate::root;

pub fn make(workshop: &Workshop) -> Result<PathBuf> {
    let name = format!("regreader-{}-airgap", workshop.version);
    let folder = workshop.out.join(&name);
    fresh(&folder)?;
    let program = program(workshop)?;
    put(&program, &folder.join("bin/regreader"))?;
    for other in ["aarch64-unknown-linux-gnu/regreader", "x86_64-pc-windows-gnu/regreader.exe"] {
        if workshop.out.join(other).is_file() {
            put(&workshop.out.join(other), &folder.join("bin").join(other))?;
        }
    }
    for paper in ["regreader.cdx.json", "THIRD-PARTY-NOTICES.txt"] {
        if !workshop.out.join(paper).is_file() {
            super::documents::make(workshop)?;
        }
        put(&workshop.out.join(paper), &folder.join(paper))?;
    }
    for file in ["README.md", "README_CN.md", "LICENSE", "CHANGELOG.md"] {
        put(&root().join(file), &folder.join(file))?;
    }
    copy_tree(&root().join("docs"), &folder.join("docs"))?;
    run_tool(Command::new(&program).args(["docs", "html", "--out"]).arg(folder.join("docs/html")))?;
    copy_tree(&root().join("samples"), &folder.join("samples"))?;
    if let Some(models) = &workshop.models {
        copy_tree(models, &folder.join("models"))?;
    }
    let script = "find . -type f ! -name SHA256SUMS ! -name '*.minisig' | LC_ALL=C sort | xargs -d '\\n' sha256sum > SHA256SUMS";
    run_tool(Command::new("sh").args(["-c", script]).current_dir(&folder))?;
    sign(workshop, &folder)?;
    let out = workshop.out.join(format!("{name}.tar.gz"));
    let arguments = [
        "--sort=name",
        "--mtime=@0",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--create",
        "--gzip",
        "--file",
    ];
    run_tool(Command::new("tar").args(arguments).arg(&out).arg("--directory").arg(&workshop.out).arg(&name))?;
    Ok(out)
}

/// Signs the sums. Without a key of the project a key for this trial is made, and lies beside the bundle.
fn sign(workshop: &Workshop, folder: &Path) -> Result<()> {
    let key = match &workshop.key {
        Some(key) => key.clone(),
        None => {
            let key = workshop.out.join("trial.key");
            let public = workshop.out.join("trial.pub");
            run_tool(
                Command::new("minisign").args(["-G", "-W", "-f", "-s"]).arg(&key).arg("-p").arg(&public),
            )?;
            key
        }
    };
    run_tool(Command::new("minisign").args(["-S", "-s"]).arg(key).arg("-m").arg(folder.join("SHA256SUMS")))?;
    Ok(())
}

/// Verifies it with the program itself, then once more with a changed byte, which must be refused.
pub fn check(workshop: &Workshop, made: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    run_tool(
        Command::new("tar").arg("--extract").arg("--file").arg(made).arg("--directory").arg(folder.path()),
    )?;
    let bundle = folder.path().join(format!("regreader-{}-airgap", workshop.version));
    let public = workshop.out.join("trial.pub");
    if workshop.key.is_some() {
        return Ok("signed with the key that was given; verify with its public part".to_owned());
    }
    let verify = || {
        let mut command = Command::new(bundle.join("bin/regreader"));
        command.args(["bundle", "verify"]).arg(&bundle).arg("--public-key").arg(&public);
        command
    };
    run_tool(&mut verify())?;
    let changed = bundle.join("README.md");
    let text = fs::read_to_string(&changed)?;
    fs::write(&changed, text.replacen('R', "r", 1))?;
    if verify().output()?.status.success() {
        bail!("a changed file was not noticed");
    }
    Ok("verified by `regreader bundle verify`; a changed byte is refused".to_owned())
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_tree(&path, &target)?;
        } else {
            put(&path, &target)?;
        }
    }
    Ok(())
}
