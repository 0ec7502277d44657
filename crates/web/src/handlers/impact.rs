//! `/impact`

use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::compare::place;
use super::reader::{beside, marked_address, sheet_address, text_of};
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
    let mut arguments = json!({ "entity": query.entity, "depth": query.depth, "limit": 100 });
    if !query.as_of.is_empty() {
        arguments["as_of"] = json!(query.as_of);
    }
    if !query.cursor.is_empty() {
        arguments["cursor"] = json!(query.cursor);
    }
    let found = app.backend.call("trace_impact", arguments)?;
    let mentions: Vec<&Value> = found["mentions"].as_array().into_iter().flatten().collect();
    let first = mentions.first().and_then(|mention| place(&mention["place"]));
    let regulations = found["regulations"].as_array().into_iter().flatten().filter_map(|regulation| {
        let id = text_of(regulation, "reg_id")?;
        Some((
            id,
            text_of(regulation, "title").unwrap_or_default(),
            regulation["count"].as_u64().unwrap_or(0),
        ))
    });
    let pages = found["unreadable_pages"].as_object().into_iter().flatten().map(|(reg_id, pages)| {
        let pages = pages.as_array().into_iter().flatten().map(ToString::to_string);
        (reg_id.clone(), pages.collect::<Vec<_>>().join(", "))
    });
    Ok(ImpactView {
        mentions: mentions.into_iter().filter_map(mention).collect(),
        regulations: regulations.collect(),
        total: found["total"].as_u64().unwrap_or(0),
        complete: found["complete"].as_bool().unwrap_or(false),
        unreadable: pages.collect(),
        next: text_of(&found, "next"),
        beside: first.and_then(|(reg_id, page, target)| beside(app, ctx, &reg_id, page, &target).ok()),
    })
}

fn mention(value: &Value) -> Option<MentionView> {
    let (reg_id, page, target) = place(&value["place"])?;
    Some(MentionView {
        text: text_of(value, "text").unwrap_or_default(),
        citation: text_of(value, "citation").unwrap_or_else(|| format!("{reg_id} P{page}")),
        reason: text_of(value, "reason").unwrap_or_default(),
        via: text_of(value, "via"),
        depth: value["depth"].as_u64().unwrap_or(0),
        address: marked_address(&reg_id, page, &target),
        sheet: sheet_address(&reg_id, page, &target),
        reg_id,
    })
}
