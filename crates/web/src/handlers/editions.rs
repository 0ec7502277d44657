//! `/r/{reg}/in/{other}`: the same clause, table or row in another edition.
//!
//! Clauses are found by their number, tables by theirs, rows by their cells. Where the other edition has no such place the
//! nearest clause above it is opened, and where there is none of those either, the first page, which then says so.

use axum::extract::{Path, Query, State};
use axum::response::Response;
use regreader_model::{LogicalTable, PageNumber};
use serde::Deserialize;

use super::reader::{TargetQuery, marked_address, named_table};
use super::see_other;
use crate::address::Address;
use crate::app::{App, Ctx, Shared, blocking};
use crate::backend::{Failure, RegulationParts};
use crate::marks::{Target, letters};

/// The page that is being read.
#[derive(Debug, Deserialize)]
pub struct From {
    page: Option<u32>,
}

/// Goes to the same place.
pub async fn same_place(
    State(app): State<Shared>,
    ctx: Ctx,
    Path((reg_id, other)): Path<(String, String)>,
    Query(from): Query<From>,
    Query(target): Query<TargetQuery>,
) -> Response {
    let page = from.page.and_then(PageNumber::new).unwrap_or(PageNumber::FIRST);
    let found = blocking(&app, move |app| {
        let (here, there) = (app.backend.regulation(&reg_id)?, app.backend.regulation(&other)?);
        find(app, &here, &there, page, &target.target())
    });
    match found.await {
        Ok(address) => see_other(&address.to_string()),
        Err(failure) => ctx.failure(&failure),
    }
}

fn find(
    app: &App,
    here: &RegulationParts,
    there: &RegulationParts,
    page: PageNumber,
    target: &Target,
) -> Result<Address, Failure> {
    let other = there.info.reg_id.as_str();
    if let Some(table) = target.table.as_deref().and_then(|id| named_table(here, id))
        && let Some(twin) = table.number.as_deref().and_then(|number| named_table(there, number))
        && let Some((first, _)) = twin.page_range()
    {
        let row = target.row.and_then(|row| same_row(table, row, twin));
        let at = row.and_then(|row| twin.row_pages.get((twin.header_rows + row) as usize).copied());
        let found = Target { table: Some(twin.table_id.as_str().to_owned()), row, ..Target::default() };
        return Ok(marked_address(other, at.unwrap_or(first), &found));
    }
    let document = app.backend.page(here.info.reg_id.as_str(), page)?;
    let marked = target.block.as_deref();
    let blocks = document.content_blocks.iter();
    let number = blocks
        .clone()
        .filter(|block| marked.is_none_or(|id| block.block_id.as_str() == id))
        .chain(blocks)
        .find_map(|block| block.section_number.as_ref());
    let Some(number) = number else { return Ok(lost(other)) };
    // 6.2.4 → 6.2 → 6: a clause that is gone still has its section.
    let mut wanted = number.as_str();
    loop {
        let node = there.structure.all_nodes.values().find(|node| node.section_number.as_str() == wanted);
        if let Some(node) = node {
            let block = node.content_block_ids.first().map(|id| id.as_str().to_owned());
            return Ok(marked_address(other, node.page_num, &Target { block, ..Target::default() }));
        }
        match wanted.rsplit_once('.') {
            Some((above, _)) => wanted = above,
            None => return Ok(lost(other)),
        }
    }
}

fn lost(reg_id: &str) -> Address {
    Address::page(reg_id, PageNumber::FIRST).with("lost", "1")
}

/// The row of `twin` that shares the most cells with a row, from the left without a gap: the columns on the left name a
/// row, those on the right are what changes. None where nothing is shared or two rows share as much.
fn same_row(table: &LogicalTable, row: u32, twin: &LogicalTable) -> Option<u32> {
    let fold = |text: &str| letters(text).collect::<String>();
    let rows = table.data_rows();
    let own: Vec<String> = rows.get(row as usize)?.1.iter().map(|cell| fold(cell)).collect();
    let shared =
        |cells: &[&str]| cells.iter().zip(&own).take_while(|(cell, own)| fold(cell) == **own).count();
    let scored: Vec<usize> = twin.data_rows().iter().map(|(_, cells)| shared(cells)).collect();
    let best = scored.iter().copied().max().filter(|best| *best > 0)?;
    let mut best_rows = (0_u32..).zip(&scored).filter(|(_, score)| **score == best);
    let (found, _) = best_rows.next()?;
    best_rows.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;

    #[test]
    fn a_row_is_known_by_its_cells_from_the_left() {
        let table = fake::table();
        let mut twin = fake::table();
        twin.cells
            .iter_mut()
            .filter(|cell| cell.content == "300")
            .for_each(|cell| cell.content = "280".to_owned());
        assert_eq!(same_row(&table, 1, &twin), Some(1), "the limit has changed, the key has not");
        twin.cells.iter_mut().filter(|cell| cell.col == 0).for_each(|cell| cell.content = "4".to_owned());
        assert_eq!(same_row(&table, 1, &twin), None);
    }
}
