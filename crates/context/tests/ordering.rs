//! C1, C4 and C5: where documents are looked for, in what order they come, and how many.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use std::cmp::Reverse;

use crate::common::{Project, short};
use proptest::prelude::*;
use regreader_context::{
    Candidate, Decision, MATCH_LIMIT, RESULT_LIMIT, SearchRequest, THRESHOLD, TaskType, Updated,
};

fn in_epic(keywords: &[&str], epic: &str) -> SearchRequest {
    SearchRequest::new(keywords.iter().copied(), TaskType::QuickChange).in_epic(epic)
}

#[test]
fn c1_every_epic_is_searched_whatever_the_current_one() {
    let project = Project::with(&["epics/EPIC-01/Auth_Design.md", "epics/EPIC-02/deep/er/Auth_Model.md"]);
    for epic in ["EPIC-01", "EPIC-02", "EPIC-99"] {
        assert_eq!(project.search(&in_epic(&["auth"], epic)).result.total, 2, "{epic}");
    }
}

#[test]
fn c4_score_then_scope_then_newest() {
    let dated = |tags: &str, updated: &str| format!("---\ntags: [{tags}]\nupdated: {updated}\n---\n");
    let project = Project::empty()
        .doc("global/Architecture.md", dated("auth", "2020-01-01"))
        .doc("epics/EPIC-01/A_Notes.md", dated("auth", "2025-12-23"))
        .doc("epics/EPIC-01/B_Notes.md", dated("auth", "2025-12-24T08:00:00+08:00"))
        .doc("epics/EPIC-02/C_Notes.md", dated("auth", "2019-01-01"))
        .doc("epics/EPIC-02/D_Notes.md", dated("auth", "soon"))
        .doc("epics/EPIC-01/Auth_Guide.md", "");
    assert_eq!(
        short(&project.search(&in_epic(&["auth"], "epic-02"))),
        [
            "epics/EPIC-01/Auth_Guide.md",
            "global/Architecture.md",
            "epics/EPIC-02/C_Notes.md",
            "epics/EPIC-02/D_Notes.md",
            "epics/EPIC-01/B_Notes.md",
            "epics/EPIC-01/A_Notes.md",
        ]
    );
}

#[test]
fn the_current_epic_is_known_by_a_folder_with_a_name_after_it() {
    let project = Project::with(&["epics/EPIC-01/Auth_Design.md", "epics/EPIC-02_Orders/Auth_Design.md"]);
    assert_eq!(
        short(&project.search(&in_epic(&["auth"], "EPIC-02")))[0],
        "epics/EPIC-02_Orders/Auth_Design.md"
    );
    // EPIC-0 is not EPIC-02.
    assert_eq!(short(&project.search(&in_epic(&["auth"], "EPIC-0")))[0], "epics/EPIC-01/Auth_Design.md");
}

#[test]
fn c4_no_file_twice_even_when_every_keyword_and_rule_finds_it() {
    let project = Project::empty().tagged("epics/EPIC-01/Auth_Design.md", "auth, authentication, JWT");
    assert_eq!(project.find(&["auth", "authentication", "auth", "JWT"]).result.total, 1);
}

#[test]
fn c5_up_to_six_matches_come_whole_and_more_are_cut_to_the_first_six() {
    for (documents, returned) in [(1, 1), (2, 2), (3, 3), (6, 6), (7, 6), (40, 6)] {
        let names: Vec<String> = (0..documents).map(|n| format!("epics/EPIC-01/Auth_{n:02}.md")).collect();
        let project = Project::with(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let report = project.find(&["auth"]);
        assert_eq!(report.result.total, returned, "{documents}");
        assert_eq!(report.result.contexts.len(), returned);
        let kept = report.candidates.iter().filter(|one| one.decision == Decision::Kept).count();
        assert_eq!((report.candidates.len(), kept), (documents, returned));
        assert_eq!(short(&report)[0], "epics/EPIC-01/Auth_00.md");
    }
}

#[test]
fn c5_matches_and_fallback_together_never_pass_eight() {
    let standards: Vec<String> = (0..12).map(|n| format!("global/Coding_Standard_L{n:02}.md")).collect();
    let project = Project::with(&standards.iter().map(String::as_str).collect::<Vec<_>>())
        .doc("global/Architecture.md", "")
        .doc("epics/EPIC-01/Auth_Design.md", "");
    let report = project.search(&SearchRequest::new(["auth"], TaskType::TaskGeneration));
    assert_eq!(report.result.total, RESULT_LIMIT);
    assert_eq!(short(&report)[0], "global/Architecture.md");
    assert_eq!(short(&report)[7], "epics/EPIC-01/Auth_Design.md", "the match is never what is cut");
}

/// Writes the documents of a generated project: which epic (0 is global), which name, which tag. The text depends on
/// the path alone.
fn write<'d>(documents: impl Iterator<Item = &'d (usize, usize, usize)>) -> Project {
    documents.fold(Project::empty(), |project, &(epic, name, tag)| {
        let folder = if epic == 0 { "global".to_owned() } else { format!("epics/EPIC-0{epic}") };
        let name = ["Auth", "Auth_Flow", "Order", "Architecture", "Coding_Standard", "Notes"][name];
        let (suffix, tag) = [("A", "auth"), ("B", "order"), ("C", "x"), ("D", "\"广播\"")][tag];
        let updated = ["2025-01-01", "2025-01-02", "never", ""][(epic + name.len()) % 4];
        project.doc(
            &format!("{folder}/{name}_{suffix}.md"),
            format!("---\ntags: [{tag}]\nupdated: {updated}\n---\n"),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Written in any order, the same documents give the same report; the order holds between every two neighbours;
    /// the limits hold; no path comes twice.
    #[test]
    fn the_order_is_total_and_the_limits_hold(
        documents in proptest::collection::btree_set((0..4_usize, 0..6_usize, 0..4_usize), 0..24),
        task in 0..6_usize,
    ) {
        let request = SearchRequest::new(["auth", "order"], TaskType::ALL[task]).in_epic("EPIC-02");
        let report = write(documents.iter()).search(&request);
        prop_assert_eq!(&report, &write(documents.iter().rev()).search(&request));

        let result = &report.result;
        prop_assert_eq!(result.total, result.contexts.len());
        prop_assert!(result.total <= RESULT_LIMIT);
        let unique: std::collections::BTreeSet<&String> = result.contexts.iter().collect();
        prop_assert_eq!(unique.len(), result.total);

        let kept = report.candidates.iter().filter(|one| one.decision == Decision::Kept);
        let matches: Vec<_> = kept.filter(|one| one.score >= THRESHOLD).collect();
        prop_assert!(matches.len() <= MATCH_LIMIT);
        let rank = |one: &Candidate| {
            let updated = one.updated.as_deref().and_then(Updated::parse);
            (Reverse(one.score), one.scope, Reverse(updated), one.path.clone())
        };
        for pair in matches.windows(2) {
            prop_assert!(rank(pair[0]) < rank(pair[1]));
        }
    }
}
