//! `/search`

use std::collections::HashMap;

use axum::extract::{Query, State};
use axum::response::Response;
use regreader_model::{PageDocument, PageNumber};
use regreader_tools::{Hit, RegulationChoice, SmartSearch};
use serde::Deserialize;

use super::reader::{beside, marked_address, sheet_address};
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
    let found = app.backend.call(&request(query))?;
    let mut reading = Reading::default();
    let mut read =
        |hits: &[Hit]| -> Vec<HitView> { hits.iter().map(|hit| reading.hit(app, ctx, hit, cards)).collect() };
    let hits = read(&found.hits);
    let superseded: Vec<(String, Vec<HitView>)> =
        found.superseded.into_iter().map(|edition| (edition.warning, read(&edition.hits))).collect();
    let listed = hits.iter().chain(superseded.iter().flat_map(|(_, hits)| hits));
    let shown = listed.clone().nth(query.selected).or_else(|| listed.clone().next());
    let beside = shown.and_then(|hit| beside(app, ctx, &hit.reg_id, hit.page, &hit.target).ok());
    let chosen = found.selection.into_iter().flat_map(|selection| selection.chosen);
    let chosen = chosen.map(|chosen| (chosen.reg_id.to_string(), chosen.reasons.join("；"))).collect();
    Ok(Results { hits, superseded, chosen, notices: found.notices, beside })
}

fn request(query: &Search) -> SmartSearch {
    let some = |text: &String| (!text.is_empty()).then(|| text.clone());
    SmartSearch {
        chapter_scope: some(&query.chapter),
        block_types: some(&query.kind).map(|kind| vec![kind]),
        as_of: some(&query.as_of),
        ..SmartSearch::new(&query.words, some(&query.regulation).map(RegulationChoice::One), HITS)
    }
}

/// Pages and regulations that were read for this search: hits often share them.
#[derive(Default)]
struct Reading {
    pages: HashMap<(String, PageNumber), Option<PageDocument>>,
    drawable: HashMap<String, bool>,
}

impl Reading {
    fn hit(&mut self, app: &App, ctx: &Ctx, hit: &Hit, cards: &[RegulationCard]) -> HitView {
        let (reg_id, number) = (hit.reg_id.clone(), hit.page_num);
        let target = Target { block: hit.block_id.clone(), ..Target::default() };
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
        HitView {
            page: number,
            title: card.map_or_else(|| reg_id.clone(), |card| card.info.title.clone()),
            status: card.map(|card| card.standing.status).unwrap_or_default(),
            chapter_path: hit.chapter_path.clone(),
            snippet: hit.snippet.clone(),
            kind: hit.block_type.clone().unwrap_or_default(),
            section_number: hit.section_number.clone(),
            address: marked_address(&reg_id, number, &target),
            sheet: sheet_address(&reg_id, number, &target),
            cutting: cutting.unwrap_or_default(),
            target,
            reg_id,
        }
    }
}
