//! Plain data that goes in and comes out: requests, results, and the account of each candidate. No behaviour beyond
//! names, so that any face (command line, MCP tool) can use it as it is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::render::printable;

/// What the caller is doing; decides the fallback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskType {
    /// 需求评审: technical design of a requirement.
    RequirementsReview,
    /// Task 生成: guidance for an implementation.
    TaskGeneration,
    /// 快速变更: bug or hotfix. Has no fallback.
    QuickChange,
    /// E2E 测试规划.
    E2eTest,
    /// Planning of performance tests (性能测试规划).
    PerformanceTest,
    /// Search for anything else (通用搜索).
    #[default]
    General,
}

impl TaskType {
    /// Every task type, in the order of the guide.
    pub const ALL: [Self; 6] = [
        Self::RequirementsReview,
        Self::TaskGeneration,
        Self::QuickChange,
        Self::E2eTest,
        Self::PerformanceTest,
        Self::General,
    ];

    /// The name used in JSON and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RequirementsReview => "requirements_review",
            Self::TaskGeneration => "task_generation",
            Self::QuickChange => "quick_change",
            Self::E2eTest => "e2e_test",
            Self::PerformanceTest => "performance_test",
            Self::General => "general",
        }
    }
}

/// The kinds of document the type filter knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextType {
    /// Architecture (架构设计).
    Architecture,
    /// Languages and libraries (技术栈).
    TechStack,
    /// Design of a module (模块设计).
    ModuleDesign,
    /// Data model (数据模型).
    DataModel,
    /// How it is tested (测试策略).
    TestingStrategy,
    /// How code is written (编码规范).
    CodingStandard,
}

impl ContextType {
    /// Every type, in the order of the guide.
    pub const ALL: [Self; 6] = [
        Self::Architecture,
        Self::TechStack,
        Self::ModuleDesign,
        Self::DataModel,
        Self::TestingStrategy,
        Self::CodingStandard,
    ];

    /// The name used in JSON, in front matter and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Architecture => "architecture",
            Self::TechStack => "tech_stack",
            Self::ModuleDesign => "module_design",
            Self::DataModel => "data_model",
            Self::TestingStrategy => "testing_strategy",
            Self::CodingStandard => "coding_standard",
        }
    }
}

/// A name that is none of those expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown name {given:?}, expected one of: {expected}")]
pub struct UnknownName {
    given: String,
    expected: String,
}

macro_rules! named {
    ($type:ty) => {
        impl fmt::Display for $type {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(given: &str) -> Result<Self, UnknownName> {
                let wanted = given.trim().to_ascii_lowercase().replace('-', "_");
                Self::ALL.into_iter().find(|one| one.name() == wanted).ok_or_else(|| UnknownName {
                    given: given.to_owned(),
                    expected: Self::ALL.map(Self::name).join(", "),
                })
            }
        }
    };
}
named!(TaskType);
named!(ContextType);

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchRequest {
    /// Technical words of the task; echoed in the result as given.
    pub keywords: Vec<String>,
    /// What the caller is doing; `general` when not given.
    #[serde(default)]
    pub task_type: TaskType,
    /// The current epic (`EPIC-01`). It orders the result; it never narrows the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epic: Option<String>,
    /// Only documents of these types, the fallback included; empty means all. In JSON, one name or a list.
    #[serde(
        default,
        rename = "type",
        alias = "types",
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub types: Vec<ContextType>,
}

impl SearchRequest {
    /// A request with no current epic and no type filter.
    pub fn new<S: Into<String>>(keywords: impl IntoIterator<Item = S>, task_type: TaskType) -> Self {
        Self {
            keywords: keywords.into_iter().map(Into::into).collect(),
            task_type,
            epic: None,
            types: Vec::new(),
        }
    }

    /// The same request from within an epic.
    #[must_use]
    pub fn in_epic(mut self, epic: impl Into<String>) -> Self {
        self.epic = Some(epic.into());
        self
    }

    /// The same request, for documents of one more type only.
    #[must_use]
    pub fn of_type(mut self, wanted: ContextType) -> Self {
        self.types.push(wanted);
        self
    }
}

fn one_or_many<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<ContextType>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(ContextType),
        Many(Vec<ContextType>),
    }
    Ok(match Option::<OneOrMany>::deserialize(input)? {
        None => Vec::new(),
        Some(OneOrMany::One(one)) => vec![one],
        Some(OneOrMany::Many(many)) => many,
    })
}

/// The answer, exactly the JSON object of the guide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResult {
    /// Paths from the project folder, with forward slashes, best first.
    pub contexts: Vec<String>,
    /// How many paths there are.
    pub total: usize,
    /// The task type searched for.
    pub task_type: TaskType,
    /// The keywords as they were given.
    pub search_keywords: Vec<String>,
    /// One sentence on how the list came about.
    pub message: String,
}

/// The answer with its reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchReport {
    /// The answer.
    pub result: SearchResult,
    /// Every document that scored at all or came by the fallback, in rank order.
    pub candidates: Vec<Candidate>,
    /// How many documents were looked at.
    pub examined: usize,
    /// What was odd on the way; the search went on.
    pub warnings: Vec<Warning>,
}

/// One document and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Path from the project folder.
    pub path: String,
    /// Points, 0 for a document that is here only by the fallback.
    pub score: u8,
    /// The rule that gave the points.
    pub rule: Rule,
    /// The keyword that matched; none for the fallback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
    /// Where the document stands.
    pub scope: Scope,
    /// The `updated` field, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated: Option<String>,
    /// Whether it is in the result.
    pub decision: Decision,
    /// Why it was included or left out, in words for a person.
    pub reason: String,
}

/// The rule that brought a document in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The keyword is the only word of the file name that is not a kind word.
    FileNameExact,
    /// The keyword is part of the file name.
    FileNamePart,
    /// The keyword is among the front matter's tags.
    Tags,
    /// The keyword stands in the front matter's title.
    Title,
    /// The keyword stands in a heading (`#` to `###`) at the start of the content.
    Heading,
    /// The keyword stands in the first 500 characters.
    Content,
    /// No keyword: the task type asks for this Global document.
    Fallback,
}

impl Rule {
    /// The points the rule gives.
    pub const fn points(self) -> u8 {
        match self {
            Self::FileNameExact => 10,
            Self::FileNamePart => 7,
            Self::Tags | Self::Title => 6,
            Self::Heading | Self::Content => 3,
            Self::Fallback => 0,
        }
    }

    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FileNameExact => "file_name_exact",
            Self::FileNamePart => "file_name_part",
            Self::Tags => "tags",
            Self::Title => "title",
            Self::Heading => "heading",
            Self::Content => "content",
            Self::Fallback => "fallback",
        }
    }
}

/// Where a document stands, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Under `global/`.
    Global,
    /// In the epic the request named.
    CurrentEpic,
    /// In another epic, or in any epic when the request named none.
    OtherEpic,
}

/// Whether a candidate is in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// In the result.
    Kept,
    /// Not in the result.
    Dropped,
}

/// Something odd about one path that did not stop the work.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Warning {
    /// Path from the project folder.
    pub path: String,
    /// What is odd.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", printable(&self.path), printable(&self.message))
    }
}
