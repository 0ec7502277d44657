//! The token file: names, roles and hashes of secrets.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use crate::{Caller, Role};

/// Separates this use of the hash from every other one.
const HASH_CONTEXT: &str = "regreader access token 2026-11-16";
/// Secrets begin with this, so that one that leaks into a log or a repository can be found by a search.
const SECRET_PREFIX: &str = "rr_";
/// Longer secrets are not ours and are not hashed.
const MAX_SECRET_BYTES: usize = 256;
/// A token file holds a few dozen lines.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Longest name of a token, in characters.
const MAX_NAME_CHARS: usize = 40;

/// A token file that cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The token file.
        path: PathBuf,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// The file is not a token file.
    #[error("{}: not a token file: {reason}", path.display())]
    Malformed {
        /// The token file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A name that is empty, too long or not printable.
    #[error("a token name has 1 to {MAX_NAME_CHARS} printable characters")]
    BadName,
    /// A token of this name exists.
    #[error("there is already a token named {name:?}")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// No token has this name.
    #[error("there is no token named {name:?}")]
    NotFound {
        /// The name.
        name: String,
    },
    /// A role that does not exist.
    #[error("there is no role {name:?}; use reader or editor")]
    UnknownRole {
        /// What was asked for.
        name: String,
    },
}

/// One named token. The hash tells nothing about the secret, which has 244 random bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenEntry {
    /// Who holds it; written into the audit log.
    pub name: String,
    /// What its holder may do.
    pub role: Role,
    /// Keyed blake3 of the secret, hex.
    pub hash: String,
    /// Date on which it was made.
    pub created: String,
}

/// The contents of a token file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenFile {
    /// The tokens, in the order in which they were made.
    pub tokens: Vec<TokenEntry>,
}

impl TokenFile {
    /// Reads a token file. One that does not exist has no tokens.
    pub fn load(path: &Path) -> Result<Self, AccessError> {
        let io = |source| AccessError::Io { path: path.to_owned(), source };
        let malformed = |reason: String| AccessError::Malformed { path: path.to_owned(), reason };
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(io(error)),
            Ok(metadata) if metadata.len() > MAX_FILE_BYTES => return Err(malformed("too large".to_owned())),
            Ok(_) => {}
        }
        let bytes = fs::read(path).map_err(io)?;
        let file: Self = serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
        if file.tokens.iter().any(|token| !is_name(&token.name) || !is_hash(&token.hash)) {
            return Err(malformed("a token without a proper name or hash".to_owned()));
        }
        Ok(file)
    }

    /// Makes a token and gives its secret, which cannot be had again.
    pub fn add(path: &Path, name: &str, role: Role, date: &str) -> Result<String, AccessError> {
        let name = name.trim();
        if !is_name(name) {
            return Err(AccessError::BadName);
        }
        let mut file = Self::load(path)?;
        if file.tokens.iter().any(|token| token.name == name) {
            return Err(AccessError::NameTaken { name: name.to_owned() });
        }
        let random = || uuid::Uuid::new_v4().simple().to_string();
        let secret = format!("{SECRET_PREFIX}{}{}", random(), random());
        file.tokens.push(TokenEntry {
            name: name.to_owned(),
            role,
            hash: hash(&secret),
            created: date.to_owned(),
        });
        file.save(path)?;
        Ok(secret)
    }

    /// Removes a token. Servers that watch the file turn its holder away from the next request on.
    pub fn remove(path: &Path, name: &str) -> Result<(), AccessError> {
        let mut file = Self::load(path)?;
        let before = file.tokens.len();
        file.tokens.retain(|token| token.name != name);
        if file.tokens.len() == before {
            return Err(AccessError::NotFound { name: name.chars().take(MAX_NAME_CHARS).collect() });
        }
        file.save(path)
    }

    /// The caller whose secret this is. Every token is compared, each in constant time, so that the time taken tells
    /// nothing about which one came near.
    pub fn caller(&self, secret: &str) -> Option<Caller> {
        if secret.len() > MAX_SECRET_BYTES {
            return None;
        }
        let given = hash(secret);
        let mut found = None;
        for token in &self.tokens {
            if bool::from(token.hash.as_bytes().ct_eq(given.as_bytes())) {
                found = Some(Caller { name: token.name.clone(), role: token.role });
            }
        }
        found
    }

    /// Replaces the file in one step; readable by its owner alone.
    fn save(&self, path: &Path) -> Result<(), AccessError> {
        let io = |source| AccessError::Io { path: path.to_owned(), source };
        let mut bytes = serde_json::to_vec_pretty(self).map_err(|error| io(error.into()))?;
        bytes.push(b'\n');
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(io)?;
        }
        let draft = path.with_extension(format!("{}.new", std::process::id()));
        let write = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true);
            #[cfg(unix)]
            {
                use std::os::unix::fs::OpenOptionsExt as _;
                options.mode(0o600);
            }
            let mut file = options.open(&draft)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&draft, path)
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&draft);
            io(error)
        })
    }
}

fn hash(secret: &str) -> String {
    blake3::Hash::from(blake3::derive_key(HASH_CONTEXT, secret.as_bytes())).to_hex().to_string()
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= MAX_NAME_CHARS && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_shown_once_and_stored_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let reader = TokenFile::add(&path, "调度台", Role::Reader, "2026-11-16").unwrap();
        let editor = TokenFile::add(&path, "编辑", Role::Editor, "2026-11-16").unwrap();
        assert_ne!(reader, editor);
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains(&reader) && !text.contains(&editor));
        let file = TokenFile::load(&path).unwrap();
        assert_eq!(file.caller(&reader), Some(Caller { name: "调度台".to_owned(), role: Role::Reader }));
        assert!(file.caller(&editor).is_some_and(|caller| caller.role.may_edit()));
        assert_eq!(file.caller(&format!("{reader}x")), None);
        assert_eq!(file.caller(""), None);
        assert_eq!(file.caller(&"x".repeat(1 << 20)), None);
    }

    #[test]
    fn names_are_unique_and_a_removed_token_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let secret = TokenFile::add(&path, "a", Role::Reader, "").unwrap();
        assert!(matches!(TokenFile::add(&path, "a", Role::Editor, ""), Err(AccessError::NameTaken { .. })));
        for bad in ["", "  ", "a\nb", &"x".repeat(41)] {
            assert!(matches!(TokenFile::add(&path, bad, Role::Reader, ""), Err(AccessError::BadName)));
        }
        TokenFile::remove(&path, "a").unwrap();
        assert_eq!(TokenFile::load(&path).unwrap().caller(&secret), None);
        assert!(matches!(TokenFile::remove(&path, "a"), Err(AccessError::NotFound { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        TokenFile::add(&path, "a", Role::Reader, "").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_torn_file_is_an_error_and_never_an_open_door() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        for torn in [
            "",
            "{",
            "{\"tokens\":[{}]}",
            r#"{"tokens":[{"name":"a","role":"reader","hash":"","created":""}]}"#,
        ] {
            fs::write(&path, torn).unwrap();
            assert!(matches!(TokenFile::load(&path), Err(AccessError::Malformed { .. })), "{torn}");
        }
    }
}
