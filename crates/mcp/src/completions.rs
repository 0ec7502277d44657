//! What a client may offer while somebody types: regulation ids, section numbers, pages.

use regreader_tools::{GetChapterStructure, RegulationEntry, Tool, Toolbox};
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo};

use crate::resources;

/// Parts of a chapter tree that are looked at.
const MAX_PARTS: usize = 50;

/// Completions for an argument of a prompt or of the page template. Nothing fits an unknown argument; that is no error.
pub fn complete(toolbox: &Toolbox, request: &CompleteRequestParams) -> CompleteResult {
    let typed = request.argument.value.trim();
    let chosen =
        request.context.as_ref().and_then(|context| context.get_argument("reg_id")).map(String::as_str);
    let values = match request.argument.name.as_str() {
        "reg_id" | "reg_id_b" => regulation_ids(toolbox, typed),
        "section_number" => sections(toolbox, chosen, typed),
        "n" => pages(toolbox, chosen, typed),
        _ => Vec::new(),
    };
    let total = u32::try_from(values.len()).unwrap_or(u32::MAX);
    let more = values.len() > CompletionInfo::MAX_VALUES;
    let shown = values.into_iter().take(CompletionInfo::MAX_VALUES).collect();
    CompletionInfo::with_pagination(shown, Some(total), more).map(CompleteResult::new).unwrap_or_default()
}

/// Ids that begin as typed, then those of regulations whose title or alias holds what was typed.
fn regulation_ids(toolbox: &Toolbox, typed: &str) -> Vec<String> {
    let entries = resources::regulations(toolbox).unwrap_or_default();
    let begins = |entry: &&RegulationEntry| entry.reg_id.starts_with(typed);
    let named = |entry: &&RegulationEntry| {
        !begins(entry)
            && (entry.title.contains(typed) || entry.aliases.iter().any(|alias| alias.contains(typed)))
    };
    let first = entries.iter().filter(begins);
    first.chain(entries.iter().filter(named)).map(|entry| entry.reg_id.clone()).collect()
}

fn sections(toolbox: &Toolbox, reg_id: Option<&str>, typed: &str) -> Vec<String> {
    let mut numbers = Vec::new();
    let Some(reg_id) = reg_id else { return numbers };
    let mut request = GetChapterStructure { reg_id: reg_id.to_owned(), ..GetChapterStructure::default() };
    // The tree comes in parts; the bound is for a tree that is none.
    for _ in 0..MAX_PARTS {
        let Ok(part) = request.run(toolbox) else { break };
        let found = part.nodes.into_iter().map(|node| node.section_number);
        numbers.extend(found.filter(|number| !number.is_empty() && number.starts_with(typed)));
        request.cursor = part.next;
        if request.cursor.is_none() {
            break;
        }
    }
    numbers
}

fn pages(toolbox: &Toolbox, reg_id: Option<&str>, typed: &str) -> Vec<String> {
    let entries = resources::regulations(toolbox).unwrap_or_default();
    let count = entries
        .iter()
        .find(|entry| Some(entry.reg_id.as_str()) == reg_id)
        .map_or(0, |entry| entry.total_pages);
    (1..=count).map(|page| page.to_string()).filter(|page| page.starts_with(typed)).collect()
}
