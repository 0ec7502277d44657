//! The citation check: does each statement stand on the page it cites? The tools decide; no model is asked.

use serde_json::{Value, json};

use crate::citation::Place;
use crate::draft::{Draft, Section};
use crate::library::Library;
use crate::{Event, Removed, Statement, ToolClient, ToolFailure};

/// What came of checking one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Where it was written.
    pub section: Section,
    /// The statement, with what is known about its citation.
    pub statement: Statement,
    /// Why it does not stand; none when it does.
    pub problem: Option<Problem>,
}

/// Why a statement does not stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// For a person and for the model.
    pub reason: String,
    /// It says something that stands nowhere: an invented number or quotation.
    pub invented: bool,
}

/// Checks one statement.
pub fn check(client: &dyn ToolClient, library: &Library, draft: &Draft) -> Result<Checked, ToolFailure> {
    let known: Vec<(&Place, &str, &str)> = draft
        .places
        .iter()
        .filter_map(|place| {
            library.find(&place.name).map(|entry| (place, entry.reg_id.as_str(), entry.short_name()))
        })
        .collect();
    let Some(&(first, first_id, first_name)) = known.first() else {
        let place = draft.places.first();
        let reason = place.map_or("没有引用".to_owned(), |place| format!("规程不存在: {}", place.name));
        // Without a place there is nothing to hold it to; a number from nowhere is as good as invented.
        let invented = draft.text.chars().any(|c| c.is_ascii_digit());
        return Ok(failed(
            draft,
            place.map(|p| p.print(library)).unwrap_or_default(),
            "",
            0,
            reason,
            invented,
        ));
    };
    let says = library.without_names(&draft.text);
    let mut found: Vec<(String, bool)> = Vec::new();
    let mut elsewhere: Vec<String> = Vec::new();
    let mut missing_page = None;
    for &(place, reg_id, name) in &known {
        for page in place.pages() {
            let arguments = json!({ "reg_id": reg_id, "page_num": page, "statement": says });
            let result = match client.call("verify_citation", arguments) {
                Ok(result) => result,
                Err(failure) if failure.is_not_found() || failure.name == "InvalidPageRangeError" => {
                    missing_page = Some(failure.message);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if result["verdict"] == "supported" {
                return Ok(stands(draft, place.print_at(name, page), reg_id, page));
            }
            merge(&mut found, &result["claims"]);
            let places = result["elsewhere"].as_array().into_iter().flatten();
            elsewhere.extend(places.filter_map(|place| place["citation"].as_str()).map(str::to_owned));
        }
    }
    // Several pages may carry one statement together.
    if !found.is_empty() && found.iter().all(|(_, there)| *there) {
        return Ok(stands(draft, first.print_at(first_name, first.page_num), first_id, first.page_num));
    }
    let citation = first.print_at(first_name, first.page_num);
    let lacking: Vec<&str> =
        found.iter().filter(|(_, there)| !there).map(|(claim, _)| claim.as_str()).collect();
    elsewhere.dedup();
    let there: Vec<&str> =
        elsewhere.iter().map(|place| place.trim_matches(['[', ']']).trim_start_matches("来源: ")).collect();
    let reason = match (there.first(), lacking.is_empty(), missing_page) {
        (Some(_), _, _) => format!("不在所引的页上；有这些内容的页: {}", there.join("、")),
        (None, false, _) => format!("所引的页上没有: {}", lacking.join("、")),
        (None, true, Some(message)) => message,
        (None, true, None) => "与所引的页的文字不符".to_owned(),
    };
    let invented = elsewhere.is_empty() && !lacking.is_empty();
    Ok(failed(draft, citation, first_id, first.page_num, reason, invented))
}

/// The feedback that lets a model mend its statements.
pub fn complaints(checked: &[Checked]) -> Vec<String> {
    let failing =
        checked.iter().filter_map(|checked| checked.problem.as_ref().map(|problem| (checked, problem)));
    failing
        .map(|(checked, problem)| {
            let text: String = checked.statement.text.chars().take(200).collect();
            format!("- “{text}” {}：{}", checked.statement.citation, problem.reason)
        })
        .collect()
}

/// What is shown and what is not: a statement with something invented is removed, any other that does not stand is
/// marked 未核实.
pub fn settle(checked: Vec<Checked>) -> (Vec<(Section, Statement)>, Vec<Removed>) {
    let mut kept = Vec::new();
    let mut removed = Vec::new();
    for one in checked {
        match one.problem {
            Some(problem) if problem.invented || one.statement.reg_id.is_empty() => removed.push(Removed {
                text: one.statement.text,
                citation: one.statement.citation,
                reason: problem.reason,
            }),
            _ => kept.push((one.section, one.statement)),
        }
    }
    (kept, removed)
}

/// Reports a statement's citation.
pub fn cite(report: &mut dyn FnMut(Event), statement: &Statement) {
    report(Event::Citation {
        citation: statement.citation.clone(),
        reg_id: statement.reg_id.clone(),
        page_num: statement.page_num,
        verified: statement.verified,
    });
}

fn merge(found: &mut Vec<(String, bool)>, claims: &Value) {
    for claim in claims.as_array().into_iter().flatten() {
        let text = claim["text"].as_str().unwrap_or_default();
        let there = claim["found"] == true;
        match found.iter_mut().find(|(known, _)| known == text) {
            Some((_, known)) => *known |= there,
            None => found.push((text.to_owned(), there)),
        }
    }
}

fn stands(draft: &Draft, citation: String, reg_id: &str, page_num: u32) -> Checked {
    let statement =
        Statement { text: draft.text.clone(), citation, reg_id: reg_id.to_owned(), page_num, verified: true };
    Checked { section: draft.section, statement, problem: None }
}

fn failed(
    draft: &Draft,
    citation: String,
    reg_id: &str,
    page_num: u32,
    reason: String,
    invented: bool,
) -> Checked {
    let statement = Statement {
        text: draft.text.clone(),
        citation,
        reg_id: reg_id.to_owned(),
        page_num,
        verified: false,
    };
    Checked { section: draft.section, statement, problem: Some(Problem { reason, invented }) }
}
