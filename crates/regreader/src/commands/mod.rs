//! One module per command (or family); each turns typed arguments into a printed result and an exit code.

mod ask;
mod audit;
mod bundle;
mod changes;
mod chat;
mod config;
pub mod context;
mod delete;
mod demo;
mod docs;
mod doctor;
mod edition;
mod enrich;
mod eval;
mod impact;
mod ingest;
mod inspect;
mod legacy;
mod list;
mod models;
mod reach;
mod read_document;
mod reindex;
mod serve;
mod sessions;
mod tokens;
mod tool;
mod verify_bundle;
mod version;
mod web;

pub use ask::describe as describe_event;

use std::io::Write as _;
use std::mem::ManuallyDrop;
use std::process::ExitCode;

use clap::CommandFactory;
use regreader_agent::{AgentKind, Answer};
use regreader_mcp::Client;
use regreader_messages::{Language, cli, set_language};
use regreader_model::RegId;
use regreader_store::{AuditEvent, Library, ListEntry, OpenOptions};
use regreader_tools::{TOOLS, Toolbox};

pub use self::tool::wording::for_people;
use crate::cli::{BundleCommand, Cli, Command, GlobalArgs};
use crate::failure::Refusal;
use crate::output::Output;
use crate::settings::{Layers, Settings};

/// What a command works with.
pub struct Session {
    /// Resolved settings.
    pub settings: Settings,
    /// Where they came from.
    pub layers: Layers,
    /// Where results go.
    pub output: Output,
    /// Say less on stderr.
    pub quiet: bool,
    /// Say more on stderr.
    pub verbose: bool,
}

impl Session {
    fn new(global: &GlobalArgs, locale: Option<Language>) -> anyhow::Result<Self> {
        let mut flags = Vec::new();
        for pair in &global.set {
            let Some((name, value)) = pair.split_once('=') else {
                return Err(
                    Refusal::usage(format!("`--set {pair}` has no `=`"), "write --set NAME=VALUE").into()
                );
            };
            flags.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        if let Some(url) = &global.mcp {
            flags.push(("mcp_url".to_owned(), url.clone()));
        }
        if let Some(dir) = &global.data_dir {
            flags.push(("data_dir".to_owned(), dir.clone()));
        }
        let (settings, layers) = Settings::load(flags)?;
        set_language(Language::from_tag(&settings.language), locale);
        let output = Output::new(global.json).quiet(global.quiet);
        let session = Self { settings, layers, output, quiet: global.quiet, verbose: global.verbose };
        session.log(|| format!("library {}", session.library_name()));
        Ok(session)
    }

    /// Logs a step on stderr, with `--verbose`.
    pub fn log(&self, what: impl FnOnce() -> String) {
        if self.verbose {
            eprintln!("debug: {}", what());
        }
    }

    /// The regulation that a person names: by its id, an alias or its title.
    pub fn reg_id(&self, name: &str) -> anyhow::Result<RegId> {
        let library = self.library()?;
        let as_id = name.parse::<RegId>();
        if let Ok(id) = &as_id
            && library.info(id).is_ok()
        {
            return Ok(id.clone());
        }
        let wanted = name.trim().to_lowercase();
        let mut called = library.list()?.into_iter().filter_map(|entry| match entry {
            ListEntry::Regulation(info) => {
                let mut names = info.aliases.iter().chain([&info.title]);
                names.any(|name| name.to_lowercase() == wanted).then_some(info.reg_id)
            }
            ListEntry::Broken { .. } => None,
        });
        match (called.next(), called.next()) {
            (Some(id), None) => Ok(id),
            _ => Ok(as_id?),
        }
    }

    /// Opens the library and its indexes, brought in step; says on stderr what had to be built.
    pub fn toolbox(&self) -> anyhow::Result<Toolbox> {
        crate::engine::open(&self.settings, self.library()?, self.quiet)
    }

    /// The tools: of the library on this machine, or of the server that `--mcp` names.
    pub fn tools(&self) -> anyhow::Result<reach::Tools> {
        if self.settings.mcp_url.is_empty() {
            return Ok(reach::Tools::Here(ManuallyDrop::new(self.toolbox()?)));
        }
        let client = Client::connect_http(&self.settings.mcp_url, Some(&self.settings.mcp_token));
        Ok(reach::Tools::There(client.map_err(reach::refusal)?))
    }

    /// The tools for one call: those that read pages open no index.
    pub fn tools_for(&self, tool: &str) -> anyhow::Result<reach::Tools> {
        let searches = TOOLS.iter().any(|spec| spec.name == tool && spec.searches);
        if searches || !self.settings.mcp_url.is_empty() {
            return self.tools();
        }
        let toolbox = crate::engine::open_lazily(&self.settings, self.library()?);
        Ok(reach::Tools::Here(ManuallyDrop::new(toolbox)))
    }

    /// Writes a question into the audit log. A log that cannot be written is a warning, not a failed answer.
    pub fn record_question(&self, by: AgentKind, question: &str, answer: &Answer) -> anyhow::Result<()> {
        // The server keeps its own log.
        if !self.settings.mcp_url.is_empty() {
            return Ok(());
        }
        let event = AuditEvent::Asked {
            question: question.to_owned(),
            reg_ids: answer.regulations.iter().filter_map(|id| id.parse().ok()).collect(),
            by: by.name().to_owned(),
            outcome: answer.outcome.name().to_owned(),
        };
        if let Err(error) = self.library()?.audit().append(event) {
            eprintln!("warning: {}", cli::audit_failed(&error));
        }
        Ok(())
    }

    /// The library in a message: its folder, or the server that is asked instead.
    pub fn library_name(&self) -> String {
        if self.settings.mcp_url.is_empty() {
            self.settings.data_dir.display().to_string()
        } else {
            self.settings.mcp_url.clone()
        }
    }

    /// Opens the library that the settings name.
    pub fn library(&self) -> anyhow::Result<Library> {
        Ok(Library::open(&self.settings.data_dir, OpenOptions::new().actor("cli"))?)
    }
}

/// The language of the locale, as POSIX finds it.
fn locale() -> Option<Language> {
    let variables = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
    variables.into_iter().find(|value| !value.is_empty()).and_then(|value| Language::from_tag(&value))
}

/// Runs a command.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let locale = locale();
    set_language(None, locale);
    // These work also where the settings are broken.
    match &cli.command {
        Command::Completions(args) => {
            // The program has two names. The script is made first: the generator panics on a closed pipe.
            let mut script = Vec::new();
            for name in ["regreader", "gridcode"] {
                clap_complete::generate(args.shell, &mut Cli::command(), name, &mut script);
            }
            std::io::stdout().lock().write_all(&script)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Docs(args) => return docs::run(args),
        Command::Bundle(args) => {
            let BundleCommand::Verify(verify) = &args.command;
            return verify_bundle::run(&Output::new(cli.global.json), verify);
        }
        Command::Version => return version::run(&Output::new(cli.global.json)),
        _ => {}
    }
    // What a server says goes to programs, wherever it runs; only the setting changes its language.
    let locale = locale.filter(|_| !matches!(cli.command, Command::Serve(_)));
    let session = Session::new(&cli.global, locale)?;
    match cli.command {
        Command::Demo(args) => demo::run(&session, &args),
        Command::Ingest(args) => ingest::run(&session, &args),
        Command::Ask(args) => ask::run(&session, &args),
        Command::Eval(args) => eval::run(&session, &args),
        Command::Chat(args) => chat::run(&session, &args),
        Command::Sessions(args) => sessions::run(&session, &args),
        Command::EnrichMetadata(args) => enrich::run(&session, &args),
        Command::Serve(args) => serve::run(&session, &args),
        Command::Web(args) => web::run(&session, &args),
        Command::DrawPages => web::draw(&session),
        Command::Tokens(args) => tokens::run(&session, &args),
        Command::ReadDocument(args) => read_document::run(&session, &args),
        Command::Reindex => reindex::run(&session),
        Command::List => list::run(&session),
        Command::Delete(args) => delete::run(&session, &args),
        Command::Inspect(args) => inspect::run(&session, &args),
        Command::Doctor(args) => doctor::run(&session, &args),
        Command::Export(args) => bundle::export(&session, &args),
        Command::Import(args) => bundle::import(&session, &args),
        Command::ImportLegacy(args) => legacy::import(&session, &args),
        Command::ExportLegacy(args) => legacy::export(&session, &args),
        Command::Audit(args) => audit::run(&session, &args),
        Command::Context(args) => context::run(&args, session.output.json, &mut std::io::stdout().lock()),
        Command::Models(args) => models::run(&session, &args),
        Command::Config(args) => config::run(&session, &args),
        Command::Changes(args) => changes::run(&session, &args),
        Command::Impact(args) => impact::run(&session, &args),
        Command::Edition(args) => edition::run(&session, &args),
        Command::Equipment(args) => impact::equipment(&session, &args),
        Command::Bundle(_) | Command::Completions(_) | Command::Docs(_) | Command::Version => {
            Ok(ExitCode::SUCCESS)
        }
        Command::Tool(command) => tool::run(&session, command),
    }
}
