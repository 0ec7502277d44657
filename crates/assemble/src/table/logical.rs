//! Joined grids become one logical table: one header, every data row once, a page for every row.
//!
//! Cells cut at the page border: where the first rows of a later page have an empty cell in a leading column that groups
//! its rows (some cell of that column spans several rows), and the cell above is the last one of the page before, the
//! two are one cell and its span is joined again. So are the cells of other columns that cover the same rows as that
//! one, and those that span several rows on both sides of the border. A row whose text runs over the border is one row,
//! on the page where it begins; its segments still show what each page prints.

use regreader_model::{LogicalTable, PageNumber, TableCell, TableId, TableMeta, TableSegment};

use regreader_text::numbering::parse_line;

use crate::clean::{Cleaner, begins_item, ends_sentence};
use crate::table::grid::Grid;
use crate::table::header::{can_be_header, column_headers, header_rows, header_rows_before_more};

/// One grid with what is printed around it.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub page_num: PageNumber,
    pub grid: Grid,
    /// Leading rows that repeat the header.
    pub repeated: u32,
    /// Caption printed at this part.
    pub caption: Option<String>,
}

/// A logical table and the segment that each of its parts becomes.
#[derive(Debug, Clone)]
pub(crate) struct Joined {
    pub table: LogicalTable,
    pub metas: Vec<TableMeta>,
}

/// Joins the parts of one table.
pub(crate) fn join(table_id: &TableId, number: Option<String>, parts: Vec<Part>, cleaner: Cleaner) -> Joined {
    let caption = parts.iter().find_map(|part| part.caption.clone());
    let header = parts.first().map_or(0, |part| match parts.len() {
        1 => header_rows(&part.grid),
        // The header alone at the foot of a page.
        _ => match header_rows_before_more(&part.grid) {
            0 if can_be_header(&part.grid) => 1,
            rows => rows,
        },
    });
    let cols = parts.iter().map(|part| part.grid.cols).max().unwrap_or(0);
    let mut cells: Vec<TableCell> = Vec::new();
    let mut row_pages: Vec<PageNumber> = Vec::new();
    let mut segments: Vec<TableSegment> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let mut grid = part.grid.clone();
        grid.drop_top(part.repeated);
        let first_row = row_pages.len() as u32;
        if continues_row(&cells, &grid, first_row, header) {
            continue_row(&mut cells, &grid, first_row, cleaner);
            grid.drop_top(1);
        }
        append(&mut cells, &grid, first_row, header);
        row_pages.extend(std::iter::repeat_n(part.page_num, grid.rows as usize));
        segments.push(TableSegment {
            segment_id: segment_id(table_id, index),
            page_num: part.page_num,
            bbox: part.grid.bbox,
            first_row,
            row_count: grid.rows,
            header_repeated: part.repeated > 0,
            caption: part.caption.clone(),
        });
    }
    cells.sort_by_key(|cell| (cell.row, cell.col));
    for cell in &mut cells {
        cell.is_header = cell.row < header;
    }
    let col_headers = column_headers(&cells, header, cols);
    let several = parts.len() > 1;
    let metas = parts
        .into_iter()
        .enumerate()
        .map(|(index, part)| meta(table_id, index, several, part, header, caption.as_ref(), &col_headers))
        .collect();
    let table = LogicalTable {
        table_id: table_id.clone(),
        caption,
        number,
        header_rows: header,
        col_headers,
        row_count: (row_pages.len() as u32).saturating_sub(header),
        col_count: cols,
        cells,
        row_pages,
        segments,
        chapter_node_id: None,
        chapter_path: Vec::new(),
        section_number: None,
        notes: Vec::new(),
    };
    Joined { table, metas }
}

/// Whether the first row of a later page is the rest of the last row of the page before.
///
/// Its first column is empty and nothing in it reaches further down, and each of its texts stands under a text. Either a
/// sentence goes on from one page to the other, or the first column is a key that every row so far has, so that a row
/// without one cannot be a row of its own. Where the first column groups rows, an empty cell usually means the next row of
/// the group; there only a sentence that goes on in small letters, or a list that counts on, shows a row that was cut.
fn continues_row(cells: &[TableCell], grid: &Grid, first_row: u32, header: u32) -> bool {
    let Some(last_row) = first_row.checked_sub(1).filter(|last| *last >= header) else { return false };
    let lower: Vec<&TableCell> = grid.row(0).collect();
    let first_is_empty = lower
        .first()
        .is_some_and(|cell| cell.col == 0 && cell.content.is_empty() && cell.col_span < grid.cols);
    let texts: Vec<&&TableCell> = lower.iter().filter(|cell| !cell.content.is_empty()).collect();
    // The blank end of a row that was cut, above the next row of its group. Without a group it may be a row of a form.
    if first_is_empty && texts.is_empty() && lower.iter().any(|cell| cell.row_span == 1) {
        return lower.iter().any(|cell| cell.row_span > 1);
    }
    if !first_is_empty || texts.is_empty() || texts.iter().any(|cell| cell.row_span > 1) {
        return false;
    }
    let groups = |list: &[TableCell], from: u32| {
        list.iter().any(|cell| cell.col == 0 && cell.row_span > 1 && cell.row >= from)
    };
    let grouped = groups(cells, header) || groups(&grid.cells, 0);
    let above = |cell: &TableCell| {
        cells
            .iter()
            .find(|upper| upper.row == last_row && upper.col == cell.col && upper.col_span == cell.col_span)
    };
    let pairs: Vec<(&TableCell, &TableCell)> =
        texts.iter().filter_map(|cell| Some((above(cell)?, **cell))).collect();
    if pairs.len() < texts.len() || pairs.iter().any(|(upper, _)| upper.content.is_empty()) {
        return false;
    }
    if grouped {
        // An empty first cell is usual here: only words that cannot begin a row of their own say that one was cut.
        return pairs.iter().any(|(upper, lower)| {
            let begins_small = lower.content.chars().next().is_some_and(char::is_lowercase);
            begins_small && !ends_sentence(&upper.content)
                || counts_on(&upper.content, &lower.content)
                || lacks_label(cells, header, lower)
        });
    }
    let sentence_goes_on = pairs.iter().any(|(upper, lower)| {
        let begins_small = lower.content.chars().next().is_some_and(char::is_lowercase);
        let is_text = upper.content.chars().count() > 20;
        is_text && !ends_sentence(&upper.content) && !begins_item(&lower.content) || begins_small
    });
    let mut keys: Vec<&str> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.row >= header && cell.col == 0) {
        keys.push(&cell.content);
    }
    let count = keys.len();
    let keyed = count as u32 == first_row - header && keys.iter().all(|key| !key.is_empty());
    keys.sort_unstable();
    keys.dedup();
    sentence_goes_on || (keyed && count >= 2 && keys.len() == count)
}

/// Whether every row of this column begins with a label in capitals (PURPOSE, PROCEDURE, …) but this text does not: it goes
/// on from the row above.
fn lacks_label(cells: &[TableCell], header: u32, lower: &TableCell) -> bool {
    /// Two rows may begin alike by chance.
    const ROWS: usize = 3;
    let mut rows = 0;
    for cell in cells.iter().filter(|cell| cell.row >= header && cell.col == lower.col) {
        if !begins_with_label(&cell.content) {
            return false;
        }
        rows += 1;
    }
    rows >= ROWS && !begins_with_label(&lower.content)
}

/// `ACCEPTANCE CRITERIA All functions …`: words in capitals, longer than an abbreviation.
fn begins_with_label(text: &str) -> bool {
    const LETTERS: usize = 6;
    let capitals = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_uppercase() || c == '-');
    text.split_whitespace().take_while(capitals).map(str::len).sum::<usize>() >= LETTERS
}

/// Whether the lower text begins with the item that is due after the last one of the list in the upper text. One item is
/// no list: rows are counted too.
fn counts_on(upper: &str, lower: &str) -> bool {
    let number =
        |line: &str| parse_line(line).filter(|line| !line.rest.is_empty()).map(|line| line.numbering);
    let Some(next) = lower.lines().next().and_then(number) else { return false };
    let mut items = upper.lines().rev().filter_map(number);
    let (Some(last), Some(before)) = (items.next(), items.next()) else { return false };
    last.successors().contains(&next) && before.successors().contains(&last)
}

/// Adds the texts of the grid's first row to the last row so far.
fn continue_row(cells: &mut [TableCell], grid: &Grid, first_row: u32, cleaner: Cleaner) {
    for lower in grid.row(0).filter(|cell| !cell.content.is_empty()) {
        let upper = cells.iter_mut().find(|upper| upper.row + 1 == first_row && upper.col == lower.col);
        let Some(upper) = upper else { continue };
        let goes_on = lower.content.chars().next().is_some_and(char::is_lowercase);
        if (ends_sentence(&upper.content) && !goes_on) || begins_item(&lower.content) {
            upper.content.push('\n');
            upper.content.push_str(&lower.content);
        } else {
            cleaner.join(&mut upper.content, &lower.content);
        }
    }
}

/// `t0007` for the first segment, `t0007-2` for the second.
fn segment_id(table_id: &TableId, index: usize) -> TableId {
    if index == 0 { table_id.clone() } else { TableId::new(format!("{table_id}-{}", index + 1)) }
}

/// Adds the rows of a later grid below those already there, joining spans that the page border cut.
fn append(cells: &mut Vec<TableCell>, grid: &Grid, first_row: u32, header: u32) {
    let mut cut: Vec<(usize, u32)> = Vec::new();
    let mut absorbed: Vec<usize> = Vec::new();
    if first_row > header {
        let mut col = 0;
        // Only leading columns group rows, and only as long as each of them goes on.
        while let Some((above, below)) = cut_cell(cells, grid, first_row, header, col) {
            let (width, height) = grid.cells.get(below).map_or((1, 1), |cell| (cell.col_span, cell.row_span));
            cut.push((above, height));
            absorbed.push(below);
            col += width;
        }
        let group = cut.first().and_then(|(above, height)| Some((cells.get(*above)?.row, *height)));
        while col < grid.cols {
            if let Some((above, below)) = cut_beside(cells, grid, first_row, header, col, group) {
                cut.push((above, grid.cells.get(below).map_or(1, |cell| cell.row_span)));
                absorbed.push(below);
            }
            col += 1;
        }
    }
    for (above, height) in cut {
        if let Some(cell) = cells.get_mut(above) {
            cell.row_span += height;
        }
    }
    for (at, cell) in grid.cells.iter().enumerate() {
        if !absorbed.contains(&at) {
            let mut cell = cell.clone();
            cell.row += first_row;
            cells.push(cell);
        }
    }
}

/// The cell above the border and the empty cell below it, when they are one cell of a grouping column.
fn cut_cell(
    cells: &[TableCell],
    grid: &Grid,
    first_row: u32,
    header: u32,
    col: u32,
) -> Option<(usize, usize)> {
    let (above, below) = at_border(cells, grid, first_row, header, col)?;
    let lower = grid.cells.get(below)?;
    let groups = |list: &[TableCell], from: u32| {
        list.iter().any(|cell| cell.col == col && cell.row_span > 1 && cell.row >= from)
    };
    let grouping = lower.row_span > 1 || groups(cells, header) || groups(&grid.cells, 0);
    grouping.then_some((above, below))
}

/// The same behind the leading columns: both cells span rows, or they cover the rows of the group that goes on, which is
/// given by its first row above the border and its rows below.
fn cut_beside(
    cells: &[TableCell],
    grid: &Grid,
    first_row: u32,
    header: u32,
    col: u32,
    group: Option<(u32, u32)>,
) -> Option<(usize, usize)> {
    let (above, below) = at_border(cells, grid, first_row, header, col)?;
    let (upper, lower) = (cells.get(above)?, grid.cells.get(below)?);
    let is_one = group == Some((upper.row, lower.row_span)) || (upper.row_span > 1 && lower.row_span > 1);
    is_one.then_some((above, below))
}

/// The cell above the border with text and the empty one of the same width below it.
fn at_border(
    cells: &[TableCell],
    grid: &Grid,
    first_row: u32,
    header: u32,
    col: u32,
) -> Option<(usize, usize)> {
    let below = grid.cells.iter().position(|cell| cell.row == 0 && cell.col == col)?;
    let lower = grid.cells.get(below)?;
    let above = cells
        .iter()
        .position(|cell| cell.col == col && cell.row + cell.row_span == first_row && cell.row >= header)?;
    let upper = cells.get(above)?;
    let row_has_text = grid.row(0).any(|cell| !cell.content.is_empty());
    let could_be_one = lower.content.is_empty()
        && !upper.content.is_empty()
        && row_has_text
        && upper.col_span == lower.col_span;
    could_be_one.then_some((above, below))
}

fn meta(
    table_id: &TableId,
    index: usize,
    several: bool,
    part: Part,
    header: u32,
    caption: Option<&String>,
    col_headers: &[String],
) -> TableMeta {
    let printed_header = if index == 0 { header } else { part.repeated };
    let mut cells = part.grid.cells;
    for cell in &mut cells {
        cell.is_header = cell.row < printed_header;
    }
    let first_column: Vec<&TableCell> = cells.iter().filter(|cell| cell.col == 0).collect();
    let row_headers = (printed_header..part.grid.rows)
        .map(|row| {
            let at = first_column.partition_point(|cell| cell.row <= row);
            let covering = at.checked_sub(1).and_then(|at| first_column.get(at));
            covering
                .filter(|cell| cell.row + cell.row_span > row)
                .map_or(String::new(), |cell| cell.content.clone())
        })
        .collect();
    TableMeta {
        table_id: segment_id(table_id, index),
        caption: caption.cloned(),
        is_truncated: several,
        row_headers,
        col_headers: col_headers.to_vec(),
        row_count: part.grid.rows.saturating_sub(printed_header),
        col_count: part.grid.cols,
        cells,
        master_table_id: several.then(|| table_id.clone()),
        segment_index: index as u32,
    }
}
