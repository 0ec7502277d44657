//! What a parser saw: pages of lines, grids and pictures in reading order, before anyone asks what they mean.
//!
//! Every format ends here. A PDF gives visual lines with boxes; a DOCX gives whole paragraphs with the roles its
//! styles declare. Assembly treats both alike, using whatever evidence is there.

use serde::{Deserialize, Serialize};

use crate::{PageNumber, Rect, TableCell, TextOrigin};

/// Formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceFormat {
    /// PDF, with or without a text layer.
    Pdf,
    /// Word (OOXML).
    Docx,
    /// PowerPoint (OOXML).
    Pptx,
    /// Excel (OOXML).
    Xlsx,
    /// HTML page.
    Html,
    /// Markdown text.
    Markdown,
    /// Plain text.
    Text,
    /// PNG, JPEG or TIFF.
    Image,
    /// DoclingDocument JSON.
    Docling,
}

impl SourceFormat {
    /// The name used on the command line and in files; also the usual extension except for text, image and docling.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Text => "text",
            Self::Image => "image",
            Self::Docling => "docling",
        }
    }
}

/// A document as parsed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawDocument {
    /// Its format.
    pub format: SourceFormat,
    /// Title from the file's own metadata, if any. Often wrong; the first page is better evidence.
    pub title: Option<String>,
    /// Pages in order; page `i` has number `i + 1`.
    pub pages: Vec<RawPage>,
    /// Bookmarks as a flat list with levels; empty when there are none.
    pub outline: Vec<OutlineEntry>,
    /// The format has no physical pages and these were estimated.
    pub pages_approximate: bool,
}

/// One bookmark of the outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineEntry {
    /// Its words.
    pub title: String,
    /// Depth, from 1.
    pub level: u32,
    /// Page it leads to, where that could be found.
    pub page_num: Option<PageNumber>,
}

/// One page as parsed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawPage {
    /// Physical page.
    pub page_num: PageNumber,
    /// Page label declared by the file (PDF page labels), not what is printed.
    pub declared_label: Option<String>,
    /// Size in points as shown, where the format has one.
    pub size: Option<[f32; 2]>,
    /// Where the text came from.
    pub origin: TextOrigin,
    /// Lines, tables and pictures in reading order.
    pub elements: Vec<RawElement>,
    /// Links on the page.
    pub links: Vec<Link>,
}

/// Something on a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum RawElement {
    /// A line or paragraph.
    Text(RawText),
    /// A grid.
    Table(RawTable),
    /// A picture.
    Picture(RawPicture),
}

/// A line or a paragraph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawText {
    /// The characters, in logical order, unfolded.
    pub text: String,
    /// Whether this is one printed line or a whole paragraph.
    pub unit: TextUnit,
    /// What the format itself says it is.
    pub role: TextRole,
    /// Its box.
    pub bbox: Option<Rect>,
    /// Font size in points of most of its characters.
    pub size: Option<f32>,
    /// Most of its characters are bold.
    pub bold: bool,
    /// Recogniser's confidence.
    pub confidence: Option<f32>,
}

/// How much of the text one [`RawText`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextUnit {
    /// A printed line; paragraphs are for assembly to find.
    Line,
    /// A whole paragraph, as the format declares it.
    Paragraph,
}

/// What the format declares a text to be. Evidence, not truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "role")]
pub enum TextRole {
    /// Nothing special is declared.
    Body,
    /// Document title.
    Title,
    /// Heading of a level, from 1.
    Heading {
        /// The level.
        level: u32,
    },
    /// List item.
    ListItem,
    /// Caption of a table or figure.
    Caption,
    /// Text of a footnote.
    Footnote,
    /// A line of a printed table of contents.
    ContentsLine,
    /// Running head.
    PageHeader,
    /// Running foot, page number.
    PageFooter,
    /// Source code or formula set apart.
    Code,
}

/// A grid of cells on one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawTable {
    /// How it was recognised.
    pub kind: TableKind,
    /// Number of rows of the grid.
    pub row_count: u32,
    /// Number of columns of the grid.
    pub col_count: u32,
    /// Cells; a spanning cell once, at its top left.
    pub cells: Vec<TableCell>,
    /// Its box.
    pub bbox: Option<Rect>,
    /// Header rows, where the format declares them.
    pub header_rows: Option<u32>,
    /// Caption, where the format declares it.
    pub caption: Option<String>,
    /// Recogniser's mean confidence.
    pub confidence: Option<f32>,
}

/// How a table was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// From drawn rules.
    Ruled,
    /// From white space between columns.
    Whitespace,
    /// Declared by the format.
    Declared,
}

/// A picture on a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawPicture {
    /// Its box.
    pub bbox: Option<Rect>,
    /// Alternative text, where the format has one.
    pub description: Option<String>,
}

/// A link on a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Where on the page.
    pub bbox: Option<Rect>,
    /// Page of this document that it leads to.
    pub page_num: Option<PageNumber>,
    /// Address outside the document.
    pub uri: Option<String>,
}
