//! The engine that the settings describe: indexes, embedding, fusion.

use std::fs;
use std::sync::Arc;

use anyhow::Context as _;
use regreader_embed::{Embedder, StaticModel};
use regreader_index::{EngineOptions, Fusion, FusionOptions, KeywordBackend, RefreshEvent, SearchEngine};
use regreader_store::Library;
use regreader_tools::{Toolbox, ToolboxOptions};

use crate::settings::Settings;

/// Opens the indexes, brings them in step with the library and puts the toolbox on top.
pub fn open(settings: &Settings, library: Library, quiet: bool) -> anyhow::Result<Toolbox> {
    let engine =
        SearchEngine::open(library.clone(), &settings.index_path(), options(settings)?, embedder(settings)?)?;
    engine.refresh(&mut |event| {
        if !quiet {
            describe(&event);
        }
    })?;
    Ok(Toolbox::new(library, Arc::new(engine), ToolboxOptions::default()))
}

/// Brings the indexes in step with the library, where there are any, and says in words what had to be mended.
pub fn mend_indexes(settings: &Settings, library: Library) -> anyhow::Result<Vec<String>> {
    let mut mended = Vec::new();
    if !settings.index_path().exists() {
        return Ok(mended);
    }
    let engine =
        SearchEngine::open(library, &settings.index_path(), options(settings)?, embedder(settings)?)?;
    engine.refresh(&mut |event| match event {
        RefreshEvent::Damaged(damage) => {
            mended.push(format!("索引 {} 已损坏，已重建: {}", damage.part, damage.reason));
        }
        RefreshEvent::Indexed { reg_id, .. } => mended.push(format!("{reg_id} 的索引已过期，已更新")),
        RefreshEvent::Removed { reg_id } => mended.push(format!("{reg_id} 已不在库中，已从索引移除")),
        _ => {}
    })?;
    Ok(mended)
}

/// How the indexes are built and searched.
pub fn options(settings: &Settings) -> anyhow::Result<EngineOptions> {
    let keyword_backend = KeywordBackend::ALL
        .into_iter()
        .find(|backend| backend.name() == settings.keyword_index_backend)
        .unwrap_or_default();
    let fusion = match settings.fusion.as_str() {
        "rrf" => Fusion::Rrf,
        "keyword" => Fusion::Keyword,
        "vector" => Fusion::Vector,
        _ => Fusion::Adaptive,
    };
    let terms = match Settings::optional_path(&settings.terms_file) {
        None => Vec::new(),
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
        }
    };
    Ok(EngineOptions {
        keyword_backend,
        fusion: FusionOptions {
            fusion,
            rrf_k: f64::from(settings.rrf_k),
            keyword_weight: settings.fts_weight,
            vector_weight: settings.vector_weight,
            ..FusionOptions::default()
        },
        terms,
        ..EngineOptions::default()
    })
}

/// The embedding; none when it is switched off.
pub fn embedder(settings: &Settings) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
    match settings.embedding_backend.as_str() {
        "none" => Ok(None),
        _ => Ok(Some(StaticModel::builtin()?)),
    }
}

fn describe(event: &RefreshEvent) {
    match event {
        RefreshEvent::Damaged(damage) => {
            eprintln!("索引 {} 无法使用，正在重建: {}", damage.part, damage.reason);
        }
        RefreshEvent::Unreadable { reg_id, problem } => {
            eprintln!("warning: {reg_id} 无法编入索引: {problem}");
        }
        RefreshEvent::Indexed { reg_id, documents, done, total } => {
            eprintln!("索引 {done}/{total}: {reg_id}（{documents} 块）");
        }
        _ => {}
    }
}
