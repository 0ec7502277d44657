//! `compare_sections`: two chapters side by side, within a regulation or between two editions, on the engine that compares
//! whole editions.

use std::io;

use regreader_changes::{ChangeKind, ChangeRecord, DiffOptions, Place, diff};
use regreader_messages::{Word, tools};
use regreader_model::{ChapterNode, LogicalTable, PageNumber};
use regreader_store::RegulationReader;
use regreader_text::beginning;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::changes::WholeEdition;
use crate::places::section;
use crate::sheet::{caption_or_none, range};
use crate::tables::TableRow;
use crate::tool::{Argument, Category, Phase, REGULATION, Tool, argument};
use crate::{Sheet, ToolError, Toolbox};

/// Steps of a comparison, as they are told.
const STEPS: usize = 3;
/// Characters of one clause shown.
const MAX_CLAUSE: usize = 600;

/// Arguments of `compare_sections`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareSections {
    /// 甲所在的规程标识
    pub reg_id: String,
    /// 甲：章节编号或标题
    pub section_a: String,
    /// 乙：章节编号或标题；不填则与甲同名
    pub section_b: Option<String>,
    /// 乙所在的规程标识；不填则与甲同一规程
    pub reg_id_b: Option<String>,
    /// 同时逐格对比表格
    #[serde(default = "crate::tool::yes")]
    pub include_tables: bool,
}

/// Result of `compare_sections`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// First side.
    pub a: SideView,
    /// Second side.
    pub b: SideView,
    /// Clauses that are the same.
    pub same: u32,
    /// Clauses that differ.
    pub changed: Vec<ChangedClause>,
    /// Clauses only in a.
    pub only_in_a: Vec<ClauseView>,
    /// Clauses only in b.
    pub only_in_b: Vec<ClauseView>,
    /// Tables that differ.
    pub tables: Vec<TableDifference>,
    /// A cap cut something off.
    pub truncated: bool,
}

/// One side of a comparison.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SideView {
    /// Regulation that the compared chapter belongs to.
    pub reg_id: String,
    /// Number of the compared chapter.
    pub section_number: String,
    /// Title of the compared chapter.
    pub title: String,
    /// First and last page.
    pub page_range: [PageNumber; 2],
}

/// A clause on one side.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ClauseView {
    /// Number of the clause.
    pub section_number: String,
    /// Page that the clause stands on.
    pub page_num: PageNumber,
    /// Text of the clause.
    pub text: String,
}

/// A clause that differs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChangedClause {
    /// In a.
    pub a: ClauseView,
    /// In b.
    pub b: ClauseView,
    /// The words that differ: `[-old-]{+new+}` in their sentence.
    pub words: String,
}

/// A table that differs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TableDifference {
    /// Table in a.
    pub table_a: Option<String>,
    /// Table in b.
    pub table_b: Option<String>,
    /// Caption of the table.
    pub caption: Option<String>,
    /// Cells that differ.
    pub cells: Vec<CellDifference>,
    /// Rows only in a.
    pub rows_only_in_a: Vec<TableRow>,
    /// Rows only in b.
    pub rows_only_in_b: Vec<TableRow>,
}

/// A cell that differs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CellDifference {
    /// First cells of the row, to recognise it.
    pub row: String,
    /// Column header.
    pub column: String,
    /// In a.
    pub a: String,
    /// In b.
    pub b: String,
    /// Page in a.
    pub page_a: PageNumber,
    /// Page in b.
    pub page_b: PageNumber,
}

impl CompareSections {
    /// The same chapter of two editions.
    pub fn editions(new: impl Into<String>, old: impl Into<String>, section: impl Into<String>) -> Self {
        Self {
            reg_id: new.into(),
            section_a: section.into(),
            section_b: None,
            reg_id_b: Some(old.into()),
            include_tables: true,
        }
    }
}

impl Tool for CompareSections {
    const NAME: &'static str = "compare_sections";
    const COMMAND: &'static str = "compare-sections";
    const TITLE: &'static str = "章节对比";
    const DESCRIPTION: &'static str = "对比两个章节（可在不同规程或版本之间）：逐条对齐，给出相同、修改（含改动的字词）、仅在甲、仅在乙，表格逐格对比。";
    const CATEGORY: Category = Category::Discover;
    const PHASE: Phase = Phase::Discovery;
    const HELP: &'static str = "Compare two chapters, also of two editions (章节对比)";
    const ARGUMENTS: &'static [Argument] = &[
        REGULATION,
        argument("section_a", "SECTION_A", "First chapter"),
        argument("section_b", "[SECTION_B]", "Second chapter; the same as the first when not given"),
        argument(
            "reg_id_b",
            "--reg-b REG_ID",
            "Regulation of the second chapter; the same as the first when not given",
        ),
        argument("include_tables", "--no-tables", "Leave tables out"),
    ];
    type Response = Comparison;

    /// What differs between two chapters.
    fn run(&self, toolbox: &Toolbox) -> Result<Comparison, ToolError> {
        let reader_a = toolbox.reader(&self.reg_id)?;
        let reader_b = toolbox.reader(self.reg_id_b.as_deref().unwrap_or(&self.reg_id))?;
        let name_b = self.section_b.as_deref().unwrap_or(&self.section_a);
        let (structure_a, structure_b) = (reader_a.structure()?, reader_b.structure()?);
        let node_a = section(&structure_a, &self.section_a)?;
        let node_b = section(&structure_b, name_b)?;

        let step = |doing: Word, done| toolbox.tell(|| doing.into(), done, STEPS);
        step(tools::READ_FIRST, 0);
        let a = WholeEdition::read(reader_a)?;
        step(tools::READ_SECOND, 1);
        let b = WholeEdition::read(reader_b)?;
        step(tools::ALIGN, 2);
        let options = DiffOptions {
            old_scope: Some(&node_a.node_id),
            new_scope: Some(&node_b.node_id),
            without_tables: !self.include_tables,
            entities: None,
        };
        let changes = diff(&a.text(), &b.text(), &options);
        let mut result = Comparison {
            a: side(&a.reader, node_a),
            b: side(&b.reader, node_b),
            same: changes.same as u32,
            changed: Vec::new(),
            only_in_a: Vec::new(),
            only_in_b: Vec::new(),
            tables: Vec::new(),
            truncated: false,
        };
        for record in &changes.changes {
            if record.place().is_some_and(|place| place.table_id.is_some()) {
                add_table(&mut result.tables, record);
            } else {
                add_clause(&mut result, record);
            }
        }
        let cap = toolbox.options.max_items / 2;
        result.truncated = cut(&mut result.changed, cap)
            | cut(&mut result.only_in_a, cap)
            | cut(&mut result.only_in_b, cap)
            | cut(&mut result.tables, cap);
        Ok(result)
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        let side = |side: &SideView| {
            let pages = range(side.page_range);
            format!("{} {} {} (P{pages})", side.reg_id, side.section_number, side.title)
        };
        sheet.line(&sheet.bold(&format!("{} ↔ {}", side(&response.a), side(&response.b))))?;
        sheet.line(&tools::same_clauses(response.same))?;
        for ChangedClause { a, b, words } in &response.changed {
            let (from, to) = (&a.section_number, &b.section_number);
            sheet.line(&format!("~ {from} P{} → {to} P{}", a.page_num, b.page_num))?;
            sheet.line(&format!("    {words}"))?;
        }
        for (mark, clauses) in [("-", &response.only_in_a), ("+", &response.only_in_b)] {
            for clause in clauses {
                let (number, page) = (&clause.section_number, clause.page_num);
                sheet.line(&format!("{mark} {number} P{page} {}", clause.text))?;
            }
        }
        response.tables.iter().try_for_each(|table| show_table(table, sheet))
    }
}

fn cut<T>(list: &mut Vec<T>, cap: usize) -> bool {
    let too_long = list.len() > cap;
    list.truncate(cap);
    too_long
}

fn side(reader: &RegulationReader, node: &ChapterNode) -> SideView {
    let (first, last) = node.page_range();
    SideView {
        reg_id: reader.reg_id().to_string(),
        section_number: node.section_number.to_string(),
        title: node.title.clone(),
        page_range: [first, last],
    }
}

fn add_clause(result: &mut Comparison, record: &ChangeRecord) {
    // A number or a place alone is no other content; two chapters of one regulation always differ in those.
    if matches!(record.kind, ChangeKind::Renumbered | ChangeKind::Moved | ChangeKind::Format) {
        return;
    }
    let old = record.old.as_ref().map(|place| view(place, record.old_text.as_deref()));
    let new = record.new.as_ref().map(|place| view(place, record.new_text.as_deref()));
    match (old, new) {
        (Some(a), Some(b)) => {
            let words = beginning(record.words.as_deref().unwrap_or_default(), MAX_CLAUSE);
            result.changed.push(ChangedClause { a, b, words });
        }
        (Some(a), None) => result.only_in_a.push(a),
        (None, Some(b)) => result.only_in_b.push(b),
        (None, None) => {}
    }
}

fn view(place: &Place, text: Option<&str>) -> ClauseView {
    let number = place.clause.clone().unwrap_or_default();
    let note = place.note.as_ref().map_or_else(String::new, |note| format!("{note}："));
    let label = if place.note.is_some() { note } else { format!("{number} ") };
    ClauseView {
        section_number: number,
        page_num: page(place),
        text: beginning(format!("{label}{}", text.unwrap_or_default()).trim(), MAX_CLAUSE),
    }
}

fn add_table(tables: &mut Vec<TableDifference>, record: &ChangeRecord) {
    let id = |place: &Option<Place>| place.as_ref().and_then(|place| place.table_id.clone());
    let (table_a, table_b) = (id(&record.old), id(&record.new));
    let known = tables.iter().position(|table| {
        (table_a.is_some() && table.table_a == table_a) || (table_b.is_some() && table.table_b == table_b)
    });
    let at = known.unwrap_or_else(|| {
        tables.push(TableDifference {
            table_a: table_a.clone(),
            table_b: table_b.clone(),
            caption: record.place().and_then(|place| place.title.clone()),
            cells: Vec::new(),
            rows_only_in_a: Vec::new(),
            rows_only_in_b: Vec::new(),
        });
        tables.len() - 1
    });
    let table = &mut tables[at];
    table.table_a = table.table_a.take().or(table_a);
    table.table_b = table.table_b.take().or(table_b);
    let row = |place: &Place, text: &Option<String>| TableRow {
        page_num: page(place),
        cells: text.as_deref().unwrap_or_default().split(" | ").map(str::to_owned).collect(),
    };
    match (record.kind, &record.old, &record.new) {
        (ChangeKind::Limit | ChangeKind::Text, Some(a), Some(b)) => table.cells.push(CellDifference {
            row: b.row_label.iter().take(2).cloned().collect::<Vec<_>>().join(" / "),
            column: b.column.clone().unwrap_or_default(),
            a: record.old_text.clone().unwrap_or_default(),
            b: record.new_text.clone().unwrap_or_default(),
            page_a: page(a),
            page_b: page(b),
        }),
        (ChangeKind::Deleted, Some(place), _) => table.rows_only_in_a.push(row(place, &record.old_text)),
        (ChangeKind::Added, _, Some(place)) => table.rows_only_in_b.push(row(place, &record.new_text)),
        _ => {}
    }
}

fn page(place: &Place) -> PageNumber {
    PageNumber::new(place.page).unwrap_or(PageNumber::FIRST)
}

fn show_table(table: &TableDifference, sheet: &dyn Sheet) -> io::Result<()> {
    sheet.line(&tools::table(caption_or_none(table.caption.as_deref())))?;
    for cell in &table.cells {
        let (a, b) = (format!("{} (P{})", cell.a, cell.page_a), format!("{} (P{})", cell.b, cell.page_b));
        sheet.line(&format!("    {} [{}]: {a} → {b}", cell.row, cell.column))?;
    }
    for (mark, rows) in [("-", &table.rows_only_in_a), ("+", &table.rows_only_in_b)] {
        for row in rows {
            sheet.line(&format!("    {mark} {} (P{})", row.cells.join(" | "), row.page_num))?;
        }
    }
    Ok(())
}

/// The data rows of a table, spans filled in.
pub(crate) fn data_rows(table: &LogicalTable) -> Vec<TableRow> {
    let row = |(page, cells): (PageNumber, Vec<&str>)| TableRow {
        page_num: page,
        cells: cells.into_iter().map(str::to_owned).collect(),
    };
    table.data_rows().into_iter().map(row).collect()
}
