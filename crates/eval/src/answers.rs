//! Questions put to an agent: does it cite the right page, say the right thing, and say no when it should?
//!
//! [`Verdict`] judges one answer, [`Tally`] sums verdicts up into [`AnswerScores`]. The words are those of the question
//! sets: an answer is *right* when it was offered as an answer, cites a page that the set names and says what the set
//! wants said; *short* when it does so in three statements and 1,200 characters; *shown* when it is right or when the
//! right page is among the passages offered as related; *wrong* when it was offered as an answer and is not right.

use std::collections::BTreeMap;

use regreader_agent::{Answer, Outcome, Statement};
use regreader_model::RegId;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::metrics::{rounded, share};
use crate::{Need, Question};

/// Most statements of a short answer.
const SHORT_STATEMENTS: usize = 3;
/// Most characters of a short answer.
const SHORT_CHARS: usize = 1_200;

/// How an agent answered a set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AnswerScores {
    /// Questions that have an answer.
    pub answerable: usize,
    /// Share of them that were answered from a right page with the wanted words.
    #[serde(default)]
    pub right: f64,
    /// Share of them that were right within three statements and 1,200 characters.
    #[serde(default)]
    pub short: f64,
    /// Share of them that were right, or for which the right page was among the related passages.
    #[serde(default)]
    pub shown: f64,
    /// The same, where the related passages must also say what is wanted.
    #[serde(default)]
    pub shown_in_words: f64,
    /// Share of them that were answered and not right.
    #[serde(default)]
    pub wrong: f64,
    /// Share of them whose every needed page was cited.
    pub evidence_cited: f64,
    /// Share of them for which any needed page was cited.
    pub some_evidence_cited: f64,
    /// Share of them whose first citation is a needed page.
    pub cited_first: f64,
    /// Share of those that say what an answer must contain, and whose answer contains all of it.
    pub contains: f64,
    /// Share of them that were not answered.
    pub false_refusals: f64,
    /// Share of all statements that were verified against their page.
    pub verified: f64,
    /// Citations in an answer, on average.
    pub citations: f64,
    /// Median characters of the statements of an answer.
    #[serde(default)]
    pub median_chars: usize,
    /// Median characters of an answer as it is printed, with headings and citations.
    #[serde(default)]
    pub median_printed: usize,
    /// Questions that have no answer.
    pub unanswerable: usize,
    /// Share of them that were not answered.
    pub refused: f64,
    /// The same for each kind of question.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<String, KindScores>,
    /// What went wrong, question by question.
    pub failures: Vec<Failure>,
}

/// How one kind of question was answered, as shares of its questions.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct KindScores {
    /// How many questions.
    pub questions: usize,
    /// See [`AnswerScores::right`].
    pub right: f64,
    /// See [`AnswerScores::short`].
    pub short: f64,
    /// See [`AnswerScores::shown`].
    pub shown: f64,
    /// Answered and not right; for unanswerable questions, answered at all.
    pub wrong: f64,
}

/// What went wrong with one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Name of the question in the set.
    pub id: String,
    /// The question.
    pub question: String,
    /// `refused`, `related`, `not_cited`, `not_contained` or `answered`.
    pub what: String,
    /// What was wanted and not there.
    pub missing: Vec<String>,
    /// What was cited instead.
    pub cited: Vec<String>,
}

/// How one question was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about one answer, each counted by itself"
)]
pub struct Verdict {
    /// It was offered as an answer.
    pub answered: bool,
    /// Needs whose pages were not cited.
    pub unmet: Vec<String>,
    /// Whether any needed page was cited.
    pub cited: bool,
    /// Whether the first citation is a needed page.
    pub cited_first: bool,
    /// Wanted words that no statement says.
    pub unsaid: Vec<String>,
    /// A needed page is among the related passages.
    pub related_page: bool,
    /// The related passages say what is wanted.
    pub related_words: bool,
    /// Number of statements in the answer.
    pub statements: usize,
    /// Characters of the statements.
    pub chars: usize,
    /// Characters as printed.
    pub printed: usize,
}

impl Verdict {
    /// Judges an answer.
    pub fn of(question: &Question, answer: &Answer) -> Self {
        let statements: Vec<&Statement> = answer.statements().collect();
        let meets = |need: &Need, reg_id: &str, page: Option<u32>| {
            reg_id.parse::<RegId>().is_ok_and(|reg_id| need.is_met_by(&reg_id, page.unwrap_or_default()))
        };
        let cites = |need: &&Need| statements.iter().any(|one| meets(need, one.reg_id(), one.page_num()));
        let unmet: Vec<String> = question
            .needs
            .iter()
            .filter(|need| !cites(need))
            .map(|need| format!("{} P{:?}", need.reg_id, need.pages))
            .collect();
        let first = statements.first();
        let said = squeezed(&statements.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n"));
        let related =
            squeezed(&answer.related.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n"));
        Self {
            answered: answer.outcome == Outcome::Answered,
            cited: question.needs.is_empty() || unmet.len() < question.needs.len(),
            cited_first: first.is_some_and(|one| {
                question.needs.iter().any(|need| meets(need, one.reg_id(), one.page_num()))
            }),
            unsaid: question.contains.iter().filter(|wanted| !says(&said, wanted)).cloned().collect(),
            unmet,
            related_page: answer
                .related
                .iter()
                .any(|one| question.needs.iter().any(|need| meets(need, &one.reg_id, one.page_num))),
            related_words: question.contains.iter().all(|wanted| says(&related, wanted)),
            statements: statements.len(),
            chars: statements.iter().map(|one| one.text.chars().count()).sum(),
            printed: answer.to_text().trim().chars().count(),
        }
    }

    /// Answered from a right page, with the wanted words.
    pub fn is_right(&self) -> bool {
        self.answered && self.cited && self.unsaid.is_empty()
    }

    /// Right, in few words.
    pub fn is_short(&self) -> bool {
        self.is_right() && self.statements <= SHORT_STATEMENTS && self.chars <= SHORT_CHARS
    }

    /// Right, or the right page is offered as related.
    pub fn is_shown(&self) -> bool {
        self.is_right() || (!self.answered && self.related_page)
    }
}

/// The form in which the sets compare words: NFKC, lower case, no white space.
pub(crate) fn squeezed(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace()).collect()
}

/// Whether a text says everything that a question wants said.
pub fn says_all(question: &Question, text: &str) -> bool {
    let text = squeezed(text);
    question.contains.iter().all(|wanted| says(&text, wanted))
}

/// Whether a squeezed text says one thing that is wanted, in either of its forms.
fn says(squeezed_text: &str, wanted: &str) -> bool {
    wanted.split('|').any(|one| squeezed_text.contains(&squeezed(one)))
}

/// Verdicts, added up.
#[derive(Debug, Default)]
pub struct Tally {
    verdicts: Vec<(String, bool, Verdict)>,
    says: usize,
    contains: usize,
    statements: usize,
    verified: usize,
    failures: Vec<Failure>,
}

impl Tally {
    /// Judges an answer and counts it.
    pub fn count(&mut self, question: &Question, answer: &Answer) -> Verdict {
        let verdict = Verdict::of(question, answer);
        self.statements += verdict.statements;
        self.verified += answer.statements().filter(|one| one.verified).count();
        if !question.refusal && !question.contains.is_empty() {
            self.says += 1;
            self.contains += usize::from(verdict.unsaid.is_empty());
        }
        let failed = match (question.refusal, verdict.answered) {
            (true, true) => Some(("answered", Vec::new())),
            (true, false) => None,
            (false, false) if answer.outcome == Outcome::Related => Some(("related", verdict.unmet.clone())),
            (false, false) => Some(("refused", verdict.unmet.clone())),
            (false, true) if !verdict.unmet.is_empty() => Some(("not_cited", verdict.unmet.clone())),
            (false, true) if !verdict.unsaid.is_empty() => Some(("not_contained", verdict.unsaid.clone())),
            (false, true) => None,
        };
        self.failures.extend(failed.map(|(what, missing)| Failure {
            id: question.id.clone(),
            question: question.question.clone(),
            what: what.to_owned(),
            missing,
            cited: answer.sources().iter().map(ToString::to_string).collect(),
        }));
        self.verdicts.push((question.kind.clone(), question.refusal, verdict.clone()));
        verdict
    }

    /// The sums as shares.
    pub fn into_scores(self) -> AnswerScores {
        let asked = |refusal: bool| {
            self.verdicts.iter().filter(move |(_, is, _)| *is == refusal).map(|(.., one)| one)
        };
        let answerable = asked(false).count();
        let unanswerable = asked(true).count();
        let of_answerable = |wanted: &dyn Fn(&Verdict) -> bool| {
            rounded(share(asked(false).filter(|one| wanted(one)).count(), answerable))
        };
        let answered: Vec<&Verdict> =
            self.verdicts.iter().map(|(.., one)| one).filter(|one| one.answered).collect();
        let mut kinds: BTreeMap<String, Vec<(bool, &Verdict)>> = BTreeMap::new();
        for (kind, refusal, verdict) in &self.verdicts {
            kinds.entry(kind.clone()).or_default().push((*refusal, verdict));
        }
        AnswerScores {
            answerable,
            right: of_answerable(&Verdict::is_right),
            short: of_answerable(&Verdict::is_short),
            shown: of_answerable(&Verdict::is_shown),
            shown_in_words: of_answerable(&|one| one.is_right() || (one.is_shown() && one.related_words)),
            wrong: of_answerable(&|one| one.answered && !one.is_right()),
            evidence_cited: of_answerable(&|one| one.unmet.is_empty()),
            some_evidence_cited: of_answerable(&|one| one.cited),
            cited_first: of_answerable(&|one| one.cited_first),
            contains: rounded(share(self.contains, self.says)),
            false_refusals: of_answerable(&|one| !one.answered),
            verified: rounded(share(self.verified, self.statements)),
            citations: rounded(share(self.statements, answered.len())),
            median_chars: median(answered.iter().map(|one| one.chars)),
            median_printed: median(answered.iter().map(|one| one.printed)),
            unanswerable,
            refused: rounded(share(asked(true).filter(|one| !one.answered).count(), unanswerable)),
            kinds: kinds.into_iter().map(|(kind, of)| (kind, kind_scores(&of))).collect(),
            failures: self.failures,
        }
    }
}

fn kind_scores(verdicts: &[(bool, &Verdict)]) -> KindScores {
    let rate = |wanted: &dyn Fn(bool, &Verdict) -> bool| {
        rounded(share(verdicts.iter().filter(|(refusal, one)| wanted(*refusal, one)).count(), verdicts.len()))
    };
    KindScores {
        questions: verdicts.len(),
        right: rate(&|refusal, one| if refusal { !one.answered } else { one.is_right() }),
        short: rate(&|refusal, one| if refusal { !one.answered } else { one.is_short() }),
        shown: rate(&|refusal, one| if refusal { !one.answered } else { one.is_shown() }),
        wrong: rate(&|refusal, one| one.answered && (refusal || !one.is_right())),
    }
}

/// The middle value; of an even number of them the lower one.
fn median(values: impl Iterator<Item = usize>) -> usize {
    let mut values: Vec<usize> = values.collect();
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
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
        let mut tally = Tally::default();
        for question in &questions {
            let answer = match question.question.as_str() {
                "1" => answer(4, "限额为 320MW"),
                "2" => answer(5, "限额为 320MW"),
                other => Answer::refusal(other, Outcome::NotFound, "未找到相关规定。"),
            };
            tally.count(question, &answer);
        }
        let scores = tally.into_scores();
        assert_eq!((scores.answerable, scores.unanswerable), (3, 1));
        assert!((scores.evidence_cited - 0.3333).abs() < 1e-9);
        assert!((scores.contains - 0.6667).abs() < 1e-9);
        assert!((scores.false_refusals - 0.3333).abs() < 1e-9);
        assert!((scores.refused - 1.0).abs() < 1e-9);
        assert!((scores.right - 0.3333).abs() < 1e-9 && (scores.wrong - 0.3333).abs() < 1e-9);
        assert_eq!(scores.median_chars, "限额为 320MW".chars().count());
        let what: Vec<&str> = scores.failures.iter().map(|one| one.what.as_str()).collect();
        assert_eq!(what, ["not_cited", "refused"]);
    }

    #[test]
    fn a_related_passage_shows_and_a_long_answer_is_not_short() {
        let line = "{\"id\":1,\"question\":\"?\",\"pages\":{\"a_1\":[4]},\"answer_contains\":[\"三百|320\"]}";
        let question = read_text("set", line).unwrap().remove(0);
        let right = Verdict::of(&question, &answer(4, "限额为 ３２０ MW"));
        assert!(right.is_right() && right.is_short() && right.is_shown(), "either of the words will do");
        let long = Verdict::of(&question, &answer(4, &"限额为 320 MW，".repeat(120)));
        assert!(long.is_right() && !long.is_short());
        let mut related = Answer::refusal("?", Outcome::Related, "");
        related.related.push(answer(4, "电压等级").measures.remove(0).into());
        let related = Verdict::of(&question, &related);
        assert!(!related.is_right() && related.is_shown() && !related.related_words);
    }

    #[test]
    fn wide_signs_are_the_same_as_narrow_ones() {
        assert_eq!(squeezed("1～2 台（含３台）"), "1~2台(含3台)");
    }
}
