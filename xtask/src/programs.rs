//! The programs of this workspace that other programs are tried against: where they are built, the sample library, and a
//! server in the background.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::root;

/// The programs, built with the features that the tests use: after `cargo test --workspace` next to nothing is compiled.
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Builds them.
    pub fn build() -> Result<Self> {
        let programs = ["--bin", "regreader", "--bin", "scripted-model", "--example", "conformance_fixture"];
        cargo(&[&["build", "--quiet", "--workspace", "--locked"][..], &programs].concat())?;
        Ok(Self { folder: target().join("debug") })
    }

    /// `regreader`.
    pub fn regreader(&self) -> PathBuf {
        self.program("regreader")
    }

    /// The language model that says what a script says.
    pub fn scripted_model(&self) -> PathBuf {
        self.program("scripted-model")
    }

    /// The server with the tools that the conformance suite expects.
    pub fn conformance_fixture(&self) -> PathBuf {
        self.program("examples/conformance_fixture")
    }

    fn program(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }
}

/// Runs cargo in this workspace.
pub fn cargo(arguments: &[&str]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root());
    without_package(&mut command);
    let status = command.status()?;
    if !status.success() {
        bail!("cargo {} failed", arguments.join(" "));
    }
    Ok(())
}

/// Takes away what `cargo run` says about this package: build scripts that look at it (ring's does) would run again, and everything
/// above them be compiled again.
pub fn without_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let is_ours = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        if name.to_str().is_some_and(is_ours) {
            command.env_remove(name);
        }
    }
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The sample library, built into a folder of its own that goes with this value.
pub struct Library {
    folder: tempfile::TempDir,
}

impl Library {
    /// Builds it.
    pub fn build(regreader: &Path) -> Result<Self> {
        let library = Self { folder: tempfile::tempdir()? };
        let mut demo = Command::new(regreader);
        demo.args(["demo", "--quiet", "--keep", &library.data()]);
        quiet(&mut demo).context("the sample library was not built")?;
        Ok(library)
    }

    /// Its data folder.
    pub fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// A folder for whatever else is needed.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// A server in the background; ends with this value.
pub struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT`.
    pub address: String,
}

impl Server {
    /// Starts a program that says `listening on http://…/mcp` on stderr.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stderr.take().context("no stderr")?).lines();
        let mut said = Vec::new();
        let address = loop {
            let Some(line) = lines.next().transpose()? else {
                bail!("the server ended: {}", said.join("\n"));
            };
            match line.strip_prefix("listening on ").and_then(|url| url.rsplit_once('/')) {
                Some((address, _)) => break address.to_owned(),
                None => said.push(line),
            }
        };
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { child, address })
    }

    /// `regreader serve` over HTTP, on a free port.
    pub fn regreader(program: &Path, data: &str) -> Result<Self> {
        let serve = ["--data-dir", data, "serve", "--transport", "http", "--port", "0"];
        Self::start(Command::new(program).args(serve))
    }

    /// Its streamable HTTP endpoint.
    pub fn http(&self) -> String {
        format!("{}/mcp", self.address)
    }

    /// Its legacy event stream.
    pub fn sse(&self) -> String {
        format!("{}/sse", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command for its effect; the end of what it said is the reason when it fails.
pub fn quiet(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {program}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let end: Vec<&str> = said.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
    bail!("{program}: {}", end.into_iter().rev().collect::<Vec<_>>().join(" | "))
}
