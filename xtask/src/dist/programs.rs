//! The programs, one for each target.
//!
//! Zig's C compiler and linker (the Python package `ziglang`) build for Linux from one machine, through `cargo-zigbuild`; Windows is
//! built by mingw's gcc. The standard library of a target comes from rustup.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Workshop, run_tool, try_documents};
use crate::{packages, programs, root};

pub const HINT: &str = "rustup target add x86_64-unknown-linux-musl; needs Python with venv for ziglang";
pub const ARM_HINT: &str =
    "rustup target add aarch64-unknown-linux-gnu; apt-get install qemu-user libc6-arm64-cross";
pub const WINDOWS_HINT: &str =
    "rustup target add x86_64-pc-windows-gnu; apt-get install gcc-mingw-w64-x86-64 wine64";

/// Rust's own linker writes the addresses that a static program corrects when it starts in the packed form, a tenth of the size,
/// and keeps functions of the same instructions once; zig's does not.
const STATIC: [&str; 4] =
    ["-Clinker=rust-lld", "-Clink-arg=-z", "-Clink-arg=pack-relative-relocs", "-Clink-arg=--icf=all"];

/// Where a program is built.
struct Place {
    source: PathBuf,
    target: PathBuf,
}

impl Place {
    /// This clone.
    fn here() -> Result<Self> {
        Ok(Self { source: root(), target: std::path::absolute(programs::target())? })
    }
}

/// A static program: runs on every Linux, whatever its C library.
pub fn linux(workshop: &Workshop) -> Result<PathBuf> {
    keep(workshop, &build_linux(&Place::here()?)?)
}

fn build_linux(place: &Place) -> Result<PathBuf> {
    let target = "x86_64-unknown-linux-musl";
    build(place, target, "regreader", zig(target)?, &STATIC)
}

/// For the ARM servers of the state grid's own Linux systems, which are built on glibc 2.17 and later.
pub fn arm(workshop: &Workshop) -> Result<PathBuf> {
    let command = zig("aarch64-unknown-linux-gnu.2.17")?;
    keep(workshop, &build(&Place::here()?, "aarch64-unknown-linux-gnu", "regreader", command, &[])?)
}

/// Links nothing but what every Windows has.
pub fn windows(workshop: &Workshop) -> Result<PathBuf> {
    let target = "x86_64-pc-windows-gnu";
    run_tool(Command::new("x86_64-w64-mingw32-gcc").arg("--version"))?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--target", target]);
    keep(workshop, &build(&Place::here()?, target, "regreader.exe", command, &[])?)
}

/// Builds the static program once more from a clone in another folder; the bytes must be the same.
pub fn build_again(workshop: &Workshop) -> Result<String> {
    let first = fs::read(workshop.out.join("x86_64-unknown-linux-musl/regreader"))
        .context("make linux-x86_64 first: cargo xtask dist linux-x86_64")?;
    if !run_tool(Command::new("git").args(["status", "--porcelain"]).current_dir(root()))?.trim().is_empty() {
        bail!("there are changes that no commit holds, which a clone would lack");
    }
    let folder = tempfile::tempdir()?;
    let place = Place { source: folder.path().join("another"), target: folder.path().join("built") };
    run_tool(Command::new("git").args(["clone", "--quiet"]).arg(root()).arg(&place.source))?;
    let second = fs::read(build_linux(&place)?)?;
    if first != second {
        let at = first.iter().zip(&second).position(|(one, other)| one != other);
        bail!("{} and {} bytes, the first difference at {at:?}", first.len(), second.len());
    }
    Ok(format!("{} bytes, equal from two folders", first.len()))
}

/// `cargo-zigbuild` for a target as it names it.
fn zig(target: &str) -> Result<Command> {
    let python = packages::python("dist", "ziglang>=0.15\ncargo-zigbuild>=0.20\n")?;
    let tools = python.parent().unwrap_or(Path::new(".")).to_owned();
    let path = std::env::join_paths(
        std::iter::once(tools.clone())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )?;
    let mut command = Command::new(tools.join("cargo-zigbuild"));
    command.args(["zigbuild", "--target", target]).env("PATH", path);
    Ok(command)
}

/// Builds, and gives the program's path, which names no folder of this machine inside.
fn build(place: &Place, target: &str, file: &str, mut command: Command, flags: &[&str]) -> Result<PathBuf> {
    // Only this machine's rustup can know; where there is none, the target may be there all the same.
    if let Err(error) = run_tool(Command::new("rustup").args(["target", "add", target]).current_dir(root())) {
        println!("note: {error:#}");
    }
    let prefixes = prefixes(place);
    let maps = |option: &str| -> Vec<String> {
        prefixes.iter().map(|(from, to)| format!("{option}={from}={to}")).collect()
    };
    let mut flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    flags.extend(maps("--remap-path-prefix"));
    programs::without_package(&mut command);
    command
        .args(["--locked", "--profile", "dist", "--package", "regreader", "--bin", "regreader"])
        // Paths of this machine do not belong into the program, and would make two builds differ.
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        // Zig's compiler refuses the date in mimalloc's greeting; with a fixed date it does no harm.
        .env("SOURCE_DATE_EPOCH", "0")
        .env("TARGET_CFLAGS", format!("-Wno-error=date-time {}", maps("-ffile-prefix-map").join(" ")))
        .env("CARGO_TARGET_DIR", &place.target)
        .current_dir(&place.source);
    run_tool(&mut command)?;
    let built = place.target.join(target).join("dist").join(file);
    let bytes = fs::read(&built)?;
    for (from, _) in &prefixes {
        if bytes.windows(from.len()).any(|window| window == from.as_bytes()) {
            bail!("{} holds the path {from} of this machine", built.display());
        }
    }
    Ok(built)
}

/// Copies a built program to the artefacts, into the folder of its target.
fn keep(workshop: &Workshop, built: &Path) -> Result<PathBuf> {
    let target =
        built.ancestors().nth(2).and_then(Path::file_name).context("built in a folder of its target")?;
    let kept = workshop.out.join(target).join(built.file_name().unwrap_or_default());
    super::put(built, &kept)?;
    Ok(kept)
}

/// Folders of this machine and what stands for them in the program. Of several that fit the last one counts.
fn prefixes(place: &Place) -> Vec<(String, &'static str)> {
    let home = std::env::var("HOME").unwrap_or_default();
    let folder = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| format!("{home}/{usual}"));
    vec![
        (folder("RUSTUP_HOME", ".rustup"), "/rustup"),
        (folder("CARGO_HOME", ".cargo"), "/cargo"),
        (place.source.display().to_string(), "/regreader"),
        (place.target.display().to_string(), "/target"),
    ]
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

/// Ingest, search and ask as on a machine of that kind, by the emulator.
pub fn check_arm(_: &Workshop, made: &Path) -> Result<String> {
    let root_of_target = Path::new("/usr/aarch64-linux-gnu");
    let mut program = || {
        let mut command = Command::new("qemu-aarch64");
        if root_of_target.exists() {
            command.arg("-L").arg(root_of_target);
        }
        // The emulated program cannot start itself again: the kernel does not know its instructions. With no limit of memory
        // it reads documents in its own process.
        command.arg(made).env("REGREADER_MAX_DOCUMENT_MIB", "0");
        command
    };
    let newest = newest_glibc(&fs::read(made)?);
    if newest > Some((2, 17)) {
        bail!("the program needs glibc {newest:?}, more than 2.17");
    }
    try_documents(&mut program)?;
    let size = fs::metadata(made)?.len();
    Ok(format!("glibc 2.17 is enough, {:.1} MB; ingest, search and ask under qemu-user", size as f64 / 1e6))
}

/// The newest version of glibc's symbols that a program names.
fn newest_glibc(program: &[u8]) -> Option<(u32, u32)> {
    const NAME: &[u8] = b"GLIBC_2.";
    let at = |start: usize| {
        let digits: String = program[start + NAME.len()..]
            .iter()
            .map_while(|byte| byte.is_ascii_digit().then_some(char::from(*byte)))
            .collect();
        Some((2, digits.parse().ok()?))
    };
    (0..program.len().saturating_sub(NAME.len()))
        .filter(|start| program[*start..].starts_with(NAME))
        .filter_map(at)
        .max()
}

/// Ingest, search and ask under Wine, in a prefix of its own.
pub fn check_windows(_: &Workshop, made: &Path) -> Result<String> {
    let prefix = tempfile::tempdir()?;
    let wine =
        ["wine", "wine64"].into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let wine = || {
        let mut command = Command::new(wine.unwrap_or("wine"));
        command.env("WINEPREFIX", prefix.path()).env("WINEDEBUG", "-all");
        command
    };
    run_tool(wine().args(["cmd", "/c", "ver"]))?;
    complete_wine(prefix.path())?;
    try_documents(&mut || {
        let mut command = wine();
        command.arg(made);
        command
    })?;
    let size = fs::metadata(made)?.len();
    Ok(format!("{:.1} MB; ingest, search and ask under Wine", size as f64 / 1e6))
}

/// Puts into a Wine prefix what every Windows has and older Wine (8.0 of Debian 12) lacks.
fn complete_wine(prefix: &Path) -> Result<()> {
    let library = prefix.join("drive_c/windows/system32/bcryptprimitives.dll");
    if library.exists() {
        return Ok(());
    }
    let source = root().join("packaging/wine/bcryptprimitives.c");
    let mut compiler = Command::new("x86_64-w64-mingw32-gcc");
    run_tool(compiler.args(["-shared", "-O2", "-o"]).arg(&library).arg(&source).arg("-ladvapi32"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::newest_glibc;

    #[test]
    fn the_newest_version_of_glibc_is_found() {
        assert_eq!(newest_glibc(b"\0GLIBC_2.4\0GLIBC_2.17\0GLIBC_2.9"), Some((2, 17)));
        assert_eq!(newest_glibc(b"static GLIBC_PRIVATE GLIBC_2."), None);
    }
}
