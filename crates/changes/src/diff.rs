//! Two editions in, one record per change out.

use std::collections::{BTreeSet, HashMap};

use regreader_model::{LogicalTable, NodeId};

use crate::align::{Alignment, candidates};
use crate::assign::in_order;
use crate::clause::{Clauses, EditionText, fingerprint};
use crate::entity::EntityCatalog;
use crate::follow::Renumbering;
use crate::note;
use crate::record::{ChangeKind, ChangeRecord, Changes};
use crate::split::{self, Split};
use crate::table::{self, Tables, text_change};
use crate::words::{changed_words, difference};

/// Least likeness at which an added and a deleted clause are said to correspond possibly.
const POSSIBLY: f64 = 0.3;

/// What is compared.
#[derive(Debug, Clone, Default)]
pub struct DiffOptions<'a> {
    /// Only this chapter of the older edition.
    pub old_scope: Option<&'a NodeId>,
    /// Only this chapter of the newer edition.
    pub new_scope: Option<&'a NodeId>,
    /// Clauses and notes only.
    pub without_tables: bool,
    /// Things that records name; those of the two editions when not given.
    pub entities: Option<&'a EntityCatalog>,
}

/// Everything that changed from the older to the newer edition.
///
/// The result for the two editions the other way round is the same with the sides exchanged, and an edition does not
/// differ from itself.
pub fn diff(old: &EditionText<'_>, new: &EditionText<'_>, options: &DiffOptions<'_>) -> Changes {
    // Ties between equally good pairs must not depend on which edition comes first: the work is always done in one
    // direction, and turned round where the other was asked for.
    let turned = fingerprint(old) > fingerprint(new);
    let (mut records, same) = if turned {
        let scopes =
            DiffOptions { old_scope: options.new_scope, new_scope: options.old_scope, ..options.clone() };
        let (mut records, same) = one_way(new, old, &scopes);
        records.iter_mut().for_each(mirror);
        (records, same)
    } else {
        one_way(old, new, options)
    };
    let mut own = EntityCatalog::default();
    if options.entities.is_none() {
        own.read(old);
        own.read(new);
    }
    let entities = options.entities.unwrap_or(&own);
    for record in &mut records {
        record.entities = entities.named_in(&naming_text(record));
        if let (Some(a), Some(b)) = (&record.old_text, &record.new_text) {
            record.words = (a != b).then(|| changed_words(a, b));
        }
    }
    let order = |record: &ChangeRecord| {
        let place = record.place();
        (place.map(|place| place.page), place.map(|place| place.table.is_some()))
    };
    records.sort_by_key(order);
    Changes { same, ..Changes::new(records) }
}

/// What a change is about: its words, and the names of its row, column and table.
fn naming_text(record: &ChangeRecord) -> String {
    let mut text = String::new();
    for part in [&record.old_text, &record.new_text].into_iter().flatten() {
        text.push_str(part);
        text.push('\n');
    }
    for place in [&record.old, &record.new].into_iter().flatten() {
        let parts = place.row_label.iter().chain(&place.column).chain(&place.title);
        parts.for_each(|part| {
            text.push_str(part);
            text.push('\n');
        });
    }
    text
}

fn mirror(record: &mut ChangeRecord) {
    record.kind = record.kind.mirrored();
    std::mem::swap(&mut record.old, &mut record.new);
    std::mem::swap(&mut record.old_text, &mut record.new_text);
    for quantity in record.quantity.iter_mut().chain(&mut record.more_quantities) {
        std::mem::swap(&mut quantity.old, &mut quantity.new);
        if let Some(difference) = &mut quantity.difference {
            let turned = match difference.split_at_checked(1) {
                Some(("-", amount)) => format!("+{amount}"),
                Some(("+", amount)) if amount != "0" => format!("-{amount}"),
                _ => difference.clone(),
            };
            *difference = turned;
        }
    }
}

/// The records in one direction, and how many clauses say the same on both sides.
fn one_way(
    old: &EditionText<'_>,
    new: &EditionText<'_>,
    options: &DiffOptions<'_>,
) -> (Vec<ChangeRecord>, usize) {
    let before = Clauses::new(old, options.old_scope);
    let after = Clauses::new(new, options.new_scope);
    let alignment = Alignment::new(&before, &after);
    let pairs = alignment.new_of.iter().enumerate().filter_map(|(a, b)| Some((a, (*b)?)));
    let same = pairs.filter(|(a, b)| before.list[*a].profile.key == after.list[*b].profile.key).count();
    if options.without_tables {
        let renumbering = Renumbering::new(&before, &after, &alignment, std::iter::empty(), BTreeSet::new());
        return (clause_changes(&before, &after, &alignment, &renumbering), same);
    }
    let tables_before = Tables::new(tables(old, &before, options.old_scope).into_iter(), &before);
    let tables_after = Tables::new(tables(new, &after, options.new_scope).into_iter(), &after);
    let pairs = table::pair(&tables_before, &tables_after, &alignment);
    let ids = |tables: &Tables<'_>| -> Vec<(String, Option<String>)> {
        tables.grids.iter().map(|grid| (grid.table.table_id.to_string(), grid.table.number.clone())).collect()
    };
    let (ids_before, ids_after) = (ids(&tables_before), ids(&tables_after));
    let old_side = note::Side {
        edition: old,
        clauses: &before,
        tables: borrowed(&ids_before),
        scoped: options.old_scope.is_some(),
    };
    let new_side = note::Side {
        edition: new,
        clauses: &after,
        tables: borrowed(&ids_after),
        scoped: options.new_scope.is_some(),
    };
    let notes = note::pair(&old_side, &new_side, &alignment, &pairs);
    let numbers = pairs.iter().map(|(i, j, _)| {
        let number = |tables: &'_ Tables<'_>, at: usize| tables.grids[at].table.number.clone();
        (number(&tables_before, *i), number(&tables_after, *j))
    });
    let numbers: Vec<(Option<String>, Option<String>)> = numbers.collect();
    let numbers = numbers.iter().map(|(from, to)| (from.as_deref(), to.as_deref()));
    let renumbering = Renumbering::new(&before, &after, &alignment, numbers, notes.labels());
    let mut records = clause_changes(&before, &after, &alignment, &renumbering);
    let sides = [before.reg_id.as_str(), after.reg_id.as_str()];
    for (i, j, confidence) in &pairs {
        let beside = table::Beside { sides, renumbering: &renumbering, table: *i };
        records.extend(table::compare(
            &tables_before.grids[*i],
            &tables_after.grids[*j],
            beside,
            *confidence,
        ));
    }
    let paired = |side: fn(&(usize, usize, f64)) -> usize| pairs.iter().map(side).collect::<BTreeSet<_>>();
    let (paired_old, paired_new) = (paired(|pair| pair.0), paired(|pair| pair.1));
    for (_, grid) in tables_before.grids.iter().enumerate().filter(|(i, _)| !paired_old.contains(i)) {
        records.push(table::alone(grid, sides[0], ChangeKind::Deleted));
    }
    for (_, grid) in tables_after.grids.iter().enumerate().filter(|(j, _)| !paired_new.contains(j)) {
        records.push(table::alone(grid, sides[1], ChangeKind::Added));
    }
    records.extend(note::compare(&notes, &renumbering));
    (records, same)
}

/// Ids and numbers as borrowed text.
fn borrowed(ids: &[(String, Option<String>)]) -> Vec<(&str, Option<&str>)> {
    ids.iter().map(|(id, number)| (id.as_str(), number.as_deref())).collect()
}

/// The tables that are compared, in document order.
fn tables<'a>(edition: &EditionText<'a>, clauses: &Clauses, scope: Option<&NodeId>) -> Vec<&'a LogicalTable> {
    let inside = |table: &&LogicalTable| {
        scope.is_none() || table.chapter_node_id.as_ref().is_some_and(|node| clauses.of_node(node).is_some())
    };
    edition.tables.tables.values().filter(inside).collect()
}

fn clause_changes(
    old: &Clauses,
    new: &Clauses,
    alignment: &Alignment,
    renumbering: &Renumbering,
) -> Vec<ChangeRecord> {
    let (split, merged) = split::find(old, new, alignment);
    let mut records = Vec::new();
    let mut done_old: BTreeSet<usize> = BTreeSet::new();
    let mut done_new: BTreeSet<usize> = BTreeSet::new();
    for one in &split {
        records.push(apart(old, one, new, ChangeKind::Split));
        done_old.insert(one.whole);
        done_new.extend(&one.parts);
    }
    for one in &merged {
        let mut record = apart(new, one, old, ChangeKind::Split);
        mirror(&mut record);
        records.push(record);
        done_new.insert(one.whole);
        done_old.extend(&one.parts);
    }
    let moved = moved(old, new, alignment);
    for (a, b) in alignment.new_of.iter().enumerate() {
        match *b {
            Some(b) if !done_old.contains(&a) && !done_new.contains(&b) => {
                let (x, y) = (&old.list[a], &new.list[b]);
                let same = x.profile.key == y.profile.key || renumbering.explains(&x.text, &y.text, None);
                let fate = match (same, moved.contains(&a)) {
                    (false, _) => Fate::Reworded,
                    (true, true) => Fate::Moved,
                    (true, false) => Fate::Kept,
                };
                records.extend(pair_change(old, a, new, b, alignment.confidence[a], fate));
            }
            _ => {}
        }
    }
    let free_old: Vec<usize> =
        (0..old.list.len()).filter(|a| alignment.new_of[*a].is_none() && !done_old.contains(a)).collect();
    let free_new: Vec<usize> =
        (0..new.list.len()).filter(|b| alignment.old_of[*b].is_none() && !done_new.contains(b)).collect();
    let possible = possible(old, new, alignment, &free_old, &free_new);
    for a in free_old {
        let mut record = ChangeRecord::new(ChangeKind::Deleted, Some(old.place(a, 0)), None, 1.0);
        record.old_text = Some(old.list[a].text.clone());
        record.possibly = possible.iter().find(|(x, _)| *x == a).map(|(_, b)| new.place(*b, 0));
        records.push(record);
    }
    for b in free_new {
        let mut record = ChangeRecord::new(ChangeKind::Added, None, Some(new.place(b, 0)), 1.0);
        record.new_text = Some(new.list[b].text.clone());
        record.possibly = possible.iter().find(|(_, y)| *y == b).map(|(a, _)| old.place(*a, 0));
        records.push(record);
    }
    records
}

/// A clause that became several.
fn apart(wholes: &Clauses, split: &Split, pieces: &Clauses, kind: ChangeKind) -> ChangeRecord {
    let whole = &wholes.list[split.whole];
    let texts: Vec<&str> = split.parts.iter().map(|part| pieces.list[*part].text.as_str()).collect();
    let joined = texts.join("\n");
    let mut places = split.parts.iter().map(|part| pieces.place(*part, 0));
    let covered = whole.profile.covered_by(split.parts.iter().map(|part| &pieces.list[*part].profile));
    let mut record =
        ChangeRecord::new(kind, Some(wholes.place(split.whole, 0)), places.next(), covered as f32);
    record.others = places.collect();
    let mut quantities = difference(&whole.text, &joined, "").quantities.into_iter();
    record.quantity = quantities.next();
    record.more_quantities = quantities.collect();
    (record.old_text, record.new_text) = (Some(whole.text.clone()), Some(joined));
    record
}

/// What became of a clause that both editions have.
#[derive(Clone, Copy)]
enum Fate {
    /// It says something else.
    Reworded,
    /// It says the same elsewhere.
    Moved,
    /// It says the same where it was; its references may follow a renumbering.
    Kept,
}

fn pair_change(
    old: &Clauses,
    a: usize,
    new: &Clauses,
    b: usize,
    confidence: f64,
    fate: Fate,
) -> Option<ChangeRecord> {
    let (x, y) = (&old.list[a], &new.list[b]);
    let kind = match fate {
        Fate::Reworded => {
            let found = difference(&x.text, &y.text, "");
            let mut record = text_change(&x.text, &y.text, "", confidence);
            (record.old, record.new) = (Some(old.place(a, found.old_at)), Some(new.place(b, found.new_at)));
            return Some(record);
        }
        Fate::Moved => ChangeKind::Moved,
        Fate::Kept if x.label != y.label => ChangeKind::Renumbered,
        Fate::Kept if !x.is_spelt_like(y) => ChangeKind::Format,
        Fate::Kept => return None,
    };
    let mut record = ChangeRecord::new(kind, Some(old.place(a, 0)), Some(new.place(b, 0)), confidence as f32);
    (record.old_text, record.new_text) = (Some(x.text.clone()), Some(y.text.clone()));
    Some(record)
}

/// Old clauses that stand elsewhere now: under another parent, or in another order among the children of one. A clause that
/// kept its number has not moved, whatever the tree above it looks like.
fn moved(old: &Clauses, new: &Clauses, alignment: &Alignment) -> BTreeSet<usize> {
    let mut moved = BTreeSet::new();
    let mut families: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (a, b) in alignment.new_of.iter().enumerate().filter_map(|(a, b)| Some((a, (*b)?))) {
        let renumbered = old.list[a].label != new.list[b].label || old.list[a].label.is_empty();
        if alignment.same_parent(old, new, a, b) {
            families.entry(old.list[a].parent).or_default().push(a);
        } else if renumbered {
            moved.insert(a);
        }
    }
    for family in families.into_values() {
        let seconds: Vec<usize> = family.iter().filter_map(|a| alignment.new_of[*a]).collect();
        for (a, kept) in family.iter().zip(in_order(&seconds)) {
            let renumbered = alignment.new_of[*a].is_some_and(|b| old.list[*a].label != new.list[b].label);
            if !kept && renumbered {
                moved.insert(*a);
            }
        }
    }
    moved
}

/// Added and deleted clauses that resemble each other, too little to be one.
fn possible(
    old: &Clauses,
    new: &Clauses,
    alignment: &Alignment,
    free_old: &[usize],
    free_new: &[usize],
) -> Vec<(usize, usize)> {
    let mut scored: Vec<(f64, usize, usize)> = candidates(old, &alignment.new_of, new, &alignment.old_of)
        .into_iter()
        .filter(|(a, b)| free_old.contains(a) && free_new.contains(b))
        .map(|(a, b)| (old.list[a].profile.likeness(&new.list[b].profile), a, b))
        .filter(|(likeness, ..)| *likeness >= POSSIBLY)
        .collect();
    scored.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (_, a, b) in scored {
        if !found.iter().any(|(x, y)| *x == a || *y == b) {
            found.push((a, b));
        }
    }
    found
}
