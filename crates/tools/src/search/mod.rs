//! Finding, and what its tools share: which regulations are meant, hits, and editions that are not in force.

pub(crate) mod passages;
pub(crate) mod similar;
pub(crate) mod tables;

use std::collections::BTreeSet;
use std::io;

use regreader_messages::{errors, tools};
use regreader_model::{BlockType, DomainError, PageNumber, RegId, SearchHit, SearchSource};
use regreader_search::{Passage, RegulationScope, Selection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::editions::{EditionView, EditionsOn};
use crate::tool::{Argument, argument};
use crate::{Sheet, ToolError, Toolbox};

/// Most hits in one result.
const MAX_HITS: u32 = 50;
/// Hits of editions that are not in force, beside the others.
const PAST_HITS: usize = 3;
/// Which regulations: one, several, `"all"`, or nothing to have them chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RegulationChoice {
    /// One id, or `"all"`.
    One(String),
    /// Several ids.
    Many(Vec<String>),
}

/// One hit.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Regulation that the hit belongs to.
    pub reg_id: String,
    /// Page that the hit stands on.
    pub page_num: PageNumber,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Words around the match, marked with `**`.
    pub snippet: String,
    /// Comparable over all hits of one search.
    pub score: f64,
    /// Block that the hit is, or stands in.
    pub block_id: Option<String>,
    /// Kind of block.
    pub block_type: Option<String>,
    /// Clause that the hit stands in.
    pub section_number: Option<String>,
    /// Logical table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_id: Option<String>,
    /// Which leg found it: keyword, vector, hybrid.
    pub source: String,
    /// The passage it stands in and what speaks for it, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passage: Option<Passage>,
}

/// Hits of editions that are not in force on the day asked about.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SupersededHits {
    /// The edition.
    pub edition: EditionView,
    /// What to say before anything is taken from it.
    pub warning: String,
    /// The library has no text of any edition that is in force (a scan, or not there at all), so that this one is the nearest
    /// that can be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub newest_readable: bool,
    /// Hits, best first.
    pub hits: Vec<Hit>,
}

impl Toolbox {
    /// What `reg_id` means.
    fn scope(&self, choice: Option<&RegulationChoice>) -> Result<RegulationScope, ToolError> {
        let ids =
            |names: &[String]| names.iter().map(|name| self.reg_id(name)).collect::<Result<Vec<_>, _>>();
        match choice {
            None => Ok(RegulationScope::Auto),
            Some(RegulationChoice::One(all)) if all == "all" => Ok(RegulationScope::All),
            Some(RegulationChoice::One(name)) => ids(std::slice::from_ref(name)).map(RegulationScope::These),
            Some(RegulationChoice::Many(names)) if names.is_empty() => Ok(RegulationScope::Auto),
            Some(RegulationChoice::Many(names)) => ids(names).map(RegulationScope::These),
        }
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
            let applies = |id: &RegId| editions.may_apply(id) || editions.is_nearest_readable(id);
            let ids: Vec<RegId> = ids.filter(applies).collect();
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
fn superseded(editions: &EditionsOn, hits: impl Iterator<Item = (RegId, Hit)>) -> Vec<SupersededHits> {
    by_edition(editions, hits)
        .into_iter()
        .map(|PastEdition { edition, warning, newest_readable, found: hits }| SupersededHits {
            edition,
            warning,
            newest_readable,
            hits,
        })
        .collect()
}

/// What was found in an edition that is not in force.
struct PastEdition<T> {
    edition: EditionView,
    /// What to say first.
    warning: String,
    newest_readable: bool,
    found: Vec<T>,
}

/// Hits by edition, each with what to say first.
fn by_edition<T>(editions: &EditionsOn, hits: impl Iterator<Item = (RegId, T)>) -> Vec<PastEdition<T>> {
    let mut groups: Vec<PastEdition<T>> = Vec::new();
    for (reg_id, one) in hits {
        let Some(info) = editions.info(&reg_id) else { continue };
        let known = groups.iter().position(|group| group.edition.reg_id == reg_id.as_str());
        let at = known.unwrap_or_else(|| {
            groups.push(PastEdition {
                edition: editions.view(info),
                warning: editions.warning(info).unwrap_or_default(),
                newest_readable: editions.is_nearest_readable(&reg_id),
                found: Vec::new(),
            });
            groups.len() - 1
        });
        groups[at].found.push(one);
    }
    groups
}

/// What to say about hits of editions that were asked for by name and are not in force.
fn warnings(editions: &EditionsOn, found: &BTreeSet<RegId>) -> Vec<String> {
    found.iter().filter_map(|id| editions.warning(editions.info(id)?)).collect()
}

/// How many are wanted. None at all is a slip of whoever asks.
fn limit_of(limit: u32) -> Result<usize, DomainError> {
    if limit == 0 {
        return Err(invalid("limit", errors::POSITIVE));
    }
    Ok(limit.min(MAX_HITS) as usize)
}

fn block_types(names: Option<&[String]>) -> Result<Vec<BlockType>, DomainError> {
    let read = |name: &String| {
        BlockType::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let known: Vec<&str> = BlockType::ALL.iter().map(|kind| kind.name()).collect();
            invalid("block_types", errors::choose_from(known.join(", ")))
        })
    };
    names.unwrap_or_default().iter().map(read).collect()
}

fn invalid(name: &'static str, reason: impl Into<String>) -> DomainError {
    DomainError::InvalidArgument { name, reason: reason.into() }
}

fn hit(hit: SearchHit) -> Hit {
    Hit {
        reg_id: hit.reg_id.to_string(),
        page_num: hit.page_num,
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

/// The regulations that a command searches.
const REGULATIONS: Argument = argument(
    "reg_id",
    "-r --reg-id REG_ID...",
    "Regulation, by its id or the name that citations print; may be given several times. Without it regulations are chosen by the question",
);
/// All of them.
const ALL: Argument = argument("reg_id", "-a --all", "All regulations");

/// Which regulations were chosen and why, beside the result.
fn show_selection(selection: Option<&Selection>, sheet: &dyn Sheet) {
    let Some(selection) = selection else { return };
    if selection.fell_back {
        sheet.note(&sheet.dim(&tools::ALL_SEARCHED.to_string()));
        return;
    }
    for chosen in &selection.chosen {
        sheet.note(&sheet.dim(&tools::chosen(&chosen.reg_id, chosen.reasons.join("；"))));
    }
}

/// What editions say that are not in force: apart from the rest, each under its warning.
fn show_superseded(groups: &[SupersededHits], sheet: &dyn Sheet) -> io::Result<()> {
    for group in groups {
        sheet.line(&sheet.bold(&format!("⚠ {}", group.warning)))?;
        show_hits(&group.hits, sheet)?;
    }
    Ok(())
}

/// Hits grouped by regulation, groups in the order of their best hit.
fn show_hits(hits: &[Hit], sheet: &dyn Sheet) -> io::Result<()> {
    let mut groups: Vec<(&str, Vec<&Hit>)> = Vec::new();
    for hit in hits {
        match groups.iter_mut().find(|(known, _)| *known == hit.reg_id) {
            Some((_, group)) => group.push(hit),
            None => groups.push((&hit.reg_id, vec![hit])),
        }
    }
    if groups.is_empty() {
        sheet.note(&tools::NOTHING_FOUND.to_string());
    }
    for (reg_id, group) in groups {
        sheet.line(&sheet.bold(&format!("■ {reg_id}")))?;
        for hit in group {
            let table = hit.table_id.as_ref().map(|id| format!(" [{id}]")).unwrap_or_default();
            let (path, score) = (hit.chapter_path.join(" › "), sheet.dim(&format!("{:.3}", hit.score)));
            sheet.line(&format!("  P{}  {path}{table}  {score}", hit.page_num))?;
            sheet.snippet(&hit.snippet)?;
        }
    }
    Ok(())
}
