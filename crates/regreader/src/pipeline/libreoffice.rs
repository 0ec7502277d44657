//! LibreOffice as a page layouter for DOCX, when it is installed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

/// A LibreOffice that can be called.
#[derive(Debug, Clone)]
pub struct LibreOffice {
    program: PathBuf,
}

impl LibreOffice {
    /// The one the setting names: a path, `off`, or empty for whatever is on the PATH.
    pub fn find(setting: &str) -> Option<Self> {
        match setting {
            "off" => None,
            "" => {
                let path = env::var_os("PATH")?;
                env::split_paths(&path)
                    .flat_map(|folder| ["soffice", "libreoffice"].map(|name| folder.join(name)))
                    .find(|candidate| candidate.is_file())
                    .map(|program| Self { program })
            }
            program => Some(Self { program: PathBuf::from(program) }),
        }
    }

    /// Lays a DOCX out and gives the PDF. Runs in a profile of its own, so that an open LibreOffice is not disturbed,
    /// and is killed at the time limit.
    pub fn to_pdf(&self, docx: &[u8], limit: Duration) -> anyhow::Result<Vec<u8>> {
        let folder = tempfile::tempdir()?;
        let input = folder.path().join("document.docx");
        fs::write(&input, docx)?;
        let mut child = Command::new(&self.program)
            .arg(format!("-env:UserInstallation=file://{}", folder.path().join("profile").display()))
            .args(["--headless", "--norestore", "--nolockcheck", "--convert-to", "pdf", "--outdir"])
            .arg(folder.path())
            .arg(&input)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| self.program.display().to_string())?;
        let deadline = Instant::now() + limit;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if Instant::now() > deadline {
                child.kill()?;
                child.wait()?;
                bail!("no result after {} s", limit.as_secs());
            }
            thread::sleep(Duration::from_millis(50));
        };
        if !status.success() {
            bail!("{} ended with {status}", self.program.display());
        }
        read_output(&folder.path().join("document.pdf"))
    }
}

fn read_output(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).context("LibreOffice wrote no PDF")
}
