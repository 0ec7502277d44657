//! C9: unusual, broken and hostile projects are searched all the same; what is odd is a warning.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use std::fmt::Write;
use std::fs;
use std::io::Write as _;

use crate::common::{Project, short};
use proptest::prelude::*;
use regreader_context::{
    ContextError, SearchRequest, TaskType, parse_front_matter, search, write_explanation, write_result,
};

fn warnings(project: &Project) -> Vec<String> {
    project.find(&["auth"]).warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn c9_a_project_without_context_has_an_answer_and_no_error() {
    let empty = Project::empty();
    let nothing = "项目尚未建立 Context，建议使用 @playbooks/context/add.md 创建";
    assert_eq!(empty.find(&["auth"]).result.message, nothing);
    fs::create_dir_all(empty.path("global")).expect("a folder");
    assert_eq!(empty.find(&["auth"]).result.message, nothing, "an empty context is none");
}

#[test]
fn c9_a_broken_front_matter_is_a_warning_and_the_name_counts() {
    for broken in [
        "---\ntags: [auth, \n---\n# x\n",
        "---\ntitle: \"auth\n---\n",
        "---\ntitle: a: b: c\n---\n",
        "---\ntitle: x\n  tags: [auth]\n---\n",
        "---\n- auth\n---\n",
        "---\ntags: *nowhere\n---\n",
        "---\ntags: [auth]\ntags: [auth]\n---\n",
        "---\ntags: [auth]\n",
    ] {
        let project = Project::empty()
            .doc("epics/EPIC-01/Auth_Design.md", broken)
            .doc("epics/EPIC-01/Other.md", broken);
        let report = project.find(&["auth"]);
        assert_eq!(short(&report), ["epics/EPIC-01/Auth_Design.md"], "{broken:?}");
        assert_eq!(report.warnings.len(), 2, "{broken:?}: {:?}", report.warnings);
        assert!(
            report.warnings[0].message.starts_with("broken front matter (line "),
            "{:?}",
            report.warnings
        );
    }
}

#[test]
fn unusual_but_legal_front_matter_is_read() {
    for legal in [
        "---\ntags: [\"auth\", 'x']\n---\n",
        "---\ntags:\n  - x\n  - auth\n---\n",
        "---\ntags:\n- x # a comment\n- auth\n---\n",
        "---\n# a comment\n\ntags: auth, x\n---\n",
        "---\r\ntitle: x\r\ntags: [auth]\r\n---\r\n# y\r\n",
        "\u{feff}---\ntags: [auth]\n---\n",
        "---   \ntags: [auth]\n...\n",
        "---\ntitle: >\n  a long title\n  on auth\n---\n",
        "---\ntitle: |\n  lines\n  --- auth\n---\n",
        "---\nbase: &b [x, auth]\ntags: *b\n---\n",
        "---\nname: &n auth\ntags: [x, *n]\n---\n",
        "---\n\"tags\": [\"\\u0061uth\"]\n---\n",
        "---\n? tags\n: [auth]\n---\n",
        "---\nTags: [auth]\n---\n",
        "---\nnested: {deep: [1, {er: 2}]}\ntags: [[no], {no: no}, auth]\n---\n",
        "---\n{title: x, tags: [auth]}\n---\n",
        "---\ntags: !!seq [!!str auth]\n---\n",
        "---\ntitle: null\nupdated: ~\ntags: [auth]\n---\n",
    ] {
        let report = Project::empty().doc("epics/EPIC-01/Notes.md", legal).find(&["auth"]);
        assert_eq!(short(&report), ["epics/EPIC-01/Notes.md"], "{legal:?} {:?}", report.warnings);
        assert!(report.warnings.is_empty(), "{legal:?}: {:?}", report.warnings);
    }
}

#[test]
fn no_front_matter_is_no_warning() {
    for plain in ["", "---", "----\nx\n", "# auth\n", "text\n---\ntags: [auth]\n---\n"] {
        let project = Project::empty().doc("epics/EPIC-01/Auth_Design.md", plain);
        let expected = usize::from(plain == "---");
        assert_eq!(warnings(&project).len(), expected, "{plain:?}");
    }
    for empty in ["---\n---\n", "---\n# nothing\n---\n", "---\n\n...\n"] {
        let project = Project::empty().doc("epics/EPIC-01/Auth_Design.md", empty);
        assert!(warnings(&project).is_empty(), "{empty:?} {:?}", warnings(&project));
    }
}

#[test]
fn an_alias_bomb_costs_what_it_is_long() {
    let mut bomb = String::from("---\na0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for n in 1..200 {
        let alias = format!("*a{}, ", n - 1).repeat(9);
        writeln!(bomb, "a{n}: &a{n} [{alias}]").expect("text");
    }
    bomb.push_str("tags: *a199\n---\n");
    let long = format!("---\nx: &x {}\ntags: [{}]\n---\n", "y".repeat(30_000), "*x, ".repeat(7_000));
    let deep = format!("---\ntags: {}\n---\n", "[".repeat(30_000));
    let project = Project::empty()
        .doc("epics/EPIC-01/Auth_Bomb.md", bomb)
        .doc("epics/EPIC-01/Auth_Deep.md", deep)
        .doc("epics/EPIC-01/Auth_Long.md", long);
    assert_eq!(project.find(&["auth"]).result.total, 3);
    assert_eq!(warnings(&project).len(), 1, "only the deep one is broken: {:?}", warnings(&project));
}

#[test]
fn of_a_large_file_only_the_head_is_read() {
    let large = format!("---\ntags: [auth]\n---\n{}", "x".repeat(10 * 1024 * 1024));
    let never_closed = format!("---\n{}", "a: auth\n".repeat(1_300_000));
    let no_lines = vec![0_u8; 10 * 1024 * 1024];
    let project = Project::empty()
        .doc("epics/EPIC-01/Large.md", large)
        .doc("epics/EPIC-01/Never_Closed.md", never_closed)
        .doc("epics/EPIC-01/No_Lines.md", no_lines);
    assert_eq!(short(&project.find(&["auth"])), ["epics/EPIC-01/Large.md"]);
    let warnings = warnings(&project);
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].contains("Never_Closed.md") && warnings[0].contains("not closed within"),
        "{warnings:?}"
    );
}

#[test]
fn other_encodings_are_warned_about() {
    let gbk = b"---\ntitle: \xc8\xcf\xd6\xa4\ntags: [auth]\n---\n".as_slice();
    let utf16 = "---\ntags: [auth]\n---\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let utf16: Vec<u8> = [b"\xff\xfe".as_slice(), &utf16].concat();
    let project = Project::empty().doc("epics/EPIC-01/Gbk.md", gbk).doc("epics/EPIC-01/Auth_Utf16.md", utf16);
    assert_eq!(short(&project.find(&["auth"])), ["epics/EPIC-01/Auth_Utf16.md", "epics/EPIC-01/Gbk.md"]);
    assert!(warnings(&project).iter().all(|warning| warning.contains("not UTF-8")));
    assert_eq!(warnings(&project).len(), 2);
}

/// Half a character at the point where reading stops is no fault of the document.
#[test]
fn a_character_cut_by_the_limit_is_no_warning() {
    for shift in 0..4 {
        let text = format!("{}{}", "x".repeat(shift), "电网".repeat(4_000));
        let project = Project::empty().doc("epics/EPIC-01/Auth_Design.md", &text);
        assert!(warnings(&project).is_empty(), "{shift}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_within_the_project_and_never_in_circles() {
    use std::os::unix::fs::symlink;
    let outside = Project::with(&["global/Auth_Secret.md"]);
    let project = Project::with(&["epics/EPIC-01/Auth_Design.md", "global/Architecture.md"]);
    let docs = project.root().join("docs");
    fs::create_dir_all(&docs).expect("a folder");
    fs::write(docs.join("Auth_Shared.md"), "# shared\n").expect("a document");
    let link = |target: &std::path::Path, path: &str| symlink(target, project.path(path)).expect("a link");
    link(&project.path("epics/EPIC-01"), "epics/EPIC-01/loop");
    link(&project.path("epics"), "epics/EPIC-02");
    link(&project.path("epics/EPIC-01"), "epics/EPIC-03");
    link(&project.path("epics/EPIC-01/Auth_Design.md"), "epics/EPIC-01/Auth_Again.md");
    link(&docs.join("Auth_Shared.md"), "epics/EPIC-01/Auth_Shared.md");
    link(&outside.path("global"), "epics/EPIC-04");
    link(std::path::Path::new("nowhere"), "epics/EPIC-01/Auth_Dangling.md");
    link(std::path::Path::new("Auth_Self.md"), "epics/EPIC-01/Auth_Self.md");
    let report = project.find(&["auth"]);
    assert_eq!(short(&report), ["epics/EPIC-01/Auth_Design.md", "epics/EPIC-01/Auth_Shared.md"]);
    let odd: Vec<&str> =
        report.warnings.iter().map(|warning| warning.path.rsplit('/').next().unwrap_or("")).collect();
    for expected in ["loop", "EPIC-02", "EPIC-04", "Auth_Dangling.md", "Auth_Self.md"] {
        assert!(odd.contains(&expected), "{expected} is not in {odd:?}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_passed_over() {
    let project = Project::with(&["epics/EPIC-01/Auth_Design.md"]);
    let _socket =
        std::os::unix::net::UnixListener::bind(project.path("epics/EPIC-01/Auth.md")).expect("a socket");
    fs::create_dir(project.path("epics/EPIC-01/Auth_Folder.md")).expect("a folder");
    assert_eq!(short(&project.find(&["auth"])), ["epics/EPIC-01/Auth_Design.md"]);
    assert_eq!(warnings(&project).len(), 1);
}

#[cfg(unix)]
#[test]
fn a_name_cannot_talk_to_the_terminal() {
    let project = Project::empty().doc("epics/EPIC-01/Auth_\u{1b}[31m\n.md", "---\nbroken");
    let report = project.find(&["auth"]);
    let mut text = Vec::new();
    write_result(&mut text, &report.result).expect("text");
    write_explanation(&mut text, &report).expect("text");
    let text = String::from_utf8(text).expect("UTF-8") + &warnings(&project).concat();
    assert_eq!(text.matches("Auth_\\u{1b}[31m\\u{a}.md").count(), 3, "{text}");
    assert!(!text.contains('\u{1b}'));
    assert!(report.result.contexts[0].contains('\u{1b}'), "the data itself is untouched");
}

#[cfg(unix)]
#[test]
fn an_unreadable_document_counts_by_name() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::with(&["epics/EPIC-01/Auth_Design.md", "epics/EPIC-02/Auth_Model.md"]);
    let file = project.path("epics/EPIC-01/Auth_Design.md");
    let folder = project.path("epics/EPIC-02");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("permissions");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).expect("permissions");
    if fs::File::open(&file).is_ok() {
        if !crate::common::again_as_nobody("robustness::an_unreadable_document_counts_by_name") {
            let _ = writeln!(std::io::stderr(), "skipped: this user may read everything");
        }
    } else {
        assert_eq!(short(&project.find(&["auth"])), ["epics/EPIC-01/Auth_Design.md"]);
        assert_eq!(warnings(&project).len(), 2);
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("permissions");
}

#[test]
fn only_a_root_that_cannot_be_read_is_an_error() {
    let project = Project::empty();
    let request = SearchRequest::new(["auth"], TaskType::General);
    let missing = project.root().join("missing");
    assert!(
        matches!(search(&missing, &request), Err(ContextError::RootUnreadable { path, .. }) if path == missing)
    );
    fs::create_dir(project.root().join(".the_conn")).expect("a folder");
    fs::write(project.root().join(".the_conn/context"), "a file").expect("a file");
    assert!(matches!(search(project.root(), &request), Err(ContextError::RootUnreadable { .. })));
}

#[test]
fn keywords_are_needed_and_bounded() {
    let project = Project::with(&["global/Architecture.md"]);
    let ask =
        |keywords: Vec<String>| search(project.root(), &SearchRequest::new(keywords, TaskType::General));
    assert!(matches!(ask(vec![]), Err(ContextError::NoKeywords)));
    assert!(matches!(ask(vec![" ".into()]), Err(ContextError::NoKeywords)));
    assert!(matches!(ask(vec!["x".repeat(201)]), Err(ContextError::KeywordsTooLarge { .. })));
    assert!(matches!(ask(vec!["x".into(); 65]), Err(ContextError::KeywordsTooLarge { .. })));
    assert_eq!(ask(vec!["of the".into()]).expect("an answer").result.total, 1, "stop words fall back");
}

#[test]
fn requests_come_as_json_too() {
    let read = |json: &str| serde_json::from_str::<SearchRequest>(json);
    let request =
        read(r#"{"keywords": ["auth"], "task_type": "e2e_test", "epic": "EPIC-01", "type": "data_model"}"#)
            .expect("a request");
    assert_eq!((request.task_type, request.types.len()), (TaskType::E2eTest, 1));
    assert_eq!(read(r#"{"keywords": ["auth"]}"#).expect("a request").task_type, TaskType::General);
    assert_eq!(read(r#"{"keywords": [], "type": null}"#).expect("a request").types, []);
    assert_eq!(
        read(r#"{"keywords": [], "type": ["data_model", "tech_stack"]}"#).expect("a request").types.len(),
        2
    );
    assert!(read(r#"{"keywords": ["auth"], "task_type": "cooking"}"#).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_front_matter_panics(text in "(?s).{0,200}") {
        let _ = parse_front_matter(&text);
    }

    /// Built of the pieces YAML gives a meaning to, so that the deep paths are met too.
    #[test]
    fn no_yaml_panics(pieces in proptest::collection::vec(
        prop_oneof![
            Just("tags"), Just("title"), Just(": "), Just(":"), Just("\n"), Just("\n  "), Just("- "), Just("? "),
            Just("["), Just("]"), Just("{"), Just("}"), Just(", "), Just("&a "), Just("*a"), Just("!t "), Just("!!str "),
            Just("|\n"), Just(">-\n"), Just("\""), Just("'"), Just("#"), Just("\\x"), Just("---\n"), Just("...\n"),
            Just("%YAML 1.2\n"), Just("\t"), Just("\r\n"), Just("电网"), Just("<<: *a\n"), Just("~"), Just("\u{0}"),
        ], 0..40)
    ) {
        if let Ok(front) = parse_front_matter(&pieces.concat()) {
            prop_assert!(front.tags.len() <= 256);
        }
    }

    #[test]
    fn no_document_or_keyword_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200), keyword in "(?s).{1,40}") {
        let text = [b"---\n".as_slice(), &bytes, b"\n---\n", &bytes].concat();
        let project = Project::empty().doc("epics/EPIC-01/Auth_Design.md", text);
        if !keyword.trim().is_empty() {
            prop_assert!(project.find(&[&keyword]).result.total <= 1);
        }
    }

    #[test]
    fn any_file_name_matches_itself_whole(name in "[A-Z][a-z]{3,8}(_[A-Z][a-z]{3,8}){0,2}") {
        let subject = !["the", "a", "an", "of", "for", "to"].iter().any(|stop| name.to_lowercase().split('_').any(|word| word == *stop));
        prop_assume!(subject);
        prop_assert_eq!(Project::points(&format!("{name}.md"), "", &name), 10);
    }
}
