//! References found in the text, and the places they lead to.
//!
//! A reference is resolved only to a place that exists and is meant: a number that occurs twice (articles counted anew
//! in an appendix) is taken in the reader's own part of the document, and where that does not settle it the reference
//! stays unresolved. What leads nowhere is kept with the nearest places that do exist. References to other regulations
//! are left to the library. Must not change pages or tables.

use std::collections::BTreeMap;

use regreader_model::{
    BlockId, Location, PageNumber, Reference, ReferenceKind, ReferenceTarget, RegId, Resolution, TableMeta,
};
use regreader_text::annotation::parse_definition;
use regreader_text::caption::{CaptionKind, parse_caption};
use regreader_text::numbering::parse_line;
use regreader_text::reference::{Mention, find_references};

use crate::chapter::track::Track;
use crate::chapter::{Mark, Number};
use crate::clean::Cleaner;
use crate::contents::title_key;
use crate::notes::Notes;
use crate::paragraph::{Para, ParaKind};
use crate::structure::Tree;
use crate::table::Plan;

mod near;

/// Everything a reference can lead to.
pub(crate) struct Places<'a> {
    pub reg_id: &'a RegId,
    pub title: &'a str,
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
    let Some(rest) = text.get(skip..) else { return end };
    for mention in find_references(rest) {
        let begin = mention.range.start + skip;
        let part = starts.partition_point(|start| *start <= begin).saturating_sub(1);
        let para = at + part;
        let site = Site { para, owner: places.tree.owner.get(para).copied().flatten(), table: note_table(places, para) };
        let words = rest.get(mention.range.clone()).unwrap_or_default().to_owned();
        out.extend(make(places, index, site, words, mention, None));
    }
    end
}

/// A note under a table speaks of that table's notes.
fn note_table(places: &Places<'_>, para: usize) -> Option<usize> {
    let id = places.ids.get(para)?;
    places.notes.found.iter().find(|note| note.annotation.block_id.as_ref() == Some(id))?.table
}

/// Length of a paragraph's own number or label, which is no reference.
fn own_label(para: &Para, text: &str) -> usize {
    let rest = match para.kind {
        ParaKind::Mark(_) => parse_line(text).map(|line| line.rest),
        ParaKind::Note => parse_definition(text).map(|label| label.rest),
        ParaKind::Caption => Some(""),
        _ => None,
    };
    rest.and_then(|rest| text.rfind(rest).filter(|_| !rest.is_empty())).unwrap_or(if rest == Some("") { text.len() } else { 0 })
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
        let Some(rest) = cell.content.get(skip..) else { continue };
        for mention in find_references(rest) {
            let words = rest.get(mention.range.clone()).unwrap_or_default().to_owned();
            out.extend(make(places, index, site, words, mention, Some((cell.row, cell.col))));
        }
    }
}

fn make(
    places: &Places<'_>,
    index: &Index<'_>,
    site: Site,
    text: String,
    mention: Mention,
    cell: Option<(u32, u32)>,
) -> Option<Reference> {
    let para = places.paras.get(site.para)?;
    let resolution = index.resolve(places, site, &mention.target);
    Some(Reference {
        text,
        page_num: PageNumber::from_index(para.page),
        block_id: places.ids.get(site.para)?.clone(),
        row: cell.map(|(row, _)| row),
        col: cell.map(|(_, col)| col),
        target: mention.target,
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
    has_articles: bool,
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
            if let Some(caption) = parse_caption(&para.text).filter(|caption| caption.kind == CaptionKind::Figure) {
                figures.entry(caption.number).or_default().push(at);
            }
        }
        let mut notes: BTreeMap<&'a str, Vec<usize>> = BTreeMap::new();
        for (at, note) in places.notes.found.iter().enumerate() {
            notes.entry(note.annotation.annotation_id.as_str()).or_default().push(at);
        }
        let has_articles = places.marks.iter().any(|mark| is_track(mark, Track::Article));
        Self { nodes, tables, figures, notes, own_title: title_key(places.title), has_articles }
    }

    fn resolve(&self, places: &Places<'_>, site: Site, target: &ReferenceTarget) -> Resolution {
        if let Some(regulation) = &target.regulation {
            if title_key(regulation) != self.own_title || self.own_title.is_empty() {
                return Resolution::External;
            }
        }
        let found = match target.kind {
            ReferenceKind::Chapter | ReferenceKind::Section | ReferenceKind::Article | ReferenceKind::Appendix => {
                self.node(places, site, target).and_then(|mark| node_location(places, mark))
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
            None => Resolution::Unresolved { candidates: near::candidates(places, site.owner, site.table, target) },
        }
    }

    fn node(&self, places: &Places<'_>, site: Site, target: &ReferenceTarget) -> Option<usize> {
        for number in spellings(target, self.has_articles) {
            if let Some(list) = self.nodes.get(&number) {
                return only_one(list, |mark| same_part(places.tree, site.owner, Some(*mark)));
            }
        }
        None
    }

    fn table(&self, places: &Places<'_>, site: Site, number: &str) -> Option<Location> {
        let list = self.tables.get(number)?;
        let owner = |at: usize| table_para(places, at).and_then(|para| places.tree.owner.get(para).copied().flatten());
        let at = only_one(list, |at| same_part(places.tree, site.owner, owner(*at)))?;
        let para = table_para(places, at)?;
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
        let of_table = |at: &usize| site.table.is_some() && note(*at).is_some_and(|note| note.table == site.table);
        let of_clause = |at: &usize| {
            note(*at).is_some_and(|note| note.owner.is_some() && note.owner == site.owner && note.table.is_none())
        };
        let clause_any = |at: &usize| note(*at).is_some_and(|note| note.owner.is_some() && note.owner == site.owner);
        let of_page = |at: &usize| note(*at).is_some_and(|note| note.page == page);
        let of_part = |at: &usize| {
            note(*at).is_some_and(|note| note.owner.is_some() && same_chapter(places.tree, site.owner, note.owner))
        };
        let at = [&of_table as &dyn Fn(&usize) -> bool, &of_clause, &clause_any, &of_page, &of_part]
            .into_iter()
            .find_map(|near| {
                let mut matching = list.iter().copied().filter(|at| near(at));
                let first = matching.next()?;
                Some(matching.next().is_none().then_some(first))
            })
            .unwrap_or_else(|| (list.len() == 1 && site.table.is_none()).then(|| list[0]))?;
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

/// Canonical node numbers that a target can have in this document, best first.
fn spellings(target: &ReferenceTarget, has_articles: bool) -> Vec<String> {
    let number = target.number.as_str();
    match target.kind {
        // 第六章 of a regulation that counts 1, 2, 3.
        ReferenceKind::Chapter => {
            vec![format!("第{number}章"), number.to_owned(), format!("Chapter {number}"), format!("第{number}篇")]
        }
        ReferenceKind::Article => {
            let mut list = vec![format!("第{number}条"), number.to_owned(), format!("Article {number}")];
            // 第5条 of a regulation without articles is its clause 5; of one with articles it is not.
            if has_articles {
                list.remove(1);
            }
            list
        }
        ReferenceKind::Appendix => {
            vec![format!("附录{number}"), number.to_owned(), format!("附件{number}")]
        }
        _ => vec![
            number.to_owned(),
            format!("第{number}节"),
            format!("Section {number}"),
            format!("Part {number}"),
            format!("Clause {number}"),
            format!("Item {number}"),
        ],
    }
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

fn node_location(places: &Places<'_>, mark: usize) -> Option<Location> {
    let node = places.tree.nodes.get(mark)?;
    let para = places.paras.iter().position(|para| para.kind == ParaKind::Mark(mark));
    Some(Location {
        reg_id: places.reg_id.clone(),
        page_num: node.page_num,
        node_id: Some(node.node_id.clone()),
        table_id: None,
        annotation_id: None,
        block_id: para.and_then(|para| places.ids.get(para)).cloned(),
    })
}

fn table_para(places: &Places<'_>, table: usize) -> Option<usize> {
    places.paras.iter().position(|para| para.kind == ParaKind::Table { table, segment: 0 })
}
