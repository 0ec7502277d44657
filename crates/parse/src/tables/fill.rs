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
        let is_new = |before: &Row| ends_by_choice(before, &row, cell) || hangs_out(before, &row);
        if before.as_ref().is_some_and(is_new) && !text.ends_with(SOFT_HYPHEN) {
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
    // Latin lines are often broken early; one that goes on in the middle of a sentence begins small. `bit1：` behind Chinese
    // does not go on from it.
    let goes_on = follows.first().is_lowercase() && !is_cjk(last.last());
    margin <= 1.2 * em && room >= unbreakable(follows, em) + 0.8 * em && !goes_on
}

/// Width of what cannot be parted at the beginning of a word: a hanzi, or the letters and digits before the first one with
/// the sign that may follow them.
fn unbreakable(word: &Word, em: f32) -> f32 {
    let latin = word.text.chars().take_while(|c| !is_cjk(*c)).count();
    let whole = latin == word.text.chars().count();
    if whole { word.rect.width() } else { (0.6 * em * latin as f32 + em).min(word.rect.width()) }
}

/// Whether a line begins an item of a list: with a number or letter of its own, to the left of the text of the item
/// before it.
fn hangs_out(line: &Row, next: &Row) -> bool {
    let (Some(above), Some(first), Some(second)) =
        (line.words.first(), next.words.first(), next.words.get(1))
    else {
        return false;
    };
    let text = first.text.as_str();
    let body = text.trim_start_matches(['(', '（']).trim_end_matches(['.', ')', '）', '、', '．']);
    let marker = body.len() < text.len()
        && (1..=3).contains(&body.len())
        && (body.bytes().all(|b| b.is_ascii_digit()) || body.len() == 1 && body.is_ascii());
    let hanging = above.rect.x0 >= first.rect.x0 + 0.5 * next.size;
    let counted = line.words.len() > 1 && (above.rect.x0 - first.rect.x0).abs() <= 0.2 * next.size;
    marker && second.rect.x0 > first.rect.x1 && (hanging || counted && starts_item(&above.text))
}

fn starts_item(text: &str) -> bool {
    text.ends_with(['.', ')', '）', '、', '．']) && text.len() <= 6
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

    /// Characters of 10 points on lines 15 points apart, each line from a place, in a cell 200 points wide. Words are
    /// parted by spaces.
    fn cell(lines: &[(f32, &str)]) -> String {
        let mut words = Vec::new();
        for ((x, text), row) in lines.iter().zip(0_u16..) {
            let base = 20.0 + 15.0 * f32::from(row);
            let mut x0 = *x;
            for text in text.split(' ') {
                let wide = text.chars().map(|c| if is_cjk(c) { 10.0 } else { 5.0 }).sum::<f32>();
                words.push(Word {
                    text: text.to_owned(),
                    rect: Rect { x0, y0: base - 8.0, x1: x0 + wide, y1: base + 2.0 },
                    base,
                    size: 10.0,
                    bold: 0,
                    count: text.chars().count() as u32,
                    seq: words.len() as u32,
                    space_before: true,
                    confidence: None,
                });
                x0 += wide + 5.0;
            }
        }
        cell_text(words, &Rect { x0: 0.0, y0: 0.0, x1: 200.0, y1: 200.0 })
    }

    #[test]
    fn lines_that_a_writer_ended_stay_lines_and_broken_ones_are_joined() {
        assert_eq!(cell(&[(5.0, "0：保存；"), (5.0, "1：实时上传")]), "0：保存；\n1：实时上传");
        let full = "一二三四五六七八九十一二三四五六七八九";
        assert_eq!(cell(&[(5.0, full), (5.0, "至此为止")]), format!("{full}至此为止"));
        // Behind Chinese, small letters begin an entry, and only the letters of a word are kept together.
        assert_eq!(cell(&[(5.0, "按位设置"), (5.0, "bit0：摄像机异常")]), "按位设置\nbit0：摄像机异常");
        assert_eq!(
            cell(&[(5.0, "默认值200"), (5.0, "0表示不抓拍，0xFFFF表示不修改参数的值")]),
            "默认值200\n0表示不抓拍，0xFFFF表示不修改参数的值"
        );
        assert_eq!(
            cell(&[(5.0, "Each entity shall"), (5.0, "keep records")]),
            "Each entity shall keep records"
        );
        // Centred: the ends of its lines tell nothing.
        assert_eq!(cell(&[(80.0, "数据"), (80.0, "类型")]), "数据类型");
    }

    #[test]
    fn items_of_a_list_begin_new_lines() {
        let items = cell(&[
            (30.0, "8. Document the functions on the"),
            (45.0, "single line diagram of the unit"),
            (30.0, "9. Consolidate the settings into"),
            (45.0, "one document."),
        ]);
        assert_eq!(
            items,
            "8. Document the functions on the single line diagram of the unit\n9. Consolidate the settings into one document."
        );
        // A sentence that happens to break before a number goes on.
        assert_eq!(
            cell(&[(30.0, "as described in section"), (30.0, "11. of the code")]),
            "as described in section 11. of the code"
        );
    }
}
