//! The passages of one page: its sentences in reading order, and its tables row by row.

use std::collections::HashSet;
use std::sync::OnceLock;

use regreader_model::{AnnotationScope, BlockType, LogicalTable, PageDocument, PageNumber, TableRegistry};
use regreader_text::units::{Unit, unit_at};
use regreader_text::{Numbering, canonical_label, nfkc, parse_caption, parse_definition, parse_line};

use crate::frame::Frame;
use crate::lex::{Token, lex};
use crate::sentence::{Clause, Mark, Sentence, sentences};

/// A cell with at least this many tokens is text of its own and can be quoted without its row.
const PROSE_CELL: usize = 10;

/// A whole row with fewer tokens than this needs its header.
const ROW_OF_ITS_OWN: usize = 6;

/// What a page's passages are cut from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The names that the regulation goes by: title, aliases, id.
    pub names: &'a [&'a str],
    /// The page.
    pub page: &'a PageDocument,
    /// The page before, for a sentence that begins there.
    pub previous: Option<&'a PageDocument>,
    /// The page behind, for a sentence that ends there.
    pub next: Option<&'a PageDocument>,
    /// All tables of the regulation.
    pub tables: &'a TableRegistry,
}

/// The passages of a page.
#[derive(Debug, Clone)]
pub struct Passages {
    /// The page.
    pub page_num: PageNumber,
    pub(crate) names: Vec<String>,
    pub(crate) sentences: Vec<Sentence>,
    pub(crate) places: Vec<Context>,
    pub(crate) tables: Vec<Table>,
    /// What each place may be called, made when it is first needed.
    frames: Vec<OnceLock<Frame>>,
}

/// Where a passage stands, and what it may be called.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    pub block_id: Option<String>,
    pub table_id: Option<String>,
    /// Data row of the table, from 0.
    pub row: Option<u32>,
    pub col: Option<u32>,
    /// Number of the clause that the block stands in.
    pub section: Option<String>,
    /// Canonical numbers of the clause and of those that hold it.
    pub clauses: Vec<String>,
    /// Titles of the chapters that hold it.
    pub titles: Vec<String>,
    /// Canonical number of the table it belongs to.
    pub table_number: Option<String>,
    pub caption: Option<String>,
    /// Canonical label of the note that it is.
    pub note: Option<String>,
    /// The same as printed: 方案甲 for 方案A.
    pub printed_note: Option<String>,
}

/// A table, with everything that a row may be called by.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub place: usize,
    pub caption: Vec<Token>,
    pub headers: Vec<Vec<Token>>,
    /// Units that a column's header or the caption names.
    pub units: Vec<Vec<Unit>>,
    /// Folded header text, for counting words (台 in 开机台数).
    pub header_text: Vec<String>,
    /// Every data row of the whole table: page, and the cells as sentences.
    pub rows: Vec<Row>,
}

#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub page: PageNumber,
    pub cells: Vec<Vec<Sentence>>,
    pub text: String,
    /// Every token of the row that is no number, to pass over rows that cannot be meant.
    pub words: HashSet<Token>,
}

impl Passages {
    /// Cuts a page.
    pub fn cut(source: &Source<'_>) -> Self {
        let mut cutter = Cutter {
            source,
            out: Self {
                page_num: source.page.page_num,
                names: source.names.iter().map(|name| (*name).to_owned()).collect(),
                sentences: Vec::new(),
                places: Vec::new(),
                tables: Vec::new(),
                frames: Vec::new(),
            },
            lead: None,
            open: None,
        };
        cutter.blocks();
        cutter.overleaf();
        cutter.notes();
        cutter.over_the_border();
        let mut out = cutter.out;
        out.frames.resize_with(out.places.len(), OnceLock::new);
        out
    }

    /// What a place may be called.
    pub(crate) fn frame(&self, place: usize) -> &Frame {
        self.frames[place].get_or_init(|| Frame::of(self, &self.places[place]))
    }
}

struct Cutter<'a> {
    source: &'a Source<'a>,
    out: Passages,
    /// The sentence whose list the blocks belong to.
    lead: Option<usize>,
    /// The last sentence, where its line ends without any mark: items that follow complete it.
    open: Option<usize>,
}

impl Cutter<'_> {
    fn blocks(&mut self) {
        let page = self.source.page;
        for block in &page.content_blocks {
            let mut place = context(block);
            if let Some(meta) = &block.table_meta {
                let id = meta.master_table_id.as_ref().unwrap_or(&meta.table_id);
                if let Some(table) = self.source.tables.get(id.as_str()) {
                    self.table(table, place);
                    self.lead = None;
                    continue;
                }
            }
            let first = block.content_markdown.lines().next().unwrap_or_default();
            let definition = parse_definition(first.trim());
            place.printed_note = definition.as_ref().map(|label| label.printed.to_owned());
            place.note = definition.map(|label| label.canonical);
            if place.note.is_some()
                && let Some(note) =
                    page.annotations.iter().find(|note| note.block_id.as_ref() == Some(&block.block_id))
            {
                self.bind_note(&mut place, &note.scope);
            }
            let is_new_clause = matches!(block.block_type, BlockType::Heading | BlockType::SectionContent);
            if is_new_clause {
                self.lead = None;
                self.open = None;
            }
            self.out.places.push(place);
            for line in block.content_markdown.lines().filter(|line| !line.trim().is_empty()) {
                self.line(line);
            }
        }
    }

    /// A line of a block: sentences, introduced by the last colon before them when they are items of a list.
    fn line(&mut self, line: &str) {
        let base = self.out.sentences.len();
        let place = self.out.places.len() - 1;
        let found = sentences(line);
        let bullet = line.trim_start().starts_with(['-', '•', '*']);
        let is_item = bullet || found.first().is_some_and(|first| first.mark != Mark::None);
        if let Some(open) = self.open.take().filter(|_| is_item)
            && let Some(before) = self.out.sentences.get_mut(open)
            && found.first().is_some_and(|first| first.mark != before.mark)
        {
            before.introduces = true;
            self.lead = Some(open);
        }
        for (at, mut sentence) in found.into_iter().enumerate() {
            sentence.place = place;
            sentence.lead = match sentence.lead {
                Some(lead) => Some(base + lead),
                None if is_item && at == 0 => self.lead,
                None => None,
            };
            self.out.sentences.push(sentence);
        }
        match self.out.sentences.last() {
            Some(last) if last.introduces && self.out.sentences.len() > base => {
                self.lead = Some(self.out.sentences.len() - 1);
            }
            _ if !is_item => self.lead = None,
            _ => {}
        }
        let ends = line.trim_end().trim_end_matches(['*', '”', '"', ')', '）']);
        let is_open = ends.ends_with(|c: char| c.is_alphanumeric());
        self.open = (is_open && self.out.sentences.len() > base).then(|| self.out.sentences.len() - 1);
    }

    /// The rest of the clause that the page ends in, where it goes on overleaf with a sentence of its own: a passage that
    /// begins on this page may be quoted whole. Nothing that begins there is a passage of this page.
    fn overleaf(&mut self) {
        let page = self.source.page;
        let Some(next) = self.source.next.filter(|_| page.continues_to_next) else { return };
        let Some(last) = page.content_blocks.last().filter(|block| block.table_meta.is_none()) else {
            return;
        };
        if !is_ended(&last.content_markdown) {
            return;
        }
        let base = self.out.sentences.len();
        for block in &next.content_blocks {
            let same_clause = block.table_meta.is_none()
                && block.section_number == last.section_number
                && block.chapter_path == last.chapter_path
                && !matches!(block.block_type, BlockType::Heading | BlockType::SectionContent);
            if !same_clause {
                break;
            }
            self.out.places.push(context(last));
            for line in block.content_markdown.lines().filter(|line| !line.trim().is_empty()) {
                self.line(line);
            }
        }
        for sentence in self.out.sentences.iter_mut().skip(base) {
            sentence.overleaf = true;
        }
        self.lead = None;
    }

    fn bind_note(&self, place: &mut Context, scope: &AnnotationScope) {
        if let AnnotationScope::Table { table_id } = scope
            && let Some(table) = self.source.tables.get(table_id.as_str())
        {
            place.table_number.clone_from(&table.number);
            place.caption.clone_from(&table.caption);
        }
    }

    /// Notes as the page keeps them: the label may be written otherwise in the block.
    fn notes(&mut self) {
        for note in &self.source.page.annotations {
            let mut place = Context {
                block_id: note.block_id.as_ref().map(|id| id.as_str().to_owned()),
                note: canonical_label(&note.annotation_id).or_else(|| Some(note.annotation_id.clone())),
                printed_note: note.printed_label.clone(),
                ..Context::default()
            };
            self.bind_note(&mut place, &note.scope);
            if let Some(block) = self
                .source
                .page
                .content_blocks
                .iter()
                .find(|block| Some(&block.block_id) == note.block_id.as_ref())
            {
                let of_block = context(block);
                (place.clauses, place.titles) = (of_block.clauses, of_block.titles);
            }
            self.out.places.push(place);
            self.lead = None;
            let label = note.printed_label.as_deref().unwrap_or(&note.annotation_id);
            let marker: Vec<Token> = lex(label).tokens.into_iter().map(|one| one.token).collect();
            let base = self.out.sentences.len();
            for line in note.content.lines().filter(|line| !line.trim().is_empty()) {
                self.line(line);
            }
            if let Some(first) = self.out.sentences.get_mut(base) {
                first.marker.splice(0..0, marker);
            }
        }
    }

    /// A sentence that runs over the border of the page stands on both.
    fn over_the_border(&mut self) {
        let page = self.source.page;
        let joined = |first: &PageDocument, second: &PageDocument| -> Option<(Context, String)> {
            let (last, next) = (first.content_blocks.last()?, second.content_blocks.first()?);
            if last.table_meta.is_some() || next.table_meta.is_some() {
                return None;
            }
            let (a, b) = (last.content_markdown.lines().next_back()?, next.content_markdown.lines().next()?);
            // A line that ends its sentence does not go on overleaf: what stands there stands on that page only.
            if is_ended(a) {
                return None;
            }
            let latin = a.ends_with(|c: char| c.is_ascii_alphanumeric() || c == ',')
                && b.starts_with(|c: char| c.is_ascii());
            let mut place = context(last);
            if first.page_num != page.page_num {
                place.block_id = Some(next.block_id.as_str().to_owned());
            }
            Some((place, format!("{a}{}{b}", if latin { " " } else { "" })))
        };
        let before = self
            .source
            .previous
            .filter(|_| page.continues_from_prev)
            .and_then(|previous| joined(previous, page));
        let after = self.source.next.filter(|_| page.continues_to_next).and_then(|next| joined(page, next));
        for (place, text) in before.into_iter().chain(after) {
            self.lead = None;
            self.out.places.push(place);
            self.line(&text);
        }
    }

    fn table(&mut self, table: &LogicalTable, mut place: Context) {
        place.table_id = Some(table.table_id.as_str().to_owned());
        place.table_number = table
            .number
            .clone()
            .or_else(|| table.caption.as_deref().and_then(parse_caption).map(|caption| caption.number));
        place.caption.clone_from(&table.caption);
        let table_place = self.out.places.len();
        self.out.places.push(place.clone());
        if let Some(caption) = &table.caption {
            self.line(caption);
        }
        let header = self.out.sentences.len();
        let headers: Vec<String> = table.col_headers.iter().map(|name| name.replace(" / ", " ")).collect();
        let names: Vec<Sentence> = headers.iter().map(|name| whole(name, table_place)).collect();
        self.out.sentences.push(row_sentence(&names, table_place, None));
        let mut rows = Vec::new();
        for (index, (page, cells)) in table.data_rows().into_iter().enumerate() {
            let row_place = self.out.places.len();
            let here = page == self.source.page.page_num;
            let cells: Vec<Vec<Sentence>> =
                cells.iter().map(|cell| cell_sentences(cell, row_place)).collect();
            let text = cells.iter().map(|cell| text_of(cell)).collect::<Vec<_>>().join(" | ");
            if here {
                let row = u32::try_from(index).ok();
                self.out.places.push(Context { row, ..place.clone() });
                let filled: Vec<Sentence> = cells.iter().map(|cell| merged(cell, row_place)).collect();
                self.out.sentences.push(row_sentence(&filled, row_place, Some(header)));
                self.unfilled(table, index, row_place, header);
                for (col, cell) in cells.iter().enumerate() {
                    let mut place = Context { row, col: u32::try_from(col).ok(), ..place.clone() };
                    if let Some(header) = table.col_headers.get(col) {
                        place.titles.extend([header.clone(), header.replace(" / ", " ")]);
                        place.titles.extend(header.split(" / ").map(str::to_owned));
                    }
                    // The row goes by its first cell.
                    place.titles.extend(cells.first().filter(|_| col > 0).map(|label| text_of(label)));
                    self.prose_cell(cell, place);
                }
            }
            let words = cells
                .iter()
                .flatten()
                .flat_map(Sentence::tokens)
                .filter(|token| !token.is_number())
                .cloned()
                .collect();
            rows.push(Row { page, cells, text, words });
        }
        let caption = table.caption.as_deref().unwrap_or_default();
        let caption_units = units_in(caption);
        self.out.tables.push(Table {
            place: table_place,
            caption: tokens(caption),
            headers: headers.iter().map(|name| tokens(name)).collect(),
            units: table
                .col_headers
                .iter()
                .map(|name| units_in(name).into_iter().chain(caption_units.clone()).collect())
                .collect(),
            header_text: table.col_headers.iter().map(|name| nfkc(name)).collect(),
            rows,
        });
    }

    /// A row as it is printed where cells span several rows: what spans it stands in its first row only.
    fn unfilled(&mut self, table: &LogicalTable, index: usize, place: usize, header: usize) {
        let row = table.header_rows + u32::try_from(index).unwrap_or(0);
        let spanned =
            table.cells.iter().any(|cell| cell.row < row && cell.row.saturating_add(cell.row_span) > row);
        let wide = table.cells.iter().any(|cell| cell.row == row && cell.col_span > 1);
        if !(spanned || wide) {
            return;
        }
        let mut own: Vec<_> = table.cells.iter().filter(|cell| cell.row == row).collect();
        own.sort_by_key(|cell| cell.col);
        let cells: Vec<Sentence> = own.into_iter().map(|cell| whole(&cell.content, place)).collect();
        self.out.sentences.push(row_sentence(&cells, place, Some(header)));
    }

    /// A cell that is text of its own can be quoted by itself.
    fn prose_cell(&mut self, cell: &[Sentence], place: Context) {
        let size: usize = cell.iter().map(|sentence| sentence.tokens().count()).sum();
        if size < PROSE_CELL {
            return;
        }
        let base = self.out.sentences.len();
        let cell_place = self.out.places.len();
        self.out.places.push(place);
        for sentence in cell {
            let mut sentence = sentence.clone();
            sentence.place = cell_place;
            sentence.lead = sentence.lead.map(|lead| base + lead);
            self.out.sentences.push(sentence);
        }
    }
}

fn context(block: &regreader_model::ContentBlock) -> Context {
    let mut clauses: Vec<String> = Vec::new();
    let mut numbering =
        block.section_number.as_ref().and_then(|number| Numbering::parse_canonical(number.as_str()));
    clauses.extend(block.section_number.as_ref().map(|number| number.as_str().to_owned()));
    while let Some(parent) = numbering.as_ref().and_then(Numbering::parent) {
        clauses.push(parent.canonical().as_str().to_owned());
        numbering = Some(parent);
    }
    for title in &block.chapter_path {
        clauses.extend(parse_line(title).map(|line| line.numbering.canonical().as_str().to_owned()));
    }
    let own = block.content_markdown.lines().next().map(|line| line.trim_start_matches(['#', '*', '>', ' ']));
    clauses.extend(own.and_then(parse_line).map(|line| line.numbering.canonical().as_str().to_owned()));
    Context {
        block_id: Some(block.block_id.as_str().to_owned()),
        section: block.section_number.as_ref().map(|number| number.as_str().to_owned()),
        clauses,
        titles: block.chapter_path.clone(),
        ..Context::default()
    }
}

/// Whether a text ends with the mark of a sentence, an item or a lead-in.
fn is_ended(text: &str) -> bool {
    text.trim_end()
        .trim_end_matches(['*', '”', '"'])
        .ends_with(['。', '；', '：', '！', '？', '.', ';', ':', '!', '?'])
}

pub(crate) fn tokens(text: &str) -> Vec<Token> {
    lex(text).tokens.into_iter().map(|one| one.token).collect()
}

/// A text as one sentence of one clause.
fn whole(text: &str, place: usize) -> Sentence {
    let clause = Clause { tokens: tokens(text), restricts: true, bracketed: false };
    Sentence { clauses: vec![clause], place, text: text.to_owned(), ..Sentence::default() }
}

fn merged(cell: &[Sentence], place: usize) -> Sentence {
    let clause = Clause {
        tokens: cell.iter().flat_map(Sentence::tokens).cloned().collect(),
        restricts: true,
        bracketed: false,
    };
    Sentence { clauses: vec![clause], place, text: text_of(cell), ..Sentence::default() }
}

fn text_of(cell: &[Sentence]) -> String {
    cell.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// A row: a sentence whose clauses are its cells, none of which can be left out.
fn row_sentence(cells: &[Sentence], place: usize, header: Option<usize>) -> Sentence {
    let clauses: Vec<Clause> = cells
        .iter()
        .flat_map(|cell| cell.clauses.clone())
        .filter(|clause| !clause.tokens.is_empty())
        .collect();
    let size: usize = clauses.iter().map(|clause| clause.tokens.len()).sum();
    Sentence {
        // A whole row speaks for itself only when it is more than a number or two.
        needs_lead: header.is_some() && (clauses.len() < 2 || size < ROW_OF_ITS_OWN),
        clauses,
        lead: header,
        is_row: true,
        place,
        text: cells.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | "),
        ..Sentence::default()
    }
}

fn cell_sentences(cell: &str, place: usize) -> Vec<Sentence> {
    let mut all: Vec<Sentence> = Vec::new();
    for line in cell.replace("<br>", "\n").lines() {
        let base = all.len();
        for mut sentence in sentences(line) {
            sentence.place = place;
            sentence.lead = sentence.lead.map(|lead| base + lead);
            all.push(sentence);
        }
    }
    all
}

/// Units that a header or caption names: （万千瓦）, /MW, 单位：km.
fn units_in(text: &str) -> Vec<Unit> {
    let text = nfkc(text);
    let mut units = Vec::new();
    for (at, c) in text.char_indices() {
        if !matches!(c, '(' | '（' | '/' | ',' | '，' | '：' | ':' | ' ' | '[') {
            continue;
        }
        let rest = text[at + c.len_utf8()..].trim_start();
        if let Some((unit, len)) = unit_at(rest)
            && rest[len..]
                .chars()
                .next()
                .is_none_or(|c| matches!(c, ')' | '）' | ',' | '，' | ']' | ' ' | '/' | '、'))
        {
            units.push(unit);
        }
    }
    if let Some((unit, len)) = unit_at(text.trim())
        && len == text.trim().len()
    {
        units.push(unit);
    }
    units
}
