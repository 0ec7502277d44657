//! The nearest places to a reference that leads nowhere, as a reader would write them.

use regreader_model::{AnnotationScope, ReferenceKind, ReferenceTarget};

use crate::references::Places;

/// How many are named.
const COUNT: usize = 5;

/// Places that do exist, nearest first.
pub(super) fn candidates(
    places: &Places<'_>,
    owner: Option<usize>,
    table: Option<usize>,
    target: &ReferenceTarget,
) -> Vec<String> {
    match target.kind {
        ReferenceKind::Table => {
            let tables = &places.plan.tables;
            let number = |at: usize| tables.get(at).and_then(|joined| joined.table.number.as_deref());
            nearest(
                tables.len(),
                |at| Some(distance(number(at)?, &target.number)),
                |at| format!("表{}", number(at).unwrap_or("")),
            )
        }
        ReferenceKind::Annotation | ReferenceKind::Plan => {
            let notes = &places.notes.found;
            let rank = |at: usize| {
                let note = notes.get(at)?;
                let far = u32::from(note.table.is_none() || note.table != table) * 4
                    + u32::from(note.owner != owner) * 2;
                Some(distance(&note.annotation.annotation_id, &target.number) + far)
            };
            let write = |at: usize| {
                let annotation = notes.get(at).map(|note| &note.annotation);
                annotation.map_or(String::new(), |note| label(places, &note.annotation_id, &note.scope))
            };
            nearest(notes.len(), rank, write)
        }
        ReferenceKind::Figure | ReferenceKind::Regulation => Vec::new(),
        ReferenceKind::Chapter
        | ReferenceKind::Section
        | ReferenceKind::Article
        | ReferenceKind::Appendix => {
            let appendix = target.kind == ReferenceKind::Appendix;
            let nodes = &places.tree.nodes;
            let rank = |at: usize| {
                let number = nodes.get(at)?.section_number.as_str();
                let fits = if appendix { number.starts_with('附') } else { !number.is_empty() };
                fits.then(|| distance(number, &target.number))
            };
            nearest(nodes.len(), rank, |at| {
                nodes.get(at).map_or(String::new(), regreader_model::ChapterNode::heading)
            })
        }
    }
}

fn label(places: &Places<'_>, id: &str, scope: &AnnotationScope) -> String {
    let AnnotationScope::Table { table_id } = scope else { return id.to_owned() };
    let number = places
        .plan
        .tables
        .iter()
        .find(|joined| &joined.table.table_id == table_id)
        .and_then(|joined| joined.table.number.as_deref());
    number.map_or_else(|| id.to_owned(), |number| format!("{id}（表{number}）"))
}

/// The nearest of `count` places; equally near ones in document order. Only those named are written out.
fn nearest(
    count: usize,
    rank: impl Fn(usize) -> Option<u32>,
    write: impl Fn(usize) -> String,
) -> Vec<String> {
    let mut ranked: Vec<(u32, usize)> = (0..count).filter_map(|at| Some((rank(at)?, at))).collect();
    ranked.sort_unstable();
    let mut out: Vec<String> = Vec::new();
    for (_, at) in ranked {
        if out.len() == COUNT {
            break;
        }
        let text = write(at);
        if !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

/// Numbers are near when they begin alike and the first part that differs differs by little.
fn distance(a: &str, b: &str) -> u32 {
    let (a, b) = (parts(a), parts(b));
    let shared = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let step = match (a.get(shared), b.get(shared)) {
        (Some(x), Some(y)) => x.abs_diff(*y).min(40),
        (None, None) => 0,
        _ => 1,
    };
    let lengths = a.len().abs_diff(b.len()) as u32 * 3;
    let unshared = (a.len().max(b.len()) - shared) as u32 * 10;
    unshared + step + lengths
}

/// The numbers in a number; letters count by their place in the alphabet.
fn parts(text: &str) -> Vec<u32> {
    let mut out = Vec::new();
    let mut digits: Option<u32> = None;
    for c in text.chars() {
        if let Some(digit) = c.to_digit(10) {
            digits = Some(digits.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        } else {
            out.extend(digits.take());
            if c.is_ascii_alphabetic() {
                out.push(c.to_ascii_uppercase() as u32);
            }
        }
    }
    out.extend(digits);
    out
}
