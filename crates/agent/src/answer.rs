//! An answer, as data and as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use regreader_messages::{Language, answering, answers};
use regreader_model::{Citation, PageNumber, RegId};
use regreader_text::script::{is_cjk, language_of};
use regreader_tools::{CheckLevel as Level, CitationCheck, ProvenPlace};
use serde::{Deserialize, Serialize};

use crate::citation::take_citations;

/// How a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There is an answer.
    Answered,
    /// Passages were found that may bear on the question, but not surely enough to be called an answer.
    Related,
    /// The library says nothing about it.
    NotFound,
    /// It is no question about regulations.
    Declined,
    /// The library holds no regulation, so nothing could be looked up.
    EmptyLibrary,
    /// The model never gave an answer that can be read.
    Unfit,
    /// A budget was spent, or the model repeated itself, before there was an answer.
    Stopped,
}

impl Outcome {
    /// Its name in JSON and in the audit log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Related => "related",
            Self::NotFound => "not_found",
            Self::Declined => "declined",
            Self::EmptyLibrary => "empty_library",
            Self::Unfit => "unfit",
            Self::Stopped => "stopped",
        }
    }
}

/// One thing the answer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StatementRecord", into = "StatementRecord")]
pub struct Statement {
    /// What it says.
    pub text: String,
    /// Where it stands.
    pub citation: Citation,
    /// One passage of the cited place carries it: its level is not [`Level::Unproven`].
    pub verified: bool,
    /// How it was proven, and by what.
    pub proof: StatementProof,
    /// The numbers that it was calculated from; empty for what is quoted.
    pub operands: Vec<Operand>,
}

/// A number that a calculated statement starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// The words that state it: a row, a note, or what the question says.
    pub text: String,
    /// Where they stand; none for what the question says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<Citation>,
}

/// What the check of a statement found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatementProof {
    /// How well it is proven.
    pub level: Level,
    /// The passage that carries it, or the nearest one: page, block, row, cell and words, as `verify_citation` gives it.
    pub place: Option<ProvenPlace>,
    /// Words of the statement that the nearest passage does not have.
    pub missing: Vec<String>,
}

impl StatementProof {
    /// Reads the result of `verify_citation`.
    pub fn read(check: &CitationCheck) -> Self {
        Self { level: check.level, place: check.place.clone(), missing: check.missing.clone() }
    }

    /// The words of the passage.
    pub fn passage(&self) -> Option<&str> {
        self.place.as_ref().map(|place| place.text.as_str())
    }
}

/// A statement as JSON: the citation as people read it and, in `cited`, as data. Sessions that were saved before `cited`
/// existed have only the text.
#[derive(Serialize, Deserialize)]
struct StatementRecord {
    text: String,
    citation: String,
    reg_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    page_num: Option<u32>,
    verified: bool,
    #[serde(default)]
    level: Level,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<ProvenPlace>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    operands: Vec<Operand>,
    cited: Option<Citation>,
}

impl From<Statement> for StatementRecord {
    fn from(statement: Statement) -> Self {
        Self {
            citation: statement.citation.to_string(),
            reg_id: statement.reg_id().to_owned(),
            page_num: statement.page_num(),
            text: statement.text,
            verified: statement.verified,
            level: statement.proof.level,
            place: statement.proof.place,
            missing: statement.proof.missing,
            operands: statement.operands,
            cited: Some(statement.citation),
        }
    }
}

impl From<StatementRecord> for Statement {
    fn from(record: StatementRecord) -> Self {
        let read = || take_citations(&record.citation).1.into_iter().next().unwrap_or_default();
        let mut citation = record.cited.unwrap_or_else(read);
        citation.reg_id = citation.reg_id.or_else(|| record.reg_id.parse().ok());
        let proof = StatementProof { level: record.level, place: record.place, missing: record.missing };
        Self { text: record.text, citation, verified: record.verified, proof, operands: record.operands }
    }
}

/// A passage that may bear on a question: quoted for the reader to judge, not offered as the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedPassage {
    /// What it says.
    pub text: String,
    /// How well it is proven. Sessions of older versions do not have it.
    #[serde(default)]
    pub level: Level,
    /// Where it stands.
    pub citation: String,
    /// Regulation of the citation.
    pub reg_id: String,
    /// Page of the citation; none when it is not known.
    pub page_num: Option<u32>,
}

impl From<Statement> for RelatedPassage {
    fn from(statement: Statement) -> Self {
        Self {
            citation: statement.citation.to_string(),
            reg_id: statement.reg_id().to_owned(),
            page_num: statement.page_num(),
            level: statement.proof.level,
            text: statement.text,
        }
    }
}

/// An answer. Every statement has its own citation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The question.
    pub question: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How probable it is that the statements answer the question; none where nobody estimated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// What the person must know first: why there is no answer, or what was assumed for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to do, in order.
    pub measures: Vec<Statement>,
    /// What to mind: notes, exceptions.
    pub cautions: Vec<Statement>,
    /// The best passages, when the outcome is [`Outcome::Related`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedPassage>,
    /// Citations of further places, without text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub see_also: Vec<String>,
    /// What the verdict was made from, by name: for fitting it and for explaining it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub signals: BTreeMap<String, f64>,
    /// Regulations that were chosen, and why.
    pub regulations: Vec<String>,
}

impl Answer {
    /// An answer that says no.
    pub fn refusal(question: &str, outcome: Outcome, message: impl Into<String>) -> Self {
        Self {
            question: question.to_owned(),
            outcome,
            probability: None,
            message: Some(message.into()),
            measures: Vec::new(),
            cautions: Vec::new(),
            related: Vec::new(),
            see_also: Vec::new(),
            signals: BTreeMap::new(),
            regulations: Vec::new(),
        }
    }

    /// Everything it says.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.measures.iter().chain(&self.cautions)
    }

    /// Every citation once, in order.
    pub fn sources(&self) -> Vec<&Citation> {
        let mut sources: Vec<&Citation> = Vec::new();
        for statement in self.statements() {
            if !sources.contains(&&statement.citation) {
                sources.push(&statement.citation);
            }
        }
        sources
    }

    /// The answer as a person reads it: 【来源】【处置措施】【注意事项】, or their English names to an English question.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        if let Some(message) = &self.message {
            text.push_str(message);
            text.push('\n');
        }
        let language = answer_language(&self.question);
        for (number, passage) in self.related.iter().enumerate() {
            let mark = passage.level.mark(language, None);
            let _ = writeln!(text, "{}. {}\n   {}{mark}", number + 1, passage.text, passage.citation);
        }
        if self.outcome == Outcome::Answered {
            let _ = writeln!(text, "{}", language.say(answers::SOURCES));
            for source in self.sources() {
                let _ = writeln!(text, "- {}", source.place());
            }
            let _ = writeln!(text, "\n{}", language.say(answers::MEASURES));
            write_statements(&mut text, &self.measures);
        }
        if !self.cautions.is_empty() || !self.see_also.is_empty() {
            let _ = writeln!(text, "\n{}", language.say(answers::CAUTIONS));
            write_statements(&mut text, &self.cautions);
        }
        if !self.see_also.is_empty() {
            let _ = writeln!(text, "{}{}", language.say(answers::SEE_ALSO), self.see_also.join(" "));
        }
        text
    }
}

/// The language in which a question is answered: English when it has letters and no Chinese character, unless the setting
/// names one.
pub(crate) fn answer_language(question: &str) -> Language {
    let is_english = question.contains(|c: char| c.is_ascii_alphabetic()) && !question.contains(is_cjk);
    answering(if is_english { Language::English } else { Language::Chinese })
}

fn write_statements(text: &mut String, statements: &[Statement]) {
    for (number, statement) in statements.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", number + 1, statement.to_line());
    }
}

impl Statement {
    /// A statement that nothing has checked yet.
    pub fn new(text: impl Into<String>, citation: Citation) -> Self {
        let proof = StatementProof::default();
        Self { text: text.into(), citation, verified: false, proof, operands: Vec::new() }
    }

    /// The same with what the check of it found.
    #[must_use]
    pub fn checked(mut self, proof: StatementProof) -> Self {
        self.verified = proof.level != Level::Unproven;
        self.proof = proof;
        self
    }

    /// Regulation that it cites; empty when it cites none of the library.
    pub fn reg_id(&self) -> &str {
        self.citation.reg_id.as_ref().map_or("", RegId::as_str)
    }

    /// Page that it cites.
    pub fn page_num(&self) -> Option<u32> {
        self.citation.page_num.map(PageNumber::get)
    }

    /// The statement with its citation and its level. Beside one that is not proven stands the nearest passage.
    pub fn to_line(&self) -> String {
        let language = answering(language_of(&format!("{}{}", self.text, self.citation.name)));
        let level = match (self.verified, self.proof.level) {
            (false, _) => Level::Unproven,
            // Sessions of older versions know only that it was verified.
            (true, Level::Unproven) => Level::SamePassage,
            (true, level) => level,
        };
        let mut mark = level.mark(language, self.proof.passage());
        if level == Level::Calculated {
            let sources: Vec<String> = self
                .operands
                .iter()
                .filter_map(|operand| operand.citation.as_ref())
                .map(|citation| citation.place().to_string())
                .collect();
            mark = answers::calculated_from(language, sources.join(language.say(answers::LISTED)));
        }
        // A quoted table or list keeps its own lines.
        let gap = if self.text.contains('\n') { "\n" } else { " " };
        format!("{}{gap}{}{mark}", self.text, self.citation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_comes_back_from_json_and_from_sessions_saved_without_the_data() {
        let json = r#"{"text":"t","citation":"[来源: 安规2024 P23（约） 6.2.1]","reg_id":"angui_2024","page_num":23,"verified":true}"#;
        let old: Statement = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((old.reg_id(), old.page_num()), ("angui_2024", Some(23)));
        assert_eq!(old.citation.to_string(), "[来源: 安规2024 P23（约） 6.2.1]");
        let again = serde_json::to_value(&old).and_then(serde_json::from_value::<Statement>);
        assert_eq!(again.unwrap_or_else(|error| panic!("{error}")), old);
    }

    #[test]
    fn an_answer_speaks_the_language_of_the_question() {
        let mut answer = Answer::refusal("What is the limit?", Outcome::Answered, "");
        assert!(answer.to_text().contains("【Sources】"));
        for question in ["限额是多少？", "500 kV 母线的 limit？", "6.2.1"] {
            question.clone_into(&mut answer.question);
            assert!(answer.to_text().contains("【来源】"), "{question}");
        }
    }
}
