//! Words, rules and pictures of one page into its elements in reading order.
//!
//! The same road for drawn text and for text recognised in a picture.

use regreader_model::{
    RawElement, RawPicture, RawTable, RawText, Rect, TableCell, TableKind, TextRole, TextUnit,
};

use crate::layout::{Item, Segment, Turn, Word, join_words, reading_order, rows_of, segments_of};
use crate::tables::{Axis, Grid, Rule, fill_cells, find_lattices};

/// What a page holds, ready to be put in order. All in page coordinates except the words' boxes, which lie in the
/// frame of their turn.
pub(crate) struct PageParts {
    /// Page size in points.
    pub size: [f32; 2],
    /// Words by the turn of their lines.
    pub words: Vec<(Turn, Vec<Word>)>,
    /// Drawn rules.
    pub rules: Vec<Rule>,
    /// Shaded boxes.
    pub fills: Vec<Rect>,
    /// Pictures.
    pub pictures: Vec<Rect>,
    /// Whether the words' order tells how the page was drawn.
    pub drawn_order: bool,
}

/// Puts a page together.
pub(crate) fn compose(parts: PageParts) -> Vec<RawElement> {
    let PageParts { size, mut words, rules, fills: _, pictures, drawn_order } = parts;
    // The page is laid out in the frame of the direction most of its text runs in.
    let mass = |words: &[Word]| words.iter().map(|word| word.count).sum::<u32>();
    let main = words
        .iter()
        .filter(|(turn, _)| *turn != Turn::Slanted)
        .max_by_key(|(turn, words)| (mass(words), *turn == Turn::Level))
        .map_or(Turn::Level, |(turn, _)| *turn);
    let mut main_words = Vec::new();
    words.retain_mut(|(turn, list)| {
        if *turn == main {
            main_words = std::mem::take(list);
        }
        *turn != main
    });

    let framed: Vec<Rule> = rules.iter().map(|rule| turn_rule(rule, main, size)).collect();
    let mut grids = find_lattices(&framed);
    let mut rest = main_words;
    for grid in &mut grids {
        rest = fill_cells(grid, rest);
    }
    // Text that runs another way (sideways column heads) still belongs to the cell it stands in.
    let mut strays: Vec<(Turn, Word)> = Vec::new();
    for (turn, list) in words {
        for word in list {
            let on_page = turn.to_page(&word.rect, size);
            let place = main.rect_to_frame(&on_page, size);
            let cell = grids.iter_mut().flat_map(|grid| grid.cells.iter_mut()).find(|cell| {
                turn != Turn::Slanted && cell.rect.contains(place.center_x(), place.center_y())
            });
            match cell {
                Some(cell) => crate::tables::append_line(&mut cell.text, &word.text),
                None => strays.push((turn, word)),
            }
        }
    }
    grids.retain(|grid| grid.cells.iter().any(|cell| !cell.text.is_empty()));

    let rows = rows_of(rest);
    let segments: Vec<Segment> =
        rows.into_iter().enumerate().flat_map(|(index, row)| segments_of(row, index)).collect();
    let mut elements = ordered(segments, grids, &pictures, main, size, drawn_order);
    elements.extend(stray_lines(strays, size));
    elements
}

/// Lines, tables and pictures in reading order.
fn ordered(
    segments: Vec<Segment>,
    grids: Vec<Grid>,
    pictures: &[Rect],
    main: Turn,
    size: [f32; 2],
    drawn_order: bool,
) -> Vec<RawElement> {
    let mut items: Vec<Item> = segments
        .iter()
        .map(|segment| Item {
            rect: segment.rect,
            row: Some(segment.row),
            seq: if drawn_order { segment.words.iter().map(|word| word.seq).min() } else { None },
            size: segment.size,
        })
        .collect();
    let alone = |rect: Rect| Item { rect, row: None, seq: None, size: 0.0 };
    items.extend(grids.iter().map(|grid| alone(grid.rect)));
    let framed_pictures: Vec<Rect> = pictures.iter().map(|rect| main.rect_to_frame(rect, size)).collect();
    // A picture behind the whole page is a background: it must not cut the page into pieces.
    let behind = |rect: &Rect| rect.width() * rect.height() >= 0.7 * size[0] * size[1];
    let shown: Vec<Rect> = framed_pictures.iter().filter(|rect| !behind(rect)).copied().collect();
    items.extend(shown.iter().copied().map(alone));

    let mut segments: Vec<Option<Segment>> = segments.into_iter().map(Some).collect();
    let first_grid = segments.len();
    let first_picture = first_grid + grids.len();
    let mut grids: Vec<Option<Grid>> = grids.into_iter().map(Some).collect();
    let mut elements = Vec::new();
    for rect in framed_pictures.iter().filter(|rect| behind(rect)) {
        elements.push(picture(main.to_page(rect, size)));
    }
    for group in reading_order(&items) {
        let mut line: Vec<Segment> = Vec::new();
        for index in group {
            if index < first_grid {
                line.extend(segments.get_mut(index).and_then(Option::take));
            } else if let Some(grid) = grids.get_mut(index - first_grid).and_then(Option::take) {
                elements.push(RawElement::Table(table(grid, main, size)));
            } else if let Some(rect) = index.checked_sub(first_picture).and_then(|i| shown.get(i)) {
                elements.push(picture(main.to_page(rect, size)));
            }
        }
        let words: Vec<Word> = line.into_iter().flat_map(|segment| segment.words).collect();
        elements.extend(text_line(&words, main, size).map(RawElement::Text));
    }
    elements
}

fn picture(rect: Rect) -> RawElement {
    RawElement::Picture(RawPicture { bbox: Some(rect), description: None })
}

/// One printed line.
fn text_line(words: &[Word], turn: Turn, size: [f32; 2]) -> Option<RawText> {
    let rect = words.iter().map(|word| word.rect).reduce(|a, b| a.union(&b))?;
    let text = repair(join_words(words));
    let count: u32 = words.iter().map(|word| word.count).sum();
    let bold: u32 = words.iter().map(|word| word.bold).sum();
    let confidences: Vec<f32> = words.iter().filter_map(|word| word.confidence).collect();
    let confidence =
        (!confidences.is_empty()).then(|| confidences.iter().sum::<f32>() / confidences.len() as f32);
    Some(RawText {
        text,
        unit: TextUnit::Line,
        role: TextRole::Body,
        bbox: Some(turn.to_page(&rect, size)),
        size: Some(main_size(words)),
        bold: bold * 2 > count,
        confidence,
    })
}

fn main_size(words: &[Word]) -> f32 {
    let mut sizes: Vec<(f32, u32)> = Vec::new();
    for word in words {
        match sizes.iter_mut().find(|(size, _)| (*size - word.size).abs() < 0.25) {
            Some((_, count)) => *count += word.count,
            None => sizes.push((word.size, word.count)),
        }
    }
    let most = sizes.into_iter().reduce(|a, b| if b.1 > a.1 { b } else { a });
    (most.map_or(0.0, |(size, _)| size) * 100.0).round() / 100.0
}

/// Text that runs another way than the page, line by line, after everything else.
fn stray_lines(strays: Vec<(Turn, Word)>, size: [f32; 2]) -> Vec<RawElement> {
    let mut lines = Vec::new();
    for turn in Turn::UPRIGHT {
        let words: Vec<Word> = strays.iter().filter(|(t, _)| *t == turn).map(|(_, word)| word.clone()).collect();
        for row in rows_of(words) {
            lines.extend(text_line(&row.words, turn, size).map(RawElement::Text));
        }
    }
    // Slanted words have no row to stand on: keep them as they were drawn.
    let slanted: Vec<Word> =
        strays.into_iter().filter(|(turn, _)| *turn == Turn::Slanted).map(|(_, word)| word).collect();
    let mut joined: Option<Word> = None;
    for word in slanted {
        joined = Some(match joined {
            None => word,
            Some(mut all) => {
                if word.space_before {
                    all.text.push(' ');
                }
                all.text.push_str(&word.text);
                all.rect = all.rect.union(&word.rect);
                all.count += word.count;
                all.bold += word.bold;
                all
            }
        });
    }
    lines.extend(joined.and_then(|word| text_line(&[word], Turn::Slanted, size)).map(RawElement::Text));
    lines
}

fn table(grid: Grid, main: Turn, size: [f32; 2]) -> RawTable {
    RawTable {
        kind: TableKind::Ruled,
        row_count: grid.rows,
        col_count: grid.cols,
        cells: grid
            .cells
            .into_iter()
            .map(|cell| TableCell {
                row: cell.row,
                col: cell.col,
                row_span: cell.row_span,
                col_span: cell.col_span,
                content: repair(cell.text),
                is_header: false,
                bbox: Some(main.to_page(&cell.rect, size)),
            })
            .collect(),
        bbox: Some(main.to_page(&grid.rect, size)),
        header_rows: None,
        caption: None,
        confidence: None,
    }
}

fn turn_rule(rule: &Rule, turn: Turn, size: [f32; 2]) -> Rule {
    if turn == Turn::Level {
        return *rule;
    }
    let rect = match rule.axis {
        Axis::Level => Rect { x0: rule.start, y0: rule.position, x1: rule.end, y1: rule.position },
        Axis::Upright => Rect { x0: rule.position, y0: rule.start, x1: rule.position, y1: rule.end },
    };
    let turned = turn.rect_to_frame(&rect, size);
    if turned.width() >= turned.height() {
        Rule::new(Axis::Level, turned.center_y(), turned.x0, turned.x1, rule.width)
    } else {
        Rule::new(Axis::Upright, turned.center_x(), turned.y0, turned.y1, rule.width)
    }
}

/// Founder fonts write italic Latin as rare hanzi; say what is printed.
fn repair(text: String) -> String {
    regreader_text::fold::repair_gbk_latin(&text).unwrap_or(text)
}
