//! `bundle verify`: checks a release that was carried into an isolated network before anything of it is used.
//!
//! A release folder holds `SHA256SUMS` with a line for every file and `SHA256SUMS.minisig`, the signature of that list. The
//! public key comes from outside the bundle: a key that travels with what it signs proves nothing.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use minisign_verify::{PublicKey, Signature};
use regreader_messages::cli;
use serde_json::json;

use crate::cli::BundleVerifyArgs;
use crate::output::Output;

/// Longest list of sums and longest signature that are read.
const MAX_LIST: u64 = 16 << 20;
/// Names of the two files that the list does not cover.
const LIST: &str = "SHA256SUMS";
const SIGNATURE: &str = "SHA256SUMS.minisig";

/// Runs `bundle verify`.
pub fn run(output: &Output, args: &BundleVerifyArgs) -> anyhow::Result<ExitCode> {
    let list = read_bounded(&args.folder.join(LIST))?;
    let signature = Signature::decode(&read_bounded(&args.folder.join(SIGNATURE))?)
        .map_err(|error| anyhow::anyhow!("{SIGNATURE} cannot be read: {error}"))?;
    public_key(&args.public_key)?
        .verify(list.as_bytes(), &signature, false)
        .map_err(|error| anyhow::anyhow!("the signature does not belong to this list and key: {error}"))?;
    let problems = problems(&args.folder, &list)?;
    let files = list.lines().count();
    if output.json {
        output.json(&json!({ "verified": problems.is_empty(), "files": files, "problems": problems }))?;
    } else if problems.is_empty() {
        output.line(cli::signed(files))?;
    } else {
        for problem in &problems {
            output.line(format!("✗ {problem}"))?;
        }
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Files that differ from the list, are missing, or are there without being listed.
fn problems(folder: &Path, list: &str) -> anyhow::Result<Vec<String>> {
    let mut problems = Vec::new();
    let mut listed = BTreeSet::new();
    for line in list.lines() {
        let Some((sum, name)) = line.split_once("  ") else {
            bail!("{LIST} has a line without a file: {line}")
        };
        let name = name.strip_prefix("./").unwrap_or(name);
        let path = Path::new(name);
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            bail!("{LIST} names a file outside the bundle: {name}");
        }
        listed.insert(path.to_owned());
        let file = folder.join(path);
        if file.is_symlink() || !file.is_file() {
            problems.push(format!("{name}: missing"));
        } else if sha256(&file)? != sum {
            problems.push(format!("{name}: changed"));
        }
    }
    let mut found = Vec::new();
    walk(folder, Path::new(""), &mut found)?;
    let own = [Path::new(LIST), Path::new(SIGNATURE)];
    problems.extend(
        found
            .into_iter()
            .filter(|path| !listed.contains(path) && !own.contains(&path.as_path()))
            .map(|path| format!("{}: not in the list", path.display())),
    );
    Ok(problems)
}

fn walk(folder: &Path, below: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder.join(below)).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            walk(folder, &path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// A key as `minisign -G` writes it into a file, or its base64 line itself.
fn public_key(given: &str) -> anyhow::Result<PublicKey> {
    let file = Path::new(given);
    let key = if file.is_file() {
        PublicKey::decode(&read_bounded(file)?)
    } else {
        PublicKey::from_base64(given.trim())
    };
    key.map_err(|error| {
        anyhow::anyhow!("{given} is neither a file with a minisign public key nor such a key: {error}")
    })
}

fn read_bounded(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(MAX_LIST).read_to_string(&mut text))
        .with_context(|| path.display().to_string())?;
    Ok(text)
}

fn sha256(path: &Path) -> anyhow::Result<String> {
    let mut file = File::open(path).with_context(|| path.display().to_string())?;
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        context.update(buffer.get(..read).unwrap_or_default());
    }
    let mut hex = String::new();
    for byte in context.finish().as_ref() {
        hex.push_str(&format!("{byte:02x}"));
    }
    Ok(hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_missing_and_added_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("bin")).unwrap();
        fs::write(folder.path().join("bin/program"), "abc").unwrap();
        // printf abc | sha256sum
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let list = format!("{sum}  ./bin/program\n");
        assert_eq!(problems(folder.path(), &list).unwrap(), Vec::<String>::new());
        fs::write(folder.path().join("bin/program"), "abd").unwrap();
        fs::write(folder.path().join("added"), "").unwrap();
        let list = format!("{list}{sum}  ./gone\n");
        assert_eq!(
            problems(folder.path(), &list).unwrap(),
            ["bin/program: changed", "gone: missing", "added: not in the list"]
        );
        assert!(problems(folder.path(), &format!("{sum}  ../outside\n")).is_err());
    }
}
