//! The rules by which conditions select rows.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regreader_model::LogicalTable;
use regreader_question::{Condition, Interval, Question, TableReading};
use regreader_text::tokenize::word_starts;
use regreader_text::{find_quantities, fold, fold_tight, words_of};
use serde::{Deserialize, Serialize};

use super::grid::Grid;

/// The words of limit tables.
const WORDS: &str = include_str!("words.txt");
static COUNTS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "headers of counts"));
static LEAST: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "headers of the least number"));
static WITH_LEAST: LazyLock<Vec<&str>> =
    LazyLock::new(|| words_of(WORDS, "titles of tables with least numbers"));
static OUT: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "titles of tables for what is out"));
static STEPS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "headers of steps"));
static FULL: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "full voltage"));
static REDUCED: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "reduced voltage"));

/// A condition that holds, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HowMatched {
    /// The condition.
    pub condition: Condition,
    /// By which rule.
    pub rule: MatchRule,
    /// Column, caption or title that it was matched with.
    pub with: String,
    /// The value that stands there.
    pub value: String,
}

/// How a condition was matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchRule {
    /// The cell says exactly this.
    Exact,
    /// The cell's text holds it.
    Contains,
    /// The row asks for at least so many units, and there are as many or more.
    AtLeast,
    /// The smallest step that is not below the value.
    NextStep,
    /// The value is above all steps, so the largest one counts.
    LargestStep,
    /// The header of the columns asked for says it.
    Header,
    /// Caption or chapter of the table say it.
    Table,
}

impl HowMatched {
    /// Whether the table was read at another number than the one that was stated.
    pub fn is_assumed(&self) -> bool {
        let is_by_rule =
            matches!(self.rule, MatchRule::AtLeast | MatchRule::NextStep | MatchRule::LargestStep);
        is_by_rule && numbers_in(&self.condition.value) != numbers_in(&self.value)
    }
}

/// What the conditions make of a table.
pub(super) struct Outcome {
    /// Grid rows that match.
    pub(super) rows: Vec<u32>,
    /// Columns that answer.
    pub(super) answers: BTreeSet<u32>,
    pub(super) matched: Vec<HowMatched>,
    pub(super) unmet: Vec<Condition>,
    pub(super) assumed_full_voltage: bool,
    /// The question means one value of this table, in the table's own words.
    pub(super) decided: bool,
    /// How many conditions the question states in words that no table is needed for.
    stated: usize,
    /// What the table says of itself and in the rows that match, folded.
    about: String,
    /// It is one for lower voltage, or for a line or busbar out of service, which the question does not ask for.
    unasked: u8,
}

/// What a question leaves open, so that the usual is meant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    /// Nothing is said of the voltage: the full one.
    pub(super) voltage: bool,
    /// Nothing is said of anything out of service: normal operation.
    pub(super) outage: bool,
}

impl Open {
    pub(super) fn of(question: &Question, conditions: &[Condition]) -> Self {
        let is_open = |words: &[&str]| {
            !says(question.folded(), words) && !conditions.iter().any(|one| says(&fold(&one.value), words))
        };
        Self { voltage: is_open(&FULL) && is_open(&REDUCED), outage: is_open(&OUT) }
    }
}

impl Outcome {
    /// The row with the greatest number in the columns that answer.
    pub(super) fn greatest(&self, grid: &Grid<'_>) -> Option<u32> {
        let value = |row: u32| {
            self.answers
                .iter()
                .filter_map(|col| number(grid.get(row, *col)))
                .fold(f64::NEG_INFINITY, f64::max)
        };
        let best = self.rows.iter().map(|row| value(*row)).fold(f64::NEG_INFINITY, f64::max);
        if best == f64::NEG_INFINITY {
            return None;
        }
        self.rows.iter().copied().find(|row| value(*row) >= best)
    }
}

/// Applies all conditions to a table.
pub(super) fn match_table(
    table: &LogicalTable,
    grid: &Grid<'_>,
    conditions: &[Condition],
    said: &TableReading,
    open: Open,
) -> Outcome {
    let place = Place::new(table);
    let mut rows: Vec<u32> = grid.data_rows().collect();
    let mut answers: BTreeSet<u32> = (0..grid.columns()).collect();
    let (mut matched, mut unmet) = (Vec::new(), Vec::new());
    // Steps come last: which one is next depends on the rows that the others leave.
    let mut steps = Vec::new();
    for condition in conditions {
        match place.find(condition, grid, &rows) {
            Found::Rows { how, rows: left, column } => {
                rows = left;
                answers.remove(&column);
                matched.push(how);
            }
            Found::Steps { column } => steps.push((condition, column)),
            Found::Columns { how, columns } => {
                let rest: BTreeSet<u32> = answers.intersection(&columns).copied().collect();
                if rest.is_empty() {
                    unmet.push(condition.clone());
                } else {
                    answers = rest;
                    matched.push(how);
                }
            }
            Found::Table { how } => matched.push(how),
            Found::Nothing => unmet.push(condition.clone()),
        }
    }
    for (condition, column) in steps {
        match place.step(condition, column, grid, &rows) {
            Some((how, left)) => {
                rows = left;
                answers.remove(&column);
                matched.push(how);
            }
            None => unmet.push(condition.clone()),
        }
    }
    let used: BTreeSet<String> = matched.iter().map(|how| how.with.clone()).collect();
    for how in place.by_said(said, &used, grid, &mut rows, &mut answers) {
        matched.push(how);
    }
    unmet.retain(|condition| !said.conditions.contains(condition));
    let mut assumed_full_voltage = false;
    if open.voltage {
        let lower: BTreeSet<u32> =
            answers.iter().copied().filter(|col| says(place.header(*col), &REDUCED)).collect();
        if !lower.is_empty() && lower.len() < answers.len() {
            answers = answers.difference(&lower).copied().collect();
            assumed_full_voltage = true;
        }
        assumed_full_voltage |=
            says(&place.about, &FULL) || answers.iter().any(|col| says(place.header(*col), &FULL));
    }
    drop_labels(&mut answers, grid, &rows);
    let is_lower = open.voltage && says(&place.about, &REDUCED) && !says(&place.about, &FULL);
    let is_outage = open.outage && says(&place.about, &OUT);
    let unasked = u8::from(is_lower) + u8::from(is_outage);
    let about = place.with_rows(grid, &rows);
    Outcome {
        rows,
        answers,
        matched,
        unmet,
        assumed_full_voltage,
        decided: said.decides,
        stated: conditions.len(),
        about,
        unasked,
    }
}

/// How well each of some tables fits a question, in per cent: the share of its conditions that hold there, of the assets that it
/// names, and of its words. A word that few of the tables say tells them apart (哈南站Ⅱ母) and counts more than one that all of
/// them say (限额); what none says tells nothing. So one condition more does not make up for another plant's name.
pub(super) fn fits(outcomes: &[&Outcome], question: &Question) -> Vec<i32> {
    let mut asked: Vec<(String, f32)> = pairs_of_words(&question.text).map(|pair| (pair, 0.0)).collect();
    for (pair, weight) in &mut asked {
        let holding = outcomes.iter().filter(|one| one.about.contains(pair.as_str())).count();
        if holding > 0 {
            *weight = ((outcomes.len() + 1) as f32 / holding as f32).ln();
        }
    }
    let all: f32 = asked.iter().map(|(_, weight)| weight).sum();
    let assets: Vec<String> = question.assets().iter().map(|asset| fold_tight(asset)).collect();
    // Labels of the tables themselves that the question says count as well: a table that has more of them fits better.
    let stated =
        outcomes.iter().map(|one| one.stated.max(one.matched.len())).max().unwrap_or_default().max(1);
    let fit = |one: &&Outcome| {
        let held = one.matched.len() as f32 / stated as f32;
        let there = asked.iter().filter(|(pair, _)| one.about.contains(pair.as_str()));
        let share = there.map(|(_, weight)| weight).sum::<f32>() / all.max(f32::MIN_POSITIVE);
        let named = assets.iter().filter(|asset| one.about.contains(asset.as_str())).count();
        let named = named as f32 / assets.len().max(1) as f32;
        (100.0 * (held + named + share - f32::from(one.unasked))).round() as i32
    };
    outcomes.iter().map(fit).collect()
}

/// The pairs of neighbouring characters within the words of a text: 正常 and 方式 of 正常方式, and not the 常方 between them. A number
/// goes with what is counted or named by it (2母), and digits alone are values.
fn pairs_of_words(text: &str) -> impl Iterator<Item = String> {
    let folded = fold_tight(text);
    let starts: BTreeSet<usize> = word_starts(&folded).into_iter().collect();
    let pairs = bigrams(&folded).into_iter().enumerate();
    let tells = move |(at, pair): &(usize, String)| {
        let digits = pair.chars().map(|c| c.is_ascii_digit()).collect::<Vec<_>>();
        match digits.as_slice() {
            [true, true] => false,
            [true, false] => true,
            _ => !starts.contains(&(at + 1)),
        }
    };
    pairs.filter(tells).map(|(_, pair)| pair)
}

/// Of the columns left, those with numbers answer; all of them when none has any.
fn drop_labels(answers: &mut BTreeSet<u32>, grid: &Grid<'_>, rows: &[u32]) {
    let numeric: BTreeSet<u32> = answers
        .iter()
        .copied()
        .filter(|col| rows.iter().any(|row| number(grid.get(*row, *col)).is_some()))
        .collect();
    if !numeric.is_empty() {
        *answers = numeric;
    }
}

/// Where a condition holds.
enum Found {
    Rows { how: HowMatched, rows: Vec<u32>, column: u32 },
    Steps { column: u32 },
    Columns { how: HowMatched, columns: BTreeSet<u32> },
    Table { how: HowMatched },
    Nothing,
}

/// A table as conditions see it.
struct Place<'a> {
    table: &'a LogicalTable,
    headers: Vec<String>,
    /// Caption and chapter titles, folded.
    about: String,
}

/// A header is a condition's column when it shares at least this much of its name.
const SHARED: f64 = 0.6;

impl<'a> Place<'a> {
    fn new(table: &'a LogicalTable) -> Self {
        let about =
            format!("{}\n{}", table.caption.as_deref().unwrap_or_default(), table.chapter_path.join("\n"));
        Self {
            table,
            headers: table.col_headers.iter().map(|header| fold_tight(header)).collect(),
            about: fold_tight(&about),
        }
    }

    fn header(&self, col: u32) -> &str {
        self.headers.get(col as usize).map_or("", String::as_str)
    }

    fn find(&self, condition: &Condition, grid: &Grid<'_>, rows: &[u32]) -> Found {
        let value = fold_tight(&condition.value);
        let how = |rule, with: &str, value: &str| HowMatched {
            condition: condition.clone(),
            rule,
            with: with.to_owned(),
            value: value.to_owned(),
        };
        if let Some(column) = self.column(&condition.name) {
            let header = self.printed_header(column);
            if let Some((rule, left)) = self.by_cells(condition, column, grid, rows) {
                let shown = left.first().map_or("", |row| grid.get(*row, column));
                return Found::Rows { how: how(rule, &header, shown), rows: left, column };
            }
            if amount(&condition.value, self.header(column)).is_some() && is_step(self.header(column)) {
                return Found::Steps { column };
            }
        }
        let columns: BTreeSet<u32> =
            (0..grid.columns()).filter(|col| self.header(*col).contains(&value)).collect();
        if !columns.is_empty() {
            let with: Vec<String> = columns.iter().map(|col| self.printed_header(*col)).collect();
            return Found::Columns {
                how: how(MatchRule::Header, &with.join("、"), &condition.value),
                columns,
            };
        }
        // A digit of 表3-5 is no value of anything.
        if number(&value).is_none() && self.about.contains(&value) {
            let with = self.table.caption.clone().unwrap_or_else(|| self.table.chapter_path.join(" / "));
            return Found::Table { how: how(MatchRule::Table, &with, &condition.value) };
        }
        // A word that names no column may stand in the cells of one.
        if condition.name.is_empty() || self.column(&condition.name).is_none() {
            for column in 0..grid.columns() {
                let left: Vec<u32> =
                    rows.iter().copied().filter(|row| fold_tight(grid.get(*row, column)) == value).collect();
                if !left.is_empty() && number(&condition.value).is_none() {
                    let header = self.printed_header(column);
                    return Found::Rows {
                        how: how(MatchRule::Exact, &header, &condition.value),
                        rows: left,
                        column,
                    };
                }
            }
        }
        Found::Nothing
    }

    /// The column that a name means: the header that holds it, or shares most of its characters.
    fn column(&self, name: &str) -> Option<u32> {
        let name = fold_tight(name);
        if name.is_empty() {
            return None;
        }
        let pairs = bigrams(&name);
        let mut best: Option<(f64, u32)> = None;
        for (col, header) in self.headers.iter().enumerate() {
            let bare = header.split(['(', '（']).next().unwrap_or(header);
            let score = if bare == name {
                2.0
            } else if bare.contains(&name) {
                1.5
            } else {
                let there = bigrams(bare);
                pairs.iter().filter(|pair| there.contains(*pair)).count() as f64 / pairs.len().max(1) as f64
            };
            if score >= SHARED && best.is_none_or(|(before, _)| score > before) {
                best = Some((score, col as u32));
            }
        }
        best.map(|(_, col)| col)
    }

    /// Rows whose cell in this column fits, and by which rule; none when no row does.
    fn by_cells(
        &self,
        condition: &Condition,
        column: u32,
        grid: &Grid<'_>,
        rows: &[u32],
    ) -> Option<(MatchRule, Vec<u32>)> {
        let header = self.header(column);
        let pick = |fits: &dyn Fn(&str) -> bool| -> Option<Vec<u32>> {
            let left: Vec<u32> = rows.iter().copied().filter(|row| fits(grid.get(*row, column))).collect();
            (!left.is_empty()).then_some(left)
        };
        if let Some(wanted) = amount(&condition.value, header) {
            if is_minimum(header, &self.about) && is_count(header) {
                let reached: Vec<(u32, f64)> = rows
                    .iter()
                    .filter_map(|row| Some((*row, number(grid.get(*row, column))?)))
                    .filter(|(_, least)| *least <= wanted)
                    .collect();
                let most = reached.iter().map(|(_, least)| *least).fold(f64::NEG_INFINITY, f64::max);
                let left: Vec<u32> =
                    reached.iter().filter(|(_, least)| *least >= most).map(|(row, _)| *row).collect();
                return (!left.is_empty()).then_some((MatchRule::AtLeast, left));
            }
            let same = |cell: &str| number(cell).is_some_and(|there| (there - wanted).abs() < 1e-9);
            if let Some(left) = pick(&same) {
                return Some((MatchRule::Exact, left));
            }
            let covers = |cell: &str| Interval::of(cell).is_some_and(|there| there.holds(wanted));
            if let Some(left) = pick(&covers) {
                return Some((MatchRule::Contains, left));
            }
            // 锦屏二级电厂开机6台: a number within words.
            let within = |cell: &str| {
                number(cell).is_none() && numbers_in(cell).iter().any(|n| (n - wanted).abs() < 1e-9)
            };
            return pick(&within).map(|left| (MatchRule::Contains, left));
        }
        let value = fold_tight(&condition.value);
        let same = |cell: &str| fold_tight(cell) == value;
        let holds = |cell: &str| {
            let cell = fold_tight(cell);
            !cell.is_empty() && (cell.contains(&value) || (cell.chars().count() > 1 && value.contains(&cell)))
        };
        pick(&same)
            .map(|left| (MatchRule::Exact, left))
            .or_else(|| pick(&holds).map(|left| (MatchRule::Contains, left)))
    }

    /// What the question says in the table's own words, of columns that no condition was matched with.
    fn by_said(
        &self,
        said: &TableReading,
        used: &BTreeSet<String>,
        grid: &Grid<'_>,
        rows: &mut Vec<u32>,
        answers: &mut BTreeSet<u32>,
    ) -> Vec<HowMatched> {
        let mut found = Vec::new();
        // Words of a table may stand in any question. They look up a row beside a known condition, or when they mean one value.
        if said.shape.values.is_empty() || used.is_empty() && !said.decides {
            return found;
        }
        let mut add = |with: String, value: String, rule| {
            found.push(HowMatched { condition: Condition::new(&with, &value), rule, with, value });
        };
        let first = grid.data_rows().start;
        for label in &said.labels {
            let column = label.column as u32;
            let header = self.printed_header(column);
            let left: Vec<u32> =
                rows.iter().copied().filter(|row| label.rows.contains(&((row - first) as usize))).collect();
            if used.contains(&header) || left.is_empty() {
                continue;
            }
            *rows = left;
            answers.remove(&column);
            add(header, label.label.clone(), MatchRule::Exact);
        }
        let columns: BTreeSet<u32> = said.columns.iter().map(|column| *column as u32).collect();
        let rest: BTreeSet<u32> = answers.intersection(&columns).copied().collect();
        if !rest.is_empty() && rest.len() < answers.len() {
            let with: Vec<String> = rest.iter().map(|column| self.printed_header(*column)).collect();
            *answers = rest;
            if !used.contains(&with.join("、")) {
                add(with.join("、"), with.join("、"), MatchRule::Header);
            }
        }
        found
    }

    /// The smallest step not below the value, or the largest of all.
    fn step(
        &self,
        condition: &Condition,
        column: u32,
        grid: &Grid<'_>,
        rows: &[u32],
    ) -> Option<(HowMatched, Vec<u32>)> {
        let wanted = amount(&condition.value, self.header(column))?;
        let steps: Vec<f64> = rows.iter().filter_map(|row| number(grid.get(*row, column))).collect();
        let next = steps.iter().copied().filter(|step| *step >= wanted).fold(f64::INFINITY, f64::min);
        let largest = steps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (rule, step) = match (next.is_finite(), largest.is_finite()) {
            (true, _) => (MatchRule::NextStep, next),
            (false, true) => (MatchRule::LargestStep, largest),
            (false, false) => return None,
        };
        let left: Vec<u32> = rows
            .iter()
            .copied()
            .filter(|row| number(grid.get(*row, column)).is_some_and(|there| (there - step).abs() < 1e-9))
            .collect();
        let value = left.first().map_or("", |row| grid.get(*row, column)).to_owned();
        Some((
            HowMatched { condition: condition.clone(), rule, with: self.printed_header(column), value },
            left,
        ))
    }

    fn printed_header(&self, col: u32) -> String {
        self.table.col_headers.get(col as usize).cloned().unwrap_or_default()
    }

    /// Caption, chapters, headers and the cells of these rows, folded.
    fn with_rows(&self, grid: &Grid<'_>, rows: &[u32]) -> String {
        let cells =
            rows.iter().flat_map(|row| (0..grid.columns()).map(|col| fold_tight(grid.get(*row, col))));
        let parts = [self.about.clone()].into_iter().chain(self.headers.iter().cloned()).chain(cells);
        parts.collect::<Vec<_>>().join("\n")
    }
}

fn says(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

fn is_count(header: &str) -> bool {
    says(header, &COUNTS)
}

/// In N-1 tables a number of units is the least that must run.
fn is_minimum(header: &str, about: &str) -> bool {
    says(header, &LEAST) || says(about, &WITH_LEAST)
}

/// Columns of output, which come in steps.
fn is_step(header: &str) -> bool {
    says(header, &STEPS)
}

/// A value as a number in the unit of a column's header.
fn amount(value: &str, header: &str) -> Option<f64> {
    let plain = number(value);
    let Some((_, given)) = find_quantities(value).into_iter().next() else { return plain };
    let unit = header.split(['(', '（']).nth(1).map(|rest| rest.trim_end_matches([')', '）']));
    let column = unit.and_then(|unit| find_quantities(&format!("1{unit}")).into_iter().next());
    match column {
        Some((_, column))
            if column.unit.dimension() == given.unit.dimension() && column.magnitude() > 0.0 =>
        {
            Some(given.magnitude() / column.magnitude())
        }
        _ => Some(given.value.to_f64()),
    }
}

/// A text that is a number, with or without a unit behind it.
fn number(text: &str) -> Option<f64> {
    let folded = fold(text.trim());
    let end =
        folded.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | ','))).unwrap_or(folded.len());
    let rest = folded.get(end..)?.trim();
    let unit_only = rest.is_empty()
        || find_quantities(&folded).first().is_some_and(|(range, _)| range.start == 0)
        || rest == "台";
    let digits = folded.get(..end)?.replace(',', "");
    if unit_only { digits.parse().ok().filter(|value: &f64| value.is_finite()) } else { None }
}

fn numbers_in(text: &str) -> Vec<f64> {
    let folded = fold(text);
    folded.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|run| run.parse().ok()).collect()
}

fn bigrams(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() == 1 {
        return vec![text.to_owned()];
    }
    chars.windows(2).map(|pair| pair.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_in_the_columns_unit() {
        assert_eq!(amount("2000MW", "风电出力(万千瓦)"), Some(200.0));
        assert_eq!(amount("200 万千瓦", "风电出力（万千瓦）"), Some(200.0));
        assert_eq!(amount("200", "风电出力（万千瓦）"), Some(200.0));
        assert_eq!(amount("3 台", "开机台数"), Some(3.0));
        assert_eq!(amount("投入", "策略"), None);
    }

    #[test]
    fn what_tells_tables_apart_are_words_and_numbered_names() {
        let pairs: Vec<String> = pairs_of_words("哈南Ⅱ母停运 400").collect();
        assert!(pairs.contains(&"2母".to_owned()) && pairs.contains(&"停运".to_owned()), "{pairs:?}");
        assert!(!pairs.contains(&"40".to_owned()) && !pairs.contains(&"母停".to_owned()), "{pairs:?}");
    }

    #[test]
    fn numbers_are_whole_texts() {
        assert_eq!(number("１２０"), Some(120.0));
        assert_eq!(number("1,200"), Some(1200.0));
        assert_eq!(number("3台"), Some(3.0));
        assert_eq!(number("投入"), None);
        assert_eq!(number(""), None);
        assert_eq!(number("锦屏6台"), None);
    }
}
