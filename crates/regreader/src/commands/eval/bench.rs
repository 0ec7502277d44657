//! What is measured: a library or a collection of articles with its indexes, searched in each way.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use regreader_embed::{Embedder, StaticModel};
use regreader_index::keyword::Reading;
use regreader_index::{Corpus, CorpusOptions, Fusion, FusionOptions};
use regreader_model::RegId;
use regreader_search::{EngineOptions, SearchEngine};
use regreader_store::{Library, ListEntry, OpenOptions};
use regreader_tools::{Toolbox, ToolboxOptions};
use tempfile::TempDir;

use super::super::Session;
use super::Leg;
use crate::cli::EvalArgs;
use crate::pipeline::{self, KnownInfo, ReadOptions, SourceFile};
use crate::{embedding, engine};

/// A library to measure, in a folder of its own or the user's.
pub struct Bench<'a> {
    session: &'a Session,
    library: Library,
    index_dir: PathBuf,
    /// Goes with the bench.
    _temporary: Option<TempDir>,
}

/// The same indexes opened once for each way of joining the legs.
pub struct Ways {
    /// Name of the embedding.
    pub embedding: Option<String>,
    /// As the settings say.
    pub fused: SearchEngine,
    others: Vec<(Leg, SearchEngine)>,
}

impl Ways {
    /// Every way.
    pub fn all(&self) -> impl Iterator<Item = (Leg, &SearchEngine)> {
        let others = self.others.iter().map(|(leg, engine)| (*leg, engine));
        others.chain(std::iter::once((Leg::Fused, &self.fused)))
    }
}

/// A collection of articles and the ways to search it.
pub struct Articles {
    /// Name of the embedding.
    pub embedding: Option<String>,
    /// The indexes.
    pub corpus: Corpus,
    /// Every way.
    pub fusions: Vec<(Leg, FusionOptions)>,
}

impl<'a> Bench<'a> {
    /// A library in a folder that stays, or in one that goes with the bench.
    pub fn new(session: &'a Session, keep: Option<&Path>) -> anyhow::Result<Self> {
        let (folder, temporary) = match keep {
            Some(folder) => (folder.to_owned(), None),
            None => {
                let temporary = tempfile::tempdir()?;
                (temporary.path().join("library"), Some(temporary))
            }
        };
        let library = Library::open(&folder, OpenOptions::new().actor("eval"))?;
        Ok(Self { session, library, index_dir: folder.join("index"), _temporary: temporary })
    }

    /// The library that the settings name.
    pub fn of_library(session: &'a Session) -> anyhow::Result<Self> {
        let index_dir = session.settings.index_path();
        Ok(Self { session, library: session.library()?, index_dir, _temporary: None })
    }

    /// The library.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// How many pages the library has.
    pub fn pages(&self) -> anyhow::Result<usize> {
        let pages = |entry: &ListEntry| match entry {
            ListEntry::Regulation(info) => info.total_pages as usize,
            ListEntry::Broken { .. } => 0,
        };
        Ok(self.library.list()?.iter().map(pages).sum())
    }

    /// Reads documents into the library, as `ingest` would, but for those that are there.
    pub fn ingest(&self, files: &[(PathBuf, RegId)]) -> anyhow::Result<()> {
        let progress = progress(self.session, files.len());
        let max_mib = self.session.settings.max_file_mib;
        files.par_iter().try_for_each(|(path, reg_id)| {
            let file = SourceFile::read(path, max_mib)?;
            let options = ReadOptions::default();
            if !pipeline::is_current(&self.library, reg_id, &file.hash) {
                let regulation = pipeline::read(&file, reg_id, &KnownInfo::default(), &options)?;
                pipeline::store(&self.library, &file, &regulation)?;
            }
            progress.inc(1);
            anyhow::Ok(())
        })?;
        progress.finish_and_clear();
        Ok(())
    }

    /// The embedding that the settings or the arguments name.
    pub fn embedder(&self, args: &EvalArgs) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
        let Some(path) = &args.static_model else { return embedding::embedder(&self.session.settings) };
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let model = StaticModel::from_bytes(bytes).with_context(|| path.display().to_string())?;
        Ok(Some(Arc::new(model)))
    }

    /// The embedding of another backend.
    pub fn embedder_named(&self, backend: &str) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
        let mut settings = self.session.settings.clone();
        backend.clone_into(&mut settings.embedding_backend);
        embedding::embedder(&settings)
    }

    /// Opens the indexes of the library, brought in step, once for each way.
    pub fn ways(&self, embedder: Option<Arc<dyn Embedder>>) -> anyhow::Result<Ways> {
        let base = engine::options(&self.session.settings)?;
        let open = |fusion: FusionOptions| {
            let options = EngineOptions { fusion, ..base.clone() };
            SearchEngine::open(self.library.clone(), &self.index_dir, options, embedder.clone())
        };
        let fused = open(base.fusion)?;
        fused.refresh(&mut |_| {})?;
        let mut others = Vec::new();
        for (leg, options) in others_of(base.fusion, embedder.is_some()) {
            others.push((leg, open(options)?));
        }
        Ok(Ways { embedding: embedder.map(|embedder| embedder.model().to_owned()), fused, others })
    }

    /// The tools on top of the settings' own way.
    pub fn toolbox(&self, ways: Ways) -> Toolbox {
        Toolbox::new(self.library.clone(), Arc::new(ways.fused), ToolboxOptions::default())
    }

    /// Indexes for a collection of articles, which is no library.
    pub fn corpus(&self, embedder: Option<Arc<dyn Embedder>>) -> anyhow::Result<Articles> {
        let options = engine::options(&self.session.settings)?;
        let mut fusions = others_of(options.fusion, embedder.is_some());
        fusions.push((Leg::Fused, options.fusion));
        let embedding = embedder.as_ref().map(|embedder| embedder.model().to_owned());
        let reading = Arc::new(Reading::new(&options.terms));
        let corpus_options = CorpusOptions {
            keyword_backend: options.keyword_backend,
            vector_backend: options.vector_backend,
            fusion: options.fusion,
            ..CorpusOptions::default()
        };
        let corpus = Corpus::open(&self.index_dir.join("articles"), corpus_options, &reading, embedder)?;
        Ok(Articles { embedding, corpus, fusions })
    }
}

fn others_of(fusion: FusionOptions, has_vectors: bool) -> Vec<(Leg, FusionOptions)> {
    let mut ways = vec![(Leg::Keyword, FusionOptions { fusion: Fusion::Keyword, ..fusion })];
    if has_vectors {
        ways.push((Leg::Vector, FusionOptions { fusion: Fusion::Vector, ..fusion }));
        ways.push((Leg::Rrf, FusionOptions { fusion: Fusion::Rrf, ..fusion }));
    }
    ways
}

/// Files in these folders whose names are wanted, in order; a folder that is not there has none.
pub fn files(folders: &[&Path], wanted: impl Fn(&str) -> bool) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| wanted(&name.to_string_lossy())) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A bar on stderr, on a terminal.
pub fn progress(session: &Session, total: usize) -> ProgressBar {
    if session.quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar
}
