//! `context.manifest.json`: written whole, other keys kept, never a broken file replaced.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use std::fs;

use crate::common::Project;
use regreader_context::{
    ContextError, MANIFEST_FILE, ManifestUpdate, SearchRequest, SearchResult, TaskType, read_manifest,
    update_manifest,
};

fn result(keyword: &str) -> SearchResult {
    let project = Project::with(&["epics/EPIC-01/Auth_Design.md", "epics/EPIC-01/Order_Design.md"]);
    project.search(&SearchRequest::new([keyword], TaskType::TaskGeneration)).result
}

#[test]
fn a_new_manifest_holds_the_result() {
    let project = Project::empty();
    let path = project.root().join(MANIFEST_FILE);
    assert_eq!(update_manifest(&path, &result("auth")).expect("an update"), ManifestUpdate::Created);
    let manifest = read_manifest(&path).expect("a manifest");
    assert_eq!(manifest.contexts, [".the_conn/context/epics/EPIC-01/Auth_Design.md"]);
    assert_eq!(manifest.task_type, Some(TaskType::TaskGeneration));
    assert_eq!(manifest.total, Some(1));
    assert_eq!(update_manifest(&path, &result("auth")).expect("an update"), ManifestUpdate::Unchanged);
    let names: Vec<_> =
        fs::read_dir(project.root()).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, [MANIFEST_FILE], "nothing is left beside it");
}

#[test]
fn an_update_keeps_what_is_not_its_own_and_its_order() {
    let project = Project::empty();
    let path = project.root().join(MANIFEST_FILE);
    let former = r#"{"version": 2, "contexts": ["old.md"], "task": {"id": "TASK-7", "steps": [1, 2]}}"#;
    fs::write(&path, former).expect("a file");
    assert_eq!(update_manifest(&path, &result("order")).expect("an update"), ManifestUpdate::Updated);
    let text = fs::read_to_string(&path).expect("a file");
    let keys: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next()).collect();
    assert_eq!(keys, ["version", "contexts", "task", "total", "task_type", "search_keywords", "message"]);
    let manifest = read_manifest(&path).expect("a manifest");
    assert_eq!(manifest.contexts, [".the_conn/context/epics/EPIC-01/Order_Design.md"]);
    assert_eq!(manifest.others["task"]["steps"][1], 2);
}

#[test]
fn a_file_that_is_no_manifest_is_left_as_it_is() {
    let project = Project::empty();
    let path = project.root().join(MANIFEST_FILE);
    for former in ["{\"contexts\": [", "[1]", "null"] {
        fs::write(&path, former).expect("a file");
        assert!(
            matches!(update_manifest(&path, &result("auth")), Err(ContextError::ManifestInvalid { .. })),
            "{former}"
        );
        assert_eq!(fs::read_to_string(&path).expect("a file"), former);
    }
    fs::write(&path, "\n").expect("a file");
    assert_eq!(update_manifest(&path, &result("auth")).expect("an update"), ManifestUpdate::Updated);
    let nowhere = project.root().join("missing").join(MANIFEST_FILE);
    assert!(matches!(update_manifest(&nowhere, &result("auth")), Err(ContextError::ManifestIo { .. })));
}

#[cfg(unix)]
#[test]
fn a_linked_manifest_stays_a_link_and_keeps_its_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let project = Project::empty();
    let (real, path) = (project.root().join("real.json"), project.root().join(MANIFEST_FILE));
    fs::write(&real, "{}").expect("a file");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink(&real, &path).expect("a link");
    update_manifest(&path, &result("auth")).expect("an update");
    assert!(fs::symlink_metadata(&path).expect("a link").is_symlink());
    assert_eq!(read_manifest(&real).expect("a manifest").total, Some(1));
    assert_eq!(fs::metadata(&real).expect("a file").permissions().mode() & 0o777, 0o640);
}
