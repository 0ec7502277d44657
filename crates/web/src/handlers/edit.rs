//! `/r/{reg}/edit`: what editors may change about a regulation.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use regreader_messages::{Language, web as w};
use regreader_model::EventKind;
use serde::Deserialize;

use super::see_other;
use crate::address::Address;
use crate::app::{Ctx, Shared, blocking, page};
use crate::backend::{Failure, FailureKind, Metadata, RecordedEvent, RegulationParts};
use crate::form::Form;
use crate::views;

/// Whether something was just saved.
#[derive(Debug, Deserialize)]
pub struct Saved {
    saved: Option<String>,
}

/// The form.
pub async fn show(
    State(app): State<Shared>,
    ctx: Ctx,
    Path(reg_id): Path<String>,
    Query(query): Query<Saved>,
) -> Response {
    if !ctx.may_edit() {
        return (StatusCode::FORBIDDEN, ctx.lang.say(w::EDITOR_ONLY)).into_response();
    }
    let asking = ctx.clone();
    let view = blocking(&app, move |app| {
        let parts = app.backend.regulation(&reg_id)?;
        let mut cards = app.backend.regulations()?;
        cards.sort_by(|a, b| a.info.reg_id.cmp(&b.info.reg_id));
        Ok(views::edit::page(&asking, &parts, &cards, query.saved.is_some()))
    });
    page(&ctx, view.await)
}

/// What was typed. One of the two forms of the screen sends `only`, and leaves the details as they are.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct EditForm {
    only: String,
    title: String,
    aliases: String,
    edition: String,
    series: String,
    description: String,
    scope: String,
    keywords: String,
    supersedes: String,
    event_kind: String,
    event_date: String,
    event_by: String,
    event_note: String,
    forget: String,
}

impl EditForm {
    /// The details to write.
    fn metadata(&self, lang: Language, parts: &RegulationParts) -> Result<Metadata, Failure> {
        let invalid = || Failure::new(FailureKind::Invalid, lang.say(w::INVALID));
        let kind = |name: &str| EventKind::ALL.into_iter().find(|kind| kind.name() == name);
        if self.only == "event" {
            let kept = kept(parts);
            if !self.forget.is_empty() {
                return Ok(Metadata { forget: Some(kind(&self.forget).ok_or_else(invalid)?), ..kept });
            }
            let date = Some(self.event_date.trim()).filter(|date| !date.is_empty());
            let event = RecordedEvent {
                kind: kind(&self.event_kind).ok_or_else(invalid)?,
                date: date.map(str::parse).transpose().map_err(|_| invalid())?,
                by: Some(cut(&self.event_by, 200)).filter(|by| !by.is_empty()),
                note: cut(&self.event_note, 300),
            };
            return Ok(Metadata { record: Some(event), ..kept });
        }
        let title = cut(&self.title, 300);
        if title.is_empty() {
            return Err(invalid());
        }
        Ok(Metadata {
            title,
            aliases: lines(&self.aliases),
            edition: cut(&self.edition, 100),
            series: cut(&self.series, 100),
            description: cut(&self.description, 4_000),
            scope: cut(&self.scope, 4_000),
            keywords: lines(&self.keywords),
            supersedes: cut(&self.supersedes, 200),
            record: None,
            forget: None,
        })
    }
}

/// The details as they are.
fn kept(parts: &RegulationParts) -> Metadata {
    let info = parts.info.clone();
    Metadata {
        title: info.title,
        aliases: info.aliases,
        edition: info.edition.unwrap_or_default(),
        series: info.series.unwrap_or_default(),
        description: info.description.unwrap_or_default(),
        scope: info.scope.unwrap_or_default(),
        keywords: info.keywords,
        supersedes: info.supersedes.map(|id| id.to_string()).unwrap_or_default(),
        record: None,
        forget: None,
    }
}

fn cut(text: &str, length: usize) -> String {
    text.trim().chars().filter(|c| *c == '\n' || !c.is_control()).take(length).collect()
}

/// One name a line, each once.
fn lines(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in text.lines().map(|line| cut(line, 200)).filter(|line| !line.is_empty()).take(100) {
        if !names.contains(&line) {
            names.push(line);
        }
    }
    names
}

/// Writes what was typed and shows the form again.
pub async fn save(
    State(app): State<Shared>,
    ctx: Ctx,
    Path(reg_id): Path<String>,
    Form(form): Form<EditForm>,
) -> Response {
    if !ctx.may_edit() {
        return (StatusCode::FORBIDDEN, ctx.lang.say(w::EDITOR_ONLY)).into_response();
    }
    let by = ctx.identity.as_ref().map_or_else(|| "web".to_owned(), |identity| identity.name.clone());
    let back = Address::edit(&reg_id).with("saved", "1").to_string();
    let lang = ctx.lang;
    let saved = blocking(&app, move |app| {
        let parts = app.backend.regulation(&reg_id)?;
        app.backend.update(&reg_id, &form.metadata(lang, &parts)?, &by)
    });
    match saved.await {
        Ok(()) => see_other(&back),
        Err(failure) => ctx.failure(&failure),
    }
}
