//! The embedding that the settings describe.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use regreader_embed::{Embedder, HttpEmbedder, HttpOptions, OnnxModel, StaticModel};

use crate::failure::Refusal;
use crate::settings::Settings;

/// The transformer that is meant when none is named: the earlier system's.
const USUAL_MODEL: &str = "BAAI/bge-small-zh-v1.5";
/// Name under which the built-in model may be asked for.
const BUILTIN: &str = "regreader-static";

/// Opens the embedding; none when the settings want words alone.
pub fn embedder(settings: &Settings) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
    let embedder: Arc<dyn Embedder> = match settings.embedding_backend.as_str() {
        "none" => return Ok(None),
        "onnx" | "sentence_transformer" | "flag" => {
            let folder = model_folder(settings)?;
            let hint = "the folder needs model.onnx (or model_quantized.onnx) and tokenizer.json";
            Arc::new(OnnxModel::load(&folder).map_err(|error| Refusal::backend(error.to_string(), hint))?)
        }
        "http" => Arc::new(server(settings)?),
        _ => {
            if !["", BUILTIN].contains(&settings.embedding_model.as_str()) {
                let message = format!("the built-in embedding has no model `{}`", settings.embedding_model);
                let hint = "set embedding_backend to `onnx` (a folder) or `http` (a server), or leave embedding_model empty";
                return Err(Refusal::usage(message, hint).into());
            }
            StaticModel::builtin().context("built-in embedding")?
        }
    };
    let wanted = settings.embedding_dimension as usize;
    if wanted != 0 && wanted != embedder.dimension() {
        let message =
            format!("embedding_dimension is {wanted}, but {} has {}", embedder.model(), embedder.dimension());
        return Err(
            Refusal::usage(message, "leave embedding_dimension at 0: the model says it itself").into()
        );
    }
    Ok(Some(embedder))
}

fn model_folder(settings: &Settings) -> anyhow::Result<PathBuf> {
    let name = match settings.embedding_model.as_str() {
        "" | BUILTIN => USUAL_MODEL,
        named => named,
    };
    let models = settings.models_path();
    let last = name.rsplit('/').next().unwrap_or(name);
    let places = [PathBuf::from(name), models.join(name), models.join(last)];
    places.iter().find(|folder| folder.join("tokenizer.json").is_file()).cloned().ok_or_else(|| {
        let message = format!("no embedding model {name} at hand (looked in {})", models.display());
        let hint = "`regreader models` fetches or imports one; embedding_model may also name its folder; \
                    embedding_backend=builtin needs none";
        Refusal::backend(message, hint).into()
    })
}

fn server(settings: &Settings) -> anyhow::Result<HttpEmbedder> {
    if settings.embedding_model.is_empty() {
        let hint = "set embedding_model to the server's name for its model";
        return Err(Refusal::usage("embedding_backend is http, but no embedding_model is named", hint).into());
    }
    let key = &settings.embedding_api_key;
    let options = HttpOptions {
        api_key: (!key.is_empty()).then(|| key.clone()),
        query_prefix: settings.embedding_query_prefix.clone(),
        document_prefix: settings.embedding_document_prefix.clone(),
        dimension: Some(settings.embedding_dimension as usize).filter(|dimension| *dimension > 0),
        timeout: Duration::from_secs(settings.embedding_timeout.clamp(1, 3_600)),
        ..HttpOptions::new(&settings.embedding_url, &settings.embedding_model)
    };
    HttpEmbedder::connect(options).map_err(|error| {
        let hint =
            "check embedding_url; with embedding_dimension set, words are searched while the server is down";
        Refusal::backend(error.to_string(), hint).into()
    })
}
