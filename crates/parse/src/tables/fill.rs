//! Words into cells.

use regreader_model::Rect;

use super::Grid;
use crate::layout::{Row, SOFT_HYPHEN, Word, is_cjk, join_words, rows_of};

/// Moves the words that lie in a cell into it and fills in the cells' text. Returns the words left over.
pub(crate) fn fill_cells(grid: &mut Grid, words: Vec<Word>) -> Vec<Word> {
    let mut inside: Vec<Vec<Word>> = vec![Vec::new(); grid.cells.len()];
    let mut outside = Vec::new();
    let index = grid.index();
    for word in words {
        let (x, y) = (word.rect.center_x(), word.rect.center_y());
        let cell = if grid.rect.contains(x, y) { index.at(x, y) } else { None };
        match cell.and_then(|number| inside.get_mut(number)) {
            Some(place) => place.push(word),
            None => outside.push(word),
        }
    }
    for (cell, words) in grid.cells.iter_mut().zip(inside) {
        cell.text = cell_text(words, &cell.rect);
    }
    outside
}

/// The text of words in a cell: lines joined without a space in scripts that have none, and kept apart where the writer
/// began a new one.
fn cell_text(words: Vec<Word>, cell: &Rect) -> String {
    let mut text = String::new();
    let mut before: Option<Row> = None;
    for row in rows_of(words) {
        let line = join_words(&row.words);
        if before.as_ref().is_some_and(|before| ends_by_choice(before, &row, cell))
            && !text.ends_with(SOFT_HYPHEN)
        {
            text.push('\n');
            text.push_str(&line);
        } else {
            append_line(&mut text, &line);
        }
        before = Some(row);
    }
    text.truncate(text.trim_end_matches(SOFT_HYPHEN).len());
    text
}

/// Whether a line of a cell ends before its room does: what begins the next line would have fitted. Says nothing of lines
/// that are centred, whose ends tell nothing.
fn ends_by_choice(line: &Row, next: &Row, cell: &Rect) -> bool {
    let (Some(first), Some(last), Some(follows)) =
        (line.words.first(), line.words.last(), next.words.first())
    else {
        return false;
    };
    let em = line.size.max(1.0);
    // The margin on the left is that on the right as well.
    let margin = first.rect.x0 - cell.x0;
    let room = cell.x1 - last.rect.x1 - margin.max(0.0);
    let wanted = if is_cjk(follows.first()) { em } else { follows.rect.width() };
    // Latin lines are often broken early; one that goes on in the middle of a sentence begins small.
    margin <= 1.2 * em && room >= wanted + 0.8 * em && !follows.first().is_lowercase()
}

/// Adds the next line of a paragraph.
pub(crate) fn append_line(text: &mut String, line: &str) {
    let (Some(before), Some(after)) = (text.chars().next_back(), line.chars().next()) else {
        text.push_str(line);
        return;
    };
    if before == SOFT_HYPHEN {
        text.pop();
        text.push_str(line);
        return;
    }
    // Between Chinese and a number there is no space either; after a hyphen the word goes on.
    let glued = is_cjk(before) || is_cjk(after) || before == '-' || before == '\u{2010}';
    if !glued {
        text.push(' ');
    }
    text.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters of 10 points on lines 15 points apart, each line from a place, in a cell 200 points wide.
    fn cell(lines: &[(f32, &str)]) -> String {
        let words = lines.iter().enumerate().map(|(index, (x, text))| {
            let base = 20.0 + 15.0 * index as f32;
            let wide = text.chars().map(|c| if is_cjk(c) { 10.0 } else { 5.0 }).sum::<f32>();
            Word {
                text: (*text).to_owned(),
                rect: Rect { x0: *x, y0: base - 8.0, x1: x + wide, y1: base + 2.0 },
                base,
                size: 10.0,
                bold: 0,
                count: text.chars().count() as u32,
                seq: index as u32,
                space_before: false,
                confidence: None,
            }
        });
        cell_text(words.collect(), &Rect { x0: 0.0, y0: 0.0, x1: 200.0, y1: 200.0 })
    }

    #[test]
    fn lines_that_a_writer_ended_stay_lines_and_broken_ones_are_joined() {
        assert_eq!(cell(&[(5.0, "0：保存；"), (5.0, "1：实时上传")]), "0：保存；\n1：实时上传");
        let full = "一二三四五六七八九十一二三四五六七八九";
        assert_eq!(cell(&[(5.0, full), (5.0, "至此为止")]), format!("{full}至此为止"));
        // Centred: the ends of its lines tell nothing.
        assert_eq!(cell(&[(80.0, "数据"), (80.0, "类型")]), "数据类型");
    }
}
