//! Results of the tools about editions, changes and impact.

use std::collections::BTreeMap;

use regreader_changes::ChangeRecord;
use regreader_changes::mention::Impact;
use regreader_changes::status::EditionStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An edition that took part.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct EditionView {
    /// Id of the regulation.
    pub reg_id: String,
    /// Title of the edition.
    pub title: String,
    /// Name used in citations.
    pub name: String,
    /// Status on the day asked about.
    pub status: EditionStatus,
}

/// Result of `list_changes`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChangeList {
    /// Older edition.
    pub old: EditionView,
    /// Newer edition.
    pub new: EditionView,
    /// Changes of this part of the list, limits first.
    pub changes: Vec<ChangeRecord>,
    /// How many changes there are of each kind, of those that were asked for; `format` counts spellings only.
    pub counts: BTreeMap<String, usize>,
    /// Changes that were asked for, in all.
    pub total: u32,
    /// There is more.
    pub truncated: bool,
    /// Cursor for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Result of `find_mentions` and `trace_impact`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ImpactList {
    /// The thing asked about, as the list of things has it.
    pub entity: String,
    /// Spellings that were looked for, folded.
    pub spellings: Vec<String>,
    /// Day for which editions count as in force.
    pub as_of: String,
    /// Places in this part of the list, by regulation and page, editions in force first.
    pub mentions: Vec<ImpactView>,
    /// Regulations with such places.
    pub regulations: Vec<ImpactRegulation>,
    /// All places.
    pub total: u32,
    /// Every readable page was searched.
    pub complete: bool,
    /// Pages that could not be read, by regulation: nothing is known about them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable_pages: BTreeMap<String, Vec<u32>>,
    /// Regulations that could not be opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable_regulations: Vec<String>,
    /// There is more.
    pub truncated: bool,
    /// Cursor for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A place that concerns the thing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ImpactView {
    /// Place, reason and way.
    #[serde(flatten)]
    pub impact: Impact,
    /// The citation as an answer prints it.
    pub citation: String,
}

/// A regulation with places that concern the thing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ImpactRegulation {
    /// Id of the regulation.
    pub reg_id: String,
    /// Title of the regulation.
    pub title: String,
    /// Places in it.
    pub count: u32,
    /// Status on the day asked about.
    pub status: EditionStatus,
}

/// The shape of an event: what happened to an edition, when, and where that is written.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct EventView {
    /// adopted, published, effective, amended, replaced, partly_replaced, abolished.
    pub kind: String,
    /// Day, `YYYY-MM-DD`.
    #[serde(default)]
    pub date: Option<String>,
    /// The document it happened to, when that is another one.
    #[serde(default)]
    pub subject: Option<String>,
    /// Who or what did it.
    #[serde(default)]
    pub by: Option<String>,
    /// The part that is concerned.
    #[serde(default)]
    pub scope: Option<String>,
    /// `{"from": "page", "page_num": …, "text": …}`, `{"from": "person", "note": …}` or `{"from": "metadata"}`.
    pub evidence: serde_json::Map<String, serde_json::Value>,
    /// When it was recorded.
    #[serde(default)]
    pub recorded_at: Option<String>,
}

/// Hits of editions that are not in force on the day asked about.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SupersededHits {
    /// The edition.
    pub edition: EditionView,
    /// What to say before anything is taken from it.
    pub warning: String,
    /// Hits, best first.
    pub hits: Vec<super::Hit>,
}

/// Tables of editions that are not in force on the day asked about.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SupersededTables {
    /// The edition.
    pub edition: EditionView,
    /// What to say before anything is taken from it.
    pub warning: String,
    /// Tables, best first.
    pub tables: Vec<super::TableHitView>,
}
