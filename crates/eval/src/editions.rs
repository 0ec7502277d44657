//! Questions that the tools on editions answer: what changed, what concerns a thing, and what applied on a day.
//!
//! A `change` question names two editions and every change that the answer must list; an `impact` question names a thing
//! and every page that concerns it; an `as_of` question is put to an agent with a day, and its answer must be right and
//! taken from no edition but those that the question names. Lists are judged by what they lack and by what they have too
//! much, because "complete" is what these tools promise.

use std::collections::{BTreeMap, BTreeSet};

use regreader_agent::{Answer, ToolClient, ToolFailure};
use regreader_model::RegId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Question;
use crate::answers::{Verdict, squeezed};
use crate::metrics::{rounded, share};

/// What a question asks about editions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditionQuestion {
    /// What changed from one edition to the next.
    Change(ChangeQuestion),
    /// Every place that concerns this thing; the pages are the needs of the question.
    Impact(String),
    /// The question as of this day.
    AsOf(String),
}

/// Two editions, filters, and the changes that must come out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeQuestion {
    /// Older edition.
    pub old: String,
    /// Newer edition.
    pub new: String,
    /// Only these kinds; all but format when there are none.
    pub kinds: Vec<String>,
    /// Only below this chapter.
    pub chapter: Option<String>,
    /// Only changes that concern these things.
    pub entities: Vec<String>,
    /// Every change that the list must have.
    pub expected: Vec<ExpectedChange>,
}

/// A change as a set names it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct ExpectedChange {
    /// Number of the clause or table.
    pub place: String,
    /// Words of the older edition; none for what was added.
    #[serde(default)]
    pub old: String,
    /// Words of the newer edition; none for what was deleted.
    #[serde(default)]
    pub new: String,
}

impl ExpectedChange {
    /// Whether a record is this change.
    fn is(&self, record: &Value) -> bool {
        let at = |side: &Value| {
            [&side["clause"], &side["table"]].into_iter().any(|place| place.as_str() == Some(&self.place))
        };
        let says = |text: &Value, wanted: &str| match text.as_str() {
            Some(text) => !wanted.is_empty() && squeezed(text).contains(&squeezed(wanted)),
            None => wanted.is_empty(),
        };
        (at(&record["old"]) || at(&record["new"]))
            && says(&record["old_text"], &self.old)
            && says(&record["new_text"], &self.new)
    }
}

/// How the questions on editions were answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EditionScores {
    /// By kind of question: `change`, `impact`, `as_of`.
    pub kinds: BTreeMap<String, ListScores>,
    /// What lists lacked or had too much, question by question.
    pub failures: Vec<String>,
}

/// Lists of one kind, over all questions together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ListScores {
    /// How many questions.
    pub questions: usize,
    /// Share of them whose list is exactly the wanted one, or whose answer is right.
    pub exact: f64,
    /// Share of what was wanted that is listed.
    pub recall: f64,
    /// Share of what is listed that was wanted.
    pub precision: f64,
}

/// What came of one question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// Wanted and listed.
    pub found: usize,
    /// Wanted and not listed.
    pub missing: Vec<String>,
    /// Listed and not wanted.
    pub extra: Vec<String>,
}

impl Listed {
    fn is_exact(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty()
    }
}

/// Puts a question on changes or impact to the tools; none for other questions.
pub fn list(client: &dyn ToolClient, question: &Question) -> Result<Option<Listed>, ToolFailure> {
    match &question.editions {
        Some(EditionQuestion::Change(asked)) => changes(client, asked).map(Some),
        Some(EditionQuestion::Impact(entity)) => impact(client, question, entity).map(Some),
        Some(EditionQuestion::AsOf(_)) | None => Ok(None),
    }
}

/// Judges an answer that was given with the day of the question.
pub fn judge_answer(question: &Question, answer: &Answer) -> Listed {
    let verdict = Verdict::of(question, answer);
    let allowed: Vec<&str> = question.regulations.iter().map(RegId::as_str).collect();
    let cited = answer.statements().map(|one| one.reg_id().to_owned());
    let foreign: BTreeSet<String> = cited.filter(|id| !allowed.contains(&id.as_str())).collect();
    let is_right = verdict.is_right();
    let mut missing: Vec<String> = Vec::new();
    if !is_right {
        missing.extend(verdict.unmet.iter().chain(&verdict.unsaid).cloned());
        if missing.is_empty() {
            missing.push(answer.outcome.name().to_owned());
        }
    }
    Listed { found: usize::from(is_right), missing, extra: foreign.into_iter().collect() }
}

fn changes(client: &dyn ToolClient, asked: &ChangeQuestion) -> Result<Listed, ToolFailure> {
    let mut arguments = json!({
        "old": asked.old, "new": asked.new, "kinds": asked.kinds, "chapter": asked.chapter,
        "entities": asked.entities, "limit": 200,
    });
    let records = all_parts(client, "list_changes", &mut arguments, "changes")?;
    let mut open: Vec<&ExpectedChange> = asked.expected.iter().collect();
    let mut listed = Listed::default();
    for record in &records {
        match open.iter().position(|expected| expected.is(record)) {
            Some(at) => {
                open.remove(at);
                listed.found += 1;
            }
            None => listed.extra.push(in_words(record)),
        }
    }
    listed.missing = open.iter().map(|one| format!("{}: {} → {}", one.place, one.old, one.new)).collect();
    Ok(listed)
}

fn in_words(record: &Value) -> String {
    let side = |side: &str| {
        let place = &record[side];
        place["table"].as_str().or_else(|| place["clause"].as_str()).unwrap_or_default().to_owned()
    };
    let place = if record["new"].is_null() { side("old") } else { side("new") };
    let text = |key: &str| record[key].as_str().unwrap_or_default().chars().take(40).collect::<String>();
    format!("{} {place}: {} → {}", record["kind"], text("old_text"), text("new_text"))
}

fn impact(client: &dyn ToolClient, question: &Question, entity: &str) -> Result<Listed, ToolFailure> {
    let mut arguments = json!({ "entity": entity, "limit": 200 });
    let mentions = all_parts(client, "find_mentions", &mut arguments, "mentions")?;
    let page = |mention: &Value| {
        let place = &mention["place"];
        Some((place["reg_id"].as_str()?.to_owned(), u32::try_from(place["page"].as_u64()?).ok()?))
    };
    let found: BTreeSet<(String, u32)> = mentions.iter().filter_map(page).collect();
    let wanted: BTreeSet<(String, u32)> = question
        .needs
        .iter()
        .flat_map(|need| need.pages.iter().map(|page| (need.reg_id.to_string(), *page)))
        .collect();
    let name = |(reg_id, page): &(String, u32)| format!("{reg_id} P{page}");
    Ok(Listed {
        found: wanted.intersection(&found).count(),
        missing: wanted.difference(&found).map(name).collect(),
        extra: found.difference(&wanted).map(name).collect(),
    })
}

/// A list whole, however many parts it comes in.
fn all_parts(
    client: &dyn ToolClient,
    tool: &str,
    arguments: &mut Value,
    key: &str,
) -> Result<Vec<Value>, ToolFailure> {
    let mut all = Vec::new();
    loop {
        let mut part = client.call_json(tool, arguments.clone())?;
        if let Some(items) = part[key].as_array_mut() {
            all.append(items);
        }
        match part["next"].as_str() {
            Some(next) => arguments["cursor"] = json!(next),
            None => return Ok(all),
        }
    }
}

/// Sums up what came of each question.
pub fn scores(judged: &[(&Question, Listed)]) -> EditionScores {
    let mut scores = EditionScores::default();
    let mut kinds: BTreeMap<&str, Vec<&Listed>> = BTreeMap::new();
    for (question, listed) in judged {
        kinds.entry(&question.kind).or_default().push(listed);
        if !listed.is_exact() {
            scores.failures.push(format!(
                "{} {}: missing {:?}, extra {:?}",
                question.id, question.question, listed.missing, listed.extra
            ));
        }
    }
    for (kind, lists) in kinds {
        let sum = |count: &dyn Fn(&Listed) -> usize| lists.iter().map(|one| count(one)).sum::<usize>();
        let found = sum(&|one| one.found);
        scores.kinds.insert(
            kind.to_owned(),
            ListScores {
                questions: lists.len(),
                exact: rounded(share(lists.iter().filter(|one| one.is_exact()).count(), lists.len())),
                recall: rounded(share(found, found + sum(&|one| one.missing.len()))),
                precision: rounded(share(found, found + sum(&|one| one.extra.len()))),
            },
        );
    }
    scores
}

#[cfg(test)]
mod tests {
    use regreader_agent::{Outcome, Statement};
    use regreader_model::{Citation, PageNumber};

    use super::*;
    use crate::questions::read_text;

    struct Tools;

    impl ToolClient for Tools {
        fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
            Ok(match (tool, arguments["cursor"].as_str()) {
                ("list_changes", None) => json!({ "next": "2", "changes": [
                    { "kind": "limit", "old": { "table": "2-2" }, "new": { "table": "2-2" }, "old_text": "160", "new_text": "180" },
                    { "kind": "added", "old": null, "new": { "clause": "6.5.2" }, "new_text": "装置不得恢复" },
                ] }),
                ("list_changes", Some("2")) => json!({ "changes": [
                    { "kind": "text", "old": { "clause": "7" }, "new": { "clause": "7" }, "old_text": "甲", "new_text": "乙" },
                ] }),
                ("find_mentions", None) => json!({ "mentions": [
                    { "place": { "reg_id": "a_1", "page": 3 } }, { "place": { "reg_id": "a_1", "page": 3 } },
                    { "place": { "reg_id": "a_1", "page": 5 } },
                ] }),
                other => panic!("{other:?}"),
            })
        }
    }

    fn questions() -> Vec<Question> {
        let lines = [
            r#"{"id":"c","kind":"change","question":"?","changes":{"old":"a_1","new":"a_2","expect":[{"place":"2-2","old":"160","new":"180"},{"place":"6.5.2","new":"不得恢复"},{"place":"8","old":"x","new":"y"}]}}"#,
            r#"{"id":"i","kind":"impact","question":"?","entity":"甲线","pages":{"a_1":[3,4]}}"#,
            r#"{"id":"d","kind":"as_of","question":"?","as_of":"2023-05-01","reg_ids":["a_1"],"pages":{"a_1":[3]},"answer_contains":["160"]}"#,
        ];
        read_text("set", &lines.join("\n")).unwrap()
    }

    #[test]
    fn lists_are_judged_by_what_they_lack_and_have_too_much() {
        let questions = questions();
        let change = list(&Tools, &questions[0]).unwrap().unwrap();
        assert_eq!((change.found, change.missing.len(), change.extra.len()), (2, 1, 1), "{change:?}");
        let impact = list(&Tools, &questions[1]).unwrap().unwrap();
        assert_eq!(impact.missing, ["a_1 P4"]);
        assert_eq!(impact.extra, ["a_1 P5"]);
        assert_eq!(list(&Tools, &questions[2]).unwrap(), None);
        let scores = scores(&[(&questions[0], change), (&questions[1], impact)]);
        let change = scores.kinds["change"];
        assert!((change.recall - 0.6667).abs() < 1e-9 && (change.precision - 0.6667).abs() < 1e-9);
        assert!((scores.kinds["impact"].recall - 0.5).abs() < 1e-9 && scores.failures.len() == 2);
    }

    #[test]
    fn an_answer_of_a_day_is_right_only_from_the_editions_of_that_day() {
        let question = questions().remove(2);
        assert_eq!(question.editions, Some(EditionQuestion::AsOf("2023-05-01".to_owned())));
        let mut answer = Answer::refusal("?", Outcome::Answered, "");
        let citation = |reg_id: &str| Citation {
            reg_id: reg_id.parse().ok(),
            page_num: PageNumber::new(3),
            ..Citation::default()
        };
        answer.measures.push(Statement::new("限额 160", citation("a_1")));
        assert!(judge_answer(&question, &answer).is_exact());
        answer.measures.push(Statement::new("限额 180", citation("a_2")));
        assert_eq!(judge_answer(&question, &answer).extra, ["a_2"]);
        let refused = judge_answer(&question, &Answer::refusal("?", Outcome::NotFound, ""));
        assert!(!refused.is_exact() && !refused.missing.is_empty());
    }
}
