//! Whether a passage is the table, clause or note that a citation names.

use regreader_model::ReferenceKind;
use regreader_text::reference::clause_candidates;
use regreader_text::{canonical_label, canonical_table_number, find_references, fold, parse_reference};

use crate::page::Context;

/// What a citation names beside the page.
pub struct Target {
    wanted: Vec<Wanted>,
}

enum Wanted {
    Table(String),
    Note(String),
    Clause(Vec<String>),
    /// Anything else: only a title of this name, or a clause that is numbered so (`IV`, `E.`).
    Title(String),
}

impl Target {
    /// Reads a target as people write it: `表6-2`, `6.2.1`, `表6-2 注1`, `第六章`.
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        let mut wanted: Vec<Wanted> =
            find_references(text).iter().filter_map(|mention| wanted(&mention.target)).collect();
        if wanted.is_empty() {
            let one = parse_reference(text).as_ref().and_then(wanted_of);
            let label = || canonical_label(text).map(Wanted::Note);
            let table = || canonical_table_number(text).filter(|_| has_table_word(text)).map(Wanted::Table);
            wanted.extend(
                one.or_else(label)
                    .or_else(table)
                    .or_else(|| (!text.is_empty()).then(|| Wanted::Title(squeeze(text)))),
            );
        }
        Self { wanted }
    }

    /// Whether the passage is there.
    pub fn fits(&self, place: &Context) -> bool {
        self.wanted.iter().all(|wanted| match wanted {
            Wanted::Table(number) => place.table_number.as_deref().is_some_and(|known| same(known, number)),
            Wanted::Note(label) => place.note.as_deref().is_some_and(|known| same(known, label)),
            Wanted::Clause(numbers) => {
                numbers.iter().any(|number| place.clauses.iter().any(|known| same(known, number)))
            }
            Wanted::Title(title) => {
                let names = place.caption.iter().chain(&place.titles).chain(&place.clauses);
                names.chain(&place.table_number).any(|known| squeeze(known) == *title)
            }
        })
    }
}

fn wanted_of(target: &regreader_model::ReferenceTarget) -> Option<Wanted> {
    wanted(target)
}

fn wanted(target: &regreader_model::ReferenceTarget) -> Option<Wanted> {
    match target.kind {
        ReferenceKind::Regulation => None,
        ReferenceKind::Table => Some(Wanted::Table(target.number.clone())),
        ReferenceKind::Annotation | ReferenceKind::Plan => Some(Wanted::Note(target.number.clone())),
        _ => {
            let mut numbers: Vec<String> =
                clause_candidates(target).iter().map(|number| number.as_str().to_owned()).collect();
            numbers.push(target.number.clone());
            Some(Wanted::Clause(numbers))
        }
    }
}

fn has_table_word(text: &str) -> bool {
    text.contains('表') || text.to_lowercase().contains("table")
}

fn same(a: &str, b: &str) -> bool {
    a == b || squeeze(a) == squeeze(b)
}

fn squeeze(text: &str) -> String {
    fold(text)
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
        .collect::<String>()
        .trim_matches(['.', '-'])
        .to_owned()
}
