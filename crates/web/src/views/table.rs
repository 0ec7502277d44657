//! A whole table, however many pages it runs over.

use maud::{Markup, html};
use regreader_messages::web as w;
use regreader_model::{LogicalTable, PageNumber};

use super::layout::{Screen, frame, status_chip};
use crate::address::{Address, encode};
use crate::app::Ctx;
use crate::backend::RegulationParts;
use crate::blocks;

/// What the table view shows.
pub struct TableScreen<'a> {
    pub parts: &'a RegulationParts,
    pub table: &'a LogicalTable,
    /// Words wanted in each column; empty for any.
    pub filters: Vec<String>,
    /// Conditions as typed.
    pub find: String,
    /// Data rows that fit the conditions; none where nothing was asked.
    pub found: Option<Vec<u32>>,
    /// A row that the address names.
    pub row: Option<u32>,
    /// Notes: label and text.
    pub notes: Vec<(String, String, Option<u32>)>,
}

/// Pages that are named; of a longer table the last one besides. Every row has its own page.
const MAX_PAGES: usize = 12;

/// Tables with more rows are cut, and that is said; the download is whole.
const MAX_ROWS: usize = 3_000;

impl TableScreen<'_> {
    /// Data rows that pass the filters.
    fn passing(&self) -> Vec<u32> {
        let wanted: Vec<String> =
            self.filters.iter().map(|text| crate::marks::letters(text).collect()).collect();
        let rows = self.table.data_rows();
        let passes = |cells: &[&str]| {
            wanted.iter().enumerate().all(|(col, wanted)| {
                let cell: String =
                    cells.get(col).map(|text| crate::marks::letters(text).collect()).unwrap_or_default();
                wanted.is_empty() || cell.contains(wanted.as_str())
            })
        };
        let numbered = (0_u32..).zip(&rows);
        numbered.filter(|(_, (_, cells))| passes(cells)).map(|(row, _)| row).collect()
    }
}

/// The screen.
pub fn page(ctx: &Ctx, view: &TableScreen<'_>) -> Markup {
    let l = ctx.lang;
    let (info, table) = (&view.parts.info, view.table);
    let reg_id = info.reg_id.as_str();
    let caption = table.caption.as_deref().unwrap_or(l.say(w::UNTITLED_TABLE));
    let screen = Screen {
        title: caption,
        section: "/",
        class: "table-screen",
        scripts: &["table.js"],
        searches: Some(reg_id),
        query: "",
    };
    let base = Address::table(reg_id, table.table_id.as_str()).to_string();
    frame(
        ctx,
        &screen,
        &html! {
            div.print-head { (info.title) " · " (status_chip(l, view.parts.status)) " · " (l.say(w::PRINTED_FROM)) }
            p.crumbs { a href=(Address::page(reg_id, PageNumber::FIRST)) { (info.title) } " " (status_chip(l, view.parts.status)) " › " a href=(format!("/r/{}/t", encode(reg_id))) { (l.say(w::TABLES)) } @for title in &table.chapter_path { " › " (title) } }
            h1 { (caption) }
            div.table-tools {
                p.pages { (l.say(w::STANDS_ON)) @for (nth, segment) in table.segments.iter().enumerate().filter(|(nth, _)| *nth < MAX_PAGES || nth + 1 == table.segments.len()) { @if nth > MAX_PAGES { " …" } " " a href=(Address::page(reg_id, segment.page_num).with("t", table.table_id.as_str())) { "P" (segment.page_num) } } }
                form.find action=(base) method="get" {
                    label { (l.say(w::FIND_ROW)) input type="text" name="find" value=(view.find) placeholder=(l.say(w::FIND_ROW_HINT)) maxlength="200"; }
                    button type="submit" { (l.say(w::FIND_ROW)) }
                }
                span.group {
                    button type="button" data-copy-from={ (base) "/table.md" } hidden { (l.say(w::COPY_MARKDOWN)) }
                    button type="button" data-copy-from={ (base) "/table.csv" } hidden { (l.say(w::COPY_CSV)) }
                    a.button href={ (base) "/table.csv" } { "CSV" }
                    a.button href={ (base) "/table.md" } { "Markdown" }
                    a.button.primary href={ (base) "/table.xlsx" } { (l.say(w::DOWNLOAD_XLSX)) }
                }
            }
            (body(ctx, view, &base))
            @if !view.notes.is_empty() {
                section.notes { h2 { (l.say(w::NOTES)) }
                    dl { @for (label, text, page) in &view.notes {
                        dt { (label) }
                        dd { (text) " " @if let Some(page) = page.and_then(PageNumber::new) { a href=(Address::page(reg_id, page)) { "P" (page) } } }
                    } }
                }
            }
        },
    )
}

fn body(ctx: &Ctx, view: &TableScreen<'_>, base: &str) -> Markup {
    let l = ctx.lang;
    let table = view.table;
    let reg_id = view.parts.info.reg_id.as_str();
    let passing = view.passing();
    let is_filtered = view.filters.iter().any(|text| !text.is_empty());
    let rows = table.data_rows();
    let row_mark = |row: u32| {
        let is_found = view.found.as_ref().is_some_and(|found| found.contains(&row));
        (is_found || view.row == Some(row)).then_some("is-marked")
    };
    let page_of = |row: u32| table.row_pages.get((table.header_rows + row) as usize).copied();
    let page_link = |row: u32| {
        html! { @if let Some(page) = page_of(row) {
            a href=(Address::page(reg_id, page).with("t", table.table_id.as_str()).with("row", row.to_string())) { "P" (page) }
        } }
    };
    html! {
        p.count role="status" #rows-shown {
            @match &view.found {
                Some(found) if found.is_empty() => (l.say(w::NO_ROWS)),
                _ => (l.fill(w::ROWS_SHOWN, &[&passing.len(), &table.row_count])),
            }
        }
        form #column-filters action=(base) method="get" {
            div.scroll.tall tabindex="0" role="region" aria-label=(l.say(w::TABLE)) {
                table.grid.whole {
                    thead {
                        tr { @for header in &table.col_headers { th scope="col" { (header) } } th scope="col" { (l.say(w::PAGE)) } }
                        tr.column-filters {
                            @for (col, header) in table.col_headers.iter().enumerate() {
                                th { input type="search" name=(format!("c{col}")) value=(view.filters.get(col).map_or("", String::as_str)) data-col=(col) aria-label=(format!("{} {header}", l.say(w::FILTER))) placeholder=(l.say(w::FILTER)) maxlength="100"; }
                            }
                            th { button type="submit" { (l.say(w::FILTER)) } }
                        }
                    }
                    tbody {
                        @for row in passing.iter().take(MAX_ROWS) {
                            @if let Some((_, cells)) = rows.get(*row as usize) {
                                tr id=(format!("row-{row}")) class=[row_mark(*row)] {
                                    @for (col, cell) in cells.iter().enumerate() { td data-col=(col) { (blocks::lines(cell, |line| html! { (line) })) } }
                                    td.row-page { (page_link(*row)) }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if passing.len() > MAX_ROWS { p.remark.warning { (l.fill(w::MORE_N, &[&(passing.len() - MAX_ROWS)])) } }
        @if is_filtered || view.found.is_some() { p { a href=(base) { (l.say(w::CLEAR)) } } }
    }
}

/// The tables of a regulation.
pub fn list(ctx: &Ctx, parts: &RegulationParts) -> Markup {
    let l = ctx.lang;
    let reg_id = parts.info.reg_id.as_str();
    let title = l.fill(w::TABLES_OF, &[&parts.info.short_name()]);
    let screen = Screen { title: &title, section: "/", searches: Some(reg_id), ..Screen::default() };
    frame(
        ctx,
        &screen,
        &html! {
            p.crumbs { a href=(Address::page(reg_id, PageNumber::FIRST)) { (parts.info.title) } " " (status_chip(l, parts.status)) }
            h1 { (title) }
            ul.table-list {
                @for table in parts.tables.tables.values() {
                    li {
                        a href=(Address::table(reg_id, table.table_id.as_str())) { (table.caption.as_deref().unwrap_or(l.say(w::UNTITLED_TABLE))) }
                        span.chip { (l.fill(w::ROWS_N, &[&table.row_count])) }
                        @if let Some((first, last)) = table.page_range() { span.chip { "P" (first) @if first != last { "–" (last) } } }
                        span.path { (table.chapter_path.join(" › ")) }
                    }
                }
            }
        },
    )
}
