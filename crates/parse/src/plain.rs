//! Plain text: its encoding, and its paragraphs. A form feed begins a new page, and so do marks that count pages.

use encoding_rs::{BIG5, Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use regreader_messages::{errors, findings};
use regreader_model::{Diagnostic, DiagnosticCode, Severity, SourceFormat, TextRole};

use crate::flow::Flow;
use crate::{ParseError, ParseOptions, Parsed, page_marks};

/// Parses a plain text in UTF-8, UTF-16 or GB18030.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let mut flow = Flow::default();
    let text = read_text(bytes, SourceFormat::Text, options, &mut flow)?;
    for sheet in text.split('\u{C}') {
        let lines: Vec<&str> = sheet.lines().collect();
        for page in page_marks::pages(&lines) {
            flow.page_break();
            for paragraph in paragraphs(&page.lines) {
                flow.text(paragraph, TextRole::Body);
            }
            flow.label(page.label);
        }
    }
    Ok(flow.finish(SourceFormat::Text, None, options))
}

/// Text of a file of a text format, with a remark where characters could not be read.
pub(crate) fn read_text(
    bytes: &[u8],
    format: SourceFormat,
    options: &ParseOptions<'_>,
    flow: &mut Flow,
) -> Result<String, ParseError> {
    if bytes.len() as u64 > options.limits.max_part_bytes {
        return Err(ParseError::LimitExceeded {
            what: errors::LIMIT_FILE,
            limit: options.limits.max_part_bytes,
        });
    }
    let text =
        decode(bytes).ok_or_else(|| ParseError::Malformed { format, reason: errors::NOT_TEXT.into() })?;
    let lost = text.matches('\u{FFFD}').count();
    if lost > 0 {
        flow.diagnostics.push(Diagnostic::on_document(
            Severity::Warning,
            DiagnosticCode::Malformed,
            findings::undecoded(lost),
        ));
    }
    Ok(text)
}

/// The text that bytes hold; none when they hold none. Line ends become `\n`.
///
/// A byte order mark decides; then UTF-8 if it is valid or nearly so; then the Chinese encodings; then Latin-1.
pub(crate) fn decode(bytes: &[u8]) -> Option<String> {
    let text = decode_raw(bytes)?;
    Some(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}

fn decode_raw(bytes: &[u8]) -> Option<String> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Some(encoding.decode_without_bom_handling(bytes.get(mark..)?).0.into_owned());
    }
    let zeros = bytes.iter().take(4096).filter(|byte| **byte == 0).count();
    if zeros > 0 {
        return utf16_without_mark(bytes, zeros);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (!is_binary(text)).then(|| text.to_owned());
    }
    let (utf8, _) = UTF_8.decode_without_bom_handling(bytes);
    let broken = utf8.matches('\u{FFFD}').count();
    let wide = utf8.chars().filter(|c| !c.is_ascii() && *c != '\u{FFFD}').count();
    if wide > 20 * broken || (broken <= 1 && wide > 0) {
        return Some(utf8.into_owned());
    }
    for encoding in [GB18030, BIG5] {
        let (text, errors) = encoding.decode_without_bom_handling(bytes);
        let high = text.chars().filter(|c| !c.is_ascii()).count();
        let chinese = text.chars().filter(|c| is_chinese(*c)).count();
        let lost = text.matches('\u{FFFD}').count();
        if (!errors || lost * 50 < high) && chinese * 2 > high && !is_binary(&text) {
            return Some(text.into_owned());
        }
    }
    let (latin, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    let high = latin.chars().filter(|c| !c.is_ascii()).count();
    (high * 4 < latin.chars().count() && !is_binary(&latin)).then(|| latin.into_owned())
}

fn utf16_without_mark(bytes: &[u8], zeros: usize) -> Option<String> {
    let probe = bytes.len().min(4096);
    // ASCII in UTF-16 has a zero in every other byte; anything less regular is no text.
    if zeros * 5 < probe {
        return None;
    }
    let odd = bytes.iter().take(4096).skip(1).step_by(2).filter(|byte| **byte == 0).count();
    let encoding = if odd * 2 > zeros { UTF_16LE } else { UTF_16BE };
    let (text, errors) = encoding.decode_without_bom_handling(bytes);
    (!errors && !is_binary(&text)).then(|| text.into_owned())
}

/// Control characters do not stand in text.
fn is_binary(text: &str) -> bool {
    let mut count = 0usize;
    let mut control = 0usize;
    for character in text.chars().take(8192) {
        count += 1;
        control += usize::from(character.is_control() && !matches!(character, '\n' | '\r' | '\t' | '\u{C}'));
    }
    control * 50 > count
}

/// Han characters and the punctuation that stands among them.
pub(crate) fn is_chinese(character: char) -> bool {
    matches!(character, '\u{3000}'..='\u{303F}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{2FFFF}')
        || matches!(character, '“' | '”' | '‘' | '’' | '—' | '…')
}

/// Paragraphs of a page. Lines are paragraphs, unless a block of them is plainly one paragraph broken at a margin.
fn paragraphs(page: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    for line in page.iter().copied().chain([""]) {
        if !line.trim().is_empty() {
            block.push(line);
            continue;
        }
        if is_wrapped(&block) {
            out.push(join_lines(block.iter().map(|line| line.trim())));
        } else {
            let margin = margin(&block);
            let goes_on = |pair: &[&str]| margin.is_some_and(|margin| is_broken(pair[0], pair[1], margin));
            let mut from = 0;
            for at in 1..=block.len() {
                if at == block.len() || !goes_on(&block[at - 1..=at]) {
                    out.push(join_lines(block[from..at].iter().map(|line| line.trim())));
                    from = at;
                }
            }
        }
        block.clear();
    }
    out
}

/// Whether all lines but the last reach nearly to the same margin, and none begins something new.
fn is_wrapped(block: &[&str]) -> bool {
    let [body @ .., last] = block else { return false };
    let widths: Vec<usize> = body.iter().map(|line| width(line)).collect();
    let (Some(most), Some(least)) = (widths.iter().max(), widths.iter().min()) else { return false };
    (50..=110).contains(most)
        && most - least <= 14
        && width(last) <= most + 4
        && !block.iter().skip(1).any(|line| starts_anew(line))
}

/// Lines that reach the margin where there is one.
const LEAST_FULL: usize = 3;
/// Of so many lines one at least.
const FULL_OF: usize = 4;
/// What a full line may lack to the margin: signs that may not begin or end a line move the last character.
const RAGGED: usize = 4;

/// The margin at which the lines of a block were broken, paragraphs and headings among them; none where no one is seen.
fn margin(block: &[&str]) -> Option<usize> {
    let widths: Vec<usize> = block.iter().map(|line| width(line)).collect();
    // One line of a table or a formula may run over.
    let mut sorted = widths.clone();
    sorted.sort_unstable();
    let most = *sorted.get(sorted.len().checked_sub(LEAST_FULL)?)?;
    let full =
        widths.iter().filter(|width| (most.saturating_sub(RAGGED)..=most + RAGGED).contains(width)).count();
    ((40..=110).contains(&most) && full >= LEAST_FULL && full * FULL_OF >= block.len()).then_some(most)
}

/// Whether a line was broken at the margin and goes on in the next one: that one's first word did not fit.
fn is_broken(line: &str, next: &str, margin: usize) -> bool {
    let next = next.trim_start();
    let word: String = match next.chars().next() {
        Some(first) if is_chinese(first) => first.to_string(),
        _ => next.split(|c: char| c.is_whitespace() || is_chinese(c)).next().unwrap_or_default().to_owned(),
    };
    let ends = line.trim_end().ends_with(['。', '；', '：', '！', '？', ':', ';'])
        || line.trim_end().ends_with('.') && !next.starts_with(char::is_lowercase);
    !ends && !starts_anew(next) && width(line) + width(&word) + RAGGED > margin
}

fn width(line: &str) -> usize {
    line.trim_end().chars().map(|c| if is_chinese(c) { 2 } else { 1 }).sum()
}

/// Whether a line begins a clause or an item, so that it cannot be the rest of the line before.
pub(crate) fn starts_anew(line: &str) -> bool {
    let line = line.trim_start();
    let mut characters = line.chars();
    match characters.next() {
        Some('第') => {
            let number: String =
                characters.by_ref().take_while(|c| !matches!(c, '章' | '节' | '条')).take(8).collect();
            !number.is_empty() && number.chars().count() < 8
        }
        Some('（' | '(') => line.chars().take(6).any(|c| matches!(c, '）' | ')')),
        Some('注') => line.chars().take(4).any(|c| matches!(c, '：' | ':')),
        Some('附') => line.starts_with("附录") || line.starts_with("附件"),
        Some('-' | '*' | '•' | '●') => true,
        Some(first) if first.is_ascii_digit() => {
            let number: String = line.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            let rest = line[number.len()..].trim_end_matches('\r').chars().next();
            // A clause number on a line of its own, with its text on the next.
            if rest.is_none() && number.contains('.') && !number.ends_with('.') && first != '0' {
                return true;
            }
            number.contains('.') && first != '0' && rest.is_some_and(|c| c == ' ' || is_chinese(c))
                || rest.is_some_and(|c| matches!(c, ')' | '）' | '、'))
        }
        Some('一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九' | '十') => {
            line.chars().take(4).any(|c| c == '、')
        }
        _ => false,
    }
}

/// Joins the lines of one paragraph: with a space between Latin words, with nothing between Chinese.
pub(crate) fn join_lines<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for line in lines {
        let tight = out.chars().next_back().is_none_or(|c| is_chinese(c) || c == '\n')
            || line.chars().next().is_none_or(is_chinese);
        if !tight {
            out.push(' ');
        }
        out.push_str(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_text_reads_the_same_in_every_encoding() {
        let text = "第一条 为了加强电网调度管理，保障电网安全，制定本条例。\n第二条 适用本条例。";
        let utf16: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let marked: Vec<u8> = [0xEF, 0xBB, 0xBF].into_iter().chain(text.bytes()).collect();
        let gb = GB18030.encode(text).0.into_owned();
        for bytes in [text.as_bytes(), &utf16, &marked, &gb] {
            assert_eq!(decode(bytes).as_deref(), Some(text));
        }
    }

    #[test]
    fn a_cut_off_utf8_text_is_still_utf8() {
        let text = "电力设施保护条例";
        let cut = &text.as_bytes()[..text.len() - 1];
        assert_eq!(decode(cut), Some("电力设施保护条\u{FFFD}".to_owned()));
    }

    #[test]
    fn bytes_that_are_no_text_are_none() {
        assert_eq!(decode(&[0u8, 159, 146, 150, 0, 1, 2, 3, 250, 251]), None);
    }

    #[test]
    fn wrapped_lines_become_one_paragraph_and_clauses_stay_apart() {
        let wrapped = "This standard applies to every responsible entity that owns or operates\n\
                       a facility of the bulk electric system and to each of its contractors,\n\
                       without exception.";
        let lines = |text: &'static str| text.lines().collect::<Vec<_>>();
        assert_eq!(paragraphs(&lines(wrapped)).len(), 1);
        assert_eq!(paragraphs(&lines("第一条 甲。\n第二条 乙。")).len(), 2);
        let mixed = "第二章 定义和分类\n\
                     第八条 本细则所称的黑启动是指电力系统大面积停电后，在无外界电\n\
                     源支持的情况下，由具备自启动能力的发电侧并网主体所提供的恢复\n\
                     系统供电的服务。\n\
                     （一）在迟相功率因数小于0.85 的情况下发出的无功电量，按每万千\n\
                     乏时补偿；\n\
                     分摊原则及公式\n\
                     辅助服务补偿费用由所有发电侧并网主体按照上网电量的比例共同分\n\
                     摊。";
        let found = paragraphs(&lines(mixed));
        let starts: Vec<String> = found.iter().map(|one| one.chars().take(4).collect()).collect();
        assert_eq!(starts, ["第二章 ", "第八条 ", "（一）在", "分摊原则", "辅助服务"]);
        assert!(found[1].contains("无外界电源支持") && found[2].ends_with("按每万千乏时补偿；"), "{found:?}");
    }
}
