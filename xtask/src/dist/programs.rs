//! The programs, one for each target.
//!
//! Zig's C compiler and linker (the Python package `ziglang`) build for every target from one machine, through
//! `cargo-zigbuild`; the standard library of a target comes from rustup.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::{Workshop, run_tool, try_program};
use crate::{packages, programs, root};

pub const HINT: &str = "rustup target add x86_64-unknown-linux-musl; needs Python with venv for ziglang";
pub const ARM_HINT: &str = "rustup target add aarch64-unknown-linux-gnu; apt-get install qemu-user";
pub const WINDOWS_HINT: &str = "rustup target add x86_64-pc-windows-gnu; apt-get install wine64";

/// A static program: runs on every Linux, whatever its C library.
pub fn linux(workshop: &Workshop) -> Result<PathBuf> {
    build(workshop, "x86_64-unknown-linux-musl", "x86_64-unknown-linux-musl", "regreader")
}

/// For the ARM servers of the state grid's own Linux systems, which are built on glibc 2.17 and later.
pub fn arm(workshop: &Workshop) -> Result<PathBuf> {
    build(workshop, "aarch64-unknown-linux-gnu", "aarch64-unknown-linux-gnu.2.17", "regreader")
}

pub fn windows(workshop: &Workshop) -> Result<PathBuf> {
    build(workshop, "x86_64-pc-windows-gnu", "x86_64-pc-windows-gnu", "regreader.exe")
}

fn build(workshop: &Workshop, target: &str, zig_target: &str, file: &str) -> Result<PathBuf> {
    let python = packages::python("dist", "ziglang>=0.15\ncargo-zigbuild>=0.20\n")?;
    let tools = python.parent().unwrap_or(Path::new(".")).to_owned();
    let path = std::env::join_paths(
        std::iter::once(tools.clone())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )?;
    let mut command = Command::new(tools.join("cargo-zigbuild"));
    command
        .args(["zigbuild", "--locked", "--profile", "dist", "--package", "regreader", "--bin", "regreader"])
        .args(["--target", zig_target])
        .env("PATH", path)
        // Paths of this machine do not belong into the program, and would make two builds differ.
        .env("RUSTFLAGS", remapped_paths())
        // Zig's compiler refuses the date in mimalloc's greeting; with a fixed date it does no harm.
        .env("SOURCE_DATE_EPOCH", "0")
        .env("TARGET_CFLAGS", "-Wno-error=date-time")
        .current_dir(root());
    run_tool(&mut command)?;
    let built = programs::target().join(target).join("dist").join(file);
    let kept = workshop.out.join(target).join(file);
    super::put(&built, &kept)?;
    Ok(kept)
}

fn remapped_paths() -> String {
    let home = std::env::var("CARGO_HOME")
        .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))
        .unwrap_or_default();
    format!("--remap-path-prefix={}=/regreader --remap-path-prefix={home}=/cargo", root().display())
}

/// Static, and at home in a folder that holds nothing else.
pub fn check_linux(_: &Workshop, made: &Path) -> Result<String> {
    let said = Command::new("ldd").arg(made).output();
    let words = said.map(|out| {
        format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
    });
    if !words.is_ok_and(|words| words.contains("not a dynamic") || words.contains("statically linked")) {
        bail!("the program is not static");
    }
    let size = fs::metadata(made)?.len();
    let jail = tempfile::tempdir()?;
    super::put(made, &jail.path().join("regreader"))?;
    fs::create_dir_all(jail.path().join("tmp"))?;
    let demo = run_tool(Command::new("chroot").arg(jail.path()).args([
        "/regreader",
        "demo",
        "--keep",
        "/tmp/library",
    ]))?;
    if !demo.contains("来源") {
        bail!("the demonstration cites nothing");
    }
    Ok(format!("static, {:.1} MB, demo in an empty chroot", size as f64 / 1e6))
}

pub fn check_arm(_: &Workshop, made: &Path) -> Result<String> {
    let root_of_target = Path::new("/usr/aarch64-linux-gnu");
    let mut program = || {
        let mut command = Command::new("qemu-aarch64");
        if root_of_target.exists() {
            command.arg("-L").arg(root_of_target);
        }
        command.arg(made);
        command
    };
    try_program(&mut program)?;
    Ok("demo and ask under qemu-user".to_owned())
}

pub fn check_windows(_: &Workshop, made: &Path) -> Result<String> {
    let prefix = tempfile::tempdir()?;
    let mut program = || {
        let mut command = Command::new("wine");
        command.env("WINEPREFIX", prefix.path()).env("WINEDEBUG", "-all").arg(made);
        command
    };
    try_program(&mut program)?;
    Ok("demo and ask under Wine".to_owned())
}
