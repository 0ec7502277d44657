//! `/`

use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;

use crate::app::{Ctx, Shared, blocking, page};
use crate::views;

/// What the list is narrowed to.
#[derive(Debug, Deserialize)]
pub struct Filter {
    #[serde(default)]
    filter: String,
}

/// The library.
pub async fn show(State(app): State<Shared>, ctx: Ctx, Query(query): Query<Filter>) -> Response {
    let cards = blocking(&app, |app| app.backend.regulations()).await;
    page(&ctx, cards.map(|cards| views::library::page(&ctx, &cards, query.filter.trim())))
}
