//! Where a setting's value comes from.

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use regreader_model::hide_passwords;

use super::{DEFINITIONS, Definition};

/// The layer that a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Given on the command line.
    Flag,
    /// An environment variable.
    Environment(String),
    /// A settings file.
    File(PathBuf),
    /// Nobody set it.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("flag"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// No setting has this name.
    #[error("unknown setting `{name}` ({origin})")]
    Unknown {
        /// What was written.
        name: String,
        /// Where the unknown name was found.
        origin: Origin,
    },
    /// The value does not fit.
    #[error("setting `{name}` cannot be `{value}` ({origin}): {reason}")]
    BadValue {
        /// Name of the setting.
        name: &'static str,
        /// What was written; stars for a secret.
        value: String,
        /// Where the value came from.
        origin: Origin,
        /// Why it does not fit.
        reason: String,
    },
    /// A file that is not TOML, or not flat.
    #[error("{}: {reason}", path.display())]
    BadFile {
        /// Settings file that cannot be used.
        path: PathBuf,
        /// What is wrong with the file.
        reason: String,
    },
}

impl SettingsError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown { name, .. } => match nearest(name) {
                Some(near) => format!("did you mean `{near}`? `regreader config show` lists all settings"),
                None => "`regreader config show` lists all settings".to_owned(),
            },
            Self::BadValue { name, .. } => {
                let definition = DEFINITIONS.iter().find(|definition| definition.name == *name);
                match definition {
                    Some(d) if !d.choices.is_empty() => format!("one of {}", d.choices.join(", ")),
                    Some(d) => format!("the default is `{}`", d.default),
                    None => String::new(),
                }
            }
            Self::BadFile { .. } => {
                "a settings file holds lines like `data_dir = \"/srv/regreader\"`".to_owned()
            }
        }
    }
}

/// All layers, read once.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    flags: BTreeMap<String, String>,
    environment: BTreeMap<&'static str, (String, String)>,
    files: Vec<(PathBuf, BTreeMap<String, String>)>,
}

impl Layers {
    /// Reads environment and files of this process and puts the flags on top.
    pub fn read(flags: Vec<(String, String)>) -> Result<Self, SettingsError> {
        let variables = DEFINITIONS.iter().filter_map(|definition| {
            let plain = definition.variable();
            let legacy = plain.replacen("REGREADER_", "GRIDCODE_", 1);
            [plain, legacy].into_iter().find_map(|name| {
                let value = env::var(&name).ok()?;
                Some((definition.name, (name, value)))
            })
        });
        let paths = [Some(PathBuf::from("regreader.toml")), user_file()];
        let mut files = Vec::new();
        for path in paths.into_iter().flatten() {
            if let Some(values) = read_file(&path)? {
                files.push((path, values));
            }
        }
        Self::from_parts(flags, variables.collect(), files)
    }

    /// Layers from given parts, strongest file first.
    pub fn from_parts(
        flags: Vec<(String, String)>,
        environment: BTreeMap<&'static str, (String, String)>,
        files: Vec<(PathBuf, BTreeMap<String, String>)>,
    ) -> Result<Self, SettingsError> {
        let layers = Self { flags: flags.into_iter().collect(), environment, files };
        let from_flags = layers.flags.keys().map(|name| (name, Origin::Flag));
        let from_files = layers
            .files
            .iter()
            .flat_map(|(path, values)| values.keys().map(|name| (name, Origin::File(path.clone()))));
        for (name, origin) in from_flags.chain(from_files) {
            if !DEFINITIONS.iter().any(|definition| definition.name == name) {
                return Err(SettingsError::Unknown { name: name.clone(), origin });
            }
        }
        Ok(layers)
    }

    /// A setting's text and where it came from. Unknown names have no value.
    pub fn text(&self, name: &str) -> Option<(String, Origin)> {
        let definition = DEFINITIONS.iter().find(|definition| definition.name == name)?;
        let (value, origin) = self.written(definition);
        // Shown and used alike: the folder that the empty value stands for.
        if name == "data_dir" && value.is_empty() {
            return Some((super::default_library().display().to_string(), Origin::Default));
        }
        Some((value, origin))
    }

    /// What the strongest layer says.
    fn written(&self, definition: &Definition) -> (String, Origin) {
        let name = definition.name;
        if let Some(value) = self.flags.get(name) {
            return (value.clone(), Origin::Flag);
        }
        if let Some((variable, value)) = self.environment.get(name) {
            return (value.clone(), Origin::Environment(variable.clone()));
        }
        for (path, values) in &self.files {
            if let Some(value) = values.get(name) {
                return (value.clone(), Origin::File(path.clone()));
            }
        }
        (definition.default.to_owned(), Origin::Default)
    }

    /// A setting's value, parsed and checked against its choices.
    pub fn value<T>(&self, name: &'static str) -> Result<T, SettingsError>
    where
        T: FromStr,
        T::Err: fmt::Display,
    {
        let (text, origin) = self.text(name).unwrap_or_else(|| (String::new(), Origin::Default));
        let definition = DEFINITIONS.iter().find(|definition| definition.name == name);
        let bad = |reason: String| SettingsError::BadValue {
            name,
            value: shown(definition, &text),
            origin: origin.clone(),
            reason,
        };
        if definition.is_some_and(|d| !d.choices.is_empty() && !d.choices.contains(&text.as_str())) {
            return Err(bad("not one of its choices".to_owned()));
        }
        text.parse().map_err(|error: T::Err| bad(error.to_string()))
    }
}

/// A value as it may be shown: stars for a secret that is set, and for the password in an address.
pub fn shown(definition: Option<&Definition>, value: &str) -> String {
    if definition.is_some_and(|d| d.secret) && !value.is_empty() {
        "****".to_owned()
    } else {
        hide_passwords(value)
    }
}

/// The user's own settings file, where the platform keeps such files.
pub fn user_file() -> Option<PathBuf> {
    let folder = env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("APPDATA").map(PathBuf::from))
        .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".config")))?;
    Some(folder.join("regreader").join("regreader.toml"))
}

fn read_file(path: &Path) -> Result<Option<BTreeMap<String, String>>, SettingsError> {
    let bad = |reason: String| SettingsError::BadFile { path: path.to_owned(), reason };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(bad(error.to_string())),
    };
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| bad(error.to_string()))?;
    let mut values = BTreeMap::new();
    for (name, value) in table {
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(flag) => flag.to_string(),
            _ => return Err(bad(format!("`{name}` must be a plain value, not a table or list"))),
        };
        values.insert(name, text);
    }
    Ok(Some(values))
}

fn nearest(name: &str) -> Option<&'static str> {
    DEFINITIONS
        .iter()
        .map(|definition| (distance(name, definition.name), definition.name))
        .filter(|(distance, known)| *distance <= known.len() / 3 + 1)
        .min()
        .map(|(_, known)| known)
}

/// Levenshtein distance over bytes; names of settings are ASCII and short.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn file(name: &str, pairs: &[(&str, &str)]) -> (PathBuf, BTreeMap<String, String>) {
        (PathBuf::from(name), pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
    }

    #[test]
    fn the_strongest_layer_wins_and_is_named() {
        let environment = BTreeMap::from([("rrf_k", ("REGREADER_RRF_K".to_owned(), "10".to_owned()))]);
        let files = vec![
            file("project.toml", &[("rrf_k", "20"), ("search_top_k", "5")]),
            file("user.toml", &[("search_top_k", "7"), ("mcp_port", "9000")]),
        ];
        let flags = vec![("fts_weight".to_owned(), "0.9".to_owned())];
        let layers = Layers::from_parts(flags, environment, files).unwrap();
        let settings = Settings::resolve(&layers).unwrap();
        assert_eq!((settings.rrf_k, settings.search_top_k, settings.mcp_port), (10, 5, 9000));
        assert!((settings.fts_weight - 0.9).abs() < 1e-9);
        assert_eq!(layers.text("rrf_k").unwrap().1, Origin::Environment("REGREADER_RRF_K".into()));
        assert_eq!(layers.text("mcp_port").unwrap().1, Origin::File("user.toml".into()));
        assert_eq!(layers.text("mcp_host").unwrap(), ("127.0.0.1".into(), Origin::Default));
    }

    #[test]
    fn a_misspelt_name_is_refused_with_the_right_one() {
        let flags = vec![("data_dri".to_owned(), "x".to_owned())];
        let error = Layers::from_parts(flags, BTreeMap::new(), vec![]).unwrap_err();
        assert!(error.hint().contains("`data_dir`"), "{}", error.hint());
    }

    #[test]
    fn a_bad_value_is_refused_and_a_secret_never_printed() {
        let flags = vec![("fusion".to_owned(), "magic".to_owned())];
        let layers = Layers::from_parts(flags, BTreeMap::new(), vec![]).unwrap();
        let error = Settings::resolve(&layers).unwrap_err();
        assert!(error.to_string().contains("`fusion` cannot be `magic`"), "{error}");
        assert!(error.hint().contains("rrf"));
        let secret = DEFINITIONS.iter().find(|definition| definition.name == "llm_api_key");
        assert_eq!(shown(secret, "sk-123"), "****");
        assert_eq!(shown(None, "http://ann:pw@host:6333"), "http://***@host:6333");
    }

    #[test]
    fn a_model_is_set_by_a_key_or_an_address() {
        let settings = |url: &str| {
            let flags = vec![("llm_base_url".to_owned(), url.to_owned())];
            Settings::resolve(&Layers::from_parts(flags, BTreeMap::new(), vec![]).unwrap()).unwrap()
        };
        assert!(
            !settings("https://api.anthropic.com").has_llm(),
            "the default address without a key is no model"
        );
        assert!(settings("http://127.0.0.1:11434/v1").has_llm(), "a local server needs no key");
    }

    #[test]
    fn every_default_fits_its_own_setting() {
        let layers = Layers::from_parts(vec![], BTreeMap::new(), vec![]).unwrap();
        Settings::resolve(&layers).unwrap();
    }
}
