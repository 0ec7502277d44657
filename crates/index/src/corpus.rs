//! Documents with their keyword index, their vectors and their texts: everything that searching needs, and nothing of
//! the library they come from. The engine has one for blocks and one for tables; measurements build their own from
//! plain documents.
//!
//! Whatever a backend makes of damaged files ends here: an error or a panic says which part is damaged, and a part that
//! is damaged is emptied, to be built again from the library.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use regreader_embed::{Embedder, StaticModel};
use regreader_messages::errors;
use regreader_model::{RegId, SearchSource, hide_passwords};
use regreader_text::{Saying, fold};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::backend::keyword::{KeywordBackend, KeywordIndex, Reading, Replacement};
use crate::backend::qdrant::{QdrantIndex, QdrantOptions};
use crate::backend::vector::{VectorBackend, VectorIndex};
use crate::fusion::{self, Fusion, FusionOptions, Legs, QueryTraits};
use crate::guard::caught;
use crate::levels::formal::FormalWords;
use crate::levels::{self, Compared, LevelQuery, RankingWeights, Window};
use crate::storage::catalog::{Catalog, CatalogView};
use crate::storage::disk::{self, WriterLock};
use crate::{DocumentKey, Filter, IndexDocument, IndexError};

/// How a corpus is indexed and searched.
#[derive(Debug, Clone)]
pub struct CorpusOptions {
    /// Which keyword index.
    pub keyword_backend: KeywordBackend,
    /// Which vector index, when there is an embedder.
    pub vector_backend: VectorBackend,
    /// How the legs are joined.
    pub fusion: FusionOptions,
    /// How the levels of the default fusion count.
    pub ranking: RankingWeights,
    /// How many characters of a document are embedded.
    pub embedded_chars: usize,
    /// The server of backends that are on one.
    pub qdrant: Option<QdrantOptions>,
}

impl Default for CorpusOptions {
    fn default() -> Self {
        Self {
            keyword_backend: KeywordBackend::default(),
            vector_backend: VectorBackend::default(),
            fusion: FusionOptions::default(),
            ranking: RankingWeights::default(),
            embedded_chars: 1_600,
            qdrant: None,
        }
    }
}

/// A part of an index that could not be used and was emptied, to be built anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// Which part: `catalog`, `tantivy`, `flat` …
    pub part: String,
    /// What was wrong.
    pub reason: String,
}

/// One ranked document.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Document that was found.
    pub key: DocumentKey,
    /// Greater is better; comparable within one search.
    pub score: f64,
    /// Which leg found it.
    pub source: SearchSource,
    /// The window it was found in, where levels were ranked.
    pub window: Option<Window>,
}

/// What a search of a corpus gives.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    /// Best first.
    pub documents: Vec<Ranked>,
    /// Share of the query's weight that stands in the best hits by words, 0 to 1.
    pub coverage: f32,
    /// Why there was no vector leg, when there should have been one.
    pub notice: Option<String>,
    /// Share of each word of the query in its weight; empty when it was not searched by words.
    pub weights: Vec<(String, f32)>,
}

/// Words of a question with their weights, to how well the names of each regulation fit them.
pub type NamesFit<'a> = dyn Fn(&[(String, f32)]) -> BTreeMap<RegId, f64> + 'a;

/// What the ranking asks about regulations.
pub struct RegulationNames<'a> {
    /// Title of a regulation.
    pub title: &'a dyn Fn(&RegId) -> String,
    /// How well the names of each regulation fit the words of a question, as a share of the best one's.
    pub fits: &'a NamesFit<'a>,
}

/// Which content each part was built from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuiltFrom {
    /// The texts.
    pub catalog: BTreeMap<RegId, String>,
    /// The keyword index.
    pub keyword: BTreeMap<RegId, String>,
    /// The vector index, if there is one.
    pub vector: Option<BTreeMap<RegId, String>>,
}

impl BuiltFrom {
    /// Every regulation that some part holds.
    pub fn regulations(&self) -> impl Iterator<Item = &RegId> {
        self.catalog.keys().chain(self.keyword.keys()).chain(self.vector.iter().flat_map(BTreeMap::keys))
    }
}

/// Which parts of a corpus to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// The texts of the documents.
    pub catalog: bool,
    /// The index by words.
    pub keyword: bool,
    /// The index by meaning.
    pub vector: bool,
}

impl Parts {
    /// A corpus that is built from nothing needs them all.
    pub const ALL: Self = Self { catalog: true, keyword: true, vector: true };
    /// A corpus that holds its documents needs none.
    pub const NONE: Self = Self { catalog: false, keyword: false, vector: false };
}

/// Documents that can be searched.
pub struct Corpus {
    embedder: Option<Arc<dyn Embedder>>,
    options: CorpusOptions,
    reading: Arc<Reading>,
    indexes: RwLock<Arc<Indexes>>,
    damage: Mutex<Vec<Damage>>,
}

/// The parts of a corpus in one folder. A search that has begun goes on with those it began with.
struct Indexes {
    folder: PathBuf,
    catalog: Catalog,
    keyword: Arc<dyn KeywordIndex>,
    vector: Option<Arc<dyn VectorIndex>>,
}

impl Corpus {
    /// Opens the corpus in a folder, one folder in it for each part. A part that is torn, of another version or of
    /// another model is emptied; [`Self::take_damage`] says so.
    pub fn open(
        folder: &Path,
        options: CorpusOptions,
        reading: &Arc<Reading>,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, IndexError> {
        let mut damage = Vec::new();
        let indexes = open_indexes(folder, &options, reading, embedder.as_ref(), &mut damage)?;
        Ok(Self {
            embedder,
            options,
            reading: Arc::clone(reading),
            indexes: RwLock::new(Arc::new(indexes)),
            damage: Mutex::new(damage),
        })
    }

    /// Opens the parts again in this folder, as [`Self::open`] does.
    pub fn move_to(&self, folder: &Path) -> Result<(), IndexError> {
        let mut damage = Vec::new();
        let indexes =
            open_indexes(folder, &self.options, &self.reading, self.embedder.as_ref(), &mut damage)?;
        *self.indexes.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(indexes);
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).extend(damage);
        Ok(())
    }

    /// Hashes every part, and empties those that are not what was written. Whether there were any.
    pub fn empty_damaged(&self) -> Result<bool, IndexError> {
        let indexes = self.indexes();
        let (_, damage) = examine(&indexes.folder, &self.options, &self.reading, self.embedder.as_ref())?;
        for one in &damage {
            let _writing = WriterLock::acquire(&one.folder)?;
            disk::empty_folder(&one.folder)?;
        }
        let found = !damage.is_empty();
        if found {
            self.move_to(&indexes.folder)?;
            let damage = damage.into_iter().map(|one| one.damage);
            self.damage.lock().unwrap_or_else(PoisonError::into_inner).extend(damage);
        }
        Ok(found)
    }

    fn indexes(&self) -> Arc<Indexes> {
        Arc::clone(&self.indexes.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Parts that were found unusable and emptied when the corpus was opened. Said once.
    pub fn take_damage(&self) -> Vec<Damage> {
        std::mem::take(&mut *self.damage.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes damage that was found elsewhere, to be told with the rest.
    pub fn add_damage(&self, damage: Option<Damage>) {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).extend(damage);
    }

    /// The error that says that this corpus is damaged.
    pub fn damaged(&self, reason: impl Into<String>) -> IndexError {
        IndexError::corrupt(&self.indexes().folder, reason)
    }

    /// Whether there is damage that nobody has been told of.
    pub fn is_damaged(&self) -> bool {
        !self.damage.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// What each part was built from.
    pub fn built_from(&self) -> Result<BuiltFrom, IndexError> {
        self.indexes().built_from()
    }

    /// Replaces everything of these regulations.
    pub fn replace(&self, batch: &[Replacement<'_>]) -> Result<(), IndexError> {
        self.build(batch, Parts::ALL)
    }

    /// Builds some parts of these regulations anew.
    pub fn build(&self, batch: &[Replacement<'_>], parts: Parts) -> Result<(), IndexError> {
        if batch.is_empty() {
            return Ok(());
        }
        let indexes = self.indexes();
        if parts.catalog {
            indexes.catalog.replace(batch)?;
        }
        if parts.vector
            && let (Some(vector), Some(embedder)) = (&indexes.vector, &self.embedder)
        {
            let mut vectors = Vec::with_capacity(batch.len());
            for one in batch {
                vectors.push(self.embed(embedder.as_ref(), one.documents)?);
            }
            vector.replace(batch, &vectors)?;
        }
        if parts.keyword {
            caught(&indexes.folder, || indexes.keyword.replace(batch))?;
        }
        Ok(())
    }

    /// Removes a regulation; no error when it is not there.
    pub fn delete(&self, reg_id: &RegId) -> Result<(), IndexError> {
        let indexes = self.indexes();
        caught(&indexes.folder, || {
            indexes.keyword.delete_regulation(reg_id)?;
            indexes.vector.as_ref().map_or(Ok(()), |vector| vector.delete_regulation(reg_id))?;
            indexes.catalog.delete(reg_id)
        })
    }

    /// Sees what other processes have done.
    pub fn reload(&self) -> Result<(), IndexError> {
        let indexes = self.indexes();
        caught(&indexes.folder, || {
            indexes.catalog.reload()?;
            indexes.vector.as_ref().map_or(Ok(()), |vector| vector.reload())?;
            indexes.keyword.reload()
        })
    }

    /// A document by its key.
    pub fn document(&self, key: &DocumentKey) -> Result<Option<IndexDocument>, IndexError> {
        self.view().get(key)
    }

    /// The best documents for a query, with the fusion of the options.
    pub fn search(&self, query: &str, filter: &Filter, limit: usize) -> Result<Ranking, IndexError> {
        self.search_by(&self.options.fusion, query, filter, limit)
    }

    /// The best documents for a query, with another fusion.
    pub fn search_by(
        &self,
        options: &FusionOptions,
        query: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Ranking, IndexError> {
        let depth = options.depth.max(limit);
        let indexes = self.indexes();
        let (mut legs, notice) =
            caught(&indexes.folder, || self.legs(&indexes, options.fusion, query, filter, depth))?;
        let coverage = legs.query.coverage;
        let weights = std::mem::take(&mut legs.weights);
        let fused = fusion::fuse(options, &legs).into_iter().take(limit);
        let documents = fused
            .map(|hit| Ranked { key: hit.key, score: hit.score, source: hit.source, window: None })
            .collect();
        Ok(Ranking { documents, coverage, notice, weights })
    }

    /// The best documents for a query, ranked over levels by the fusion that is the default; by the others as they say. What
    /// documents print for the sayings of the query is looked for too.
    pub fn search_levels(
        &self,
        query: &str,
        sayings: &[Saying],
        filter: &Filter,
        limit: usize,
        names: &RegulationNames<'_>,
    ) -> Result<Ranking, IndexError> {
        let options = self.options.fusion;
        if options.fusion != Fusion::Adaptive {
            return self.search(query, filter, limit);
        }
        let depth = options.depth.max(limit);
        let indexes = self.indexes();
        let (mut legs, notice) =
            caught(&indexes.folder, || self.legs(&indexes, options.fusion, query, filter, depth))?;
        let words = std::mem::take(&mut legs.weights);
        let formal = caught(&indexes.folder, || {
            FormalWords::of(sayings, &words, |text| indexes.keyword.weights(text))
        })?;
        if !formal.query.is_empty() {
            legs.formal = caught(&indexes.folder, || indexes.keyword.search(&formal.query, filter, depth))?;
        }
        let spread = if legs.spread.is_finite() && legs.spread > 0.0 { legs.spread } else { 1.0 };
        if legs.keyword.is_empty() {
            legs.vector.retain(|(_, cosine)| f64::from(cosine / spread) > self.options.ranking.meaning_alone);
        }
        let cosines =
            |keys: &[DocumentKey], groups: &[Vec<(usize, f32)>]| match (&indexes.vector, &legs.embedded) {
                (Some(index), Some(vector)) => {
                    let (mut blocks, mut pooled) = index.pooled(vector, keys, groups)?;
                    for cosine in blocks.iter_mut().chain(&mut pooled) {
                        *cosine /= spread;
                    }
                    Ok((blocks, pooled))
                }
                _ => Ok((Vec::new(), Vec::new())),
            };
        let fits = (names.fits)(&words);
        let level_query = LevelQuery {
            words: &words,
            formal: &formal.weights,
            weights: &self.options.ranking,
            filter,
            title: names.title,
            regulation: &|reg_id| fits.get(reg_id).copied().unwrap_or(0.0),
            cosines: &cosines,
        };
        let compared = if legs.has_vectors { StaticModel::builtin().ok() } else { None };
        let compared = compared.as_ref().map(|model| Compared { model, query, sayings, formal: &formal });
        let documents =
            caught(&indexes.folder, || levels::rank(&indexes.catalog.view(), &legs, &level_query, compared))?;
        Ok(Ranking { documents, coverage: legs.query.coverage, notice, weights: words })
    }

    /// The nearest documents to a text by meaning alone; by words when there are no vectors.
    pub fn similar(&self, text: &str, filter: &Filter, limit: usize) -> Result<Ranking, IndexError> {
        let options = FusionOptions { fusion: Fusion::Vector, ..self.options.fusion };
        self.search_by(&options, text, filter, limit)
    }

    /// Share of each word of the query in its weight.
    pub fn weights(&self, query: &str) -> Result<Vec<(String, f32)>, IndexError> {
        let indexes = self.indexes();
        caught(&indexes.folder, || indexes.keyword.weights(query))
    }

    /// The documents as they are now, for as long as the view is held.
    pub fn view(&self) -> CatalogView {
        self.indexes().catalog.view()
    }

    /// What a document is embedded as.
    pub fn embedding_text(&self, document: &IndexDocument) -> String {
        document.embedding_text(self.options.embedded_chars)
    }

    /// Whether documents are found by meaning too.
    pub fn has_vectors(&self) -> bool {
        self.indexes().vector.is_some()
    }

    fn legs(
        &self,
        indexes: &Indexes,
        fusion: Fusion,
        query: &str,
        filter: &Filter,
        depth: usize,
    ) -> Result<(Legs<DocumentKey>, Option<String>), IndexError> {
        let mut legs = Legs::default();
        let mut notice = None;
        if fusion != Fusion::Keyword
            && let (Some(index), Some(embedder)) = (&indexes.vector, &self.embedder)
        {
            match embedder.embed_query(query) {
                Ok(vector) => {
                    legs.has_vectors = true;
                    legs.embedded = Some(vector.clone());
                    legs.spread = embedder.spread();
                    legs.vector = index.search(&vector, filter, depth)?;
                    indexes.add_keyword(&mut legs, fusion, query, filter, depth)?;
                    if fusion == Fusion::Adaptive {
                        let there: FxHashSet<&DocumentKey> = legs.vector.iter().map(|(key, _)| key).collect();
                        let rest: Vec<DocumentKey> = legs
                            .keyword
                            .iter()
                            .filter(|(key, _)| !there.contains(key))
                            .map(|(key, _)| key.clone())
                            .collect();
                        legs.cosines = index.score(&vector, &rest)?;
                    }
                    return Ok((legs, None));
                }
                // A server that is down must not take the words down with it.
                Err(error) => {
                    let error = hide_passwords(&error.to_string());
                    notice = Some(errors::without_vectors(error));
                }
            }
        }
        indexes.add_keyword(&mut legs, Fusion::Keyword, query, filter, depth)?;
        Ok((legs, notice))
    }

    fn embed(
        &self,
        embedder: &dyn Embedder,
        documents: &[IndexDocument],
    ) -> Result<Vec<Vec<f32>>, IndexError> {
        // Some models batch; a piece at a time keeps what they hold in memory small.
        const PIECE: usize = 256;
        let mut vectors = Vec::with_capacity(documents.len());
        for piece in documents.chunks(PIECE) {
            let texts: Vec<String> = piece.iter().map(|document| self.embedding_text(document)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let made =
                embedder.embed_documents(&texts).map_err(|error| IndexError::Embedding(error.to_string()))?;
            vectors.extend(made);
        }
        Ok(vectors)
    }
}

impl Indexes {
    fn built_from(&self) -> Result<BuiltFrom, IndexError> {
        Ok(BuiltFrom {
            catalog: self.catalog.built_from(),
            keyword: caught(&self.folder, || self.keyword.built_from())?,
            vector: self.vector.as_ref().map(|vector| vector.built_from()).transpose()?,
        })
    }

    fn add_keyword(
        &self,
        legs: &mut Legs<DocumentKey>,
        fusion: Fusion,
        query: &str,
        filter: &Filter,
        depth: usize,
    ) -> Result<(), IndexError> {
        if fusion != Fusion::Vector {
            legs.keyword = self.keyword.search(query, filter, depth)?;
            legs.weights = self.keyword.weights(query)?;
            legs.query = self.traits(&legs.weights, &legs.keyword)?;
        }
        Ok(())
    }

    /// How well the best hits by words cover the query.
    fn traits(
        &self,
        weights: &[(String, f32)],
        hits: &[(DocumentKey, f32)],
    ) -> Result<QueryTraits, IndexError> {
        const LOOKED_AT: usize = 3;
        let total: f32 = weights.iter().map(|(_, weight)| weight).sum();
        let view = self.catalog.view();
        let mut coverage = 0.0_f32;
        for (key, _) in hits.iter().take(LOOKED_AT) {
            if let Some(document) = view.get(key)? {
                let text = fold(&format!("{}\n{}", document.chapter_path.join("\n"), document.text));
                let there: f32 = weights
                    .iter()
                    .filter(|(word, _)| text.contains(word.as_str()))
                    .map(|(_, weight)| weight)
                    .sum();
                coverage = coverage.max(if total > 0.0 { there / total } else { 0.0 });
            }
        }
        Ok(QueryTraits { coverage })
    }
}

/// A damaged part and where it stands.
pub struct DamagedPart {
    /// Folder that holds the part.
    pub folder: PathBuf,
    /// Which part it is and what is wrong with it.
    pub damage: Damage,
}

/// Whether an older version of this program built the corpus in a folder. That is no damage; the next refresh builds it anew.
pub fn is_of_older_version(folder: &Path) -> bool {
    crate::storage::fileset::is_older(&folder.join("catalog"))
}

/// Hashes every part of the corpus in a folder without changing any. Says what the sound ones were built from, and what
/// is wrong with the others. A part that does not exist is built from nothing.
pub fn examine(
    folder: &Path,
    options: &CorpusOptions,
    reading: &Arc<Reading>,
    embedder: Option<&Arc<dyn Embedder>>,
) -> Result<(BuiltFrom, Vec<DamagedPart>), IndexError> {
    let mut damaged = Vec::new();
    let mut note =
        |folder: PathBuf, part: &str, result: Result<BTreeMap<RegId, String>, IndexError>| match result {
            Err(error) if error.is_damage() => {
                let damage = Damage { part: part.to_owned(), reason: error.to_string() };
                damaged.push(DamagedPart { folder, damage });
                Ok(BTreeMap::new())
            }
            result => result,
        };
    let is_there = |folder: &Path| {
        fs::read_dir(folder).is_ok_and(|mut entries| {
            entries.any(|entry| entry.is_ok_and(|entry| entry.file_name() != ".lock"))
        })
    };
    let at = folder.join("catalog");
    let catalog = caught(&at, || {
        let catalog = Catalog::open(&at)?;
        catalog.verify()?;
        Ok(catalog.built_from())
    });
    let mut built = BuiltFrom { catalog: note(at, "catalog", catalog)?, ..BuiltFrom::default() };
    let backend = options.keyword_backend;
    let at = folder.join(backend.name());
    if backend != KeywordBackend::Qdrant && is_there(&at) {
        let keyword = caught(&at, || {
            let index = backend.open(&at, reading)?;
            index.verify()?;
            index.built_from()
        });
        built.keyword = note(at, backend.name(), keyword)?;
    }
    if let Some(embedder) = embedder
        && options.vector_backend != VectorBackend::Qdrant
    {
        let backend = options.vector_backend;
        let at = vector_folder(folder, backend, embedder.as_ref());
        let vector = caught(&at, || {
            if !is_there(&at) {
                return Ok(BTreeMap::new());
            }
            let index = backend.open(&at, embedder.model(), embedder.dimension())?;
            index.verify()?;
            index.built_from()
        });
        built.vector = Some(note(at, backend.name(), vector)?);
    }
    Ok((built, damaged))
}

/// Opens the parts in a folder. One that cannot be used is emptied, and `damage` says so.
fn open_indexes(
    folder: &Path,
    options: &CorpusOptions,
    reading: &Arc<Reading>,
    embedder: Option<&Arc<dyn Embedder>>,
    damage: &mut Vec<Damage>,
) -> Result<Indexes, IndexError> {
    let catalog = mended(&folder.join("catalog"), "catalog", damage, Catalog::open)?;
    let server = server(folder, options, reading, embedder.map(AsRef::as_ref))?;
    let backend = options.keyword_backend;
    let keyword: Arc<dyn KeywordIndex> = match &server {
        Some(server) if backend == KeywordBackend::Qdrant => Arc::clone(server) as _,
        _ => mended(&folder.join(backend.name()), backend.name(), damage, |at| backend.open(at, reading))?,
    };
    let vector: Option<Arc<dyn VectorIndex>> = match (embedder, &server) {
        (None, _) => None,
        (Some(_), Some(server)) if options.vector_backend == VectorBackend::Qdrant => {
            Some(Arc::clone(server) as _)
        }
        (Some(embedder), _) => {
            let backend = options.vector_backend;
            let at = vector_folder(folder, backend, embedder.as_ref());
            let open = |at: &Path| backend.open(at, embedder.model(), embedder.dimension());
            Some(mended(&at, backend.name(), damage, open)?)
        }
    };
    Ok(Indexes { folder: folder.to_owned(), catalog, keyword, vector })
}

/// The collection of a corpus, when a part of it is on a server. Its name tells model and reading apart, so that another
/// one begins anew, as folders do; and it tells libraries apart, unless they are the same one on a shared file system.
fn server(
    folder: &Path,
    options: &CorpusOptions,
    reading: &Arc<Reading>,
    embedder: Option<&dyn Embedder>,
) -> Result<Option<Arc<QdrantIndex>>, IndexError> {
    let dense = options.vector_backend == VectorBackend::Qdrant;
    if !dense && options.keyword_backend != KeywordBackend::Qdrant {
        return Ok(None);
    }
    let Some(server) = &options.qdrant else { return Err(IndexError::needs_server("qdrant")) };
    let model = embedder.filter(|_| dense).map(|embedder| (embedder.model(), embedder.dimension()));
    let mark = format!("{model:?} {}", reading.token_mark());
    let mark: String = blake3::hash(mark.as_bytes()).to_hex().chars().take(8).collect();
    let part = folder.file_name().map_or_else(|| "documents".into(), |name| name.to_string_lossy());
    let name = format!("{part}-{mark}");
    Ok(Some(Arc::new(QdrantIndex::open(server.clone(), &name, Arc::clone(reading), model)?)))
}

/// Opens a part; one that cannot be used is emptied and opened again.
fn mended<T>(
    folder: &Path,
    part: &str,
    damage: &mut Vec<Damage>,
    open: impl Fn(&Path) -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    let open = |folder: &Path| caught(folder, || open(folder));
    match open(folder) {
        Err(error @ (IndexError::Corrupt { .. } | IndexError::ModelMismatch { .. })) => {
            // The lock of the folder above: the part's own is taken by whatever opens or empties it.
            let _mending = WriterLock::acquire(folder.parent().unwrap_or(folder))?;
            // Another process may have mended it while we waited.
            if let Ok(part) = open(folder) {
                return Ok(part);
            }
            {
                let _writing = WriterLock::acquire(folder)?;
                disk::empty_folder(folder)?;
            }
            damage.push(Damage { part: part.to_owned(), reason: error.to_string() });
            open(folder)
        }
        result => result,
    }
}

/// One folder per model: changing back to an earlier one finds its vectors still there.
fn vector_folder(folder: &Path, backend: VectorBackend, embedder: &dyn Embedder) -> PathBuf {
    let model = embedder.model();
    let plain: String =
        model.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).take(40).collect();
    let mark: String = blake3::hash(model.as_bytes()).to_hex().chars().take(8).collect();
    folder.join(format!("{}-{plain}-{mark}-{}", backend.name(), embedder.dimension()))
}
