//! A page as it is stored and read: ordered blocks, the page's Markdown, its notes.

use serde::{Deserialize, Serialize};

use crate::{BlockId, ClauseNumber, NodeId, PageNumber, Rect, RegId, TableId, TableMeta};

/// One physical page of a regulation: the unit of storage, reading and citation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageDocument {
    /// The regulation that the page belongs to.
    pub reg_id: RegId,
    /// Physical page, from 1.
    pub page_num: PageNumber,
    /// What is printed on the page as its number, where it could be read (`iii`, `85`, `A-3`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_label: Option<String>,
    /// Path of titles of the first active chapter.
    #[serde(default)]
    pub chapter_path: Vec<String>,
    /// Ids of the chapters that have content on this page, in order of appearance.
    #[serde(default)]
    pub active_chapters: Vec<NodeId>,
    /// The page's content in reading order.
    #[serde(default)]
    pub content_blocks: Vec<ContentBlock>,
    /// The whole page as Markdown for a reader.
    #[serde(default)]
    pub content_markdown: String,
    /// The first block goes on from the page before.
    #[serde(default)]
    pub continues_from_prev: bool,
    /// The last block goes on to the next page.
    #[serde(default)]
    pub continues_to_next: bool,
    /// Notes and plans defined on this page.
    #[serde(default)]
    pub annotations: Vec<Annotation>,
    /// Where the text came from.
    #[serde(default)]
    pub origin: TextOrigin,
    /// Page size in points, where the format has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<[f32; 2]>,
}

/// Where the text of a page came from, and so how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TextOrigin {
    /// Characters in the file itself (PDF text layer, DOCX, HTML …).
    #[default]
    TextLayer,
    /// Recognised from the picture of the page.
    Ocr {
        /// Mean confidence of the recognised lines, 0 to 1.
        confidence: f32,
    },
    /// Text that another program recognised and left in the file under a picture of the page. Nobody has checked it.
    OcrLayer,
    /// There is a picture or unreadable font here, and no recogniser was at hand. The content is missing.
    NeedsOcr,
    /// Nothing is on the page.
    Blank,
}

/// A piece of a page that can be found, cited and shown on its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContentBlock {
    /// Unique within the regulation.
    pub block_id: BlockId,
    /// What kind of block it is.
    pub block_type: BlockType,
    /// Position in the page, from 0.
    #[serde(default)]
    pub order_in_page: u32,
    /// The block as Markdown. For a table segment: the rows on this page under the table's header.
    pub content_markdown: String,
    /// Titles from the top chapter down to the one this block belongs to.
    #[serde(default)]
    pub chapter_path: Vec<String>,
    /// The chapter node this block belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter_node_id: Option<NodeId>,
    /// Number of the clause this block belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_number: Option<ClauseNumber>,
    /// Only for tables: the segment of the table on this page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_meta: Option<TableMeta>,
    /// Where the block stands on the page, where the format has places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bbox: Option<Rect>,
    /// The printed lines of a text block with their boxes, top to bottom, so that a quotation can be marked exactly. Empty
    /// for tables (their cells have boxes), for formats without places, and in libraries read before lines were kept:
    /// such a block can only be marked whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineBox>,
    /// Recogniser's confidence, for OCR text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
}

/// One printed line of a text block: how far the block's text has come at its end, and where it stands.
///
/// The text is counted in letters and digits (`char::is_alphanumeric`) rather than in bytes. Joining lines and writing
/// Markdown add and remove spaces, hyphens, bullets and escapes, but never a letter or a digit, so the count holds for
/// the printed text, for `content_markdown` and for any folding of white space and punctuation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LineBox {
    /// Letters and digits of the block up to the end of this line.
    pub end: u32,
    /// Box of the line.
    pub bbox: Rect,
}

impl LineBox {
    /// The boxes of printed lines, given each line's text in order. Empty unless every line has a box: with a line
    /// missing, what is marked would be only a part of what is meant.
    pub fn from_lines<'a>(lines: impl IntoIterator<Item = (&'a str, Option<Rect>)>) -> Vec<Self> {
        let mut end = 0_u32;
        let boxes = lines.into_iter().map(|(text, bbox)| {
            end += text.chars().filter(|c| c.is_alphanumeric()).count() as u32;
            // A hundredth of a point is finer than any screen, and keeps the page files small.
            let round = |value: f32| (value * 100.0).round() / 100.0;
            let bbox = bbox?;
            let bbox = Rect::new(round(bbox.x0), round(bbox.y0), round(bbox.x1), round(bbox.y1));
            Some(Self { end, bbox })
        });
        boxes.collect::<Option<Vec<Self>>>().unwrap_or_default()
    }
}

/// Kinds of block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockType {
    /// A paragraph.
    Text,
    /// A table, or its segment on this page.
    Table,
    /// A heading with a title of its own.
    Heading,
    /// A list item or run of list items.
    List,
    /// A numbered clause whose number and text stand in one paragraph (`2.1.2.1.1 锦苏直流送端…`).
    SectionContent,
    /// A note or plan definition (`注1：…`, `方案甲：…`).
    Note,
    /// A table or figure caption that no table could be found for.
    Caption,
    /// A picture.
    Picture,
}

impl BlockType {
    /// The name used in files, filters and tools.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Table => "table",
            Self::Heading => "heading",
            Self::List => "list",
            Self::SectionContent => "section_content",
            Self::Note => "note",
            Self::Caption => "caption",
            Self::Picture => "picture",
        }
    }

    /// All kinds, for help texts and filters.
    pub const ALL: [Self; 8] = [
        Self::Text,
        Self::Table,
        Self::Heading,
        Self::List,
        Self::SectionContent,
        Self::Note,
        Self::Caption,
        Self::Picture,
    ];
}

/// A note (`注1：…`) or a named plan (`方案甲：…`) defined on a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Annotation {
    /// Canonical label: `注1`, `注` (unnumbered), `方案A`. `注①`, `注一` and `（注1）` all read `注1`.
    pub annotation_id: String,
    /// The label as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_label: Option<String>,
    /// The text without its label.
    pub content: String,
    /// Blocks that the note speaks of.
    #[serde(default)]
    pub related_blocks: Vec<BlockId>,
    /// Note or plan.
    #[serde(default)]
    pub kind: AnnotationKind,
    /// What the note is bound to.
    #[serde(default)]
    pub scope: AnnotationScope,
    /// Page on which it is defined. Absent only in files of the earlier system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_num: Option<PageNumber>,
    /// The block that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_id: Option<BlockId>,
}

/// What sort of annotation it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnnotationKind {
    /// 注
    #[default]
    Note,
    /// 方案
    Plan,
}

/// How far a note reaches. The same 注1 may stand under many tables.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum AnnotationScope {
    /// Anything on its page.
    #[default]
    Page,
    /// The table above it.
    Table {
        /// The logical table.
        table_id: TableId,
    },
    /// The clause it stands in.
    Section {
        /// The clause's node.
        node_id: NodeId,
    },
}
