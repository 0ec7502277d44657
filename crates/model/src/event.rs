//! What happened to an edition and when: adopted, published, put into force, replaced, abolished.
//!
//! Whether an edition is in force is never stored. It follows from the events for the day that is asked about
//! (`regreader-editions` computes it), so an event needs its date, what it concerns and where that is written.

use std::fmt;
use std::str::FromStr;

use regreader_messages::errors;
use serde::{Deserialize, Serialize};
use time::{Date, Month};

use crate::PageNumber;

/// One event in the life of an edition.
///
/// An event is recorded where its evidence is. A standard whose foreword says "代替 GB 38755—2010" carries
/// `{kind: replaced, subject: "GB 38755—2010", date: <its own effective date>}`: the event happened to the older
/// standard, which may not be in the library at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditionEvent {
    /// What happened.
    pub kind: EventKind,
    /// The day it happened or will happen. Absent when the document does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<CivilDate>,
    /// The document that it happened to, as printed, when that is not the edition that carries the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Who or what did it: the issuing body of a publication, the document that replaces this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The part that is concerned (clause numbers as printed); absent when it is the whole document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Where this is written.
    pub evidence: EventEvidence,
    /// When it was recorded, RFC 3339. Empty for what is read at ingest: the same file gives the same bytes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recorded_at: String,
}

/// Kinds of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Passed or approved (通过, 批准).
    Adopted,
    /// Made public (发布, 公布).
    Published,
    /// In force from this day (实施, 施行).
    Effective,
    /// Changed by a later document that leaves it in force (修正, 修改单).
    Amended,
    /// A later document took its place (代替, 替代).
    Replaced,
    /// A later document took the place of some of its clauses (部分代替).
    PartlyReplaced,
    /// Ended without a successor (废止).
    Abolished,
}

impl EventKind {
    /// All kinds, for help texts.
    pub const ALL: [Self; 7] = [
        Self::Adopted,
        Self::Published,
        Self::Effective,
        Self::Amended,
        Self::Replaced,
        Self::PartlyReplaced,
        Self::Abolished,
    ];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adopted => "adopted",
            Self::Published => "published",
            Self::Effective => "effective",
            Self::Amended => "amended",
            Self::Replaced => "replaced",
            Self::PartlyReplaced => "partly_replaced",
            Self::Abolished => "abolished",
        }
    }
}

/// Where an event is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum EventEvidence {
    /// A page of the document that carries the event.
    Page {
        /// The page.
        page_num: PageNumber,
        /// The words, as printed.
        text: String,
    },
    /// A person said so.
    Person {
        /// Why, or on what authority.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
    },
    /// The metadata given when the document was read, and the fields of older libraries.
    Metadata,
}

/// A day of the calendar, written `YYYY-MM-DD`.
///
/// ```
/// use regreader_model::CivilDate;
/// let day: CivilDate = "2024-01-31".parse().unwrap();
/// assert_eq!(day.to_string(), "2024-01-31");
/// assert!(day < "2024-02-01".parse().unwrap());
/// for bad in ["2024-1-31", "2024-02-30", "2023-02-29", "24-01-01", "2024-01-31T00:00:00Z", ""] {
///     assert!(bad.parse::<CivilDate>().is_err(), "{bad}");
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CivilDate(Date);

impl From<Date> for CivilDate {
    fn from(date: Date) -> Self {
        Self(date)
    }
}

/// A text that is not a day of the calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidDate(String);

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.0.chars().take(40).collect();
        f.write_str(&errors::bad_date(format_args!("{shown:?}")))
    }
}

impl std::error::Error for InvalidDate {}

impl CivilDate {
    /// A day that exists in the calendar.
    pub fn new(year: u32, month: u32, day: u32) -> Option<Self> {
        let (year, month, day) =
            (i32::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()?;
        (1000..=9999).contains(&year).then_some(Self(date))
    }

    /// The day on which an RFC 3339 moment falls, in that moment's own zone.
    pub fn of_moment(moment: &str) -> Option<Self> {
        moment.get(..10)?.parse().ok()
    }
}

impl fmt::Display for CivilDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.0.year(), u8::from(self.0.month()), self.0.day())
    }
}

impl FromStr for CivilDate {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        let error = || InvalidDate(text.to_owned());
        let shaped = text.len() == 10
            && text.bytes().enumerate().all(|(at, b)| match at {
                4 | 7 => b == b'-',
                _ => b.is_ascii_digit(),
            });
        if !shaped {
            return Err(error());
        }
        let mut parts = text.split('-').map(str::parse);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(Ok(year)), Some(Ok(month)), Some(Ok(day))) => Self::new(year, month, day).ok_or_else(error),
            _ => Err(error()),
        }
    }
}

impl Serialize for CivilDate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CivilDate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
