//! Searching tables: by caption, headers and cells, by words, by meaning or both. A hit is a logical table, however
//! many pages it runs over.

use regreader_messages::errors;
use regreader_model::{PageNumber, ReferenceKind, RegId, SearchSource, TableId};
use regreader_question::{Lexicon, Question};
use regreader_text::fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::documents::table_text;
use crate::engine::{RegulationScope, SearchEngine};
use crate::select::Selection;
use crate::snippet::Marker;
use regreader_index::{Filter, IndexError};
use regreader_index::{Fusion, FusionOptions};

/// How tables are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TableSearchMode {
    /// Words and meaning.
    #[default]
    Hybrid,
    /// By words alone.
    Keyword,
    /// By meaning alone.
    Semantic,
}

/// A search for tables.
#[derive(Debug, Clone, PartialEq)]
pub struct TableSearchRequest {
    /// The question, read.
    pub question: Question,
    /// In which regulations.
    pub scope: RegulationScope,
    /// Below which place of the chapter tree.
    pub chapter_scope: Option<String>,
    /// By words, meaning or both.
    pub mode: TableSearchMode,
    /// How many at most.
    pub limit: usize,
}

impl TableSearchRequest {
    /// Ten tables anywhere, by words and meaning, for a question that is read with the built-in lexicon.
    pub fn new(query: impl AsRef<str>) -> Self {
        Self::of(Question::read(query.as_ref(), Lexicon::built_in()))
    }

    /// Ten tables anywhere, by words and meaning.
    pub fn of(question: Question) -> Self {
        Self {
            question,
            scope: RegulationScope::Auto,
            chapter_scope: None,
            mode: TableSearchMode::Hybrid,
            limit: 10,
        }
    }
}

/// What a search for tables found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableSearchResponse {
    /// The tables, best first.
    pub hits: Vec<TableHit>,
    /// Which regulations were chosen and why, when the engine chose.
    pub selection: Option<Selection>,
    /// There were more than the limit.
    pub truncated: bool,
    /// What did not go as it should, though there is a result.
    pub notices: Vec<String>,
}

/// One table that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableHit {
    /// Regulation that the table belongs to.
    pub reg_id: RegId,
    /// The logical table.
    pub table_id: TableId,
    /// Caption as printed.
    pub caption: Option<String>,
    /// Number from the caption (`6-2`).
    pub number: Option<String>,
    /// Every page it stands on.
    pub pages: Vec<PageNumber>,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Whether it runs over several pages.
    pub is_cross_page: bool,
    /// Data rows.
    pub row_count: u32,
    /// Number of columns.
    pub col_count: u32,
    /// Header of each column.
    pub col_headers: Vec<String>,
    /// The row that fits best, marked.
    pub snippet: String,
    /// Greater is better; comparable within one search.
    pub score: f64,
    /// Which leg found it.
    pub match_type: MatchType,
    /// Where the words stand.
    pub matched_in: Vec<TablePart>,
}

/// Which leg found a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchType {
    /// By words alone.
    Keyword,
    /// By meaning alone.
    Semantic,
    /// By words and by meaning.
    Hybrid,
}

/// A part of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TablePart {
    /// Its caption.
    Caption,
    /// Its column headers.
    Headers,
    /// Its cells.
    Cells,
}

impl SearchEngine {
    /// Finds tables.
    pub fn search_tables(&self, request: &TableSearchRequest) -> Result<TableSearchResponse, IndexError> {
        self.mending(|| self.search_tables_once(request))
    }

    fn search_tables_once(&self, request: &TableSearchRequest) -> Result<TableSearchResponse, IndexError> {
        let question = &request.question;
        let limit = Self::checked(question, request.limit)?;
        let query = question.text.as_str();
        let (mut filter, seen) = self.scoped(&request.scope, request.chapter_scope.as_deref())?;
        let tables = self.tables_in_step()?;
        let fusion = match request.mode {
            TableSearchMode::Keyword => Fusion::Keyword,
            TableSearchMode::Semantic => Fusion::Vector,
            TableSearchMode::Hybrid => self.options().fusion.fusion,
        };
        let options = FusionOptions { fusion, ..self.options().fusion };
        let mut selection = None;
        if request.scope == RegulationScope::Auto {
            let chosen = self.choose_for(question, &filter, &seen)?;
            filter.regulations = Some(chosen.chosen.iter().map(|one| one.reg_id.clone()).collect());
            selection = Some(chosen);
        }
        let ranking = tables.search_by(&options, query, &filter, options.depth.max(limit * 2))?;
        let weights = tables.weights(query)?;
        let marker = Marker::new(self.tokenizer(), &weights);
        let asked_number =
            question.places_of(&[ReferenceKind::Table]).next().map(|table| table.number.clone());
        let asked = question.folded();
        let view = tables.view();
        let mut hits = Vec::new();
        for one in &ranking.documents {
            let reader = self.reader(&one.key.reg_id)?;
            let registry = reader.tables()?;
            // Gone with another edition since the index was built.
            let Some(table) = registry.get(one.key.block_id.as_str()) else { continue };
            // The index says where to look; what is shown is the table itself.
            let text = table_text(table);
            let indexed = view.get(&one.key)?.map(|document| document.text);
            if view.content_hash(&one.key.reg_id) == Some(reader.content_hash())
                && indexed.as_ref() != Some(&text)
            {
                return Err(tables.damaged(errors::TABLE_DIFFERS));
            }
            let by_number = asked_number.is_some() && table.number == asked_number;
            // Whoever writes out a caption wants that table, however short another like it may be.
            let by_caption = asked.chars().count() > 4
                && table.caption.as_deref().is_some_and(|caption| fold(caption).contains(asked));
            let mut pages: Vec<PageNumber> = table.segments.iter().map(|segment| segment.page_num).collect();
            pages.dedup();
            hits.push(TableHit {
                reg_id: one.key.reg_id.clone(),
                table_id: table.table_id.clone(),
                caption: table.caption.clone(),
                number: table.number.clone(),
                pages,
                chapter_path: table.chapter_path.clone(),
                is_cross_page: table.is_cross_page(),
                row_count: table.row_count,
                col_count: table.col_count,
                col_headers: table.col_headers.clone(),
                snippet: String::new(),
                score: one.score
                    + if by_number || by_caption { self.options().ranking.named_table } else { 0.0 },
                match_type: match one.source {
                    SearchSource::Keyword => MatchType::Keyword,
                    SearchSource::Vector => MatchType::Semantic,
                    SearchSource::Hybrid => MatchType::Hybrid,
                },
                matched_in: matched_in(table, &weights),
            });
        }
        hits.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| (&a.reg_id, &a.table_id).cmp(&(&b.reg_id, &b.table_id)))
        });
        let truncated = hits.len() > limit;
        hits.truncate(limit);
        for hit in &mut hits {
            let registry = self.reader(&hit.reg_id)?.tables()?;
            if let Some(table) = registry.get(hit.table_id.as_str()) {
                hit.snippet = marker.snippet(&as_rows(table));
            }
        }
        let mut notices: Vec<String> = ranking.notice.into_iter().collect();
        seen.say_if_behind(hits.is_empty(), &mut notices)?;
        if !matches!(request.scope, RegulationScope::These(_)) {
            notices.extend(seen.catalog().missing_editions(question));
        }
        Ok(TableSearchResponse { hits, selection, truncated, notices })
    }

    /// Chooses regulations by a search of the blocks, which know more of a regulation than its tables do.
    fn choose_for(
        &self,
        question: &Question,
        filter: &Filter,
        seen: &crate::engine::LibrarySnapshot,
    ) -> Result<Selection, IndexError> {
        let query = question.text.as_str();
        let ranking = self.blocks().search(query, filter, self.options().fusion.depth)?;
        let weights = self.blocks().weights(query)?;
        self.choose(question, &weights, &ranking, &self.blocks().view(), seen)
    }
}

/// Rows as Markdown, so that a snippet keeps them whole, each with all its columns: a cell that spans several rows or
/// columns stands in each of them, as a reader of the table sees it.
fn as_rows(table: &regreader_model::LogicalTable) -> String {
    let row = |cells: &[&str]| {
        let cells: Vec<String> =
            cells.iter().map(|cell| cell.replace('\n', " ").replace('|', "｜")).collect();
        format!("| {} |", cells.join(" | "))
    };
    let headers: Vec<&str> = table.col_headers.iter().map(String::as_str).collect();
    let mut lines: Vec<String> = table.caption.clone().into_iter().collect();
    lines.push(row(&headers));
    lines.extend(table.data_rows().iter().map(|(_, cells)| row(cells)));
    lines.join("\n")
}

fn matched_in(table: &regreader_model::LogicalTable, weights: &[(String, f32)]) -> Vec<TablePart> {
    let holds = |text: &str| {
        let folded = fold(text);
        weights.iter().any(|(word, _)| folded.contains(word.as_str()))
    };
    let mut parts = Vec::new();
    if table.caption.as_deref().is_some_and(holds) {
        parts.push(TablePart::Caption);
    }
    if table.col_headers.iter().any(|header| holds(header)) {
        parts.push(TablePart::Headers);
    }
    if table.cells.iter().any(|cell| cell.row >= table.header_rows && holds(&cell.content)) {
        parts.push(TablePart::Cells);
    }
    parts
}

#[cfg(test)]
mod tests {
    use regreader_model::LogicalTable;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_under_merged_cells_has_all_its_columns() {
        let cell = |row: u32, col: u32, rows: u32, text: &str| json!({ "row": row, "col": col, "row_span": rows, "content": text });
        let table: LogicalTable = serde_json::from_value(json!({
            "table_id": "t0001", "caption": null, "number": null, "header_rows": 1,
            "col_headers": ["方式", "电压", "台数", "限额"], "row_count": 2, "col_count": 4, "row_pages": [],
            "cells": [
                cell(1, 0, 2, "线路N-1"), cell(1, 1, 2, "全压"), cell(1, 2, 1, "2"), cell(1, 3, 1, "300"),
                cell(2, 2, 1, "3"), cell(2, 3, 1, "340"),
            ],
            "segments": [], "chapter_node_id": null, "chapter_path": [], "section_number": null, "notes": [],
        }))
        .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            as_rows(&table).lines().last(),
            Some("| 线路N-1 | 全压 | 3 | 340 |"),
            "the spans reach down to the second row"
        );
    }
}
