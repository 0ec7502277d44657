//! An answer from an edition that is not in force says so first, whoever gave it.

use regreader_messages::answers;
use regreader_text::script::language_of;
use serde_json::{Value, json};

use crate::{Answer, ToolClient, ToolFailure};

/// Puts before an answer which of the editions that it quotes are not in force on the day of the tools. An edition whose
/// successor is quoted beside it needs no such word: the answer compares the two.
pub(crate) fn say_first(client: &dyn ToolClient, answer: &mut Answer) -> Result<(), ToolFailure> {
    let mut quoted: Vec<String> = Vec::new();
    let stated = answer.statements().map(|one| one.reg_id().to_owned());
    for reg_id in stated.chain(answer.related.iter().map(|one| one.reg_id.clone())) {
        if !reg_id.is_empty() && !quoted.contains(&reg_id) {
            quoted.push(reg_id);
        }
    }
    if quoted.is_empty() {
        return Ok(());
    }
    let listed = client.call_json("list_regulations", json!({}))?;
    let entries = listed["regulations"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut first = Vec::new();
    for reg_id in &quoted {
        let notice = match entries.iter().find(|entry| entry["reg_id"] == reg_id.as_str()) {
            Some(entry) => {
                let successor = entry["status"]["replaced_by"].as_str();
                let compared = successor.is_some_and(|by| quoted.iter().any(|other| other == by));
                entry["edition_notice"].as_str().filter(|_| !compared).map(str::to_owned)
            }
            // A list of many regulations is cut; the regulation itself says it too.
            None => {
                let asked = json!({ "reg_id": reg_id, "max_depth": 1, "as_of": listed["as_of"] });
                let contents = client.call_json("get_toc", asked).unwrap_or(Value::Null);
                contents["edition_notice"].as_str().map(str::to_owned)
            }
        };
        let said = |notice: &str| answer.message.as_deref().is_some_and(|message| message.contains(notice));
        first.extend(notice.filter(|notice| !said(notice)).map(|notice| in_words(&notice)));
    }
    if !first.is_empty() {
        first.extend(answer.message.take().filter(|message| !message.is_empty()));
        answer.message = Some(first.join("\n"));
    }
    Ok(())
}

/// A notice as a sentence, in its own language.
pub(crate) fn in_words(notice: &str) -> String {
    answers::notice(language_of(notice), notice)
}

#[cfg(test)]
mod tests {
    use regreader_model::{Citation, PageNumber};

    use super::*;
    use crate::{Outcome, Statement};

    /// Two editions, the newer of which took the place of the other; a third is left out of the list.
    struct Editions;

    impl ToolClient for Editions {
        fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
            Ok(match tool {
                "list_regulations" => json!({ "as_of": "2025-01-01", "regulations": [
                    { "reg_id": "a_2023", "edition_notice": "甲2023 已不是现行版本", "status": { "replaced_by": "a_2024" } },
                    { "reg_id": "a_2024", "status": {} },
                ] }),
                "get_toc" => {
                    assert_eq!(arguments["as_of"], "2025-01-01");
                    json!({ "edition_notice": "c_2020 is no longer in force" })
                }
                other => panic!("{other}"),
            })
        }
    }

    fn told(reg_ids: &[&str], message: Option<&str>) -> Option<String> {
        let mut answer =
            Answer { message: message.map(str::to_owned), ..Answer::refusal("?", Outcome::Answered, "") };
        for reg_id in reg_ids {
            let citation =
                Citation { reg_id: reg_id.parse().ok(), page_num: PageNumber::new(1), ..Citation::default() };
            answer.measures.push(Statement::new("限额", citation));
        }
        say_first(&Editions, &mut answer).unwrap_or_else(|failure| panic!("{failure}"));
        answer.message
    }

    #[test]
    fn an_edition_that_is_not_in_force_is_said_first_and_once() {
        assert_eq!(told(&["a_2023"], None).as_deref(), Some("注意：甲2023 已不是现行版本。"));
        assert_eq!(
            told(&["a_2023", "a_2023"], Some("问题未说明台数")).as_deref(),
            Some("注意：甲2023 已不是现行版本。\n问题未说明台数")
        );
        let known = "注意：甲2023 已不是现行版本。";
        assert_eq!(told(&["a_2023"], Some(known)).as_deref(), Some(known));
        assert_eq!(told(&["c_2020"], None).as_deref(), Some("Note: c_2020 is no longer in force."));
    }

    #[test]
    fn editions_in_force_and_editions_compared_need_no_word() {
        assert_eq!(told(&["a_2024"], None), None);
        assert_eq!(told(&["a_2023", "a_2024"], None), None);
        assert_eq!(told(&[], Some("未找到相关规定。")).as_deref(), Some("未找到相关规定。"));
    }
}
