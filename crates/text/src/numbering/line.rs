//! The number a line or paragraph begins with.

use std::sync::LazyLock;

use super::Numbering;
use super::english::english_number;
use crate::is_stop_word;
use crate::number;
use crate::scan::{Cursor, is_dash, is_tilde};
use crate::script::is_cjk;
use crate::units::{Dimension, unit_at};
use crate::words::{WORDS, words_of};

/// A line that begins with a section number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedLine<'a> {
    /// The number.
    pub numbering: Numbering,
    /// The number as printed, without the mark behind it.
    pub printed: &'a str,
    /// What stands behind it, spaces trimmed: the title, or text that runs on in the same line. Empty when the number
    /// stands alone, which a page number and a table cell do too.
    pub rest: &'a str,
    /// A dot or 、 stands behind the number: `1.总则`, `1、总则`.
    pub trailing_dot: bool,
    /// White space stands between the number (and its dot) and the rest.
    pub spaced: bool,
}

/// Reads the section number a line begins with. It goes by form alone, and refuses what only looks like a number:
/// quantities (`0.5 秒后动作`, `2.5 万千瓦`, `110kV母线`), dates (`2024.1.1 起执行`), ranges, and a reference broken
/// over two lines (`2.1.4 条的规定`).
///
/// ```
/// use regreader_text::{Numbering, parse_line};
/// let line = parse_line("２．１．２ 系统结构").unwrap();
/// assert_eq!(line.numbering, Numbering::Decimal(vec![2, 1, 2]));
/// assert_eq!(line.rest, "系统结构");
/// assert_eq!(parse_line("第十三条 违反本规定的").unwrap().numbering, Numbering::Article(13));
/// for text in ["0.5 秒后动作", "2.5 万千瓦", "2024.1.1 起执行", "500 千伏母线", "三取二"] {
///     assert_eq!(parse_line(text), None, "{text}");
/// }
/// ```
pub fn parse_line(line: &str) -> Option<NumberedLine<'_>> {
    let mut start = Cursor::new(line);
    start.skip_spaces();
    let first = start.peek()?;
    let (numbering, end) = match first {
        '第' => ordinal(start)?,
        '附' => appendix(start)?,
        '(' | '〔' | '﹙' => bracketed(start)?,
        '0'..='9' => return digits(start),
        'a'..='z' | 'A'..='Z' => return latin(start),
        _ if number::circled(first).is_some() => circled(start)?,
        _ if number::is_cjk_numeral(first) => enumerated(start)?,
        _ if number::roman_char(first).is_some() => roman_char(start)?,
        _ => return None,
    };
    Some(finish(numbering, start, end, end, false))
}

fn finish<'a>(
    numbering: Numbering,
    start: Cursor<'a>,
    number_end: Cursor<'a>,
    mark_end: Cursor<'a>,
    trailing_dot: bool,
) -> NumberedLine<'a> {
    let mut rest = mark_end;
    let spaced = rest.skip_spaces();
    NumberedLine {
        numbering,
        printed: number_end.since(&start),
        rest: rest.rest().trim_end(),
        trailing_dot,
        spaced,
    }
}

/// 第六章, 第 二 节, 第13条, 第一百二十条之一, 第2部分, and 第4.2.1条, which is clause 4.2.1.
fn ordinal(start: Cursor<'_>) -> Option<(Numbering, Cursor<'_>)> {
    let mut cursor = start;
    cursor.eat('第');
    cursor.skip_spaces();
    if let Some((parts, clause)) = dotted_ordinal(cursor) {
        return reads_as_heading(clause).then_some((Numbering::Decimal(parts), clause));
    }
    let n = cursor.any_number()?;
    cursor.skip_spaces();
    let numbering = match cursor.bump()? {
        '章' => Numbering::Chapter(n),
        '节' | '節' => Numbering::Section(n),
        '条' | '條' => inserted(&mut cursor, n),
        '篇' | '编' | '編' => Numbering::Part(n),
        '部' if cursor.eat('分') => Numbering::Part(n),
        _ => return None,
    };
    reads_as_heading(cursor).then_some((numbering, cursor))
}

/// `4.2.1条` and `4.2节` behind 第.
fn dotted_ordinal(mut cursor: Cursor<'_>) -> Option<(Vec<u32>, Cursor<'_>)> {
    let parts = decimal(&mut cursor).filter(|parts| parts.len() > 1)?;
    cursor.skip_spaces();
    cursor.eat_if(|c| matches!(c, '条' | '條' | '节' | '節'))?;
    Some((parts, cursor))
}

fn inserted(cursor: &mut Cursor<'_>, n: u32) -> Numbering {
    let mut ahead = *cursor;
    if ahead.eat('之')
        && let Some(inserted) = ahead.any_number()
    {
        *cursor = ahead;
        return Numbering::ArticleInserted(n, inserted);
    }
    Numbering::Article(n)
}

/// Words that go on with a sentence when they stand directly behind a number: the line begins with the end of a
/// reference. 件, 例, 节 and 点 make another word of the 条 or 节 before them.
static GOES_ON: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "behind a clause number"));

/// Whether what follows a number can be a title. Behind a space a title may begin with any word (第五条 规定…).
fn reads_as_heading(mut cursor: Cursor<'_>) -> bool {
    if cursor.skip_spaces() {
        return !cursor.peek().is_some_and(|c| matches!(c, '、' | ',' | '。' | ';' | ')' | '》' | ']'));
    }
    cursor.eat_any(&GOES_ON).is_none()
}

/// 附录A, 附录 一, 附件1.
fn appendix(start: Cursor<'_>) -> Option<(Numbering, Cursor<'_>)> {
    let mut cursor = start;
    cursor.eat('附');
    cursor.skip_spaces();
    let is_attachment = match cursor.bump()? {
        '录' | '錄' => false,
        '件' => true,
        _ => return None,
    };
    cursor.skip_spaces();
    let numbering = if let Some(letter) = lone_capital(&mut cursor) {
        if is_attachment {
            return None;
        }
        match sub_numbers(&mut cursor) {
            Some(parts) => Numbering::AppendixDecimal(letter, parts),
            None => Numbering::Appendix(letter),
        }
    } else {
        let n = cursor.any_number()?;
        if is_attachment { Numbering::Attachment(n) } else { Numbering::AppendixNumbered(n) }
    };
    let mut mark = cursor;
    if mark.eat(':') || mark.eat('.') {
        return Some((numbering, mark));
    }
    reads_as_heading(cursor).then_some((numbering, cursor))
}

/// One capital that no other letter or digit follows.
pub(super) fn lone_capital(cursor: &mut Cursor<'_>) -> Option<char> {
    let mut ahead = *cursor;
    let letter = ahead.eat_if(|c| c.is_ascii_uppercase())?;
    if ahead.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    *cursor = ahead;
    Some(letter)
}

/// `.1.2` behind a letter.
pub(super) fn sub_numbers(cursor: &mut Cursor<'_>) -> Option<Vec<u32>> {
    let mut ahead = *cursor;
    if !ahead.eat('.') {
        return None;
    }
    let parts = decimal(&mut ahead)?;
    *cursor = ahead;
    Some(parts)
}

/// （一）, （1）, (a), (ii).
fn bracketed(start: Cursor<'_>) -> Option<(Numbering, Cursor<'_>)> {
    let mut cursor = start;
    cursor.bump();
    cursor.skip_spaces();
    let inner = cursor;
    let numbering = if let Some(n) = cursor.digits(3) {
        Numbering::ParenDigit(n)
    } else if let Some(n) = cursor.cjk_number() {
        Numbering::Paren(n)
    } else {
        while cursor.eat_if(|c| c.is_ascii_lowercase()).is_some() {}
        let letters: String = cursor.since(&inner).chars().map(crate::scan::half).collect();
        match letters.len() {
            1 => Numbering::Item(letters.chars().next()?),
            2..=6 => Numbering::ParenRoman(number::parse_roman(&letters)?),
            _ => return None,
        }
    };
    cursor.skip_spaces();
    cursor.eat_if(|c| matches!(c, ')' | '〕' | '﹚'))?;
    // (一)、(二)项 at the beginning of a line goes on with a reference.
    let mut next = cursor;
    (next.eat_any(&["、", ",", "项", "款", "至第", "和第", "或第", "及第", "~"]).is_none())
        .then_some((numbering, cursor))
}

/// A circled number: ①.
fn circled(start: Cursor<'_>) -> Option<(Numbering, Cursor<'_>)> {
    let mut cursor = start;
    let n = number::circled(cursor.bump()?)?;
    let mut mark = cursor;
    if mark.eat('.') || (mark.eat('、') && mark.raw().is_none_or(|c| number::circled(c).is_none())) {
        return Some((Numbering::Circled(n), mark));
    }
    (!cursor.peek().is_some_and(|c| matches!(c, '、' | ',' | '和' | '~')))
        .then_some((Numbering::Circled(n), cursor))
}

/// 一、, 十一．. 一、二类负荷 is no number.
fn enumerated(start: Cursor<'_>) -> Option<(Numbering, Cursor<'_>)> {
    let mut cursor = start;
    let n = cursor.cjk_number()?;
    cursor.eat_if(|c| matches!(c, '、' | '.'))?;
    (!cursor.peek().is_some_and(number::is_cjk_numeral)).then_some((Numbering::Enumerated(n), cursor))
}

/// Ⅱ. and Ⅱ、, with the mark or a space, so that Ⅱ母 is not one.
fn roman_char(start: Cursor<'_>) -> Option<(Numbering, Cursor<'_>)> {
    let mut cursor = start;
    let n = number::roman_char(cursor.bump()?)?;
    let marked = cursor.eat_if(|c| matches!(c, '、' | '.')).is_some();
    let next = cursor.raw();
    if next.is_some_and(|c| number::roman_char(c).is_some())
        || !(marked || next.is_none_or(char::is_whitespace))
    {
        return None;
    }
    Some((Numbering::Roman(n), cursor))
}

/// `2.1.4` as numbers: parts of at most three digits without leading zeros, ten parts at most. A four-digit part is a
/// year or a quantity. The cursor ends behind the last digit.
pub(crate) fn decimal(cursor: &mut Cursor<'_>) -> Option<Vec<u32>> {
    let mut ahead = *cursor;
    let mut parts = Vec::new();
    loop {
        let leading_zero = ahead.peek() == Some('0');
        let part_start = ahead;
        let part = ahead.digits(3)?;
        if leading_zero && ahead.pos() > part_start.pos() + part_start.raw()?.len_utf8() {
            return None;
        }
        parts.push(part);
        let mut dot = ahead;
        if !(dot.eat('.') && dot.peek().is_some_and(|c| c.is_ascii_digit())) {
            break;
        }
        if parts.len() == 10 {
            return None;
        }
        ahead = dot;
    }
    *cursor = ahead;
    Some(parts)
}

/// A line that begins with digits: 2.1.4, 1., 1、, 1).
fn digits(start: Cursor<'_>) -> Option<NumberedLine<'_>> {
    if let Some(found) = number_before_amount(start) {
        return Some(found);
    }
    let mut cursor = start;
    let parts = decimal(&mut cursor)?;
    let number_end = cursor;
    if parts.len() == 1 && cursor.eat(')') {
        let free = !cursor.peek().is_some_and(|c| matches!(c, '、' | ',' | '~'));
        let numbering = Numbering::ParenDigit(*parts.first().unwrap_or(&0));
        return free.then(|| finish(numbering, start, cursor, cursor, false));
    }
    let mut mark = cursor;
    let dotted = mark.eat_if(|c| matches!(c, '.' | '、')).is_some();
    let holds = if dotted { dotted_is_number(mark) } else { bare_is_number(&parts, cursor) };
    // A row of figures (3.2 4.5 6.7) has no title.
    let titled = mark.rest().trim().is_empty() || mark.rest().contains(char::is_alphabetic);
    (holds && titled).then(|| {
        finish(Numbering::Decimal(parts), start, number_end, if dotted { mark } else { cursor }, dotted)
    })
}

/// `2.2.1.500千伏长南线`, `3.1000kV断面`: with no space behind the number's dot, the voltage or year that begins the
/// title looks like its last part.
fn number_before_amount(start: Cursor<'_>) -> Option<NumberedLine<'_>> {
    let mut parts = Vec::new();
    let mut number_end = start;
    let mut last = start;
    loop {
        let mut ahead = last;
        let value = ahead.digits(4)?;
        let mut dot = ahead;
        if dot.eat('.') && dot.peek().is_some_and(|c| c.is_ascii_digit()) {
            parts.push(value);
            (number_end, last) = (ahead, dot);
            continue;
        }
        let dimension = unit_at(ahead.rest()).map(|(unit, _)| unit.dimension());
        let year = ahead.peek() == Some('年') && (1949..2200).contains(&value);
        let voltage = dimension == Some(Dimension::VOLTAGE) && VOLTAGES.contains(&value);
        // 2.1.3台 can only be 2.1 and 3台; 2.5万千瓦 is an amount unless it is a voltage that lines have.
        let amount = year || voltage || (parts.len() > 1 && dimension.is_some());
        let legal = parts.first().is_some_and(|first| *first > 0) && parts.iter().all(|part| *part < 150);
        return (amount && legal && parts.len() < 10)
            .then(|| finish(Numbering::Decimal(parts), start, number_end, last, true));
    }
}

/// The voltages of lines, as titles begin with them.
const VOLTAGES: [u32; 9] = [110, 220, 330, 500, 660, 750, 800, 1000, 1100];

/// `2.汇报国调` may be a heading or an item; `1、2号主变` and `1.` before a dot leader are neither.
fn dotted_is_number(mut cursor: Cursor<'_>) -> bool {
    let marked_by_comma = cursor.before() == Some('、');
    let spaced = cursor.skip_spaces();
    match cursor.raw() {
        Some('.' | '…' | '·') => false,
        Some(c) if marked_by_comma && !spaced => {
            // 36、一个工作负责人: a word that begins with a numeral; only 1、二、三 counts on.
            let mut behind = cursor;
            let counts_on = behind.eat_if(number::is_cjk_numeral).is_some() && behind.peek() == Some('、');
            !(number::ascii_digit(c).is_some() || counts_on || matches!(c, '第' | '表' | '图'))
        }
        _ => true,
    }
}

/// English words that go on with a sentence behind a number.
static ENGLISH_GOES_ON: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "behind an English number"));

/// Whether digits without a mark behind them can be a section number.
fn bare_is_number(parts: &[u32], mut cursor: Cursor<'_>) -> bool {
    // 192.168.1.1, 808.2019: no chapter is counted that far, and a lone number is left to its neighbours.
    if parts.len() > 1 && parts.first().is_some_and(|first| *first > 150) {
        return false;
    }
    let spaced = cursor.skip_spaces();
    let Some(next) = cursor.peek() else { return true };
    if matches!(
        next,
        '%' | '‰' | '℃' | '°' | '/' | '+' | '=' | '<' | '>' | '*' | '×' | '±' | ',' | '。' | ';' | ')'
    ) || is_tilde(next)
        || matches!(next, '…' | '·' | '》' | ']' | '^' | '_' | '&' | '$' | '"' | '\'')
    {
        return false;
    }
    // A time, a ratio or a table of codes (0:成功); a range or a name (3-5, 1-2#).
    if next == ':' || (is_dash(next) && !dash_opens_title(cursor, spaced)) {
        return false;
    }
    if parts.len() <= 2
        && unit_at(cursor.rest()).is_some()
        && !(parts.len() == 2 && is_article(cursor.rest()))
    {
        return false;
    }
    if next.is_ascii_alphabetic() {
        return latin_can_follow(parts, cursor, spaced);
    }
    !reference_goes_on(cursor, spaced)
}

/// `9.2 A trip of a line`: the A of a sentence, which a number of two parts seldom measures in at the beginning of a line.
pub fn is_article(rest: &str) -> bool {
    let word = rest.strip_prefix("A ").map(|rest| rest.split(' ').next().unwrap_or_default());
    word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_lowercase()) && !is_stop_word(word))
}

/// `4.1 – Title`: a dash with spaces on both sides.
fn dash_opens_title(mut cursor: Cursor<'_>, spaced: bool) -> bool {
    while cursor.eat_if(is_dash).is_some() {}
    spaced && cursor.skip_spaces() && !cursor.peek().is_some_and(|c| c.is_ascii_digit())
}

fn latin_can_follow(parts: &[u32], mut cursor: Cursor<'_>, spaced: bool) -> bool {
    if ENGLISH_GOES_ON.iter().any(|word| cursor.eat_word(word)) {
        return false;
    }
    let word_start = cursor;
    while cursor.eat_if(|c| c.is_ascii_alphabetic()).is_some() {}
    let word = cursor.since(&word_start);
    let capital = word.chars().next().is_some_and(|c| crate::scan::half(c).is_ascii_uppercase());
    if spaced {
        // `1 of`, `2 x 3 MW`: a lone number before a small word is counted in a sentence.
        return parts.len() > 1 || capital;
    }
    // 110kV, 2G, 802.11b are names; 4.1Functional lost its space.
    parts.len() > 1 && capital && word.len() >= 4
}

/// 2.1.4 条的规定, 3取2, 2.1和2.2: the end of a reference or a name, broken over two lines.
fn reference_goes_on(mut cursor: Cursor<'_>, spaced: bool) -> bool {
    let next = cursor.raw().unwrap_or(' ');
    match next {
        '条' | '款' | '项' | '节' | '章' => {
            cursor.bump();
            cursor.raw().is_none_or(|c| !is_cjk(c) || "的规所和及与或至中执第".contains(c))
        }
        '小' => cursor.eat_str("小节"),
        '取' => {
            cursor.bump();
            cursor.peek().is_some_and(|c| c.is_ascii_digit() || number::is_cjk_numeral(c))
        }
        '和' | '与' | '及' | '或' | '至' | '到' if !spaced => {
            cursor.bump();
            cursor.skip_spaces();
            cursor.peek().is_some_and(|c| c.is_ascii_digit() || c == '第')
        }
        _ => false,
    }
}

/// A line that begins with a letter: A.1, A., II., a), R1, M1, Section 4.
fn latin(start: Cursor<'_>) -> Option<NumberedLine<'_>> {
    if let Some(found) = english_heading(start) {
        return Some(found);
    }
    let mut cursor = start;
    let letters_start = cursor;
    while cursor.eat_if(|c| c.is_ascii_alphabetic()).is_some() {}
    let letters: String = cursor.since(&letters_start).chars().map(crate::scan::half).collect();
    if letters.len() > 8 {
        return None;
    }
    let first = letters.chars().next()?;
    if letters.len() == 1 && matches!(first, 'R' | 'M') && cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
        return requirement(start, cursor, first);
    }
    if letters.len() == 1 && first.is_ascii_lowercase() {
        let mut mark = cursor;
        return mark.eat(')').then(|| finish(Numbering::Item(first), start, mark, mark, false));
    }
    if letters.len() == 1
        && first.is_ascii_uppercase()
        && let Some(parts) = sub_numbers(&mut cursor)
    {
        let mut mark = cursor;
        let dotted = mark.eat('.');
        let next = mark.peek();
        let refused = next
            .is_some_and(|c| c.is_ascii_alphanumeric() || is_tilde(c) || matches!(c, ',' | '、' | ';' | ')'));
        let goes_on = !dotted && reference_goes_on_spaced(mark);
        return (!refused && !goes_on)
            .then(|| finish(Numbering::AppendixDecimal(first, parts), start, cursor, mark, dotted));
    }
    // B. and II. need their dot and a space, so that U.S.C. and an initial before a name's dot are not taken.
    let mut mark = cursor;
    if !mark.eat('.') || !(mark.is_end() || mark.peek().is_some_and(char::is_whitespace)) {
        return None;
    }
    let roman = number::parse_roman(&letters).filter(|_| letters.chars().all(|c| c.is_ascii_uppercase()));
    let numbering = match roman {
        Some(n) if letters.len() > 1 || matches!(first, 'I' | 'V' | 'X') => Numbering::Roman(n),
        _ if letters.len() == 1 => Numbering::Letter(first),
        _ => return None,
    };
    Some(finish(numbering, start, cursor, mark, true))
}

fn reference_goes_on_spaced(mut cursor: Cursor<'_>) -> bool {
    let spaced = cursor.skip_spaces();
    reference_goes_on(cursor, spaced) || ENGLISH_GOES_ON.iter().any(|word| cursor.eat_word(word))
}

/// R1., R1, R1.2, M1.
fn requirement<'a>(start: Cursor<'a>, mut cursor: Cursor<'a>, letter: char) -> Option<NumberedLine<'a>> {
    let parts = decimal(&mut cursor)?;
    let (first, tail) = parts.split_first()?;
    let numbering = match (letter, tail) {
        ('M', []) => Numbering::Measure(*first),
        ('R', []) => Numbering::Requirement(*first),
        ('R', _) => Numbering::RequirementPart(*first, tail.to_vec()),
        _ => return None,
    };
    let mut mark = cursor;
    let dotted = mark.eat('.');
    let free =
        mark.is_end() || mark.peek().is_some_and(|c| c.is_whitespace() || matches!(c, ':') || is_cjk(c));
    if !free || (!dotted && reference_goes_on_spaced(mark)) {
        return None;
    }
    mark.eat(':');
    Some(finish(numbering, start, cursor, mark, dotted))
}

/// Section 4.2, ARTICLE IV, Item 7A., Appendix B, Requirement R1.
fn english_heading(start: Cursor<'_>) -> Option<NumberedLine<'_>> {
    let (numbering, cursor) = english_number(start)?;
    let mut mark = cursor;
    let dotted = mark.eat('.');
    let mut rest = mark;
    let spaced = rest.skip_spaces();
    let free = match rest.peek() {
        None => true,
        Some(c) if matches!(c, ':' | '(' | '[' | '"') || is_dash(c) => true,
        // A title begins with a capital; `Section 4.2 of this standard` is a sentence.
        Some(c) => (spaced || dotted) && (c.is_ascii_uppercase() || is_cjk(c)),
    };
    if !free {
        return None;
    }
    mark.eat(':');
    Some(finish(numbering, start, cursor, mark, dotted))
}
