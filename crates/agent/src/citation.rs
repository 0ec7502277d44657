//! Citations as people and models write them: `[来源: 安规2024 P85 表6-2]`.

use std::ops::Range;

use regreader_model::{Citation, CitationTarget, PageNumber};

/// Pages of one citation that are looked at.
const MAX_SPAN: u32 = 3;

/// The pages of a citation that are looked at.
pub fn cited_pages(citation: &Citation) -> impl Iterator<Item = PageNumber> + use<> {
    let first = citation.page_num.map_or(0, PageNumber::get);
    let last = citation.last_page.map_or(first, PageNumber::get);
    (first..=last.min(first.saturating_add(MAX_SPAN - 1)).max(first)).filter_map(PageNumber::new)
}

/// Every citation in a text, and the text without them. They carry the regulation's name as it was written.
pub fn take_citations(text: &str) -> (String, Vec<Citation>) {
    let mut rest = String::with_capacity(text.len());
    let mut places = Vec::new();
    let mut from = 0;
    while let Some((range, inner)) = next(text, from) {
        rest.push_str(text[from..range.start].trim_end_matches(' '));
        places.extend(inner.split(['；', ';']).filter_map(place));
        from = range.end;
    }
    rest.push_str(&text[from..]);
    (rest.trim().to_owned(), places)
}

/// The next bracket that begins with 来源.
fn next(text: &str, from: usize) -> Option<(Range<usize>, &str)> {
    let mut at = from;
    while let Some(found) = text[at..].find("来源") {
        let word = at + found;
        at = word + "来源".len();
        let open = text[..word].trim_end().char_indices().next_back();
        let close = match open {
            Some((_, '[')) => ']',
            Some((_, '［')) => '］',
            Some((_, '【')) => '】',
            Some((_, '（')) => '）',
            Some((_, '(')) => ')',
            _ => continue,
        };
        let inside = text[at..].trim_start();
        let Some(inner) = inside.strip_prefix([':', '：']) else { continue };
        let begin = text.len() - inner.len();
        let Some(end) = inner.find(close) else { continue };
        let start = open.map_or(word, |(start, _)| start);
        if start < from {
            continue;
        }
        return Some((start..begin + end + close.len_utf8(), inner[..end].trim()));
    }
    None
}

/// `安规2024 P85 表6-2`, `安规2024 P23-24`, `安规 第85页`.
fn place(text: &str) -> Option<Citation> {
    let text = text.trim();
    let (name, rest) = split_page(text)?;
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
    let first = digits(rest);
    let page_num = first.parse().ok().and_then(PageNumber::new)?;
    let mut rest = &rest[first.len()..];
    let mut last_page = None;
    let range = rest.trim_start().strip_prefix(['-', '–', '—', '~', '～', '至']);
    if let Some(after) = range {
        let after = after.trim_start().trim_start_matches(['P', 'p']);
        let last = digits(after);
        if let Ok(number) = last.parse::<u32>() {
            last_page = PageNumber::new(number).filter(|last| *last > page_num);
            rest = &after[last.len()..];
        }
    }
    let rest = rest.trim_start().trim_start_matches('页');
    let page_approximate = rest.starts_with("（约）");
    let target = rest
        .trim_start_matches("（约）")
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '，' | '、'));
    Some(Citation {
        name: name.trim().trim_end_matches([',', '，']).to_owned(),
        page_num: Some(page_num),
        last_page,
        page_approximate,
        target: CitationTarget::read(target),
        ..Citation::default()
    })
}

/// What stands before the page mark and what after it: the last ` P` or `第` that a digit follows.
fn split_page(text: &str) -> Option<(&str, &str)> {
    let marks = text.char_indices().filter_map(|(at, c)| {
        let after = text[at + c.len_utf8()..].trim_start_matches('.').trim_start();
        let is_mark = matches!(c, 'P' | 'p' | '第') && after.starts_with(|c: char| c.is_ascii_digit());
        let own_word = c == '第' || text[..at].ends_with(|c: char| !c.is_ascii_alphanumeric());
        let is_page = c != '第'
            || after
                .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '–' | '~' | '～'))
                .trim_start()
                .starts_with('页');
        (is_mark && own_word && is_page && at > 0).then_some((&text[..at], after))
    });
    marks.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<(String, u32, u32, Option<String>)> {
        let shown = |one: Citation| {
            let pages: Vec<u32> = cited_pages(&one).map(PageNumber::get).collect();
            (one.name, pages[0], pages[pages.len() - 1], one.target.map(|target| target.to_string()))
        };
        take_citations(text).1.into_iter().map(shown).collect()
    }

    #[test]
    fn citations_are_read_as_people_write_them() {
        let one = |name: &str, page, last, target: Option<&str>| {
            vec![(name.to_owned(), page, last, target.map(str::to_owned))]
        };
        assert_eq!(places("立即汇报 [来源: 安规2024 P85 表6-2]"), one("安规2024", 85, 85, Some("表6-2")));
        assert_eq!(
            places("立即汇报【来源：安规2024 P23-24 6.2.1】。"),
            one("安规2024", 23, 24, Some("6.2.1"))
        );
        assert_eq!(places("（来源: 安规2024 第 9 页 注1）"), one("安规2024", 9, 9, Some("注1")));
        assert_eq!(places("[来源: REL-901 P3（约）]"), one("REL-901", 3, 3, None));
        assert_eq!(places("[来源: 安规2024 P10 表2-3; 稳规2024 P9]").len(), 2);
        for bad in ["[来源: 安规2024]", "[来源: P]", "来源: 安规 P3", "[来源: 安规 P0]", "[来源", "【来源】"]
        {
            assert!(places(bad).is_empty(), "{bad}");
        }
    }

    #[test]
    fn what_is_left_is_the_statement() {
        let (text, _) = take_citations("切机 [来源: 安规2024 P1]，并汇报 [来源: 安规2024 P2]。");
        assert_eq!(text, "切机，并汇报。");
    }
}
