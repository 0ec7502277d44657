//! Things that a regulation speaks of: lines, stations, DC links, sections, devices, defined terms.
//!
//! Names are found, not listed: what stands before one of the endings in `entity.txt` is a name as far to the left as it
//! keeps recurring, since a name is repeated and what happens to stand before it is not.

use std::collections::{BTreeMap, HashMap};

use regreader_messages::errors;
use regreader_model::DocumentStructure;
use regreader_text::script::is_cjk;
use regreader_text::{fold, numbering};

use crate::clause::EditionText;

/// Endings and stop characters, with their origin.
const DATA: &str = include_str!("entity.txt");
/// Most characters of a name before its ending.
const LONGEST: usize = 10;
/// Fewest characters of a name before its ending.
const SHORTEST: usize = 2;
/// A longer candidate is the name when it keeps at least this share of the occurrences of the shorter one. More than half,
/// so that of two contexts only one can be part of the name.
const KEEPS: f64 = 0.6;

/// A thing with its spellings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Name as it is printed first, or as the imported list has it.
    pub name: String,
    /// What it is: station, line, dc, section, unit, bus, transformer, device, term, or the kind of the imported list.
    pub kind: String,
    /// Folded spellings by which it is found, its own first.
    pub keys: Vec<String>,
}

/// The things of some regulations, by folded name.
#[derive(Debug, Clone, Default)]
pub struct EntityCatalog {
    entities: BTreeMap<String, Entity>,
    /// Folded alias of an imported thing → folded name.
    aliases: BTreeMap<String, String>,
}

impl EntityCatalog {
    /// Collects the things of an edition: names in its text and tables, and the terms it defines.
    pub fn read(&mut self, edition: &EditionText<'_>) {
        let blocks = || edition.pages.iter().flat_map(|page| &page.content_blocks);
        let texts: Vec<String> = blocks().map(|block| fold(&block.content_markdown)).collect();
        for (name, kind) in names(&texts) {
            self.add(&name, &kind);
        }
        for term in defined_terms(edition) {
            self.add(&term, "term");
        }
    }

    /// Adds a thing under its name; one that is known keeps its kind.
    pub fn add(&mut self, name: &str, kind: &str) {
        let key = key_of(name);
        if !key.is_empty() {
            self.entities.entry(key.clone()).or_insert_with(|| Entity {
                name: name.to_owned(),
                kind: kind.to_owned(),
                keys: vec![key],
            });
        }
    }

    /// Reads an equipment list: CSV with a name, a kind and any number of aliases per line (`天中直流,dc,±800kV天中线,哈郑直流`).
    /// A first line whose first cell is `name` or `名称` is a header. Says how many things were read, or the first line
    /// that cannot be read.
    pub fn import_csv(&mut self, text: &str) -> Result<usize, String> {
        let mut read = 0;
        for (number, cells) in csv_records(text)? {
            let mut cells = cells.into_iter().map(|cell| cell.trim().to_owned());
            let name = cells.next().unwrap_or_default();
            if name.is_empty() || (read == 0 && matches!(fold(&name).as_str(), "name" | "名称" | "设备名称"))
            {
                continue;
            }
            let kind = cells.next().filter(|kind| !kind.is_empty()).unwrap_or_else(|| "device".to_owned());
            let key = key_of(&name);
            if key.is_empty() {
                return Err(errors::nameless_line(number));
            }
            let mut keys = vec![key.clone()];
            for alias in cells.map(|alias| key_of(&alias)).filter(|alias| !alias.is_empty()) {
                if !keys.contains(&alias) {
                    self.aliases.insert(alias.clone(), key.clone());
                    keys.push(alias);
                }
            }
            self.entities.insert(key, Entity { name, kind, keys });
            read += 1;
        }
        Ok(read)
    }

    /// The thing that a name or alias means.
    pub fn get(&self, name: &str) -> Option<&Entity> {
        let key = key_of(name);
        self.entities.get(&key).or_else(|| self.entities.get(self.aliases.get(&key)?))
    }

    /// All things, by folded name.
    pub fn iter(&self) -> impl Iterator<Item = &Entity> {
        self.entities.values()
    }

    /// The things that a text names. Of two names where one is part of the other, only the longer.
    pub fn named_in(&self, text: &str) -> Vec<String> {
        let folded = key_of(text);
        let mut found: Vec<(&str, &Entity)> = Vec::new();
        for entity in self.entities.values() {
            if let Some(key) = entity.keys.iter().find(|key| folded.contains(key.as_str())) {
                found.push((key, entity));
            }
        }
        let is_part =
            |key: &str| found.iter().any(|(other, _)| other.len() > key.len() && other.contains(key));
        found.iter().filter(|(key, _)| !is_part(key)).map(|(_, entity)| entity.name.clone()).collect()
    }
}

/// The spelling by which a name is looked for.
pub(crate) fn key_of(text: &str) -> String {
    fold(text).trim().to_owned()
}

struct Endings {
    suffixes: Vec<(&'static str, &'static str)>,
    stops: &'static str,
}

fn endings() -> Endings {
    let mut endings = Endings { suffixes: Vec::new(), stops: "" };
    for line in DATA.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split(' ');
        match (parts.next(), parts.next(), parts.next()) {
            (Some("suffix"), Some(suffix), Some(kind)) => endings.suffixes.push((suffix, kind)),
            (Some("stop"), Some(stops), None) => endings.stops = stops,
            _ => {}
        }
    }
    endings
}

/// Names before the endings, in some texts.
fn names(texts: &[String]) -> BTreeMap<String, String> {
    let endings = endings();
    // Every stretch that could be a name, with how often it occurs.
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut contexts: Vec<(Vec<char>, &str, &str)> = Vec::new();
    for text in texts {
        let chars: Vec<char> = text.chars().collect();
        let mut taken = 0;
        for at in 0..chars.len() {
            let ending = endings.suffixes.iter().find(|(suffix, _)| {
                chars[at..].iter().copied().take(suffix.chars().count()).eq(suffix.chars())
            });
            let Some((suffix, kind)) = ending.filter(|_| at >= taken) else { continue };
            taken = at + suffix.chars().count();
            let before: Vec<char> = chars[..at]
                .iter()
                .rev()
                .take(LONGEST)
                .take_while(|c| (is_cjk(**c) || c.is_ascii_alphanumeric()) && !endings.stops.contains(**c))
                .copied()
                .collect();
            for length in SHORTEST..=before.len() {
                let name: String =
                    before[..length].iter().rev().chain(suffix.chars().collect::<Vec<_>>().iter()).collect();
                *counts.entry(name).or_insert(0) += 1;
            }
            contexts.push((before, suffix, kind));
        }
    }
    let mut names = BTreeMap::new();
    for (before, suffix, kind) in contexts {
        let name = |length: usize| -> String {
            before[..length].iter().rev().copied().chain(suffix.chars()).collect()
        };
        let count = |length: usize| counts.get(&name(length)).copied().unwrap_or(0);
        if before.len() < SHORTEST || count(SHORTEST) < 2 {
            continue;
        }
        let mut length = SHORTEST;
        while length < before.len()
            && count(length + 1) >= 2
            && count(length + 1) as f64 >= KEEPS * count(length) as f64
        {
            length += 1;
        }
        names.insert(name(length), kind.to_owned());
    }
    names
}

/// `1.3.1 安控装置：检测到电网故障…` below a chapter of terms and definitions.
fn defined_terms(edition: &EditionText<'_>) -> Vec<String> {
    let structure: &DocumentStructure = edition.structure;
    let defines = |title: &str| {
        let title = fold(title);
        title.contains("术语")
            || title.contains("定义")
            || title.contains("definition")
            || title.contains("glossary")
    };
    let mut terms = Vec::new();
    for node in structure.iter() {
        let above = structure.ancestors(&node.node_id).skip(1).any(|ancestor| defines(&ancestor.title));
        if !above {
            continue;
        }
        let text = numbering::parse_line(&node.title).map_or(node.title.as_str(), |line| line.rest);
        if let Some((term, _)) = text.split_once(['：', ':'])
            && (2..=20).contains(&term.chars().count())
        {
            terms.extend(
                term.split('、').map(|term| term.trim().to_owned()).filter(|term| term.chars().count() > 1),
            );
        }
    }
    terms
}

/// The records of a CSV text with their line numbers: quotes, doubled quotes and line ends inside quotes are read.
fn csv_records(text: &str) -> Result<Vec<(usize, Vec<String>)>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut records = Vec::new();
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let (mut line, mut begun) = (1, 1);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            ',' | '，' | '\t' if !quoted => cells.push(std::mem::take(&mut cell)),
            '\n' => {
                line += 1;
                if quoted {
                    cell.push(c);
                } else {
                    cells.push(std::mem::take(&mut cell));
                    records.push((begun, std::mem::take(&mut cells)));
                    begun = line;
                }
            }
            '\r' => {}
            c => cell.push(c),
        }
    }
    if quoted {
        return Err(errors::open_quotation(begun));
    }
    if !cell.is_empty() || !cells.is_empty() {
        cells.push(cell);
        records.push((begun, cells));
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_reaches_as_far_left_as_it_recurs() {
        let texts: Vec<String> = [
            "锦苏直流双极闭锁时，锦屏一级电厂切机。",
            "当天中直流闭锁，锦屏一级电厂不切；送端锦苏直流限额见表。",
            "受端天中直流功率回降，锦苏直流不变。长南Ⅰ线跳闸后，跳开长南I线。",
        ]
        .iter()
        .map(|text| fold(text))
        .collect();
        let found: Vec<String> = names(&texts).into_keys().collect();
        assert_eq!(found, ["天中直流", "锦屏一级电厂", "锦苏直流", "长南1线"]);
    }

    #[test]
    fn an_equipment_list_brings_aliases() {
        let mut catalog = EntityCatalog::default();
        let read =
            catalog.import_csv("名称,类别,别名\n天中直流,dc,哈郑直流,\"±800kV 天中线\"\r\n长南Ⅰ线,line\n");
        assert_eq!(read, Ok(2));
        assert_eq!(catalog.get("哈郑直流").unwrap().name, "天中直流");
        assert_eq!(catalog.get("长南I线").unwrap().kind, "line");
        assert_eq!(catalog.named_in("哈郑直流送电，长南1线检修"), ["天中直流", "长南Ⅰ线"]);
        assert!(catalog.import_csv("\"没有结束").unwrap_err().contains("引号"));
    }
}
