//! `/search`

use std::collections::HashMap;

use axum::extract::{Query, State};
use axum::response::Response;
use regreader_model::{PageDocument, PageNumber};
use serde::Deserialize;
use serde_json::{Value, json};

use super::reader::{beside, marked_address, sheet_address, text_of};
use crate::app::{App, Ctx, Shared, blocking, page};
use crate::backend::{Failure, RegulationCard, RegulationParts};
use crate::marks::{self, Target};
use crate::view_options::ViewOptions;
use crate::views;
use crate::views::search::{HitView, Query as Search, Results};
use crate::views::sheet::Sheet;

/// A search, as typed.
#[derive(Debug, Default, Deserialize)]
pub struct SearchQuery {
    #[serde(default)]
    q: String,
    #[serde(default)]
    reg: String,
    #[serde(default)]
    chapter: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    as_of: String,
    sel: Option<String>,
}

/// Hits of one search.
const HITS: u32 = 20;

/// The search screen.
pub async fn show(State(app): State<Shared>, ctx: Ctx, Query(query): Query<SearchQuery>) -> Response {
    let query = Search {
        words: query.q.trim().chars().take(500).collect(),
        regulation: query.reg,
        chapter: query.chapter.trim().to_owned(),
        kind: query.kind,
        as_of: query.as_of.trim().to_owned(),
        selected: query.sel.and_then(|text| text.parse().ok()).unwrap_or(0),
    };
    let asking = ctx.clone();
    let view = blocking(&app, move |app| {
        let mut cards = app.backend.regulations()?;
        cards.sort_by(|a, b| a.info.short_name().cmp(b.info.short_name()));
        let results = if query.words.is_empty() { None } else { Some(search(app, &asking, &query, &cards)?) };
        Ok(views::search::page(&asking, &query, &cards, results.as_ref()))
    });
    page(&ctx, view.await)
}

fn search(app: &App, ctx: &Ctx, query: &Search, cards: &[RegulationCard]) -> Result<Results, Failure> {
    let found = app.backend.call("smart_search", arguments(query))?;
    let mut reading = Reading::default();
    let mut read = |found: &Value| -> Vec<HitView> {
        let hits = found["hits"].as_array().into_iter().flatten();
        hits.filter_map(|hit| reading.hit(app, ctx, hit, cards)).collect()
    };
    let hits = read(&found);
    let superseded: Vec<(String, Vec<HitView>)> = found["superseded"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|edition| (text_of(edition, "warning").unwrap_or_default(), read(edition)))
        .collect();
    let listed = hits.iter().chain(superseded.iter().flat_map(|(_, hits)| hits));
    let shown = listed.clone().nth(query.selected).or_else(|| listed.clone().next());
    let beside = shown.and_then(|hit| beside(app, ctx, &hit.reg_id, hit.page, &hit.target).ok());
    let chosen = found["selection"]["chosen"].as_array().into_iter().flatten();
    let chosen = chosen.map(|chosen| {
        let reasons = chosen["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str);
        (text_of(chosen, "reg_id").unwrap_or_default(), reasons.collect::<Vec<_>>().join("；"))
    });
    let notices = found["notices"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(Results {
        hits,
        superseded,
        chosen: chosen.collect(),
        notices: notices.map(str::to_owned).collect(),
        beside,
    })
}

fn arguments(query: &Search) -> Value {
    let mut arguments = json!({ "query": query.words, "limit": HITS });
    if !query.regulation.is_empty() {
        arguments["reg_id"] = json!(query.regulation);
    }
    if !query.chapter.is_empty() {
        arguments["chapter_scope"] = json!(query.chapter);
    }
    if !query.kind.is_empty() {
        arguments["block_types"] = json!([query.kind]);
    }
    if !query.as_of.is_empty() {
        arguments["as_of"] = json!(query.as_of);
    }
    arguments
}

/// Where a hit stands.
fn place(hit: &Value) -> Option<(String, PageNumber, Target)> {
    let page = PageNumber::new(u32::try_from(hit["page_num"].as_u64()?).ok()?)?;
    let target = Target { block: text_of(hit, "block_id"), ..Target::default() };
    Some((text_of(hit, "reg_id")?, page, target))
}

/// Pages and regulations that were read for this search: hits often share them.
#[derive(Default)]
struct Reading {
    pages: HashMap<(String, PageNumber), Option<PageDocument>>,
    drawable: HashMap<String, bool>,
}

impl Reading {
    fn hit(&mut self, app: &App, ctx: &Ctx, hit: &Value, cards: &[RegulationCard]) -> Option<HitView> {
        let (reg_id, number, target) = place(hit)?;
        let card = cards.iter().find(|card| card.info.reg_id.as_str() == reg_id);
        let read = || app.backend.regulation(&reg_id).is_ok_and(|parts: RegulationParts| parts.drawable);
        let drawable = *self.drawable.entry(reg_id.clone()).or_insert_with(read);
        let key = (reg_id.clone(), number);
        let document = self.pages.entry(key).or_insert_with(|| app.backend.page(&reg_id, number).ok());
        let cutting = document.as_ref().map(|document| {
            let marks = marks::on_page(document, &target, None);
            let sheet = Sheet {
                lang: ctx.lang,
                reg_id: &reg_id,
                page: document,
                marks: Some(&marks),
                drawable,
                options: ViewOptions::default(),
            };
            sheet.cutting()
        });
        let path = hit["chapter_path"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Some(HitView {
            page: number,
            title: card.map_or_else(|| reg_id.clone(), |card| card.info.title.clone()),
            status: card.map(|card| card.status).unwrap_or_default(),
            chapter_path: path.map(str::to_owned).collect(),
            snippet: text_of(hit, "snippet").unwrap_or_default(),
            kind: text_of(hit, "block_type").unwrap_or_default(),
            section_number: text_of(hit, "section_number"),
            address: marked_address(&reg_id, number, &target),
            sheet: sheet_address(&reg_id, number, &target),
            cutting: cutting.unwrap_or_default(),
            target,
            reg_id,
        })
    }
}
