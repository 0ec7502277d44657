//! `verify_citation`: does a statement stand on the page it cites? No language model decides: every number, quantity and
//! quoted span must stand there verbatim, after folding.

use std::collections::HashSet;
use std::ops::Range;

use regreader_model::{Citation, PageDocument, PageNumber};
use regreader_store::RegulationReader;
use regreader_text::{find_quantities, fold};

use crate::requests as rq;
use crate::results as rs;
use crate::toolbox::page_of;
use crate::{ToolError, Toolbox};

/// Pages looked at for where a statement stands instead.
const MAX_SCAN: usize = 5_000;
/// Places named.
const MAX_ELSEWHERE: usize = 5;
/// A statement without numbers or quotations stands on a page that has this share of its character pairs.
const WORDING: f64 = 0.6;

impl Toolbox {
    /// Checks a statement against the page it cites.
    pub fn verify_citation(&self, request: &rq::VerifyCitation) -> Result<rs::CitationCheck, ToolError> {
        let reader = match self.regulation_called(&request.reg_id)? {
            Ok(info) => self.open(&info.reg_id)?,
            Err(_) => self.reader(&request.reg_id)?,
        };
        let page_num = page_of(&reader, request.page_num)?;
        let statement = Statement::new(&request.statement);
        let page = PageText::new(&reader.page(page_num)?);
        let claims = statement.check(&page);
        let supported = statement.stands_on(&page);
        let elsewhere = if supported { Vec::new() } else { self.elsewhere(&reader, &statement, page_num)? };
        let verdict = match (supported, elsewhere.is_empty()) {
            (true, _) => "supported",
            (false, true) => "not_on_page",
            (false, false) => "found_elsewhere",
        };
        Ok(rs::CitationCheck { verdict: verdict.to_owned(), claims, elsewhere })
    }

    fn elsewhere(
        &self,
        reader: &RegulationReader,
        statement: &Statement,
        cited: PageNumber,
    ) -> Result<Vec<rs::Place>, ToolError> {
        let mut places = Vec::new();
        let mut scanned = 0;
        let others = self.library.ids()?.into_iter().filter(|id| id != reader.reg_id());
        let mut queue: Vec<RegulationReader> = Vec::new();
        queue.extend(others.filter_map(|id| self.library.reader(&id).ok()));
        let total: u32 = std::iter::once(reader).chain(&queue).map(RegulationReader::total_pages).sum();
        for reader in std::iter::once(reader).chain(&queue) {
            for page in reader.all_pages() {
                self.tell_page(reader.reg_id(), scanned, (total as usize).min(MAX_SCAN));
                let page = page?;
                scanned += 1;
                if scanned > MAX_SCAN || places.len() >= MAX_ELSEWHERE {
                    return Ok(places);
                }
                if (page.page_num == cited
                    && reader.reg_id() == &page.reg_id
                    && scanned <= reader.total_pages() as usize)
                    || !statement.stands_on(&PageText::new(&page))
                {
                    continue;
                }
                let citation = Citation::of(reader.info(), Some(page.page_num), None);
                places.push(rs::Place {
                    reg_id: page.reg_id.to_string(),
                    page_num: Some(page.page_num.get()),
                    block_id: None,
                    table_id: None,
                    citation: citation.to_string(),
                    cited: rs::Cited(citation),
                });
            }
        }
        Ok(places)
    }
}

/// A page, folded for comparing.
pub struct PageText {
    folded: String,
    pairs: HashSet<(char, char)>,
}

impl PageText {
    /// Folds a page: its Markdown and its notes.
    pub fn new(page: &PageDocument) -> Self {
        let mut text = page.content_markdown.clone();
        for annotation in &page.annotations {
            text.push('\n');
            text.push_str(&annotation.content);
        }
        Self::of(&text)
    }

    fn of(text: &str) -> Self {
        let folded = squeeze(&fold(text));
        let pairs = pairs(&folded).collect();
        Self { folded, pairs }
    }

    fn has(&self, words: &str) -> bool {
        self.folded.contains(words)
    }

    /// Whether a number stands here as a number of its own: 30 does not stand in 330 or 30.5.
    fn has_number(&self, number: &str) -> bool {
        let text = self.folded.as_str();
        text.match_indices(number).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let mut after = text[at + number.len()..].chars();
            let next = after.next();
            let runs_on = next == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit());
            !before.is_some_and(|c| c.is_ascii_digit() || c == '.')
                && !next.is_some_and(|c| c.is_ascii_digit())
                && !runs_on
        })
    }
}

/// A statement taken apart into what can be checked.
pub struct Statement {
    claims: Vec<Claim>,
    words: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Claim {
    Number(String),
    Quantity { shown: String, number: String, unit: String },
    Quotation { shown: String, folded: String },
}

impl Statement {
    /// Takes a statement apart. Citations in it and a list number before it are not part of what it says.
    pub fn new(text: &str) -> Self {
        let text = without_citations(text);
        let text = without_list_number(text.trim());
        let mut claims = Vec::new();
        let mut taken: Vec<Range<usize>> = Vec::new();
        for (range, inner) in quotations(text) {
            let folded = squeeze(&fold(inner));
            if folded.chars().count() > 1 {
                claims.push(Claim::Quotation { shown: inner.to_owned(), folded });
            }
            taken.push(range);
        }
        let free = |range: &Range<usize>| !taken.iter().any(|t| t.start < range.end && range.start < t.end);
        let mut counted: Vec<Range<usize>> = Vec::new();
        for (range, _) in find_quantities(text) {
            let Some(shown) = text.get(range.clone()).filter(|_| free(&range)) else { continue };
            let folded = squeeze(&fold(shown));
            let split =
                folded.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '~' | '±')));
            let (number, unit) = folded.split_at(split.unwrap_or(folded.len()));
            claims.push(Claim::Quantity {
                shown: shown.to_owned(),
                number: number.trim_matches(['-', '+', '~', '±']).to_owned(),
                unit: unit.to_owned(),
            });
            counted.push(range);
        }
        taken.extend(counted);
        let free = |range: &Range<usize>| !taken.iter().any(|t| t.start < range.end && range.start < t.end);
        for range in numbers(text) {
            if free(&range)
                && let Some(number) = text.get(range)
            {
                claims.push(Claim::Number(fold(number)));
            }
        }
        Self { claims, words: squeeze(&fold(text)) }
    }

    /// Each claim, and whether it stands on the page.
    pub fn check(&self, page: &PageText) -> Vec<rs::ClaimView> {
        let view = |claim: &Claim| {
            let (text, kind) = match claim {
                Claim::Number(number) => (number, "number"),
                Claim::Quantity { shown, .. } => (shown, "quantity"),
                Claim::Quotation { shown, .. } => (shown, "quotation"),
            };
            rs::ClaimView { text: text.clone(), kind: kind.to_owned(), found: claim.stands_on(page) }
        };
        self.claims.iter().map(view).collect()
    }

    /// Whether everything that can be checked stands on the page; a statement without numbers and quotations by its
    /// wording.
    pub fn stands_on(&self, page: &PageText) -> bool {
        if !self.claims.is_empty() {
            return self.claims.iter().all(|claim| claim.stands_on(page));
        }
        let all: Vec<(char, char)> = pairs(&self.words).collect();
        if all.is_empty() {
            return !self.words.is_empty() && page.has(&self.words);
        }
        let found = all.iter().filter(|pair| page.pairs.contains(pair)).count();
        found as f64 >= WORDING * all.len() as f64
    }
}

impl Claim {
    fn stands_on(&self, page: &PageText) -> bool {
        match self {
            Self::Number(number) => page.has_number(number),
            // In a table the unit stands in the header and the number in the cell.
            Self::Quantity { number, unit, .. } => {
                page.has_number(&format!("{number}{unit}")) || (page.has_number(number) && page.has(unit))
            }
            Self::Quotation { folded, .. } => page.has(folded),
        }
    }
}

/// Without Markdown marks, and without spaces but those that keep two numbers or words apart: line breaks and emphasis
/// are not content, but `6.2.1 110kV` is not `6.2.1110kV`.
fn squeeze(folded: &str) -> String {
    let mut out = String::with_capacity(folded.len());
    let mut gap = false;
    for c in folded.chars().filter(|c| !matches!(c, '*' | '#' | '`')) {
        if c.is_whitespace() {
            gap = true;
            continue;
        }
        // `of Table 2.` and `4.3.` on the next line are two numbers as well.
        let apart = |last: char| last.is_ascii_alphanumeric() || last == '.';
        if gap && c.is_ascii_alphanumeric() && out.ends_with(apart) {
            out.push(' ');
        }
        gap = false;
        out.push(c);
    }
    out
}

fn pairs(text: &str) -> impl Iterator<Item = (char, char)> {
    text.chars().zip(text.chars().skip(1)).filter(|(a, b)| a.is_alphanumeric() && b.is_alphanumeric())
}

/// `[来源: …]` and `【…】` removed.
fn without_citations(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some(start) = rest.find("[来源") {
        kept.push_str(&rest[..start]);
        rest = rest[start..].find(']').map_or("", |end| &rest[start + end + 1..]);
    }
    kept.push_str(rest);
    kept
}

/// `1. `, `（2）`, `3、` before a statement.
fn without_list_number(text: &str) -> &str {
    let inner = text.trim_start_matches(['(', '（']);
    let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 || digits > 2 {
        return text;
    }
    let after = &inner[digits..];
    if let Some(rest) = after.strip_prefix(['、', '）', ')']) {
        return rest.trim_start();
    }
    match after.strip_prefix(". ").or_else(|| after.strip_prefix('．')) {
        Some(rest) => rest.trim_start(),
        None => text,
    }
}

/// Spans in quotation marks, with what is inside.
fn quotations(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    for (open, close) in [('“', '”'), ('「', '」'), ('『', '』'), ('"', '"')] {
        let mut from = 0;
        while let Some(start) = text[from..].find(open).map(|at| from + at) {
            let inside = start + open.len_utf8();
            let Some(end) = text[inside..].find(close).map(|at| inside + at) else { break };
            found.push((start..end + close.len_utf8(), &text[inside..end]));
            from = end + close.len_utf8();
        }
    }
    found
}

/// Runs of digits with inner points and hyphens (`6-2`, `0.85`, `2.1.4`), full-width ones included.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let digit = |c: char| c.is_ascii_digit() || ('０'..='９').contains(&c);
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut current: Option<Range<usize>> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let joins = matches!(c, '.' | '-' | '．' | '－')
            && current.is_some()
            && chars.peek().is_some_and(|(_, next)| digit(*next));
        if digit(c) || joins {
            current = Some(current.map_or(at..end, |range| range.start..end));
        } else {
            found.extend(current.take());
        }
    }
    found.extend(current);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands(statement: &str, page: &str) -> bool {
        Statement::new(statement).stands_on(&PageText::of(page))
    }

    #[test]
    fn a_number_must_stand_there_whole() {
        let page = "| 开机台数 | 直流限额（万千瓦） |\n|---|---|\n| 3 | 330 |\n\n断面按 0.85 控制。";
        assert!(stands("开机 3 台时限额 330 万千瓦", page));
        assert!(!stands("限额 30 万千瓦", page), "30 stands only inside 330");
        assert!(!stands("限额 33 万千瓦", page));
        assert!(!stands("按 0.8 控制", page), "0.8 stands only inside 0.85");
        assert!(
            stands("限额３３０万千瓦 [来源: 稳规2024 P9 表3-1]", page),
            "folded, and the citation is no claim"
        );
    }

    #[test]
    fn a_quotation_must_stand_there_verbatim() {
        let page = "母线失压后，应**立即汇报**国调，\n不得自行恢复送电。";
        assert!(stands("规定“立即汇报国调，不得自行恢复送电”。", page));
        assert!(!stands("规定“立即恢复送电”。", page));
    }

    #[test]
    fn a_list_number_is_no_claim_but_a_clause_number_is() {
        assert!(stands("2. 立即汇报国调", "立即汇报国调"));
        assert!(!stands("按 2.1.4 条执行", "按规定执行"));
        let page = "6.2.1 １１０ｋＶ母线失压：变电站 110 千伏母线失压时";
        assert!(stands(page, page), "a quotation of the whole page stands on it");
    }

    #[test]
    fn a_statement_without_numbers_stands_by_its_wording() {
        assert!(stands("应立即汇报国调", "母线失压时应立即汇报国调值班员"));
        assert!(!stands("可以自行恢复送电", "母线失压时应立即汇报国调值班员"));
    }

    #[test]
    fn hostile_statements_do_no_harm() {
        for text in ["", "“", "[来源", "(((", "１", "1.", "。。。", "\u{0}\u{fffd}", "5"] {
            let statement = Statement::new(text);
            let _ = statement.check(&PageText::of("页"));
            let _ = statement.stands_on(&PageText::of("页"));
        }
    }
}
