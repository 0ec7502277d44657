//! `/compare`

use axum::extract::{Query, State};
use axum::response::Response;
use regreader_model::PageNumber;
use serde::Deserialize;
use serde_json::{Value, json};

use super::reader::{beside, marked_address, sheet_address, text_of};
use crate::app::{App, Ctx, Shared, blocking, page};
use crate::backend::Failure;
use crate::marks::Target;
use crate::views;
use crate::views::compare::{ChangeView, ChangesView, CompareQuery, Side};

/// A comparison, as typed.
#[derive(Debug, Default, Deserialize)]
pub struct Asked {
    #[serde(default)]
    old: String,
    #[serde(default)]
    new: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    chapter: String,
    #[serde(default)]
    entity: String,
    #[serde(default)]
    cursor: String,
}

/// The changes between two editions. Without editions, the form offers the newest two of a series.
pub async fn show(State(app): State<Shared>, ctx: Ctx, Query(asked): Query<Asked>) -> Response {
    let query = CompareQuery {
        old: asked.old,
        new: asked.new,
        kind: asked.kind,
        chapter: asked.chapter.trim().to_owned(),
        entity: asked.entity.trim().to_owned(),
        cursor: asked.cursor,
    };
    let asking = ctx.clone();
    let view = blocking(&app, move |app| {
        let mut cards = app.backend.regulations()?;
        cards.sort_by(|a, b| a.info.reg_id.cmp(&b.info.reg_id));
        if query.old.is_empty() || query.new.is_empty() {
            let offered = offer(&cards, query);
            return Ok(views::compare::page(&asking, &offered, &cards, None));
        }
        let view = changes(app, &asking, &query)?;
        Ok(views::compare::page(&asking, &query, &cards, Some(&view)))
    });
    page(&ctx, view.await)
}

/// The first edition that replaces another of the library, with the one that it replaces.
fn offer(cards: &[crate::backend::RegulationCard], query: CompareQuery) -> CompareQuery {
    let has = |id: &regreader_model::RegId| cards.iter().any(|card| card.info.reg_id == *id);
    let pair = cards
        .iter()
        .find_map(|card| Some((card.info.supersedes.clone().filter(|old| has(old))?, &card.info.reg_id)));
    match pair {
        Some((old, new)) => CompareQuery { old: old.to_string(), new: new.to_string(), ..query },
        None => query,
    }
}

fn changes(app: &App, ctx: &Ctx, query: &CompareQuery) -> Result<ChangesView, Failure> {
    let mut arguments = json!({ "old": query.old, "new": query.new, "limit": 100 });
    if !query.kind.is_empty() {
        arguments["kinds"] = json!([query.kind]);
    }
    if !query.chapter.is_empty() {
        arguments["chapter"] = json!(query.chapter);
    }
    if !query.entity.is_empty() {
        let entities: Vec<&str> = query.entity.split([',', '，', '、']).map(str::trim).collect();
        arguments["entities"] = json!(entities);
    }
    if !query.cursor.is_empty() {
        arguments["cursor"] = json!(query.cursor);
    }
    let found = app.backend.call("list_changes", arguments)?;
    let changes: Vec<&Value> = found["changes"].as_array().into_iter().flatten().collect();
    let shown = changes.len() as u64;
    let first = changes.first().and_then(|change| place(&change["new"]).or_else(|| place(&change["old"])));
    let counts = found["counts"].as_object().into_iter().flatten();
    Ok(ChangesView {
        changes: changes.into_iter().map(change).collect(),
        counts: counts.filter_map(|(kind, count)| Some((kind.clone(), count.as_u64()?))).collect(),
        total: found["total"].as_u64().unwrap_or(shown),
        next: text_of(&found, "next"),
        beside: first.and_then(|(reg_id, page, target)| beside(app, ctx, &reg_id, page, &target).ok()),
    })
}

fn change(value: &Value) -> ChangeView {
    let more = value["more_quantities"].as_array().into_iter().flatten();
    let quantities = std::iter::once(&value["quantity"]).chain(more).filter(|quantity| quantity.is_object());
    let words = |quantity: &Value| {
        ["old", "new", "unit", "difference"].map(|name| text_of(quantity, name).unwrap_or_default())
    };
    ChangeView {
        kind: text_of(value, "kind").unwrap_or_default(),
        old: side(&value["old"]),
        new: side(&value["new"]),
        words: text_of(value, "words"),
        old_text: text_of(value, "old_text"),
        new_text: text_of(value, "new_text"),
        quantities: quantities.map(words).collect(),
        possibly: side(&value["possibly"]),
    }
}

fn side(value: &Value) -> Option<Side> {
    let (reg_id, page, target) = place(value)?;
    let mut words: Vec<String> = Vec::new();
    if let Some(table) = text_of(value, "table") {
        words.push(format!("表{table}"));
    }
    words.extend(["clause", "title", "note", "column"].iter().filter_map(|name| text_of(value, name)));
    words.extend(
        value["row_label"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned),
    );
    words.push(format!("P{page}"));
    Some(Side {
        words: words.join(" · "),
        address: marked_address(&reg_id, page, &target),
        sheet: sheet_address(&reg_id, page, &target),
    })
}

/// Where a place of a change or a mention opens.
pub fn place(value: &Value) -> Option<(String, PageNumber, Target)> {
    let number = |name: &str| value[name].as_u64().and_then(|number| u32::try_from(number).ok());
    let page = PageNumber::new(number("changed_page").or_else(|| number("page"))?)?;
    let table = text_of(value, "table_id");
    let target = Target {
        block: if table.is_some() { None } else { text_of(value, "block_id") },
        row: table.as_ref().and_then(|_| number("row")),
        col: table.as_ref().and_then(|_| number("col")),
        table,
        quote: None,
    };
    Some((text_of(value, "reg_id")?, page, target))
}
