//! How much of a page things take: a rough layout for documents whose page breaks are not recorded.

use regreader_model::{RawTable, RawText, TextRole};

/// Width and height for text on an A4 page with the usual margins, in points.
pub(crate) const USUAL_ROOM: [f32; 2] = [415.0, 698.0];
/// 五号, the usual size of Chinese text.
const USUAL_SIZE: f32 = 10.5;
/// Line height over font size, with the line spacing of usual Chinese documents.
const LINE: f32 = 1.5;
const CELL_LINE: f32 = 1.4;
const CELL_PADDING: f32 = 11.0;
const USUAL_PICTURE: f32 = 160.0;

/// Height of a paragraph in points.
pub(crate) fn text(text: &RawText, room: [f32; 2]) -> f32 {
    let size = text.size.unwrap_or(USUAL_SIZE).clamp(5.0, 72.0);
    let space = match text.role {
        TextRole::Title | TextRole::Heading { .. } => size,
        TextRole::Caption => size * 0.5,
        _ => 0.0,
    };
    lines(&text.text, size, room[0]) * size * LINE + space
}

/// Height of a picture in points.
pub(crate) fn picture(height: Option<f32>, room: [f32; 2]) -> f32 {
    height.unwrap_or(USUAL_PICTURE).clamp(0.0, room[1])
}

/// Heights of the rows of a table in points.
pub(crate) fn rows(table: &RawTable, room: [f32; 2]) -> Vec<f32> {
    let mut heights = vec![USUAL_SIZE * CELL_LINE; table.row_count as usize];
    let column = room[0] / table.col_count.max(1) as f32;
    for cell in &table.cells {
        let width = (column * cell.col_span as f32 - CELL_PADDING).max(USUAL_SIZE * 2.0);
        let height =
            lines(&cell.content, USUAL_SIZE, width) * USUAL_SIZE * CELL_LINE / cell.row_span.max(1) as f32;
        if let Some(row) = heights.get_mut(cell.row as usize) {
            *row = row.max(height);
        }
    }
    heights
}

fn lines(text: &str, size: f32, width: f32) -> f32 {
    text.split('\n')
        .map(|line| {
            let em: f32 = line.chars().map(|c| if c.is_ascii() { 0.5 } else { 1.0 }).sum();
            (em * size / width).ceil().max(1.0)
        })
        .sum()
}
