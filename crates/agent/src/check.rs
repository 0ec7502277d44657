//! The citation check: does one passage of the cited place carry each statement? The tools decide; no model is asked.

use regreader_messages::{agents, answers, tools};
use regreader_model::Citation;
use regreader_tools::{CheckVerdict, VerifyCitation};

use crate::answer::answer_language;
use crate::citation::cited_pages;
use crate::draft::{Draft, Section};
use crate::library::Library;
use crate::{Answer, Event, Level, Outcome, Removed, Statement, StatementProof, ToolClient, ToolFailure};

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
        let reason =
            place.map_or_else(|| agents::NO_CITATION.into(), |place| tools::no_regulation(&place.name));
        // Without a place there is nothing to hold it to; a number from nowhere is as good as invented.
        let invented = draft.text.chars().any(|c| c.is_ascii_digit());
        return Ok(failed(draft, place.cloned().unwrap_or_default(), reason, invented));
    };
    let mut nearest: Option<StatementProof> = None;
    let mut lacking: Vec<String> = Vec::new();
    let mut elsewhere: Vec<String> = Vec::new();
    let mut missing_page = None;
    for place in &known {
        for page in cited_pages(place) {
            // What is checked is what is shown, with the target that is shown beside it.
            let request = VerifyCitation {
                reg_id: place.reg_id.as_ref().map(ToString::to_string).unwrap_or_default(),
                page_num: page.get(),
                statement: draft.text.clone(),
                target: place.target.as_ref().map(ToString::to_string),
                ..VerifyCitation::default()
            };
            let result = match client.call(&request) {
                Ok(result) => result,
                Err(failure) if failure.is_not_found() || failure.name == "InvalidPageRangeError" => {
                    missing_page = Some(failure.message);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let proof = StatementProof::read(&result);
            if result.verdict == CheckVerdict::Supported && proof.level != Level::Unproven {
                let statement = Statement::new(draft.text.clone(), place.at_page(Some(page))).checked(proof);
                return Ok(Checked { section: draft.section, statement, problem: None });
            }
            lacking.extend(result.claims.into_iter().filter(|claim| !claim.found).map(|claim| claim.text));
            elsewhere.extend(result.elsewhere.iter().map(|place| place.cited.place().to_string()));
            nearest.get_or_insert(proof);
        }
    }
    elsewhere.dedup();
    lacking.dedup();
    let left = nearest.as_ref().map(|proof| proof.missing.join("、")).filter(|left| !left.is_empty());
    let reason = match (elsewhere.first(), lacking.is_empty(), missing_page, left) {
        (Some(_), ..) => agents::stands_elsewhere(elsewhere.join(", ")),
        (None, false, ..) => agents::lacks(lacking.join(", ")),
        (None, true, Some(message), _) => message,
        (None, true, None, Some(left)) => agents::nearest_lacks(left),
        (None, true, None, None) => agents::NO_PASSAGE.into(),
    };
    let invented = elsewhere.is_empty() && !lacking.is_empty();
    let mut checked = failed(draft, first.at_page(first.page_num), reason, invented);
    checked.statement.proof = StatementProof { level: Level::Unproven, ..nearest.unwrap_or_default() };
    Ok(checked)
}

/// Statements of an agent that has read nothing in this turn: whatever they say, nobody has looked it up.
pub fn unread(checked: Vec<Checked>) -> Vec<Checked> {
    let strike = |mut one: Checked| {
        one.statement.verified = false;
        one.statement.proof.level = Level::Unproven;
        one.problem.get_or_insert_with(|| Problem { reason: agents::NOTHING_READ.into(), invented: false });
        one
    };
    checked.into_iter().map(strike).collect()
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
    let mut answer = Answer { message, ..Answer::refusal(question, outcome, "") };
    for (section, statement) in kept {
        if !answer.regulations.iter().any(|known| known == statement.reg_id()) {
            answer.regulations.push(statement.reg_id().to_owned());
        }
        match section {
            _ if outcome == Outcome::Related => answer.related.push(statement.into()),
            Section::Cautions => answer.cautions.push(statement),
            _ => answer.measures.push(statement),
        }
    }
    let claims_something = matches!(outcome, Outcome::Answered | Outcome::Related);
    if claims_something && answer.statements().next().is_none() && answer.related.is_empty() {
        answer.outcome = Outcome::NotFound;
        let language = answer_language(question);
        let why = if removed.is_empty() { "" } else { language.say(answers::STRUCK) };
        answer.message = Some(format!("{}{why}", language.say(answers::NOT_FOUND)));
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
        level: statement.proof.level,
    });
}

fn failed(draft: &Draft, citation: Citation, reason: String, invented: bool) -> Checked {
    let statement = Statement::new(draft.text.clone(), citation);
    Checked { section: draft.section, statement, problem: Some(Problem { reason, invented }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regreader_model::PageNumber;
    use regreader_tools::RegulationEntry;
    use serde_json::{Value, json};

    /// Page 12 carries one statement, page 13 another; the numbers that it knows are 340 and 5.
    struct Pages;

    impl ToolClient for Pages {
        fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
            assert_eq!(tool, "verify_citation");
            let said = arguments["statement"].as_str().unwrap_or_default();
            let carried =
                if arguments["page_num"] == 12 { "限额 340 万千瓦" } else { "5 分钟内调整" };
            let supported = said == carried;
            let claims: Vec<Value> = ["340", "5", "999"]
                .iter()
                .filter(|number| said.contains(*number))
                .map(|number| json!({ "text": number, "kind": "number", "found": carried.contains(number) }))
                .collect();
            Ok(json!({
                "verdict": if supported { "supported" } else { "not_on_page" },
                "level": if supported { "verbatim" } else { "unproven" },
                "place": { "page_num": 12, "text": carried }, "claims": claims,
            }))
        }
    }

    fn checked(text: &str, pages: &[u32]) -> Checked {
        let library = Library {
            entries: vec![RegulationEntry {
                reg_id: "wengui_2024".to_owned(),
                title: "稳定规定".to_owned(),
                aliases: vec!["稳规2024".to_owned()],
                total_pages: 28,
                pages_approximate: true,
                ..RegulationEntry::default()
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
    fn one_passage_carries_a_statement_and_two_pages_do_not_add_up() {
        let good = checked("限额 340 万千瓦", &[13, 12]);
        assert_eq!((good.problem.is_none(), good.statement.verified), (true, true));
        assert_eq!(good.statement.proof.level, Level::Verbatim);
        assert_eq!(
            good.statement.citation.to_string(),
            "[来源: 稳规2024 P12（约）]",
            "estimated pages are said"
        );
        let both = checked("限额 340 万千瓦，5 分钟内调整", &[12, 13]);
        assert!(both.problem.is_some() && !both.statement.verified);
        assert!(both.statement.to_line().contains("（未核实；最接近的原文：“限额 340 万千瓦”）"));
        let struck = unread(vec![good]);
        assert!(!struck[0].statement.verified && struck[0].problem.is_some(), "nobody has looked it up");
    }

    #[test]
    fn what_stands_nowhere_is_invented_and_what_cites_nothing_does_not_stand() {
        let problem = checked("限额 999 万千瓦", &[12]).problem.unwrap_or_else(|| panic!("it stands"));
        assert!(problem.invented, "{problem:?}");
        assert_eq!(problem.reason, "所引之处没有: 999");
        let (kept, removed) = settle(vec![checked("限额 999 万千瓦", &[12]), checked("应当谨慎", &[])]);
        assert!(kept.is_empty());
        assert_eq!(removed.len(), 2);
    }
}
