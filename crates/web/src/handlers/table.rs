//! `/r/{reg}/t/…`: whole tables and their downloads.

use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use regreader_messages::{Language, web as w};
use regreader_model::{LogicalTable, PageNumber};
use regreader_tools::{ColumnCondition, LookupAnnotation, RegulationChoice, SearchTables};

use super::reader::named_table;
use crate::app::{App, Ctx, Shared, blocking, page};
use crate::backend::{Failure, FailureKind, RegulationParts};
use crate::views::table::TableScreen;
use crate::{export, office, views};

/// The tables of a regulation.
pub async fn list(State(app): State<Shared>, ctx: Ctx, Path(reg_id): Path<String>) -> Response {
    let parts = blocking(&app, move |app| app.backend.regulation(&reg_id)).await;
    page(&ctx, parts.map(|parts| views::table::list(&ctx, &parts)))
}

/// A table. `c0`, `c1` … narrow its columns, `find` gives conditions, `row` names a row.
pub async fn show(
    State(app): State<Shared>,
    ctx: Ctx,
    Path((reg_id, table_id)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let asking = ctx.clone();
    let view = blocking(&app, move |app| {
        let parts = app.backend.regulation(&reg_id)?;
        let table = table(asking.lang, &parts, &table_id)?;
        let filters = (0..table.col_headers.len())
            .map(|col| {
                query.get(&format!("c{col}")).map(|text| text.chars().take(100).collect()).unwrap_or_default()
            })
            .collect();
        let find: String = query.get("find").map(|text| text.chars().take(200).collect()).unwrap_or_default();
        let found = if find.trim().is_empty() { None } else { Some(find_rows(app, &parts, table, &find)) };
        let view = TableScreen {
            parts: &parts,
            table,
            filters,
            find,
            found: found.transpose()?,
            row: query.get("row").and_then(|text| text.parse().ok()),
            notes: notes(app, &parts, table),
        };
        Ok(views::table::page(&asking, &view))
    });
    page(&ctx, view.await)
}

fn table<'a>(lang: Language, parts: &'a RegulationParts, id: &str) -> Result<&'a LogicalTable, Failure> {
    let found = named_table(parts, id);
    found.ok_or_else(|| Failure::new(FailureKind::NotFound, lang.say(w::NOT_FOUND)))
}

/// Rows that fit conditions as typed: `开机台数 = 3, 策略 = 投入`. The table search knows units, ranges and spellings.
fn find_rows(
    app: &App,
    parts: &RegulationParts,
    table: &LogicalTable,
    find: &str,
) -> Result<Vec<u32>, Failure> {
    let conditions: Vec<ColumnCondition> = find
        .split([',', '，', '；', ';'])
        .filter_map(|part| part.split_once(['=', '＝', ':', '：']))
        .map(|(column, value)| ColumnCondition {
            column: column.trim().to_owned(),
            value: value.trim().to_owned(),
        })
        .collect();
    if conditions.is_empty() {
        // No column is named: any cell will do.
        let wanted: String = crate::marks::letters(find).collect();
        let has = |cells: &[&str]| {
            cells.iter().any(|cell| crate::marks::letters(cell).collect::<String>().contains(&wanted))
        };
        let rows = (0_u32..).zip(table.data_rows());
        return Ok(rows.filter(|(_, (_, cells))| has(cells)).map(|(row, _)| row).collect());
    }
    let name = table.number.as_ref().map(|number| format!("表{number}")).or_else(|| table.caption.clone());
    let query = name.unwrap_or_else(|| table.table_id.as_str().to_owned());
    let within = Some(RegulationChoice::One(parts.info.reg_id.to_string()));
    let found = app.backend.call(&SearchTables { conditions, ..SearchTables::new(query, within, 50) })?;
    let own = found.tables.iter().filter(|found| found.table_id == table.table_id.as_str());
    Ok(own.flat_map(|found| &found.rows).map(|row| row.row).collect())
}

/// The notes that belong to the table.
fn notes(app: &App, parts: &RegulationParts, table: &LogicalTable) -> Vec<(String, String, Option<u32>)> {
    let page = table.page_range().map_or(PageNumber::FIRST, |(_, last)| last);
    let look_up = |label: &String| {
        let request = LookupAnnotation {
            reg_id: parts.info.reg_id.to_string(),
            annotation_id: label.clone(),
            table_hint: Some(table.table_id.to_string()),
            page_hint: Some(page.get()),
            as_of: None,
        };
        let found = app.backend.call(&request).ok()?;
        Some((label.clone(), found.content, Some(found.page_num.get())))
    };
    table.notes.iter().take(50).filter_map(look_up).collect()
}

/// A table as a file.
pub async fn download(
    State(app): State<Shared>,
    ctx: Ctx,
    Path((reg_id, table_id, file)): Path<(String, String, String)>,
) -> Response {
    let lang = ctx.lang;
    let made = blocking(&app, move |app| {
        let parts = app.backend.regulation(&reg_id)?;
        let table = table(lang, &parts, &table_id)?;
        let name = format!("{}-{}", parts.info.reg_id, table.table_id);
        match file.as_str() {
            "table.csv" => {
                Ok((export::csv(table).into_bytes(), "text/csv; charset=utf-8", format!("{name}.csv")))
            }
            "table.md" => Ok((
                export::markdown(table).into_bytes(),
                "text/markdown; charset=utf-8",
                format!("{name}.md"),
            )),
            "table.xlsx" => {
                let broken =
                    |error: zip::result::ZipError| Failure::new(FailureKind::Broken, error.to_string());
                Ok((office::xlsx(table).map_err(broken)?, office::XLSX, format!("{name}.xlsx")))
            }
            _ => Err(Failure::new(FailureKind::NotFound, lang.say(w::NOT_FOUND))),
        }
    });
    match made.await {
        Ok((bytes, kind, name)) => super::ask::download(bytes, kind, &name),
        Err(failure) => ctx.failure(&failure),
    }
}
