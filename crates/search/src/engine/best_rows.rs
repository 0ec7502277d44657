//! Tables by their rows. A limit table over three pages is one long document to an index: what a question asks for is
//! a row of it, and the page that the row stands on.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::PageNumber;
use regreader_question::Question;
use regreader_text::TermCounter;

use super::SearchEngine;
use crate::rows::TableKey;
use regreader_index::Fusion;
use regreader_index::IndexError;
use regreader_index::Ranking;
use regreader_index::storage::catalog::CatalogView;

/// Tables that are read row by row for the conditions of a question.
const TABLES: usize = 6;
/// Conditions below which a question picks no row.
const CONDITIONS: usize = 2;

/// Raises the tables of a ranking by their best rows, and of each table the part with the row that is asked for. The
/// default fusion alone: the others are what they say and nothing else.
pub(super) fn boost(
    engine: &SearchEngine,
    ranking: &mut Ranking,
    question: &Question,
    weights: &[(String, f32)],
    view: &CatalogView,
) -> Result<(), IndexError> {
    if engine.options().fusion.fusion != Fusion::Adaptive {
        return Ok(());
    }
    let mut parts: BTreeMap<TableKey, Vec<usize>> = BTreeMap::new();
    let counter = TermCounter::new(weights.iter().map(|(word, _)| word));
    for (at, one) in ranking.documents.iter_mut().enumerate() {
        let Some((table_id, text)) = view.table(&one.key)? else { continue };
        one.score += engine.options().ranking.table_row * best_row(text, &counter, weights);
        parts.entry((one.key.reg_id.clone(), table_id)).or_default().push(at);
    }
    if parts.is_empty() {
        return Ok(());
    }
    if question.conditions.len() >= CONDITIONS {
        prefer_parts(engine, ranking, question, &parts)?;
    }
    ranking.documents.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
    Ok(())
}

/// Of the tables that fit the conditions and come near the best, the part on the page of the row goes before it; of
/// the others, before the rest of its own table.
fn prefer_parts(
    engine: &SearchEngine,
    ranking: &mut Ranking,
    question: &Question,
    parts: &BTreeMap<TableKey, Vec<usize>>,
) -> Result<(), IndexError> {
    let weights = engine.options().ranking;
    let best = |places: &[usize]| {
        let scores = places.iter().filter_map(|at| ranking.documents.get(*at)).map(|one| one.score);
        scores.fold(0.0, f64::max)
    };
    let mut tables: Vec<(f64, &TableKey)> =
        parts.iter().map(|(table, places)| (best(places), table)).collect();
    tables.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let top = tables.first().map_or(0.0, |(score, _)| *score);
    let names: Vec<TableKey> = tables.into_iter().take(TABLES).map(|(_, table)| table.clone()).collect();
    let picked: Vec<(TableKey, BTreeSet<PageNumber>)> = engine.pages_of_rows(question, &names)?;
    let bests: BTreeMap<&TableKey, f64> = parts.iter().map(|(table, places)| (table, best(places))).collect();
    for (table, pages) in picked {
        let own = bests.get(&table).copied().unwrap_or(0.0);
        let first = if own >= top * weights.table_near { top } else { own };
        for at in parts.get(&table).into_iter().flatten() {
            if let Some(one) = ranking.documents.get_mut(*at) {
                one.score = if pages.contains(&one.key.page_num) {
                    first + weights.row_step
                } else {
                    one.score.min(first)
                };
            }
        }
    }
    Ok(())
}

/// Share of the question's weight in the row that holds most of it, words of the caption and header left out: they are
/// in every part of the table.
fn best_row(text: &str, counter: &TermCounter, weights: &[(String, f32)]) -> f64 {
    let total: f32 = weights.iter().map(|(_, weight)| weight).sum();
    if total <= 0.0 {
        return 0.0;
    }
    let mut lines = text.lines();
    let is_row = |line: &str| line.trim_start().starts_with('|');
    let mut head = vec![0; weights.len()];
    for line in lines.by_ref() {
        counter.count(line, &mut head);
        if is_row(line) {
            break;
        }
    }
    let mut counts = vec![0; weights.len()];
    let mut best = 0.0_f32;
    for line in lines.filter(|line| is_row(line)) {
        counts.fill(0);
        counter.count(line, &mut counts);
        let own = weights.iter().zip(&counts).zip(&head);
        let held = own.filter(|((_, count), head)| **count > 0 && **head == 0);
        best = best.max(held.map(|(((_, weight), _), _)| weight).sum());
    }
    f64::from(best / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str =
        "表3-1 压板清单\n\n| 名称 | 状态 |\n|---|---|\n| 三取二降级闭锁压板 | 投入 |\n| 出口压板 | 退出 |";

    fn share_of(text: &str, words: &[&str]) -> f64 {
        let weights: Vec<(String, f32)> = words.iter().map(|word| ((*word).to_owned(), 1.0)).collect();
        best_row(text, &TermCounter::new(words), &weights)
    }

    #[test]
    fn the_best_row_counts_and_the_caption_does_not() {
        let share = share_of(TABLE, &["压板", "降级", "闭锁", "天山"]);
        assert!((share - 0.5).abs() < 1e-9, "two of four words, and 压板 stands in the caption: {share}");
        assert!(share_of(TABLE, &["清单"]).abs() < 1e-9);
        assert!(share_of("", &["清单"]).abs() < 1e-9);
    }

    #[test]
    fn words_of_two_rows_are_not_added_up() {
        let share = share_of(TABLE, &["投入", "退出"]);
        assert!((share - 0.5).abs() < 1e-9, "{share}");
    }
}
