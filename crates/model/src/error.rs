//! What can be asked for and not be there. Names and texts are those of the earlier system (its §10), so that whoever
//! matched on them still can.

use std::fmt;

use regreader_messages::tools;

use crate::{InvalidId, PageNumber, RegId};

/// A question about the library that has no answer, with the text to print and a hint for the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DomainError {
    /// No such regulation.
    RegulationNotFound {
        /// What was asked for.
        reg_id: RegId,
    },
    /// No such page.
    PageNotFound {
        /// Regulation in which the page was looked for.
        reg_id: RegId,
        /// Page that was asked for.
        page_num: PageNumber,
        /// How many pages it has.
        total_pages: u32,
    },
    /// Page range that is empty, reversed or too long.
    InvalidPageRange {
        /// What is wrong, for a person.
        reason: String,
        /// The range to ask for instead.
        next: Option<[u32; 2]>,
    },
    /// No such chapter or clause.
    ChapterNotFound {
        /// Regulation in which the chapter was looked for.
        reg_id: RegId,
        /// What was asked for.
        section_number: String,
        /// The nearest that exist.
        candidates: Vec<String>,
    },
    /// No such note.
    AnnotationNotFound {
        /// Regulation in which the note was looked for.
        reg_id: RegId,
        /// What was asked for.
        annotation_id: String,
        /// The nearest that exist.
        candidates: Vec<String>,
    },
    /// No such table.
    TableNotFound {
        /// Regulation in which the table was looked for.
        reg_id: RegId,
        /// What was asked for.
        table_id: String,
        /// The nearest that exist.
        candidates: Vec<String>,
    },
    /// No such block.
    BlockNotFound {
        /// Regulation in which the block was looked for.
        reg_id: RegId,
        /// What was asked for.
        block_id: String,
    },
    /// A reference that cannot be read, or leads nowhere.
    ReferenceResolution {
        /// Its words.
        reference_text: String,
        /// The nearest places that exist.
        candidates: Vec<String>,
    },
    /// An id that is not one.
    InvalidId(InvalidId),
    /// Any other argument that makes no sense.
    InvalidArgument {
        /// Name of the argument, for example `query` or `limit`.
        name: &'static str,
        /// Why the value is not accepted, for a person.
        reason: String,
    },
}

impl DomainError {
    /// The class name of the earlier system: stable, for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RegulationNotFound { .. } => "RegulationNotFoundError",
            Self::PageNotFound { .. } => "PageNotFoundError",
            Self::InvalidPageRange { .. } => "InvalidPageRangeError",
            Self::ChapterNotFound { .. } => "ChapterNotFoundError",
            Self::AnnotationNotFound { .. } => "AnnotationNotFoundError",
            Self::TableNotFound { .. } => "TableNotFoundError",
            Self::BlockNotFound { .. } => "BlockNotFoundError",
            Self::ReferenceResolution { .. } => "ReferenceResolutionError",
            Self::InvalidId(_) => "InvalidIdError",
            Self::InvalidArgument { .. } => "InvalidArgumentError",
        }
    }

    /// What to do next, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        let near = |list: &[String]| (!list.is_empty()).then(|| tools::near(list.join("、")));
        match self {
            Self::RegulationNotFound { .. } => Some(tools::SEE_REGULATIONS.to_string()),
            Self::PageNotFound { total_pages, .. } => Some(tools::has_pages(total_pages)),
            Self::InvalidPageRange { next, .. } => next.map(|[start, end]| tools::read_instead(start, end)),
            Self::ChapterNotFound { candidates, .. } => {
                near(candidates).or_else(|| Some(tools::SEE_CONTENTS.to_string()))
            }
            Self::AnnotationNotFound { candidates, .. } => {
                near(candidates).or_else(|| Some(tools::SEE_NOTES.to_string()))
            }
            Self::TableNotFound { candidates, .. } => {
                near(candidates).or_else(|| Some(tools::SEE_TABLES.to_string()))
            }
            Self::BlockNotFound { .. } => Some(tools::SEE_BLOCKS.to_string()),
            Self::ReferenceResolution { candidates, .. } => {
                near(candidates).or_else(|| Some(tools::SEE_CONTENTS.to_string()))
            }
            Self::InvalidId(_) => Some(tools::ID_FORM.to_string()),
            Self::InvalidArgument { .. } => None,
        }
    }
}

impl fmt::Display for DomainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::RegulationNotFound { reg_id } => tools::no_regulation(reg_id),
            Self::PageNotFound { reg_id, page_num, .. } => tools::no_page(reg_id, page_num),
            Self::InvalidPageRange { reason, .. } => tools::bad_range(reason),
            Self::ChapterNotFound { reg_id, section_number, .. } => tools::no_chapter(reg_id, section_number),
            Self::AnnotationNotFound { reg_id, annotation_id, .. } => tools::no_note(reg_id, annotation_id),
            Self::TableNotFound { reg_id, table_id, .. } => tools::no_table(reg_id, table_id),
            Self::BlockNotFound { reg_id, block_id } => tools::no_block(reg_id, block_id),
            Self::ReferenceResolution { reference_text, .. } => tools::no_reference(reference_text),
            Self::InvalidId(error) => error.to_string(),
            Self::InvalidArgument { name, reason } => tools::bad_argument(name, reason),
        })
    }
}

impl std::error::Error for DomainError {}

impl From<InvalidId> for DomainError {
    fn from(error: InvalidId) -> Self {
        Self::InvalidId(error)
    }
}
