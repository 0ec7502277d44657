//! What is indexed: one document per block, plus one per logical table.

use regreader_model::{BlockId, BlockType, ClauseNumber, NodeId, PageNumber, RegId, TableId};
use regreader_store::RegulationReader;
use serde::{Deserialize, Serialize};

use crate::IndexError;

/// Which document. Fusion joins the legs by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DocumentKey {
    /// Regulation.
    pub reg_id: RegId,
    /// Page.
    pub page_num: PageNumber,
    /// Block.
    pub block_id: BlockId,
}

/// A block as the indexes see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexDocument {
    /// Which.
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

/// All documents of a regulation, in reading order. Running heads and contents pages are not among them, because
/// assembly took them out of the pages.
pub fn documents_of(reader: &RegulationReader) -> Result<Vec<IndexDocument>, IndexError> {
    let structure = reader.structure()?;
    let tables = reader.tables()?;
    let mut documents = Vec::new();
    for page in reader.all_pages() {
        let page = page?;
        for block in page.content_blocks {
            let ancestry = block
                .chapter_node_id
                .iter()
                .flat_map(|id| structure.ancestors(id))
                .map(|node| node.node_id.clone())
                .collect();
            let table_id = block
                .table_meta
                .as_ref()
                .and_then(|meta| tables.get(meta.table_id.as_str()))
                .map(|table| table.table_id.clone());
            documents.push(IndexDocument {
                key: DocumentKey {
                    reg_id: page.reg_id.clone(),
                    page_num: page.page_num,
                    block_id: block.block_id,
                },
                block_type: block.block_type,
                chapter_path: block.chapter_path,
                ancestry,
                section_number: block.section_number,
                table_id,
                text: block.content_markdown,
            });
        }
    }
    Ok(documents)
}
