//! Every setting, in one place.
//!
//! A value comes from the first of these that has it: `--set name=value` (or the flag of its own), the environment
//! (`REGREADER_NAME`, then `GRIDCODE_NAME`), `regreader.toml` in the working folder, the user's file, the default
//! below. The settings table of the documentation and `regreader config show` are made from [`DEFINITIONS`].

mod layers;

use std::path::{Path, PathBuf};

pub use layers::{Layers, Origin, SettingsError, shown, user_file};

/// One setting, for documentation and look-up.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// Name, as in files; upper case with a prefix in the environment.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Default, as it would be written.
    pub default: &'static str,
    /// Allowed values, when it is a choice.
    pub choices: &'static [&'static str],
    /// Never shown.
    pub secret: bool,
}

impl Definition {
    /// The environment variable.
    pub fn variable(&self) -> String {
        format!("REGREADER_{}", self.name.to_ascii_uppercase())
    }
}

macro_rules! settings {
    ($( $(#[doc = $doc:literal])+ $name:ident : $type:ty = $default:literal $(in $choices:tt)? $(=> $secret:ident)? ; )+) => {
        /// All settings, resolved.
        #[derive(Clone)]
        pub struct Settings {
            $( $(#[doc = $doc])+ pub $name: $type, )+
        }

        /// Every setting there is.
        pub const DEFINITIONS: &[Definition] = &[
            $( Definition {
                name: stringify!($name),
                doc: concat!($($doc),+),
                default: $default,
                choices: settings!(@choices $($choices)?),
                secret: settings!(@secret $($secret)?),
            }, )+
        ];

        impl Settings {
            /// Resolves every setting; the first bad value is the error.
            pub fn resolve(layers: &Layers) -> Result<Self, SettingsError> {
                Ok(Self { $( $name: layers.value(stringify!($name))?, )+ })
            }
        }
    };
    (@choices) => { &[] };
    (@choices [$($choice:literal),+]) => { &[$($choice),+] };
    (@secret) => { false };
    (@secret secret) => { true };
}

settings! {
    /// Folder of the library: regulations, indexes, sessions and the audit log. Empty: `./data/storage` where that folder exists, else `regreader/library` in the user's data folder.
    data_dir: PathBuf = "";
    /// Folder of the earlier system's pages, read by `import-legacy` when no folder is named.
    pages_dir: PathBuf = "./data/storage/pages";
    /// Folder of the indexes. Empty: `index` inside `data_dir`. Indexes are caches and can be deleted.
    index_dir: PathBuf = "";
    /// What turns text into vectors: the model inside the program, a transformer from a folder (`onnx`; the earlier system's names `sentence_transformer` and `flag` mean the same), an OpenAI-compatible server (`http`), or nothing (keyword search alone).
    embedding_backend: String = "builtin" in ["builtin", "onnx", "sentence_transformer", "flag", "http", "none"];
    /// Model: for `onnx` a folder, or its name in `models_dir`; for `http` the server's name for it. Empty: the backend's own (`BAAI/bge-small-zh-v1.5` for `onnx`).
    embedding_model: String = "";
    /// Dimension that the model must have; 0 takes the model's own. Given for `http`, it lets words be searched while the server is down.
    embedding_dimension: u32 = "0";
    /// Address of the embedding server, up to and including `/v1`.
    embedding_url: String = "http://127.0.0.1:11434/v1";
    /// Key that the embedding server wants.
    embedding_api_key: String = "" => secret;
    /// Put before every question, for models on a server that were trained so. A folder of `onnx` brings its own.
    embedding_query_prefix: String = "";
    /// Put before every passage, likewise.
    embedding_document_prefix: String = "";
    /// Seconds that one request to the embedding server may take.
    embedding_timeout: u64 = "60";
    /// Address that `serve` listens on.
    mcp_host: String = "127.0.0.1";
    /// Port that `serve` listens on.
    mcp_port: u16 = "8080";
    /// How `serve` speaks.
    mcp_transport: String = "stdio" in ["stdio", "sse", "http"];
    /// Token that HTTP clients must send. Required off loopback.
    mcp_token: String = "" => secret;
    /// File of named tokens with roles, made by `regreader tokens`, for the MCP server and the web reader. Empty: `tokens.json` inside `data_dir`.
    tokens_file: PathBuf = "";
    /// Address of an MCP server that the tool commands ask instead of the library on this machine (`--mcp`). Its token is `mcp_token`.
    mcp_url: String = "";
    /// Further host names, separated by commas, under which HTTP clients may call the server (checked on every route).
    mcp_allowed_hosts: String = "";
    /// Web origins, separated by commas, that may call the server; pages of this machine always may.
    mcp_allowed_origins: String = "";
    /// Requests per second for each client address; 0 for no limit. Twice as many may come at once.
    mcp_rate_limit: u32 = "200";
    /// Largest HTTP request body, in KiB.
    mcp_max_body_kib: usize = "1024";
    /// HTTP connections at the same time.
    mcp_max_connections: usize = "512";
    /// MCP sessions over HTTP at the same time. An idle session ends after five minutes.
    mcp_max_sessions: usize = "256";
    /// Tool calls that may wait for a free thread; more are refused as busy.
    mcp_max_waiting: usize = "256";
    /// Longest time for a tool call, in seconds.
    mcp_call_timeout: u64 = "60";
    /// Seconds that running calls may still take when the server is told to end; then they are ended with an error.
    mcp_grace: u64 = "10";
    /// Port that `web` listens on.
    web_port: u16 = "8090";
    /// Memory that a process which draws pages for `web` may use, in MiB.
    web_draw_memory_mib: u64 = "2048";
    /// Language model that the LLM agents use.
    llm_model_name: String = "claude-sonnet-4-20250514";
    /// Key for the language model. Empty: no LLM, the offline agent answers.
    llm_api_key: String = "" => secret;
    /// Address of the language model. The provider is inferred from it.
    llm_base_url: String = "https://api.anthropic.com";
    /// Wire format of the language model's address.
    llm_provider: String = "auto" in ["auto", "anthropic", "openai"];
    /// Keyword index. `bm25` holds words as jieba cuts them (`whoosh` in the earlier system, which is taken too). `qdrant` keeps the words on the server of `qdrant_url`.
    keyword_index_backend: String = "tantivy" in ["tantivy", "fts5", "bm25", "whoosh", "qdrant"];
    /// Vector index. `qdrant` keeps the vectors on the server of `qdrant_url`; `lancedb` is in the program `regreader-full` alone.
    vector_index_backend: String = "flat" in ["flat", "qdrant", "lancedb"];
    /// Addresses of the Qdrant nodes, separated by commas. Whichever answers is asked.
    qdrant_url: String = "http://127.0.0.1:6333";
    /// Key that the Qdrant server wants.
    qdrant_api_key: String = "" => secret;
    /// How the names of this library's collections begin; libraries that share a server need different ones.
    qdrant_collection: String = "regreader";
    /// Nodes that hold each part of a new Qdrant collection; 0 takes two where there are several nodes.
    qdrant_replicas: u32 = "0";
    /// Further headers for the language model, `name: value` separated by `;`.
    llm_headers: String = "" => secret;
    /// Proxy for the language model. Empty: the environment's; `off`: none.
    llm_proxy: String = "" => secret;
    /// Whether answers are streamed; `auto` stops streaming with a model whose streamed tool calls come out broken.
    llm_stream: String = "auto" in ["auto", "on", "off"];
    /// Seconds of silence after which a call of the language model counts as dead.
    llm_timeout_s: u64 = "120";
    /// How often a call of the language model is tried.
    llm_attempts: u32 = "4";
    /// First pause between tries, in milliseconds; doubles each time.
    llm_retry_ms: u64 = "500";
    /// Prices per million tokens, to show what a question costs: input, output, cache read, cache write.
    llm_price: String = "";
    /// File to which every exchange with the language model is appended, keys removed. Empty: none.
    llm_record: PathBuf = "";
    /// Tokens that the language model may think in one turn, where it can; 0 for none.
    llm_thinking_tokens: u32 = "0";
    /// Tokens that the language model may write in one turn.
    llm_max_output_tokens: u32 = "4096";
    /// Tokens that fit into the language model's context.
    llm_context_tokens: u64 = "128000";
    /// Which agent answers; `auto` takes `typed` when a language model is set, else `offline`.
    agent: String = "auto" in ["auto", "offline", "claude", "typed", "pydantic", "graph", "langgraph"];
    /// The `claude` program (its name or path), which the agent `claude` then drives, with this library's MCP server, instead of calling the model itself. It uses its own login and settings of the environment. Empty: not used.
    claude_program: String = "";
    /// Calls of the language model for one question.
    agent_max_turns: u32 = "20";
    /// Calls of tools for one question.
    agent_max_tool_calls: u32 = "40";
    /// Tokens for one question, in and out, over all turns.
    agent_max_tokens: u64 = "1000000";
    /// How keyword and vector results are joined: `adaptive` is the measured default, `rrf` the reciprocal rank fusion of the earlier system.
    fusion: String = "adaptive" in ["adaptive", "rrf", "keyword", "vector"];
    /// Weight of the keyword leg in `rrf`.
    fts_weight: f64 = "0.4";
    /// Weight of the vector leg in `rrf`.
    vector_weight: f64 = "0.6";
    /// The constant k of `rrf`.
    rrf_k: u32 = "60";
    /// Hits returned when no limit is given.
    search_top_k: u32 = "10";
    /// File with further domain terms for the tokenizer, one per line.
    terms_file: PathBuf = "";
    /// Folder with further words that questions are read with: `*.txt` files of lines `section; words; meaning` (docs/lexicon.md).
    lexicon_dir: PathBuf = "";
    /// Language of messages and answers. `auto`: messages in the locale's language (Chinese where that is neither), answers in the language of the question, the web reader in the browser's.
    language: String = "auto" in ["auto", "zh", "en"];
    /// Threads used to read documents; 0 takes one per core.
    jobs: usize = "0";
    /// Largest file that is read, in MiB.
    max_file_mib: u64 = "512";
    /// Memory that reading one document may take, in MiB; each is read in a process of its own. 0: in this process, without the bounds.
    max_document_mib: u64 = "4096";
    /// Minutes that reading one document may take before it is stopped, pages that must be recognised included.
    max_document_minutes: u64 = "60";
    /// Path of LibreOffice's `soffice`, used to give DOCX files real pages. Empty: looked for on the PATH; `off`: never used.
    libreoffice: String = "";
    /// What opens PDF files: the pure-Rust engine, or PDFium where the program was built with it.
    pdf_engine: String = "hayro" in ["hayro", "pdfium"];
    /// Library of PDFium (`libpdfium.so`), for `pdf_engine=pdfium`. Empty: the one that `regreader models pull pdfium-linux-x64` fetches.
    pdfium_library: PathBuf = "";
    /// Font file that covers Chinese and Latin, for drawing pages whose fonts are not in the file before they are read from their picture. Empty: looked for among the system's fonts.
    fallback_font: PathBuf = "";
    /// Reading pictures of pages: where a page has no usable text and the model is installed (`auto`), never, or every page of PDF and image files.
    ocr: String = "auto" in ["auto", "off", "force"];
    /// Model that reads them; `regreader models pull NAME` fetches it.
    ocr_model: String = "pp-ocrv6-small" in ["pp-ocrv6-small", "pp-ocrv6-tiny"];
    /// Seconds of processor time that reading one page from its picture may take, however long it waits for the processor; then the page is kept as `needs_ocr`. 0 for no limit.
    ocr_page_timeout: u64 = "300";
    /// Folder of the models that `models pull` fetches. Empty: `regreader/models` in the user's data folder.
    models_dir: PathBuf = "";
}

/// Some values are secrets, so none are shown here; `config show` hides what must be hidden.
impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("data_dir", &self.data_dir).finish_non_exhaustive()
    }
}

impl Settings {
    /// Reads all layers for this process: flags given as (name, value) pairs, then environment, files and defaults.
    pub fn load(flags: Vec<(String, String)>) -> Result<(Self, Layers), SettingsError> {
        let layers = Layers::read(flags)?;
        Ok((Self::resolve(&layers)?, layers))
    }

    /// Where the indexes lie.
    pub fn index_path(&self) -> PathBuf {
        if self.index_dir.as_os_str().is_empty() {
            self.data_dir.join("index")
        } else {
            self.index_dir.clone()
        }
    }

    /// Where the indexes of a library are built that nobody may write to: in the user's cache folder, apart for each
    /// library. None where there is no such folder.
    pub fn index_fallback(&self) -> Option<PathBuf> {
        let cache = std::env::var_os("XDG_CACHE_HOME")
            .filter(|dir| !dir.is_empty())
            .map(PathBuf::from)
            .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
            .or_else(|| std::env::var_os("LOCALAPPDATA").map(PathBuf::from))?;
        let library = std::path::absolute(&self.data_dir).unwrap_or_else(|_| self.data_dir.clone());
        let mark = blake3::hash(library.as_os_str().as_encoded_bytes()).to_hex();
        Some(cache.join("regreader").join(format!("index-{}", mark.get(..16).unwrap_or_default())))
    }

    /// Where the named tokens lie.
    pub fn tokens_path(&self) -> PathBuf {
        Self::optional_path(&self.tokens_file)
            .map_or_else(|| self.data_dir.join("tokens.json"), Path::to_owned)
    }

    /// Where models lie.
    pub fn models_path(&self) -> PathBuf {
        Self::optional_path(&self.models_dir).map_or_else(crate::models::default_dir, Path::to_owned)
    }

    /// The provider of the language model, inferred from its address unless it is set.
    pub fn llm_provider(&self) -> &str {
        match self.llm_provider.as_str() {
            "auto" if self.llm_base_url.contains("anthropic") => "anthropic",
            "auto" if self.llm_base_url.contains("google") => "google",
            // Everything else that people run (GPT, Qwen, DeepSeek, vLLM, Ollama, llama.cpp) speaks this format.
            "auto" => "openai",
            named => named,
        }
    }

    /// Whether a language model is set: a key, or an address of one's own that may need none.
    pub fn has_llm(&self) -> bool {
        !self.llm_api_key.is_empty() || self.llm_base_url != "https://api.anthropic.com"
    }

    /// A path setting, or none when it is empty.
    pub fn optional_path(path: &Path) -> Option<&Path> {
        (!path.as_os_str().is_empty()).then_some(path)
    }
}

/// The library of a working folder, where somebody has made one.
const LOCAL_LIBRARY: &str = "./data/storage";

/// The library that is used when no setting names one. A folder that is there is meant; a new library goes where it is
/// found again from any working folder.
pub(crate) fn default_library() -> PathBuf {
    let local = PathBuf::from(LOCAL_LIBRARY);
    if local.is_dir() { local } else { user_data().join("library") }
}

/// This program's folder among a user's data, where the platform keeps such folders.
pub(crate) fn user_data() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = variable("HOME");
    let platform = if cfg!(target_os = "macos") {
        home.clone().map(|home| home.join("Library/Application Support"))
    } else {
        variable("LOCALAPPDATA")
    };
    let data = variable("XDG_DATA_HOME").or(platform).or_else(|| home.map(|home| home.join(".local/share")));
    data.unwrap_or_else(|| PathBuf::from(".")).join("regreader")
}
