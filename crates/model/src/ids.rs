//! Identifiers. Each is its own type so that a page is never taken for a row count, and a regulation id never for a
//! path.

use std::borrow::Borrow;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;

use regreader_messages::{Word, errors};
use serde::{Deserialize, Serialize};

/// A string that does not fit the identifier it was meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidId {
    what: Word,
    value: String,
    rule: Word,
}

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value may be hostile and long: show its beginning only, with control characters escaped.
        let shown: String = self.value.chars().take(80).collect();
        f.write_str(&errors::bad_id(self.what, format_args!("{shown:?}"), self.rule))
    }
}

impl std::error::Error for InvalidId {}

/// Names one regulation in a library, for example `angui_2024`.
///
/// Letters, digits, `_`, `.` and `-`, beginning with a letter or digit, at most 64 characters: it is used as a folder
/// name, so nothing that could be a path, a hidden file, a staging folder or a reserved device name gets through.
///
/// ```
/// use regreader_model::RegId;
/// assert!("angui_2024".parse::<RegId>().is_ok());
/// for bad in ["", "../etc", "a/b", ".hidden", "安规", "a\0b", "CON", "x.", "a..b"] {
///     assert!(bad.parse::<RegId>().is_err(), "{bad:?}");
/// }
/// ```
///
/// Every hit, key and citation has one, so that copies share their text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegId(Arc<str>);

impl RegId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RegId {
    type Err = InvalidId;

    fn from_str(value: &str) -> Result<Self, InvalidId> {
        let error = || InvalidId { what: errors::REG_ID, value: value.to_owned(), rule: errors::ID_RULE };
        let first_is_plain = value.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
        let all_allowed = value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
        let path_like = value.contains("..") || value.ends_with('.');
        let stem = value.split('.').next().unwrap_or(value);
        if !first_is_plain || !all_allowed || value.len() > 64 || path_like || is_windows_device(stem) {
            return Err(error());
        }
        Ok(Self(value.into()))
    }
}

/// Names that Windows opens as devices whatever their extension; a library may be carried to such a machine.
fn is_windows_device(stem: &str) -> bool {
    let upper = stem.to_ascii_uppercase();
    matches!(upper.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || (upper.len() == 4
            && (upper.starts_with("COM") || upper.starts_with("LPT"))
            && upper.ends_with(|c: char| c.is_ascii_digit()))
}

impl Serialize for RegId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RegId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = String::deserialize(deserializer)?;
        value.parse().map_err(serde::de::Error::custom)
    }
}

impl TryFrom<&str> for RegId {
    type Error = InvalidId;

    fn try_from(value: &str) -> Result<Self, InvalidId> {
        value.parse()
    }
}

/// A physical page, counted from 1. What is printed on the page is its label, never this.
///
/// ```
/// use regreader_model::PageNumber;
/// let page = PageNumber::new(85).unwrap();
/// assert_eq!(page.to_string(), "85");
/// assert_eq!(page.next().get(), 86);
/// assert!(PageNumber::new(0).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageNumber(NonZeroU32);

impl PageNumber {
    /// The first page of any document.
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// Page `number`; none for 0.
    pub fn new(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// The page at a zero-based position.
    pub fn from_index(index: usize) -> Self {
        let number = u32::try_from(index).unwrap_or(u32::MAX - 1) + 1;
        Self(NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN))
    }

    /// The number, from 1.
    pub fn get(self) -> u32 {
        self.0.get()
    }

    /// The zero-based position.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The page after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for PageNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a name that our own code made or a stored file held.
            pub fn new(value: impl Into<String>) -> Self {
                Self(value.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    };
}

text_id! {
    /// One block of a page, unique within its regulation and stable over re-ingest of the same file.
    BlockId
}
text_id! {
    /// One table, or one segment of a table on one page, unique within its regulation.
    TableId
}
text_id! {
    /// One node of the chapter tree, unique within its regulation.
    NodeId
}
text_id! {
    /// A clause number in canonical form, as `regreader-text` writes it: `2.1.4`, `第6章`, `第13条`, `附录A`, `A.1`,
    /// `R1`. Two ways of printing the same number have one `ClauseNumber`.
    ClauseNumber
}

macro_rules! as_text {
    ($($name:ident),*) => { $(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    )* };
}

as_text!(RegId, BlockId, TableId, NodeId, ClauseNumber);
