//! Many changes, writers that die, torn files.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

mod held;

use regreader_lancedb::BACKEND;

#[test]
fn many_changes_leave_what_a_list_would() {
    held::many_changes_leave_what_a_list_would(BACKEND.open);
}

#[test]
fn what_never_counted_is_undone() {
    held::what_never_counted_is_undone(BACKEND.open);
}

#[test]
fn a_torn_index_is_noticed() {
    held::a_torn_index_is_noticed(BACKEND.open, |folder| {
        std::fs::remove_dir_all(folder.join("documents.lance")).unwrap();
    });
}

/// The server's tools may run inside a runtime: waiting there must not panic.
#[test]
fn it_works_inside_another_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let outer = tokio::runtime::Builder::new_current_thread().build().unwrap();
    outer.block_on(async {
        let index = (BACKEND.open)(folder.path(), "m", 2).unwrap();
        assert_eq!(index.search(&[1.0, 0.0], &regreader_index::Filter::default(), 3).unwrap(), []);
        let reg_id: regreader_model::RegId = "a".parse().unwrap();
        let json = serde_json::json!({
            "key": { "reg_id": reg_id, "page_num": 1, "block_id": "b" }, "block_type": "text", "chapter_path": [],
            "ancestry": [], "section_number": null, "table_id": null, "text": "",
        });
        let document = serde_json::from_value(json).unwrap();
        index.replace_regulation(&reg_id, "h", &[document], vec![vec![1.0, 0.0]]).unwrap();
        assert_eq!(index.search(&[1.0, 0.0], &regreader_index::Filter::default(), 3).unwrap().len(), 1);
    });
}
