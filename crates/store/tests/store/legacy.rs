//! Folders of the earlier system, taken in and written.

use std::fs;
use std::path::Path;

use regreader_model::{DiagnosticCode, TextOrigin};
use regreader_store::{StoreError, legacy};
use serde_json::json;

use crate::common::{assert_clean, id, open, page, regulation, snapshot, store};

#[test]
fn there_and_back_again() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(&folder.path().join("new"));
    let angui = regulation("angui_2024", 3, 12);
    store(&library, &angui);
    let old = folder.path().join("old");
    legacy::export(&library, &id("angui_2024"), &old).unwrap();

    let names: Vec<String> = snapshot(&old).into_keys().collect();
    for name in [
        "pages/angui_2024/page_001.json",
        "pages/angui_2024/page_012.json",
        "pages/angui_2024/info.json",
        "structures/angui_2024_structure.json",
        "tables/angui_2024_tables.json",
    ] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
    assert_eq!(names.len(), 15);
    // The old reader finds the fields of its own table model.
    let tables: serde_json::Value =
        serde_json::from_slice(&fs::read(old.join("tables/angui_2024_tables.json")).unwrap()).unwrap();
    let table = &tables["tables"]["t0001-s0001"];
    assert_eq!((&table["is_truncated"], &table["row_headers"][11]), (&json!(true), &json!("线路12")));

    assert_eq!(legacy::list(&old).unwrap(), [id("angui_2024")]);
    let read = legacy::read(&old, &id("angui_2024")).unwrap();
    assert_eq!(read.pages, angui.pages);
    assert_eq!(read.structure, angui.structure);
    assert_eq!(read.tables, angui.tables);

    let again = open(&folder.path().join("again"));
    legacy::import(&again, &old, &id("angui_2024")).unwrap();
    assert_clean(&again);
    let again_reader = again.reader(&id("angui_2024")).unwrap();
    assert_eq!(again_reader.info().title, "虚构规程 edition 3");
    assert_eq!(again_reader.source_name(), None);

    let refused = legacy::export(&library, &id("angui_2024"), &old).unwrap_err();
    assert!(matches!(refused, StoreError::Refused { .. }), "{refused}");
    assert_eq!(snapshot(&old).into_keys().collect::<Vec<_>>(), names);
}

fn write(path: &Path, value: &serde_json::Value) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, serde_json::to_vec_pretty(value).unwrap()).unwrap();
}

/// A page as the earlier system wrote it: none of the fields that came later.
fn old_page(number: u32, rows: &[[&str; 2]]) -> serde_json::Value {
    let cells: Vec<_> = rows
        .iter()
        .enumerate()
        .flat_map(|(row, cells)| {
            cells.iter().enumerate().map(move |(col, text)| json!({"row": row, "col": col, "content": text}))
        })
        .collect();
    json!({
        "reg_id": "angui_2024", "page_num": number, "active_chapters": ["第六章"],
        "content_blocks": [{
            "block_id": format!("t{number}"), "block_type": "table", "content_markdown": "…",
            "table_meta": {
                "table_id": format!("table_{number}"), "caption": "表6-2 母线故障处置", "is_truncated": true,
                "col_headers": ["故障", "处置"], "cells": cells, "col_count": 2,
            }
        }],
        "content_markdown": format!("第 {number} 页"), "annotations": [{"annotation_id": "注1", "content": "略"}]
    })
}

#[test]
fn a_folder_of_the_earlier_system_with_its_segments_joined() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("old");
    let pages = root.join("pages/angui_2024");
    write(
        &pages.join("info.json"),
        &json!({
            "reg_id": "angui_2024", "title": "2024年国调直调安全自动装置调度运行管理规定（第二版）",
            "source_file": "angui_2024.pdf", "total_pages": 4, "indexed_at": "2025-12-29T15:01:38.226993",
            "description": "规定安全自动装置的配置", "keywords": ["安控装置"], "scope": "装置配置"
        }),
    );
    write(&pages.join("page_001.json"), &old_page(1, &[["故障", "处置"], ["甲", "1"], ["乙", "2"]]));
    // The header printed again, and not.
    write(&pages.join("page_002.json"), &old_page(2, &[["故障", "处置"], ["丙", "3"]]));
    write(&pages.join("page_003.json"), &old_page(3, &[["丁", "4"], ["戊", "5"]]));
    fs::write(pages.join("page_004.json"), "{ torn").unwrap();
    write(
        &root.join("structures/angui_2024_structure.json"),
        &json!({"reg_id": "angui_2024", "root_node_ids": ["第六章"], "all_nodes": {"第六章": {
            "node_id": "第六章", "section_number": "6", "title": "事故处理", "level": 1, "page_num": 1,
            "parent_id": null, "children_ids": [], "content_block_ids": ["t1"]}}}),
    );
    write(
        &root.join("tables/angui_2024_tables.json"),
        &json!({"reg_id": "angui_2024", "tables": {"table_1": {"table_id": "table_1", "caption": "x"}},
            "segment_to_table": {"table_2": "table_1", "table_3": "table_1"}, "page_to_tables": {"1": ["table_1"]}}),
    );
    let library = open(&folder.path().join("new"));
    let stored = legacy::import(&library, &root, &id("angui_2024")).unwrap().info;
    assert_clean(&library);
    assert_eq!(stored.indexed_at, "2025-12-29T15:01:38.226993");
    assert_eq!((stored.total_pages, stored.keywords.len()), (4, 1));
    let reader = library.reader(&id("angui_2024")).unwrap();
    let tables = reader.tables().unwrap();
    let table = tables.get("table_3").unwrap();
    assert_eq!((table.header_rows, table.row_count, table.segments.len()), (1, 5, 3));
    let firsts: Vec<&str> = (0..6).map(|row| table.cell_at(row, 0).unwrap().content.as_str()).collect();
    assert_eq!(firsts, ["故障", "甲", "乙", "丙", "丁", "戊"]);
    assert_eq!(table.row_pages, [1, 1, 1, 2, 3, 3].map(page));
    assert!(table.segments[1].header_repeated && !table.segments[2].header_repeated);

    // The torn page is empty, said to be so, and keeps its number.
    assert_eq!(reader.page(page(4)).unwrap().origin, TextOrigin::NeedsOcr);
    let quality = reader.quality().unwrap();
    let unreadable = quality.diagnostics.iter().find(|remark| remark.code == DiagnosticCode::PageUnreadable);
    assert_eq!(unreadable.unwrap().page_num, Some(page(4)));
}

#[test]
fn folders_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    assert!(legacy::list(root).unwrap().is_empty());
    assert!(matches!(legacy::read(root, &id("x")).unwrap_err(), StoreError::Domain(_)));
    fs::create_dir_all(root.join("pages/x")).unwrap();
    assert!(legacy::read(root, &id("x")).unwrap_err().to_string().contains("page_*.json"));
    fs::write(root.join("pages/x/page_4294967295.json"), "{}").unwrap();
    assert!(legacy::read(root, &id("x")).unwrap_err().to_string().contains("4294967295"));
}
