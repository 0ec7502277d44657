//! An answer, as data and as text.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// How a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There is an answer.
    Answered,
    /// The library says nothing about it.
    NotFound,
    /// It is no question about regulations.
    Declined,
}

impl Outcome {
    /// Its name in JSON and in the audit log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::NotFound => "not_found",
            Self::Declined => "declined",
        }
    }
}

/// One thing the answer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// What.
    pub text: String,
    /// Where it stands: `[来源: 安规2024 P85 表6-2]`.
    pub citation: String,
    /// Regulation of the citation.
    pub reg_id: String,
    /// Page of the citation.
    pub page_num: u32,
    /// The citation was checked against the page, and holds.
    pub verified: bool,
}

/// An answer. Every statement has its own citation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The question.
    pub question: String,
    /// How it ended.
    pub outcome: Outcome,
    /// One sentence for the person, when there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to do, in order.
    pub measures: Vec<Statement>,
    /// What to mind: notes, referenced clauses.
    pub cautions: Vec<Statement>,
    /// Regulations that were chosen, and why.
    pub regulations: Vec<String>,
}

impl Answer {
    /// An answer that says no.
    pub fn refusal(question: &str, outcome: Outcome, message: impl Into<String>) -> Self {
        Self {
            question: question.to_owned(),
            outcome,
            message: Some(message.into()),
            measures: Vec::new(),
            cautions: Vec::new(),
            regulations: Vec::new(),
        }
    }

    /// Everything it says.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.measures.iter().chain(&self.cautions)
    }

    /// Every citation once, in order.
    pub fn sources(&self) -> Vec<&str> {
        let mut sources: Vec<&str> = Vec::new();
        for statement in self.statements() {
            if !sources.contains(&statement.citation.as_str()) {
                sources.push(&statement.citation);
            }
        }
        sources
    }

    /// The answer as a person reads it: 【来源】【处置措施】【注意事项】.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        if let Some(message) = &self.message {
            text.push_str(message);
            text.push('\n');
        }
        if self.outcome != Outcome::Answered {
            return text;
        }
        text.push_str("【来源】\n");
        for source in self.sources() {
            let _ = writeln!(text, "- {}", source.trim_start_matches("[来源: ").trim_end_matches(']'));
        }
        text.push_str("\n【处置措施】\n");
        write_statements(&mut text, &self.measures);
        if !self.cautions.is_empty() {
            text.push_str("\n【注意事项】\n");
            write_statements(&mut text, &self.cautions);
        }
        text
    }
}

fn write_statements(text: &mut String, statements: &[Statement]) {
    for (number, statement) in statements.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", number + 1, statement.to_line());
    }
}

impl Statement {
    /// The statement with its citation, marked when it was not verified.
    pub fn to_line(&self) -> String {
        let mark = if self.verified { "" } else { "（未核实）" };
        // A quoted table or list keeps its own lines.
        let gap = if self.text.contains('\n') { "\n" } else { " " };
        format!("{}{gap}{}{mark}", self.text, self.citation)
    }
}
