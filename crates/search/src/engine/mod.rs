//! The search engine of a library: its indexes, kept in step with the store, and the questions that can be put to them.

mod best_rows;
mod named_places;
mod place;
mod refresh;
mod search;
mod shown;
mod similar;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use regreader_embed::Embedder;
use regreader_messages::errors;
use regreader_model::{BlockId, BlockType, DomainError, RegId, RegulationInfo, SearchHit};
use regreader_question::{Lexicon, Question};
use regreader_store::{Library, LibraryMark, ListEntry, RegulationReader};
use regreader_text::Tokenizer;
use serde::{Deserialize, Serialize};

pub use self::place::IndexHealth;
use self::place::{Mark, Place};
pub use self::refresh::{RefreshEvent, RefreshReport};
use self::shown::ShownPages;
use crate::chapter;
use crate::select::{RegulationCatalog, Selection};
use regreader_index::FusionOptions;
use regreader_index::QdrantOptions;
use regreader_index::VectorBackend;
use regreader_index::{Corpus, CorpusOptions};
use regreader_index::{Filter, IndexError};
use regreader_index::{KeywordBackend, Reading};
use regreader_index::{Passage, RankingWeights};

/// How a library is indexed and searched.
#[derive(Debug, Clone, Default)]
pub struct EngineOptions {
    /// Which keyword index.
    pub keyword_backend: KeywordBackend,
    /// Which vector index, when there is an embedder.
    pub vector_backend: VectorBackend,
    /// How words and meaning are joined.
    pub fusion: FusionOptions,
    /// How the levels of the default fusion count.
    pub ranking: RankingWeights,
    /// The user's own terms: lines of a terms file.
    pub terms: Vec<String>,
    /// The words that questions are read with.
    pub lexicon: Lexicon,
    /// The server of backends that are on one.
    pub qdrant: Option<QdrantOptions>,
    /// Where the indexes are built when the index directory cannot be written to. None: that is an error.
    pub fallback_dir: Option<PathBuf>,
}

/// Which regulations to search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RegulationScope {
    /// Those that the question is about.
    #[default]
    Auto,
    /// Every regulation of the library.
    All,
    /// These regulations and no other.
    These(Vec<RegId>),
}

/// A search for blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The question, read.
    pub question: Question,
    /// In which regulations.
    pub scope: RegulationScope,
    /// Below which place of the chapter tree: number, title or path.
    pub chapter_scope: Option<String>,
    /// Only these kinds of block; empty means all.
    pub block_types: Vec<BlockType>,
    /// Only this clause, however its number is written.
    pub section_number: Option<String>,
    /// How many hits at most.
    pub limit: usize,
    /// One hit per page.
    pub collapse_pages: bool,
}

impl SearchRequest {
    /// Ten hits anywhere for a question that is read with the built-in lexicon; see [`SearchEngine::question`].
    pub fn new(query: impl AsRef<str>) -> Self {
        Self::of(Question::read(query.as_ref(), Lexicon::built_in()))
    }

    /// Ten hits anywhere.
    pub fn of(question: Question) -> Self {
        Self {
            question,
            scope: RegulationScope::Auto,
            chapter_scope: None,
            block_types: Vec::new(),
            section_number: None,
            limit: 10,
            collapse_pages: false,
        }
    }

    /// The same in these regulations.
    #[must_use]
    pub fn scope(mut self, scope: RegulationScope) -> Self {
        self.scope = scope;
        self
    }

    /// The same with another number of hits.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchResponse {
    /// The hits, best first, in one ranking over all regulations.
    pub hits: Vec<SearchHit>,
    /// For each hit the passage it stands in and what speaks for it; empty where a hit was not ranked over levels.
    pub passages: Vec<Passage>,
    /// Which regulations were chosen and why, when the engine chose.
    pub selection: Option<Selection>,
    /// There were more hits than the limit.
    pub truncated: bool,
    /// Share of the question's weight that stands in the best hits, 0 to 1. Near 0, the library has nothing on it.
    pub coverage: f32,
    /// What did not go as it should, though there is a result.
    pub notices: Vec<String>,
}

/// A search for what is like something.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarRequest {
    /// Like what.
    pub to: SimilarTo,
    /// In which regulations.
    pub scope: RegulationScope,
    /// How many at most.
    pub limit: usize,
    /// Leave out the page that the block stands on.
    pub exclude_same_page: bool,
}

/// What to look for the like of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimilarTo {
    /// A text.
    Text(String),
    /// A block.
    Block(RegId, BlockId),
}

/// The indexes of a library. Share it between threads in an `Arc`; several processes may open the same folder.
pub struct SearchEngine {
    library: Library,
    place: RwLock<Arc<Place>>,
    options: EngineOptions,
    reading: Arc<Reading>,
    embedder: Option<Arc<dyn Embedder>>,
    /// Name of the file that says what the indexes hold, which every search looks at.
    state_name: String,
    blocks: Corpus,
    /// Opened when a table is first looked for: most processes never do.
    tables: OnceLock<Corpus>,
    /// None until somebody looks: a refresh looks anyway.
    seen: RwLock<Option<Arc<LibrarySnapshot>>>,
    shown_pages: ShownPages,
}

/// The library as the engine last saw it.
#[derive(Default)]
pub(crate) struct LibrarySnapshot {
    pub(crate) infos: BTreeMap<RegId, RegulationInfo>,
    /// The library and the files that say what the indexes hold, as they were before the library was looked at.
    marks: (LibraryMark, Mark),
    /// Regulations that the indexes do not hold, or hold of another edition.
    behind: usize,
    known: OnceLock<RegulationCatalog>,
}

impl LibrarySnapshot {
    /// What is known about the regulations, made ready for questions when the first one comes.
    pub(crate) fn catalog(&self) -> &RegulationCatalog {
        self.known.get_or_init(|| RegulationCatalog::new(self.infos.values()))
    }
}

impl LibrarySnapshot {
    /// While the library and the indexes differ, a result says so, and an empty one is an error: nobody should take
    /// "not indexed yet" for "not in the library".
    pub(crate) fn say_if_behind(&self, is_empty: bool, notices: &mut Vec<String>) -> Result<(), IndexError> {
        let behind = IndexError::Behind { count: self.behind };
        match (self.behind, is_empty) {
            (0, _) => Ok(()),
            (_, true) => Err(behind),
            (_, false) => {
                notices.push(behind.to_string());
                Ok(())
            }
        }
    }
}

/// Text of a table that is embedded: caption, headers and the first rows. The rest are numbers.
const TABLE_CHARS: usize = 400;
/// What an index can be asked for at once.
const MOST_HITS: usize = 1_000;
/// What is known about so many regulations is made ready on a thread of its own.
const WORTH_A_THREAD: usize = 200;
/// Longer questions are rejected.
const MOST_QUERY_CHARS: usize = 4_000;

/// The regulations of a library at one moment.
#[derive(Clone)]
pub struct RegulationsSeen(Arc<LibrarySnapshot>);

impl RegulationsSeen {
    /// What is known about each.
    pub fn iter(&self) -> impl Iterator<Item = &RegulationInfo> {
        self.0.infos.values()
    }

    /// Regulations that have taken the place of another edition, each with that one.
    pub fn superseding(&self) -> BTreeMap<RegId, RegId> {
        self.0.catalog().editions().superseding()
    }

    /// What is known about one.
    pub fn get(&self, reg_id: &RegId) -> Option<&RegulationInfo> {
        self.0.infos.get(reg_id)
    }

    /// Whether nothing has changed between two moments.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl SearchEngine {
    /// Opens the indexes of a library in a folder. Call [`Self::refresh`] to bring them in step with the library: what
    /// was found torn here is rebuilt there.
    #[expect(clippy::needless_pass_by_value, reason = "the engine keeps them")]
    pub fn open(
        library: Library,
        index_dir: &Path,
        options: EngineOptions,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, IndexError> {
        let open = |root: &Path| {
            let (place, damage) = Place::find(root)?;
            let engine = Self::over(library.clone(), place, options.clone(), embedder.clone())?;
            engine.blocks.add_damage(damage);
            if engine.is_damaged() {
                engine.forget_state();
            }
            Ok(engine)
        };
        match (open(index_dir), &options.fallback_dir) {
            (Err(error), Some(fallback)) if IndexError::cannot_write(&error) => open(fallback),
            (engine, _) => engine,
        }
    }

    /// An engine on the indexes of a place.
    fn over(
        library: Library,
        place: Place,
        options: EngineOptions,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, IndexError> {
        let reading = Arc::new(Reading::new(&options.terms));
        let blocks = Corpus::open(
            &place.blocks(),
            corpus_options(&options, CorpusOptions::default().embedded_chars),
            &reading,
            embedder.clone(),
        )?;
        let state_name = place::state_name(&options, embedder.as_deref());
        Ok(Self {
            library,
            place: RwLock::new(Arc::new(place)),
            state_name,
            options,
            reading,
            embedder,
            blocks,
            tables: OnceLock::new(),
            seen: RwLock::default(),
            shown_pages: ShownPages::default(),
        })
    }

    /// The library.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Whether anything of a regulation can be found. Nothing can of a scan whose pages were not read from their pictures.
    pub fn has_text(&self, reg_id: &RegId) -> bool {
        self.blocks.view().has_text(reg_id)
    }

    /// Whether hits are found by meaning too.
    pub fn has_vectors(&self) -> bool {
        self.blocks.has_vectors()
    }

    /// Reads a question with the words of this library.
    pub fn question(&self, text: &str) -> Result<Question, IndexError> {
        Ok(Question::read(checked_query(text)?, &self.options.lexicon))
    }

    /// How the engine was opened.
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// A regulation, opened once and kept while it is the edition in force.
    pub fn reader(&self, reg_id: &RegId) -> Result<Arc<RegulationReader>, IndexError> {
        Ok(self.library.kept_reader(reg_id)?)
    }

    /// Regulations that have taken the place of another edition, each with that one: as they say themselves, or by their titles.
    pub fn superseding(&self) -> Result<BTreeMap<RegId, RegId>, IndexError> {
        // Titles are the library's: indexes that cannot be followed do not matter here.
        let seen = self.follow().or_else(|_| self.seen())?;
        Ok(seen.catalog().editions().superseding())
    }

    /// The regulations as the engine knows them now, without going to the disk for each.
    pub fn regulations_seen(&self) -> Result<RegulationsSeen, IndexError> {
        Ok(RegulationsSeen(self.follow().or_else(|_| self.seen())?))
    }

    /// Whether the library holds the regulations that the engine last saw there. One look at a folder, for a server: pages
    /// are read as they are now, so a search must not be older.
    pub fn is_as_seen(&self) -> bool {
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
        seen.as_ref().is_some_and(|seen| self.library.holds_the_same(&seen.marks.0))
    }

    pub(crate) fn blocks(&self) -> &Corpus {
        &self.blocks
    }

    pub(crate) fn tokenizer(&self) -> &Tokenizer {
        self.reading.tokenizer()
    }

    /// The number of hits to give; an error for a question that cannot be asked.
    pub(crate) fn checked(question: &Question, limit: usize) -> Result<usize, IndexError> {
        checked_query(&question.text)?;
        checked_limit(limit)
    }

    /// The filter for a scope, and the library as it is seen now.
    pub(crate) fn scoped(
        &self,
        scope: &RegulationScope,
        chapter_scope: Option<&str>,
    ) -> Result<(Filter, Arc<LibrarySnapshot>), IndexError> {
        let seen = self.follow()?;
        let mut filter = Filter { regulations: self.regulations(scope, &seen)?, ..Filter::default() };
        if let Some(chapter_scope) = chapter_scope {
            self.narrow_to_chapter(&mut filter, chapter_scope, &seen)?;
        }
        Ok((filter, seen))
    }

    /// The tables' own indexes, rebuilt if they were found torn.
    pub(crate) fn tables_in_step(&self) -> Result<&Corpus, IndexError> {
        let tables = self.tables()?;
        if tables.is_damaged() {
            self.bring_in_step(refresh::Looking::AtEverything, &mut |_| {})?;
        }
        Ok(tables)
    }

    fn seen(&self) -> Result<Arc<LibrarySnapshot>, IndexError> {
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner).clone();
        seen.map_or_else(|| self.see(), Ok)
    }

    /// Looks at the library and notes what it holds.
    fn see(&self) -> Result<Arc<LibrarySnapshot>, IndexError> {
        // Before the list: whatever changes after this is seen next time.
        let marks = (self.library.mark(), self.mark());
        let infos = self.library.list()?.into_iter().filter_map(|entry| match entry {
            ListEntry::Regulation(info) => Some((info.reg_id.clone(), info)),
            ListEntry::Broken { .. } => None,
        });
        Ok(self.note(infos.collect(), marks))
    }

    /// Notes what the library holds.
    fn note(
        &self,
        infos: BTreeMap<RegId, RegulationInfo>,
        marks: (LibraryMark, Mark),
    ) -> Arc<LibrarySnapshot> {
        let behind = self.count_behind(&infos);
        let seen = Arc::new(LibrarySnapshot { infos, marks, behind, known: OnceLock::new() });
        *self.seen.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&seen));
        self.library.retain_readers(|reg_id| seen.infos.contains_key(reg_id));
        if seen.infos.len() >= WORTH_A_THREAD {
            let seen = Arc::clone(&seen);
            // The first question needs it, and has something to look for meanwhile.
            std::thread::spawn(move || {
                seen.catalog();
            });
        }
        seen
    }

    /// Takes over what another process has done to the indexes since. One look at a file when it has done nothing.
    fn follow(&self) -> Result<Arc<LibrarySnapshot>, IndexError> {
        let seen = self.seen()?;
        if self.mark() == seen.marks.1 {
            return Ok(seen);
        }
        self.reload()?;
        self.see()
    }

    /// The tables' own indexes.
    fn tables(&self) -> Result<&Corpus, IndexError> {
        if let Some(tables) = self.tables.get() {
            return Ok(tables);
        }
        let options = corpus_options(&self.options, TABLE_CHARS);
        let tables = Corpus::open(&self.place().tables(), options, &self.reading, self.embedder.clone())?;
        Ok(self.tables.get_or_init(|| tables))
    }

    /// The regulations of a scope; none means all. One that is not in the library is an error.
    #[expect(clippy::unused_self, reason = "a question to the engine, like its neighbours")]
    fn regulations(
        &self,
        scope: &RegulationScope,
        seen: &LibrarySnapshot,
    ) -> Result<Option<BTreeSet<RegId>>, IndexError> {
        let RegulationScope::These(ids) = scope else { return Ok(None) };
        if let Some(missing) = ids.iter().find(|id| !seen.infos.contains_key(*id)) {
            return Err(DomainError::RegulationNotFound { reg_id: missing.clone() }.into());
        }
        Ok(Some(ids.iter().cloned().collect()))
    }

    /// Narrows a filter to a place of the chapter tree. A place that none of the regulations has is an error.
    fn narrow_to_chapter(
        &self,
        filter: &mut Filter,
        chapter_scope: &str,
        seen: &LibrarySnapshot,
    ) -> Result<(), IndexError> {
        let regulations: Vec<&RegId> = match &filter.regulations {
            Some(allowed) => allowed.iter().collect(),
            None => seen.infos.keys().collect(),
        };
        let mut places = BTreeSet::new();
        let mut near = Vec::new();
        for reg_id in &regulations {
            let structure = self.reader(reg_id)?.structure()?;
            let nodes = chapter::find_chapters(&structure, chapter_scope);
            if nodes.is_empty() && near.len() < 5 {
                near.extend(chapter::near_chapters(&structure, chapter_scope, 5 - near.len()));
            }
            places.extend(nodes.into_iter().map(|node| ((*reg_id).clone(), node)));
        }
        if places.is_empty()
            && let Some(reg_id) = regulations.first()
        {
            let section_number = chapter_scope.chars().take(80).collect();
            let error =
                DomainError::ChapterNotFound { reg_id: (*reg_id).clone(), section_number, candidates: near };
            return Err(error.into());
        }
        filter.scope = Some(places);
        Ok(())
    }
}

/// Regulations that have taken the place of another edition, each with that one, by what is known about them.
pub fn superseding<'a>(infos: impl IntoIterator<Item = &'a RegulationInfo>) -> BTreeMap<RegId, RegId> {
    RegulationCatalog::new(infos.into_iter()).editions().superseding()
}

fn corpus_options(options: &EngineOptions, embedded_chars: usize) -> CorpusOptions {
    CorpusOptions {
        keyword_backend: options.keyword_backend,
        vector_backend: options.vector_backend,
        fusion: options.fusion,
        ranking: options.ranking,
        embedded_chars,
        qdrant: options.qdrant.clone(),
    }
}

/// The question, if it is one.
fn checked_query(query: &str) -> Result<&str, IndexError> {
    let query = query.trim();
    let reason = if query.is_empty() {
        errors::EMPTY.into()
    } else if query.chars().nth(MOST_QUERY_CHARS).is_some() {
        errors::too_many_characters(MOST_QUERY_CHARS)
    } else {
        return Ok(query);
    };
    Err(DomainError::InvalidArgument { name: "query", reason }.into())
}

/// The number of hits, if it is one.
fn checked_limit(limit: usize) -> Result<usize, IndexError> {
    if limit == 0 {
        return Err(DomainError::InvalidArgument { name: "limit", reason: errors::POSITIVE.into() }.into());
    }
    Ok(limit.min(MOST_HITS))
}

/// What `state-*.json` holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// Content of each regulation that the indexes hold.
    regulations: BTreeMap<RegId, String>,
    /// Mark of everything else that is known about them: other processes read it anew when it changes.
    described: String,
    /// Hash over the rest.
    check: String,
}

impl State {
    fn checked(mut self) -> Self {
        self.check = String::new();
        self.check = blake3::hash(&serde_json::to_vec(&self).unwrap_or_default()).to_hex().to_string();
        self
    }
}
