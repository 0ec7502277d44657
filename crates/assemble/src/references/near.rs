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
            let numbered = places.plan.tables.iter().filter_map(|joined| {
                let number = joined.table.number.as_deref()?;
                Some((distance(number, &target.number), format!("表{number}")))
            });
            nearest(numbered.collect())
        }
        ReferenceKind::Annotation | ReferenceKind::Plan => {
            let labels = places.notes.found.iter().map(|note| {
                let id = note.annotation.annotation_id.as_str();
                let near = u32::from(note.table.is_none() || note.table != table) * 4
                    + u32::from(note.owner != owner) * 2;
                (distance(id, &target.number) + near, label(places, id, &note.annotation.scope))
            });
            nearest(labels.collect())
        }
        ReferenceKind::Figure | ReferenceKind::Regulation => Vec::new(),
        ReferenceKind::Chapter
        | ReferenceKind::Section
        | ReferenceKind::Article
        | ReferenceKind::Appendix => {
            let appendix = target.kind == ReferenceKind::Appendix;
            let nodes = places.tree.nodes.iter().filter_map(|node| {
                let number = node.section_number.as_str();
                let fits = if appendix { number.starts_with('附') } else { !number.is_empty() };
                fits.then(|| (distance(number, &target.number), node.heading()))
            });
            nearest(nodes.collect())
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

fn nearest(mut list: Vec<(u32, String)>) -> Vec<String> {
    // Stable: equally near places stay in document order.
    list.sort_by_key(|(distance, _)| *distance);
    let mut out: Vec<String> = Vec::new();
    for (_, text) in list {
        if out.len() == COUNT {
            break;
        }
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
