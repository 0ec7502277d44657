//! What stands around a place in the words that name it: 附录B in 附录B 第13条, 表6-2 in 表6-2 注3. A place is looked for
//! inside it only.

use regreader_model::{
    Annotation, AnnotationScope, ChapterNode, DocumentStructure, LogicalTable, NodeId, PageNumber,
    ReferenceKind, ReferenceTarget, TableId, TableRegistry,
};
use regreader_search::find_chapters;
use regreader_store::RegulationReader;
use regreader_text::fold;
use regreader_text::reference::clause_candidates;

use super::{Found, clause_found, place};
use crate::ToolError;
use crate::places::{Place, near_sections, near_tables};
use crate::tables::cite_table;

/// Where to look.
pub(super) enum Scope {
    /// In the whole regulation.
    Regulation,
    /// In a chapter, clause or appendix.
    Node(NodeId),
    /// In a table.
    Table(TableId),
}

/// What a name leads to.
pub(super) enum Narrowed {
    One(Scope),
    Several(Vec<Found>),
    /// The nearest that exist.
    None(Vec<String>),
}

impl Scope {
    /// The innermost of what the words name around a place.
    pub fn of(
        reader: &RegulationReader,
        around: &[ReferenceTarget],
        page: Option<PageNumber>,
    ) -> Result<Narrowed, ToolError> {
        let (structure, tables) = (reader.structure()?, reader.tables()?);
        let mut scope = Self::Regulation;
        for target in around {
            match target.kind {
                ReferenceKind::Table => {
                    scope = match scope.tables(&structure, &tables, &target.number, page).as_slice() {
                        [] => return Ok(Narrowed::None(near_tables(&tables, &target.number))),
                        [table] => Self::Table(table.table_id.clone()),
                        several => {
                            let found = several.iter().map(|table| Found {
                                place: Place {
                                    table_id: Some(table.table_id.to_string()),
                                    ..place(cite_table(reader.info(), table), None)
                                },
                                title: table.caption.clone().unwrap_or_default(),
                                preview: String::new(),
                            });
                            return Ok(Narrowed::Several(found.collect()));
                        }
                    };
                }
                ReferenceKind::Chapter
                | ReferenceKind::Section
                | ReferenceKind::Article
                | ReferenceKind::Appendix => {
                    scope = match scope.nodes(&structure, target, page).as_slice() {
                        [] => return Ok(Narrowed::None(near_sections(&structure, &target.number))),
                        [node] => Self::Node(node.node_id.clone()),
                        several => {
                            let found = several.iter().map(|node| clause_found(reader, node));
                            return Ok(Narrowed::Several(found.collect::<Result<_, _>>()?));
                        }
                    };
                }
                ReferenceKind::Figure
                | ReferenceKind::Annotation
                | ReferenceKind::Plan
                | ReferenceKind::Regulation => {}
            }
        }
        Ok(Narrowed::One(scope))
    }

    /// The clauses of this number.
    pub fn nodes<'a>(
        &self,
        structure: &'a DocumentStructure,
        target: &ReferenceTarget,
        page: Option<PageNumber>,
    ) -> Vec<&'a ChapterNode> {
        let fits =
            |node: &&ChapterNode| self.holds_node(structure, &node.node_id) && is_of_kind(node, target.kind);
        let numbers = clause_candidates(target);
        let numbered = numbers
            .iter()
            .map(|number| {
                structure
                    .iter()
                    .filter(|node| node.section_number == *number)
                    .filter(fits)
                    .collect::<Vec<_>>()
            })
            .find(|nodes| !nodes.is_empty());
        let named = || {
            let found = find_chapters(structure, &target.number).into_iter();
            found.filter_map(|id| structure.all_nodes.get(&id)).filter(fits).collect()
        };
        let nodes = numbered.unwrap_or_else(named);
        in_own_part(structure, nodes, page, |node| Some(&node.node_id))
    }

    /// The tables of this number or, when none has it, of this id.
    pub fn tables<'a>(
        &self,
        structure: &DocumentStructure,
        tables: &'a TableRegistry,
        number: &str,
        page: Option<PageNumber>,
    ) -> Vec<&'a LogicalTable> {
        let wanted = fold(number);
        let numbered = tables.tables.values().filter(|table| {
            table.number.as_deref().is_some_and(|number| fold(number) == wanted)
                && self.holds_table(structure, table)
        });
        let numbered: Vec<&LogicalTable> = numbered.collect();
        if numbered.is_empty() {
            return tables
                .get(number)
                .filter(|table| self.holds_table(structure, table))
                .into_iter()
                .collect();
        }
        let on_page = |table: &&LogicalTable| {
            page.is_some_and(|page| tables.on_page(page).any(|other| other.table_id == table.table_id))
        };
        let here: Vec<&LogicalTable> = numbered.iter().copied().filter(on_page).collect();
        match here.as_slice() {
            [_] => here,
            _ => in_own_part(structure, numbered, page, |table| table.chapter_node_id.as_ref()),
        }
    }

    fn holds_node(&self, structure: &DocumentStructure, id: &NodeId) -> bool {
        match self {
            Self::Regulation => true,
            Self::Node(outer) => structure.ancestors(id).any(|node| node.node_id == *outer),
            Self::Table(_) => false,
        }
    }

    fn holds_table(&self, structure: &DocumentStructure, table: &LogicalTable) -> bool {
        match self {
            Self::Regulation => true,
            Self::Node(_) => {
                table.chapter_node_id.as_ref().is_some_and(|node| self.holds_node(structure, node))
            }
            Self::Table(id) => table.table_id == *id,
        }
    }

    /// The notes of these that stand here.
    pub fn notes<'a>(
        &self,
        reader: &RegulationReader,
        notes: &[&'a Annotation],
    ) -> Result<Vec<&'a Annotation>, ToolError> {
        let structure = reader.structure()?;
        let tables = reader.tables()?;
        let stands_here = |note: &&&Annotation| match self {
            Self::Regulation => true,
            Self::Table(id) => matches!(&note.scope, AnnotationScope::Table { table_id } if table_id == id),
            Self::Node(id) => match &note.scope {
                AnnotationScope::Section { node_id } => self.holds_node(&structure, node_id),
                AnnotationScope::Table { table_id } => {
                    let owner =
                        tables.get(table_id.as_str()).and_then(|table| table.chapter_node_id.as_ref());
                    owner.is_some_and(|owner| self.holds_node(&structure, owner))
                }
                AnnotationScope::Page => structure.node(id.as_str()).is_some_and(|node| {
                    let (first, last) = node.page_range();
                    note.page_num.is_some_and(|page| (first..=last).contains(&page))
                }),
            },
        };
        Ok(notes.iter().filter(stands_here).copied().collect())
    }
}

/// Of several places of one number those in the reader's own part. An appendix counts its clauses and tables anew, so a
/// number without its appendix means the body, or the appendix on whose page it stands.
fn in_own_part<T: Copy>(
    structure: &DocumentStructure,
    places: Vec<T>,
    page: Option<PageNumber>,
    node_of: impl for<'n> Fn(&'n T) -> Option<&'n NodeId>,
) -> Vec<T> {
    if places.len() < 2 {
        return places;
    }
    let own = match page {
        None => Some(None),
        Some(page) => {
            let here = structure.iter().filter(|node| {
                let (first, last) = node.page_range();
                (first..=last).contains(&page)
            });
            let mut parts: Vec<Option<&NodeId>> =
                here.map(|node| appendix_of(structure, &node.node_id)).collect();
            parts.dedup();
            // A page on which the body ends and an appendix begins decides nothing.
            if let [part] = parts.as_slice() { Some(*part) } else { None }
        }
    };
    let Some(own) = own else { return places };
    let part = |place: &T| node_of(place).and_then(|id| appendix_of(structure, id));
    let kept: Vec<T> = places.iter().copied().filter(|place| part(place) == own).collect();
    if kept.is_empty() { places } else { kept }
}

/// The appendix that a node stands in.
fn appendix_of<'a>(structure: &'a DocumentStructure, id: &NodeId) -> Option<&'a NodeId> {
    let mut above = structure.ancestors(id);
    above.find(|node| node.section_number.as_str().starts_with('附')).map(|node| &node.node_id)
}

/// 第十二章 is not 第十二条: a number of another kind is a guess.
fn is_of_kind(node: &ChapterNode, kind: ReferenceKind) -> bool {
    let number = node.section_number.as_str();
    match kind {
        ReferenceKind::Chapter => !number.contains('条'),
        ReferenceKind::Article => !number.contains('章'),
        ReferenceKind::Appendix => {
            number.starts_with('附') || number.starts_with(|c: char| c.is_ascii_alphabetic())
        }
        _ => true,
    }
}
