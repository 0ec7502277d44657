//! What pip's and npm's own configuration says about where packages come from.
//!
//! Reads only; names no registry of its own. Values from the environment win over the user's files, those over the
//! machine's.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Where packages come from.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Sources {
    /// Addresses of indexes, best first.
    pub indexes: Vec<String>,
    /// Folders with packages.
    pub folders: Vec<PathBuf>,
    /// File with certificates of the authorities to trust.
    pub certificates: Option<PathBuf>,
    /// Token for the index.
    pub token: Option<String>,
}

/// What pip is told: `PIP_*` variables, then `pip.conf`.
pub fn pip() -> Sources {
    let files = [
        env_path("PIP_CONFIG_FILE"),
        env_path("VIRTUAL_ENV").map(|at| at.join("pip.conf")),
        env_path("XDG_CONFIG_HOME").map(|at| at.join("pip/pip.conf")),
        env_path("HOME").map(|at| at.join(".config/pip/pip.conf")),
        env_path("HOME").map(|at| at.join(".pip/pip.conf")),
        env_path("HOME").map(|at| at.join("Library/Application Support/pip/pip.conf")),
        env_path("APPDATA").map(|at| at.join("pip/pip.ini")),
        Some(PathBuf::from("/etc/xdg/pip/pip.conf")),
        Some(PathBuf::from("/etc/pip.conf")),
    ];
    let mut settings = Vec::new();
    for name in ["index-url", "extra-index-url", "find-links", "cert"] {
        let variable = format!("PIP_{}", name.to_uppercase().replace('-', "_"));
        settings.extend(env_text(&variable).map(|value| (name.to_owned(), value)));
    }
    settings.extend(env_text("UV_DEFAULT_INDEX").map(|value| ("index-url".to_owned(), value)));
    for file in files.into_iter().flatten() {
        settings.extend(pairs(&read(&file)));
    }
    let mut sources = pip_sources(&settings);
    let everyone = || env_path("REQUESTS_CA_BUNDLE").or_else(|| env_path("SSL_CERT_FILE"));
    sources.certificates = sources.certificates.or_else(everyone);
    sources
}

/// What npm is told about packages of a scope: `npm_config_*` variables, then `.npmrc`.
pub fn npm(package: &str) -> Sources {
    let files = [
        env_path("NPM_CONFIG_USERCONFIG"),
        env_path("HOME").map(|at| at.join(".npmrc")),
        env_path("USERPROFILE").map(|at| at.join(".npmrc")),
        env_path("NPM_CONFIG_GLOBALCONFIG"),
        Some(PathBuf::from("/usr/local/etc/npmrc")),
        Some(PathBuf::from("/usr/etc/npmrc")),
        Some(PathBuf::from("/etc/npmrc")),
    ];
    let mut settings = Vec::new();
    for name in ["registry", "cafile"] {
        let variable = format!("npm_config_{name}");
        let value = env_text(&variable).or_else(|| env_text(&variable.to_uppercase()));
        settings.extend(value.map(|value| (name.to_owned(), value)));
    }
    for file in files.into_iter().flatten() {
        settings.extend(pairs(&read(&file)));
    }
    let mut sources = npm_sources(&settings, package);
    sources.certificates = sources.certificates.or_else(|| env_path("NODE_EXTRA_CA_CERTS"));
    sources
}

fn pip_sources(settings: &[(String, String)]) -> Sources {
    let mut sources = Sources::default();
    let first =
        |wanted: &str| settings.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    sources.indexes.extend(first("index-url").map(str::to_owned));
    sources
        .indexes
        .extend(first("extra-index-url").into_iter().flat_map(str::split_whitespace).map(str::to_owned));
    for place in first("find-links").into_iter().flat_map(str::split_whitespace) {
        let folder = place.strip_prefix("file://").unwrap_or(place);
        if !folder.contains("://") {
            sources.folders.push(PathBuf::from(folder));
        }
    }
    sources.certificates = first("cert").map(PathBuf::from);
    sources
}

fn npm_sources(settings: &[(String, String)], package: &str) -> Sources {
    let mut sources = Sources::default();
    let first =
        |wanted: &str| settings.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
    let scope = package.split_once('/').map(|(scope, _)| format!("{scope}:registry"));
    sources.indexes.extend(scope.and_then(|name| first(&name)).or_else(|| first("registry")));
    sources.certificates = first("cafile").map(PathBuf::from);
    if let Some(index) = sources.indexes.first() {
        let bare = index.split_once("://").map_or(index.as_str(), |(_, rest)| rest).trim_end_matches('/');
        sources.token =
            first(&format!("//{bare}/:_authToken")).or_else(|| first(&format!("//{bare}:_authToken")));
    }
    sources
}

/// `name = value` lines of an INI file; a value may go on in indented lines. Sections are not told apart: pip's
/// `[global]` and `[download]` mean the same here.
fn pairs(text: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';', '[']) {
            continue;
        }
        let goes_on = line.starts_with([' ', '\t']);
        match (goes_on, pairs.last_mut(), bare.split_once('=')) {
            (true, Some((_, value)), _) => {
                value.push(' ');
                value.push_str(bare);
            }
            (_, _, Some((name, value))) => {
                let value = value.trim().trim_matches('"');
                pairs.push((name.trim().to_owned(), value.to_owned()));
            }
            _ => {}
        }
    }
    pairs
}

fn read(path: &Path) -> String {
    // A file that is not there or not readable says nothing.
    fs::read_to_string(path).unwrap_or_default()
}

fn env_text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

fn env_path(name: &str) -> Option<PathBuf> {
    env_text(name).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pips_file_names_indexes_folders_and_certificates() {
        let text = "[global]\nindex-url = http://mirror.example/simple\nextra-index-url =\n    http://a.example/s\n    \
                    http://b.example/s\n# note\nfind-links = /srv/wheels file:///opt/w http://c.example/\ncert=/etc/ca.pem\n";
        let sources = pip_sources(&pairs(text));
        assert_eq!(
            sources.indexes,
            ["http://mirror.example/simple", "http://a.example/s", "http://b.example/s"]
        );
        assert_eq!(sources.folders, [PathBuf::from("/srv/wheels"), PathBuf::from("/opt/w")]);
        assert_eq!(sources.certificates, Some(PathBuf::from("/etc/ca.pem")));
    }

    #[test]
    fn a_scope_of_npm_may_have_a_registry_and_a_token_of_its_own() {
        let text = "registry=http://all.example/\n@grid:registry=http://grid.example/npm/\n\
                    //grid.example/npm/:_authToken=abc\n";
        let settings = pairs(text);
        let scoped = npm_sources(&settings, "@grid/models");
        assert_eq!(
            (scoped.indexes, scoped.token),
            (vec!["http://grid.example/npm/".into()], Some("abc".into()))
        );
        let other = npm_sources(&settings, "left-pad");
        assert_eq!((other.indexes, other.token), (vec!["http://all.example/".into()], None));
    }

    #[test]
    fn nothing_configured_is_no_source() {
        assert_eq!(pip_sources(&pairs("[global]\ntimeout = 60\n")), Sources::default());
    }
}
