//! The citation check: does each statement stand on the page it cites? The tools decide; no model is asked.

use regreader_model::Citation;
use serde_json::{Value, json};

use crate::citation::{citation_of, cited_pages};
use crate::draft::{Draft, Section};
use crate::library::Library;
use crate::{Answer, Event, Outcome, Removed, Statement, ToolClient, ToolFailure};

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
    let known: Vec<Citation> = draft
        .places
        .iter()
        .filter_map(|place| library.find(&place.name).map(|entry| entry.own(place)))
        .collect();
    let Some(first) = known.first() else {
        let place = draft.places.first();
        let reason = place.map_or("没有引用".to_owned(), |place| format!("规程不存在: {}", place.name));
        // Without a place there is nothing to hold it to; a number from nowhere is as good as invented.
        let invented = draft.text.chars().any(|c| c.is_ascii_digit());
        return Ok(failed(draft, place.cloned().unwrap_or_default(), reason, invented));
    };
    let says = library.without_names(&draft.text);
    let mut found: Vec<(String, bool)> = Vec::new();
    let mut elsewhere: Vec<String> = Vec::new();
    let mut missing_page = None;
    for place in &known {
        for page in cited_pages(place) {
            let ask = |says: &str| {
                let arguments = json!({ "reg_id": place.reg_id, "page_num": page, "statement": says });
                client.call("verify_citation", arguments)
            };
            let mut result = match ask(&says) {
                Ok(result) => result,
                Err(failure) if failure.is_not_found() || failure.name == "InvalidPageRangeError" => {
                    missing_page = Some(failure.message);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if let Some(other) = other_reading(&says).filter(|_| result["verdict"] != "supported") {
                let second = ask(&other)?;
                if second["verdict"] == "supported" {
                    result = second;
                }
            }
            if result["verdict"] == "supported" {
                return Ok(stands(draft, place.at_page(Some(page))));
            }
            merge(&mut found, &result["claims"]);
            let places = result["elsewhere"].as_array().into_iter().flatten();
            elsewhere.extend(places.map(|place| citation_of(place).place().to_string()));
        }
    }
    // Several pages may carry one statement together.
    if !found.is_empty() && found.iter().all(|(_, there)| *there) {
        return Ok(stands(draft, first.at_page(first.page_num)));
    }
    let citation = first.at_page(first.page_num);
    let lacking: Vec<&str> =
        found.iter().filter(|(_, there)| !there).map(|(claim, _)| claim.as_str()).collect();
    elsewhere.dedup();
    let reason = match (elsewhere.first(), lacking.is_empty(), missing_page) {
        (Some(_), _, _) => format!("不在所引的页上；有这些内容的页: {}", elsewhere.join("、")),
        (None, false, _) => format!("所引的页上没有: {}", lacking.join("、")),
        (None, true, Some(message)) => message,
        (None, true, None) => "与所引的页的文字不符".to_owned(),
    };
    let invented = elsewhere.is_empty() && !lacking.is_empty();
    Ok(failed(draft, citation, reason, invented))
}

/// 200 万千瓦时 is an amount of energy, or 200 万千瓦 and then “when”. Either may stand.
fn other_reading(says: &str) -> Option<String> {
    says.contains("千瓦时").then(|| says.replace("千瓦时", "千瓦，"))
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
            Some(problem) if problem.invented || one.statement.reg_id().is_empty() => removed.push(Removed {
                text: one.statement.text,
                citation: one.statement.citation.to_string(),
                reason: problem.reason,
            }),
            _ => kept.push((one.section, one.statement)),
        }
    }
    (kept, removed)
}

/// The answer that checked statements make, and what was taken out of it. One with nothing left found nothing.
pub fn settled(
    question: &str,
    outcome: Outcome,
    message: Option<String>,
    checked: Vec<Checked>,
) -> (Answer, Vec<Removed>) {
    let (kept, removed) = settle(checked);
    let mut answer = Answer {
        question: question.to_owned(),
        outcome,
        message,
        measures: Vec::new(),
        cautions: Vec::new(),
        regulations: Vec::new(),
    };
    for (section, statement) in kept {
        if !answer.regulations.iter().any(|known| known == statement.reg_id()) {
            answer.regulations.push(statement.reg_id().to_owned());
        }
        match section {
            Section::Cautions => answer.cautions.push(statement),
            _ => answer.measures.push(statement),
        }
    }
    if outcome == Outcome::Answered && answer.statements().next().is_none() {
        answer.outcome = Outcome::NotFound;
        let why = if removed.is_empty() { "" } else { "（模型给出的陈述未能通过核对）" };
        answer.message = Some(format!("未找到相关规定。{why}"));
    }
    (answer, removed)
}

/// Reports a statement's citation.
pub fn cite(report: &mut dyn FnMut(Event), statement: &Statement) {
    report(Event::Citation {
        citation: statement.citation.to_string(),
        reg_id: statement.reg_id().to_owned(),
        page_num: statement.page_num(),
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

fn stands(draft: &Draft, citation: Citation) -> Checked {
    let statement = Statement { verified: true, ..Statement::new(draft.text.clone(), citation) };
    Checked { section: draft.section, statement, problem: None }
}

fn failed(draft: &Draft, citation: Citation, reason: String, invented: bool) -> Checked {
    let statement = Statement::new(draft.text.clone(), citation);
    Checked { section: draft.section, statement, problem: Some(Problem { reason, invented }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Entry;
    use regreader_model::PageNumber;

    /// A page on which 340 万千瓦 and 200 万千瓦 stand, and another on which 5 分钟 stands.
    struct Pages;

    impl ToolClient for Pages {
        fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
            assert_eq!(tool, "verify_citation");
            let said = arguments["statement"].as_str().unwrap_or_default();
            let here: &[&str] =
                if arguments["page_num"] == 12 { &["340 万千瓦", "200 万千瓦"] } else { &["5 分钟"] };
            let all = ["340 万千瓦", "200 万千瓦时", "200 万千瓦", "5 分钟", "999 万千瓦"];
            let mut claims = Vec::new();
            for claim in all.iter().filter(|claim| said.contains(**claim)) {
                if !(*claim == "200 万千瓦" && said.contains("200 万千瓦时")) {
                    claims.push(json!({ "text": claim, "kind": "quantity", "found": here.contains(claim) }));
                }
            }
            let supported = claims.iter().all(|claim| claim["found"] == true);
            let verdict = if supported { "supported" } else { "not_on_page" };
            Ok(json!({ "verdict": verdict, "claims": claims, "elsewhere": [] }))
        }
    }

    fn checked(text: &str, pages: &[u32]) -> Checked {
        let library = Library {
            entries: vec![Entry {
                reg_id: "wengui_2024".to_owned(),
                title: "稳定规定".to_owned(),
                aliases: vec!["稳规2024".to_owned()],
                total_pages: 28,
                pages_approximate: true,
                ..Entry::default()
            }],
        };
        let place = |page: &u32| Citation {
            name: "稳规2024".to_owned(),
            page_num: PageNumber::new(*page),
            ..Citation::default()
        };
        let draft = Draft {
            section: Section::Measures,
            text: text.to_owned(),
            places: pages.iter().map(place).collect(),
        };
        check(&Pages, &library, &draft).unwrap_or_else(|failure| panic!("{failure}"))
    }

    #[test]
    fn both_readings_of_a_unit_and_several_pages_together_are_allowed() {
        let energy = checked("风电 200 万千瓦时，限额 340 万千瓦", &[12]);
        assert_eq!(energy.problem, None);
        assert_eq!(
            energy.statement.citation.to_string(),
            "[来源: 稳规2024 P12（约）]",
            "estimated pages are said"
        );
        assert_eq!(
            checked("限额 340 万千瓦，5 分钟内调整", &[12, 13]).problem,
            None,
            "each page carries its part"
        );
        assert!(checked("限额 340 万千瓦，5 分钟内调整", &[12]).problem.is_some());
    }

    #[test]
    fn what_stands_nowhere_is_invented_and_what_cites_nothing_does_not_stand() {
        let problem = checked("限额 999 万千瓦", &[12]).problem.unwrap_or_else(|| panic!("it stands"));
        assert!(problem.invented && problem.reason.contains("999 万千瓦"), "{problem:?}");
        let (kept, removed) = settle(vec![checked("限额 999 万千瓦", &[12]), checked("应当谨慎", &[])]);
        assert!(kept.is_empty());
        assert_eq!(removed.len(), 2);
    }
}
