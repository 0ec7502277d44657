//! Questions that have to be searched for.

use regreader_text::fold;
use serde_json::{Value, json};

use super::{Desk, Evidence, Question};
use crate::ToolFailure;
use crate::offline::evidence::strings;

/// Clauses that are read to find the one that answers.
const MAX_CLAUSES: usize = 8;
/// Tables that are read.
const MAX_TABLES: usize = 3;
/// Rows quoted when the question does not pick any.
const MAX_ROWS: usize = 12;
/// Evidence that covers less than this of the question does not speak of it.
const ENOUGH: f64 = 0.55;
/// Further evidence must come this near the best.
const NEAR_BEST: f64 = 0.85;

/// Something that may answer.
struct Candidate {
    reg_id: String,
    coverage: f64,
    found: Found,
}

enum Found {
    Clause(Value),
    Table(Value),
}

/// Searches, reads what was found, and keeps what speaks of the question. None when nothing does.
pub fn look_for(desk: &mut Desk<'_>, asked: &Question) -> Result<Option<Evidence>, ToolFailure> {
    let scope = match desk.options.regulations.as_slice() {
        [] => Value::Null,
        given => json!(given),
    };
    let hits = desk.call("smart_search", json!({ "query": asked.text, "reg_id": scope, "limit": 15 }))?;
    let tables =
        desk.call("search_tables", json!({ "query": asked.text, "reg_id": scope, "limit": MAX_TABLES }))?;
    let mut candidates = read_clauses(desk, asked, &hits)?;
    candidates.extend(read_tables(desk, asked, &tables)?);
    candidates.sort_by(|a, b| b.coverage.total_cmp(&a.coverage));
    let Some(best) = candidates.first().map(|candidate| candidate.coverage).filter(|best| *best >= ENOUGH)
    else {
        return Ok(None);
    };
    let mut evidence = Evidence::default();
    let mut taken: Vec<String> = Vec::new();
    for candidate in candidates {
        let first_of_regulation = !taken.contains(&candidate.reg_id);
        let near = candidate.coverage >= best * NEAR_BEST;
        // A question over two regulations is answered from both, each covering its share.
        let shared = first_of_regulation && candidate.coverage >= ENOUGH * NEAR_BEST;
        if !(taken.is_empty() || (near && taken.len() < 4) || (shared && taken.len() < 4)) {
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
    Ok(Some(evidence))
}

fn read_clauses(desk: &mut Desk<'_>, asked: &Question, hits: &Value) -> Result<Vec<Candidate>, ToolFailure> {
    let mut seen: Vec<(String, String)> = Vec::new();
    for hit in hits["hits"].as_array().into_iter().flatten() {
        let (Some(reg_id), Some(section)) = (hit["reg_id"].as_str(), hit["section_number"].as_str()) else {
            continue;
        };
        let key = (reg_id.to_owned(), section.to_owned());
        if !seen.contains(&key) && seen.len() < MAX_CLAUSES {
            seen.push(key);
        }
    }
    let mut candidates = Vec::new();
    for (reg_id, section) in seen {
        let arguments = json!({ "reg_id": reg_id, "section_number": section, "include_children": false });
        let Some(content) = desk.find("read_chapter_content", arguments)? else { continue };
        let text = format!(
            "{}\n{}",
            strings(&content["chapter_path"]).join("\n"),
            content["content_markdown"].as_str().unwrap_or_default()
        );
        candidates.push(Candidate { reg_id, coverage: asked.coverage(&text), found: Found::Clause(content) });
    }
    Ok(candidates)
}

fn read_tables(desk: &mut Desk<'_>, asked: &Question, tables: &Value) -> Result<Vec<Candidate>, ToolFailure> {
    let mut candidates = Vec::new();
    for hit in tables["tables"].as_array().into_iter().flatten().take(MAX_TABLES) {
        let reg_id = hit["reg_id"].as_str().unwrap_or_default().to_owned();
        let arguments = json!({ "reg_id": reg_id, "table_id": hit["table_id"] });
        let Some(table) = desk.find("get_table_by_id", arguments)? else { continue };
        let text = format!(
            "{}\n{}",
            strings(&table["chapter_path"]).join("\n"),
            table["markdown"].as_str().unwrap_or_default()
        );
        candidates.push(Candidate { reg_id, coverage: asked.coverage(&text), found: Found::Table(table) });
    }
    Ok(candidates)
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
