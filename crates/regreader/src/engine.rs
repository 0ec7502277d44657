//! The engine that the settings describe: indexes, embedding, fusion.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use anyhow::Context as _;
use regreader_messages::cli;
use regreader_question::Lexicon;
use regreader_search::{
    AddedBackend, EngineOptions, FusionOptions, IndexHealth, QdrantOptions, RankingWeights, RefreshEvent,
    RefreshReport, SearchEngine, VectorBackend,
};
use regreader_store::Library;
use regreader_tools::{ToolError, Toolbox, ToolboxOptions};

use crate::embedding::embedder;
use crate::settings::Settings;

/// The vector indexes that this program has besides those of every build: linked in once, like its commands.
static ADDED: OnceLock<&'static [&'static AddedBackend]> = OnceLock::new();

/// Makes further vector indexes known. Only the first call counts.
pub fn add_backends(backends: &'static [&'static AddedBackend]) {
    let _ = ADDED.set(backends);
}

fn added() -> &'static [&'static AddedBackend] {
    ADDED.get().copied().unwrap_or_default()
}

/// Opens the indexes, brings them in step with the library and puts the toolbox on top.
pub fn open(settings: &Settings, library: Library, quiet: bool) -> anyhow::Result<Toolbox> {
    open_reporting(settings, library, &mut |event| {
        if !quiet {
            describe(&event);
        }
    })
}

/// The same, telling `report` what is built on the way.
pub fn open_reporting(
    settings: &Settings,
    library: Library,
    report: &mut dyn FnMut(RefreshEvent),
) -> anyhow::Result<Toolbox> {
    let engine = open_engine(settings, library.clone(), report)?;
    Ok(Toolbox::new(library, engine, ToolboxOptions::default()))
}

/// The toolbox for what needs no search: the indexes are opened only if one is asked for after all.
pub fn open_lazily(settings: &Settings, library: Library) -> Toolbox {
    let (settings, of) = (settings.clone(), library.clone());
    let open = move || {
        open_engine(&settings, of.clone(), &mut |event| describe(&event)).map_err(|error| unavailable(&error))
    };
    Toolbox::lazily(library, open, ToolboxOptions::default())
}

fn open_engine(
    settings: &Settings,
    library: Library,
    report: &mut dyn FnMut(RefreshEvent),
) -> anyhow::Result<Arc<SearchEngine>> {
    let engine =
        SearchEngine::open(library, &settings.index_path(), options(settings)?, embedder(settings)?)?;
    engine.refresh(report)?;
    Ok(Arc::new(engine))
}

/// What keeps the indexes from being opened, as a tool's error.
fn unavailable(error: &anyhow::Error) -> ToolError {
    ToolError::Unavailable {
        message: cli::index_unusable(format!("{error:#}")),
        hint: Some(cli::INDEX_HINT.to_string()),
    }
}

/// Builds the indexes anew, those on a server too, beside the present ones.
pub fn rebuild(settings: &Settings, library: Library, quiet: bool) -> anyhow::Result<RefreshReport> {
    let engine =
        SearchEngine::open(library, &settings.index_path(), options(settings)?, embedder(settings)?)?;
    Ok(engine.rebuild(&mut |event| {
        if !quiet {
            describe(&event);
        }
    })?)
}

/// Checks every byte of the indexes, where there are any. Changes nothing.
pub fn check_indexes(settings: &Settings, library: &Library) -> anyhow::Result<IndexHealth> {
    let embedder = embedder(settings)?;
    Ok(SearchEngine::verify(library, &settings.index_path(), &options(settings)?, embedder.as_ref())?)
}

/// Mends the indexes: builds them anew where they are damaged, brings them in step where they are not. Says in words what
/// was done.
pub fn mend_indexes(
    settings: &Settings,
    library: Library,
    health: &IndexHealth,
) -> anyhow::Result<Vec<String>> {
    let mut mended = Vec::new();
    if health.is_sound() {
        return Ok(mended);
    }
    let damaged = health.damaged.iter();
    mended.extend(damaged.map(|damage| cli::index_mended(&damage.part, &damage.reason)));
    if !health.damaged.is_empty() {
        rebuild(settings, library, true)?;
        return Ok(mended);
    }
    let engine =
        SearchEngine::open(library, &settings.index_path(), options(settings)?, embedder(settings)?)?;
    engine.refresh(&mut |event| match event {
        RefreshEvent::Damaged(damage) => {
            mended.push(cli::index_mended(&damage.part, &damage.reason));
        }
        RefreshEvent::Indexed { reg_id, .. } => mended.push(cli::index_updated(&reg_id)),
        RefreshEvent::Removed { reg_id } => mended.push(cli::index_removed(&reg_id)),
        _ => {}
    })?;
    Ok(mended)
}

/// How the indexes are built and searched.
pub fn options(settings: &Settings) -> anyhow::Result<EngineOptions> {
    let terms = match Settings::optional_path(&settings.terms_file) {
        None => Vec::new(),
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
        }
    };
    Ok(EngineOptions {
        keyword_backend: settings.keyword_index_backend.parse()?,
        vector_backend: VectorBackend::named(&settings.vector_index_backend, added())?,
        qdrant: Some(qdrant(settings)),
        fusion: FusionOptions {
            fusion: settings.fusion.parse()?,
            rrf_k: f64::from(settings.rrf_k),
            keyword_weight: settings.fts_weight,
            vector_weight: settings.vector_weight,
            ..FusionOptions::default()
        },
        ranking: RankingWeights::default(),
        lexicon: lexicon(settings)?.with_terms(&terms),
        terms,
        fallback_dir: settings.index_fallback(),
    })
}

/// The words that questions are read with: the built-in ones, and the site's files before them.
pub fn lexicon(settings: &Settings) -> anyhow::Result<Lexicon> {
    let built_in = Lexicon::built_in();
    let Some(folder) = Settings::optional_path(&settings.lexicon_dir) else { return Ok(built_in.clone()) };
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            files.push(path);
        }
    }
    files.sort();
    let mut lexicon = built_in.clone();
    for path in files {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        lexicon = lexicon.extended([text.as_str()]).with_context(|| path.display().to_string())?;
    }
    Ok(lexicon)
}

fn qdrant(settings: &Settings) -> QdrantOptions {
    let urls = settings.qdrant_url.split(',').map(str::trim).filter(|url| !url.is_empty());
    let mut options = QdrantOptions::new(urls.map(str::to_owned).collect());
    let key = &settings.qdrant_api_key;
    options.api_key = (!key.is_empty()).then(|| key.clone());
    options.collection.clone_from(&settings.qdrant_collection);
    if settings.qdrant_replicas > 0 {
        options.replicas = settings.qdrant_replicas;
    }
    options
}

fn describe(event: &RefreshEvent) {
    match event {
        RefreshEvent::Damaged(damage) => {
            eprintln!("{}", cli::index_rebuilding(&damage.part, &damage.reason));
        }
        RefreshEvent::Elsewhere(folder) => {
            eprintln!("hint: {}", cli::index_elsewhere(folder.display()));
        }
        RefreshEvent::Unreadable { reg_id, problem } => {
            eprintln!("warning: {}", cli::not_indexed(reg_id, problem));
        }
        RefreshEvent::Indexed { reg_id, documents, done, total } => {
            eprintln!("{}", cli::indexed_one(reg_id, done, total, documents));
        }
        _ => {}
    }
}
