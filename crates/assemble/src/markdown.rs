//! Blocks, tables and pages as Markdown that a person and a language model can read.
//!
//! Tables are pipe tables. Header levels are joined into one header line (`切机量（万千瓦） / 官地`). A cell that spans
//! rows or columns is shown with its value in every place it covers, so that each row can be read on its own; a cell
//! over the whole width is shown once. Line breaks inside a cell are `<br>`. Must not decide what anything is.

use std::borrow::Cow;

use regreader_model::{LogicalTable, TableCell, TableMeta};

/// A whole logical table: caption in bold, header, every data row.
///
/// ```
/// use regreader_assemble::table_markdown;
/// # use regreader_model::{LogicalTable, TableCell, TableId};
/// # let cell = |row, col, text: &str| TableCell { row, col, row_span: 1, col_span: 1, content: text.into(), is_header: row == 0, bbox: None };
/// # let table = LogicalTable { table_id: TableId::new("t0001"), caption: Some("表6-2 限额".into()), number: Some("6-2".into()),
/// #   header_rows: 1, col_headers: vec!["台数".into(), "限额".into()], row_count: 1, col_count: 2,
/// #   cells: vec![cell(0, 0, "台数"), cell(0, 1, "限额"), cell(1, 0, "2"), cell(1, 1, "330")], row_pages: vec![], segments: vec![],
/// #   chapter_node_id: None, chapter_path: vec![], section_number: None, notes: vec![] };
/// assert_eq!(table_markdown(&table), "**表6-2 限额**\n\n| 台数 | 限额 |\n| --- | --- |\n| 2 | 330 |");
/// ```
pub fn table_markdown(table: &LogicalTable) -> String {
    let rows = table.header_rows + table.row_count;
    let grid = PipeTable {
        cells: &table.cells,
        cols: table.col_count,
        col_headers: &table.col_headers,
        data: table.header_rows..rows,
    };
    with_caption(table.caption.as_deref(), &grid.render())
}

/// The part of a table on one page: its rows under the table's header. A later part says 续 behind the caption.
pub fn segment_markdown(segment: &TableMeta) -> String {
    let rows = segment.cells.iter().map(|cell| cell.row + cell.row_span).max().unwrap_or(0);
    let grid = PipeTable {
        cells: &segment.cells,
        cols: segment.col_count.max(segment.col_headers.len() as u32),
        col_headers: &segment.col_headers,
        data: rows.saturating_sub(segment.row_count)..rows,
    };
    let caption = segment
        .caption
        .as_ref()
        .map(|caption| if segment.segment_index > 0 { format!("{caption}（续）") } else { caption.clone() });
    with_caption(caption.as_deref(), &grid.render())
}

fn with_caption(caption: Option<&str>, body: &str) -> String {
    match caption {
        Some(caption) => format!("**{}**\n\n{body}", escaped(caption.trim())),
        None => body.to_owned(),
    }
}

struct PipeTable<'a> {
    cells: &'a [TableCell],
    cols: u32,
    col_headers: &'a [String],
    data: std::ops::Range<u32>,
}

impl PipeTable<'_> {
    fn render(&self) -> String {
        let cols = self.cols as usize;
        let header = (0..cols).map(|col| self.col_headers.get(col).map_or("", String::as_str));
        let mut lines = vec![pipe_row(header), format!("|{}", " --- |".repeat(cols))];
        let first = self.data.start;
        let count = self.data.len();
        let mut places: Vec<&str> = vec![""; count * cols];
        for cell in self.cells {
            let whole_width = cell.col_span as usize == cols && cols > 1;
            let width = if whole_width { 1 } else { cell.col_span as usize };
            let top = cell.row.max(first);
            for row in top..(cell.row + cell.row_span).min(self.data.end) {
                let start = (row - first) as usize * cols + cell.col as usize;
                let end = (start + width).min((row - first) as usize * cols + cols);
                if let Some(slots) = places.get_mut(start..end.max(start)) {
                    slots.fill(&cell.content);
                }
            }
        }
        lines.extend(places.chunks(cols.max(1)).map(|row| pipe_row(row.iter().copied())));
        lines.join("\n")
    }
}

fn pipe_row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::from("|");
    for cell in cells {
        out.push(' ');
        push_cell(&mut out, cell);
        out.push_str(if cell.is_empty() { "|" } else { " |" });
    }
    out
}

fn push_cell(out: &mut String, text: &str) {
    for c in escaped(text).chars() {
        match c {
            '|' => out.push_str("\\|"),
            '\n' => out.push_str("<br>"),
            '\r' => {}
            _ => out.push(c),
        }
    }
}

/// A heading line.
pub(crate) fn heading(text: &str, level: u32) -> String {
    format!("{} {}", "#".repeat(level.clamp(1, 6) as usize), escaped(text))
}

/// Text in which nothing reads as a tag or an entity. Documents speak of `<script>` and `&lt;` as of anything else; what
/// is printed on the page must come out as printed, and never as markup of whoever shows it.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '&']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
        let is_markup = match c {
            '<' => {
                rest.starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'))
            }
            '&' => is_entity(rest),
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
    }
    Cow::Owned(out)
}

/// Whether a text behind `&` goes on as an entity: `lt;`, `#60;`, `#x3c;`.
fn is_entity(rest: &str) -> bool {
    const LONGEST: usize = 32;
    let name = rest.split(';').next().unwrap_or_default();
    name.len() < rest.len()
        && (1..=LONGEST).contains(&name.len())
        && name.strip_prefix('#').unwrap_or(name).bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// A paragraph: what would read as Markdown structure is escaped, the rest stays as printed.
pub(crate) fn paragraph(text: &str) -> String {
    let structural =
        text.starts_with('#') || text.starts_with('>') || text.starts_with("```") || text.starts_with('|');
    let text = escaped(text);
    if structural { format!("\\{text}") } else { text.into_owned() }
}

/// A list item. Chinese items carry their own numbers and stand as they are; bullets become Markdown's.
pub(crate) fn list_item(text: &str) -> String {
    let bare =
        text.trim_start_matches(['•', '●', '■', '◆', '▪', '►', '➢', '\u{F0B7}', '\u{F0A7}', '\u{F06C}']);
    if bare.len() < text.len() { format!("- {}", escaped(bare.trim_start())) } else { paragraph(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_looks_like_markup_comes_out_as_printed() {
        assert_eq!(paragraph("<script>alert(1)</script>"), "\\<script>alert(1)\\</script>");
        assert_eq!(heading("3 <img src=x>", 2), "## 3 \\<img src=x>");
        assert_eq!(list_item("•<b>甲"), "- \\<b>甲");
        assert_eq!(paragraph("写作 &lt;br&gt; 或 &#60;"), "写作 \\&lt;br\\&gt; 或 \\&#60;");
        let mut cell = String::new();
        push_cell(&mut cell, "<i>a|b\n");
        assert_eq!(cell, "\\<i>a\\|b<br>");
        for plain in ["U < 5 且 P<60%", "A&B公司", "1<2", "≤ 60 & 更多; 其余"] {
            assert_eq!(paragraph(plain), plain);
        }
    }
}
