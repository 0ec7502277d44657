//! Pipe tables.

use regreader_messages::findings;
use regreader_model::{Diagnostic, DiagnosticCode, RawTable, Severity, TableCell, TableKind};

use super::inline;
use crate::Limits;
use crate::flow::Flow;

const MAX_COLUMNS: usize = 1000;

/// The line after a table that begins at a line; none where none begins.
pub(crate) fn end(lines: &[&str], at: usize) -> Option<usize> {
    if !lines[at].contains('|') || !is_rule(lines.get(at + 1)?) {
        return end_without_rule(lines, at);
    }
    let rows =
        lines[at + 2..].iter().take_while(|line| line.contains('|') && !line.trim().is_empty()).count();
    Some(at + 2 + rows)
}

/// The same of lines between bars, all with as many cells, of which some writers forget the rule.
fn end_without_rule(lines: &[&str], at: usize) -> Option<usize> {
    let cells = |line: &str| {
        let line = line.trim();
        let is_row = line.len() > 2 && line.starts_with('|') && line.ends_with('|');
        is_row.then(|| split(line).len()).filter(|cells| *cells > 1)
    };
    let columns = cells(lines[at])?;
    let rows = lines[at..].iter().take_while(|line| cells(line) == Some(columns)).count();
    (rows > 1).then_some(at + rows)
}

/// `| --- | :-: |`
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-')
        && line.contains('|')
        && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// Reads the lines of a table.
pub(crate) fn read(lines: &[&str], limits: &Limits, flow: &mut Flow) -> RawTable {
    let mut cells = Vec::new();
    let mut col_count = 0u32;
    let mut row = 0u32;
    let has_rule = lines.get(1).is_some_and(|line| is_rule(line));
    for (index, line) in lines.iter().enumerate() {
        if index == 1 && has_rule {
            continue;
        }
        if cells.len() >= limits.max_cells {
            flow.diagnostics.push(Diagnostic::on_document(
                Severity::Error,
                DiagnosticCode::LimitReached,
                findings::rows_cut(limits.max_cells),
            ));
            break;
        }
        for (col, text) in (0u32..).zip(split(line).into_iter().take(MAX_COLUMNS)) {
            let content = inline::plain(text.trim(), flow);
            cells.push(TableCell {
                row,
                col,
                row_span: 1,
                col_span: 1,
                content,
                is_header: row == 0,
                bbox: None,
            });
            col_count = col_count.max(col + 1);
        }
        row += 1;
    }
    let header_rows = if has_rule || has_titles(&cells) { header_rows(&cells, row) } else { 0 };
    for cell in &mut cells {
        cell.is_header = cell.row < header_rows;
    }
    RawTable {
        kind: TableKind::Declared,
        row_count: row,
        col_count,
        cells,
        bbox: None,
        header_rows: Some(header_rows),
        caption: None,
        confidence: None,
    }
}

/// Whether the first row of a table without a rule names its columns: it has no number, and the rows below it have.
fn has_titles(cells: &[TableCell]) -> bool {
    let has_digit = |cell: &&TableCell| cell.content.contains(|c: char| c.is_ascii_digit());
    let (first, below): (Vec<&TableCell>, Vec<&TableCell>) = cells.iter().partition(|cell| cell.row == 0);
    !first.iter().any(has_digit) && below.iter().any(has_digit)
}

/// Levels of a header that are looked for.
const MOST_LEVELS: u32 = 3;

/// The rows of the header. A pipe table has one, and merged cells only by repeating them: where a title stands over several columns,
/// the row below the rule goes on with the header if it parts every such title and repeats the others, or leaves them empty.
fn header_rows(cells: &[TableCell], row_count: u32) -> u32 {
    let row = |at: u32| -> Vec<&str> {
        let of_row = cells.iter().filter(|cell| cell.row == at);
        of_row.map(|cell| cell.content.trim()).collect()
    };
    let mut rows = 1;
    while rows < MOST_LEVELS && rows + 1 < row_count {
        let (upper, lower) = (row(rows - 1), row(rows));
        let is_beside = |at: usize, other: Option<usize>| {
            other.and_then(|other| upper.get(other)).is_some_and(|text| *text == upper[at])
        };
        let is_group = |at: usize| {
            !upper[at].is_empty() && (is_beside(at, at.checked_sub(1)) || is_beside(at, Some(at + 1)))
        };
        let parts = |at: usize| {
            let Some(text) = lower.get(at) else { return false };
            let is_title = text.starts_with(char::is_alphabetic) && *text != upper[at];
            let is_repeated = is_beside(at, Some(at + 1)) && lower.get(at + 1) == Some(text);
            is_title && !is_repeated
        };
        let goes_on = |at: usize| {
            if is_group(at) {
                parts(at)
            } else {
                lower.get(at).is_none_or(|text| text.is_empty() || *text == upper[at])
            }
        };
        if !(0..upper.len()).any(is_group) || !(0..upper.len()).all(goes_on) {
            break;
        }
        rows += 1;
    }
    rows
}

/// Cells of a line; `\|` and bars in code do not separate.
fn split(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = if line.ends_with('|') && !line.ends_with("\\|") { &line[..line.len() - 1] } else { line };
    let mut cells = vec![String::new()];
    let mut escaped = false;
    let mut code = false;
    for character in line.chars() {
        let Some(cell) = cells.last_mut() else { break };
        match character {
            '|' if escaped => {
                cell.pop();
                cell.push('|');
            }
            '|' if !code => {
                cells.push(String::new());
            }
            _ => {
                code ^= character == '`';
                cell.push(character);
            }
        }
        escaped = character == '\\' && !escaped;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(lines: &[&str]) -> u32 {
        let cells: Vec<TableCell> = (0u32..)
            .zip(lines)
            .flat_map(|(row, line)| {
                (0u32..).zip(split(line)).map(move |(col, text)| TableCell {
                    row,
                    col,
                    row_span: 1,
                    col_span: 1,
                    content: text.trim().to_owned(),
                    is_header: row == 0,
                    bbox: None,
                })
            })
            .collect();
        header_rows(&cells, lines.len() as u32)
    }

    #[test]
    fn a_table_without_its_rule_is_a_table() {
        let lines = [
            "| Voltage | Distance |",
            "| Up to 50 kV | 10 feet |",
            "| Over 50 kV | 15 feet |",
            "",
            "| 注意 |",
        ];
        assert_eq!(end(&lines, 0), Some(3));
        let headers = |lines: &[&str]| {
            let table = read(lines, &Limits::default(), &mut Flow::default());
            (table.row_count, table.header_rows)
        };
        assert_eq!(headers(&lines[..3]), (3, Some(1)));
        assert_eq!(headers(&lines[1..3]), (2, Some(0)), "figures are no header");
        for other in
            [["|a| + |b| > 1", "|c| + |d| > 2"], ["| a | b |", "| a | b | c |"], ["| 甲 |", "| 乙 |"]]
        {
            assert_eq!(end(&other, 0), None, "{other:?}");
        }
    }

    #[test]
    fn a_header_of_two_levels_repeats_its_merged_cells() {
        let upper = "| 台数 | 全压 | 全压 | 降压 | 降压 |";
        let row = "| 3 | 690 | 570 | 480 | 410 |";
        assert_eq!(levels(&[upper, "| 台数 | 投入 | 退出 | 投入 | 退出 |", row]), 2);
        assert_eq!(levels(&[upper, "| | 投入 | 退出 | 投入 | 退出 |", row]), 2);
        assert_eq!(levels(&[upper, row, row]), 1, "figures are no header");
        assert_eq!(levels(&[upper, "| 三台 | 投入 | 退出 | 投入 | 退出 |", row]), 1, "a row of its own");
        assert_eq!(levels(&["| 甲 | 乙 |", "| 投入 | 退出 |", "| 投入 | 退出 |"]), 1, "nothing is parted");
    }
}
