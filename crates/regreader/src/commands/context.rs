//! `regreader context`: the command-line face of context search. Arguments, streams and exit codes; every rule is in
//! `regreader_context`.
//!
//! Exit codes: 0 done (also when nothing was found), 1 `lint` found problems or the manifest could not be written,
//! 2 wrong use, 3 the project folder or the Story cannot be read.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use regreader_context::{
    Candidate, ContextError, ContextType, MANIFEST_FILE, ManifestUpdate, SearchReport, SearchRequest,
    SearchResult, TaskType, Warning, lint, read_story, search, update_manifest, write_explanation,
    write_lint, write_result,
};
use regreader_messages::cli;
use serde::Serialize;

const PROBLEMS: u8 = 1;
const WRONG_USE: u8 = 2;
const UNREADABLE: u8 = 3;
/// A Story is a page or two; more than this is something else.
const MAX_STORY_BYTES: u64 = 1024 * 1024;

/// Find the context documents under `.the_conn/context/` that a development task needs.
#[derive(Debug, clap::Args)]
pub struct ContextArgs {
    #[command(subcommand)]
    command: ContextCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ContextCommand {
    /// Name the few context documents that matter for some keywords
    Search(SearchArgs),
    /// Report front matter problems, names outside the convention and missing Global documents
    Lint(LintArgs),
    /// Search, and keep the result in context.manifest.json
    Manifest(ManifestArgs),
}

#[derive(Debug, clap::Args)]
struct SearchArgs {
    #[command(flatten)]
    query: QueryArgs,
    /// Show every candidate with its score, the rule that gave it and why it was kept or dropped
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, clap::Args)]
struct LintArgs {
    /// Project folder, the one that holds `.the_conn/`
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
}

#[derive(Debug, clap::Args)]
struct ManifestArgs {
    #[command(flatten)]
    query: QueryArgs,
    /// Manifest to write or update [default: context.manifest.json in the project folder]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct QueryArgs {
    /// Technical keyword, Chinese or English; may be repeated
    #[arg(short, long = "keyword", value_name = "WORD", required_unless_present = "from")]
    keywords: Vec<String>,
    /// Take keywords (and the epic) from a Story file too, or from standard input with `-`
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// What the documents are for; decides the fallback
    #[arg(long, value_name = "TASK", default_value = TaskType::General.name(), value_parser = task_types())]
    task_type: TaskType,
    /// Current epic; its documents come before those of other epics
    #[arg(long, value_name = "EPIC")]
    epic: Option<String>,
    /// Only documents of this type; may be repeated
    #[arg(long = "type", value_name = "TYPE", value_parser = context_types())]
    types: Vec<ContextType>,
    /// Project folder, the one that holds `.the_conn/`
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
}

/// Runs one `context` command. Data goes to `out`, warnings and errors to standard error.
pub fn run(args: &ContextArgs, json: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let done = match &args.command {
        ContextCommand::Search(args) => run_search(args, json, out),
        ContextCommand::Lint(args) => run_lint(&args.root, json, out),
        ContextCommand::Manifest(args) => run_manifest(args, json, out),
    };
    done.or_else(|failure| match failure {
        Failure::Context(error) => {
            let (code, hint) = advice(&error);
            Ok(report(&error.to_string(), hint, code))
        }
        Failure::Story(path, error) => {
            let text = format!("cannot read {}: {error}", path.display());
            Ok(report(&text, "give a Story file, or - for standard input", UNREADABLE))
        }
        Failure::Output(error) => Err(error.into()),
    })
}

/// Why a command stopped.
enum Failure {
    Context(ContextError),
    Story(PathBuf, std::io::Error),
    Output(std::io::Error),
}

impl From<ContextError> for Failure {
    fn from(error: ContextError) -> Self {
        Self::Context(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}

/// The result with its reasons, as one object.
#[derive(Serialize)]
struct Explained<'r> {
    #[serde(flatten)]
    result: &'r SearchResult,
    examined: usize,
    candidates: &'r [Candidate],
    warnings: &'r [Warning],
}

#[derive(Serialize)]
struct Written<'r> {
    manifest: String,
    update: ManifestUpdate,
    #[serde(flatten)]
    result: &'r SearchResult,
}

fn run_search(args: &SearchArgs, json: bool, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let report = find(&args.query)?;
    match (json, args.explain) {
        (true, false) => write_json(out, &report.result)?,
        (true, true) => {
            let SearchReport { result, examined, candidates, warnings } = &report;
            write_json(out, &Explained { result, examined: *examined, candidates, warnings })?;
        }
        (false, explain) => {
            write_result(out, &report.result)?;
            if explain {
                writeln!(out)?;
                write_explanation(out, &report)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn run_lint(root: &Path, json: bool, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let report = lint(root)?;
    if json {
        write_json(out, &report)?;
    } else {
        write_lint(out, &report)?;
    }
    Ok(if report.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(PROBLEMS) })
}

fn run_manifest(args: &ManifestArgs, json: bool, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let result = find(&args.query)?.result;
    let path = args.output.clone().unwrap_or_else(|| args.query.root.join(MANIFEST_FILE));
    let update = update_manifest(&path, &result)?;
    if json {
        write_json(out, &Written { manifest: path.display().to_string(), update, result: &result })?;
    } else {
        write_result(out, &result)?;
        let done = match update {
            ManifestUpdate::Created => cli::CREATED,
            ManifestUpdate::Updated => cli::UPDATED,
            ManifestUpdate::Unchanged => cli::UNCHANGED,
        };
        writeln!(out, "{done}: {}", path.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The search that `search` and `manifest` share. Keywords given by hand come before those of the Story.
fn find(query: &QueryArgs) -> Result<SearchReport, Failure> {
    let mut request = SearchRequest {
        keywords: query.keywords.clone(),
        task_type: query.task_type,
        epic: query.epic.clone(),
        types: query.types.clone(),
    };
    if let Some(path) = &query.from {
        let story = read_text(path).map_err(|error| Failure::Story(path.clone(), error))?;
        let story = read_story(&story);
        let known = |keyword: &String| query.keywords.iter().any(|one| one.eq_ignore_ascii_case(keyword));
        request.keywords.extend(story.keywords.into_iter().filter(|keyword| !known(keyword)));
        request.epic = request.epic.or(story.epic);
    }
    let report = search(&query.root, &request)?;
    for warning in &report.warnings {
        eprintln!("warning: {warning}");
    }
    Ok(report)
}

fn read_text(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().lock().take(MAX_STORY_BYTES).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?.take(MAX_STORY_BYTES).read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write_json(out: &mut dyn Write, value: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

fn report(error: &str, hint: &str, code: u8) -> ExitCode {
    eprintln!("error: {error}");
    eprintln!("hint: {hint}");
    ExitCode::from(code)
}

fn advice(error: &ContextError) -> (u8, &'static str) {
    match error {
        ContextError::RootUnreadable { .. } => (UNREADABLE, "--root takes the folder that holds .the_conn/"),
        ContextError::NoKeywords => {
            (WRONG_USE, "give keywords with -k, or with --from a Story that names technical terms")
        }
        ContextError::KeywordsTooLarge { .. } => (WRONG_USE, "three to six keywords are enough"),
        ContextError::ManifestInvalid { .. } => {
            (PROBLEMS, "mend the file or move it away; it was not changed")
        }
        _ => (PROBLEMS, "choose another file with --output"),
    }
}

fn task_types() -> impl TypedValueParser<Value = TaskType> {
    PossibleValuesParser::new(TaskType::ALL.map(TaskType::name)).try_map(|name| name.parse::<TaskType>())
}

fn context_types() -> impl TypedValueParser<Value = ContextType> {
    PossibleValuesParser::new(ContextType::ALL.map(ContextType::name))
        .try_map(|name| name.parse::<ContextType>())
}
