//! Currency signs and other signs of an amount that stand in a cell or a column of their own, and columns without text.
//!
//! Accounts set `$` at the left edge of the column and the closing bracket or `%` at its right edge. Between narrow columns
//! the sign then lies in the neighbour's cell, or makes a column that holds nothing else. It belongs to its number.

use super::{Grid, GridCell};

/// Gives signs to their numbers, and drops columns that held nothing but signs.
pub(crate) fn settle_signs(grid: &mut Grid) {
    let mut order: Vec<usize> = (0..grid.cells.len()).collect();
    order.sort_by_key(|at| grid.cells.get(*at).map(|cell| (cell.row, cell.col)));
    let mut emptied = vec![false; grid.cols as usize];
    for pair in order.windows(2) {
        let (Some(left), Some(right)) = (grid.cells.get(pair[0]), grid.cells.get(pair[1])) else { continue };
        if left.row != right.row {
            continue;
        }
        if let Some((rest, sign)) = trailing_currency(&left.text).filter(|_| takes_currency(&right.text)) {
            let (rest, text) = (rest.to_owned(), format!("{sign} {}", right.text));
            emptied_by(&mut emptied, left, &rest);
            set(grid, pair[0], rest);
            set(grid, pair[1], text);
        } else if is_closing(&right.text) && left.text.ends_with(|c: char| c.is_ascii_digit()) {
            let text = format!("{}{}", left.text, right.text.trim());
            emptied_by(&mut emptied, right, "");
            set(grid, pair[0], text);
            set(grid, pair[1], String::new());
        }
    }
    for col in (0..grid.cols).rev() {
        let emptied = emptied.get(col as usize).copied().unwrap_or(false);
        if grid.cols > 2 && (emptied || is_spacer(grid, col)) {
            drop_column(grid, col);
        }
    }
}

/// A narrow column without any text of its own, not even a head: room that was left between two others. A column that is
/// to be filled in by hand has a head or is wider.
fn is_spacer(grid: &Grid, col: u32) -> bool {
    /// Two letters of common type.
    const WIDEST: f32 = 24.0;
    let mut own = grid.cells.iter().filter(|cell| cell.col == col && cell.col_span == 1);
    own.all(|cell| cell.text.trim().is_empty() && cell.rect.width() <= WIDEST)
}

fn set(grid: &mut Grid, at: usize, text: String) {
    if let Some(cell) = grid.cells.get_mut(at) {
        cell.text = text;
    }
}

fn emptied_by(emptied: &mut [bool], cell: &GridCell, rest: &str) {
    if rest.is_empty()
        && cell.col_span == 1
        && let Some(flag) = emptied.get_mut(cell.col as usize)
    {
        *flag = true;
    }
}

/// What stands before a currency sign at the end of a cell, and the sign.
fn trailing_currency(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let (rest, sign) = text.rsplit_once(' ').unwrap_or(("", text));
    let is_sign = matches!(sign, "$" | "€" | "£" | "¥" | "￥" | "US$" | "C$" | "A$");
    let rest = rest.trim_end();
    let amount = rest.ends_with(|c: char| c.is_ascii_digit() || matches!(c, ')' | '%' | '—' | '–' | '-'));
    (is_sign && (rest.is_empty() || amount)).then_some((rest, sign))
}

/// An amount without a sign of its own.
fn takes_currency(text: &str) -> bool {
    let body = text.trim().trim_start_matches(['(', '-', '–', '—', '−', ' ']);
    let dash = body.is_empty() && !text.trim().is_empty();
    dash || body.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

fn is_closing(text: &str) -> bool {
    matches!(text.trim(), ")" | "%" | ")%" | "%)")
}

/// Takes out a column without text of its own. A head that stood over it alone goes to the column of its numbers.
fn drop_column(grid: &mut Grid, col: u32) {
    let own = |cell: &GridCell| cell.col == col && cell.col_span == 1;
    let heads: Vec<GridCell> =
        grid.cells.iter().filter(|cell| own(cell) && !cell.text.trim().is_empty()).cloned().collect();
    for head in &heads {
        let taken = grid.cells.iter().any(|cell| {
            cell.row < head.row + head.row_span
                && head.row < cell.row + cell.row_span
                && cell.col <= col + 1
                && col + 1 < cell.col + cell.col_span
                && !cell.text.trim().is_empty()
        });
        if taken || col + 1 >= grid.cols {
            return;
        }
    }
    grid.cells.retain(|cell| {
        let under = heads.iter().any(|head| {
            cell.col == col + 1 && cell.col_span == 1 && cell.row == head.row && cell.text.trim().is_empty()
        });
        !own(cell) && !under
    });
    grid.cells.extend(heads.into_iter().map(|head| GridCell { col: col + 1, ..head }));
    for cell in &mut grid.cells {
        if cell.col > col {
            cell.col -= 1;
        } else if cell.col + cell.col_span > col {
            cell.col_span -= 1;
        }
    }
    grid.cells.retain(|cell| cell.col_span > 0);
    grid.cells.sort_by_key(|cell| (cell.row, cell.col));
    grid.cols -= 1;
}

#[cfg(test)]
mod tests {
    use regreader_model::Rect;

    use super::*;

    fn grid(rows: &[&str]) -> Grid {
        let mut cells = Vec::new();
        let mut cols = 0;
        for (row, line) in rows.iter().enumerate() {
            for (col, text) in line.split('|').enumerate() {
                cols = cols.max(col as u32 + 1);
                cells.push(GridCell {
                    row: row as u32,
                    col: col as u32,
                    row_span: 1,
                    col_span: 1,
                    rect: Rect { x0: 0.0, y0: 0.0, x1: 1.0, y1: 1.0 },
                    text: text.to_owned(),
                });
            }
        }
        Grid { rect: Rect { x0: 0.0, y0: 0.0, x1: 1.0, y1: 1.0 }, rows: rows.len() as u32, cols, cells }
    }

    fn settled(rows: &[&str]) -> Vec<String> {
        let mut grid = grid(rows);
        settle_signs(&mut grid);
        (0..grid.rows)
            .map(|row| {
                let cells = grid.cells.iter().filter(|cell| cell.row == row);
                cells.map(|cell| cell.text.as_str()).collect::<Vec<_>>().join("|")
            })
            .collect()
    }

    #[test]
    fn a_sign_goes_to_the_number_behind_it() {
        assert_eq!(settled(&["Sales|17,924 $|16,003", "Costs|8|9"]), ["Sales|17,924|$ 16,003", "Costs|8|9"]);
        assert_eq!(settled(&["Loss|$ (3) $|(4)"]), ["Loss|$ (3)|$ (4)"]);
        assert_eq!(settled(&["Share|12.5|%"]), ["Share|12.5%"]);
    }

    #[test]
    fn a_column_of_signs_is_no_column() {
        assert_eq!(
            settled(&["|2022||2021", "Sales|$|5|7", "Costs||3|4"]),
            ["|2022|2021", "Sales|$ 5|7", "Costs|3|4"]
        );
    }

    #[test]
    fn room_between_columns_is_no_column() {
        assert_eq!(settled(&["a||b", "1||2"]), ["a|b", "1|2"]);
        let mut wide = grid(&["a||b", "1||2"]);
        wide.cells.iter_mut().for_each(|cell| cell.rect.x1 = 80.0);
        settle_signs(&mut wide);
        assert_eq!(wide.cols, 3, "a wide one may be there to be filled in");
    }

    #[test]
    fn words_and_prices_stay() {
        let rows = ["Fee|paid in US$|yes", "Other|$ 5|no"];
        assert_eq!(settled(&rows), rows);
    }
}
