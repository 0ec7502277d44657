//! What a run measured: as JSON to keep and compare, as Markdown to read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answers::AnswerScores;
use crate::editions::EditionScores;
use crate::library::SelectionScores;
use crate::{EvalError, Scores};

/// The same questions by words alone, by meaning alone, joined by reciprocal ranks, and joined as the settings say.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Legs {
    /// Words alone.
    pub keyword: Scores,
    /// Meaning alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector: Option<Scores>,
    /// Reciprocal rank fusion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rrf: Option<Scores>,
    /// The fusion of the settings.
    pub fused: Scores,
}

/// What a run measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// Which set.
    pub set: String,
    /// What is counted: `page` or `article`.
    pub unit: String,
    /// How many questions were read.
    pub questions: usize,
    /// How many pages or articles were searched.
    pub searched: usize,
    /// The embedding, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<String>,
    /// The figures.
    #[serde(flatten)]
    pub legs: Legs,
    /// The same by something else: `table`, `clause`, `page, regulation given`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by: BTreeMap<String, Legs>,
    /// The same for each kind of question.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<String, Legs>,
    /// The same with other embeddings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub beside: BTreeMap<String, Legs>,
    /// How regulations were chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectionScores>,
    /// Clause numbers of the set that the chapter tree holds on the right page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clauses: Option<ClauseScores>,
    /// BM25 over whole pages, which search must beat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<Scores>,
    /// How the agent answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnswerScores>,
    /// How the tools on editions answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub editions: Option<EditionScores>,
    /// Questions whose needs were not all met by the first ten of the fused ranking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<String>,
}

/// Which clauses that a set asks for are in the chapter tree.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ClauseScores {
    /// How many different clauses the set names.
    pub named: usize,
    /// How many of them are in the tree.
    pub in_tree: usize,
    /// How many of them are there with a page that the set gives.
    pub on_page: usize,
    /// Those that are not.
    pub missing: Vec<String>,
}

/// A figure that is worse than it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// Which figure: `fused.recall@10`.
    pub figure: String,
    /// What it was.
    pub was: f64,
    /// What it is.
    pub is: f64,
}

impl Report {
    /// Reads a report that was saved.
    pub fn read(path: &Path) -> Result<Self, EvalError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| EvalError::Read { path: path.to_owned(), source })?;
        serde_json::from_str(&text)
            .map_err(|error| EvalError::Baseline { path: path.to_owned(), problem: error.to_string() })
    }

    /// The figures that are worse than in an earlier report by more than `tolerance`. A figure that only one of them
    /// has is no regression.
    pub fn regressions(&self, earlier: &Self, tolerance: f64) -> Vec<Regression> {
        let (mut was, mut is) = (BTreeMap::new(), BTreeMap::new());
        figures("", &serde_json::to_value(earlier).unwrap_or_default(), &mut was);
        figures("", &serde_json::to_value(self).unwrap_or_default(), &mut is);
        was.into_iter()
            .filter_map(|(figure, was)| {
                let is = *is.get(&figure)?;
                let less_is_better = figure.ends_with("false_refusals") || figure.ends_with("wrong");
                let worse = if less_is_better { is - was } else { was - is };
                (worse > tolerance + 1e-9).then_some(Regression { figure, was, is })
            })
            .collect()
    }

    /// The report as a person reads it.
    pub fn to_markdown(&self) -> String {
        let mut text =
            format!("# {}\n\n{} questions, {} {}s", self.set, self.questions, self.searched, self.unit);
        if let Some(embedding) = &self.embedding {
            let _ = write!(text, ", embedding {embedding}");
        }
        text.push_str(
            "\n\n| by | leg | n | hit@1 | hit@3 | hit@5 | hit@10 | R@1 | R@3 | R@5 | R@10 | R@100 | MRR@10 | nDCG@10 |\n",
        );
        text.push_str("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
        rows(&mut text, &self.unit, &self.legs);
        if let Some(floor) = &self.floor {
            row(&mut text, &self.unit, "BM25 floor", floor);
        }
        for (by, legs) in &self.by {
            rows(&mut text, by, legs);
        }
        for (model, legs) in &self.beside {
            rows(&mut text, &format!("{}, {model}", self.unit), legs);
        }
        if self.kinds.len() > 1 {
            for (kind, legs) in &self.kinds {
                row(&mut text, kind, "fused", &legs.fused);
            }
        }
        if let Some(chosen) = &self.selection {
            let _ = writeln!(
                text,
                "\nRegulations chosen ({} questions, {} of them name one): all that are needed {:.3}, those and no \
                 other {:.3}; where none is named, the one with the best hit {:.3}.",
                chosen.questions, chosen.named, chosen.complete, chosen.exact, chosen.best_hit_kept
            );
            listed(&mut text, "Not chosen though needed", &chosen.missed);
        }
        if let Some(clauses) = &self.clauses {
            let _ = writeln!(
                text,
                "\nClauses named {}, in the tree {}, there with the right page {}.",
                clauses.named, clauses.in_tree, clauses.on_page
            );
            listed(&mut text, "Missing", &clauses.missing);
        }
        if let Some(answers) = &self.answers {
            write_answers(&mut text, answers);
        }
        if let Some(editions) = &self.editions {
            write_editions(&mut text, editions);
        }
        listed(&mut text, "\nNot all in the first ten", &self.missed);
        text
    }
}

fn rows(text: &mut String, by: &str, legs: &Legs) {
    row(text, by, "keyword", &legs.keyword);
    if let Some(vector) = &legs.vector {
        row(text, by, "vector", vector);
    }
    if let Some(rrf) = &legs.rrf {
        row(text, by, "rrf", rrf);
    }
    row(text, by, "fused", &legs.fused);
}

fn row(text: &mut String, by: &str, leg: &str, s: &Scores) {
    let _ = writeln!(
        text,
        "| {by} | {leg} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
        s.questions,
        s.hit_1,
        s.hit_3,
        s.hit_5,
        s.hit_10,
        s.recall_1,
        s.recall_3,
        s.recall_5,
        s.recall_10,
        s.recall_100,
        s.mrr_10,
        s.ndcg_10
    );
}

fn write_answers(text: &mut String, answers: &AnswerScores) {
    text.push_str("\n| answers | n | right | short | shown | wrong |\n|---|---|---|---|---|---|\n");
    let _ = writeln!(
        text,
        "| all | {} | {:.3} | {:.3} | {:.3} | {:.3} |",
        answers.answerable, answers.right, answers.short, answers.shown, answers.wrong
    );
    for (kind, scores) in answers.kinds.iter().filter(|_| answers.kinds.len() > 1) {
        let _ = writeln!(
            text,
            "| {kind} | {} | {:.3} | {:.3} | {:.3} | {:.3} |",
            scores.questions, scores.right, scores.short, scores.shown, scores.wrong
        );
    }
    let _ = writeln!(
        text,
        "\n| | |\n|---|---|\n| unanswerable | {} |\n| of them not answered | {:.3} |\n| median characters of an answer | \
         {} |\n| … as printed, with headings and citations | {} |\n| shown, and the passages say what is wanted | {:.3} |\n| \
         every needed page cited | {:.3} |\n| some needed page cited | {:.3} |\n| first citation right | {:.3} |\n| \
         contains what it must | {:.3} |\n| not answered though answerable | {:.3} |\n| statements verified | {:.3} |\n| \
         citations an answer | {:.1} |",
        answers.unanswerable,
        answers.refused,
        answers.median_chars,
        answers.median_printed,
        answers.shown_in_words,
        answers.evidence_cited,
        answers.some_evidence_cited,
        answers.cited_first,
        answers.contains,
        answers.false_refusals,
        answers.verified,
        answers.citations
    );
    for failure in &answers.failures {
        let _ = writeln!(
            text,
            "- {} {}: {} {} {}",
            failure.id,
            failure.what,
            failure.question,
            failure.missing.join(" "),
            failure.cited.join(" ")
        );
    }
}

fn write_editions(text: &mut String, editions: &EditionScores) {
    text.push_str("\n| editions | n | exact | recall | precision |\n|---|---|---|---|---|\n");
    for (kind, scores) in &editions.kinds {
        let _ = writeln!(
            text,
            "| {kind} | {} | {:.3} | {:.3} | {:.3} |",
            scores.questions, scores.exact, scores.recall, scores.precision
        );
    }
    for failure in &editions.failures {
        let _ = writeln!(text, "- {failure}");
    }
}

fn listed(text: &mut String, title: &str, names: &[String]) {
    if !names.is_empty() {
        let _ = writeln!(text, "{title}: {}", names.join(" "));
    }
}

/// Every rate in a report by its path. Counts and names are no figures: another set of another size has others.
fn figures(path: &str, value: &Value, into: &mut BTreeMap<String, f64>) {
    if let Value::Object(fields) = value {
        for (name, value) in fields {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match value.as_f64() {
                Some(figure) if value.is_f64() => {
                    into.insert(path, figure);
                }
                _ => figures(&path, value, into),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(recall: f64, refusals: f64) -> Report {
        Report {
            set: "set".to_owned(),
            unit: "page".to_owned(),
            legs: Legs { fused: Scores { recall_10: recall, ..Scores::default() }, ..Legs::default() },
            answers: Some(AnswerScores { false_refusals: refusals, ..AnswerScores::default() }),
            ..Report::default()
        }
    }

    #[test]
    fn a_fall_is_a_regression_and_a_rise_is_none() {
        let (earlier, later) = (report(0.9, 0.0), report(0.85, 0.1));
        let found = later.regressions(&earlier, 0.01);
        let names: Vec<&str> = found.iter().map(|one| one.figure.as_str()).collect();
        assert_eq!(names, ["answers.false_refusals", "fused.recall@10"]);
        assert!(later.regressions(&earlier, 0.2).is_empty());
        assert!(earlier.regressions(&later, 0.01).is_empty());
    }

    #[test]
    fn a_report_can_be_kept_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let kept = report(0.5, 0.0);
        std::fs::write(&path, serde_json::to_string(&kept).unwrap()).unwrap();
        assert_eq!(Report::read(&path).unwrap(), kept);
        std::fs::write(&path, "[]").unwrap();
        assert!(matches!(Report::read(&path).unwrap_err(), EvalError::Baseline { .. }));
    }

    #[test]
    fn the_legs_stand_at_the_top_of_the_json() {
        let value = serde_json::to_value(report(0.5, 0.0)).unwrap();
        assert!((value["fused"]["recall@10"].as_f64().unwrap() - 0.5).abs() < 1e-9);
        assert!(value["keyword"]["mrr@10"].is_number());
    }
}
