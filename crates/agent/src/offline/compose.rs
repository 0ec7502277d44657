//! Composition: from passages to an answer that a person on shift reads in ten seconds.
//!
//! The best passage comes first and at most two others follow, because the second or third is often the one that was meant. How
//! probably each answers and which of its sentences does is known from the fitted weights, so the room of an answer is shared out
//! such that what is quoted most probably holds the answer ([`share_out`]). The notes that a quoted row names come as cautions;
//! places that say the same again are named without text.

use std::sync::{Arc, LazyLock};

use regreader_messages::answers;
use regreader_model::{PageNumber, ReferenceKind};
use regreader_question::TableReading;
use regreader_text::{find_quantities, find_references, fold, words_of};
use regreader_tools::{AnnotationView, ReadChapter, TableView};

use super::Desk;
use super::evidence::{Evidence, note_statement, strings, table_line};
use super::gather::{Candidate, Gathered, table_text};
use super::limits::{self, PickedLimit, Rule};
use super::passage::{Focus, Passage, PassageKind, shares, size};
use super::terms::Bag;
use super::verdict::Weights;
use crate::answer::answer_language;
use crate::{Statement, ToolFailure};

/// Passages that are quoted: three fit on a screen, and the right page is among the first three for nine of ten questions.
pub const PASSAGES: usize = 3;
/// Statements of an answer, with notes that forbid and calculations.
const MOST: usize = 5;
/// Room of a table of rows that fit equally well, in Chinese characters, and of a passage for the weights to be fitted on.
const FIRST_ROOM: usize = 320;
/// Room of a table or a list of changes in an answer: what a person on shift reads in ten seconds, about 940 Latin characters.
pub const ANSWER_ROOM: usize = 470;
/// Room of all passages of an answer at most: 1,180 Latin characters, when it is unclear which of three answers.
const MOST_ROOM: usize = 590;
/// What a reader takes in at a glance; up to here an answer is as long as it likes.
const FREE_ROOM: usize = 300;
/// What each Chinese character more costs, in probability of holding the answer: a sure answer is short, and an unsure one
/// shows more. Chosen on the questions to fit on such that half of the English answers have less than 900 characters.
const PRICE: f64 = 0.0003;
/// What each statement behind the first costs, in the same measure: somebody has to read it and to judge whether it answers.
/// Chosen on the questions to fit on, where twice as much lost right answers in Chinese (training/RESULTS.md).
const STATEMENT_PRICE: f64 = 0.01;
/// A passage is given at least this much room, and then more in these steps.
const LEAST_ROOM: usize = 80;
const STEP: usize = 30;
/// Room of a passage that is shown as related: the reader has to judge it, and needs more of it.
const RELATED_ROOM: usize = 280;
/// Notes that are quoted.
const NOTES: usize = 2;
/// Rows of a table that have the same words of the question cannot be told apart when the score of one is at least this
/// share of the other's: how near their other cells are in meaning says nothing.
const EQUAL_ROWS: f64 = 0.9;
/// Passages of two regulations that share more than this of their words say the same (two editions of one clause). Within
/// one regulation neighbouring clauses and rows share most of theirs and say different things.
const SAME: f64 = 0.7;
/// What a passage of the same regulation shares that only repeats another one.
const REPEATED: f64 = 0.95;

/// The parts of an answer.
#[derive(Debug, Default)]
pub struct Composed {
    /// The passages that answer, best first.
    pub measures: Vec<Statement>,
    /// Notes of the rows among them.
    pub cautions: Vec<Statement>,
    /// Citations of places that say the same.
    pub see_also: Vec<String>,
    /// What to say first: a condition that the table does not have.
    pub messages: Vec<String>,
    /// No row has the value that the question states, so that no row answers.
    pub is_outside: bool,
}

/// Makes an answer of the best passages.
pub fn compose(question: &str, gathered: &Gathered, rules: &[Rule], weights: &Weights) -> Composed {
    let focus = gathered.focus(weights);
    let (picked, others) = pick(gathered);
    let mut composed = Composed::default();
    let mut left_out = Vec::new();
    for (one, text) in picked.iter().zip(share_out(&picked, gathered, &focus)) {
        match text {
            // A passage for which no room is left is named; cut, it would say something else than its page.
            None => left_out.push(one.best),
            Some(text) if composed.measures.iter().any(|known| says_all_of(&known.text, &text)) => {}
            Some(text) => composed.measures.push(statement(&one.best.passage, text)),
        }
    }
    let best: Vec<&Candidate> = picked.iter().map(|one| one.best).collect();
    composed.cautions = notes(&best, gathered);
    look_at_limits(question, &best, gathered, rules, &mut composed);
    if let Some(first) = picked.first().filter(|_| composed.messages.is_empty() && !composed.is_outside) {
        composed.messages.extend(unsaid_of_rows(question, first, gathered));
    }
    for candidate in left_out.into_iter().chain(others) {
        let citation = candidate.passage.citation.to_string();
        let quoted = composed.measures.iter().any(|known| known.citation == candidate.passage.citation);
        if !quoted && !composed.see_also.contains(&citation) {
            composed.see_also.push(citation);
        }
    }
    composed
}

/// What is quoted of each passage; nothing of some. Of all ways to fill the room the one is taken that most probably holds the
/// answer: a passage counts by how probably it answers, and a part of it by how probably the sentence that does is among it.
fn share_out(picked: &[Picked<'_>], gathered: &Gathered, focus: &Focus<'_>) -> Vec<Option<String>> {
    let scores: Vec<f64> = gathered.candidates.iter().map(|one| one.score).collect();
    let chances = shares(&scores);
    let chance_of = |one: &Candidate| {
        let at = gathered.candidates.iter().position(|other| std::ptr::eq(other, one));
        at.and_then(|at| chances.get(at)).copied().unwrap_or_default()
    };
    let options: Vec<Vec<Share>> = picked
        .iter()
        .enumerate()
        .map(|(at, one)| {
            // Parts of a question count alike; so does what goes on overleaf.
            let is_needed = at < gathered.parts.max(1) || one.best.continues;
            let chance = if at < gathered.parts { 1.0 } else { chance_of(one.best) };
            let mut options = one.options(gathered, focus);
            for share in &mut options {
                share.gain *= chance;
            }
            if !is_needed {
                options.insert(0, Share::default());
            }
            options
        })
        .collect();
    let mut best = Taken { gain: f64::MIN, ..Taken::default() };
    take_from(&options, &Taken::default(), &mut best);
    if best.places.is_empty() {
        // What is needed is longer than the room: each of it as short as can be.
        best.places = vec![0; options.len()];
    }
    let texts = options.iter().zip(best.places).map(|(options, place)| options.get(place)?.text.clone());
    texts.collect()
}

/// A part of a passage that may be quoted.
#[derive(Debug, Clone, Default)]
struct Share {
    text: Option<String>,
    size: usize,
    gain: f64,
}

/// What was taken of the first passages.
#[derive(Debug, Clone, Default)]
struct Taken {
    places: Vec<usize>,
    statements: usize,
    size: usize,
    gain: f64,
}

impl Taken {
    /// How probably it holds the answer, less what reading it costs.
    fn worth(&self) -> f64 {
        let length = PRICE * self.size.saturating_sub(FREE_ROOM) as f64;
        self.gain - length - STATEMENT_PRICE * self.statements.saturating_sub(1) as f64
    }
}

/// Tries every way to take a part of each passage within the room.
fn take_from(options: &[Vec<Share>], taken: &Taken, best: &mut Taken) {
    let Some((first, rest)) = options.split_first() else {
        let gains = taken.worth() - best.worth();
        if gains > 1e-9 || gains > -1e-9 && taken.size < best.size {
            best.clone_from(taken);
        }
        return;
    };
    for (place, share) in first.iter().enumerate() {
        if taken.size + share.size <= MOST_ROOM {
            let mut more = taken.clone();
            more.places.push(place);
            more.statements += usize::from(share.text.is_some());
            more.size += share.size;
            more.gain += share.gain;
            take_from(rest, &more, best);
        }
    }
}

/// The clauses of the best passages, whole.
pub fn whole(desk: &mut Desk<'_>, gathered: &Gathered) -> Result<Composed, ToolFailure> {
    let (picked, _) = pick(gathered);
    let picked: Vec<&Candidate> = picked.iter().map(|one| one.best).collect();
    let mut evidence = Evidence::default();
    for candidate in &picked {
        let clause = match &candidate.passage.section {
            Some(section) => desk.find(&ReadChapter::new(&candidate.passage.reg_id, section))?,
            None => None,
        };
        match clause {
            Some(clause) => evidence.quote_clause(&clause),
            None => evidence.add(statement(&candidate.passage, candidate.passage.text())),
        }
    }
    Ok(Composed { measures: evidence.measures, cautions: notes(&picked, gathered), ..Composed::default() })
}

/// The best passages for a reader to judge. Passages of one page overlap, and two of them may be shortened to the same text.
pub fn related(gathered: &Gathered, weights: &Weights) -> Vec<Statement> {
    let (picked, _) = pick_most(gathered, 2 * PASSAGES);
    let focus = gathered.focus(weights);
    let mut shown: Vec<Statement> = Vec::new();
    for one in picked {
        let passage = &one.best.passage;
        let text = passage.shortened(RELATED_ROOM, &focus);
        if shown.len() < PASSAGES && !shown.iter().any(|known| says_all_of(&known.text, &text)) {
            shown.push(statement(passage, text));
        }
    }
    shown
}

/// The notes of the best passage, when that is a row.
pub fn notes_of_best(gathered: &Gathered) -> Vec<Statement> {
    let (picked, _) = pick(gathered);
    notes(&picked.iter().map(|one| one.best).collect::<Vec<_>>(), gathered)
}

/// As much of a passage as is quoted when it is the best.
pub fn quoted_first(candidate: &Candidate, gathered: &Gathered, weights: &Weights) -> String {
    candidate.passage.shortened(FIRST_ROOM, &gathered.focus(weights))
}

/// A passage to quote. Rows of one table that fit the question equally well are one statement: a list of conditions, or
/// the devices of one level, stands in several rows.
struct Picked<'a> {
    best: &'a Candidate,
    /// Numbers of other rows of the same table on the same page.
    rows: Vec<usize>,
}

impl Picked<'_> {
    /// Takes a row that cannot be told from the best one by what speaks for it.
    fn takes(&mut self, other: &Candidate) -> bool {
        let (PassageKind::Row(table, _), PassageKind::Row(same, row)) =
            (&self.best.passage.kind, &other.passage.kind)
        else {
            return false;
        };
        let of_table = table == same
            && self.best.passage.reg_id == other.passage.reg_id
            && self.best.passage.page_num == other.passage.page_num;
        let words = |one: &Candidate| one.features.get("own").copied().unwrap_or_default();
        let is_equal = (words(self.best) - words(other)).abs() < 1e-9
            && other.score >= self.best.score * EQUAL_ROWS
            && !self.best.is_looked_up();
        if of_table && is_equal {
            self.rows.push(*row);
        }
        of_table && is_equal
    }

    /// What may be quoted of it, the shortest first.
    fn options(&self, gathered: &Gathered, focus: &Focus<'_>) -> Vec<Share> {
        let share = |text: String, gain: f64| Share { size: size(&text), text: Some(text), gain };
        if let Some(table) = self.rows_as_table(gathered).filter(|table| size(table) <= FIRST_ROOM) {
            return vec![share(table, 1.0)];
        }
        if let Some(row) = self.asked_of_row(gathered) {
            return vec![share(row, 1.0)];
        }
        let passage = &self.best.passage;
        let chances = passage.chances(focus);
        let mut options: Vec<Share> = Vec::new();
        for room in (LEAST_ROOM..=MOST_ROOM).step_by(STEP) {
            let quotation = passage.quoted_within(room, &chances, focus.terms);
            if options.last().is_none_or(|last| last.gain < quotation.holds) {
                options.push(share(quotation.text, quotation.holds));
            }
        }
        options
    }

    /// Of a row that was looked up its labels and the value in the column that is asked for. The values beside it are for other
    /// conditions.
    fn asked_of_row(&self, gathered: &Gathered) -> Option<String> {
        let passage = &self.best.passage;
        let PassageKind::Row(table_id, row) = &passage.kind else { return None };
        let key = (passage.reg_id.clone(), table_id.clone());
        let looked_up = gathered.looked_up.get(&key).filter(|_| self.best.is_looked_up())?;
        let (table, reading) = (gathered.tables.get(&key)?, gathered.readings.get(&key)?);
        let headers = strings(&table.col_headers);
        let asked = limits::asked_column(reading, &headers, &looked_up.answers)?;
        let is_kept = |column: &usize| {
            *column == asked || !reading.shape.values.contains(column) || reading.named.contains(column)
        };
        let columns: Vec<usize> = (0..headers.len()).filter(is_kept).collect();
        let cells = strings(&table.rows.get(*row)?.cells);
        Some(Passage::row_of(&table_text(table, &headers), *row, passage.page_num, &cells, &columns).text())
    }

    /// Its rows under their header; none when it is no row or stands alone.
    fn rows_as_table(&self, gathered: &Gathered) -> Option<String> {
        let PassageKind::Row(table_id, row) = &self.best.passage.kind else { return None };
        if self.rows.is_empty() {
            return None;
        }
        let table = gathered.tables.get(&(self.best.passage.reg_id.clone(), table_id.clone()))?;
        let mut rows = self.rows.clone();
        rows.push(*row);
        rows.sort_unstable();
        Some(small_table(table, &strings(&table.col_headers), &rows, self.best.passage.page_num))
    }
}

/// The passages to quote, and those that say the same as one of them.
fn pick(gathered: &Gathered) -> (Vec<Picked<'_>>, Vec<&Candidate>) {
    pick_most(gathered, PASSAGES)
}

fn pick_most(gathered: &Gathered, most: usize) -> (Vec<Picked<'_>>, Vec<&Candidate>) {
    let mut picked: Vec<Picked<'_>> = Vec::new();
    let mut same = Vec::new();
    let mut bags = Vec::new();
    let looked_up = gathered.candidates.first().filter(|best| best.is_looked_up());
    for (at, candidate) in gathered.candidates.iter().enumerate() {
        // Beside a row that was looked up, rows for other conditions and the text about other tables only mislead.
        let is_other = |best: &Candidate| match candidate.passage.kind {
            PassageKind::Row(..) => !candidate.is_looked_up(),
            PassageKind::Text(_) => !candidate.passage.path.starts_with(&best.passage.path),
        };
        if looked_up.is_some_and(is_other) && at >= gathered.parts.max(1) {
            continue;
        }
        if picked.iter_mut().any(|known| known.takes(candidate)) {
            continue;
        }
        let (own, _) = candidate.passage.bags(&gathered.terms);
        let reg_id = candidate.passage.reg_id.as_str();
        let says_same = |(known, known_reg): &(Arc<Bag>, &str)| {
            own.similarity(known) > if *known_reg == reg_id { REPEATED } else { SAME }
        };
        // What two named editions say alike is the answer to a question that names both.
        if at >= gathered.parts && bags.iter().any(says_same) {
            same.push(candidate);
        } else if picked.len() < most {
            bags.push((own, reg_id));
            picked.push(Picked { best: candidate, rows: Vec::new() });
        }
    }
    (picked, same)
}

/// The notes that the quoted row names, or that stand under its table without a number, unless they are for other rows.
fn notes(picked: &[&Candidate], gathered: &Gathered) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    for candidate in picked.iter().take(1) {
        let PassageKind::Row(table_id, at) = &candidate.passage.kind else { continue };
        let row = candidate.passage.text();
        let key = (candidate.passage.reg_id.clone(), table_id.clone());
        let Some(table) = gathered.tables.get(&key) else { continue };
        let shape = gathered.readings.get(&key).map(|reading| reading.shape.clone()).unwrap_or_default();
        let mentions: Vec<String> = find_references(&row)
            .into_iter()
            .filter(|mention| mention.target.kind == ReferenceKind::Annotation)
            .map(|mention| mention.target.number)
            .collect();
        for note in &table.notes {
            let label = note.annotation_id.as_str();
            let printed = note.printed_label.as_deref().unwrap_or(label);
            let is_general = !label.contains(|c: char| c.is_ascii_digit())
                && !limits::is_for_other_rows(&note.content, table, &shape, &[*at]);
            let is_sign = limits::sign_explained(&note.content).is_some_and(|sign| {
                table.rows.get(*at).is_some_and(|row| limits::has_cell(&row.cells, sign))
            });
            let is_named = is_sign
                || row.contains(label)
                || printed.contains(char::is_alphabetic) && row.contains(printed)
                || mentions.iter().any(|number| number == label || number == printed);
            if is_general || is_named {
                found.push(note_statement(note));
            }
        }
        found.truncate(NOTES);
        // A number without its unit is no answer.
        let folded = fold(&row);
        let gives_unit =
            |note: &&AnnotationView| unit_named_by(&note.content).is_some_and(|unit| !folded.contains(&unit));
        let caption = || {
            let caption = table.caption.as_deref()?;
            let unit = unit_named_by(caption).filter(|unit| !folded.contains(unit))?;
            let cited = table.cited.at_page(PageNumber::new(candidate.passage.page_num));
            (!unit.is_empty()).then(|| Statement::new(caption, cited))
        };
        let unit = table.notes.iter().find(gives_unit).map(note_statement).or_else(caption);
        found.extend(unit.filter(|unit| found.iter().all(|known| known.text != unit.text)));
    }
    found
}

/// The unit that a note gives for the values of its table, folded: 限额单位为万千瓦, Unit: MW.
fn unit_named_by(note: &str) -> Option<String> {
    static BEFORE: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words before a unit"));
    static BETWEEN: LazyLock<Vec<&str>> =
        LazyLock::new(|| words_of(crate::WORDS, "words between that word and the unit"));
    let folded = fold(note);
    let unit = BEFORE.iter().find_map(|word| Some(folded.split_once(word)?.1))?.trim_start();
    // `in` is no beginning of `inHg`.
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let behind = |text: &str, word: &str| {
        let rest = text.strip_prefix(word)?;
        (!word.ends_with(is_letter) || !rest.starts_with(is_letter)).then(|| rest.trim_start().to_owned())
    };
    let mut unit = unit.to_owned();
    while let Some(rest) = BETWEEN.iter().find_map(|word| behind(&unit, word)) {
        unit = rest;
    }
    let measured = format!("1 {unit}");
    let (range, _) = find_quantities(&measured).into_iter().next()?;
    (range.start == 0).then(|| measured[..range.end].trim_start_matches(['1', ' ']).to_owned())
}

/// The table of the best passage, when that is a row.
pub fn table_of_best(gathered: &Gathered) -> Option<&TableView> {
    let best = gathered.candidates.first()?;
    let PassageKind::Row(table_id, _) = &best.passage.kind else { return None };
    gathered.tables.get(&(best.passage.reg_id.clone(), table_id.clone()))
}

/// What the question does not say where several rows of a table of values fit it equally well.
fn unsaid_of_rows(question: &str, picked: &Picked<'_>, gathered: &Gathered) -> Option<String> {
    let PassageKind::Row(table_id, _) = &picked.best.passage.kind else { return None };
    let key = (picked.best.passage.reg_id.clone(), table_id.clone());
    let (table, reading) = (gathered.tables.get(&key)?, gathered.readings.get(&key)?);
    let missing = reading.missing(&strings(&table.col_headers));
    let is_limit = !picked.rows.is_empty() && !reading.shape.values.is_empty() && gathered.value.is_some();
    let language = answer_language(question);
    (is_limit && !missing.is_empty())
        .then(|| answers::undecided(language, missing.join(language.say(answers::LISTED))))
}

/// Adds what the table of the best row says besides the row.
fn look_at_limits(
    question: &str,
    picked: &[&Candidate],
    gathered: &Gathered,
    rules: &[Rule],
    composed: &mut Composed,
) {
    let Some(best) = picked.first() else { return };
    let PassageKind::Row(table_id, row) = &best.passage.kind else { return };
    let key = (best.passage.reg_id.clone(), table_id.clone());
    let Some(table) = gathered.tables.get(&key) else { return };
    let looked_up = gathered.looked_up.get(&key).filter(|_| best.is_looked_up());
    let headers = strings(&table.col_headers);
    let cells = table.rows.get(*row).map(|row| strings(&row.cells)).unwrap_or_default();
    let stated = small_table(table, &headers, &[*row], best.passage.page_num);
    let unread = TableReading::default();
    let reading = gathered.readings.get(&key).unwrap_or(&unread);
    let compared = || limits::to_compare(question, gathered.value.is_some(), table, reading);
    let left = match looked_up {
        None => limits::undecided(question, table, reading, None).or_else(compared),
        found => limits::undecided(question, table, reading, found),
    };
    // A calculation begins with one limit: not before the row and its column are decided.
    let answers = looked_up.map(|found| found.answers.as_slice()).unwrap_or_default();
    let picked = PickedLimit::of_row(reading, &headers, &cells, answers)
        .filter(|_| left.is_none())
        .map(|limit| limit.stated(stated, best.passage.citation.clone()));
    let meant = left.as_ref().map_or(vec![*row], |left| left.rows.clone());
    let limits = limits::look_at(question, table, &reading.shape, &meant, looked_up, picked.as_ref(), rules);
    composed.messages = limits.messages;
    if !reading.rivals.is_empty() {
        let language = answer_language(question);
        composed.messages.push(answers::rivals(language, reading.rivals.join(language.say(answers::LISTED))));
    }
    composed.is_outside = limits.is_outside;
    if limits.is_outside {
        // Rows for other values answer nothing; a note may.
        composed.measures = limits.forbidding;
        composed.cautions = limits.to_mind;
        return;
    }
    if let Some(left) = left
        && let Some(first) = composed.measures.first_mut()
    {
        let language = answer_language(question);
        let missing = left.missing.join(language.say(answers::LISTED));
        composed.messages.push(if left.columns.is_some() {
            answers::to_compare(language, missing)
        } else {
            answers::undecided(language, missing)
        });
        // A statement cites one page: where none of the rows stands on it, the row that was found says more. So it does where
        // the rows are too long to be compared at a glance.
        let here =
            |row: &usize| table.rows.get(*row).is_some_and(|row| row.page_num.get() == best.passage.page_num);
        let page = best.passage.page_num;
        let rows = match &left.columns {
            None => small_table(table, &headers, &left.rows, page),
            Some(columns) => columns_of_table(table, &headers, &left.rows, columns, page),
        };
        if left.rows.iter().any(here) && size(&rows) <= ANSWER_ROOM {
            first.text = rows;
            // Each of them by itself would look like the answer.
            let table = first.citation.clone();
            let mut at = 0;
            composed.measures.retain(|one| {
                at += 1;
                at == 1 || one.citation != table
            });
        }
    }
    let said = |known: &[Statement], one: &Statement| known.iter().any(|known| known.text == one.text);
    // The calculated value is the answer; it stands behind the row that it comes from.
    let behind = composed.measures.len().min(1);
    composed.measures.splice(behind..behind, limits.calculated);
    composed.measures.splice(0..0, limits.forbidding);
    // The note of a calculation may have been found as a passage too.
    let mut texts: Vec<String> = Vec::new();
    composed.measures.retain(|one| {
        let is_new = !texts.contains(&one.text);
        texts.push(one.text.clone());
        is_new
    });
    composed.measures.truncate(MOST);
    composed.cautions.splice(0..0, limits.to_mind);
    let measures = &composed.measures;
    let mut seen: Vec<String> = Vec::new();
    composed.cautions.retain(|one| {
        let is_new = !said(measures, one) && !seen.contains(&one.text);
        seen.push(one.text.clone());
        is_new
    });
}

/// Some rows of a table under its header, those on one page, because a statement cites one.
pub fn small_table(table: &TableView, headers: &[&str], rows: &[usize], page: u32) -> String {
    let mut text = table.caption.as_ref().map(|caption| format!("{caption}\n")).unwrap_or_default();
    text.push_str(&format!("| {} |\n|{}", headers.join(" | "), "---|".repeat(headers.len())));
    let rows = rows.iter().filter_map(|row| table.rows.get(*row));
    for row in rows.filter(|row| row.page_num.get() == page) {
        text.push_str(&table_line(&row.cells));
    }
    text
}

/// These columns of some rows of a table, those on one page.
fn columns_of_table(
    table: &TableView,
    headers: &[&str],
    rows: &[usize],
    columns: &[usize],
    page: u32,
) -> String {
    let heads: Vec<&str> = columns.iter().filter_map(|column| headers.get(*column)).copied().collect();
    let mut text = format!("| {} |\n|{}", heads.join(" | "), "---|".repeat(heads.len()));
    let rows = rows.iter().filter_map(|row| table.rows.get(*row));
    for row in rows.filter(|row| row.page_num.get() == page) {
        let cells = columns.iter().filter_map(|column| row.cells.get(*column)).cloned();
        text.push_str(&table_line(&cells.collect::<Vec<_>>()));
    }
    text
}

/// Whether a quotation has everything that another one has. Passages of one page overlap, and may be shortened to the same
/// sentences of it.
fn says_all_of(quotation: &str, other: &str) -> bool {
    let mut parts = other.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "…");
    parts.all(|part| quotation.contains(part))
}

fn statement(passage: &Passage, text: String) -> Statement {
    Statement::new(text, passage.citation.clone())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::meaning::Meaning;
    use super::*;
    use crate::offline::passage::TableText;
    use crate::offline::terms::Terms;

    fn gathered(scores: &[f64]) -> Gathered {
        let headers = ["级别", "装置"];
        let rows = [["第一级", "甲站装置"], ["第一级", "乙站装置"], ["预警", "丙站装置"]];
        let text = TableText {
            reg_id: "a_1",
            table_id: "t1",
            caption: "表2-5",
            path: Vec::new(),
            context: String::new(),
            headers: &headers,
            cited: regreader_model::Citation::default(),
        };
        let candidate = |(at, score): (usize, &f64)| Candidate {
            passage: Passage::row(&text, at, 16, &rows[at]),
            features: BTreeMap::new(),
            score: *score,
            conditions: 0,
            continues: false,
        };
        let rows: Vec<&[&str]> = rows.iter().map(|row| &row[..]).collect();
        let table = crate::offline::tests::table("表2-5", &headers, &rows, 16);
        Gathered {
            named: Vec::new(),
            parts: 0,
            candidates: scores.iter().enumerate().map(candidate).collect(),
            terms: Terms::read("哪些装置参与控制"),
            meaning: Meaning::of("哪些装置参与控制", &[]),
            value: None,
            tables: BTreeMap::from([(("a_1".to_owned(), "t1".to_owned()), table)]),
            looked_up: BTreeMap::new(),
            readings: BTreeMap::new(),
        }
    }

    #[test]
    fn what_was_quoted_is_not_quoted_again() {
        let quoted = "应立即汇报。\n…\n但检修状态除外。";
        assert!(
            says_all_of(quoted, "应立即汇报。") && says_all_of(quoted, "但检修状态除外。\n…\n应立即汇报。")
        );
        assert!(!says_all_of(quoted, "应立即汇报。\n由值长汇报。"));
    }

    #[test]
    fn a_note_that_gives_the_unit_is_told_from_others() {
        for note in [
            "限额单位为万千瓦；三厂限额可以相加。",
            "单位：kV",
            "Units are MW.",
            "All limits: unit MVA",
            "Dimensions in mm.",
        ] {
            assert!(unit_named_by(note).is_some(), "{note}");
        }
        for note in [
            "降压方式下按全压限额的 0.8 倍掌握。",
            "由运行单位负责。",
            "The unit is tripped.",
            "单位时间内不超过 2 次。",
        ] {
            assert_eq!(unit_named_by(note), None, "{note}");
        }
    }

    #[test]
    fn rows_that_fit_equally_well_are_one_statement() {
        let composed = compose("哪些装置参与控制？", &gathered(&[9.0, 8.95, 7.0]), &[], Weights::fitted());
        let texts: Vec<&str> = composed.measures.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].contains("甲站装置") && texts[0].contains("乙站装置") && !texts[0].contains("丙站"));
        assert!(texts[1].contains("丙站装置"));
    }

    /// The chance of holding the answer, against its length.
    #[test]
    fn a_small_chance_is_not_worth_a_long_quotation() {
        let taken = |size, gain| Taken { statements: 1, size, gain, ..Taken::default() };
        assert!(taken(FREE_ROOM, 0.51).worth() > taken(80, 0.5).worth(), "what is short costs nothing");
        assert!(taken(MOST_ROOM, 0.52).worth() < taken(FREE_ROOM, 0.5).worth());
        assert!(taken(MOST_ROOM, 0.8).worth() > taken(FREE_ROOM, 0.5).worth());
        let two = |gain| Taken { statements: 2, ..taken(FREE_ROOM, gain) };
        assert!(two(0.505).worth() < taken(80, 0.5).worth(), "a further statement is read too");
        assert!(two(0.6).worth() > taken(80, 0.5).worth());
    }
}
