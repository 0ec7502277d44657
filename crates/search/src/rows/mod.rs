//! Looking up rows of a table by conditions, the way a dispatcher reads a limit table: unit counts exactly in normal
//! operation and as a minimum in N-1 tables, output by the step that is not below it, full voltage where nothing is
//! said. What matched, and by which rule, is always told with the row.

mod grid;
mod rule;

use std::collections::BTreeSet;

use regreader_messages::tools;
use regreader_model::{Annotation, AnnotationScope, LogicalTable, PageNumber, RegId, TableId};
use regreader_question::{Condition, Lexicon, Question, TableReading};
use regreader_store::RegulationReader;
use regreader_text::{canonical_table_number, fold};
use serde::{Deserialize, Serialize};

use self::grid::Grid;
pub use self::rule::{HowMatched, MatchRule};
use self::rule::{Open, Outcome, fits, match_table};
use crate::TableSearchMode;
use crate::engine::{RegulationScope, SearchEngine};
use crate::tables::TableSearchRequest;
use regreader_index::IndexError;

/// A look-up of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct RowLookup {
    /// What the table is about, to find it by; may be a whole question.
    pub question: Question,
    /// In which regulations.
    pub scope: RegulationScope,
    /// Which table, when that is known: id, number (`3-1`, `表3-1`) or caption.
    pub table: Option<String>,
    /// What must hold. Empty: what the question states.
    pub conditions: Vec<Condition>,
    /// How many rows at most.
    pub limit: usize,
}

impl RowLookup {
    /// What a question asks, anywhere, read with the built-in lexicon.
    pub fn new(query: impl AsRef<str>) -> Self {
        Self {
            question: Question::read(query.as_ref(), Lexicon::built_in()),
            scope: RegulationScope::Auto,
            table: None,
            conditions: Vec::new(),
            limit: 10,
        }
    }
}

/// What a look-up found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RowLookupResponse {
    /// The rows, those of the best table first.
    pub rows: Vec<RowMatch>,
    /// The conditions that were looked for.
    pub conditions: Vec<Condition>,
    /// There were more than the limit.
    pub truncated: bool,
    /// What was assumed.
    pub notices: Vec<String>,
}

/// A row that matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowMatch {
    /// Regulation that the row belongs to.
    pub reg_id: RegId,
    /// The logical table.
    pub table_id: TableId,
    /// Its caption.
    pub caption: Option<String>,
    /// Its number.
    pub number: Option<String>,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Page on which the row stands.
    pub page_num: PageNumber,
    /// Row of the table's grid, header rows counted.
    pub row: u32,
    /// The row's cells under their headers.
    pub cells: Vec<RowCell>,
    /// The rule for each condition that holds.
    pub matched: Vec<HowMatched>,
    /// The question means one value of the table in the table's own words.
    #[serde(default)]
    pub decided: bool,
    /// Conditions that this table knows nothing of.
    pub unmet: Vec<Condition>,
    /// Of several rows of this table, the one with the greatest value in the columns asked for.
    pub is_greatest: bool,
    /// Notes of the table, with their pages.
    pub notes: Vec<Annotation>,
}

/// A cell of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowCell {
    /// Header of its column.
    pub header: String,
    /// Its text.
    pub value: String,
    /// It answers: not a condition's column, and not a column that another condition rules out.
    pub is_answer: bool,
}

/// A table of the library.
pub(crate) type TableKey = (RegId, TableId);

/// Tables that are looked into when none is named.
const TABLES_LOOKED_AT: usize = 12;

impl SearchEngine {
    /// Looks up rows by conditions.
    pub fn lookup_rows(&self, lookup: &RowLookup) -> Result<RowLookupResponse, IndexError> {
        let conditions = if lookup.conditions.is_empty() {
            lookup.question.conditions.clone()
        } else {
            lookup.conditions.clone()
        };
        let stated;
        let question = if lookup.question.text.is_empty() {
            let words: Vec<String> =
                conditions.iter().map(|one| format!("{} {}", one.name, one.value)).collect();
            stated = self.question(&words.join(" "))?;
            &stated
        } else {
            &lookup.question
        };
        let limit = Self::checked(question, lookup.limit)?;
        let tables = match &lookup.table {
            Some(name) => self.named_tables(name, &lookup.scope)?,
            None => {
                let request = TableSearchRequest {
                    scope: lookup.scope.clone(),
                    limit: TABLES_LOOKED_AT,
                    mode: TableSearchMode::Hybrid,
                    ..TableSearchRequest::of(question.clone())
                };
                self.search_tables(&request)?.hits.into_iter().map(|hit| (hit.reg_id, hit.table_id)).collect()
            }
        };
        let mut notices = Vec::new();
        let open = Open::of(question, &conditions);
        let mut found: Vec<(Outcome, RegId, TableId)> = Vec::new();
        for (reg_id, table_id) in tables {
            let registry = self.reader(&reg_id)?.tables()?;
            if let Some(table) = registry.get(table_id.as_str()) {
                let grid = Grid::new(table);
                let outcome =
                    match_table(table, &grid, &conditions, &self.said(question, table, &grid), open);
                if !outcome.rows.is_empty() && (!outcome.matched.is_empty() || lookup.table.is_some()) {
                    found.push((outcome, reg_id, table.table_id.clone()));
                }
            }
        }
        let outcomes: Vec<&Outcome> = found.iter().map(|(outcome, _, _)| outcome).collect();
        let found = best_of(&fits(&outcomes, question), found);
        if open.voltage && found.iter().any(|(outcome, _, _)| outcome.assumed_full_voltage) {
            notices.push(tools::FULL_VOLTAGE.into());
        }
        let mut rows = Vec::new();
        for (outcome, reg_id, table_id) in found {
            rows.extend(self.row_matches(&outcome, &reg_id, &table_id)?);
        }
        let truncated = rows.len() > limit;
        rows.truncate(limit);
        Ok(RowLookupResponse { rows, conditions, truncated, notices })
    }

    /// The pages of the rows that a question's conditions pick, for those of these tables that fit them best.
    pub(crate) fn pages_of_rows(
        &self,
        question: &Question,
        tables: &[TableKey],
    ) -> Result<Vec<(TableKey, BTreeSet<PageNumber>)>, IndexError> {
        let conditions = &question.conditions;
        let open = Open::of(question, conditions);
        let mut found = Vec::new();
        for (reg_id, table_id) in tables {
            let registry = self.reader(reg_id)?.tables()?;
            let Some(table) = registry.get(table_id.as_str()) else { continue };
            let grid = Grid::new(table);
            let outcome = match_table(table, &grid, conditions, &self.said(question, table, &grid), open);
            if outcome.rows.is_empty() || outcome.matched.is_empty() {
                continue;
            }
            let pages = outcome.rows.iter().filter_map(|row| table.row_pages.get(*row as usize)).copied();
            let pages = pages.collect();
            found.push((outcome, (reg_id.clone(), table_id.clone()), pages));
        }
        let outcomes: Vec<&Outcome> = found.iter().map(|(outcome, _, _)| outcome).collect();
        let best = best_of(&fits(&outcomes, question), found);
        Ok(best.into_iter().map(|(_, table, pages)| (table, pages)).collect())
    }

    /// What a question says in the words of a table.
    fn said(&self, question: &Question, table: &LogicalTable, grid: &Grid<'_>) -> TableReading {
        let headers: Vec<&str> = table.col_headers.iter().map(String::as_str).collect();
        let cells = |row: u32| (0..grid.columns()).map(|column| grid.get(row, column)).collect();
        let rows: Vec<Vec<&str>> = grid.data_rows().map(cells).collect();
        TableReading::of(question, &self.options().lexicon, &headers, &rows)
    }

    /// Tables by id, number or caption.
    fn named_tables(&self, name: &str, scope: &RegulationScope) -> Result<Vec<(RegId, TableId)>, IndexError> {
        let (filter, seen) = self.scoped(scope, None)?;
        let number = canonical_table_number(name).unwrap_or_else(|| fold(name));
        let mut found = Vec::new();
        for reg_id in
            seen.infos.keys().filter(|id| filter.regulations.as_ref().is_none_or(|all| all.contains(*id)))
        {
            let registry = self.reader(reg_id)?.tables()?;
            if let Some(table) = registry.get(name) {
                found.push((reg_id.clone(), table.table_id.clone()));
                continue;
            }
            let same = |table: &&LogicalTable| {
                table.number.as_deref() == Some(number.as_str())
                    || table.caption.as_deref().is_some_and(|caption| fold(caption) == fold(name))
            };
            found.extend(
                registry.tables.values().filter(same).map(|table| (reg_id.clone(), table.table_id.clone())),
            );
        }
        Ok(found)
    }

    fn row_matches(
        &self,
        outcome: &Outcome,
        reg_id: &RegId,
        table_id: &TableId,
    ) -> Result<Vec<RowMatch>, IndexError> {
        let reader = self.reader(reg_id)?;
        let registry = reader.tables()?;
        let Some(table) = registry.get(table_id.as_str()) else { return Ok(Vec::new()) };
        let notes = notes_of(&reader, table)?;
        let grid = Grid::new(table);
        let greatest = outcome.greatest(&grid);
        let cell = |row: u32, col: usize| RowCell {
            header: table.col_headers.get(col).cloned().unwrap_or_default(),
            value: grid.get(row, col as u32).to_owned(),
            is_answer: outcome.answers.contains(&(col as u32)),
        };
        let first_page = table.page_range().map_or(PageNumber::FIRST, |(first, _)| first);
        Ok(outcome
            .rows
            .iter()
            .map(|row| RowMatch {
                reg_id: reg_id.clone(),
                table_id: table.table_id.clone(),
                caption: table.caption.clone(),
                number: table.number.clone(),
                chapter_path: table.chapter_path.clone(),
                page_num: table.row_pages.get(*row as usize).copied().unwrap_or(first_page),
                row: *row,
                cells: (0..grid.columns() as usize).map(|col| cell(*row, col)).collect(),
                matched: outcome.matched.clone(),
                decided: outcome.decided,
                unmet: outcome.unmet.clone(),
                is_greatest: greatest == Some(*row),
                notes: notes.clone(),
            })
            .collect())
    }
}

/// The notes bound to a table. They stand on its pages, or on the page behind its last.
fn notes_of(reader: &RegulationReader, table: &LogicalTable) -> Result<Vec<Annotation>, IndexError> {
    let mut pages: BTreeSet<PageNumber> = table.segments.iter().map(|segment| segment.page_num).collect();
    if let Some(last) = pages.last().copied()
        && last.get() < reader.total_pages()
    {
        pages.insert(last.next());
    }
    let mut notes = Vec::new();
    for page in pages {
        let bound = |note: &Annotation| matches!(&note.scope, AnnotationScope::Table { table_id } if *table_id == table.table_id);
        notes.extend(reader.page(page)?.annotations.into_iter().filter(bound).map(|mut note| {
            note.page_num = note.page_num.or(Some(page));
            note
        }));
    }
    Ok(notes)
}

/// Those that fit best, in their order: of tables that fit equally well the better hit stays first.
fn best_of<T>(fits: &[i32], found: Vec<T>) -> Vec<T> {
    let best = fits.iter().max();
    found.into_iter().zip(fits).filter(|(_, fit)| Some(*fit) == best).map(|(one, _)| one).collect()
}
