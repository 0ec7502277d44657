//! Who the document says it is: title, number, edition, issuer, dates and what it replaces.
//!
//! Each is chosen among candidates by plausibility, never taken from the first place that offers one: metadata is often
//! a file name, the largest line of a page is often a chapter, and running heads may be chapters too. `front` gathers
//! the first pages, `title` and `number` choose, `events` reads dates and replacements. The caller's own title wins over
//! all of it.

mod events;
mod front;
mod issuer;
mod number;
mod plausible;
mod title;

use regreader_model::{DroppedText, EditionEvent, EventKind, RawDocument, RegulationInfo, SourceFormat};

use crate::AssembleOptions;
use crate::clean::Cleaner;
use crate::paragraph::Para;
use front::FrontMatter;
use number::Number;

/// What the first pages and the running heads say.
#[derive(Debug)]
pub(crate) struct Identity {
    pub title: String,
    number: Option<Number>,
    edition: Option<String>,
    issuer: Option<String>,
    /// Events written on the first pages.
    events: Vec<EditionEvent>,
    format: SourceFormat,
    pages: usize,
    pages_approximate: bool,
}

/// What is read before the pages are taken apart.
#[derive(Debug)]
pub(crate) struct Cover {
    front: FrontMatter,
    format: SourceFormat,
    pages: usize,
    pages_approximate: bool,
}

/// Gathers what identifies the document.
pub(crate) fn cover(raw: &RawDocument, cleaner: Cleaner) -> Cover {
    Cover {
        front: FrontMatter::of(raw, cleaner),
        format: raw.format,
        pages: raw.pages.len(),
        pages_approximate: raw.pages_approximate,
    }
}

/// Chooses title, number and edition, once running heads are known.
pub(crate) fn decide(cover: &Cover, dropped: &[DroppedText], options: &AssembleOptions) -> Identity {
    let heads = front::running_heads(dropped, cover.pages);
    let stem = stem(&options.source_file);
    let number = number::find(&cover.front, &heads, &stem);
    let found = title::find(&cover.front, &heads, &stem);
    let title = options.title.clone().or(found).unwrap_or_else(|| stem.clone());
    let number = number.or_else(|| number::in_title(&title, &heads));
    let edition = number
        .as_ref()
        .and_then(|number| number.edition.clone())
        .filter(|edition| edition.len() != 4 || edition_in_title(&title).is_none())
        .or_else(|| edition_in_title(&title))
        .or_else(|| number::printed_edition(&cover.front, &heads));
    Identity {
        title,
        edition,
        number,
        issuer: issuer::find(&cover.front),
        events: events::on_cover(&cover.front),
        format: cover.format,
        pages: cover.pages,
        pages_approximate: cover.pages_approximate,
    }
}

/// The info of the regulation. Hashes and times are for those who store it.
pub(crate) fn info(identity: Identity, paras: &[Para], options: &AssembleOptions) -> RegulationInfo {
    let mut all = identity.events;
    events::in_text(paras, &mut all);
    let number = identity.number;
    let effective = all.iter().find(|event| event.kind == EventKind::Effective && event.subject.is_none());
    RegulationInfo {
        reg_id: options.reg_id.clone(),
        edition: identity.edition,
        aliases: number::aliases(&identity.title, number.as_ref()),
        series: number.as_ref().and_then(|number| number.series.clone()),
        number: number.map(|number| number.name),
        title: identity.title,
        issuer: identity.issuer,
        source_file: options.source_file.clone(),
        total_pages: identity.pages as u32,
        indexed_at: String::new(),
        description: None,
        keywords: Vec::new(),
        scope: None,
        effective_from: effective.and_then(|event| event.date).map(|date| date.to_string()),
        supersedes: None,
        events: all,
        source_format: Some(identity.format),
        source_hash: options.source_hash.clone(),
        content_hash: None,
        pipeline: None,
        pages_approximate: identity.pages_approximate,
    }
}

/// 2024 or 第二版 in a title.
fn edition_in_title(title: &str) -> Option<String> {
    if let Some(at) = title.find('第') {
        let tail = &title[at..];
        if let Some(end) = tail.find('版').filter(|end| *end <= 15) {
            return tail.get(..end + '版'.len_utf8()).map(str::to_owned);
        }
    }
    let chars: Vec<char> = title.chars().collect();
    chars
        .windows(5)
        .find(|w| {
            w[..4].iter().all(char::is_ascii_digit)
                && matches!(w[0], '1' | '2')
                && matches!(w[4], '年' | '版')
        })
        .map(|w| w[..4].iter().collect())
}

fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editions_are_read_from_a_title() {
        assert_eq!(edition_in_title("安全自动装置管理规定（第二版）").as_deref(), Some("第二版"));
        assert_eq!(edition_in_title("2024年稳定运行规定").as_deref(), Some("2024"));
        assert_eq!(edition_in_title("电力系统安全稳定导则"), None);
    }
}
