//! Questions with what answers them, and the forms they are written in: one JSON object a line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use regreader_model::{ClauseNumber, RegId};
use regreader_text::parse_reference;
use regreader_text::reference::clause_candidates;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::EvalError;
use crate::editions::{ChangeQuestion, EditionQuestion, ExpectedChange};

/// A line longer than this is no question and no article.
const MOST_LINE_BYTES: usize = 4 << 20;

/// A question to a library.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Question {
    /// Its name in the set.
    pub id: String,
    /// What kind of question it is; reports are given by kind.
    pub kind: String,
    /// The question.
    pub question: String,
    /// Pages that answer it.
    pub needs: Vec<Need>,
    /// Tables that answer it, by number or id.
    pub tables: Vec<(RegId, String)>,
    /// Clauses that answer it.
    pub clauses: Vec<(RegId, String)>,
    /// Regulations that it is about.
    pub regulations: Vec<RegId>,
    /// What an answer must say; `a|b` is met by either.
    pub contains: Vec<String>,
    /// The right answer is that there is none.
    pub refusal: bool,
    /// What it asks about editions, when it asks that.
    pub editions: Option<EditionQuestion>,
}

/// One thing that a question needs: any of these pages has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// Regulation that the needed page belongs to.
    pub reg_id: RegId,
    /// Pages, from 1. None for a document without pages of its own (Markdown, HTML): then the regulation counts.
    pub pages: BTreeSet<u32>,
}

impl Need {
    /// Whether this page meets it.
    pub fn is_met_by(&self, reg_id: &RegId, page: u32) -> bool {
        self.reg_id == *reg_id && (self.pages.is_empty() || self.pages.contains(&page))
    }
}

/// A question to a collection of articles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArticleQuestion {
    /// Its name in the set.
    pub id: String,
    /// The question.
    pub question: String,
    /// Articles that answer it: document and article.
    pub gold: Vec<(String, String)>,
}

/// Reads the form of the sample library: `id`, `kind`, `question`, `reg_ids`, `evidence` (or `pages`), `tables`,
/// `clauses`, `answer_contains`, `refusal`. Questions on editions have `changes` (`old`, `new`, `kinds`, `chapter`, `entities`,
/// `expect`: a list of `place`, `old`, `new`), `entity` with `pages`, or `as_of`.
pub fn read(path: &Path) -> Result<Vec<Question>, EvalError> {
    parse(path, open(path)?, &as_id)
}

/// The same where the set names regulations by the stems of their files; `reg_id_of` names the regulation that such a
/// file became.
pub fn read_by_file(
    path: &Path,
    reg_id_of: impl Fn(&str) -> Option<RegId>,
) -> Result<Vec<Question>, EvalError> {
    parse(path, open(path)?, &reg_id_of)
}

/// The names of regulations in a set, as they are written.
pub fn names(path: &Path) -> Result<BTreeSet<String>, EvalError> {
    let lines: Vec<OwnForm> = read_lines(path, open(path)?)?;
    let names = |line: OwnForm| {
        let editions = line.changes.into_iter().flat_map(|form| [form.old, form.new]);
        line.reg_ids.into_iter().chain(editions).chain(line.pages.into_keys()).collect::<Vec<_>>()
    };
    Ok(lines.into_iter().flat_map(names).collect())
}

/// The same from text that is already there; `name` is for messages.
pub fn read_text(name: &str, text: &str) -> Result<Vec<Question>, EvalError> {
    parse(Path::new(name), text.as_bytes(), &as_id)
}

fn as_id(name: &str) -> Option<RegId> {
    name.parse().ok()
}

fn parse(
    path: &Path,
    lines: impl BufRead,
    reg_id_of: &dyn Fn(&str) -> Option<RegId>,
) -> Result<Vec<Question>, EvalError> {
    let lines: Vec<OwnForm> = read_lines(path, lines)?;
    let question = |(at, line): (usize, OwnForm)| {
        let wrong = |problem| EvalError::Line { path: path.to_owned(), line: at + 1, problem };
        line.into_question(reg_id_of).map_err(wrong)
    };
    lines.into_iter().enumerate().map(question).collect()
}

/// Reads questions on one standard with the pages its clauses begin on: `start_pages_1based`, `clauses` (`… §4.2.3`),
/// `keywords`, `level`.
pub fn read_clause_questions(path: &Path, reg_id: &RegId) -> Result<Vec<Question>, EvalError> {
    let lines: Vec<ClauseForm> = read_lines(path, open(path)?)?;
    Ok(lines.into_iter().map(|line| line.into_question(reg_id)).collect())
}

/// Reads questions on annual reports: `doc`, `evidence_pages_0based`, `type`. `reg_id_of` names the regulation that a
/// document became.
pub fn read_report_questions(
    path: &Path,
    reg_id_of: impl Fn(&str) -> Option<RegId>,
) -> Result<Vec<Question>, EvalError> {
    let lines: Vec<ReportForm> = read_lines(path, open(path)?)?;
    let mut questions = Vec::with_capacity(lines.len());
    for (at, line) in lines.into_iter().enumerate() {
        let Some(reg_id) = reg_id_of(&line.doc) else {
            let problem = format!("document {} is not in the library", line.doc);
            return Err(EvalError::Line { path: path.to_owned(), line: at + 1, problem });
        };
        questions.push(line.into_question(reg_id));
    }
    Ok(questions)
}

/// Reads questions with their articles, in either form: `gold` (a list of `doc` and `article`), or `doc` and
/// `article` themselves.
pub fn read_article_questions(path: &Path) -> Result<Vec<ArticleQuestion>, EvalError> {
    let lines: Vec<ArticleForm> = read_lines(path, open(path)?)?;
    let question = |line: ArticleForm| {
        let single = line.doc.into_iter().zip(line.article);
        let gold = line.gold.into_iter().map(|gold| (gold.doc, gold.article)).chain(single).collect();
        ArticleQuestion { id: name(&line.id), question: line.question, gold }
    };
    Ok(lines.into_iter().map(question).collect())
}

/// The forms in which a chapter tree may number a clause that a set names: `4.2.3`, `附录B/第七条`.
pub fn clause_forms(name: &str) -> Vec<ClauseNumber> {
    let last = name.rsplit('/').next().unwrap_or(name);
    let mut forms = vec![ClauseNumber::new(last)];
    if let Some(target) = parse_reference(last) {
        forms.extend(clause_candidates(&target));
    }
    forms
}

/// Reads JSON lines; empty lines mean nothing.
pub(crate) fn read_lines<T: DeserializeOwned>(path: &Path, lines: impl BufRead) -> Result<Vec<T>, EvalError> {
    let mut all = Vec::new();
    for (at, line) in lines.lines().enumerate() {
        let line = line.map_err(|source| EvalError::Read { path: path.to_owned(), source })?;
        if line.trim().is_empty() {
            continue;
        }
        let problem = |problem: String| EvalError::Line { path: path.to_owned(), line: at + 1, problem };
        if line.len() > MOST_LINE_BYTES {
            return Err(problem(format!("longer than {MOST_LINE_BYTES} bytes")));
        }
        all.push(serde_json::from_str(&line).map_err(|error| problem(error.to_string()))?);
    }
    if all.is_empty() {
        return Err(EvalError::NoQuestions { path: path.to_owned() });
    }
    Ok(all)
}

pub(crate) fn open(path: &Path) -> Result<BufReader<File>, EvalError> {
    let file = File::open(path).map_err(|source| EvalError::Read { path: path.to_owned(), source })?;
    Ok(BufReader::new(file))
}

#[derive(Deserialize)]
struct OwnForm {
    id: serde_json::Value,
    #[serde(default)]
    kind: String,
    question: String,
    #[serde(default)]
    reg_ids: Vec<String>,
    #[serde(default)]
    pages: BTreeMap<String, BTreeSet<u32>>,
    #[serde(default)]
    evidence: Vec<Evidence>,
    #[serde(default)]
    tables: Vec<String>,
    #[serde(default)]
    clauses: Vec<String>,
    #[serde(default)]
    answer_contains: Vec<String>,
    #[serde(default)]
    refusal: bool,
    changes: Option<ChangesForm>,
    entity: Option<String>,
    as_of: Option<String>,
}

#[derive(Deserialize)]
struct ChangesForm {
    old: String,
    new: String,
    #[serde(default)]
    kinds: Vec<String>,
    chapter: Option<String>,
    #[serde(default)]
    entities: Vec<String>,
    expect: Vec<ExpectedChange>,
}

#[derive(Deserialize)]
struct Evidence {
    reg_id: String,
    pages: BTreeSet<u32>,
}

impl OwnForm {
    fn into_question(self, reg_id_of: &dyn Fn(&str) -> Option<RegId>) -> Result<Question, String> {
        let known = |name: &str| reg_id_of(name).ok_or_else(|| format!("no regulation `{name}`"));
        // Some sets shorten the names here (`电力法:第五条` for a file with its date): a place in a regulation that is not
        // known by that name is not measured.
        let placed = |names: &[String]| -> Result<Vec<(RegId, String)>, String> {
            let mut places = Vec::new();
            for name in names {
                let (reg_id, place) = name
                    .split_once(':')
                    .ok_or_else(|| format!("`{name}` is not of the form reg_id:place"))?;
                places.extend(reg_id_of(reg_id).map(|reg_id| (reg_id, place.to_owned())));
            }
            Ok(places)
        };
        let regulations = self.reg_ids.iter().map(|name| known(name)).collect::<Result<Vec<_>, _>>()?;
        let given = if self.evidence.is_empty() {
            self.pages.into_iter().collect()
        } else {
            self.evidence.into_iter().map(|one| (one.reg_id, one.pages)).collect::<Vec<_>>()
        };
        let mut needs = Vec::new();
        for (name, pages) in given {
            needs.push(Need { reg_id: known(&name)?, pages });
        }
        for reg_id in regulations.iter().filter(|_| !self.refusal) {
            if !needs.iter().any(|need| need.reg_id == *reg_id) {
                needs.push(Need { reg_id: reg_id.clone(), pages: BTreeSet::new() });
            }
        }
        let editions = match (self.changes, self.entity, self.as_of) {
            (Some(form), ..) => Some(EditionQuestion::Change(ChangeQuestion {
                old: known(&form.old)?.to_string(),
                new: known(&form.new)?.to_string(),
                kinds: form.kinds,
                chapter: form.chapter,
                entities: form.entities,
                expected: form.expect,
            })),
            (None, Some(entity), _) => Some(EditionQuestion::Impact(entity)),
            (None, None, Some(day)) => Some(EditionQuestion::AsOf(day)),
            (None, None, None) => None,
        };
        Ok(Question {
            id: name(&self.id),
            kind: self.kind,
            question: self.question,
            editions,
            needs,
            tables: placed(&self.tables)?,
            clauses: placed(&self.clauses)?,
            regulations,
            contains: self.answer_contains,
            refusal: self.refusal,
        })
    }
}

#[derive(Deserialize)]
struct ClauseForm {
    id: serde_json::Value,
    #[serde(default)]
    level: String,
    question: String,
    #[serde(default)]
    clauses: Vec<String>,
    #[serde(default)]
    start_pages_1based: BTreeSet<u32>,
    #[serde(default)]
    refusal: bool,
}

impl ClauseForm {
    fn into_question(self, reg_id: &RegId) -> Question {
        let number = |clause: &String| clause.rsplit('§').next().map(|number| number.trim().to_owned());
        let clauses = self.clauses.iter().filter_map(number).map(|number| (reg_id.clone(), number));
        let needs = if self.start_pages_1based.is_empty() {
            Vec::new()
        } else {
            vec![Need { reg_id: reg_id.clone(), pages: self.start_pages_1based }]
        };
        Question {
            id: name(&self.id),
            kind: self.level,
            question: self.question,
            needs,
            clauses: clauses.collect(),
            regulations: vec![reg_id.clone()],
            refusal: self.refusal,
            ..Question::default()
        }
    }
}

#[derive(Deserialize)]
struct ReportForm {
    id: serde_json::Value,
    doc: String,
    question: String,
    #[serde(default, rename = "type")]
    kind: String,
    evidence_pages_0based: BTreeSet<u32>,
}

impl ReportForm {
    fn into_question(self, reg_id: RegId) -> Question {
        let pages = self.evidence_pages_0based.iter().map(|page| page.saturating_add(1)).collect();
        Question {
            id: name(&self.id),
            kind: self.kind,
            question: self.question,
            needs: vec![Need { reg_id: reg_id.clone(), pages }],
            regulations: vec![reg_id],
            ..Question::default()
        }
    }
}

#[derive(Deserialize)]
struct ArticleForm {
    id: serde_json::Value,
    question: String,
    #[serde(default)]
    gold: Vec<GoldForm>,
    doc: Option<String>,
    article: Option<String>,
}

#[derive(Deserialize)]
struct GoldForm {
    doc: String,
    article: String,
}

/// Some sets number their questions, others name them.
fn name(id: &serde_json::Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_form_gives_needs_tables_and_clauses() {
        let line = r#"{"id": 7, "kind": "table_cell", "question": "?", "reg_ids": ["a_1"], "tables": ["a_1:表3-1"],
            "clauses": ["a_1:2.1"], "evidence": [{"reg_id": "a_1", "type": "row", "id": "x", "pages": [4, 5]}],
            "answer_contains": ["320"], "refusal": false}"#
            .replace('\n', " ");
        let questions = read_text("set", &format!("\n{line}\n\n")).unwrap();
        let one = &questions[0];
        assert_eq!((one.id.as_str(), one.kind.as_str()), ("7", "table_cell"));
        let reg_id: RegId = "a_1".parse().unwrap();
        assert!(one.needs[0].is_met_by(&reg_id, 5) && !one.needs[0].is_met_by(&reg_id, 6));
        assert_eq!(one.tables, [(reg_id.clone(), "表3-1".to_owned())]);
        assert_eq!(one.clauses, [(reg_id, "2.1".to_owned())]);
    }

    #[test]
    fn names_of_files_and_documents_without_pages_are_understood() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.jsonl");
        let line = r#"{"id":"z","question":"?","reg_ids":["电力法(2018)","GB 1"],"pages":{"GB 1":[3]},"clauses":["GB 1:2.1"]}"#;
        std::fs::write(&path, line).unwrap();
        assert!(names(&path).unwrap().contains("电力法(2018)"));
        let id = |name: &str| if name == "GB 1" { "gb1".parse().ok() } else { "law".parse().ok() };
        let one = read_by_file(&path, id).unwrap().remove(0);
        let (law, standard): (RegId, RegId) = ("law".parse().unwrap(), "gb1".parse().unwrap());
        assert!(one.needs.iter().any(|need| need.is_met_by(&law, 9)), "any page of a text without pages");
        assert!(one.needs.iter().any(|need| need.is_met_by(&standard, 3)));
        assert!(!one.needs.iter().any(|need| need.is_met_by(&standard, 4)));
        let error = read_by_file(&path, |_| None).unwrap_err().to_string();
        assert!(error.contains("no regulation `电力法(2018)`"), "{error}");
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error =
            read_text("set", "{\"id\": 1, \"question\": \"?\"}\n{\"id\": 2}\n").unwrap_err().to_string();
        assert!(error.starts_with("set, line 2:"), "{error}");
        let error = read_text("set", "{\"id\": 1, \"question\": \"?\", \"tables\": [\"表1\"]}").unwrap_err();
        assert!(error.to_string().contains("表1"), "{error}");
        assert!(matches!(read_text("set", "\n").unwrap_err(), EvalError::NoQuestions { .. }));
    }

    #[test]
    fn clause_questions_take_the_number_after_the_sign() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.jsonl");
        let line = r#"{"id":"L1","level":"L1","question":"?","clauses":["GB 1-2019 §4.2.3"],"start_pages_1based":[12]}"#;
        std::fs::write(&path, line).unwrap();
        let reg_id: RegId = "gb1".parse().unwrap();
        let questions = read_clause_questions(&path, &reg_id).unwrap();
        assert_eq!(questions[0].clauses, [(reg_id, "4.2.3".to_owned())]);
    }

    #[test]
    fn articles_come_in_two_forms() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.jsonl");
        let lines = "{\"id\":0,\"question\":\"?\",\"gold\":[{\"doc\":\"a\",\"article\":\"1\"}]}\n\
            {\"id\":\"x\",\"question\":\"?\",\"doc\":\"b\",\"article\":\"2\"}\n";
        std::fs::write(&path, lines).unwrap();
        let questions = read_article_questions(&path).unwrap();
        assert_eq!(questions[0].gold, [("a".to_owned(), "1".to_owned())]);
        assert_eq!(questions[1].gold, [("b".to_owned(), "2".to_owned())]);
    }

    #[test]
    fn a_clause_is_known_however_it_is_numbered() {
        let forms = |name| clause_forms(name).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(forms("附录B/第七条").contains(&"第7条".to_owned()));
        assert_eq!(forms("4.2.3").first().map(String::as_str), Some("4.2.3"));
    }
}
