//! The title: candidates from every place that may print it, and the most plausible of them.

use regreader_model::TextRole;
use regreader_text::find_codes;
use regreader_text::fold::fold;
use regreader_text::is_small_word;
use regreader_text::numbering::{EnglishWord, Numbering, parse_line};
use regreader_text::script::is_cjk;

use super::front::{FrontLine, FrontMatter, RunningHead};
use super::plausible::{is_title, is_title_line, names_kind, tidy};

/// How much a place is worth as a source of the title, in points. A field that is called "Title" is the document's own
/// word; a file name is anybody's. The distances are such that agreement of two weaker sources (+15 each) can outvote
/// one stronger source, and that the kind of document in its name (+15) breaks a near tie.
mod worth {
    pub const FIELD: f32 = 110.0;
    pub const DECLARED: f32 = 90.0;
    pub const LARGEST: f32 = 80.0;
    pub const FIRST_HEADING: f32 = 72.0;
    pub const RUNNING_HEAD: f32 = 60.0;
    pub const CENTRED: f32 = 50.0;
    pub const METADATA: f32 = 45.0;
    /// A part of a code is called by the name of the part where nothing names the whole.
    pub const PART: f32 = 30.0;
    pub const FILE_NAME: f32 = 25.0;
    pub const FIRST_LINE: f32 = 15.0;
    pub const KIND: f32 = 15.0;
    /// A title in another script than the document's is a translation.
    pub const TRANSLATION: f32 = 40.0;
    pub const AGREEMENT: f32 = 15.0;
}

/// Lines at the top among which the title is looked for where nothing tells it from them.
const FIRST_LINES: usize = 3;

struct Candidate {
    text: String,
    score: f32,
}

/// The most plausible title; none where nothing is.
pub(super) fn find(front: &FrontMatter, heads: &[RunningHead], stem: &str) -> Option<String> {
    let mut candidates = Vec::new();
    let mut offer = |text: &str, score: f32| {
        let text = without_code(&tidy(&recased(text, front)));
        if is_title(&text) {
            let kind = if names_kind(&text) { worth::KIND } else { 0.0 };
            let foreign = front.is_chinese && !text.chars().any(is_cjk);
            let translation = if foreign { worth::TRANSLATION } else { 0.0 };
            candidates.push(Candidate { text, score: score + kind - translation });
        }
    };
    if let Some(text) =
        front.lines.iter().find_map(|line| field(&line.text, &["title", "标准名称", "文件名称", "题名"]))
    {
        offer(text, worth::FIELD);
    }
    if let Some(text) = declared(front) {
        offer(&text, worth::DECLARED);
    }
    if let Some(text) = first_heading(front) {
        offer(&text, worth::FIRST_HEADING);
        if let Some(text) = heading_with_kind(front).filter(|_| !names_kind(&text)) {
            offer(text, worth::FIRST_HEADING);
        }
    }
    for (text, share) in large_type(front) {
        offer(&text, worth::LARGEST - 20.0 * (1.0 - share));
        if let Some(rest) = name_of_part(&text) {
            offer(rest, worth::PART);
        }
    }
    for text in centred(front) {
        offer(&text, worth::CENTRED);
    }
    for head in heads.iter().filter(|head| head.share > 0.3) {
        offer(&head.text, worth::RUNNING_HEAD * head.share.min(1.0));
    }
    for part in front.metadata_title.iter().flat_map(|title| metadata_parts(title)) {
        offer(part, worth::METADATA);
    }
    let named: String = stem.replace('_', " ").replace('∕', "/");
    if named.chars().filter(|c| is_cjk(*c)).count() >= 4 {
        offer(&named, worth::FILE_NAME);
    }
    // 附件2 may stand above it.
    let mut first = front.on_page(0).filter(|line| is_title_line(&line.text)).take(FIRST_LINES);
    if let Some(line) = first.find(|line| is_title(&line.text) && line.text.chars().count() <= 60) {
        offer(&line.text, worth::FIRST_LINE);
    }
    best(candidates)
}

/// `Part 3 Fire Protection`, 第三篇 消防: what a part is called that is printed as a document of its own.
fn name_of_part(text: &str) -> Option<&str> {
    let line = parse_line(text)?;
    let part = match line.numbering {
        Numbering::Part(_) => true,
        Numbering::English { word, ref number, .. } => word == EnglishWord::Part && number.len() == 1,
        _ => false,
    };
    part.then_some(line.rest).filter(|rest| !rest.is_empty())
}

/// Candidates that say the same support each other; the first of the best wins.
fn best(candidates: Vec<Candidate>) -> Option<String> {
    let keys: Vec<String> = candidates.iter().map(|candidate| key(&candidate.text)).collect();
    let mut best: Option<(f32, usize)> = None;
    for (at, candidate) in candidates.iter().enumerate() {
        let others =
            keys.iter().enumerate().filter(|(other, key)| *other != at && agrees(key, &keys[at])).count();
        let score = candidate.score + worth::AGREEMENT * others.min(2) as f32;
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, at));
        }
    }
    best.and_then(|(_, at)| candidates.into_iter().nth(at)).map(|candidate| candidate.text)
}

fn key(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

fn agrees(a: &str, b: &str) -> bool {
    a == b || a.len() > 12 && b.len() > 12 && (a.contains(b) || b.contains(a))
}

/// `1. Title: X`, `标准名称：X`: what stands behind the label of a field.
pub(super) fn field<'a>(text: &'a str, labels: &[&str]) -> Option<&'a str> {
    let bare = parse_line(text).map_or(text, |line| line.rest);
    let (label, value) = bare.split_once([':', '：'])?;
    let label = fold(label);
    let value = value.trim();
    (labels.contains(&label.trim()) && !value.is_empty()).then_some(value)
}

fn declared(front: &FrontMatter) -> Option<String> {
    let start = front.lines.iter().position(|line| line.role == TextRole::Title)?;
    let run = front.lines.iter().skip(start).take_while(|line| line.role == TextRole::Title).take(4);
    Some(join(run.map(|line| line.text.as_str())))
}

/// The first heading of the highest level, where it has no number. Where the first level is not in use, the headings of the
/// level below are chapters, unless one of them alone stands above all others.
fn first_heading(front: &FrontMatter) -> Option<String> {
    let level = |line: &FrontLine| match line.role {
        TextRole::Heading { level } => Some(level),
        _ => None,
    };
    let top = front.lines.iter().filter_map(level).min()?;
    let is_top = |line: &&FrontLine| level(line) == Some(top);
    let start = front.lines.iter().position(|line| level(line).is_some())?;
    let alone = front.lines.iter().filter(is_top).count() == 1;
    if top > 1 && !(alone && front.lines.get(start).is_some_and(|line| is_top(&line))) {
        return None;
    }
    let start = front.lines.iter().position(|line| is_top(&line)).unwrap_or(start);
    let run = front.lines.iter().skip(start).take_while(is_top).take(3);
    let lines: Vec<&str> = run.map(|line| line.text.as_str()).collect();
    // Headings of one document that follow each other without text are its chapters.
    Some(if lines.iter().skip(1).any(|line| parse_line(line).is_some()) {
        lines.first()?.to_string()
    } else {
        join(lines.into_iter())
    })
}

/// A heading of the highest level on the first page that names a kind of document: the one above it may be of the body that issues it.
fn heading_with_kind(front: &FrontMatter) -> Option<&str> {
    let level = |line: &FrontLine| match line.role {
        TextRole::Heading { level } => Some(level),
        _ => None,
    };
    let top = front.lines.iter().filter_map(level).min()?;
    let mut headings = front.on_page(0).filter(|line| level(line) == Some(top));
    let found = headings.find(|line| names_kind(&line.text) && parse_line(&line.text).is_none());
    found.map(|line| line.text.as_str())
}

/// Groups of lines in type that is larger than the body's, each with its size as a share of the largest.
fn large_type(front: &FrontMatter) -> Vec<(String, f32)> {
    let Some(body) = front.body_size else { return Vec::new() };
    let mut groups: Vec<(Vec<&FrontLine>, f32)> = Vec::new();
    for page in 0..2 {
        let mut open = false;
        for line in front.on_page(page) {
            let Some(size) = line.size.filter(|size| *size >= body * 1.15) else {
                open = false;
                continue;
            };
            if !is_title_line(&line.text) {
                open = false;
                continue;
            }
            match groups.last_mut() {
                Some((lines, first))
                    if open
                        && (size - *first).abs() <= *first * 0.08
                        && lines.len() < 6
                        && lines.last().is_some_and(|last| is_small(last) == is_small(line)) =>
                {
                    lines.push(line);
                }
                _ => groups.push((vec![line], size)),
            }
            open = true;
        }
        if !groups.is_empty() {
            break;
        }
    }
    let largest = groups.iter().map(|(_, size)| *size).fold(0.0_f32, f32::max);
    groups
        .into_iter()
        .map(|(lines, size)| (join(lines.iter().map(|line| line.text.as_str())), size / largest))
        .collect()
}

/// Groups of centred lines in capitals or bold on the first two pages: how orders and decisions are headed. Only those
/// that name a kind of document count: names of bodies are set the same way.
fn centred(front: &FrontMatter) -> Vec<String> {
    let mut found = Vec::new();
    let mut group: Vec<&FrontLine> = Vec::new();
    let mut close = |group: &mut Vec<&FrontLine>| {
        let text = join(group.iter().map(|line| line.text.as_str()));
        if !group.is_empty() && group.len() <= 5 && names_kind(&text) {
            found.push(text);
        }
        group.clear();
    };
    for line in front.lines.iter().filter(|line| line.page < 2) {
        let capitals =
            line.text.chars().any(char::is_alphabetic) && !line.text.chars().any(char::is_lowercase);
        let stands_out = line.centred && (capitals || line.bold) && is_title_line(&line.text);
        let apart = group
            .last()
            .is_some_and(|last| last.page != line.page || gap(last, line) > 2.2 || !same_type(last, line));
        if !stands_out || apart {
            close(&mut group);
        }
        if stands_out {
            group.push(line);
        }
    }
    close(&mut group);
    found
}

/// Both in capitals or both not, in one size and weight.
fn same_type(a: &FrontLine, b: &FrontLine) -> bool {
    let sizes = a.size.zip(b.size).is_none_or(|(a, b)| (a - b).abs() < 0.6);
    is_small(a) == is_small(b) && sizes && a.bold == b.bold
}

/// Whether small letters stand in it.
fn is_small(line: &FrontLine) -> bool {
    line.text.chars().any(char::is_lowercase)
}

/// Distance of two lines in heights of the first.
fn gap(a: &FrontLine, b: &FrontLine) -> f32 {
    match (a.bbox, b.bbox) {
        (Some(a), Some(b)) => (b.y0 - a.y0) / a.height().max(1.0),
        _ => 0.0,
    }
}

/// Lines of a title as one text: Chinese lines are parted by a space as GB/T 1.1 parts the elements of a title, except
/// before a bracket.
fn join<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for line in lines {
        let line = tidy(line);
        let glued = line.starts_with(['（', '(']) && line.chars().any(is_cjk)
            || out.ends_with(['）', ')']) && line.chars().next().is_some_and(is_cjk);
        if !out.is_empty() && !glued {
            out.push(' ');
        }
        out.push_str(&line);
    }
    out
}

/// `CIP-007-7 — Cyber Security – …`, `工程结构通用规范 GB 55001-2021`: the code is the number, not the title. A code in
/// brackets (考试题库（GB 26860—2011）) says what the document is about and stays.
fn without_code(text: &str) -> String {
    let codes = find_codes(text);
    let at_edge = |code: &&regreader_text::StandardCode| {
        let before = text.get(..code.range.start).unwrap_or("").trim();
        let after = text.get(code.range.end..).unwrap_or("").trim();
        (before.is_empty() && !after.is_empty() || after.is_empty() && !before.is_empty())
            && !before.ends_with(['(', '（'])
    };
    let rest = match codes.iter().find(at_edge) {
        Some(code) if code.range.start == 0 => text.get(code.range.end..),
        Some(code) => text.get(..code.range.start),
        None => None,
    };
    let Some(rest) = rest else { return text.to_owned() };
    rest.trim().trim_matches(['—', '–', '-', '\u{2010}', ':', '：', '|', ' ']).to_owned()
}

/// Parts of a metadata title: programs put their own name or the chapter's before or behind it.
fn metadata_parts(title: &str) -> Vec<&str> {
    let bare = title
        .strip_prefix("Microsoft Word - ")
        .or_else(|| title.strip_prefix("Microsoft PowerPoint - "))
        .unwrap_or(title);
    let known = [".pdf", ".doc", ".docx", ".wps", ".ppt", ".pptx", ".xls", ".xlsx", ".indd", ".html"];
    let lower = bare.to_ascii_lowercase();
    let bare = known
        .iter()
        .find(|end| lower.ends_with(*end))
        .and_then(|end| bare.get(..bare.len() - end.len()))
        .unwrap_or(bare);
    let mut parts = vec![bare];
    for separator in [" — ", " | ", " – "] {
        if bare.contains(separator) {
            parts.extend(bare.split(separator));
        }
    }
    parts
}

/// A title in capitals, in the letters that the document uses elsewhere: a word that the text prints in small letters
/// is an ordinary word, one that is always in capitals is an abbreviation.
fn recased(text: &str, front: &FrontMatter) -> String {
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    let capitals = letters >= 8
        && text.contains(' ')
        && !text.chars().any(char::is_lowercase)
        && !text.chars().any(is_cjk);
    if !capitals {
        return text.to_owned();
    }
    let words = text.split(' ').enumerate().map(|(at, word)| {
        let lower = word.to_lowercase();
        let bare: String = lower.chars().filter(char::is_ascii_alphabetic).collect();
        if at > 0 && is_small_word(&bare) {
            return lower;
        }
        // Abbreviations are short; a long word is a word.
        if !front.lower_words.contains(&bare) && bare.len() < 6 {
            return word.to_owned();
        }
        let mut out = String::with_capacity(lower.len());
        let mut first = true;
        for c in lower.chars() {
            if first && c.is_alphabetic() {
                out.extend(c.to_uppercase());
                first = false;
            } else {
                out.push(c);
            }
            if c == '-' {
                first = true;
            }
        }
        out
    });
    words.collect::<Vec<_>>().join(" ")
}
