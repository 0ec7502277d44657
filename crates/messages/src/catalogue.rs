//! How the catalogue is written: `NAME = "中文", "English";` for a word, `name(value) = "中文 {value}", "English {value}";`
//! for a sentence. Sentences of a module that begins with `interface;` are in the language of the interface, the others
//! take one.

use std::fmt;

/// A word or sentence in Chinese and in English. Printed, it is in the language of the interface.
#[derive(Debug, Clone, Copy)]
pub struct Word(pub &'static str, pub &'static str);

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(crate::interface().say(*self))
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
    };
}
