//! Where sentences end, and what kind of line they stand on.

use std::sync::LazyLock;

use regreader_text::words_of;

/// Sentences that take back or limit what stands before them: they are never parted from it.
static EXCEPTIONS: LazyLock<Vec<&str>> =
    LazyLock::new(|| words_of(crate::WORDS, "beginnings of an exception"));

/// A line at the ends of its sentences: 。；！？, and in English `; `, or `. ` before a capital letter or a bracket. Closing
/// quotation marks and the raised numbers of footnotes belong to the sentence before them: `the order.”¹² The study …`.
pub fn split_sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, c) in line.char_indices() {
        let mut end = at + c.len_utf8();
        let rest = &line[end..];
        let is_end = match c {
            '。' | '；' | '！' | '？' => !rest.starts_with(['”', '）', ')', '"']) && !is_mark(rest),
            ';' => rest.starts_with(' '),
            '.' | '?' | '!' => {
                let next = rest.trim_start_matches(|c| is_closing(c) || is_superscript(c));
                end = line.len() - next.len();
                next.starts_with(' ')
                    && next
                        .trim_start()
                        .starts_with(|c: char| c.is_uppercase() || matches!(c, '(' | '“' | '"'))
                    && !is_abbreviated(&line[from..at])
            }
            _ => false,
        };
        if is_end {
            found.push(&line[from..end]);
            from = end;
        }
    }
    found.push(&line[from..]);
    found.retain(|text| !text.trim().is_empty());
    found
}

fn is_closing(c: char) -> bool {
    matches!(c, '”' | '’' | '"' | ')' | ']')
}

fn is_superscript(c: char) -> bool {
    matches!(c, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹')
}

/// Whether a text begins with a mark in brackets that belongs to what stands before it: `（√）`.
fn is_mark(text: &str) -> bool {
    let Some(inner) = text.strip_prefix(['（', '(']) else { return false };
    inner.find(['）', ')']).is_some_and(|end| {
        let mark = inner[..end].trim();
        mark.chars().count() == 1 && !mark.contains(char::is_alphanumeric)
    })
}

/// Whether a text ends in what its full stop belongs to: one letter, a word with a full stop inside (`e.g.`), or the number of
/// an item (`1. EACMS; 2. PACS`).
fn is_abbreviated(text: &str) -> bool {
    let last = text.rsplit(' ').next().unwrap_or_default().trim_start_matches(['(', '“', '"']);
    let is_item = last.len() <= 2 && last.chars().all(|c| c.is_ascii_digit());
    last.contains('.') || is_item || last.chars().count() == 1 && last.contains(char::is_alphabetic)
}

/// Whether a line of a table is the rule under its header: `|---|---|`.
pub(super) fn is_rule(line: &str) -> bool {
    line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Whether a line is marked as false, as true-or-false items of examinations are: `…应开启。（×）`. Quoted without its
/// mark it would be taken for a rule, so it is never evidence.
pub(super) fn is_marked_false(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches(['。', '.', ' ']);
    let Some(inner) = line.strip_suffix(['）', ')']) else { return false };
    inner
        .trim_end()
        .strip_suffix(['×', '✕', '✗', '╳'])
        .is_some_and(|rest| rest.trim_end().ends_with(['（', '(']))
}

/// Whether a text leads into what follows it: its last sign is a colon, or was before a remark in square brackets was set
/// behind it (`… shall consider the following: [Time Horizon: Operations Planning]`).
pub(super) fn leads(text: &str) -> bool {
    let text = text.trim_end();
    let remark = text.strip_suffix(']').and_then(|inner| inner.rfind('['));
    remark.map_or(text, |at| text[..at].trim_end()).ends_with(['：', ':'])
}

pub(super) fn is_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['。', '；', '.', ';'])
}

/// Whether a sentence takes back or limits what stands before it.
pub fn is_exception(text: &str) -> bool {
    let text = text.trim_start().to_lowercase();
    EXCEPTIONS.iter().any(|word| text.starts_with(word))
}

/// Whether a text takes something out of what it says: 除青雁断面外, except for Line 2.
pub fn has_exception(text: &str) -> bool {
    let folded = text.to_lowercase();
    let words = || folded.split(|c: char| !c.is_alphanumeric());
    EXCEPTIONS.iter().any(|word| match word.is_ascii() {
        true if word.contains(' ') => folded.contains(word),
        true => words().any(|one| one == *word),
        false => folded.contains(word),
    })
}
