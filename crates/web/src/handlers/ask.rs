//! `/ask`: questions, streamed answers, and answers given before.

use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::Markup;
use regreader_messages::{Language, web as w};
use regreader_model::{CivilDate, PageNumber};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::reader::{beside, marked_address, sheet_address};
use crate::address::Address;
use crate::app::{App, Ctx, Shared, answering, blocking, page};
use crate::backend::{AnswerReply, AnswerStatement, AskEvent, AskRequest, Failure, FailureKind};
use crate::form::Form;
use crate::marks::{self, Certainty, Target};
use crate::views::ask::AskScreen;
use crate::{export, office, views};

/// A question, as typed.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Question {
    #[serde(default)]
    q: String,
    #[serde(default)]
    agent: String,
    #[serde(default)]
    conversation: String,
    #[serde(default)]
    as_of: String,
}

/// Longer questions are rejected.
const MAX_QUESTION: usize = 2_000;

impl Question {
    fn request(&self, ctx: &Ctx) -> Result<AskRequest, Failure> {
        let question = self.q.trim();
        if question.is_empty() || question.chars().count() > MAX_QUESTION {
            return Err(Failure::new(FailureKind::Invalid, ctx.lang.say(w::INVALID)));
        }
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let as_of = self.as_of.trim();
        if !as_of.is_empty() && as_of.parse::<CivilDate>().is_err() {
            return Err(Failure::new(FailureKind::Invalid, ctx.lang.say(w::INVALID)));
        }
        Ok(AskRequest {
            question: question.to_owned(),
            agent: some(&self.agent),
            regulations: Vec::new(),
            conversation: some(&self.conversation),
            as_of: some(as_of),
            asker: ctx.identity.as_ref().map_or_else(|| "web".to_owned(), |identity| identity.name.clone()),
        })
    }
}

/// The form. A link with a question is answered at once, by the agent that costs nothing and only where the link was
/// followed on purpose: another site must not make this one work.
pub async fn show(State(app): State<Shared>, ctx: Ctx, Query(question): Query<Question>) -> Response {
    let answers_now = !question.q.trim().is_empty() && !ctx.cross_site;
    let asking = ctx.clone();
    let view = if answers_now {
        let offline = Question { agent: "offline".to_owned(), ..question };
        answering(&app, move |app| answered(app, &asking, &offline)).await
    } else {
        blocking(&app, move |app| Ok(screen(app, &asking, &question, None))).await
    };
    page(&ctx, view)
}

/// A question from the form, for browsers without scripts.
pub async fn post(State(app): State<Shared>, ctx: Ctx, Form(question): Form<Question>) -> Response {
    let asking = ctx.clone();
    page(&ctx, answering(&app, move |app| answered(app, &asking, &question)).await)
}

fn answered(app: &App, ctx: &Ctx, question: &Question) -> Result<Markup, Failure> {
    let reply = app.backend.ask(&question.request(ctx)?, &mut |_| {})?;
    let (id, reply) = app.answers.keep(reply);
    Ok(screen(app, ctx, question, Some((&id, &reply))))
}

fn screen(app: &App, ctx: &Ctx, question: &Question, answer: Option<(&str, &AnswerReply)>) -> Markup {
    let agents = app.backend.agents();
    let conversation = answer.and_then(|(_, reply)| reply.conversation.as_deref()).unwrap_or_default();
    let places = answer.map(|(_, reply)| places(app, reply)).unwrap_or_default();
    let first = places.first();
    let view = AskScreen {
        question: &question.q,
        agents: &agents,
        agent: &question.agent,
        conversation,
        as_of: &question.as_of,
        answer: answer.map(|(id, reply)| views::ask::answer(ctx.lang, id, reply, &addresses(&places))),
        beside: first.and_then(|(reg_id, page, target)| beside(app, ctx, reg_id, *page, target).ok()),
    };
    views::ask::page(ctx, &view)
}

/// Where each statement stands, in the order in which they are shown.
fn places(app: &App, reply: &AnswerReply) -> Vec<(String, PageNumber, Target)> {
    let related = reply.related.iter().map(AnswerStatement::from);
    let said = reply.measures.iter().chain(&reply.cautions).cloned().chain(related);
    said.map(|statement| {
        let proven = statement.place.as_ref().filter(|_| statement.verified).map(|place| place.page_num);
        let page = proven.and_then(PageNumber::new).or_else(|| PageNumber::new(statement.page_num));
        let page = page.unwrap_or(PageNumber::FIRST);
        let target = target_of(app, &statement, page);
        (statement.reg_id, page, target)
    })
    .collect()
}

/// What to mark for a statement. The place that the check found comes first; without one the statement's own words are
/// looked for among the stored boxes of the cited page, and where they are not found nothing is marked.
fn target_of(app: &App, statement: &AnswerStatement, page: PageNumber) -> Target {
    let quote = statement.text.lines().next().map(|line| crate::blocks::plain_text(line).to_owned());
    // The nearest passage of a statement that is not verified proves nothing and is not marked.
    if let Some(place) = statement.place.as_ref().filter(|_| statement.verified) {
        if place.table_id.is_some() {
            return Target { table: place.table_id.clone(), row: place.row, ..Target::default() };
        }
        if place.block_id.is_some() {
            let quote = Some(place.text.clone()).filter(|text| !text.is_empty());
            return Target { block: place.block_id.clone(), quote, ..Target::default() };
        }
    }
    // What is calculated stands nowhere; the row it was calculated from does.
    let mut quoted =
        std::iter::once(&statement.text).chain(statement.operands.iter().map(|operand| &operand.text));
    if let Some(target) = quoted.find_map(|text| quoted_row(app, &statement.reg_id, text, page)) {
        return target;
    }
    let Ok(document) = app.backend.page(&statement.reg_id, page) else {
        return Target { quote, ..Target::default() };
    };
    // The longest line that stands in exactly one block names that block.
    let mut lines: Vec<&str> = statement.text.lines().map(crate::blocks::plain_text).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.chars().count()));
    for line in lines {
        let found = document.content_blocks.iter().filter(|block| {
            marks::quote_in_block(block, line).is_some_and(|marks| marks.certainty != Certainty::Unsure)
        });
        let found: Vec<_> = found.collect();
        if let [block] = found[..] {
            let id = block.block_id.as_str().to_owned();
            return Target { block: Some(id), quote: Some(line.to_owned()), ..Target::default() };
        }
    }
    Target { quote, ..Target::default() }
}

/// The row of a table of the cited page that a text quotes: as a row of Markdown, or as lines of headers and values.
fn quoted_row(app: &App, reg_id: &str, text: &str, page: PageNumber) -> Option<Target> {
    let parts = app.backend.regulation(reg_id).ok()?;
    let rendered = text.lines().rfind(|line| line.trim_start().starts_with('|'));
    let mut tables = parts.tables.on_page(page).filter_map(|table| {
        let found = match rendered {
            Some(row) => marks::rows_like(table, row),
            None => marks::rows_by_header(table, text, page),
        };
        let [row] = found[..] else { return None };
        Some(Target { table: Some(table.table_id.as_str().to_owned()), row: Some(row), ..Target::default() })
    });
    // Two tables with the same row: unsure.
    tables.next().filter(|_| tables.next().is_none())
}

fn addresses(places: &[(String, PageNumber, Target)]) -> Vec<(Address, Address)> {
    let both = places.iter().map(|(reg_id, page, target)| {
        (marked_address(reg_id, *page, target), sheet_address(reg_id, *page, target))
    });
    both.collect()
}

/// The answer as it comes: one JSON object on a line, the last with the answer as a piece of a page.
pub async fn stream(State(app): State<Shared>, ctx: Ctx, Form(question): Form<Question>) -> Response {
    let request = match question.request(&ctx) {
        Ok(request) => request,
        Err(failure) => return (StatusCode::BAD_REQUEST, failure.message).into_response(),
    };
    let (send, receive) = mpsc::channel::<Value>(64);
    let work = move |app: &App| {
        let tell = |value: Value| {
            // A reader who has gone away stops listening; the answer is written to the log all the same.
            let _ = send.blocking_send(value);
        };
        let last = match app.backend.ask(&request, &mut |event: AskEvent| tell(json!(event))) {
            Ok(reply) => {
                let (id, reply) = app.answers.keep(reply);
                let html = views::ask::answer(ctx.lang, &id, &reply, &addresses(&places(app, &reply)));
                json!({ "event": "answer", "id": id, "conversation": reply.conversation, "html": html.into_string() })
            }
            Err(failure) => json!({ "event": "failure", "message": failure.message, "hint": failure.hint }),
        };
        tell(last);
        Ok(())
    };
    // The stream ends with the work, whatever becomes of it.
    tokio::spawn(async move { answering(&app, work).await });
    super::json_lines(receive)
}

/// An answer given before.
pub async fn kept(State(app): State<Shared>, ctx: Ctx, Path(id): Path<String>) -> Response {
    let asking = ctx.clone();
    let view = blocking(&app, move |app| {
        let reply = app.answers.get(&id).ok_or_else(|| gone(asking.lang))?;
        let question =
            Question { q: reply.question.clone(), agent: reply.agent.clone(), ..Question::default() };
        Ok(screen(app, &asking, &question, Some((&id, &reply))))
    });
    page(&ctx, view.await)
}

fn gone(lang: Language) -> Failure {
    Failure::new(FailureKind::NotFound, lang.say(w::ANSWER_GONE))
}

/// An answer as a file.
pub fn export(app: &Shared, ctx: &Ctx, id: &str, file: &str) -> Response {
    let Some(reply) = app.answers.get(id) else { return ctx.failure(&gone(ctx.lang)) };
    let markdown = export::answer_markdown(ctx.lang, &reply);
    match file {
        "answer.md" => download(markdown.into_bytes(), "text/markdown; charset=utf-8", "answer.md"),
        "answer.docx" => match office::docx(&markdown) {
            Ok(bytes) => download(bytes, office::DOCX, "answer.docx"),
            Err(error) => ctx.failure(&Failure::new(FailureKind::Broken, error.to_string())),
        },
        _ => ctx.failure(&Failure::new(FailureKind::NotFound, ctx.lang.say(w::NOT_FOUND))),
    }
}

/// A file to be saved.
pub fn download(bytes: Vec<u8>, kind: &'static str, name: &str) -> Response {
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Ok(disposition) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    response
}
