//! Follow-up questions: 那220千伏的呢？ means the last question with another voltage.
//!
//! What a follow-up lacks is taken from the question before it. A quantity or a numbered name takes the place of the one
//! of its kind there; so does one of several states (退出 for 投入) and a name of the same kind (事故范围 for 正常范围). Anything
//! else is added to it: a condition that is added beside its opposite would find the row of neither.

use regreader_text::script::is_cjk;
use regreader_text::{TokenKind, find_quantities};

use crate::Lexicon;

/// How a follow-up ends in Chinese.
const ENDINGS: &[char] = &['呢', '？', '?', '。', ' ', '吗', '的'];
/// A question with more characters than this stands for itself, however it begins.
const LONGEST: usize = 40;
/// Characters of a name that may take the place of one that begins or ends alike.
const SHORTEST_ALIKE: usize = 3;
const LONGEST_ALIKE: usize = 8;

/// The question that a follow-up means, or none when it stands for itself.
///
/// ```
/// use regreader_question::{Lexicon, completed};
///
/// let meant = completed("500千伏母线失压怎么处理？", "那220千伏的呢？", Lexicon::built_in());
/// assert_eq!(meant.as_deref(), Some("220千伏母线失压怎么处理？"));
/// ```
pub fn completed(previous: &str, question: &str, lexicon: &Lexicon) -> Option<String> {
    let text = question.trim();
    let rest = rest_of_follow_up(text, lexicon)?;
    if rest.is_empty() || text.chars().count() > LONGEST || previous.trim().is_empty() {
        return None;
    }
    let replaced = replace_quantity(previous, rest)
        .or_else(|| replace_name(previous, rest, lexicon))
        .or_else(|| replace_state(previous, rest, lexicon))
        .or_else(|| replace_alike(previous, rest));
    if replaced.is_some() {
        return replaced;
    }
    let subject = previous.trim().trim_end_matches(['？', '?', '。']);
    let joint = if rest.contains(is_cjk) { "，" } else { ", " };
    Some(format!("{subject}{joint}{rest}"))
}

/// What a follow-up says beyond being one; none when it is none.
fn rest_of_follow_up<'t>(text: &'t str, lexicon: &Lexicon) -> Option<&'t str> {
    let lower = text.to_lowercase();
    let trimmed = text.trim_end_matches(ENDINGS);
    let beginning = lexicon.words("follow_up").find(|word| {
        lower.starts_with(*word)
            // `android` is no `and`.
            && (!word.is_ascii() || lower[word.len()..].starts_with(|c: char| !c.is_ascii_alphanumeric()))
    });
    match beginning {
        Some(word) => trimmed.get(word.len()..).map(|rest| rest.trim_start_matches(['，', ',', ' '])),
        None => text.trim_end_matches(['？', '?', '。', ' ']).ends_with('呢').then_some(trimmed),
    }
}

/// The previous question with a quantity of the same dimension in place of its own.
fn replace_quantity(previous: &str, rest: &str) -> Option<String> {
    let (range, new) = find_quantities(rest).into_iter().next()?;
    let same = find_quantities(previous)
        .into_iter()
        .find(|(_, old)| old.unit.dimension() == new.unit.dimension())?;
    let mut text = previous.to_owned();
    text.replace_range(same.0, rest.get(range)?);
    Some(text)
}

/// The previous question with another numbered name (长南2线, 表6-3) in place of its own.
fn replace_name(previous: &str, rest: &str, lexicon: &Lexicon) -> Option<String> {
    let names = |text: &str| {
        let is_name = |kind: TokenKind| matches!(kind, TokenKind::Device | TokenKind::Label);
        let tokens = lexicon.tokenizer().index_tokens(text).into_iter();
        tokens.filter(|token| is_name(token.kind)).collect::<Vec<_>>()
    };
    let new = names(rest).into_iter().next()?;
    let old = names(previous).into_iter().find(|old| old.kind == new.kind)?;
    let mut text = previous.to_owned();
    text.replace_range(old.start..old.end, rest.get(new.start..new.end)?);
    Some(text)
}

/// The previous question with another state (退出) in place of the one that it has (投入).
fn replace_state(previous: &str, rest: &str, lexicon: &Lexicon) -> Option<String> {
    for entry in lexicon.entries("instead") {
        let Some(new) = entry.words.iter().find(|word| rest.contains(word.as_str())) else { continue };
        let old = entry.words.iter().filter(|word| *word != new && !new.contains(word.as_str()));
        // What else the follow-up says (策略 of 策略退出) must be said already.
        let (before, behind) = rest.split_once(new.as_str())?;
        let is_said = |part: &str| part.is_empty() || previous.contains(part);
        if previous.contains(&format!("{before}{new}")) && is_said(behind) {
            return Some(previous.to_owned());
        }
        for old in old.filter(|_| is_said(before) && is_said(behind)) {
            let place = previous.rfind(&format!("{before}{old}")).map(|at| at + before.len());
            if let Some(at) = place.or_else(|| previous.rfind(old.as_str())) {
                let mut text = previous.to_owned();
                text.replace_range(at..at + old.len(), new);
                return Some(text);
            }
        }
    }
    None
}

/// The previous question with another name in place of one as long that begins or ends alike: 青豫直流 for 天中直流.
fn replace_alike(previous: &str, rest: &str) -> Option<String> {
    let new: Vec<char> = rest.chars().collect();
    if !(SHORTEST_ALIKE..=LONGEST_ALIKE).contains(&new.len()) || !new.iter().all(|c| is_cjk(*c)) {
        return None;
    }
    let places: Vec<(usize, char)> = previous.char_indices().collect();
    let alike = |window: &[(usize, char)]| {
        let same = |(one, other): &(&(usize, char), &char)| one.1 == **other;
        let begins = window.iter().zip(&new).take_while(same).count();
        let ends = window.iter().rev().zip(new.iter().rev()).take_while(same).count();
        let most = begins.max(ends);
        (most < new.len() && most * 2 >= new.len() && window.iter().all(|(_, c)| is_cjk(*c))).then_some(most)
    };
    let windows = places.windows(new.len()).filter_map(|window| Some((alike(window)?, window[0].0)));
    let (_, start) = windows.max_by_key(|(most, _)| *most)?;
    let length: usize = previous[start..].chars().take(new.len()).map(char::len_utf8).sum();
    let mut text = previous.to_owned();
    text.replace_range(start..start + length, rest);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(previous: &str, question: &str) -> Option<String> {
        completed(previous, question, Lexicon::built_in())
    }

    #[test]
    fn another_quantity_or_name_takes_the_place_of_the_first() {
        assert_eq!(
            complete("500千伏母线失压怎么处理？", "那220千伏的呢？").as_deref(),
            Some("220千伏母线失压怎么处理？")
        );
        assert_eq!(
            complete("长南Ⅰ线的北送限额是多少？", "那长南Ⅱ线呢？").as_deref(),
            Some("长南Ⅱ线的北送限额是多少？")
        );
        assert_eq!(
            complete("How long must a set run at 47.5 Hz?", "And at 47 Hz?").as_deref(),
            Some("How long must a set run at 47 Hz?")
        );
    }

    #[test]
    fn another_state_takes_the_place_of_its_opposite() {
        let before = "天中直流全压 开机4台 策略投入 限额";
        for (next, meant) in [
            ("策略退出呢", "天中直流全压 开机4台 策略退出 限额"),
            ("那退出呢？", "天中直流全压 开机4台 策略退出 限额"),
            ("投入呢", before),
            ("降压呢？", "天中直流降压 开机4台 策略投入 限额"),
            ("那青豫直流呢", "青豫直流全压 开机4台 策略投入 限额"),
            ("6台呢", "天中直流全压 开机6台 策略投入 限额"),
        ] {
            assert_eq!(complete(before, next).as_deref(), Some(meant), "{next}");
        }
        assert_eq!(
            complete("220千伏母线电压正常范围？", "事故范围呢").as_deref(),
            Some("220千伏母线电压事故范围？")
        );
    }

    #[test]
    fn anything_else_is_added() {
        assert_eq!(
            complete("天中直流的稳定限额？", "降压方式呢？").as_deref(),
            Some("天中直流的稳定限额，降压方式")
        );
        assert_eq!(
            complete("How often is the plan tested?", "What about low impact sites?").as_deref(),
            Some("How often is the plan tested, low impact sites")
        );
    }

    #[test]
    fn a_question_that_stands_for_itself_is_left_alone() {
        for question in ["母线失压怎么处理？", "Android devices: what is required?", "注1的内容是什么？"]
        {
            assert_eq!(complete("500千伏母线失压怎么处理？", question), None, "{question}");
        }
        assert_eq!(complete("", "那220千伏的呢？"), None);
    }
}
