//! What the program says of its own, in Chinese and in English: one catalogue for the command line, answers, errors, findings
//! and the web reader.
//!
//! Words of documents come in the language they have; everything around them comes from here, so that a line never mixes
//! two languages and a third one would be added in one place. A text without values is a [`Word`], a sentence with values
//! a function, so that the compiler checks that every value is given and stands in both languages. A text that is stored is
//! a [`Both`]: whoever reads it later may speak either language.
//!
//! Which language is spoken follows from the setting `language` ([`set_language`], called once by the program) and from
//! who listens:
//!
//! | | `auto` | `zh`, `en` |
//! |---|---|---|
//! | command line ([`interface`]) | the locale | that one |
//! | answers ([`answering`]) | the language of the question | that one |
//! | web reader | the reader's choice, else the browser's | the reader's choice, else that one |
//!
//! ```
//! use regreader_messages::{Language, answers, cli, interface};
//!
//! assert_eq!(interface(), Language::Chinese, "nobody has chosen");
//! assert_eq!(cli::indexed_one("angui_2024", 1, 3, 250), "索引 1/3: angui_2024（250 块）");
//! assert_eq!(Language::English.say(answers::SOURCES), "【Sources】");
//! assert_eq!(answers::undecided(Language::English, "units in service"), "the question does not say: units in service");
//! ```
//!
//! Prompts for language models and descriptions of tools are no messages: they are written for one reader, who knows both.

#[macro_use]
mod catalogue;

pub mod agents;
pub mod answers;
pub mod cli;
pub mod context;
pub mod errors;
pub mod findings;
pub mod tools;
pub mod web;

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

use serde::{Deserialize, Serialize};

pub use catalogue::{Both, Word};

/// A language of the interface, of a question or of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// 中文
    #[default]
    Chinese,
    /// English, and whatever is not Chinese.
    English,
}

impl Language {
    /// The short name used in settings, addresses and cookies.
    pub fn name(self) -> &'static str {
        self.choose("zh", "en")
    }

    /// The value of an HTML `lang` attribute.
    pub fn tag(self) -> &'static str {
        self.choose("zh-CN", "en")
    }

    /// The other language, for a switch.
    #[must_use]
    pub fn other(self) -> Self {
        self.choose(Self::English, Self::Chinese)
    }

    /// The language of a short name, a language tag or a locale: `zh`, `zh-CN`, `en_GB.UTF-8`.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let mut parts = tag.split(['-', '_', '.', '@', ';']);
        match parts.next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "zh" => Some(Self::Chinese),
            "en" => Some(Self::English),
            _ => None,
        }
    }

    /// One of two values.
    pub fn choose<T>(self, chinese: T, english: T) -> T {
        match self {
            Self::Chinese => chinese,
            Self::English => english,
        }
    }

    /// A word of the catalogue in this language.
    pub fn say(self, word: Word) -> &'static str {
        self.choose(word.0, word.1)
    }

    /// A sentence of the catalogue with its `{}` filled in, in order.
    pub fn fill(self, word: Word, values: &[&dyn fmt::Display]) -> String {
        let mut parts = self.say(word).split("{}");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for (part, value) in parts.zip(values) {
            text.push_str(&value.to_string());
            text.push_str(part);
        }
        text
    }
}

/// What was chosen, as `LANGUAGE + 1`; 0 while nothing is.
static CHOSEN: AtomicU8 = AtomicU8::new(0);
static LOCALE: AtomicU8 = AtomicU8::new(0);

/// Takes over the setting `language` (none for `auto`) and the language of the locale. Texts are made everywhere, down to
/// the errors of a library, so this is the one thing that a process has instead of passing it along.
pub fn set_language(setting: Option<Language>, locale: Option<Language>) {
    let code = |language: Option<Language>| language.map_or(0, |language| language as u8 + 1);
    CHOSEN.store(code(setting), Ordering::Relaxed);
    LOCALE.store(code(locale), Ordering::Relaxed);
}

/// The language that the setting names; none for `auto`.
pub fn chosen() -> Option<Language> {
    read(&CHOSEN)
}

/// The language of the command line and of errors: the setting's, else the locale's, else Chinese.
pub fn interface() -> Language {
    chosen().or_else(|| read(&LOCALE)).unwrap_or_default()
}

/// The language of an answer to a question in this language.
pub fn answering(asked: Language) -> Language {
    chosen().unwrap_or(asked)
}

fn read(stored: &AtomicU8) -> Option<Language> {
    match stored.load(Ordering::Relaxed) {
        0 => None,
        1 => Some(Language::Chinese),
        _ => Some(Language::English),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_names_a_language_or_none() {
        for (tag, language) in [
            ("zh", Some(Language::Chinese)),
            ("zh_CN.UTF-8", Some(Language::Chinese)),
            ("en-GB", Some(Language::English)),
            ("EN_us@euro", Some(Language::English)),
            ("C.UTF-8", None),
            ("", None),
            ("english", None),
        ] {
            assert_eq!(Language::from_tag(tag), language, "{tag}");
        }
    }

    /// The names of the values in a sentence, in order of the alphabet; one for each `{}`.
    fn values(text: &str) -> Vec<&str> {
        let mut names: Vec<&str> =
            text.split('{').skip(1).filter_map(|rest| rest.split(['}', ':']).next()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn every_entry_has_both_languages_with_the_same_values() {
        let words = [agents::ALL, answers::ALL, cli::ALL, context::ALL, errors::ALL, findings::ALL];
        let words = [words.concat(), [tools::ALL, web::ALL].concat()];
        let said =
            [agents::INTERFACE, cli::INTERFACE, context::INTERFACE, errors::INTERFACE, tools::INTERFACE];
        let given = [answers::SENTENCES, errors::SENTENCES, tools::SENTENCES, findings::BOTH];
        let entries = [words.concat(), said.concat(), given.concat()].concat();
        assert!(entries.len() > 500, "{}", entries.len());
        for (name, Word(zh, en)) in entries {
            assert!(!zh.is_empty() && !en.is_empty(), "{name}");
            assert_eq!(values(zh), values(en), "{name}");
            let has_han = |text: &str| text.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c));
            // The switch names the other language, and an English answer that finds nothing can be looked for by its
            // Chinese words.
            let is_meant = ["OTHER_LANGUAGE", "NOT_FOUND"].contains(&name);
            assert!(is_meant || !has_han(en), "English with Chinese in it: {name}");
        }
    }

    #[test]
    fn sentences_are_filled_in_order() {
        assert_eq!(Language::Chinese.fill(web::STITCHED, &[&"表1", &3, &4]), "表1：第 3 页 → 第 4 页");
        assert_eq!(Language::English.fill(web::PAGES_N, &[&12]), "12 pages");
    }
}
