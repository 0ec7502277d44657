//! The tools: each one a type ([`Tool`]) that holds its arguments and does its work on a library and its indexes.
//!
//! MCP, the command line, the web reader and the agents are faces of the same types. A tool takes a typed request
//! and gives a typed result; both have JSON schemas. [`ToolClient`] calls them wherever they run. Every result has a hard
//! size cap, a `truncated` flag, and a `next` cursor or hint where something was left out; everything found names its
//! regulation, page and block or table, so that it can be cited and checked.
//!
//! [`TOOLS`] lists them: the tool guide, the command line's help, the MCP descriptions and the documentation are made from
//! it. A new tool is a file with its type and a line there.
//!
//! This crate knows no MCP, no HTTP, no terminal and no language model.
//!
//! ```
//! use regreader_assemble::{AssembleOptions, assemble};
//! use regreader_store::{Library, OpenOptions};
//! use regreader_tools::{GetTable, ToolClient, ToolError, Toolbox, ToolboxOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let text = "# 1 限额\n\n表1-1 断面限额\n\n| 台数 | 限额 |\n|---|---|\n| 1 | 185 |\n";
//! let parsed = regreader_parse::parse(text.as_bytes(), "稳规.md", &Default::default())?;
//! let options = AssembleOptions::new("wengui_2024".parse()?, "稳规.md");
//! let library = Library::open(folder.path(), OpenOptions::new())?;
//! library.replace(&assemble(parsed.document, parsed.diagnostics, &options), None)?;
//!
//! // Indexes are opened by the first search; reading a table needs none.
//! let no_index = || Err(ToolError::UnknownTool { name: "search".to_owned() });
//! let toolbox = Toolbox::lazily(library, no_index, ToolboxOptions::default());
//! let client: &dyn ToolClient = &toolbox;
//! let table = client.call(&GetTable::new("wengui_2024", "表1-1"))?;
//! assert_eq!(table.col_headers, ["台数", "限额"]);
//! assert_eq!(table.rows[0].cells, ["1", "185"]);
//! # Ok(()) }
//! ```

mod bounds;
mod calculated;
mod changes;
mod client;
mod compare;
mod contents;
mod context;
mod cursor;
mod editions;
mod error;
mod guide;
mod impact;
mod kept;
mod library;
mod notes;
mod places;
mod read;
mod references;
mod search;
mod sheet;
mod tables;
mod tool;
mod toolbox;
mod understood;
mod verify;

pub use changes::{ChangeList, ListChanges};
pub use client::{ToolClient, arguments_of, read_result};
pub use compare::{
    CellDifference, ChangedClause, ClauseView, CompareSections, Comparison, SideView, TableDifference,
};
pub use contents::{
    ChapterStructure, GetChapterStructure, GetToc, NodeView, PageChapterInfo, PageChapters, Toc, TocEntry,
};
pub use context::{ContextResults, SearchContext};
pub use editions::EditionView;
pub use error::{ToolError, ToolFailure};
pub use guide::{GetToolGuide, ToolEntry, ToolGuide, WORKFLOWS, Workflow, WorkflowEntry};
pub use impact::{EQUIPMENT_FILE, FindMentions, ImpactList, ImpactRegulation, ImpactView, TraceImpact};
pub use library::{ListRegulations, RegulationEntry, RegulationList};
pub use notes::{AnnotationList, AnnotationType, AnnotationView, LookupAnnotation, SearchAnnotations};
pub use places::Place;
pub use read::{BlockContext, BlockView, ChapterContent, GetBlock, PageRange, ReadChapter, ReadPageRange};
pub use references::{ReferenceCandidate, ResolveReference, ResolvedReference};
pub use regreader_changes::mention::Reason;
pub use regreader_changes::status::{EditionStatus, Status};
pub use regreader_changes::{ChangeKind, ChangeRecord, Place as ChangePlace};
pub use regreader_search::Signals;
pub use regreader_store::now;
pub use search::passages::{SearchResults, SmartSearch};
pub use search::similar::{FindSimilar, SimilarContent};
pub use search::tables::{ColumnCondition, RowView, SearchTables, SupersededTables, TableHitView, TableHits};
pub use search::{Hit, RegulationChoice, SupersededHits};
pub use sheet::Sheet;
pub use tables::{GetTable, SegmentView, TableRow, TableView};
pub use tool::{Argument, Category, Gist, Phase, Tool, ToolSpec};
pub use toolbox::{Step, Toolbox, ToolboxOptions};
pub use understood::{Understood, UnderstoodPlace};
pub use verify::{
    CheckLevel, CheckVerdict, CitationCheck, CitedOperand, ClaimView, OperandCheck, OperandOrigin,
    ProvenPlace, VerifyCitation,
};

/// Every tool there is, in the order of the guide.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec::of::<ListRegulations>(),
    ToolSpec::of::<GetToc>(),
    ToolSpec::of::<SmartSearch>(),
    ToolSpec::of::<ReadPageRange>(),
    ToolSpec::of::<SearchTables>(),
    ToolSpec::of::<GetTable>(),
    ToolSpec::of::<LookupAnnotation>(),
    ToolSpec::of::<SearchAnnotations>(),
    ToolSpec::of::<ResolveReference>(),
    ToolSpec::of::<GetBlock>(),
    ToolSpec::of::<GetChapterStructure>(),
    ToolSpec::of::<ReadChapter>(),
    ToolSpec::of::<PageChapterInfo>(),
    ToolSpec::of::<FindSimilar>(),
    ToolSpec::of::<CompareSections>(),
    ToolSpec::of::<ListChanges>(),
    ToolSpec::of::<FindMentions>(),
    ToolSpec::of::<TraceImpact>(),
    ToolSpec::of::<VerifyCitation>(),
    ToolSpec::of::<GetToolGuide>(),
    ToolSpec::of::<SearchContext>(),
];
