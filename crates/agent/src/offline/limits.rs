//! Limit tables: what a dispatcher must hear besides the row.
//!
//! A condition that the table does not have is said instead of being answered with another row; a column that decides
//! and of which the question says nothing is named; notes that forbid come first; a correction that a note prescribes is
//! calculated from cited operands and marked as calculated. Everything is read off the table and its notes: no name of
//! an asset and no limit is known here.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regreader_messages::answers;
use regreader_model::Citation;
use regreader_text::script::is_cjk;
use regreader_text::{Quantity, find_quantities, fold, words_of};
use regreader_tools::TableView;

use super::evidence::{note_statement, strings};
use crate::answer::answer_language;
use crate::{Operand, Statement};

/// Words by which a note forbids.
static FORBIDDING: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that forbid"));
/// Words by which a note lowers a limit.
static LOWERING: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that lower"));

/// What a table says besides its rows.
#[derive(Debug, Default)]
pub struct Limits {
    /// What to say first: a condition outside the table.
    pub messages: Vec<String>,
    /// Notes that forbid what is asked.
    pub forbidding: Vec<Statement>,
    /// Corrections that notes prescribe, calculated.
    pub calculated: Vec<Statement>,
}

/// Looks at a table for a question. `value` is the limit in the row that was picked, with where it stands.
pub fn look_at(question: &str, table: &TableView, picked: Option<&PickedLimit>) -> Limits {
    let asked: Vec<Quantity> = find_quantities(question).into_iter().map(|(_, quantity)| quantity).collect();
    let mut limits = Limits::default();
    for quantity in &asked {
        limits.messages.extend(outside(question, quantity, table));
    }
    for note in &table.notes {
        let text = note.content.as_str();
        if forbids(text, &asked) {
            limits.forbidding.push(note_statement(note));
        } else if let Some(limit) = picked
            && let Some(correction) = Correction::read(text)
            && let Some(calculated) = correction.apply(question, &asked, limit)
        {
            let note = note_statement(note);
            limits.calculated.push(calculated.cited(question, limit, &note));
            limits.calculated.push(note);
        }
    }
    limits
}

/// The limit in the row that was picked.
#[derive(Debug, Clone, PartialEq)]
pub struct PickedLimit {
    /// Its number.
    pub value: f64,
    /// As printed, with the unit of its column.
    pub unit: String,
    /// The row that states it, and where it stands.
    pub row: Option<Operand>,
}

impl PickedLimit {
    /// The last number of a row, under a header that names its unit: limit tables have the limit in the last column.
    pub fn of_row(headers: &[&str], cells: &[&str]) -> Option<Self> {
        let (header, cell) = headers.iter().zip(cells).next_back()?;
        let value = number(cell)?;
        let unit = header
            .rsplit_once(['(', '（'])
            .map(|(_, unit)| unit.split([')', '）']).next().unwrap_or_default().trim().to_owned());
        Some(Self { value, unit: unit.unwrap_or_default(), row: None })
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
}

/// More rows than this are no small table.
const SMALL_TABLE: usize = 8;

/// The rows of a limit table that all meet what the question states; none when it decides for one row, when it states
/// nothing that the table has, or when the table is none of limits (its last column is not one of numbers).
pub fn undecided(question: &str, table: &TableView) -> Option<Undecided> {
    let folded = fold(question);
    let headers = &table.col_headers;
    let rows: Vec<Vec<&str>> = table.rows.iter().map(|row| strings(&row.cells)).collect();
    let last = headers.len().checked_sub(1)?;
    if !rows.iter().all(|cells| cells.get(last).is_some_and(|cell| number(cell).is_some())) {
        return None;
    }
    let met = |cells: &[&str]| cells.iter().take(last).filter(|cell| stands_in(&folded, cell)).count();
    let counts: Vec<usize> = rows.iter().map(|cells| met(cells)).collect();
    let best = counts.iter().copied().max().filter(|best| *best > 0)?;
    let tied: Vec<usize> = (0..rows.len()).filter(|at| counts[*at] == best).collect();
    if !(2..=SMALL_TABLE).contains(&tied.len()) {
        return None;
    }
    let cell = |row: usize, column: usize| rows.get(row).and_then(|cells| cells.get(column)).copied();
    // From the left, those that tell rows apart which no column before them does: what follows is told by them, and further
    // values of the row are no conditions.
    let mut told: Vec<Vec<Option<&str>>> = vec![Vec::new(); tied.len()];
    let kinds = |told: &[Vec<Option<&str>>]| told.iter().collect::<BTreeSet<_>>().len();
    let mut missing: Vec<String> = Vec::new();
    for column in 0..last {
        let before = kinds(&told);
        for (cells, row) in told.iter_mut().zip(&tied) {
            cells.push(cell(*row, column));
        }
        if kinds(&told) > before {
            missing.extend(headers.get(column).cloned());
        }
    }
    (!missing.is_empty()).then_some(Undecided { missing, rows: tied })
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
    let column = columns.into_iter().position(|header| fold(header).contains(&fold(symbol)))?;
    let cells = table.rows.iter().filter_map(|row| row.cells.get(column));
    let mut values: Vec<f64> = Vec::new();
    for cell in cells.filter(|cell| !cell.trim().is_empty()) {
        // A column of steps (≥3, 200～300) is read by rule, not by its numbers.
        values.push(plain_number(cell)?);
    }
    let (least, most) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    let value = quantity.value.to_f64();
    let name = table.caption.as_deref().unwrap_or_default();
    let message = || answers::outside(answer_language(question), name, least, most, value, symbol);
    (values.len() > 1 && (value < least || value > most)).then(|| message().trim().to_owned())
}

/// Whether a note forbids something at one of the quantities that the question states, or at all.
fn forbids(note: &str, asked: &[Quantity]) -> bool {
    let folded = fold(note);
    if !FORBIDDING.iter().any(|word| folded.contains(word)) {
        return false;
    }
    let named: Vec<Quantity> = find_quantities(note).into_iter().map(|(_, quantity)| quantity).collect();
    named.is_empty() || named.iter().any(|one| asked.iter().any(|asked| asked.same_amount(one)))
}

/// A correction that a note prescribes.
#[derive(Debug, Clone, PartialEq)]
enum Correction {
    /// From a quantity on, for each step above it, so many per cent less (negative) or more.
    Step { from: Quantity, step: Quantity, percent: f64 },
    /// Under a condition, times a factor.
    Factor { condition: String, factor: f64 },
}

impl Correction {
    /// `环境温度高于40℃时，每升高5℃限额降低4%`, `降压运行时限额乘以0.8`.
    fn read(note: &str) -> Option<Self> {
        let folded = fold(note);
        let quantities = find_quantities(note);
        let each =
            ["每", "for each", "for every", "per"].iter().find_map(|word| note.to_lowercase().find(word));
        if let Some(each) = each {
            let share = quantities.iter().find(|(_, one)| one.unit.symbol() == "%")?.1;
            let step = quantities.iter().find(|(range, one)| range.start > each && one.unit != share.unit)?.1;
            let from = quantities
                .iter()
                .find(|(range, one)| range.start < each && one.unit.dimension() == step.unit.dimension())?
                .1;
            let sign = if LOWERING.iter().any(|word| folded.contains(word)) { -1.0 } else { 1.0 };
            return Some(Self::Step { from, step, percent: sign * share.value.to_f64() });
        }
        let at =
            ["乘以", "×", "x0.", "倍", "multiplied by"].iter().find_map(|word| folded.find(&fold(word)))?;
        let factor = factor_near(&folded, at)?;
        let condition = folded.split(['时', ',', '，']).next()?.trim().to_owned();
        (factor > 0.0 && factor < 10.0 && condition.chars().count() >= 2)
            .then_some(Self::Factor { condition, factor })
    }

    /// The calculation; none when the question does not meet the condition.
    fn apply(&self, question: &str, asked: &[Quantity], limit: &PickedLimit) -> Option<Calculated> {
        let (factor, value, given) = match self {
            Self::Step { from, step, percent } => {
                let given = asked.iter().find(|one| one.unit.dimension() == from.unit.dimension())?;
                let steps = (given.magnitude() - from.magnitude()) / step.magnitude();
                if steps <= 0.0 {
                    return None;
                }
                let sign = if *percent < 0.0 { '−' } else { '+' };
                let formula = format!("(1 {sign} ({given} − {from}) ÷ {step} × {}%)", percent.abs());
                (formula, 1.0 + percent * steps / 100.0, Some(given.to_string()))
            }
            Self::Factor { condition, factor } => {
                let folded = fold(question);
                let core: String = condition.chars().filter(|c| c.is_alphanumeric()).take(2).collect();
                if !folded.contains(&core) {
                    return None;
                }
                (factor.to_string(), *factor, None)
            }
        };
        let (result, unit) = (round(limit.value * value), &limit.unit);
        let expression = format!("{} {unit} × {factor} = {result} {unit}", round(limit.value));
        Some(Calculated { expression, given })
    }
}

/// A value that a note prescribes to be calculated.
struct Calculated {
    expression: String,
    /// The value that the question states.
    given: Option<String>,
}

impl Calculated {
    /// The statement, with every operand and where it stands: the row, the note, the question.
    fn cited(self, question: &str, limit: &PickedLimit, note: &Statement) -> Statement {
        let text = answers::calculated(answer_language(question), &self.expression);
        let mut statement = Statement::new(text, note.citation.clone());
        statement.operands.extend(limit.row.clone());
        statement.operands.push(Operand { text: note.text.clone(), citation: Some(note.citation.clone()) });
        statement.operands.extend(self.given.map(|text| Operand { text, citation: None }));
        statement
    }
}

/// The number next to a place, behind it or before it.
fn factor_near(folded: &str, at: usize) -> Option<f64> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let behind = folded[at..].trim_start_matches(|c: char| !c.is_ascii_digit());
    let behind: String = behind.chars().take_while(|c| is_number(*c)).collect();
    let before: String = folded[..at].chars().rev().take_while(|c| is_number(*c)).collect();
    let before: String = before.chars().rev().collect();
    before.parse().ok().or_else(|| behind.parse().ok())
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

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::tests;

    fn table(notes: &[&str]) -> TableView {
        let rows: [&[&str]; 3] = [&["2", "300"], &["5", "400"], &["8", "500"]];
        let mut table = tests::table("表3-3 限额", &["开机台数", "限额（万千瓦）"], &rows, 4);
        let note = |(at, text): (usize, &&str)| tests::note(&format!("注{}", at + 1), text);
        table.notes = notes.iter().enumerate().map(note).collect();
        table
    }

    fn limit() -> PickedLimit {
        PickedLimit::of_row(&["开机台数", "限额（万千瓦）"], &["5", "400"])
            .unwrap_or_else(|| panic!("a limit"))
    }

    #[test]
    fn the_unit_of_a_header_of_two_levels_ends_with_its_bracket() {
        let picked = PickedLimit::of_row(&["开机台数", "直流限额（万千瓦） / 策略退出"], &["5", "450"]);
        assert_eq!(picked.map(|limit| limit.unit).as_deref(), Some("万千瓦"));
    }

    #[test]
    fn a_count_outside_the_table_is_said() {
        let said = |question: &str| look_at(question, &table(&[]), None).messages;
        assert_eq!(said("开机 9 台时的限额？"), ["表3-3 限额表列 2–8 台，9 台不在表中"]);
        assert!(said("开机 5 台时的限额？").is_empty());
        assert!(said("风电 900 万千瓦时的限额？").is_empty(), "the last column is the limit itself");
    }

    #[test]
    fn what_the_question_does_not_say_is_named_with_the_rows_that_are_left() {
        let rows: [&[&str]; 3] = [&["全压", "3", "300"], &["全压", "5", "400"], &["降压", "3", "200"]];
        let table = tests::table("", &["方式", "开机台数", "限额（万千瓦）"], &rows, 4);
        let left = undecided("全压方式的限额是多少？", &table);
        assert_eq!(left, Some(Undecided { missing: vec!["开机台数".to_owned()], rows: vec![0, 1] }));
        let rows: [&[&str]; 2] = [&["楼梯", "住宅", "2.0", "0.7"], &["楼梯", "其他", "3.5", "0.4"]];
        let loads = tests::table("", &["部位", "类别", "标准值(kN/m²)", "系数"], &rows, 4);
        let left = undecided("楼梯的荷载是多少？", &loads);
        assert_eq!(left.map(|left| left.missing), Some(vec!["类别".to_owned()]), "a value is no condition");
        assert_eq!(undecided("全压方式开机 3 台的限额是多少？", &table), None, "it decides for one row");
        assert_eq!(undecided("频率是多少？", &table), None, "it states nothing that the table has");
    }

    #[test]
    fn a_cell_stands_in_a_question_as_a_whole() {
        let stands = |question: &str, cell: &str| stands_in(&fold(question), cell);
        assert!(stands("低频减载第 5 轮的整定频率", "第5轮") && stands("0x0200是哪条消息", "0x0200"));
        assert!(stands("what does Tier 2 mean?", "tier 2"));
        assert!(!stands("开机 15 台", "5") && !stands("for which sites", "or") && !stands("开机 15 台", ""));
    }

    #[test]
    fn a_note_that_forbids_what_is_asked_comes_first() {
        let table = table(&["开机 1 台时不得送电。", "不含光伏。"]);
        assert_eq!(look_at("开机 1 台时的限额？", &table, None).forbidding.len(), 1);
        assert!(look_at("开机 5 台时的限额？", &table, None).forbidding.is_empty());
    }

    #[test]
    fn a_prescribed_correction_is_calculated_from_its_operands() {
        let table = table(&["环境温度高于 40℃时，每升高 5℃限额降低 4%。", "降压运行时，限额乘以 0.8。"]);
        let said = |question: &str| {
            let limits = look_at(question, &table, Some(&limit()));
            limits.calculated.into_iter().map(|one| one.text).collect::<Vec<_>>()
        };
        let hot = said("环境温度 50℃、开机 5 台时的限额？");
        assert_eq!(hot.len(), 2, "the calculation and its note");
        assert!(hot[0].contains("计算：400 万千瓦 × (1 − (50℃ − 40℃) ÷ 5℃ × 4%) = 368 万千瓦"), "{hot:?}");
        assert!(hot[1].contains("每升高 5℃限额降低 4%"), "{hot:?}");
        let reduced = said("降压、开机 5 台时的限额？");
        assert!(reduced.len() == 2 && reduced[0].contains("× 0.8 = 320 万千瓦"), "{reduced:?}");
        let calculated = look_at("环境温度 50℃、开机 5 台时的限额？", &table, Some(&limit())).calculated;
        let operands: Vec<(&str, bool)> =
            calculated[0].operands.iter().map(|one| (one.text.as_str(), one.citation.is_some())).collect();
        assert_eq!(operands, [("注1：环境温度高于 40℃时，每升高 5℃限额降低 4%。", true), ("50℃", false)]);
        assert!(said("开机 5 台、30℃时的限额？").is_empty());
    }
}
