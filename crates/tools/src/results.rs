//! What each tool gives back: plain data with JSON schemas. Pages are physical, from 1. `truncated` is true when a cap
//! cut something off, and then `next` says how to get the rest.
//!
//! tidy: long because every result type of the tools stands here, so that the schemas can be read in one place.

mod editions;
mod understood;

use std::borrow::Cow;

use regreader_changes::status::EditionStatus;
use regreader_model::{Citation, EditionEvent};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

pub use understood::{Understood, UnderstoodPlace};

pub use editions::{
    ChangeList, EditionView, EventView, ImpactList, ImpactRegulation, ImpactView, SupersededHits,
    SupersededTables,
};

/// A citation as data, beside the text that an answer prints: whoever cites another page of the same place changes the
/// data and prints it again instead of cutting the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cited(pub Citation);

impl JsonSchema for Cited {
    fn schema_name() -> Cow<'static, str> {
        "Cited".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "The citation as data.",
            "properties": {
                "reg_id": { "type": "string" },
                "name": { "type": "string", "description": "Name that the citation prints." },
                "page_num": { "type": "integer", "minimum": 1 },
                "last_page": { "type": "integer", "minimum": 1 },
                "page_approximate": { "type": "boolean", "description": "The page is an estimate." },
                "target": {
                    "type": "object",
                    "properties": {
                        "kind": { "enum": ["table", "clause", "annotation"] },
                        "label": { "type": "string" },
                    },
                },
            },
            "required": ["name"],
        })
    }
}

/// A place that can be cited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Regulation that the place belongs to.
    pub reg_id: String,
    /// Page, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_num: Option<u32>,
    /// Block that the place is, or stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
    /// Logical table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_id: Option<String>,
    /// The citation as an answer prints it.
    pub citation: String,
    /// The same as data.
    #[serde(default)]
    pub cited: Cited,
}

/// Result of `list_regulations`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RegulationList {
    /// The regulations.
    pub regulations: Vec<RegulationEntry>,
    /// Day for which their status is given.
    pub as_of: String,
    /// Something was left out.
    pub truncated: bool,
}

/// One regulation.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RegulationEntry {
    /// Id of the regulation.
    pub reg_id: String,
    /// Title of the regulation.
    pub title: String,
    /// Source file.
    pub source_file: String,
    /// Number of pages.
    pub total_pages: u32,
    /// When it was ingested.
    pub indexed_at: String,
    /// What it is about.
    pub description: Option<String>,
    /// Subject words.
    pub keywords: Vec<String>,
    /// What it answers.
    pub scope: Option<String>,
    /// Short names.
    pub aliases: Vec<String>,
    /// Edition, as the regulation calls it.
    pub edition: Option<String>,
    /// In force from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_from: Option<String>,
    /// What it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// What happened to it and when, as far as it is written or was recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<EventView>")]
    pub events: Vec<EditionEvent>,
    /// Whether it is in force on the day asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<EditionStatus>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
    /// Page numbers are estimates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pages_approximate: bool,
    /// Why it cannot be read, when it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Result of `get_toc`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Toc {
    /// Regulation whose contents it is.
    pub reg_id: String,
    /// Title of the regulation.
    pub title: String,
    /// Number of pages.
    pub total_pages: u32,
    /// Chapters, in reading order.
    pub items: Vec<TocEntry>,
    /// Something was left out.
    pub truncated: bool,
    /// How to get the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// One chapter of the contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TocEntry {
    /// Title of the chapter.
    pub title: String,
    /// Number of the chapter.
    pub section_number: String,
    /// Depth, from 1.
    pub level: u32,
    /// First and last page.
    pub page_range: [u32; 2],
    /// First page.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// Chapters below, as far as shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<TocEntry>,
    /// How many chapters stand directly below, where they are not shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub children_count: u32,
}

/// Result of `smart_search`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SearchResults {
    /// How the question was read: check it when the hits are not what was asked for.
    #[serde(default)]
    pub understood: Understood,
    /// Hits, best first, of editions that are in force or of unknown status, and of those that were asked for by name.
    pub hits: Vec<Hit>,
    /// Hits of editions that are not in force on that day, apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<SupersededHits>,
    /// Which regulations were chosen and why, when none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectionView>,
    /// There was more.
    pub truncated: bool,
    /// What to know before relying on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// What to do when there is nothing, or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// One hit.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Regulation that the hit belongs to.
    pub reg_id: String,
    /// Page that the hit stands on.
    pub page_num: u32,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Words around the match, marked with `**`.
    pub snippet: String,
    /// Comparable over all hits of one search.
    pub score: f64,
    /// Block that the hit is, or stands in.
    pub block_id: Option<String>,
    /// Kind of block.
    pub block_type: Option<String>,
    /// Clause that the hit stands in.
    pub section_number: Option<String>,
    /// Logical table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_id: Option<String>,
    /// Which leg found it: keyword, vector, hybrid.
    pub source: String,
    /// The passage it stands in and what speaks for it, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passage: Option<PassageView>,
}

/// The passage of a hit: neighbouring blocks that are read together.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PassageView {
    /// Its text.
    pub text: String,
    /// Blocks that it is made of, in reading order.
    pub blocks: Vec<String>,
    /// What speaks for it.
    pub signals: SignalsView,
}

/// What speaks for a passage. Shares are 0 to 1.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub struct SignalsView {
    /// BM25 of the passage, as a sum over the words of the question.
    pub words: f64,
    /// Share of the question's weight whose words stand in the passage or the titles above it.
    pub coverage: f64,
    /// Cosine of question and passage; 0 without vectors.
    pub cosine: f64,
    /// BM25 of the passage, as a share of the best one's.
    pub window: f64,
    /// Word score of the block alone, as a share of the best one's.
    pub block: f64,
    /// Cosine of question and block.
    pub block_cosine: f64,
    /// BM25 of the clause, as a share of the best one's.
    pub clause: f64,
    /// BM25 of the page, as a share of the best one's.
    pub page: f64,
    /// How well the names of the regulation fit, as a share of the best one's.
    pub regulation: f64,
}

/// Which regulations were chosen.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SelectionView {
    /// Chosen, best first.
    pub chosen: Vec<ChosenView>,
    /// Nothing matched, so all were searched.
    pub fell_back: bool,
}

/// One chosen regulation.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChosenView {
    /// Regulation that the choice belongs to.
    pub reg_id: String,
    /// Greater is better.
    pub score: f64,
    /// What speaks for it, for a person.
    pub reasons: Vec<String>,
}

/// Result of `read_page_range`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PageRange {
    /// The pages, cross-page tables stitched in place.
    pub content_markdown: String,
    /// What to cite.
    pub source: String,
    /// The same as data.
    #[serde(default)]
    pub cited: Cited,
    /// First page.
    pub start_page: u32,
    /// Last page that is in the result.
    pub end_page: u32,
    /// Pages in the result.
    pub page_count: u32,
    /// A table of these pages runs over a page border.
    pub has_merged_tables: bool,
    /// The last table or paragraph goes on after the range.
    pub continues_to_next: bool,
    /// A cap cut the range short.
    pub truncated: bool,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Whole page objects, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<Vec<serde_json::Value>>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// Result of `search_tables`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TableHits {
    /// Tables, best first.
    pub tables: Vec<TableHitView>,
    /// Which regulations were chosen and why, when none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectionView>,
    /// There was more.
    pub truncated: bool,
    /// What to know before relying on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Tables of editions that are not in force on the day, never mixed with the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<SupersededTables>,
}

/// One table found.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TableHitView {
    /// Regulation that the table belongs to.
    pub reg_id: String,
    /// Logical table.
    pub table_id: String,
    /// Caption of the table.
    pub caption: Option<String>,
    /// Pages it stands on.
    pub pages: Vec<u32>,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Runs over a page border.
    pub is_cross_page: bool,
    /// Data rows.
    pub row_count: u32,
    /// Number of columns.
    pub col_count: u32,
    /// Column headers.
    pub col_headers: Vec<String>,
    /// The rows that match best.
    pub snippet: String,
    /// Comparable over all tables of one search.
    pub score: f64,
    /// Which leg found it: keyword, semantic, hybrid.
    pub match_type: String,
    /// Rows that fit the conditions, when there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<RowView>,
}

/// One row.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RowView {
    /// Data row, from 0.
    pub row: u32,
    /// Page that the row stands on.
    pub page_num: u32,
    /// Cells, spans filled in.
    pub cells: Vec<String>,
    /// How it was matched.
    pub matched_by: String,
}

/// Result of `get_table_by_id`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TableView {
    /// Regulation that the table belongs to.
    pub reg_id: String,
    /// Logical table (or segment).
    pub table_id: String,
    /// Caption of the table.
    pub caption: Option<String>,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Column headers.
    pub col_headers: Vec<String>,
    /// Header rows.
    pub header_rows: u32,
    /// Data rows in the whole table.
    pub row_count: u32,
    /// Number of columns.
    pub col_count: u32,
    /// Parts, page by page.
    pub segments: Vec<SegmentView>,
    /// Data rows shown, spans filled in, with their page.
    pub rows: Vec<TableRow>,
    /// The table as Markdown.
    pub markdown: String,
    /// Notes that belong to it or that its cells name.
    pub notes: Vec<AnnotationView>,
    /// What to cite.
    pub source: String,
    /// The same as data.
    #[serde(default)]
    pub cited: Cited,
    /// A cap cut rows off.
    pub truncated: bool,
    /// How to get the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// Part of a table on one page.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SegmentView {
    /// Page that the part stands on.
    pub page_num: u32,
    /// Box on the page: left, top, right, bottom in points.
    pub bbox: Option<[f32; 4]>,
    /// Data rows that stand here.
    pub row_count: u32,
}

/// One data row.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TableRow {
    /// Page that the row stands on.
    pub page_num: u32,
    /// Cells, spans filled in.
    pub cells: Vec<String>,
}

/// Result of `lookup_annotation`, and one note elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnnotationView {
    /// Regulation that the note belongs to.
    pub reg_id: String,
    /// Canonical label.
    pub annotation_id: String,
    /// The label as printed, when that is another: `方案甲`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_label: Option<String>,
    /// Text of the note.
    pub content: String,
    /// Page on which it is defined.
    pub page_num: u32,
    /// note or plan.
    pub kind: String,
    /// What it is bound to: `表6-2`, `第85页`, `2.1.4`.
    pub scope: String,
    /// The block that holds it.
    pub block_id: Option<String>,
    /// What to cite.
    pub source: String,
    /// The same as data.
    #[serde(default)]
    pub cited: Cited,
    /// Others of the same label, when the hint did not decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// Result of `search_annotations`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AnnotationList {
    /// Notes in document order.
    pub annotations: Vec<AnnotationView>,
    /// How many there are in all.
    pub total: u32,
    /// There are more.
    pub truncated: bool,
    /// Cursor for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// Result of `resolve_reference`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ResolvedReference {
    /// What was asked.
    pub reference_text: String,
    /// chapter, section, article, table, figure, annotation, plan, appendix, regulation.
    pub reference_type: String,
    /// The number or label it names.
    pub target: String,
    /// `resolved`, or `ambiguous` when several places fit and nothing decides between them. What fits nothing is an error.
    pub outcome: String,
    /// Whether it leads to one place.
    pub resolved: bool,
    /// Where it leads, when it is resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Place>,
    /// Heading or caption of the target.
    pub title: String,
    /// The beginning of the target.
    pub preview: String,
    /// The places that fit, when it is ambiguous. Naming the table or chapter, or giving `page_hint`, decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<ReferenceCandidate>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// A place that an ambiguous reference may mean.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceCandidate {
    /// The place.
    pub location: Place,
    /// Its heading or caption.
    pub title: String,
}

/// Result of `get_block_with_context`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BlockContext {
    /// Blocks before, the block, blocks after.
    pub blocks: Vec<BlockView>,
    /// Position of the block among them.
    pub index: u32,
    /// A cap cut something off.
    pub truncated: bool,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// One block.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BlockView {
    /// Regulation that the block belongs to.
    pub reg_id: String,
    /// Page that the block stands on.
    pub page_num: u32,
    /// Id of the block.
    pub block_id: String,
    /// Kind of block.
    pub block_type: String,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Its text as Markdown.
    pub content_markdown: String,
}

/// Result of `get_chapter_structure`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChapterStructure {
    /// Regulation whose tree it is.
    pub reg_id: String,
    /// Nodes in document order, parents before children.
    pub nodes: Vec<NodeView>,
    /// Nodes in all.
    pub total: u32,
    /// There are more.
    pub truncated: bool,
    /// Cursor for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// One chapter node.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct NodeView {
    /// Id of the chapter in the tree.
    pub node_id: String,
    /// Parent node.
    pub parent_id: Option<String>,
    /// Number of the chapter.
    pub section_number: String,
    /// Title of the chapter.
    pub title: String,
    /// Depth, from 1.
    pub level: u32,
    /// First and last page.
    pub page_range: [u32; 2],
    /// Blocks of its own; `get_chapter_structure` lists them only when asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content_block_ids: Vec<String>,
}

/// Result of `read_chapter_content`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChapterContent {
    /// Regulation that the chapter belongs to.
    pub reg_id: String,
    /// Number of the chapter.
    pub section_number: String,
    /// Title of the chapter.
    pub title: String,
    /// Titles down to it.
    pub chapter_path: Vec<String>,
    /// First and last page of the chapter.
    pub page_range: [u32; 2],
    /// Text of this part.
    pub content_markdown: String,
    /// What to cite.
    pub source: String,
    /// The same as data.
    #[serde(default)]
    pub cited: Cited,
    /// There is more.
    pub truncated: bool,
    /// Cursor for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// Result of `get_page_chapter_info`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PageChapters {
    /// Regulation that the page belongs to.
    pub reg_id: String,
    /// Page that was asked about.
    pub page_num: u32,
    /// Number printed on the page.
    pub page_label: Option<String>,
    /// Chapters with content on it, in order.
    pub active_chapters: Vec<NodeView>,
    /// Goes on from the page before.
    pub continues_from_prev: bool,
    /// Goes on to the next page.
    pub continues_to_next: bool,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// Result of `find_similar_content`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SimilarContent {
    /// Neighbours, nearest first.
    pub hits: Vec<Hit>,
    /// What to know before relying on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Neighbours in editions that are not in force on the day.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<SupersededHits>,
}

/// Result of `compare_sections`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// First side.
    pub a: SideView,
    /// Second side.
    pub b: SideView,
    /// Clauses that are the same.
    pub same: u32,
    /// Clauses that differ.
    pub changed: Vec<ChangedClause>,
    /// Clauses only in a.
    pub only_in_a: Vec<ClauseView>,
    /// Clauses only in b.
    pub only_in_b: Vec<ClauseView>,
    /// Tables that differ.
    pub tables: Vec<TableDifference>,
    /// A cap cut something off.
    pub truncated: bool,
}

/// One side of a comparison.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SideView {
    /// Regulation that the compared chapter belongs to.
    pub reg_id: String,
    /// Number of the compared chapter.
    pub section_number: String,
    /// Title of the compared chapter.
    pub title: String,
    /// First and last page.
    pub page_range: [u32; 2],
}

/// A clause on one side.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ClauseView {
    /// Number of the clause.
    pub section_number: String,
    /// Page that the clause stands on.
    pub page_num: u32,
    /// Text of the clause.
    pub text: String,
}

/// A clause that differs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChangedClause {
    /// In a.
    pub a: ClauseView,
    /// In b.
    pub b: ClauseView,
    /// The words that differ: `[-old-]{+new+}` in their sentence.
    pub words: String,
}

/// A table that differs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TableDifference {
    /// Table in a.
    pub table_a: Option<String>,
    /// Table in b.
    pub table_b: Option<String>,
    /// Caption of the table.
    pub caption: Option<String>,
    /// Cells that differ.
    pub cells: Vec<CellDifference>,
    /// Rows only in a.
    pub rows_only_in_a: Vec<TableRow>,
    /// Rows only in b.
    pub rows_only_in_b: Vec<TableRow>,
}

/// A cell that differs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CellDifference {
    /// First cells of the row, to recognise it.
    pub row: String,
    /// Column header.
    pub column: String,
    /// In a.
    pub a: String,
    /// In b.
    pub b: String,
    /// Page in a.
    pub page_a: u32,
    /// Page in b.
    pub page_b: u32,
}

/// Result of `verify_citation`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CitationCheck {
    /// supported, calculated, not_on_page, found_elsewhere.
    pub verdict: String,
    /// verbatim, same_passage, calculated, unproven.
    pub level: String,
    /// The passage that carries the statement; for an unproven one the nearest passage of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<ProvenPlace>,
    /// Words of the statement that the nearest passage does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Conditions and exceptions of the nearest passage that the statement leaves out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The statement holds characters that nobody sees, and is refused for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen_characters: bool,
    /// Every number of the statement, and whether the passage has it.
    pub claims: Vec<ClaimView>,
    /// Where one passage carries it instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Place>,
    /// For a calculation: every number that it starts from, and what it was taken from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<OperandCheck>,
}

/// A number that a calculation starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperandCheck {
    /// As the calculation writes it.
    pub text: String,
    /// passage, given, nowhere.
    pub from: String,
    /// How well the passage is proven that states it: verbatim, same_passage, unproven.
    pub level: String,
    /// The passage that states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<ProvenPlace>,
    /// Citation of that passage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
}

/// The passage that a statement was held against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProvenPlace {
    /// Page that the passage stands on.
    pub page_num: u32,
    /// Block of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
    /// Table of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_id: Option<String>,
    /// Data row of the table, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u32>,
    /// Column of the value, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub col: Option<u32>,
    /// Clause that holds the passage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// Printed number of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The words of the passage.
    pub text: String,
}

/// One checked piece of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimView {
    /// The piece.
    pub text: String,
    /// number, quantity.
    pub kind: String,
    /// The passage has it.
    pub found: bool,
}

/// Result of `get_tool_guide`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolGuide {
    /// The tools that fit.
    pub tools: Vec<ToolEntry>,
    /// Ways through them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workflows: Vec<WorkflowEntry>,
}

/// One tool in the guide.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolEntry {
    /// Name of the tool.
    pub name: String,
    /// Title of the tool, for a person.
    pub title: String,
    /// Category of the tool.
    pub category: String,
    /// Phase of reading that the tool is for.
    pub phase: String,
    /// When to use it.
    pub description: String,
}

/// One workflow in the guide.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowEntry {
    /// Name of the workflow.
    pub name: String,
    /// When to follow it.
    pub when: String,
    /// Tools in order.
    pub steps: Vec<String>,
}

/// Result of `search_context`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ContextResults {
    /// Paths, best first.
    pub contexts: Vec<String>,
    /// How many.
    pub total: u32,
    /// Task type.
    pub task_type: String,
    /// Keywords used.
    pub search_keywords: Vec<String>,
    /// What happened.
    pub message: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
