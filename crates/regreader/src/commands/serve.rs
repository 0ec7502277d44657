//! `serve`: the library over MCP, and the configuration that clients need for it.

use std::process::ExitCode;
use std::time::Duration;

use regreader_mcp::http::HttpOptions;
use regreader_mcp::{Limits, McpServer, ServeError, http, stdio};
use serde_json::{Value, json};

use super::Session;
use crate::allocator;
use crate::cli::ServeArgs;
use crate::failure::Refusal;
use crate::source::LibrarySource;

/// Runs `serve`. Ends when the client closes the pipe (stdio) or the process is told to end.
pub fn run(session: &Session, args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let settings = &session.settings;
    let transport = args.transport.as_deref().unwrap_or(&settings.mcp_transport);
    if let Some(client) = &args.print_config {
        session.output.line(configuration(session, args, client, transport)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    allocator::give_back_free_memory();
    let server = McpServer::new(LibrarySource::new(settings.clone()), limits(session));
    let quiet = session.quiet;
    let served = match transport {
        "stdio" => stdio::serve(&server),
        name => {
            let path = if name == "sse" { "/sse" } else { "/mcp" };
            http::serve(&server, &http_options(session, args), |address| {
                if !quiet {
                    eprintln!("listening on http://{address}{path}");
                }
            })
        }
    };
    served.map_err(refusal)?;
    Ok(ExitCode::SUCCESS)
}

/// How many calls may run and wait.
pub(super) fn limits(session: &Session) -> Limits {
    Limits {
        call_timeout: Duration::from_secs(session.settings.mcp_call_timeout.max(1)),
        waiting: session.settings.mcp_max_waiting,
        ..Limits::default()
    }
}

/// How the HTTP face is set up.
pub(super) fn http_options(session: &Session, args: &ServeArgs) -> HttpOptions {
    let settings = &session.settings;
    let list = |text: &str| {
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
    };
    HttpOptions {
        host: args.host.clone().unwrap_or_else(|| settings.mcp_host.clone()),
        port: args.port.unwrap_or(settings.mcp_port),
        token: Some(settings.mcp_token.clone()).filter(|token| !token.is_empty()),
        tokens_file: Some(settings.tokens_path()),
        allowed_hosts: list(&settings.mcp_allowed_hosts),
        allowed_origins: list(&settings.mcp_allowed_origins),
        max_body_bytes: settings.mcp_max_body_kib.saturating_mul(1024),
        requests_per_second: settings.mcp_rate_limit,
        max_connections: settings.mcp_max_connections,
        max_sessions: settings.mcp_max_sessions,
        grace: Duration::from_secs(settings.mcp_grace),
    }
}

/// Why the server does not run, with what to do about it.
pub(super) fn refusal(error: ServeError) -> anyhow::Error {
    match error {
        ServeError::TokenRequired { .. } => Refusal::usage(
            error.to_string(),
            "make one with `regreader tokens add NAME`, set REGREADER_MCP_TOKEN to a long random word, or listen on 127.0.0.1",
        )
        .into(),
        ServeError::Listen { .. } => {
            Refusal::usage(error.to_string(), "choose another --host or --port").into()
        }
        other => other.into(),
    }
}

/// What a client's settings need, ready to be pasted.
fn configuration(
    session: &Session,
    args: &ServeArgs,
    client: &str,
    transport: &str,
) -> anyhow::Result<String> {
    let entry = match transport {
        "stdio" => by_command(session)?,
        _ => by_address(session, args, client, transport),
    };
    let text = match client {
        // Claude Code is told on its command line.
        "claude-code" => return Ok(format!("claude mcp add-json regreader '{entry}'")),
        // Cherry Studio wants to know what it is looking at.
        "cherry-studio" => {
            let mut entry = entry;
            entry["name"] = json!("RegReader");
            entry["isActive"] = json!(true);
            json!({ "mcpServers": { "regreader": entry } })
        }
        _ => json!({ "mcpServers": { "regreader": entry } }),
    };
    Ok(serde_json::to_string_pretty(&text)?)
}

fn by_command(session: &Session) -> anyhow::Result<Value> {
    let program = std::env::current_exe()?;
    // The client starts the program in a folder of its own choosing.
    let data_dir = std::path::absolute(&session.settings.data_dir)?;
    Ok(json!({
        "command": program.display().to_string(),
        "args": ["--data-dir", data_dir.display().to_string(), "serve", "--transport", "stdio"],
    }))
}

fn by_address(session: &Session, args: &ServeArgs, client: &str, transport: &str) -> Value {
    let options = http_options(session, args);
    let path = if transport == "sse" { "sse" } else { "mcp" };
    let kind = match (client, transport) {
        ("cherry-studio", "http") => "streamableHttp",
        (_, transport) => transport,
    };
    let mut entry =
        json!({ "type": kind, "url": format!("http://{}:{}/{path}", options.host, options.port) });
    if options.token.is_some() {
        // The token itself is not printed: it would end up in shell histories and screenshots.
        entry["headers"] = json!({ "Authorization": "Bearer ${REGREADER_MCP_TOKEN}" });
    }
    entry
}
