//! What speaks for a numbered line being a heading or clause, and what against it.
//!
//! Evidence comes from the format (heading roles), the contents pages, the outline, type (size, weight, place) and
//! from how the line reads. Owns the weights; the chain decides with them. Must not know other candidates, except the
//! one list item just before it.

use std::collections::BTreeMap;

use regreader_model::{ClauseNumber, OutlineEntry, TextRole};
use regreader_text::numbering::{NumberedLine, parse_line};

use crate::chapter::track::Track;
use crate::clean::{ends_sentence, stops_short};
use crate::contents::{Contents, title_key};
use crate::flow::{Item, Line, Piece};
use crate::metrics::Metrics;

/// Everything a document offers as evidence.
pub(crate) struct Witness<'a> {
    pub pieces: &'a [Piece],
    pub metrics: &'a Metrics,
    pub contents: &'a Contents,
    pub outline: &'a Outline,
}

/// The evidence on one line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Evidence {
    pub score: f32,
    /// Part of the score that only headings earn: role, contents, outline, type.
    pub heading: f32,
}

impl Witness<'_> {
    /// Weighs one numbered line.
    pub fn weigh(
        &self,
        at: usize,
        line: &Line,
        found: &NumberedLine<'_>,
        track: Track,
        path: &[u32],
    ) -> Evidence {
        let page = self.pieces.get(at).map_or(0, |piece| piece.page);
        let heading = self.heading_evidence(page, line, found);
        let mut score = track.base_score(path.len()) + heading;
        let weak = path.len() == 1 && matches!(track, Track::Decimal | Track::Letter | Track::Roman);
        let rest = found.rest;
        let length = rest.chars().count();

        if self.goes_on_mid_sentence(at, line) {
            // `4.1. The automatic…` is no broken reference: those go on in small letters or without the dot.
            let capital = rest.chars().next().is_some_and(char::is_uppercase);
            score -= if path.len() > 1 && found.trailing_dot && capital { 1.0 } else { 3.0 };
        }
        if weak && names_itself(rest) {
            score += 0.5;
        }
        if line.role == TextRole::ListItem {
            score -= 1.0;
        }
        if rest.ends_with(['；', ';', '，', ',', '、']) {
            score -= if weak { 1.2 } else { 0.4 };
        } else if weak && rest.ends_with(['。', '.']) {
            score -= 0.3;
        }
        if rest.is_empty() {
            score -= if weak { 1.8 } else { 0.2 };
        } else if !rest.chars().any(char::is_alphabetic) {
            score -= 2.0;
        }
        let title_only =
            matches!(track, Track::Part | Track::Chapter | Track::Section | Track::Roman | Track::Letter);
        if title_only && (length > 60 && rest.contains(['，', '。']) || length > 160) {
            score -= 1.5;
        }
        // 第1篇规定了…。: a sentence that begins with the name of a part.
        if title_only && rest.ends_with(['。', '；']) {
            score -= 2.0;
        }
        // Small type at the foot of a page: a footnote with its mark.
        let small = line.size.is_some_and(|size| size < self.metrics.body_size * 0.92);
        if weak && small && !found.trailing_dot {
            score -= 2.5;
        }
        if rest.chars().next().is_some_and(char::is_lowercase)
            && matches!(track, Track::English(_) | Track::Letter | Track::Roman)
        {
            score -= 1.5;
        }
        if matches!(track, Track::Letter | Track::Roman) && heading < 0.5 {
            score -= 1.0;
        }
        if weak && self.metrics.indent(page, line).is_some_and(|indent| indent > 1.2) && heading < 0.5 {
            score -= 0.5;
        }
        Evidence { score, heading }
    }

    fn heading_evidence(&self, page: usize, line: &Line, found: &NumberedLine<'_>) -> f32 {
        let number = found.numbering.canonical();
        let mut score = 0.0;
        if matches!(line.role, TextRole::Heading { .. }) {
            score += 3.0;
        }
        let key = title_key(found.rest);
        if let Some(entry) = self.contents.by_number(&number) {
            let same = begins_alike(&key, &entry.key);
            score += if same { 3.0 } else { -1.0 };
        } else if self.contents.entries.len() >= 5
            && number.as_str().split('.').count() <= self.contents.depth()
            && number.as_str().starts_with(|c: char| c.is_ascii_digit())
        {
            score -= 0.7;
        }
        if self.outline.has_number(&number, &key, page) {
            score += 2.5;
        }
        if self.metrics.is_set_bold(line) {
            score += 0.8;
        }
        if self.metrics.is_larger(line) {
            score += 0.8;
        }
        if self.metrics.is_centered(page, line) {
            score += 0.3;
        }
        score
    }

    /// The line before runs to the margin without ending its sentence, and this one goes on in the same type.
    pub fn goes_on_mid_sentence(&self, at: usize, line: &Line) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|i| self.pieces.get(i)) else { return false };
        let Item::Line(previous) = &before.item else { return false };
        if line.is_paragraph() || previous.is_paragraph() || ends_sentence(&previous.text) {
            return false;
        }
        let (Some(a), Some(b)) = (previous.bbox, line.bbox) else { return false };
        let page = self.pieces.get(at).map_or(0, |piece| piece.page);
        let same_page = before.page == page;
        let near = !same_page || b.y0 - a.y0 < self.metrics.leading * 1.6;
        let same_type = previous.bold == line.bold
            && previous.size.zip(line.size).is_none_or(|(a, b)| (a - b).abs() < 0.8);
        let at_margin = self.metrics.indent(page, line).is_none_or(|indent| indent < 0.7);
        let full = self.metrics.is_full(before.page, previous, line).unwrap_or(false);
        // Items of a list may end in a comma or in `and`, but not in a word that calls for what follows.
        let listed = [",", " and", " or"].iter().any(|end| previous.text.ends_with(end));
        let open = !listed && stops_short(&previous.text);
        near && same_type && (open || at_margin && full)
    }
}

/// `Purpose: To minimize…`: a short name, a colon, and text.
fn names_itself(rest: &str) -> bool {
    let name = rest.split([':', '：']).next().unwrap_or("");
    let length = name.chars().count();
    let wide = name.chars().any(regreader_text::script::is_cjk);
    let short = if wide { length <= 8 } else { length <= 36 };
    name.len() + 1 < rest.len() && length > 1 && short && !name.contains(['，', ',', '。'])
}

/// The same of a text without hanzi. Chinese lists name their items too (1.优点：…), English ones seldom.
pub(super) fn is_named_in_latin(rest: &str) -> bool {
    names_itself(rest) && !rest.chars().any(regreader_text::script::is_cjk)
}

/// One begins with the other: a contents entry may cut a long title, a heading may wrap.
fn begins_alike(a: &str, b: &str) -> bool {
    !a.is_empty() && !b.is_empty() && (a.starts_with(b) || b.starts_with(a)) || a == b
}

/// The file's bookmarks, ready to be asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outline {
    by_number: BTreeMap<ClauseNumber, Vec<(String, Option<usize>)>>,
    /// Level and page of the bookmarks with these words.
    by_title: BTreeMap<String, Vec<(u32, Option<usize>)>>,
}

impl Outline {
    pub fn new(entries: &[OutlineEntry]) -> Self {
        let mut outline = Self::default();
        for entry in entries {
            let page = entry.page_num.map(regreader_model::PageNumber::index);
            if let Some(line) = parse_line(&entry.title) {
                let number = line.numbering.canonical();
                outline.by_number.entry(number).or_default().push((title_key(line.rest), page));
            }
            outline.by_title.entry(title_key(&entry.title)).or_default().push((entry.level, page));
        }
        outline
    }

    fn has_number(&self, number: &ClauseNumber, key: &str, page: usize) -> bool {
        self.by_number.get(number).is_some_and(|list| {
            list.iter().any(|(title, at)| {
                at.is_none_or(|at| at.abs_diff(page) <= 1)
                    && (title.is_empty() || key.is_empty() || begins_alike(title, key))
            })
        })
    }

    /// Level of the bookmark with these words on this page or the one beside it.
    pub fn level_of(&self, key: &str, page: usize) -> Option<u32> {
        let list = self.by_title.get(key).filter(|_| !key.is_empty())?;
        list.iter().find(|(_, at)| at.is_none_or(|at| at.abs_diff(page) <= 1)).map(|(level, _)| *level)
    }

    pub fn is_empty(&self) -> bool {
        self.by_title.is_empty()
    }
}
