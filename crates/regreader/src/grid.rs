//! Tables on a terminal: columns that fit the width, cells wrapped inside their column.
//!
//! One printer for every command. Wide characters count two. A table that is too wide for its columns even when every cell
//! is wrapped is shown row by row, each cell on a line behind its header, because a line that the terminal breaks in the
//! middle of a cell cannot be read.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr};

/// Between two columns.
const GAP: &str = "  ";
/// No column is made narrower than this: four Chinese characters.
const NARROWEST: usize = 8;

/// Draws a table with a header in so many columns of the terminal.
pub fn draw(header: &[String], rows: &[Vec<String>], width: usize) -> Vec<String> {
    let all: Vec<&[String]> =
        std::iter::once(header).chain(rows.iter().map(Vec::as_slice)).filter(|row| !row.is_empty()).collect();
    let Some(widths) = widths(&all, width) else { return records(header, rows, width) };
    let mut lines = Vec::new();
    for (number, row) in all.iter().enumerate() {
        lines.extend(draw_row(row, &widths));
        if number == 0 && !header.is_empty() && !rows.is_empty() {
            let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.push(rule.join(GAP));
        }
    }
    lines
}

/// Draws rows without a header: lists of names, settings, models. Nothing is wrapped.
pub fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let all: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
    let widths = natural(&all);
    rows.iter().map(|row| line(row.iter().map(String::as_str), &widths)).collect()
}

/// Takes a row of a Markdown table apart. None when the line is none; an empty row for the rule under the header.
pub fn markdown_row(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in inner.chars() {
        let cell = cells.last_mut()?;
        match c {
            '|' if !escaped => cells.push(String::new()),
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '|' => cell.push('|'),
            c if escaped => cell.extend(['\\', c]),
            c => cell.push(c),
        }
        escaped = false;
    }
    let cells: Vec<String> = cells.into_iter().map(|cell| cell.trim().replace("<br>", "\n")).collect();
    let is_rule = |cell: &String| cell.len() > 1 && cell.chars().all(|c| matches!(c, '-' | ':'));
    Some(if cells.iter().all(is_rule) { Vec::new() } else { cells })
}

/// The widest line of each column.
fn natural(rows: &[&[String]]) -> Vec<usize> {
    let count = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let widest = |col: usize| {
        let cells = rows.iter().filter_map(|row| row.get(col));
        cells.flat_map(|cell| cell.lines()).map(UnicodeWidthStr::width).max().unwrap_or(0)
    };
    (0..count).map(widest).collect()
}

/// Widths that fit: the widest columns give way first. None when there is no room for the columns at their narrowest.
fn widths(rows: &[&[String]], width: usize) -> Option<Vec<usize>> {
    let natural = natural(rows);
    let room = width.checked_sub(GAP.len() * natural.len().saturating_sub(1))?;
    let total = |cap: usize| natural.iter().map(|column| (*column).min(cap)).sum::<usize>();
    let mut cap = natural.iter().copied().max().unwrap_or(0);
    while total(cap) > room {
        cap -= 1;
        if cap < NARROWEST {
            return None;
        }
    }
    Some(natural.into_iter().map(|column| column.min(cap)).collect())
}

fn draw_row(row: &[String], widths: &[usize]) -> Vec<String> {
    let cells: Vec<Vec<String>> = row.iter().zip(widths).map(|(cell, width)| wrap(cell, *width)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
    (0..height)
        .map(|at| line(cells.iter().map(|cell| cell.get(at).map_or("", String::as_str)), widths))
        .collect()
}

fn line<'a>(cells: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, width) in cells.zip(widths) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.width())));
        line.push_str(GAP);
    }
    line.trim_end().to_owned()
}

/// A row as lines of `header: cell`, for tables with more columns than the terminal has room for.
fn records(header: &[String], rows: &[Vec<String>], width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        if number > 0 {
            lines.push(String::new());
        }
        for (col, cell) in row.iter().enumerate() {
            let name = header.get(col).map_or("", String::as_str).replace('\n', " ");
            let text = if name.is_empty() { cell.clone() } else { format!("{name}: {cell}") };
            lines.extend(wrap(&text, width));
        }
    }
    lines
}

/// Breaks a text into lines of at most this width: between words and between Chinese characters, inside a word or number
/// only when it is wider than the column.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for piece in pieces(paragraph) {
            if line.width() + piece.trim_end().width() <= width {
                line.push_str(piece);
                continue;
            }
            if !line.trim().is_empty() {
                lines.push(line.trim_end().to_owned());
            }
            line = String::new();
            for c in piece.chars() {
                if line.width() + c.width().unwrap_or(0) > width {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(c);
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Words with the space behind them, and single wide characters, each with the punctuation that closes it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let is_wide = |c: char| c.width().unwrap_or(0) > 1;
    let closes = |c: char| "，。；：、！？）】》”’％".contains(c);
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let mut end = first.len_utf8();
        let goes_on = |c: &char| {
            if is_wide(first) { closes(*c) } else { !is_wide(*c) && !c.is_whitespace() && *c != ' ' }
        };
        if !first.is_whitespace() {
            end += rest[end..].chars().take_while(goes_on).map(char::len_utf8).sum::<usize>();
        }
        end += rest[end..].chars().take_while(|c| *c == ' ').count();
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_cell_is_lost() {
        let long = "投入充电保护后，由充电电源侧断路器对母线充电一次，后备保护时限不大于 0.3 秒".repeat(8);
        let rows = [row(&["1", "母线失压", &long]), row(&["2", "线路跳闸", "立即汇报"])];
        let header = row(&["序号", "故障", "处置"]);
        for width in [40, 80, 132] {
            let lines = draw(&header, &rows, width);
            assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:#?}");
            let text: String = lines.concat().split_whitespace().collect();
            assert!(text.contains("立即汇报") && text.matches("0.3").count() == 8, "{width}: {text}");
        }
    }

    #[test]
    fn a_narrow_table_is_not_padded_and_numbers_stay_whole() {
        let lines = draw(&row(&["台数", "限额"]), &[row(&["1", "185"]), row(&["2", "1024.5"])], 80);
        assert_eq!(lines, ["台数  限额", "────  ──────", "1     185", "2     1024.5"]);
        assert_eq!(wrap("限额 1024.5 万千瓦", 8), ["限额", "1024.5", "万千瓦"]);
        assert_eq!(wrap("甲，乙。丙", 4), ["甲，", "乙。", "丙"], "no line begins with a comma");
    }

    #[test]
    fn a_table_with_too_many_columns_is_shown_row_by_row() {
        let header: Vec<String> = (1..=12).map(|n| format!("第{n}列的名称")).collect();
        let cells: Vec<String> = (1..=12).map(|n| format!("{n}号单元格的内容")).collect();
        let lines = draw(&header, &[cells], 80);
        assert_eq!(lines[0], "第1列的名称: 1号单元格的内容");
        assert_eq!(lines.len(), 12);
    }

    #[test]
    fn rows_of_markdown_come_apart() {
        assert_eq!(markdown_row("| a | b \\| c |"), Some(row(&["a", "b | c"])));
        assert_eq!(markdown_row("|---|:-:|"), Some(Vec::new()));
        assert_eq!(markdown_row("| - | 5 |"), Some(row(&["-", "5"])));
        assert_eq!(markdown_row("text"), None);
    }
}
