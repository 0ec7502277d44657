//! The clauses of an edition as they are compared: the chapter tree with each node's own text.

use std::collections::{BTreeSet, HashMap};

use regreader_model::{
    BlockId, BlockType, ContentBlock, DocumentStructure, NodeId, PageDocument, Rect, Regulation,
    RegulationInfo, TableRegistry,
};
use regreader_text::{Numbering, beginning, parse_caption, parse_line};

use crate::likeness::Profile;
use crate::record::Place;

/// Characters of a clause shown as its title.
const TITLE: usize = 40;

/// One edition, read whole. Pages before the first chapter (cover, contents) are not compared.
#[derive(Debug, Clone, Copy)]
pub struct EditionText<'a> {
    /// What is known about it.
    pub info: &'a RegulationInfo,
    /// All its pages in order.
    pub pages: &'a [PageDocument],
    /// Its chapter tree.
    pub structure: &'a DocumentStructure,
    /// Its tables.
    pub tables: &'a TableRegistry,
}

impl<'a> EditionText<'a> {
    /// The parts of a regulation in memory.
    pub fn of(regulation: &'a Regulation) -> Self {
        Self {
            info: &regulation.info,
            pages: &regulation.pages,
            structure: &regulation.structure,
            tables: &regulation.tables,
        }
    }
}

/// A node of the tree with its own text, without what stands below it, its tables and its notes.
#[derive(Debug)]
pub(crate) struct Clause {
    /// Canonical number, empty for none.
    pub number: String,
    /// The number as a reader cites it, with the appendix it stands in where that counts anew.
    pub label: String,
    /// Clause above it.
    pub parent: Option<usize>,
    /// Clauses below it, in order.
    pub children: Vec<usize>,
    /// Own text without its number, paragraphs on lines.
    pub text: String,
    /// Where each paragraph of `text` begins, and where it stands on the pages.
    pub paragraphs: Vec<Paragraph>,
    /// `text` prepared for comparison.
    pub profile: Profile,
    /// Node in the tree; none for text that belongs to no chapter.
    pub node: Option<NodeId>,
}

/// A paragraph of a clause.
#[derive(Debug, Clone)]
pub(crate) struct Paragraph {
    pub start: usize,
    pub page: u32,
    pub block: BlockId,
    pub bbox: Option<Rect>,
}

/// All clauses of an edition in document order, parents before children.
#[derive(Debug)]
pub(crate) struct Clauses {
    pub reg_id: String,
    pub list: Vec<Clause>,
    pub roots: Vec<usize>,
    by_node: HashMap<NodeId, usize>,
}

impl Clauses {
    pub(crate) fn new(edition: &EditionText<'_>, scope: Option<&NodeId>) -> Self {
        let blocks: HashMap<&BlockId, (u32, &ContentBlock)> = edition
            .pages
            .iter()
            .flat_map(|page| page.content_blocks.iter().map(|block| (page.page_num.get(), block)))
            .map(|(page, block)| (&block.block_id, (page, block)))
            .collect();
        let mut clauses = Self {
            reg_id: edition.info.reg_id.to_string(),
            list: Vec::new(),
            roots: Vec::new(),
            by_node: HashMap::new(),
        };
        let structure = edition.structure;
        let numbers: BTreeSet<&str> =
            edition.tables.tables.values().filter_map(|table| table.number.as_deref()).collect();
        for node in structure.iter() {
            let inside = scope.is_none_or(|scope| {
                structure.ancestors(&node.node_id).any(|ancestor| ancestor.node_id == *scope)
            });
            if !inside {
                continue;
            }
            let own = node
                .content_block_ids
                .iter()
                .filter_map(|id| blocks.get(id))
                .filter(|(_, block)| is_text(block, &numbers));
            let mut clause = Clause::gather(own.copied(), node.section_number.as_str());
            if clause.text.is_empty() {
                clause.text.clone_from(&node.title);
                let heading = node.content_block_ids.iter().find_map(|id| blocks.get(id));
                clause.paragraphs.push(Paragraph {
                    start: 0,
                    page: heading.map_or(node.page_num.get(), |(page, _)| *page),
                    block: heading.map_or_else(|| BlockId::new(""), |(_, block)| block.block_id.clone()),
                    bbox: heading.and_then(|(_, block)| block.bbox),
                });
            }
            clause.node = Some(node.node_id.clone());
            clause.parent = node.parent_id.as_ref().and_then(|id| clauses.by_node.get(id)).copied();
            if clause.number.is_empty() {
                clause.number = node.section_number.to_string();
                clause.label.clone_from(&clause.number);
            }
            let at = clauses.push(clause);
            clauses.by_node.insert(node.node_id.clone(), at);
        }
        if scope.is_none() {
            clauses.add_unowned(edition, &numbers);
        }
        clauses.name();
        clauses
    }

    /// Text that belongs to no chapter: every block of a document without chapters; in others what stands behind the
    /// first chapter, since what stands before it is the cover.
    fn add_unowned(&mut self, edition: &EditionText<'_>, numbers: &BTreeSet<&str>) {
        let mut begun = self.list.is_empty();
        for page in edition.pages {
            for block in &page.content_blocks {
                begun |= block.chapter_node_id.is_some();
                if begun && block.chapter_node_id.is_none() && is_text(block, numbers) {
                    let clause = Clause::gather(std::iter::once((page.page_num.get(), block)), "");
                    if !clause.text.is_empty() {
                        self.push(clause);
                    }
                }
            }
        }
    }

    fn push(&mut self, mut clause: Clause) -> usize {
        clause.profile = Profile::new(&clause.text);
        let at = self.list.len();
        match clause.parent {
            Some(parent) => self.list[parent].children.push(at),
            None => self.roots.push(at),
        }
        self.list.push(clause);
        at
    }

    /// Puts the appendix in front of numbers that count anew inside it.
    fn name(&mut self) {
        for at in 0..self.list.len() {
            let own = self.list[at].number.clone();
            if own.is_empty() || is_appendix(&own) {
                continue;
            }
            let mut above = self.list[at].parent;
            while let Some(parent) = above {
                let number = &self.list[parent].number;
                if is_appendix(number) {
                    let label = format!("{number}/{}", self.list[at].label);
                    self.list[at].label = label;
                    break;
                }
                above = self.list[parent].parent;
            }
        }
    }

    /// The children of a clause, or the roots.
    pub(crate) fn children(&self, parent: Option<usize>) -> &[usize] {
        parent.map_or(self.roots.as_slice(), |parent| &self.list[parent].children)
    }

    /// The clause of a node.
    pub(crate) fn of_node(&self, node: &NodeId) -> Option<usize> {
        self.by_node.get(node).copied()
    }

    /// The clause and everything above it.
    pub(crate) fn ancestors(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(at), |at| self.list[*at].parent)
    }

    /// Where a clause stands; `offset` is the byte of its text that is meant.
    pub(crate) fn place(&self, at: usize, offset: usize) -> Place {
        let clause = &self.list[at];
        let paragraph = clause.paragraphs.iter().rev().find(|paragraph| paragraph.start <= offset);
        let first = clause.paragraphs.first();
        let paragraph = paragraph.or(first);
        Place {
            reg_id: self.reg_id.clone(),
            clause: (!clause.label.is_empty()).then(|| clause.label.clone()),
            title: Some(beginning(&clause.text, TITLE)),
            page: first.map_or(1, |paragraph| paragraph.page),
            changed_page: paragraph
                .map(|paragraph| paragraph.page)
                .filter(|page| first.is_some_and(|first| first.page != *page)),
            block_id: paragraph.map(|paragraph| paragraph.block.to_string()).filter(|id| !id.is_empty()),
            bbox: paragraph.and_then(|paragraph| paragraph.bbox).map(corners),
            ..Place::default()
        }
    }
}

impl Clause {
    /// Joins blocks; the number is taken off the first.
    fn gather<'b>(blocks: impl Iterator<Item = (u32, &'b ContentBlock)>, number: &str) -> Self {
        let mut clause = Self {
            number: number.to_owned(),
            label: number.to_owned(),
            parent: None,
            children: Vec::new(),
            text: String::new(),
            paragraphs: Vec::new(),
            profile: Profile::default(),
            node: None,
        };
        for (page, block) in blocks {
            let mut text = block.content_markdown.trim_start_matches('#').trim();
            if clause.paragraphs.is_empty()
                && let Some(line) = parse_line(text)
                && line.numbering.canonical().as_str() == number
            {
                // 第十三条 is cited as it is printed; 2.1.4 whatever the width of its digits.
                if number.starts_with('第') {
                    line.printed.trim().clone_into(&mut clause.label);
                }
                text = line.rest;
            }
            if !clause.text.is_empty() {
                clause.text.push('\n');
            }
            clause.paragraphs.push(Paragraph {
                start: clause.text.len(),
                page,
                block: block.block_id.clone(),
                bbox: block.bbox,
            });
            clause.text.push_str(text);
        }
        clause
    }

    /// Whether the spelling differs though the words are the same.
    pub(crate) fn is_spelt_like(&self, other: &Self) -> bool {
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        plain(&self.text) == plain(&other.text)
    }
}

/// Text that is compared as part of its clause. Tables with their captions and notes are compared as such; a caption may
/// stand apart from its table, on the page before.
fn is_text(block: &ContentBlock, numbers: &BTreeSet<&str>) -> bool {
    match block.block_type {
        BlockType::Table | BlockType::Picture | BlockType::Note => false,
        BlockType::Caption => {
            let caption = parse_caption(block.content_markdown.trim_matches('*').trim());
            !caption.is_some_and(|caption| numbers.contains(caption.number.as_str()))
        }
        _ => true,
    }
}

fn is_appendix(number: &str) -> bool {
    let read = Numbering::parse_canonical(number);
    matches!(
        read,
        Some(
            Numbering::Appendix(_)
                | Numbering::AppendixNumbered(_)
                | Numbering::Attachment(_)
                | Numbering::AppendixDecimal(..)
        )
    )
}

/// A box as four numbers.
pub(crate) fn corners(rect: Rect) -> [f32; 4] {
    [rect.x0, rect.y0, rect.x1, rect.y1]
}

/// The last part of a number: what counts among siblings.
pub(crate) fn last_part(number: &str) -> &str {
    number.rsplit(['.', '/']).next().unwrap_or(number)
}

/// The text of a whole edition for telling two editions apart.
pub(crate) fn fingerprint<'a>(edition: &EditionText<'a>) -> (&'a str, usize, String) {
    let text = edition.pages.iter().map(|page| page.content_markdown.as_str()).collect();
    (edition.info.reg_id.as_str(), edition.pages.len(), text)
}
