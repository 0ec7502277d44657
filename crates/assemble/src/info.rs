//! What the cover says: title, edition, the day it comes into force.
//!
//! Owns the reading of the first pages for the regulation's info. The caller's own title wins over all of it.

use regreader_model::{RawDocument, RawElement, RawText, RegulationInfo, TextRole};

use crate::clean::Cleaner;
use crate::contents::is_contents_title;
use crate::{AssembleOptions, Cover};

/// Reads the cover of the document.
pub(crate) fn cover(raw: &RawDocument, cleaner: Cleaner) -> Cover {
    let lines: Vec<(&RawText, String)> = raw
        .pages
        .first()
        .into_iter()
        .flat_map(|page| &page.elements)
        .filter_map(|element| match element {
            RawElement::Text(text) => Some((text, cleaner.line(&text.text))),
            _ => None,
        })
        .take(200)
        .collect();
    let texts = lines.iter().map(|(_, text)| text.as_str());
    Cover { title: title(raw, &lines, cleaner), effective_from: texts.into_iter().find_map(effective_date) }
}

/// The info of the regulation. Hashes and times are for those who store it.
pub(crate) fn info(
    cover: &Cover,
    raw_pages: usize,
    raw: Origin,
    options: &AssembleOptions,
) -> RegulationInfo {
    let title =
        options.title.clone().or_else(|| cover.title.clone()).unwrap_or_else(|| stem(&options.source_file));
    RegulationInfo {
        reg_id: options.reg_id.clone(),
        edition: edition(&title),
        title,
        source_file: options.source_file.clone(),
        total_pages: raw_pages as u32,
        indexed_at: String::new(),
        description: None,
        keywords: Vec::new(),
        scope: None,
        aliases: Vec::new(),
        series: None,
        effective_from: cover.effective_from.clone(),
        supersedes: None,
        events: Vec::new(),
        source_format: Some(raw.format),
        source_hash: options.source_hash.clone(),
        content_hash: None,
        pipeline: None,
        pages_approximate: raw.pages_approximate,
    }
}

/// What is left of the raw document once its pages are taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    pub format: regreader_model::SourceFormat,
    pub pages_approximate: bool,
}

fn title(raw: &RawDocument, lines: &[(&RawText, String)], cleaner: Cleaner) -> Option<String> {
    let declared = lines.iter().find(|(raw, _)| raw.role == TextRole::Title).map(|(_, text)| text.clone());
    if declared.is_some() {
        return declared;
    }
    let first_heading = lines
        .iter()
        .find(|(raw, _)| matches!(raw.role, TextRole::Heading { level: 1 }))
        .filter(|(_, text)| regreader_text::numbering::parse_line(text).is_none())
        .map(|(_, text)| text.clone());
    if first_heading.is_some() {
        return first_heading;
    }
    let usable = |text: &str| {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        letters >= 4 && !is_generic(text) && !is_contents_title(text)
    };
    let largest = lines
        .iter()
        .filter(|(raw, text)| raw.size.is_some_and(f32::is_finite) && usable(text))
        .filter_map(|(raw, _)| raw.size)
        .fold(0.0_f32, f32::max);
    if largest > 0.0 {
        // A title over several lines: what stands together in the largest type.
        let is_title = |(raw, text): &&(&RawText, String)| {
            raw.size.is_some_and(|size| size > largest * 0.93) && !is_generic(text)
        };
        let mut joined = String::new();
        for (_, text) in lines.iter().skip_while(|line| !is_title(line)).take_while(is_title).take(6) {
            cleaner.join(&mut joined, text);
        }
        let body = raw.pages.iter().skip(1).flat_map(|page| &page.elements).any(|element| {
            matches!(element, RawElement::Text(text) if text.size.is_some_and(|size| size < largest * 0.93))
        });
        let stands_out =
            body || lines.iter().any(|(raw, _)| raw.size.is_some_and(|size| size < largest * 0.93));
        if stands_out && !joined.is_empty() && joined.chars().count() <= 160 {
            return Some(joined);
        }
    }
    let named = raw.title.as_deref().map(|title| cleaner.line(title)).filter(|title| usable(title));
    named.or_else(|| {
        lines.iter().map(|(_, text)| text).find(|text| usable(text) && text.chars().count() <= 80).cloned()
    })
}

/// What stands on the cover of every standard.
fn is_generic(text: &str) -> bool {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let kinds =
        ["国家标准", "行业标准", "团体标准", "地方标准", "企业标准", "国家标准化指导性技术文件", "标准"];
    bare.starts_with("中华人民共和国") && kinds.iter().any(|kind| bare.ends_with(kind))
        || kinds.contains(&bare.as_str())
        || bare.ends_with("团体标准")
        || bare.ends_with("企业标准")
        || bare.starts_with("ICS")
        || bare.starts_with("UDC")
        || bare.ends_with("发布")
        || bare.ends_with("实施")
}

/// 2024 or 第二版 in a title.
fn edition(title: &str) -> Option<String> {
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

/// `2024年1月1日 实施` → 2024-01-01.
fn effective_date(line: &str) -> Option<String> {
    const WORDS: [&str; 5] = ["实施", "施行", "起执行", "起施行", "生效"];
    let end = WORDS.iter().filter_map(|word| line.find(word)).min()?;
    // The last date before the word is the one it speaks of.
    let head: Vec<char> = line.get(..end)?.chars().map(half_width).collect();
    let text: String = head.iter().collect();
    let numbers: Vec<u32> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .filter_map(|part| part.parse().ok())
        .collect();
    let [.., year, month, day] = numbers.as_slice() else { return None };
    let valid = (1900..2200).contains(year) && (1..=12).contains(month) && (1..=31).contains(day);
    valid.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

fn half_width(c: char) -> char {
    if matches!(c, '０'..='９') { char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c) } else { c }
}

fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_editions_are_read_from_the_cover() {
        assert_eq!(effective_date("2023年12月20日 发布 2024年1月1日 实施").as_deref(), Some("2024-01-01"));
        assert_eq!(effective_date("2014年7月1日 施行").as_deref(), Some("2014-07-01"));
        assert_eq!(effective_date("本规定由国调负责实施"), None);
        assert_eq!(edition("安全自动装置管理规定（第二版）").as_deref(), Some("第二版"));
        assert_eq!(edition("2024年稳定运行规定").as_deref(), Some("2024"));
        assert!(is_generic("中 华 人 民 共 和 国 国 家 标 准"));
        assert!(!is_generic("电力系统安全稳定导则"));
    }
}
