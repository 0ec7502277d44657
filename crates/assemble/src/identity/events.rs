//! What the document says about its own life: when it was passed, published and put into force, and what it replaces.
//! An event is read only where the words say so; what is not certain is left out.

use regreader_model::{CivilDate, EditionEvent, EventEvidence, EventKind, PageNumber};
use regreader_text::find_codes;

use super::front::FrontMatter;
use super::title::field;
use crate::paragraph::{Para, ParaKind};
use regreader_text::date::find_dates as dates;

/// Longest quotation kept as evidence.
const QUOTED: usize = 160;

/// Events on the first pages: 2019-12-31 发布, 代替 DL 755—2001, `Effective Date: …`, (Issued June 18, 2026).
pub(super) fn on_cover(front: &FrontMatter) -> Vec<EditionEvent> {
    let mut events = Vec::new();
    for line in &front.lines {
        let text = line.text.as_str();
        if line.page == 0 || text.chars().count() <= 200 {
            if line.page <= 1 {
                dated_words(text, line.page, &mut events);
            }
            issued(text, line.page, &mut events);
        }
        if line.page == 0 {
            replaced(text, line.page, &mut events);
        }
        if let Some(value) =
            field(text, &["effective date", "date of effect", "实施日期", "施行日期", "生效日期"])
        {
            effective_field(value, text, line.page, &mut events);
        }
        if let Some(value) =
            field(text, &["发布日期", "publication date", "date of publication", "issue date"])
            && let Some((_, _, date)) = dates(value).into_iter().next()
        {
            push(&mut events, EventKind::Published, Some(date), None, line.page, text);
        }
    }
    events
}

/// Events in the text: 本标准代替…, 本条例自…起施行, 《…》同时废止.
pub(super) fn in_text(paras: &[Para], events: &mut Vec<EditionEvent>) {
    for para in paras {
        if !matches!(para.kind, ParaKind::Mark(_) | ParaKind::Text | ParaKind::List | ParaKind::Note) {
            continue;
        }
        let text: String = para.text.chars().filter(|c| !c.is_whitespace()).collect();
        for sentence in text.split_inclusive(['。', '；']) {
            if sentence.contains("起施行")
                || sentence.contains("起实施")
                || sentence.contains("起执行")
                || sentence.contains("起生效")
            {
                in_force(sentence, para.page, events);
            }
            if sentence.contains("代替") || sentence.contains("替代") || sentence.contains("取代") {
                replaced(sentence, para.page, events);
            }
            if sentence.contains("同时废止") {
                abolished(sentence, para.page, events);
            }
        }
    }
}

fn push(
    events: &mut Vec<EditionEvent>,
    kind: EventKind,
    date: Option<CivilDate>,
    subject: Option<String>,
    page: usize,
    words: &str,
) {
    // A cover and a closing clause say the same day twice; what has no date yet gains one.
    let known = events.iter_mut().find(|event| {
        event.kind == kind
            && event.subject == subject
            && (event.date == date || event.date.is_none() || date.is_none())
    });
    if let Some(known) = known {
        if known.date.is_some() || date.is_none() {
            return;
        }
        known.date = date;
        known.evidence = evidence(page, words);
        return;
    }
    // Documents have few events; a hostile one must not fill the library's list.
    if events.len() < 64 {
        events.push(EditionEvent {
            kind,
            date,
            subject,
            by: None,
            scope: None,
            evidence: evidence(page, words),
            recorded_at: String::new(),
        });
    }
}

fn evidence(page: usize, words: &str) -> EventEvidence {
    EventEvidence::Page { page_num: PageNumber::from_index(page), text: words.chars().take(QUOTED).collect() }
}

/// A date directly before 发布 or 实施, and the dated lines under the name of a law (1995年12月28日 …会议通过).
fn dated_words(line: &str, page: usize, events: &mut Vec<EditionEvent>) {
    let text: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let found = dates(&text);
    let Some((start, first_end, first)) = found.first().copied() else { return };
    let mut adjacent = false;
    for (_, end, date) in &found {
        let after = text.get(*end..).unwrap_or("");
        let after = after.trim_start_matches(['起', '正', '式']);
        let kind = [
            (EventKind::Published, ["发布", "公布", "颁布", "印发"].as_slice()),
            (EventKind::Effective, ["实施", "施行", "执行", "生效"].as_slice()),
            (EventKind::Adopted, ["批准", "通过"].as_slice()),
        ]
        .into_iter()
        .find(|(_, words)| words.iter().any(|word| after.starts_with(word)))
        .map(|(kind, _)| kind);
        if let Some(kind) = kind {
            push(events, kind, Some(*date), None, page, line);
            adjacent = true;
        }
    }
    let rest = text.get(first_end..).unwrap_or("");
    if adjacent || start > 3 || found.len() > 2 || rest.is_empty() || rest.contains('。') {
        return;
    }
    let ends = |words: &[&str]| words.iter().any(|word| rest.trim_end_matches([')', '）']).ends_with(word));
    let kind = if ends(&["修正", "修订", "修改", "修订通过", "修改通过"]) {
        EventKind::Amended
    } else if ends(&["通过", "批准"]) {
        EventKind::Adopted
    } else if ends(&["发布", "公布", "颁布", "印发"]) {
        EventKind::Published
    } else if ends(&["施行", "实施"]) {
        EventKind::Effective
    } else {
        return;
    };
    push(events, kind, Some(first), None, page, line);
}

/// (Issued June 18, 2026).
fn issued(line: &str, page: usize, events: &mut Vec<EditionEvent>) {
    let bare = line.trim().trim_start_matches('(');
    let lower = bare.to_ascii_lowercase();
    let kind = if lower.starts_with("issued ") || lower.starts_with("published ") {
        EventKind::Published
    } else if lower.starts_with("adopted ") || lower.starts_with("approved ") {
        EventKind::Adopted
    } else {
        return;
    };
    let found = dates(bare);
    if bare.chars().count() <= 60
        && let [(_, _, date)] = found.as_slice()
    {
        push(events, kind, Some(*date), None, page, line);
    }
}

/// A date, or words that make it depend on something else. A pointer to another document is no date.
fn effective_field(value: &str, line: &str, page: usize, events: &mut Vec<EditionEvent>) {
    let found = dates(value);
    let lower = value.to_ascii_lowercase();
    let depends = ["later of", "earlier of", "first day", "after", "unless", "otherwise"]
        .iter()
        .any(|word| lower.contains(word));
    match found.as_slice() {
        [(_, _, date)] if !depends => push(events, EventKind::Effective, Some(*date), None, page, line),
        _ if depends => push(events, EventKind::Effective, None, None, page, line),
        _ => {}
    }
}

/// 本条例自2005年5月1日起施行; 本规定自发布之日起施行.
fn in_force(sentence: &str, page: usize, events: &mut Vec<EditionEvent>) {
    let Some(from) = sentence.rfind('自') else { return };
    let before = sentence.get(..from).unwrap_or("");
    let tail = sentence.get(from..).unwrap_or("");
    let own = before.contains('本') && !before.contains('《');
    let end = ["起施行", "起实施", "起执行", "起生效"].iter().filter_map(|word| tail.find(word)).min();
    let Some(words) = end.and_then(|end| tail.get(..end)).filter(|_| own) else { return };
    let date = match dates(words).as_slice() {
        [(_, _, date)] => Some(*date),
        [] if ["发布之日", "公布之日", "颁布之日", "印发之日"].iter().any(|word| words.contains(word)) =>
        {
            let published =
                events.iter().find(|event| event.kind == EventKind::Published && event.subject.is_none());
            published.and_then(|event| event.date)
        }
        _ => return,
    };
    push(events, EventKind::Effective, date, None, page, sentence);
}

/// 本标准代替 GB/T 1—2000、GB/T 2—2001; on a cover 代替 alone.
fn replaced(text: &str, page: usize, events: &mut Vec<EditionEvent>) {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    for word in ["代替", "替代", "取代"] {
        let Some(at) = bare.find(word) else { continue };
        let before = bare.get(..at).unwrap_or("");
        let partly = before.ends_with("部分");
        let head = before.trim_end_matches("部分");
        let own = head.is_empty()
            || ["标准", "规程", "规范", "导则", "文件", "部分", "规定", "办法"]
                .iter()
                .any(|kind| head.contains(&format!("本{kind}")));
        let after = bare.get(at + word.len()..).unwrap_or("");
        let mut from = 0;
        for code in find_codes(after) {
            // A list of codes with their titles between; anything longer is about something else.
            let between = after.get(from..code.range.start).unwrap_or("");
            let outside: String = strip_titles(between);
            if !own || outside.chars().count() > 6 || code.edition.is_none() && page > 0 {
                break;
            }
            from = code.range.end;
            let kind = if partly { EventKind::PartlyReplaced } else { EventKind::Replaced };
            push(events, kind, None, Some(code.name), page, text);
        }
        return;
    }
}

/// The text without what stands in 《》 and brackets.
fn strip_titles(text: &str) -> String {
    let mut depth = 0_i32;
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '《' | '（' | '(' => depth += 1,
            '》' | '）' | ')' => depth -= 1,
            _ if depth <= 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// A title and what became of it: …《电力监管办法》同时废止.
fn abolished(sentence: &str, page: usize, events: &mut Vec<EditionEvent>) {
    let Some(at) = sentence.find("同时废止") else { return };
    let mut rest = sentence.get(..at).unwrap_or("");
    let date = events
        .iter()
        .find(|event| event.kind == EventKind::Effective && event.subject.is_none())
        .and_then(|event| event.date);
    let mut names = Vec::new();
    while let Some((_, tail)) = rest.split_once('《') {
        let Some((name, after)) = tail.split_once('》') else { break };
        names.push(name.to_owned());
        rest = after;
    }
    for name in names.into_iter().take(16) {
        push(events, EventKind::Abolished, date, Some(name), page, sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cover(lines: &[&str]) -> Vec<(EventKind, Option<String>)> {
        let mut events = Vec::new();
        for line in lines {
            dated_words(line, 0, &mut events);
            issued(line, 0, &mut events);
        }
        events.into_iter().map(|event| (event.kind, event.date.map(|date| date.to_string()))).collect()
    }

    #[test]
    fn a_cover_says_when_it_was_published_and_put_into_force() {
        let both = [
            (EventKind::Published, Some("2019-12-31".to_owned())),
            (EventKind::Effective, Some("2020-07-01".to_owned())),
        ];
        assert_eq!(cover(&["２０１９１２３１ 发布 ２０２００７０１ 实施"]), both);
        assert_eq!(cover(&["2019年12月31日 发布", "2020年 7月 1日起 实施"]), both);
        assert_eq!(cover(&["(Issued December 31, 2019)"]), both[..1]);
        assert_eq!(cover(&["本规定由国调负责实施"]), []);
    }

    #[test]
    fn the_lines_under_a_law_are_its_history() {
        assert_eq!(
            cover(&[
                "1995年12月28日 第八届全国人民代表大会常务委员会第十七次会议通过",
                "2018年12月29日 第十三届全国人民代表大会常务委员会第七次会议《关于修改〈电力法〉等四部法律的决定》第三次修正",
                "1996年4月17日 中华人民共和国国务院令第196号发布",
            ]),
            [
                (EventKind::Adopted, Some("1995-12-28".to_owned())),
                (EventKind::Amended, Some("2018-12-29".to_owned())),
                (EventKind::Published, Some("1996-04-17".to_owned())),
            ]
        );
    }

    #[test]
    fn closing_clauses_and_forewords_are_read() {
        let mut events = vec![];
        dated_words("1987年9月15日 国务院发布", 0, &mut events);
        in_force("第三十二条本条例自发布之日起施行。", 4, &mut events);
        replaced("本标准代替DL755—2001《电力系统安全稳定导则》。", 3, &mut events);
        replaced("见GB1—2001，不得代替DL756—2001。", 5, &mut events);
        abolished("《旧办法》同时废止。", 4, &mut events);
        let read: Vec<_> = events
            .iter()
            .map(|event| (event.kind, event.date.map(|date| date.to_string()), event.subject.as_deref()))
            .collect();
        let day = Some("1987-09-15".to_owned());
        assert_eq!(
            read,
            [
                (EventKind::Published, day.clone(), None),
                (EventKind::Effective, day.clone(), None),
                (EventKind::Replaced, None, Some("DL 755-2001")),
                (EventKind::Abolished, day, Some("旧办法")),
            ]
        );
    }

    #[test]
    fn a_conditional_date_is_no_date() {
        let mut events = vec![];
        effective_field("See Implementation Plan", "", 0, &mut events);
        assert!(events.is_empty());
        effective_field("the later of July 1, 2015, or the first day after approval", "", 0, &mut events);
        assert_eq!(events[0].date, None);
        events.clear();
        effective_field("July 1, 2015", "", 0, &mut events);
        assert_eq!(events[0].date.map(|date| date.to_string()).as_deref(), Some("2015-07-01"));
    }
}
