//! Pages of blocks: ids, kinds, chapter paths, flags and Markdown.
//!
//! Turns paragraphs into the blocks that are stored, searched and cited. Block ids are `p0085-b003`: the page, then the
//! place on it. Must not find anything out: kinds, chapters, tables and notes were decided before.

use regreader_model::{
    BlockId, BlockType, ContentBlock, PageDocument, PageNumber, RegId, TableMeta, TextOrigin,
};

use crate::flow::Sheet;
use crate::markdown;
use crate::paragraph::{Para, ParaKind};
use crate::structure::Tree;

/// The blocks' ids, one for each paragraph.
pub(crate) fn block_ids(paras: &[Para]) -> Vec<BlockId> {
    let mut page = usize::MAX;
    let mut order = 0;
    paras
        .iter()
        .map(|para| {
            order = if para.page == page { order + 1 } else { 0 };
            page = para.page;
            BlockId::new(format!("p{:04}-b{order:03}", PageNumber::from_index(page).get()))
        })
        .collect()
}

/// What the pages are made from.
pub(crate) struct Material<'a> {
    pub reg_id: &'a RegId,
    pub paras: &'a [Para],
    pub ids: &'a [BlockId],
    pub tree: &'a Tree,
    /// Segments of each table.
    pub metas: &'a [Vec<TableMeta>],
    /// Paragraphs that are part of a note.
    pub in_note: &'a [bool],
}

/// Makes every page, none missing, in order.
pub(crate) fn build(sheets: Vec<Sheet>, material: &Material<'_>) -> Vec<PageDocument> {
    let mut pages: Vec<PageDocument> = sheets
        .into_iter()
        .map(|sheet| PageDocument {
            reg_id: material.reg_id.clone(),
            page_num: sheet.page_num,
            page_label: sheet.label,
            chapter_path: Vec::new(),
            active_chapters: Vec::new(),
            content_blocks: Vec::new(),
            content_markdown: String::new(),
            continues_from_prev: false,
            continues_to_next: false,
            annotations: Vec::new(),
            origin: sheet.origin,
            size: sheet.size,
        })
        .collect();
    for at in 0..material.paras.len() {
        add_block(&mut pages, material, at);
    }
    for page in &mut pages {
        page.content_markdown = page_markdown(page);
    }
    pages
}

fn add_block(pages: &mut [PageDocument], material: &Material<'_>, at: usize) {
    let (Some(para), Some(id)) = (material.paras.get(at), material.ids.get(at)) else { return };
    if para.from_previous {
        let before = at.checked_sub(1).and_then(|i| material.paras.get(i)).map(|before| before.page);
        if let Some(page) = before.and_then(|page| pages.get_mut(page)) {
            page.continues_to_next = true;
        }
    }
    let Some(page) = pages.get_mut(para.page) else { return };
    page.continues_from_prev |= para.from_previous && page.content_blocks.is_empty();
    let owner = material.tree.owner.get(at).copied().flatten();
    let node = owner.and_then(|mark| material.tree.nodes.get(mark));
    let chapter_path = owner.map(|mark| material.tree.path(mark)).unwrap_or_default();
    if let Some(node) = node {
        if !page.active_chapters.contains(&node.node_id) {
            page.active_chapters.push(node.node_id.clone());
        }
        if page.active_chapters.len() == 1 {
            page.chapter_path.clone_from(&chapter_path);
        }
    }
    let (block_type, content_markdown, table_meta) = content(material, at, para);
    page.content_blocks.push(ContentBlock {
        block_id: id.clone(),
        block_type,
        order_in_page: page.content_blocks.len() as u32,
        content_markdown,
        chapter_path,
        chapter_node_id: node.map(|node| node.node_id.clone()),
        section_number: node.map(|node| node.section_number.clone()).filter(|n| !n.as_str().is_empty()),
        table_meta,
        bbox: para.bbox,
        lines: para.lines.clone(),
        confidence: para.confidence,
    });
}

fn content(material: &Material<'_>, at: usize, para: &Para) -> (BlockType, String, Option<TableMeta>) {
    let text = para.text.as_str();
    if material.in_note.get(at).copied().unwrap_or(false) {
        return (BlockType::Note, markdown::list_item(text), None);
    }
    match para.kind {
        ParaKind::Mark(mark) => {
            let level = material.tree.nodes.get(mark).map_or(1, |node| node.level);
            if material.tree.is_heading.get(mark).copied().unwrap_or(false) {
                (BlockType::Heading, markdown::heading(text, level), None)
            } else {
                (BlockType::SectionContent, markdown::paragraph(text), None)
            }
        }
        ParaKind::Text if para.from_previous && goes_on_from_clause(material, at) => {
            (BlockType::SectionContent, markdown::paragraph(text), None)
        }
        ParaKind::Text => (BlockType::Text, markdown::paragraph(text), None),
        ParaKind::List => (BlockType::List, markdown::list_item(text), None),
        ParaKind::Note => (BlockType::Note, markdown::paragraph(text), None),
        ParaKind::Caption => (BlockType::Caption, format!("**{text}**"), None),
        ParaKind::Code => (BlockType::Text, format!("```\n{text}\n```"), None),
        ParaKind::Picture => {
            let shown = if text.is_empty() { "[图]".to_owned() } else { format!("[图：{text}]") };
            (BlockType::Picture, shown, None)
        }
        ParaKind::Table { table, segment } => {
            let meta = material.metas.get(table).and_then(|list| list.get(segment)).cloned();
            let text = meta.as_ref().map(markdown::segment_markdown).unwrap_or_default();
            (BlockType::Table, text, meta)
        }
    }
}

/// The paragraph before, on the page before, is a clause of which this is the rest.
fn goes_on_from_clause(material: &Material<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|i| material.paras.get(i));
    matches!(before.map(|before| before.kind), Some(ParaKind::Mark(mark)) if !material.tree.is_heading.get(mark).copied().unwrap_or(true))
}

/// The page for a reader. A page that could not be read says so.
fn page_markdown(page: &PageDocument) -> String {
    let blocks: Vec<&str> = page.content_blocks.iter().map(|block| block.content_markdown.as_str()).collect();
    if blocks.is_empty() && page.origin == TextOrigin::NeedsOcr {
        return "> 本页没有可读取的文字（图像页），需要 OCR。".to_owned();
    }
    blocks.join("\n\n")
}
