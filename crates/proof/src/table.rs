//! Proof by a table: the statement says one row in words.
//!
//! Every token of the statement is a whole cell of the row, a part of a column's header, of the caption, or a word that
//! joins them; at each place the longest reading counts. Then three things must hold. The header that is named is the
//! header of the column in which the value stands, and of no other column with another value. Where several values are
//! named, their headers stand in the same order. And the row is the only one that the named cells describe: any other row
//! that fits them would have to say the same.

use regreader_text::Quantity;
use regreader_text::units::{Decimal, Unit};

use crate::classes::classes;
use crate::frame::Frame;
use crate::lex::{Lexed, Token};
use crate::page::{Passages, Row, Table};
use crate::sentence::Sentence;

/// Readings of one statement that are tried.
const MAX_READINGS: usize = 64;

/// A row that carries a statement.
#[derive(Debug, Clone)]
pub struct RowFound {
    /// Which table of the page.
    pub table: usize,
    /// Which data row.
    pub row: usize,
    /// Columns whose cells the statement says, in its order.
    pub cols: Vec<usize>,
    /// Every word of the statement is a whole cell, a whole header or the whole caption.
    pub whole: bool,
}

/// Looks for the row that carries a statement, on the cited page.
pub fn prove(statement: &Lexed, page: &Passages, fits: &dyn Fn(usize) -> bool) -> Option<RowFound> {
    for (index, table) in page.tables.iter().enumerate() {
        if !fits(table.place) {
            continue;
        }
        let frame = page.frame(table.place);
        // Words that no header, caption or name has must be in the row.
        let common = |token: &Token| {
            table.caption.contains(token)
                || table.headers.iter().any(|header| header.contains(token))
                || frame.has(token)
                || classes().is_relation(token)
        };
        let own: Vec<&Token> = statement
            .tokens
            .iter()
            .map(|one| &one.token)
            .filter(|token| !token.is_number() && !common(token))
            .collect();
        let rows = table.rows.iter().enumerate().filter(|(_, row)| {
            row.page == page.page_num && own.iter().all(|token| row.words.contains(*token))
        });
        for (at, row) in rows {
            let reader = Reader { statement, table, row, frame };
            if let Some((cols, whole)) = reader.prove() {
                return Some(RowFound { table: index, row: at, cols, whole });
            }
        }
    }
    None
}

struct Reader<'a> {
    statement: &'a Lexed,
    table: &'a Table,
    row: &'a Row,
    frame: &'a Frame,
}

/// A run of the statement's tokens and what it can be.
#[derive(Debug, Clone, Default)]
struct Segment {
    from: usize,
    to: usize,
    /// Columns of the row whose cell it says.
    cells: Vec<usize>,
    /// Columns whose header it names.
    headers: Vec<usize>,
    /// It is part of the caption, a name, or a joining word.
    plain: bool,
    /// It is all of a cell, header or caption.
    whole: bool,
}

impl Reader<'_> {
    fn prove(&self) -> Option<(Vec<usize>, bool)> {
        let segments = self.segments()?;
        let whole = segments.iter().all(|segment| {
            segment.whole || (segment.plain && segment.cells.is_empty() && segment.headers.is_empty())
        });
        // Each segment that says a cell is of one column; usually there is no choice.
        // Words of the caption say nothing of the row, unless the header of their column stands before them: 字段: 多媒体数据.
        let is_named = |at: usize| {
            let before = at.checked_sub(1).map(|before| &segments[before]);
            before.is_some_and(|header| {
                header.cells.is_empty() && segments[at].cells.iter().any(|col| header.headers.contains(col))
            })
        };
        // So does the label of the row at the beginning: 允许负载率, 投入组数 3: 0.80.
        let is_label = |at: usize| at == 0 && segments[at].cells.contains(&0);
        let says = |(at, segment): &(usize, &Segment)| {
            !segment.cells.is_empty()
                && (!segment.plain || self.has_number(segment) || is_named(*at) || is_label(*at))
        };
        let said: Vec<&Segment> =
            segments.iter().enumerate().filter(says).map(|(_, segment)| segment).collect();
        if said.is_empty() {
            return None;
        }
        let mut readings: Vec<Vec<usize>> = vec![Vec::new()];
        for segment in &said {
            let longer = readings.iter().flat_map(|reading| {
                segment
                    .cells
                    .iter()
                    .map(move |col| reading.iter().copied().chain([*col]).collect::<Vec<usize>>())
            });
            readings = longer.take(MAX_READINGS).collect();
        }
        let holds = |reading: &Vec<usize>| self.holds(&segments, &said, reading);
        let reading = readings.into_iter().find(holds)?;
        Some((reading, whole))
    }

    fn has_number(&self, segment: &Segment) -> bool {
        self.statement.tokens[segment.from..segment.to].iter().any(|one| one.token.is_number())
    }

    /// An amount with a unit of its own that no other cell of the row has.
    fn is_label(&self, segment: &Segment) -> bool {
        let tokens = &self.statement.tokens[segment.from..segment.to];
        tokens.iter().any(|one| matches!(one.token, Token::Quantity(..))) && segment.cells == [0]
    }

    /// 第7项: the number of the row.
    fn is_ordinal(&self, segment: &Segment) -> bool {
        let before = segment.from.checked_sub(1).and_then(|at| self.statement.tokens.get(at));
        before.is_some_and(|one| one.token == Token::Char('第'))
    }

    fn has_letter(&self, segment: &Segment) -> bool {
        let tokens = &self.statement.tokens[segment.from..segment.to];
        tokens.iter().any(|one| match &one.token {
            Token::Char(c) => c.is_alphanumeric(),
            Token::Word(_) => true,
            _ => false,
        })
    }

    /// Whether a segment is an amount and nothing else: only its header says what it measures.
    fn is_amount(&self, segment: &Segment) -> bool {
        let tokens: Vec<Token> =
            self.statement.tokens[segment.from..segment.to].iter().map(|one| one.token.clone()).collect();
        self.has_number(segment) && !names(&tokens, false)
    }

    /// Reads the statement from left to right, the longest possible segment first.
    fn segments(&self) -> Option<Vec<Segment>> {
        let all: Vec<&Token> = self.statement.tokens.iter().map(|one| &one.token).collect();
        let mut segments = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let segment = self.segment(&all, at)?;
            at = segment.to;
            segments.push(segment);
        }
        Some(segments)
    }

    fn segment(&self, all: &[&Token], at: usize) -> Option<Segment> {
        let rest = &all[at..];
        let mut best = Segment { from: at, to: at, ..Segment::default() };
        let mut offer = |len: usize, whole: bool, set: &mut dyn FnMut(&mut Segment)| {
            if len == 0 || at + len < best.to {
                return;
            }
            if at + len > best.to {
                best = Segment { from: at, to: at + len, ..Segment::default() };
            }
            best.whole |= whole;
            set(&mut best);
        };
        for (col, cell) in self.row.cells.iter().enumerate() {
            let len = self.cell_at(rest, cell, col);
            let size: usize = cell.iter().map(|sentence| sentence.tokens().count()).sum();
            offer(len, len == size, &mut |segment| segment.cells.push(col));
        }
        for (col, header) in self.table.headers.iter().enumerate() {
            let len = span(rest, header);
            offer(len, len == header.len(), &mut |segment| segment.headers.push(col));
        }
        let caption = span(rest, &self.table.caption);
        offer(caption, caption == self.table.caption.len(), &mut |segment| segment.plain = true);
        let bracketed = self.statement.tokens.get(at).is_some_and(|one| one.bracketed);
        offer(self.frame.longest(rest, bracketed), true, &mut |segment| segment.plain = true);
        offer(classes().relation(rest), true, &mut |segment| segment.plain = true);
        (best.to > at).then_some(best)
    }

    /// How many tokens say the cell: all of it, or whole sentences of it.
    fn cell_at(&self, rest: &[&Token], cell: &[Sentence], col: usize) -> usize {
        let mut best = 0;
        // `0：取消` is a code with its meaning: neither stands alone.
        for start in (0..cell.len()).filter(|start| cell[*start].lead.is_none()) {
            let mut len = 0;
            for (index, sentence) in cell.iter().enumerate().skip(start) {
                let with_marker: Vec<&Token> = sentence.tokens().collect();
                let bare: Vec<&Token> = sentence.clauses.iter().flat_map(|clause| &clause.tokens).collect();
                let step =
                    [with_marker, bare].into_iter().find_map(|tokens| self.same(&rest[len..], &tokens, col));
                let Some(step) = step else {
                    // The last sentence may lack what narrows nothing.
                    let more = self.beginning(&rest[len..], sentence, col);
                    best = best.max(if more > 0 { len + more } else { 0 });
                    break;
                };
                len += step;
                if !sentence.introduces || index + 1 == cell.len() {
                    best = best.max(len);
                }
            }
        }
        best
    }

    /// The first clauses of a sentence, when those behind narrow nothing.
    fn beginning(&self, rest: &[&Token], sentence: &Sentence, col: usize) -> usize {
        let mut len = 0;
        for (index, clause) in sentence.clauses.iter().enumerate() {
            let tokens: Vec<&Token> = clause.tokens.iter().collect();
            match self.same(&rest[len..], &tokens, col) {
                Some(step) => len += step,
                None => {
                    let droppable =
                        index > 0 && sentence.clauses[index..].iter().all(|clause| !clause.restricts);
                    return if droppable { len } else { 0 };
                }
            }
        }
        len
    }

    fn same(&self, rest: &[&Token], tokens: &[&Token], col: usize) -> Option<usize> {
        let fits = !tokens.is_empty()
            && tokens.len() <= rest.len()
            && tokens.iter().zip(rest).all(|(cell, said)| cell == said || self.same_amount(cell, said, col));
        fits.then_some(tokens.len())
    }

    /// A bare number of a cell takes its unit from the header or the caption.
    fn same_amount(&self, cell: &Token, said: &Token, col: usize) -> bool {
        let (Token::Number(value), Token::Quantity(amount, symbol)) = (cell, said) else { return false };
        let units = self.table.units.get(col).map(Vec::as_slice).unwrap_or_default();
        let counted = self.table.header_text.get(col).is_some_and(|header| header.contains(symbol));
        units.iter().any(|unit| in_base(*value, *unit) == Some((*amount, symbol)))
            || (counted && value == amount)
    }

    fn holds(&self, segments: &[Segment], said: &[&Segment], reading: &[usize]) -> bool {
        self.headers_hold(segments, said, reading) && self.row_is_determined(segments, said, reading)
    }

    /// Every header that is named belongs to a value that is said, and every number has its header. Only a number that
    /// tells rows apart may stand before such a value without one: 双极闭锁 400～600：官地 180.
    fn headers_hold(&self, segments: &[Segment], said: &[&Segment], reading: &[usize]) -> bool {
        // A dash is no value: `夏季: —` names a column whose cell is blank, and nothing that could be taken for its value follows.
        let is_blank = |segment: &Segment| {
            let cell = |col: &usize| self.row.cells.get(*col);
            let is_empty = |col: &usize| {
                cell(col).is_some_and(|cell| cell.iter().all(|one| one.tokens().next().is_none()))
            };
            let next = segments.iter().find(|next| next.from >= segment.to && !is_joint(next));
            segment.headers.iter().any(is_empty) && next.is_none_or(|next| next.cells.is_empty())
        };
        let named: Vec<&Segment> = segments
            .iter()
            .filter(|segment| !segment.headers.is_empty() && segment.cells.is_empty() && !is_blank(segment))
            .collect();
        // The name of a column whose value is not said belongs to nothing, unless it is part of a longer caption.
        let is_whole = |segment: &Segment| {
            segment.headers.iter().any(|col| self.table.headers[*col].len() == segment.to - segment.from)
        };
        let stray = |segment: &Segment| {
            !segment.headers.iter().any(|col| reading.contains(col)) && (!segment.plain || is_whole(segment))
        };
        if named.iter().any(|segment| stray(segment)) {
            return false;
        }
        // A column that is named twice has taken the name of another.
        let twice = named.iter().filter(|segment| is_whole(segment)).any(|segment| {
            let same =
                named.iter().filter(|other| is_whole(other) && other.headers == segment.headers).count();
            same > reading.iter().filter(|col| segment.headers.contains(col)).count()
        });
        if twice && said.len() > 1 {
            return false;
        }
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (segment, &col) in said.iter().zip(reading) {
            let own: Vec<&&Segment> = named.iter().filter(|header| header.headers.contains(&col)).collect();
            // The label of a row (Ⅲ级, 第7轮, 500 千伏) needs no header.
            let label =
                col == 0 && (self.has_letter(segment) || self.is_label(segment) || self.is_ordinal(segment));
            let numeric = self.is_amount(segment) && !label;
            if own.is_empty() {
                let key = || {
                    // A header in front would be read as that of the number.
                    let leads = named.iter().all(|header| header.from > segment.from);
                    let mut later = said.iter().zip(reading).filter(|(other, at)| {
                        **at > col
                            && other.from > segment.from
                            && named.iter().any(|header| header.headers.contains(at))
                    });
                    leads && later.next().is_some() && self.left_of_values(col)
                };
                if numeric && !self.needs_no_header(reading, col) && !key() {
                    return false;
                }
                continue;
            }
            // No other column that these headers fit may have another value.
            let other = (0..self.row.cells.len()).any(|other| {
                other != col
                    && !reading.contains(&other)
                    && own.iter().all(|header| header.headers.contains(&other))
                    && !self.says(segment, other)
            });
            if other {
                return false;
            }
            let nearest =
                own.iter().min_by_key(|header| distance(header, segment)).map_or(0, |header| header.from);
            order.push((segment.from, nearest));
        }
        order.sort_unstable();
        order.windows(2).all(|pair| pair[0].1 <= pair[1].1)
    }

    /// A number may go without its header when no other column of the row could be meant.
    fn needs_no_header(&self, reading: &[usize], col: usize) -> bool {
        let others =
            self.row.cells.iter().enumerate().filter(|(other, _)| *other != col && !reading.contains(other));
        let mut values = others.filter(|(_, cell)| !cell.is_empty());
        values.all(|(_, cell)| !cell.iter().any(|sentence| sentence.tokens().any(Token::is_number)))
    }

    fn says(&self, segment: &Segment, col: usize) -> bool {
        self.row.cells.get(col).is_some_and(|cell| self.segment_says(segment, cell, col))
    }

    fn segment_says(&self, segment: &Segment, cell: &[Sentence], col: usize) -> bool {
        let tokens: Vec<&Token> =
            self.statement.tokens[segment.from..segment.to].iter().map(|one| &one.token).collect();
        !tokens.is_empty() && self.cell_at(&tokens, cell, col) == tokens.len()
    }

    /// The cells that are said from left to right: some first ones must describe the row so that the others follow.
    fn row_is_determined(&self, segments: &[Segment], said: &[&Segment], reading: &[usize]) -> bool {
        let mut by_column: Vec<(usize, &Segment)> =
            reading.iter().copied().zip(said.iter().copied()).collect();
        by_column.sort_by_key(|(col, _)| *col);
        let speaks = by_column.len() > 1
            || segments.iter().any(|segment| segment.headers.iter().any(|col| reading.contains(col)));
        if !speaks {
            return false;
        }
        let fits = |row: &Row, said: &[(usize, &Segment)]| {
            said.iter().all(|(col, segment)| {
                row.cells.get(*col).is_some_and(|cell| self.segment_says(segment, cell, *col))
            })
        };
        (0..by_column.len()).rev().any(|keys| {
            let (keys, values) = by_column.split_at(keys);
            let key_is_text = keys.is_empty()
                || keys
                    .iter()
                    .any(|(col, segment)| *col == 0 || !self.is_amount(segment) || self.left_of_values(*col));
            key_is_text && self.table.rows.iter().filter(|row| fits(row, keys)).all(|row| fits(row, values))
        })
    }

    /// Whether a column stands among the first ones that tell the rows apart.
    fn left_of_values(&self, col: usize) -> bool {
        let key = |row: &Row| -> Vec<String> {
            row.cells.iter().take(col).map(|cell| cell.iter().map(|s| s.text.as_str()).collect()).collect()
        };
        let mut seen = std::collections::HashSet::new();
        // Some two rows agree on everything further left, so this column is needed to tell them apart.
        self.table.rows.iter().any(|row| !seen.insert(key(row)))
    }
}

/// A segment that only joins others.
fn is_joint(segment: &Segment) -> bool {
    segment.plain && segment.cells.is_empty() && segment.headers.is_empty()
}

fn in_base(value: Decimal, unit: Unit) -> Option<(Decimal, &'static str)> {
    let normal = Quantity { value, unit }.normalised()?;
    Some((normal.value, normal.unit.symbol()))
}

fn distance(a: &Segment, b: &Segment) -> usize {
    if a.from < b.from { b.from.saturating_sub(a.to) } else { a.from.saturating_sub(b.to) }
}

/// The longest run of `source` that the tokens begin with, if it is long enough to name something.
fn span(tokens: &[&Token], source: &[Token]) -> usize {
    let mut best = 0;
    for start in 0..source.len() {
        let len = source[start..].iter().zip(tokens).take_while(|(a, b)| *a == **b).count();
        let dash = |at: Option<usize>| at.and_then(|at| source.get(at)) == Some(&Token::Char('-'));
        // 3.4-B is one name: neither 3.4 nor B alone is.
        let torn =
            len > 0 && (dash(start.checked_sub(1)) || dash(Some(start + len)) || dash(Some(start + len - 1)));
        if len > best && !torn && names(&source[start..start + len], len == source.len()) {
            best = len;
        }
    }
    best
}

/// Two Chinese characters or a word name something, and so does an amount or a number that is all of a header (30℃); a part of one
/// or a function word alone does not.
fn names(span: &[Token], whole: bool) -> bool {
    let mut weight = 0;
    let mut function_words = 0;
    for token in span {
        match token {
            Token::Char(c) if c.is_alphanumeric() => weight += 1,
            Token::Word(word) if word.chars().count() > 1 || whole => weight += 2,
            Token::Word(_) => weight += 1,
            Token::Class(_) => function_words += 1,
            Token::Quantity(..) | Token::Number(_) if whole => weight += 2,
            _ => {}
        }
    }
    // 延时 is a name, though 时 is a function word elsewhere.
    weight > 0 && (weight + function_words >= 2 || whole)
}
