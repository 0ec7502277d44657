//! The toolbox: a library and its indexes, which the tools work on.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use regreader_messages::{errors, tools};
use regreader_model::{DomainError, PageNumber, RegId};
use regreader_search::SearchEngine;
use regreader_store::{Library, ListEntry, RegulationReader};
use regreader_text::fold;
use serde_json::Value;

use crate::kept::Kept;
use crate::{TOOLS, ToolError};

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
    engine: Arc<LazyEngine>,
    pub(crate) options: ToolboxOptions,
    pub(crate) kept: Arc<Kept>,
    listener: Option<Listener>,
}

/// Opens the indexes when a tool first needs them.
struct LazyEngine {
    opened: Mutex<Option<Arc<SearchEngine>>>,
    open: Opener,
}

/// Gives the engine, or says why there is none.
type Opener = Box<dyn Fn() -> Result<Arc<SearchEngine>, ToolError> + Send + Sync>;

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
        let toolbox = Self::lazily(library, move || Ok(Arc::clone(&engine)), options);
        // There is nothing to wait for, and nothing that could fail.
        let _ = toolbox.engine();
        toolbox
    }

    /// A toolbox whose indexes are opened when a search first needs them: pages, tables and notes are read without. An
    /// opener that fails is asked again by the next search.
    pub fn lazily(
        library: Library,
        open: impl Fn() -> Result<Arc<SearchEngine>, ToolError> + Send + Sync + 'static,
        options: ToolboxOptions,
    ) -> Self {
        let engine = Arc::new(LazyEngine { opened: Mutex::default(), open: Box::new(open) });
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
            self.tell(|| tools::reading_page(reg_id, done + 1, total), done, total);
        }
    }

    /// The library.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The engine, opened now if it was not yet.
    pub fn engine(&self) -> Result<Arc<SearchEngine>, ToolError> {
        let mut opened = self.engine.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = &*opened {
            return Ok(Arc::clone(engine));
        }
        let engine = (self.engine.open)()?;
        Ok(Arc::clone(opened.insert(engine)))
    }

    /// The engine, if it is open.
    pub fn engine_if_open(&self) -> Option<Arc<SearchEngine>> {
        self.engine.opened.try_lock().ok()?.clone()
    }

    /// Calls a tool by name with JSON arguments; the result is JSON text, for a model or a wire.
    pub fn call_json(&self, name: &str, arguments: Value) -> Result<String, ToolError> {
        match TOOLS.iter().find(|tool| tool.name == name) {
            Some(tool) => tool.call(self, arguments),
            None => Err(ToolError::UnknownTool { name: name.chars().take(80).collect() }),
        }
    }

    /// A reader of a regulation, kept open between calls: for faces that show pages as they are stored.
    pub fn regulation(&self, reg_id: &str) -> Result<Arc<RegulationReader>, ToolError> {
        self.reader(reg_id)
    }

    /// Opens a regulation by the id, alias or title that a caller gave.
    pub(crate) fn reader(&self, name: &str) -> Result<Arc<RegulationReader>, ToolError> {
        self.open(&self.reg_id(name)?)
    }

    /// The regulation of this id, or of this alias or title: citations print the alias, so people write it.
    pub fn reg_id(&self, name: &str) -> Result<RegId, ToolError> {
        let as_id = name.parse::<RegId>();
        if let Ok(id) = &as_id
            && self.open(id).is_ok()
        {
            return Ok(id.clone());
        }
        let wanted = plain(name);
        let mut called = self.library.list()?.into_iter().filter_map(|entry| match entry {
            ListEntry::Regulation(info) => {
                let names = info.aliases.iter().chain([&info.title]);
                names.into_iter().any(|name| plain(name) == wanted).then_some(info.reg_id)
            }
            ListEntry::Broken { .. } => None,
        });
        match (called.next(), called.next()) {
            (Some(id), None) => Ok(id),
            // What could be an id is opened as one, and the error says that it is not there.
            _ => Ok(as_id.map_err(DomainError::from)?),
        }
    }

    /// Opens a regulation; one that was opened before and is unchanged is open still.
    pub(crate) fn open(&self, reg_id: &RegId) -> Result<Arc<RegulationReader>, ToolError> {
        Ok(self.library.kept_reader(reg_id)?)
    }
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
            reason: errors::PAGES_FROM_ONE.into(),
            next: Some([1, total_pages.min(10)]),
        }
        .into()),
    }
}

/// A title without the marks that citing adds or drops.
pub(crate) fn plain(name: &str) -> String {
    fold(name).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Text cut at a character border, with `…` where something is gone.
pub(crate) fn shorten(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
