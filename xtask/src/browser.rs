//! `cargo xtask browser`: Debian's Chromium through every screen of the web reader, over WebDriver.
//!
//! The checks themselves are in `xtask/browser/check.py` (standard library only). This starts the server over the sample
//! library with a hostile document in it, finds the browser (installing it where it is missing and this may), and axe-core
//! from npm. What cannot be had is printed as skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::packages;
use crate::programs::{Library, Programs, Server, quiet};
use crate::root;
use crate::tally::Tally;

/// `browser`
#[derive(Args)]
pub struct BrowserArgs {
    /// Also save pictures of the main screens in this folder.
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
}

/// Names, text and cells that would run if any of them became markup.
const HOSTILE: &str = "# <script>window.pwned=1</script>\n\n<img src=x onerror=\"window.pwned=1\"> alert \
                       [x](javascript:window.pwned=1)\n\n| <svg onload=window.pwned=1> | \"><script>window.pwned=1</script> |\n\
                       | --- | --- |\n| alert | '-window.pwned=1-' |\n";

/// What is uploaded in the browser.
const UPLOAD: &str = "# 上传试验规程\n\n1.1 母线失压时应立即汇报。\n";

/// Runs the checks.
pub fn run(args: &BrowserArgs) -> Result<()> {
    let mut tally = Tally::default();
    match npm("typescript", "typescript@5", "typescript/lib/tsc.js") {
        Ok(compiler) => tally.take("types of the modules", check_types(&compiler)),
        Err(reason) => tally.skipped("types of the modules", &format!("{reason:#}")),
    }
    if let Err(reason) = find_browser() {
        tally.skipped("browser", &format!("{reason:#}"));
        return tally.finish("browser");
    }
    let programs = Programs::build()?;
    let library = Library::build(&programs.regreader())?;
    let data = library.data();
    let hostile = library.folder().join("hostile_1.md");
    fs::write(&hostile, HOSTILE)?;
    let mut ingest = Command::new(programs.regreader());
    ingest.args(["--quiet", "--data-dir", &data, "ingest", "--reg-id", "hostile_1", "--file"]).arg(&hostile);
    quiet(ingest.args(["--title", "<script>window.pwned=1</script>"]))?;
    let upload = library.folder().join("upload_2025.md");
    fs::write(&upload, UPLOAD)?;
    let server = serve(&programs, &data)?;
    let guarded = Library::build(&programs.regreader())?;
    let token = reader_token(&programs, &guarded.data())?;
    let closed = serve(&programs, &guarded.data())?;
    let mut check = Command::new("python3");
    check.arg(root().join("xtask/browser/check.py")).arg(&server.address).args(["--hostile", "hostile_1"]);
    check.arg("--upload").arg(&upload).args(["--guarded", &closed.address, "--token", &token]);
    match npm("axe", "axe-core@4.10", "axe-core/axe.min.js") {
        Ok(path) => {
            check.arg("--axe").arg(path);
        }
        Err(reason) => tally.skipped("accessibility", &format!("{reason:#}")),
    }
    if let Some(folder) = &args.pictures {
        check.arg("--pictures").arg(folder);
    }
    let status = check.status().context("python3 is not there")?;
    if !status.success() {
        bail!("the browser found something wrong");
    }
    tally.passed("browser", "every screen, both languages, two sizes");
    tally.finish("browser")
}

/// `regreader web` on a free port.
fn serve(programs: &Programs, data: &str) -> Result<Server> {
    let arguments = ["--data-dir", data, "web", "--no-open", "--port", "0"];
    Server::start(Command::new(programs.regreader()).args(arguments))
}

/// A token for reading a library; from then on its servers ask for one.
fn reader_token(programs: &Programs, data: &str) -> Result<String> {
    let mut add = Command::new(programs.regreader());
    add.args(["--quiet", "--data-dir", data, "tokens", "add", "duty", "--role", "reader"]);
    let added = add.output()?;
    if !added.status.success() {
        bail!("no token: {}", String::from_utf8_lossy(&added.stderr));
    }
    Ok(String::from_utf8(added.stdout)?.trim().to_owned())
}

/// Chromium and its driver; installed from Debian's packages where they are missing and this process may.
fn find_browser() -> Result<()> {
    let is_there = |name: &str| quiet(Command::new(name).arg("--version")).is_ok();
    if is_there("chromium") && is_there("chromedriver") {
        return Ok(());
    }
    let install =
        ["install", "--yes", "--no-install-recommends", "chromium", "chromium-driver", "fonts-wqy-microhei"];
    quiet(Command::new("apt-get").args(install)).context("chromium cannot be installed")?;
    if is_there("chromium") && is_there("chromedriver") { Ok(()) } else { bail!("chromium does not start") }
}

/// A file of a package from npm, which is used in tests and nowhere else.
fn npm(folder: &str, package: &str, file: &str) -> Result<PathBuf> {
    let folder = packages::cache()?.join(folder);
    let file = folder.join("node_modules").join(file);
    if !file.exists() {
        fs::create_dir_all(&folder)?;
        let install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", package];
        quiet(Command::new("npm").args(install).current_dir(&folder))?;
    }
    Ok(file)
}

/// The JSDoc types of the modules, checked by the TypeScript compiler.
fn check_types(compiler: &Path) -> Result<String> {
    let folder = root().join("crates/web/static");
    let mut check = Command::new("node");
    check.arg(compiler).args(["--allowJs", "--checkJs", "--noEmit", "--strict", "--target", "es2022"]);
    check.args(["--module", "es2022", "--lib", "es2022,dom,dom.iterable"]);
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "js") {
            check.arg(path);
        }
    }
    quiet(&mut check)?;
    Ok(String::new())
}
