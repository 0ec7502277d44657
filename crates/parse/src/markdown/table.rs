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
        return None;
    }
    let rows =
        lines[at + 2..].iter().take_while(|line| line.contains('|') && !line.trim().is_empty()).count();
    Some(at + 2 + rows)
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
    for (index, line) in lines.iter().enumerate() {
        if index == 1 {
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
    RawTable {
        kind: TableKind::Declared,
        row_count: row,
        col_count,
        cells,
        bbox: None,
        header_rows: Some(1),
        caption: None,
        confidence: None,
    }
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
