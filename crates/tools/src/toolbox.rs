//! The toolbox: a library and its indexes, with one method per tool.

use std::path::PathBuf;
use std::sync::Arc;

use regreader_index::SearchEngine;
use regreader_model::{Citation, CitationTarget, DomainError, PageNumber, RegId, RegulationInfo};
use regreader_store::{Library, RegulationReader};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ToolError;
use crate::kept::Kept;

/// A call that goes through pages tells one in so many.
const PAGES_A_STEP: usize = 25;

/// How far a tool may go.
#[derive(Debug, Clone)]
pub struct ToolboxOptions {
    /// Most characters of text in one result.
    pub max_chars: usize,
    /// Most entries of a list in one result.
    pub max_items: usize,
    /// Folder in which `search_context` looks for `.the_conn/context`.
    pub context_root: PathBuf,
}

impl Default for ToolboxOptions {
    fn default() -> Self {
        Self { max_chars: 40_000, max_items: 200, context_root: PathBuf::from(".") }
    }
}

/// A library and its indexes. Cheap to clone; may be used from many threads.
#[derive(Clone)]
pub struct Toolbox {
    pub(crate) library: Library,
    pub(crate) engine: Arc<SearchEngine>,
    pub(crate) options: ToolboxOptions,
    pub(crate) kept: Arc<Kept>,
    listener: Option<Listener>,
}

/// Told how a long call gets on.
type Listener = Arc<dyn Fn(Step) + Send + Sync>;

/// How far a call has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is being done, in words.
    pub doing: String,
    /// Parts of it that are done.
    pub done: usize,
    /// All its parts.
    pub total: usize,
}

impl Toolbox {
    /// A toolbox over a library and an engine that searches it.
    pub fn new(library: Library, engine: Arc<SearchEngine>, options: ToolboxOptions) -> Self {
        Self { library, engine, options, kept: Arc::default(), listener: None }
    }

    /// The same toolbox, whose long calls tell `listener` how they get on.
    #[must_use]
    pub fn reporting(mut self, listener: impl Fn(Step) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// Tells how far a call has come, if anybody listens.
    pub(crate) fn tell(&self, doing: impl FnOnce() -> String, done: usize, total: usize) {
        if let Some(listener) = &self.listener {
            listener(Step { doing: doing(), done, total });
        }
    }

    /// The pages that a long call goes through, told one in so many.
    pub(crate) fn tell_page(&self, reg_id: &RegId, done: usize, total: usize) {
        if done.is_multiple_of(PAGES_A_STEP) {
            self.tell(|| format!("查阅 {reg_id} 第 {}/{total} 页", done + 1), done, total);
        }
    }

    /// The library.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The engine.
    pub fn engine(&self) -> &SearchEngine {
        &self.engine
    }

    /// Calls a tool by name with JSON arguments: what the agents do.
    pub fn call(&self, name: &str, arguments: Value) -> Result<Value, ToolError> {
        let json = self.call_json(name, arguments)?;
        serde_json::from_str(&json).map_err(|error| unwritable(&error))
    }

    /// The same with the result as text: what goes to a model or onto a wire.
    pub fn call_json(&self, name: &str, arguments: Value) -> Result<String, ToolError> {
        match name {
            "list_regulations" => run(arguments, |request| self.list_regulations(request)),
            "get_toc" => run(arguments, |request| self.get_toc(request)),
            "smart_search" => run(arguments, |request| self.smart_search(request)),
            "read_page_range" => run(arguments, |request| self.read_page_range(request)),
            "search_tables" => run(arguments, |request| self.search_tables(request)),
            "get_table_by_id" => run(arguments, |request| self.get_table_by_id(request)),
            "lookup_annotation" => run(arguments, |request| self.lookup_annotation(request)),
            "search_annotations" => run(arguments, |request| self.search_annotations(request)),
            "resolve_reference" => run(arguments, |request| self.resolve_reference(request)),
            "get_block_with_context" => run(arguments, |request| self.get_block_with_context(request)),
            "get_chapter_structure" => run(arguments, |request| self.get_chapter_structure(request)),
            "read_chapter_content" => run(arguments, |request| self.read_chapter_content(request)),
            "get_page_chapter_info" => run(arguments, |request| self.get_page_chapter_info(request)),
            "find_similar_content" => run(arguments, |request| self.find_similar_content(request)),
            "list_changes" => run(arguments, |request| self.list_changes(request)),
            "find_mentions" => run(arguments, |request| self.find_mentions(request)),
            "trace_impact" => run(arguments, |request| self.trace_impact(request)),
            "compare_sections" => run(arguments, |request| self.compare_sections(request)),
            "verify_citation" => run(arguments, |request| self.verify_citation(request)),
            "get_tool_guide" => run(arguments, |request| self.get_tool_guide(request)),
            "search_context" => run(arguments, |request| self.search_context(request)),
            _ => Err(ToolError::UnknownTool { name: name.chars().take(80).collect() }),
        }
    }

    /// Opens a regulation by the id a caller gave.
    pub(crate) fn reader(&self, reg_id: &str) -> Result<Arc<RegulationReader>, ToolError> {
        self.open(&reg_id.parse().map_err(DomainError::from)?)
    }

    /// Opens a regulation; one that was opened before and is unchanged is open still.
    pub(crate) fn open(&self, reg_id: &RegId) -> Result<Arc<RegulationReader>, ToolError> {
        Ok(self.kept.reader(&self.library, reg_id)?)
    }
}

/// Reads the arguments, runs the tool, writes the result.
fn run<Q: DeserializeOwned, R: Serialize>(
    arguments: Value,
    tool: impl FnOnce(&Q) -> Result<R, ToolError>,
) -> Result<String, ToolError> {
    // A client that has no arguments to give sends nothing at all.
    let arguments = if arguments.is_null() { Value::Object(serde_json::Map::new()) } else { arguments };
    let request = serde_json::from_value(arguments)
        .map_err(|error| ToolError::InvalidArguments { reason: error.to_string() })?;
    let result = tool(&request)?;
    serde_json::to_string(&result).map_err(|error| unwritable(&error))
}

fn unwritable(error: &serde_json::Error) -> ToolError {
    ToolError::InvalidArguments { reason: error.to_string() }
}

/// The page a caller gave, checked against the regulation.
pub(crate) fn page_of(reader: &RegulationReader, page: u32) -> Result<PageNumber, ToolError> {
    let total_pages = reader.total_pages();
    match PageNumber::new(page) {
        Some(number) if page <= total_pages => Ok(number),
        Some(page_num) => {
            Err(DomainError::PageNotFound { reg_id: reader.reg_id().clone(), page_num, total_pages }.into())
        }
        None => Err(DomainError::InvalidPageRange {
            reason: "页码从 1 起".to_owned(),
            next: Some([1, total_pages.min(10)]),
        }
        .into()),
    }
}

/// The citation that an answer would print for this place.
pub(crate) fn cite(info: &RegulationInfo, page: PageNumber, target: Option<CitationTarget>) -> String {
    Citation {
        reg_id: info.reg_id.clone(),
        name: info.short_name().to_owned(),
        page_num: page,
        page_approximate: info.pages_approximate,
        target,
    }
    .to_string()
}

/// Text cut at a character border, with `…` where something is gone.
pub(crate) fn shorten(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
