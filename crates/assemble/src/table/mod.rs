//! Tables: grids on pages become logical tables with captions, headers and segments.
//!
//! [`grid`] mends what parsers hand over, [`caption`] binds captions, [`stitch`] decides which grids are one table,
//! [`header`] finds header rows, [`logical`] joins. Notes and chapters are bound to tables elsewhere.

pub(crate) mod caption;
pub(crate) mod grid;
pub(crate) mod header;
pub(crate) mod logical;
pub(crate) mod stitch;

use regreader_messages::findings;
use regreader_model::{Diagnostic, DiagnosticCode, PageNumber, Severity, StitchRecord, TableId};
use regreader_text::beginning;
use regreader_text::caption::{CaptionKind, parse_caption};

use crate::clean::Cleaner;
use crate::flow::{Item, Piece};
use crate::metrics::Metrics;
use grid::Grid;
use logical::{Joined, Part};
use stitch::{Chain, Tables};

/// All tables of a document, and which pieces of the stream belong to them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// In document order.
    pub tables: Vec<Joined>,
    /// For a grid's piece: its table and segment.
    pub segment_of: Vec<Option<(usize, usize)>>,
    /// Lines that are captions of tables on the same page, printed with the table.
    pub is_caption: Vec<bool>,
    /// First and last piece of each table: its grids and the captions beside them.
    pub last_piece: Vec<usize>,
    pub stitches: Vec<StitchRecord>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Remarks of one kind in the report.
const MOST_REMARKS: usize = 200;

/// Finds all tables.
pub(crate) fn plan(pieces: &mut [Piece], metrics: &Metrics, cleaner: Cleaner) -> Plan {
    lift_captions(pieces);
    let caption::Binding { bound: captions, unbound } = caption::bind(pieces, metrics, cleaner);
    let mut grids: Vec<Option<Grid>> = pieces
        .iter()
        .map(|piece| match &piece.item {
            Item::Table(grid) => Some(grid.clone()),
            _ => None,
        })
        .collect();
    let chains = Tables { pieces, captions: &captions, metrics }.chains(&mut grids);

    let mut plan = Plan {
        segment_of: vec![None; pieces.len()],
        is_caption: vec![false; pieces.len()],
        ..Plan::default()
    };
    for caption in captions.iter().flatten() {
        caption.pieces.iter().for_each(|at| plan.is_caption[*at] = true);
    }
    for at in unbound.into_iter().take(MOST_REMARKS) {
        let Some((piece, line)) = pieces.get(at).and_then(|piece| Some((piece, piece.item.line()?))) else {
            continue;
        };
        plan.diagnostics.push(Diagnostic::on_page(
            Severity::Warning,
            DiagnosticCode::CaptionUnbound,
            PageNumber::from_index(piece.page),
            findings::caption_unbound(beginning(&line.text, 60)),
        ));
    }
    let width = chains.len().to_string().len().max(4);
    for chain in chains {
        let index = plan.tables.len();
        let table_id = TableId::new(format!("t{:0width$}", index + 1));
        let page_of = |at: usize| PageNumber::from_index(pieces.get(at).map_or(0, |piece| piece.page));
        note_chain(&mut plan, &chain, &table_id, page_of);
        let mut parts = Vec::with_capacity(chain.links.len());
        let mut last = 0;
        for (nth, link) in chain.links.iter().enumerate() {
            let Some(grid) = grids.get_mut(link.piece).and_then(Option::take) else { continue };
            plan.segment_of[link.piece] = Some((index, nth));
            let bound = captions.get(link.piece).and_then(Option::as_ref);
            last =
                bound.into_iter().flat_map(|bound| bound.pieces.iter().copied()).fold(link.piece, usize::max);
            parts.push(Part {
                page_num: page_of(link.piece),
                grid,
                repeated: link.repeated,
                caption: bound.map(|bound| bound.text.clone()),
            });
        }
        let number = chain
            .links
            .iter()
            .filter_map(|link| captions.get(link.piece)?.as_ref())
            .find_map(|bound| bound.number.clone());
        plan.tables.push(logical::join(&table_id, number, parts, cleaner));
        plan.last_piece.push(last);
    }
    plan
}

fn note_chain(plan: &mut Plan, chain: &Chain, table_id: &TableId, page_of: impl Fn(usize) -> PageNumber) {
    for pair in chain.links.windows(2) {
        let (from_page, to_page) = (page_of(pair[0].piece), page_of(pair[1].piece));
        plan.stitches.push(StitchRecord {
            table_id: table_id.clone(),
            from_page,
            to_page,
            header_repeated: pair[1].repeated > 0,
            reason: pair[1].reason.chinese.clone(),
            reason_en: pair[1].reason.english.clone(),
        });
    }
    if let (Some(reason), Some(first)) = (&chain.kept_apart, chain.links.first()) {
        plan.diagnostics.push(Diagnostic::on_page(
            Severity::Info,
            DiagnosticCode::TableStitching,
            page_of(first.piece),
            reason.clone(),
        ));
    }
}

/// A caption set as the first row of the grid, over all columns, is a caption and not a row.
fn lift_captions(pieces: &mut [Piece]) {
    for piece in pieces {
        let Item::Table(grid) = &mut piece.item else { continue };
        if grid.caption.is_some() || grid.rows < 2 {
            continue;
        }
        let text =
            grid.only_text(0).filter(|cell| cell.row_span == 1).map(|cell| cell.content.replace('\n', " "));
        let Some(text) = text else { continue };
        if parse_caption(&text).is_some_and(|caption| caption.kind == CaptionKind::Table) {
            grid.caption = Some(text);
            grid.drop_top(1);
            grid.header_rows = grid.header_rows.map(|rows| rows.saturating_sub(1));
        }
    }
}
