//! From the places that name a thing to the places that depend on them: the notes of its tables, the cells of its columns,
//! and whatever refers to one of those.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regreader_messages::tools;
use regreader_model::{Location, Reference};
use regreader_text::script::language_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Item, Mention, Reason, RegulationTexts};

/// A place that concerns a thing, and by what way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Impact {
    /// 位置与理由
    #[serde(flatten)]
    pub mention: Mention,
    /// 第几层：0 为直接指名
    pub depth: u32,
    /// 经由何处：引用原文，或所属的表
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

/// What is known as concerned: chapters and tables by regulation.
#[derive(Debug, Default)]
struct Concerned {
    nodes: BTreeSet<(String, String)>,
    tables: BTreeSet<(String, String)>,
}

/// Everything that concerns the things spelt like `keys`, in up to `depth` steps. `references` gives each regulation's
/// references with the place they lead to, wherever that is.
pub fn trace(
    texts: &[&RegulationTexts],
    references: &BTreeMap<String, Vec<(Reference, Location)>>,
    keys: &[String],
    depth: u32,
) -> Vec<Impact> {
    let mut found: Vec<Impact> = Vec::new();
    let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut fresh = Concerned::default();
    for (t, text) in texts.iter().enumerate() {
        for (i, item) in text.items.iter().enumerate().filter(|(_, item)| item.names(keys)) {
            seen.insert((t, i));
            fresh.add(text, item);
            found.push(Impact { mention: item.mention(), depth: 0, via: None });
        }
    }
    for step in 1..=depth {
        let mut next = Concerned::default();
        for (t, text) in texts.iter().enumerate() {
            let own = own_parts(text, &fresh, step == 1, keys);
            let referring = references.get(text.reg_id()).map(Vec::as_slice).unwrap_or_default();
            for (i, reason, via) in own.into_iter().chain(referrers(text, referring, &fresh)) {
                if seen.insert((t, i)) {
                    let item = &text.items[i];
                    next.add(text, item);
                    let mention = Mention { reason, ..item.mention() };
                    found.push(Impact { mention, depth: step, via: Some(via) });
                }
            }
        }
        if next.nodes.is_empty() && next.tables.is_empty() {
            break;
        }
        fresh = next;
    }
    found
}

impl Concerned {
    fn add(&mut self, text: &RegulationTexts, item: &Item) {
        let reg = || text.reg_id().to_owned();
        match &item.place.table_id {
            Some(table) => self.tables.extend([(reg(), table.clone())]),
            None => self.nodes.extend(item.node.clone().map(|node| (reg(), node))),
        }
    }

    fn has_table(&self, reg_id: &str, table: &str) -> bool {
        self.tables.contains(&(reg_id.to_owned(), table.to_owned()))
    }
}

/// Notes of the tables that are concerned, and the cells below a header that names the thing.
fn own_parts(
    text: &RegulationTexts,
    fresh: &Concerned,
    first: bool,
    keys: &[String],
) -> Vec<(usize, Reason, String)> {
    let mut parts = Vec::new();
    let mut columns: BTreeSet<(&str, u32)> = BTreeSet::new();
    for item in
        text.items.iter().filter(|item| first && item.reason == Reason::ColumnHeader && item.names(keys))
    {
        if let (Some(table), Some(col)) = (&item.place.table_id, item.place.col) {
            columns.insert((table, col));
        }
    }
    // A note stands behind its table: the last table before it in the document.
    let mut table: Option<&Item> = None;
    for (i, item) in text.items.iter().enumerate() {
        match (&item.place.table_id, item.place.col) {
            (Some(id), Some(col)) if matches!(item.reason, Reason::Cell | Reason::RowKey) => {
                table = Some(item);
                if columns.contains(&(id.as_str(), col)) {
                    let header = item.place.column.clone().unwrap_or_default();
                    parts.push((i, Reason::ColumnHeader, header));
                }
            }
            (Some(_), _) => table = Some(item),
            (None, _) if item.reason == Reason::Note => {
                let of = table.filter(|table| {
                    let id = table.place.table_id.as_deref().unwrap_or_default();
                    fresh.has_table(text.reg_id(), id)
                });
                if let Some(of) = of {
                    parts.push((i, Reason::NoteOfTable, table_name(of)));
                }
            }
            (None, _) if item.over.is_none() => table = None,
            _ => {}
        }
    }
    parts
}

fn table_name(item: &Item) -> String {
    match &item.place.table {
        Some(number) => {
            tools::table_label(language_of(item.place.title.as_deref().unwrap_or(number)), number)
        }
        None => item.place.title.clone().unwrap_or_default(),
    }
}

/// Items that refer to a place that is concerned.
fn referrers(
    text: &RegulationTexts,
    references: &[(Reference, Location)],
    fresh: &Concerned,
) -> Vec<(usize, Reason, String)> {
    let mut by_block: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, item) in text.items.iter().enumerate().filter(|(_, item)| item.over.is_none()) {
        if let Some(block) = &item.place.block_id {
            by_block.entry(block).or_default().push(i);
        }
    }
    let mut found = Vec::new();
    for (reference, location) in references {
        let reg = location.reg_id.to_string();
        let concerned = match (&location.table_id, &location.node_id) {
            (Some(table), _) => fresh.has_table(&reg, table.as_str()),
            (None, Some(node)) => fresh.nodes.contains(&(reg, node.to_string())),
            (None, None) => false,
        };
        if !concerned {
            continue;
        }
        let items = by_block.get(reference.block_id.as_str()).into_iter().flatten();
        let is_it = |i: &&usize| {
            let item = &text.items[**i];
            reference.col.is_none() || item.text.contains(&reference.text)
        };
        found.extend(items.filter(is_it).take(1).map(|i| (*i, Reason::RefersTo, reference.text.clone())));
    }
    found
}
