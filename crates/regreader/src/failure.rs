//! What a failure looks like from outside: `error:` and `hint:` on stderr, and an exit code that tells its kind.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | nothing found, or refused |
//! | 2 | usage or settings |
//! | 3 | library or document |
//! | 4 | model backend |
//! | 5 | an agent gave up: a budget was spent, or it went round in circles |
//! | 130 | interrupted |

use std::io;
use std::process::ExitCode;

use regreader_access::AccessError;
use regreader_agent::{AgentError, Outcome, ProgramError, SessionError, ToolFailure};
use regreader_llm::LlmError;
use regreader_messages::cli;
use regreader_model::{DomainError, InvalidId, hide_passwords};
use regreader_parse::ParseError;
use regreader_search::IndexError;
use regreader_store::StoreError;
use regreader_tools::ToolError;

use crate::commands::for_people;
use crate::models::ModelError;
use crate::settings::SettingsError;

/// Nothing was found, or the user said no.
pub const NOTHING: u8 = 1;
/// The call or the settings make no sense.
pub const USAGE: u8 = 2;
/// The library or a document is at fault.
pub const LIBRARY: u8 = 3;
/// A model, or what serves it, is at fault.
pub const MODEL: u8 = 4;
/// An agent gave up before there was an answer.
pub const GAVE_UP: u8 = 5;

/// The person ended it.
pub const INTERRUPTED: u8 = 130;

/// A refusal with a hint that no library error carries.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Exit code.
    pub code: u8,
    /// For `error:`.
    pub message: String,
    /// For `hint:`.
    pub hint: Option<String>,
}

impl Refusal {
    /// A call that makes no sense.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: USAGE, message: message.into(), hint: Some(hint.into()) }
    }

    /// A library or document at fault.
    pub fn library(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: LIBRARY, message: message.into(), hint: Some(hint.into()) }
    }

    /// A model that cannot be used.
    pub fn backend(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: MODEL, message: message.into(), hint: Some(hint.into()) }
    }
}

/// The exit code of an answer, and what to do about one that is none.
pub fn answer_code(outcome: Outcome, library: &str) -> (u8, Option<String>) {
    match outcome {
        Outcome::Answered => (0, None),
        Outcome::Related | Outcome::NotFound | Outcome::Declined => (NOTHING, None),
        Outcome::EmptyLibrary => (LIBRARY, Some(empty_library_hint(library))),
        Outcome::Unfit => (MODEL, Some(cli::UNFIT_HINT.to_string())),
        Outcome::Stopped => (GAVE_UP, Some(cli::STOPPED_HINT.to_string())),
    }
}

/// What to do about a library without regulations; it says which one was meant.
pub fn empty_library_hint(library: &str) -> String {
    cli::empty_library(library)
}

/// How an error is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `error:` and `hint:`.
    Words,
    /// One object on a line.
    Json,
}

impl Form {
    /// The form that the command line asks for. It is looked for before anything is parsed, because what cannot be parsed
    /// is an error too.
    pub fn asked_for() -> Self {
        let asked = std::env::args_os().take_while(|argument| argument != "--").any(|one| one == "--json");
        if asked { Self::Json } else { Self::Words }
    }

    fn write(self, message: &str, hint: Option<&str>, code: u8) {
        match (self, hint) {
            (Self::Json, _) => {
                let error = serde_json::json!({ "message": message, "hint": hint, "code": code });
                eprintln!("{}", serde_json::json!({ "error": error }));
            }
            (Self::Words, Some(hint)) => eprintln!("error: {message}\nhint: {hint}"),
            (Self::Words, None) => eprintln!("error: {message}"),
        }
    }
}

/// Prints what clap found wrong, or the help that was asked for.
pub fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Nothing can be done about a closed stdout here.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    match Form::asked_for() {
        Form::Words => {
            let _ = error.print();
        }
        Form::Json => {
            let text = error.to_string();
            Form::Json.write(text.trim().trim_start_matches("error: "), None, USAGE);
        }
    }
    ExitCode::from(USAGE)
}

/// Prints an error with its causes and hint, and gives its exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    // `regreader list | head` is no failure.
    if error.chain().any(is_broken_pipe) {
        return ExitCode::SUCCESS;
    }
    let mut message = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        // Wrapping errors often repeat their cause in their own text.
        if !message.contains(&text) {
            if !message.is_empty() {
                message.push_str(": ");
            }
            message.push_str(&text);
        }
    }
    let (code, hint) = classify(error);
    let hint = hint.filter(|hint| !hint.is_empty()).map(|hint| for_people(&hide_passwords(&hint)));
    Form::asked_for().write(&for_people(&hide_passwords(&message)), hint.as_deref(), code);
    ExitCode::from(code)
}

fn is_broken_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        || cause
            .downcast_ref::<serde_json::Error>()
            .is_some_and(|error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
}

pub(crate) fn classify(error: &anyhow::Error) -> (u8, Option<String>) {
    for cause in error.chain() {
        if let Some(refusal) = cause.downcast_ref::<Refusal>() {
            return (refusal.code, refusal.hint.clone());
        }
        if let Some(settings) = cause.downcast_ref::<SettingsError>() {
            return (USAGE, Some(settings.hint()));
        }
        if let Some(model) = cause.downcast_ref::<ModelError>() {
            let code = if matches!(model, ModelError::Unknown(_)) { USAGE } else { MODEL };
            return (code, Some(model.hint()));
        }
        if let Some(id) = cause.downcast_ref::<InvalidId>() {
            return (USAGE, DomainError::from(id.clone()).hint());
        }
        if let Some(domain) = cause.downcast_ref::<DomainError>() {
            return (domain_code(domain), domain.hint());
        }
        if let Some(parse) = cause.downcast_ref::<ParseError>() {
            return (LIBRARY, parse_hint(parse));
        }
        if let Some(store) = cause.downcast_ref::<StoreError>() {
            return (store_code(store), store.hint());
        }
        if let Some(index) = cause.downcast_ref::<IndexError>() {
            return (index_code(index), index.hint());
        }
        if let Some(tool) = cause.downcast_ref::<ToolError>() {
            return (tool_code(tool), tool.hint());
        }
        if let Some(failure) = cause.downcast_ref::<ToolFailure>() {
            return tool_failure(failure);
        }
        if let Some(error) = cause.downcast_ref::<AgentError>() {
            return agent_failure(error);
        }
        if let Some(error) = cause.downcast_ref::<LlmError>() {
            return (llm_code(error), error.hint());
        }
        if let Some(access) = cause.downcast_ref::<AccessError>() {
            return (access_code(access), access_hint(access));
        }
        if let Some(SessionError::NotFound(_)) = cause.downcast_ref::<SessionError>() {
            return (NOTHING, Some("`regreader sessions list` names them".to_owned()));
        }
    }
    (LIBRARY, None)
}

fn tool_failure(failure: &ToolFailure) -> (u8, Option<String>) {
    let code = match failure.name.as_str() {
        "RegulationNotFoundError" => LIBRARY,
        _ if failure.is_not_found() => NOTHING,
        _ => LIBRARY,
    };
    (code, failure.hint.clone())
}

fn agent_failure(error: &AgentError) -> (u8, Option<String>) {
    match error {
        AgentError::Tool(failure) => tool_failure(failure),
        AgentError::Model(error) => (llm_code(error), error.hint()),
        AgentError::Interrupted => (INTERRUPTED, None),
        AgentError::Program(ProgramError::NotInstalled(_)) => (
            USAGE,
            Some(
                "install Claude Code, set claude_program to its path, or unset it to call the model"
                    .to_owned(),
            ),
        ),
        AgentError::Program(_) => {
            (MODEL, Some("run the program once by itself: it may want a login or a newer version".to_owned()))
        }
        AgentError::NoModel(_) => (
            USAGE,
            Some("set REGREADER_LLM_API_KEY or REGREADER_LLM_BASE_URL, or use --agent offline".to_owned()),
        ),
        _ => (LIBRARY, None),
    }
}

fn llm_code(error: &LlmError) -> u8 {
    if matches!(error, LlmError::Config { .. }) { USAGE } else { MODEL }
}

fn access_code(error: &AccessError) -> u8 {
    match error {
        AccessError::NotFound { .. } => NOTHING,
        AccessError::Io { .. } | AccessError::Malformed { .. } => LIBRARY,
        _ => USAGE,
    }
}

fn access_hint(error: &AccessError) -> Option<String> {
    match error {
        AccessError::NameTaken { .. } => {
            Some("remove it first with `regreader tokens remove NAME`".to_owned())
        }
        AccessError::NotFound { .. } => Some("`regreader tokens list` names them".to_owned()),
        AccessError::Malformed { .. } => {
            Some("restore the file, or delete it and make the tokens again".to_owned())
        }
        _ => None,
    }
}

fn domain_code(error: &DomainError) -> u8 {
    match error {
        DomainError::InvalidId(_)
        | DomainError::InvalidArgument { .. }
        | DomainError::InvalidPageRange { .. } => USAGE,
        DomainError::RegulationNotFound { .. } => LIBRARY,
        _ => NOTHING,
    }
}

fn store_code(error: &StoreError) -> u8 {
    match error {
        StoreError::Domain(domain) => domain_code(domain),
        _ => LIBRARY,
    }
}

fn index_code(error: &IndexError) -> u8 {
    match error {
        IndexError::Domain(domain) => domain_code(domain),
        IndexError::Store(store) => store_code(store),
        IndexError::Embedding(_) => MODEL,
        IndexError::NotInThisBuild { .. } => USAGE,
        _ => LIBRARY,
    }
}

fn tool_code(error: &ToolError) -> u8 {
    match error {
        ToolError::Domain(domain) => domain_code(domain),
        ToolError::Store(store) => store_code(store),
        ToolError::Index(index) => index_code(index),
        ToolError::UnknownTool { .. } | ToolError::InvalidArguments { .. } => USAGE,
        _ => LIBRARY,
    }
}

fn parse_hint(error: &ParseError) -> Option<String> {
    match error {
        ParseError::Encrypted => Some("pass the password with --password-file".to_owned()),
        ParseError::UnknownFormat => Some(
            "PDF, DOCX, PPTX, XLSX, HTML, Markdown, text, PNG/JPEG/TIFF and Docling JSON are read".to_owned(),
        ),
        _ => None,
    }
}
