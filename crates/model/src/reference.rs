//! References from one place to another, and what they lead to.

use serde::{Deserialize, Serialize};

use crate::{BlockId, NodeId, PageNumber, RegId, TableId};

/// What kind of place a reference names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceKind {
    /// 第六章
    Chapter,
    /// 2.1.4 条, 第2.1.4条, 2.1.4
    Section,
    /// 第十三条
    Article,
    /// 表6-2
    Table,
    /// 图3
    Figure,
    /// 注1
    Annotation,
    /// 方案甲
    Plan,
    /// 附录A
    Appendix,
    /// A regulation as a whole: 《…规定》 with no place in it.
    Regulation,
}

/// What a reference names, as written: not yet a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReferenceTarget {
    /// What kind of place.
    pub kind: ReferenceKind,
    /// Its canonical number or label for its kind (`6`, `2.1.4`, `13`, `6-2`, `注1`, `A`); empty for `Regulation`.
    pub number: String,
    /// Title of another regulation, when the text names one in 《》 or by alias.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regulation: Option<String>,
}

/// A place in the library that can be opened and cited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// The regulation.
    pub reg_id: RegId,
    /// The page.
    pub page_num: PageNumber,
    /// The chapter node, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// The logical table, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_id: Option<TableId>,
    /// The note's canonical label, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotation_id: Option<String>,
    /// The block that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_id: Option<BlockId>,
}

/// What became of a reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum Resolution {
    /// It leads here.
    Resolved {
        /// The place.
        location: Location,
    },
    /// It names another regulation: resolved against the library when it is asked for, since that one may come or go.
    External,
    /// There is no such place.
    Unresolved {
        /// The nearest places that do exist, best first, as a reader would write them.
        candidates: Vec<String>,
    },
}

/// One reference found in the text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The words as printed (`见表6-2`).
    pub text: String,
    /// Page on which it stands.
    pub page_num: PageNumber,
    /// Block in which it stands.
    pub block_id: BlockId,
    /// Grid row of the block's table, when it stands in a cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u32>,
    /// Grid column of the block's table, when it stands in a cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub col: Option<u32>,
    /// What it names.
    pub target: ReferenceTarget,
    /// What it leads to.
    pub resolution: Resolution,
}

/// All references of a regulation, in document order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceGraph {
    /// The regulation.
    pub reg_id: RegId,
    /// The references.
    pub references: Vec<Reference>,
}
