//! Questions put to the search of a library: is the right page, table, clause and regulation among the first?

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{RegId, SearchHit};
use regreader_search::{RegulationScope, SearchEngine, SearchRequest, TableSearchRequest};
use serde::{Deserialize, Serialize};

use crate::metrics::{rounded, share};
use crate::questions::clause_forms;
use crate::{EvalError, Judged, Question};

/// How deep rankings are looked into.
const DEPTH: usize = 100;

/// Which regulations a question is put to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// Those that the engine chooses.
    Chosen,
    /// Those that the question is about, told beforehand.
    Given,
}

/// How every question went by page. Questions without a page give an empty judgement.
pub fn by_page(
    engine: &SearchEngine,
    questions: &[Question],
    within: Within,
) -> Result<Vec<Judged>, EvalError> {
    let judge = |question: &Question| {
        if question.needs.is_empty() {
            return Ok(Judged::default());
        }
        let hits = search(engine, question, within, true)?;
        let meets = |need: &crate::Need, hit: &SearchHit| need.is_met_by(&hit.reg_id, hit.page_num.get());
        Ok(Judged::new(&question.needs, &hits, meets))
    };
    questions.iter().map(judge).collect()
}

/// How every question went by clause: a hit in the clause itself or below it.
pub fn by_clause(engine: &SearchEngine, questions: &[Question]) -> Result<Vec<Judged>, EvalError> {
    let judge = |question: &Question| {
        if question.clauses.is_empty() {
            return Ok(Judged::default());
        }
        let hits = search(engine, question, Within::Chosen, false)?;
        Ok(Judged::new(&question.clauses, &hits, |(reg_id, clause), hit| {
            let number = hit.section_number.as_ref().map_or("", |number| number.as_str());
            hit.reg_id == *reg_id && clause_forms(clause).iter().any(|form| is_within(number, form.as_str()))
        }))
    };
    questions.iter().map(judge).collect()
}

/// How every question went by table search.
pub fn by_table(engine: &SearchEngine, questions: &[Question]) -> Result<Vec<Judged>, EvalError> {
    let judge = |question: &Question| {
        if question.tables.is_empty() {
            return Ok(Judged::default());
        }
        let mut request = TableSearchRequest::of(engine.question(&question.question)?);
        request.limit = DEPTH;
        let found = engine.search_tables(&request)?;
        Ok(Judged::new(&question.tables, &found.hits, |(reg_id, table), hit| {
            hit.reg_id == *reg_id && is_table(hit.number.as_deref(), hit.table_id.as_str(), table)
        }))
    };
    questions.iter().map(judge).collect()
}

/// How regulations were chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SelectionScores {
    /// How many questions name the regulations they are about.
    pub questions: usize,
    /// Share of them for which all of those were chosen.
    pub complete: f64,
    /// Share of them for which those were chosen and no other.
    pub exact: f64,
    /// How many of them name a regulation, which then decides.
    #[serde(default)]
    pub named: usize,
    /// Share of the others where the regulation with the best hit over the whole library was chosen.
    pub best_hit_kept: f64,
    /// Questions for which something needed was not chosen.
    pub missed: Vec<String>,
}

/// Whether the right regulations are chosen.
pub fn selection(engine: &SearchEngine, questions: &[Question]) -> Result<SelectionScores, EvalError> {
    let mut scores = SelectionScores::default();
    let (mut complete, mut exact, mut kept) = (0, 0, 0);
    for question in questions.iter().filter(|one| !one.refusal && !one.regulations.is_empty()) {
        scores.questions += 1;
        let found = engine.search(&SearchRequest::of(engine.question(&question.question)?))?;
        let chosen: BTreeSet<RegId> = found
            .selection
            .iter()
            .flat_map(|selection| &selection.chosen)
            .map(|one| one.reg_id.clone())
            .collect();
        let wanted: BTreeSet<RegId> = question.regulations.iter().cloned().collect();
        if wanted.is_subset(&chosen) {
            complete += 1;
        } else {
            scores.missed.push(question.id.clone());
        }
        exact += usize::from(wanted == chosen);
        if found.selection.as_ref().is_some_and(|selection| selection.by_name) {
            scores.named += 1;
            continue;
        }
        let everywhere = engine.search(
            &SearchRequest::of(engine.question(&question.question)?).scope(RegulationScope::All).limit(1),
        )?;
        // An edition that is out of force speaks for the one that replaced it.
        let aside = found.selection.iter().flat_map(|selection| &selection.superseded);
        let stands_for: BTreeMap<&RegId, &RegId> =
            aside.map(|old| (&old.reg_id, &old.superseded_by)).collect();
        let is_chosen = |reg_id: &RegId| chosen.contains(*stands_for.get(reg_id).unwrap_or(&reg_id));
        kept += usize::from(everywhere.hits.first().is_none_or(|best| is_chosen(&best.reg_id)));
    }
    scores.complete = rounded(share(complete, scores.questions));
    scores.exact = rounded(share(exact, scores.questions));
    scores.best_hit_kept = rounded(share(kept, scores.questions - scores.named));
    Ok(scores)
}

fn search(
    engine: &SearchEngine,
    question: &Question,
    within: Within,
    collapse_pages: bool,
) -> Result<Vec<SearchHit>, EvalError> {
    let scope = match within {
        Within::Chosen => RegulationScope::Auto,
        Within::Given => RegulationScope::These(question.regulations.clone()),
    };
    let mut request = SearchRequest::of(engine.question(&question.question)?).scope(scope).limit(DEPTH);
    request.collapse_pages = collapse_pages;
    Ok(engine.search(&request)?.hits)
}

/// Whether a clause number is this one or below it.
fn is_within(number: &str, clause: &str) -> bool {
    number.strip_prefix(clause).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether a table is the one that the set names, by id or by number.
fn is_table(number: Option<&str>, id: &str, name: &str) -> bool {
    id == name || number == Some(name.trim_start_matches('表').trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_holds_what_is_below_it() {
        assert!(is_within("2.1.4", "2.1.4") && is_within("2.1.4.1", "2.1.4"));
        assert!(!is_within("2.1.40", "2.1.4") && !is_within("2.1", "2.1.4") && !is_within("", "2"));
    }

    #[test]
    fn a_table_is_known_by_its_number() {
        assert!(is_table(Some("3-1"), "t1", "3-1") && is_table(Some("3-1"), "t1", "表3-1"));
        assert!(!is_table(Some("3-10"), "t1", "3-1"));
        assert!(is_table(None, "t1", "t1") && !is_table(None, "t1", "3-1"));
    }
}
