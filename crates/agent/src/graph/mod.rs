//! The `graph` agent: route → locate → read → trace → answer → verify.
//!
//! The model decides at two nodes only, where it routes and where it answers; searching, reading, tracing and verifying
//! are done by the graph. Edges are conditional: chit-chat ends at the first node, an answer that needs more goes back to
//! locate, statements that do not stand go back to answer. After every node the whole state is reported as a
//! checkpoint, from which the graph can go on in another process.

mod nodes;

use regreader_llm::ChatModel;
use regreader_messages::answers;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{Agent, AgentError};
use crate::answer::answer_language;
use crate::dialogue::Dialogue;
use crate::library::Library;
use crate::prompt::{AnswerForm, role};
use crate::structured::Submitted;
use crate::typed::{no_answer, refusal_words};
use crate::{Conversation, Event, Outcome, Reply};

/// Rounds of searching for one question.
const MAX_SEARCHES: u32 = 3;

/// A place in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    /// Choose regulations and what to search for.
    #[default]
    Route,
    /// Looks for passages.
    Locate,
    /// Read pages and tables.
    Read,
    /// Follow notes and references.
    Trace,
    /// Have the model answer.
    Answer,
    /// Check every statement.
    Verify,
    /// Nothing is left to do.
    End,
}

impl Node {
    fn name(self) -> &'static str {
        match self {
            Self::Route => "route",
            Self::Locate => "locate",
            Self::Read => "read",
            Self::Trace => "trace",
            Self::Answer => "answer",
            Self::Verify => "verify",
            Self::End => "end",
        }
    }
}

/// Everything the graph knows; what a checkpoint holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// Where to go on.
    pub node: Node,
    /// The question is none about regulations.
    pub chitchat: bool,
    /// What to say to it.
    pub message: Option<String>,
    /// Regulations to search; none: chosen by the search.
    pub regulations: Vec<String>,
    /// What to search for next.
    pub queries: Vec<String>,
    /// Rounds of searching.
    pub searches: u32,
    /// Pages found, best first.
    pub pages: Vec<Found>,
    /// Tables found, best first.
    pub tables: Vec<(String, String)>,
    /// What was read.
    pub passages: Vec<Passage>,
    /// Pages, tables and references that were looked at.
    pub visited: Vec<String>,
    /// The answer, once there is one.
    pub submitted: Option<Submitted>,
    /// Statements of it that do not stand.
    pub complaints: Vec<String>,
    /// Rounds of mending.
    pub repairs: u32,
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Regulation that the hit belongs to.
    pub reg_id: String,
    /// Page that the hit stands on.
    pub page_num: u32,
    /// Greater is better.
    pub score: f64,
}

/// Something that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// The tool that gave it.
    pub tool: String,
    /// Regulation that the passage belongs to.
    pub reg_id: String,
    /// First page.
    pub page_num: u32,
    /// What the model sees.
    pub text: String,
}

/// Answers a question, from the beginning or from a checkpoint.
pub fn run(
    agent: &Agent<'_>,
    model: &dyn ChatModel,
    library: &Library,
    question: &str,
    checkpoint: Option<&Value>,
    conversation: &mut Conversation,
    report: &mut dyn FnMut(Event),
) -> Result<Reply, AgentError> {
    // A checkpoint that cannot be read is of another version: the graph begins anew.
    let mut state: State =
        checkpoint.and_then(|value| serde_json::from_value(value.clone()).ok()).unwrap_or_default();
    let mut dialogue =
        Dialogue::new(agent, model, role(library, AnswerForm::Tool), question, conversation, report);
    dialogue.resumed = !state.passages.is_empty();
    let history = dialogue.messages.clone();
    let mut checked = Vec::new();
    while state.node != Node::End {
        match state.node {
            Node::Route => nodes::route(agent, library, &mut dialogue, &mut state)?,
            Node::Locate => nodes::locate(&mut dialogue, &mut state)?,
            Node::Read => nodes::read(&mut dialogue, &mut state)?,
            Node::Trace => nodes::trace(&mut dialogue, &mut state)?,
            Node::Answer => nodes::answer(agent, library, question, &history, &mut dialogue, &mut state)?,
            Node::Verify => checked = nodes::verify(agent, library, &mut state)?,
            Node::End => {}
        }
        state.node = next(agent, &mut state, &mut dialogue);
        let value = serde_json::to_value(&state).unwrap_or(Value::Null);
        dialogue.report(Event::Checkpoint { node: state.node.name().to_owned(), state: value });
    }
    let Some(submitted) = &state.submitted else {
        // What was found was put to the model, and no answer came of it: that is not the library's silence.
        let was_read = !state.passages.is_empty();
        let (outcome, message) = match &state.message {
            // It asks for more and more, and what was found never suits it.
            None if was_read && !state.chitchat && state.searches >= MAX_SEARCHES => {
                let language = answer_language(question);
                let searched = answers::searches_done(language, MAX_SEARCHES);
                (Outcome::Stopped, format!("{searched}{}", language.say(answers::STOPPED)))
            }
            _ if was_read && !state.chitchat => {
                no_answer(&dialogue, question, state.message.as_deref().unwrap_or_default())
            }
            _ => {
                let outcome = if state.chitchat { Outcome::Declined } else { Outcome::NotFound };
                (outcome, refusal_words(question, outcome).unwrap_or_default())
            }
        };
        return Ok(dialogue.reply(question, outcome, Some(message), Vec::new()));
    };
    let outcome = submitted.outcome;
    if checked.is_empty() && outcome == Outcome::Answered {
        checked = nodes::verify(agent, library, &mut state.clone())?;
    }
    let message = refusal_words(question, outcome);
    Ok(dialogue.reply(question, outcome, message, checked))
}

/// The edges.
fn next(agent: &Agent<'_>, state: &mut State, dialogue: &mut Dialogue<'_, '_>) -> Node {
    match state.node {
        Node::Route if state.chitchat => Node::End,
        Node::Route => Node::Locate,
        Node::Locate if state.pages.is_empty() && state.tables.is_empty() => {
            // Nothing where it was looked for: look everywhere once, unless the person named the regulations.
            if agent.options.regulations.is_empty()
                && state.regulations != ["all"]
                && state.searches < MAX_SEARCHES
            {
                state.regulations = vec!["all".to_owned()];
                return Node::Locate;
            }
            Node::End
        }
        Node::Locate => Node::Read,
        Node::Read => Node::Trace,
        Node::Trace => Node::Answer,
        Node::Answer if state.submitted.is_some() => Node::Verify,
        Node::Answer
            if !state.queries.is_empty() && state.searches < MAX_SEARCHES && !dialogue.must_conclude() =>
        {
            Node::Locate
        }
        Node::Answer => Node::End,
        Node::Verify
            if !state.complaints.is_empty()
                && state.repairs < agent.options.budgets.repairs
                && !dialogue.must_conclude() =>
        {
            state.repairs += 1;
            Node::Answer
        }
        Node::Verify | Node::End => Node::End,
    }
}
