//! `smart_search`, `search_tables`, `find_similar_content`: finding.

use std::collections::BTreeSet;

use regreader_model::{BlockId, BlockType, DomainError, PageNumber, RegId, SearchHit, SearchSource};
use regreader_question::{Condition, Question};
use regreader_search::{
    HowMatched, MatchRule, MatchType, Passage, RegulationScope, RowLookup, SearchRequest, SearchResponse,
    Selection, SimilarRequest, SimilarTo, TableHit, TableSearchMode, TableSearchRequest,
};
use regreader_text::fold;

use crate::editions::EditionsOn;
use crate::requests as rq;
use crate::results as rs;
use crate::{ToolError, Toolbox};

/// Most hits in one result.
const MAX_HITS: u32 = 50;
/// Hits of editions that are not in force, beside the others.
const PAST_HITS: usize = 3;
/// Tables that are looked into for rows, however few are wanted.
const TABLES_LOOKED_AT: usize = 12;
/// Column names that are listed when a condition names none of them.
const MAX_HEADERS: usize = 20;
/// Most conditions that rows are picked by; no table has more columns that matter.
const MAX_CONDITIONS: usize = 32;
/// Conditions that a question must state to pick rows.
const STATED: usize = 2;

impl Toolbox {
    /// Searches by words and meaning. Without regulations it chooses them, and says why. Editions that are not in force on
    /// the day are searched too, and given apart.
    pub fn smart_search(&self, request: &rq::SmartSearch) -> Result<rs::SearchResults, ToolError> {
        let engine = self.engine()?;
        let editions = self.editions_on(request.as_of.as_deref())?;
        let asked = self.scope(request.reg_id.as_ref())?;
        let limit = limit_of(request.limit)?;
        let question = engine.question(&request.query)?;
        let search = |scope: RegulationScope, limit: usize| -> Result<SearchResponse, ToolError> {
            Ok(engine.search(&SearchRequest {
                question: question.clone(),
                scope,
                chapter_scope: request.chapter_scope.clone(),
                block_types: block_types(request.block_types.as_deref())?,
                section_number: request.section_number.clone(),
                limit,
                collapse_pages: false,
            })?)
        };
        let mut response = search(on_day(&editions, &asked, request.as_of.is_some()), limit)?;
        // What no leg gives a score was only next in line.
        response.hits.retain(|hit| hit.score > 0.0);
        let named = matches!(asked, RegulationScope::These(_))
            || response.selection.as_ref().is_some_and(|selection| selection.by_name);
        let mut passages = response.passages.into_iter();
        let (mut hits, mut past, mut explained) = (Vec::new(), Vec::new(), Vec::new());
        for one in response.hits {
            let passage = passages.next();
            if named || editions.may_apply(&one.reg_id) {
                hits.push(one);
                explained.push(passage);
            } else {
                past.push(one);
            }
        }
        if past.is_empty() && !named {
            let ended = past_editions(&editions, &reg_ids(&hits));
            if !ended.is_empty() {
                past = search(RegulationScope::These(ended), PAST_HITS)?.hits;
            }
        }
        let mut notices = response.notices;
        notices.extend(warnings(&editions, &reg_ids(&hits)));
        let next = if hits.is_empty() {
            Some("换一种说法，或用 get_toc 查看目录后限定章节".to_owned())
        } else {
            response.truncated.then(|| "还有更多命中：增大 limit，或用 chapter_scope 限定章节".to_owned())
        };
        let mut shown: Vec<rs::Hit> = hits.into_iter().map(hit).collect();
        if request.explain {
            for (hit, found) in shown.iter_mut().zip(explained) {
                hit.passage = found.filter(|found| !found.blocks.is_empty()).map(passage);
            }
        }
        Ok(rs::SearchResults {
            understood: understood(&question),
            hits: shown,
            superseded: superseded(&editions, past),
            selection: response.selection.map(selection),
            truncated: response.truncated,
            notices,
            next,
        })
    }

    /// Searches tables. With conditions, given or stated in the question, it also picks the rows that meet them; the
    /// tables with such rows come first.
    pub fn search_tables(&self, request: &rq::SearchTables) -> Result<rs::TableHits, ToolError> {
        let engine = self.engine()?;
        let editions = self.editions_on(request.as_of.as_deref())?;
        let asked = self.scope(request.reg_id.as_ref())?;
        let scope = on_day(&editions, &asked, request.as_of.is_some());
        let limit = limit_of(request.limit)?;
        let question = engine.question(&request.query)?;
        let search = |scope: RegulationScope, limit: usize| {
            engine.search_tables(&TableSearchRequest {
                question: question.clone(),
                scope,
                chapter_scope: request.chapter_scope.clone(),
                mode: match request.search_mode {
                    rq::TableMode::Hybrid => TableSearchMode::Hybrid,
                    rq::TableMode::Keyword => TableSearchMode::Keyword,
                    rq::TableMode::Semantic => TableSearchMode::Semantic,
                },
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
        let mut tables: Vec<rs::TableHitView> = found.into_iter().map(table_hit).collect();
        let mut notices = response.notices;
        notices.extend(warnings(&editions, &ids));
        if !request.conditions.is_empty() || question.conditions.len() >= STATED {
            notices.extend(self.pick_rows(request, question, &scope, &mut tables)?);
            tables.sort_by_key(|table| table.rows.is_empty());
        }
        let truncated = response.truncated || tables.len() > limit;
        tables.truncate(limit);
        let superseded = by_edition(&editions, past.into_iter().map(|hit| (hit.reg_id.clone(), hit)))
            .into_iter()
            .map(|(edition, warning, hits)| rs::SupersededTables {
                edition,
                warning,
                tables: hits.into_iter().map(table_hit).collect(),
            })
            .collect();
        let selection = response.selection.map(selection);
        Ok(rs::TableHits { tables, selection, truncated, notices, superseded })
    }

    /// What is nearest in meaning to a text or a block.
    pub fn find_similar_content(&self, request: &rq::FindSimilar) -> Result<rs::SimilarContent, ToolError> {
        let scope = self.scope(Some(&request.reg_id))?;
        let to = match (&request.query_text, &request.source_block_id, &scope) {
            (Some(text), None, _) => SimilarTo::Text(text.clone()),
            (None, Some(block), RegulationScope::These(ids)) if ids.len() == 1 => {
                SimilarTo::Block(ids[0].clone(), BlockId::new(block))
            }
            (None, Some(_), _) => {
                return Err(invalid("reg_id", "给 source_block_id 时须为该块所在的一部规程").into());
            }
            _ => return Err(invalid("query_text", "query_text 与 source_block_id 须给出其一").into()),
        };
        let engine = self.engine()?;
        let editions = self.editions_on(request.as_of.as_deref())?;
        let named = matches!(scope, RegulationScope::These(_));
        let response = engine.find_similar(&SimilarRequest {
            to,
            scope: on_day(&editions, &scope, request.as_of.is_some()),
            limit: limit_of(request.limit)?,
            exclude_same_page: request.exclude_same_page,
        })?;
        let (hits, past): (Vec<SearchHit>, Vec<SearchHit>) =
            response.hits.into_iter().partition(|hit| named || editions.may_apply(&hit.reg_id));
        let mut notices = response.notices;
        notices.extend(warnings(&editions, &reg_ids(&hits)));
        Ok(rs::SimilarContent {
            hits: hits.into_iter().map(hit).collect(),
            notices,
            superseded: superseded(&editions, past),
        })
    }

    /// What `reg_id` means.
    fn scope(&self, choice: Option<&rq::RegulationChoice>) -> Result<RegulationScope, ToolError> {
        let ids =
            |names: &[String]| names.iter().map(|name| self.reg_id(name)).collect::<Result<Vec<_>, _>>();
        match choice {
            None => Ok(RegulationScope::Auto),
            Some(rq::RegulationChoice::One(all)) if all == "all" => Ok(RegulationScope::All),
            Some(rq::RegulationChoice::One(name)) => {
                ids(std::slice::from_ref(name)).map(RegulationScope::These)
            }
            Some(rq::RegulationChoice::Many(names)) if names.is_empty() => Ok(RegulationScope::Auto),
            Some(rq::RegulationChoice::Many(names)) => ids(names).map(RegulationScope::These),
        }
    }

    /// Gives each table the rows that meet the conditions, and says what was assumed. Tables without any keep none.
    fn pick_rows(
        &self,
        request: &rq::SearchTables,
        question: Question,
        scope: &RegulationScope,
        tables: &mut [rs::TableHitView],
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
        for row in found.rows {
            let Some(table) = tables
                .iter_mut()
                .find(|table| table.table_id == row.table_id.as_str() && table.reg_id == row.reg_id.as_str())
            else {
                continue;
            };
            let rules: Vec<String> = row.matched.iter().map(in_words).collect();
            picked = true;
            table.rows.push(rs::RowView {
                row: row.row,
                page_num: row.page_num.get(),
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

/// The regulations to search on a day. Without a day the engine chooses, which sets older editions aside itself; with one,
/// what was in force then is searched.
fn on_day(editions: &EditionsOn, asked: &RegulationScope, dated: bool) -> RegulationScope {
    match asked {
        RegulationScope::These(_) => asked.clone(),
        _ if !dated => asked.clone(),
        _ => {
            let infos = editions.infos();
            let ids = infos.iter().map(|info| info.reg_id.clone());
            let ids: Vec<RegId> = ids.filter(|id| editions.may_apply(id)).collect();
            // Where everything applies, or nothing, there is nothing to choose by the day.
            if ids.is_empty() || ids.len() == infos.len() {
                asked.clone()
            } else {
                RegulationScope::These(ids)
            }
        }
    }
}

/// The regulations of some hits.
fn reg_ids(hits: &[SearchHit]) -> BTreeSet<RegId> {
    hits.iter().map(|hit| hit.reg_id.clone()).collect()
}

/// Editions that are not in force and stand for the same regulation as one that was found.
fn past_editions(editions: &EditionsOn, found: &BTreeSet<RegId>) -> Vec<RegId> {
    let superseding = editions.superseding();
    let near = |id: &RegId| {
        let replaced_by = editions.status(id).replaced_by;
        found.iter().any(|hit| {
            replaced_by.as_deref() == Some(hit.as_str())
                || superseding.get(hit) == Some(id)
                || superseding.get(id) == Some(hit)
        })
    };
    let infos = editions.infos();
    let ids = infos.iter().map(|info| &info.reg_id);
    ids.filter(|id| !editions.may_apply(id) && near(id)).cloned().collect()
}

/// Hits of passages by edition.
fn superseded(editions: &EditionsOn, hits: Vec<SearchHit>) -> Vec<rs::SupersededHits> {
    by_edition(editions, hits.into_iter().map(|hit| (hit.reg_id.clone(), hit)))
        .into_iter()
        .map(|(edition, warning, hits)| rs::SupersededHits {
            edition,
            warning,
            hits: hits.into_iter().map(hit).collect(),
        })
        .collect()
}

/// Hits by edition, each with what to say first.
fn by_edition<T>(
    editions: &EditionsOn,
    hits: impl Iterator<Item = (RegId, T)>,
) -> Vec<(rs::EditionView, String, Vec<T>)> {
    let mut groups: Vec<(rs::EditionView, String, Vec<T>)> = Vec::new();
    for (reg_id, one) in hits {
        let Some(info) = editions.info(&reg_id) else { continue };
        let known = groups.iter().position(|(edition, ..)| edition.reg_id == reg_id.as_str());
        let at = known.unwrap_or_else(|| {
            groups.push((editions.view(info), editions.warning(info).unwrap_or_default(), Vec::new()));
            groups.len() - 1
        });
        groups[at].2.push(one);
    }
    groups
}

/// What to say about hits of editions that were asked for by name and are not in force.
fn warnings(editions: &EditionsOn, found: &BTreeSet<RegId>) -> Vec<String> {
    found.iter().filter_map(|id| editions.warning(editions.info(id)?)).collect()
}

/// Why no row was picked though the caller gave conditions: a column that no table found has, or a value in none.
fn nothing_picked(request: &rq::SearchTables, tables: &[rs::TableHitView]) -> Option<String> {
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
        return Some("找到的表格中没有满足全部条件的行".to_owned());
    }
    let mut known: Vec<&str> = Vec::new();
    for header in tables.iter().flat_map(|table| &table.col_headers).map(String::as_str) {
        if !known.contains(&header) && known.len() < MAX_HEADERS {
            known.push(header);
        }
    }
    Some(format!("找到的表格中没有“{}”这一列；有的列: {}", unknown.join("”“"), known.join("、")))
}

/// A rule that picked a row, for a person.
fn in_words(how: &HowMatched) -> String {
    let asked = match how.condition.name.as_str() {
        "" => how.condition.value.clone(),
        name => format!("{name}={}", how.condition.value),
    };
    let rule = match how.rule {
        MatchRule::Exact => "一致",
        MatchRule::Contains => "包含",
        MatchRule::AtLeast => "不少于",
        MatchRule::NextStep => "取不低于它的最小一档",
        MatchRule::LargestStep => "超过各档，取最大一档",
        MatchRule::Header => "表头",
        MatchRule::Table => "表题或章节",
    };
    format!("{asked}（{rule}：{} {}）", how.with, how.value)
}

/// How many are wanted. None at all is a slip of whoever asks.
fn limit_of(limit: u32) -> Result<usize, DomainError> {
    if limit == 0 {
        return Err(invalid("limit", "须为正整数"));
    }
    Ok(limit.min(MAX_HITS) as usize)
}

fn block_types(names: Option<&[String]>) -> Result<Vec<BlockType>, DomainError> {
    let read = |name: &String| {
        BlockType::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let known: Vec<&str> = BlockType::ALL.iter().map(|kind| kind.name()).collect();
            invalid("block_types", &format!("可选 {}", known.join("、")))
        })
    };
    names.unwrap_or_default().iter().map(read).collect()
}

fn invalid(name: &'static str, reason: &str) -> DomainError {
    DomainError::InvalidArgument { name, reason: reason.to_owned() }
}

/// How a question was read, for the caller.
fn understood(question: &Question) -> rs::Understood {
    let places = question.places.iter().map(|place| rs::UnderstoodPlace {
        kind: place.kind,
        number: place.number.clone(),
        regulation: place.regulation.clone(),
    });
    rs::Understood {
        language: question.language,
        kind: question.kind,
        value: question.value.as_ref().map(|value| value.kind.clone()),
        asking: (question.asking != question.text).then(|| question.asking.clone()),
        regulations: question.regulations.clone(),
        years: question.years.iter().cloned().collect(),
        dates: question.dates.iter().map(ToString::to_string).collect(),
        places: places.collect(),
        conditions: question.conditions.clone(),
        quantities: question.quantities.iter().map(ToString::to_string).collect(),
        change: question.change,
        terms: question.terms.iter().map(|term| term.text.clone()).collect(),
    }
}

fn hit(hit: SearchHit) -> rs::Hit {
    rs::Hit {
        reg_id: hit.reg_id.to_string(),
        page_num: hit.page_num.get(),
        chapter_path: hit.chapter_path,
        snippet: hit.snippet,
        score: hit.score,
        block_id: hit.block_id.map(|id| id.to_string()),
        block_type: hit.block_type.map(|kind| kind.name().to_owned()),
        section_number: hit.section_number.map(|number| number.to_string()),
        table_id: hit.table_id.map(|id| id.to_string()),
        source: match hit.source {
            SearchSource::Keyword => "keyword",
            SearchSource::Vector => "vector",
            SearchSource::Hybrid => "hybrid",
        }
        .to_owned(),
        passage: None,
    }
}

fn passage(found: Passage) -> rs::PassageView {
    let signals = found.signals;
    let rounded = |value: f64| (value * 1e4).round() / 1e4;
    rs::PassageView {
        text: found.text,
        blocks: found.blocks.iter().map(ToString::to_string).collect(),
        signals: rs::SignalsView {
            words: rounded(signals.words),
            coverage: rounded(signals.coverage),
            cosine: rounded(signals.cosine),
            window: rounded(signals.window),
            block: rounded(signals.block),
            block_cosine: rounded(signals.block_cosine),
            clause: rounded(signals.clause),
            page: rounded(signals.page),
            regulation: rounded(signals.regulation),
        },
    }
}

fn table_hit(hit: TableHit) -> rs::TableHitView {
    rs::TableHitView {
        reg_id: hit.reg_id.to_string(),
        table_id: hit.table_id.to_string(),
        caption: hit.caption,
        pages: hit.pages.into_iter().map(PageNumber::get).collect(),
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
    }
}

fn selection(selection: Selection) -> rs::SelectionView {
    let chosen = |one: regreader_search::ChosenRegulation| rs::ChosenView {
        reg_id: one.reg_id.to_string(),
        score: one.score,
        reasons: one.reasons,
    };
    rs::SelectionView {
        chosen: selection.chosen.into_iter().map(chosen).collect(),
        fell_back: selection.fell_back,
    }
}
