//! Points: the best rule by which any keyword meets a document. Knows no files, no order and no limits.

use crate::document::Document;
use crate::model::Rule;
use crate::words::{Keyword, Name, NameMatch, fold};

/// The rule that gave a document its points, and the keyword.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit<'k> {
    pub rule: Rule,
    pub keyword: &'k Keyword,
}

/// The best hit of all keywords; rules are tried from the dearest down, so the first found is the best.
pub(crate) fn score<'k>(keywords: &'k [Keyword], name: &Name, document: &Document) -> Option<Hit<'k>> {
    by_name(keywords, name)
        .or_else(|| by_front_matter(keywords, document))
        .or_else(|| by_content(keywords, document))
}

fn by_name<'k>(keywords: &'k [Keyword], name: &Name) -> Option<Hit<'k>> {
    let mut part = None;
    for keyword in keywords {
        match keyword.in_name(name) {
            Some(NameMatch::Exact) => return Some(Hit { rule: Rule::FileNameExact, keyword }),
            Some(NameMatch::Part) => part = part.or(Some(Hit { rule: Rule::FileNamePart, keyword })),
            None => {}
        }
    }
    part
}

fn by_front_matter<'k>(keywords: &'k [Keyword], document: &Document) -> Option<Hit<'k>> {
    let tags: Vec<String> = document.front.tags.iter().map(|tag| fold(tag)).collect();
    if let Some(keyword) = keywords.iter().find(|keyword| tags.iter().any(|tag| keyword.in_prose(tag))) {
        return Some(Hit { rule: Rule::Tags, keyword });
    }
    let title = fold(document.front.title.as_deref()?);
    let keyword = keywords.iter().find(|keyword| keyword.in_prose(&title))?;
    Some(Hit { rule: Rule::Title, keyword })
}

/// The lead holds the headings too: nothing beyond it is ever read. Which of the two it was matters only to whoever
/// asks for the reasons.
fn by_content<'k>(keywords: &'k [Keyword], document: &Document) -> Option<Hit<'k>> {
    let lead = fold(&document.lead);
    let keyword = keywords.iter().find(|keyword| keyword.in_prose(&lead))?;
    let heading =
        |keyword: &&Keyword| lead.lines().filter(|line| is_heading(line)).any(|line| keyword.in_prose(line));
    Some(match keywords.iter().find(heading) {
        Some(keyword) => Hit { rule: Rule::Heading, keyword },
        None => Hit { rule: Rule::Content, keyword },
    })
}

fn is_heading(line: &str) -> bool {
    let depth = line.bytes().take_while(|&byte| byte == b'#').count();
    (1..=3).contains(&depth) && line.as_bytes().get(depth).is_none_or(u8::is_ascii_whitespace)
}
