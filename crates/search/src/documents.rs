//! The documents that a regulation is indexed by: one per block of its pages, and in an index of their own one per logical
//! table.

use std::collections::BTreeMap;

use regreader_index::{DocumentKey, IndexDocument};
use regreader_model::{
    Annotation, BlockId, BlockType, ContentBlock, DocumentStructure, LogicalTable, NodeId, PageDocument,
    PageNumber, TableRegistry,
};
use regreader_store::{RegulationReader, StoreError};
use regreader_text::fold;

/// All documents of a regulation, in reading order. Running heads and contents pages are not among them, because
/// assembly took them out of the pages.
pub(crate) fn blocks_of(reader: &RegulationReader) -> Result<Vec<IndexDocument>, StoreError> {
    let structure = reader.structure()?;
    let tables = reader.tables()?;
    let mut documents = Vec::new();
    for page in reader.all_pages() {
        documents.extend(documents_of_page(page?, &structure, &tables));
    }
    Ok(documents)
}

pub(crate) fn documents_of_page(
    page: PageDocument,
    structure: &DocumentStructure,
    tables: &TableRegistry,
) -> Vec<IndexDocument> {
    let document = |block: ContentBlock| {
        let table = block.table_meta.as_ref().and_then(|meta| tables.get(meta.table_id.as_str()));
        let caption = block.table_meta.as_ref().and_then(|meta| meta.caption.as_deref());
        IndexDocument {
            key: DocumentKey {
                reg_id: page.reg_id.clone(),
                page_num: page.page_num,
                block_id: block.block_id,
            },
            block_type: block.block_type,
            ancestry: block.chapter_node_id.as_ref().map(|id| ancestry(structure, id)).unwrap_or_default(),
            chapter_path: block.chapter_path,
            section_number: block.section_number,
            table_id: table.map(|table| table.table_id.clone()),
            text: with_caption(caption, block.content_markdown),
        }
    };
    let mut documents: Vec<IndexDocument> = page.content_blocks.into_iter().map(document).collect();
    add_loose_notes(&mut documents, &page.annotations);
    documents
}

/// The caption belongs to the table's text whether or not its Markdown repeats it.
fn with_caption(caption: Option<&str>, text: String) -> String {
    match caption {
        Some(caption) if !caption.is_empty() && !fold(&text).contains(&fold(caption)) => {
            format!("{caption}\n\n{text}")
        }
        _ => text,
    }
}

/// A note that stands in no block (libraries of the earlier system have such) is searched with the block it speaks
/// of, or else with the last one of its page.
fn add_loose_notes(documents: &mut [IndexDocument], notes: &[Annotation]) {
    let folded: Vec<String> = if notes.is_empty() {
        Vec::new()
    } else {
        documents.iter().map(|document| fold(&document.text)).collect()
    };
    for note in notes {
        let content = fold(&note.content);
        if content.is_empty() || folded.iter().any(|text| text.contains(&content)) {
            continue;
        }
        let place = |id: &BlockId| documents.iter().position(|document| document.key.block_id == *id);
        let at = note.block_id.iter().chain(&note.related_blocks).find_map(place);
        let at = at.or_else(|| documents.len().checked_sub(1));
        if let Some(document) = at.and_then(|at| documents.get_mut(at)) {
            let label = note.printed_label.as_deref().unwrap_or(&note.annotation_id);
            document.text = format!("{}\n\n{label}：{}", document.text, note.content);
        }
    }
}

/// One document per logical table of a regulation, in document order: caption, column headers, then every row. Its
/// block id is the table's id, its page the first one.
pub(crate) fn tables_of(reader: &RegulationReader) -> Result<Vec<IndexDocument>, StoreError> {
    let structure = reader.structure()?;
    let tables = reader.tables()?;
    let document = |table: &LogicalTable| {
        let page_num = table.page_range().map_or(PageNumber::FIRST, |(first, _)| first);
        let node = table.chapter_node_id.as_ref();
        IndexDocument {
            key: DocumentKey {
                reg_id: reader.reg_id().clone(),
                page_num,
                block_id: BlockId::new(table.table_id.as_str()),
            },
            block_type: BlockType::Table,
            chapter_path: table.chapter_path.clone(),
            ancestry: node.map(|id| ancestry(&structure, id)).unwrap_or_default(),
            section_number: table.section_number.clone(),
            table_id: Some(table.table_id.clone()),
            text: table_text(table),
        }
    };
    Ok(tables.tables.values().map(document).collect())
}

pub(crate) fn table_text(table: &LogicalTable) -> String {
    let mut lines = Vec::new();
    lines.extend(table.caption.clone());
    lines.push(table.col_headers.join(" | "));
    let mut rows: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for cell in
        table.cells.iter().filter(|cell| cell.row >= table.header_rows && !cell.content.trim().is_empty())
    {
        rows.entry(cell.row).or_default().push(cell.content.trim());
    }
    lines.extend(rows.into_values().map(|cells| cells.join(" | ")));
    lines.join("\n")
}

fn ancestry(structure: &DocumentStructure, id: &NodeId) -> Vec<NodeId> {
    structure.ancestors(id).map(|node| node.node_id.clone()).collect()
}
