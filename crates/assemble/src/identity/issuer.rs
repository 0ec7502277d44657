//! Who issues the document: people name a standard by it (江苏那个协议) where its title and number do not tell.

use std::sync::LazyLock;

use regreader_text::fold;

use super::front::{FrontLine, FrontMatter};

/// Characters of the name of a body.
const LONGEST: usize = 40;
const SHORTEST: usize = 4;
/// Bodies that issue one document together.
const MOST: usize = 3;

/// The words of `issuer.txt`.
struct Words {
    /// What stands behind a body that issues: 发布.
    behind: Vec<&'static str>,
    /// What stands before it: `issued by`.
    before: Vec<&'static str>,
    /// How the names of bodies end.
    body: Vec<&'static str>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let of = |name: &str| {
        let lines = include_str!("issuer.txt").lines().filter(|line| !line.starts_with('#'));
        let line = lines.filter_map(|line| line.split_once(';')).find(|(kind, _)| *kind == name);
        line.into_iter().flat_map(|(_, words)| words.split(',')).map(str::trim).collect()
    };
    Words { behind: of("behind"), before: of("before"), body: of("body") }
});

/// The bodies that the cover says issue the document, as it prints them.
pub(super) fn find(front: &FrontMatter) -> Option<String> {
    let cover: Vec<&FrontLine> = front.on_page(0).collect();
    let mut bodies: Vec<String> = Vec::new();
    for (at, line) in cover.iter().enumerate() {
        let text = squeezed(&line.text);
        if let Some(body) = WORDS.behind.iter().find_map(|word| text.strip_suffix(word)) {
            if body.is_empty() {
                // 发布 by itself stands between the bodies or beside them.
                let beside = at.checked_sub(1).into_iter().chain([at + 1]).filter_map(|at| cover.get(at));
                bodies.extend(beside.map(|line| squeezed(&line.text)).filter(|text| is_body(text)));
            } else if is_body(body) {
                bodies.push(body.to_owned());
            }
        } else if let Some(body) = behind_words(&line.text) {
            bodies.push(body);
        }
    }
    bodies.dedup();
    bodies.truncate(MOST);
    (!bodies.is_empty()).then(|| bodies.join(" "))
}

/// What follows `Issued by`.
fn behind_words(line: &str) -> Option<String> {
    let line = line.trim();
    let before = WORDS
        .before
        .iter()
        .find(|word| line.is_char_boundary(word.len()) && { fold(&line[..word.len()]) == **word })?;
    let body = line[before.len()..].trim_start_matches(':').trim().trim_end_matches('.');
    let is_name = body.starts_with(char::is_uppercase) && body.chars().count() <= 2 * LONGEST;
    is_name.then(|| body.to_owned())
}

/// Whether a text reads like the name of a body. A date of issue has digits.
fn is_body(text: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&text.chars().count())
        && !text.contains(|c: char| c.is_ascii_digit() || c == '《')
        && WORDS.body.iter().any(|end| text.ends_with(end))
}

/// A line without its blanks: covers are printed wide.
fn squeezed(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use regreader_model::TextRole;

    fn issuer(lines: &[&str]) -> Option<String> {
        let line = |text: &&str| FrontLine {
            page: 0,
            text: (*text).to_owned(),
            role: TextRole::Body,
            size: None,
            bold: false,
            centred: false,
            bbox: None,
        };
        find(&FrontMatter { lines: lines.iter().map(line).collect(), ..FrontMatter::default() })
    }

    #[test]
    fn the_body_beside_the_word_issues() {
        let cover =
            ["T/XX 001—2024", "某电网通信规范", "2024-12-29 发布 2025-01-01 实施", "东海省电力行业协会 发布"];
        assert_eq!(issuer(&cover).as_deref(), Some("东海省电力行业协会"));
        let two = ["2024年 12月11日发布", "东海省能源局", "发布", "东 海 省 电 力 学 会"];
        assert_eq!(issuer(&two).as_deref(), Some("东海省能源局 东海省电力学会"));
    }

    #[test]
    fn an_imprint_names_who_publishes() {
        let cover = ["Grid Code", "Issued by: Northland Energy Regulator.", "issued by hand"];
        assert_eq!(issuer(&cover).as_deref(), Some("Northland Energy Regulator"));
    }

    #[test]
    fn a_date_or_a_sentence_is_no_body() {
        assert_eq!(issuer(&["2024-12-29 发布", "本规定自 2024 年发布", "第一章 总则"]), None);
        assert_eq!(issuer(&["目录", "发布", "前言"]), None);
    }
}
