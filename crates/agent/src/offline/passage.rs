//! Passages: what is quoted as evidence. A passage is a run of blocks of one chapter node on one page, or one row of a
//! table, together with what it needs to be understood: the sentence that leads into a list, the header of the row.
//!
//! Blocks belong together by their node, never by clause number: real documents have paragraphs, list items and whole
//! chapters without one. A passage may be longer than an answer should be; [`Passage::quoted_within`] then
//! keeps the run of sentences that most probably answers, with lead-in and exceptions.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use regreader_model::{
    Annotation, AnnotationScope, BlockId, BlockType, Citation, CitationTarget, ContentBlock, PageDocument,
    PageNumber, TableId, TableMeta,
};
use regreader_question::{AskedValue, Interval};
use regreader_text::script::{cjk_share, is_cjk};
use regreader_text::{beginning, find_quantities};

use super::gather::Features;
use super::meaning::Meaning;
use super::terms::{Bag, Terms};
use super::verdict::Weights;

mod list;
mod sentences;

use list::{begins_item, is_of_list};
pub use sentences::{has_exception, is_exception, split_sentences};
use sentences::{is_marked_false, is_rule, is_sentence, leads};

/// A passage is no longer than this, in characters of Chinese; Latin text gets [`LATIN`] times as many. About the size
/// of the windows that search ranks (280 Han or 800 Latin characters), and as much again around them. A longer sentence is
/// quoted in part; the longest ones of regulations have about 350 Chinese characters or 1,000 Latin ones.
const LONGEST: usize = 560;
/// Latin characters that take the room of a Chinese one.
const LATIN: f64 = 2.0;
/// A first cell of no more than this names its row.
const LABEL: usize = 24;

/// A heading of this many words that ends without a full stop is the beginning of the sentence under it.
const WORDS_OF_SENTENCE: usize = 8;

/// Titles of preliminary elements, with their origin.
const PRELIMINARY: &str = include_str!("preliminary.txt");

/// Evidence that can be quoted.
#[derive(Debug, Clone)]
pub struct Passage {
    /// Regulation that the passage belongs to.
    pub reg_id: String,
    /// Page that it stands on.
    pub page_num: u32,
    /// Where it stands.
    pub citation: Citation,
    /// Titles above it and the caption of its table: they say what it is about and are not quoted.
    pub context: String,
    /// It stands before the first chapter of its page: on a cover, in a title block or among the contents.
    pub is_front: bool,
    /// Titles from the chapter down to it.
    pub path: Vec<String>,
    /// Number of the clause it stands in.
    pub section: Option<String>,
    /// The table that it is a note of.
    pub note_of: Option<String>,
    /// What kind of thing it is.
    pub kind: PassageKind,
    sentences: Vec<Sentence>,
}

/// What of a passage is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Focus<'a> {
    /// The words of the question.
    pub terms: &'a Terms,
    /// What the question means.
    pub meaning: &'a Meaning,
    /// The value that it asks for.
    pub value: Option<&'a AskedValue>,
    /// How much each of these counts.
    pub weights: &'a Weights,
}

impl Focus<'_> {
    /// What speaks for a sentence, by name; the weights have the same names.
    pub fn sentence(&self, text: &str) -> Features {
        let has_value = self.value.map(|value| value.stands_in(text));
        Features::from([
            ("words", self.terms.coverage(&[&self.terms.bag(text)])),
            ("meaning", self.meaning.nearness(text)),
            ("similar", self.meaning.held_by(text)),
            ("value", f64::from(u8::from(has_value == Some(true)))),
            ("length", (size(text) as f64).ln_1p() / 6.0),
        ])
    }

    /// How much a sentence says of what is asked.
    pub fn worth(&self, text: &str) -> f64 {
        self.weights.sentence(&self.sentence(text))
    }
}

/// What a passage is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassageKind {
    /// Blocks of a page, by id.
    Text(Vec<String>),
    /// A row of a table: its id, and the number of the row.
    Row(String, usize),
}

/// A sentence of a passage.
#[derive(Debug, Clone)]
struct Sentence {
    text: String,
    /// It leads into what follows: `应满足下列要求：`.
    leads: bool,
    /// It begins a line.
    begins_line: bool,
    /// It begins with the mark of a list item or is a row of a table.
    is_item: bool,
}

impl Passage {
    /// The passage around a block of a page.
    pub fn around(
        page: &PageDocument,
        cited: &Citation,
        block_id: Option<&str>,
        terms: &Terms,
    ) -> Option<Self> {
        let blocks = &page.content_blocks;
        let at = match block_id {
            Some(id) => blocks.iter().position(|block| block.block_id.as_str() == id)?,
            // A hit that names no block: the block that speaks most of the question.
            None => {
                let gain = |at: &usize| terms.gain(&terms.bag(&blocks[*at].content_markdown));
                (0..blocks.len()).max_by(|a, b| gain(a).total_cmp(&gain(b)))?
            }
        };
        let notes = Notes::of(page);
        if notes.leads_to_one(blocks, at) {
            return None;
        }
        let run = run_around(blocks, at, &notes);
        let quoted: Vec<&ContentBlock> = run.iter().map(|at| &blocks[*at]).collect();
        let own = &blocks[at];
        let sentences: Vec<Sentence> =
            quoted.iter().flat_map(|block| sentences(&block.content_markdown)).collect();
        if sentences.is_empty() {
            return None;
        }
        let number = own.section_number.as_ref().map(ToString::to_string);
        // A clause is cited for what stands in it; neighbours that stand outside of it are on the page all the same.
        let stands_in = |number: &str| {
            quoted.iter().all(|block| {
                let own = block.section_number.as_ref();
                own.and_then(|own| own.as_str().strip_prefix(number))
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
            })
        };
        Some(Self {
            reg_id: page.reg_id.to_string(),
            page_num: page.page_num.get(),
            citation: match &number {
                Some(number) if stands_in(number) => {
                    cited.with_target(CitationTarget::Clause(number.clone()))
                }
                _ => cited.clone(),
            },
            context: match notes.table_of(&own.block_id).and_then(|table| caption_on(page, table)) {
                Some(caption) => format!("{}\n{caption}", own.chapter_path.join("\n")),
                None => own.chapter_path.join("\n"),
            },
            is_front: own.chapter_path.is_empty()
                && blocks[at..].iter().any(|block| !block.chapter_path.is_empty()),
            path: own.chapter_path.clone(),
            section: number,
            note_of: notes.table_of(&own.block_id).map(ToString::to_string),
            kind: PassageKind::Text(quoted.iter().map(|block| block.block_id.to_string()).collect()),
            sentences,
        })
    }

    /// What follows on the next page when this passage ends in a lead-in: `按以下步骤处理：` with its list overleaf. None
    /// when it does not end so, or when the next page goes on with something else.
    pub fn continued(&self, next: &PageDocument, cited: &Citation, terms: &Terms) -> Option<Self> {
        if !self.ends_in_lead() {
            return None;
        }
        let is_text = |block: &&ContentBlock| {
            !matches!(block.block_type, BlockType::Picture | BlockType::Caption | BlockType::Table)
        };
        let first = next.content_blocks.iter().find(is_text)?;
        let same = first.block_type != BlockType::Heading && first.chapter_path.join("\n") == self.context;
        let passage = Self::around(next, cited, Some(first.block_id.as_str()), terms)?;
        same.then_some(passage)
    }

    /// Whether its last sentence leads into what follows.
    pub fn ends_in_lead(&self) -> bool {
        matches!(self.kind, PassageKind::Text(_)) && self.sentences.last().is_some_and(|last| last.leads)
    }

    /// A row of a table under its header.
    pub fn row(table: &TableText<'_>, at: usize, page_num: u32, cells: &[&str]) -> Self {
        let headers = table.headers;
        // 投入组数 | 5 | 4 | 3: the first header says what the numbers of the others count.
        let is_number = |header: &&str| Interval::of(header).is_some() && find_quantities(header).is_empty();
        let scale = headers.split_first().filter(|(_, marks)| marks.len() > 1 && marks.iter().all(is_number));
        let mut fields: Vec<Sentence> = Vec::new();
        for (column, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty()) {
            let header = headers.get(column).map(|header| header.trim()).unwrap_or_default();
            // A merged cell is filled into every column that it covers; it is said once. Two short equal ones under different heads
            // are two values: permitted, permitted.
            let before = column.checked_sub(1);
            let is_same_head = before.is_some_and(|before| {
                headers.get(before).map(|one| one.trim()) == Some(header) || header.is_empty()
            });
            // A cell over the whole width is no value of the first column.
            let is_whole_row = cells.len() > 1 && cells.iter().all(|other| *other == cells[column]);
            let is_merged = is_same_head || is_whole_row || size(cell) > LABEL;
            if before.and_then(|before| cells.get(before)) == Some(cell) && is_merged {
                continue;
            }
            let cell = cell.replace('\n', " ");
            if is_marked_false(&cell) {
                continue;
            }
            let plain = header.is_empty() || header == cell || is_whole_row;
            let text = match scale {
                Some(_) if column == 0 => cell,
                Some((name, _)) if !plain => format!("{name} {header}: {cell}"),
                _ if plain => cell,
                _ => format!("{header}: {cell}"),
            };
            for (at, part) in split_sentences(&text).into_iter().enumerate() {
                let leads = column == 0 && at == 0 && size(part) <= LABEL;
                fields.push(Sentence { text: part.to_owned(), leads, begins_line: at == 0, is_item: false });
            }
        }
        Self {
            reg_id: table.reg_id.to_owned(),
            page_num,
            citation: table.citation_at(page_num),
            context: format!("{}\n{}", table.context, table.caption),
            is_front: false,
            path: table.path.clone(),
            section: None,
            note_of: None,
            kind: PassageKind::Row(table.table_id.to_owned(), at),
            sentences: fields,
        }
    }

    /// A row of a table with no more than these of its columns: its labels and the value that is asked for.
    pub fn row_of(
        table: &TableText<'_>,
        at: usize,
        page_num: u32,
        cells: &[&str],
        columns: &[usize],
    ) -> Self {
        let kept = |column: usize| {
            cells.get(column).copied().filter(|_| columns.contains(&column)).unwrap_or_default()
        };
        Self::row(table, at, page_num, &(0..cells.len()).map(kept).collect::<Vec<_>>())
    }

    /// A text that is quoted already.
    pub fn quoted(text: &str, citation: &Citation) -> Self {
        Self {
            reg_id: citation.reg_id.as_ref().map(ToString::to_string).unwrap_or_default(),
            page_num: citation.page_num.map_or(0, PageNumber::get),
            citation: citation.clone(),
            context: String::new(),
            is_front: false,
            path: Vec::new(),
            section: None,
            note_of: None,
            kind: PassageKind::Text(Vec::new()),
            sentences: sentences(text),
        }
    }

    /// Whether it stands in a preliminary element, which says why and by whom a document was made and rules nothing.
    pub fn is_preliminary(&self) -> bool {
        let first = self.context.lines().next().unwrap_or_default().to_lowercase();
        let letters: String = first.chars().filter(|c| c.is_alphabetic()).collect();
        !letters.is_empty() && PRELIMINARY.lines().any(|title| title == letters)
    }

    /// All of it.
    pub fn text(&self) -> String {
        join(&self.sentences, &vec![true; self.sentences.len()])
    }

    /// Whether it holds this block.
    pub fn holds(&self, reg_id: &str, block_id: &str) -> bool {
        self.reg_id == reg_id
            && matches!(&self.kind, PassageKind::Text(ids) if ids.iter().any(|id| id == block_id))
    }

    /// The sentence that says most of what is asked.
    pub fn most_said(&self, focus: &Focus<'_>) -> &str {
        let worth = |one: &&Sentence| focus.worth(&one.text);
        let most = self.sentences.iter().max_by(|a, b| worth(a).total_cmp(&worth(b)));
        most.map_or("", |one| one.text.as_str())
    }

    /// How probable it is of each sentence that it is the one that answers, if this passage does.
    pub fn chances(&self, focus: &Focus<'_>) -> Vec<f64> {
        // Of a quoted table a row answers, never its caption or header, which have the words of the question more often.
        let has_rows = (0..self.sentences.len()).any(|at| self.is_row(at));
        let worth: Vec<f64> = self
            .sentences
            .iter()
            .enumerate()
            .map(|(at, one)| if has_rows && !self.is_row(at) { f64::MIN } else { focus.worth(&one.text) })
            .collect();
        let mut chances = shares(&worth);
        if !has_rows && matches!(self.kind, PassageKind::Text(_)) {
            self.pass_on(&mut chances);
        }
        chances
    }

    /// Passes the chance of each lead-in on to the items of its list: who asks in its words is answered by what it announces.
    fn pass_on(&self, chances: &mut [f64]) {
        let mut items: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in 0..chances.len() {
            if let Some(lead) = self.lead_of(at) {
                items.entry(lead).or_default().push(at);
            }
        }
        for (lead, items) in items {
            let each = std::mem::take(&mut chances[lead]) / items.len() as f64;
            for item in items {
                chances[item] += each;
            }
        }
    }

    /// As much of it as fits: whole when it is short enough.
    pub fn shortened(&self, room: usize, focus: &Focus<'_>) -> String {
        self.quoted_within(room, &self.chances(focus), focus.terms).text
    }

    /// The run of sentences that fits and most probably holds the one that answers, with what leads into it and the
    /// exceptions behind it.
    pub fn quoted_within(&self, room: usize, chances: &[f64], terms: &Terms) -> Quotation {
        let sizes: Vec<usize> = self.sentences.iter().map(|sentence| size(&sentence.text)).collect();
        if sizes.iter().sum::<usize>() <= room {
            return Quotation { text: self.text(), holds: 1.0 };
        }
        let best = (0..chances.len())
            .max_by(|a, b| chances[*a].total_cmp(&chances[*b]).then(b.cmp(a)))
            .unwrap_or_default();
        // Of a row its cell is read on; other cells stand for themselves and are kept whole or not at all.
        let cell = self.cell_of(best);
        let run = self.best_run(&cell, room, &sizes, chances).unwrap_or(best..best + 1);
        let mut kept = vec![false; sizes.len()];
        let mut used = 0;
        let mut keep = |at: usize, used: &mut usize| {
            if !kept[at] {
                kept[at] = true;
                *used += sizes[at];
            }
        };
        run.clone().for_each(|at| keep(at, &mut used));
        if let Some(lead) = self.lead_range(run.start) {
            // Items and rows of a table say something else without what they stand under; a cell does without its label.
            let is_needed = matches!(self.kind, PassageKind::Text(_));
            if is_needed || used + sizes[lead.clone()].iter().sum::<usize>() <= room {
                lead.for_each(|at| keep(at, &mut used));
            }
        }
        for other in self.cells_by_chance(&cell, chances, terms) {
            if used + sizes[other.clone()].iter().sum::<usize>() <= room {
                other.for_each(|at| keep(at, &mut used));
            }
        }
        // A lead-in whose list is left out would lead into something else.
        for at in (0..kept.len()).rev().filter(|at| self.sentences[*at].leads && *at != best) {
            let led = (at + 1..kept.len()).any(|item| kept[item] && self.lead_of(item) == Some(at));
            kept[at] &= led || matches!(self.kind, PassageKind::Row(..));
        }
        let holds = kept.iter().zip(chances).filter(|(kept, _)| **kept).map(|(_, chance)| chance).sum();
        let mut text = join(&self.sentences, &kept);
        if matches!(self.kind, PassageKind::Text(_)) {
            self.mark_cuts(&kept, &mut text);
        }
        // A sentence that is cut says something else than the page, so one that is longer than the room is quoted whole,
        // unless nobody would read it.
        let most = room.max(LONGEST);
        let text = if used > most { beginning(&text, characters(&text, most)) } else { text };
        Quotation { text, holds }
    }

    /// Marks a quotation that begins or ends within a sentence, or ends within a list.
    fn mark_cuts(&self, kept: &[bool], text: &mut String) {
        let Some(first) = kept.iter().position(|kept| *kept) else { return };
        let behind = kept.iter().rposition(|kept| *kept).map_or(first, |last| last + 1);
        if self.is_cut_before(first) {
            text.insert_str(0, "…\n");
        }
        let is_of_list =
            behind < kept.len() && self.sentences[behind].is_item && self.sentences[behind - 1].is_item;
        if self.is_cut_before(behind) || is_of_list {
            text.push_str("\n…");
        }
    }

    /// The run within a range that fits and most probably holds the sentence that answers. An exception is never parted from
    /// what stands before it, and what is announced is never parted from its lead-in if both fit.
    fn best_run(
        &self,
        within: &Range<usize>,
        room: usize,
        sizes: &[usize],
        chances: &[f64],
    ) -> Option<Range<usize>> {
        let belongs = |at: usize| at < within.end && is_exception(&self.sentences[at].text);
        let mut best: Option<(f64, Range<usize>)> = None;
        for start in within.clone().filter(|at| *at == within.start || !belongs(*at)) {
            let lead = self.lead_range(start).map_or(0, |lead| sizes[lead].iter().sum::<usize>());
            let mut used = if lead < room { lead } else { 0 };
            let mut end = start;
            while end < within.end {
                let next = (end + 1..=within.end).find(|at| !belongs(*at)).unwrap_or(within.end);
                let more = sizes[end..next].iter().sum::<usize>();
                if end > start && used + more > room {
                    break;
                }
                used += more;
                end = next;
            }
            // A lead-in answers only with what it announces.
            if end < within.end && end > start + 1 && self.sentences[end - 1].leads {
                end -= 1;
            }
            let announces = end < within.end && self.sentences[end - 1].leads;
            let holds = if announces { 0.0 } else { chances[start..end].iter().sum::<f64>() };
            if best.as_ref().is_none_or(|(most, _)| holds > *most + 1e-9) {
                best = Some((holds, start..end));
            }
        }
        best.map(|(_, run)| run)
    }

    /// Whether a sentence is a row of a quoted table, under its header.
    fn is_row(&self, at: usize) -> bool {
        let sentence = &self.sentences[at];
        sentence.text.starts_with('|') && sentence.is_item && !is_rule(&sentence.text)
    }

    /// The sentence that leads into this one: the last lead-in before it, when all between them are items of its list. In a
    /// row the label of the row leads into every cell.
    fn lead_of(&self, at: usize) -> Option<usize> {
        let lead = (0..at).rev().find(|lead| self.sentences[*lead].leads)?;
        let is_item = |at: usize| !self.sentences[at].begins_line || self.sentences[at].is_item;
        let follows = (lead + 1..=at).all(is_item) || lead + 1 == at;
        (follows || matches!(self.kind, PassageKind::Row(..))).then_some(lead)
    }

    /// All parts of the sentence that leads into this one: 逾期未改正的，…；有下列行为之一的，处…： stands in two.
    fn lead_range(&self, at: usize) -> Option<Range<usize>> {
        let lead = self.lead_of(at)?;
        let start = (0..=lead).rev().find(|at| !self.is_cut_before(*at)).unwrap_or(lead);
        Some(start..lead + 1)
    }

    /// Whether this part goes on with the sentence of the part before it.
    fn is_cut_before(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.sentences.get(before));
        let goes_on = self.sentences.get(at).is_some_and(|part| !part.begins_line);
        goes_on && before.is_some_and(|before| before.text.trim_end().ends_with(['；', ';']))
    }

    /// The sentences of the cell that one stands in; of a text all of them.
    fn cell_of(&self, at: usize) -> Range<usize> {
        if matches!(self.kind, PassageKind::Text(_)) {
            return 0..self.sentences.len();
        }
        let begins = |at: &usize| self.sentences[*at].begins_line;
        let start = (0..=at).rev().find(begins).unwrap_or(0);
        start..(at + 1..self.sentences.len()).find(begins).unwrap_or(self.sentences.len())
    }

    /// The other cells of a row that have words of the question, best first.
    fn cells_by_chance(&self, own: &Range<usize>, chances: &[f64], terms: &Terms) -> Vec<Range<usize>> {
        let mut cells: Vec<(f64, Range<usize>)> = Vec::new();
        let mut at = 0;
        while at < self.sentences.len() {
            let cell = self.cell_of(at);
            at = cell.end;
            let best = chances[cell.clone()].iter().copied().fold(f64::MIN, f64::max);
            let has_words = |at: usize| terms.gain(&terms.bag(&self.sentences[at].text)) > 0.0;
            if cell != *own && cell.clone().any(has_words) {
                cells.push((best, cell));
            }
        }
        cells.sort_by(|a, b| b.0.total_cmp(&a.0));
        cells.into_iter().map(|(_, cell)| cell).collect()
    }

    /// How much of the question the sentence that speaks most of it has, with the titles above it, and whether that
    /// sentence or a neighbour passes a test. A long passage has many words; an answer stands in one place of it.
    pub fn best_sentence(&self, terms: &Terms, test: impl Fn(&str) -> bool) -> (f64, bool) {
        let context = terms.bag(&self.context);
        let coverage = |one: &Sentence| terms.coverage(&[&terms.bag(&one.text), &context]);
        let all: Vec<f64> = self.sentences.iter().map(coverage).collect();
        let best = (0..all.len()).max_by(|a, b| all[*a].total_cmp(&all[*b]).then(b.cmp(a))).unwrap_or(0);
        let near = self.sentences.iter().skip(best.saturating_sub(1)).take(3);
        let near: Vec<&str> = near.map(|one| one.text.as_str()).collect();
        (all.get(best).copied().unwrap_or_default(), test(&near.join("\n")))
    }

    /// How near its nearest sentence is to the question in meaning, or two neighbouring ones together.
    pub fn nearest_sentences(&self, meaning: &Meaning) -> f64 {
        let alone = self.sentences.iter().map(|one| meaning.nearness(&one.text));
        let two = |two: &[Sentence]| meaning.nearness(&format!("{} {}", two[0].text, two[1].text));
        alone.chain(self.sentences.windows(2).map(two)).fold(0.0, f64::max)
    }

    /// The sentences, for explaining how one was chosen.
    pub fn sentences(&self) -> impl Iterator<Item = &str> {
        self.sentences.iter().map(|one| one.text.as_str())
    }

    /// Its tokens, and those of its context.
    pub fn bags(&self, terms: &Terms) -> (Arc<Bag>, Arc<Bag>) {
        (terms.bag(&self.text()), terms.bag(&self.context))
    }
}

/// A part of a passage.
#[derive(Debug, Clone)]
pub struct Quotation {
    /// The part.
    pub text: String,
    /// How probable it is that it holds the sentence that answers, if the passage does.
    pub holds: f64,
}

/// Scores as probabilities that add up to one.
pub fn shares(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    weights.into_iter().map(|weight| weight / total).collect()
}

/// What the rows of a table share.
#[derive(Debug)]
pub struct TableText<'a> {
    /// Regulation that the table belongs to.
    pub reg_id: &'a str,
    /// Table that the rows are of.
    pub table_id: &'a str,
    /// Caption; empty when it has none.
    pub caption: &'a str,
    /// Titles above it.
    pub path: Vec<String>,
    /// The same with the headers, as text.
    pub context: String,
    /// One per column.
    pub headers: &'a [&'a str],
    /// The table's citation, on its first page.
    pub cited: Citation,
}

impl TableText<'_> {
    /// The citation of a row on some page.
    pub fn citation_at(&self, page: u32) -> Citation {
        self.cited.at_page(PageNumber::new(page))
    }
}

/// Whether a block says something by itself: everything but tables, pictures, captions and headings that are titles.
pub fn is_quotable(block: &ContentBlock) -> bool {
    match block.block_type {
        BlockType::Text | BlockType::List | BlockType::SectionContent | BlockType::Note => true,
        BlockType::Heading => is_sentence(&block.content_markdown),
        BlockType::Table | BlockType::Caption | BlockType::Picture => false,
    }
}

/// The notes of tables on a page. Each says something of its own: beside the others, or beside the clause in which the table
/// stands, it would be read as a part of them.
struct Notes<'a>(Vec<(&'a BlockId, &'a TableId)>);

impl<'a> Notes<'a> {
    fn of(page: &'a PageDocument) -> Self {
        let of_table = |note: &'a Annotation| match (&note.block_id, &note.scope) {
            (Some(block), AnnotationScope::Table { table_id }) => Some((block, table_id)),
            _ => None,
        };
        Self(page.annotations.iter().filter_map(of_table).collect())
    }

    /// The table that a block is a note of.
    fn table_of(&self, block: &BlockId) -> Option<&'a TableId> {
        self.0.iter().find(|(note, _)| *note == block).map(|(_, table)| *table)
    }

    fn is_note(&self, block: &ContentBlock) -> bool {
        self.table_of(&block.block_id).is_some()
    }

    /// Whether a block is the title of the notes behind it: `Notes to Table 4-1:`.
    fn leads_to_one(&self, blocks: &[ContentBlock], at: usize) -> bool {
        !self.is_note(&blocks[at])
            && leads(&blocks[at].content_markdown)
            && blocks.get(at + 1).is_some_and(|next| self.is_note(next))
    }
}

/// The caption of a table of a page.
fn caption_on<'a>(page: &'a PageDocument, table: &TableId) -> Option<&'a str> {
    let metas = page.content_blocks.iter().filter_map(|block| block.table_meta.as_ref());
    let is_meant =
        |meta: &&TableMeta| meta.table_id == *table || meta.master_table_id.as_ref() == Some(table);
    metas.into_iter().find(is_meant)?.caption.as_deref()
}

/// The blocks that belong with one: its neighbours in the same node, as many as a passage holds.
fn run_around(blocks: &[ContentBlock], at: usize, notes: &Notes<'_>) -> Vec<usize> {
    if notes.is_note(&blocks[at]) {
        return vec![at];
    }
    let is_text = |at: usize| {
        !matches!(
            blocks[at].block_type,
            BlockType::Table | BlockType::Picture | BlockType::Caption | BlockType::Heading
        ) && !notes.is_note(&blocks[at])
            && !notes.leads_to_one(blocks, at)
    };
    let same = |other: usize| {
        let (a, b) = (&blocks[at], &blocks[other]);
        match (&a.chapter_node_id, &b.chapter_node_id) {
            (Some(a), Some(b)) => a == b,
            _ => a.chapter_path == b.chapter_path,
        }
    };
    // A heading says nothing by itself: what stands under it does, in its own node or in the next one.
    let start = match blocks[at].block_type {
        BlockType::Heading if !is_sentence(&blocks[at].content_markdown) => {
            let Some(first) = (at + 1..blocks.len()).find(|next| is_text(*next)) else { return vec![at] };
            first
        }
        _ => at,
    };
    let within = |other: usize| is_text(other) && (same(other) || start != at);
    let mut run = vec![start];
    let mut used = size(&blocks[start].content_markdown);
    let mut fits = |other: usize, run: &mut Vec<usize>| {
        let more = size(&blocks[other].content_markdown);
        let fits = used + more <= LONGEST;
        if fits {
            used += more;
            run.push(other);
        }
        fits
    };
    // The lead-in comes first: without it an item means nothing. It may stand in the clause above: `The plan shall have:`
    // leads into items that have a node of their own. An item with a clause number of its own is cited by that number, under
    // which the lead-in does not stand.
    let under = &blocks[start].chapter_path[..blocks[start].chapter_path.len().saturating_sub(1)];
    let is_beside = |other: usize| {
        let path = &blocks[other].chapter_path;
        same(other)
            || !under.is_empty() && path.starts_with(under) && blocks[other].block_type != BlockType::Table
    };
    let leads_here = |other: usize| {
        let block = &blocks[other];
        let is_same_clause = block.section_number == blocks[start].section_number;
        leads(&block.content_markdown)
            && (same(other) || block.chapter_path == under && is_same_clause)
            && is_of_list(&blocks[other..=start])
    };
    let lead = (0..start).rev().take_while(|other| is_beside(*other)).find(|other| leads_here(*other));
    if let Some(lead) = lead {
        fits(lead, &mut run);
    }
    let (mut before, mut after) = (Some(start), Some(start));
    while before.is_some() || after.is_some() {
        after = after.map(|at| at + 1).filter(|next| *next < blocks.len() && within(*next));
        after = after.filter(|next| run.contains(next) || fits(*next, &mut run));
        before = before.and_then(|at| at.checked_sub(1)).filter(|earlier| within(*earlier));
        before = before.filter(|earlier| run.contains(earlier) || fits(*earlier, &mut run));
    }
    run.sort_unstable();
    // What the last block announces may stand in clauses of its own below it.
    if let Some(last) = run.last().copied().filter(|last| leads(&blocks[*last].content_markdown)) {
        let path = blocks[last].chapter_path.clone();
        let mut next = last + 1;
        while next < blocks.len()
            && blocks[next].block_type != BlockType::Table
            && blocks[next].chapter_path.starts_with(&path)
            && (!is_text(next) || fits(next, &mut run))
        {
            next += 1;
        }
    }
    run.retain(|at| is_text(*at) || *at == start);
    if let Some(first) = run.first().copied()
        && let Some(above) = first.checked_sub(1)
        && blocks[above].block_type == BlockType::Heading
        && runs_on(&blocks[above].content_markdown, &blocks[first].content_markdown)
    {
        run.insert(0, above);
    }
    run
}

/// Whether a heading is the beginning of the sentence under it: the text goes on in lower case, or the heading has the length
/// of a sentence and no end.
fn runs_on(heading: &str, text: &str) -> bool {
    let words = heading.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    let ends = heading.trim_end().ends_with(['.', ':', ';', '。', '：', '；']);
    !ends && (text.trim_start().starts_with(char::is_lowercase) || words >= WORDS_OF_SENTENCE)
}

/// The room that a text takes: Chinese characters count one, others less.
pub fn size(text: &str) -> usize {
    let han = text.chars().filter(|c| is_cjk(*c)).count();
    let others = text.chars().count() - han;
    han + (others as f64 / LATIN) as usize
}

/// How many characters of a text fill a room.
fn characters(text: &str, room: usize) -> usize {
    if cjk_share(text) > 0.3 { room } else { (room as f64 * LATIN) as usize }
}

/// A block as sentences, without marks of Markdown.
fn sentences(markdown: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    for line in markdown.lines() {
        let line = line.trim_start_matches(['#', ' ']).replace("**", "");
        let line = line.trim();
        if is_marked_false(line) {
            continue;
        }
        // A row of a table is one thing; the first one is the header that the others need.
        if line.starts_with('|') {
            let is_first = found.last().is_none_or(|last: &Sentence| !last.text.starts_with('|'));
            found.push(Sentence {
                text: line.to_owned(),
                leads: is_first,
                begins_line: true,
                is_item: !is_first,
            });
            continue;
        }
        let is_item = begins_item(line);
        for (at, text) in split_sentences(line).into_iter().enumerate() {
            found.push(Sentence { text: text.to_owned(), leads: leads(text), begins_line: at == 0, is_item });
        }
    }
    found
}

/// The kept sentences in their order; where some were left out there is an ellipsis.
fn join(sentences: &[Sentence], kept: &[bool]) -> String {
    let mut text = String::new();
    let mut gap = false;
    for (sentence, kept) in sentences.iter().zip(kept) {
        if !kept {
            gap = !text.is_empty();
            continue;
        }
        if !text.is_empty() && (sentence.begins_line || gap) {
            text.push_str(if gap { "\n…\n" } else { "\n" });
        }
        gap = false;
        text.push_str(if sentence.begins_line { sentence.text.trim_start() } else { &sentence.text });
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests;
