//! References: which places a passage names (见表6-2, 第十三条, 《…规定》第五条, Section 4.2). Owns the forms; whether
//! the place exists, and where, is for those who hold the tree.

mod chinese;
mod english;
mod list;
mod regulation;
mod sections;

use std::ops::Range;

use regreader_model::{ClauseNumber, ReferenceKind, ReferenceTarget};

use crate::annotation::canonical_label;
use crate::caption;
use crate::numbering::{Numbering, decimal, parse_line};
use crate::scan::Cursor;
use list::Named;

/// A place named in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The bytes of the text that name it, 见 included where it stands there. The members of a range that are not
    /// printed themselves (2.1.5 in 2.1.4～2.1.6) carry the bytes of the whole range.
    pub range: Range<usize>,
    /// What they name. The number is canonical for its kind: chapter `6`, section `2.1.4`, article `13`, table `6-2`,
    /// note `注1`, plan `方案A`, appendix `A`; empty for a regulation as a whole.
    pub target: ReferenceTarget,
}

/// Every place a text names, in order. Lists and ranges give each member (`表6-2、6-3`, `2.1.4～2.1.6条`); a place in
/// another regulation carries that one's title. The label of a note at the beginning of its own line is none.
///
/// ```
/// use regreader_text::find_references;
/// let found = find_references("动作后按表6-2执行，并见注 1 和《调度规程》第五条。");
/// let names: Vec<_> = found.iter().map(|m| m.target.number.as_str()).collect();
/// assert_eq!(names, ["6-2", "注1", "5"]);
/// assert_eq!(found[2].target.regulation.as_deref(), Some("调度规程"));
/// ```
pub fn find_references(text: &str) -> Vec<Mention> {
    let mut finder = Finder { text, mentions: Vec::new(), linked: None };
    let mut cursor = Cursor::new(text);
    while let Some(c) = cursor.peek() {
        match finder.at(cursor, c) {
            Some(end) if end.pos() > cursor.pos() => cursor = end,
            _ if c.is_ascii_alphanumeric() => skip_word(&mut cursor),
            _ => {
                cursor.bump();
            }
        }
    }
    finder.mentions
}

/// Reads a reference that a user wrote: whatever [`find_references`] finds first, or a bare number or label
/// (`2.1.4`, `6-2`, `注1`, `R1`, `六章`). A regulation named by alias or id before it is kept (`稳规 2.1.4`).
///
/// ```
/// use regreader_model::ReferenceKind;
/// use regreader_text::parse_reference;
/// let target = parse_reference("见表 6-2").unwrap();
/// assert_eq!((target.kind, target.number.as_str()), (ReferenceKind::Table, "6-2"));
/// assert_eq!(parse_reference("2.1.4").unwrap().number, "2.1.4");
/// assert_eq!(parse_reference("母线失压"), None);
/// ```
pub fn parse_reference(text: &str) -> Option<ReferenceTarget> {
    let text = text.trim().trim_end_matches(['。', '？', '?', '；', '，']);
    // A user's words are short; nothing longer is a reference.
    if text.len() > 2000 {
        return None;
    }
    let found = find_references(text);
    let best = found.iter().find(|m| m.target.kind != ReferenceKind::Regulation).or(found.first());
    if let Some(mention) = best {
        let mut target = mention.target.clone();
        if target.regulation.is_none() {
            let before = text.get(..mention.range.start).unwrap_or_default();
            let before = requirement_before(before).map_or(before, |(_, before)| before);
            target.regulation = regulation::alias(before);
        }
        return Some(target);
    }
    bare(text)
}

/// Reads a reference that a user wrote, with what stands around the place: 附录B 第13条 is the appendix and the article in
/// it, 表6-2 注3 the table and its note. The outermost comes first; the last is the place that is meant.
///
/// ```
/// use regreader_text::parse_reference_path;
/// let path = parse_reference_path("见附录B 第13条").unwrap();
/// let numbers: Vec<_> = path.iter().map(|target| target.number.as_str()).collect();
/// assert_eq!(numbers, ["B", "13"]);
/// assert_eq!(parse_reference_path("表6-2和表6-3").unwrap().len(), 1, "a list is no path");
/// let path = parse_reference_path("Note (3) to Table 3.1.3.1.").unwrap();
/// assert_eq!(path.iter().map(|target| target.number.as_str()).collect::<Vec<_>>(), ["3.1.3.1", "注3"]);
/// let path = parse_reference_path("CIP-003-8 R1 Part 1.2").unwrap();
/// assert_eq!(path.iter().map(|target| target.number.as_str()).collect::<Vec<_>>(), ["R1", "1.2"]);
/// ```
pub fn parse_reference_path(text: &str) -> Option<Vec<ReferenceTarget>> {
    let first = parse_reference(text)?;
    let text = text.trim();
    let found = if text.len() > 2000 { Vec::new() } else { find_references(text) };
    let at = found.iter().position(|mention| mention.target.number == first.number);
    let before = at.and_then(|at| text.get(..found[at].range.start)).unwrap_or_default();
    let around = requirement_before(before).map(|(number, _)| ReferenceTarget {
        kind: ReferenceKind::Section,
        number: number.to_owned(),
        regulation: first.regulation.clone(),
    });
    let mut path: Vec<ReferenceTarget> = around.into_iter().chain([first]).collect();
    let Some((mut last, rest)) = at.and_then(|at| found[at..].split_first()) else { return Some(path) };
    for mention in rest {
        let between = text.get(last.range.end..mention.range.start).map(str::trim);
        // Note 3 to Table 5: the table stands around the note, whichever is named first.
        let turned = last.target.kind == ReferenceKind::Annotation
            && mention.target.kind == ReferenceKind::Table
            && matches!(between, Some("to" | "of" | "in" | "under"));
        if turned && path.len() == 1 {
            path.insert(0, mention.target.clone());
            break;
        }
        let note = mention.target.kind == ReferenceKind::Annotation;
        let joined = between.is_some_and(|between| {
            matches!(between, "" | "的" | "中" | "中的" | "之") || note && matches!(between, "." | "," | ".,")
        });
        if !joined || mention.target.kind == ReferenceKind::Regulation {
            break;
        }
        let regulation = path[0].regulation.clone();
        path.push(ReferenceTarget { regulation, ..mention.target.clone() });
        last = mention;
    }
    Some(path)
}

/// A requirement right before a place, around which it stands (`R1 Part 1.2`), and what is before that.
fn requirement_before(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    let start = text
        .rfind(|c: char| !c.is_ascii_alphanumeric())
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let (before, word) = text.split_at(start);
    let digits = word.strip_prefix('R')?;
    let is_number = !digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit());
    // CIP-003-R1 is a name.
    (is_number && !before.ends_with('-')).then_some((word, before))
}

/// The clause numbers a target may be filed under, most likely first: chapter `6` is 第6章 or clause 6.
///
/// ```
/// use regreader_text::{parse_reference, reference::clause_candidates};
/// let names: Vec<_> = clause_candidates(&parse_reference("见第六章").unwrap());
/// assert_eq!(names[0].as_str(), "第6章");
/// assert_eq!(names[1].as_str(), "6");
/// ```
pub fn clause_candidates(target: &ReferenceTarget) -> Vec<ClauseNumber> {
    let n = target.number.as_str();
    let forms: Vec<String> = match target.kind {
        ReferenceKind::Chapter if n.starts_with('第') => vec![n.to_owned()],
        ReferenceKind::Chapter => {
            vec![format!("第{n}章"), n.to_owned(), format!("Chapter {n}"), format!("第{n}篇")]
        }
        ReferenceKind::Article => match n.split_once('之') {
            Some((article, inserted)) => vec![format!("第{article}条之{inserted}")],
            None => vec![format!("第{n}条"), format!("Article {n}"), n.to_owned()],
        },
        ReferenceKind::Section => match n.strip_prefix('第').and_then(|n| n.strip_suffix('节')) {
            Some(digits) => vec![n.to_owned(), digits.to_owned()],
            None => vec![
                n.to_owned(),
                format!("Section {n}"),
                format!("Part {n}"),
                format!("Article {n}"),
                format!("第{n}条"),
            ],
        },
        ReferenceKind::Appendix if n.starts_with("附件") => vec![n.to_owned()],
        ReferenceKind::Appendix => vec![format!("附录{n}"), format!("附件{n}")],
        ReferenceKind::Table
        | ReferenceKind::Figure
        | ReferenceKind::Annotation
        | ReferenceKind::Plan
        | ReferenceKind::Regulation => Vec::new(),
    };
    forms.into_iter().map(ClauseNumber::new).collect()
}

/// A number or label that stands alone and says its kind by its form.
fn bare(text: &str) -> Option<ReferenceTarget> {
    let target = |kind, number: String| Some(ReferenceTarget { kind, number, regulation: None });
    if let Some(label) = canonical_label(text) {
        let kind = if label.starts_with('注') { ReferenceKind::Annotation } else { ReferenceKind::Plan };
        return target(kind, label);
    }
    let mut cursor = Cursor::new(text);
    cursor.eat_any(&["详见", "参见", "见", "見", "按", "第"]);
    cursor.skip_spaces();
    let start = cursor;
    if let Some(n) = cursor.any_number() {
        cursor.skip_spaces();
        let kind = match cursor.rest() {
            "章" => Some(ReferenceKind::Chapter),
            "条" | "條" => Some(ReferenceKind::Article),
            "" => Some(ReferenceKind::Section),
            _ => None,
        };
        if let Some(kind) = kind {
            return target(kind, n.to_string());
        }
    }
    let mut cursor = start;
    if let Some(parts) = decimal(&mut cursor) {
        cursor.eat('.');
        if cursor.is_end() && parts.len() > 1 {
            return target(ReferenceKind::Section, Numbering::Decimal(parts).to_string());
        }
    }
    let mut cursor = start;
    if let Some(number) = caption::item_number(&mut cursor)
        && cursor.is_end()
        && number.contains('-')
    {
        return target(ReferenceKind::Table, number);
    }
    // A heading copied whole (2.1.4 故障处理) names its section; a lone number before words does not.
    if let Some(line) = parse_line(start.rest())
        && (line.rest.is_empty() || line.numbering.parent().is_some())
    {
        return list::target_of(&line.numbering);
    }
    regulation::alias_and_number(text)
}

/// The pass over a text.
struct Finder<'a> {
    text: &'a str,
    mentions: Vec<Mention>,
    /// The regulation that was named last, and where a place in it would have to begin.
    linked: Option<regulation::Linked>,
}

impl<'a> Finder<'a> {
    /// Reads what begins here, if anything does, and says where to go on.
    fn at(&mut self, cursor: Cursor<'a>, c: char) -> Option<Cursor<'a>> {
        match c {
            '《' => {
                let (linked, end) = regulation::title(cursor)?;
                self.regulation(cursor.pos(), end, linked);
                Some(end)
            }
            '第' => Some(self.names(cursor, chinese::ordinals(cursor)?)),
            '表' | '图' | '圖' => Some(self.names(cursor, chinese::items(cursor)?)),
            '附' => {
                let names = chinese::appendices(cursor).or_else(|| chinese::items(cursor))?;
                Some(self.names(cursor, names))
            }
            '注' | '註' | '方' => {
                if let Some(end) = chinese::definition_end(self.text, cursor) {
                    return Some(end);
                }
                Some(self.names(cursor, chinese::labels(cursor)?))
            }
            '0'..='9' if starts_word(cursor) => Some(self.names(cursor, sections::sections(cursor)?)),
            'A'..='Z' | 'a'..='z' if starts_word(cursor) => {
                if let Some((linked, end)) = regulation::code(cursor) {
                    self.regulation(cursor.pos(), end, linked);
                    return Some(end);
                }
                let names = english::places(cursor).or_else(|| sections::sections(cursor))?;
                Some(self.names(cursor, names))
            }
            _ => None,
        }
    }

    fn regulation(&mut self, start: usize, end: Cursor<'a>, linked: regulation::Linked) {
        let target = ReferenceTarget {
            kind: ReferenceKind::Regulation,
            number: String::new(),
            regulation: Some(linked.name.clone()),
        };
        self.mentions.push(Mention { range: start..end.pos(), target });
        self.linked = Some(linked);
    }

    /// Takes over the places of a list, joined to the regulation they stand in.
    fn names(&mut self, cursor: Cursor<'a>, (names, end): (Vec<Named>, Cursor<'a>)) -> Cursor<'a> {
        let start = cursor.pos();
        let (mut begin, regulation) = self.regulation_before(start);
        if regulation.is_none() {
            begin = list::with_lead(self.text, start, self.mentions.last().map_or(0, |m| m.range.end));
        }
        for (i, name) in list::spread(names).into_iter().enumerate() {
            let range = if i == 0 { begin..name.range.end } else { name.range };
            let target =
                ReferenceTarget { kind: name.kind, number: name.number, regulation: regulation.clone() };
            self.mentions.push(Mention { range, target });
        }
        self.linked =
            regulation.map(|name| regulation::Linked { name, place_from: end.pos(), in_list: true });
        end
    }

    /// The regulation a place that begins at `start` belongs to, and where the mention of both begins.
    fn regulation_before(&mut self, start: usize) -> (usize, Option<String>) {
        if let Some(linked) = &self.linked
            && let Some(between) = self.text.get(linked.place_from..start)
            && linked.reaches(between)
        {
            let name = linked.name.clone();
            let whole = self.mentions.last().filter(|m| m.target.kind == ReferenceKind::Regulation);
            // 《…》 and the place in it are one mention; the next one of a list begins at its own words.
            let begin = whole.map_or(start, |mention| mention.range.start);
            if !linked.in_list {
                self.mentions.pop();
            }
            return (begin, Some(name));
        }
        match regulation::plain_name(self.text, start) {
            Some((name, begin)) => (begin, Some(name)),
            None => (start, None),
        }
    }
}

/// No letter, digit or dot stands directly before.
fn starts_word(cursor: Cursor<'_>) -> bool {
    !cursor.before().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))
}

fn skip_word(cursor: &mut Cursor<'_>) {
    while cursor.eat_if(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_').is_some() {}
}
