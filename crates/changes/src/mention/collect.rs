//! A regulation as a list of folded texts with their places.

use std::collections::HashMap;

use regreader_model::{Annotation, BlockType, ContentBlock, PageDocument, TableMeta, TextOrigin};
use regreader_text::{beginning, fold};

use super::{Item, Reason, RegulationTexts};
use crate::clause::{EditionText, corners};
use crate::record::Place;

/// Characters on each side of a page break that are looked at together. Longer than any name.
const OVER: usize = 40;
/// Characters of a text shown as its title.
const TITLE: usize = 40;

impl RegulationTexts {
    /// Folds every block, cell and note of a regulation.
    pub fn new(edition: &EditionText<'_>) -> Self {
        let mut texts =
            Self { reg_id: edition.info.reg_id.to_string(), items: Vec::new(), unreadable: Vec::new() };
        let mut before: Option<(&PageDocument, &ContentBlock)> = None;
        for page in edition.pages {
            if matches!(page.origin, TextOrigin::NeedsOcr) {
                texts.unreadable.push(page.page_num.get());
            }
            let notes: HashMap<&str, &Annotation> = page
                .annotations
                .iter()
                .filter_map(|note| Some((note.block_id.as_ref()?.as_str(), note)))
                .collect();
            for block in &page.content_blocks {
                match &block.table_meta {
                    Some(meta) => texts.table(edition, page, block, meta),
                    None => texts.block(page, block, notes.get(block.block_id.as_str()).copied()),
                }
            }
            let mut running = page.content_blocks.iter().filter(|block| block.table_meta.is_none());
            if let (Some((last_page, last)), Some(first)) = (before, running.next()) {
                texts.over_break(last_page, last, first);
            }
            let last = page.content_blocks.iter().rfind(|block| block.table_meta.is_none());
            before = last.map(|block| (page, block));
        }
        texts
    }

    fn place(&self, page: &PageDocument, block: &ContentBlock) -> Place {
        Place {
            reg_id: self.reg_id.clone(),
            clause: block.section_number.as_ref().map(ToString::to_string),
            page: page.page_num.get(),
            block_id: Some(block.block_id.to_string()),
            bbox: block.bbox.map(corners),
            ..Place::default()
        }
    }

    fn push(&mut self, block: &ContentBlock, text: &str, place: Place, reason: Reason) {
        let folded = fold(text);
        if !folded.trim().is_empty() {
            let node = block.chapter_node_id.as_ref().map(ToString::to_string);
            self.items.push(Item { folded, text: text.to_owned(), place, reason, node, over: None });
        }
    }

    fn block(&mut self, page: &PageDocument, block: &ContentBlock, note: Option<&Annotation>) {
        let text = block.content_markdown.trim_start_matches('#').trim();
        let reason = match block.block_type {
            BlockType::Heading => Reason::Heading,
            BlockType::Caption => Reason::Caption,
            BlockType::Note => Reason::Note,
            _ => Reason::Named,
        };
        let mut place = self.place(page, block);
        place.title = Some(beginning(text, TITLE));
        place.note = note.map(|note| note.annotation_id.clone());
        self.push(block, text, place, reason);
    }

    /// A segment of a table: caption, header and cells. A cell is shown with its row.
    fn table(
        &mut self,
        edition: &EditionText<'_>,
        page: &PageDocument,
        block: &ContentBlock,
        meta: &TableMeta,
    ) {
        let logical = edition.tables.get(meta.table_id.as_str());
        let place = Place {
            title: meta.caption.clone(),
            table: logical.map(|table| table.number.clone().unwrap_or_else(|| table.table_id.to_string())),
            table_id: logical.map(|table| table.table_id.to_string()),
            ..self.place(page, block)
        };
        if let Some(caption) = &meta.caption {
            self.push(block, caption, place.clone(), Reason::Caption);
        }
        for (col, header) in meta.col_headers.iter().enumerate() {
            let place = Place { col: Some(col as u32), column: Some(header.clone()), ..place.clone() };
            self.push(block, header, place, Reason::ColumnHeader);
        }
        let keys = key_columns(meta);
        let first_data =
            meta.cells.iter().filter(|cell| !cell.is_header).map(|cell| cell.row).min().unwrap_or(0);
        let offset = logical
            .and_then(|table| table.segments.iter().find(|segment| segment.segment_id == meta.table_id))
            .map_or(0, |segment| {
                segment.first_row.saturating_sub(logical.map_or(0, |table| table.header_rows))
            });
        for cell in meta.cells.iter().filter(|cell| !cell.is_header) {
            let row: Vec<&str> = (0..meta.col_count)
                .filter_map(|col| meta.cell_at(cell.row, col))
                .map(|cell| cell.content.as_str())
                .collect();
            let place = Place {
                row: Some(offset + cell.row - first_data.min(cell.row)),
                row_label: row.iter().take(keys.max(1) as usize).map(|text| (*text).to_owned()).collect(),
                col: Some(cell.col),
                column: meta.col_headers.get(cell.col as usize).cloned(),
                bbox: cell.bbox.or(block.bbox).map(corners),
                ..place.clone()
            };
            let reason = if cell.col < keys { Reason::RowKey } else { Reason::Cell };
            self.push(block, &cell.content, place, reason);
            if let Some(item) = self.items.last_mut().filter(|_| !cell.content.trim().is_empty()) {
                item.text = row.join(" | ");
            }
        }
    }

    /// A name may be broken between two pages.
    fn over_break(&mut self, page: &PageDocument, last: &ContentBlock, first: &ContentBlock) {
        let head: String = first.content_markdown.chars().take(OVER).collect();
        let skip = last.content_markdown.chars().count().saturating_sub(OVER);
        let tail: String = last.content_markdown.chars().skip(skip).collect();
        let tail = tail.trim_end();
        let text = format!("{tail}{}", head.trim_start());
        let over = fold(tail).len();
        let folded = fold(&text);
        if folded.is_char_boundary(over) {
            let place = self.place(page, last);
            let node = last.chapter_node_id.as_ref().map(ToString::to_string);
            self.items.push(Item { folded, text, place, reason: Reason::Named, node, over: Some(over) });
        }
    }
}

/// How many leading columns name the rows: those before the first column of numbers, the first one in any case.
fn key_columns(meta: &TableMeta) -> u32 {
    let is_numeric = |col: u32| {
        let cells =
            meta.cells.iter().filter(|cell| !cell.is_header && cell.col == col && !cell.content.is_empty());
        let (mut all, mut numeric) = (0_usize, 0_usize);
        for cell in cells {
            all += 1;
            numeric += usize::from(fold(&cell.content).starts_with(|c: char| c.is_ascii_digit() || c == '-'));
        }
        all > 0 && numeric * 2 > all
    };
    (1..meta.col_count).find(|col| is_numeric(*col)).unwrap_or(1).max(1)
}
