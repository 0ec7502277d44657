//! `tokens`: who may call the MCP server and the web reader.

use std::process::ExitCode;

use regreader_access::{Role, TokenFile};
use regreader_store::now;
use serde_json::json;

use super::Session;
use crate::cli::{TokensArgs, TokensCommand};
use crate::grid::columns;

/// Runs `tokens`.
pub fn run(session: &Session, args: &TokensArgs) -> anyhow::Result<ExitCode> {
    let path = session.settings.tokens_path();
    let out = &session.output;
    match &args.command {
        TokensCommand::Add { name, role } => {
            let role: Role = role.parse()?;
            let secret = TokenFile::add(&path, name, role, &today())?;
            if out.json {
                out.json(&json!({ "name": name, "role": role, "secret": secret, "file": path }))?;
            } else {
                // The secret alone on stdout, so that it can be piped to where it is needed.
                out.line(&secret)?;
                eprintln!("This secret is not stored and cannot be shown again.");
                eprintln!("hint: clients send it as `Authorization: Bearer SECRET`");
            }
        }
        TokensCommand::List => {
            let file = TokenFile::load(&path)?;
            let shown = |token: &regreader_access::TokenEntry| json!({ "name": token.name, "role": token.role, "created": token.created });
            if out.json {
                out.json(&json!({ "tokens": file.tokens.iter().map(shown).collect::<Vec<_>>() }))?;
            } else if file.tokens.is_empty() {
                eprintln!("there are no tokens in {}", path.display());
                eprintln!("hint: `regreader tokens add NAME` makes one");
            }
            if !out.json {
                let rows: Vec<Vec<String>> = file
                    .tokens
                    .iter()
                    .map(|token| vec![token.name.clone(), token.role.to_string(), token.created.clone()])
                    .collect();
                for line in columns(&rows) {
                    out.line(line)?;
                }
            }
        }
        TokensCommand::Remove { name } => {
            TokenFile::remove(&path, name)?;
            if out.json {
                out.json(&json!({ "removed": name }))?;
            } else {
                out.line(format!("✓ removed {name}"))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The date in UTC.
fn today() -> String {
    now().chars().take(10).collect()
}
