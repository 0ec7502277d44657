//! Citations: `[来源: 安规2024 P85 表6-2]`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{PageNumber, RegId};

/// Where a statement stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Citation {
    /// Regulation.
    pub reg_id: RegId,
    /// Name to print: alias or title.
    pub name: String,
    /// Page.
    pub page_num: PageNumber,
    /// Page numbers of this regulation are estimates, and the citation says so.
    #[serde(default)]
    pub page_approximate: bool,
    /// Table, clause or note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<CitationTarget>,
}

/// What on the page is cited, as a reader would write it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "label")]
pub enum CitationTarget {
    /// A table by its number (`6-2`).
    Table(String),
    /// A clause by its number (`2.1.4`).
    Clause(String),
    /// A note by its label (`注1`).
    Annotation(String),
}

impl fmt::Display for Citation {
    /// ```
    /// use regreader_model::{Citation, CitationTarget, PageNumber};
    /// let citation = Citation {
    ///     reg_id: "angui_2024".parse().unwrap(),
    ///     name: "安规2024".into(),
    ///     page_num: PageNumber::new(85).unwrap(),
    ///     page_approximate: false,
    ///     target: Some(CitationTarget::Table("6-2".into())),
    /// };
    /// assert_eq!(citation.to_string(), "[来源: 安规2024 P85 表6-2]");
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[来源: {} P{}", self.name, self.page_num)?;
        if self.page_approximate {
            f.write_str("（约）")?;
        }
        match &self.target {
            Some(CitationTarget::Table(number)) => write!(f, " 表{number}]"),
            Some(CitationTarget::Clause(number) | CitationTarget::Annotation(number)) => {
                write!(f, " {number}]")
            }
            None => f.write_str("]"),
        }
    }
}
