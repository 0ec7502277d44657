//! What was found, as statements with citations, and where its notes and references lead.

use std::collections::BTreeSet;

use regreader_model::ReferenceKind;
use regreader_text::{beginning, find_references};
use serde_json::{Value, json};

use super::Desk;
use super::passage::{Passage, at_page, size};
use super::terms::Terms;
use crate::{Statement, ToolFailure};

/// Notes and references that are followed.
const MAX_CAUTIONS: usize = 6;
/// Statements that are kept of a place that is too long to quote whole.
const MAX_MEASURES: usize = 3;
/// Characters of one followed target that are quoted.
const MAX_PREVIEW: usize = 240;

/// Statements that answer, and what to mind with them.
#[derive(Debug, Default)]
pub struct Evidence {
    pub measures: Vec<Statement>,
    pub cautions: Vec<Statement>,
    pub regulations: Vec<String>,
}

impl Evidence {
    /// Quotes a clause, one statement per page it stands on.
    pub fn quote_clause(&mut self, content: &Value) {
        let source = content["source"].as_str().unwrap_or_default();
        let reg_id = content["reg_id"].as_str().unwrap_or_default();
        for (page, text) in pages(content["content_markdown"].as_str().unwrap_or_default()) {
            let text = plain(text);
            if !text.is_empty() {
                self.add(Statement {
                    text,
                    citation: at_page(source, page),
                    reg_id: reg_id.to_owned(),
                    page_num: page,
                    verified: false,
                });
            }
        }
    }

    /// Quotes rows of a table under its header, one statement per page.
    pub fn quote_rows(&mut self, table: &Value, rows: &[&Value]) {
        let source = table["source"].as_str().unwrap_or_default();
        let caption = table["caption"].as_str().unwrap_or_default();
        let headers: Vec<&str> = strings(&table["col_headers"]);
        let pages: BTreeSet<u64> = rows.iter().filter_map(|row| row["page_num"].as_u64()).collect();
        for page in pages {
            // A clause that was quoted with its table in it has said this.
            let header = format!("| {} |", headers.join(" | "));
            let quoted = |known: &Statement| {
                let same = !caption.is_empty() && known.text.contains(caption);
                known.text.contains('|') && (same || known.text.contains(&header))
            };
            if self.measures.iter().any(|known| u64::from(known.page_num) == page && quoted(known)) {
                continue;
            }
            let mut text = caption.to_owned();
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&format!("{header}\n|{}", "---|".repeat(headers.len())));
            for row in rows.iter().filter(|row| row["page_num"] == page) {
                text.push_str(&format!("\n| {} |", strings(&row["cells"]).join(" | ")));
            }
            let page = u32::try_from(page).unwrap_or(1);
            self.add(Statement {
                text,
                citation: at_page(source, page),
                reg_id: table["reg_id"].as_str().unwrap_or_default().to_owned(),
                page_num: page,
                verified: false,
            });
        }
    }

    /// Quotes a note.
    pub fn quote_note(&mut self, note: &Value) {
        self.add(note_statement(note));
    }

    /// Keeps of long statements what speaks of the question, so that all of them together take about this much room.
    pub fn shorten(&mut self, room: usize, terms: &Terms) {
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
            let text =
                Passage::quoted(&one.text, &one.reg_id, one.page_num, &one.citation).shortened(each, terms);
            Some(Statement { text, ..one.clone() })
        });
        self.measures = shortened.collect();
    }

    /// Adds what a page says, once.
    pub fn add(&mut self, statement: Statement) {
        if !self.regulations.contains(&statement.reg_id) {
            self.regulations.push(statement.reg_id.clone());
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
                    && statement.citation.contains(&format!("表{}]", target.number));
                let known = (statement.reg_id.clone(), words.clone());
                if own_caption || seen.contains(&known) || self.cautions.len() >= MAX_CAUTIONS {
                    continue;
                }
                seen.push(known);
                let Some(found) = resolve(desk, &statement, &words, mention.range.start)? else { continue };
                let title = found["title"].as_str().unwrap_or_default();
                if target.kind == ReferenceKind::Table && !title.is_empty() && self.quotes(title) {
                    continue;
                }
                let caution = reference_statement(&words, &found);
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
    pub fn mind_notes(&mut self, table: &Value) {
        for note in table["notes"].as_array().into_iter().flatten() {
            if self.cautions.len() < MAX_CAUTIONS {
                self.cautions.push(note_statement(note));
            }
        }
    }
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
            let key = (statement.reg_id.clone(), words.clone());
            if places.len() >= most || tried.len() >= MAX_CAUTIONS || tried.contains(&key) {
                continue;
            }
            tried.push(key);
            let Some(found) = resolve(desk, statement, &words, mention.range.start)? else { continue };
            let citation = found["location"]["citation"].as_str().unwrap_or_default().to_owned();
            let known = statements.iter().any(|known| known.citation == citation);
            if !known && !citation.is_empty() && !places.contains(&citation) {
                places.push(citation);
            }
        }
    }
    Ok(places)
}

/// Where a reference leads. The words before it may name another regulation by its alias: 按安规2024第六章处理.
fn resolve(
    desk: &mut Desk<'_>,
    statement: &Statement,
    words: &str,
    at: usize,
) -> Result<Option<Value>, ToolFailure> {
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
    let arguments = json!({
        "reg_id": statement.reg_id, "reference_text": reference, "page_hint": statement.page_num
    });
    desk.find("resolve_reference", arguments)
}

pub fn note_statement(note: &Value) -> Statement {
    let label = note["printed_label"].as_str().or_else(|| note["annotation_id"].as_str()).unwrap_or_default();
    Statement {
        text: format!("{label}：{}", note["content"].as_str().unwrap_or_default()),
        citation: note["source"].as_str().unwrap_or_default().to_owned(),
        reg_id: note["reg_id"].as_str().unwrap_or_default().to_owned(),
        page_num: page_number(&note["page_num"]),
        verified: false,
    }
}

fn reference_statement(words: &str, found: &Value) -> Statement {
    let place = &found["location"];
    let preview = plain(found["preview"].as_str().unwrap_or_default());
    let preview = beginning(&preview, MAX_PREVIEW);
    Statement {
        text: format!("{words} → {preview}"),
        citation: place["citation"].as_str().unwrap_or_default().to_owned(),
        reg_id: place["reg_id"].as_str().unwrap_or_default().to_owned(),
        page_num: page_number(&place["page_num"]),
        verified: false,
    }
}

/// The list of strings in a JSON array.
pub fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A page of a result.
pub fn page_number(value: &Value) -> u32 {
    value.as_u64().and_then(|page| u32::try_from(page).ok()).unwrap_or(1)
}

/// The parts of a text between its page marks.
fn pages(markdown: &str) -> Vec<(u32, &str)> {
    const MARK: &str = "<!-- 第 ";
    markdown
        .split(MARK)
        .skip(1)
        .filter_map(|part| {
            let (number, text) = part.split_once(" 页")?;
            let (_, text) = text.split_once("-->")?;
            Some((number.trim().parse().ok()?, text.trim()))
        })
        .collect()
}

/// Markdown without heading marks and empty lines.
fn plain(markdown: &str) -> String {
    let lines =
        markdown.lines().map(|line| line.trim_start_matches('#').trim()).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_over_two_pages_is_cited_page_by_page() {
        let content = json!({
            "reg_id": "angui_2024",
            "source": "[来源: 安规2024 P23 6.2.1]",
            "content_markdown": "<!-- 第 23 页 -->\n\n### 6.2.1 母线失压\n\n1.立即汇报国调\n\n<!-- 第 24 页 -->\n\n2.拉开全部开关",
        });
        let mut evidence = Evidence::default();
        evidence.quote_clause(&content);
        let shown: Vec<_> =
            evidence.measures.iter().map(|s| (s.page_num, s.citation.as_str(), s.text.as_str())).collect();
        assert_eq!(
            shown,
            [
                (23, "[来源: 安规2024 P23 6.2.1]", "6.2.1 母线失压\n1.立即汇报国调"),
                (24, "[来源: 安规2024 P24 6.2.1]", "2.拉开全部开关"),
            ]
        );
    }
}
