//! The search itself: score every document, order, cut, add the fallback, and account for each candidate. Owns the
//! limits and the fallback table; leaves points to `score`, reading to `document`, sentences to `message`.

use std::cmp::Reverse;
use std::path::Path;

use regreader_messages::context;

use crate::date::Updated;
use crate::document::{Document, Note, read_document};
use crate::error::ContextError;
use crate::message::{Outcome, message};
use crate::model::{
    Candidate, ContextType, Decision, Rule, Scope, SearchReport, SearchRequest, SearchResult, TaskType,
    Warning,
};
use crate::score::score;
use crate::tree::{self, Entry, Place};
use crate::words::{Keyword, Name};

/// Points from which a document is a match.
pub const THRESHOLD: u8 = 6;
/// More matches than this are cut.
pub const MATCH_LIMIT: usize = 6;
/// Matches and fallback together never pass this.
pub const RESULT_LIMIT: usize = 8;
/// Fewer matches than this bring the fallback.
const FEW: usize = 2;
const MAX_KEYWORDS: usize = 64;
const MAX_KEYWORD_CHARS: usize = 200;

/// Finds the context documents of the project at `root` that the request needs.
///
/// A project without context documents is an ordinary answer, and so is anything odd about a single document (see
/// [`SearchReport::warnings`]); an error means the project folder itself cannot be read, or the request cannot
/// be used.
pub fn search(root: &Path, request: &SearchRequest) -> Result<SearchReport, ContextError> {
    let keywords = usable(&request.keywords)?;
    let tree = tree::list(root)?;
    let mut warnings = tree.warnings;
    let mut outcome = Outcome { documents: tree.documents.len(), ..Outcome::default() };
    let mut ranked: Vec<Ranked> = Vec::new();
    let mut suggested: Vec<(usize, Ranked)> = Vec::new();
    let mut buffer = Vec::new();
    for entry in &tree.documents {
        let document = read_document(&entry.file, &mut buffer);
        warnings.extend(document.notes.iter().filter_map(|note| warning(&entry.path, note)));
        let name = Name::new(entry.stem());
        outcome.global_documents += usize::from(matches!(entry.place, Place::Global { .. }));
        let hit = score(&keywords, &name, &document);
        let order = suggestion(request.task_type, entry, &name);
        if hit.is_none() && order.is_none() {
            continue;
        }
        let one = Ranked {
            path: &entry.path,
            rule: hit.map_or(Rule::Fallback, |hit| hit.rule),
            keyword: hit.map(|hit| hit.keyword.text.as_str()),
            scope: scope(entry, request.epic.as_deref()),
            wanted: request.types.is_empty()
                || type_of(&document, &name).is_some_and(|one| request.types.contains(&one)),
            updated: document.front.updated.as_deref().and_then(Updated::parse),
        };
        match order {
            Some(order) if one.rule.points() < THRESHOLD => suggested.push((order, one)),
            _ => ranked.push(one),
        }
    }
    ranked.sort_by(|a, b| a.key().cmp(&b.key()));
    suggested.sort_by_key(|&(order, _)| order);
    let suggested = suggested.into_iter().map(|(_, one)| one).collect();
    Ok(select(request, outcome, ranked, suggested, warnings))
}

/// A document that scored, or that the task type suggests.
struct Ranked<'t> {
    path: &'t str,
    rule: Rule,
    keyword: Option<&'t str>,
    scope: Scope,
    /// Passes the type filter.
    wanted: bool,
    updated: Option<Updated>,
}

impl Ranked<'_> {
    /// Best first: points, scope, newest, and the path so that no two are equal.
    fn key(&self) -> (Reverse<u8>, Scope, Reverse<Option<&Updated>>, &str) {
        (Reverse(self.rule.points()), self.scope, Reverse(self.updated.as_ref()), self.path)
    }

    fn is_match(&self) -> bool {
        self.wanted && self.rule.points() >= THRESHOLD
    }

    fn judged(&self, decision: Decision, reason: String) -> Candidate {
        Candidate {
            path: self.path.to_owned(),
            score: self.rule.points(),
            rule: self.rule,
            keyword: self.keyword.map(str::to_owned),
            scope: self.scope,
            updated: self.updated.as_ref().map(|updated| updated.as_str().to_owned()),
            decision,
            reason,
        }
    }
}

/// Cuts the ranking to the result and says of each candidate what became of it.
fn select<'t>(
    request: &SearchRequest,
    mut outcome: Outcome,
    mut ranked: Vec<Ranked<'t>>,
    mut suggested: Vec<Ranked<'t>>,
    warnings: Vec<Warning>,
) -> SearchReport {
    let examined = outcome.documents;
    let matches = ranked.iter().filter(|one| one.is_match()).count();
    if matches >= FEW {
        // No fallback: a suggested document is a candidate only if it mentions a keyword.
        ranked.extend(suggested.drain(..).filter(|one| one.rule != Rule::Fallback));
        ranked.sort_by(|a, b| a.key().cmp(&b.key()));
    }
    let mut kept: Vec<String> = Vec::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    for one in &ranked {
        let points = one.rule.points();
        let reason = if !one.wanted {
            context::FILTERED.into()
        } else if points < THRESHOLD {
            outcome.only_mentioned += 1;
            context::only_mentioned(points, THRESHOLD)
        } else if kept.len() >= MATCH_LIMIT {
            context::too_many_matches(matches, MATCH_LIMIT)
        } else {
            let across = request.epic.is_some() && one.scope == Scope::OtherEpic;
            let by_name = matches!(one.rule, Rule::FileNameExact | Rule::FileNamePart);
            outcome.other_epic += usize::from(across);
            outcome.other_epic_by_name += usize::from(across && by_name);
            kept.push(one.path.to_owned());
            candidates.push(one.judged(Decision::Kept, context::enough_points(points, THRESHOLD)));
            continue;
        };
        candidates.push(one.judged(Decision::Dropped, reason));
    }
    outcome.matches = kept.len();
    let mut fallback: Vec<String> = Vec::new();
    for one in &suggested {
        let reason = if !one.wanted {
            outcome.fallback_filtered += 1;
            context::FILTERED.into()
        } else if kept.len() + fallback.len() >= RESULT_LIMIT {
            context::over_limit(RESULT_LIMIT)
        } else {
            fallback.push(one.path.to_owned());
            let reason = context::fallback(request.task_type);
            candidates.push(one.judged(Decision::Kept, reason));
            continue;
        };
        candidates.push(one.judged(Decision::Dropped, reason));
    }
    outcome.fallback = fallback.len();
    // Global documents lead, and among them the matched before the suggested.
    let matched_global = ranked.iter().any(|one| one.is_match() && one.scope == Scope::Global);
    let contexts = if matched_global { [kept, fallback].concat() } else { [fallback, kept].concat() };
    SearchReport {
        result: SearchResult {
            total: contexts.len(),
            contexts,
            task_type: request.task_type,
            search_keywords: request.keywords.clone(),
            message: message(request.task_type, &outcome),
        },
        candidates,
        examined,
        warnings,
    }
}

fn usable(keywords: &[String]) -> Result<Vec<Keyword>, ContextError> {
    if keywords.iter().all(|keyword| keyword.trim().is_empty()) {
        return Err(ContextError::NoKeywords);
    }
    let too_long = |keyword: &String| keyword.chars().nth(MAX_KEYWORD_CHARS).is_some();
    if keywords.len() > MAX_KEYWORDS || keywords.iter().any(too_long) {
        return Err(ContextError::KeywordsTooLarge { max_count: MAX_KEYWORDS, max_chars: MAX_KEYWORD_CHARS });
    }
    Ok(keywords.iter().map(|keyword| Keyword::new(keyword)).collect())
}

/// What of a document's notes a searcher should hear; having no front matter is allowed.
fn warning(path: &str, note: &Note) -> Option<Warning> {
    let message = match note {
        Note::NoFrontMatter => return None,
        Note::Unreadable(error) => format!("cannot be read, counted by name only: {error}"),
        Note::NotUtf8 => "not UTF-8, read as far as it makes sense".to_owned(),
        Note::BrokenFrontMatter { line, message } => {
            format!("broken front matter (line {line}: {message}), counted without it")
        }
    };
    Some(Warning { path: path.to_owned(), message })
}

fn scope(entry: &Entry, current: Option<&str>) -> Scope {
    match &entry.place {
        Place::Global { .. } => Scope::Global,
        Place::Epic(name) if current.is_some_and(|current| is_same_epic(name, current.trim())) => {
            Scope::CurrentEpic
        }
        Place::Epic(_) => Scope::OtherEpic,
    }
}

/// `EPIC-01` is the folder `EPIC-01` and also `EPIC-01_Users`.
fn is_same_epic(folder: &str, current: &str) -> bool {
    let start = folder.get(..current.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(current))
        && !current.is_empty()
        && folder.get(current.len()..).is_none_or(|rest| rest.is_empty() || rest.starts_with(['_', ' ']))
}

/// The place of a Global document in the task type's fallback, if it has one.
fn suggestion(task_type: TaskType, entry: &Entry, name: &Name) -> Option<usize> {
    if entry.place != (Place::Global { direct: true }) {
        return None;
    }
    let wanted: &[ContextType] = match task_type {
        TaskType::RequirementsReview | TaskType::General => {
            &[ContextType::Architecture, ContextType::TechStack]
        }
        TaskType::TaskGeneration => &[ContextType::Architecture, ContextType::CodingStandard],
        TaskType::E2eTest | TaskType::PerformanceTest => {
            &[ContextType::Architecture, ContextType::TestingStrategy]
        }
        TaskType::QuickChange => &[],
    };
    let kind = global_kind(name)?;
    wanted.iter().position(|one| *one == kind)
}

/// Which of the fixed Global documents a name is.
pub(crate) fn global_kind(name: &Name) -> Option<ContextType> {
    let words: Vec<&str> = name.words().iter().map(String::as_str).collect();
    match words.as_slice() {
        ["architecture"] => Some(ContextType::Architecture),
        ["tech", "stack"] => Some(ContextType::TechStack),
        ["testing", "strategy"] => Some(ContextType::TestingStrategy),
        ["coding", "standard", _, ..] => Some(ContextType::CodingStandard),
        _ => None,
    }
}

/// A document's type: its `type` field, or else what its name says.
fn type_of(document: &Document, name: &Name) -> Option<ContextType> {
    document.front.kind.as_deref().and_then(|kind| kind.parse().ok()).or_else(|| type_of_name(name))
}

/// The type a file name says: its kind words, wherever they stand (`Module_Design_Auth`, `Auth_Design`).
pub(crate) fn type_of_name(name: &Name) -> Option<ContextType> {
    let has = |word: &str| name.words().iter().any(|one| one == word);
    match () {
        () if has("coding") && has("standard") => Some(ContextType::CodingStandard),
        () if has("testing") && has("strategy") => Some(ContextType::TestingStrategy),
        () if has("tech") && has("stack") => Some(ContextType::TechStack),
        () if has("module") && has("design") => Some(ContextType::ModuleDesign),
        () if has("model") => Some(ContextType::DataModel),
        () if has("architecture") => Some(ContextType::Architecture),
        () if has("design") && !has("api") => Some(ContextType::ModuleDesign),
        () => None,
    }
}
