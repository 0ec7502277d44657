//! Places as Chinese text names them.

use regreader_model::{AnnotationKind, ReferenceKind};

use super::list::{Join, Named, chinese_join, name_of};
use crate::annotation::{self, Ordinal};
use crate::caption::{self, CaptionKind};
use crate::number;
use crate::numbering::{Numbering, decimal};
use crate::scan::Cursor;
use crate::script::is_cjk;
use crate::units::unit_at;

pub(super) type Found<'a> = Option<(Vec<Named>, Cursor<'a>)>;

/// 第六章, 第十三条第二款, 第2.1.4、2.1.5条, 第十三条至第十五条.
pub(super) fn ordinals(start: Cursor<'_>) -> Found<'_> {
    let mut names = Vec::new();
    let mut cursor = start;
    let mut join = Join::First;
    let mut end = None;
    while let Some(group_end) = ordinal_group(cursor, join, &mut names) {
        end = Some(group_end);
        cursor = group_end;
        match chinese_join(&mut cursor) {
            Some(next) if cursor.raw() == Some('第') => join = next,
            _ => break,
        }
    }
    Some((names, end?))
}

enum Count {
    One(u32),
    Dotted(Vec<u32>),
}

/// 第 … 条: one number, or several before one 条.
fn ordinal_group<'a>(start: Cursor<'a>, join: Join, names: &mut Vec<Named>) -> Option<Cursor<'a>> {
    let mut cursor = start;
    let mut counts: Vec<(Cursor<'a>, Cursor<'a>, Count, Join)> = Vec::new();
    let mut member_join = join;
    let unit = loop {
        let member_start = cursor;
        cursor.eat('第');
        cursor.skip_spaces();
        let count = if cursor.peek()?.is_ascii_digit() {
            let mut parts = decimal(&mut cursor)?;
            if parts.len() > 1 { Count::Dotted(parts) } else { Count::One(parts.pop()?) }
        } else {
            Count::One(cursor.any_number()?)
        };
        counts.push((member_start, cursor, count, member_join));
        let mut ahead = cursor;
        ahead.skip_spaces();
        if let Some(unit) = unit(&mut ahead) {
            cursor = ahead;
            break unit;
        }
        if counts.len() >= 40 {
            return None;
        }
        member_join = chinese_join(&mut cursor)?;
    };
    let inserted = if unit == '条' { inserted(&mut cursor) } else { None };
    if unit == '条' {
        sub_clauses(&mut cursor);
    }
    let last = counts.len() - 1;
    for (i, (from, to, count, join)) in counts.into_iter().enumerate() {
        let numbering = match (count, unit) {
            (Count::Dotted(parts), _) => Numbering::Decimal(parts),
            (Count::One(n), '章') => Numbering::Chapter(n),
            (Count::One(n), '节') => Numbering::Section(n),
            (Count::One(n), '篇') => Numbering::Part(n),
            (Count::One(n), '条') => match inserted.filter(|_| i == last) {
                Some(inserted) => Numbering::ArticleInserted(n, inserted),
                None => Numbering::Article(n),
            },
            // 第二款 without its 条 is a place in the clause at hand.
            _ => return None,
        };
        let (kind, number) = name_of(&numbering)?;
        let end = if i == last { cursor.pos() } else { to.pos() };
        names.push(Named { range: from.pos()..end, kind, number, join });
    }
    Some(cursor)
}

/// The word behind the numbers, when it is not the beginning of another (条件, 节点, 章程).
pub(super) fn unit(cursor: &mut Cursor<'_>) -> Option<char> {
    let mut ahead = *cursor;
    let unit = match ahead.bump()? {
        '章' => '章',
        '节' | '節' => '节',
        '小' if ahead.eat('节') => '节',
        '条' | '條' => '条',
        '篇' | '编' | '編' => '篇',
        '部' if ahead.eat('分') => '篇',
        '款' => '款',
        '项' => '项',
        _ => return None,
    };
    let other_word = match unit {
        '章' => "程节",
        '节' => "点能约省假流拍",
        '条' => "件例文幅形码",
        '篇' => "幅写号",
        '项' => "目",
        _ => "",
    };
    // 第 2.1.4 条款.
    if unit == '条' {
        ahead.eat('款');
    }
    if ahead.raw().is_some_and(|c| other_word.contains(c)) {
        return None;
    }
    *cursor = ahead;
    Some(unit)
}

fn inserted(cursor: &mut Cursor<'_>) -> Option<u32> {
    let mut ahead = *cursor;
    if !ahead.eat('之') {
        return None;
    }
    let n = ahead.any_number()?;
    *cursor = ahead;
    Some(n)
}

/// 第二款第（三）项至第（五）项 behind an article: part of its mention.
fn sub_clauses(cursor: &mut Cursor<'_>) {
    loop {
        let mut ahead = *cursor;
        let mut closed = false;
        for _ in 0..40 {
            ahead.skip_spaces();
            ahead.eat('第');
            let open = ahead.eat('(');
            if ahead.any_number().is_none() || (open && !ahead.eat(')')) {
                break;
            }
            ahead.skip_spaces();
            if ahead.eat_if(|c| matches!(c, '款' | '项' | '目')).is_some() {
                closed = true;
                break;
            }
            if chinese_join(&mut ahead).is_none() {
                break;
            }
        }
        if !closed {
            return;
        }
        *cursor = ahead;
        // 第（一）项、第（二）项: go on only when a 款 or 项 follows again, not an article.
        let mut next = ahead;
        if chinese_join(&mut next).is_some() && next.raw() == Some('第') {
            let mut probe = next;
            sub_clause_once(&mut probe);
            if probe.pos() > next.pos() {
                *cursor = next;
            }
        }
    }
}

fn sub_clause_once(cursor: &mut Cursor<'_>) {
    let mut ahead = *cursor;
    ahead.eat('第');
    let open = ahead.eat('(');
    let numbered = ahead.any_number().is_some() && (!open || ahead.eat(')'));
    if numbered && ahead.eat_if(|c| matches!(c, '款' | '项' | '目')).is_some() {
        *cursor = ahead;
    }
}

/// 表6-2, 表6-2、6-3, 图3, 附表1.
pub(super) fn items(start: Cursor<'_>) -> Found<'_> {
    let mut names: Vec<Named> = Vec::new();
    let mut cursor = start;
    let mut join = Join::First;
    let mut end = start;
    let mut kind = None;
    loop {
        let from = cursor;
        let head = caption::head(&mut cursor);
        if head.is_some_and(|head| head.english) {
            break;
        }
        let number = match (head, kind) {
            (Some(head), None) => {
                kind = Some(head);
                head.attached_number(&mut cursor)
            }
            (Some(head), Some(first)) if head.kind == first.kind => head.attached_number(&mut cursor),
            // 表6-2、6-3: the next one of the same make.
            (None, Some(first)) => {
                let same_make = names.last().is_some_and(|name| name.number.contains(['-', '.']));
                first.attached_number(&mut cursor).filter(|number| number.contains(['-', '.']) == same_make)
            }
            _ => None,
        };
        let (Some(number), Some(first)) = (number, kind) else { break };
        if !item_stands(start, from, cursor, &number, first.kind) {
            break;
        }
        let kind =
            if first.kind == CaptionKind::Table { ReferenceKind::Table } else { ReferenceKind::Figure };
        names.push(Named { range: from.pos()..cursor.pos(), kind, number, join });
        end = cursor;
        match chinese_join(&mut cursor) {
            Some(next) => join = next,
            None => break,
        }
    }
    (!names.is_empty()).then_some((names, end))
}

/// Whether 表 with a number is a table's name and not the end of another word with a count (电表 3 台, 代表一个).
fn item_stands(
    start: Cursor<'_>,
    from: Cursor<'_>,
    end: Cursor<'_>,
    number: &str,
    kind: CaptionKind,
) -> bool {
    let plain = number.chars().all(|c| c.is_ascii_digit());
    if plain {
        let mut behind = end;
        behind.skip_spaces();
        if unit_at(behind.rest()).is_some() || end.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            return false;
        }
    }
    if from.pos() != start.pos() {
        return true;
    }
    let in_chinese = from.raw().map(char::len_utf8).is_some_and(|len| {
        from.rest().get(len..).is_some_and(|rest| rest.chars().next().is_some_and(number::is_cjk_numeral))
    });
    if in_chinese && end.raw().is_some_and(|c| is_cjk(c) && !"中的所和及与规给列注".contains(c)) {
        return false;
    }
    match from.before() {
        Some(c) if is_cjk(c) => match kind {
            // Compound numbers are not counts; only the words that end in 表 or 图 themselves are left out.
            CaptionKind::Table if plain => {
                !"代列仪电报发外手钟年月日季周图览义据件单验计测水气热课量功".contains(c)
            }
            CaptionKind::Table => !"代仪电发外手".contains(c),
            CaptionKind::Figure => "见如参按和与及附在由从或照据至合下上该此述中".contains(c),
        },
        _ => true,
    }
}

/// 附录A, 附录A.1, 附录 B、C, 附件1.
pub(super) fn appendices(start: Cursor<'_>) -> Found<'_> {
    let mut names: Vec<Named> = Vec::new();
    let mut cursor = start;
    let mut join = Join::First;
    let mut end = start;
    let mut attachment = None;
    loop {
        let from = cursor;
        if cursor.eat('附') {
            let is_attachment = match cursor.bump() {
                Some('录' | '錄') => false,
                Some('件') => true,
                _ => break,
            };
            if attachment.is_some_and(|first| first != is_attachment) {
                break;
            }
            attachment = Some(is_attachment);
        }
        let Some(is_attachment) = attachment else { break };
        cursor.skip_spaces();
        let Some(numbering) = appendix_number(&mut cursor, is_attachment) else { break };
        // 附录B、3 台: what follows a letter in a list is a letter.
        if join != Join::First && from.raw() != Some('附') && !matches!(numbering, Numbering::Appendix(_)) {
            break;
        }
        let Some((kind, number)) = name_of(&numbering) else { break };
        names.push(Named { range: from.pos()..cursor.pos(), kind, number, join });
        end = cursor;
        match chinese_join(&mut cursor) {
            Some(next) => join = next,
            None => break,
        }
    }
    (!names.is_empty()).then_some((names, end))
}

fn appendix_number(cursor: &mut Cursor<'_>, is_attachment: bool) -> Option<Numbering> {
    let mut ahead = *cursor;
    if !is_attachment && let Some(letter) = ahead.eat_if(|c| c.is_ascii_uppercase()) {
        if ahead.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
        *cursor = ahead;
        let parts = ahead.eat('.').then(|| decimal(&mut ahead)).flatten();
        return Some(match parts {
            Some(parts) => {
                *cursor = ahead;
                Numbering::AppendixDecimal(letter, parts)
            }
            None => Numbering::Appendix(letter),
        });
    }
    let in_chinese = ahead.raw().is_some_and(number::is_cjk_numeral);
    let n = ahead.any_number()?;
    // 附件一并报送.
    if in_chinese && ahead.raw().is_some_and(|c| "致旦并经般定样起次切直下些个种律".contains(c))
    {
        return None;
    }
    let mut behind = ahead;
    behind.skip_spaces();
    if unit_at(behind.rest()).is_some() {
        return None;
    }
    *cursor = ahead;
    Some(if is_attachment { Numbering::Attachment(n) } else { Numbering::AppendixNumbered(n) })
}

/// Where the label ends of a note or plan that is defined in the line at whose beginning the cursor stands.
pub(super) fn definition_end<'a>(text: &'a str, cursor: Cursor<'a>) -> Option<Cursor<'a>> {
    // Labels stand at the beginning: anything longer before them than spaces and a bracket is text.
    let before = cursor.passed();
    let line_start = match before.rfind('\n') {
        Some(at) => cursor.pos() - before.len() + at + 1,
        None if before.len() == cursor.pos() => 0,
        None => return None,
    };
    let lead = text.get(line_start..cursor.pos())?;
    if !lead.chars().all(|c| c.is_whitespace() || matches!(c, '(' | '（' | '[' | '【')) {
        return None;
    }
    let line = text.get(line_start..)?;
    let line = line.split('\n').next().unwrap_or(line);
    let label = annotation::parse_definition(line)?;
    let printed_at = line.len() - line.trim_start().len();
    Some(Cursor::at(text, line_start + printed_at + label.printed.len()))
}

/// 注1, 见注, 注1、2, 方案甲.
pub(super) fn labels(start: Cursor<'_>) -> Found<'_> {
    let mut cursor = start;
    let plan = cursor.eat_str("方案");
    if !plan && !cursor.eat('注') && !cursor.eat('註') {
        return None;
    }
    let kind = if plan { AnnotationKind::Plan } else { AnnotationKind::Note };
    let before = start.before();
    if !plan && before.is_some_and(|c| is_cjk(c) && !"见見按如和及与的中表在由据照或至同参".contains(c))
    {
        return None;
    }
    let reference_kind = if plan { ReferenceKind::Plan } else { ReferenceKind::Annotation };
    let mut names = Vec::new();
    let mut end = cursor;
    let mut from = start;
    let mut join = Join::First;
    while let Some(ordinal) = annotation::ordinal(&mut cursor, kind) {
        // 注1、2台机组 and 方案A、B相: the list ends where the next word is another.
        if join != Join::First
            && from.raw().is_some_and(|c| c.is_ascii_alphabetic()) != matches!(ordinal, Ordinal::Letter(_))
        {
            break;
        }
        let label = annotation::Label { kind, number: Some(ordinal) };
        names.push(Named {
            range: from.pos()..cursor.pos(),
            kind: reference_kind,
            number: label.canonical(),
            join,
        });
        end = cursor;
        let Some(next) = chinese_join(&mut cursor) else { break };
        join = next;
        from = cursor;
        let repeated = if plan { cursor.eat_str("方案") } else { cursor.eat('注') || cursor.eat('註') };
        if !repeated
            && !cursor.raw().is_some_and(|c| c.is_ascii_alphanumeric() || number::circled(c).is_some())
        {
            break;
        }
    }
    if !names.is_empty() {
        return Some((names, end));
    }
    // 见注, with no number: the one note of the table.
    let bare = !plan && before.is_some_and(|c| matches!(c, '见' | '見')) && !end.raw().is_some_and(is_cjk);
    let name = Named {
        range: start.pos()..end.pos(),
        kind: reference_kind,
        number: "注".to_owned(),
        join: Join::First,
    };
    bare.then(|| (vec![name], end))
}
