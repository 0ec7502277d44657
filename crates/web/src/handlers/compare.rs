//! `/compare`

use std::collections::BTreeMap;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use regreader_messages::web as w;
use regreader_model::PageNumber;
use regreader_tools::{ChangePlace, ChangeRecord, ListChanges};
use serde::Deserialize;
use serde_json::json;

use super::reader::{excerpt, marked_address, sheet_address};
use crate::app::{App, Ctx, Shared, blocking, page};
use crate::backend::{ChangesAsked, DocumentFormat, Failure, FailureKind};
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

fn request(
    asked: &ChangesAsked,
    chapter: Option<&String>,
    entities: &[String],
) -> Result<ListChanges, Failure> {
    let kinds = serde_json::from_value(json!(asked.kind.iter().collect::<Vec<_>>()));
    Ok(ListChanges {
        kinds: kinds.map_err(|error| Failure::new(FailureKind::Invalid, error.to_string()))?,
        chapter: chapter.cloned(),
        entities: entities.to_vec(),
        limit: 100,
        ..ListChanges::between(&asked.old, &asked.new)
    })
}

fn changes(app: &App, ctx: &Ctx, query: &CompareQuery) -> Result<ChangesView, Failure> {
    let asked = asked(query);
    if asked.chapters.is_empty() {
        let mut wanted = request(&asked, asked.chapter.as_ref(), &asked.entities)?;
        wanted.cursor = Some(query.cursor.clone()).filter(|cursor| !cursor.is_empty());
        let found = app.backend.call(&wanted)?;
        let total = u64::from(found.total);
        return Ok(shown(app, ctx, found.changes, found.counts, total, found.next));
    }
    // A change that several lines of the watch list ask for is listed once.
    let mut changes: Vec<ChangeRecord> = Vec::new();
    let mut gather = |chapter: Option<&String>, entities: &[String]| -> Result<(), Failure> {
        let mut wanted = request(&asked, chapter, entities)?;
        while changes.len() < MAX_SHOWN {
            let found = app.backend.call(&wanted)?;
            for change in found.changes {
                if !changes.contains(&change) {
                    changes.push(change);
                }
            }
            wanted.cursor = found.next;
            if wanted.cursor.is_none() {
                break;
            }
        }
        Ok(())
    };
    if !asked.entities.is_empty() {
        gather(asked.chapter.as_ref(), &asked.entities)?;
    }
    for chapter in &asked.chapters {
        gather(Some(chapter), &[])?;
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for change in &changes {
        *counts.entry(change.kind.name().to_owned()).or_default() += 1;
    }
    let total = changes.len() as u64;
    Ok(shown(app, ctx, changes, counts, total, None))
}

fn shown(
    app: &App,
    ctx: &Ctx,
    changes: Vec<ChangeRecord>,
    counts: BTreeMap<String, usize>,
    total: u64,
    next: Option<String>,
) -> ChangesView {
    let sides = changes.first().into_iter().flat_map(|change| [&change.old, &change.new]).flatten();
    let beside: Vec<_> = sides
        .filter_map(place)
        .filter_map(|(reg_id, page, target)| excerpt(app, ctx, &reg_id, page, &target).ok())
        .collect();
    ChangesView {
        changes: changes.into_iter().map(change).collect(),
        counts: counts.into_iter().map(|(kind, count)| (kind, count as u64)).collect(),
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

fn change(change: ChangeRecord) -> ChangeView {
    let quantities = change.quantity.into_iter().chain(change.more_quantities);
    ChangeView {
        kind: change.kind.name().to_owned(),
        old: change.old.as_ref().and_then(side),
        new: change.new.as_ref().and_then(side),
        words: change.words,
        old_text: change.old_text,
        new_text: change.new_text,
        quantities: quantities
            .map(|one| [one.old, one.new, one.unit, one.difference.unwrap_or_default()])
            .collect(),
        possibly: change.possibly.as_ref().and_then(side),
    }
}

fn side(found: &ChangePlace) -> Option<Side> {
    let (reg_id, page, target) = place(found)?;
    let table = found.table.as_ref().map(|table| format!("表{table}"));
    let named = [&found.clause, &found.title, &found.note, &found.column].into_iter().flatten();
    let words: Vec<String> = table.into_iter().chain(named.chain(&found.row_label).cloned()).collect();
    Some(Side {
        words: words.join(" · "),
        page,
        address: marked_address(&reg_id, page, &target),
        excerpt: sheet_address(&reg_id, page, &target).with("cut", "1"),
    })
}

/// Where a place of a change or a mention opens; nowhere when it has no page.
pub fn place(place: &ChangePlace) -> Option<(String, PageNumber, Target)> {
    let page = PageNumber::new(place.changed_page.unwrap_or(place.page))?;
    let in_table = place.table_id.is_some();
    let target = Target {
        block: place.block_id.clone().filter(|_| !in_table),
        row: place.row.filter(|_| in_table),
        col: place.col.filter(|_| in_table),
        table: place.table_id.clone(),
        quote: None,
    };
    Some((place.reg_id.clone(), page, target))
}
