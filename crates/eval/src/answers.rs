//! Questions put to an agent: does it cite the right page, say the right thing, and say no when it should?

use regreader_agent::{Answer, Outcome};
use regreader_text::fold;
use serde::{Deserialize, Serialize};

use crate::metrics::{rounded, share};
use crate::{EvalError, Question};

/// How an agent answered a set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AnswerScores {
    /// Questions that have an answer.
    pub answerable: usize,
    /// Share of them whose every needed page was cited.
    pub evidence_cited: f64,
    /// Share of them for which any needed page was cited.
    pub some_evidence_cited: f64,
    /// Share of them whose first citation is a needed page.
    pub cited_first: f64,
    /// Share of those that say what an answer must contain, and whose answer contains all of it.
    pub contains: f64,
    /// Share of them that were refused.
    pub false_refusals: f64,
    /// Share of all statements that were verified against their page.
    pub verified: f64,
    /// Citations in an answer, on average.
    pub citations: f64,
    /// Questions that have no answer.
    pub unanswerable: usize,
    /// Share of them that were refused.
    pub refused: f64,
    /// What went wrong, question by question.
    pub failures: Vec<Failure>,
}

/// What went wrong with one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Which.
    pub id: String,
    /// The question.
    pub question: String,
    /// `refused`, `not_cited`, `not_contained` or `answered`.
    pub what: String,
    /// What was wanted and not there.
    pub missing: Vec<String>,
    /// What was cited instead.
    pub cited: Vec<String>,
}

/// Puts every question to an agent and judges its answers.
pub fn ask(
    questions: &[Question],
    mut agent: impl FnMut(&str) -> Result<Answer, EvalError>,
) -> Result<AnswerScores, EvalError> {
    let mut tally = Tally::default();
    for question in questions {
        let answer = agent(&question.question)?;
        tally.count(question, &answer);
    }
    Ok(tally.into_scores())
}

#[derive(Default)]
struct Tally {
    answerable: usize,
    cited: usize,
    cited_some: usize,
    cited_first: usize,
    says: usize,
    contains: usize,
    refused_wrongly: usize,
    statements: usize,
    verified: usize,
    answered: usize,
    unanswerable: usize,
    refused: usize,
    failures: Vec<Failure>,
}

impl Tally {
    fn count(&mut self, question: &Question, answer: &Answer) {
        let statements: Vec<_> = answer.measures.iter().chain(&answer.cautions).collect();
        self.statements += statements.len();
        self.verified += statements.iter().filter(|one| one.verified).count();
        let answered = answer.outcome == Outcome::Answered;
        self.answered += usize::from(answered);
        let mut failed = |what: &str, missing: Vec<String>| {
            self.failures.push(Failure {
                id: question.id.clone(),
                question: question.question.clone(),
                what: what.to_owned(),
                missing,
                cited: answer.sources().iter().map(ToString::to_string).collect(),
            });
        };
        if question.refusal {
            self.unanswerable += 1;
            self.refused += usize::from(!answered);
            if answered {
                failed("answered", Vec::new());
            }
            return;
        }
        self.answerable += 1;
        let meets = |need: &crate::Need, statement: &regreader_agent::Statement| {
            let place = statement.citation.reg_id.as_ref().zip(statement.page_num());
            place.is_some_and(|(reg_id, page)| need.is_met_by(reg_id, page))
        };
        let unmet: Vec<String> = question
            .needs
            .iter()
            .filter(|need| !statements.iter().any(|statement| meets(need, statement)))
            .map(|need| format!("{} P{:?}", need.reg_id, need.pages))
            .collect();
        self.cited += usize::from(unmet.is_empty());
        self.cited_some += usize::from(question.needs.is_empty() || unmet.len() < question.needs.len());
        let first_is_right =
            statements.first().is_some_and(|first| question.needs.iter().any(|need| meets(need, first)));
        self.cited_first += usize::from(first_is_right);
        let said = fold(&statements.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n"));
        let unsaid: Vec<String> =
            question.contains.iter().filter(|text| !said.contains(&fold(text))).cloned().collect();
        if !question.contains.is_empty() {
            self.says += 1;
            self.contains += usize::from(unsaid.is_empty());
        }
        self.refused_wrongly += usize::from(!answered);
        if !answered {
            failed("refused", unmet);
        } else if !unmet.is_empty() {
            failed("not_cited", unmet);
        } else if !unsaid.is_empty() {
            failed("not_contained", unsaid);
        }
    }

    fn into_scores(self) -> AnswerScores {
        let of_answerable = |part: usize| rounded(share(part, self.answerable));
        AnswerScores {
            answerable: self.answerable,
            evidence_cited: of_answerable(self.cited),
            some_evidence_cited: of_answerable(self.cited_some),
            cited_first: of_answerable(self.cited_first),
            contains: rounded(share(self.contains, self.says)),
            false_refusals: of_answerable(self.refused_wrongly),
            verified: rounded(share(self.verified, self.statements)),
            citations: rounded(share(self.statements, self.answered)),
            unanswerable: self.unanswerable,
            refused: rounded(share(self.refused, self.unanswerable)),
            failures: self.failures,
        }
    }
}

#[cfg(test)]
mod tests {
    use regreader_agent::Statement;
    use regreader_model::{Citation, PageNumber};

    use super::*;
    use crate::questions::read_text;

    fn answer(page_num: u32, text: &str) -> Answer {
        let mut answer = Answer::refusal("?", Outcome::Answered, "");
        let citation = Citation {
            reg_id: "a_1".parse().ok(),
            name: "甲".to_owned(),
            page_num: PageNumber::new(page_num),
            ..Citation::default()
        };
        answer.measures.push(Statement { verified: true, ..Statement::new(text, citation) });
        answer
    }

    #[test]
    fn right_wrong_and_refused_are_told_apart() {
        let line = |id: u32, more: &str| format!("{{\"id\": {id}, \"question\": \"{id}\", {more}}}\n");
        let gold =
            "\"evidence\": [{\"reg_id\": \"a_1\", \"pages\": [4]}], \"answer_contains\": [\"３２０ MW\"]";
        let set = line(1, gold) + &line(2, gold) + &line(3, gold) + &line(4, "\"refusal\": true");
        let questions = read_text("set", &set).unwrap();
        let scores = ask(&questions, |question| {
            Ok(match question {
                "1" => answer(4, "限额为 320MW"),
                "2" => answer(5, "限额为 320MW"),
                _ => Answer::refusal(question, Outcome::NotFound, "未找到相关规定。"),
            })
        })
        .unwrap();
        assert_eq!((scores.answerable, scores.unanswerable), (3, 1));
        assert!((scores.evidence_cited - 0.3333).abs() < 1e-9);
        assert!((scores.contains - 0.6667).abs() < 1e-9);
        assert!((scores.false_refusals - 0.3333).abs() < 1e-9);
        assert!((scores.refused - 1.0).abs() < 1e-9);
        let what: Vec<&str> = scores.failures.iter().map(|one| one.what.as_str()).collect();
        assert_eq!(what, ["not_cited", "refused"]);
    }
}
