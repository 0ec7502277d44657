//! What is indexed: one document per block, and in an index of their own one per logical table.

use regreader_model::{BlockId, BlockType, ClauseNumber, NodeId, PageNumber, RegId, TableId};
use serde::{Deserialize, Serialize};

/// Which document. Fusion joins the legs by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DocumentKey {
    /// Regulation that the document belongs to.
    pub reg_id: RegId,
    /// Page that the document stands on.
    pub page_num: PageNumber,
    /// Block that the document is, or stands in.
    pub block_id: BlockId,
}

/// Documents with their scores, best first.
pub type Scored = Vec<(DocumentKey, f32)>;

/// A block as the indexes see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexDocument {
    /// Key of the document.
    pub key: DocumentKey,
    /// Kind of block.
    pub block_type: BlockType,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Nodes from its own chapter up to the top.
    pub ancestry: Vec<NodeId>,
    /// Number of its clause.
    pub section_number: Option<ClauseNumber>,
    /// Logical table it is part of.
    pub table_id: Option<TableId>,
    /// The block's own text: what is matched, embedded and shown in snippets.
    pub text: String,
}

impl IndexDocument {
    /// What is embedded: the title of its chapter, then the text, at most `limit` characters.
    pub fn embedding_text(&self, limit: usize) -> String {
        let title = self.chapter_path.last().map_or("", String::as_str);
        // A heading's block says its title itself.
        let title = if self.text.contains(title) { "" } else { title };
        let joined = title.chars().chain(title.chars().next().map(|_| ' ')).chain(self.text.chars());
        joined.take(limit).collect()
    }
}
