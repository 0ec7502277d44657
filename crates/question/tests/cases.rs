//! Case files: `tests/cases/*.md` hold questions as headings of the second level and, below each, how it is read. To add a
//! case, write the heading and run `cargo xtask bless`, then look at what was written.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set itself up should fail")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use regreader_question::{Lexicon, Question};

/// Set by `cargo xtask bless`: write the files instead of comparing them.
const BLESS: &str = "REGREADER_BLESS";

#[test]
fn questions_are_read_as_the_case_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "there are case files");
    for path in files {
        let told = fs::read_to_string(&path).unwrap();
        let read = read_anew(&told);
        if std::env::var_os(BLESS).is_some() {
            fs::write(&path, read).unwrap();
        } else if let Some((told, read)) = told.lines().zip(read.lines()).find(|(told, read)| told != read) {
            panic!(
                "{}\n  says {told}\n  read {read}\nrun `cargo xtask bless` and look at the change",
                path.display()
            );
        } else {
            assert_eq!(told.lines().count(), read.lines().count(), "{}", path.display());
        }
    }
}

/// The file with everything below its questions read again; what stands before the first one is kept.
fn read_anew(told: &str) -> String {
    let mut out = String::new();
    for line in told.lines().take_while(|line| !line.starts_with("## ")) {
        writeln!(out, "{line}").unwrap();
    }
    let questions: Vec<String> =
        told.lines().filter_map(|line| line.strip_prefix("## ")).map(shown).collect();
    out + &questions.join("\n")
}

fn shown(text: &str) -> String {
    let question = Question::read(text, Lexicon::built_in());
    let mut out = format!("## {text}\n");
    let mut say = |name: &str, value: String| {
        if !value.is_empty() {
            writeln!(out, "- {name}: {value}").unwrap();
        }
    };
    say("asks for", format!("{:?}", question.kind));
    say("value", question.value.as_ref().map(|value| value.kind.clone()).unwrap_or_default());
    if question.asking != question.text {
        say("asking part", question.asking.clone());
    }
    let named = question.regulations.iter().map(|one| one.name.clone() + &edition(one.edition.as_deref()));
    say("regulations", named.collect::<Vec<_>>().join(", "));
    say("years", question.years.iter().cloned().collect::<Vec<_>>().join(", "));
    say("dates", joined(&question.dates));
    let places = question.places.iter().map(|place| format!("{:?} {}", place.kind, place.number));
    say("places", places.collect::<Vec<_>>().join(", "));
    let conditions = question.conditions.iter().map(|one| format!("{}={}", one.name, one.value));
    say("conditions", conditions.collect::<Vec<_>>().join(", "));
    say("quantities", joined(&question.quantities));
    say("assets", question.assets().join(", "));
    say("change", question.change.map(|change| format!("{change:?}")).unwrap_or_default());
    say("terms", question.terms.iter().map(|term| term.text.as_str()).collect::<Vec<_>>().join(" "));
    out
}

fn edition(edition: Option<&str>) -> String {
    edition.map(|edition| format!(" ({edition})")).unwrap_or_default()
}

fn joined<T: ToString>(list: &[T]) -> String {
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
