//! Whether a text can be the title of a document, and its tidying.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regreader_text::numbering::parse_line;
use regreader_text::script::is_cjk;
use regreader_text::{find_codes, parse_caption};

use crate::contents::is_contents_title;

static KINDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("kinds.txt").lines();
    lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty()).collect()
});

/// Longest title that is believed. The longest Chinese regulation names have some 60 characters.
const LONGEST: usize = 160;

/// Whether a whole document can be called this.
pub(super) fn is_title(text: &str) -> bool {
    let length = text.chars().count();
    (2..=LONGEST).contains(&length)
        && has_words(text)
        && !is_numbered(text)
        && !is_sentence(text)
        && !is_cover_phrase(text)
        && !is_contents_title(text)
        && parse_caption(text).is_none()
        && !is_only_code(text)
}

/// Whether a line can be a part of a title that is set over several lines.
pub(super) fn is_title_line(text: &str) -> bool {
    has_words(text)
        && !is_cover_phrase(text)
        && !is_contents_title(text)
        && !is_only_code(text)
        && !is_date_line(text)
        && !ends_like_sentence(text)
        && text.chars().count() <= LONGEST
}

/// Whether the text names a kind of document (规程, Code).
pub(super) fn names_kind(text: &str) -> bool {
    // 电力法（草案）, 导则 第3部分：…: what the bracket or the part adds is not the kind.
    let head = text.split(['（', '(']).next().unwrap_or(text);
    let parts = head.split([' ', '：', ':']).chain([head]);
    let chinese = parts.map(|part| part.trim_end_matches('》')).any(|part| {
        part.chars().next_back().is_some_and(is_cjk) && KINDS.iter().any(|kind| part.ends_with(kind))
    });
    chinese
        || text
            .split(|c: char| !c.is_ascii_alphabetic())
            .any(|word| KINDS.contains(word.to_ascii_lowercase().as_str()))
}

/// Chapter numbers, list numbers and letters before a heading. 第3部分：… is how the title of a multi-part standard goes
/// on, but alone it is not one.
fn is_numbered(text: &str) -> bool {
    parse_line(text).is_some()
}

/// Most characters are letters, and there are enough of them. Text of a font without Unicode is mostly signs.
fn has_words(text: &str) -> bool {
    let mut letters = 0_usize;
    let mut others = 0_usize;
    let mut hanzi = 0_usize;
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        if c.is_alphabetic() {
            letters += 1;
            hanzi += usize::from(is_cjk(c));
        } else if !c.is_ascii_digit() {
            others += 1;
        }
    }
    let longest =
        text.split(|c: char| !c.is_alphabetic()).map(|word| word.chars().count()).max().unwrap_or(0);
    (hanzi >= 2 || letters >= 4 && longest >= 3) && others * 2 <= letters
}

fn ends_like_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['。', '；', ';', '，', ',', '：', ':', '？', '?', '！', '!'])
}

fn is_sentence(text: &str) -> bool {
    if ends_like_sentence(text) || text.contains(['。', '；']) {
        return true;
    }
    let words = text.split_whitespace().count();
    let lower_start = text.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    let ends = text.trim_end().ends_with('.') && words > 3;
    !text.chars().any(is_cjk) && (ends || lower_start || words > 24)
}

/// Nothing but codes of standards, versions and signs.
fn is_only_code(text: &str) -> bool {
    let mut rest = text.to_owned();
    for code in find_codes(text).into_iter().rev() {
        rest.replace_range(code.range, " ");
    }
    let left = rest.trim().trim_end_matches(".pdf").chars().filter(|c| c.is_alphabetic()).count();
    left == 0 || !text.contains(' ') && !text.chars().any(is_cjk) && text.chars().any(|c| c.is_ascii_digit())
}

/// What stands on the cover of every standard, and the words of templates and programs.
fn is_cover_phrase(text: &str) -> bool {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let lower = bare.to_lowercase();
    let kinds =
        ["国家标准", "行业标准", "团体标准", "地方标准", "企业标准", "国家标准化指导性技术文件", "标准"];
    bare.starts_with("中华人民共和国") && kinds.iter().any(|kind| bare.ends_with(kind))
        || kinds.contains(&bare.as_str())
        || ["团体标准", "企业标准", "地方标准", "发布", "实施", "批准", "主编部门", "出版社"]
            .iter()
            .any(|end| bare.ends_with(end))
        || ["ics", "udc", "ccs", "备案号", "代替", "替代", "部分代替"]
            .iter()
            .any(|start| lower.starts_with(start))
        || bare.starts_with(['[', '［', '【'])
        || ["untitled", "document", "无标题", "未命名", "docket"]
            .iter()
            .any(|start| lower.starts_with(start) && bare.len() < 40)
        || [
            "前言",
            "引言",
            "序言",
            "序",
            "说明",
            "foreword",
            "preface",
            "abstract",
            "introduction",
            "summary",
        ]
        .contains(&lower.as_str())
}

/// A line that is a date or little else: `2023年1月`, `February 2016`.
fn is_date_line(text: &str) -> bool {
    let rest: String = text.chars().filter(|c| !c.is_ascii_digit() && !c.is_whitespace()).collect();
    let chinese = !rest.is_empty() && rest.chars().all(|c| "年月日〇零一二三四五六七八九十-–—./".contains(c));
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let months = words.iter().any(|word| regreader_text::date::month_named(word).is_some());
    chinese || (months && words.len() <= 3)
}

/// Removes what printing added: spaces between hanzi, a note mark at the end, surrounding 《》, a code before the name.
pub(super) fn tidy(text: &str) -> String {
    let chars: Vec<char> = text.trim().chars().collect();
    let spread = {
        // 通 讯 协 议: as many spaces as characters. A single space parts the name of a series from that of a part.
        let spaces = chars.windows(3).filter(|w| is_cjk(w[0]) && w[1] == ' ' && is_cjk(w[2])).count();
        let hanzi = chars.iter().filter(|c| is_cjk(**c)).count();
        spaces * 3 >= hanzi
    };
    let mut out = String::with_capacity(text.len());
    for (at, &c) in chars.iter().enumerate() {
        let between = c == ' '
            && at.checked_sub(1).and_then(|i| chars.get(i)).is_some_and(|c| is_cjk(*c))
            && chars.get(at + 1).is_some_and(|c| is_cjk(*c));
        if !(between && spread) {
            out.push(c);
        }
    }
    let bare = out.trim().trim_end_matches(['¹', '²', '³', '⁴', '⁵', '*', '†']);
    let bare = bare.trim_matches(['—', '–', '-', '|', '_', ' ', '.']);
    let whole = bare
        .strip_prefix('《')
        .and_then(|inner| inner.strip_suffix('》'))
        .filter(|inner| !inner.contains('《'));
    let bare = whole.unwrap_or(bare);
    // MALAWI GRID CODE ¹: the mark of a footnote, set apart behind words that are all capitals.
    match bare.rsplit_once(' ') {
        Some((head, mark))
            if mark.len() == 1 && mark.bytes().all(|b| b.is_ascii_digit()) && names_kind(head) =>
        {
            head.to_owned()
        }
        Some((head, last)) => {
            // The same mark without the space: CODE1.
            let word = last.trim_end_matches(|c: char| c.is_ascii_digit());
            let glued = word.len() + 1 == last.len() && KINDS.contains(word.to_ascii_lowercase().as_str());
            if glued { format!("{head} {word}") } else { bare.to_owned() }
        }
        None => bare.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_sentences_and_garbage_are_no_titles() {
        for text in [
            "A. Introduction",
            "4. Terms and definitions",
            "1 范围",
            "第一章 总则",
            "本标准规定了电力系统安全稳定的基本要求。",
            "For the purposes of this document, the following terms and definitions apply.",
            "! \"#$%&'()*+,-./",
            "中 华 人 民 共 和 国 国 家 标 准",
            "CIP-002-8.pdf",
            "目 次",
            "[TYPE HERE]",
            "表1 限额",
            "前 言",
        ] {
            assert!(!is_title(text), "{text}");
        }
        for text in
            ["电力系统安全稳定导则", "Physical Security", "MALAWI GRID CODE", "电力法", "Code of Practice 4"]
        {
            assert!(is_title(text), "{text}");
        }
    }

    #[test]
    fn printing_is_undone() {
        assert_eq!(tidy("通 讯 协 议 规 范"), "通讯协议规范");
        assert_eq!(
            tidy("城市消防远程监控系统 第3部分：报警传输网络通信协议"),
            "城市消防远程监控系统 第3部分：报警传输网络通信协议"
        );
        assert_eq!(tidy("MALAWI GRID CODE 1"), "MALAWI GRID CODE");
        assert_eq!(tidy("《电力监管条例》"), "电力监管条例");
    }

    #[test]
    fn the_kind_of_document_is_known() {
        assert!(names_kind("电力安全工作规程（发电厂和变电站电气部分）"));
        assert!(names_kind("MALAWI GRID CODE"));
        assert!(!names_kind("UNITED STATES OF AMERICA"));
    }
}
