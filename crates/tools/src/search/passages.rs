//! `smart_search`: finding passages by words and meaning.

use std::io;

use regreader_messages::tools;
use regreader_model::SearchHit;
use regreader_question::Question;
use regreader_search::{Passage, RegulationScope, SearchRequest, SearchResponse, Selection, Signals};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ALL, PAST_HITS, REGULATIONS, block_types, hit, limit_of, on_day, past_editions, reg_ids, show_hits,
    show_selection, show_superseded, superseded, warnings,
};
use crate::search::{Hit, RegulationChoice, SupersededHits};
use crate::tool::{Argument, Category, DAY, Gist, Phase, Tool, argument};
use crate::understood::{Understood, UnderstoodPlace};
use crate::{Sheet, ToolError, Toolbox};

/// Arguments of `smart_search`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmartSearch {
    /// 检索内容
    pub query: String,
    /// 规程标识、标识列表、"all"；不填则自动选择
    pub reg_id: Option<RegulationChoice>,
    /// 限定章节：编号、标题或路径（“6.2”“故障处理”）
    pub chapter_scope: Option<String>,
    /// 最多返回几条
    #[serde(default = "crate::tool::number::<10>")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: u32,
    /// 只要这些类型的内容块：text, table, heading, list, section_content, note
    pub block_types: Option<Vec<String>>,
    /// 只要这一条款之内的内容
    pub section_number: Option<String>,
    /// 同时给出每条命中所在的段落及各项评分
    #[serde(default)]
    pub explain: bool,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `smart_search`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SearchResults {
    /// How the question was read: check it when the hits are not what was asked for.
    #[serde(default)]
    pub understood: Understood,
    /// Hits, best first, of editions that are in force or of unknown status, and of those that were asked for by name.
    pub hits: Vec<Hit>,
    /// Hits of editions that are not in force on that day, apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<SupersededHits>,
    /// Which regulations were chosen and why, when none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// There was more.
    pub truncated: bool,
    /// What to know before relying on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// What to do when there is nothing, or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl SmartSearch {
    /// A search for so many hits, in these regulations.
    pub fn new(query: impl Into<String>, reg_id: Option<RegulationChoice>, limit: u32) -> Self {
        Self {
            query: query.into(),
            reg_id,
            chapter_scope: None,
            limit,
            block_types: None,
            section_number: None,
            explain: false,
            as_of: None,
        }
    }
}

impl Tool for SmartSearch {
    const NAME: &'static str = "smart_search";
    const COMMAND: &'static str = "search";
    const TITLE: &'static str = "混合检索";
    const DESCRIPTION: &'static str = "关键词与语义混合检索，返回带页码、章节和标记片段的命中。reg_id 可为单个、列表、\"all\" 或不填（自动选择规程并说明理由）。chapter_scope 限定章节（编号、标题或路径）。";
    const CATEGORY: Category = Category::Search;
    const PHASE: Phase = Phase::Base;
    const SEARCHES: bool = true;
    const HELP: &'static str = "Search regulations (检索)";
    const ARGUMENTS: &'static [Argument] = &[
        argument("query", "QUERY", "What to look for"),
        REGULATIONS,
        ALL,
        argument("chapter_scope", "--chapter CHAPTER", "Only below this chapter: number, title or path"),
        argument(
            "block_types",
            "--types TYPES,",
            "Only these kinds of block, separated by commas: text, table, heading, list, section_content, note",
        ),
        argument("section_number", "--section NUMBER", "Only this clause"),
        argument("limit", "-l --limit LIMIT", "At most so many hits"),
        DAY,
    ];
    type Response = SearchResults;

    /// Searches by words and meaning. Without regulations it chooses them, and says why. Editions that are not in force on
    /// the day are searched too, and given apart.
    fn run(&self, toolbox: &Toolbox) -> Result<SearchResults, ToolError> {
        let engine = toolbox.engine()?;
        let editions = toolbox.editions_on(self.as_of.as_deref())?;
        let asked = toolbox.scope(self.reg_id.as_ref())?;
        let limit = limit_of(self.limit)?;
        let question = engine.question(&self.query)?;
        let search = |scope: RegulationScope, limit: usize| -> Result<SearchResponse, ToolError> {
            Ok(engine.search(&SearchRequest {
                question: question.clone(),
                scope,
                chapter_scope: self.chapter_scope.clone(),
                block_types: block_types(self.block_types.as_deref())?,
                section_number: self.section_number.clone(),
                limit,
                collapse_pages: false,
            })?)
        };
        let mut response = search(on_day(&editions, &asked, self.as_of.is_some()), limit)?;
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
                past.push((one, passage));
            }
        }
        if past.is_empty() && !named {
            let ended = past_editions(&editions, &reg_ids(&hits));
            if !ended.is_empty() {
                let found = search(RegulationScope::These(ended), PAST_HITS)?;
                past = found.hits.into_iter().zip(found.passages.into_iter().map(Some)).collect();
            }
        }
        let mut notices = response.notices;
        notices.extend(warnings(&editions, &reg_ids(&hits)));
        let next = if hits.is_empty() {
            Some(tools::REPHRASE.to_string())
        } else {
            response.truncated.then(|| tools::MORE_HITS.to_string())
        };
        let shown = |one: SearchHit, found: Option<Passage>| {
            let found = found.filter(|found| self.explain && !found.blocks.is_empty());
            Hit {
                passage: found.map(|found| Passage { signals: rounded(found.signals), ..found }),
                ..hit(one)
            }
        };
        let past = past.into_iter().map(|(one, passage)| (one.reg_id.clone(), shown(one, passage)));
        Ok(SearchResults {
            understood: understood(&question),
            superseded: superseded(&editions, past),
            hits: hits.into_iter().zip(explained).map(|(one, passage)| shown(one, passage)).collect(),
            selection: response.selection,
            truncated: response.truncated,
            notices,
            next,
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        show_selection(response.selection.as_ref(), sheet);
        show_hits(&response.hits, sheet)?;
        show_superseded(&response.superseded, sheet)?;
        response.notices.iter().for_each(|notice| sheet.warning(notice));
        sheet.next(response.next.as_deref());
        Ok(())
    }

    fn found_nothing(response: &Self::Response) -> bool {
        response.hits.is_empty()
    }

    fn gist(response: &Self::Response) -> Gist {
        let notices = response.notices.clone();
        Gist { notices, ..Gist::count(response.hits.len(), tools::HITS) }
    }
}

/// How a question was read, for the caller.
fn understood(question: &Question) -> Understood {
    let places = question.places.iter().map(|place| UnderstoodPlace {
        kind: place.kind,
        number: place.number.clone(),
        regulation: place.regulation.clone(),
    });
    Understood {
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

/// Four places are more than anybody compares; the rest would only take room.
fn rounded(signals: Signals) -> Signals {
    let rounded = |value: f64| (value * 1e4).round() / 1e4;
    Signals {
        words: rounded(signals.words),
        coverage: rounded(signals.coverage),
        cosine: rounded(signals.cosine),
        similar: rounded(signals.similar),
        window: rounded(signals.window),
        block: rounded(signals.block),
        block_cosine: rounded(signals.block_cosine),
        clause: rounded(signals.clause),
        page: rounded(signals.page),
        regulation: rounded(signals.regulation),
    }
}
