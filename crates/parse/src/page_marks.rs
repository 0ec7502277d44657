//! Pages of texts that were taken out of paged documents: lines such as `【第 43 页】`, `Page 13 of 40` and `— 27 —`.
//!
//! Such a line looks like text. Left where it is it stands in the middle of a sentence and is quoted with it, and every place of
//! the document is cited as page 1. Marks count only as a whole: the same line with rising numbers all through the text.

use std::collections::BTreeMap;

/// Fewer lines with rising numbers may be anything.
const LEAST_MARKS: usize = 3;
/// Numbers that may be left out between two marks, on average: pages that were not taken along.
const LARGEST_STEP: u32 = 4;
/// Longer lines are no marks.
const LONGEST_MARK: usize = 24;
/// Lines beside a page border that are looked at for running heads.
const BESIDE: usize = 2;

/// A page of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TextPage<'t> {
    /// The number that its mark prints.
    pub label: Option<String>,
    pub lines: Vec<&'t str>,
}

/// Splits a text at its page marks and leaves out marks and running heads. One page without a label where it has no marks.
pub(crate) fn pages<'t>(lines: &[&'t str]) -> Vec<TextPage<'t>> {
    let mut styles: BTreeMap<String, Vec<(usize, u32)>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some((style, number)) = mark(line) {
            styles.entry(style).or_default().push((at, number));
        }
    }
    styles.retain(|_, marks| is_count(marks));
    // Of two kinds of marks, the page of the file and the number printed on it, the first is the one that was put there.
    let Some(borders) = styles.values().min_by_key(|marks| (std::cmp::Reverse(marks.len()), marks[0].0))
    else {
        return vec![TextPage { label: None, lines: lines.to_vec() }];
    };
    let is_mark =
        |at: usize| styles.values().any(|marks| marks.binary_search_by_key(&at, |(at, _)| *at).is_ok());
    let mut before_first = lines.iter().take(borders[0].0).enumerate();
    let is_text = |(at, line): (usize, &&str)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#') && !is_mark(at)
    };
    let is_on_top = !before_first.any(is_text);
    let mut pages = vec![TextPage { label: None, lines: Vec::new() }];
    for (at, line) in lines.iter().enumerate() {
        let number = borders.iter().find(|(border, _)| *border == at).map(|(_, number)| number.to_string());
        if let Some(number) = number {
            if is_on_top {
                pages.push(TextPage { label: Some(number), lines: Vec::new() });
            } else {
                if let Some(page) = pages.last_mut() {
                    page.label = Some(number);
                }
                pages.push(TextPage { label: None, lines: Vec::new() });
            }
        } else if !is_mark(at)
            && let Some(page) = pages.last_mut()
        {
            page.lines.push(line);
        }
    }
    leave_out_running_heads(&mut pages);
    pages
}

/// The kind of mark that a line is, with `#` for its numbers, and its first number.
fn mark(line: &str) -> Option<(String, u32)> {
    let text = line.trim().trim_matches(['*', '_']).trim();
    if text.is_empty() || text.chars().count() > LONGEST_MARK || text.starts_with('#') {
        return None;
    }
    let number: String =
        text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let number: u32 = number.parse().ok()?;
    let mut style = String::new();
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        let sign = if c.is_ascii_digit() { '#' } else { c.to_ascii_lowercase() };
        if !(sign == '#' && style.ends_with('#')) {
            style.push(sign);
        }
    }
    let words: String = style.chars().filter(|c| c.is_alphabetic()).collect();
    let is_word = matches!(words.as_str(), "第页" | "第页共页" | "共页第页" | "page" | "pageof" | "pagepage");
    let is_dash = |c: char| matches!(c, '-' | '–' | '—' | '－' | '―' | '·' | '~');
    let is_between_dashes = words.is_empty() && style.starts_with(is_dash) && style.ends_with(is_dash);
    (is_word || is_between_dashes).then_some((style, number))
}

/// Whether marks count pages: enough of them, and their numbers rise without great gaps.
fn is_count(marks: &[(usize, u32)]) -> bool {
    let rises = marks.windows(2).all(|pair| pair[0].1 < pair[1].1);
    let steps = || marks[marks.len() - 1].1.saturating_sub(marks[0].1) / (marks.len() as u32 - 1);
    marks.len() >= LEAST_MARKS && rises && steps() <= LARGEST_STEP
}

/// Takes out lines that stand at the edge of page after page: the title of the document, the name of the chapter.
fn leave_out_running_heads(pages: &mut [TextPage<'_>]) {
    let edge = |page: &TextPage<'_>| -> Vec<usize> {
        let filled: Vec<usize> =
            (0..page.lines.len()).filter(|at| !page.lines[*at].trim().is_empty()).collect();
        let last = filled.len().saturating_sub(BESIDE);
        filled
            .iter()
            .enumerate()
            .filter(|(at, _)| *at < BESIDE || *at >= last)
            .map(|(_, line)| *line)
            .collect()
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for page in pages.iter() {
        for at in edge(page) {
            *counts.entry(page.lines[at].trim().to_owned()).or_default() += 1;
        }
    }
    for page in pages {
        for at in edge(page) {
            let line = page.lines[at].trim();
            // The head of the first page may be the only title there is.
            if !line.starts_with('#') && counts.get(line).is_some_and(|count| *count >= LEAST_MARKS) {
                page.lines[at] = "";
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages with their labels, as `35: text`.
    fn split(text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        let join = |page: TextPage<'_>| {
            let lines: Vec<&str> = page.lines.into_iter().filter(|line| !line.is_empty()).collect();
            format!("{}: {}", page.label.unwrap_or_default(), lines.join("|"))
        };
        pages(&lines).into_iter().map(join).collect()
    }

    #[test]
    fn marks_at_the_top_begin_pages_and_printed_numbers_are_left_out() {
        let text = "# 第6章\n【第 35 页】\n调度规程\n— 27 —\n甲\n【第 36 页】\n调度规程\n— 28 —\n乙\n【第 38 页】\n调度规程\n— 30 —\n丙";
        assert_eq!(split(text), [": # 第6章", "35: 甲", "36: 乙", "38: 丙"]);
    }

    #[test]
    fn marks_at_the_foot_end_pages() {
        let found = split("one\n*Page 1 of 4*\ntwo\n*Page 2 of 4*\nthree\n*Page 3 of 4*\nfour");
        assert_eq!(found, ["1: one", "2: two", "3: three", ": four"]);
    }

    #[test]
    fn what_does_not_count_pages_is_text() {
        for text in [
            "一\n第3页\n二",
            "- 5 -\na\n- 3 -\nb\n- 9 -\nc",
            "-1-\n-90-\n-700-",
            "第1章\na\n第2章\nb\n第3章",
            "1\na\n2\nb\n3",
        ] {
            assert_eq!(split(text), [format!(": {}", text.replace('\n', "|"))], "{text}");
        }
    }
}
