//! Gathering evidence: from the hits of search to passages, best first.
//!
//! Every hit becomes a passage, whatever it is: the best one is never lost for lack of a clause number. A hit in a table
//! becomes the rows that speak of the question. What search says of a passage and what its words say are joined by
//! weights that were fitted on given questions (`weights.txt`).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use regreader_model::{Citation, PageDocument};
use regreader_question::{AskedValue, Lexicon, Question, TableReading};
use regreader_text::fold;
use regreader_tools::{
    GetTable, ReadPageRange, RegulationChoice, RegulationEntry, SearchTables, Signals, SmartSearch,
    TableHitView, TableView,
};

use super::Desk;
use super::evidence::strings;
use super::limits::{self, LookedUp};
use super::meaning::Meaning;
use super::passage::{Focus, Passage, PassageKind, TableText, is_quotable, size};
use super::terms::{Bag, Terms};
use super::verdict::Weights;
use crate::ToolFailure;

/// Hits that are looked at: the right page is among the first twenty for nearly every question (spec of the ranking).
const HITS: u32 = 20;
/// Tables that are read whole.
const TABLES: usize = 24;
/// Pages of the best hits that are read as a person would: everything on them may be the answer, not only what search found.
const WHOLE_PAGES: usize = 6;
/// Rows of one table that may become passages.
const ROWS_OF_TABLE: usize = 3;
/// What a label counts that names a row, beside one of which only a part is said.
const NAMED: usize = 2;
/// The best passages, of which one may lead to a table.
const BEST: usize = 3;
/// Rows of one table that are compared by meaning: those that have most of the words.
const ROWS_COMPARED: usize = 32;
/// A candidate that has the names with numbers of the question comes first when it is so probable beside the best one: a row
/// of the asked voltage before the sentence that leads to its table, and not a row of the same voltage on something else.
const EXACT_ODDS: f64 = 0.5;
/// Candidates that are kept.
const KEPT: usize = 40;
/// Conditions that decide for a row. One alone, a voltage or a number of units, is met by rows of many tables.
const LEAST_CONDITIONS: usize = 2;

/// What is known of one candidate, by name; the weights have the same names.
pub type Features = BTreeMap<&'static str, f64>;

/// A passage that may answer.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The passage.
    pub passage: Passage,
    /// What speaks for it.
    pub features: Features,
    /// The features under the fitted weights; greater is better.
    pub score: f64,
    /// Conditions stated by the question that this row of a table meets, as table search says; 0 for anything else.
    pub conditions: usize,
    /// It is what follows the passage before it on the next page.
    pub continues: bool,
}

impl Candidate {
    /// The passage under its titles.
    pub fn with_titles(&self) -> String {
        format!("{}\n{}", self.passage.context, self.passage.text())
    }

    /// Whether it was looked up, not guessed: a row that meets several stated conditions, every one that its table knows.
    pub fn is_looked_up(&self) -> bool {
        self.conditions >= LEAST_CONDITIONS
    }
}

/// What was found for a question.
#[derive(Debug)]
pub struct Gathered {
    /// Passages, best first.
    pub candidates: Vec<Candidate>,
    /// The words of the question, weighed against what was found.
    pub terms: Terms,
    /// What the question means.
    pub meaning: Meaning,
    /// The value that the question asks for.
    pub value: Option<AskedValue>,
    /// The tables that rows were taken from, by regulation and table.
    pub tables: BTreeMap<(String, String), TableView>,
    /// The rows that meet the stated conditions, by the tables that have them.
    pub looked_up: BTreeMap<(String, String), LookedUp>,
    /// What the question says in the words of each of these tables.
    pub readings: BTreeMap<(String, String), TableReading>,
    /// Regulations that the question names.
    pub named: Vec<String>,
    /// So many of the first passages answer a part of the question each.
    pub parts: usize,
}

impl Gathered {
    /// What of the passages is wanted.
    pub fn focus<'a>(&'a self, weights: &'a Weights) -> Focus<'a> {
        Focus { terms: &self.terms, meaning: &self.meaning, value: self.value.as_ref(), weights }
    }

    /// Labels that the question says of the table of the best row where no row has all of them.
    pub fn excluding_labels(&self) -> Option<Vec<&str>> {
        self.reading_of_best()?.excluding()
    }

    fn reading_of_best(&self) -> Option<&TableReading> {
        let best = self.candidates.first()?;
        let PassageKind::Row(table_id, _) = &best.passage.kind else { return None };
        self.readings.get(&(best.passage.reg_id.clone(), table_id.clone()))
    }

    /// Puts the best passage for a part of the question before the others.
    pub fn put_first(&mut self, part: Self) {
        let Some(best) = part.candidates.into_iter().next() else { return };
        let same = |known: &Candidate| {
            known.passage.reg_id == best.passage.reg_id && known.passage.kind == best.passage.kind
        };
        self.candidates.retain(|known| !same(known));
        self.candidates.insert(0, best);
        self.parts += 1;
        self.tables.extend(part.tables);
        self.looked_up.extend(part.looked_up);
        self.readings.extend(part.readings);
    }
}

/// A hit of search, by what is needed of it.
#[derive(Clone)]
struct Hit {
    reg_id: String,
    page_num: u32,
    block_id: Option<String>,
    table_id: Option<String>,
    /// What search says of the passage around the hit, by name.
    signals: Vec<(&'static str, f64)>,
}

/// Searches for a question and turns what is found into passages.
pub fn gather(desk: &mut Desk<'_>, asked: &Question) -> Result<Gathered, ToolFailure> {
    let scope = desk.scope();
    gather_in(desk, asked, scope)
}

/// The same in these regulations.
pub fn gather_in(
    desk: &mut Desk<'_>,
    asked: &Question,
    scope: Option<RegulationChoice>,
) -> Result<Gathered, ToolFailure> {
    let query = asked.text.as_str();
    let request = SmartSearch { explain: true, ..SmartSearch::new(query, scope.clone(), HITS) };
    let found = desk.call(&request)?;
    let chosen = found.selection.filter(|selection| selection.by_name);
    let named: Vec<String> =
        chosen.into_iter().flat_map(|selection| selection.chosen).map(|one| one.reg_id.to_string()).collect();
    // An edition that nobody can search does not take the place of the one before it; the answer says first that it is not
    // in force.
    let past = found.superseded.into_iter().filter(|group| group.newest_readable);
    let mut past = past.flat_map(|group| group.hits).peekable();
    let mut hits = found.hits;
    if past.peek().is_some() {
        hits.extend(past);
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    let hits: Vec<Hit> = hits.into_iter().map(hit).collect();
    let found = desk.call(&SearchTables::new(query, scope, 3))?;
    let past = found.superseded.into_iter().filter(|group| group.newest_readable);
    let tables: Vec<TableHitView> =
        found.tables.into_iter().chain(past.flat_map(|group| group.tables)).collect();
    let mut pages = Pages::default();
    for hit in &hits {
        pages.fetch(desk, &hit.reg_id, hit.page_num)?;
    }
    // The names of regulations say where to look, not what for.
    let names = desk.names();
    let mut terms = Terms::read(&asked.words_without(&names));
    let pool: Vec<Arc<Bag>> = pages.blocks().map(|text| terms.bag(text)).collect();
    terms.weigh(&pool);
    let mut builder = Builder {
        desk,
        pages,
        terms,
        meaning: Meaning::of(&asked.matter_without(&names), &asked.sayings),
        value: asked.value.clone(),
        named,
        abbreviations: asked.abbreviations(),
        question: fold(query),
        asked,
        tables: BTreeMap::new(),
        looked_up: BTreeMap::new(),
        candidates: Vec::new(),
    };
    for hit in &hits {
        builder.add(hit)?;
    }
    for table in &tables {
        builder.add_rows_by_condition(table, asked)?;
    }
    builder.add_rest_of_pages(&hits)?;
    builder.candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    builder.trust_rows_by_words();
    // Rows that were looked up come first by the rule of limit tables, whatever else speaks for other passages.
    let looked_up = |one: &Candidate| if one.is_looked_up() { one.conditions } else { 0 };
    builder
        .candidates
        .sort_by(|a, b| looked_up(b).cmp(&looked_up(a)).then_with(|| b.score.total_cmp(&a.score)));
    builder.candidates.truncate(KEPT);
    // What speaks of the voltage or the numbered line that is asked for comes before what speaks of another.
    if let Some(best) = builder.candidates.first().filter(|best| !best.is_looked_up()) {
        let least = best.score + EXACT_ODDS.ln();
        let mut near = builder.candidates.iter().take_while(|one| one.score >= least);
        if let Some(at) = near.position(|one| asked.exact_names_stand_in(&one.with_titles())) {
            builder.candidates[..=at].rotate_right(1);
        }
    }
    builder.leave_out_rows_of_others();
    builder.read_on()?;
    let Builder { desk, terms, meaning, value, named, tables, looked_up, candidates, .. } = builder;
    let tables: BTreeMap<(String, String), TableView> =
        tables.into_iter().filter_map(|(key, table)| Some((key, table?))).collect();
    let lexicon = &desk.options.lexicon;
    let reading =
        |(key, table): (&(String, String), &TableView)| (key.clone(), read_table(table, asked, lexicon));
    // Only the table of the best row is looked at as a whole.
    let of_best = candidates.first().and_then(|best| match &best.passage.kind {
        PassageKind::Row(table_id, _) => {
            tables.get_key_value(&(best.passage.reg_id.clone(), table_id.clone()))
        }
        PassageKind::Text(_) => None,
    });
    let readings = of_best.map(reading).into_iter().collect();
    Ok(Gathered { candidates, terms, meaning, value, tables, looked_up, readings, named, parts: 0 })
}

fn hit(hit: regreader_tools::Hit) -> Hit {
    Hit {
        reg_id: hit.reg_id,
        page_num: hit.page_num.get(),
        block_id: hit.block_id,
        table_id: hit.table_id,
        signals: hit.passage.map(|passage| named_signals(&passage.signals)).unwrap_or_default(),
    }
}

/// What search says of a passage, by the names that the features have.
fn named_signals(signals: &Signals) -> Vec<(&'static str, f64)> {
    vec![
        ("words", signals.words),
        ("coverage", signals.coverage),
        ("cosine", signals.cosine),
        ("window_similar", signals.similar),
        ("window", signals.window),
        ("block", signals.block),
        ("block_cosine", signals.block_cosine),
        ("clause", signals.clause),
        ("page", signals.page),
        ("regulation", signals.regulation),
    ]
}

struct Builder<'d, 'a> {
    desk: &'d mut Desk<'a>,
    pages: Pages,
    terms: Terms,
    meaning: Meaning,
    value: Option<AskedValue>,
    /// Regulations that the question names.
    named: Vec<String>,
    /// Codes and abbreviations in the question, folded.
    abbreviations: Vec<String>,
    /// The question, folded.
    question: String,
    asked: &'d Question,
    /// Tables that were read; none for one that is not there.
    tables: BTreeMap<(String, String), Option<TableView>>,
    looked_up: BTreeMap<(String, String), LookedUp>,
    candidates: Vec<Candidate>,
}

impl Builder<'_, '_> {
    fn add(&mut self, hit: &Hit) -> Result<(), ToolFailure> {
        if let Some(table_id) = &hit.table_id
            && self.read_table(&hit.reg_id, table_id)?.is_some()
        {
            self.add_rows(hit, table_id);
            return Ok(());
        }
        if let Some(block) = &hit.block_id
            && self.candidates.iter().any(|known| known.passage.holds(&hit.reg_id, block))
        {
            return Ok(());
        }
        let Some((page, cited)) = self.pages.get(&hit.reg_id, hit.page_num) else { return Ok(()) };
        if let Some(passage) = Passage::around(page, cited, hit.block_id.as_deref(), &self.terms) {
            // A cover has the very words of the title and says nothing; only when something takes effect stands there.
            let is_front = passage.is_front || self.pages.is_front(&passage);
            let asks_when =
                |value: &AskedValue| matches!(value.kind.as_str(), "date" | "duration" | "moment");
            if is_front && !self.value.as_ref().is_some_and(asks_when) {
                return Ok(());
            }
            self.push(passage, &hit.signals, 0);
        }
        Ok(())
    }

    /// Reads a table once; none when it is not there or when enough were read.
    fn read_table(&mut self, reg_id: &str, table_id: &str) -> Result<Option<&TableView>, ToolFailure> {
        let key = (reg_id.to_owned(), table_id.to_owned());
        if !self.tables.contains_key(&key) {
            if self.tables.len() >= TABLES {
                return Ok(None);
            }
            let table = self.desk.find(&GetTable::new(reg_id, table_id))?;
            self.tables.insert(key.clone(), table);
        }
        Ok(self.tables.get(&key).and_then(Option::as_ref))
    }

    /// The rows of a table that speak most of the question.
    fn add_rows(&mut self, hit: &Hit, table_id: &str) {
        let key = (hit.reg_id.clone(), table_id.to_owned());
        let Some(Some(table)) = self.tables.get(&key) else { return };
        let headers = strings(&table.col_headers);
        let text = table_text(table, &headers);
        let rows = &table.rows;
        // A label of two or more characters that stands in the question as it is (第5轮, 0x0200) names its row.
        let names_row =
            |cell: &&str| cell.trim().chars().count() > 1 && limits::stands_in(&self.question, cell);
        let focus = Focus {
            terms: &self.terms,
            meaning: &self.meaning,
            value: self.value.as_ref(),
            weights: self.desk.options.weights(),
        };
        let names_exactly = self.asked.has_exact_names();
        let cells_of_rows: Vec<Vec<&str>> = rows.iter().map(|row| strings(&row.cells)).collect();
        let reading = TableReading::of(self.asked, &self.desk.options.lexicon, &headers, &cells_of_rows);
        let is_said = |at: usize| {
            !reading.labels.is_empty() && reading.labels.iter().all(|label| label.rows.contains(&at))
        };
        let is_whole = reading.labels.iter().all(|label| label.whole);
        let by_worth = |a: &(usize, f64, usize), b: &(usize, f64, usize)| {
            b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2))
        };
        let mut ranked: Vec<(usize, f64, usize)> = rows
            .iter()
            .enumerate()
            .map(|(at, row)| {
                let cells = strings(&row.cells);
                let has_exact = names_exactly && {
                    let passage = Passage::row(&text, at, row.page_num.get(), &cells);
                    self.asked.exact_names_stand_in(&passage.text())
                };
                let printed = cells.iter().filter(|cell| names_row(cell)).count() + usize::from(has_exact);
                // A label of which a part is said (青雁 of 青雁断面) comes before rows of which nothing is.
                let said = if is_whole { 2 * NAMED } else { 1 };
                let named = NAMED * printed + if is_said(at) { said } else { 0 };
                (named, self.terms.gain(&self.terms.bag(&cells.join("\n"))), at)
            })
            .collect();
        ranked.sort_by(by_worth);
        ranked.truncate(ROWS_COMPARED);
        // In a table of values the rows with other labels are for other conditions.
        if !reading.shape.values.is_empty() && ranked.first().is_some_and(|(named, _, _)| *named > 0) {
            ranked.retain(|(named, _, _)| *named > 0);
        }
        // Words alone would pass over the row that says it in others.
        for (_, worth, at) in &mut ranked {
            *worth = rows.get(*at).map_or(0.0, |row| focus.worth(&strings(&row.cells).join("\n")));
        }
        ranked.sort_by(by_worth);
        let picked: Vec<(Passage, usize)> = ranked
            .into_iter()
            .take(ROWS_OF_TABLE)
            .filter_map(|(named, _, at)| {
                let row = rows.get(at)?;
                Some((Passage::row(&text, at, row.page_num.get(), &strings(&row.cells)), named))
            })
            .collect();
        for (passage, named) in picked {
            let mut signals = hit.signals.clone();
            signals.push(("named_row", f64::from(u8::from(named >= NAMED))));
            self.push(passage, &signals, 0);
        }
    }

    /// The rows that meet the conditions which the question states, as table search found them. A table of another
    /// asset than the one that is asked for is none of them.
    fn add_rows_by_condition(&mut self, table: &TableHitView, asked: &Question) -> Result<(), ToolFailure> {
        let (reg_id, table_id, rows) = (&table.reg_id, &table.table_id, &table.rows);
        if rows.is_empty() || self.read_table(reg_id, table_id)?.is_none() {
            return Ok(());
        }
        let Some(Some(whole)) = self.tables.get(&(reg_id.clone(), table_id.clone())) else {
            return Ok(());
        };
        let headers = strings(&whole.col_headers);
        let text = table_text(whole, &headers);
        let about = fold(&format!("{}\n{}", text.context, text.caption));
        let is_meant = asked.assets().iter().all(|asset| about.contains(asset.as_str()));
        // Table search counts the rows of the header.
        let header_rows = whole.header_rows;
        let place = |row: u32| row.saturating_sub(header_rows) as usize;
        // Conditions that the lexicon knows decide by themselves.
        let by_words = table.unmet.len() >= asked.conditions.len();
        if is_meant {
            let found = LookedUp {
                by_words,
                rows: rows.iter().map(|row| place(row.row)).collect(),
                answers: table.answer_columns.clone(),
                unmet: table.unmet.clone(),
                assumed: table.assumed.clone(),
            };
            self.looked_up.insert((reg_id.clone(), table_id.clone()), found);
        }
        let passages: Vec<(Passage, usize)> = rows
            .iter()
            .take(ROWS_OF_TABLE)
            .map(|row| {
                let at = place(row.row);
                let met = row.matched_by.split('；').count();
                let passage = Passage::row(&text, at, row.page_num.get(), &strings(&row.cells));
                (passage, if is_meant && !by_words { met } else { 0 })
            })
            .collect();
        for (passage, met) in passages {
            self.push(passage, &[], met);
        }
        Ok(())
    }

    /// A row that was found by the words of its table alone counts as looked up where the best passages lead to that table: its
    /// words may stand in any other.
    fn trust_rows_by_words(&mut self) {
        let leads_to = |one: &Candidate, key: &(String, String)| {
            let is_row = matches!(&one.passage.kind, PassageKind::Row(table_id, _) if *table_id == key.1);
            let is_beside = || {
                let table = self.tables.get(key).and_then(Option::as_ref);
                table.is_some_and(|table| {
                    table.chapter_path == one.passage.path && !one.passage.path.is_empty()
                })
            };
            one.passage.reg_id == key.0 && (is_row || is_beside())
        };
        let by_words = || self.looked_up.iter().filter(|(_, found)| found.by_words);
        let mut best = self.candidates.iter().take(BEST);
        let table = best.find_map(|one| by_words().map(|(key, _)| key).find(|key| leads_to(one, key)));
        let Some(table) = table.cloned() else { return };
        let Some(found) = self.looked_up.get(&table) else { return };
        for candidate in &mut self.candidates {
            if let PassageKind::Row(table_id, row) = &candidate.passage.kind
                && candidate.passage.reg_id == table.0
                && *table_id == table.1
                && found.rows.contains(row)
            {
                candidate.conditions = candidate.conditions.max(LEAST_CONDITIONS);
            }
        }
    }

    /// The passages of the best pages that search did not name: the right page is often found by another of its passages. They
    /// have what search says of the page and of the regulation, and nothing that it says of a passage.
    fn add_rest_of_pages(&mut self, hits: &[Hit]) -> Result<(), ToolFailure> {
        let mut seen: Vec<(&str, u32)> = Vec::new();
        for hit in hits {
            let place = (hit.reg_id.as_str(), hit.page_num);
            if seen.contains(&place) || seen.len() >= WHOLE_PAGES {
                continue;
            }
            seen.push(place);
            let Some((page, _)) = self.pages.get(&hit.reg_id, hit.page_num) else { continue };
            let of_page = |(name, _): &&(&str, f64)| matches!(*name, "page" | "regulation");
            let mut signals: Vec<(&'static str, f64)> = hit.signals.iter().filter(of_page).copied().collect();
            signals.push(("beside", 1.0));
            let mut rest = Vec::new();
            for block in &page.content_blocks {
                let table_id = block.table_meta.as_ref().map(|table| table.table_id.to_string());
                let text = is_quotable(block).then(|| block.block_id.to_string());
                if table_id.is_some() || text.is_some() {
                    rest.push(Hit { block_id: text, table_id, signals: signals.clone(), ..hit.clone() });
                }
            }
            for other in &rest {
                self.add(other)?;
            }
        }
        Ok(())
    }

    /// Takes out the rows beside the best one, of the same table, that are for another voltage level, another numbered thing or other
    /// labels than the question names.
    fn leave_out_rows_of_others(&mut self) {
        let Some(best) = self.candidates.first() else { return };
        let PassageKind::Row(table_id, row) = best.passage.kind.clone() else { return };
        let key = (best.passage.reg_id.clone(), table_id);
        let Some(Some(table)) = self.tables.get(&key) else { return };
        let reading = read_table(table, self.asked, &self.desk.options.lexicon);
        let asked = self.asked;
        let names_exactly = asked.has_exact_names() && asked.exact_names_stand_in(&best.passage.text());
        let is_meant = |one: &Candidate, row: usize| {
            reading.means_row(row) && (!names_exactly || asked.exact_names_stand_in(&one.passage.text()))
        };
        if is_meant(best, row) {
            self.candidates.retain(|one| match &one.passage.kind {
                PassageKind::Row(of, row) if *of == key.1 && one.passage.reg_id == key.0 => {
                    is_meant(one, *row)
                }
                _ => true,
            });
        }
    }

    /// Puts what follows the best passage on the next page behind it, when the passage ends in a lead-in.
    fn read_on(&mut self) -> Result<(), ToolFailure> {
        let Some(best) = self.candidates.first() else { return Ok(()) };
        let (reg_id, page) = (best.passage.reg_id.clone(), best.passage.page_num + 1);
        if !best.passage.ends_in_lead() {
            return Ok(());
        }
        self.pages.fetch(self.desk, &reg_id, page)?;
        let Some((page, cited)) = self.pages.get(&reg_id, page) else { return Ok(()) };
        let Some(best) = self.candidates.first() else { return Ok(()) };
        let Some(passage) = best.passage.continued(page, cited, &self.terms) else { return Ok(()) };
        let next = Candidate { passage, continues: true, ..best.clone() };
        self.candidates.retain(|known| known.passage.kind != next.passage.kind);
        self.candidates.insert(1, next);
        Ok(())
    }

    /// How many of the question's codes and abbreviations neither a passage nor its titles nor its regulation's names have.
    fn missing_abbreviations(&self, passage: &Passage, text: &str) -> usize {
        if self.abbreviations.is_empty() {
            return 0;
        }
        let entry = self.desk.regulations.iter().find(|entry| entry.reg_id == passage.reg_id);
        let names: Vec<&str> = entry.into_iter().flat_map(RegulationEntry::names).collect();
        let about = fold(&format!("{text}\n{}\n{}", passage.context, names.join("\n")));
        self.abbreviations.iter().filter(|code| !about.contains(code.as_str())).count()
    }

    fn push(&mut self, passage: Passage, found: &[(&'static str, f64)], conditions: usize) {
        let known = self.candidates.iter_mut().find(|known| {
            known.passage.reg_id == passage.reg_id
                && matches!(passage.kind, PassageKind::Row(..))
                && known.passage.kind == passage.kind
        });
        if let Some(known) = known {
            known.conditions = known.conditions.max(conditions);
            // A row that was looked up by its conditions has what search says of its page, whichever came first.
            if !known.features.contains_key("page") {
                known.features.extend(found.iter().copied());
                known.score = self.desk.options.weights().passage(&known.features);
            }
            return;
        }
        let (own, context) = passage.bags(&self.terms);
        let text = passage.text();
        let has_value = self.value.as_ref().map(|value| value.stands_in(&text));
        let stands_in = |text: &str| self.value.as_ref().is_some_and(|value| value.stands_in(text));
        let (sentence, value_near) = passage.best_sentence(&self.terms, stands_in);
        // The numbers of a table have the unit that its caption or a header names.
        let is_in_unit = has_value == Some(false)
            && matches!(passage.kind, PassageKind::Row(..))
            && text.lines().any(|line| line.ends_with(|c: char| c.is_ascii_digit()))
            && units_in(&passage.context).any(|unit| stands_in(&format!("1 {unit}")));
        let (has_value, value_near) = if is_in_unit { (Some(true), true) } else { (has_value, value_near) };
        let titles = passage.context.replace('\n', " ");
        let (held, added_by_sayings) = self.meaning.held_in_parts(&[&text, &titles]);
        let is_elsewhere = !self.named.is_empty() && !self.named.contains(&passage.reg_id);
        let flag = |is: bool| f64::from(u8::from(is));
        let mut features: Features = BTreeMap::from([
            ("own", self.terms.coverage(&[&own])),
            ("with_context", self.terms.coverage(&[&own, &context])),
            ("exact", self.terms.exact_coverage(&[&own, &context])),
            ("sentence", sentence),
            ("nearest", passage.nearest_sentences(&self.meaning)),
            ("meaning", self.meaning.nearness(&format!("{titles} {text}"))),
            ("similar", (held + added_by_sayings).clamp(0.0, 1.0)),
            ("said", added_by_sayings),
            ("value_near", flag(value_near)),
            ("value", flag(has_value == Some(true))),
            ("no_value", flag(has_value == Some(false))),
            ("row", flag(matches!(passage.kind, PassageKind::Row(..)))),
            ("length", (size(&text) as f64).ln_1p() / 6.0),
            ("preliminary", flag(passage.is_preliminary())),
            (
                "unit_missing",
                flag(has_value == Some(false) && self.value.as_ref().is_some_and(AskedValue::has_units)),
            ),
            ("elsewhere", flag(is_elsewhere)),
            ("codes_missing", self.missing_abbreviations(&passage, &text) as f64),
        ]);
        features.extend(found.iter().copied());
        let score = self.desk.options.weights().passage(&features);
        self.candidates.push(Candidate { passage, features, score, conditions, continues: false });
    }
}

/// What a question says of a table.
fn read_table(table: &TableView, asked: &Question, lexicon: &Lexicon) -> TableReading {
    let rows: Vec<Vec<&str>> = table.rows.iter().map(|row| strings(&row.cells)).collect();
    TableReading::of(asked, lexicon, &strings(&table.col_headers), &rows)
}

/// What the rows of a table share, for making passages of them.
pub fn table_text<'a>(table: &'a TableView, headers: &'a [&'a str]) -> TableText<'a> {
    TableText {
        reg_id: &table.reg_id,
        table_id: &table.table_id,
        caption: table.caption.as_deref().unwrap_or_default(),
        path: table.chapter_path.clone(),
        context: format!("{}\n{}", table.chapter_path.join("\n"), headers.join("\n")),
        headers,
        cited: table.cited.clone(),
    }
}

/// Words of a text that may be units: MVA, 万千瓦 of （单位：万千瓦）.
fn units_in(text: &str) -> impl Iterator<Item = &str> {
    let parts =
        |c: char| c.is_whitespace() || c.is_ascii_punctuation() && c != '%' || "（）：，、—–".contains(c);
    text.split(parts).filter(|word| !word.is_empty())
}

/// Pages that were read, with their citations.
#[derive(Default)]
struct Pages(BTreeMap<(String, u32), Option<(PageDocument, Citation)>>);

impl Pages {
    fn fetch(&mut self, desk: &mut Desk<'_>, reg_id: &str, page: u32) -> Result<(), ToolFailure> {
        if let Entry::Vacant(slot) = self.0.entry((reg_id.to_owned(), page)) {
            let request = ReadPageRange { include_pages: true, ..ReadPageRange::pages(reg_id, page, page) };
            let read =
                desk.find(&request)?.and_then(|range| Some((range.pages?.into_iter().next()?, range.cited)));
            slot.insert(read);
        }
        Ok(())
    }

    fn get(&self, reg_id: &str, page: u32) -> Option<&(PageDocument, Citation)> {
        self.0.get(&(reg_id.to_owned(), page))?.as_ref()
    }

    /// Whether a passage stands before the first chapter that was met of its regulation: on the cover or among the contents.
    fn is_front(&self, passage: &Passage) -> bool {
        let chapters = |(page, _): &(PageDocument, Citation)| {
            page.content_blocks.iter().any(|block| !block.chapter_path.is_empty())
        };
        let later = (passage.reg_id.clone(), passage.page_num + 1)..(passage.reg_id.clone(), u32::MAX);
        passage.context.trim().is_empty()
            && self.0.range(later).any(|(_, page)| page.as_ref().is_some_and(chapters))
    }

    fn blocks(&self) -> impl Iterator<Item = &str> {
        let pages = self.0.values().flatten();
        pages.flat_map(|(page, _)| &page.content_blocks).map(|block| block.content_markdown.as_str())
    }
}
