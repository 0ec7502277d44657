//! Words into cells.

use super::Grid;
use crate::layout::{SOFT_HYPHEN, Word, is_cjk, join_words, rows_of};

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
        cell.text = cell_text(words);
    }
    outside
}

/// The text of words in a box: lines joined without a space in scripts that have none.
pub(crate) fn cell_text(words: Vec<Word>) -> String {
    let mut text = String::new();
    for row in rows_of(words) {
        let line = join_words(&row.words);
        append_line(&mut text, &line);
    }
    text.truncate(text.trim_end_matches(SOFT_HYPHEN).len());
    text
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
