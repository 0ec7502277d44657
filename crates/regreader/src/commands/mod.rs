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
mod reindex;
mod serve;
mod sessions;
mod tool;
mod verify_bundle;
mod version;

use std::mem::ManuallyDrop;
use std::process::ExitCode;

use clap::CommandFactory;
use regreader_agent::{AgentKind, Answer};
use regreader_mcp::Client;
use regreader_store::{AuditEvent, Library, OpenOptions};
use regreader_tools::Toolbox;

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
}

impl Session {
    fn new(global: &GlobalArgs) -> anyhow::Result<Self> {
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
        Ok(Self { settings, layers, output: Output::new(global.json), quiet: global.quiet })
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
            eprintln!("warning: 审计日志未写入: {error}");
        }
        Ok(())
    }

    /// Opens the library that the settings name.
    pub fn library(&self) -> anyhow::Result<Library> {
        Ok(Library::open(&self.settings.data_dir, OpenOptions::new().actor("cli"))?)
    }
}

/// Runs a command.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    // These work also where the settings are broken.
    match &cli.command {
        Command::Completions(args) => {
            let mut command = Cli::command();
            clap_complete::generate(args.shell, &mut command, "regreader", &mut std::io::stdout());
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
    let session = Session::new(&cli.global)?;
    match cli.command {
        Command::Demo(args) => demo::run(&session, &args),
        Command::Ingest(args) => ingest::run(&session, &args),
        Command::Ask(args) => ask::run(&session, &args),
        Command::Eval(args) => eval::run(&session, &args),
        Command::Chat(args) => chat::run(&session, &args),
        Command::Sessions(args) => sessions::run(&session, &args),
        Command::EnrichMetadata(args) => enrich::run(&session, &args),
        Command::Serve(args) => serve::run(&session, &args),
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
        tool => tool::run(&session, tool),
    }
}
