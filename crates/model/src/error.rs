//! What can be asked for and not be there. Names and texts are those of the earlier system (its §10), so that whoever
//! matched on them still can.

use std::fmt;

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
        let near = |list: &[String]| (!list.is_empty()).then(|| format!("相近的有: {}", list.join("、")));
        match self {
            Self::RegulationNotFound { .. } => {
                Some("用 list_regulations (regreader list) 查看已入库的规程".into())
            }
            Self::PageNotFound { total_pages, .. } => Some(format!("该规程共 {total_pages} 页")),
            Self::InvalidPageRange { next, .. } => {
                next.map(|[start, end]| format!("请改读第 {start}–{end} 页，其余分次读取"))
            }
            Self::ChapterNotFound { candidates, .. } => {
                near(candidates).or_else(|| Some("用 get_toc (regreader toc) 查看目录".into()))
            }
            Self::AnnotationNotFound { candidates, .. } => {
                near(candidates).or_else(|| Some("用 search_annotations 查看全部注释".into()))
            }
            Self::TableNotFound { candidates, .. } => {
                near(candidates).or_else(|| Some("用 search_tables 查找表格".into()))
            }
            Self::BlockNotFound { .. } => Some("用 smart_search 取得 block_id".into()),
            Self::ReferenceResolution { candidates, .. } => {
                near(candidates).or_else(|| Some("用 get_toc (regreader toc) 查看目录".into()))
            }
            Self::InvalidId(_) => Some("规程标识形如 angui_2024".into()),
            Self::InvalidArgument { .. } => None,
        }
    }
}

impl fmt::Display for DomainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RegulationNotFound { reg_id } => write!(f, "规程不存在: {reg_id}"),
            Self::PageNotFound { reg_id, page_num, .. } => write!(f, "页面不存在: {reg_id} 第 {page_num} 页"),
            Self::InvalidPageRange { reason, .. } => write!(f, "无效页码范围: {reason}"),
            Self::ChapterNotFound { reg_id, section_number, .. } => {
                write!(f, "章节不存在: {reg_id} {section_number}")
            }
            Self::AnnotationNotFound { reg_id, annotation_id, .. } => {
                write!(f, "注释不存在: {reg_id} {annotation_id}")
            }
            Self::TableNotFound { reg_id, table_id, .. } => write!(f, "表格不存在: {reg_id} {table_id}"),
            Self::BlockNotFound { reg_id, block_id } => write!(f, "内容块不存在: {reg_id} {block_id}"),
            Self::ReferenceResolution { reference_text, .. } => write!(f, "无法解析引用: {reference_text}"),
            Self::InvalidId(error) => error.fmt(f),
            Self::InvalidArgument { name, reason } => write!(f, "参数 {name} 无效: {reason}"),
        }
    }
}

impl std::error::Error for DomainError {}

impl From<InvalidId> for DomainError {
    fn from(error: InvalidId) -> Self {
        Self::InvalidId(error)
    }
}
