//! Questions that have to be searched for.

use regreader_text::{aspects, fold};
use serde_json::{Value, json};

use super::{Desk, Evidence, Question};
use crate::ToolFailure;
use crate::offline::evidence::{is_heading, strings};

/// Clauses that are read to find the one that answers.
const MAX_CLAUSES: usize = 10;
/// Tables that are read.
const MAX_TABLES: usize = 3;
/// Rows quoted when the question does not pick any.
const MAX_ROWS: usize = 12;
/// Evidence that covers less than this of the question does not speak of it.
const ENOUGH: f64 = 0.5;
/// What covers less than this must have been found by meaning as well …
const PLENTY: f64 = 0.6;
/// … with a score of at least this.
const SURE: f64 = 0.6;
/// Further evidence must come this near the best …
const NEAR_BEST: f64 = 0.8;
/// … or this near when it is the first of another regulation.
const SHARED: f64 = 0.45;
/// Clauses and tables that are quoted …
const MOST: usize = 4;
/// … and for each of two things asked at once.
const MOST_OF_EACH: usize = 3;

/// Something that may answer.
struct Candidate {
    reg_id: String,
    text: String,
    /// How well search found it, 1 for the best hit.
    found_at: f64,
    found: Found,
}

enum Found {
    Clause(Value),
    Table(Value),
}

/// Searches, reads what was found, and keeps what speaks of the question. None when nothing does.
pub fn look_for(desk: &mut Desk<'_>, asked: &Question) -> Result<Option<Evidence>, ToolFailure> {
    let mut evidence = Evidence::default();
    match aspects(&asked.text) {
        // 天中直流的稳定限额和安控措施: each is asked for by itself, and stands elsewhere.
        Some(both) => {
            for text in both {
                let one = Question::read(&text, &desk.names());
                gather(desk, &one, &mut evidence, MOST_OF_EACH)?;
            }
        }
        None => gather(desk, asked, &mut evidence, MOST)?,
    }
    Ok((!evidence.measures.is_empty()).then_some(evidence))
}

fn gather(
    desk: &mut Desk<'_>,
    asked: &Question,
    evidence: &mut Evidence,
    most: usize,
) -> Result<(), ToolFailure> {
    let scope = desk.scope();
    let hits = desk.call("smart_search", json!({ "query": asked.text, "reg_id": scope, "limit": 15 }))?;
    let tables =
        desk.call("search_tables", json!({ "query": asked.text, "reg_id": scope, "limit": MAX_TABLES }))?;
    let list = |found: &Value, key: &str| found[key].as_array().cloned().unwrap_or_default();
    let (hits, tables) = (list(&hits, "hits"), list(&tables, "tables"));
    let mut candidates = read_clauses(desk, &hits)?;
    candidates.extend(read_tables(desk, &hits, &tables)?);
    let texts: Vec<String> = candidates.iter().map(|candidate| candidate.text.clone()).collect();
    let weights = asked.weigh(&texts);
    let covered = texts.iter().map(|text| asked.coverage(text)).fold(0.0, f64::max);
    let sure = covered >= PLENTY || hits.first().is_some_and(|hit| score(hit) >= SURE);
    if covered < ENOUGH || !sure || !asked.is_within(&texts) {
        return Ok(());
    }
    // What the words say and what search says count alike.
    let joined = |(weight, candidate): (f64, Candidate)| {
        let both = if weight > 0.0 { weight + candidate.found_at } else { 0.0 };
        (both, candidate)
    };
    let mut ranked: Vec<(f64, Candidate)> = weights.into_iter().zip(candidates).map(joined).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = ranked.first().map_or(0.0, |(weight, _)| *weight);
    let mut taken: Vec<String> = quote_picked(desk, &tables, evidence)?;
    for (weight, candidate) in ranked {
        if matches!(&candidate.found, Found::Table(table) if evidence.has_picked(table)) {
            continue;
        }
        let first_of_regulation = !taken.contains(&candidate.reg_id);
        let near = weight >= best * NEAR_BEST;
        // A question over two regulations is answered from both, each covering its share.
        let shared = first_of_regulation && weight >= best * SHARED;
        if weight <= 0.0 || taken.len() >= most || !(taken.is_empty() || near || shared) {
            continue;
        }
        taken.push(candidate.reg_id);
        match candidate.found {
            Found::Clause(content) => evidence.quote_clause(&content),
            Found::Table(table) => {
                evidence.quote_rows(&table, &picked_rows(asked, &table));
                evidence.mind_notes(&table);
            }
        }
    }
    Ok(())
}

/// Quotes the rows that the question's conditions pick, of the table that fits best, and says of which regulation.
fn quote_picked(
    desk: &mut Desk<'_>,
    tables: &[Value],
    evidence: &mut Evidence,
) -> Result<Vec<String>, ToolFailure> {
    let Some(hit) = tables.first() else { return Ok(Vec::new()) };
    let rows: Vec<&Value> = hit["rows"].as_array().into_iter().flatten().take(MAX_ROWS).collect();
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let arguments = json!({ "reg_id": hit["reg_id"], "table_id": hit["table_id"] });
    let Some(table) = desk.find("get_table_by_id", arguments)? else { return Ok(Vec::new()) };
    evidence.pick_rows(&table, &rows);
    evidence.mind_notes(&table);
    Ok(hit["reg_id"].as_str().map(str::to_owned).into_iter().collect())
}

/// The clauses that search found, read whole.
fn read_clauses(desk: &mut Desk<'_>, hits: &[Value]) -> Result<Vec<Candidate>, ToolFailure> {
    let mut candidates = Vec::new();
    for (reg_id, section, found_at) in best_of(hits, "section_number", MAX_CLAUSES) {
        let arguments = json!({ "reg_id": reg_id, "section_number": section, "include_children": false });
        let Some(content) = desk.find("read_chapter_content", arguments)? else { continue };
        if is_heading(&content) {
            continue;
        }
        let text = format!(
            "{}\n{}",
            strings(&content["chapter_path"]).join("\n"),
            content["content_markdown"].as_str().unwrap_or_default()
        );
        candidates.push(Candidate { reg_id, text, found_at, found: Found::Clause(content) });
    }
    Ok(candidates)
}

/// The tables that search found, and those that table search found behind them.
fn read_tables(desk: &mut Desk<'_>, hits: &[Value], tables: &[Value]) -> Result<Vec<Candidate>, ToolFailure> {
    let mut wanted = best_of(hits, "table_id", MAX_TABLES);
    for (reg_id, table_id, _) in best_of(tables, "table_id", MAX_TABLES) {
        if !wanted.iter().any(|(reg, table, _)| *reg == reg_id && *table == table_id) {
            wanted.push((reg_id, table_id, 0.0));
        }
    }
    let mut candidates = Vec::new();
    for (reg_id, table_id, found_at) in wanted {
        let arguments = json!({ "reg_id": reg_id, "table_id": table_id });
        let Some(table) = desk.find("get_table_by_id", arguments)? else { continue };
        let text = format!(
            "{}\n{}",
            strings(&table["chapter_path"]).join("\n"),
            table["markdown"].as_str().unwrap_or_default()
        );
        candidates.push(Candidate { reg_id, text, found_at, found: Found::Table(table) });
    }
    Ok(candidates)
}

fn score(hit: &Value) -> f64 {
    hit["score"].as_f64().unwrap_or(0.0).max(0.0)
}

/// The first places under a key in some hits: regulation, place, and its best score as a share of the best of all.
fn best_of(hits: &[Value], key: &str, most: usize) -> Vec<(String, String, f64)> {
    let top = hits.iter().map(score).fold(0.0, f64::max);
    let mut found: Vec<(String, String, f64)> = Vec::new();
    for hit in hits {
        let (Some(reg_id), Some(place)) = (hit["reg_id"].as_str(), hit[key].as_str()) else { continue };
        let known = found.iter().any(|(reg, known, _)| reg == reg_id && known == place);
        if !known && found.len() < most {
            let share = if top > 0.0 { score(hit) / top } else { 0.0 };
            found.push((reg_id.to_owned(), place.to_owned(), share));
        }
    }
    found
}

/// The rows that the question picks by its words and numbers; the first ones when it picks none.
fn picked_rows<'a>(asked: &Question, table: &'a Value) -> Vec<&'a Value> {
    let rows: Vec<&Value> = table["rows"].as_array().into_iter().flatten().collect();
    let score = |row: &Value| -> usize {
        let cells = strings(&row["cells"]).into_iter().map(fold).filter(|cell| !cell.is_empty());
        cells.filter(|cell| stands_in(&asked.folded, cell)).count()
    };
    let scores: Vec<usize> = rows.iter().map(|row| score(row)).collect();
    match scores.iter().max() {
        Some(&best) if best > 0 => rows
            .into_iter()
            .zip(scores)
            .filter(|(_, score)| *score == best)
            .map(|(row, _)| row)
            .take(MAX_ROWS)
            .collect(),
        _ => rows.into_iter().take(MAX_ROWS).collect(),
    }
}

/// Whether a cell's words or number stand in the question, a number as a number of its own.
fn stands_in(question: &str, cell: &str) -> bool {
    question.match_indices(cell).any(|(at, _)| {
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let before = question[..at].chars().next_back();
        let after = question[at + cell.len()..].chars().next();
        let cut_left = cell.starts_with(|c: char| c.is_ascii_digit()) && digit(before);
        let cut_right = cell.ends_with(|c: char| c.is_ascii_digit()) && digit(after);
        !cut_left && !cut_right
    })
}
