//! What a search finds.

use serde::{Deserialize, Serialize};

use crate::{BlockId, BlockType, ClauseNumber, PageNumber, RegId, TableId};

/// One hit: a block on a page, with enough to cite it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// Regulation this hit belongs to.
    pub reg_id: RegId,
    /// Physical page the hit stands on.
    pub page_num: PageNumber,
    /// Titles down to the block's chapter.
    pub chapter_path: Vec<String>,
    /// The words around the match, marked with `**`.
    pub snippet: String,
    /// Comparable over all regulations of one search; greater is better.
    pub score: f64,
    /// Block. None when hits were collapsed to pages.
    pub block_id: Option<BlockId>,
    /// Kind of block.
    pub block_type: Option<BlockType>,
    /// Number of the clause.
    pub section_number: Option<ClauseNumber>,
    /// Logical table, when the block is part of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_id: Option<TableId>,
    /// Which leg found it.
    pub source: SearchSource,
}

/// Which leg of the search found a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchSource {
    /// Keyword search: the words of the query occur in the text.
    Keyword,
    /// Vector search: the text is close to the query in meaning.
    Vector,
    /// Both keyword and vector search.
    Hybrid,
}
