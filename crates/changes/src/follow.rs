//! References that only follow a renumbering: 按第6.2.3条 became 按第6.2.4条 because a clause was inserted before it.
//!
//! Nobody has to read such a sentence, note or cell again, so it is no change of the text. It is none only when the clause,
//! table or note that the older text names is paired with the one that the newer text names; a reference that goes somewhere
//! else is a change.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{ReferenceKind, ReferenceTarget};
use regreader_text::reference::clause_candidates;
use regreader_text::{find_references, fold};

use crate::align::Alignment;
use crate::clause::Clauses;

/// Stands for a reference in a text whose other words are compared.
const MASK: char = '\u{1}';

/// What the clauses and tables of the older edition are called in the newer one.
#[derive(Debug, Default)]
pub(crate) struct Renumbering {
    clauses: BTreeMap<String, BTreeSet<String>>,
    tables: BTreeMap<String, BTreeSet<String>>,
    /// Labels of notes, with the older edition's table that a note belongs to.
    notes: BTreeSet<(Option<usize>, String, String)>,
}

impl Renumbering {
    /// Reads the pairs of an alignment, and of the tables.
    pub(crate) fn new<'a>(
        old: &Clauses,
        new: &Clauses,
        alignment: &Alignment,
        tables: impl Iterator<Item = (Option<&'a str>, Option<&'a str>)>,
        notes: BTreeSet<(Option<usize>, String, String)>,
    ) -> Self {
        let mut found = Self { notes, ..Self::default() };
        for (a, b) in alignment.new_of.iter().enumerate() {
            let Some(b) = *b else { continue };
            let (from, to) = (&old.list[a].number, &new.list[b].number);
            if !from.is_empty() && !to.is_empty() {
                found.clauses.entry(fold(from)).or_default().insert(fold(to));
            }
        }
        for (from, to) in tables.filter_map(|(from, to)| Some((from?, to?))) {
            found.tables.entry(fold(from)).or_default().insert(fold(to));
        }
        found
    }

    /// Whether two texts differ in nothing but references that follow the renumbering. In a table of the older edition the
    /// notes of that table are meant.
    pub(crate) fn explains(&self, old: &str, new: &str, table: Option<usize>) -> bool {
        let (before, after) = (find_references(old), find_references(new));
        if before.is_empty() || before.len() != after.len() {
            return false;
        }
        let ranges = |mentions: &[regreader_text::Mention]| -> Vec<std::ops::Range<usize>> {
            mentions.iter().map(|mention| mention.range.clone()).collect()
        };
        masked(old, &ranges(&before)) == masked(new, &ranges(&after))
            && before.iter().zip(&after).all(|(x, y)| {
                let words = |text: &str, range: &std::ops::Range<usize>| -> String {
                    let words = fold(text.get(range.clone()).unwrap_or_default());
                    words.chars().filter(|c| !c.is_numeric() && !c.is_whitespace()).collect()
                };
                words(old, &x.range) == words(new, &y.range) && self.leads(&x.target, &y.target, table)
            })
    }

    /// Whether a reference of the newer text names what one of the older text names.
    fn leads(&self, old: &ReferenceTarget, new: &ReferenceTarget, table: Option<usize>) -> bool {
        if old == new {
            return true;
        }
        if old.kind != new.kind || old.regulation.is_some() || new.regulation.is_some() {
            return false;
        }
        let is_pair = |map: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str| {
            map.get(&fold(from)).is_some_and(|known| known.contains(&fold(to)))
        };
        match old.kind {
            ReferenceKind::Table => is_pair(&self.tables, &old.number, &new.number),
            ReferenceKind::Chapter
            | ReferenceKind::Section
            | ReferenceKind::Article
            | ReferenceKind::Appendix => {
                let (from, to) = (clause_candidates(old), clause_candidates(new));
                from.iter().any(|a| to.iter().any(|b| is_pair(&self.clauses, a.as_str(), b.as_str())))
            }
            ReferenceKind::Annotation => self.notes.iter().any(|(owner, from, to)| {
                (table.is_none() || *owner == table) && *from == old.number && *to == new.number
            }),
            _ => false,
        }
    }
}

/// The folded text with each of these stretches as one mark, without white space.
fn masked(text: &str, ranges: &[std::ops::Range<usize>]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for range in ranges {
        // The members of a printed range of clauses share its bytes.
        if range.start < at {
            continue;
        }
        out.push_str(&fold(text.get(at..range.start).unwrap_or_default()));
        out.push(MASK);
        at = range.end;
    }
    out.push_str(&fold(text.get(at..).unwrap_or_default()));
    out.chars().filter(|c| !c.is_whitespace()).collect()
}
