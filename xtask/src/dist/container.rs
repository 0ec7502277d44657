//! A container image with the program and nothing else, as an OCI archive.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::packages::program;
use super::{Workshop, fresh, put, run_tool};

/// The user that nobody else is.
const USER: &str = "65532:65532";

pub fn make(workshop: &Workshop) -> Result<PathBuf> {
    let layout = workshop.out.join("oci");
    if layout.exists() {
        fs::remove_dir_all(&layout)?;
    }
    let files = workshop.out.join("oci-tree");
    fresh(&files)?;
    put(&program(workshop)?, &files.join("regreader"))?;
    fs::create_dir_all(files.join("data"))?;
    fs::create_dir_all(files.join("tmp"))?;
    let image = format!("{}:{}", layout.display(), workshop.version);
    let umoci = |arguments: &[&str]| run_tool(Command::new("umoci").args(arguments));
    umoci(&["init", "--layout", &layout.display().to_string()])?;
    umoci(&["new", "--image", &image])?;
    umoci(&["insert", "--image", &image, &files.join("regreader").display().to_string(), "/regreader"])?;
    umoci(&["insert", "--image", &image, &files.join("data").display().to_string(), "/data"])?;
    umoci(&["insert", "--image", &image, &files.join("tmp").display().to_string(), "/tmp"])?;
    umoci(&[
        "config",
        "--image",
        &image,
        "--config.user",
        USER,
        "--config.entrypoint",
        "/regreader",
        "--config.cmd",
        "serve",
        "--config.env",
        "REGREADER_DATA_DIR=/data",
        "--config.volume",
        "/data",
    ])?;
    let out = workshop.out.join(format!("regreader-{}.oci.tar", workshop.version));
    run_tool(
        Command::new("tar").arg("--create").arg("--file").arg(&out).arg("--directory").arg(&layout).arg("."),
    )?;
    Ok(out)
}

/// Unpacks the archive and starts the program as its user, with a root that cannot be written.
pub fn check(workshop: &Workshop, made: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let layout = folder.path().join("layout");
    fs::create_dir_all(&layout)?;
    run_tool(Command::new("tar").arg("--extract").arg("--file").arg(made).arg("--directory").arg(&layout))?;
    let bundle = folder.path().join("bundle");
    let image = format!("{}:{}", layout.display(), workshop.version);
    run_tool(Command::new("umoci").args(["unpack", "--image", &image]).arg(&bundle))?;
    let rootfs = bundle.join("rootfs");
    if rootfs.join("bin").exists() {
        bail!("the image holds more than the program");
    }
    // A read-only view of the root in a mount namespace of its own; only /tmp can be written.
    let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && mount -t tmpfs -o mode=1777 tmpfs \"$0/tmp\" \
                  && exec chroot --userspec=65532:65532 \"$0\" /regreader --quiet demo --keep /tmp/library";
    let demo = run_tool(Command::new("unshare").args(["--mount", "sh", "-c", script]).arg(&rootfs))?;
    if !demo.contains("来源") {
        bail!("the demonstration cites nothing");
    }
    Ok("no shell, read-only root, non-root user: demo".to_owned())
}
