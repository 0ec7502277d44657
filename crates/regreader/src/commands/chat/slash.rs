//! The commands that begin with `/`.

use std::fs;

use anyhow::{Context as _, bail};
use regreader_agent::{Conversation, Record};
use regreader_messages::cli;
use regreader_model::CivilDate;
use regreader_tools::{ListRegulations, ReadPageRange, RegulationEntry, Tool};

use super::Chat;
use crate::assistant::Assistant;

/// What happens after a command.
pub enum Next {
    /// The conversation goes on.
    Go,
    /// It ends.
    Leave,
}

/// Runs a command.
pub fn run(chat: &mut Chat<'_>, command: &str) -> anyhow::Result<Next> {
    let mut words = command.split_whitespace();
    let name = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    match (name, rest.as_slice()) {
        ("regulations" | "regs", _) => {
            for entry in chat.tools.call(&ListRegulations { as_of: chat.as_of.clone() })?.regulations {
                let RegulationEntry { reg_id, total_pages, title, .. } = entry;
                chat.session.output.line(format!("{reg_id}  {}  {title}", cli::pages(total_pages)))?;
            }
        }
        ("sources", _) => {
            let Some(reply) = &chat.last else { bail!("{}", cli::NO_ANSWER_YET) };
            for (number, source) in reply.answer.sources().iter().enumerate() {
                chat.session.output.line(format!("{}. {source}", number + 1))?;
            }
        }
        ("open", [number]) => {
            let number: usize = number.parse().context(cli::WRITE_OPEN)?;
            let Some(reply) = &chat.last else { bail!("{}", cli::NO_ANSWER_YET) };
            let sources = reply.answer.sources();
            let Some(source) = number.checked_sub(1).and_then(|at| sources.get(at)) else {
                bail!(cli::no_source(number))
            };
            let (Some(reg_id), Some(page)) = (source.reg_id.clone(), source.page_num) else {
                bail!(cli::no_page(number))
            };
            open(chat, reg_id.as_str(), page.get())?;
        }
        ("open", [reg_id, page]) => {
            open(chat, reg_id, page.trim_start_matches(['P', 'p']).parse().context(cli::PAGE_NUMBER)?)?;
        }
        ("export", file) => {
            let path = file
                .first()
                .map_or_else(|| format!("session-{}.md", chat.kept.id), |file| (*file).to_owned());
            fs::write(&path, chat.kept.to_markdown()).with_context(|| path.clone())?;
            eprintln!("✓ {path}");
        }
        ("agent", [agent]) => {
            chat.args.agent = Some((*agent).to_owned());
            change(chat)?;
        }
        ("model", [model]) => {
            chat.args.model = Some((*model).to_owned());
            change(chat)?;
        }
        ("as-of", ["today"]) => {
            chat.as_of = None;
            eprintln!("{}", cli::AS_OF_TODAY);
        }
        ("as-of", [day]) => {
            let day: CivilDate = day.parse().context(cli::WRITE_AS_OF)?;
            eprintln!("{}", cli::as_of(day));
            chat.as_of = Some(day.to_string());
        }
        ("reset", _) => {
            chat.conversation = Conversation::default();
            chat.last = None;
            chat.kept.append(Record::Reset)?;
            eprintln!("{}", cli::STARTED_OVER);
        }
        ("quit" | "exit" | "q", _) => return Ok(Next::Leave),
        ("help" | "?", _) => eprintln!("{}", cli::CHAT_HELP),
        _ => bail!(cli::unknown_command(command)),
    }
    Ok(Next::Go)
}

/// Takes another agent or model; the one before stays when that cannot be.
fn change(chat: &mut Chat<'_>) -> anyhow::Result<()> {
    let mut assistant = Assistant::new(&chat.session.settings, &chat.session.layers, &chat.args)?;
    // Ctrl-C goes on to end this conversation's turns.
    assistant.cancel = chat.assistant.cancel.clone();
    assistant.busy = std::sync::Arc::clone(&chat.assistant.busy);
    assistant.limit_to(chat.tools.reg_ids(&chat.args.reg_id)?);
    chat.assistant = assistant;
    eprintln!("✓ {}", chat.assistant.kind);
    Ok(())
}

fn open(chat: &Chat<'_>, reg_id: &str, page: u32) -> anyhow::Result<()> {
    let request = ReadPageRange { as_of: chat.as_of.clone(), ..ReadPageRange::pages(reg_id, page, page) };
    let range = chat.tools.call(&request)?;
    Ok(ReadPageRange::render(&range, &chat.session.output)?)
}
