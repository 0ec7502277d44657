//! `eval`: question sets put to search and to the offline agent, and what came of it.

mod bench;
mod documents;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use regreader_agent::offline::{self, Explained, OfflineOptions};
use regreader_agent::{Agent, AgentKind, Answer, Conversation, DatedTools};
use regreader_eval::answers::says_all;
use regreader_eval::library::{self, Within};
use regreader_eval::{
    AnswerScores, ClauseScores, EditionQuestion, EditionScores, EvalError, Judged, Legs, PageFloor, Question,
    Report, Scores, Tally, Verdict, articles, editions, questions,
};
use regreader_messages::cli;
use regreader_model::RegId;
use regreader_search::SearchEngine;
use regreader_store::ListEntry;
use regreader_tools::Toolbox;
use serde_json::json;

use self::bench::{Bench, Ways};
use self::documents::Documents;
use super::Session;
use crate::assistant::Assistant;
use crate::cli::EvalArgs;
use crate::failure::{NOTHING, Refusal};
use crate::pipeline;
use crate::samples::Samples;

/// Runs `eval`. Exit code 1 when a figure fell behind the baseline.
pub fn run(session: &Session, args: &EvalArgs) -> anyhow::Result<ExitCode> {
    // Before the work, so that a wrong name does not cost it.
    let baseline = args.baseline.as_deref().map(Report::read).transpose()?;
    let report = match args.question_set.as_str() {
        "stard" => statutes(session, args, "stard", &["questions.jsonl", "stard/questions.jsonl"])?,
        "exam" => statutes(session, args, "exam", &["exam_to_article.jsonl", "exam/exam_to_article.jsonl"])?,
        "gb38755" => standard(session, args)?,
        "financebench" => reports(session, args)?,
        "samples" => samples(session, args, Samples::Chinese)?,
        "samples-en" => samples(session, args, Samples::English)?,
        file if !Path::new(file).exists() => {
            return Err(Refusal::usage(cli::no_question_set(file), cli::QUESTION_SETS.to_string()).into());
        }
        file if args.corpus.is_some() => on_documents(session, args, file)?,
        file => {
            let named = |name: &str| name.parse().ok().or_else(|| documents::reg_id_of_stem(name));
            let set = questions::read_by_file(Path::new(file), named)?;
            on_library(session, args, &Bench::of_library(session)?, file, set)?
        }
    };
    if let Some(path) = &args.save {
        let text = serde_json::to_string_pretty(&report)?;
        fs::write(path, text + "\n").with_context(|| path.display().to_string())?;
    }
    if session.output.json {
        session.output.json(&report)?;
    } else {
        session.output.line(report.to_markdown().trim_end())?;
    }
    let Some(baseline) = baseline else { return Ok(ExitCode::SUCCESS) };
    let fallen = report.regressions(&baseline, args.tolerance);
    for one in &fallen {
        eprintln!("regression: {} was {:.4}, is {:.4}", one.figure, one.was, one.is);
    }
    Ok(if fallen.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(NOTHING) })
}

fn samples(session: &Session, args: &EvalArgs, samples: Samples) -> anyhow::Result<Report> {
    let bench = Bench::new(session, args.keep.as_deref())?;
    samples.ingest(bench.library(), &mut |_| {})?;
    if samples == Samples::English {
        // Among others it has to be chosen.
        Samples::Chinese.ingest(bench.library(), &mut |_| {})?;
    }
    let mut set = questions::read_text("questions.jsonl", samples.questions())?;
    if samples == Samples::Chinese {
        set.extend(questions::read_text("editions.jsonl", Samples::EDITIONS)?);
    }
    on_library(session, args, &bench, &args.question_set, set)
}

/// Questions on documents that they name by the stems of their files.
fn on_documents(session: &Session, args: &EvalArgs, file: &str) -> anyhow::Result<Report> {
    let file = Path::new(file);
    let documents = Documents::find(corpus(args)?, &questions::names(file)?)?;
    let set = questions::read_by_file(file, |stem| documents.reg_id(stem))?;
    let bench = Bench::new(session, args.keep.as_deref())?;
    bench.ingest(&documents.files)?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    on_library(session, args, &bench, &name, set)
}

fn standard(session: &Session, args: &EvalArgs) -> anyhow::Result<Report> {
    let folder = corpus(args)?;
    let named = |name: &str| name.contains("38755") && name.to_lowercase().ends_with(".pdf");
    let files = bench::files(&[folder, &folder.join("zh")], named)?;
    let [file, ..] = files.as_slice() else {
        return Err(missing(folder, "a PDF whose name has 38755").into());
    };
    let bench = Bench::new(session, args.keep.as_deref())?;
    let reg_id: RegId = "gb38755".parse()?;
    bench.ingest(&[(file.clone(), reg_id.clone())])?;
    let path = question_file(args, &["gb38755.questions.jsonl", "zh/gb38755.questions.jsonl"])?;
    on_library(session, args, &bench, "gb38755", questions::read_clause_questions(&path, &reg_id)?)
}

fn reports(session: &Session, args: &EvalArgs) -> anyhow::Result<Report> {
    let folder = corpus(args)?;
    let places = [folder.to_owned(), folder.join("pdfs"), folder.join("financebench/pdfs")];
    let places: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
    let files = bench::files(&places, |name| name.to_lowercase().ends_with(".pdf"))?;
    if files.is_empty() {
        return Err(missing(folder, "the annual reports as PDF").into());
    }
    let mut ids = BTreeMap::new();
    let mut wanted = Vec::new();
    for file in files {
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(reg_id) = pipeline::reg_id_for(&file) else { continue };
        ids.insert(stem, reg_id.clone());
        wanted.push((file, reg_id));
    }
    let path = question_file(args, &["questions.jsonl", "financebench/questions.jsonl"])?;
    let set = questions::read_report_questions(&path, |doc| ids.get(doc).cloned())?;
    let bench = Bench::new(session, args.keep.as_deref())?;
    bench.ingest(&wanted)?;
    on_library(session, args, &bench, "financebench", set)
}

/// Search, selection and, when asked for, answers on a library.
fn on_library(
    session: &Session,
    args: &EvalArgs,
    bench: &Bench<'_>,
    name: &str,
    mut set: Vec<Question>,
) -> anyhow::Result<Report> {
    keep_only(args, &mut set, |question| &question.id)?;
    let (on_editions, set): (Vec<Question>, Vec<Question>) =
        set.into_iter().partition(|question| question.editions.is_some());
    let ways = bench.ways(bench.embedder(args)?)?;
    let by_page = measured(&ways, |engine| library::by_page(engine, &set, Within::Chosen))?;
    let mut report = Report {
        set: name.to_owned(),
        unit: "page".to_owned(),
        questions: set.len(),
        searched: bench.pages()?,
        embedding: ways.embedding.clone(),
        legs: by_page.legs(|_| true),
        ..Report::default()
    };
    let kinds: BTreeSet<&str> = set.iter().map(|question| question.kind.as_str()).collect();
    for kind in kinds {
        let legs = by_page.legs(|at| set.get(at).is_some_and(|question| question.kind == kind));
        if legs.fused.questions > 0 {
            report.kinds.insert(kind.to_owned(), legs);
        }
    }
    let several = bench.library().list()?.len() > 1;
    if several && set.iter().any(|question| !question.regulations.is_empty()) {
        let given = measured(&ways, |engine| library::by_page(engine, &set, Within::Given))?;
        report.by.insert("page, regulation given".to_owned(), given.legs(|_| true));
        report.selection = Some(library::selection(&ways.fused, &set)?);
    }
    if set.iter().any(|question| !question.tables.is_empty()) {
        let legs = measured(&ways, |engine| library::by_table(engine, &set))?.legs(|_| true);
        report.by.insert("table".to_owned(), legs);
    }
    if set.iter().any(|question| !question.clauses.is_empty()) {
        let legs = measured(&ways, |engine| library::by_clause(engine, &set))?.legs(|_| true);
        report.by.insert("clause".to_owned(), legs);
        report.clauses = Some(clauses(&ways.fused, &set)?);
    }
    for backend in &args.beside {
        let ways = bench.ways(bench.embedder_named(backend)?)?;
        let legs = measured(&ways, |engine| library::by_page(engine, &set, Within::Chosen))?.legs(|_| true);
        report.beside.insert(ways.embedding.clone().unwrap_or_else(|| backend.clone()), legs);
    }
    report.missed = by_page.missed(|at| set.get(at).map(|question| question.id.clone()));
    report.floor = Some(Scores::of(&floor(&ways.fused, bench)?.judge(&set)));
    let toolbox = bench.toolbox(ways);
    if !on_editions.is_empty() {
        report.editions = Some(editions(session, args, &toolbox, &on_editions)?);
    }
    if args.answers && !set.is_empty() {
        report.answers = Some(answers(session, args, &toolbox, &set)?);
    }
    Ok(report)
}

/// Every page of the library, for BM25 without any of our search.
fn floor(engine: &SearchEngine, bench: &Bench<'_>) -> anyhow::Result<PageFloor> {
    let mut floor = PageFloor::default();
    for entry in bench.library().list()? {
        let ListEntry::Regulation(info) = entry else { continue };
        for page in engine.reader(&info.reg_id)?.all_pages() {
            let page = page?;
            floor.add(info.reg_id.clone(), page.page_num.get(), &page.content_markdown);
        }
    }
    Ok(floor)
}

/// Puts questions on changes and impact to their tools, and questions with a day to the agent.
fn editions(
    session: &Session,
    args: &EvalArgs,
    toolbox: &Toolbox,
    set: &[Question],
) -> anyhow::Result<EditionScores> {
    let mut agent_args = args.agent.clone();
    agent_args.agent.get_or_insert_with(|| "offline".to_owned());
    let assistant = Assistant::new(&session.settings, &session.layers, &agent_args)?;
    let mut judged = Vec::new();
    for question in set {
        let listed = match &question.editions {
            Some(EditionQuestion::AsOf(day)) => {
                let dated = DatedTools::new(toolbox, Some(day.clone()));
                let agent = assistant.agent(&dated);
                let reply = agent.ask(&question.question, &mut Conversation::default(), &mut |_| {})?;
                Some(editions::judge_answer(question, &reply.answer))
            }
            _ => editions::list(toolbox, question)?,
        };
        judged.extend(listed.map(|listed| (question, listed)));
    }
    Ok(editions::scores(&judged))
}

/// Puts the questions to the agent that the flags name; the offline one when they name none.
fn answers(
    session: &Session,
    args: &EvalArgs,
    toolbox: &Toolbox,
    set: &[Question],
) -> anyhow::Result<AnswerScores> {
    let mut agent_args = args.agent.clone();
    agent_args.agent.get_or_insert_with(|| "offline".to_owned());
    let assistant = Assistant::new(&session.settings, &session.layers, &agent_args)?;
    let mut agent: Agent<'_> = assistant.agent(toolbox);
    agent.options.threshold = args.threshold;
    let weights = args.weights.as_ref().map(fs::read_to_string).transpose()?;
    agent.options.weights = weights.as_deref().map(offline::Weights::read);
    let mut details = args.details.as_ref().map(fs::File::create).transpose()?;
    let progress = bench::progress(session, set.len());
    let mut tally = Tally::default();
    for question in set {
        let reply = agent.ask(&question.question, &mut Conversation::default(), &mut |_| {})?;
        let verdict = tally.count(question, &reply.answer);
        if let Some(file) = &mut details {
            let explained = match agent.kind {
                AgentKind::Offline => {
                    let options = OfflineOptions {
                        weights: agent.options.weights.clone(),
                        lexicon: agent.options.lexicon.clone(),
                        ..OfflineOptions::default()
                    };
                    offline::explain(toolbox, &question.question, &options)?
                }
                _ => Vec::new(),
            };
            writeln!(file, "{}", detail(question, &reply.answer, &verdict, &explained))?;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(tally.into_scores())
}

/// One question, its answer and how that was judged, as a line of JSON.
fn detail(
    question: &Question,
    answer: &Answer,
    verdict: &Verdict,
    explained: &[Explained],
) -> serde_json::Value {
    let on_page = |one: &Explained| {
        let met = |reg_id: RegId| question.needs.iter().any(|need| need.is_met_by(&reg_id, one.page_num));
        one.reg_id.parse().is_ok_and(met)
    };
    let passages: Vec<_> = explained
        .iter()
        .map(|one| {
            let mut value = json!(one);
            value["on_page"] = json!(on_page(one));
            value["says"] = json!(says_all(question, &one.text));
            value["quoted_says"] = json!(says_all(question, &one.quoted));
            value
        })
        .collect();
    json!({
        "id": question.id, "kind": question.kind, "refusal": question.refusal, "wanted": question.contains,
        "right": verdict.is_right(), "short": verdict.is_short(), "shown": verdict.is_shown(),
        "verdict": verdict, "answer": answer, "passages": passages,
    })
}

/// Questions whose answers are articles.
fn statutes(session: &Session, args: &EvalArgs, name: &str, files: &[&str]) -> anyhow::Result<Report> {
    let folder = corpus(args)?;
    let places =
        ["articles.jsonl.gz", "stard/articles.jsonl.gz", "../stard/articles.jsonl.gz", "articles.jsonl"];
    let Some(path) = places.iter().map(|place| folder.join(place)).find(|path| path.is_file()) else {
        return Err(missing(folder, "articles.jsonl.gz").into());
    };
    let mut set = questions::read_article_questions(&question_file(args, files)?)?;
    keep_only(args, &mut set, |question| &question.id)?;
    let collection = articles::Collection::read(&path)?;
    let bench = Bench::new(session, args.keep.as_deref())?;
    let judged = |embedder| -> anyhow::Result<(Option<String>, Measured)> {
        let corpus = bench.corpus(embedder)?;
        let progress = bench::progress(session, collection.len());
        collection.index(&corpus.corpus, &mut |done| progress.set_position(done as u64))?;
        progress.finish_and_clear();
        let mut lists = Vec::new();
        for (leg, options) in &corpus.fusions {
            lists.push((*leg, collection.judge(&corpus.corpus, options, &set)?));
        }
        Ok((corpus.embedding, Measured(lists)))
    };
    let (embedding, measured) = judged(bench.embedder(args)?)?;
    let mut report = Report {
        set: name.to_owned(),
        unit: "article".to_owned(),
        questions: set.len(),
        searched: collection.len(),
        embedding,
        legs: measured.legs(|_| true),
        missed: measured.missed(|at| set.get(at).map(|question| question.id.clone())),
        ..Report::default()
    };
    for backend in &args.beside {
        let (embedding, measured) = judged(bench.embedder_named(backend)?)?;
        report.beside.insert(embedding.unwrap_or_else(|| backend.clone()), measured.legs(|_| true));
    }
    Ok(report)
}

/// Which way of joining the legs a list of judgements belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leg {
    Keyword,
    Vector,
    Rrf,
    Fused,
}

/// Every question judged in each way.
struct Measured(Vec<(Leg, Vec<Judged>)>);

impl Measured {
    /// Means over the questions at these places.
    fn legs(&self, wanted: impl Fn(usize) -> bool) -> Legs {
        let scores = |leg: Leg| {
            let (_, judged) = self.0.iter().find(|(one, _)| *one == leg)?;
            Some(Scores::of(judged.iter().enumerate().filter(|(at, _)| wanted(*at)).map(|(_, one)| one)))
        };
        Legs {
            keyword: scores(Leg::Keyword).unwrap_or_default(),
            vector: scores(Leg::Vector),
            rrf: scores(Leg::Rrf),
            fused: scores(Leg::Fused).unwrap_or_default(),
        }
    }

    /// Questions that the fused ranking does not wholly answer among ten.
    fn missed(&self, id: impl Fn(usize) -> Option<String>) -> Vec<String> {
        let fused = self.0.iter().find(|(leg, _)| *leg == Leg::Fused).map(|(_, judged)| judged.as_slice());
        let unmet = |judged: &Judged| !judged.ranks.is_empty() && judged.recall(10) < 1.0;
        let all = fused.unwrap_or_default().iter().enumerate();
        all.filter(|(_, judged)| unmet(judged)).filter_map(|(at, _)| id(at)).collect()
    }
}

fn measured(
    ways: &Ways,
    judge: impl Fn(&SearchEngine) -> Result<Vec<Judged>, EvalError>,
) -> anyhow::Result<Measured> {
    let mut lists = Vec::new();
    for (leg, engine) in ways.all() {
        lists.push((leg, judge(engine)?));
    }
    Ok(Measured(lists))
}

/// Which of the clauses that the questions name are in the chapter trees, and whether they begin on a page that the
/// set gives.
fn clauses(engine: &SearchEngine, set: &[Question]) -> anyhow::Result<ClauseScores> {
    let mut named: BTreeMap<(RegId, String), BTreeSet<u32>> = BTreeMap::new();
    for question in set {
        for (reg_id, clause) in &question.clauses {
            let pages = named.entry((reg_id.clone(), clause.clone())).or_default();
            let of_this = question.needs.iter().filter(|need| need.reg_id == *reg_id);
            pages.extend(of_this.flat_map(|need| need.pages.iter().copied()));
        }
    }
    let mut scores = ClauseScores { named: named.len(), ..ClauseScores::default() };
    for ((reg_id, clause), pages) in named {
        let structure = engine.reader(&reg_id)?.structure()?;
        let forms = questions::clause_forms(&clause);
        let found: Vec<u32> = structure
            .all_nodes
            .values()
            .filter(|node| forms.contains(&node.section_number))
            .map(|node| node.page_num.get())
            .collect();
        scores.in_tree += usize::from(!found.is_empty());
        if found.iter().any(|page| pages.contains(page)) {
            scores.on_page += 1;
        } else {
            scores.missing.push(format!("{reg_id}:{clause}"));
        }
    }
    Ok(scores)
}

/// Leaves only the questions whose names `--only` lists.
fn keep_only<T>(args: &EvalArgs, set: &mut Vec<T>, id: impl Fn(&T) -> &String) -> anyhow::Result<()> {
    if let Some(path) = &args.only {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let names: BTreeSet<&str> = text.lines().map(str::trim).collect();
        set.retain(|question| names.contains(id(question).as_str()));
        if set.is_empty() {
            return Err(EvalError::NoQuestions { path: path.clone() }.into());
        }
    }
    Ok(())
}

fn corpus(args: &EvalArgs) -> anyhow::Result<&Path> {
    args.corpus.as_deref().ok_or_else(|| {
        let message =
            format!("`eval {}` measures documents that are not part of this program", args.question_set);
        Refusal::usage(message, "name their folder with --corpus DIR").into()
    })
}

/// The file of questions: as given, or where the corpus has it.
fn question_file(args: &EvalArgs, places: &[&str]) -> anyhow::Result<PathBuf> {
    if let Some(path) = &args.questions {
        return Ok(path.clone());
    }
    let folder = corpus(args)?;
    let found = places.iter().map(|place| folder.join(place)).find(|path| path.is_file());
    found.ok_or_else(|| missing(folder, "the questions; name them with --questions FILE").into())
}

fn missing(folder: &Path, what: &str) -> Refusal {
    Refusal::library(format!("{} does not hold {what}", folder.display()), "is --corpus right?")
}
