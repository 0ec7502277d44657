//! Printed contents pages: taken out of the content, kept as evidence for the chapters.
//!
//! A contents region begins under 目次, 目录 or Contents, or where four or more lines with dot leaders follow each
//! other, or where the format declares contents lines; it ends with the last entry. A grid is only ever contents when
//! its own rows carry dot leaders: a table of 序号, 开机台数 and 限额 looks like contents to a careless eye and is the
//! most important table of its regulation. Must not build chapters.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{ClauseNumber, DroppedText, TextRole};
use regreader_text::numbering::parse_line;

/// A title as it is compared.
pub(crate) use regreader_text::fold_tight as title_key;

use crate::flow::{Item, Line, Sheet};
use crate::label;
use crate::table::grid::Grid;

/// What the contents pages say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contents {
    pub entries: Vec<Entry>,
    by_number: BTreeMap<ClauseNumber, usize>,
    /// Keys of the entries without number.
    unnumbered: BTreeSet<String>,
}

/// One line of the printed contents.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Index of the page on which the entry itself is printed.
    pub on_page: usize,
    pub number: Option<ClauseNumber>,
    pub title: String,
    /// Title as it is compared.
    pub key: String,
}

impl Contents {
    /// The entry of this number.
    pub fn by_number(&self, number: &ClauseNumber) -> Option<&Entry> {
        self.entries.get(*self.by_number.get(number)?)
    }

    /// Whether an entry without number has these words.
    pub fn has_unnumbered(&self, key: &str) -> bool {
        self.unnumbered.contains(key)
    }

    /// Index of the last page with contents on it.
    pub fn last_page(&self) -> Option<usize> {
        self.entries.last().map(|entry| entry.on_page)
    }

    /// How many components the longest number has; 0 without contents.
    pub fn depth(&self) -> usize {
        let parts = |number: &ClauseNumber| number.as_str().split('.').count();
        self.entries.iter().filter_map(|entry| entry.number.as_ref()).map(parts).max().unwrap_or(0)
    }

    fn push(&mut self, text: &str, on_page: usize) {
        let (number, title) = match parse_line(text) {
            Some(line) => (Some(line.numbering.canonical()), line.rest.trim()),
            None => (None, text.trim()),
        };
        if let Some(number) = &number {
            self.by_number.entry(number.clone()).or_insert(self.entries.len());
        }
        let key = title_key(title);
        if number.is_none() && !key.is_empty() {
            self.unnumbered.insert(key.clone());
        }
        self.entries.push(Entry { on_page, number, title: title.to_owned(), key });
    }
}

/// Takes the contents pages out.
pub(crate) fn strip(sheets: &mut [Sheet]) -> (Contents, Vec<DroppedText>) {
    let mut contents = Contents::default();
    let mut dropped = Vec::new();
    let mut open = false;
    for page in 0..sheets.len() {
        let Some(sheet) = sheets.get_mut(page) else { break };
        let marks = mark(sheet, open);
        let last_kept = marks.iter().rposition(|mark| *mark == Mark::Content);
        let last_entry = marks.iter().rposition(|mark| *mark != Mark::Content);
        open = last_entry.is_some() && last_entry > last_kept;
        let mut pending = String::new();
        let mut marks = marks.into_iter();
        let page_num = sheet.page_num;
        sheet.items.retain(|item| {
            let mark = marks.next().unwrap_or(Mark::Content);
            if mark == Mark::Content {
                return true;
            }
            for text in texts(item) {
                match (mark, entry(&text)) {
                    (Mark::Title, _) => {}
                    (_, Some(found)) => {
                        // A long title wraps: its first line stands before the line with the leader.
                        let title = if parse_line(&found.title).is_some() {
                            found.title
                        } else {
                            format!("{pending}{}", found.title)
                        };
                        contents.push(&title, page);
                        pending.clear();
                    }
                    (_, None) if matches!(item, Item::Line(line) if line.role == TextRole::ContentsLine) => {
                        contents.push(&text, page);
                        pending.clear();
                    }
                    (_, None) => pending.push_str(&text),
                }
                dropped.push(DroppedText { page_num, text, reason: "contents".to_owned() });
            }
            false
        });
    }
    (contents, dropped)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Content,
    Title,
    Entry,
}

/// Which items of the page are contents. `open`: the page before ended inside the contents.
fn mark(sheet: &Sheet, open: bool) -> Vec<Mark> {
    let kinds: Vec<Kind> = sheet.items.iter().map(kind).collect();
    let mut marks = vec![Mark::Content; kinds.len()];
    let mut inside = open && kinds.iter().take(3).any(|kind| matches!(kind, Kind::Leader | Kind::Declared));
    let mut titled = inside;
    let mut at = 0;
    while at < kinds.len() {
        let ahead = |n: usize| kinds.iter().skip(at + 1).take(n);
        match kinds.get(at).copied().unwrap_or(Kind::Other) {
            Kind::Title if ahead(3).any(|kind| kind.is_entry()) => {
                inside = true;
                titled = true;
                marks[at] = Mark::Title;
            }
            Kind::Declared => {
                inside = true;
                marks[at] = Mark::Entry;
            }
            Kind::Leader if inside || leader_run(&kinds, at) >= 4 => {
                inside = true;
                marks[at] = Mark::Entry;
            }
            Kind::Numbered if inside && titled => marks[at] = Mark::Entry,
            Kind::Other if inside => {
                // The first half of a wrapped entry, if an entry follows at once.
                let wrapped = ahead(2).any(|kind| matches!(kind, Kind::Leader | Kind::Declared));
                if wrapped {
                    marks[at] = Mark::Entry;
                } else {
                    inside = false;
                    titled = false;
                }
            }
            _ => inside = false,
        }
        at += 1;
    }
    marks
}

/// What an item looks like to somebody who searches for contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Title,
    /// Declared by the format.
    Declared,
    /// Words, dots, page number.
    Leader,
    /// Words and a number at the end; an entry only under a contents title.
    Numbered,
    Other,
}

impl Kind {
    fn is_entry(self) -> bool {
        matches!(self, Self::Declared | Self::Leader | Self::Numbered)
    }
}

fn kind(item: &Item) -> Kind {
    match item {
        Item::Line(line) => line_kind(line),
        Item::Table(grid) if grid_is_contents(grid) => Kind::Leader,
        _ => Kind::Other,
    }
}

fn line_kind(line: &Line) -> Kind {
    if line.role == TextRole::ContentsLine {
        return Kind::Declared;
    }
    if is_contents_title(&line.text) {
        return Kind::Title;
    }
    match entry(&line.text) {
        Some(found) if found.leader => Kind::Leader,
        Some(_) => Kind::Numbered,
        None => Kind::Other,
    }
}

/// 目次, 目 录, Contents.
pub(crate) fn is_contents_title(text: &str) -> bool {
    if text.chars().count() > 24 {
        return false;
    }
    let key = title_key(text);
    matches!(
        key.as_str(),
        "目次" | "目录" | "目錄" | "contents" | "tableofcontents" | "表目次" | "图目次" | "表目录" | "图目录"
    )
}

/// Length of the run of leader lines at `at`, other lines between two of them not counted as a break.
fn leader_run(kinds: &[Kind], at: usize) -> usize {
    let mut run = 0;
    let mut missed = 0;
    for kind in kinds.iter().skip(at) {
        match kind {
            Kind::Leader => {
                run += 1;
                missed = 0;
            }
            _ if missed == 0 => missed = 1,
            _ => break,
        }
    }
    run
}

/// A grid that is really a contents page set in columns: most of its rows carry dot leaders.
fn grid_is_contents(grid: &Grid) -> bool {
    let rows = grid_rows(grid);
    let leaders = rows.iter().filter(|row| entry(row).is_some_and(|found| found.leader)).count();
    rows.len() >= 3 && leaders * 10 >= rows.len() * 6
}

fn grid_rows(grid: &Grid) -> Vec<String> {
    let mut rows: BTreeMap<u32, String> = BTreeMap::new();
    for cell in &grid.cells {
        let row = rows.entry(cell.row).or_default();
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(&cell.content.replace('\n', " "));
    }
    rows.into_values().collect()
}

fn texts(item: &Item) -> Vec<String> {
    match item {
        Item::Line(line) => vec![line.text.clone()],
        Item::Table(grid) => grid_rows(grid),
        Item::Picture(_) => Vec::new(),
    }
}

struct Found {
    title: String,
    leader: bool,
}

/// Splits `2.1 线路 …… 12` into title and page number.
fn entry(text: &str) -> Option<Found> {
    if let Some((title, tail)) = split_leader(text) {
        let label = tail.trim().trim_end_matches('.');
        let bracketed = label.contains(['(', ')', '（', '）']);
        let is_page = !bracketed && label::parse(label).is_some();
        if is_page && !title.is_empty() {
            return Some(Found { title: title.to_owned(), leader: true });
        }
    }
    let (title, last) = text.rsplit_once(' ')?;
    let title = title.trim();
    let is_page = label::parse(last).is_some() && last.chars().all(char::is_alphanumeric);
    (is_page && title.chars().count() >= 2).then(|| Found { title: title.to_owned(), leader: false })
}

/// Words before and after the last run of leader dots.
fn split_leader(text: &str) -> Option<(&str, &str)> {
    let mut best = None;
    let mut start = None;
    let mut dots = 0;
    for (at, c) in text.char_indices() {
        let weight = leader_weight(c);
        if weight > 0 {
            start.get_or_insert(at);
            dots += weight;
        } else if !c.is_whitespace() {
            if let Some(begin) = start.take().filter(|_| dots >= 3) {
                best = Some((begin, at));
            }
            dots = 0;
        }
    }
    let (begin, end) = best?;
    Some((text[..begin].trim(), &text[end..]))
}

fn leader_weight(c: char) -> u32 {
    match c {
        '.' | '·' | '．' | '•' | '_' | '・' => 1,
        '‥' => 2,
        '…' | '⋯' => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_split_at_their_leader() {
        let found = entry("3.1 总体要求 ………………… 3").expect("an entry");
        assert_eq!((found.title.as_str(), found.leader), ("3.1 总体要求", true));
        let found = entry("I. Background ........... 6.").expect("an entry");
        assert_eq!(found.title, "I. Background");
        assert!(entry("dP/dδ > 0 ……………………（1）").is_none());
        assert!(entry("前言 .......... IV").is_some_and(|found| found.leader));
        assert!(entry("1.2 锦屏一级电厂开机2台 120").is_some_and(|found| !found.leader));
    }
}
