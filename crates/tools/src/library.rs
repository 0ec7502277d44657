//! `list_regulations`: what the library holds.

use std::collections::BTreeMap;
use std::io;

use regreader_changes::status::EditionStatus;
use regreader_messages::{cli, tools};
use regreader_model::{Citation, EditionEvent, RegId};
use regreader_search::superseding;
use regreader_store::ListEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Category, Gist, Phase, Tool};
use crate::{Sheet, ToolError, Toolbox};

/// Arguments of `list_regulations`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRegulations {
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `list_regulations`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RegulationList {
    /// The regulations.
    pub regulations: Vec<RegulationEntry>,
    /// Day for which their status is given.
    pub as_of: String,
    /// Something was left out.
    pub truncated: bool,
}

/// One regulation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegulationEntry {
    /// Id of the regulation.
    pub reg_id: String,
    /// Title of the regulation.
    pub title: String,
    /// Source file.
    pub source_file: String,
    /// Number of pages.
    pub total_pages: u32,
    /// When it was ingested.
    pub indexed_at: String,
    /// What it is about.
    pub description: Option<String>,
    /// Subject words.
    pub keywords: Vec<String>,
    /// What it answers.
    pub scope: Option<String>,
    /// Short names.
    pub aliases: Vec<String>,
    /// Edition, as the regulation calls it.
    pub edition: Option<String>,
    /// In force from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_from: Option<String>,
    /// What it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// What happened to it and when, as far as it is written or was recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<EventView>")]
    pub events: Vec<EditionEvent>,
    /// Whether it is in force on the day asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<EditionStatus>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
    /// Page numbers are estimates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pages_approximate: bool,
    /// Why it cannot be read, when it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The shape of an event: what happened to an edition, when, and where that is written.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct EventView {
    /// adopted, published, effective, amended, replaced, partly_replaced, abolished.
    kind: String,
    /// Day, `YYYY-MM-DD`.
    date: Option<String>,
    /// The document it happened to, when that is another one.
    subject: Option<String>,
    /// Who or what did it.
    by: Option<String>,
    /// The part that is concerned.
    scope: Option<String>,
    /// `{"from": "page", "page_num": …, "text": …}`, `{"from": "person", "note": …}` or `{"from": "metadata"}`.
    evidence: serde_json::Map<String, serde_json::Value>,
    /// When it was recorded.
    recorded_at: Option<String>,
}

impl RegulationEntry {
    /// The name in citations.
    pub fn short_name(&self) -> &str {
        self.aliases.first().unwrap_or(&self.title)
    }

    /// Every name that it goes by: short names, title, id.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.aliases.iter().chain([&self.title, &self.reg_id]).map(String::as_str)
    }

    /// A citation as somebody wrote it, as one of this regulation: with its id, the name that citations print, and the
    /// mark of estimated pages, none of which people and models write.
    pub fn own(&self, written: &Citation) -> Citation {
        Citation {
            reg_id: self.reg_id.parse().ok(),
            name: self.short_name().to_owned(),
            page_approximate: self.pages_approximate,
            ..written.clone()
        }
    }
}

impl Tool for ListRegulations {
    const NAME: &'static str = "list_regulations";
    const COMMAND: &'static str = "list";
    const TITLE: &'static str = "规程列表";
    const DESCRIPTION: &'static str = "列出规程库中的全部规程：标识、标题、页数、简介、关键词、适用范围、别名、版本，以及在 as_of 那天（不填为今天）是否现行。先用它了解有哪些规程、该用哪一版。";
    const CATEGORY: Category = Category::Navigate;
    const PHASE: Phase = Phase::Navigation;
    type Response = RegulationList;

    /// Every regulation of the library. One that cannot be read says why.
    fn run(&self, toolbox: &Toolbox) -> Result<RegulationList, ToolError> {
        let entries = toolbox.library.list()?;
        let editions = toolbox.editions_on(self.as_of.as_deref())?;
        let truncated = entries.len() > toolbox.options.max_items;
        // Two files in a folder seldom say that one takes the place of the other; their titles do. A list needs no more than the
        // library, so no index is opened for it.
        let superseding = match toolbox.engine_if_open() {
            Some(engine) => engine.superseding().unwrap_or_default(),
            None => superseding(entries.iter().filter_map(|entry| match entry {
                ListEntry::Regulation(info) => Some(info),
                ListEntry::Broken { .. } => None,
            })),
        };
        let entries = entries.into_iter().take(toolbox.options.max_items);
        let regulations = entries.map(|entry| {
            let mut entry = list_entry(entry, &superseding);
            let reg_id = entry.reg_id.parse().ok().filter(|_| entry.problem.is_none());
            entry.edition_notice =
                reg_id.as_ref().and_then(|id| editions.info(id)).and_then(|info| editions.warning(info));
            entry.status = reg_id.map(|id| editions.status(&id));
            entry
        });
        let regulations = regulations.collect();
        let as_of = editions.day.to_string();
        Ok(RegulationList { regulations, as_of, truncated })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        let row = |one: &RegulationEntry| {
            let pages = match &one.problem {
                Some(_) => cli::BROKEN.to_string(),
                None => cli::page_count(one.total_pages, one.pages_approximate),
            };
            let title = one.problem.as_ref().unwrap_or(&one.title).clone();
            vec![one.reg_id.clone(), pages, one.aliases.first().cloned().unwrap_or_default(), title]
        };
        let rows: Vec<Vec<String>> = response.regulations.iter().map(row).collect();
        sheet.columns(&rows).iter().try_for_each(|line| sheet.line(line))
    }

    fn gist(response: &Self::Response) -> Gist {
        Gist::count(response.regulations.len(), tools::REGULATIONS)
    }
}

fn list_entry(entry: ListEntry, superseding: &BTreeMap<RegId, RegId>) -> RegulationEntry {
    match entry {
        ListEntry::Regulation(info) => RegulationEntry {
            supersedes: info
                .supersedes
                .as_ref()
                .or_else(|| superseding.get(&info.reg_id))
                .map(ToString::to_string),
            reg_id: info.reg_id.to_string(),
            title: info.title,
            source_file: info.source_file,
            total_pages: info.total_pages,
            indexed_at: info.indexed_at,
            description: info.description,
            keywords: info.keywords,
            scope: info.scope,
            aliases: info.aliases,
            edition: info.edition,
            effective_from: info.effective_from,
            events: info.events,
            status: None,
            edition_notice: None,
            pages_approximate: info.pages_approximate,
            problem: None,
        },
        ListEntry::Broken { reg_id, problem } => RegulationEntry {
            reg_id: reg_id.to_string(),
            problem: Some(problem.to_string()),
            ..RegulationEntry::default()
        },
    }
}
