//! Citations: `[来源: 安规2024 P85 表6-2]`.
//!
//! A citation stays a [`Citation`] from the tool that found the place to the answer that shows it. It becomes text in this
//! file only, so that the page, the mark of an estimated page and the target are printed the same way everywhere.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{PageNumber, RegId, RegulationInfo};

/// Where a statement stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Citation {
    /// Regulation. None when the name was written by a person or a model and no regulation has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reg_id: Option<RegId>,
    /// Name to print: alias or title.
    pub name: String,
    /// Page. None when it is not known; then none is printed, because a guessed page sends a reader to the wrong place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_num: Option<PageNumber>,
    /// Last page, when the citation covers several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_page: Option<PageNumber>,
    /// Page numbers of this regulation are estimates, and the citation says so.
    #[serde(default, skip_serializing_if = "is_false")]
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
    /// A note by its label (`注1`), with the table it belongs to (`表6-2 注1`).
    Annotation(String),
}

impl Citation {
    /// The citation of a page of a regulation.
    pub fn of(info: &RegulationInfo, page: Option<PageNumber>, target: Option<CitationTarget>) -> Self {
        Self {
            reg_id: Some(info.reg_id.clone()),
            name: info.short_name().to_owned(),
            page_num: page,
            last_page: None,
            page_approximate: info.pages_approximate,
            target,
        }
    }

    /// The same place on another page, for a clause or table that runs over several.
    #[must_use]
    pub fn at_page(&self, page: Option<PageNumber>) -> Self {
        Self { page_num: page, last_page: None, ..self.clone() }
    }

    /// The citation over several pages.
    #[must_use]
    pub fn up_to(mut self, last: PageNumber) -> Self {
        self.last_page = Some(last).filter(|last| Some(*last) != self.page_num);
        self
    }

    /// The same pages with another target.
    #[must_use]
    pub fn with_target(&self, target: CitationTarget) -> Self {
        Self { target: Some(target), ..self.clone() }
    }

    /// Whether it names nothing at all: a statement of a model that gave no source.
    pub fn is_empty(&self) -> bool {
        self.name.is_empty()
    }

    /// The text without its brackets, as it stands in a list of sources: `安规2024 P85 表6-2`.
    pub fn place(&self) -> impl fmt::Display + '_ {
        Place(self)
    }
}

impl fmt::Display for Citation {
    /// ```
    /// use regreader_model::{Citation, CitationTarget, PageNumber};
    /// let citation = Citation {
    ///     reg_id: Some("angui_2024".parse().unwrap()),
    ///     name: "安规2024".into(),
    ///     page_num: PageNumber::new(85),
    ///     target: Some(CitationTarget::Table("6-2".into())),
    ///     ..Citation::default()
    /// };
    /// assert_eq!(citation.to_string(), "[来源: 安规2024 P85 表6-2]");
    /// assert_eq!(citation.place().to_string(), "安规2024 P85 表6-2");
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() { Ok(()) } else { write!(f, "[来源: {}]", Place(self)) }
    }
}

/// The one place that prints a citation.
struct Place<'a>(&'a Citation);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(citation) = self;
        f.write_str(&citation.name)?;
        if let Some(page) = citation.page_num {
            write!(f, " P{page}")?;
            if let Some(last) = citation.last_page.filter(|last| *last != page) {
                write!(f, "–{last}")?;
            }
            if citation.page_approximate {
                f.write_str("（约）")?;
            }
        }
        match &citation.target {
            Some(target) => write!(f, " {target}"),
            None => Ok(()),
        }
    }
}

impl CitationTarget {
    /// Reads a target as people write it: `表6-2`, `注1`, `表6-2 注1`, `2.1.4`. It prints as it was read.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        match text.strip_prefix('表') {
            _ if text.is_empty() => None,
            _ if text.contains(['注', '案']) => Some(Self::Annotation(text.to_owned())),
            Some(number) if !number.starts_with(char::is_whitespace) => Some(Self::Table(number.to_owned())),
            _ => Some(Self::Clause(text.to_owned())),
        }
    }
}

impl fmt::Display for CitationTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(number) => write!(f, "表{number}"),
            Self::Clause(number) | Self::Annotation(number) => f.write_str(number),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clause(label: &str, approximate: bool) -> Citation {
        Citation {
            name: "REL-901".into(),
            page_num: PageNumber::new(4),
            page_approximate: approximate,
            target: CitationTarget::read(label),
            ..Citation::default()
        }
    }

    #[test]
    fn another_page_changes_the_page_alone() {
        let next = clause("Part 2.1", true).at_page(PageNumber::new(5));
        assert_eq!(next.to_string(), "[来源: REL-901 P5（约） Part 2.1]");
    }

    #[test]
    fn an_unknown_page_is_not_printed() {
        assert_eq!(clause("2.1", true).at_page(None).to_string(), "[来源: REL-901 2.1]");
    }

    #[test]
    fn targets_print_as_they_were_read() {
        for text in ["表6-2", "表6-2 注1", "注①", "方案甲", "2.1.4", "Part 2.1", "表 6-2", "附录B"]
        {
            assert_eq!(CitationTarget::read(text).unwrap().to_string(), text);
        }
        assert_eq!(CitationTarget::read("表6-2"), Some(CitationTarget::Table("6-2".into())));
        assert_eq!(CitationTarget::read(" "), None);
    }

    #[test]
    fn several_pages_keep_the_mark_of_estimated_pages() {
        let citation = Citation { target: None, ..clause("x", true) }.up_to(PageNumber::new(6).unwrap());
        assert_eq!(citation.to_string(), "[来源: REL-901 P4–6（约）]");
    }
}
