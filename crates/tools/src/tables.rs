//! `get_table_by_id`: a whole table with its notes.

use std::io;

use regreader_assemble::{segment_markdown, table_markdown};
use regreader_messages::tools;
use regreader_model::{
    Annotation, Citation, CitationTarget, LogicalTable, PageNumber, ReferenceKind, RegulationInfo,
};
use regreader_store::RegulationReader;
use regreader_text::{beginning, find_references};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compare::data_rows;
use crate::notes::{AnnotationView, Hint, find_annotation};
use crate::places::table;
use crate::sheet::{caption_or_none, paged_rows};
use crate::tool::{Argument, Category, DAY, Gist, Phase, REGULATION, Tool, argument};
use crate::{Sheet, ToolError, Toolbox};

/// Arguments of `get_table_by_id`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetTable {
    /// 规程标识
    pub reg_id: String,
    /// 表格标识，或表号（表6-2）
    pub table_id: String,
    /// 合并跨页分段；false 时只取该分段
    #[serde(default = "crate::tool::yes")]
    pub include_merged: bool,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `get_table_by_id`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TableView {
    /// Regulation that the table belongs to.
    pub reg_id: String,
    /// Logical table (or segment).
    pub table_id: String,
    /// Caption of the table.
    pub caption: Option<String>,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Column headers.
    pub col_headers: Vec<String>,
    /// Header rows.
    pub header_rows: u32,
    /// Data rows in the whole table.
    pub row_count: u32,
    /// Number of columns.
    pub col_count: u32,
    /// Parts, page by page.
    pub segments: Vec<SegmentView>,
    /// Data rows shown, spans filled in, with their page.
    pub rows: Vec<TableRow>,
    /// The table as Markdown.
    pub markdown: String,
    /// Notes that belong to it or that its cells name.
    pub notes: Vec<AnnotationView>,
    /// What to cite.
    pub source: String,
    /// The same as data.
    #[serde(default)]
    pub cited: Citation,
    /// A cap cut rows off.
    pub truncated: bool,
    /// How to get the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// Part of a table on one page.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SegmentView {
    /// Page that the part stands on.
    pub page_num: PageNumber,
    /// Box on the page: left, top, right, bottom in points.
    pub bbox: Option<[f32; 4]>,
    /// Data rows that stand here.
    pub row_count: u32,
}

/// One data row.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TableRow {
    /// Page that the row stands on.
    pub page_num: PageNumber,
    /// Cells, spans filled in.
    pub cells: Vec<String>,
}

impl GetTable {
    /// A whole table by id or number.
    pub fn new(reg_id: impl Into<String>, table_id: impl Into<String>) -> Self {
        Self { reg_id: reg_id.into(), table_id: table_id.into(), include_merged: true, as_of: None }
    }
}

impl Tool for GetTable {
    const NAME: &'static str = "get_table_by_id";
    const COMMAND: &'static str = "get-table";
    const TITLE: &'static str = "完整表格";
    const DESCRIPTION: &'static str =
        "按 table_id 或表号（表6-2）取完整表格：各页分段、表头、单元格、Markdown 以及用到的注释。";
    const CATEGORY: Category = Category::Trace;
    const PHASE: Phase = Phase::Context;
    const HELP: &'static str = "Show a whole table with its notes (完整表格)";
    const ARGUMENTS: &'static [Argument] = &[
        REGULATION,
        argument("table_id", "TABLE", "Id or number (表6-2)"),
        argument("include_merged", "--segment", "Only the segment that is named, not the whole table"),
        DAY,
    ];
    type Response = TableView;

    /// A table by its id or number: all of it, or with `include_merged: false` only the segment that was named.
    fn run(&self, toolbox: &Toolbox) -> Result<TableView, ToolError> {
        let reader = toolbox.reader(&self.reg_id)?;
        let tables = reader.tables()?;
        let table = table(&tables, &self.table_id)?;
        let segment = (!self.include_merged).then(|| segment_index(table, &self.table_id));
        let mut rows = data_rows(table);
        let mut markdown = table_markdown(table);
        if let Some(part) = segment.and_then(|index| table.segments.get(index)) {
            // Grid rows of a segment count the header; data rows do not.
            let first = part.first_row.max(table.header_rows) - table.header_rows;
            let end = (part.first_row + part.row_count).max(table.header_rows) - table.header_rows;
            rows = rows.into_iter().skip(first as usize).take((end - first) as usize).collect();
            markdown = segment_of(&reader, part.page_num, part.segment_id.as_str())?.unwrap_or(markdown);
        }
        let max_rows = toolbox.options.max_items * 2;
        let truncated = rows.len() > max_rows || markdown.chars().count() > toolbox.options.max_chars;
        let next = truncated.then(|| {
            let pages: Vec<String> =
                table.segments.iter().map(|segment| segment.page_num.to_string()).collect();
            tools::table_long(pages.join("、"))
        });
        rows.truncate(max_rows);
        let cited = cite_table(reader.info(), table);
        Ok(TableView {
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
            markdown: beginning(&markdown, toolbox.options.max_chars),
            notes: notes_of(&reader, &toolbox.annotations(&reader)?, table)?,
            source: cited.to_string(),
            cited,
            truncated,
            next,
            edition_notice: toolbox.edition_notice(reader.info(), self.as_of.as_deref())?,
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        sheet.line(&sheet.bold(caption_or_none(response.caption.as_deref())))?;
        let rows = response.rows.iter().map(|row| (row.page_num, &row.cells));
        paged_rows(sheet, 0, &response.col_headers, rows)?;
        for note in &response.notes {
            sheet.line(&format!("{}：{}（P{}）", note.annotation_id, note.content, note.page_num))?;
        }
        sheet.line(&sheet.dim(&response.source))?;
        sheet.next(response.next.as_deref());
        Ok(())
    }

    fn gist(response: &Self::Response) -> Gist {
        Gist::place(&response.source, &response.markdown)
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

fn segment_view(table: &LogicalTable, segment: &regreader_model::TableSegment) -> SegmentView {
    let header_here = table.header_rows.saturating_sub(segment.first_row).min(segment.row_count);
    SegmentView {
        page_num: segment.page_num,
        bbox: segment.bbox.map(|bbox| [bbox.x0, bbox.y0, bbox.x1, bbox.y1]),
        row_count: segment.row_count - header_here,
    }
}

/// The notes bound to a table, and those its cells name, each once.
fn notes_of(
    reader: &RegulationReader,
    all: &[Annotation],
    table: &LogicalTable,
) -> Result<Vec<AnnotationView>, ToolError> {
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
