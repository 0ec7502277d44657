//! `get_table_by_id`: a whole table with its notes.

use regreader_assemble::{segment_markdown, table_markdown};
use regreader_model::{
    Annotation, Citation, CitationTarget, LogicalTable, PageNumber, ReferenceKind, RegulationInfo,
};
use regreader_store::RegulationReader;
use regreader_text::{beginning, find_references};

use crate::compare::data_rows;
use crate::notes::{Hint, find_annotation};
use crate::places::table;
use crate::requests as rq;
use crate::results as rs;
use crate::{ToolError, Toolbox};

impl Toolbox {
    /// A table by its id or number: all of it, or with `include_merged: false` only the segment that was named.
    pub fn get_table_by_id(&self, request: &rq::GetTable) -> Result<rs::TableView, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        let tables = reader.tables()?;
        let table = table(&tables, &request.table_id)?;
        let segment = (!request.include_merged).then(|| segment_index(table, &request.table_id));
        let mut rows = data_rows(table);
        let mut markdown = table_markdown(table);
        if let Some(part) = segment.and_then(|index| table.segments.get(index)) {
            // Grid rows of a segment count the header; data rows do not.
            let first = part.first_row.max(table.header_rows) - table.header_rows;
            let end = (part.first_row + part.row_count).max(table.header_rows) - table.header_rows;
            rows = rows.into_iter().skip(first as usize).take((end - first) as usize).collect();
            markdown = segment_of(&reader, part.page_num, part.segment_id.as_str())?.unwrap_or(markdown);
        }
        let max_rows = self.options.max_items * 2;
        let truncated = rows.len() > max_rows || markdown.chars().count() > self.options.max_chars;
        let next = truncated.then(|| {
            let pages: Vec<String> =
                table.segments.iter().map(|segment| segment.page_num.to_string()).collect();
            format!("表格很长：用 read_page_range 按页读取（第 {} 页）", pages.join("、"))
        });
        rows.truncate(max_rows);
        let cited = cite_table(reader.info(), table);
        Ok(rs::TableView {
            reg_id: reader.reg_id().to_string(),
            table_id: table.table_id.to_string(),
            caption: table.caption.clone(),
            chapter_path: table.chapter_path.clone(),
            col_headers: table.col_headers.clone(),
            header_rows: table.header_rows,
            row_count: table.row_count,
            col_count: table.col_count,
            segments: table.segments.iter().map(|segment| segment_view(table, segment)).collect(),
            rows,
            markdown: beginning(&markdown, self.options.max_chars),
            notes: notes_of(&reader, &self.annotations(&reader)?, table)?,
            source: cited.to_string(),
            cited: rs::Cited(cited),
            truncated,
            next,
            edition_notice: self.edition_notice(reader.info(), request.as_of.as_deref())?,
        })
    }
}

/// A table's first page, with its number or, when it has none, the clause it stands in.
pub(crate) fn cite_table(info: &RegulationInfo, table: &LogicalTable) -> Citation {
    let clause = || table.section_number.as_ref().map(|number| CitationTarget::Clause(number.to_string()));
    let target = table.number.clone().map(CitationTarget::Table).or_else(clause);
    Citation::of(info, table.page_range().map(|(first, _)| first), target)
}

fn segment_index(table: &LogicalTable, name: &str) -> usize {
    table.segments.iter().position(|segment| segment.segment_id.as_str() == name).unwrap_or(0)
}

fn segment_of(
    reader: &RegulationReader,
    page: PageNumber,
    segment_id: &str,
) -> Result<Option<String>, ToolError> {
    let page = reader.page(page)?;
    let metas = page.content_blocks.iter().filter_map(|block| block.table_meta.as_ref());
    Ok(metas.into_iter().find(|meta| meta.table_id.as_str() == segment_id).map(segment_markdown))
}

fn segment_view(table: &LogicalTable, segment: &regreader_model::TableSegment) -> rs::SegmentView {
    let header_here = table.header_rows.saturating_sub(segment.first_row).min(segment.row_count);
    rs::SegmentView {
        page_num: segment.page_num.get(),
        bbox: segment.bbox.map(|bbox| [bbox.x0, bbox.y0, bbox.x1, bbox.y1]),
        row_count: segment.row_count - header_here,
    }
}

/// The notes bound to a table, and those its cells name, each once.
fn notes_of(
    reader: &RegulationReader,
    all: &[Annotation],
    table: &LogicalTable,
) -> Result<Vec<rs::AnnotationView>, ToolError> {
    let mut labels: Vec<String> = table.notes.clone();
    for cell in &table.cells {
        for mention in find_references(&cell.content) {
            if matches!(mention.target.kind, ReferenceKind::Annotation | ReferenceKind::Plan)
                && !labels.contains(&mention.target.number)
            {
                labels.push(mention.target.number);
            }
        }
    }
    let hint = Hint {
        page: table.page_range().map(|(_, last)| last),
        table: Some(table.table_id.clone()),
        node: table.chapter_node_id.clone(),
    };
    let mut notes = Vec::new();
    for label in labels {
        match find_annotation(reader, all, &label, &hint) {
            Ok(note) => notes.push(note),
            // A cell that names a note which does not exist is the quality report's business.
            Err(ToolError::Domain(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(notes)
}
