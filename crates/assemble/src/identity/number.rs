//! The number of the document: a standard's code, a decree's number, a citation of a reporter. Candidates are weighed,
//! because a cover prints the code of what it replaces as large as its own.

use std::collections::BTreeMap;

use regreader_text::script::is_cjk;
use regreader_text::{StandardCode, find_codes};

use super::front::{FrontMatter, RunningHead};
use super::title::field;

/// A number and what follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    /// Canonical form.
    pub name: String,
    /// What all editions share; only codes of standards have it.
    pub series: Option<String>,
    /// Year or version in the code.
    pub edition: Option<String>,
}

impl From<StandardCode> for Number {
    fn from(code: StandardCode) -> Self {
        Self { name: code.name, series: Some(code.series), edition: code.edition }
    }
}

/// The number with the best evidence.
pub(super) fn find(front: &FrontMatter, heads: &[RunningHead], stem: &str) -> Option<Number> {
    let mut votes: BTreeMap<String, (f32, Number)> = BTreeMap::new();
    let mut vote = |number: Number, weight: f32| {
        votes.entry(number.name.clone()).or_insert((0.0, number)).0 += weight;
    };
    for line in front.lines.iter().filter(|line| line.page < 2) {
        if let Some(value) = field(&line.text, &["number", "标准编号", "标准号", "文件编号", "编号"])
        {
            let value = &before_next_field(value);
            match find_codes(value).into_iter().next() {
                Some(code) => vote(code.into(), 10.0),
                None if value.chars().count() <= 40 && value.chars().any(|c| c.is_ascii_digit()) => {
                    vote(Number { name: value.clone(), series: None, edition: None }, 9.0);
                }
                None => {}
            }
        }
        // A code alone on its line is the cover's; 代替 before it makes it another's.
        if line.page == 0
            && let Some(code) = lone_code(&line.text)
        {
            vote(code.into(), 5.0);
        }
    }
    // A running head stands on most pages: what it repeats is the document's own.
    for head in heads {
        let codes = find_codes(&head.text);
        let own = codes.first().filter(|code| {
            let before = head.text.get(..code.range.start).unwrap_or("").trim();
            let after = head.text.get(code.range.end..).unwrap_or("").trim();
            before.is_empty() || after.is_empty()
        });
        if let Some(code) = own {
            vote(code.clone().into(), 12.0 * head.share.min(1.0));
        }
    }
    if let Some(code) = front.metadata_title.as_deref().and_then(edge_code) {
        vote(code.into(), 4.0);
    }
    // A file name is anybody's word: only a code with its edition counts.
    let named = stem.replace('_', " ").to_ascii_uppercase();
    if let Some(code) = find_codes(&named).into_iter().next().filter(|code| code.edition.is_some()) {
        vote(restore_case(code, stem).into(), 3.0);
    }
    let dated: Vec<(f32, Number)> =
        votes.values().filter(|(_, number)| number.edition.is_some()).cloned().collect();
    let best = votes.into_values().fold(None, |best: Option<(f32, Number)>, (weight, number)| match best {
        Some((most, _)) if most >= weight => best,
        _ => Some((weight, number)),
    });
    best.map(|(_, number)| with_edition(number, &dated)).or_else(|| decree(front)).or_else(|| cited(front))
}

/// `Q/BX-022` of `Q/BX-022　版本：第 7 版　编写：…`, where several fields stand on a line.
fn before_next_field(value: &str) -> String {
    let words = value.split_whitespace().take_while(|word| !word.contains([':', '：']));
    words.collect::<Vec<_>>().join(" ")
}

/// A code that lost its year on some pages (recognised text does) is the one with a year in the same series.
fn with_edition(number: Number, dated: &[(f32, Number)]) -> Number {
    if number.edition.is_some() || number.series.is_none() {
        return number;
    }
    let same = dated.iter().filter(|(_, other)| other.series == number.series);
    let best = same.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other.clone());
    best.unwrap_or(number)
}

/// A code that is all of a line, brackets aside.
fn lone_code(text: &str) -> Option<StandardCode> {
    let bare = text.trim().trim_matches(['（', '）', '(', ')']);
    find_codes(bare).into_iter().next().filter(|code| code.range == (0..bare.len()))
}

/// A code at the beginning or the end of a text.
fn edge_code(text: &str) -> Option<StandardCode> {
    let text = text.trim_end_matches(".pdf");
    let codes = find_codes(text);
    codes.into_iter().find(|code| {
        code.range.start == 0 || text.get(code.range.end..).is_some_and(|rest| rest.trim().is_empty())
    })
}

/// File names are compared in capitals; `5.1A` was `5.1a`.
fn restore_case(mut code: StandardCode, stem: &str) -> StandardCode {
    if let Some(edition) = &code.edition {
        let lower = edition.to_lowercase();
        if stem.contains(&lower) {
            code.name = format!("{}-{lower}", code.series);
            code.edition = Some(lower);
        }
    }
    code
}

/// 国务院令第196号, 浙江省人民代表大会常务委员会公告第13号: in the lines before the first chapter.
fn decree(front: &FrontMatter) -> Option<Number> {
    let head = front
        .lines
        .iter()
        .take_while(|line| !line.text.starts_with("第一章") && !line.text.starts_with("第一条"));
    head.filter(|line| line.page < 2).take(20).find_map(|line| decree_in(&line.text)).map(|name| Number {
        name,
        series: None,
        edition: None,
    })
}

fn decree_in(text: &str) -> Option<String> {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    for kind in ["令第", "公告第", "令（第", "令(第"] {
        let Some(at) = bare.find(kind) else { continue };
        let tail = bare.get(at + kind.len()..)?;
        let digits: String = tail
            .chars()
            .take_while(|c| c.is_ascii_digit() || regreader_text::number::is_cjk_numeral(*c))
            .collect();
        if digits.is_empty() || !tail.get(digits.len()..)?.starts_with('号') {
            continue;
        }
        let before = bare.get(..at)?;
        let body_len: usize = before
            .chars()
            .rev()
            .take_while(|c| is_cjk(*c) && !matches!(c, '日' | '以' | '经'))
            .map(char::len_utf8)
            .sum();
        let body = before.get(before.len() - body_len..)?;
        let body = body.strip_prefix("中华人民共和国").unwrap_or(body);
        let quoted = before.contains(['《', '<', '〈', '修']);
        if !body.is_empty() && !quoted {
            let word = if kind.starts_with('公') { "公告" } else { "令" };
            return Some(format!("{body}{word}第{digits}号"));
        }
    }
    None
}

/// `195 FERC ¶ 61,212`; `Ministerial Order No. BA 2025 02`: a line of the first page that is nothing but a number of a
/// series of decisions.
fn cited(front: &FrontMatter) -> Option<Number> {
    front.on_page(0).take(40).map(|line| line.text.trim()).filter(|text| text.chars().count() <= 60).find_map(
        |text| {
            let paragraph = text.contains('¶')
                && text.starts_with(|c: char| c.is_ascii_digit())
                && text.ends_with(|c: char| c.is_ascii_digit());
            let order = text.split_once(" No. ").is_some_and(|(kind, number)| {
                super::plausible::names_kind(kind)
                    && number.chars().any(|c| c.is_ascii_digit())
                    && number.len() <= 24
                    && !number.contains(". ")
            });
            (paragraph || order).then(|| Number { name: text.to_owned(), series: None, edition: None })
        },
    )
}

/// `ENA Engineering Recommendation G99`: a short code at the end of a name that every page repeats.
pub(super) fn in_title(title: &str, heads: &[RunningHead]) -> Option<Number> {
    let last = title.rsplit(' ').next()?;
    let letters = last.chars().take_while(char::is_ascii_uppercase).count();
    let code = letters > 0
        && last.len() <= 12
        && last.chars().nth(letters).is_some_and(|c| c.is_ascii_digit())
        && last.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | '.'));
    let repeated = heads.iter().any(|head| head.share > 0.5 && head.text.contains(last));
    let named = title.split(' ').count() > 1 && super::plausible::names_kind(title);
    (code && repeated && named).then(|| Number {
        name: last.to_owned(),
        series: Some(last.to_owned()),
        edition: None,
    })
}

/// `Issue 2 2025`, `Revision 3`, `Version 1.2`, `Edition 4`: alone on a line of the cover or in the running head.
pub(super) fn printed_edition(front: &FrontMatter, heads: &[RunningHead]) -> Option<String> {
    const WORDS: [&str; 6] = ["issue", "revision", "version", "edition", "rev.", "rev"];
    let heads = heads.iter().filter(|head| head.share > 0.3).map(|head| head.text.as_str());
    let cover = front.on_page(0).take(60).map(|line| line.text.as_str());
    heads.chain(cover).find_map(|text| {
        let text = text.trim();
        let mut words = text.split(' ');
        let first = words.next()?.to_lowercase();
        let number = words.next()?;
        let short = text.chars().count() <= 30 && number.chars().next().is_some_and(|c| c.is_ascii_digit());
        let rest_is_date = words.all(|word| {
            word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '/' | ','))
                || regreader_text::date::month_named(word).is_some()
                || matches!(word, "–" | "—" | "-")
        });
        (WORDS.contains(&first.as_str()) && short && rest_is_date).then(|| text.to_owned())
    })
}

/// Short names, the one for citations first: the code of a standard, else the name without the country.
pub(super) fn aliases(title: &str, number: Option<&Number>) -> Vec<String> {
    let mut names = Vec::new();
    let short = title.strip_prefix("中华人民共和国").filter(|short| short.chars().count() >= 3);
    if let Some(number) = number {
        let decree = number.name.ends_with('号');
        if decree {
            names.push(short.unwrap_or(title).to_owned());
        }
        names.push(number.name.clone());
        names.extend(number.series.clone());
    }
    names.extend(short.map(str::to_owned));
    let mut seen = Vec::new();
    names.retain(|name| {
        let new = !seen.contains(name);
        seen.push(name.clone());
        new
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decrees_are_read_with_their_body() {
        assert_eq!(
            decree_in("1996年4月17日 中华人民共和国国务院令第196号发布").as_deref(),
            Some("国务院令第196号")
        );
        assert_eq!(
            decree_in("2014年3月27日 浙江省人民代表大会常务委员会公告第13号公布").as_deref(),
            Some("浙江省人民代表大会常务委员会公告第13号")
        );
        assert_eq!(decree_in("根据2016年《国务院令第666号》修改"), None);
    }

    #[test]
    fn a_number_ends_where_the_next_field_of_its_line_begins() {
        assert_eq!(before_next_field("Q/BX-022　　版本：第 7 版　编写：某班"), "Q/BX-022");
        assert_eq!(before_next_field("Q/BX 022"), "Q/BX 022");
    }

    #[test]
    fn a_standard_is_called_by_its_code_and_a_law_by_its_name() {
        let code = Number::from(find_codes("GB 38755—2019").remove(0));
        assert_eq!(aliases("电力系统安全稳定导则", Some(&code)), ["GB 38755-2019", "GB 38755"]);
        assert_eq!(aliases("中华人民共和国电力法", None), ["电力法"]);
        let decree = Number { name: "国务院令第432号".to_owned(), series: None, edition: None };
        assert_eq!(aliases("电力监管条例", Some(&decree)), ["电力监管条例", "国务院令第432号"]);
    }
}
