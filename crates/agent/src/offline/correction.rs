//! Corrections that a note or a clause prescribes: `降压运行时限额乘以 0.8`.
//!
//! A correction is calculated only when the question states the whole condition that it is bound to. Where the question states
//! a part of it, the rule is shown and the reader decides: a factor applied to another case is a wrong number with a source.

use std::sync::LazyLock;

use regreader_messages::answers;
use regreader_text::script::is_cjk;
use regreader_text::{Quantity, find_quantities, fold, fold_tight, nfkc, words_of};

use super::limits::PickedLimit;
use super::passage::split_sentences;
use super::stated::{Met, Stated, content_words, is_same_kind};
use crate::answer::answer_language;
use crate::{Operand, Statement};

/// Words by which a note lowers a limit, and by which it raises one.
static LOWERING: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that lower"));
static RAISING: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that raise"));
/// Words behind `0.8 倍` that make it a factor of the limit and not the name of another quantity.
static APPLIED: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that apply a factor"));
/// Words that end a condition.
static ENDS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that end a condition"));
/// Words behind a condition.
static WHILE: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words for while"));
/// Words before the width of a step, and before a factor.
static EACH: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that order steps"));
static TIMES: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that multiply"));
/// Between the verb and its factor something may stand: multiply the values by 0.85.
static TIMES_APART: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "verbs that multiply by"));
/// Words with which an English condition begins.
static BEFORE_CONDITION: LazyLock<Vec<&str>> =
    LazyLock::new(|| words_of(crate::WORDS, "conjunctions before a condition"));
/// Words before what a value is compared with.
static ABOVE: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words for more than"));

/// A correction with the condition that it is bound to.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    condition: String,
    /// What stands between the condition and the change, and says what is changed: 上限 of 上限提高 40 万千瓦.
    object: String,
    change: Change,
}

#[derive(Debug, Clone, PartialEq)]
enum Change {
    /// From a quantity on, for each step above it, so many per cent less (negative) or more. Where a rule counts from a value
    /// that another sentence gives (基准), nothing can be calculated.
    Step {
        from: Option<Quantity>,
        step: Quantity,
        percent: f64,
    },
    Factor(f64),
    /// So much more, or less (negative).
    Amount {
        amount: Quantity,
        sign: f64,
    },
    /// So much for each of what the question does not count: 每停一台降低 40 MW. It is shown, never calculated.
    ForEach,
}

impl Correction {
    /// The corrections in a text: 低于 1500 万千瓦时，按 0.9 倍控制；低于 1200 万千瓦时，按 0.8 倍控制 are two.
    pub fn read(text: &str) -> Vec<Self> {
        let sentences = text.lines().flat_map(split_sentences);
        sentences.flat_map(|sentence| sentence.split(['；', ';', '。'])).filter_map(Self::of_part).collect()
    }

    /// The correction in a part of a text: `环境温度高于40℃时，每升高5℃限额降低4%`, `降压运行时限额乘以0.8`,
    /// `未投入时限额降低 60 万千瓦`.
    fn of_part(part: &str) -> Option<Self> {
        let part = nfkc(part);
        let each = EACH.iter().find_map(|word| part.find(word));
        let (change, at) = step(&part).or_else(|| factor(&part)).or_else(|| amount(&part))?;
        let is_step = matches!(change, Change::Step { .. });
        let change = if each.is_some() && !is_step { Change::ForEach } else { change };
        let (mut condition, object) = condition(part.get(..at)?);
        // In English it may stand behind: multiply by 0.9 when the SVC is out, subtract 40 MW for each unit without stabiliser.
        if content_words(&condition).is_empty() {
            let place = |word: &&str| {
                let word = format!(" {word} ");
                part[at..].find(&word).map(|behind| at + behind + word.len())
            };
            let behind = BEFORE_CONDITION.iter().filter_map(place).min();
            if let Some(behind) = behind.or(each.filter(|_| change == Change::ForEach)) {
                part.get(behind..)?.trim_end_matches(['.', ' ']).trim().clone_into(&mut condition);
            }
        }
        Some(Self { condition, object, change })
    }

    /// Whether it changes this limit: not when it names another column of the table (上限, where the limit is the 下限), or a
    /// numbered thing that the row is not about.
    pub fn changes(&self, limit: &PickedLimit) -> bool {
        let object = fold_tight(&self.object);
        let is_other = |header: &String| {
            let own = fold_tight(&limit.header);
            let names = content_words(header).into_iter().filter(|word| !own.contains(word.as_str()));
            names.into_iter().any(|word| object.contains(word.as_str()))
        };
        let about = fold_tight(&format!("{}{}", limit.about, limit.header));
        let mut numbered = numbered(&object).into_iter();
        !limit.others.iter().any(is_other) && numbered.all(|name| about.contains(name.as_str()))
    }

    /// How far a question states the condition. `about` is the whole note, which may say in other words what the condition means.
    pub fn met(&self, stated: &Stated, about: &str) -> Met {
        let Change::Step { from, step, .. } = &self.change else {
            return stated.meets(&self.condition, about);
        };
        let is_measured = |one: &Quantity| is_same_kind(one, step);
        match (stated.quantities().iter().find(|one| is_measured(one)), from) {
            (Some(given), Some(from)) if given.magnitude() > from.magnitude() => {
                stated.meets_besides(&self.condition, about, is_measured)
            }
            // How a table is read on the other side of the value may stand beside it.
            (Some(_), _) => Met::Partly,
            (None, _) => Met::Not,
        }
    }

    /// Whether a text says the condition already: the factor for lower voltage is no more due in a column for lower voltage.
    pub fn is_part_of(&self, text: &str) -> bool {
        let (folded, words) = (fold(text), content_words(&self.condition));
        !self.condition.contains(|c: char| c.is_ascii_digit())
            && !words.is_empty()
            && words.iter().all(|word| folded.contains(word.as_str()))
    }

    /// The calculation for a limit; none when it cannot be made.
    pub fn apply(&self, stated: &Stated, limit: &PickedLimit) -> Option<Calculated> {
        let with_unit = |value: f64| format!("{} {}", round(value), limit.unit).trim_end().to_owned();
        let value = with_unit(limit.value);
        let calculated = |formula: String, result: f64, given: Option<String>| {
            Some(Calculated { expression: format!("{value} {formula} = {}", with_unit(result)), given })
        };
        match &self.change {
            Change::Step { from, step, percent } => {
                let from = from.as_ref()?;
                let mut given = stated.quantities().iter();
                let given = given.find(|one| is_same_kind(one, from))?;
                let steps = (given.magnitude() - from.magnitude()) / step.magnitude();
                // What a part of a step counts is for the rule to say (不足 5℃ 按 5℃ 计, each full 5 °C), and for a reader to apply.
                if (steps - steps.round()).abs() > WHOLE_STEP {
                    return None;
                }
                let sign = if *percent < 0.0 { '−' } else { '+' };
                let formula = format!("× (1 {sign} ({given} − {from}) ÷ {step} × {}%)", percent.abs());
                let factor = 1.0 + percent * steps / 100.0;
                (steps > 0.0 && factor > 0.0)
                    .then(|| calculated(formula, limit.value * factor, Some(given.to_string())))?
            }
            Change::ForEach => None,
            Change::Factor(factor) => calculated(format!("× {factor}"), limit.value * factor, None),
            Change::Amount { amount, sign } => {
                if fold(amount.unit.symbol()) != fold(&limit.unit) {
                    return None;
                }
                let minus = if *sign < 0.0 { '−' } else { '+' };
                let result = limit.value + sign * amount.value.to_f64();
                (result >= 0.0).then(|| calculated(format!("{minus} {amount}"), result, None))?
            }
        }
    }
}

/// Steps that differ by less from a whole number are whole.
const WHOLE_STEP: f64 = 1e-6;

/// A value that a rule prescribes to be calculated.
#[derive(Debug)]
pub struct Calculated {
    expression: String,
    /// The value that the question states.
    given: Option<String>,
}

impl Calculated {
    /// The statement, with every operand and where it stands: the row, the rule, the question.
    pub fn cited(self, question: &str, limit: &PickedLimit, rule: &Statement) -> Statement {
        let text = answers::calculated(answer_language(question), &self.expression);
        let mut statement = Statement::new(text, rule.citation.clone());
        statement.operands.extend(limit.row.clone());
        statement.operands.push(Operand { text: rule.text.clone(), citation: Some(rule.citation.clone()) });
        statement.operands.extend(self.given.map(|text| Operand { text, citation: None }));
        statement
    }
}

/// A correction by steps, with the end of what belongs to its condition.
fn step(part: &str) -> Option<(Change, usize)> {
    let quantities = find_quantities(part);
    let each = EACH.iter().find_map(|word| part.find(word))?;
    let share = quantities.iter().find(|(_, one)| one.unit.symbol() == "%")?.1;
    let step = quantities.iter().find(|(range, one)| range.start > each && one.unit != share.unit)?.1;
    let is_start =
        |(range, one): &&(std::ops::Range<usize>, Quantity)| range.start < each && is_same_kind(one, &step);
    // Where it begins stands before the steps, or behind them: for each 5 °C above 30 °C.
    let is_behind = |(range, one): &&(std::ops::Range<usize>, Quantity)| {
        let before = part.get(..range.start).unwrap_or_default().trim_end();
        range.start > each && is_same_kind(one, &step) && ABOVE.iter().any(|word| before.ends_with(word))
    };
    let from =
        quantities.iter().find(is_start).or_else(|| quantities.iter().find(is_behind)).map(|(_, from)| *from);
    let sign = if LOWERING.iter().any(|word| part.contains(word)) { -1.0 } else { 1.0 };
    (step.magnitude() > 0.0)
        .then(|| (Change::Step { from, step, percent: sign * share.value.to_f64() }, each))
}

/// Before a factor.
const BY: &str = " by ";

/// A factor: 乘以 0.8, × 0.8, 按表列数值的 0.8 倍掌握. 0.8 倍额定电压 is the name of a voltage.
fn factor(part: &str) -> Option<(Change, usize)> {
    let apart = |word: &&str| {
        let at = part.to_ascii_lowercase().find(*word)?;
        let by = part.get(at..)?.find(BY)?;
        Some((at, by + BY.len()))
    };
    let times = TIMES.iter().find_map(|word| Some((part.find(word)?, word.len())));
    let times = times.or_else(|| TIMES_APART.iter().find_map(apart));
    let (number, at) = if let Some((at, length)) = times {
        (leading_number(part.get(at + length..)?.trim_start())?, at)
    } else {
        let (at, unit) = part.match_indices(['倍', '%']).find(|(at, word)| {
            let behind = part.get(at + word.len()..).unwrap_or_default().trim_start();
            behind.is_empty()
                || behind.starts_with(['，', ','])
                || APPLIED.iter().any(|word| behind.starts_with(word))
        })?;
        let before = part.get(..at)?.trim_end();
        let start = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        // 降低 10%，… takes a share off, and 按 90% 控制 leaves one.
        if unit == "%"
            && LOWERING.iter().chain(RAISING.iter()).any(|word| before[..start].trim_end().ends_with(word))
        {
            return None;
        }
        if unit == "%" {
            let share: f64 = before.get(start..)?.parse().ok()?;
            return (share > 0.0 && share < 1_000.0).then_some((Change::Factor(share / 100.0), start));
        }
        (before.get(start..)?, start)
    };
    let factor: f64 = number.parse().ok()?;
    (factor > 0.0 && factor < 10.0).then_some((Change::Factor(factor), at))
}

/// A lower or higher limit by an amount: 限额降低 60 万千瓦. 降为 100 万千瓦 is a limit of its own.
fn amount(part: &str) -> Option<(Change, usize)> {
    let (quantities, lower) = (find_quantities(part), part.to_ascii_lowercase());
    for (words, sign) in [(&*LOWERING, -1.0), (&*RAISING, 1.0)] {
        for word in words {
            for (at, _) in lower.match_indices(word) {
                let end = at + word.len();
                let is_next = |start: usize| part.get(end..start).is_some_and(|gap| gap.trim().is_empty());
                if let Some((_, amount)) = quantities.iter().find(|(range, _)| is_next(range.start)) {
                    let share = amount.value.to_f64() / 100.0;
                    return Some(match amount.unit.symbol() {
                        "%" => (Change::Factor(1.0 + sign * share), at),
                        _ => (Change::Amount { amount: *amount, sign }, at),
                    });
                }
            }
        }
    }
    None
}

/// The condition in the text before what is prescribed, up to the last place of the first of the words that end one, and what
/// stands behind it.
fn condition(before: &str) -> (String, String) {
    // 小时 is a unit.
    let is_word = |at: &usize| !before[..*at].ends_with('小');
    let place = |word: &&str| before.rmatch_indices(*word).map(|(at, _)| at).find(is_word);
    let end = ENDS.iter().find_map(place).unwrap_or(before.len());
    (before[..end].trim().to_owned(), before[end..].trim().to_owned())
}

/// The condition that a note states, whatever it prescribes under it: 山火预警期间.
pub fn condition_of(note: &str) -> Option<&str> {
    let end = WHILE.iter().filter_map(|word| note.rfind(word)).max()?;
    note.get(..end)
}

/// The numbered names of a folded text: 1母, 3号主变.
fn numbered(folded: &str) -> Vec<String> {
    let characters: Vec<char> = folded.chars().collect();
    let is_name = |pair: &&[char]| pair[0].is_ascii_digit() && is_cjk(pair[1]);
    characters.windows(2).filter(is_name).map(|pair| pair.iter().collect()).collect()
}

fn leading_number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.get(..end).filter(|number| !number.is_empty())
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Correction {
        Correction::read(text).into_iter().next().unwrap_or_else(|| panic!("{text}"))
    }

    fn met(text: &str, question: &str) -> Met {
        read(text).met(&Stated::new(question, "限额允许电流载流量", "直流三台机两台机全压"), text)
    }

    fn calculated(text: &str, question: &str) -> String {
        let limit = PickedLimit { value: 390.0, unit: "万千瓦".to_owned(), ..PickedLimit::default() };
        read(text)
            .apply(&Stated::new(question, "限额允许电流载流量", "直流三台机两台机全压"), &limit)
            .unwrap_or_else(|| panic!("{text}"))
            .expression
    }

    #[test]
    fn a_factor_is_that_of_the_part_which_applies_it() {
        let note = "降压指 0.8 倍额定电压运行；0.7 倍额定电压运行时限额再乘以 0.9。";
        assert_eq!(read(note).change, Change::Factor(0.9));
        assert_eq!(met(note, "直流 0.7 降压时的限额"), Met::Wholly);
        assert_eq!(met(note, "直流 0.8 倍降压时的限额"), Met::Not, "0.8 is what the table is for");
        assert_eq!(met(note, "直流降压时的限额"), Met::Not);
        assert_eq!(Correction::read("降压指 0.8 倍额定电压运行。"), [], "a definition changes nothing");
    }

    #[test]
    fn a_condition_is_met_by_all_of_its_words() {
        let note = "线路N-1方式下新能源快速回降功能应投入，未投入时限额降低 60 万千瓦。";
        let whole = "线路N-1，新能源快速回降功能未投入，限额多少？";
        assert_eq!(met(note, "快速回降没投，限额多少？"), Met::Partly);
        assert_eq!(met(note, "两台机的限额多少？"), Met::Not);
        assert!(met(note, whole) != Met::Not);
        assert_eq!(calculated(note, whole), "390 万千瓦 − 60万千瓦 = 330 万千瓦");
        assert_eq!(read("主变停运时，按表中限额的 90% 控制。").change, Change::Factor(0.9));
        assert_eq!(read("山火预警期间，限额下调 10%。").change, Change::Factor(0.9));
        let note = "降压方式下按全压限额的 0.8 倍掌握。";
        assert_eq!((met(note, "降压，三台机"), met(note, "全压，三台机")), (Met::Wholly, Met::Not));
        assert_eq!(calculated(note, "降压"), "390 万千瓦 × 0.8 = 312 万千瓦");
        assert!(read(note).is_part_of("降压限额（万千瓦）") && !read(note).is_part_of("全压限额（万千瓦）"));
    }

    #[test]
    fn a_number_of_the_condition_is_met_by_comparison() {
        let note = "环境温度高于 35 摄氏度时，载流量允许值按 0.95 倍折算。";
        assert_eq!(met(note, "环境温度40℃时允许电流多少"), Met::Wholly);
        assert_ne!(met(note, "30℃时允许电流多少"), Met::Wholly);
        let note = "环境温度每高于基准 5 摄氏度，允许值降低 4%。";
        assert_eq!((met(note, "40℃时多少"), met(note, "三台机时多少")), (Met::Partly, Met::Not));
        assert_eq!(Correction::read("南送限额降为 100 万千瓦。"), [], "a limit of its own");
    }
}
