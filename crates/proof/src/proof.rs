//! The verdict on one statement: its level, the passage that carries it, or what is missing in the nearest one.

use std::collections::HashSet;

use regreader_model::PageNumber;
use regreader_text::{fold, parse_caption};

use crate::cited;
use crate::flow;
use crate::lex::{Break, Lexed, Token, is_unseen, lex};
use crate::page::Passages;
use crate::sentence::Sentence;
use crate::table;
use crate::target::Target;

/// Bytes of a marker or of free words between two sentences.
const MAX_MARKER: usize = 16;
/// Characters of a passage that are shown.
const MAX_SHOWN: usize = 400;

/// How well a statement is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// It is not proven: it may be true, but no one passage says so.
    Unproven,
    /// One passage says it in nearly these words, with every number, name, condition and modal verb.
    SamePassage,
    /// It is a span of the passage, or a row of a table as it stands.
    Verbatim,
}

impl Level {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::SamePassage => "same_passage",
            Self::Unproven => "unproven",
        }
    }
}

/// Where a passage stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassagePlace {
    /// Page that the passage stands on.
    pub page_num: PageNumber,
    /// Block of the page.
    pub block_id: Option<String>,
    /// Table, for a row.
    pub table_id: Option<String>,
    /// Data row of the table, from 0.
    pub row: Option<u32>,
    /// Column of the last value that is said, from 0.
    pub col: Option<u32>,
    /// Clause that holds it.
    pub clause: Option<String>,
    /// Printed number of the table.
    pub table_number: Option<String>,
    /// The words of the passage.
    pub text: String,
}

/// What came of trying to prove a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// How well it is proven.
    pub level: Level,
    /// The passage that carries it; for an unproven statement the nearest one.
    pub place: Option<PassagePlace>,
    /// Words of the statement that the nearest passage does not have.
    pub missing: Vec<String>,
    /// Parts of the nearest passage that narrow it and that the statement leaves out.
    pub left_out: Vec<String>,
    /// The statement holds characters that nobody sees.
    pub unseen: bool,
}

/// Proves a statement by a passage of the page, which has to be the table, clause or note that `target` names.
pub fn prove(statement: &str, target: Option<&str>, page: &Passages) -> Proof {
    if statement.chars().any(is_unseen) {
        return Proof {
            level: Level::Unproven,
            place: None,
            missing: Vec::new(),
            left_out: Vec::new(),
            unseen: true,
        };
    }
    let target = target.map(str::trim).filter(|target| !target.is_empty()).map(Target::read);
    let places: Vec<bool> =
        page.places.iter().map(|place| target.as_ref().is_none_or(|target| target.fits(place))).collect();
    let fits = |place: usize| places.get(place).copied().unwrap_or(false);
    let lexed = lex(statement);
    // A page that prints a citation does not make it one: who cites another regulation is not proven by this one.
    if let Some(other) = cited::another(statement, &page.names) {
        let mut proof = nearest(&lexed, page, &fits);
        proof.level = Level::Unproven;
        if !proof.missing.contains(&other) {
            proof.missing.push(other);
        }
        return proof;
    }
    let proven = by_text(&lexed, page, &fits).or_else(|| by_row(&lexed, page, &fits));
    if let Some((level, place)) = proven {
        return Proof { level, place: Some(place), missing: Vec::new(), left_out: Vec::new(), unseen: false };
    }
    // A header of two levels is printed with a slash between them, and the caption overleaf with 续.
    if let Some(plain) = plain_table(statement) {
        let lexed = lex(&plain);
        if let Some((level, place)) = by_text(&lexed, page, &fits).or_else(|| by_row(&lexed, page, &fits)) {
            return Proof {
                level,
                place: Some(place),
                missing: Vec::new(),
                left_out: Vec::new(),
                unseen: false,
            };
        }
    }
    // 200 万千瓦时 is an amount of energy, or 200 万千瓦 and then "when"; 2 时 is two o'clock, or "when it is 2". In a row
    // either may be meant. A header of two levels may be printed with a slash between them.
    if let Some(other) = other_reading(statement)
        && let Some((level, place)) = by_row(&lex(&other), page, &fits)
    {
        return Proof { level, place: Some(place), missing: Vec::new(), left_out: Vec::new(), unseen: false };
    }
    if let Some((level, place)) = by_rows(statement, page, &fits) {
        return Proof { level, place: Some(place), missing: Vec::new(), left_out: Vec::new(), unseen: false };
    }
    nearest(&lexed, page, &fits)
}

/// A table as Markdown with some of the columns of a printed one: every row by itself must stand there under its headers, all of them
/// in one table.
fn by_rows(statement: &str, page: &Passages, fits: &dyn Fn(usize) -> bool) -> Option<(Level, PassagePlace)> {
    let cells = |line: &str| -> Option<Vec<String>> {
        let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
        Some(inner.split('|').map(|cell| cell.trim().to_owned()).collect())
    };
    let mut lines = statement.lines();
    let header = cells(lines.next()?)?;
    let is_rule = |cells: &[String]| {
        cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':')))
    };
    cells(lines.next()?).filter(|rule| is_rule(rule) && header.len() > 1)?;
    let mut first: Option<PassagePlace> = None;
    for line in lines {
        let cells = cells(line).filter(|cells| cells.len() == header.len())?;
        let filled = header.iter().zip(&cells).filter(|(_, cell)| !cell.is_empty());
        let said: Vec<String> = filled.map(|(header, cell)| format!("{header}: {cell}")).collect();
        let (_, place) = by_row(&lex(&said.join("\n")), page, fits)?;
        match &first {
            Some(known) if known.block_id != place.block_id || known.table_id != place.table_id => {
                return None;
            }
            Some(_) => {}
            None => first = Some(place),
        }
    }
    Some((Level::SamePassage, first?))
}

/// A statement that quotes a table as Markdown, without what only the print of the table has: the slashes in its header row,
/// and the mark of a continued caption before it. None where there is neither.
fn plain_table(statement: &str) -> Option<String> {
    let mut lines: Vec<String> = statement.lines().map(str::to_owned).collect();
    let header = lines.iter().position(|line| line.trim_start().starts_with('|'))?;
    let caption = lines[..header].iter_mut().rfind(|line| !line.trim().is_empty());
    if let Some(caption) = caption
        && let Some(read) = parse_caption(caption.trim().trim_matches('*')).filter(|read| read.continued)
    {
        let number = caption.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
        *caption = format!("{}{} {}", &caption[..number], read.number, read.title);
    }
    lines[header] = lines[header].replace(" / ", " ");
    let plain = lines.join("\n");
    (plain != statement).then_some(plain)
}

fn other_reading(statement: &str) -> Option<String> {
    let mut out = String::with_capacity(statement.len());
    for c in statement.replace(" / ", " ").chars() {
        let behind_amount = out
            .trim_end()
            .ends_with(|last: char| last.is_ascii_digit() || matches!(last, '瓦' | '０'..='９'));
        if c == '时' && behind_amount {
            out.push('，');
        }
        out.push(c);
    }
    (out != statement).then_some(out)
}

fn by_text(
    statement: &Lexed,
    page: &Passages,
    fits: &dyn Fn(usize) -> bool,
) -> Option<(Level, PassagePlace)> {
    let found = flow::prove(statement, page, fits)?;
    let text: Vec<&str> = found
        .sentences
        .iter()
        .filter_map(|at| page.sentences.get(*at))
        .map(|one| one.text.as_str())
        .collect();
    let is_verbatim = is_span(&squeeze(statement.words(found.from, found.to)), &text);
    // What is joined over an ellipsis is every word of it printed, and still no span.
    let level = if is_verbatim && !found.has_gap { Level::Verbatim } else { Level::SamePassage };
    if !is_verbatim && !is_checkable(statement) {
        return None;
    }
    let first = page.sentences.get(*found.sentences.first()?)?;
    Some((level, place(page, first.place, None, None, &text.join(" "))))
}

/// Whether the words are those of the sentences, one after the other, with nothing between but their markers.
fn is_span(said: &str, sentences: &[&str]) -> bool {
    let mut rest = said;
    for (index, sentence) in sentences.iter().enumerate() {
        let printed = squeeze(sentence);
        match rest.find(&printed) {
            Some(at) if at <= MAX_MARKER => rest = &rest[at + printed.len()..],
            // The last one may lack its end, and its marker.
            _ => {
                let last = index + 1 == sentences.len();
                let starts = rest.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_MARKER);
                return last
                    && !rest.is_empty()
                    && starts.into_iter().any(|at| printed.contains(&rest[at..]));
            }
        }
    }
    rest.len() <= MAX_MARKER
}

fn by_row(statement: &Lexed, page: &Passages, fits: &dyn Fn(usize) -> bool) -> Option<(Level, PassagePlace)> {
    let found = table::prove(statement, page, fits)?;
    let table = page.tables.get(found.table)?;
    let row = table.rows.get(found.row)?;
    let col = found.cols.iter().max().copied();
    let level = if found.whole { Level::Verbatim } else { Level::SamePassage };
    Some((level, place(page, table.place, Some(found.row), col, &row.text)))
}

fn place(page: &Passages, at: usize, row: Option<usize>, col: Option<usize>, text: &str) -> PassagePlace {
    let known = page.places.get(at).cloned().unwrap_or_default();
    PassagePlace {
        page_num: page.page_num,
        block_id: known.block_id,
        table_id: known.table_id,
        row: row.and_then(|row| u32::try_from(row).ok()).or(known.row),
        col: col.and_then(|col| u32::try_from(col).ok()).or(known.col),
        clause: known.clauses.first().cloned(),
        table_number: known.table_number,
        text: regreader_text::beginning(text, MAX_SHOWN),
    }
}

/// Whether there is anything in it that can be held against the page: a number, a modal verb, a comparison, a code.
fn is_checkable(statement: &Lexed) -> bool {
    statement.tokens.iter().enumerate().any(|(at, one)| match &one.token {
        Token::Number(_) | Token::Quantity(..) => true,
        Token::Class(class) => class.is_modal() || class.is_comparator(),
        // A code, or a name: a capital letter where no sentence begins.
        Token::Word(word) => {
            word.contains(|c: char| c.is_ascii_digit())
                || (at > 0
                    && one.before == Break::None
                    && statement.words(at, at + 1).starts_with(char::is_uppercase))
        }
        Token::Char(_) => false,
    })
}

/// The passage that shares most with the statement, and what it lacks.
fn nearest(statement: &Lexed, page: &Passages, fits: &dyn Fn(usize) -> bool) -> Proof {
    let said: HashSet<&Token> = statement.tokens.iter().map(|one| &one.token).collect();
    let mut best: Option<(usize, usize, usize)> = None;
    for (at, sentence) in page.sentences.iter().enumerate().filter(|(_, one)| !one.overleaf) {
        let all: HashSet<&Token> = sentence.tokens().collect();
        let shared = all.iter().filter(|token| said.contains(*token)).count();
        let key = (shared * 2 + usize::from(fits(sentence.place)), usize::MAX - all.len(), usize::MAX - at);
        if shared > 0 && best.is_none_or(|known| key > known) {
            best = Some(key);
        }
    }
    let found = best.and_then(|(_, _, at)| page.sentences.get(usize::MAX - at));
    let known: HashSet<&Token> = found.iter().flat_map(|sentence| sentence.tokens()).collect();
    let header: HashSet<&Token> = found
        .iter()
        .filter_map(|one| one.lead)
        .filter_map(|lead| page.sentences.get(lead))
        .flat_map(Sentence::tokens)
        .collect();
    let mut missing: Vec<String> = Vec::new();
    let mut open: Option<usize> = None;
    for at in 0..=statement.tokens.len() {
        let lacks = statement
            .tokens
            .get(at)
            .is_some_and(|one| !known.contains(&one.token) && !header.contains(&one.token));
        match (open, lacks) {
            (None, true) => open = Some(at),
            (Some(from), false) => {
                missing.push(statement.words(from, at).to_owned());
                open = None;
            }
            _ => {}
        }
    }
    let left_out = found
        .iter()
        .filter(|one| !one.is_row)
        .flat_map(|sentence| &sentence.clauses)
        .filter(|clause| clause.restricts && !clause.tokens.iter().all(|token| said.contains(token)));
    let lexed = found.map(|sentence| lex(&sentence.text)).unwrap_or_default();
    let left_out = left_out.map(|clause| printed(&clause.tokens, &lexed)).collect();
    let place = found.map(|sentence| place(page, sentence.place, None, None, &sentence.text));
    Proof { level: Level::Unproven, place, missing, left_out, unseen: false }
}

/// The words of a clause as the page prints them; a token alone is only the name of what was read.
fn printed(clause: &[Token], sentence: &Lexed) -> String {
    let stands_at = |from: &usize| {
        let run = sentence.tokens.iter().skip(*from).map(|one| &one.token);
        run.take(clause.len()).eq(clause)
    };
    match (0..sentence.tokens.len()).find(stands_at) {
        Some(from) => sentence.words(from, from + clause.len()).to_owned(),
        None => clause.iter().map(Token::to_string).collect(),
    }
}

fn squeeze(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}
