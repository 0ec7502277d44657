//! `search_tables`: finding tables, and the rows of them that meet conditions.

use std::collections::BTreeSet;
use std::io;

use regreader_messages::tools;
use regreader_model::{PageNumber, RegId};
use regreader_question::{Condition, Question};
use regreader_search::{
    HowMatched, MatchRule, MatchType, RegulationScope, RowLookup, Selection, TableHit, TableSearchMode,
    TableSearchRequest,
};
use regreader_text::fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ALL, PAST_HITS, REGULATIONS, by_edition, limit_of, on_day, past_editions, show_selection, warnings,
};
use crate::editions::EditionView;
use crate::search::RegulationChoice;
use crate::sheet::{caption_or_none, paged_rows};
use crate::tool::{Argument, Category, DAY, Gist, Phase, Tool, argument};
use crate::{Sheet, ToolError, Toolbox};

/// Tables that are looked into for rows, however few are wanted.
const TABLES_LOOKED_AT: usize = 12;
/// Column names that are listed when a condition names none of them.
const MAX_HEADERS: usize = 20;
/// Most conditions that rows are picked by; no table has more columns that matter.
const MAX_CONDITIONS: usize = 32;
/// Conditions that a question must state to pick rows.
const STATED: usize = 2;

/// Arguments of `search_tables`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchTables {
    /// 检索内容：表号、标题、表头或单元格文字
    pub query: String,
    /// 规程标识、标识列表、"all"；不填则自动选择
    pub reg_id: Option<RegulationChoice>,
    /// 限定章节：编号、标题或路径
    pub chapter_scope: Option<String>,
    /// 检索方式
    #[serde(default)]
    pub search_mode: TableSearchMode,
    /// 最多返回几个表
    #[serde(default = "crate::tool::number::<10>")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: u32,
    /// 列条件：同时给出匹配的行
    #[serde(default)]
    pub conditions: Vec<ColumnCondition>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// A condition on a column: `开机台数 = 3`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnCondition {
    /// 列名（或其一部分）
    pub column: String,
    /// 取值
    pub value: String,
}

/// Result of `search_tables`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TableHits {
    /// Tables, best first.
    pub tables: Vec<TableHitView>,
    /// Which regulations were chosen and why, when none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// There was more.
    pub truncated: bool,
    /// What to know before relying on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Tables of editions that are not in force on the day, never mixed with the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<SupersededTables>,
}

/// One table found.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TableHitView {
    /// Regulation that the table belongs to.
    pub reg_id: String,
    /// Logical table.
    pub table_id: String,
    /// Caption of the table.
    pub caption: Option<String>,
    /// Pages it stands on.
    pub pages: Vec<PageNumber>,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Runs over a page border.
    pub is_cross_page: bool,
    /// Data rows.
    pub row_count: u32,
    /// Number of columns.
    pub col_count: u32,
    /// Column headers.
    pub col_headers: Vec<String>,
    /// The rows that match best.
    pub snippet: String,
    /// Comparable over all tables of one search.
    pub score: f64,
    /// Which leg found it: keyword, semantic, hybrid.
    pub match_type: String,
    /// Rows that fit the conditions, when there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<RowView>,
    /// Headers of the columns that answer, when the conditions picked rows: those that state no condition and that none rules out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer_columns: Vec<String>,
    /// Conditions that this table does not have. Its rows hold for another case, or only with a correction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<String>,
    /// Conditions that are met by another value than the one that was stated: the next step of a table, or a least number of units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
}

/// One row.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RowView {
    /// Data row, from 0.
    pub row: u32,
    /// Page that the row stands on.
    pub page_num: PageNumber,
    /// Cells, spans filled in.
    pub cells: Vec<String>,
    /// How it was matched.
    pub matched_by: String,
}

/// Tables of editions that are not in force on the day asked about.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SupersededTables {
    /// The edition.
    pub edition: EditionView,
    /// What to say before anything is taken from it.
    pub warning: String,
    /// The library has no text of any edition that is in force (a scan, or not there at all), so that this one is the nearest
    /// that can be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub newest_readable: bool,
    /// Tables, best first.
    pub tables: Vec<TableHitView>,
}

impl SearchTables {
    /// A search for so many tables, in these regulations.
    pub fn new(query: impl Into<String>, reg_id: Option<RegulationChoice>, limit: u32) -> Self {
        Self {
            query: query.into(),
            reg_id,
            chapter_scope: None,
            search_mode: TableSearchMode::default(),
            limit,
            conditions: Vec::new(),
            as_of: None,
        }
    }
}

impl Tool for SearchTables {
    const NAME: &'static str = "search_tables";
    const COMMAND: &'static str = "search-tables";
    const TITLE: &'static str = "表格检索";
    const DESCRIPTION: &'static str =
        "按标题、表头和单元格检索表格，返回完整逻辑表格的标识与页码。可给 conditions（列=值）直接查行。";
    const CATEGORY: Category = Category::Search;
    const PHASE: Phase = Phase::MultiHop;
    const SEARCHES: bool = true;
    const HELP: &'static str = "Search tables, and look up rows by conditions (表格检索)";
    const ARGUMENTS: &'static [Argument] = &[
        argument("query", "QUERY", "Number, title, header or cell"),
        REGULATIONS,
        ALL,
        argument("chapter_scope", "--chapter CHAPTER", "Only below this chapter: number, title or path"),
        argument(
            "search_mode",
            "--mode {hybrid|keyword|semantic}",
            "By words, by meaning or both [default: hybrid]",
        ),
        argument(
            "conditions",
            "--where COLUMN=VALUE...",
            "Condition on a column, for example `--where 开机台数=3`; may be given several times",
        ),
        argument("limit", "-l --limit LIMIT", "At most so many tables [default: 10]"),
        DAY,
    ];
    type Response = TableHits;

    /// Searches tables. With conditions, given or stated in the question, it also picks the rows that meet them; the
    /// tables with such rows come first.
    fn run(&self, toolbox: &Toolbox) -> Result<TableHits, ToolError> {
        let engine = toolbox.engine()?;
        let editions = toolbox.editions_on(self.as_of.as_deref())?;
        let asked = toolbox.scope(self.reg_id.as_ref())?;
        let scope = on_day(&editions, &asked, self.as_of.is_some());
        let limit = limit_of(self.limit)?;
        let question = engine.question(&self.query)?;
        let search = |scope: RegulationScope, limit: usize| {
            engine.search_tables(&TableSearchRequest {
                question: question.clone(),
                scope,
                chapter_scope: self.chapter_scope.clone(),
                mode: self.search_mode,
                limit,
            })
        };
        let response = search(scope.clone(), limit.max(TABLES_LOOKED_AT))?;
        let named = matches!(asked, RegulationScope::These(_))
            || response.selection.as_ref().is_some_and(|selection| selection.by_name);
        let (found, mut past): (Vec<TableHit>, Vec<TableHit>) =
            response.hits.into_iter().partition(|hit| named || editions.may_apply(&hit.reg_id));
        let ids: BTreeSet<RegId> = found.iter().map(|hit| hit.reg_id.clone()).collect();
        if past.is_empty() && !named {
            let ended = past_editions(&editions, &ids);
            if !ended.is_empty() {
                past = search(RegulationScope::These(ended), PAST_HITS)?.hits;
            }
        }
        let mut tables: Vec<TableHitView> = found.into_iter().map(table_hit).collect();
        let mut notices = response.notices;
        notices.extend(warnings(&editions, &ids));
        if !tables.is_empty() {
            notices.extend(toolbox.pick_rows(self, question, &scope, &mut tables)?);
            tables.sort_by_key(|table| table.rows.is_empty());
        }
        let truncated = response.truncated || tables.len() > limit;
        tables.truncate(limit);
        let superseded = by_edition(&editions, past.into_iter().map(|hit| (hit.reg_id.clone(), hit)))
            .into_iter()
            .map(|group| SupersededTables {
                edition: group.edition,
                warning: group.warning,
                newest_readable: group.newest_readable,
                tables: group.found.into_iter().map(table_hit).collect(),
            })
            .collect();
        Ok(TableHits { tables, selection: response.selection, truncated, notices, superseded })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        show_selection(response.selection.as_ref(), sheet);
        if response.tables.is_empty() {
            sheet.note(&tools::NO_TABLES.to_string());
        }
        show_tables(&response.tables, sheet)?;
        for group in &response.superseded {
            sheet.line(&sheet.bold(&format!("⚠ {}", group.warning)))?;
            show_tables(&group.tables, sheet)?;
        }
        response.notices.iter().for_each(|notice| sheet.warning(notice));
        Ok(())
    }

    fn found_nothing(response: &Self::Response) -> bool {
        response.tables.is_empty()
    }

    fn gist(response: &Self::Response) -> Gist {
        let notices = response.notices.clone();
        Gist { notices, ..Gist::count(response.tables.len(), tools::TABLES) }
    }
}

fn show_tables(tables: &[TableHitView], sheet: &dyn Sheet) -> io::Result<()> {
    for table in tables {
        let caption = caption_or_none(table.caption.as_deref());
        let pages: Vec<String> = table.pages.iter().map(ToString::to_string).collect();
        sheet.line(&sheet.bold(&format!("■ {} {} {caption}", table.reg_id, table.table_id)))?;
        sheet.line(&format!(
            "  P{}  {}  {}",
            pages.join("、"),
            tools::table_size(table.row_count, table.col_count),
            sheet.dim(&table.chapter_path.join(" › ")),
        ))?;
        if table.rows.is_empty() {
            sheet.snippet(&table.snippet)?;
            continue;
        }
        let rows = table.rows.iter().map(|row| (row.page_num, &row.cells));
        paged_rows(sheet, 2, &table.col_headers, rows)?;
        // Rows of one table were picked by the same rules.
        if let Some(why) = table.rows.first().map(|row| &row.matched_by).filter(|why| !why.is_empty()) {
            sheet.line(&format!("  {}", sheet.dim(&tools::because(why))))?;
        }
    }
    Ok(())
}

impl Toolbox {
    /// Gives each table the rows that meet the conditions, and says what was assumed. Tables without any keep none.
    fn pick_rows(
        &self,
        request: &SearchTables,
        question: Question,
        scope: &RegulationScope,
        tables: &mut [TableHitView],
    ) -> Result<Vec<String>, ToolError> {
        // The same condition said again says nothing more.
        let mut conditions: Vec<Condition> = Vec::new();
        for one in &request.conditions {
            let condition = Condition::new(&one.column, &one.value);
            if conditions.len() < MAX_CONDITIONS && !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        let found = self.engine()?.lookup_rows(&RowLookup {
            question,
            scope: scope.clone(),
            table: None,
            conditions,
            limit: self.options.max_items,
        })?;
        let mut picked = false;
        let least = if request.conditions.is_empty() { STATED } else { 1 };
        for row in found.rows.into_iter().filter(|row| row.decided || row.matched.len() >= least) {
            let Some(table) = tables
                .iter_mut()
                .find(|table| table.table_id == row.table_id.as_str() && table.reg_id == row.reg_id.as_str())
            else {
                continue;
            };
            let rules: Vec<String> = row.matched.iter().map(in_words).collect();
            picked = true;
            if table.rows.is_empty() {
                let answers = row.cells.iter().filter(|cell| cell.is_answer);
                table.answer_columns = answers.map(|cell| cell.header.clone()).collect();
                table.unmet = row.unmet.iter().map(ToString::to_string).collect();
                table.assumed = row.matched.iter().filter(|how| how.is_assumed()).map(in_words).collect();
            }
            table.rows.push(RowView {
                row: row.row,
                page_num: row.page_num,
                cells: row.cells.into_iter().map(|cell| cell.value).collect(),
                matched_by: rules.join("；"),
            });
        }
        if picked {
            return Ok(found.notices);
        }
        Ok(nothing_picked(request, tables).into_iter().collect())
    }
}

/// Why no row was picked though the caller gave conditions: a column that no table found has, or a value in none.
fn nothing_picked(request: &SearchTables, tables: &[TableHitView]) -> Option<String> {
    if request.conditions.is_empty() || tables.is_empty() {
        return None;
    }
    let has = |column: &str| {
        let column = fold(column);
        tables.iter().flat_map(|table| &table.col_headers).any(|header| fold(header).contains(&column))
    };
    let unknown: Vec<&str> =
        request.conditions.iter().map(|one| one.column.as_str()).filter(|column| !has(column)).collect();
    if unknown.is_empty() {
        return Some(tools::NO_ROW.into());
    }
    let mut known: Vec<&str> = Vec::new();
    for header in tables.iter().flat_map(|table| &table.col_headers).map(String::as_str) {
        if !known.contains(&header) && known.len() < MAX_HEADERS {
            known.push(header);
        }
    }
    Some(tools::no_column(unknown.join("”“"), known.join(", ")))
}

/// A rule that picked a row, for a person.
fn in_words(how: &HowMatched) -> String {
    let asked = how.condition.to_string();
    let rule = match how.rule {
        MatchRule::Exact => tools::RULE_EXACT,
        MatchRule::Contains => tools::RULE_CONTAINS,
        MatchRule::AtLeast => tools::RULE_AT_LEAST,
        MatchRule::NextStep => tools::RULE_NEXT_STEP,
        MatchRule::LargestStep => tools::RULE_LARGEST_STEP,
        MatchRule::Header => tools::RULE_HEADER,
        MatchRule::Table => tools::RULE_TABLE,
    };
    tools::row_rule(asked, rule, &how.with, &how.value)
}

fn table_hit(hit: TableHit) -> TableHitView {
    TableHitView {
        reg_id: hit.reg_id.to_string(),
        table_id: hit.table_id.to_string(),
        caption: hit.caption,
        pages: hit.pages,
        chapter_path: hit.chapter_path,
        is_cross_page: hit.is_cross_page,
        row_count: hit.row_count,
        col_count: hit.col_count,
        col_headers: hit.col_headers,
        snippet: hit.snippet,
        score: hit.score,
        match_type: match hit.match_type {
            MatchType::Keyword => "keyword",
            MatchType::Semantic => "semantic",
            MatchType::Hybrid => "hybrid",
        }
        .to_owned(),
        rows: Vec::new(),
        answer_columns: Vec::new(),
        unmet: Vec::new(),
        assumed: Vec::new(),
    }
}
