//! Packages of Linux distributions: program, manual pages, completions, systemd unit and its user.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::packages::program;
use super::{Workshop, fresh, put, run_tool, try_program};
use crate::root;

/// The highest exposure that `systemd-analyze security` may find in the unit.
const MOST_EXPOSED: f64 = 1.5;

const SCRIPT_HEAD: &str = "#!/bin/sh\nset -e\n";

/// Makes the service's user and the folder of its library. On this machine's own root, a service that runs goes on with the new program.
const AFTER_INSTALL: &str = "\
if command -v systemd-sysusers >/dev/null; then systemd-sysusers --root=\"${DPKG_ROOT:-/}\" regreader.conf || true; fi
if command -v systemd-tmpfiles >/dev/null; then
  systemd-tmpfiles --root=\"${DPKG_ROOT:-/}\" --create regreader.conf || true
fi
if [ -z \"$DPKG_ROOT\" ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
  systemctl try-restart regreader.service || true
fi
";

/// `remove` is dpkg's word and 0 rpm's for the last version going; the library stays.
const BEFORE_REMOVAL: &str = "\
if [ -z \"$DPKG_ROOT\" ] && [ -d /run/systemd/system ] && { [ \"$1\" = remove ] || [ \"$1\" = 0 ]; }; then
  systemctl disable --now regreader.service || true
fi
";

/// The files as they lie on the target machine.
fn tree(workshop: &Workshop, folder: &Path) -> Result<()> {
    fresh(folder)?;
    let program = program(workshop)?;
    put(&program, &folder.join("usr/bin/regreader"))?;
    std::os::unix::fs::symlink("regreader", folder.join("usr/bin/gridcode"))?;
    put(
        &root().join("packaging/systemd/regreader.service"),
        &folder.join("usr/lib/systemd/system/regreader.service"),
    )?;
    put(
        &root().join("packaging/systemd/regreader.sysusers"),
        &folder.join("usr/lib/sysusers.d/regreader.conf"),
    )?;
    put(
        &root().join("packaging/systemd/regreader.tmpfiles"),
        &folder.join("usr/lib/tmpfiles.d/regreader.conf"),
    )?;
    for file in ["LICENSE", "README.md", "README_CN.md", "CHANGELOG.md"] {
        put(&root().join(file), &folder.join("usr/share/doc/regreader").join(file))?;
    }
    let manuals = folder.join("usr/share/man/man1");
    fs::create_dir_all(&manuals)?;
    run_tool(Command::new(&program).args(["docs", "man", "--out"]).arg(&manuals))?;
    let shells = [
        ("bash", "usr/share/bash-completion/completions/regreader"),
        ("zsh", "usr/share/zsh/vendor-completions/_regreader"),
        ("fish", "usr/share/fish/vendor_completions.d/regreader.fish"),
    ];
    for (shell, file) in shells {
        let script = run_tool(Command::new(&program).args(["completions", shell]))?;
        let file = folder.join(file);
        fs::create_dir_all(file.parent().context("a file lies in a folder")?)?;
        fs::write(file, script)?;
    }
    Ok(())
}

/// Made by Debian's own `dpkg-deb`.
pub fn deb(workshop: &Workshop) -> Result<PathBuf> {
    let folder = workshop.out.join("deb-tree");
    tree(workshop, &folder)?;
    let control = folder.join("DEBIAN");
    fs::create_dir_all(&control)?;
    fs::write(
        control.join("control"),
        format!(
            "Package: regreader\nVersion: {}\nArchitecture: amd64\nMaintainer: RegReader developers <noreply@regreader.invalid>\n\
             Section: text\nPriority: optional\nRecommends: systemd\n\
             Description: reads regulations and answers with checked citations\n \
             Turns thick regulations into a library of pages, finds the right page and joins its\n tables, notes and \
             references. Works without a network and without a language model.\n",
            workshop.version
        ),
    )?;
    write_script(&control.join("postinst"), &format!("{SCRIPT_HEAD}{AFTER_INSTALL}"))?;
    write_script(&control.join("prerm"), &format!("{SCRIPT_HEAD}{BEFORE_REMOVAL}"))?;
    let out = workshop.out.join(format!("regreader_{}_amd64.deb", workshop.version));
    run_tool(Command::new("dpkg-deb").args(["--root-owner-group", "--build"]).arg(&folder).arg(&out))?;
    Ok(out)
}

/// Installs into a root of its own, starts what the unit starts, and looks at the unit as systemd does.
pub fn check_deb(_: &Workshop, made: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let database = folder.path().join("var/lib/dpkg");
    for part in ["info", "updates", "triggers"] {
        fs::create_dir_all(database.join(part))?;
    }
    for file in ["status", "available"] {
        fs::write(database.join(file), "")?;
    }
    let mut install = Command::new("dpkg");
    install.arg(format!("--root={}", folder.path().display()));
    run_tool(install.args(["--force-script-chrootless", "--force-architecture", "--install"]).arg(made))?;
    if !fs::read_to_string(database.join("status"))?.contains("Status: install ok installed") {
        bail!("dpkg does not hold the package for installed");
    }
    try_program(&mut || Command::new(folder.path().join("usr/bin/regreader")))?;
    let unit = folder.path().join("usr/lib/systemd/system/regreader.service");
    serves(folder.path(), &unit)?;
    let said = run_tool(
        Command::new("systemd-analyze").args(["security", "--offline=yes", "--no-pager"]).arg(&unit),
    )?;
    let exposure = overall_exposure(&said).with_context(|| format!("no exposure in: {said}"))?;
    if exposure > MOST_EXPOSED {
        bail!("the unit's exposure is {exposure}, more than {MOST_EXPOSED}");
    }
    let manual = folder.path().join("usr/share/man/man1/regreader.1");
    if !manual.is_file() {
        bail!("there is no manual page");
    }
    Ok(format!(
        "dpkg --install into an empty root, demo, ask, service healthy, browser page; exposure of the unit {exposure}"
    ))
}

/// Runs the command of the unit's `ExecStart` on a free port until its health check answers. Where systemd itself runs,
/// `systemctl start regreader` does the same with the unit's rights; a build machine rarely has it.
fn serves(installed: &Path, unit: &Path) -> Result<()> {
    let unit = fs::read_to_string(unit)?;
    let line =
        unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).context("the unit starts nothing")?;
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let at = words.iter().position(|word| word == "--port").context("the unit names no port")?;
    *words.get_mut(at + 1).context("the unit names no port")? = port.to_string();
    let program = installed.join(words[0].trim_start_matches('/'));
    let data = tempfile::tempdir()?;
    let mut server = Command::new(program)
        .args(&words[1..])
        .env("REGREADER_DATA_DIR", data.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let healthy = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(100));
        get(port, "/healthz").is_ok_and(|said| said.starts_with("HTTP/1.1 200"))
    });
    let page = get(port, "/").unwrap_or_default();
    server.kill()?;
    server.wait()?;
    if !healthy {
        bail!("the service does not answer its health check");
    }
    if !page.contains("<html") {
        bail!("the service offers no page to a browser: {}", page.lines().next().unwrap_or("no answer"));
    }
    Ok(())
}

/// What the server says to a request.
fn get(port: u16, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
    let mut said = Vec::new();
    stream.take(1 << 20).read_to_end(&mut said)?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// From the line `→ Overall exposure level for regreader.service: 1.1 OK`.
fn overall_exposure(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.contains("Overall exposure level"))?;
    line.rsplit_once(": ")?.1.split_whitespace().next()?.parse().ok()
}

/// Made by `rpmbuild` from the same files.
pub fn rpm(workshop: &Workshop) -> Result<PathBuf> {
    let files = workshop.out.join("rpm-tree");
    tree(workshop, &files)?;
    let work = workshop.out.join("rpm-work");
    fresh(&work)?;
    let spec = work.join("regreader.spec");
    let text = format!(
        "Name: regreader\nVersion: {}\nRelease: 1\nSummary: Reads regulations and answers with checked citations\nLicense: MIT\n\
         AutoReqProv: no\n%global debug_package %{{nil}}\n%global __strip /bin/true\n%description\n\
         Turns thick regulations into a library of pages, finds the right page and joins its tables, notes and references.\n\
         %install\ncp -a {}/. %{{buildroot}}/\n%post\n{AFTER_INSTALL}%preun\n{BEFORE_REMOVAL}\
         %files\n/usr/bin/regreader\n/usr/bin/gridcode\n/usr/lib/systemd/system/regreader.service\n\
         /usr/lib/sysusers.d/regreader.conf\n/usr/lib/tmpfiles.d/regreader.conf\n/usr/share/doc/regreader\n/usr/share/man/man1/*\n\
         /usr/share/bash-completion/completions/regreader\n/usr/share/zsh/vendor-completions/_regreader\n\
         /usr/share/fish/vendor_completions.d/regreader.fish\n",
        workshop.version,
        files.display()
    );
    fs::write(&spec, text)?;
    let top = format!("_topdir {}", work.display());
    run_tool(Command::new("rpmbuild").args(["-bb", "--target", "x86_64", "--define", &top]).arg(&spec))?;
    let made = work.join(format!("RPMS/x86_64/regreader-{}-1.x86_64.rpm", workshop.version));
    let out = workshop.out.join(format!("regreader-{}-1.x86_64.rpm", workshop.version));
    put(&made, &out)?;
    Ok(out)
}

/// Installs into a root of its own with a database of its own.
pub fn check_rpm(_: &Workshop, made: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let mut install = Command::new("rpm");
    install.args(["--install", "--nodeps", "--noscripts", "--root"]).arg(folder.path()).arg(made);
    run_tool(&mut install)?;
    try_program(&mut || Command::new(folder.path().join("usr/bin/regreader")))?;
    Ok("rpm --install into an empty root, demo, ask".to_owned())
}

fn write_script(path: &Path, text: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::write(path, text)?;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
}
