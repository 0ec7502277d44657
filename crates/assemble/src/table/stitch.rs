//! Which grids on following pages are one table.
//!
//! Two grids are joined when the later one says so (`表14（续）`, `续表`, the same number again, or 续 under another number
//! with the same title and header: a misprint), or when nothing at all
//! stands between them, their columns stand at the same places and no new caption begins. A text between them, a
//! caption of its own or notes under the first keep them apart. A header printed again on the later page is dropped
//! once, and only if it is the same header cell by cell, a letter that a recogniser lost apart; otherwise every row of the
//! later page is data. A title over all columns above that header begins another table of the same form. Rows are never
//! lost or invented here: that law holds before any appearance.

use regreader_messages::{Both, findings};
use regreader_text::caption::parse_caption;
use regreader_text::{beginning, fold_tight};

use crate::flow::{Item, Piece};
use crate::metrics::Metrics;
use crate::table::caption::Bound;
use crate::table::grid::Grid;
use crate::table::header::{header_rows, header_rows_before_more};

/// Grids that form one table, by position in the stream.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    pub links: Vec<Link>,
    /// Why grids that look like one table were kept apart, with the page index.
    pub kept_apart: Option<Both>,
}

/// One grid of a table.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub piece: usize,
    /// Leading rows that repeat the header.
    pub repeated: u32,
    /// Why it was joined to the one before; empty for the first.
    pub reason: Both,
}

/// The grids and captions of the document.
pub(crate) struct Tables<'a> {
    pub pieces: &'a [Piece],
    pub captions: &'a [Option<Bound>],
    pub metrics: &'a Metrics,
}

impl Tables<'_> {
    /// Groups all grids into tables, in document order. Grids are brought to common columns where that is needed.
    pub fn chains(&self, grids: &mut [Option<Grid>]) -> Vec<Chain> {
        let mut chains: Vec<Chain> = Vec::new();
        for at in 0..self.pieces.len() {
            if !matches!(self.pieces[at].item, Item::Table(_)) {
                continue;
            }
            let mut kept_apart = None;
            let joined = match chains.last_mut() {
                Some(chain) => match self.decide(chain, at, grids) {
                    Decision::Join(link) => {
                        chain.links.push(link);
                        true
                    }
                    Decision::Apart(reason) => {
                        kept_apart = reason;
                        false
                    }
                },
                None => false,
            };
            if !joined {
                let link = Link { piece: at, repeated: 0, reason: String::new().into() };
                chains.push(Chain { links: vec![link], kept_apart });
            }
        }
        chains
    }

    fn decide(&self, chain: &Chain, later: usize, grids: &mut [Option<Grid>]) -> Decision {
        let Some(last) = chain.links.last().map(|link| link.piece) else { return Decision::Apart(None) };
        let first = chain.links.first().map_or(last, |link| link.piece);
        let own = self.captions.get(later).and_then(Option::as_ref).filter(|caption| !caption.below);
        let table_number = self.caption(first).and_then(|caption| caption.number.as_deref());
        let named = own.and_then(|caption| caption.number.as_deref());
        let page = |at: usize| self.pieces.get(at).map_or(0, |piece| piece.page);
        let says_continued = own.is_some_and(|caption| caption.continued)
            && (named.is_none() || table_number.is_none() || named == table_number);
        let same_number = !says_continued && named.is_some() && named == table_number;
        // A continuation under a wrong number: the title says which table it is, and the header must agree as well.
        let misnumbered = !says_continued
            && own
                .zip(self.caption(first))
                .is_some_and(|(own, before)| own.continued && same_title(own, before));
        if own.is_some() && !says_continued && !same_number && !misnumbered {
            return Decision::Apart(None);
        }
        let adjacent = self.nothing_between(last, later, same_number);
        let new_page = page(later) > page(last);
        if !(says_continued || adjacent && new_page) {
            return Decision::Apart(None);
        }
        let (Some(a), Some(b)) = (grid(grids, first), grid(grids, later)) else {
            return Decision::Apart(None);
        };
        if let Some(title) = new_title(a, b).filter(|_| !says_continued && !same_number) {
            return Decision::Apart(Some(findings::titled_anew(
                page(later) + 1,
                beginning(&title, 60),
                page(last) + 1,
            )));
        }
        let alignment = align(a, b);
        let repeated = repeated_header(a, b);
        let columns_agree = !matches!(alignment, Alignment::Different) || repeated > 0;
        if !columns_agree {
            let reason = findings::columns_differ(page(last) + 1, page(later) + 1, a.cols, b.cols);
            return Decision::Apart(Some(reason));
        }
        if misnumbered && repeated == 0 {
            return Decision::Apart(None);
        }
        let reason = if misnumbered {
            findings::continued_misnumbered(own.map_or("", |caption| caption.text.as_str()))
        } else if says_continued {
            findings::says_continued(own.map_or("", |caption| caption.text.as_str()))
        } else if same_number {
            findings::NUMBER_REPEATED.into()
        } else if repeated > 0 {
            findings::HEADER_REPEATED.into()
        } else if self.ended_early(last, grids) {
            return Decision::Apart(Some(findings::ended_early(page(last) + 1, page(later) + 1)));
        } else if has_other_header(a, b) {
            return Decision::Apart(Some(findings::other_header(page(later) + 1, page(last) + 1)));
        } else {
            findings::COLUMNS_AGREE.into()
        };
        match alignment {
            Alignment::Later(map) => {
                if let Some(grid) = grids.get_mut(later).and_then(Option::as_mut) {
                    remap(grid, &map);
                }
            }
            Alignment::Earlier(map) => {
                for link in &chain.links {
                    if let Some(grid) = grids.get_mut(link.piece).and_then(Option::as_mut) {
                        remap(grid, &map);
                    }
                }
            }
            Alignment::Same | Alignment::Different => {}
        }
        Decision::Join(Link { piece: later, repeated, reason })
    }

    fn caption(&self, at: usize) -> Option<&Bound> {
        self.captions.get(at)?.as_ref()
    }

    /// Whether only captions of the two and footnotes (and nothing else at all) stand between two grids. Where the
    /// caption itself says that it is one table, small type at the foot of the page is taken for footnotes.
    fn nothing_between(&self, earlier: usize, later: usize, same_number: bool) -> bool {
        let captions: Vec<usize> = [earlier, later]
            .into_iter()
            .filter_map(|at| self.caption(at))
            .flat_map(|caption| caption.pieces.iter().copied())
            .collect();
        (earlier + 1..later)
            .all(|at| captions.contains(&at) || self.is_footnote(at) || same_number && self.is_small_type(at))
    }

    fn is_small_type(&self, at: usize) -> bool {
        let size = self.pieces.get(at).and_then(|piece| piece.item.line()).and_then(|line| line.size);
        size.is_some_and(|size| size < 0.85 * self.metrics.body_size)
    }

    fn is_footnote(&self, at: usize) -> bool {
        self.pieces
            .get(at)
            .and_then(|piece| piece.item.line())
            .is_some_and(|line| line.role == regreader_model::TextRole::Footnote)
    }

    /// A large part of the page below the grid is empty: the next row would have had room.
    fn ended_early(&self, at: usize, grids: &[Option<Grid>]) -> bool {
        let Some(rect) = grid(grids, at).and_then(|grid| grid.bbox) else { return false };
        let page = self.pieces.get(at).map_or(0, |piece| piece.page);
        self.metrics.free_below(page, rect.y1).is_some_and(|free| free > 0.3)
    }
}

enum Decision {
    Join(Link),
    Apart(Option<Both>),
}

fn grid(grids: &[Option<Grid>], at: usize) -> Option<&Grid> {
    grids.get(at)?.as_ref()
}

/// Whether two captions have the same title, and have one.
fn same_title(a: &Bound, b: &Bound) -> bool {
    let title = |bound: &Bound| parse_caption(&bound.text).map(|caption| fold_tight(&caption.title));
    title(a).filter(|title| !title.is_empty()).is_some_and(|own| Some(own) == title(b))
}

/// Leading rows of `later` that repeat the header of `first`, cell by cell.
pub(crate) fn repeated_header(first: &Grid, later: &Grid) -> u32 {
    let rows = match header_rows_before_more(first) {
        0 if first.rows == 1 && crate::table::header::can_be_header(first) => 1,
        rows => rows,
    };
    if rows == 0 || later.rows < rows {
        return 0;
    }
    let shape = |grid: &Grid| -> Vec<(u32, u32, String)> {
        grid.cells
            .iter()
            .filter(|cell| cell.row < rows && !cell.content.is_empty())
            .map(|cell| (cell.row, cell.col, fold_tight(&cell.content)))
            .collect()
    };
    let (a, b) = (shape(first), shape(later));
    if a.is_empty() {
        return 0;
    }
    if a == b {
        return rows;
    }
    // Columns may be cut differently on the later page; the words in their order decide then.
    let words = |cells: &[(u32, u32, String)]| -> Vec<(u32, String)> {
        cells.iter().map(|(row, _, text)| (*row, text.clone())).collect()
    };
    // A recogniser may lose a letter of a head (说 for 说明); the others must be the same to the letter.
    let part = |x: &str, y: &str| x.contains(y) || y.contains(x);
    let pairs = || a.iter().zip(&b);
    let misread = a.len() == b.len()
        && pairs().all(|(x, y)| (x.0, x.1) == (y.0, y.1) && part(&x.2, &y.2))
        && pairs().filter(|(x, y)| x.2 != y.2).count() == 1
        && a.len() > 1;
    if words(&a) == words(&b) || misread { rows } else { 0 }
}

/// The title that the later grid prints over all its columns above the header of the first one: another table of the same
/// form. The title of the first grid printed again is part of its header, and says that the table goes on.
fn new_title(first: &Grid, later: &Grid) -> Option<String> {
    let title = later.full_width(0).filter(|cell| cell.row_span == 1)?;
    let words = |grid: &Grid, row: u32| -> Vec<String> {
        grid.row(row).map(|cell| fold_tight(&cell.content)).filter(|text| !text.is_empty()).collect()
    };
    let own = first.full_width(0);
    if own.is_some_and(|own| fold_tight(&own.content) == fold_tight(&title.content))
        || is_continuation(&title.content)
    {
        return None;
    }
    let header = words(first, u32::from(own.is_some()));
    let same_header = header.len() > 1 && words(later, 1) == header;
    // A table without a header does not gain one in its middle.
    let first_header = header_rows_before_more(first) == 0 && header_rows(later) > 1;
    (same_header || first_header).then(|| title.content.clone())
}

fn is_continuation(text: &str) -> bool {
    text.contains('续') || text.to_lowercase().contains("continued") || text.to_lowercase().contains("cont’d")
}

/// The later grid begins with a header of several levels that is not the first one's.
fn has_other_header(first: &Grid, later: &Grid) -> bool {
    let declared = later.header_rows.is_some_and(|rows| rows > 0);
    let rows = header_rows(later);
    let first_words: Vec<String> = first.row(0).map(|cell| fold_tight(&cell.content)).collect();
    let later_words: Vec<String> = later.row(0).map(|cell| fold_tight(&cell.content)).collect();
    let levels = later.row(0).any(|cell| cell.col_span > 1 && cell.col_span < later.cols);
    (declared || rows > 1 && levels) && first_words != later_words
}

/// How the columns of two grids lie to each other.
#[derive(Debug, PartialEq)]
pub(crate) enum Alignment {
    Same,
    /// The later grid has fewer columns; new column of each of its edges.
    Later(Vec<u32>),
    /// The earlier grids have fewer columns; new column of each of their edges.
    Earlier(Vec<u32>),
    Different,
}

pub(crate) fn align(earlier: &Grid, later: &Grid) -> Alignment {
    let (Some(a), Some(b)) = (earlier.edges(), later.edges()) else {
        return if earlier.cols == later.cols { Alignment::Same } else { Alignment::Different };
    };
    let (Some(a0), Some(a1), Some(b0), Some(b1)) = (a.first(), a.last(), b.first(), b.last()) else {
        return Alignment::Different;
    };
    let width = (a1 - a0).max(1.0);
    let tolerance = (width * 0.02).max(4.0);
    // Facing pages may have mirrored margins: places are compared from the left edge.
    if ((b1 - b0) - width).abs() > tolerance * 1.5 {
        return Alignment::Different;
    }
    let a: Vec<f32> = a.iter().map(|x| x - a0).collect();
    let b: Vec<f32> = b.iter().map(|x| x - b0).collect();
    if a.len() == b.len() {
        let meet = |a: &(f32, f32), b: &(f32, f32)| a.0 <= b.1 + tolerance && b.0 <= a.1 + tolerance;
        let ranges = earlier.edge_ranges().zip(later.edge_ranges());
        let same = ranges.is_some_and(|(a, b)| a.iter().zip(&b).all(|(a, b)| meet(a, b)));
        return if same { Alignment::Same } else { Alignment::Different };
    }
    let into = |few: &[f32], many: &[f32]| -> Option<Vec<u32>> {
        let map: Vec<u32> = few
            .iter()
            .map(|x| many.iter().position(|y| (x - y).abs() <= tolerance).map(|at| at as u32))
            .collect::<Option<_>>()?;
        map.windows(2).all(|pair| pair[0] < pair[1]).then_some(map)
    };
    let found = if b.len() < a.len() {
        into(&b, &a).map(Alignment::Later)
    } else {
        into(&a, &b).map(Alignment::Earlier)
    };
    found.unwrap_or(Alignment::Different)
}

/// Moves a grid onto more columns: cells that stood on one column span those it covers.
fn remap(grid: &mut Grid, map: &[u32]) {
    let place = |edge: u32| map.get(edge as usize).copied();
    for cell in &mut grid.cells {
        if let (Some(left), Some(right)) = (place(cell.col), place(cell.col + cell.col_span)) {
            cell.col = left;
            cell.col_span = right.saturating_sub(left).max(1);
        }
    }
    grid.cols = map.last().copied().unwrap_or(grid.cols);
}
