//! `/compare`

use std::collections::BTreeMap;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use regreader_model::PageNumber;
use serde::Deserialize;
use serde_json::{Value, json};

use super::reader::{excerpt, marked_address, sheet_address, text_of};
use crate::app::{App, Ctx, Shared, blocking, page};
use crate::backend::{ChangesAsked, DocumentFormat, Failure, FailureKind};
use crate::lang::words as w;
use crate::marks::Target;
use crate::views::compare::{ChangeView, ChangesView, CompareQuery, Side};
use crate::{office, views};

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
    watch: String,
    #[serde(default)]
    cursor: String,
}

impl Asked {
    fn query(self) -> CompareQuery {
        let cut = |text: &str, length: usize| text.trim().chars().take(length).collect::<String>();
        CompareQuery {
            chapter: cut(&self.chapter, 100),
            entity: cut(&self.entity, 200),
            watch: cut(&self.watch.replace('\r', ""), MAX_WATCHED),
            old: self.old,
            new: self.new,
            kind: self.kind,
            cursor: self.cursor,
        }
    }
}

/// Characters of a watch list.
const MAX_WATCHED: usize = 4_000;
/// Chapters that one list may watch: each is a question of its own.
const MAX_CHAPTERS: usize = 20;
/// Changes of a watch list that are shown.
const MAX_SHOWN: usize = 1_000;

/// The changes between two editions. Without editions, the form offers the newest two of a series.
pub async fn show(State(app): State<Shared>, ctx: Ctx, Query(asked): Query<Asked>) -> Response {
    let query = asked.query();
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

/// What is asked for, with the lines of the watch list taken apart.
fn asked(query: &CompareQuery) -> ChangesAsked {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let mut asked = ChangesAsked {
        old: query.old.clone(),
        new: query.new.clone(),
        kind: some(&query.kind),
        chapter: some(&query.chapter),
        ..ChangesAsked::default()
    };
    let names = query.entity.split([',', '，', '、']).chain(query.watch.lines());
    for line in names.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let chapter =
            ["chapter:", "chapter：", "章节：", "章节:"].iter().find_map(|prefix| line.strip_prefix(prefix));
        match chapter.map(str::trim) {
            Some(chapter) if asked.chapters.len() < MAX_CHAPTERS => asked.chapters.push(chapter.to_owned()),
            Some(_) => {}
            None => asked.entities.push(line.to_owned()),
        }
    }
    asked
}

fn arguments(asked: &ChangesAsked, chapter: Option<&String>, entities: &[String], cursor: &str) -> Value {
    let mut arguments = json!({ "old": asked.old, "new": asked.new, "limit": 100 });
    if let Some(kind) = &asked.kind {
        arguments["kinds"] = json!([kind]);
    }
    if let Some(chapter) = chapter {
        arguments["chapter"] = json!(chapter);
    }
    if !entities.is_empty() {
        arguments["entities"] = json!(entities);
    }
    if !cursor.is_empty() {
        arguments["cursor"] = json!(cursor);
    }
    arguments
}

fn changes(app: &App, ctx: &Ctx, query: &CompareQuery) -> Result<ChangesView, Failure> {
    let asked = asked(query);
    if asked.chapters.is_empty() {
        let wanted = arguments(&asked, asked.chapter.as_ref(), &asked.entities, &query.cursor);
        let found = app.backend.call("list_changes", wanted)?;
        let changes: Vec<Value> = found["changes"].as_array().cloned().unwrap_or_default();
        let counts = found["counts"].as_object().into_iter().flatten();
        let counts = counts.filter_map(|(kind, count)| Some((kind.clone(), count.as_u64()?))).collect();
        let total = found["total"].as_u64().unwrap_or(changes.len() as u64);
        return Ok(shown(app, ctx, &changes, counts, total, text_of(&found, "next")));
    }
    // A change that several lines of the watch list ask for is listed once.
    let mut changes: Vec<Value> = Vec::new();
    let mut gather = |chapter: Option<&String>, entities: &[String]| -> Result<(), Failure> {
        let mut cursor = String::new();
        while changes.len() < MAX_SHOWN {
            let found = app.backend.call("list_changes", arguments(&asked, chapter, entities, &cursor))?;
            for change in found["changes"].as_array().into_iter().flatten() {
                if !changes.contains(change) {
                    changes.push(change.clone());
                }
            }
            let Some(next) = text_of(&found, "next") else { break };
            cursor = next;
        }
        Ok(())
    };
    if !asked.entities.is_empty() {
        gather(asked.chapter.as_ref(), &asked.entities)?;
    }
    for chapter in &asked.chapters {
        gather(Some(chapter), &[])?;
    }
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for kind in changes.iter().filter_map(|change| text_of(change, "kind")) {
        *counts.entry(kind).or_default() += 1;
    }
    let total = changes.len() as u64;
    Ok(shown(app, ctx, &changes, counts.into_iter().collect(), total, None))
}

fn shown(
    app: &App,
    ctx: &Ctx,
    changes: &[Value],
    counts: Vec<(String, u64)>,
    total: u64,
    next: Option<String>,
) -> ChangesView {
    let sides = changes.first().into_iter().flat_map(|change| [&change["old"], &change["new"]]);
    let beside: Vec<_> = sides
        .filter_map(place)
        .filter_map(|(reg_id, page, target)| excerpt(app, ctx, &reg_id, page, &target).ok())
        .collect();
    ChangesView {
        changes: changes.iter().map(change).collect(),
        counts,
        total,
        next,
        beside: (!beside.is_empty()).then(|| maud::html! { @for side in &beside { (side) } }),
    }
}

/// The changes as a document.
pub async fn document(
    State(app): State<Shared>,
    ctx: Ctx,
    Path(file): Path<String>,
    Query(query): Query<Asked>,
) -> Response {
    let format = match file.as_str() {
        "changes.docx" => (DocumentFormat::Docx, office::DOCX),
        "changes.xlsx" => (DocumentFormat::Xlsx, office::XLSX),
        "changes.html" => (DocumentFormat::Html, "text/html; charset=utf-8"),
        _ => return ctx.failure(&Failure::new(FailureKind::NotFound, ctx.lang.say(w::NOT_FOUND))),
    };
    let asked = asked(&query.query());
    match blocking(&app, move |app| app.backend.change_document(&asked, format.0)).await {
        Ok(bytes) => super::ask::download(bytes, format.1, &file),
        Err(failure) => ctx.failure(&failure),
    }
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
    Some(Side {
        words: words.join(" · "),
        page,
        address: marked_address(&reg_id, page, &target),
        excerpt: sheet_address(&reg_id, page, &target).with("cut", "1"),
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
