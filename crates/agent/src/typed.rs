//! The `typed` agent: any model, and an answer that must fit a schema.
//!
//! The answer comes through a tool. What does not fit goes back with the reasons; what fits is checked against its
//! pages; what does not stand goes back once. A model that never manages is read as free text.

use regreader_llm::{ChatModel, Message, ToolChoice};
use regreader_messages::{agents, answers};

use crate::agent::{Agent, AgentError};
use crate::answer::answer_language;
use crate::check::{Checked, check, complaints};
use crate::dialogue::Dialogue;
use crate::draft::statements;
use crate::free::{refusal, says_not_found};
use crate::library::Library;
use crate::prompt::{AnswerForm, SUBMIT, repair, role};
use crate::structured::{Submitted, in_text, submit_tool, validate};
use crate::{Conversation, Event, Outcome, Reply};

/// Answers a question.
pub fn run(
    agent: &Agent<'_>,
    model: &dyn ChatModel,
    library: &Library,
    question: &str,
    conversation: &mut Conversation,
    report: &mut dyn FnMut(Event),
) -> Result<Reply, AgentError> {
    let mut dialogue =
        Dialogue::new(agent, model, role(library, AnswerForm::Tool), question, conversation, report);
    let mut tools = agent.tools.to_vec();
    tools.push(submit_tool());
    let mut desk = Submissions::new(agent, library);
    let mut last_text = String::new();
    loop {
        let concluding = dialogue.must_conclude();
        let choice = if concluding { ToolChoice::Tool(SUBMIT.to_owned()) } else { ToolChoice::Auto };
        let response = dialogue.turn(&tools, choice, &mut |_, _| {})?;
        let text = response.text();
        if response.tool_calls().next().is_some() {
            if !text.trim().is_empty() {
                dialogue.report(Event::Thinking { text: text.trim().to_owned() });
            }
            desk.last_chance = concluding;
            dialogue.run_tools(&response, &mut |call| {
                if call.name != SUBMIT {
                    return Ok(None);
                }
                match &call.malformed {
                    Some(_) => {
                        desk.rejected += 1;
                        Ok(Some(("参数不是 JSON 对象，请重新提交".to_owned(), true)))
                    }
                    None => desk.take(&call.arguments).map(Some),
                }
            })?;
        } else {
            last_text.clone_from(&text);
            let answer = match in_text(&text) {
                Some(value) => desk.take(&value)?.0,
                None => {
                    desk.rejected += 1;
                    "请调用 submit_answer 提交答案。".to_owned()
                }
            };
            dialogue.messages.push(Message::user(answer));
        }
        if let Some((submitted, checked)) = desk.accepted.take() {
            let message = refusal_words(question, submitted.outcome);
            return Ok(dialogue.reply(question, submitted.outcome, message, checked));
        }
        if desk.rejected > agent.options.budgets.retries || dialogue.is_over() {
            dialogue.report(Event::Notice { text: agents::UNFIT.into() });
            return fall_back(agent, library, &dialogue, question, &last_text);
        }
    }
}

/// What the model said, read as free text.
fn fall_back(
    agent: &Agent<'_>,
    library: &Library,
    dialogue: &Dialogue<'_, '_>,
    question: &str,
    text: &str,
) -> Result<Reply, AgentError> {
    let mut checked = Vec::new();
    for draft in statements(text).iter().filter(|draft| !draft.places.is_empty()) {
        checked.push(check(agent.client, library, draft)?);
    }
    if checked.is_empty() {
        let (outcome, message) = no_answer(dialogue, question, text);
        return Ok(dialogue.reply(question, outcome, Some(message), Vec::new()));
    }
    Ok(dialogue.reply(question, Outcome::Answered, None, checked))
}

/// How a question ends to which the model gave nothing that can be read. Only a model that says so found nothing.
pub fn no_answer(dialogue: &Dialogue<'_, '_>, question: &str, text: &str) -> (Outcome, String) {
    let language = answer_language(question);
    match &dialogue.stopped {
        _ if says_not_found(text) => refusal(question, text, true),
        Some(reason) => (Outcome::Stopped, format!("{reason}。{}", language.say(answers::STOPPED))),
        None => (Outcome::Unfit, language.say(answers::UNFIT).to_owned()),
    }
}

/// What is said with an outcome, in fixed words: a message of the model's own could claim anything.
pub fn refusal_words(question: &str, outcome: Outcome) -> Option<String> {
    let language = answer_language(question);
    match outcome {
        Outcome::Answered => None,
        Outcome::Related => Some(language.say(answers::RELATED).to_owned()),
        Outcome::NotFound => Some(language.say(answers::NOT_FOUND).to_owned()),
        _ => Some(language.say(answers::DECLINED).to_owned()),
    }
}

/// Answers that come in, and what became of them.
pub struct Submissions<'a> {
    agent: &'a Agent<'a>,
    library: &'a Library,
    /// How many did not fit.
    pub rejected: u32,
    /// How many were sent back because something in them does not stand.
    pub repaired: u32,
    /// Nothing is sent back any more.
    pub last_chance: bool,
    /// The one that counts.
    pub accepted: Option<(Submitted, Vec<Checked>)>,
}

impl<'a> Submissions<'a> {
    /// None yet.
    pub fn new(agent: &'a Agent<'a>, library: &'a Library) -> Self {
        Self { agent, library, rejected: 0, repaired: 0, last_chance: false, accepted: None }
    }

    /// Takes an answer; what comes back is for the model.
    pub fn take(&mut self, value: &serde_json::Value) -> Result<(String, bool), AgentError> {
        let submitted = match validate(value, self.library) {
            Ok(submitted) => submitted,
            Err(problems) => {
                self.rejected += 1;
                return Ok((format!("答案未被接受，请更正后再次提交：\n- {}", problems.join("\n- ")), true));
            }
        };
        let mut checked = Vec::new();
        for draft in submitted.drafts() {
            checked.push(check(self.agent.client, self.library, &draft)?);
        }
        let complaints = complaints(&checked);
        if !complaints.is_empty() && self.repaired < self.agent.options.budgets.repairs && !self.last_chance {
            self.repaired += 1;
            return Ok((repair(&complaints, AnswerForm::Tool), true));
        }
        self.accepted = Some((submitted, checked));
        Ok(("已接受".to_owned(), false))
    }
}
