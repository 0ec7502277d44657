//! What may follow what.

use super::Numbering;
use crate::number;

pub(super) fn depth(numbering: &Numbering) -> u32 {
    use Numbering as N;
    match numbering {
        N::Part(_)
        | N::Chapter(_)
        | N::Enumerated(_)
        | N::Appendix(_)
        | N::AppendixNumbered(_)
        | N::Attachment(_)
        | N::Requirement(_)
        | N::Measure(_)
        | N::Roman(_) => 1,
        N::Section(_) | N::Paren(_) | N::Letter(_) => 2,
        N::Article(_) | N::ArticleInserted(..) => 3,
        N::ParenDigit(_) | N::Item(_) => 4,
        N::Circled(_) | N::ParenRoman(_) => 5,
        N::Decimal(parts) => parts.len() as u32,
        N::English { number, .. } => number.len() as u32,
        N::AppendixDecimal(_, parts) | N::RequirementPart(_, parts) => parts.len() as u32 + 1,
    }
}

pub(super) fn parent(numbering: &Numbering) -> Option<Numbering> {
    use Numbering as N;
    let shorter =
        |parts: &[u32]| parts.split_last().map(|(_, head)| head.to_vec()).filter(|head| !head.is_empty());
    match numbering {
        N::Decimal(parts) => shorter(parts).map(N::Decimal),
        N::AppendixDecimal(letter, parts) => {
            Some(shorter(parts).map_or(N::Appendix(*letter), |head| N::AppendixDecimal(*letter, head)))
        }
        N::RequirementPart(n, parts) => {
            Some(shorter(parts).map_or(N::Requirement(*n), |head| N::RequirementPart(*n, head)))
        }
        N::English { word, number, .. } => {
            shorter(number).map(|number| N::English { word: *word, number, letter: None })
        }
        N::ArticleInserted(n, _) => Some(N::Article(*n)),
        _ => None,
    }
}

pub(super) fn successors(numbering: &Numbering) -> Vec<Numbering> {
    let mut out: Vec<Numbering> = first_children(numbering);
    let mut current = Some(numbering.clone());
    while let Some(number) = current {
        out.extend(next_sibling(&number));
        current = parent(&number);
    }
    // Item 7, Item 7A, Item 8: the lettered one stands between two siblings.
    if let Numbering::English { word, number, letter: None } = numbering {
        out.push(Numbering::English { word: *word, number: number.clone(), letter: Some('A') });
    }
    out
}

fn first_children(numbering: &Numbering) -> Vec<Numbering> {
    use Numbering as N;
    let extended = |parts: &[u32]| parts.iter().copied().chain([1]).collect::<Vec<u32>>();
    match numbering {
        N::Decimal(parts) => vec![N::Decimal(extended(parts))],
        N::AppendixDecimal(letter, parts) => vec![N::AppendixDecimal(*letter, extended(parts))],
        N::Appendix(letter) => vec![N::AppendixDecimal(*letter, vec![1])],
        N::RequirementPart(n, parts) => vec![N::RequirementPart(*n, extended(parts))],
        // The parts of R1 are printed 1.1, 1.2; those of 第6章 and Section 6 are often 6.1.
        N::Requirement(n) => vec![N::RequirementPart(*n, vec![1]), N::Decimal(vec![*n, 1]), N::Measure(*n)],
        N::Chapter(n) => vec![N::Decimal(vec![*n, 1])],
        N::Article(n) => vec![N::ArticleInserted(*n, 1)],
        N::English { word, number, letter: None } => vec![
            N::English { word: *word, number: extended(number), letter: None },
            N::Decimal(extended(number)),
        ],
        _ => Vec::new(),
    }
}

fn next_sibling(numbering: &Numbering) -> Option<Numbering> {
    use Numbering as N;
    let next_parts = |parts: &[u32]| {
        let (last, head) = parts.split_last()?;
        Some(head.iter().copied().chain([last.checked_add(1)?]).collect::<Vec<u32>>())
    };
    let letter_after = |c: char| {
        let next = char::from_u32(c as u32 + 1)?;
        next.is_ascii_alphabetic().then_some(next)
    };
    Some(match numbering {
        N::Part(n) => N::Part(n.checked_add(1)?),
        N::Chapter(n) => N::Chapter(n.checked_add(1)?),
        N::Section(n) => N::Section(n.checked_add(1)?),
        N::Article(n) => N::Article(n.checked_add(1)?),
        N::ArticleInserted(n, inserted) => N::ArticleInserted(*n, inserted.checked_add(1)?),
        N::Decimal(parts) => N::Decimal(next_parts(parts)?),
        N::Enumerated(n) => N::Enumerated(n.checked_add(1)?),
        N::Paren(n) => N::Paren(n.checked_add(1)?),
        N::ParenDigit(n) => N::ParenDigit(n.checked_add(1)?),
        N::Circled(n) => N::Circled(n.checked_add(1)?),
        N::ParenRoman(n) => N::ParenRoman(n.checked_add(1)?),
        N::Item(c) => N::Item(letter_after(*c)?),
        N::Letter(c) => N::Letter(letter_after(*c)?),
        N::Appendix(c) => N::Appendix(letter_after(*c)?),
        N::AppendixNumbered(n) => N::AppendixNumbered(n.checked_add(1)?),
        N::Attachment(n) => N::Attachment(n.checked_add(1)?),
        N::AppendixDecimal(letter, parts) => N::AppendixDecimal(*letter, next_parts(parts)?),
        N::Requirement(n) => N::Requirement(n.checked_add(1)?),
        N::RequirementPart(n, parts) => N::RequirementPart(*n, next_parts(parts)?),
        N::Measure(n) => N::Measure(n.checked_add(1)?),
        N::English { word, number, letter: Some(letter) } if letter_after(*letter).is_some() => {
            N::English { word: *word, number: number.clone(), letter: letter_after(*letter) }
        }
        N::English { word, number, .. } => {
            N::English { word: *word, number: next_parts(number)?, letter: None }
        }
        N::Roman(n) => N::Roman(n.checked_add(1)?),
    })
}

pub(super) fn is_successor(next: &Numbering, previous: &Numbering) -> bool {
    use Numbering as N;
    if successors(previous).contains(next) {
        return true;
    }
    // Item 8 after Item 7A.
    if let (
        N::English { word, number, letter: None },
        N::English { letter: Some(_), number: before, word: same },
    ) = (next, previous)
        && word == same
    {
        return next_sibling(&N::English { word: *word, number: before.clone(), letter: None })
            == Some(N::English { word: *word, number: number.clone(), letter: None });
    }
    match (next, previous) {
        // Articles are counted through a law, whatever chapter begins in between; chapters go on after any article.
        (N::Article(_) | N::ArticleInserted(..), N::Part(_) | N::Chapter(_) | N::Section(_))
        | (N::Part(_) | N::Chapter(_) | N::Section(_), N::Article(_) | N::ArticleInserted(..))
        | (N::Part(_) | N::Chapter(_), N::Section(_))
        | (N::Part(_), N::Chapter(_)) => true,
        // R2 after 1.3 or M1.
        (N::Requirement(n), N::Decimal(parts)) => {
            parts.first().and_then(|first| first.checked_add(1)) == Some(*n)
        }
        (N::Requirement(n), N::Measure(measure)) => measure.checked_add(1) == Some(*n),
        (N::Measure(n), N::Decimal(parts)) => parts.first() == Some(n),
        // 7 after 第6章 is the same count in another dress; so is 第7章 after 6.4.
        (N::Decimal(parts), N::Chapter(chapter)) => {
            parts.len() == 1 && parts.first() == chapter.checked_add(1).as_ref()
        }
        (N::Chapter(chapter), N::Decimal(parts)) => {
            parts.first().and_then(|first| first.checked_add(1)) == Some(*chapter) || *chapter == 1
        }
        _ => style(next) != style(previous) && is_first(next),
    }
}

pub(super) fn gap_from(next: &Numbering, previous: &Numbering) -> Option<u32> {
    if is_successor(next, previous) {
        return Some(0);
    }
    if style(next) != style(previous) {
        return None;
    }
    // Climb until both hang under the same parent, then count along the siblings.
    let mut ancestor = Some(previous.clone());
    let mut at_level = None;
    while let Some(number) = ancestor {
        if parent(&number) == parent(next) {
            at_level = Some(number);
            break;
        }
        ancestor = parent(&number);
    }
    let last = ordinal(next)?;
    match at_level {
        Some(number) => last.checked_sub(ordinal(&number)?)?.checked_sub(1),
        // 2.1.3 directly after 2.1: two children are missing.
        None => (parent(next).as_ref() == Some(previous)).then(|| last.checked_sub(1))?,
    }
}

pub(super) fn alternative(numbering: &Numbering) -> Option<Numbering> {
    use Numbering as N;
    Some(match numbering {
        N::Roman(n) => {
            let text = number::format_roman(*n)?;
            let mut chars = text.chars();
            let letter = chars.next()?;
            chars.next().is_none().then_some(N::Letter(letter))?
        }
        N::Letter(c) => N::Roman(number::parse_roman(c.encode_utf8(&mut [0; 4]))?),
        N::ParenRoman(n) => {
            let text = number::format_roman(*n)?.to_ascii_lowercase();
            let mut chars = text.chars();
            let letter = chars.next()?;
            chars.next().is_none().then_some(N::Item(letter))?
        }
        N::Item(c) => N::ParenRoman(number::parse_roman(c.encode_utf8(&mut [0; 4]))?),
        _ => return None,
    })
}

/// Its place among its siblings.
fn ordinal(numbering: &Numbering) -> Option<u32> {
    use Numbering as N;
    match numbering {
        N::Part(n)
        | N::Chapter(n)
        | N::Section(n)
        | N::Article(n)
        | N::ArticleInserted(_, n)
        | N::Enumerated(n)
        | N::Paren(n)
        | N::ParenDigit(n)
        | N::Circled(n)
        | N::ParenRoman(n)
        | N::AppendixNumbered(n)
        | N::Attachment(n)
        | N::Requirement(n)
        | N::Measure(n)
        | N::Roman(n) => Some(*n),
        N::Item(c) | N::Letter(c) | N::Appendix(c) => {
            Some((c.to_ascii_lowercase() as u32).saturating_sub('a' as u32) + 1)
        }
        N::Decimal(parts) | N::AppendixDecimal(_, parts) | N::RequirementPart(_, parts) => {
            parts.last().copied()
        }
        N::English { number, .. } => number.last().copied(),
    }
}

fn is_first(numbering: &Numbering) -> bool {
    match numbering {
        Numbering::Decimal(parts)
        | Numbering::AppendixDecimal(_, parts)
        | Numbering::RequirementPart(_, parts) => parts.iter().all(|part| *part <= 1),
        // Some standards begin with an introduction numbered 0.
        other => ordinal(other).is_some_and(|n| n <= 1),
    }
}

/// Numbers of one style count in one row.
fn style(numbering: &Numbering) -> u8 {
    use Numbering as N;
    match numbering {
        N::Part(_) => 0,
        N::Chapter(_) => 1,
        N::Section(_) => 2,
        N::Article(_) | N::ArticleInserted(..) => 3,
        N::Decimal(_) => 4,
        N::Enumerated(_) => 5,
        N::Paren(_) => 6,
        N::ParenDigit(_) => 7,
        N::Circled(_) => 8,
        N::Item(_) => 9,
        N::ParenRoman(_) => 10,
        N::Appendix(_) | N::AppendixDecimal(..) => 11,
        N::AppendixNumbered(_) => 12,
        N::Attachment(_) => 13,
        N::Requirement(_) | N::RequirementPart(..) => 14,
        N::Measure(_) => 15,
        N::Roman(_) => 16,
        N::Letter(_) => 17,
        N::English { word, .. } => 32 + *word as u8,
    }
}
