//! What was found, as statements with citations, and where its notes and references lead.

use std::collections::BTreeSet;

use regreader_model::{CitationTarget, PageNumber, ReferenceKind};
use regreader_question::{Question, TableReading};
use regreader_text::numbering::{Numbering, parse_line};
use regreader_text::{find_references, parse_caption, parse_definition};
use regreader_tools::{
    AnnotationView, ChapterContent, GetTable, Place, ReadChapter, ResolveReference, ResolvedReference,
    TableRow, TableView,
};

use super::Desk;
use super::compose::small_table;
use super::correction::Correction;
use super::gather::table_text;
use super::limits::{Rule, RuleOf};
use super::passage::{Focus, Passage, is_exception, size, split_sentences};
use crate::{Statement, ToolFailure};

/// Notes and references that are followed.
const MAX_CAUTIONS: usize = 6;
/// Statements that are kept of a place that is too long to quote whole.
const MAX_MEASURES: usize = 3;
/// Characters of one followed target that are quoted.
const MAX_PREVIEW: usize = 160;

/// The room that rows of a table take under its header.
pub fn size_of_rows(table: &TableView, rows: &[&TableRow]) -> usize {
    let cells = rows.iter().flat_map(|row| &row.cells);
    table.col_headers.iter().chain(cells).map(|cell| size(cell)).sum()
}

/// Statements that answer, and what to mind with them.
#[derive(Debug, Default)]
pub struct Evidence {
    pub measures: Vec<Statement>,
    pub cautions: Vec<Statement>,
    pub regulations: Vec<String>,
}

impl Evidence {
    /// Quotes a clause, page by page, its numbered tables by themselves.
    pub fn quote_clause(&mut self, content: &ChapterContent) {
        let cited = &content.cited;
        for (page, text) in pages(&content.content_markdown) {
            for part in parts(text) {
                let text = plain(&part.text);
                // A table is found by its number, not by the clause around it.
                let cited = match part.table {
                    Some(number) => cited.with_target(CitationTarget::Table(number)),
                    None => cited.clone(),
                };
                if !text.is_empty() {
                    self.add(Statement::new(text, cited.at_page(Some(page))));
                }
            }
        }
    }

    /// Quotes rows of a table under its header, one statement per page.
    pub fn quote_rows(&mut self, table: &TableView, rows: &[&TableRow]) {
        let caption = table.caption.as_deref().unwrap_or_default();
        let headers = &table.col_headers;
        let pages: BTreeSet<PageNumber> = rows.iter().map(|row| row.page_num).collect();
        for page in pages {
            // A clause that was quoted with its table in it has said this.
            let header = format!("| {} |", headers.join(" | "));
            let quoted = |known: &Statement| {
                let same = !caption.is_empty() && known.text.contains(caption);
                known.text.contains('|') && (same || known.text.contains(&header))
            };
            if self.measures.iter().any(|known| known.citation.page_num == Some(page) && quoted(known)) {
                continue;
            }
            let mut text = caption.to_owned();
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&format!("{header}\n|{}", "---|".repeat(headers.len())));
            for row in rows.iter().filter(|row| row.page_num == page) {
                text.push_str(&table_line(&row.cells));
            }
            self.add(Statement::new(text, table.cited.at_page(Some(page))));
        }
    }

    /// Quotes rows of a table under its header if that takes no more than this room; else each of the first rows with its
    /// headers cell by cell, the cells that speak of the question.
    pub fn quote_rows_within(
        &mut self,
        room: usize,
        table: &TableView,
        rows: &[&TableRow],
        focus: &Focus<'_>,
    ) {
        if size_of_rows(table, rows) <= room {
            return self.quote_rows(table, rows);
        }
        let headers = strings(&table.col_headers);
        let text = table_text(table, &headers);
        let picked: Vec<&&TableRow> = rows.iter().take(MAX_MEASURES).collect();
        for row in &picked {
            let passage = Passage::row(&text, 0, row.page_num.get(), &strings(&row.cells));
            let quoted = passage.shortened(room / picked.len(), focus);
            self.add(Statement::new(quoted, passage.citation));
        }
    }

    /// Quotes a note.
    pub fn quote_note(&mut self, note: &AnnotationView) {
        self.add(note_statement(note));
    }

    /// Keeps of long statements what speaks of the question, so that all of them together take about this much room.
    pub fn shorten(&mut self, room: usize, focus: &Focus<'_>) {
        let terms = focus.terms;
        let total: usize = self.measures.iter().map(|one| size(&one.text)).sum();
        if total <= room {
            return;
        }
        let mut ranked: Vec<(f64, usize)> = self
            .measures
            .iter()
            .enumerate()
            .map(|(at, one)| (terms.gain(&terms.bag(&one.text)), at))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(MAX_MEASURES);
        let each = room / ranked.len().max(1);
        let mut kept: Vec<usize> = ranked.into_iter().map(|(_, at)| at).collect();
        kept.sort_unstable();
        let shortened = kept.into_iter().filter_map(|at| {
            let one = self.measures.get(at)?;
            let text = Passage::quoted(&one.text, &one.citation).shortened(each, focus);
            Some(Statement { text, ..one.clone() })
        });
        self.measures = shortened.collect();
    }

    /// Adds what a page says, once.
    pub fn add(&mut self, statement: Statement) {
        if !self.regulations.iter().any(|known| known == statement.reg_id()) {
            self.regulations.push(statement.reg_id().to_owned());
        }
        if !self.measures.iter().any(|known| known.text == statement.text) {
            self.measures.push(statement);
        }
    }

    /// Follows the notes, tables and clauses that the statements name, as a careful reader would.
    pub fn follow(&mut self, desk: &mut Desk<'_>) -> Result<(), ToolFailure> {
        let mut seen: Vec<(String, String)> = Vec::new();
        for statement in self.measures.clone() {
            for mention in find_references(&statement.text) {
                let target = mention.target;
                let words = statement.text.get(mention.range.clone()).unwrap_or_default().to_owned();
                let own_caption = target.kind == ReferenceKind::Table
                    && statement.citation.target == Some(CitationTarget::Table(target.number.clone()));
                let known = (statement.reg_id().to_owned(), words.clone());
                // The first lines of a whole regulation say nothing; its name stands in the statement.
                let is_whole = target.kind == ReferenceKind::Regulation;
                if own_caption || is_whole || seen.contains(&known) || self.cautions.len() >= MAX_CAUTIONS {
                    continue;
                }
                seen.push(known);
                let Some((found, place)) = resolve(desk, &statement, &words, mention.range.start)? else {
                    continue;
                };
                let title = found.title.as_str();
                if target.kind == ReferenceKind::Table && !title.is_empty() && self.quotes(title) {
                    continue;
                }
                let caution = reference_statement(&words, &found, place);
                // What is quoted already need not be shown again.
                if !self.measures.iter().chain(&self.cautions).any(|known| known.citation == caution.citation)
                {
                    self.cautions.push(caution);
                }
            }
        }
        Ok(())
    }

    /// Whether a table of this caption is quoted already.
    fn quotes(&self, caption: &str) -> bool {
        self.measures.iter().any(|known| known.text.contains('|') && known.text.contains(caption))
    }

    /// Adds the notes that belong to a table.
    pub fn mind_notes(&mut self, table: &TableView) {
        for note in &table.notes {
            if self.cautions.len() < MAX_CAUTIONS {
                self.cautions.push(note_statement(note));
            }
        }
    }
}

/// The beginning of the place that a statement defers to: 按安规第六章处理 says where the answer stands. The first reference
/// that leads anywhere else; none when the statement names no place.
pub fn deferred_to(
    desk: &mut Desk<'_>,
    statement: Option<&Statement>,
) -> Result<Option<Statement>, ToolFailure> {
    let Some(statement) = statement else { return Ok(None) };
    let mut tried = 0;
    for mention in find_references(&statement.text) {
        let words = statement.text.get(mention.range.clone()).unwrap_or_default();
        let is_own = statement.citation.target == Some(CitationTarget::Table(mention.target.number.clone()))
            || mention.range.start == 0;
        // The beginning of a table is its header: it is named among the places to see.
        let says_nothing = matches!(
            mention.target.kind,
            ReferenceKind::Annotation | ReferenceKind::Regulation | ReferenceKind::Table
        );
        if is_own || says_nothing || tried >= 2 {
            continue;
        }
        tried += 1;
        let Some((found, place)) = resolve(desk, statement, words, mention.range.start)? else { continue };
        let place = reference_statement(words, &found, place);
        if place.citation != statement.citation {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// A small table of values that a statement leads to, 限额按开机台数控制，见表3-4, with what the question does not say of it. Of its rows
/// those that the question says. None where it is no small table.
pub fn table_led_to(
    desk: &mut Desk<'_>,
    asked: &Question,
    statement: &Statement,
    most: usize,
) -> Result<Option<RowsSaid>, ToolFailure> {
    let mentions = find_references(&statement.text).into_iter();
    for mention in mentions.filter(|mention| mention.target.kind == ReferenceKind::Table).take(2) {
        let words = statement.text.get(mention.range.clone()).unwrap_or_default();
        let Some((_, place)) = resolve(desk, statement, words, mention.range.start)? else { continue };
        let Some(table_id) = place.table_id else { continue };
        if let Some(found) = rows_said(desk, asked, &place.reg_id, &table_id, most)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Rows of a table for a question.
#[derive(Debug)]
pub struct RowsSaid {
    /// The rows under their header.
    pub rows: Statement,
    /// What the question does not say of the table.
    pub missing: Vec<String>,
    /// It says a label or a head of the table.
    pub says_some: bool,
}

/// The rows of a table of values that a question says, all of a small table of which it says nothing, and what it does not say of it.
/// None where the table has no values, where they take more room, or where nothing asks for a value.
pub fn rows_said(
    desk: &mut Desk<'_>,
    asked: &Question,
    reg_id: &str,
    table_id: &str,
    most: usize,
) -> Result<Option<RowsSaid>, ToolFailure> {
    let Some(table) = desk.find(&GetTable::new(reg_id, table_id))? else { return Ok(None) };
    let headers = strings(&table.col_headers);
    let rows: Vec<Vec<&str>> = table.rows.iter().map(|row| strings(&row.cells)).collect();
    let reading = TableReading::of(asked, &desk.options.lexicon, &headers, &rows);
    let is_said = |at: &usize| reading.labels.iter().all(|label| label.rows.contains(at));
    let said: Vec<usize> = (0..rows.len()).filter(is_said).collect();
    let Some(page) = said.first().and_then(|at| table.rows.get(*at)).map(|row| row.page_num) else {
        return Ok(None);
    };
    let text = small_table(&table, &headers, &said, page.get());
    let is_asked = asked.value.is_some() || reading.labels.iter().any(|label| label.whole);
    if reading.shape.values.is_empty() || size(&text) > most || !is_asked {
        return Ok(None);
    }
    let cited = table_text(&table, &headers).citation_at(page.get());
    let says_some = !reading.labels.is_empty() || !reading.columns.is_empty();
    let missing = reading.missing(&headers);
    Ok(Some(RowsSaid { rows: Statement::new(text, cited), missing, says_some }))
}

/// The citations of the places that statements name, without their text; what is quoted already is left out.
pub fn places_named(
    desk: &mut Desk<'_>,
    statements: &[Statement],
    most: usize,
) -> Result<Vec<String>, ToolFailure> {
    let mut places: Vec<String> = Vec::new();
    let mut tried: Vec<(String, String)> = Vec::new();
    for statement in statements {
        for mention in find_references(&statement.text) {
            let words = statement.text.get(mention.range.clone()).unwrap_or_default().to_owned();
            let key = (statement.reg_id().to_owned(), words.clone());
            if places.len() >= most || tried.len() >= MAX_CAUTIONS || tried.contains(&key) {
                continue;
            }
            tried.push(key);
            let Some((_, Place { cited, .. })) = resolve(desk, statement, &words, mention.range.start)?
            else {
                continue;
            };
            let known = statements.iter().any(|known| known.citation == cited);
            let place = cited.to_string();
            if !known && !place.is_empty() && !places.contains(&place) {
                places.push(place);
            }
        }
    }
    Ok(places)
}

/// Where a reference leads, and the place. The words before it may name another regulation by its alias: 按安规2024第六章处理.
fn resolve(
    desk: &mut Desk<'_>,
    statement: &Statement,
    words: &str,
    at: usize,
) -> Result<Option<(ResolvedReference, Place)>, ToolFailure> {
    const MOST_NAME_CHARS: usize = 24;
    let before = statement.text.get(..at).unwrap_or_default();
    let name: Vec<char> = before
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '《' | '》'))
        .take(MOST_NAME_CHARS)
        .collect();
    let name: String = name.into_iter().rev().collect();
    let named = desk.names().iter().any(|known| known.chars().count() >= 2 && name.ends_with(known.as_str()));
    let reference = if named { format!("{name}{words}") } else { words.to_owned() };
    let request = ResolveReference {
        reg_id: statement.reg_id().to_owned(),
        reference_text: reference,
        page_hint: statement.page_num(),
        as_of: None,
    };
    // Several places that may be meant are none that can be quoted.
    Ok(desk.find(&request)?.and_then(|mut found| found.location.take().map(|place| (found, place))))
}

pub fn note_statement(note: &AnnotationView) -> Statement {
    let label = note.printed_label.as_ref().unwrap_or(&note.annotation_id);
    // The items of a list of notes are printed with their numbers alone.
    let text = match label.parse::<u32>() {
        Ok(number) => format!("{number}. {}", note.content),
        Err(_) => format!("{label}：{}", note.content),
    };
    Statement::new(text, note.cited.clone())
}

/// Whether something to mind is shown: a note in any case, the beginning of a place that a statement names only when it is
/// proven to stand there. The place itself is named in the statement.
pub fn is_worth_minding(caution: &Statement) -> bool {
    caution.verified || !caution.text.contains(LEADS_TO)
}

/// Between the words of a reference and what stands where they lead.
const LEADS_TO: &str = " → ";

fn reference_statement(words: &str, found: &ResolvedReference, place: Place) -> Statement {
    let preview = whole_sentences(of_one_clause(&plain(&found.preview)), MAX_PREVIEW);
    Statement::new(format!("{words}{LEADS_TO}{preview}"), place.cited)
}

/// The lines of a text before the next clause begins: a preview goes on behind a short clause, and what it shows is cited by that
/// clause alone.
fn of_one_clause(text: &str) -> &str {
    let parts = |line: &str| match parse_line(line.trim())?.numbering {
        Numbering::Decimal(parts) => Some(parts),
        _ => None,
    };
    let Some(own) = text.lines().next().and_then(parts).filter(|own| own.len() > 1) else { return text };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begins = parts(line).is_some_and(|other| other.len() > 1 && !other.starts_with(&own));
        let is_chapter =
            matches!(parse_line(line.trim()).map(|line| line.numbering), Some(Numbering::Chapter(_)));
        if at > 0 && (begins || is_chapter) {
            return text[..at].trim_end();
        }
        at += line.len();
    }
    text
}

/// The sentences that fit, the first one in any case. What a preview cuts off is no sentence and is left out, as long as there
/// is another.
fn whole_sentences(text: &str, most: usize) -> String {
    let mut kept = String::new();
    for (at, line) in text.lines().enumerate() {
        for (position, sentence) in split_sentences(line).into_iter().enumerate() {
            let cut = sentence.trim_end().ends_with('…');
            let long = kept.chars().count() + sentence.chars().count() > most;
            if !kept.is_empty() && (cut || long) {
                return kept.trim_end().to_owned();
            }
            if at > 0 && position == 0 {
                kept.push('\n');
            }
            kept.push_str(sentence);
        }
    }
    kept
}

/// A row of a table on a line of its own: a line break inside a cell would end the row.
pub fn table_line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('\n', " ")).collect();
    format!("\n| {} |", cells.join(" | "))
}

/// Texts, borrowed.
pub fn strings(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// The sentences that prescribe a correction, in the clause of a table and in those beside it. Regulations put the factor for a
/// table now into a note, now into its clause, now into the next one.
pub fn rules_around(desk: &mut Desk<'_>, table: &TableView) -> Result<Vec<Rule>, ToolFailure> {
    let mut rules: Vec<Rule> = Vec::new();
    for (titles, of) in table.chapter_path.iter().rev().zip([RuleOf::Clause, RuleOf::Beside]) {
        let Some(content) = desk.find(&ReadChapter::new(&table.reg_id, titles))? else { continue };
        for (page, text) in pages(&content.content_markdown) {
            let words = parts(text).into_iter().filter(|part| part.table.is_none());
            for part in words.map(|part| plain(&part.text)) {
                for sentence in without_notes(&part).flat_map(with_exceptions) {
                    let sentence = sentence.as_str();
                    let is_new = rules.iter().all(|known| known.text != sentence);
                    if is_new && !sentence.contains('|') && !Correction::read(sentence).is_empty() {
                        let statement = Statement::new(sentence, content.cited.at_page(Some(page)));
                        rules.push(Rule { text: sentence.to_owned(), statement, of });
                    }
                }
            }
        }
    }
    Ok(rules)
}

/// The lines of a text that are no notes: those of the table are known, and those of the tables beside it are for other values.
fn without_notes(text: &str) -> impl Iterator<Item = &str> {
    let mut is_under_title = false;
    text.lines().filter(move |line| {
        let line = line.trim();
        let is_title = line.to_ascii_lowercase().starts_with("note") && line.ends_with(':');
        let counts = |numbering: &Numbering| match numbering {
            Numbering::Decimal(parts) => parts.len() == 1,
            Numbering::ParenDigit(_) => true,
            _ => false,
        };
        let is_item = parse_line(line).is_some_and(|line| counts(&line.numbering));
        is_under_title = is_title || is_under_title && (is_item || line.is_empty());
        !is_under_title && parse_definition(line).is_none()
    })
}

/// The sentences of a line, each with the sentences behind it that take it back or limit it.
fn with_exceptions(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for sentence in split_sentences(line) {
        match found.last_mut() {
            Some(last) if is_exception(sentence) => last.push_str(sentence),
            _ => found.push(sentence.to_owned()),
        }
    }
    found
}

/// The parts of a text between its page marks.
fn pages(markdown: &str) -> Vec<(PageNumber, &str)> {
    const MARK: &str = "<!-- 第 ";
    markdown
        .split(MARK)
        .skip(1)
        .filter_map(|part| {
            let (number, text) = part.split_once(" 页")?;
            let (_, text) = text.split_once("-->")?;
            Some((PageNumber::new(number.trim().parse().ok()?)?, text.trim()))
        })
        .collect()
}

/// Markdown without heading marks and empty lines.
fn plain(markdown: &str) -> String {
    let lines =
        markdown.lines().map(|line| line.trim_start_matches('#').trim()).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Part of a clause: running words, or one numbered table with its caption.
#[derive(Debug, Default, PartialEq)]
struct Part {
    text: String,
    table: Option<String>,
}

/// Takes a text apart into its words and its numbered tables. A table begins with a caption that rows follow.
fn parts(text: &str) -> Vec<Part> {
    let lines: Vec<&str> = text.lines().collect();
    let is_row = |line: &str| line.trim_start().starts_with('|');
    let caption = |at: usize| {
        let caption = parse_caption(lines[at].trim().trim_matches('*'))?;
        let next = lines[at + 1..].iter().find(|line| !line.trim().is_empty())?;
        (is_row(next) && !caption.number.is_empty()).then_some(caption.number)
    };
    let mut parts = vec![Part::default()];
    for (at, line) in lines.iter().enumerate() {
        let begins = caption(at);
        let in_table = parts.last().is_some_and(|part| part.table.is_some());
        let goes_on = in_table && (is_row(line) || line.trim().is_empty());
        if begins.is_some() || (in_table && !goes_on) {
            parts.push(Part { text: String::new(), table: begins });
        }
        if let Some(part) = parts.last_mut() {
            part.text.push_str(line);
            part.text.push('\n');
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use regreader_model::Citation;

    use super::*;

    #[test]
    fn a_preview_ends_where_the_next_clause_begins() {
        let next = "3.3 变压器允许过载 120 分钟。\n1. 应先汇报。\n3.3.1 另有规定的除外。\n3.4 冷却器全停时允许 20 分钟。\n第四章 电压";
        assert_eq!(
            of_one_clause(next),
            "3.3 变压器允许过载 120 分钟。\n1. 应先汇报。\n3.3.1 另有规定的除外。"
        );
        assert_eq!(of_one_clause("4.2 限额见表。\n第五章 事故处理\n5.1 汇报"), "4.2 限额见表。");
        let chapter = "第六章 母线失压\n6.1 判断\n6.2 处理";
        assert_eq!(of_one_clause(chapter), chapter);
    }

    #[test]
    fn a_clause_over_two_pages_is_cited_page_by_page() {
        let mut evidence = Evidence::default();
        evidence.quote_clause(&clause(
            cited("angui_2024", "安规2024", 23, "6.2.1"),
            "<!-- 第 23 页 -->\n\n### 6.2.1 母线失压\n\n1.立即汇报国调\n\n<!-- 第 24 页 -->\n\n2.拉开全部开关",
        ));
        assert_eq!(
            shown(&evidence),
            [
                ("[来源: 安规2024 P23 6.2.1]".to_owned(), "6.2.1 母线失压\n1.立即汇报国调"),
                ("[来源: 安规2024 P24 6.2.1]".to_owned(), "2.拉开全部开关"),
            ]
        );
    }

    #[test]
    fn a_clause_called_part_and_estimated_pages_keep_their_citation() {
        let place = Citation { page_approximate: true, ..cited("rel_901", "REL-901", 4, "Part 2.1") };
        let mut evidence = Evidence::default();
        evidence.quote_clause(&clause(place, "<!-- 第 5 页 -->\nThe owner shall report the outage."));
        assert_eq!(
            shown(&evidence),
            [("[来源: REL-901 P5（约） Part 2.1]".to_owned(), "The owner shall report the outage.")]
        );
    }

    #[test]
    fn a_table_in_a_clause_is_cited_by_its_number() {
        let mut evidence = Evidence::default();
        evidence.quote_clause(&clause(
            cited("wengui", "稳规", 11, "3.2.1"),
            "<!-- 第 11 页 -->\n按表3-3执行。\n\n**表3-3 限额表**\n\n| 台数 | 限额 |\n|---|---|\n| 1 | 185 |\n\n调整须报国调。",
        ));
        let citations: Vec<String> = shown(&evidence).into_iter().map(|(citation, _)| citation).collect();
        assert_eq!(citations, ["[来源: 稳规 P11 3.2.1]", "[来源: 稳规 P11 表3-3]", "[来源: 稳规 P11 3.2.1]"]);
    }

    fn cited(reg_id: &str, name: &str, page: u32, target: &str) -> Citation {
        Citation {
            reg_id: reg_id.parse().ok(),
            name: name.to_owned(),
            page_num: PageNumber::new(page),
            target: CitationTarget::read(target),
            ..Citation::default()
        }
    }

    fn clause(cited: Citation, content: &str) -> ChapterContent {
        ChapterContent {
            reg_id: String::new(),
            section_number: String::new(),
            title: String::new(),
            chapter_path: Vec::new(),
            page_range: [PageNumber::FIRST; 2],
            content_markdown: content.to_owned(),
            source: cited.to_string(),
            cited,
            truncated: false,
            next: None,
            edition_notice: None,
        }
    }

    fn shown(evidence: &Evidence) -> Vec<(String, &str)> {
        evidence.measures.iter().map(|one| (one.citation.to_string(), one.text.as_str())).collect()
    }
}
