//! Limit tables: what a dispatcher must hear besides the row.
//!
//! A condition that the table does not have is said instead of being answered with another row; a column that decides
//! and of which the question says nothing is named; notes that forbid come first; a correction that a note prescribes is
//! calculated from cited operands and marked as calculated. Everything is read off the table and its notes: no name of
//! an asset and no limit is known here.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regreader_messages::answers;
use regreader_model::{Citation, ReferenceKind};
use regreader_question::{Shape, TableReading, with_measures};
use regreader_text::script::is_cjk;
use regreader_text::units::unit_at;
use regreader_text::{Quantity, find_quantities, find_references, fold, fold_tight, words_of};
use regreader_tools::{AnnotationView, TableView};

use super::correction::{Correction, condition_of};
use super::evidence::{note_statement, strings};
use super::passage::has_exception;
use super::stated::{Met, Stated, content_words, covers};
use crate::answer::answer_language;
use crate::{Operand, Statement};

/// Words by which a note forbids.
static FORBIDDING: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that forbid"));

/// What a table says besides its rows.
#[derive(Debug, Default)]
pub struct Limits {
    /// What to say first: a condition outside the table, or one that the table does not have.
    pub messages: Vec<String>,
    /// Notes that forbid what is asked, or that say what holds outside the table.
    pub forbidding: Vec<Statement>,
    /// Corrections that notes prescribe, calculated, each with its rule.
    pub calculated: Vec<Statement>,
    /// Rules whose condition the question states in part: the reader decides.
    pub to_mind: Vec<Statement>,
    /// The question states a value that no row has, so that no row answers.
    pub is_outside: bool,
}

/// What table search says of the rows that meet the stated conditions.
#[derive(Debug, Clone, Default)]
pub struct LookedUp {
    /// The rows.
    pub rows: Vec<usize>,
    /// No condition that the lexicon knows led to them, only words of the table.
    pub by_words: bool,
    /// Headers of the columns that answer.
    pub answers: Vec<String>,
    /// Conditions that the table does not have.
    pub unmet: Vec<String>,
    /// Conditions that are met by another value than the stated one.
    pub assumed: Vec<String>,
}

/// A text that may prescribe a correction of a limit.
#[derive(Debug, Clone)]
pub struct Rule {
    /// What it says.
    pub text: String,
    /// The same as a statement.
    pub statement: Statement,
    /// Where it stands.
    pub of: RuleOf,
}

/// Where a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleOf {
    /// A note of the table.
    Note,
    /// The clause that has the table.
    Clause,
    /// A clause beside it, which may be about other tables: it is shown, and never calculated with.
    Beside,
}

/// Looks at a table for a question, of which `rows` may be meant. `picked` is the limit that answers, where one cell does; `rules` are sentences of the clauses
/// around the table, and its notes are looked at in any case.
pub fn look_at(
    question: &str,
    table: &TableView,
    shape: &Shape,
    rows: &[usize],
    looked_up: Option<&LookedUp>,
    picked: Option<&PickedLimit>,
    rules: &[Rule],
) -> Limits {
    let caption =
        format!("{}\n{}", table.caption.as_deref().unwrap_or_default(), table.chapter_path.join("\n"));
    let already = format!("{caption}\n{}", picked.map(|limit| limit.header.as_str()).unwrap_or_default());
    let of_table = format!("{already}\n{}", names_of_conditions(table, shape));
    let with_unit =
        picked.map(|limit| limit.clone().in_unit_of(table.caption.as_deref().unwrap_or_default()));
    let picked = with_unit.as_ref();
    let stated =
        Stated::new(question, &of_table, picked.map(|limit| limit.about.as_str()).unwrap_or_default());
    let asked = stated.quantities();
    // Few notes need it.
    let whole = LazyCell::new(|| {
        let cells = table.rows.iter().flat_map(|row| &row.cells).chain(&table.col_headers);
        cells.map(|cell| fold_tight(cell)).collect::<Vec<_>>().join("\n")
    });
    let language = answer_language(question);
    let mut limits = Limits::default();
    for quantity in asked {
        limits.messages.extend(outside(question, quantity, table));
    }
    limits.is_outside = !limits.messages.is_empty() && looked_up.is_none_or(|rows| !rows.unmet.is_empty());
    let folded = fold(question);
    let notes = table.notes.iter().map(|note| Rule {
        text: note.content.clone(),
        statement: note_statement(note),
        of: RuleOf::Note,
    });
    // A row that was not looked up is for another number when its own is another one.
    let is_row_meant = limits.messages.is_empty()
        && (looked_up.is_some() || picked.is_some_and(|limit| has_all(asked, table, limit)));
    let mut corrected: Vec<String> = Vec::new();
    let mut stated_rules = 0;
    let notes = notes.filter(|note| !is_for_other_rows(&note.text, table, shape, rows));
    let (signs, notes): (Vec<Rule>, Vec<Rule>) = notes.partition(|note| sign_explained(&note.text).is_some());
    limits
        .to_mind
        .extend(signs.into_iter().filter(|note| explains_rows(note, table, rows)).map(|note| note.statement));
    for rule in notes.into_iter().chain(rules.iter().cloned()) {
        let text = rule.text.as_str();
        let decides = || {
            forbids(text, asked, &folded, &fold(&already)) || (limits.is_outside && speaks_of(text, asked))
        };
        if rule.of == RuleOf::Note && decides() {
            limits.forbidding.push(rule.statement);
            continue;
        }
        let corrections: Vec<Correction> = Correction::read(text);
        if corrections.is_empty() {
            // What a note says of the very number that is asked for (1 台的各行不超过 2 小时), or under a condition that the
            // question states beyond the table, is worth a look.
            let is_under_more =
                || condition_of(text).is_some_and(|when| stated.is_more_said_in(when, &whole));
            if rule.of == RuleOf::Note && (speaks_of(text, asked) || is_under_more()) {
                limits.to_mind.push(rule.statement);
            }
            continue;
        }
        let due = corrections.iter().filter(|one| !one.is_part_of(&already));
        let due: Vec<(&Correction, Met)> =
            due.map(|one| (one, one.met(&stated, text))).filter(|(_, met)| *met != Met::Not).collect();
        // Another note may take the rule back for some of the values: 最小功率不受注 1 修正.
        let named_by = notes_naming(table, &rule);
        stated_rules += usize::from(due.iter().any(|(_, met)| matches!(met, Met::Wholly | Met::Besides)));
        match (due.as_slice(), picked) {
            ([], _) => {}
            ([(correction, Met::Wholly)], Some(limit))
                if rule.of != RuleOf::Beside
                    && is_row_meant
                    && correction.changes(limit)
                    && named_by.is_empty() =>
            {
                let unmet = looked_up.into_iter().flat_map(|rows| &rows.unmet);
                corrected.extend(unmet.filter(|one| text.contains(one.as_str())).cloned());
                match correction.apply(&stated, limit) {
                    Some(calculated) => {
                        limits.calculated.push(calculated.cited(question, limit, &rule.statement));
                        limits.calculated.push(rule.statement);
                    }
                    None => limits.to_mind.push(rule.statement),
                }
            }
            _ => {
                limits.to_mind.push(rule.statement);
                limits.to_mind.extend(named_by);
            }
        }
    }
    // Where several rules are due, none says how they go together.
    if stated_rules > 1 && !limits.calculated.is_empty() {
        let rules = std::mem::take(&mut limits.calculated).into_iter().skip(1).step_by(RULE_AND_VALUE);
        limits.to_mind.splice(0..0, rules);
    }
    if let Some(rows) = looked_up.filter(|_| !limits.is_outside) {
        let unmet: Vec<&str> =
            rows.unmet.iter().filter(|one| !corrected.contains(*one)).map(String::as_str).collect();
        if !unmet.is_empty() {
            let name = table.caption.as_deref().unwrap_or_default();
            limits.messages.push(answers::unmet(language, name, unmet.join(language.say(answers::LISTED))));
        }
        if !rows.assumed.is_empty() {
            limits
                .messages
                .push(answers::assumed(language, rows.assumed.join(language.say(answers::LISTED))));
        }
    }
    limits
}

/// Whether a text names labels of other rows of a table, and none of these: 青雁断面检修期间 says nothing of 石松断面. A text that takes
/// something out (除青雁断面外) is about all others.
pub fn is_for_other_rows(text: &str, table: &TableView, shape: &Shape, rows: &[usize]) -> bool {
    if rows.is_empty() || has_exception(text) {
        return false;
    }
    let text = fold_tight(text);
    let label = |row: usize, column: usize| {
        let cell = table.rows.get(row)?.cells.get(column)?;
        let is_name = cell.chars().count() > 1 && cell.contains(char::is_alphabetic);
        is_name.then(|| fold_tight(cell))
    };
    shape.labels.iter().any(|column| {
        let own: BTreeSet<String> = rows.iter().filter_map(|row| label(*row, *column)).collect();
        let others =
            (0..table.rows.len()).filter_map(|row| label(row, *column)).filter(|one| !own.contains(one));
        let mut others = others.filter(|one| text.contains(one.as_str()));
        others.next().is_some() && !own.iter().any(|one| text.contains(one.as_str()))
    })
}

/// The sign in place of a value that a note explains: — of `“—”表示不允许`, / of `"/": not installed`.
pub fn sign_explained(note: &str) -> Option<&str> {
    let text = note.trim_start_matches([' ', '“', '”', '"', '‘', '\'', '「', '『']);
    let end = text.find(|c: char| !matches!(c, '-' | '–' | '—' | '－' | '−' | '/' | '／'))?;
    let is_number = text[end..].starts_with(|c: char| c.is_ascii_digit());
    text.get(..end).filter(|sign| !sign.is_empty() && !is_number)
}

/// Whether the sign that a note explains stands in one of these rows. What it means forbids nothing anywhere else.
fn explains_rows(note: &Rule, table: &TableView, rows: &[usize]) -> bool {
    let Some(sign) = sign_explained(&note.text) else { return false };
    let has_sign = |row: &usize| table.rows.get(*row).is_some_and(|row| has_cell(&row.cells, sign));
    rows.iter().any(has_sign)
}

/// Whether a row has a cell with nothing but this sign.
pub fn has_cell(cells: &[String], sign: &str) -> bool {
    cells.iter().any(|cell| cell.trim() == sign)
}

/// The other notes of a table that name the note which a rule is.
fn notes_naming(table: &TableView, rule: &Rule) -> Vec<Statement> {
    let own = |note: &&AnnotationView| rule.of == RuleOf::Note && note.content == rule.text;
    let Some(note) = table.notes.iter().find(own) else { return Vec::new() };
    let printed = note.printed_label.as_deref().unwrap_or(&note.annotation_id);
    let label = fold_tight(&note.annotation_id);
    let names = |other: &&AnnotationView| {
        let is_same = |target: &str| fold_tight(target) == label || fold_tight(target) == fold_tight(printed);
        other.content != note.content
            && find_references(&other.content).into_iter().any(|mention| {
                mention.target.kind == ReferenceKind::Annotation
                    && (is_same(&mention.target.number)
                        || label.ends_with(&fold_tight(&mention.target.number)))
            })
    };
    table.notes.iter().filter(names).map(note_statement).collect()
}

/// Whether a text is a unit of measure.
fn is_unit(text: &str) -> bool {
    unit_at(text).is_some_and(|(_, length)| length == text.len())
}

/// Whether the row of a limit has each of these quantities that its table has a column for.
fn has_all(asked: &[Quantity], table: &TableView, limit: &PickedLimit) -> bool {
    let cells: Vec<&str> = limit.about.split('\n').collect();
    asked.iter().all(|quantity| {
        let column = table.col_headers.iter().position(|header| counts_in(header, quantity.unit.symbol()));
        let cell = column.and_then(|column| cells.get(column)).and_then(|cell| number(cell));
        cell.is_none_or(|there| (there - quantity.value.to_f64()).abs() < NOTHING)
    })
}

/// Statements of a calculation: its value and its rule.
const RULE_AND_VALUE: usize = 2;

/// Headers of the columns that state no limit: what they name, the row has.
fn names_of_conditions(table: &TableView, shape: &Shape) -> String {
    let headers = table.col_headers.iter().enumerate();
    let conditions = headers.filter(|(column, _)| !shape.values.contains(column));
    conditions.map(|(_, header)| header.as_str()).collect::<Vec<_>>().join("\n")
}

/// The one column with values that a question means; none when it tells no one of them from the others.
pub fn asked_column(reading: &TableReading, headers: &[&str], answers: &[String]) -> Option<usize> {
    let is_left =
        |column: &&usize| headers.get(**column).is_some_and(|header| answers.iter().any(|one| one == header));
    let left: Vec<usize> = reading.shape.values.iter().filter(is_left).copied().collect();
    match left.as_slice() {
        [only] => Some(*only),
        _ => reading.value_column(),
    }
}

/// The limit that answers a question: one cell of one row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PickedLimit {
    /// Its number.
    pub value: f64,
    /// The unit of its column.
    pub unit: String,
    /// Header of its column.
    pub header: String,
    /// Headers of the other columns with limits.
    pub others: Vec<String>,
    /// What the row says of its conditions.
    pub about: String,
    /// The row that states it, and where it stands.
    pub row: Option<Operand>,
}

impl PickedLimit {
    /// The limit in a row: that of the one column with limits that the question means, or none. `answers` are the headers that a
    /// look-up left, empty when there was none.
    pub fn of_row(
        reading: &TableReading,
        headers: &[&str],
        cells: &[&str],
        answers: &[String],
    ) -> Option<Self> {
        let values = &reading.shape.values;
        let column = asked_column(reading, headers, answers)?;
        let header = headers.get(column)?;
        let value = number(cells.get(column)?)?;
        let unit = header
            .rsplit_once(['(', '（'])
            .map(|(_, unit)| unit.split([')', '）']).next().unwrap_or_default().trim().to_owned());
        let others = values.iter().filter(|other| **other != column);
        let first = values.first().copied().unwrap_or(column);
        Some(Self {
            value,
            // What stands in the brackets of a head may be another condition: 全压运行（±500kV）.
            unit: unit.filter(|unit| is_unit(unit)).unwrap_or_default(),
            header: (*header).to_owned(),
            others: others
                .filter_map(|other| headers.get(*other))
                .map(|header| (*header).to_owned())
                .collect(),
            about: cells.get(..first).unwrap_or_default().join("\n"),
            row: None,
        })
    }

    /// The same in the unit that a caption gives for the whole table, where the column has none: 表4-1 断面限额（万千瓦）.
    #[must_use]
    fn in_unit_of(mut self, caption: &str) -> Self {
        let last =
            caption.rsplit_once(['(', '（']).map(|(_, last)| last.trim_end_matches([')', '）']).trim());
        if let Some(unit) = last.filter(|unit| self.unit.is_empty() && is_unit(unit)) {
            unit.clone_into(&mut self.unit);
        }
        self
    }

    /// The same with the row that states it.
    #[must_use]
    pub fn stated(mut self, text: String, citation: Citation) -> Self {
        self.row = Some(Operand { text, citation: Some(citation) });
        self
    }
}

/// Rows that a question does not tell apart, because it says nothing of some columns.
#[derive(Debug, PartialEq, Eq)]
pub struct Undecided {
    /// Headers of the columns in which the rows differ.
    pub missing: Vec<String>,
    /// The rows.
    pub rows: Vec<usize>,
    /// The columns to show, where the question means some of them.
    pub columns: Option<Vec<usize>>,
}

/// More rows than this are no small table.
const SMALL_TABLE: usize = 8;

/// The rows of a limit table that all meet what the question states; none when it decides for one row, when it states
/// nothing that the table has, or when the table has no values. Rows that were looked up are those that meet it.
pub fn undecided(
    question: &str,
    table: &TableView,
    reading: &TableReading,
    looked_up: Option<&LookedUp>,
) -> Option<Undecided> {
    let folded = fold(question);
    let headers = &table.col_headers;
    let rows: Vec<Vec<&str>> = table.rows.iter().map(|row| strings(&row.cells)).collect();
    let first_value = *reading.shape.values.first()?;
    let met = |cells: &[&str]| cells.iter().take(first_value).filter(|cell| stands_in(&folded, cell)).count();
    let tied: Vec<usize> = if let Some(found) = looked_up {
        found.rows.iter().copied().filter(|at| *at < rows.len()).collect()
    } else {
        let counts: Vec<usize> = rows.iter().map(|cells| met(cells)).collect();
        let best = counts.iter().copied().max().filter(|best| *best > 0 || !reading.labels.is_empty())?;
        let is_said = |at: &usize| reading.labels.iter().all(|label| label.rows.contains(at));
        (0..rows.len()).filter(|at| counts[*at] == best).filter(is_said).collect()
    };
    if !(2..=SMALL_TABLE).contains(&tied.len()) {
        return None;
    }
    let cell = |row: usize, column: usize| rows.get(row).and_then(|cells| cells.get(column)).copied();
    // From the left, those that tell rows apart which no column before them does: what follows is told by them, and further
    // values of the row are no conditions.
    let mut told: Vec<Vec<Option<&str>>> = vec![Vec::new(); tied.len()];
    let kinds = |told: &[Vec<Option<&str>>]| told.iter().collect::<BTreeSet<_>>().len();
    let mut missing: Vec<String> = Vec::new();
    for column in &reading.shape.labels {
        let before = kinds(&told);
        for (cells, row) in told.iter_mut().zip(&tied) {
            cells.push(cell(*row, *column));
        }
        let is_said = reading.labels.iter().any(|label| label.column == *column);
        if kinds(&told) > before && !is_said {
            missing.extend(headers.get(*column).cloned());
        }
    }
    let none = Undecided { missing, rows: tied, columns: None };
    (!none.missing.is_empty()).then_some(none)
}

/// All rows of a small table in the columns of amounts that a question means, where it says no label of any row: who asks how grave it
/// is when a third of the customers of a city are out needs the bounds of every grade, and one row alone would look like the answer.
pub fn to_compare(
    question: &str,
    asks_for_value: bool,
    table: &TableView,
    reading: &TableReading,
) -> Option<Undecided> {
    let rows = table.rows.len();
    if !reading.labels.is_empty() || !reading.rivals.is_empty() || !(2..=SMALL_TABLE).contains(&rows) {
        return None;
    }
    let amounts_of = |column: usize| -> Vec<Quantity> {
        let cells = table.rows.iter().filter_map(|row| row.cells.get(column));
        cells.flat_map(|cell| find_quantities(cell)).map(|(_, amount)| amount).collect()
    };
    let stated: Vec<Quantity> =
        find_quantities(&with_measures(question)).into_iter().map(|(_, amount)| amount).collect();
    let is_like = |one: &Quantity, other: &Quantity| one.unit.dimension() == other.unit.dimension();
    let meant: Vec<usize> = reading
        .columns
        .iter()
        .copied()
        .filter(|column| reading.shape.values.contains(column) || amounts_of(*column).len() >= rows)
        .collect();
    let amounts: Vec<Quantity> = meant.iter().flat_map(|column| amounts_of(*column)).collect();
    let is_sought = stated.iter().any(|one| amounts.iter().any(|other| is_like(one, other)));
    if meant.is_empty() || meant.len() < reading.columns.len() || !(asks_for_value || is_sought) {
        return None;
    }
    let labels = reading.shape.labels.iter().copied();
    let missing = labels.clone().filter_map(|column| table.col_headers.get(column)).cloned().collect();
    let columns = labels.chain(meant).collect();
    Some(Undecided { missing, rows: (0..rows).collect(), columns: Some(columns) })
}

/// Whether a cell's words or number stand in the folded question: a number as a number of its own, a Latin word as a
/// word of its own, Chinese however it is spaced (`第 5 轮`).
pub fn stands_in(question: &str, cell: &str) -> bool {
    let cell = fold(cell);
    let cell = cell.trim();
    if cell.is_empty() {
        return false;
    }
    if cell.contains(is_cjk) {
        let joined = |text: &str| text.replace(' ', "");
        return within(&joined(question), &joined(cell), |c| c.is_ascii_digit() || c == '.');
    }
    within(question, cell, |c| c.is_ascii_alphanumeric() || c == '.')
}

/// Whether a text stands in another so that neither of its ends cuts a run of such characters.
fn within(text: &str, part: &str, runs: impl Fn(char) -> bool) -> bool {
    let cuts =
        |inner: Option<char>, outer: Option<char>| inner.is_some_and(&runs) && outer.is_some_and(&runs);
    text.match_indices(part).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + part.len()..].chars().next();
        !cuts(part.chars().next(), before) && !cuts(part.chars().next_back(), after)
    })
}

/// Says that a quantity lies outside the column of its unit: 表列 2–8 台，9 台不在表中.
fn outside(question: &str, quantity: &Quantity, table: &TableView) -> Option<String> {
    let symbol = quantity.unit.symbol();
    let headers = &table.col_headers;
    // The column is known by its unit: 开机台数, 出力（万千瓦）. The last column is the limit itself.
    let columns = headers.iter().take(headers.len().saturating_sub(1));
    let column = columns.into_iter().position(|header| counts_in(header, symbol))?;
    let cells = table.rows.iter().filter_map(|row| row.cells.get(column));
    let mut values: Vec<f64> = Vec::new();
    for cell in cells.filter(|cell| !cell.trim().is_empty()) {
        // A column of steps (≥3, 200～300) is read by rule, not by its numbers.
        values.push(plain_number(cell)?);
    }
    let (least, most) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    let value = quantity.value.to_f64();
    let name = table.caption.as_deref().unwrap_or_default();
    let message = || answers::outside(answer_language(question), name, least, most, quantity.value, symbol);
    let is_outside = value < least - NOTHING || value > most + NOTHING;
    (values.len() > 1 && is_outside).then(|| message().trim().to_owned())
}

/// Two numbers that differ by less are equal.
const NOTHING: f64 = 1e-9;

/// Whether a column has its values in a unit, as its header says: 出力（万千瓦）, 开机台数. 500kV限额（万千瓦） has none in kV.
fn counts_in(header: &str, symbol: &str) -> bool {
    let (header, symbol) = (fold_tight(header), fold_tight(symbol));
    let unit = header.rsplit_once(['(', '（']).map(|(_, unit)| unit.trim_end_matches([')', '）']));
    unit == Some(symbol.as_str()) || header.ends_with(&format!("{symbol}数"))
}

/// Whether a note forbids something at one of the quantities that the question states, or something that the question speaks of
/// beyond what the caption does.
fn forbids(note: &str, asked: &[Quantity], question: &str, caption: &str) -> bool {
    let folded = fold(note);
    if !FORBIDDING.iter().any(|word| folded.contains(word)) {
        return false;
    }
    if !find_quantities(note).is_empty() {
        return speaks_of(note, asked);
    }
    let is_asked = |word: &String| question.contains(word.as_str()) && !caption.contains(word.as_str());
    content_words(note).iter().any(is_asked)
}

/// Whether a note says something for one of the stated quantities: 少于 2 台 for 1 台.
fn speaks_of(note: &str, asked: &[Quantity]) -> bool {
    let named = find_quantities(note);
    named.iter().any(|(range, _)| asked.iter().any(|asked| covers(note, range.clone(), asked) == Some(true)))
}

/// The number in a cell, which may have a unit or a mark of a note beside it.
fn number(cell: &str) -> Option<f64> {
    let folded = fold(cell);
    let start = folded.find(|c: char| c.is_ascii_digit())?;
    let text: String =
        folded[start..].chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    text.replace(',', "").trim_end_matches('.').parse().ok()
}

/// A cell that is nothing but a number with its unit.
fn plain_number(cell: &str) -> Option<f64> {
    let folded = fold(cell);
    let begins = folded.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let steps = folded.contains(['~', '～', '-', '<', '>', '≥', '≤', '及']);
    if begins && !steps { number(cell) } else { None }
}

#[cfg(test)]
mod tests {
    use regreader_question::{Lexicon, Question};

    use super::*;
    use crate::offline::tests;

    fn table(notes: &[&str]) -> TableView {
        let rows: [&[&str]; 3] = [&["2", "300"], &["5", "400"], &["8", "500"]];
        let mut table = tests::table("表3-3 限额", &["开机台数", "限额（万千瓦）"], &rows, 4);
        let note = |(at, text): (usize, &&str)| tests::note(&format!("注{}", at + 1), text);
        table.notes = notes.iter().enumerate().map(note).collect();
        table
    }

    fn reading(question: &str, table: &TableView) -> TableReading {
        let rows: Vec<Vec<&str>> = table.rows.iter().map(|row| strings(&row.cells)).collect();
        let lexicon = Lexicon::built_in();
        TableReading::of(&Question::read(question, lexicon), lexicon, &strings(&table.col_headers), &rows)
    }

    fn look_at(
        question: &str,
        table: &TableView,
        looked_up: Option<&LookedUp>,
        picked: Option<&PickedLimit>,
        rules: &[Rule],
    ) -> Limits {
        super::look_at(question, table, &reading(question, table).shape, &[], looked_up, picked, rules)
    }

    fn undecided(question: &str, table: &TableView, looked_up: Option<&LookedUp>) -> Option<Undecided> {
        super::undecided(question, table, &reading(question, table), looked_up)
    }

    fn picked(question: &str, table: &TableView, row: usize) -> Option<PickedLimit> {
        let cells = strings(&table.rows[row].cells);
        PickedLimit::of_row(&reading(question, table), &strings(&table.col_headers), &cells, &[])
    }

    fn limit() -> PickedLimit {
        picked("", &table(&[]), 1).unwrap_or_else(|| panic!("a limit"))
    }

    #[test]
    fn a_rule_for_another_column_is_not_calculated() {
        let headers = ["方式", "上限（万千瓦）", "下限（万千瓦）"];
        let rows: [&[&str]; 2] = [&["正常方式", "650", "120"], &["检修方式", "500", "100"]];
        let mut table = tests::table("表4-2 断面限额", &headers, &rows, 4);
        table.notes = vec![tests::note("注1", "低压减载未投入时，上限降低 80 万千瓦。")];
        let calculated = |question: &str| {
            let picked = picked(question, &table, 0);
            let limits = look_at(question, &table, None, picked.as_ref(), &[]);
            limits.calculated.first().map(|one| one.text.clone())
        };
        let text = calculated("正常方式，低压减载未投入，断面上限？").unwrap_or_default();
        assert!(text.contains("650 万千瓦 − 80万千瓦 = 570"), "{text}");
        for question in ["正常方式，低压减载未投入，断面下限？", "正常方式，低压减载未投入，断面限额？"]
        {
            assert_eq!(calculated(question), None, "{question}");
        }
    }

    #[test]
    fn a_note_on_another_row_is_left_out() {
        let headers = ["断面", "全接线", "检修"];
        let rows: [&[&str]; 2] = [&["青雁断面", "2400", "1650"], &["石松断面", "1900", "1250"]];
        let table = tests::table("表3-2 断面限额", &headers, &rows, 4);
        let shape = &reading("", &table).shape;
        let is_left_out = |text: &str, rows: &[usize]| is_for_other_rows(text, &table, shape, rows);
        assert!(is_left_out("青雁断面检修期间，按表列值×0.8控制。", &[1]));
        assert!(!is_left_out("青雁断面检修期间，按表列值×0.8控制。", &[0, 1]));
        assert!(!is_left_out("青雁断面、石松断面按表列值×0.8控制。", &[1]));
        assert!(!is_left_out("除青雁断面外，按表列值×0.8控制。", &[1]));
        assert!(!is_left_out("高温时按表列值×0.8控制。", &[1]));
    }

    #[test]
    fn of_several_rules_that_are_due_none_is_calculated_by_itself() {
        let table =
            table(&["低于 50 米时，限额乘以 0.9；低于 30 米时，限额乘以 0.8。", "降压时，限额乘以 0.8。"]);
        let said = |question: &str| {
            let limits = look_at(question, &table, None, Some(&limit()), &[]);
            (limits.calculated.len(), limits.to_mind.len())
        };
        assert_eq!(said("开机 5 台，40 米，限额？"), (2, 0));
        assert_eq!(said("开机 5 台，20 米，限额？"), (0, 1), "both parts hold");
        assert_eq!(said("开机 5 台，降压，40 米，限额？"), (0, 2), "each is one of two");
    }

    #[test]
    fn the_unit_of_a_header_of_two_levels_ends_with_its_bracket() {
        let headers = ["开机台数", "直流限额（万千瓦） / 策略退出"];
        let table = tests::table("", &headers, &[&["5", "450"], &["6", "460"]], 4);
        assert_eq!(picked("", &table, 0).map(|limit| limit.unit).as_deref(), Some("万千瓦"));
    }

    #[test]
    fn a_count_outside_the_table_is_said() {
        let said = |question: &str| look_at(question, &table(&[]), None, None, &[]).messages;
        assert_eq!(said("开机 9 台时的限额？"), ["表3-3 限额表列 2–8 台，9 台不在表中"]);
        assert!(said("开机 5 台时的限额？").is_empty());
        assert!(said("风电 900 万千瓦时的限额？").is_empty(), "the last column is the limit itself");
    }

    #[test]
    fn what_the_question_does_not_say_is_named_with_the_rows_that_are_left() {
        let rows: [&[&str]; 3] = [&["全压", "3", "300"], &["全压", "5", "400"], &["降压", "3", "200"]];
        let table = tests::table("", &["方式", "开机台数", "限额（万千瓦）"], &rows, 4);
        let left = undecided("全压方式的限额是多少？", &table, None);
        let left = left.map(|left| (left.missing, left.rows));
        assert_eq!(left, Some((vec!["开机台数".to_owned()], vec![0, 1])));
        let rows: [&[&str]; 2] = [&["楼梯", "住宅", "2.0", "0.7"], &["楼梯", "其他", "3.5", "0.4"]];
        let loads = tests::table("", &["部位", "类别", "标准值(kN/m²)", "系数"], &rows, 4);
        let left = undecided("楼梯的荷载是多少？", &loads, None);
        assert_eq!(left.map(|left| left.missing), Some(vec!["类别".to_owned()]), "a value is no condition");
        assert_eq!(
            undecided("全压方式开机 3 台的限额是多少？", &table, None),
            None,
            "it decides for one row"
        );
        assert_eq!(undecided("频率是多少？", &table, None), None, "it states nothing that the table has");
    }

    #[test]
    fn who_names_a_column_and_no_row_is_shown_all_rows_of_it() {
        let headers = ["事故等级", "直辖市", "县级市"];
        let rows: [&[&str]; 3] = [
            &["重大", "减供20%以上50%以下", "—"],
            &["较大", "减供10%以上20%以下", "减供60%以上"],
            &["一般", "减供5%以上10%以下", "减供40%以上60%以下"],
        ];
        let grades = tests::table("", &headers, &rows, 4);
        let compared = |question: &str, asks: bool| {
            let left = to_compare(question, asks, &grades, &reading(question, &grades))?;
            Some((left.rows.len(), left.columns?))
        };
        assert_eq!(compared("直辖市掉了35%的负荷，算哪一级？", false), Some((3, vec![0, 1])));
        assert_eq!(compared("直辖市是多少？", true), Some((3, vec![0, 1])));
        assert_eq!(compared("直辖市由谁负责？", false), None, "it asks for no amount and states none");
        assert_eq!(compared("掉了35%的负荷，算哪一级？", false), None, "it names no column");
        assert_eq!(compared("直辖市的较大事故掉了35%？", false), None, "it names a row");
    }

    #[test]
    fn a_cell_stands_in_a_question_as_a_whole() {
        let stands = |question: &str, cell: &str| stands_in(&fold(question), cell);
        assert!(stands("低频减载第 5 轮的整定频率", "第5轮") && stands("0x0200是哪条消息", "0x0200"));
        assert!(stands("what does Tier 2 mean?", "tier 2"));
        assert!(!stands("开机 15 台", "5") && !stands("for which sites", "or") && !stands("开机 15 台", ""));
    }

    #[test]
    fn a_sign_is_explained_where_it_stands() {
        assert_eq!(sign_explained("“—”表示不允许该方式送电。"), Some("—"));
        assert_eq!(sign_explained("\"/\"表示该站无第三台主变。"), Some("/"));
        assert_eq!(sign_explained("— means not permitted."), Some("—"));
        assert_eq!(sign_explained("“砚苇”断面各栏乘以 0.9。"), None);
        for text in ["降压时乘以 0.9。", "-10℃以下乘以 0.9。", "(1) 仅夏季。", "* 含备用。", ""]
        {
            assert_eq!(sign_explained(text), None, "{text}");
        }
        let cells = ["双极".to_owned(), " — ".to_owned()];
        assert!(has_cell(&cells, "—") && !has_cell(&cells, "/"));
    }

    #[test]
    fn a_note_that_forbids_what_is_asked_comes_first() {
        let table = table(&["开机 1 台时不得送电。", "不含光伏。"]);
        assert_eq!(look_at("开机 1 台时的限额？", &table, None, None, &[]).forbidding.len(), 1);
        assert!(look_at("开机 5 台时的限额？", &table, None, None, &[]).forbidding.is_empty());
    }

    #[test]
    fn a_prescribed_correction_is_calculated_from_its_operands() {
        let table = table(&["环境温度高于 40℃时，每升高 5℃限额降低 4%。", "降压运行时，限额乘以 0.8。"]);
        let said = |question: &str| {
            let limits = look_at(question, &table, None, Some(&limit()), &[]);
            limits.calculated.into_iter().map(|one| one.text).collect::<Vec<_>>()
        };
        let hot = said("环境温度 50℃、开机 5 台时的限额？");
        assert_eq!(hot.len(), 2, "the calculation and its note");
        assert!(hot[0].contains("计算：400 万千瓦 × (1 − (50℃ − 40℃) ÷ 5℃ × 4%) = 368 万千瓦"), "{hot:?}");
        assert!(hot[1].contains("每升高 5℃限额降低 4%"), "{hot:?}");
        let reduced = said("降压、开机 5 台时的限额？");
        assert!(reduced.len() == 2 && reduced[0].contains("× 0.8 = 320 万千瓦"), "{reduced:?}");
        let calculated =
            look_at("环境温度 50℃、开机 5 台时的限额？", &table, None, Some(&limit()), &[]).calculated;
        let operands: Vec<(&str, bool)> =
            calculated[0].operands.iter().map(|one| (one.text.as_str(), one.citation.is_some())).collect();
        assert_eq!(operands, [("注1：环境温度高于 40℃时，每升高 5℃限额降低 4%。", true), ("50℃", false)]);
        assert!(said("开机 5 台、30℃时的限额？").is_empty());
    }
}
