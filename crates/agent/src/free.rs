//! The `claude` agent: a model with the tools and the protocol as its role.
//!
//! Its text is taken apart into statements while it arrives; each is checked before anyone sees it, and shown as soon as
//! it stands. Statements that do not stand go back to the model once; what still does not stand is removed or marked.

use std::sync::LazyLock;

use regreader_llm::{ChatModel, Message, ToolChoice};
use regreader_messages::{agents, answers};
use regreader_text::{fold, words_of};

use crate::agent::{Agent, AgentError};
use crate::answer::answer_language;
use crate::check::{Checked, check, complaints, unread};
use crate::dialogue::{Dialogue, Heard};
use crate::draft::{Draft, Drafter, Section, statements};
use crate::library::Library;
use crate::prompt::{AnswerForm, repair, role};
use crate::typed::no_answer;
use crate::{Conversation, Event, Outcome, Reply, Statement, ToolFailure};

/// Words with which a model says that the regulations say nothing.
static NOT_FOUND: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words of nothing found"));

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
        Dialogue::new(agent, model, role(library, AnswerForm::Text), question, conversation, report);
    let mut live = Live::new(agent, library);
    let mut standing: Vec<Checked> = Vec::new();
    let mut repairs = 0;
    let text = loop {
        let concluding = dialogue.must_conclude();
        let choice = if concluding { ToolChoice::None } else { ToolChoice::Auto };
        live.begin(dialogue.calls > 0);
        let response = dialogue.turn(agent.tools, choice, &mut |heard, report| live.hear(heard, report))?;
        let text = response.text();
        if response.tool_calls().next().is_some() && !concluding && !dialogue.is_over() {
            if !text.trim().is_empty() {
                dialogue.report(Event::Thinking { text: text.trim().to_owned() });
            }
            dialogue.run_tools(&response, &mut |_| Ok(None))?;
            continue;
        }
        let mut checked = live.end(&text)?;
        if dialogue.calls == 0 {
            checked = unread(checked);
        }
        let (good, bad): (Vec<Checked>, Vec<Checked>) =
            checked.into_iter().partition(|one| one.problem.is_none());
        for one in &good {
            dialogue.report_shown(&mut live, one);
        }
        // A model that is asked to mend some statements often gives the others again.
        for one in good {
            if !standing.contains(&one) {
                standing.push(one);
            }
        }
        let may_repair = repairs < agent.options.budgets.repairs && !concluding && !dialogue.is_over();
        if !bad.is_empty() && bad.iter().any(|one| !one.statement.citation.is_empty()) && may_repair {
            repairs += 1;
            dialogue.report(Event::Notice { text: agents::corrects(bad.len()) });
            dialogue.messages.push(Message::user(repair(&complaints(&bad), AnswerForm::Text)));
            continue;
        }
        standing.extend(bad);
        break text;
    };
    let cited = standing.iter().any(|one| !one.statement.citation.is_empty());
    let reply = if cited {
        dialogue.reply(question, Outcome::Answered, None, standing)
    } else {
        let (outcome, message) = match dialogue.stopped {
            Some(_) => no_answer(&dialogue, question, &text),
            None => refusal(question, &text, dialogue.calls > 0),
        };
        dialogue.reply(
            question,
            outcome,
            Some(message),
            if outcome == Outcome::Declined { Vec::new() } else { standing },
        )
    };
    for (section, list) in
        [(Section::Measures, &reply.answer.measures), (Section::Cautions, &reply.answer.cautions)]
    {
        for statement in list.iter().filter(|statement| !statement.verified) {
            live.show(section, statement, &mut |event| dialogue.report(event));
        }
    }
    dialogue.report(Event::Text { text: closing(&reply) });
    Ok(reply)
}

/// Whether a model says that the regulations say nothing.
pub fn says_not_found(text: &str) -> bool {
    let folded = fold(text);
    NOT_FOUND.iter().any(|words| folded.contains(words))
}

/// How a text without any citation is to be understood. What is said to it are fixed words: the model's own could claim
/// anything, with nothing to hold them against.
pub fn refusal(question: &str, text: &str, searched: bool) -> (Outcome, String) {
    let language = answer_language(question);
    if searched || says_not_found(text) {
        return (Outcome::NotFound, language.say(answers::NOT_FOUND).to_owned());
    }
    (Outcome::Declined, language.say(answers::DECLINED).to_owned())
}

impl Dialogue<'_, '_> {
    /// Shows a statement that stands, unless it was shown while it arrived.
    fn report_shown(&mut self, live: &mut Live<'_>, one: &Checked) {
        live.show(one.section, &one.statement, &mut |event| self.report(event));
    }
}

/// What is seen while the answer arrives: whole statements that stand, each once.
struct Live<'a> {
    agent: &'a Agent<'a>,
    library: &'a Library,
    drafter: Drafter,
    checked: Vec<(Draft, Checked)>,
    failure: Option<ToolFailure>,
    shown: Vec<String>,
    section: Option<Section>,
    has_read: bool,
}

impl<'a> Live<'a> {
    fn new(agent: &'a Agent<'a>, library: &'a Library) -> Self {
        Self {
            agent,
            library,
            drafter: Drafter::default(),
            checked: Vec::new(),
            failure: None,
            shown: Vec::new(),
            section: None,
            has_read: false,
        }
    }

    /// A new turn begins. A model that has read nothing is not shown before its turn has ended.
    fn begin(&mut self, has_read: bool) {
        self.has_read = has_read;
        self.drafter = Drafter::default();
        self.checked.clear();
    }

    fn hear(&mut self, heard: &Heard<'_>, report: &mut dyn FnMut(Event)) {
        match heard {
            Heard::Restart => self.begin(self.has_read),
            Heard::Text(text) => {
                self.drafter.feed(text);
                for draft in self.drafter.take() {
                    // What stands before the first heading may be talk before a tool call.
                    if draft.section == Section::Opening || draft.places.is_empty() || self.failure.is_some()
                    {
                        continue;
                    }
                    match check(self.agent.client, self.library, &draft) {
                        Ok(checked) => {
                            if checked.problem.is_none() && self.has_read {
                                self.show(checked.section, &checked.statement, report);
                            }
                            self.checked.push((draft, checked));
                        }
                        Err(failure) => self.failure = Some(failure),
                    }
                }
            }
        }
    }

    /// The turn has ended with this text: everything in it, checked.
    fn end(&mut self, text: &str) -> Result<Vec<Checked>, ToolFailure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut all = Vec::new();
        for draft in statements(text) {
            let known =
                self.checked.iter().find(|(known, _)| *known == draft).map(|(_, checked)| checked.clone());
            let checked = match known {
                Some(checked) => checked,
                // An opening without a citation is a greeting or a lead-in.
                None if draft.section == Section::Opening && draft.places.is_empty() => continue,
                None => check(self.agent.client, self.library, &draft)?,
            };
            all.push(checked);
        }
        Ok(all)
    }

    fn show(&mut self, section: Section, statement: &Statement, report: &mut dyn FnMut(Event)) {
        let line = statement.to_line();
        if self.shown.contains(&line) {
            return;
        }
        let section = if section == Section::Cautions { Section::Cautions } else { Section::Measures };
        let mut text = String::new();
        if self.section != Some(section) {
            if self.section.is_some() {
                text.push('\n');
            }
            text.push_str(if section == Section::Cautions {
                "【注意事项】\n"
            } else {
                "【处置措施】\n"
            });
            self.section = Some(section);
        }
        text.push_str(&format!("- {line}\n"));
        self.shown.push(line);
        report(Event::Text { text });
    }
}

/// What follows the statements: the sources, or the one sentence of a refusal.
fn closing(reply: &Reply) -> String {
    if reply.answer.outcome != Outcome::Answered {
        return reply.answer.to_text();
    }
    let sources = reply.answer.sources().into_iter().map(|source| format!("- {}\n", source.place()));
    format!("\n【来源】\n{}", sources.collect::<String>())
}
