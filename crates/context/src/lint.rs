//! What a keeper of context documents should mend: front matter, names, and the Global documents every project
//! needs. Reports; changes nothing.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::date::Updated;
use crate::document::{Document, Note, read_document};
use crate::error::ContextError;
use crate::message::NOT_ESTABLISHED;
use crate::model::ContextType;
use crate::search::{global_kind, type_of_name};
use crate::tree::{self, CONTEXT_FOLDER, Entry, Place, Tree};
use crate::words::{Name, is_ideographic};

/// `API_Design_*` is a kind of document the guide names and the type filter does not.
const UNFILTERED_TYPES: [&str; 1] = ["api_design"];

/// Everything found wrong, in path order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintReport {
    /// The problems.
    pub problems: Vec<Problem>,
    /// How many there are.
    pub total: usize,
    /// How many documents were looked at.
    pub documents: usize,
}

/// One thing to mend.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Problem {
    /// Path from the project folder.
    pub path: String,
    /// The line, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Which rule is broken.
    pub code: ProblemCode,
    /// In words.
    pub message: String,
}

/// The rules lint knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemCode {
    /// The project has no context documents.
    NoContext,
    /// One of the Global documents is not there.
    MissingGlobal,
    /// A document has no front matter, so only its name can be matched well.
    NoFrontMatter,
    /// The front matter cannot be read as YAML fields.
    BrokenFrontMatter,
    /// `title` or `tags` is missing or empty.
    MissingField,
    /// `updated` is no date, or `type` no known type.
    BadField,
    /// `type` says one thing and the file name another.
    TypeMismatch,
    /// The file or folder name is outside the convention.
    Name,
    /// A file or folder the search never looks at.
    Stray,
    /// The document cannot be read, or not as UTF-8.
    Unreadable,
}

impl ProblemCode {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoContext => "no-context",
            Self::MissingGlobal => "missing-global",
            Self::NoFrontMatter => "no-front-matter",
            Self::BrokenFrontMatter => "broken-front-matter",
            Self::MissingField => "missing-field",
            Self::BadField => "bad-field",
            Self::TypeMismatch => "type-mismatch",
            Self::Name => "name",
            Self::Stray => "stray",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Looks at every context document of the project at `root`.
pub fn lint(root: &Path) -> Result<LintReport, ContextError> {
    let tree = tree::list(root)?;
    let mut problems = Vec::new();
    if tree.documents.is_empty() {
        problems.push(problem(CONTEXT_FOLDER, ProblemCode::NoContext, NOT_ESTABLISHED));
    } else {
        missing_globals(&tree, &mut problems);
    }
    let mut buffer = Vec::new();
    for entry in &tree.documents {
        check_name(entry, &mut problems);
        check_document(entry, &read_document(&entry.file, &mut buffer), &mut problems);
    }
    for epic in tree.epics.iter().filter(|epic| !is_conventional_epic(epic)) {
        let path = format!("{CONTEXT_FOLDER}/epics/{epic}");
        problems.push(problem(&path, ProblemCode::Name, "Epic 目录名应为 EPIC-XX（至少两位数字）"));
    }
    for stray in &tree.strays {
        problems.push(problem(stray, ProblemCode::Stray, "不在 global/ 或 epics/EPIC-XX/ 下，不会被搜索"));
    }
    let odd = tree.warnings.iter().map(|odd| problem(&odd.path, ProblemCode::Unreadable, &odd.message));
    problems.extend(odd);
    problems.sort();
    Ok(LintReport { total: problems.len(), problems, documents: tree.documents.len() })
}

fn problem(path: &str, code: ProblemCode, message: &str) -> Problem {
    Problem { path: path.to_owned(), line: None, code, message: message.to_owned() }
}

fn missing_globals(tree: &Tree, problems: &mut Vec<Problem>) {
    let there: Vec<ContextType> = tree
        .documents
        .iter()
        .filter(|entry| entry.place == Place::Global { direct: true })
        .filter_map(|entry| global_kind(&Name::new(entry.stem())))
        .collect();
    let needed = [
        (ContextType::Architecture, "Architecture.md"),
        (ContextType::TechStack, "Tech_Stack.md"),
        (ContextType::TestingStrategy, "Testing_Strategy.md"),
        (ContextType::CodingStandard, "Coding_Standard_{Language}.md"),
    ];
    for (kind, file) in needed {
        if !there.contains(&kind) {
            let path = format!("{CONTEXT_FOLDER}/global/{file}");
            problems.push(problem(&path, ProblemCode::MissingGlobal, "缺少 Global Context 文档"));
        }
    }
}

/// Global holds the four fixed kinds, spelt as printed; an epic holds any `Capitalised_Words.md`.
fn check_name(entry: &Entry, problems: &mut Vec<Problem>) {
    let (stem, extension) = (entry.stem(), entry.path.rsplit('.').next().unwrap_or_default());
    let sound = !stem.is_empty() && stem.split('_').all(is_conventional_word) && extension == "md";
    let fixed = matches!(stem, "Architecture" | "Tech_Stack" | "Testing_Strategy")
        || stem.strip_prefix("Coding_Standard_").is_some_and(|language| !language.is_empty());
    let message = match entry.place {
        Place::Global { direct: false } => "Global Context 应直接放在 global/ 下",
        Place::Global { direct: true } if !fixed => {
            "Global Context 只包含 Architecture、Tech_Stack、Testing_Strategy、Coding_Standard_{Language}"
        }
        _ if !sound => "文件名应为以下划线连接、首字母大写的单词，扩展名为 .md",
        _ => return,
    };
    problems.push(problem(&entry.path, ProblemCode::Name, message));
}

fn is_conventional_word(word: &str) -> bool {
    let starts = |c: char| c.is_uppercase() || c.is_ascii_digit() || is_ideographic(c);
    word.chars().next().is_some_and(starts)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '+' | '#'))
}

fn is_conventional_epic(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("EPIC-") else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits >= 2 && rest.get(digits..).is_some_and(|after| after.is_empty() || after.starts_with('_'))
}

fn check_document(entry: &Entry, document: &Document, problems: &mut Vec<Problem>) {
    let path = &entry.path;
    for note in &document.notes {
        problems.push(match note {
            Note::Unreadable(error) => problem(path, ProblemCode::Unreadable, error),
            Note::NotUtf8 => problem(path, ProblemCode::Unreadable, "不是 UTF-8 编码"),
            Note::NoFrontMatter => {
                problem(path, ProblemCode::NoFrontMatter, "没有 Frontmatter（title、tags、updated）")
            }
            Note::BrokenFrontMatter { line, message } => Problem {
                line: Some(*line),
                ..problem(path, ProblemCode::BrokenFrontMatter, &format!("Frontmatter 无法解析：{message}"))
            },
        });
    }
    if document.notes.iter().any(|note| *note != Note::NotUtf8) {
        return;
    }
    let front = &document.front;
    if front.title.is_none() {
        problems.push(problem(path, ProblemCode::MissingField, "Frontmatter 缺少 title"));
    }
    if front.tags.is_empty() {
        problems.push(problem(path, ProblemCode::MissingField, "Frontmatter 缺少 tags"));
    }
    if let Some(updated) = front.updated.as_deref().filter(|updated| Updated::parse(updated).is_none()) {
        problems.push(problem(path, ProblemCode::BadField, &format!("updated 不是日期：{updated:?}")));
    }
    check_type(path, front.kind.as_deref(), &Name::new(entry.stem()), problems);
}

fn check_type(path: &str, kind: Option<&str>, name: &Name, problems: &mut Vec<Problem>) {
    let Some(kind) = kind.filter(|kind| !UNFILTERED_TYPES.contains(&kind.trim())) else { return };
    match (kind.parse::<ContextType>(), type_of_name(name)) {
        (Err(unknown), _) => problems.push(problem(path, ProblemCode::BadField, &format!("type: {unknown}"))),
        (Ok(said), Some(named)) if said != named => {
            let message = format!("type 为 {said}，文件名却表示 {named}");
            problems.push(problem(path, ProblemCode::TypeMismatch, &message));
        }
        (Ok(_), _) => {}
    }
}
