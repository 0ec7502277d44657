//! How the catalogue is written: `NAME = "中文", "English";` for a word, `name(value) = "中文 {value}", "English {value}";`
//! for a sentence. Sentences under `interface!` are in the language of the interface, those under `sentences!` take one,
//! and those under `both!` come in both, to be stored.

use std::fmt;

use crate::Language;

/// A word or sentence in Chinese and in English. Printed, it is in the language of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(pub &'static str, pub &'static str);

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(crate::interface().say(*self))
    }
}

impl From<Word> for String {
    fn from(word: Word) -> Self {
        word.to_string()
    }
}

/// A text in both languages, for what is stored: whoever reads it later may speak either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Both {
    /// The text in Chinese.
    pub chinese: String,
    /// The text in English.
    pub english: String,
}

impl Both {
    /// What is said in each language.
    pub fn of(said: impl Fn(Language) -> String) -> Self {
        Self { chinese: said(Language::Chinese), english: said(Language::English) }
    }

    /// The text in a language.
    pub fn said(&self, language: Language) -> &str {
        language.choose(&self.chinese, &self.english)
    }

    /// This and something else.
    #[must_use]
    pub fn and(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        Self {
            chinese: format!("{}；{}", self.chinese, other.chinese),
            english: format!("{}; {}", self.english, other.english),
        }
    }
}

impl From<Word> for Both {
    fn from(word: Word) -> Self {
        Self::of(|language| language.say(word).to_owned())
    }
}

/// What another program or library said, in whatever language it speaks.
impl From<String> for Both {
    fn from(text: String) -> Self {
        Self { chinese: text.clone(), english: text }
    }
}

impl fmt::Display for Both {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.said(crate::interface()))
    }
}

macro_rules! words {
    ($($name:ident = $zh:literal, $en:literal;)*) => {
        $(#[allow(missing_docs, reason = "the text says what it is")] pub const $name: $crate::Word = $crate::Word($zh, $en);)*
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, $crate::Word)] = &[$((stringify!($name), $name)),*];
    };
}

/// Sentences in the language of the interface.
macro_rules! interface {
    ($($name:ident($($value:ident),+) = $zh:literal, $en:literal;)*) => {
        $(#[allow(missing_docs, reason = "the text says what it is")]
        pub fn $name($($value: impl std::fmt::Display),+) -> String {
            match $crate::interface() {
                $crate::Language::Chinese => format!($zh),
                $crate::Language::English => format!($en),
            }
        })*
        #[cfg(test)]
        pub(crate) const INTERFACE: &[(&str, $crate::Word)] = &[$((stringify!($name), $crate::Word($zh, $en))),*];
    };
}

/// Sentences in a language that is given.
macro_rules! sentences {
    ($($name:ident($($value:ident),+) = $zh:literal, $en:literal;)*) => {
        $(#[allow(missing_docs, reason = "the text says what it is")]
        pub fn $name(language: $crate::Language, $($value: impl std::fmt::Display),+) -> String {
            match language {
                $crate::Language::Chinese => format!($zh),
                $crate::Language::English => format!($en),
            }
        })*
        #[cfg(test)]
        pub(crate) const SENTENCES: &[(&str, $crate::Word)] = &[$((stringify!($name), $crate::Word($zh, $en))),*];
    };
}

/// Sentences in both languages.
macro_rules! both {
    ($($name:ident($($value:ident),+) = $zh:literal, $en:literal;)*) => {
        $(#[allow(missing_docs, reason = "the text says what it is")]
        pub fn $name($($value: impl std::fmt::Display),+) -> $crate::Both {
            $crate::Both { chinese: format!($zh), english: format!($en) }
        })*
        #[cfg(test)]
        pub(crate) const BOTH: &[(&str, $crate::Word)] = &[$((stringify!($name), $crate::Word($zh, $en))),*];
    };
}
