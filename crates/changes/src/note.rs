//! Notes and plans of two editions: by their text, helped by the table or clause they belong to and by their label.

use std::collections::BTreeSet;

use regreader_model::{Annotation, AnnotationScope};
use regreader_text::beginning;

use crate::align::Alignment;
use crate::assign::assign;
use crate::clause::{Clauses, EditionText, corners};
use crate::follow::Renumbering;
use crate::likeness::Profile;
use crate::record::{ChangeKind, ChangeRecord, Place};
use crate::table::text_change;

/// Least likeness of two notes.
const ALIKE: f64 = 0.45;
/// The same for notes of one label under one table or clause.
const ALIKE_SAME_PLACE: f64 = 0.3;
/// Characters of a note shown as its title.
const TITLE: usize = 40;

/// What a note belongs to, as an index into the lists that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Table(usize),
    Clause(usize),
    Page,
}

struct Note<'a> {
    annotation: &'a Annotation,
    owner: Owner,
    profile: Profile,
    place: Place,
}

/// One side: its edition, its clauses, and the ids of its tables in the order in which they are compared.
pub(crate) struct Side<'a> {
    pub edition: &'a EditionText<'a>,
    pub clauses: &'a Clauses,
    pub tables: Vec<(&'a str, Option<&'a str>)>,
    /// Whether only a part of the edition is compared; then notes outside of it are left out.
    pub scoped: bool,
}

/// The notes of two editions, paired.
pub(crate) struct Notes<'a> {
    before: Vec<Note<'a>>,
    after: Vec<Note<'a>>,
    pairs: Vec<(usize, usize, f64)>,
}

/// Which note goes with which.
pub(crate) fn pair<'a>(
    old: &Side<'a>,
    new: &Side<'a>,
    alignment: &Alignment,
    tables: &[(usize, usize, f64)],
) -> Notes<'a> {
    let (before, after) = (notes(old), notes(new));
    let same_owner = |a: Owner, b: Owner| match (a, b) {
        (Owner::Table(x), Owner::Table(y)) => tables.iter().any(|(i, j, _)| (*i, *j) == (x, y)),
        (Owner::Clause(x), Owner::Clause(y)) => alignment.new_of[x] == Some(y),
        (Owner::Page, Owner::Page) => true,
        _ => false,
    };
    let score = |a: &Note<'_>, b: &Note<'_>| {
        let likeness = a.profile.likeness(&b.profile);
        let owner = same_owner(a.owner, b.owner);
        let label = a.annotation.annotation_id == b.annotation.annotation_id;
        let least = if owner && label { ALIKE_SAME_PLACE } else { ALIKE };
        if likeness < least { 0.0 } else { likeness + f64::from(owner) * 0.2 + f64::from(label) * 0.1 }
    };
    let scores: Vec<Vec<f64>> = before.iter().map(|a| after.iter().map(|b| score(a, b)).collect()).collect();
    let pairs = assign(&scores).into_iter().map(|(i, j)| (i, j, scores[i][j])).collect();
    Notes { before, after, pairs }
}

impl Notes<'_> {
    /// The labels of paired notes, with the older edition's table that they belong to.
    pub(crate) fn labels(&self) -> BTreeSet<(Option<usize>, String, String)> {
        let label = |(i, j, _): &(usize, usize, f64)| {
            let (a, b) = (&self.before[*i], &self.after[*j]);
            let table = match a.owner {
                Owner::Table(at) => Some(at),
                _ => None,
            };
            (table, a.annotation.annotation_id.clone(), b.annotation.annotation_id.clone())
        };
        self.pairs.iter().map(label).collect()
    }
}

/// The notes that changed, came or went.
pub(crate) fn compare(notes: &Notes<'_>, renumbering: &Renumbering) -> Vec<ChangeRecord> {
    let Notes { before, after, pairs } = notes;
    let mut records = Vec::new();
    for (i, j, confidence) in pairs {
        records.extend(pair_change(&before[*i], &after[*j], *confidence, renumbering));
    }
    for (_, note) in before.iter().enumerate().filter(|(i, _)| !pairs.iter().any(|(x, ..)| x == i)) {
        let mut record = ChangeRecord::new(ChangeKind::Note, Some(note.place.clone()), None, 1.0);
        record.old_text = Some(note.annotation.content.clone());
        records.push(record);
    }
    for (_, note) in after.iter().enumerate().filter(|(j, _)| !pairs.iter().any(|(_, y, _)| y == j)) {
        let mut record = ChangeRecord::new(ChangeKind::Note, None, Some(note.place.clone()), 1.0);
        record.new_text = Some(note.annotation.content.clone());
        records.push(record);
    }
    records
}

fn pair_change(
    a: &Note<'_>,
    b: &Note<'_>,
    confidence: f64,
    renumbering: &Renumbering,
) -> Option<ChangeRecord> {
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let (x, y) = (&a.annotation.content, &b.annotation.content);
    let table = match a.owner {
        Owner::Table(at) => Some(at),
        _ => None,
    };
    let says_same = a.profile.key == b.profile.key || renumbering.explains(x, y, table);
    let mut record = if !says_same {
        let mut record = text_change(x, y, "", confidence);
        if record.kind == ChangeKind::Text {
            record.kind = ChangeKind::Note;
        }
        record
    } else if a.annotation.annotation_id != b.annotation.annotation_id {
        ChangeRecord::new(ChangeKind::Renumbered, None, None, 1.0)
    } else if plain(x) != plain(y) {
        ChangeRecord::new(ChangeKind::Format, None, None, 1.0)
    } else {
        return None;
    };
    (record.old, record.new) = (Some(a.place.clone()), Some(b.place.clone()));
    Some(record)
}

fn notes<'a>(side: &Side<'a>) -> Vec<Note<'a>> {
    let reg_id = side.edition.info.reg_id.as_str();
    let mut notes = Vec::new();
    for page in side.edition.pages {
        for annotation in &page.annotations {
            let owner = match &annotation.scope {
                AnnotationScope::Table { table_id } => side
                    .tables
                    .iter()
                    .position(|(id, _)| *id == table_id.as_str())
                    .map_or(Owner::Page, Owner::Table),
                AnnotationScope::Section { node_id } => {
                    side.clauses.of_node(node_id).map_or(Owner::Page, Owner::Clause)
                }
                AnnotationScope::Page => Owner::Page,
            };
            if side.scoped && owner == Owner::Page {
                continue;
            }
            let block = annotation
                .block_id
                .as_ref()
                .and_then(|id| page.content_blocks.iter().find(|block| block.block_id == *id));
            let clause = match owner {
                Owner::Clause(at) => {
                    Some(side.clauses.list[at].label.clone()).filter(|label| !label.is_empty())
                }
                _ => None,
            };
            let table = match owner {
                Owner::Table(at) => side.tables.get(at).map(|(id, number)| number.unwrap_or(id).to_owned()),
                _ => None,
            };
            notes.push(Note {
                annotation,
                owner,
                profile: Profile::new(&annotation.content),
                place: Place {
                    reg_id: reg_id.to_owned(),
                    clause,
                    title: Some(beginning(&annotation.content, TITLE)),
                    table,
                    note: Some(annotation.annotation_id.clone()),
                    page: annotation.page_num.unwrap_or(page.page_num).get(),
                    block_id: annotation.block_id.as_ref().map(ToString::to_string),
                    bbox: block.and_then(|block| block.bbox).map(corners),
                    ..Place::default()
                },
            });
        }
    }
    notes
}
