//! How a question was read, so that a caller sees what was understood before trusting what was found.

use regreader_messages::Language;
use regreader_model::ReferenceKind;
use regreader_question::{AskedKind, Change, Condition, NamedRegulation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a question was read. Lists that are empty are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Understood {
    /// Language of the question: `chinese` or `english`.
    #[schemars(with = "String")]
    pub language: Language,
    /// What is asked for: `value`, `procedure`, `definition`, `list`, `yes_no`, `comparison`, `place` or `other`.
    #[schemars(with = "String")]
    pub kind: AskedKind,
    /// Kind of value that is asked for: `duration`, `length`, `amount` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The part that asks, where a scene is told before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asking: Option<String>,
    /// Regulations that are named by title or number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regulations: Vec<NamedRegulation>,
    /// Years that may name an edition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub years: Vec<String>,
    /// Days, as YYYY-MM-DD.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dates: Vec<String>,
    /// Clauses, chapters, tables and notes that are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<UnderstoodPlace>,
    /// Conditions that are stated, by which rows of tables are picked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Numbers with units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantities: Vec<String>,
    /// What is asked about the change between editions: `added`, `removed` or `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub change: Option<Change>,
    /// Words that were looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
}

/// A place that a question names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnderstoodPlace {
    /// Kind of place: `section`, `article`, `chapter`, `table`, `annotation` …
    #[schemars(with = "String")]
    pub kind: ReferenceKind,
    /// Its number in canonical form.
    pub number: String,
    /// Regulation that it stands in, where the question says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regulation: Option<String>,
}
