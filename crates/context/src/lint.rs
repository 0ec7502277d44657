//! What a keeper of context documents should mend: front matter, names, and the Global documents every project
//! needs. Reports; changes nothing.

use std::path::Path;

use regreader_messages::context;
use serde::{Deserialize, Serialize};

use crate::date::Updated;
use crate::document::{Document, Note, read_document};
use crate::error::ContextError;
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
        problems.push(problem(CONTEXT_FOLDER, ProblemCode::NoContext, context::NOT_ESTABLISHED));
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
        problems.push(problem(&path, ProblemCode::Name, context::EPIC_NAME));
    }
    for stray in &tree.strays {
        problems.push(problem(stray, ProblemCode::Stray, context::STRAY));
    }
    let odd =
        tree.warnings.iter().map(|odd| problem(&odd.path, ProblemCode::Unreadable, odd.message.as_str()));
    problems.extend(odd);
    problems.sort();
    Ok(LintReport { total: problems.len(), problems, documents: tree.documents.len() })
}

fn problem(path: &str, code: ProblemCode, message: impl Into<String>) -> Problem {
    Problem { path: path.to_owned(), line: None, code, message: message.into() }
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
            problems.push(problem(&path, ProblemCode::MissingGlobal, context::MISSING_GLOBAL));
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
        Place::Global { direct: false } => context::NOT_DIRECT,
        Place::Global { direct: true } if !fixed => context::NOT_GLOBAL,
        _ if !sound => context::FILE_NAME,
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
            Note::Unreadable(error) => problem(path, ProblemCode::Unreadable, error.as_str()),
            Note::NotUtf8 => problem(path, ProblemCode::Unreadable, context::NOT_UTF8),
            Note::NoFrontMatter => problem(path, ProblemCode::NoFrontMatter, context::NO_FRONT_MATTER),
            Note::BrokenFrontMatter { line, message } => Problem {
                line: Some(*line),
                ..problem(path, ProblemCode::BrokenFrontMatter, context::broken_front_matter(message))
            },
        });
    }
    if document.notes.iter().any(|note| *note != Note::NotUtf8) {
        return;
    }
    let front = &document.front;
    if front.title.is_none() {
        problems.push(problem(path, ProblemCode::MissingField, context::NO_TITLE));
    }
    if front.tags.is_empty() {
        problems.push(problem(path, ProblemCode::MissingField, context::NO_TAGS));
    }
    if let Some(updated) = front.updated.as_deref().filter(|updated| Updated::parse(updated).is_none()) {
        problems.push(problem(path, ProblemCode::BadField, context::bad_date(format_args!("{updated:?}"))));
    }
    check_type(path, front.kind.as_deref(), &Name::new(entry.stem()), problems);
}

fn check_type(path: &str, kind: Option<&str>, name: &Name, problems: &mut Vec<Problem>) {
    let Some(kind) = kind.filter(|kind| !UNFILTERED_TYPES.contains(&kind.trim())) else { return };
    match (kind.parse::<ContextType>(), type_of_name(name)) {
        (Err(unknown), _) => problems.push(problem(path, ProblemCode::BadField, format!("type: {unknown}"))),
        (Ok(said), Some(named)) if said != named => {
            let message = context::type_mismatch(said, named);
            problems.push(problem(path, ProblemCode::TypeMismatch, message));
        }
        (Ok(_), _) => {}
    }
}
