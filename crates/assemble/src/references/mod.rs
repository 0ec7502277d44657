//! References found in the text, and the places they lead to.
//!
//! A reference is resolved only to a place that exists and is meant: a number that occurs twice (articles counted anew
//! in an appendix) is taken in the reader's own part of the document, and where that does not settle it the reference
//! stays unresolved. What leads nowhere is kept with the nearest places that do exist. References to other regulations
//! are left to the library. Must not change pages or tables.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{
    BlockId, Location, PageNumber, Reference, ReferenceKind, ReferenceTarget, RegId, Resolution, TableMeta,
};
use regreader_text::annotation::parse_definition;
use regreader_text::caption::{CaptionKind, parse_caption};
use regreader_text::numbering::{Numbering, parse_line};
use regreader_text::reference::{clause_candidates, find_references};

use crate::chapter::track::Track;
use crate::chapter::{Mark, Number};
use crate::clean::Cleaner;
use crate::contents::title_key;
use crate::notes::Notes;
use crate::paragraph::{Para, ParaKind};
use crate::structure::Tree;
use crate::table::Plan;

pub(crate) mod foreign;
mod near;

/// Everything a reference can lead to.
pub(crate) struct Places<'a> {
    pub reg_id: &'a RegId,
    pub title: &'a str,
    /// Codes by which the document names itself.
    pub own_codes: &'a BTreeSet<String>,
    pub marks: &'a [Mark],
    pub tree: &'a Tree,
    pub plan: &'a Plan,
    pub notes: &'a Notes,
    pub paras: &'a [Para],
    pub ids: &'a [BlockId],
    pub cleaner: Cleaner,
}

/// Where a reference stands.
#[derive(Debug, Clone, Copy)]
struct Site {
    para: usize,
    owner: Option<usize>,
    table: Option<usize>,
}

/// Finds and resolves all references, in document order.
pub(crate) fn resolve_all(places: &Places<'_>) -> Vec<Reference> {
    let index = Index::new(places);
    let mut out = Vec::new();
    let mut at = 0;
    while at < places.paras.len() {
        if let ParaKind::Table { table, segment } = places.paras[at].kind {
            let meta = places.plan.tables.get(table).and_then(|joined| joined.metas.get(segment));
            if let Some(meta) = meta {
                in_cells(places, &index, at, table, meta, &mut out);
            }
            at += 1;
            continue;
        }
        at = in_text(places, &index, at, &mut out);
    }
    out
}

/// References in a paragraph and what goes on from it over page borders. Returns the next paragraph.
fn in_text(places: &Places<'_>, index: &Index<'_>, at: usize, out: &mut Vec<Reference>) -> usize {
    let mut text = places.paras[at].text.clone();
    // Where in the joined text each paragraph begins.
    let mut starts = vec![0];
    let mut end = at + 1;
    while let Some(next) = places.paras.get(end).filter(|next| next.from_previous) {
        if matches!(next.kind, ParaKind::Table { .. }) {
            break;
        }
        places.cleaner.join(&mut text, &next.text);
        starts.push(text.len() - next.text.len());
        end += 1;
    }
    let skip = own_label(&places.paras[at], &text);
    for found in index.mentions(&text, skip) {
        let part = starts.partition_point(|start| *start <= found.begin).saturating_sub(1);
        let para = at + part;
        let owner = places.tree.owner.get(para).copied().flatten();
        let site = Site { para, owner, table: index.note_table(places, para) };
        out.extend(make(places, index, site, found, None));
    }
    end
}

/// Length of a paragraph's own number or label, which is no reference.
fn own_label(para: &Para, text: &str) -> usize {
    let rest = match para.kind {
        ParaKind::Mark(_) => parse_line(text).map(|line| line.rest),
        ParaKind::Note => parse_definition(text).map(|label| label.rest),
        ParaKind::Caption => Some(""),
        _ => None,
    };
    rest.and_then(|rest| text.rfind(rest).filter(|_| !rest.is_empty())).unwrap_or(if rest == Some("") {
        text.len()
    } else {
        0
    })
}

fn in_cells(
    places: &Places<'_>,
    index: &Index<'_>,
    at: usize,
    table: usize,
    meta: &TableMeta,
    out: &mut Vec<Reference>,
) {
    let site = Site { para: at, owner: places.tree.owner.get(at).copied().flatten(), table: Some(table) };
    for cell in &meta.cells {
        // The header printed again on a later page names nothing new.
        if cell.content.is_empty() || (cell.is_header && meta.segment_index > 0) {
            continue;
        }
        let skip = parse_definition(&cell.content).map_or(0, |label| cell.content.len() - label.rest.len());
        for found in index.mentions(&cell.content, skip) {
            out.extend(make(places, index, site, found, Some((cell.row, cell.col))));
        }
    }
}

/// A mention as it goes into the graph.
struct Found {
    /// Where it begins in its text.
    begin: usize,
    words: String,
    target: ReferenceTarget,
    /// It names a part of a requirement (`Part 2.1`).
    is_part: bool,
}

fn make(
    places: &Places<'_>,
    index: &Index<'_>,
    site: Site,
    found: Found,
    cell: Option<(u32, u32)>,
) -> Option<Reference> {
    let para = places.paras.get(site.para)?;
    let resolution = index.resolve(places, site, &found);
    Some(Reference {
        text: found.words,
        page_num: PageNumber::from_index(para.page),
        block_id: places.ids.get(site.para)?.clone(),
        row: cell.map(|(row, _)| row),
        col: cell.map(|(_, col)| col),
        target: found.target,
        resolution,
    })
}

/// Places by their numbers.
struct Index<'a> {
    nodes: BTreeMap<String, Vec<usize>>,
    tables: BTreeMap<&'a str, Vec<usize>>,
    figures: BTreeMap<String, Vec<usize>>,
    notes: BTreeMap<&'a str, Vec<usize>>,
    own_title: String,
    own_codes: &'a BTreeSet<String>,
    has_articles: bool,
    aliases: foreign::Aliases,
    /// First paragraph of each node and of each table.
    node_paras: Vec<Option<usize>>,
    table_paras: Vec<Option<usize>>,
    /// Table that the note in a block belongs to.
    note_tables: BTreeMap<&'a BlockId, usize>,
    /// The first number of every clause, where it is one and the same: the file is one part of a larger work.
    only_part: Option<u32>,
}

impl<'a> Index<'a> {
    fn new(places: &Places<'a>) -> Self {
        let mut nodes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (mark, node) in places.tree.nodes.iter().enumerate() {
            if !node.section_number.as_str().is_empty() {
                nodes.entry(node.section_number.as_str().to_owned()).or_default().push(mark);
            }
        }
        let mut tables: BTreeMap<&'a str, Vec<usize>> = BTreeMap::new();
        for (at, joined) in places.plan.tables.iter().enumerate() {
            if let Some(number) = &joined.table.number {
                tables.entry(number.as_str()).or_default().push(at);
            }
        }
        let mut figures: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, para) in places.paras.iter().enumerate().filter(|(_, para)| para.kind == ParaKind::Caption) {
            if let Some(caption) =
                parse_caption(&para.text).filter(|caption| caption.kind == CaptionKind::Figure)
            {
                figures.entry(caption.number).or_default().push(at);
            }
        }
        let mut notes: BTreeMap<&'a str, Vec<usize>> = BTreeMap::new();
        for (at, note) in places.notes.found.iter().enumerate() {
            notes.entry(note.annotation.annotation_id.as_str()).or_default().push(at);
        }
        let has_articles = places.marks.iter().any(|mark| is_track(mark, Track::Article));
        let aliases = foreign::Aliases::of(places);
        let own_codes = places.own_codes;
        let mut node_paras: Vec<Option<usize>> = vec![None; places.tree.nodes.len()];
        let mut table_paras = vec![None; places.plan.tables.len()];
        for (at, para) in places.paras.iter().enumerate() {
            let slot = match para.kind {
                ParaKind::Mark(mark) => node_paras.get_mut(mark),
                ParaKind::Table { table, segment: 0 } => table_paras.get_mut(table),
                _ => None,
            };
            if let Some(slot) = slot {
                slot.get_or_insert(at);
            }
        }
        // Guidance headed `Requirement R1` speaks of the requirement that is stated elsewhere.
        for list in nodes.values_mut().filter(|list| list.len() > 1) {
            let is_stated = |mark: &&usize| {
                let para = node_paras.get(**mark).copied().flatten().and_then(|at| places.paras.get(at));
                para.is_some_and(|para| !para.number_alone)
            };
            let requirements = list
                .iter()
                .all(|mark| places.marks.get(*mark).is_some_and(|mark| is_track(mark, Track::Requirement)));
            let stated: Vec<usize> = list.iter().filter(is_stated).copied().collect();
            if requirements && !stated.is_empty() {
                *list = stated;
            }
        }
        let in_tables = places
            .notes
            .found
            .iter()
            .filter_map(|note| Some((note.annotation.block_id.as_ref()?, note.table?)));
        let note_tables = in_tables.collect();
        Self {
            nodes,
            tables,
            figures,
            notes,
            own_title: title_key(places.title),
            own_codes,
            has_articles,
            aliases,
            node_paras,
            table_paras,
            note_tables,
            only_part: only_part(places.marks),
        }
    }

    fn node_location(&self, places: &Places<'_>, mark: usize) -> Option<Location> {
        let node = places.tree.nodes.get(mark)?;
        let para = self.node_paras.get(mark).copied().flatten();
        Some(Location {
            reg_id: places.reg_id.clone(),
            page_num: node.page_num,
            node_id: Some(node.node_id.clone()),
            table_id: None,
            annotation_id: None,
            block_id: para.and_then(|para| places.ids.get(para)).cloned(),
        })
    }

    /// A note under a table speaks of that table's notes.
    fn note_table(&self, places: &Places<'_>, para: usize) -> Option<usize> {
        self.note_tables.get(places.ids.get(para)?).copied()
    }

    /// What a text names behind its own label, with names of other regulations completed.
    fn mentions(&self, text: &str, skip: usize) -> Vec<Found> {
        let Some(rest) = text.get(skip..) else { return Vec::new() };
        let mut out: Vec<Found> = Vec::new();
        let mut last_end = 0;
        for mention in find_references(rest) {
            let (mut begin, end) = (mention.range.start + skip, mention.range.end + skip);
            let mut target = mention.target;
            if target.regulation.is_none() {
                // 见 before a name is part of the mention, not of the name.
                let place = text
                    .get(begin..end)
                    .map_or(0, |words| words.len() - words.trim_start_matches(['见', ' ']).len());
                if let Some(elsewhere) = self.aliases.elsewhere(text, begin + place, end) {
                    target.regulation = Some(elsewhere.regulation);
                    begin = elsewhere.from.min(begin);
                }
            }
            let words = text.get(begin..end).unwrap_or_default().to_owned();
            if target.regulation.as_ref().is_some_and(|code| self.own_codes.contains(code)) {
                // The document's own code says nothing; a place behind it is our own.
                target.regulation = None;
                if target.kind == ReferenceKind::Regulation {
                    continue;
                }
            }
            if target.kind == ReferenceKind::Plan
                && !self.is_plan_reference(text, end, &words, &target.number)
            {
                continue;
            }
            // `Parts 3.1 through 3.3`: the last of a list is one as well.
            let listed = out.last().is_some_and(|last| last.is_part) && begin <= last_end + 12;
            let bare = words.starts_with(|c: char| c.is_ascii_digit());
            let is_part = words.starts_with("Part") || (listed && bare);
            last_end = end;
            out.push(Found { begin, words, target, is_part });
        }
        out
    }

    /// 方案甲 is a reference where a definition of it stands elsewhere, not where a sentence says what it is.
    fn is_plan_reference(&self, text: &str, end: usize, words: &str, label: &str) -> bool {
        let defines = |tail: &str| tail.trim_start().starts_with(['为', '是', '指', '：', ':']);
        let led = words.starts_with(['见', '按', '详', '参']);
        let bare = words.trim_start_matches(['见', '按', '详', '参', ' ']);
        let inline =
            text.match_indices(bare).any(|(at, found)| text.get(at + found.len()..).is_some_and(defines));
        led || (self.notes.contains_key(label) && !inline && !text.get(end..).is_some_and(defines))
    }

    fn resolve(&self, places: &Places<'_>, site: Site, found: &Found) -> Resolution {
        let target = &found.target;
        let own = |title: &String| !self.own_title.is_empty() && title_key(title) == self.own_title;
        if target.regulation.as_ref().is_some_and(|title| !own(title)) {
            return Resolution::External;
        }
        if self.is_other_part(target) {
            return Resolution::External;
        }
        let found = match target.kind {
            ReferenceKind::Chapter
            | ReferenceKind::Section
            | ReferenceKind::Article
            | ReferenceKind::Appendix => {
                // `Part 2.1` of a requirement is a row of its table, never clause 2.1 of another chapter.
                if found.is_part {
                    self.part(places, &target.number)
                } else {
                    self.node(places, site, target).and_then(|mark| self.node_location(places, mark))
                }
            }
            ReferenceKind::Table => self.table(places, site, &target.number),
            ReferenceKind::Figure => self.figure(places, site, &target.number),
            ReferenceKind::Annotation | ReferenceKind::Plan => self.note(places, site, &target.number),
            ReferenceKind::Regulation => Some(Location {
                reg_id: places.reg_id.clone(),
                page_num: PageNumber::FIRST,
                node_id: None,
                table_id: None,
                annotation_id: None,
                block_id: None,
            }),
        };
        match found {
            Some(location) => Resolution::Resolved { location },
            None => Resolution::Unresolved {
                candidates: near::candidates(places, site.owner, site.table, target),
            },
        }
    }

    /// `Article 9.10.1.3.` in a file that holds Part 3 alone.
    fn is_other_part(&self, target: &ReferenceTarget) -> bool {
        let dotted =
            matches!(target.kind, ReferenceKind::Section | ReferenceKind::Article | ReferenceKind::Table)
                && target.number.contains('.')
                && target.number.starts_with(|c: char| c.is_ascii_digit());
        let first = target.number.split('.').next().and_then(|first| first.parse().ok());
        dotted && self.only_part.is_some() && first.is_some() && first != self.only_part
    }

    fn node(&self, places: &Places<'_>, site: Site, target: &ReferenceTarget) -> Option<usize> {
        for number in clause_candidates(target) {
            // 第5条 of a regulation without articles is its clause 5; of one with articles it is not.
            let other_kind = target.kind == ReferenceKind::Article && number.as_str() == target.number;
            if other_kind && self.has_articles {
                continue;
            }
            if let Some(list) = self.nodes.get(number.as_str()) {
                return only_one(list, |mark| same_part(places.tree, site.owner, Some(*mark)));
            }
        }
        None
    }

    /// A numbered part of a requirement: a node of that name, or the row of Table R2 that begins with `2.1`.
    fn part(&self, places: &Places<'_>, number: &str) -> Option<Location> {
        let number = number.strip_prefix("Part ").unwrap_or(number);
        for name in [format!("Part {number}"), format!("R{number}")] {
            if let Some([mark]) = self.nodes.get(&name).map(Vec::as_slice) {
                return self.node_location(places, *mark);
            }
        }
        let requirement = format!("R{}", number.split('.').next()?);
        // 2.1 printed below R2.
        let below: Vec<usize> = self
            .nodes
            .get(number)
            .into_iter()
            .flatten()
            .copied()
            .filter(|mark| stands_under(places.tree, *mark, &requirement))
            .collect();
        if let [mark] = below[..] {
            return self.node_location(places, mark);
        }
        let [at] = self.tables.get(requirement.as_str())?.as_slice() else { return None };
        let table = &places.plan.tables.get(*at)?.table;
        let begins = |text: &str| {
            text.strip_prefix(number).is_some_and(|tail| {
                !tail.starts_with(|c: char| {
                    c.is_ascii_digit() || c == '.' && tail.len() > 1 && tail.as_bytes()[1].is_ascii_digit()
                })
            })
        };
        let data = || table.cells.iter().filter(|cell| !cell.is_header);
        let whole = data().find(|cell| cell.content.trim_end_matches('.') == number);
        let row = whole.or_else(|| data().find(|cell| cell.content.split('\n').any(begins)))?.row;
        let mut location = self.table_location(places, *at)?;
        location.page_num = *table.row_pages.get(row as usize)?;
        Some(location)
    }

    fn table(&self, places: &Places<'_>, site: Site, number: &str) -> Option<Location> {
        let list = self.tables.get(number)?;
        let owner =
            |at: usize| self.table_para(at).and_then(|para| places.tree.owner.get(para).copied().flatten());
        let at = only_one(list, |at| same_part(places.tree, site.owner, owner(*at)))?;
        self.table_location(places, at)
    }

    fn table_para(&self, table: usize) -> Option<usize> {
        self.table_paras.get(table).copied().flatten()
    }

    fn table_location(&self, places: &Places<'_>, at: usize) -> Option<Location> {
        let para = self.table_para(at)?;
        let table = &places.plan.tables.get(at)?.table;
        Some(Location {
            reg_id: places.reg_id.clone(),
            page_num: PageNumber::from_index(places.paras.get(para)?.page),
            node_id: None,
            table_id: Some(table.table_id.clone()),
            annotation_id: None,
            block_id: places.ids.get(para).cloned(),
        })
    }

    fn figure(&self, places: &Places<'_>, site: Site, number: &str) -> Option<Location> {
        let list = self.figures.get(number)?;
        let owner = |at: usize| places.tree.owner.get(at).copied().flatten();
        let para = only_one(list, |at| same_part(places.tree, site.owner, owner(*at)))?;
        Some(Location {
            reg_id: places.reg_id.clone(),
            page_num: PageNumber::from_index(places.paras.get(para)?.page),
            node_id: None,
            table_id: None,
            annotation_id: None,
            block_id: places.ids.get(para).cloned(),
        })
    }

    /// The note meant: of the same table, else of the same clause, else of a clause above, else the only one near.
    fn note(&self, places: &Places<'_>, site: Site, label: &str) -> Option<Location> {
        let list = self.notes.get(label)?;
        let note = |at: usize| places.notes.found.get(at);
        let page = places.paras.get(site.para)?.page;
        let of_table =
            |at: &usize| site.table.is_some() && note(*at).is_some_and(|note| note.table == site.table);
        let of_clause = |at: &usize| {
            note(*at)
                .is_some_and(|note| note.owner.is_some() && note.owner == site.owner && note.table.is_none())
        };
        let clause_any =
            |at: &usize| note(*at).is_some_and(|note| note.owner.is_some() && note.owner == site.owner);
        let of_page = |at: &usize| note(*at).is_some_and(|note| note.page == page);
        let of_part = |at: &usize| {
            note(*at)
                .is_some_and(|note| note.owner.is_some() && same_chapter(places.tree, site.owner, note.owner))
        };
        let at = [&of_table as &dyn Fn(&usize) -> bool, &of_clause, &clause_any, &of_page, &of_part]
            .into_iter()
            .find_map(|near| {
                let mut matching = list.iter().copied().filter(|at| near(at));
                let first = matching.next()?;
                Some(matching.next().is_none().then_some(first))
            })
            // A plan is named once for the whole document; a note never reaches beyond its chapter.
            .unwrap_or_else(|| {
                list.first().copied().filter(|_| list.len() == 1 && label.starts_with("方案"))
            })?;
        let annotation = &note(at)?.annotation;
        let table_id = match &annotation.scope {
            regreader_model::AnnotationScope::Table { table_id } => Some(table_id.clone()),
            _ => None,
        };
        Some(Location {
            reg_id: places.reg_id.clone(),
            page_num: PageNumber::from_index(note(at)?.page),
            node_id: None,
            table_id,
            annotation_id: Some(annotation.annotation_id.clone()),
            block_id: annotation.block_id.clone(),
        })
    }
}

/// The only entry, or the only one in the reader's own part.
fn only_one(list: &[usize], mine: impl Fn(&usize) -> bool) -> Option<usize> {
    if let [only] = list {
        return Some(*only);
    }
    let mut own = list.iter().copied().filter(|at| mine(at));
    let first = own.next()?;
    own.next().is_none().then_some(first)
}

/// The first number that all clauses of the document share. A few clauses share it in any short document; dozens of
/// them, three levels deep, only in a part of a larger work.
fn only_part(marks: &[Mark]) -> Option<u32> {
    const ENOUGH: usize = 30;
    let mut first = None;
    let mut deep = 0_usize;
    for mark in marks {
        let Some(Numbering::Decimal(parts)) = mark.number.as_ref().map(|number| &number.numbering) else {
            continue;
        };
        let own = parts.first().copied();
        // List items are numbered from 1 everywhere.
        if parts.len() < 2 {
            continue;
        }
        if first.is_some() && first != own {
            return None;
        }
        first = own;
        deep += usize::from(parts.len() > 2);
    }
    first.filter(|_| deep >= ENOUGH)
}

fn stands_under(tree: &Tree, mark: usize, number: &str) -> bool {
    let mut at = tree.places.get(mark).and_then(|place| place.parent);
    while let Some(index) = at {
        if tree.nodes.get(index).is_some_and(|node| node.section_number.as_str() == number) {
            return true;
        }
        at = tree.places.get(index).and_then(|place| place.parent);
    }
    false
}

fn is_track(mark: &Mark, track: Track) -> bool {
    mark.number.as_ref().is_some_and(|number: &Number| number.track == track)
}

/// Both stand under the same appendix, or both in the body.
fn same_part(tree: &Tree, a: Option<usize>, b: Option<usize>) -> bool {
    let part = |at: Option<usize>| {
        let root = root_of(tree, at)?;
        let number = tree.nodes.get(root)?.section_number.as_str();
        (number.starts_with('附')).then_some(root)
    };
    part(a) == part(b)
}

fn same_chapter(tree: &Tree, a: Option<usize>, b: Option<usize>) -> bool {
    root_of(tree, a).is_some() && root_of(tree, a) == root_of(tree, b)
}

fn root_of(tree: &Tree, at: Option<usize>) -> Option<usize> {
    let mut at = at?;
    while let Some(parent) = tree.places.get(at).and_then(|place| place.parent) {
        at = parent;
    }
    Some(at)
}
