//! Words, rules and pictures of one page into its elements in reading order.
//!
//! The same road for drawn text and for text recognised in a picture.

use regreader_messages::findings;
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawElement, RawPicture, RawTable, RawText, Rect, Severity,
    TableCell, TableKind, TextRole, TextUnit,
};

use crate::layout::{
    Item, Row, Segment, Turn, Word, join_words, may_be_columns, narrow_gutter, regions, rows_of, segments_of,
    usual_size,
};
use crate::tables::{
    Aside, Axis, Grid, Rule, append_line, fill_cells, find_lattices, find_streams, refine, settle_panels,
    settle_signs, shaded_rules, unframe,
};

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
    /// Boxes of the pictures on the page.
    pub pictures: Vec<Rect>,
    /// Whether the words' order tells how the page was drawn.
    pub drawn_order: bool,
}

/// A page that was put together.
pub(crate) struct Composed {
    /// In reading order.
    pub elements: Vec<RawElement>,
    /// Lines were read from side to side that may be two columns.
    pub order_unsure: bool,
}

impl Composed {
    /// The elements; what is unsure about their order goes into the report.
    pub fn with_remark(self, page_num: PageNumber, remarks: &mut Vec<Diagnostic>) -> Vec<RawElement> {
        if self.order_unsure {
            remarks.push(Diagnostic::on_page(
                Severity::Warning,
                DiagnosticCode::ReadingOrder,
                page_num,
                findings::ORDER_UNSURE,
            ));
        }
        self.elements
    }
}

/// Puts a page together.
pub(crate) fn compose(parts: PageParts) -> Composed {
    let PageParts { size, mut words, mut rules, fills, pictures, drawn_order } = parts;
    // The page is laid out in the frame of the direction most of its text runs in.
    let mass = |words: &[Word]| words.iter().map(|word| word.count).sum::<u32>();
    let turn = words
        .iter()
        .filter(|(turn, _)| *turn != Turn::Slanted)
        .max_by_key(|(turn, words)| (mass(words), *turn == Turn::Level))
        .map_or(Turn::Level, |(turn, _)| *turn);
    let mut rest = Vec::new();
    words.retain_mut(|(other, list)| {
        if *other == turn {
            rest = std::mem::take(list);
        }
        *other != turn
    });
    for rule in &mut rules {
        *rule = turn_rule(rule, turn, size);
    }

    let mut page =
        Page { size, turn, rules, drawings: Vec::new(), elements: Vec::new(), order_unsure: false };
    let mut lattices = find_lattices(&page.rules);
    let fills: Vec<Rect> = fills.iter().map(|fill| turn.rect_to_frame(fill, size)).collect();
    let shaded = shaded_rules(&fills, &lattices);
    if !shaded.is_empty() {
        page.rules.extend(shaded);
        lattices = find_lattices(&page.rules);
    }
    let mut grids: Vec<Grid> = Vec::new();
    // The grids of charts first: numbers along their axes are no labels of a table.
    lattices.retain(|grid| {
        let drawing = is_drawing(grid, &rest);
        if drawing {
            page.drawings.push(grid.rect);
        }
        !drawing
    });
    for grid in settle_panels(lattices, &rest) {
        let mut grid = refine(grid, &rest);
        if is_drawing(&grid, &rest) {
            page.drawings.push(grid.rect);
            continue;
        }
        rest = fill_cells(&mut grid, rest);
        grids.push(grid);
    }
    let strays = page.place_strays(words, &mut grids);
    grids.retain(|grid| grid.cells.iter().any(|cell| !cell.text.is_empty()));
    let rows = rows_of(rest);
    let gutter = narrow_gutter(&rows);
    let segments: Vec<Segment> =
        rows.into_iter().enumerate().flat_map(|(index, row)| segments_of(row, index, gutter)).collect();
    page.put_in_order(segments, grids, &pictures, drawn_order);
    page.add_strays(strays);
    Composed { elements: page.elements, order_unsure: page.order_unsure }
}

/// A page being put together, in the frame of its main direction.
struct Page {
    size: [f32; 2],
    turn: Turn,
    rules: Vec<Rule>,
    /// Charts and drawings, which hold no tables.
    drawings: Vec<Rect>,
    elements: Vec<RawElement>,
    order_unsure: bool,
}

impl Page {
    /// Text that runs another way (sideways column heads) still belongs to the cell it stands in; the rest is returned.
    fn place_strays(&self, words: Vec<(Turn, Vec<Word>)>, grids: &mut [Grid]) -> Vec<(Turn, Word)> {
        let mut strays: Vec<(Turn, Word)> = Vec::new();
        let indices: Vec<_> = grids.iter().map(Grid::index).collect();
        for (turn, list) in words {
            for word in list {
                let place = self.turn.rect_to_frame(&turn.to_page(&word.rect, self.size), self.size);
                let (x, y) = (place.center_x(), place.center_y());
                let cell = grids.iter_mut().zip(&indices).find_map(|(grid, index)| {
                    let inside = turn != Turn::Slanted && grid.rect.contains(x, y);
                    if inside { grid.cells.get_mut(index.at(x, y)?) } else { None }
                });
                match cell {
                    Some(cell) => append_line(&mut cell.text, &word.text),
                    None => strays.push((turn, word)),
                }
            }
        }
        strays
    }

    /// Lines, tables and pictures in reading order.
    fn put_in_order(
        &mut self,
        segments: Vec<Segment>,
        grids: Vec<Grid>,
        pictures: &[Rect],
        drawn_order: bool,
    ) {
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
        // A picture behind the whole page is a background: it must not cut the page into pieces.
        let page_area = self.size[0] * self.size[1];
        let (behind, shown): (Vec<Rect>, Vec<Rect>) = pictures
            .iter()
            .map(|rect| self.turn.rect_to_frame(rect, self.size))
            .partition(|rect| rect.width() * rect.height() >= 0.7 * page_area);
        items.extend(shown.iter().copied().map(alone));
        for rect in &behind {
            self.add_picture(rect);
        }

        let first_grid = segments.len();
        let first_picture = first_grid + grids.len();
        let mut segments: Vec<Option<Segment>> = segments.into_iter().map(Some).collect();
        let mut grids: Vec<Option<Grid>> = grids.into_iter().map(Some).collect();
        for region in regions(&items) {
            // Runs of text rows between tables and pictures: white-space tables are looked for in each.
            let mut rows: Vec<Row> = Vec::new();
            for group in region {
                let mut words: Vec<Word> = Vec::new();
                let mut base = 0.0;
                for index in group {
                    if index < first_grid {
                        if let Some(segment) = segments.get_mut(index).and_then(Option::take) {
                            base = segment.base;
                            words.extend(segment.words);
                        }
                    } else if let Some(grid) = grids.get_mut(index - first_grid).and_then(Option::take) {
                        self.add_rows(&rows);
                        rows.clear();
                        self.add_ruled(grid);
                    } else if let Some(rect) = index.checked_sub(first_picture).and_then(|i| shown.get(i)) {
                        self.add_rows(&rows);
                        rows.clear();
                        self.add_picture(rect);
                    }
                }
                if !words.is_empty() {
                    rows.push(Row { base, size: usual_size(&words), words });
                }
            }
            self.add_rows(&rows);
        }
    }

    /// Rows of one region: lines, and the tables that white space makes among them.
    fn add_rows(&mut self, rows: &[Row]) {
        let mut tables = find_streams(rows, &self.rules);
        // Numbers along the axes of a chart line up as well as any table.
        tables.retain(|found| {
            let rect = &found.grid.rect;
            !self.drawings.iter().any(|drawing| {
                let beside = drawing.x0 - 40.0 < rect.x1 && drawing.x1 + 40.0 > rect.x0;
                let common = drawing.y1.min(rect.y1) - drawing.y0.max(rect.y0);
                beside && common > 8.0_f32.min(0.4 * rect.height())
            })
        });
        let lines: Vec<Row> = rows
            .iter()
            .enumerate()
            .filter(|(index, _)| !tables.iter().any(|found| (found.first..=found.last).contains(index)))
            .map(|(_, row)| row.clone())
            .collect();
        self.order_unsure |= may_be_columns(&lines);
        let mut tables = tables.into_iter().peekable();
        for (index, row) in rows.iter().enumerate() {
            if let Some(found) = tables.peek()
                && index >= found.first
            {
                if index == found.last
                    && let Some(found) = tables.next()
                {
                    let table = self.table(found.grid, TableKind::Whitespace);
                    self.elements.push(RawElement::Table(table));
                }
                continue;
            }
            self.add_line(&row.words, self.turn);
        }
    }

    fn add_ruled(&mut self, grid: Grid) {
        let mut grid = grid;
        let (above, below) = unframe(&mut grid);
        for aside in above {
            self.add_aside(aside);
        }
        let table = self.table(grid, TableKind::Ruled);
        self.elements.push(RawElement::Table(table));
        for aside in below {
            self.add_aside(aside);
        }
    }

    fn add_aside(&mut self, aside: Aside) {
        self.elements.push(RawElement::Text(RawText {
            text: repair(aside.text),
            unit: TextUnit::Paragraph,
            role: TextRole::Body,
            bbox: Some(self.turn.to_page(&aside.rect, self.size)),
            size: None,
            bold: false,
            confidence: None,
        }));
    }

    fn add_picture(&mut self, rect: &Rect) {
        let bbox = Some(self.turn.to_page(rect, self.size));
        self.elements.push(RawElement::Picture(RawPicture { bbox, description: None }));
    }

    /// One printed line.
    fn add_line(&mut self, words: &[Word], turn: Turn) {
        let Some(rect) = words.iter().map(|word| word.rect).reduce(|a, b| a.union(&b)) else { return };
        let count: u32 = words.iter().map(|word| word.count).sum();
        let bold: u32 = words.iter().map(|word| word.bold).sum();
        let known: Vec<f32> = words.iter().filter_map(|word| word.confidence).collect();
        let confidence = (!known.is_empty()).then(|| known.iter().sum::<f32>() / known.len() as f32);
        self.elements.push(RawElement::Text(RawText {
            text: repair(join_words(words)),
            unit: TextUnit::Line,
            role: TextRole::Body,
            bbox: Some(turn.to_page(&rect, self.size)),
            size: Some((usual_size(words) * 100.0).round() / 100.0),
            bold: bold * 2 > count,
            confidence,
        }));
    }

    /// Text that runs another way than the page, line by line, after everything else.
    fn add_strays(&mut self, strays: Vec<(Turn, Word)>) {
        for turn in Turn::UPRIGHT {
            let words: Vec<Word> =
                strays.iter().filter(|(t, _)| *t == turn).map(|(_, word)| word.clone()).collect();
            for row in rows_of(words) {
                self.add_line(&row.words, turn);
            }
        }
        // Slanted words have no row to stand on: keep them as they were drawn.
        let slanted = strays.into_iter().filter(|(turn, _)| *turn == Turn::Slanted).map(|(_, word)| word);
        let joined = slanted.reduce(|mut all, word| {
            if word.space_before {
                all.text.push(' ');
            }
            all.text.push_str(&word.text);
            all.rect = all.rect.union(&word.rect);
            all.count += word.count;
            all.bold += word.bold;
            all
        });
        if let Some(word) = joined {
            self.add_line(&[word], Turn::Slanted);
        }
    }

    fn table(&self, mut grid: Grid, kind: TableKind) -> RawTable {
        settle_signs(&mut grid);
        let cells = grid.cells.into_iter().map(|cell| TableCell {
            row: cell.row,
            col: cell.col,
            row_span: cell.row_span,
            col_span: cell.col_span,
            content: repair(cell.text),
            is_header: false,
            bbox: Some(self.turn.to_page(&cell.rect, self.size)),
        });
        RawTable {
            kind,
            row_count: grid.rows,
            col_count: grid.cols,
            cells: cells.collect(),
            bbox: Some(self.turn.to_page(&grid.rect, self.size)),
            header_rows: None,
            caption: None,
            confidence: None,
        }
    }
}

/// Whether a grid is the grid of a chart or a drawing: mostly empty, or a ladder of lines.
fn is_drawing(grid: &Grid, words: &[Word]) -> bool {
    let index = grid.index();
    let mut held = vec![false; grid.cells.len()];
    for word in words {
        let place = index.at(word.rect.center_x(), word.rect.center_y());
        if let Some(mark) = place.and_then(|cell| held.get_mut(cell)) {
            *mark = true;
        }
    }
    let filled = held.iter().filter(|held| **held).count();
    filled == 0
        || (held.len() >= 12 && filled * 4 < held.len())
        || (grid.cols == 1 && grid.rows >= 3 && filled * 2 < held.len())
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
