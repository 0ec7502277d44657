//! From the header of a request to the caller.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use subtle::ConstantTimeEq as _;

use crate::{Caller, Role, TokenFile};

/// A request without a token that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Denied;

/// Decides who a request comes from. Share it between threads in an `Arc`; a token that is added to or removed from the
/// file counts from the next request on.
#[derive(Debug)]
pub struct Gate {
    /// The one token of the settings. Its holder may do everything, as before there were roles.
    setting: Option<String>,
    file: Option<PathBuf>,
    loaded: RwLock<Loaded>,
}

/// The file as it was last read.
#[derive(Debug, Default)]
struct Loaded {
    stamp: Option<Stamp>,
    /// None when the file cannot be read: then nobody is let in by it.
    tokens: Option<Arc<TokenFile>>,
}

type Stamp = (SystemTime, u64);

impl Gate {
    /// A gate that knows one token from the settings, the tokens of a file, both, or neither. With neither, everybody
    /// is let in as [`Caller::LOCAL`]; whoever listens off loopback must check [`Self::asks_for_token`] first.
    pub fn new(setting: Option<String>, file: Option<PathBuf>) -> Self {
        let setting = setting.filter(|token| !token.is_empty());
        Self { setting, file, loaded: RwLock::default() }
    }

    /// A gate that lets everybody in.
    pub fn open() -> Self {
        Self::new(None, None)
    }

    /// Whether a request needs a token. A token file that exists closes the gate even when it is empty or torn.
    pub fn asks_for_token(&self) -> bool {
        self.setting.is_some() || self.file.as_deref().is_some_and(|path| stamp(path).is_some())
    }

    /// The caller that an `Authorization` header names.
    pub fn authorize(&self, header: Option<&str>) -> Result<Caller, Denied> {
        if !self.asks_for_token() {
            return Ok(Caller { name: Caller::LOCAL.to_owned(), role: Role::Editor });
        }
        let secret = header
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, secret)| secret.trim())
            .ok_or(Denied)?;
        self.identify(secret)
    }

    /// The caller whose secret this is, wherever it was sent: the web reader keeps it in a cookie.
    pub fn identify(&self, secret: &str) -> Result<Caller, Denied> {
        if let Some(setting) = &self.setting
            && bool::from(setting.as_bytes().ct_eq(secret.as_bytes()))
        {
            return Ok(Caller { name: Caller::SETTING.to_owned(), role: Role::Editor });
        }
        self.tokens().and_then(|tokens| tokens.caller(secret)).ok_or(Denied)
    }

    /// The tokens of the file, read again when it has changed.
    fn tokens(&self) -> Option<Arc<TokenFile>> {
        let path = self.file.as_deref()?;
        let now = stamp(path);
        {
            let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
            if loaded.stamp == now && now.is_some() {
                return loaded.tokens.clone();
            }
        }
        let tokens = now.and_then(|_| TokenFile::load(path).ok()).map(Arc::new);
        let mut loaded = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        *loaded = Loaded { stamp: now, tokens: tokens.clone() };
        tokens
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bearer(secret: &str) -> String {
        format!("bearer {secret}")
    }

    #[test]
    fn without_tokens_everybody_is_local() {
        let caller = Gate::open().authorize(None).unwrap();
        assert_eq!((caller.name.as_str(), caller.role), (Caller::LOCAL, Role::Editor));
        assert!(!Gate::open().asks_for_token());
        assert!(!Gate::new(Some(String::new()), None).asks_for_token());
    }

    #[test]
    fn the_token_of_the_settings_and_those_of_the_file_both_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let gate = Gate::new(Some("long-random-word".to_owned()), Some(path.clone()));
        assert!(gate.authorize(Some("Bearer long-random-word")).is_ok());
        for bad in
            [None, Some(""), Some("long-random-word"), Some("Basic long-random-word"), Some("Bearer x")]
        {
            assert_eq!(gate.authorize(bad), Err(Denied), "{bad:?}");
        }
        let secret = TokenFile::add(&path, "网页", Role::Reader, "").unwrap();
        assert_eq!(gate.authorize(Some(&bearer(&secret))).unwrap().name, "网页");
        TokenFile::remove(&path, "网页").unwrap();
        assert_eq!(gate.authorize(Some(&bearer(&secret))), Err(Denied));
    }

    #[test]
    fn a_torn_token_file_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        fs::write(&path, "{").unwrap();
        let gate = Gate::new(None, Some(path));
        assert!(gate.asks_for_token());
        assert_eq!(gate.authorize(Some("Bearer x")), Err(Denied));
        assert_eq!(gate.authorize(None), Err(Denied));
    }
}
