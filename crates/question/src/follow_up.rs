//! Follow-up questions: 那220千伏的呢？ means the last question with another voltage.
//!
//! What a follow-up lacks is taken from the question before it. A quantity or a numbered name takes the place of the one
//! of its kind there; anything else is added to it.

use regreader_text::script::is_cjk;
use regreader_text::{TokenKind, find_quantities};

use crate::Lexicon;

/// How a follow-up ends in Chinese.
const ENDINGS: &[char] = &['呢', '？', '?', '。', ' ', '吗', '的'];
/// A question with more characters than this stands for itself, however it begins.
const LONGEST: usize = 40;

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
    if let Some(replaced) = replace_quantity(previous, rest).or_else(|| replace_name(previous, rest, lexicon))
    {
        return Some(replaced);
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
