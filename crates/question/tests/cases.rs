//! Case files: `tests/cases/*.md` hold questions as headings of the second level and, below each, how it is read. To add a
//! case, write the heading and run `cargo xtask bless`, then look at what was written.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set itself up should fail")]

use std::fmt::Write as _;
use std::path::Path;

use regreader_question::{Lexicon, Question};

#[path = "../../../tests/support/case_files.rs"]
mod case_files;

#[test]
fn case_files_say_how_questions_are_read() {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/cases");
    case_files::compare(&folder, |case| shown(case.title));
}

/// What is read in a question, a line for each thing.
fn shown(text: &str) -> String {
    let question = Question::read(text, Lexicon::built_in());
    let mut out = String::new();
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
