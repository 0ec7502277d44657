//! Questions that have to be searched for.

use regreader_text::fold;
use serde_json::{Value, json};

use super::{Desk, Evidence, Question};
use crate::ToolFailure;
use crate::offline::evidence::strings;

/// Clauses that are read to find the one that answers.
const MAX_CLAUSES: usize = 10;
/// Tables that are read.
const MAX_TABLES: usize = 3;
/// Rows quoted when the question does not pick any.
const MAX_ROWS: usize = 12;
/// Evidence that covers less than this of the question does not speak of it.
const ENOUGH: f64 = 0.5;
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
    let mut candidates = read_clauses(desk, &hits)?;
    candidates.extend(read_tables(desk, &tables)?);
    let texts: Vec<String> = candidates.iter().map(|candidate| candidate.text.clone()).collect();
    let weights = asked.weigh(&texts);
    let enough = texts.iter().any(|text| asked.coverage(text) >= ENOUGH);
    if !enough || !asked.is_within(&texts) {
        return Ok(());
    }
    let mut ranked: Vec<(f64, Candidate)> = weights.into_iter().zip(candidates).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = ranked.first().map_or(0.0, |(weight, _)| *weight);
    let mut taken: Vec<String> = Vec::new();
    for (weight, candidate) in ranked {
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

/// The two questions in `X的A和B`.
fn aspects(text: &str) -> Option<[String; 2]> {
    let text = text.trim().trim_end_matches(['？', '?', '。', '！']);
    let (head, tail) = text.split_once('的')?;
    let (first, second) = tail.split_once(['和', '与', '及'])?;
    let fits = |part: &str, most: usize| (2..=most).contains(&part.chars().count());
    let plain = !text.contains(['，', ',', '；', '。']) && !second.contains(['和', '与', '的']);
    let whole = fits(head, 16) && fits(first, 10) && fits(second, 10) && plain;
    whole.then(|| [format!("{head}的{first}"), format!("{head}的{second}")])
}

fn read_clauses(desk: &mut Desk<'_>, hits: &Value) -> Result<Vec<Candidate>, ToolFailure> {
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
        candidates.push(Candidate { reg_id, text, found: Found::Clause(content) });
    }
    Ok(candidates)
}

fn read_tables(desk: &mut Desk<'_>, tables: &Value) -> Result<Vec<Candidate>, ToolFailure> {
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
        candidates.push(Candidate { reg_id, text, found: Found::Table(table) });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_things_asked_at_once_are_two_questions() {
        let both = aspects("天中直流的稳定限额和安控措施？").unwrap();
        assert_eq!(both, ["天中直流的稳定限额", "天中直流的安控措施"]);
        for whole in ["母线失压怎么处理？", "甲站的装置1退出后，限额和措施？", "主站和子站的通道"]
        {
            assert!(aspects(whole).is_none(), "{whole}");
        }
    }
}
