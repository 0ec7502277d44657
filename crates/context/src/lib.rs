//! Context search: the few context documents that a development task needs.
//!
//! A project keeps design notes under `.the_conn/context/`: `global/` for the four fixed kinds, `epics/EPIC-XX/`
//! for the designs of one epic. Given keywords and a task type, [`search`] names the three to six that matter, by
//! strict scoring, with a fallback to Global documents when the keywords find (almost) nothing.
//!
//! This crate owns the scoring rules, the front matter reader, [`lint`], the manifest file and keyword extraction.
//! It must not know regulations, the index, the command line or MCP: those faces call it.
//!
//! # Rules
//!
//! | points | rule |
//! |---|---|
//! | 10 | file name, exact: the keyword (or its synonym) is the only word of the name that is not a kind word |
//! | 7 | file name, part: the keyword is part of the name |
//! | 6 | front matter: `tags` or `title` |
//! | 3 | content: the first 500 characters after the front matter, headings among them; never read further |
//!
//! A document's score is the best of these, never a sum; from 6 points on it is a match. Matches are ordered by
//! score, then Global > current epic > other epics, then `updated` (newest first, undated last), then path, so that
//! the order is total. More than six are cut to six.
//!
//! Fewer than two matches bring the fallback: the Global documents the task type asks for, if they are there. The
//! printed examples put them *before* an epic's match (Global first), and matches and fallback together never pass
//! eight.
//!
//! # Messages
//!
//! The texts are those of the written guide; one rule chooses among them:
//!
//! 1. No document at all, or no match and no Global document: `项目尚未建立 Context，…`.
//! 2. No match, `quick_change`: `未找到精确匹配，quick_change 任务不使用保底返回`.
//! 3. No match, fallback for `general`: `未找到精确匹配，返回通用 Global Context`; for any other task type:
//!    `未找到精确匹配，根据任务类型返回相关 Global Context`.
//! 4. Matches, with documents dropped because only their content mentions a keyword, and with no other epic's
//!    document found by its name: `找到 N 个高相关度匹配`.
//! 5. Every other match: `找到 N 个匹配的 Context`, followed by `（包含跨 Epic）` when a current epic was given and
//!    a document of another one is returned.
//!
//! N counts what is returned, the fallback included. Where the guide is silent (the suggested Global documents are
//! not there, or the type filter excludes them) the message begins with `未找到精确匹配` as its sisters do.
//!
//! # Example
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use regreader_context::{SearchRequest, TaskType, search};
//!
//! let project = tempfile::tempdir()?;
//! let epic = project.path().join(".the_conn/context/epics/EPIC-01");
//! std::fs::create_dir_all(&epic)?;
//! std::fs::write(epic.join("Module_Design_Auth.md"), "---\ntags: [JWT]\n---\n# Auth\n")?;
//!
//! let request = SearchRequest::new(["authentication"], TaskType::QuickChange);
//! let found = search(project.path(), &request)?.result;
//! assert_eq!(found.contexts, [".the_conn/context/epics/EPIC-01/Module_Design_Auth.md"]);
//! assert_eq!(found.message, "找到 1 个匹配的 Context");
//! # Ok(()) }
//! ```

mod date;
mod document;
mod error;
mod front_matter;
mod keywords;
mod lexicon;
mod lint;
mod manifest;
mod message;
mod model;
mod render;
mod score;
mod search;
mod tree;
mod words;

pub use date::Updated;
pub use error::ContextError;
pub use front_matter::{FrontMatter, FrontMatterProblem, parse_front_matter};
pub use keywords::{Story, extract_keywords, read_story};
pub use lint::{LintReport, Problem, ProblemCode, lint};
pub use manifest::{MANIFEST_FILE, Manifest, ManifestUpdate, read_manifest, update_manifest};
pub use model::{
    Candidate, ContextType, Decision, Rule, Scope, SearchReport, SearchRequest, SearchResult, TaskType,
    UnknownName, Warning,
};
pub use render::{write_explanation, write_lint, write_result};
pub use search::{MATCH_LIMIT, RESULT_LIMIT, THRESHOLD, search};
