//! `context lint`: what a keeper of context documents is told to mend.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use crate::common::Project;
use regreader_context::{LintReport, lint, write_lint};

const SOUND: &str = "---\ntitle: 一个标题\ntags: [auth]\nupdated: 2025-12-23\n---\n# 概述\n";

fn sound() -> Project {
    ["Architecture", "Tech_Stack", "Testing_Strategy", "Coding_Standard_Python"]
        .iter()
        .fold(Project::empty(), |project, name| project.doc(&format!("global/{name}.md"), SOUND))
        .doc("epics/EPIC-01/Module_Design_Auth.md", SOUND)
        .doc("epics/EPIC-02_Orders/订单_Data_Model.md", SOUND)
}

fn report(project: &Project) -> LintReport {
    lint(project.root()).expect("a readable project")
}

/// `code path` of every problem.
fn problems(project: &Project) -> Vec<String> {
    let cut = |path: &str| path.trim_start_matches(".the_conn/context/").to_owned();
    report(project).problems.iter().map(|one| format!("{} {}", one.code.name(), cut(&one.path))).collect()
}

#[test]
fn a_sound_project_has_no_problems() {
    assert_eq!(problems(&sound()), [""; 0]);
    assert_eq!(report(&sound()).documents, 6);
}

#[test]
fn missing_global_documents_are_named() {
    let project = Project::empty().doc("global/Tech_Stack.md", SOUND);
    assert_eq!(
        problems(&project),
        [
            "missing-global global/Architecture.md",
            "missing-global global/Coding_Standard_{Language}.md",
            "missing-global global/Testing_Strategy.md",
        ]
    );
    assert_eq!(problems(&Project::empty()), ["no-context .the_conn/context"]);
}

#[test]
fn front_matter_problems_are_named_with_their_line() {
    let project = sound()
        .doc("epics/EPIC-01/A.md", "# no front matter\n")
        .doc("epics/EPIC-01/B.md", "---\ntitle: x\ntags: [a\n---\n")
        .doc("epics/EPIC-01/C.md", "---\nupdated: soon\n---\n")
        .doc("epics/EPIC-01/D_Data_Model.md", "---\ntitle: x\ntags: [a]\ntype: module_design\n---\n")
        .doc("epics/EPIC-01/E.md", "---\ntitle: x\ntags: [a]\ntype: poem\n---\n")
        .doc("epics/EPIC-01/API_Design_F.md", "---\ntitle: x\ntags: [a]\ntype: api_design\n---\n");
    assert_eq!(
        problems(&project),
        [
            "no-front-matter epics/EPIC-01/A.md",
            "broken-front-matter epics/EPIC-01/B.md",
            "missing-field epics/EPIC-01/C.md",
            "missing-field epics/EPIC-01/C.md",
            "bad-field epics/EPIC-01/C.md",
            "type-mismatch epics/EPIC-01/D_Data_Model.md",
            "bad-field epics/EPIC-01/E.md",
        ]
    );
    let broken = &report(&project).problems[1];
    assert!(broken.line.is_some_and(|line| (3..=4).contains(&line)), "{broken:?}");
}

#[test]
fn names_outside_the_convention_are_named() {
    let project = sound()
        .doc("global/Auth_Notes.md", SOUND)
        .doc("global/more/Architecture.md", SOUND)
        .doc("epics/EPIC-01/auth design.md", SOUND)
        .doc("epics/EPIC-01/Auth-Design.md", SOUND)
        .doc("epics/EPIC-1/Auth_Design.md", SOUND)
        .doc("epics/archive/Auth_Design.md", SOUND)
        .doc("notes.md", SOUND);
    assert_eq!(
        problems(&project),
        [
            "name epics/EPIC-01/Auth-Design.md",
            "name epics/EPIC-01/auth design.md",
            "name epics/EPIC-1",
            "stray epics/archive",
            "name global/Auth_Notes.md",
            "name global/more/Architecture.md",
            "stray notes.md",
        ]
    );
}

#[test]
fn the_readable_form_is_one_problem_a_line() {
    let project = sound().doc("epics/EPIC-01/B.md", "---\ntitle: x\n  tags: [a]\n---\n");
    let mut text = Vec::new();
    write_lint(&mut text, &report(&project)).expect("text");
    let text = String::from_utf8(text).expect("UTF-8");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.starts_with(".the_conn/context/epics/EPIC-01/B.md:3: [broken-front-matter] "), "{text}");
    assert!(text.ends_with("检查 7 个文档，发现 1 个问题\n"), "{text}");
}
