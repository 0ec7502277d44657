//! The lie test: `cargo xtask bench proof`. Truths and lies are generated from a library, each is checked by
//! `verify_citation`, and the shares are printed by kind.
//!
//! `proof_bench LIBRARY [--count 1000] [--seed 1] [--part all|develop|held] [--show N] [--index FOLDER]`

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark that cannot set itself up should fail"
)]

mod generate;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use generate::{Document, LIES, TRUTHS, cases};
use regreader_search::{EngineOptions, SearchEngine};
use regreader_store::{Library, OpenOptions};
use regreader_tools::{Tool as _, Toolbox, ToolboxOptions, VerifyCitation};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut folder, mut count, mut seed, mut part, mut show) = (None, 1000, 1, "all".to_owned(), 0);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().expect("a value");
        match argument.as_str() {
            "--count" => count = value().parse().expect("a number"),
            "--seed" => seed = value().parse().expect("a number"),
            "--part" => part = value(),
            "--show" => show = value().parse().expect("a number"),
            _ => folder = Some(PathBuf::from(argument)),
        }
    }
    let folder = folder.expect("the folder of a library");
    let library = Library::open(&folder, OpenOptions::new()).expect("a library");
    let documents = read(&library, &part);
    let pages: usize = documents.iter().map(|one| one.pages.len()).sum();
    println!("{} regulations, {pages} pages, part {part}, seed {seed}", documents.len());
    let engine =
        SearchEngine::open(library.clone(), &folder.join("index-proof"), EngineOptions::default(), None)
            .expect("an index");
    engine.refresh(&mut |_| {}).expect("an index");
    let toolbox = Toolbox::new(library, Arc::new(engine), ToolboxOptions::default());

    let mut tally: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut times: BTreeMap<bool, Vec<Duration>> = BTreeMap::new();
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases(&documents, count, seed) {
        let request = VerifyCitation {
            reg_id: case.reg_id.clone(),
            page_num: case.page,
            statement: case.statement.clone(),
            target: case.target.clone(),
            operands: Vec::new(),
            given: Vec::new(),
        };
        let first = request.run(&toolbox).expect("a verdict");
        let begin = Instant::now();
        let check = request.run(&toolbox).expect("a verdict");
        times.entry(case.is_true).or_default().push(begin.elapsed());
        assert_eq!(first.verdict, check.verdict);
        let supported = check.verdict == regreader_tools::CheckVerdict::Supported;
        let entry = tally.entry(case.kind).or_default();
        entry.1 += 1;
        entry.0 += usize::from(supported);
        if supported != case.is_true && *shown.entry(case.kind).or_default() < show {
            *shown.entry(case.kind).or_default() += 1;
            println!(
                "! {} | {} P{} {:?} | {}",
                case.kind,
                case.reg_id,
                case.page,
                case.target,
                case.statement.replace('\n', "⏎")
            );
            println!(
                "    {:?} {:?} | missing {:?} | left out {:?}",
                check.level,
                check.place.map(|place| place.text),
                check.missing,
                check.left_out
            );
        }
    }
    for (title, kinds) in [("truths proven", &TRUTHS[..]), ("lies that pass", &LIES[..])] {
        let (mut passed, mut all) = (0, 0);
        for kind in kinds {
            let (supported, total) = tally.get(kind).copied().unwrap_or_default();
            println!("{title:15} {kind:20} {supported:4} of {total:4}");
            passed += supported;
            all += total;
        }
        println!("{title:15} {:20} {passed:4} of {all:4} = {:.4}", "all", passed as f64 / all.max(1) as f64);
    }
    let all: Vec<Duration> = times.values().flatten().copied().collect();
    let of = |is_true: bool| times.get(&is_true).cloned().unwrap_or_default();
    for (name, mut list) in [("truth", of(true)), ("lie", of(false)), ("all", all)] {
        list.sort_unstable();
        let at = |share: usize| list.get(list.len() * share / 100).copied().unwrap_or_default();
        println!("warm check, {name:5} median {:?}, p95 {:?}", at(50), at(95));
    }
}

/// The regulations of a library, or the two thirds that were looked at while the prover was written, or the third that was not.
fn read(library: &Library, part: &str) -> Vec<Document> {
    let mut documents = Vec::new();
    for id in library.ids().expect("ids") {
        let held = id
            .as_str()
            .bytes()
            .map(u64::from)
            .fold(7, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(byte))
            % 3
            == 0;
        if (part == "develop" && held) || (part == "held" && !held) {
            continue;
        }
        let reader = library.reader(&id).expect("a regulation");
        let pages = reader.all_pages().collect::<Result<Vec<_>, _>>().expect("pages");
        documents.push(Document {
            info: reader.info().clone(),
            pages,
            tables: reader.tables().expect("tables").as_ref().clone(),
        });
    }
    documents
}
