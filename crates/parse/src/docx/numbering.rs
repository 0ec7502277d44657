//! Automatic numbers: the lists of `numbering.xml` and the counters that run through the document.
//!
//! Word stores no number in the paragraph; what is printed as `3.2.1` or `第五条` exists only as a list level with a
//! pattern. A clause without its number cannot be cited, so the number is rendered into the text.

use std::collections::{BTreeMap, BTreeSet};

use super::counting;
use super::styles::Styles;
use crate::ooxml::Element;

const LEVELS: usize = 9;

/// Lists and their running counters.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    lists: BTreeMap<String, List>,
    abstracts: BTreeMap<String, Abstract>,
    /// Counters by abstract list: lists of one abstract definition count on from each other.
    counters: BTreeMap<String, [Option<u32>; LEVELS]>,
    /// Start overrides already applied.
    started: BTreeSet<(String, usize)>,
}

#[derive(Debug, Default)]
struct List {
    abstract_id: String,
    starts: BTreeMap<usize, u32>,
    levels: BTreeMap<usize, Level>,
}

#[derive(Debug, Default)]
struct Abstract {
    levels: BTreeMap<usize, Level>,
    style_link: Option<String>,
}

#[derive(Debug, Clone, Default)]
struct Level {
    start: u32,
    format: String,
    pattern: String,
    suffix: Suffix,
    legal: bool,
    restart: Option<usize>,
    style: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Suffix {
    #[default]
    Space,
    Nothing,
}

/// The printed number of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number {
    /// What stands before the text, with the space that follows it; empty for a bullet.
    pub text: String,
    /// The pattern is that of a clause (`%1.%2`, `第%1条`), not of a simple list.
    pub is_clause: bool,
}

impl Numbering {
    /// Reads `numbering.xml`.
    pub fn read(root: Option<&Element>) -> Self {
        let mut numbering = Self::default();
        let Some(root) = root else { return numbering };
        for element in root.children() {
            match &*element.name {
                "abstractNum" => {
                    let Some(id) = element.attr("abstractNumId") else { continue };
                    let definition = Abstract {
                        levels: levels(element),
                        style_link: element.child_val("numStyleLink").map(str::to_owned),
                    };
                    numbering.abstracts.insert(id.to_owned(), definition);
                }
                "num" => {
                    let (Some(id), Some(abstract_id)) =
                        (element.attr("numId"), element.child_val("abstractNumId"))
                    else {
                        continue;
                    };
                    let mut list = List { abstract_id: abstract_id.to_owned(), ..List::default() };
                    for change in element.children().filter(|child| &*child.name == "lvlOverride") {
                        let Some(level) = change.attr("ilvl").and_then(|v| v.parse().ok()) else { continue };
                        if let Some(start) = change.child_val("startOverride").and_then(|v| v.parse().ok()) {
                            list.starts.insert(level, start);
                        }
                        list.levels.extend(levels(change));
                    }
                    numbering.lists.insert(id.to_owned(), list);
                }
                _ => {}
            }
        }
        numbering
    }

    /// The level of a list that a style stands for.
    pub fn level_of_style(&self, num_id: &str, style_id: &str) -> Option<usize> {
        let list = self.lists.get(num_id)?;
        let definition = self.abstracts.get(&list.abstract_id)?;
        definition
            .levels
            .iter()
            .find(|(_, level)| level.style.as_deref() == Some(style_id))
            .map(|(at, _)| *at)
    }

    /// Counts one paragraph on and gives its number. None when the list is unknown.
    pub fn next(&mut self, num_id: &str, level: usize, styles: &Styles) -> Option<Number> {
        let level = level.min(LEVELS - 1);
        let list = self.lists.get(num_id)?;
        let abstract_id = self.definition_of(&list.abstract_id, styles)?;
        let definition = self.abstracts.get(&abstract_id)?;
        let level_at = |at: usize| list.levels.get(&at).or_else(|| definition.levels.get(&at));

        let counters = self.counters.entry(abstract_id.clone()).or_default();
        let start = list.starts.get(&level).copied();
        let first_use = start.is_some() && self.started.insert((num_id.to_owned(), level));
        counters[level] = Some(match (counters[level], start) {
            (_, Some(start)) if first_use => start,
            (Some(count), _) => count.saturating_add(1),
            (None, start) => start.unwrap_or_else(|| level_at(level).map_or(1, |l| l.start)),
        });
        for (below, counter) in counters.iter_mut().enumerate().skip(level + 1) {
            // `lvlRestart` names the level (from 1) whose use restarts this one; 0 means never.
            let restarts = match level_at(below).and_then(|l| l.restart) {
                Some(0) => false,
                Some(after) => level < after,
                None => true,
            };
            if restarts {
                *counter = None;
            }
        }
        let own = level_at(level)?;
        if own.format == "bullet" {
            return Some(Number { text: String::new(), is_clause: false });
        }
        let mut text = String::new();
        let mut places = 0;
        let mut pattern = own.pattern.chars().peekable();
        while let Some(character) = pattern.next() {
            let place = (character == '%').then(|| pattern.peek().and_then(|c| c.to_digit(10))).flatten();
            let Some(place) = place.filter(|p| (1..=LEVELS as u32).contains(p)) else {
                text.push(character);
                continue;
            };
            pattern.next();
            places += 1;
            let at = place as usize - 1;
            let count = *counters[at].get_or_insert_with(|| level_at(at).map_or(1, |l| l.start));
            let format = match level_at(at) {
                Some(_) if own.legal => "decimal",
                Some(level) => level.format.as_str(),
                None => "decimal",
            };
            text.push_str(&counting::format(count, format));
        }
        let is_clause = places > 1 || own.pattern.starts_with('第') || own.pattern.contains("附录");
        if !text.is_empty() && own.suffix == Suffix::Space {
            text.push(' ');
        }
        Some(Number { text, is_clause })
    }

    /// Follows a link through a numbering style to the list that has the levels.
    fn definition_of(&self, abstract_id: &str, styles: &Styles) -> Option<String> {
        let mut id = abstract_id.to_owned();
        for _ in 0..8 {
            let definition = self.abstracts.get(&id)?;
            let Some(link) = &definition.style_link else { return Some(id) };
            let Some(list) = styles.num_id(link).and_then(|num| self.lists.get(num)) else { return Some(id) };
            id.clone_from(&list.abstract_id);
        }
        Some(id)
    }
}

fn levels(parent: &Element) -> BTreeMap<usize, Level> {
    parent
        .children()
        .filter(|child| &*child.name == "lvl")
        .filter_map(|element| {
            let at = element.attr("ilvl")?.parse().ok().filter(|at| *at < LEVELS)?;
            let level = Level {
                start: element.child_val("start").and_then(|v| v.parse().ok()).unwrap_or(1),
                format: element.child_val("numFmt").unwrap_or("decimal").to_owned(),
                pattern: element.child_val("lvlText").unwrap_or("").chars().take(64).collect(),
                suffix: match element.child_val("suff") {
                    Some("nothing") => Suffix::Nothing,
                    _ => Suffix::Space,
                },
                legal: element.switch("isLgl").unwrap_or(false),
                restart: element.child_val("lvlRestart").and_then(|v| v.parse().ok()),
                style: element.child_val("pStyle").map(str::to_owned),
            };
            Some((at, level))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::ooxml::xml;

    fn numbering(body: &str) -> Numbering {
        let xml = format!("<numbering>{body}</numbering>");
        Numbering::read(xml::tree(xml.as_bytes(), &Limits::default()).0.as_ref())
    }

    fn numbers(numbering: &mut Numbering, steps: &[(&str, usize)]) -> Vec<String> {
        let styles = Styles::default();
        steps.iter().map(|(list, level)| numbering.next(list, *level, &styles).unwrap().text).collect()
    }

    #[test]
    fn chapters_and_clauses_count_like_word() {
        let mut numbering = numbering(
            r#"<abstractNum abstractNumId="0">
            <lvl ilvl="0"><start val="1"/><numFmt val="chineseCounting"/><lvlText val="第%1章"/></lvl>
            <lvl ilvl="1"><start val="1"/><numFmt val="decimal"/><isLgl/><lvlText val="%1.%2"/></lvl>
            </abstractNum><num numId="5"><abstractNumId val="0"/></num>"#,
        );
        let steps = [("5", 0), ("5", 1), ("5", 1), ("5", 0), ("5", 1)];
        assert_eq!(numbers(&mut numbering, &steps), ["第一章 ", "1.1 ", "1.2 ", "第二章 ", "2.1 "]);
    }

    #[test]
    fn a_start_override_restarts_once_and_lists_of_one_definition_count_on() {
        let mut numbering = numbering(
            r#"<abstractNum abstractNumId="0"><lvl ilvl="0"><start val="1"/><numFmt val="decimal"/>
            <lvlText val="%1)"/><suff val="nothing"/></lvl></abstractNum>
            <num numId="1"><abstractNumId val="0"/></num>
            <num numId="2"><abstractNumId val="0"/></num>
            <num numId="3"><abstractNumId val="0"/><lvlOverride ilvl="0"><startOverride val="1"/></lvlOverride></num>"#,
        );
        let steps = [("1", 0), ("1", 0), ("2", 0), ("3", 0), ("3", 0)];
        assert_eq!(numbers(&mut numbering, &steps), ["1)", "2)", "3)", "1)", "2)"]);
    }
}
