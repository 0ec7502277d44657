//! Words that must not be shown.

use std::fmt;

/// A key. It can be used and compared, and never be printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// There is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text, for a request header or a file that only its user can read, and nothing else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "(none)" } else { "***" })
    }
}

/// The text without the secrets, and without anything that looks like a key.
pub(crate) fn scrub<'a>(text: &str, secrets: impl IntoIterator<Item = &'a Secret>) -> String {
    let mut text = text.to_owned();
    for secret in secrets {
        // Shorter ones would blank out ordinary words, and are no keys.
        if secret.0.len() >= 4 {
            text = text.replace(&secret.0, "***");
        }
    }
    mask_keys(&text)
}

/// Masks `sk-…` and `Bearer …`: what a server may quote back at us.
fn mask_keys(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, mark)) = ["sk-", "Bearer ", "bearer "]
        .iter()
        .filter_map(|mark| rest.find(mark).map(|at| (at, mark.len())))
        .min()
    {
        let word = &rest[at + mark..];
        let end = word
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
            .unwrap_or(word.len());
        shown.push_str(&rest[..at + mark]);
        let own_word = at == 0 || !rest[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        shown.push_str(if end >= 8 && own_word { "***" } else { &word[..end] });
        rest = &word[end..];
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_survives() {
        let key = Secret::new("my-secret-key");
        assert_eq!(format!("{key:?}"), "***");
        assert_eq!(scrub("bad key my-secret-key!", [&key]), "bad key ***!");
        assert_eq!(scrub("Incorrect API key: sk-proj-abcdefgh1234.", []), "Incorrect API key: sk-***");
        assert_eq!(scrub("Authorization: Bearer abcdefghijk", []), "Authorization: Bearer ***");
        assert_eq!(scrub("a task-list and a disk-image", []), "a task-list and a disk-image");
    }
}
