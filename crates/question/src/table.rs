//! What a question says in the words of a table: which rows its labels name, and which columns its heads do.
//!
//! The words of a lexicon cannot know every table. The table itself does: its labels (夏季, 401 only, 5～6) are the conditions that it
//! has, and a question that states one of them states a condition, in whatever language. [`Shape`] tells labels from values,
//! [`TableReading`] tells which of the labels a question says.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regreader_model::ReferenceKind;
use regreader_text::number::{is_cjk_numeral, parse_cjk};
use regreader_text::script::is_cjk;
use regreader_text::tokenize::{base_form, word_starts};
use regreader_text::{Quantity, find_quantities, find_references, fold, fold_tight, is_stop_word, words_of};

use crate::WORDS;
use crate::condition;
use crate::lexicon::Lexicon;
use crate::{Condition, Question, with_measures};

mod interval;
mod meant;
mod numbers;
mod units;

pub use interval::Interval;
use numbers::{NUMBERED, plain_numbers, quantities_there};
pub(crate) use numbers::{digits_for_words, said_number};
use units::{begins_with_number, is_of_kind, unit_of, without_unit};

/// Longer cells are no labels but texts.
const LONGEST_LABEL: usize = 40;
/// Digits with which a number is a name (Line 401) that needs no word beside it.
const DIGITS_OF_NAME: usize = 3;
/// Function words that tell labels apart.
static QUANTIFIERS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "quantifiers"));
/// Those of them with which a head is for what is complete.
static WHOLE: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "whole"));
/// Marks between the levels of a head: 夏季·4台, `Summer, eastward`, and a head of two rows.
const LEVELS: [&str; 6] = [" / ", "·", "・", "•", "，", ", "];
/// Words between a word of loss and the number of what is lost.
const LOST_WITHIN: usize = 2;
/// Groups of words of the lexicon that are names of one thing.
const ALIKE: &str = "alike";
/// Letters of a Latin word that may stand for a longer one: auto for automatic.
const SHORTENED: usize = 4;

/// Which columns of a table say what a row is for, and which say what holds there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// The columns from the left that are needed to tell the rows apart.
    pub labels: Vec<usize>,
    /// The columns of numbers behind them.
    pub values: Vec<usize>,
}

impl Shape {
    /// Looks at the data rows of a table.
    pub fn of(headers: &[&str], rows: &[Vec<&str>]) -> Self {
        let columns = headers.len();
        let cell = |row: &Vec<&str>, column: usize| row.get(column).map_or("", |cell| cell.trim()).to_owned();
        let is_filled = |row: &&Vec<&str>| row.iter().any(|cell| !cell.trim().is_empty());
        let rows: Vec<&Vec<&str>> = rows.iter().filter(is_filled).collect();
        let is_numeric = |column: usize| {
            let cells = rows.iter().map(|row| cell(row, column)).filter(|cell| !cell.is_empty());
            let all: Vec<bool> = cells.map(|cell| begins_with_number(&cell)).collect();
            all.iter().filter(|is| **is).count() * 2 > all.len()
        };
        // A column that only counts the rows labels nothing, where a label in words stands behind it.
        let counts_rows = columns > 2
            && !is_numeric(1)
            && rows.iter().enumerate().all(|(at, row)| cell(row, 0) == (at + 1).to_string());
        let first = usize::from(counts_rows);
        let tells_apart = |until: usize| {
            let mut seen = BTreeSet::new();
            rows.iter()
                .all(|row| seen.insert((first..until).map(|column| cell(row, column)).collect::<Vec<_>>()))
        };
        // Where even all columns leave two rows alike, the numbers at the end are the values.
        let trailing = (first..columns).rev().take_while(|column| is_numeric(*column)).count();
        let until = (first + 1..columns).find(|until| tells_apart(*until));
        let until = until.unwrap_or_else(|| (columns - trailing.min(columns)).max(first + 1)).min(columns);
        let values = (until..columns).filter(|column| is_numeric(*column)).collect();
        Self { labels: (first..until).collect(), values }
    }
}

/// A condition that a question states in the words of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidLabel {
    /// The column of the label.
    pub column: usize,
    /// The label, or the labels where a number lies in several intervals.
    pub label: String,
    /// The rows that have it.
    pub rows: Vec<usize>,
    /// The question says all of it, and not a part that may be meant in another way.
    pub whole: bool,
}

/// What a question says of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableReading {
    /// Which columns are labels.
    pub shape: Shape,
    /// The labels that it says, one for a column at most.
    pub labels: Vec<SaidLabel>,
    /// The columns behind the labels that it means; empty when it says nothing that tells them apart.
    pub columns: Vec<usize>,
    /// The columns behind the labels whose heads it says wholly: 整定频率和示西的切负荷比例 asks for two.
    pub named: Vec<usize>,
    /// Conditions that these labels state in words of the lexicon: 全接线 is the normal operation.
    pub conditions: Vec<Condition>,
    /// Labels of one column that it says beside each other, 甲线 and 3号主变: no row is for all of them.
    pub rivals: Vec<String>,
    /// The question says a label for every label column, and with several of them or by naming some of several columns of values it
    /// means few values, which are of the kind that it asks for. So the table is meant, whatever words the lexicon knows.
    pub decides: bool,
}

impl TableReading {
    /// Reads what a question says of a table with these data rows.
    pub fn of(question: &Question, lexicon: &Lexicon, headers: &[&str], rows: &[Vec<&str>]) -> Self {
        let shape = Shape::of(headers, rows);
        let mut said = Said::of(question, lexicon);
        let mut labels: Vec<SaidLabel> = Vec::new();
        let mut rivals: Vec<String> = Vec::new();
        for column in &shape.labels {
            let header = headers.get(*column).copied().unwrap_or_default();
            let cells: Vec<&str> =
                rows.iter().map(|row| row.get(*column).map_or("", |cell| cell.trim())).collect();
            let mut kinds: Vec<&str> = Vec::new();
            for cell in cells.iter().filter(|cell| !cell.is_empty()) {
                if !kinds.contains(cell) {
                    kinds.push(cell);
                }
            }
            let others = headers.iter().enumerate().filter(|(other, _)| other != column);
            said.beside = others.map(|(_, head)| (*head).to_owned()).collect();
            let named = said.label_of(header, &kinds);
            if named.is_empty() && rivals.is_empty() {
                rivals = said.rivals_of(&kinds);
            }
            if !named.is_empty() {
                let rows = (0..cells.len()).filter(|row| named.contains(&cells[*row])).collect();
                let whole = named.iter().all(|label| said.says_all_of(label));
                labels.push(SaidLabel { column: *column, label: named.join("、"), rows, whole });
            }
        }
        said.beside.clear();
        let behind: Vec<usize> = (0..headers.len()).filter(|column| !shape.labels.contains(column)).collect();
        let heads: Vec<&str> = behind.iter().map(|column| headers[*column]).collect();
        let taken: Vec<&str> = labels.iter().map(|one| one.label.as_str()).collect();
        // What names a column of labels (Vn) names no other column (Vm/Vn).
        let named = labels.iter().filter_map(|one| headers.get(one.column)).copied();
        let named: Vec<&str> = taken.iter().copied().chain(named).collect();
        let scale = shape.labels.last().and_then(|column| headers.get(*column)).copied().unwrap_or_default();
        let meant = said.marks(&heads, scale).unwrap_or_else(|| said.heads(&heads, &named));
        let columns: Vec<usize> = meant.into_iter().map(|at| behind[at]).collect();
        let is_said = |column: &&usize| {
            let head = headers[**column];
            // One of several levels stands over other columns too.
            !head.contains(LEVELS[0])
                && head.contains(char::is_alphabetic)
                && said.says_all_of(without_unit(head))
        };
        let said_heads: Vec<usize> = behind.iter().filter(is_said).copied().collect();
        let named = columns.iter().filter_map(|column| headers.get(*column)).copied();
        let stated = taken.iter().copied().chain(named);
        let conditions = stated.flat_map(|label| condition::states(&fold(label), lexicon));
        let conditions = conditions.map(|(_, condition)| condition).collect();
        let mut reading =
            Self { shape, labels, columns, named: said_heads, conditions, rivals, decides: false };
        reading.decides = reading.means_few_values(rows.len()) && {
            let is_meant = |row: &usize| reading.labels.iter().all(|label| label.rows.contains(row));
            let column = reading.value_column().or(reading.columns.first().copied()).unwrap_or_default();
            let header = headers.get(column).copied().unwrap_or_default();
            let mut cells = (0..rows.len()).filter(is_meant).filter_map(|row| rows[row].get(column));
            cells.any(|cell| is_of_kind(question, header, cell))
        };
        reading
    }

    /// Whether labels and heads that are said leave one value or some of a row, and more than one of them is said. A table of one row
    /// needs no label.
    fn means_few_values(&self, rows: usize) -> bool {
        let all_said =
            self.labels.len() == self.shape.labels.len() && self.labels.iter().all(|label| label.whole);
        let several = self.labels.len() > 1 || self.shape.values.len() > 1;
        let is_narrowed = self.value_column().is_some() || !self.columns.is_empty();
        (all_said || rows == 1) && several && is_narrowed
    }

    /// Whether it says which one value of a row it means: the one of a table that has one, or that of the one column it names.
    pub fn value_column(&self) -> Option<usize> {
        let named: Vec<usize> =
            self.shape.values.iter().copied().filter(|column| self.columns.contains(column)).collect();
        match (self.shape.values.as_slice(), self.columns.as_slice(), named.as_slice()) {
            ([only], _, _) => Some(*only),
            (_, [_], [named]) => Some(*named),
            _ => None,
        }
    }
}

/// The words of a question, to look for labels in.
struct Said<'l> {
    /// Folded, without blanks where it is Chinese.
    text: String,
    /// Base forms of its Latin words and its bare numbers, in their order.
    latin: Vec<String>,
    quantities: Vec<Quantity>,
    /// Terms for which it has everyday words.
    formal: Vec<String>,
    /// Headers of the other columns: a number is meant for the one whose words stand before it.
    beside: Vec<String>,
    lexicon: &'l Lexicon,
}

/// A word of a label.
#[derive(Debug, Clone, PartialEq)]
enum Word {
    /// A word or name.
    Text(String),
    /// A number of a name, with the words beside it: 1 of `Harrow 1`, `One circuit out`.
    Number(String, [Option<String>; 2]),
    /// A number with its unit.
    Amount(Quantity),
}

impl<'l> Said<'l> {
    fn of(question: &Question, lexicon: &'l Lexicon) -> Self {
        let text = question.text.as_str();
        let formal = question.sayings.iter().flat_map(|saying| &saying.formal);
        Self {
            text: tight(text),
            latin: latin_words(text, lexicon),
            quantities: quantities_there(&with_measures(&digits_for_words(&plain_numbers(text))), lexicon),
            formal: formal.map(|term| fold_tight(term)).collect(),
            beside: Vec::new(),
            lexicon,
        }
    }

    /// Which of the different labels of a column is said; several only where a number lies in several intervals.
    fn label_of<'t>(&self, header: &str, labels: &[&'t str]) -> Vec<&'t str> {
        if labels.len() < 2 || labels.iter().any(|label| label.chars().count() > LONGEST_LABEL) {
            return Vec::new();
        }
        // 铁杉2台及以下, 铁杉3台: numbers of one thing.
        let shared = labels.iter().skip(1).fold(labels[0], |shared, label| common_start(shared, label));
        let name = shared.trim_end_matches(|c: char| c.is_ascii_digit());
        if !name.is_empty() {
            let rest: Vec<Option<Interval>> =
                labels.iter().map(|label| Interval::of(&label[name.len()..])).collect();
            if rest.iter().all(Option::is_some) {
                let counted = labels[0].chars().find(|c| is_cjk(*c) && !name.contains(*c));
                let header = format!("{name}{}", counted.map(String::from).unwrap_or_default());
                return self.amount_of(&header, labels, &rest, false);
            }
        }
        let amounts: Vec<Option<Interval>> = labels.iter().map(|label| Interval::of(label)).collect();
        if amounts.iter().all(Option::is_some) {
            let digits = |label: &&str| label.chars().filter(char::is_ascii_digit).count() >= DIGITS_OF_NAME;
            let is_named =
                labels.iter().all(digits) && find_quantities(&format!("1 {}", unit_of(header))).is_empty();
            return self.amount_of(header, labels, &amounts, is_named);
        }
        if !self.rivals_of(labels).is_empty() {
            return Vec::new();
        }
        let words: Vec<Vec<Word>> = labels.iter().map(|label| words_of_label(label, self.lexicon)).collect();
        let best = self.best(labels, &words, Self::unique);
        best.into_iter().map(|at| labels[at]).collect()
    }

    /// The labels of a column of numbers that hold a number of the question. It is meant for this column when its unit is, or when a
    /// word of the header stands beside it; a number of several digits is a name.
    fn amount_of<'t>(
        &self,
        header: &str,
        labels: &[&'t str],
        amounts: &[Option<Interval>],
        is_named: bool,
    ) -> Vec<&'t str> {
        let holds = |value: f64| -> Vec<&'t str> {
            let there = |one: &Option<Interval>| one.is_some_and(|one| one.holds(value));
            labels.iter().zip(amounts).filter(|(_, one)| there(one)).map(|(label, _)| *label).collect()
        };
        let column = find_quantities(&format!("1 {}", unit_of(header))).into_iter().next();
        if let Some((_, unit)) = column {
            let same =
                |one: &&Quantity| one.unit.dimension() == unit.unit.dimension() && unit.magnitude() > 0.0;
            let mut stated = self.quantities.iter().filter(same);
            return match (stated.next(), stated.next()) {
                (Some(one), None) => holds(one.magnitude() / unit.magnitude()),
                _ => Vec::new(),
            };
        }
        let beside = self.numbers_beside(header, is_named);
        match beside.as_slice() {
            [value] => holds(*value),
            _ => Vec::new(),
        }
    }

    /// The numbers of the question beside a word of a header: 4 units under `Units in operation`, 3 台 under 开机台数, 第 2 轮 under 轮次.
    fn numbers_beside(&self, header: &str, is_named: bool) -> Vec<f64> {
        let mut found: Vec<f64> = Vec::new();
        let mut add = |text: &str| {
            if let Ok(value) = text.parse::<f64>()
                && !found.contains(&value)
            {
                found.push(value);
            }
        };
        let words: Vec<String> = latin_words(header, self.lexicon);
        for (at, word) in self.latin.iter().enumerate().filter(|(_, word)| word.parse::<f64>().is_ok()) {
            let before = at.checked_sub(1).and_then(|at| self.latin.get(at));
            let is_beside = |other: Option<&String>| other.is_some_and(|other| words.contains(other));
            let digits = word.chars().filter(char::is_ascii_digit).count();
            let is_amount = self.quantities.iter().any(|one| one.value.to_string() == *word);
            let earlier = self.latin.get(at.saturating_sub(LOST_WITHIN)..at).unwrap_or_default();
            if earlier.iter().any(|word| self.lexicon.words("lost").any(|lost| base_form(lost) == word)) {
                continue;
            }
            if is_beside(before)
                || is_beside(self.latin.get(at + 1))
                || is_named && digits >= DIGITS_OF_NAME && !is_amount
            {
                add(word);
            }
        }
        let header = tight(header);
        if header.contains(is_cjk) && self.may_be_counted(&header) {
            let is_of_number = |c: char| c.is_ascii_digit() || c == '.' || c == '两' || is_cjk_numeral(c);
            let mut rest = self.text.as_str();
            while let Some(start) = rest.find(|c: char| is_of_number(c) && c != '.') {
                let behind = &rest[start..];
                let (number, next) =
                    behind.split_at(behind.find(|c| !is_of_number(c)).unwrap_or(behind.len()));
                let before = &self.text[..self.text.len() - behind.len()];
                let is_lost =
                    condition::is_lost(before, self.lexicon) || condition::is_lost_behind(next, self.lexicon);
                let is_meant =
                    (!is_lost || self.speaks_of_loss(&header)) && !self.is_of_another(before, &header);
                if is_meant && next.chars().next().is_some_and(|c| is_cjk(c) && header.contains(c)) {
                    let written = number.replace('两', "二");
                    match parse_cjk(&written) {
                        Some(value) => add(&value.to_string()),
                        None => add(number.trim_end_matches('.')),
                    }
                }
                rest = next;
            }
        }
        found
    }

    /// Whether a number may be of what a header counts: one with a name (卧牛坪发电台数) is for that alone.
    fn may_be_counted(&self, header: &str) -> bool {
        let words = names_of(header, self.lexicon);
        let is_name = |word: &String| word_starts(word).len() > 1;
        !words.iter().any(is_name) || words.iter().any(|word| self.text.contains(word.as_str()))
    }

    /// Whether a number behind this text is of what another column counts: 铁杉 4 台 is no 调相机台数.
    fn is_of_another(&self, before: &str, header: &str) -> bool {
        let clause = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let own = names_of(header, self.lexicon);
        let says = |words: &[String]| words.iter().any(|word| clause.contains(word.as_str()));
        let others = self.beside.iter().map(|other| {
            let words = names_of(&tight(other), self.lexicon).into_iter();
            words.filter(|word| !own.contains(word)).collect::<Vec<_>>()
        });
        !says(&own) && others.into_iter().any(|other| says(&other))
    }

    /// Whether a header counts what is lost: 退出组数, Units out.
    fn speaks_of_loss(&self, header: &str) -> bool {
        let latin = latin_words(header, self.lexicon);
        let stands = |word: &str| {
            if word.is_ascii() { latin.iter().any(|one| one == word) } else { header.contains(word) }
        };
        self.lexicon.words("lost").any(stands)
    }

    /// The columns of a scale of numbers, 投入组数 | 5 | 4 | 3 or 开机台数 / 5 | 开机台数 / 6, that hold a number of the question; none when
    /// they are no scale.
    fn marks(&self, heads: &[&str], header: &str) -> Option<Vec<usize>> {
        let (names, marks): (Vec<&str>, Vec<&str>) =
            heads.iter().map(|head| head.rsplit_once(" / ").unwrap_or((header, head))).unzip();
        let marks: Vec<Option<Interval>> = marks.into_iter().map(Interval::of).collect();
        let is_one =
            names.windows(2).all(|pair| pair[0] == pair[1]) && !names.iter().all(|name| name.is_empty());
        if heads.len() < 2 || !is_one || marks.iter().any(Option::is_none) {
            return None;
        }
        let on_scale = match self.numbers_beside(names[0], false).as_slice() {
            [value] => {
                (0..heads.len()).filter(|at| marks[*at].is_some_and(|mark| mark.holds(*value))).collect()
            }
            _ => Vec::new(),
        };
        Some(on_scale)
    }

    /// The columns whose heads say what the question does, none when it tells none from the others. What a label of the row says
    /// already (一极全压一极降压) tells no columns apart.
    fn heads(&self, heads: &[&str], labels: &[&str]) -> Vec<usize> {
        if heads.len() < 2 {
            return Vec::new();
        }
        if let Some(meant) = self.levels(heads) {
            return meant;
        }
        let words = heads.iter().map(|head| words_of_label(without_unit(head), self.lexicon));
        let words: Vec<Vec<Word>> = words.collect();
        let taken: String = labels.iter().map(|label| tight(label)).collect();
        let free: Vec<Vec<Word>> = words
            .iter()
            .map(|words| {
                let is_free =
                    |word: &&Word| !matches!(word, Word::Text(text) if taken.contains(text.as_str()));
                words.iter().filter(is_free).cloned().collect()
            })
            .collect();
        let meant = self.best(heads, &free, Self::greatest);
        let is_for_whole = |at: &usize| is_for_whole(heads[*at], self.lexicon);
        if meant.iter().any(is_for_whole) && self.says_that_something_is_out() {
            return (0..heads.len()).filter(|at| !is_for_whole(at)).collect();
        }
        meant
    }

    /// The columns whose heads have levels, 夏季·铁杉3台 and `Winter, westward`, of which each part that is said on some level is theirs.
    /// None when they have no levels or no part of any is said.
    fn levels(&self, heads: &[&str]) -> Option<Vec<usize>> {
        let mark =
            LEVELS.iter().find(|mark| heads.iter().filter(|head| head.contains(**mark)).count() > 1)?;
        let parts: Vec<Vec<&str>> =
            heads.iter().map(|head| head.split(mark).map(str::trim).collect()).collect();
        let levels: Vec<Vec<&str>> = (0..parts.iter().map(Vec::len).max().unwrap_or_default())
            .map(|level| {
                let mut kinds: Vec<&str> = Vec::new();
                for part in parts.iter().filter_map(|parts| parts.get(level)) {
                    if !kinds.contains(part) {
                        kinds.push(part);
                    }
                }
                kinds
            })
            .collect();
        // `Floor area, m²` has a unit behind the comma, and nothing that comes again in another head.
        let is_shared = levels.iter().any(|kinds| kinds.len() > 1 && kinds.len() < heads.len());
        let measures =
            |part: &&str| find_quantities(&format!("1 {part}")).iter().any(|(range, _)| range.start == 0);
        if !is_shared || levels.iter().flatten().any(measures) {
            return None;
        }
        let mut meant: Vec<usize> = (0..heads.len()).collect();
        for (level, kinds) in levels.iter().enumerate() {
            let said = self.label_of("", kinds);
            if !said.is_empty() {
                meant.retain(|at| parts[*at].get(level).is_some_and(|part| said.contains(part)));
            }
        }
        (meant.len() < heads.len()).then_some(meant)
    }

    /// Whether the question says that something is out of service or lost.
    fn says_that_something_is_out(&self) -> bool {
        let words =
            || self.lexicon.words("lost").chain(self.lexicon.words("out")).filter(|word| word.is_ascii());
        self.latin.iter().any(|said| words().any(|word| base_form(word) == said))
    }

    /// The labels that are said. One that stands there as it is printed, or as a word for being in or out of service, comes before those
    /// of which some words do.
    fn best(
        &self,
        labels: &[&str],
        words: &[Vec<Word>],
        choose: fn(&[Vec<usize>], &[usize]) -> Vec<usize>,
    ) -> Vec<usize> {
        let services: Vec<Option<bool>> = labels.iter().map(|label| self.service_said(label)).collect();
        // 退出 may be said of another thing than the one that all of them are about.
        let is_of_service = labels.iter().all(|label| self.service_of(label).is_some());
        if is_of_service || services.iter().any(Option::is_some) {
            let said: Vec<usize> = (0..labels.len()).filter(|at| services[*at] == Some(true)).collect();
            return if said.len() < labels.len() { said } else { Vec::new() };
        }
        let printed: Vec<(usize, String)> = labels.iter().map(|label| tight(label)).enumerate().collect();
        let stands = |text: &str| text.contains(is_cjk) && self.text.contains(text);
        let whole: Vec<usize> = printed.iter().filter(|(_, text)| stands(text)).map(|(at, _)| *at).collect();
        if let [only] = whole.as_slice() {
            return vec![*only];
        }
        let (heard, lengths) = self.heard(words);
        choose(&heard, &lengths)
    }

    /// The words of each label that are said, and how many it has, every different word by its number.
    fn heard(&self, words: &[Vec<Word>]) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut known: Vec<&Word> = Vec::new();
        let mut number = |word| match known.iter().position(|one| *one == word) {
            Some(at) => at,
            None => {
                known.push(word);
                known.len() - 1
            }
        };
        let sets: Vec<Vec<usize>> =
            words.iter().map(|words| words.iter().map(&mut number).collect()).collect();
        let said: Vec<bool> = known.iter().map(|word| self.says(word, &known)).collect();
        let heard: Vec<Vec<usize>> = sets
            .iter()
            .map(|set| {
                set.iter().copied().filter(|word| said[*word]).collect::<BTreeSet<_>>().into_iter().collect()
            })
            .collect();
        let lengths: Vec<usize> = sets.iter().map(|set| set.iter().collect::<BTreeSet<_>>().len()).collect();
        (heard, lengths)
    }

    /// Labels that the question says beside each other, where one of them is said wholly and none has what the others have.
    fn rivals_of(&self, labels: &[&str]) -> Vec<String> {
        if labels.iter().any(|label| label.chars().count() > LONGEST_LABEL || Interval::of(label).is_some()) {
            return Vec::new();
        }
        let words: Vec<Vec<Word>> = labels.iter().map(|label| words_of_label(label, self.lexicon)).collect();
        let (heard, lengths) = self.heard(&words);
        let whole = (0..labels.len()).find(|at| !heard[*at].is_empty() && heard[*at].len() == lengths[*at]);
        let Some(whole) = whole else { return Vec::new() };
        let others = (0..labels.len()).filter(|other| is_rival(&heard, &lengths, whole, *other));
        // What the first one has and an other has too is said of that one.
        let others = others.filter(|other| is_rival(&heard, &lengths, *other, whole));
        let mut rivals: Vec<String> = others.map(|at| labels[at].to_owned()).collect();
        if !rivals.is_empty() {
            rivals.insert(0, labels[whole].to_owned());
        }
        rivals
    }

    /// The one label that is said wholly and has all that any other such one has, or of which more is said than of any other.
    fn unique(heard: &[Vec<usize>], lengths: &[usize]) -> Vec<usize> {
        let has_all = |one: usize, other: usize| heard[other].iter().all(|word| heard[one].contains(word));
        let all: Vec<usize> = (0..heard.len()).filter(|at| !heard[*at].is_empty()).collect();
        let whole: Vec<usize> = all.iter().copied().filter(|at| heard[*at].len() == lengths[*at]).collect();
        let greatest = |among: &[usize]| {
            among.iter().copied().find(|one| {
                among.iter().all(|other| one == other || has_all(*one, *other) && !has_all(*other, *one))
            })
        };
        if !whole.is_empty() {
            return greatest(&whole).into_iter().collect();
        }
        // Half of a label at least: one word of a long one may stand anywhere.
        greatest(&all).filter(|at| heard[*at].len() * 2 >= lengths[*at]).into_iter().collect()
    }

    /// The columns of which most is said, as far as they agree in it: `summer` means both columns for summer.
    fn greatest(heard: &[Vec<usize>], _: &[usize]) -> Vec<usize> {
        let has_all = |one: usize, other: usize| heard[other].iter().all(|word| heard[one].contains(word));
        let is_greatest = |one: &usize| (0..heard.len()).all(|other| has_all(*one, other));
        let found: Vec<usize> = (0..heard.len()).filter(is_greatest).collect();
        if found.len() < heard.len() { found } else { Vec::new() }
    }

    /// Whether the question says that what a label names (安控 of 安控投入) is in or out of service as the label says; none when the label
    /// says nothing of service or the question nothing of the thing.
    fn service_said(&self, label: &str) -> Option<bool> {
        let (thing, wanted) = self.service_of(label)?;
        let places = self.text.match_indices(&thing).map(|(start, _)| start + thing.len());
        let stated = places.filter_map(|end| condition::service(&self.text[end..], self.lexicon)).last();
        stated.map(|(_, value)| value == wanted)
    }

    /// What a label says to be in service or out of it, and which: 安控 of 安控投入.
    fn service_of(&self, label: &str) -> Option<(String, &'l str)> {
        let label = tight(label);
        label.char_indices().skip(1).find_map(|(at, _)| {
            let (length, value) = condition::service(&label[at..], self.lexicon)?;
            let is_end = at + length == label.len() && label[at..].chars().count() > 1;
            is_end.then(|| (label[..at].to_owned(), value))
        })
    }

    /// Whether it says each word of a label.
    fn says_all_of(&self, label: &str) -> bool {
        let words = words_of_label(label, self.lexicon);
        let known: Vec<&Word> = words.iter().collect();
        Interval::of(label).is_some()
            || self.text.contains(tight(label).as_str())
            || self.service_said(label) == Some(true)
            || words.iter().all(|word| self.says(word, &known))
    }

    /// Whether a word of a label is one for being out of service (检修), of which the question says another (停).
    fn says_as_out(&self, word: &str) -> bool {
        let is_one = || self.lexicon.words("out").any(|out| out == word);
        is_one() && self.lexicon.words("out").any(|out| !out.is_ascii() && self.text.contains(out))
    }

    fn says(&self, word: &Word, all: &[&Word]) -> bool {
        match word {
            Word::Number(number, [before, after]) => {
                let is_there = |at: Option<usize>, wanted: &Option<String>| {
                    wanted.is_some() && at.and_then(|at| self.latin.get(at)) == wanted.as_ref()
                };
                let is_alone = before.is_none() && after.is_none();
                self.latin.iter().enumerate().filter(|(_, said)| *said == number).any(|(at, _)| {
                    is_alone || is_there(at.checked_sub(1), before) || is_there(Some(at + 1), after)
                })
            }
            Word::Amount(amount) => self.quantities.iter().any(|one| one.same_amount(amount)),
            Word::Text(text) if text.contains(is_cjk) => {
                stands_in(&self.text, text)
                    || self.formal.iter().any(|term| term == text)
                    || self.says_as_out(text)
            }
            Word::Text(text) => {
                let is_other =
                    |short: &str| all.iter().any(|one| matches!(one, Word::Text(other) if other == short));
                self.latin.iter().any(|said| {
                    said == text
                        || said.len() >= SHORTENED
                            && text.len() > said.len() + 1
                            && text.starts_with(said.as_str())
                            && !is_other(said)
                }) || self.formal.iter().any(|term| term == text)
            }
        }
    }
}

/// Whether half of another label is said, and more of it than this label has too: 甲线 is out, and 3号主变 as well.
fn is_rival(heard: &[Vec<usize>], lengths: &[usize], one: usize, other: usize) -> bool {
    let more = heard[other].iter().filter(|word| !heard[one].contains(word)).count();
    more > 1 && heard[other].len() * 2 >= lengths[other]
}

/// The words of a label: Chinese ones as the dictionary cuts them with names in one piece, base forms of Latin ones, numbers, amounts.
fn words_of_label(label: &str, lexicon: &Lexicon) -> Vec<Word> {
    let label = plain_numbers(without_note(label));
    let amounts = find_quantities(&label);
    let mut rest = label.clone();
    for (range, _) in &amounts {
        rest.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    let mut words: Vec<Word> = amounts.into_iter().map(|(_, amount)| Word::Amount(amount)).collect();
    let folded = fold(&rest);
    let latin = latin_words(&rest, lexicon);
    let beside = |at: Option<usize>| at.and_then(|at| latin.get(at)).cloned();
    let mut counted: Vec<String> = Vec::new();
    words.extend(latin.iter().enumerate().map(|(at, word)| match word.parse::<f64>() {
        // A number of several digits is a name by itself.
        Ok(_) if word.len() >= DIGITS_OF_NAME => Word::Text(word.clone()),
        Ok(_) => match numbered(&folded, word) {
            Some(name) => {
                counted.push(name.clone());
                Word::Text(name)
            }
            None => Word::Number(word.clone(), [beside(at.checked_sub(1)), beside(Some(at + 1))]),
        },
        Err(_) => Word::Text(word.clone()),
    }));
    let folded = counted.iter().fold(folded, |text, name| text.replace(name.as_str(), " "));
    for run in folded.split(|c: char| !is_cjk(c)).filter(|run| !run.is_empty()) {
        let characters: Vec<char> = run.chars().collect();
        let mut starts = word_starts(run);
        starts.push(characters.len());
        let mut name = String::new();
        for pair in starts.windows(2) {
            let piece: String = characters.get(pair[0]..pair[1]).unwrap_or_default().iter().collect();
            if pair[1] - pair[0] == 1 {
                name.push_str(&piece);
                continue;
            }
            words.extend((!name.is_empty()).then(|| Word::Text(std::mem::take(&mut name))));
            words.push(Word::Text(piece));
        }
        words.extend((!name.is_empty()).then_some(Word::Text(name)));
    }
    // One character beside longer words (变 of 石塘变) may stand in any word of a question.
    let is_short = |word: &Word| matches!(word, Word::Text(text) if text.contains(is_cjk) && text.chars().nth(1).is_none());
    if words.iter().any(|word| !is_short(word)) {
        words.retain(|word| !is_short(word));
    }
    words
}

/// The words of a header that say what is counted, of two characters and more, without 台数 and 组数.
fn names_of(header: &str, lexicon: &Lexicon) -> Vec<String> {
    let words = words_of_label(header, lexicon).into_iter();
    let texts = words.filter_map(|word| match word {
        Word::Text(text) => Some(text),
        Word::Number(..) | Word::Amount(_) => None,
    });
    let is_name = |text: &String| {
        text.chars().filter(|c| is_cjk(*c)).count() > 1 && !text.contains(|c: char| NUMBERED.contains(c))
    };
    texts.filter(is_name).collect()
}

/// A label without the note that it names at its end: `L201 out (Note 4)`, 甲线（注1）.
fn without_note(label: &str) -> &str {
    let Some((words, inner)) = label.trim_end().rsplit_once(['(', '（']) else { return label };
    let names_note = |inner: &str| {
        let mention = find_references(inner).into_iter().next();
        mention.is_some_and(|mention| {
            mention.target.kind == ReferenceKind::Annotation && mention.range.len() == inner.len()
        })
    };
    let is_note = inner.strip_suffix([')', '）']).is_some_and(names_note) && !words.trim().is_empty();
    if is_note { words.trim_end() } else { label }
}

/// A text as labels are compared: folded, without blanks, numbers in digits.
fn tight(text: &str) -> String {
    fold_tight(&plain_numbers(text))
}

/// Whether a word stands in a text, and not behind more digits than its own.
fn stands_in(text: &str, word: &str) -> bool {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    text.match_indices(word)
        .any(|(at, _)| !(is_number && text[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.')))
}

/// What two texts begin with alike.
fn common_start<'t>(text: &'t str, other: &str) -> &'t str {
    let same = text.char_indices().zip(other.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    &text[..same.unwrap_or(text.len().min(other.len()))]
}

/// Whether a head is for what is complete: `All lines in service`.
fn is_for_whole(head: &str, lexicon: &Lexicon) -> bool {
    latin_words(head, lexicon).iter().any(|word| WHOLE.contains(&word.as_str()))
}

/// A number with the Chinese character that it counts or names: 2号, 1回.
fn numbered(text: &str, number: &str) -> Option<String> {
    let behind = text.match_indices(number).map(|(at, _)| &text[at + number.len()..]);
    let next = behind.filter_map(|rest| rest.chars().next()).find(|c| is_cjk(*c))?;
    Some(format!("{number}{next}"))
}

/// Base forms of the Latin words of a text that say something, and its numbers, in their order. Of words for the same thing (unit,
/// set, machine) the first stands for all.
fn latin_words(text: &str, lexicon: &Lexicon) -> Vec<String> {
    let alike = |word: &str| {
        let is_meant =
            |group: &&crate::lexicon::Entry| group.words.iter().any(|other| base_form(other) == word);
        let group = lexicon.entries(ALIKE).iter().find(is_meant)?;
        group.words.first().map(|first| base_form(first).to_owned())
    };
    let folded = fold(&digits_for_words(text));
    let runs =
        folded.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).map(|run| run.trim_matches('.'));
    let mut found: Vec<String> = Vec::new();
    for run in runs.filter(|run| !run.is_empty()) {
        // 12A is a number and a letter, T2 is a name.
        let digits = run.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(run.len());
        if digits > 0 && digits < run.len() {
            found.push(run[..digits].trim_end_matches('.').to_owned());
            found.push(run[digits..].to_owned());
        } else if !is_stop_word(run) || QUANTIFIERS.contains(&run) {
            let word = base_form(run);
            found.push(alike(word).unwrap_or_else(|| word.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests;
