//! `/r/{reg}/quality`: the report, and what reviewers say about it.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use regreader_messages::web as w;
use regreader_model::PageNumber;
use serde::Deserialize;

use super::reader::beside;
use super::see_other;
use crate::address::Address;
use crate::app::{Ctx, Shared, blocking, page};
use crate::backend::{Review, ReviewVerdict};
use crate::form::Form;
use crate::marks::Target;
use crate::views;

/// Which page stands beside the report.
#[derive(Debug, Deserialize)]
pub struct Beside {
    page: Option<u32>,
}

/// The report.
pub async fn show(
    State(app): State<Shared>,
    ctx: Ctx,
    Path(reg_id): Path<String>,
    Query(query): Query<Beside>,
) -> Response {
    let asking = ctx.clone();
    let view = blocking(&app, move |app| {
        let parts = app.backend.regulation(&reg_id)?;
        let reviews = app.backend.reviews(&reg_id)?;
        let groups = views::quality::groups(asking.lang, &parts.quality);
        let first = groups.iter().flat_map(|group| &group.findings).find_map(|finding| finding.page);
        let number = query.page.and_then(PageNumber::new).or(first).unwrap_or(PageNumber::FIRST);
        let shown = beside(app, &asking, &reg_id, number, &Target::default()).ok();
        Ok(views::quality::page(&asking, &parts, &reviews, shown.as_ref()))
    });
    page(&ctx, view.await)
}

/// A review, as typed.
#[derive(Debug, Deserialize)]
pub struct ReviewForm {
    #[serde(default)]
    finding: String,
    verdict: ReviewVerdict,
    #[serde(default)]
    comment: String,
    #[serde(default)]
    name: String,
}

/// Writes a review into the audit log and shows the report again.
pub async fn review(
    State(app): State<Shared>,
    ctx: Ctx,
    Path(reg_id): Path<String>,
    Form(form): Form<ReviewForm>,
) -> Response {
    if !ctx.may_edit() {
        return (StatusCode::FORBIDDEN, ctx.lang.say(w::EDITOR_ONLY)).into_response();
    }
    let cut = |text: &str, length: usize| text.trim().chars().take(length).collect::<String>();
    let name = cut(&form.name, 60);
    if name.is_empty() {
        return (StatusCode::BAD_REQUEST, ctx.lang.say(w::INVALID)).into_response();
    }
    let review = Review {
        finding: Some(cut(&form.finding, 200)).filter(|finding| !finding.is_empty()),
        verdict: form.verdict,
        comment: cut(&form.comment, 400),
        name,
        time: String::new(),
    };
    let back = Address::quality(&reg_id).to_string();
    match blocking(&app, move |app| app.backend.review(&reg_id, &review)).await {
        Ok(()) => see_other(&back),
        Err(failure) => ctx.failure(&failure),
    }
}
