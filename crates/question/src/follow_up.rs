//! Follow-up questions: 那220千伏的呢？ means the last question with another voltage.
//!
//! What a follow-up lacks is taken from the question before it. A quantity or a numbered name takes the place of the one
//! of its kind there; so does one of several states (退出 for 投入), a season for another, and a name of the same kind (事故范围 for
//! 正常范围). Anything else is added to it: a condition that is added beside its opposite would find the row of neither.
//! A question that is nothing but such a thing (冬天？) is a follow-up without being marked as one.

use std::ops::Range;

use regreader_text::number::is_cjk_numeral;
use regreader_text::script::is_cjk;
use regreader_text::tokenize::{base_form, word_starts};
use regreader_text::{TokenKind, find_quantities, is_stop_word};

use crate::table::{digits_for_words, said_number};
use crate::{Lexicon, condition, with_measures};

/// Groups of words in the lexicon of which one stands in a question at a time.
const ONE_OF: &str = "one_of";

/// How a follow-up ends in Chinese.
const ENDINGS: &[char] = &['呢', '？', '?', '。', ' ', '吗', '的'];
/// A question with more Chinese characters than this, or twice as many Latin ones, stands for itself, however it begins.
const LONGEST: usize = 40;
/// Characters of a name that may take the place of one that begins or ends alike.
const SHORTEST_ALIKE: usize = 2;
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
    let Some(rest) = rest_of_follow_up(text, lexicon) else {
        let rest = text.trim_end_matches(ENDINGS);
        return replace_whole_quantity(previous, rest)
            .or_else(|| replace_season(previous, rest, lexicon).filter(|_| is_one_of(rest, lexicon)))
            .or_else(|| replace_numbered(previous, rest))
            .or_else(|| replace_english_count(previous, rest));
    };
    let halves: usize = text.chars().map(|c| if is_cjk(c) { 2 } else { 1 }).sum();
    if rest.is_empty() || halves > 2 * LONGEST || previous.trim().is_empty() {
        return None;
    }
    let replaced = replace_quantity(previous, rest)
        .or_else(|| replace_name(previous, rest, lexicon))
        .or_else(|| replace_numbered(previous, rest))
        .or_else(|| replace_number(previous, rest))
        .or_else(|| replace_count(previous, rest))
        .or_else(|| replace_english_count(previous, rest))
        .or_else(|| replace_bare_number(previous, rest))
        .or_else(|| replace_season(previous, rest, lexicon))
        .or_else(|| replace_state(previous, rest, lexicon))
        .or_else(|| replace_asset(previous, rest, lexicon))
        .or_else(|| replace_alike(previous, rest, lexicon));
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
    let same = find_quantities(previous).into_iter().find(|(_, old)| old.unit.base() == new.unit.base())?;
    let mut text = previous.to_owned();
    text.replace_range(same.0, rest.get(range)?);
    Some(text)
}

/// The same for a text that is nothing but a quantity.
fn replace_whole_quantity(previous: &str, rest: &str) -> Option<String> {
    let is_whole = find_quantities(rest).first().is_some_and(|(range, _)| *range == (0..rest.len()));
    is_whole.then(|| replace_quantity(previous, rest))?
}

/// The previous question with 乙线 in place of 甲线, Ⅱ段 of Ⅰ段: the same name with another number.
fn replace_numbered(previous: &str, rest: &str) -> Option<String> {
    let number = rest.chars().next().filter(|c| is_cjk(*c) && condition::is_number(*c))?;
    let kind = &rest[number.len_utf8()..];
    if kind.is_empty() || !kind.chars().all(is_cjk) {
        return None;
    }
    let numbers = previous.char_indices().filter(|(_, c)| condition::is_number(*c));
    let mut same = numbers.filter(|(at, c)| previous[at + c.len_utf8()..].starts_with(kind));
    let (at, old) = same.next()?;
    if same.next().is_some() {
        return None;
    }
    let mut text = previous.to_owned();
    text.replace_range(at..at + old.len_utf8(), number.encode_utf8(&mut [0; 4]));
    Some(text)
}

/// The previous question with 两组 in place of 3组: another count of the same thing, however it is written.
fn replace_count(previous: &str, rest: &str) -> Option<String> {
    let count = only_count(rest)?;
    let same: Vec<Count> = counts(previous).into_iter().filter(|other| other.thing == count.thing).collect();
    // 铁杉掉成两台 after 铁杉四台、调相机两台: the count that stands behind the same name.
    let named = |old: &&Count| {
        let before = &previous[..old.number.start];
        let name = before.char_indices().rev().nth(NAME - 1).map(|(at, _)| &before[at..]);
        name.is_some_and(|name| name.chars().all(is_cjk) && rest.contains(name))
    };
    let old = match &same[..] {
        [only] => only.clone(),
        several => {
            let mut named = several.iter().filter(named);
            let (Some(old), None) = (named.next(), named.next()) else { return None };
            old.clone()
        }
    };
    let others = [rest.get(..count.number.start)?, rest.get(count.number.end + count.thing.len_utf8()..)?];
    if others.iter().flat_map(|part| part.chars()).filter(|c| is_cjk(*c)).count() > FILLERS {
        return None;
    }
    let mut text = previous.to_owned();
    text.replace_range(old.number, rest.get(count.number)?);
    Some(text)
}

/// The previous question with `two units` in place of `three units`, where the follow-up says nothing else.
fn replace_english_count(previous: &str, rest: &str) -> Option<String> {
    let count = |text: &str| -> Vec<(Range<usize>, String)> {
        let all: Vec<(usize, &str)> = words(text).collect();
        let is_number = |word: &str| {
            said_number(&word.to_lowercase()).is_some() || word.bytes().all(|byte| byte.is_ascii_digit())
        };
        let pairs = all.windows(2).filter(|pair| is_number(pair[0].1) && !is_number(pair[1].1));
        pairs
            .filter(|pair| pair[1].1.is_ascii())
            .map(|pair| {
                let (at, number) = pair[0];
                (at..at + number.len(), base_form(&pair[1].1.to_lowercase()).to_owned())
            })
            .collect()
    };
    let [(number, thing)] = &count(rest)[..] else { return None };
    let mut same = count(previous).into_iter().filter(|(_, other)| other == thing);
    let (Some((old, _)), None) = (same.next(), same.next()) else { return None };
    let is_little = |(at, word): (usize, &str)| {
        let word = word.to_lowercase();
        number.contains(&at) || is_stop_word(&word) || base_form(&word) == thing
    };
    if !words(rest).all(is_little) {
        return None;
    }
    let mut text = previous.to_owned();
    text.replace_range(old, rest.get(number.clone())?);
    Some(text)
}

/// The previous question with 38 in place of its 30 degrees, where a follow-up in English ends in a number without a unit, or one in
/// Chinese is nothing else (那220的呢), and the previous question has one quantity with a unit.
fn replace_bare_number(previous: &str, rest: &str) -> Option<String> {
    let (text, rest) = (digits_for_words(previous), digits_for_words(rest.trim_end_matches('的')));
    let numbers = |text: &str| -> Vec<(usize, String)> {
        let is_digit = |c: char| c.is_ascii_digit();
        let runs = text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-'));
        let numbers = runs.map(|run| run.trim_matches(['.', '-']));
        let digits = numbers.filter(|run| !run.is_empty() && run.chars().all(is_digit));
        digits.map(|run| (run.as_ptr() as usize - text.as_ptr() as usize, run.to_owned())).collect()
    };
    let [(at, new)] = &numbers(&rest)[..] else { return None };
    if at + new.len() < rest.len() || rest.contains(is_cjk) {
        return None;
    }
    let measured = find_quantities(&with_measures(&text));
    let [(_, quantity)] = &measured[..] else { return None };
    let value = quantity.value.to_string();
    let mut same = numbers(&text).into_iter().filter(|(_, number)| *number == value);
    let (Some((old, number)), None) = (same.next(), same.next()) else { return None };
    let mut text = text;
    text.replace_range(old..old + number.len(), new);
    Some(text)
}

/// Characters that a follow-up may have beside a count: 只剩两组了.
const FILLERS: usize = 4;

/// A number, and the Chinese character of what it counts.
#[derive(Clone)]
struct Count {
    number: Range<usize>,
    thing: char,
}

fn only_count(text: &str) -> Option<Count> {
    match &counts(text)[..] {
        [only] => Some(only.clone()),
        _ => None,
    }
}

fn counts(text: &str) -> Vec<Count> {
    let is_numeral = |c: char| c.is_ascii_digit() || c == '两' || is_cjk_numeral(c);
    let mut found: Vec<Count> = Vec::new();
    let mut start: Option<usize> = None;
    for (at, c) in text.char_indices() {
        match (start, is_numeral(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.extend((is_cjk(c)).then_some(Count { number: from..at, thing: c }));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Digits of a number that is a name by itself.
const DIGITS_OF_NAME: usize = 3;

/// The previous question with 411 in place of 401: a number that names a line or a bus, where one with as many digits stands there.
fn replace_number(previous: &str, rest: &str) -> Option<String> {
    let (range, _) = only_name(rest, |_| true)?;
    let digits = range.len();
    let (old, _) = only_name(previous, |other| other.len() == digits)?;
    let is_said =
        |word: &str| is_stop_word(word) || words(previous).any(|(_, said)| said.eq_ignore_ascii_case(word));
    // The word before a name says what kind of thing it is: line 411.
    let kind = words(rest).map(|(at, _)| at).take_while(|at| *at < range.start).last();
    let mut others = words(rest).filter(|(at, _)| *at != range.start && Some(*at) != kind);
    if !others.all(|(_, word)| is_said(word)) {
        return None;
    }
    let mut text = previous.to_owned();
    text.replace_range(old, &rest[range]);
    Some(text)
}

/// The only number of a text that may be a name.
fn only_name(text: &str, is_meant: impl Fn(&str) -> bool) -> Option<(Range<usize>, &str)> {
    let is_name = |word: &str| word.len() >= DIGITS_OF_NAME && word.bytes().all(|byte| byte.is_ascii_digit());
    let measured = find_quantities(text);
    let is_measured = |at: usize| measured.iter().any(|(range, _)| range.contains(&at));
    let mut names = words(text)
        .filter(|(at, word)| is_name(word) && is_meant(word) && !is_measured(*at))
        .map(|(at, word)| (at..at + word.len(), word));
    let first = names.next()?;
    names.next().is_none().then_some(first)
}

/// Runs of letters and digits of a text, with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let runs = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    runs.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// The previous question with another season or time of day in place of its own.
fn replace_season(previous: &str, rest: &str, lexicon: &Lexicon) -> Option<String> {
    let (before, next) = (previous.to_ascii_lowercase(), rest.to_ascii_lowercase());
    let place = |text: &str, word: &str| {
        let is_apart = |range: &Range<usize>| {
            let is_cut = |c: Option<char>| word.is_ascii() && c.is_some_and(|c| c.is_ascii_alphanumeric());
            !is_cut(text[..range.start].chars().next_back()) && !is_cut(text[range.end..].chars().next())
        };
        text.match_indices(word).map(|(at, _)| at..at + word.len()).find(is_apart)
    };
    lexicon.entries(ONE_OF).iter().find_map(|group| {
        let words = || group.words.iter().map(String::as_str);
        let new = words().find_map(|word| place(&next, word))?;
        let old = words().find_map(|word| place(&before, word))?;
        let mut text = previous.to_owned();
        text.replace_range(old, rest.get(new.clone())?);
        // What else it says is said beside it.
        let others = [rest.get(..new.start)?, rest.get(new.end..)?];
        let is_little =
            |part: &&str| part.split_whitespace().all(|word| is_stop_word(word) || previous.contains(word));
        let others: Vec<&str> = others.into_iter().map(str::trim).filter(|part| !is_little(part)).collect();
        if !others.is_empty() {
            let kept = text.trim_end().trim_end_matches(['？', '?', '。']).len();
            text.truncate(kept);
            let joint = if rest.contains(is_cjk) { "，" } else { ", " };
            text.push_str(joint);
            text.push_str(&others.join(" "));
        }
        Some(text)
    })
}

/// Whether a text is one of the words of which another may take the place.
fn is_one_of(text: &str, lexicon: &Lexicon) -> bool {
    lexicon.entries(ONE_OF).iter().any(|group| group.words.iter().any(|word| word.eq_ignore_ascii_case(text)))
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
    let (new, name) = (rest.get(new.start..new.end)?, previous.get(old.start..old.end)?);
    // Ⅰ母 is said of the station that was named before.
    let number = |name: &str| name.find(char::is_numeric);
    let kept = if number(new) == Some(0) {
        number(name).filter(|_| name.chars().last() == new.chars().last())?
    } else {
        0
    };
    let mut text = previous.to_owned();
    text.replace_range(old.start + kept..old.end, new);
    Some(text)
}

/// The previous question with another state (退出, 正常方式) in place of the one that it has (投入, 线路N-1).
fn replace_state(previous: &str, rest: &str, lexicon: &Lexicon) -> Option<String> {
    // Lower case of ASCII alone keeps the places.
    let (before, next) = (previous.to_ascii_lowercase(), rest.to_ascii_lowercase());
    let (old, new) = match condition::states(&next, lexicon).pop() {
        Some((new, state)) => {
            let states = condition::states(&before, lexicon).into_iter();
            let (old, _) = states.rev().find(|(_, old)| !state.name.is_empty() && old.name == state.name)?;
            (with_name(&before, old.start, lexicon)..old.end, new)
        }
        None => {
            let (length, _) =
                condition::service(&next, lexicon).filter(|(length, _)| *length == next.len())?;
            (service_in(&before, lexicon)?, 0..length)
        }
    };
    // What else the follow-up says (策略 of 策略退出) must be said already.
    let is_said = |part: Option<&str>| part.is_some_and(|part| previous.contains(part.trim()));
    if !is_said(rest.get(..new.start)) || !is_said(rest.get(new.end..)) {
        return None;
    }
    let mut text = previous.to_owned();
    text.replace_range(old, rest.get(new)?);
    Some(text)
}

/// Characters of the name of an asset.
const NAME: usize = 2;

/// Where the name of the numbered component at a place begins: 青岚甲线 for 线, 哈南站Ⅱ母 for 母.
fn with_name(text: &str, at: usize, lexicon: &Lexicon) -> usize {
    let ends_with_kind = |text: &str| lexicon.words("asset").find(|kind| text.ends_with(*kind)).map(str::len);
    let Some(number) = text[..at].chars().next_back().filter(|c| condition::is_number(*c)) else { return at };
    let mut start = at - number.len_utf8();
    start -= ends_with_kind(&text[..start]).filter(|length| *length == '站'.len_utf8()).unwrap_or(0);
    let name = text[..start].char_indices().rev().take(NAME);
    let name: Vec<(usize, char)> = name.take_while(|(_, c)| is_cjk(*c)).collect();
    match name.last() {
        Some((first, _)) if name.len() == NAME && ends_with_kind(&text[..start]).is_none() => *first,
        _ => start,
    }
}

/// The previous question with another asset of the same kind in place of its own: 南部受电断面 for 北送断面.
fn replace_asset(previous: &str, rest: &str, lexicon: &Lexicon) -> Option<String> {
    let kind = lexicon.words("asset").find(|kind| rest.ends_with(*kind) && rest.len() > kind.len())?;
    // 换流站 is a kind of station and no name of one.
    let is_word = word_starts(rest).len() == 1;
    if is_word || rest.chars().count() > LONGEST_ALIKE || !rest.chars().all(is_cjk) || previous.contains(rest)
    {
        return None;
    }
    let at = previous.find(kind)?;
    // A name is all that stands before the kind, where that is little, and two characters otherwise.
    let before = previous[..at].char_indices().rev().take_while(|(_, c)| is_cjk(*c));
    let before: Vec<usize> = before.map(|(start, _)| start).collect();
    let length = if before.len() > 2 * NAME { NAME } else { before.len() };
    let start = *before.get(length.checked_sub(1)?)?;
    let mut text = previous.to_owned();
    text.replace_range(start..at + kind.len(), rest);
    Some(text)
}

/// The last place in a text where something is said to be in or out of service. One character may be part of any word.
fn service_in(text: &str, lexicon: &Lexicon) -> Option<Range<usize>> {
    let places = text.char_indices().rev();
    places.into_iter().find_map(|(at, _)| {
        let rest = text.get(at..)?;
        let (length, _) = condition::service(rest, lexicon)?;
        rest.get(..length)?.chars().nth(1).map(|_| at..at + length)
    })
}

/// The previous question with another name in place of one as long that begins or ends alike: 青豫直流 for 天中直流. Where both are
/// words of the dictionary, one character is enough: 下限 for 上限, 换流站 for 变电站.
fn replace_alike(previous: &str, rest: &str, lexicon: &Lexicon) -> Option<String> {
    let new: Vec<char> = rest.chars().collect();
    let is_name =
        new.iter().all(|c| is_cjk(*c)) && !lexicon.words("negation").any(|denial| rest.starts_with(denial));
    if !(SHORTEST_ALIKE..=LONGEST_ALIKE).contains(&new.len()) || !is_name {
        return None;
    }
    let places: Vec<(usize, char)> = previous.char_indices().collect();
    let mut starts = word_starts(previous);
    starts.push(places.len());
    let is_word = word_starts(rest).len() == 1;
    let alike = |(at, window): (usize, &[(usize, char)])| {
        let same = |(one, other): &(&(usize, char), &char)| one.1 == **other;
        let begins = window.iter().zip(&new).take_while(same).count();
        let ends = window.iter().rev().zip(new.iter().rev()).take_while(same).count();
        let most = begins.max(ends);
        let is_for_word = is_word && starts.windows(2).any(|word| word == [at, at + new.len()]);
        let is_alike =
            if is_for_word { most > 0 } else { most * 2 >= new.len() && new.len() > SHORTEST_ALIKE };
        let fits =
            is_alike && most < new.len() && starts.contains(&at) && window.iter().all(|(_, c)| is_cjk(*c));
        fits.then_some((most, window[0].0))
    };
    let (_, start) = places.windows(new.len()).enumerate().filter_map(alike).max_by_key(|(most, _)| *most)?;
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
            ("策略没投呢", "天中直流全压 开机4台 策略没投 限额"),
        ] {
            assert_eq!(complete(before, next).as_deref(), Some(meant), "{next}");
        }
        assert_eq!(
            complete("220千伏母线电压正常范围？", "事故范围呢").as_deref(),
            Some("220千伏母线电压事故范围？")
        );
        for (before, next, meant) in [
            ("天中直流线路N-1、2 台机的限额？", "正常方式呢？", "天中直流正常方式、2 台机的限额？"),
            ("母线电压上限是多少？", "下限呢", "母线电压下限是多少？"),
            ("南阳变电站的限额？", "那换流站呢", "南阳换流站的限额？"),
            ("电压超过上限怎么处理？", "电流呢", "电流超过上限怎么处理？"),
            ("北送断面青岚站Ⅱ母停运限额", "Ⅰ母呢", "北送断面青岚站Ⅰ母停运限额"),
            ("北送断面青岚站Ⅱ母停运限额", "正常方式呢", "北送断面正常方式限额"),
            ("北送断面青岚甲线停运限额", "正常方式呢", "北送断面正常方式限额"),
            ("北送断面正常方式限额", "南部受电断面呢", "南部受电断面正常方式限额"),
            ("苍梧直流降压5台策略退出", "不降压呢", "苍梧直流降压5台策略退出，不降压"),
        ] {
            assert_eq!(complete(before, next).as_deref(), Some(meant), "{next}");
        }
    }

    #[test]
    fn of_several_counts_the_one_behind_the_same_name_is_replaced() {
        let before = "铁杉四台、调相机两台都在，直流双极全压多少";
        assert_eq!(
            complete(before, "铁杉掉成两台呢").as_deref(),
            Some("铁杉两台、调相机两台都在，直流双极全压多少")
        );
    }

    #[test]
    fn another_count_takes_the_place_of_the_first_in_english() {
        let before = "what's Skarra export with three units and 207 out";
        for (next, meant) in [
            ("with two units?", "what's Skarra export with two units and 207 out"),
            ("and with 4 units?", "what's Skarra export with 4 units and 207 out"),
        ] {
            assert_eq!(complete(before, next).as_deref(), Some(meant), "{next}");
        }
        for next in ["who may run two units in an island?", "two units"] {
            let meant = complete("who orders black start", next);
            assert_eq!(meant, None, "{next}");
        }
        assert_eq!(
            complete(
                "how much over the Millgate section at thirty degrees with one turbine",
                "and if it climbs to thirty-eight?"
            )
            .as_deref(),
            Some("how much over the Millgate section at 38 degrees with 1 turbine")
        );
        let long = "and if there's no wind up there, hasn't been for half an hour?";
        assert!(complete(before, long).is_some(), "a long sentence that begins with `and`");
    }

    #[test]
    fn another_season_or_number_takes_the_place_of_the_first() {
        let chinese = "青岚甲线检修夏季安控投入限额";
        let english = "What is the summer export limit with only 401 in service?";
        for (before, next, meant) in [
            (chinese, "冬天呢", Some("青岚甲线检修冬天安控投入限额")),
            (chinese, "冬季？", Some("青岚甲线检修冬季安控投入限额")),
            (chinese, "那乙线呢？", Some("青岚乙线检修夏季安控投入限额")),
            (chinese, "乙线", Some("青岚乙线检修夏季安控投入限额")),
            ("2号变冷却器剩3组能带几成", "只剩两组了呢", Some("2号变冷却器剩两组能带几成")),
            ("500千伏母线失压怎么处理？", "220千伏？", Some("220千伏母线失压怎么处理？")),
            ("500千伏母线失压怎么处理？", "那220的呢", Some("220千伏母线失压怎么处理？")),
            ("500千伏母线失压怎么处理？", "220的呢？", Some("220千伏母线失压怎么处理？")),
            (chinese, "母线失压怎么处理", None),
            (english, "and in winter?", Some("What is the winter export limit with only 401 in service?")),
            (english, "And for 411?", Some("What is the summer export limit with only 411 in service?")),
            (
                english,
                "what about line 411",
                Some("What is the summer export limit with only 411 in service?"),
            ),
            (english, "winter?", Some("What is the winter export limit with only 401 in service?")),
        ] {
            assert_eq!(complete(before, next).as_deref(), meant, "{next}");
        }
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
