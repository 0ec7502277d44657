//! `/r/{reg}/…`: pages, their pictures, and what references lead to.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::Markup;
use regreader_messages::web as w;
use regreader_model::{LogicalTable, PageDocument, PageNumber};
use regreader_tools::{LookupAnnotation, ResolveReference, Status};
use serde::Deserialize;

use super::see_other;
use crate::address::{Address, encode};
use crate::app::{App, Ctx, Shared, blocking, drawing, page};
use crate::backend::{Failure, FailureKind, PictureRequest, RegulationParts};
use crate::blocks::{self, Place};
use crate::marks::{self, Certainty, Marks, Target};
use crate::view_options::{ViewOptions, ViewQuery};
use crate::views;
use crate::views::reader::{Peek, Reader};
use crate::views::sheet::Sheet;

/// What an address asks to be marked. Text as typed; what makes no sense is left out.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct TargetQuery {
    b: Option<String>,
    t: Option<String>,
    row: Option<String>,
    col: Option<String>,
    q: Option<String>,
}

impl TargetQuery {
    /// The target that is meant.
    pub fn target(&self) -> Target {
        let some = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let number = |text: &Option<String>| text.as_deref().and_then(|text| text.parse().ok());
        Target {
            block: some(&self.b),
            table: some(&self.t),
            row: number(&self.row),
            col: number(&self.col),
            quote: some(&self.q).map(|text| text.chars().take(2_000).collect()),
        }
    }
}

/// An address in the reader that marks a target on a page.
pub fn marked_address(reg_id: &str, page: PageNumber, target: &Target) -> Address {
    with_target(Address::page(reg_id, page), target)
}

/// The same as a piece of a page, for showing beside a list.
pub fn sheet_address(reg_id: &str, page: PageNumber, target: &Target) -> Address {
    with_target(Address::new(format!("{}/sheet", Address::page(reg_id, page))), target)
}

fn with_target(address: Address, target: &Target) -> Address {
    address
        .with_some("b", target.block.as_ref())
        .with_some("t", target.table.as_ref())
        .with_some("row", target.row.map(|row| row.to_string()))
        .with_some("col", target.col.map(|col| col.to_string()))
        .with_some("q", target.quote.as_ref())
}

fn page_number(text: &str) -> Result<PageNumber, Failure> {
    let number = text.trim().parse().ok().and_then(PageNumber::new);
    number.ok_or_else(|| Failure::new(FailureKind::NotFound, "页码无效 / no such page"))
}

/// The first page.
pub fn first(reg_id: &str) -> Response {
    see_other(&Address::page(reg_id, PageNumber::FIRST).to_string())
}

/// A page number as typed.
#[derive(Debug, Deserialize)]
pub struct Jump {
    #[serde(default)]
    page: String,
}

/// Goes to the page that somebody typed; past the end, to the last one.
pub async fn jump(
    State(app): State<Shared>,
    ctx: Ctx,
    Path(reg_id): Path<String>,
    Query(jump): Query<Jump>,
) -> Response {
    let id = reg_id.clone();
    let total = blocking(&app, move |app| Ok(app.backend.regulation(&id)?.info.total_pages)).await;
    match (total, page_number(&jump.page)) {
        (Ok(total), Ok(number)) => {
            let number = PageNumber::new(number.get().min(total)).unwrap_or(PageNumber::FIRST);
            see_other(&Address::page(&reg_id, number).to_string())
        }
        (Err(failure), _) | (_, Err(failure)) => ctx.failure(&failure),
    }
}

/// A page with its marks.
pub async fn show(
    State(app): State<Shared>,
    ctx: Ctx,
    Path((reg_id, number)): Path<(String, String)>,
    Query(target): Query<TargetQuery>,
    Query(options): Query<ViewQuery>,
    Query(lost): Query<Lost>,
) -> Response {
    let options = ViewOptions::of(&options);
    let asking = ctx.clone();
    let view = blocking(&app, move |app| {
        let number = page_number(&number)?;
        let parts = app.backend.regulation(&reg_id)?;
        let document = app.backend.page(&reg_id, number)?;
        let wants_second = options.two && number.get() < parts.info.total_pages;
        let second = if wants_second { Some(app.backend.page(&reg_id, number.next())?) } else { None };
        let shown = Shown { parts: &parts, document: &document, second: second.as_ref(), options };
        Ok(reader(app, &asking, &shown, &target.target(), lost.lost.is_some()))
    });
    page(&ctx, view.await)
}

/// Whether somebody comes from another edition whose place this one does not have.
#[derive(Debug, Deserialize)]
pub struct Lost {
    lost: Option<String>,
}

/// What of a regulation is shown, and how.
struct Shown<'a> {
    parts: &'a RegulationParts,
    document: &'a PageDocument,
    second: Option<&'a PageDocument>,
    options: ViewOptions,
}

fn reader(app: &App, ctx: &Ctx, shown: &Shown<'_>, target: &Target, is_lost: bool) -> Markup {
    let Shown { parts, document, second, options } = *shown;
    let reg_id = parts.info.reg_id.as_str();
    let found = Found::new(app, parts, document, target);
    let marks = (!target.is_empty()).then(|| {
        let beside = second.map(|page| Found::new(app, parts, page, target).marks);
        [found.marks.clone(), beside.unwrap_or_else(|| Marks::none(Certainty::Elsewhere))]
    });
    let is_shown =
        |page: PageNumber| page == document.page_num || second.is_some_and(|second| second.page_num == page);
    let also = found.pages.iter().filter(|page| !is_shown(**page));
    let also = also.map(|page| (*page, marked_address(reg_id, *page, target)));
    let view = Reader {
        parts,
        page: document,
        second,
        marks,
        marked_block: found.block.clone(),
        marked_row: found.row_name(),
        also_on: also.collect(),
        editions: other_editions(app, parts, document.page_num, target),
        is_lost,
        options,
    };
    views::reader::page(ctx, &view)
}

/// The other editions of a series, newest first, each with the address of the same place in it.
fn other_editions(
    app: &App,
    parts: &RegulationParts,
    page: PageNumber,
    target: &Target,
) -> Vec<(String, Status, Address)> {
    let info = &parts.info;
    if info.series.is_none() {
        return Vec::new();
    }
    let cards = app.backend.regulations().unwrap_or_default();
    let mut others: Vec<_> = cards
        .into_iter()
        .filter(|card| card.info.series == info.series && card.info.reg_id != info.reg_id)
        .collect();
    others.sort_by(|a, b| b.standing.effective.cmp(&a.standing.effective));
    let address = |other: &str| {
        let path = format!("/r/{}/in/{}", encode(info.reg_id.as_str()), encode(other));
        with_target(Address::new(path).with("page", page.to_string()), target)
    };
    others
        .into_iter()
        .map(|card| {
            let edition = card.info.edition.clone().unwrap_or_else(|| card.info.short_name().to_owned());
            (edition, card.standing.status, address(card.info.reg_id.as_str()))
        })
        .collect()
}

/// A target, looked for on a page.
struct Found {
    marks: Marks,
    /// The block of this page that holds it.
    block: Option<String>,
    table: Option<String>,
    row: Option<u32>,
    /// All pages it stands on.
    pages: Vec<PageNumber>,
}

impl Found {
    fn new(app: &App, parts: &RegulationParts, page: &PageDocument, target: &Target) -> Self {
        let table = target.table.as_deref().and_then(|id| named_table(parts, id));
        let mut marks = marks::on_page(page, target, table);
        let mut block = target.block.clone();
        let mut pages = Vec::new();
        if let Some(table) = table {
            pages = marks::pages_of_table(table, target.row);
            block = segment_block(page, table);
        } else if let Some(found) = passage_on(app, parts, page, target) {
            pages = found.iter().map(|(page, _)| *page).collect();
            let here = found.into_iter().find(|(at, _)| *at == page.page_num);
            marks = here.map_or_else(|| Marks::none(Certainty::Elsewhere), |(_, marks)| marks);
        } else if let Some(id) = target.block.as_deref() {
            let goes_on = follow_block(app, parts, page, id);
            pages.clone_from(&goes_on.pages);
            if marks.certainty == Certainty::Elsewhere
                && let Some(here) = goes_on.here
            {
                let rest = Target { block: Some(here.clone()), ..target.clone() };
                marks = marks::on_page(page, &rest, None);
                block = Some(here);
            }
        }
        Self {
            marks,
            block,
            table: table.map(|table| table.table_id.as_str().to_owned()),
            row: target.row,
            pages,
        }
    }

    fn row_name(&self) -> Option<String> {
        Some(format!("row-{}-{}", self.table.as_ref()?, self.row?))
    }
}

/// The marks of a passage that its first block does not hold alone, page by page.
fn passage_on(
    app: &App,
    parts: &RegulationParts,
    page: &PageDocument,
    target: &Target,
) -> Option<Vec<(PageNumber, Marks)>> {
    let (id, text) = (target.block.as_deref()?, target.quote.as_deref()?);
    let holds =
        |page: &PageDocument| page.content_blocks.iter().find(|block| block.block_id.as_str() == id).cloned();
    let read = |number: u32| app.backend.page(parts.info.reg_id.as_str(), PageNumber::new(number)?).ok();
    let (first, block) = match holds(page) {
        Some(block) => (page.clone(), block),
        None => {
            let before = read(page.page_num.get().checked_sub(1)?)?;
            let block = holds(&before)?;
            (before, block)
        }
    };
    if marks::quote_in_block(&block, text).is_some() {
        return None;
    }
    let next = read(first.page_num.get().checked_add(1)?);
    let pages: Vec<&PageDocument> = std::iter::once(&first).chain(next.as_ref()).collect();
    marks::passage(&pages, id, text)
}

/// A table by its id, by that of a segment, or by its number (`6-2`, `表6-2`), as a person would write an address.
pub fn named_table<'a>(parts: &'a RegulationParts, name: &str) -> Option<&'a LogicalTable> {
    let number = name.trim_start_matches('表').trim();
    let by_number = || parts.tables.tables.values().find(|table| table.number.as_deref() == Some(number));
    parts.tables.get(name).or_else(by_number)
}

/// The block of a page that is a segment of a table.
fn segment_block(page: &PageDocument, table: &LogicalTable) -> Option<String> {
    let is_segment = |id: &str| table.segments.iter().any(|segment| segment.segment_id.as_str() == id);
    let mut blocks = page.content_blocks.iter();
    let block = blocks
        .find(|block| block.table_meta.as_ref().is_some_and(|meta| is_segment(meta.table_id.as_str())))?;
    Some(block.block_id.as_str().to_owned())
}

/// Where a block goes on over the page border.
struct GoesOn {
    pages: Vec<PageNumber>,
    /// The part on the page that is shown, where the named block stands on a neighbour.
    here: Option<String>,
}

fn follow_block(app: &App, parts: &RegulationParts, page: &PageDocument, id: &str) -> GoesOn {
    let reg_id = parts.info.reg_id.as_str();
    let read = |number: Option<PageNumber>| number.and_then(|number| app.backend.page(reg_id, number).ok());
    let name = |id: &regreader_model::BlockId| id.as_str().to_owned();
    let is_here = page.content_blocks.iter().any(|block| block.block_id.as_str() == id);
    if is_here {
        let is_last = page.content_blocks.last().is_some_and(|block| block.block_id.as_str() == id);
        let next = if page.continues_to_next && is_last { read(Some(page.page_num.next())) } else { None };
        let goes_on = next.filter(|next| marks::continuation(page, id, next).is_some());
        let pages = std::iter::once(page.page_num).chain(goes_on.map(|next| next.page_num));
        return GoesOn { pages: pages.collect(), here: None };
    }
    if page.continues_from_prev
        && let Some(before) = read(PageNumber::new(page.page_num.get().saturating_sub(1)))
        && let Some(here) = marks::continuation(&before, id, page)
    {
        return GoesOn { pages: vec![before.page_num, page.page_num], here: Some(name(here)) };
    }
    GoesOn { pages: Vec::new(), here: None }
}

/// The drawn page alone, for showing beside a list. A whole page for a browser without scripts would be [`show`].
pub async fn sheet(
    State(app): State<Shared>,
    ctx: Ctx,
    Path((reg_id, number)): Path<(String, String)>,
    Query(target): Query<TargetQuery>,
    Query(shape): Query<Shape>,
) -> Response {
    let asking = ctx.clone();
    let view = blocking(&app, move |app| {
        let show = if shape.cut.is_some() { excerpt } else { beside };
        show(app, &asking, &reg_id, page_number(&number)?, &target.target())
    });
    page(&ctx, view.await)
}

/// How much of a page is wanted beside a list.
#[derive(Debug, Deserialize)]
pub struct Shape {
    /// Only the marked place.
    cut: Option<String>,
}

/// The marked place of a page, cut out; the whole page where nothing is marked or nothing can be drawn.
pub fn excerpt(
    app: &App,
    ctx: &Ctx,
    reg_id: &str,
    number: PageNumber,
    target: &Target,
) -> Result<Markup, Failure> {
    let parts = app.backend.regulation(reg_id)?;
    let page = app.backend.page(reg_id, number)?;
    let marks = Found::new(app, &parts, &page, target).marks;
    let sheet = Sheet {
        lang: ctx.lang,
        reg_id,
        page: &page,
        marks: Some(&marks),
        drawable: parts.drawable,
        options: ViewOptions::default(),
    };
    let cut = sheet.excerpt();
    if cut.0.is_empty() {
        return beside(app, ctx, reg_id, number, target);
    }
    Ok(maud::html! { (beside_name(ctx, &parts, number, target)) (cut) })
}

/// What stands over a page beside a list: its name as a link, and whether its edition is in force.
fn beside_name(ctx: &Ctx, parts: &RegulationParts, page: PageNumber, target: &Target) -> Markup {
    let reg_id = parts.info.reg_id.as_str();
    maud::html! {
        p.beside-name { a href=(marked_address(reg_id, page, target)) { (parts.info.short_name()) " P" (page) } " " (views::layout::status_chip(ctx.lang, parts.status)) }
    }
}

/// A page with its marks and its name, as it stands beside hits, answers and findings. Every page of the evidence is
/// shown, one below the other.
pub fn beside(
    app: &App,
    ctx: &Ctx,
    reg_id: &str,
    number: PageNumber,
    target: &Target,
) -> Result<Markup, Failure> {
    let parts = app.backend.regulation(reg_id)?;
    let first = app.backend.page(reg_id, number)?;
    let found = Found::new(app, &parts, &first, target);
    let mut shown = vec![(first, found)];
    // A table over many pages is read in the reader; beside a list the next pages are enough.
    let further: Vec<PageNumber> = shown
        .iter()
        .flat_map(|(_, found)| found.pages.iter().copied())
        .filter(|page| *page != number)
        .take(2)
        .collect();
    for page in further {
        let document = app.backend.page(reg_id, page)?;
        let found = Found::new(app, &parts, &document, target);
        shown.push((document, found));
    }
    Ok(maud::html! {
        @for (page, found) in &shown {
            (beside_name(ctx, &parts, page.page_num, target))
            (Sheet { lang: ctx.lang, reg_id, page, marks: (!target.is_empty()).then_some(&found.marks), drawable: parts.drawable, options: ViewOptions::default() }.show())
            @if !parts.drawable { (text_beside(ctx, &parts, page, found)) }
        }
    })
}

/// The text of a page that cannot be drawn, with the block and the row that are meant marked in it.
fn text_beside(ctx: &Ctx, parts: &RegulationParts, page: &PageDocument, found: &Found) -> Markup {
    let row = found.row_name();
    let reg_id = parts.info.reg_id.as_str();
    maud::html! {
        div.page-text { @for block in &page.content_blocks {
            @let is_marked = found.block.as_deref() == Some(block.block_id.as_str());
            @let table = block.table_meta.as_ref().and_then(|meta| parts.tables.get(meta.table_id.as_str()));
            div.block.is-marked[is_marked] {
                (blocks::content(block, Place { lang: ctx.lang, reg_id, references: &[], table, marked_row: row.as_deref() }))
            }
        } }
    }
}

/// Which picture.
#[derive(Debug, Deserialize)]
pub struct Size {
    w: Option<String>,
}

/// The picture of a page.
pub async fn picture(
    State(app): State<Shared>,
    ctx: Ctx,
    Path((reg_id, number)): Path<(String, String)>,
    Query(size): Query<Size>,
    headers: HeaderMap,
) -> Response {
    let wanted = size.w.as_deref().and_then(|text| text.parse::<u32>().ok());
    let widths = PictureRequest::WIDTHS;
    let width = widths.into_iter().find(|width| Some(*width) == wanted).unwrap_or(widths[1]);
    let drawn = drawing(&app, move |app| {
        app.backend.picture(&PictureRequest { reg_id, page: page_number(&number)?, width })
    });
    match drawn.await {
        Ok(picture) => {
            let tag = format!("\"{}\"", picture.tag);
            let is_known = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
            let mut response = if is_known {
                StatusCode::NOT_MODIFIED.into_response()
            } else {
                let mut response = Bytes::from_owner(SharedPng(picture.png)).into_response();
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("image/png"));
                response
            };
            if let Ok(tag) = HeaderValue::from_str(&tag) {
                response.headers_mut().insert(ETAG, tag);
            }
            // Asked for again after a minute, so that a regulation that was read anew shows; answered by the tag.
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=60"));
            response
        }
        Err(failure) => ctx.failure(&failure),
    }
}

/// A kept picture on its way out: many readers of a page send the same bytes.
struct SharedPng(Arc<Vec<u8>>);

impl AsRef<[u8]> for SharedPng {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// What to look at.
#[derive(Debug, Default, Deserialize)]
pub struct PeekQuery {
    #[serde(rename = "ref")]
    reference: Option<String>,
    note: Option<String>,
    page: Option<u32>,
}

/// What a reference or a note leads to, as a piece of a page.
pub async fn peek(
    State(app): State<Shared>,
    ctx: Ctx,
    Path(reg_id): Path<String>,
    Query(query): Query<PeekQuery>,
) -> Response {
    let asking = ctx.clone();
    let view = blocking(&app, move |app| {
        let found = match (&query.note, &query.reference) {
            (Some(note), _) => note_target(app, &reg_id, note, query.page)?,
            (None, Some(reference)) => reference_target(app, &reg_id, reference, query.page)?,
            (None, None) => return Err(Failure::new(FailureKind::Invalid, asking.lang.say(w::INVALID))),
        };
        Ok(views::reader::peek(&asking, &found.as_peek()))
    });
    match view.await {
        Ok(markup) => axum::response::Html(markup.into_string()).into_response(),
        Err(failure) => {
            let text = maud::html! { p.warning { (failure.message) } @if let Some(hint) = &failure.hint { p.hint { (hint) } } };
            (StatusCode::NOT_FOUND, axum::response::Html(text.into_string())).into_response()
        }
    }
}

/// Follows a reference, also to another regulation.
pub async fn follow(
    State(app): State<Shared>,
    ctx: Ctx,
    Path(reg_id): Path<String>,
    Query(query): Query<PeekQuery>,
) -> Response {
    let reference = query.reference.unwrap_or_default();
    let found = blocking(&app, move |app| reference_target(app, &reg_id, &reference, query.page)).await;
    match found {
        Ok(target) => see_other(&target.address.to_string()),
        Err(failure) => ctx.failure(&failure),
    }
}

/// What something leads to.
struct PeekTarget {
    title: String,
    preview: String,
    citation: String,
    address: Address,
}

impl PeekTarget {
    fn as_peek(&self) -> Peek<'_> {
        Peek {
            title: &self.title,
            preview: &self.preview,
            citation: &self.citation,
            address: self.address.clone(),
        }
    }
}

fn reference_target(app: &App, reg_id: &str, text: &str, page: Option<u32>) -> Result<PeekTarget, Failure> {
    let found = app.backend.call(&ResolveReference {
        reg_id: reg_id.to_owned(),
        reference_text: text.to_owned(),
        page_hint: page,
        as_of: None,
    })?;
    let place = found.location;
    let (block, table) =
        place.as_ref().map(|place| (place.block_id.clone(), place.table_id.clone())).unwrap_or_default();
    // A table is found by its own boxes; the block would mark only its first page.
    let target = Target { block: block.filter(|_| table.is_none()), table, ..Target::default() };
    let page = place.as_ref().and_then(|place| place.page_num).unwrap_or(PageNumber::FIRST);
    let address = marked_address(place.as_ref().map_or(reg_id, |place| &place.reg_id), page, &target);
    Ok(PeekTarget {
        title: found.title,
        preview: found.preview,
        citation: place.map(|place| place.citation).unwrap_or_default(),
        address,
    })
}

fn note_target(app: &App, reg_id: &str, note: &str, page: Option<u32>) -> Result<PeekTarget, Failure> {
    let found = app.backend.call(&LookupAnnotation {
        reg_id: reg_id.to_owned(),
        annotation_id: note.to_owned(),
        page_hint: page,
        ..LookupAnnotation::default()
    })?;
    let target = Target { block: found.block_id, ..Target::default() };
    Ok(PeekTarget {
        title: format!("{} · {}", found.annotation_id, found.scope),
        preview: found.content,
        citation: found.source,
        address: marked_address(reg_id, found.page_num, &target),
    })
}
