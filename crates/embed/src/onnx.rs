//! A transformer from a folder: `model.onnx` (or `model_quantized.onnx`), `tokenizer.json`, and how to use them.
//!
//! Runs in pure Rust, for sites that carry a larger model in by hand, such as bge-small-zh-v1.5. Owns pooling and
//! prefixes; where the folder comes from is not its business.

use std::fs;
use std::path::{Path, PathBuf};

use rten::{Model, NodeId, Value as RtenValue, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView, TensorView};
use serde_json::Value;

use crate::embedder::{DEFAULT_SPREAD, unit_length};
use crate::wordpiece::WordPiece;
use crate::{EmbedError, Embedder};

/// Largest model file that is read; the interpreter holds it in memory.
const MAX_MODEL: u64 = 2 << 30;
const MAX_TOKENIZER: u64 = 64 << 20;
const MAX_CONFIG: u64 = 1 << 20;
/// Longest text in tokens when the model does not say; every BERT has this many positions.
const MAX_TOKENS: usize = 512;
/// Longest text in tokens that a folder may ask for: time and memory grow with its square.
const LONGEST: usize = 8_192;
/// Characters of a text that are cut into tokens at all. A token has far fewer than eight characters on average.
const LONGEST_TEXT: usize = 8 * LONGEST;
/// Question instruction of the bge family, which its authors recommend for retrieval.
const BGE_INSTRUCTION: &str = "为这个句子生成表示以用于检索相关文章：";

/// How the vectors of the tokens become the vector of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pooling {
    /// The first token's.
    Cls,
    /// Their mean.
    Mean,
}

/// A transformer embedding model.
///
/// How it is used is read from `embedding.json` (`{"pooling": "cls" | "mean", "query_prefix": "", "document_prefix": "",
/// "max_tokens": 512, "spread": 0.5}`, everything optional); what that does not say from the files of sentence-transformers
/// (`1_Pooling/config.json`, `config_sentence_transformers.json`, `sentence_bert_config.json`); else pooling is `cls` and
/// there are no prefixes but bge's own.
pub struct OnnxModel {
    name: String,
    model: Model,
    tokenizer: WordPiece,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
    config: Config,
    dimension: usize,
}

#[derive(Clone, Copy)]
enum Input {
    Ids,
    Mask,
    Types,
}

struct Config {
    pooling: Pooling,
    query_prefix: String,
    document_prefix: String,
    max_tokens: usize,
    spread: f32,
}

impl OnnxModel {
    /// Loads the model of a folder and tries it once.
    pub fn load(folder: &Path) -> Result<Self, EmbedError> {
        Self::read(folder)
            .map_err(|reason| EmbedError::BadModel { model: folder.display().to_string(), reason })
    }

    fn read(folder: &Path) -> Result<Self, String> {
        let file = model_file(folder)?;
        let bytes = read_file(&file, MAX_MODEL)?;
        let config = Config::of(folder)?;
        let vocabulary = read_file(&folder.join("tokenizer.json"), MAX_TOKENIZER)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes).update(&vocabulary).update(config.mark().as_bytes());
        let hash = hasher.finalize().to_hex();
        let tokenizer = WordPiece::read(&vocabulary)?;
        let model = Model::load(bytes).map_err(text)?;
        let (inputs, output) = ends(&model)?;
        let label = folder.file_name().map_or_else(|| "onnx".into(), |name| name.to_string_lossy());
        let name = format!("{label}-{}", hash.get(..12).unwrap_or_default());
        let mut loaded = Self { name, model, tokenizer, inputs, output, config, dimension: 0 };
        loaded.dimension = loaded.embed("", "规程")?.len();
        if loaded.dimension == 0 { Err("it gives vectors without numbers".to_owned()) } else { Ok(loaded) }
    }

    /// One text at a time: padded batches of a dynamically quantised model differ from single texts.
    fn embed(&self, prefix: &str, content: &str) -> Result<Vec<f32>, String> {
        let content: String = prefix.chars().chain(content.chars()).take(LONGEST_TEXT).collect();
        let ids = self.tokenizer.ids(&content, self.config.max_tokens);
        let length = ids.len();
        let tensors: Vec<(NodeId, ValueOrView<'_>)> = self
            .inputs
            .iter()
            .map(|&(node, input)| {
                let values = match input {
                    Input::Ids => ids.iter().map(|&id| id.cast_signed()).collect(),
                    Input::Mask => vec![1; length],
                    Input::Types => vec![0; length],
                };
                (node, NdTensor::from_data([1, length], values).into())
            })
            .collect();
        let outputs = self.model.run(tensors, &[self.output], None).map_err(text)?;
        let output = outputs.first().ok_or("it gives no output")?;
        let vector = pool(output, self.config.pooling)?;
        if vector.iter().all(|v| v.is_finite()) {
            Ok(unit_length(vector))
        } else {
            Err("it gives numbers that are not finite".to_owned())
        }
    }

    fn failed(&self, reason: String) -> EmbedError {
        EmbedError::Backend { backend: self.name.clone(), reason }
    }
}

impl Embedder for OnnxModel {
    fn model(&self) -> &str {
        &self.name
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn spread(&self) -> f32 {
        self.config.spread
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed(&self.config.query_prefix, text).map_err(|reason| self.failed(reason))
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let one = |text: &&str| {
            self.embed(&self.config.document_prefix, text).map_err(|reason| self.failed(reason))
        };
        texts.iter().map(one).collect()
    }
}

impl Config {
    fn of(folder: &Path) -> Result<Self, String> {
        let own = read_json(&folder.join("embedding.json"))?;
        let prompts = read_json(&folder.join("config_sentence_transformers.json"))?;
        let lengths = read_json(&folder.join("sentence_bert_config.json"))?;
        let general = read_json(&folder.join("config.json"))?;
        let pooling = match own.get("pooling").and_then(Value::as_str) {
            Some("cls") => Pooling::Cls,
            Some("mean") => Pooling::Mean,
            Some(other) => {
                return Err(format!("embedding.json: pooling is \"cls\" or \"mean\", not \"{other}\""));
            }
            None => {
                let theirs = read_json(&folder.join("1_Pooling/config.json"))?;
                let mean = theirs.get("pooling_mode_mean_tokens").and_then(Value::as_bool);
                if mean == Some(true) { Pooling::Mean } else { Pooling::Cls }
            }
        };
        let called = general.get("_name_or_path").and_then(Value::as_str).unwrap_or_default();
        let bge = called.contains("bge-") && called.contains("-zh");
        let prefix = |key: &str, theirs: &[&str], default: &str| {
            let prompt = |name: &&str| prompts.get("prompts")?.get(name)?.as_str();
            let given = own.get(key).and_then(Value::as_str).or_else(|| theirs.iter().find_map(prompt));
            given.unwrap_or(default).to_owned()
        };
        let size = |json: &Value, key: &str| {
            json.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok())
        };
        let positions = size(&general, "max_position_embeddings").unwrap_or(MAX_TOKENS);
        let longest =
            size(&own, "max_tokens").or_else(|| size(&lengths, "max_seq_length")).unwrap_or(MAX_TOKENS);
        let spread = own.get("spread").and_then(Value::as_f64).map_or(DEFAULT_SPREAD, |spread| spread as f32);
        if !(0.01..=10.0).contains(&spread) {
            return Err("embedding.json: spread is a number from 0.01 to 10".to_owned());
        }
        Ok(Self {
            pooling,
            query_prefix: prefix("query_prefix", &["query"], if bge { BGE_INSTRUCTION } else { "" }),
            document_prefix: prefix("document_prefix", &["document", "passage"], ""),
            max_tokens: longest.min(positions).clamp(8, LONGEST),
            spread,
        })
    }

    /// What the vectors of passages depend on besides the weights.
    fn mark(&self) -> String {
        format!("{:?} {:?} {}", self.pooling, self.document_prefix, self.max_tokens)
    }
}

fn model_file(folder: &Path) -> Result<PathBuf, String> {
    let names = ["model.onnx", "model_quantized.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx"];
    let found = names.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    found.ok_or_else(|| "there is no model.onnx or model_quantized.onnx".to_owned())
}

/// The nodes of the inputs we can fill, and of the output to pool.
fn ends(model: &Model) -> Result<(Vec<(NodeId, Input)>, NodeId), String> {
    let named = |id: NodeId| model.node_info(id).and_then(|info| info.name().map(str::to_owned));
    let mut inputs = Vec::new();
    for &id in model.input_ids() {
        let name = named(id).unwrap_or_default();
        let input = match name.as_str() {
            "input_ids" => Input::Ids,
            "attention_mask" => Input::Mask,
            "token_type_ids" => Input::Types,
            _ => return Err(format!("unknown input `{name}`")),
        };
        inputs.push((id, input));
    }
    // A ready-made text vector is preferred; otherwise the first output holds the tokens' vectors.
    let ready = model.output_ids().iter().find(|&&id| named(id).as_deref() == Some("sentence_embedding"));
    let output = ready.or(model.output_ids().first()).ok_or("it has no output")?;
    Ok((inputs, *output))
}

fn pool(output: &RtenValue, pooling: Pooling) -> Result<Vec<f32>, String> {
    let view = TensorView::<f32>::try_from(output).map_err(text)?;
    if view.ndim() == 2 {
        return Ok(view.iter().copied().collect());
    }
    let tokens: NdTensorView<'_, f32, 3> = view.try_into().map_err(text)?;
    let [_, count, width] = tokens.shape();
    if count == 0 {
        return Err("it gives no token".to_owned());
    }
    let values: Vec<f32> = tokens.iter().copied().collect();
    Ok(match pooling {
        Pooling::Cls => values.into_iter().take(width).collect(),
        Pooling::Mean => {
            let mut sum = vec![0.0; width];
            for token in values.chunks(width) {
                for (sum, value) in sum.iter_mut().zip(token) {
                    *sum += value;
                }
            }
            sum
        }
    })
}

fn read_file(path: &Path, largest: u64) -> Result<Vec<u8>, String> {
    let shown = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let size = fs::metadata(path).map_err(|error| format!("{shown}: {error}"))?.len();
    if size > largest {
        return Err(format!("{shown} is {size} bytes; {largest} are allowed"));
    }
    fs::read(path).map_err(|error| format!("{shown}: {error}"))
}

/// A file that need not be there: then it is `null`.
fn read_json(path: &Path) -> Result<Value, String> {
    if !path.is_file() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(&read_file(path, MAX_CONFIG)?)
        .map_err(|error| format!("{}: {error}", path.display()))
}

#[allow(clippy::needless_pass_by_value, reason = "used as a function in map_err")]
fn text(error: impl ToString) -> String {
    error.to_string()
}
