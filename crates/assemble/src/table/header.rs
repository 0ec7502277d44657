//! Which rows of a grid are header, and what each column is called.
//!
//! Declared header rows and cells flagged by the parser are taken as given. Otherwise the first row is the header when
//! it holds labels rather than values, and it grows downwards as long as a cell in it spans columns (not all of them)
//! and labels stand below that cell, or as long as its own cells reach further down than their neighbours. A title
//! printed as one full-width row above the header belongs to the header. Must not look at other tables.

use regreader_model::TableCell;
use regreader_text::find_quantities;

use crate::table::grid::{Grid, covers};

/// Header levels beyond this are not a header.
const DEEPEST: u32 = 6;

/// How many leading rows are header.
pub(crate) fn header_rows(grid: &Grid) -> u32 {
    leading_header(grid, false)
}

/// The same of a grid whose table goes on on the next page: all that stands here may be header.
pub(crate) fn header_rows_before_more(grid: &Grid) -> u32 {
    leading_header(grid, true)
}

fn leading_header(grid: &Grid, goes_on: bool) -> u32 {
    if let Some(declared) = grid.header_rows.filter(|count| *count > 0) {
        return declared.min(grid.rows);
    }
    let flagged = flagged_rows(grid);
    if flagged > 0 {
        return flagged;
    }
    if grid.rows < 2 {
        return 0;
    }
    // A title over all columns, then the header proper.
    let title = u32::from(grid.full_width(0).is_some() && grid.rows > 2);
    if title == 1 && grid.full_width(1).is_some() {
        return 0;
    }
    if !is_label_row(grid, title) || spans_like_data(grid, title) || is_described(grid, title) {
        return 0;
    }
    let mut depth = title + 1;
    while depth < grid.rows.min(DEEPEST) && grows(grid, title, depth) {
        depth += 1;
    }
    if depth < grid.rows || goes_on && depth > title + 1 { depth } else { title + 1 }
}

/// Whether a single row, all that stands on its page, can be the header of what follows on the next page.
pub(crate) fn can_be_header(grid: &Grid) -> bool {
    grid.rows == 1 && grid.full_width(0).is_none() && is_label_row(grid, 0)
}

fn flagged_rows(grid: &Grid) -> u32 {
    let flagged = |row: &u32| {
        let mut cells = grid.row(*row).filter(|cell| !cell.content.is_empty()).peekable();
        cells.peek().is_some() && cells.all(|cell| cell.is_header)
    };
    let count = (0..grid.rows.min(DEEPEST)).take_while(flagged).count() as u32;
    // A parser that flags everything has told us nothing.
    if count < grid.rows { count } else { 0 }
}

fn is_label_row(grid: &Grid, row: u32) -> bool {
    let texts: Vec<&str> =
        grid.row(row).map(|cell| cell.content.as_str()).filter(|text| !text.is_empty()).collect();
    let values = texts.iter().filter(|text| is_value(text)).count();
    !texts.is_empty() && (values * 2 < texts.len() || is_scale(grid, row))
}

/// A scale of one unit behind labels, 线路 | 25℃及以下 | 30℃ | 35℃, over cells that do not have that unit.
fn is_scale(grid: &Grid, row: u32) -> bool {
    let quantity = |text: &str| match &find_quantities(text)[..] {
        [(_, one)] => Some((one.unit, one.magnitude())),
        _ => None,
    };
    let cells: Vec<&TableCell> = grid.row(row).collect();
    let labels = cells.iter().take_while(|cell| quantity(&cell.content).is_none()).count();
    let (labels, scale) = cells.split_at(labels);
    if !labels.iter().any(|label| !label.content.is_empty())
        || labels.iter().any(|label| is_value(&label.content))
    {
        return false;
    }
    let Some(marks) = scale.iter().map(|cell| quantity(&cell.content)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let Some(&(unit, _)) = marks.first() else { return false };
    let is_ordered = |ordered: fn(&f64, &f64) -> bool| {
        marks.windows(2).all(|pair| matches!(pair, [(_, one), (_, next)] if ordered(one, next)))
    };
    let first = scale.first().map_or(0, |cell| cell.col);
    let below = (row + 1..grid.rows).flat_map(|below| grid.row(below).filter(|cell| cell.col >= first));
    let mut is_shared = below.map(|cell| quantity(&cell.content).is_some_and(|(other, _)| other == unit));
    marks.len() >= 2
        && marks.iter().all(|(other, _)| *other == unit)
        && (is_ordered(f64::lt) || is_ordered(f64::gt))
        && !is_shared.any(|is| is)
}

/// A text too long for the head of a column: heads are labels, and seldom longer than a printed line.
fn is_prose(text: &str) -> bool {
    const LONGEST_LABEL: usize = 60;
    let width: usize = text.chars().map(|c| if regreader_text::script::is_cjk(c) { 2 } else { 1 }).sum();
    width > LONGEST_LABEL
}

/// A row whose cells are sentences like those below them is data: a table of statements has no header.
fn is_described(grid: &Grid, row: u32) -> bool {
    grid.row(row).filter(|cell| is_prose(&cell.content)).any(|cell| {
        let below =
            |next: u32| grid.row(next).find(|other| other.col == cell.col).map(|other| &other.content);
        let mut texts = (row + cell.row_span..grid.rows).filter_map(below).filter(|text| !text.is_empty());
        texts.clone().count() >= 2
            && texts.all(|text| text.chars().count() * 3 >= cell.content.chars().count())
    })
}

/// A first cell that reaches down beside rows of its own is a group of data, not a header.
fn spans_like_data(grid: &Grid, row: u32) -> bool {
    let tallest = grid.row(row).map(|cell| cell.row_span).max().unwrap_or(1);
    let shortest = grid.row(row).map(|cell| cell.row_span).min().unwrap_or(1);
    let widens = grid.row(row).any(|cell| cell.col_span > 1 && cell.row_span < tallest);
    // A band over several columns beside the tall cell heads them.
    let band = (row + 1..(row + tallest).min(grid.rows)).any(|below| {
        grid.row(below).any(|cell| cell.col_span > 1 && !is_value(&cell.content)) && is_label_row(grid, below)
    });
    if tallest == shortest || widens || band {
        return false;
    }
    // All cells of the rows below beside the tall one are labels: a header of uneven height all the same.
    (row + 1..(row + tallest).min(grid.rows)).any(|below| !is_label_row(grid, below))
        || tallest >= grid.rows
        || !(row + tallest..grid.rows.min(row + tallest + 3)).any(|below| !is_label_row(grid, below))
}

/// Whether the row at `depth` still belongs to the header above it.
fn grows(grid: &Grid, top: u32, depth: u32) -> bool {
    let mut reaching_first = false;
    let mut reaching_other = false;
    let mut spanned = false;
    let above: Vec<&TableCell> =
        grid.cells.iter().filter(|cell| cell.row >= top && cell.row < depth).collect();
    let is_divided = |cell: &TableCell| cell.col_span > 1 && cell.col_span < grid.cols;
    for cell in &above {
        let reaches = cell.row + cell.row_span > depth && cell.row_span < grid.rows;
        reaching_first |= reaches && cell.col == 0;
        reaching_other |= reaches && cell.col > 0;
        // A band below the titles of its own columns divides nothing: what follows it is data.
        let titled = above.iter().any(|other| {
            other.row < cell.row
                && other.col >= cell.col
                && other.col + other.col_span <= cell.col + cell.col_span
                && other.col_span < cell.col_span
        });
        spanned |= is_divided(cell)
            && !titled
            && cell.row + cell.row_span == depth
            && has_labels_below(grid, cell, depth);
    }
    // A value or a sentence that stands under no divided cell is data, and so is its whole row.
    let under = |cell: &TableCell| {
        above.iter().any(|parent| {
            is_divided(parent)
                && parent.col <= cell.col
                && cell.col + cell.col_span <= parent.col + parent.col_span
        })
    };
    if grid.row(depth).any(|cell| (is_value(&cell.content) || is_prose(&cell.content)) && !under(cell)) {
        return false;
    }
    // A first column that reaches down beside rows of text groups data; it makes a header taller only where a header
    // cell is divided below, or a band of its own lies beside it.
    let parted = above.iter().any(|cell| is_divided(cell)) || grid.row(depth).any(|cell| cell.col_span > 1);
    let reaches =
        (reaching_first || reaching_other) && (parted || (reaching_other && is_label_row(grid, depth)));
    reaches || spanned
}

fn has_labels_below(grid: &Grid, parent: &TableCell, row: u32) -> bool {
    let mut labels = 0;
    let mut values = 0;
    let mut wide = false;
    let mut beside = false;
    for cell in grid.row(row) {
        let under = cell.col >= parent.col && cell.col + cell.col_span <= parent.col + parent.col_span;
        beside |= !under && !cell.content.is_empty() && cell.row_span == 1;
        if under && !cell.content.is_empty() {
            if is_value(&cell.content) {
                values += 1;
            } else {
                labels += 1;
                // A second title over all columns of the first (Area …, then Limiting distance, m).
                wide |= cell.col_span > 1;
            }
        }
    }
    // A row that goes on beside it is a row of data whose first cell is as wide as the head.
    labels > values && (labels + values > 1 || wide && !beside)
}

/// A measured value rather than a label: digits with signs and units of a few letters, or a dash. A year is a label, and so are words
/// with numbers in brackets behind them: 高峰（8:00–22:00）.
pub(crate) fn is_value(text: &str) -> bool {
    let text = text.trim();
    if let Some((words, _)) = text.strip_suffix([')', '）']).and_then(|text| text.split_once(['(', '（']))
        && words.chars().count() > 1
        && words.trim().chars().all(char::is_alphabetic)
    {
        return false;
    }
    if matches!(text, "—" | "-" | "–" | "/" | "√" | "×" | "●" | "○" | "—-" | "——") {
        return true;
    }
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    // 0.95 VN, 0.90 VN: a number with a fraction is measured, however long its unit.
    let whole = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let fraction = whole.len() < text.len()
        && whole.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if fraction && text.chars().count() <= 24 {
        return true;
    }
    let year = digits == 4 && letters == 0 && (text.starts_with("19") || text.starts_with("20"));
    digits > 0 && letters <= 2.max(digits / 2) && !year
}

/// Header of each column, its levels from top to bottom joined by ` / `.
pub(crate) fn column_headers(cells: &[TableCell], header_rows: u32, cols: u32) -> Vec<String> {
    let header: Vec<&TableCell> = cells.iter().filter(|cell| cell.row < header_rows).collect();
    (0..cols)
        .map(|col| {
            let mut levels: Vec<String> = Vec::new();
            let mut last: Option<(u32, u32)> = None;
            for row in 0..header_rows {
                let Some(cell) = header.iter().find(|cell| covers(cell, row, col)) else { continue };
                let title_row = cell.col_span == cols && cols > 1 && header_rows > 1;
                let text = cell.content.replace('\n', " ");
                // A cell that is merged over two levels may be written twice.
                let is_new = last != Some((cell.row, cell.col)) && levels.last() != Some(&text);
                if is_new && !text.is_empty() && !title_row {
                    levels.push(text);
                }
                last = Some((cell.row, cell.col));
            }
            levels.join(" / ")
        })
        .collect()
}
