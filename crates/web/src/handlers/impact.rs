//! `/impact`

use axum::extract::{Query, State};
use axum::response::Response;
use regreader_tools::TraceImpact;
use serde::Deserialize;

use super::compare::place;
use super::reader::{beside, marked_address, sheet_address};
use crate::app::{App, Ctx, Shared, blocking, page};
use crate::backend::Failure;
use crate::views;
use crate::views::impact::{ImpactQuery, ImpactView, MentionView};

/// What is asked about, as typed.
#[derive(Debug, Default, Deserialize)]
pub struct Asked {
    #[serde(default)]
    q: String,
    depth: Option<String>,
    #[serde(default)]
    as_of: String,
    #[serde(default)]
    cursor: String,
}

/// Every place that concerns a thing.
pub async fn show(State(app): State<Shared>, ctx: Ctx, Query(asked): Query<Asked>) -> Response {
    let query = ImpactQuery {
        entity: asked.q.trim().chars().take(200).collect(),
        depth: asked.depth.and_then(|text| text.parse().ok()).unwrap_or(1).min(4),
        as_of: asked.as_of.trim().to_owned(),
        cursor: asked.cursor,
    };
    let asking = ctx.clone();
    let view = blocking(&app, move |app| {
        let found = if query.entity.is_empty() { None } else { Some(trace(app, &asking, &query)?) };
        Ok(views::impact::page(&asking, &query, found.as_ref()))
    });
    page(&ctx, view.await)
}

fn trace(app: &App, ctx: &Ctx, query: &ImpactQuery) -> Result<ImpactView, Failure> {
    let some = |text: &String| (!text.is_empty()).then(|| text.clone());
    let found = app.backend.call(&TraceImpact {
        entity: query.entity.clone(),
        depth: query.depth,
        reg_ids: Vec::new(),
        as_of: some(&query.as_of),
        limit: 100,
        cursor: some(&query.cursor),
    })?;
    let first = found.mentions.first().and_then(|mention| place(&mention.impact.mention.place));
    let regulations = found.regulations.into_iter();
    let pages = found.unreadable_pages.into_iter().map(|(reg_id, pages)| {
        (reg_id, pages.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    });
    Ok(ImpactView {
        mentions: found.mentions.into_iter().filter_map(mention).collect(),
        regulations: regulations.map(|one| (one.reg_id, one.title, u64::from(one.count))).collect(),
        total: u64::from(found.total),
        complete: found.complete,
        unreadable: pages.collect(),
        next: found.next,
        beside: first.and_then(|(reg_id, page, target)| beside(app, ctx, &reg_id, page, &target).ok()),
    })
}

fn mention(found: regreader_tools::ImpactView) -> Option<MentionView> {
    let impact = found.impact;
    let (reg_id, page, target) = place(&impact.mention.place)?;
    Some(MentionView {
        text: impact.mention.text,
        citation: found.citation,
        reason: impact.mention.reason,
        via: impact.via,
        depth: u64::from(impact.depth),
        address: marked_address(&reg_id, page, &target),
        sheet: sheet_address(&reg_id, page, &target),
        reg_id,
    })
}
