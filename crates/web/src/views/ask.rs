//! Ask: the question, the answer statement by statement with its verdict, and the page of a statement beside it.

use maud::{Markup, html};
use regreader_messages::{Language, Word, web as w};

use super::layout::{Screen, frame};
use super::reader::pipe_table;
use crate::address::Address;
use crate::app::Ctx;
use crate::backend::{AgentChoice, AnswerReply, AnswerStatement, RelatedPassage};

/// What the screen shows.
pub struct AskScreen<'a> {
    pub question: &'a str,
    pub agents: &'a [AgentChoice],
    pub agent: &'a str,
    pub conversation: &'a str,
    /// Day whose editions answer; empty for today.
    pub as_of: &'a str,
    /// The answer as a piece of a page.
    pub answer: Option<Markup>,
    /// The page of the first statement.
    pub beside: Option<Markup>,
}

/// The screen.
pub fn page(ctx: &Ctx, view: &AskScreen<'_>) -> Markup {
    let l = ctx.lang;
    let title = if view.question.is_empty() { l.say(w::ASK) } else { view.question };
    let screen = Screen { title, section: "/ask", class: "ask", scripts: &["ask.js"], ..Screen::default() };
    frame(
        ctx,
        &screen,
        &html! {
            h1.visually-hidden { (l.say(w::ASK)) }
            div.split {
                section.conversation aria-label=(l.say(w::ANSWER)) {
                    form #ask-form action="/ask" method="post" data-working=(l.say(w::ANSWERING)) data-stopped=(l.say(w::STOPPED)) data-steps=(l.say(w::STEPS)) {
                        input type="hidden" name="conversation" value=(view.conversation);
                        label.wide { span { (l.say(if view.conversation.is_empty() { w::QUESTION } else { w::FOLLOW_UP })) }
                            textarea #question name="q" rows="2" required maxlength="2000" placeholder=(l.say(w::QUESTION_HINT)) { (if view.answer.is_some() { "" } else { view.question }) }
                        }
                        div.ask-row {
                            label { span { (l.say(w::AGENT)) }
                                select name="agent" { @for agent in view.agents {
                                    option value=(agent.name) selected[agent.name == view.agent] { (agent_name(l, &agent.name, agent.model.as_deref())) }
                                } }
                            }
                            label { span { (l.say(w::AS_OF)) } input type="date" name="as_of" value=(view.as_of); }
                            button.primary type="submit" { (l.say(w::ASK)) }
                        }
                    }
                    div #answers aria-live="polite" { @if let Some(answer) = &view.answer { (answer) } }
                }
                section.beside #beside aria-label=(l.say(w::PREVIEW)) tabindex="0" { @if let Some(beside) = &view.beside { (beside) } }
            }
        },
    )
}

fn agent_name(l: Language, name: &str, model: Option<&str>) -> String {
    match (name, model) {
        ("offline", _) => l.say(w::OFFLINE).to_owned(),
        (name, Some(model)) => format!("{name} · {model}"),
        (name, None) => name.to_owned(),
    }
}

/// An answer. `id` is under what it is kept, for its address and its exports. Each statement carries the address of the
/// page that proves it.
pub fn answer(l: Language, id: &str, reply: &AnswerReply, addresses: &[(Address, Address)]) -> Markup {
    let mut places = addresses.iter();
    let mut place = || places.next();
    let base = format!("/ask/{id}");
    html! {
        article.answer data-id=(id) {
            h2.asked { a href=(base) { (reply.question) } }
            @if let Some(message) = &reply.message { p.message { (message) } }
            @if reply.outcome != "answered" && reply.message.is_none() { p.message { (l.say(w::NOT_FOUND_ANSWER)) } }
            @if !reply.measures.is_empty() {
                ol.statements { @for statement in &reply.measures { (self::statement(l, statement, place())) } }
            }
            @if !reply.cautions.is_empty() {
                h3 { (l.say(w::CAUTIONS)) }
                ol.statements { @for statement in &reply.cautions { (self::statement(l, statement, place())) } }
            }
            @if !reply.related.is_empty() {
                h3.warning { (l.say(w::RELATED)) }
                ul.statements { @for passage in &reply.related {
                    (self::related(l, passage, place()))
                } }
            }
            @if !reply.see_also.is_empty() { p.see-also { (l.say(w::SEE_ALSO)) ": " (reply.see_also.join(" ")) } }
            @if !reply.removed.is_empty() {
                details.removed open { summary { (l.say(w::REMOVED)) }
                    ul { @for removed in &reply.removed { li { del { (removed.text) } " " (removed.citation) p.reason { (l.say(w::REASON)) ": " (removed.reason) } } } }
                }
            }
            p.answer-foot {
                span { (l.fill(w::ANSWERED_BY, &[&agent_name(l, &reply.agent, reply.model.as_deref())])) }
                " " (l.say(w::EXPORT)) ": "
                a href={ (base) "/answer.md" } { "Markdown" } " "
                a href={ (base) "/answer.docx" } { "DOCX" } " "
                button type="button" data-print hidden { (l.say(w::PRINT)) }
            }
        }
    }
}

fn statement(l: Language, statement: &AnswerStatement, place: Option<&(Address, Address)>) -> Markup {
    let (class, mark) = if statement.verified { ("verified", "✓") } else { ("unverified", "?") };
    let word = verdict(statement);
    html! {
        li class={ "statement " (class) } {
            (spoken(&statement.text, &statement.citation, place))
            span class={ "verdict " (class) } { span aria-hidden="true" { (mark) " " } (l.say(word)) }
            @if !statement.verified && !statement.missing.is_empty() {
                p.reason.warning { (l.fill(w::MISSING_WORDS, &[&statement.missing.join("、")])) }
            }
        }
    }
}

/// The level of a statement in words, the same on the screen and in what is exported.
pub fn verdict(statement: &AnswerStatement) -> Word {
    match (statement.verified, statement.level.as_deref()) {
        (true, Some("verbatim")) => w::VERBATIM,
        (true, Some("same_passage")) => w::SAME_PASSAGE,
        (true, Some("calculated")) => w::CALCULATED,
        (true, _) => w::VERIFIED,
        (false, _) => w::UNVERIFIED,
    }
}

/// A passage that may bear on the question. That its words stand on the page does not make it an answer, so it looks like
/// none: no tick, and the colour of a warning.
fn related(l: Language, passage: &RelatedPassage, place: Option<&(Address, Address)>) -> Markup {
    let stands_there = passage.level.as_deref().is_some_and(|level| level != "unproven");
    html! {
        li.statement.related {
            (spoken(&passage.text, &passage.citation, place))
            span.verdict.related { (l.say(if stands_there { w::QUOTED } else { w::UNVERIFIED })) }
        }
    }
}

/// The words with their citation; the citation opens the page, marked.
fn spoken(text: &str, citation: &str, place: Option<&(Address, Address)>) -> Markup {
    html! {
        div.said {
            @for part in parts(text) {
                @if part.starts_with('|') { (pipe_table(&part)) } @else { p { (part) } }
            }
        }
        @match place {
            Some((page, sheet)) => a.citation href=(page) data-sheet=(sheet) { (citation) },
            None => span.citation { (citation) },
        }
    }
}

/// A text as paragraphs and pipe tables.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()) {
        let is_row = line.trim_start().starts_with('|');
        match parts.last_mut() {
            Some(last) if is_row && last.starts_with('|') => {
                last.push('\n');
                last.push_str(line.trim_start());
            }
            _ if is_row => parts.push(line.trim_start().to_owned()),
            _ => parts.push(crate::blocks::plain_text(line).to_owned()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_that_may_be_related_carries_no_tick() {
        let passage =
            |level: &str| RelatedPassage { level: Some(level.to_owned()), ..RelatedPassage::default() };
        let shown = |related| {
            let reply = AnswerReply { related, ..AnswerReply::default() };
            answer(Language::Chinese, "x", &reply, &[]).into_string()
        };
        let quoted = shown(vec![passage("verbatim")]);
        assert!(
            quoted.contains("不一定是答案") && !quoted.contains('✓') && !quoted.contains("核实 ·"),
            "{quoted}"
        );
        assert!(shown(vec![passage("unproven")]).contains("未核实"));
    }

    #[test]
    fn quoted_tables_are_tables_and_the_rest_is_paragraphs() {
        assert_eq!(parts("甲\n| a |\n| - |\n| 1 |\n乙"), ["甲", "| a |\n| - |\n| 1 |", "乙"]);
    }
}
