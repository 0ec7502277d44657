//! Seeded edits of a document. Each keeps the identity of what it leaves, so that the truth can be read off afterwards.

use regreader_text::{find_quantities, find_references};

use super::markup::{Block, Kind, Table};

/// A small generator of numbers that is the same everywhere (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { list.get(self.below(list.len())) }
    }
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edit {
    Number,
    Cell,
    RowAdded,
    RowRemoved,
    ColumnAdded,
    Inserted,
    Removed,
    Moved,
    Split,
    Merged,
}

impl Edit {
    pub const ALL: [Self; 10] = [
        Self::Number,
        Self::Cell,
        Self::RowAdded,
        Self::RowRemoved,
        Self::ColumnAdded,
        Self::Inserted,
        Self::Removed,
        Self::Moved,
        Self::Split,
        Self::Merged,
    ];
}

/// What an edit makes true, by identity; places are read off when all edits are done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// A number of a block.
    Number { uid: usize, old: String, new: String },
    /// A cell, by the identity of its row and its column in the old table.
    Cell { uid: usize, row: Vec<String>, col: usize, old: String, new: String },
    /// A row.
    Row { uid: usize, cells: Vec<String>, added: bool },
    /// A column.
    Column { uid: usize, header: String },
    /// A clause.
    Inserted { uid: usize },
    /// A clause.
    Removed { uid: usize },
    /// A clause.
    Moved { uid: usize },
    /// A clause and the one that took its second part.
    Split { uid: usize, part: usize },
    /// A clause and the one that it swallowed.
    Merged { uid: usize, part: usize },
}

/// A document under edit.
pub struct Draft<'a> {
    pub blocks: Vec<Block>,
    pub truths: Vec<Truth>,
    /// Blocks that an edit has touched; no other edit touches them again.
    touched: Vec<usize>,
    next_uid: usize,
    /// Clauses of another regulation, for what is inserted.
    others: &'a [Block],
}

impl<'a> Draft<'a> {
    pub fn new(blocks: &[Block], others: &'a [Block]) -> Self {
        let next_uid = blocks.len();
        Self { blocks: blocks.to_vec(), truths: Vec::new(), touched: Vec::new(), next_uid, others }
    }

    /// Makes an edit somewhere; false where the document has no place for it.
    pub fn edit(&mut self, edit: Edit, random: &mut Random) -> bool {
        let truth = match edit {
            Edit::Number => self.number(random),
            Edit::Cell => self.cell(random),
            Edit::RowAdded => self.row_added(random),
            Edit::RowRemoved => self.row_removed(random),
            Edit::ColumnAdded => self.column_added(random),
            Edit::Inserted => self.inserted(random),
            Edit::Removed => self.removed(random),
            Edit::Moved => self.moved(random),
            Edit::Split => self.split(random),
            Edit::Merged => self.merged(random),
        };
        let done = truth.is_some();
        self.truths.extend(truth);
        done
    }

    fn free(&self, at: usize) -> bool {
        !self.touched.contains(&self.blocks[at].uid)
    }

    /// Decimal clauses with nothing but the clause itself: no paragraphs, tables or notes behind it.
    fn lone_clauses(&self) -> Vec<usize> {
        let alone = |at: usize| {
            self.blocks.get(at + 1).is_none_or(|next| matches!(next.kind, Kind::Heading | Kind::Clause))
        };
        let is_clause = |at: &usize| {
            let block = &self.blocks[*at];
            block.kind == Kind::Clause && block.number.len() > 1 && self.free(*at) && alone(*at)
        };
        (0..self.blocks.len()).filter(is_clause).collect()
    }

    fn tables(&self) -> Vec<usize> {
        (0..self.blocks.len()).filter(|at| self.blocks[*at].kind == Kind::Table && self.free(*at)).collect()
    }

    fn number(&mut self, random: &mut Random) -> Option<Truth> {
        let texts: Vec<usize> = (0..self.blocks.len())
            .filter(|at| matches!(self.blocks[*at].kind, Kind::Clause | Kind::Note) && self.free(*at))
            .filter(|at| !amounts(&self.blocks[*at].text).is_empty())
            .collect();
        let at = *random.pick(&texts)?;
        let places = amounts(&self.blocks[at].text);
        let (start, end) = *random.pick(&places)?;
        let block = &mut self.blocks[at];
        let old = block.text[start..end].to_owned();
        let new = other_number(&old, random);
        block.text.replace_range(start..end, &new);
        let uid = block.uid;
        self.touched.push(uid);
        Some(Truth::Number { uid, old, new })
    }

    fn cell(&mut self, random: &mut Random) -> Option<Truth> {
        let at = *random.pick(&self.tables())?;
        let uid = self.blocks[at].uid;
        let table = self.blocks[at].table.as_mut()?;
        let mut cells = Vec::new();
        for (row, line) in table.rows.iter().enumerate().skip(table.header_rows) {
            // Keys are not limits; a serial number is none either.
            let numeric = line.iter().enumerate().skip(2).filter(|(_, cell)| cell.parse::<f64>().is_ok());
            cells.extend(numeric.map(|(col, _)| (row, col)));
        }
        let (row, col) = *random.pick(&cells)?;
        let identity = filled(table, row);
        let old = table.rows[row][col].clone();
        let new = other_number(&old, random);
        table.rows[row][col].clone_from(&new);
        self.touched.push(uid);
        Some(Truth::Cell { uid, row: identity, col, old, new })
    }

    fn row_added(&mut self, random: &mut Random) -> Option<Truth> {
        let (at, row) = self.plain_row(random)?;
        let fresh = self.next_uid;
        let table = self.blocks[at].table.as_mut()?;
        let mut cells = table.rows[row].clone();
        for (col, cell) in cells.iter_mut().enumerate() {
            *cell = if cell.parse::<f64>().is_ok() {
                other_number(cell, random)
            } else {
                format!("新增{fresh}项{col}")
            };
        }
        self.next_uid += 1;
        table.rows.insert(row + 1, cells.clone());
        let uid = self.blocks[at].uid;
        self.touched.push(uid);
        Some(Truth::Row { uid, cells, added: true })
    }

    fn row_removed(&mut self, random: &mut Random) -> Option<Truth> {
        let (at, row) = self.plain_row(random)?;
        let table = self.blocks[at].table.as_mut()?;
        if table.rows.len() < table.header_rows + 3 {
            return None;
        }
        let cells = table.rows.remove(row);
        let uid = self.blocks[at].uid;
        self.touched.push(uid);
        Some(Truth::Row { uid, cells, added: false })
    }

    /// A row that no span touches.
    fn plain_row(&mut self, random: &mut Random) -> Option<(usize, usize)> {
        let at = *random.pick(&self.tables())?;
        let table = self.blocks[at].table.as_ref()?;
        let spans = |row: &Vec<String>| row.iter().any(|cell| cell == "^" || cell == "<");
        let rows: Vec<usize> = (table.header_rows..table.rows.len())
            .filter(|row| {
                !spans(&table.rows[*row]) && table.rows.get(row + 1).is_none_or(|next| !spans(next))
            })
            .collect();
        Some((at, *random.pick(&rows)?))
    }

    fn column_added(&mut self, random: &mut Random) -> Option<Truth> {
        let at = *random.pick(&self.tables())?;
        let header = format!("新增指标{}", self.next_uid);
        self.next_uid += 1;
        let table = self.blocks[at].table.as_mut()?;
        let width = table.rows.first()?.len();
        let col = 1 + random.below(width);
        // Not inside a cell that spans columns.
        if table.rows.iter().any(|row| row.get(col).is_some_and(|cell| cell == "<")) {
            return None;
        }
        for (row, line) in table.rows.iter_mut().enumerate() {
            let cell = match row {
                0 => header.clone(),
                row if row < table.header_rows => "^".to_owned(),
                row => format!("{}{}", row * 7 % 10, random.below(10)),
            };
            line.insert(col, cell);
        }
        let uid = self.blocks[at].uid;
        self.touched.push(uid);
        Some(Truth::Column { uid, header })
    }

    fn inserted(&mut self, random: &mut Random) -> Option<Truth> {
        let at = *random.pick(&self.lone_clauses())?;
        let texts: Vec<&Block> = self
            .others
            .iter()
            .filter(|block| block.kind == Kind::Clause && block.text.chars().count() > 25)
            .collect();
        let text = random.pick(&texts)?.text.clone();
        let mut number = self.blocks[at].number.clone();
        *number.last_mut()? += 1;
        let uid = self.insert(at + 1, number, text);
        Some(Truth::Inserted { uid })
    }

    /// Puts a clause in, and counts those behind it on.
    fn insert(&mut self, at: usize, number: Vec<u32>, text: String) -> usize {
        shift(&mut self.blocks, &number, 1);
        let level = self.blocks[at - 1].level;
        let uid = self.next_uid;
        self.next_uid += 1;
        self.blocks.insert(at, Block { uid, kind: Kind::Clause, level, number, text, table: None });
        self.touched.push(uid);
        uid
    }

    fn removed(&mut self, random: &mut Random) -> Option<Truth> {
        let at = self.one_of_several(random)?;
        let block = self.blocks.remove(at);
        shift(&mut self.blocks, &block.number, -1);
        self.touched.push(block.uid);
        Some(Truth::Removed { uid: block.uid })
    }

    /// A lone clause that has a sibling before it, so that its parent does not run empty.
    fn one_of_several(&mut self, random: &mut Random) -> Option<usize> {
        let clauses: Vec<usize> = self
            .lone_clauses()
            .into_iter()
            .filter(|at| self.blocks[*at].number.last().is_some_and(|last| *last > 1))
            .filter(|at| self.blocks[*at].text.chars().count() > 25)
            .collect();
        random.pick(&clauses).copied()
    }

    fn moved(&mut self, random: &mut Random) -> Option<Truth> {
        let from = self.one_of_several(random)?;
        let block = self.blocks[from].clone();
        let parent = |number: &[u32]| number[..number.len() - 1].to_vec();
        let targets: Vec<usize> = self
            .lone_clauses()
            .into_iter()
            .filter(|at| parent(&self.blocks[*at].number) != parent(&block.number))
            .collect();
        let target = self.blocks[*random.pick(&targets)?].uid;
        self.blocks.remove(from);
        shift(&mut self.blocks, &block.number, -1);
        let at = self.blocks.iter().position(|other| other.uid == target)? + 1;
        let mut number = self.blocks[at - 1].number.clone();
        *number.last_mut()? += 1;
        shift(&mut self.blocks, &number, 1);
        let level = self.blocks[at - 1].level;
        self.blocks.insert(at, Block { level, number, ..block.clone() });
        self.touched.extend([block.uid, target]);
        Some(Truth::Moved { uid: block.uid })
    }

    fn split(&mut self, random: &mut Random) -> Option<Truth> {
        let mut places = Vec::new();
        for at in self.lone_clauses() {
            let text = &self.blocks[at].text;
            for (end, mark) in text.match_indices(['。', '；']) {
                let (first, second) = text.split_at(end + mark.len());
                if first.chars().count() >= 15 && second.chars().count() >= 15 {
                    places.push((at, end + mark.len()));
                }
            }
        }
        let (at, cut) = *random.pick(&places)?;
        let second = self.blocks[at].text.split_off(cut);
        let uid = self.blocks[at].uid;
        let mut number = self.blocks[at].number.clone();
        *number.last_mut()? += 1;
        let part = self.insert(at + 1, number, second);
        self.touched.push(uid);
        Some(Truth::Split { uid, part })
    }

    fn merged(&mut self, random: &mut Random) -> Option<Truth> {
        let clauses = self.lone_clauses();
        let pairs: Vec<usize> = clauses
            .iter()
            .copied()
            .filter(|at| clauses.contains(&(at + 1)))
            .filter(|at| {
                let (a, b) = (&self.blocks[*at], &self.blocks[at + 1]);
                a.level == b.level && a.text.chars().count() >= 15 && b.text.chars().count() >= 15
            })
            .collect();
        let at = *random.pick(&pairs)?;
        let second = self.blocks.remove(at + 1);
        self.blocks[at].text.push_str(&second.text);
        shift(&mut self.blocks, &second.number, -1);
        let uid = self.blocks[at].uid;
        self.touched.extend([uid, second.uid]);
        Some(Truth::Merged { uid, part: second.uid })
    }
}

/// Counts the siblings from `number` on, and everything below them, up or down by one.
fn shift(blocks: &mut [Block], number: &[u32], by: i64) {
    let Some((last, parent)) = number.split_last() else { return };
    for block in blocks.iter_mut().filter(|block| block.number.len() >= number.len()) {
        if block.number.starts_with(parent) && block.number[parent.len()] >= *last {
            let place = &mut block.number[parent.len()];
            *place = u32::try_from(i64::from(*place) + by).unwrap_or(0);
        }
    }
}

/// Numbers of a text that have a unit and are no part of a reference.
fn amounts(text: &str) -> Vec<(usize, usize)> {
    let references: Vec<_> = find_references(text).into_iter().map(|found| found.range).collect();
    let inside = |at: usize| references.iter().any(|range| range.contains(&at));
    find_quantities(text)
        .into_iter()
        .filter(|(range, _)| !inside(range.start))
        .map(|(range, _)| {
            let digits = text[range.start..].find(|c: char| !c.is_ascii_digit() && c != '.');
            (range.start, digits.map_or(text.len(), |length| range.start + length))
        })
        .filter(|(start, end)| text[*start..*end].parse::<f64>().is_ok())
        .collect()
}

/// Another number with as many places.
fn other_number(old: &str, random: &mut Random) -> String {
    let places = old.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let value: f64 = old.parse().unwrap_or(1.0);
    let step = 10_f64.powi(-(places as i32)) * (1 + random.below(9)) as f64;
    format!("{:.places$}", value + step)
}

/// A row with its spans filled in.
pub fn filled(table: &Table, row: usize) -> Vec<String> {
    let mut cells = Vec::new();
    for col in 0..table.rows[row].len() {
        let (mut r, mut c) = (row, col);
        while table.rows[r][c] == "^" || table.rows[r][c] == "<" {
            if table.rows[r][c] == "^" {
                r -= 1;
            } else {
                c -= 1;
            }
        }
        cells.push(table.rows[r][c].clone());
    }
    cells
}
