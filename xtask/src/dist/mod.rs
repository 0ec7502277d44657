//! `cargo xtask dist`: everything that a release consists of, made on one Linux machine from the package registries.
//!
//! Each artefact is a row of [`ARTEFACTS`]: how it is made, and how it is tried afterwards the way its user would meet it
//! (`--check`). What this machine lacks is printed as skipped with the command that would bring it; nothing is installed
//! outside the cache of the package managers. Programs for all targets come from one profile (`dist` in Cargo.toml), and
//! packages only wrap the programs, so that no package can differ from the program that was tried.

mod airgap;
mod container;
mod documents;
mod packages;
mod programs;
mod system;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::root;
use crate::tally::Tally;

/// Arguments of `dist`.
#[derive(Args)]
pub struct DistArgs {
    /// Only these artefacts; all when none is named.
    only: Vec<String>,
    /// Try each artefact after making it, as its user would.
    #[arg(long)]
    check: bool,
    /// First install the programs that a Debian machine lacks (apt-get, as root). What comes from rustup, PyPI and npm comes
    /// by itself.
    #[arg(long)]
    tools: bool,
    /// Build the static program once more from a clone in another folder, and compare the bytes.
    #[arg(long)]
    again: bool,
    /// Folder for the artefacts.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Secret key of minisign that signs the air-gap bundle; without it the bundle is signed with a key made for the trial.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Folder of models (as `regreader models pull` lays it) that the air-gap bundle shall carry.
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,
}

/// What the steps share.
struct Workshop {
    out: PathBuf,
    version: String,
    key: Option<PathBuf>,
    models: Option<PathBuf>,
}

struct Artefact {
    name: &'static str,
    make: fn(&Workshop) -> Result<PathBuf>,
    check: fn(&Workshop, &Path) -> Result<String>,
    /// How to get what is missing where it cannot be made or tried.
    hint: &'static str,
}

/// In an order in which each finds what it wraps.
const ARTEFACTS: [Artefact; 11] = [
    Artefact {
        name: "linux-x86_64",
        make: programs::linux,
        check: programs::check_linux,
        hint: programs::HINT,
    },
    Artefact {
        name: "linux-aarch64",
        make: programs::arm,
        check: programs::check_arm,
        hint: programs::ARM_HINT,
    },
    Artefact {
        name: "windows-x86_64",
        make: programs::windows,
        check: programs::check_windows,
        hint: programs::WINDOWS_HINT,
    },
    Artefact { name: "documents", make: documents::make, check: documents::check, hint: "" },
    Artefact {
        name: "wheel",
        make: packages::wheel,
        check: packages::check_wheel,
        hint: "needs Python 3.10 with venv",
    },
    Artefact { name: "npm", make: packages::npm, check: packages::check_npm, hint: "needs Node and npm" },
    Artefact { name: "mcpb", make: packages::mcpb, check: packages::check_mcpb, hint: "needs Node and npm" },
    Artefact {
        name: "deb",
        make: system::deb,
        check: system::check_deb,
        hint: "apt-get install dpkg systemd",
    },
    Artefact { name: "rpm", make: system::rpm, check: system::check_rpm, hint: "apt-get install rpm" },
    Artefact {
        name: "container",
        make: container::make,
        check: container::check,
        hint: "apt-get install umoci runc",
    },
    Artefact { name: "airgap", make: airgap::make, check: airgap::check, hint: "apt-get install minisign" },
];

/// Programs that are called, each with the Debian package that brings it.
const TOOLS: [(&str, &str); 10] = [
    ("qemu-aarch64", "qemu-user"),
    ("/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1", "libc6-arm64-cross"),
    ("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"),
    ("wine", "wine"),
    ("wine64", "wine64"),
    ("rpmbuild", "rpm"),
    ("umoci", "umoci"),
    ("minisign", "minisign"),
    ("systemd-analyze", "systemd"),
    ("npm", "npm"),
];

/// Installs the packages of the tools that are not found.
fn install_tools() -> Result<()> {
    let folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let is_there = |tool: &str| folders.iter().any(|folder| folder.join(tool).exists());
    let missing: Vec<&str> =
        TOOLS.iter().filter(|(tool, _)| !is_there(tool)).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("apt-get install --no-install-recommends {}", missing.join(" "));
    let apt = |arguments: &[&str]| {
        run_tool(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(arguments))
    };
    apt(&["update"])?;
    apt(&[&["install", "--yes", "--no-install-recommends"], &missing[..]].concat())?;
    Ok(())
}

/// Makes the artefacts and, when asked, tries them.
pub fn run(args: &DistArgs) -> Result<()> {
    let known = ARTEFACTS.map(|artefact| artefact.name);
    if let Some(unknown) = args.only.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("there is no artefact `{unknown}`; there are {}", known.join(", "));
    }
    if args.tools {
        install_tools()?;
    }
    let out = args.out.clone().unwrap_or_else(|| crate::programs::target().join("dist-out"));
    std::fs::create_dir_all(&out)?;
    let workshop = Workshop {
        out: out.canonicalize()?,
        version: version()?,
        key: args.key.clone(),
        models: args.models.clone(),
    };
    let mut tally = Tally::default();
    for artefact in ARTEFACTS
        .iter()
        .filter(|artefact| args.only.is_empty() || args.only.iter().any(|n| n == artefact.name))
    {
        let made = match (artefact.make)(&workshop) {
            Ok(made) => made,
            Err(error) => {
                report(&mut tally, artefact, &error);
                continue;
            }
        };
        let size = std::fs::metadata(&made).map_or(0, |data| data.len()) as f64 / 1e6;
        println!("made: {} ({size:.1} MB) {}", artefact.name, made.display());
        if args.check {
            match (artefact.check)(&workshop, &made) {
                Ok(words) => tally.passed(artefact.name, &words),
                Err(error) => report(&mut tally, artefact, &error),
            }
        }
    }
    if args.again {
        tally.take("the same bytes from another folder", programs::build_again(&workshop));
    }
    tally.finish("dist")
}

/// A tool that is not on this machine is a reason to skip; anything else is a failure.
fn report(tally: &mut Tally, artefact: &Artefact, error: &anyhow::Error) {
    if error.downcast_ref::<Missing>().is_some() {
        tally.skipped(artefact.name, &format!("{error}; {}", artefact.hint));
    } else {
        tally.failed(artefact.name, &format!("{error:#}"));
    }
}

/// A program that a step needs and this machine lacks.
#[derive(Debug)]
struct Missing(String);

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is not installed", self.0)
    }
}

impl std::error::Error for Missing {}

/// Runs a command for its output; its last lines are the reason when it fails.
fn run_tool(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = match command.stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(Missing(program)),
        Err(error) => return Err(error).with_context(|| format!("cannot run {program}")),
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let said = format!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        bail!("{program}: {}", lines[lines.len().saturating_sub(6)..].join(" | "));
    }
    Ok(text)
}

/// Makes a folder empty.
fn fresh(folder: &Path) -> Result<&Path> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    Ok(folder)
}

/// Copies a file to a path whose folders are made.
fn put(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::copy(from, to).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Writes a file from a template of the `packaging` folder with `@VERSION@` filled in.
fn put_template(workshop: &Workshop, template: &str, to: &Path) -> Result<()> {
    let text =
        std::fs::read_to_string(root().join("packaging").join(template)).context(template.to_owned())?;
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(to, text.replace("@VERSION@", &workshop.version))?)
}

fn version() -> Result<String> {
    let text = std::fs::read_to_string(root().join("Cargo.toml"))?;
    let file: toml::Table = text.parse()?;
    let version = file["workspace"]["package"]["version"].as_str().context("Cargo.toml has no version")?;
    Ok(version.to_owned())
}

/// What a program that was installed in some way must do: build the demonstration library, and answer from it
/// with a citation.
fn try_program(program: &mut dyn FnMut() -> Command) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("library");
    run_tool(program().args(["--quiet", "demo", "--keep"]).arg(&data))?;
    let answer = run_tool(program().arg("--data-dir").arg(&data).args(["ask", "110kV 母线失压怎么处理？"]))?;
    if !answer.contains("来源") {
        bail!("the answer has no citation: {answer}");
    }
    Ok(())
}

/// What a program of another platform must do: read a regulation from its file, find a place in it, and answer with a citation.
fn try_documents(program: &mut dyn FnMut() -> Command) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("library");
    let mut with = |arguments: &[&str]| run_tool(program().arg("--data-dir").arg(&data).args(arguments));
    let file = root().join("samples/pdf/angui_2024.pdf");
    with(&["--quiet", "ingest", "--file", &file.display().to_string()])?;
    let hits = with(&["search", "母线失压"])?;
    if !hits.contains("母线失压") {
        bail!("the search finds nothing: {hits}");
    }
    let answer = with(&["ask", "110kV 母线失压怎么处理？"])?;
    if !answer.contains("来源") {
        bail!("the answer has no citation: {answer}");
    }
    Ok(())
}
