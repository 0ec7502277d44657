//! The tools as their callers meet them: typed requests in, typed results and errors with a next step out.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use regreader_tools::{
    CheckLevel, CheckVerdict, GetTable, GetToc, LookupAnnotation, ReadPageRange, ResolveReference,
    SearchTables, SmartSearch, TOOLS, ToolClient, VerifyCitation,
};
use serde_json::json;

mod support;

#[test]
fn a_question_leads_to_the_clause_and_its_table() {
    let (_folder, toolbox) = support::toolbox();
    let client: &dyn ToolClient = &toolbox;
    let found = client.call(&SmartSearch::new("母线失压怎么处理", None, 5)).unwrap();
    assert_eq!((found.hits[0].reg_id.as_str(), found.hits[0].page_num.get()), ("angui_2024", 1));
    let rows = json!({ "query": "天中直流限额", "conditions": [{ "column": "开机台数", "value": "3" }] });
    let request: SearchTables = serde_json::from_value(rows).unwrap();
    let tables = client.call(&request).unwrap().tables;
    assert_eq!(tables[0].rows[0].cells, ["3", "340"]);
    let toc = client.call(&GetToc::new("wengui_2024", 3)).unwrap();
    let contents = serde_json::to_string(&toc.items).unwrap();
    assert!(contents.contains("天中直流") && contents.contains("汇报"), "{contents}");
}

/// The pages of a scan are pictures until somebody reads them. Until then the edition before it is the newest that can answer.
#[test]
fn an_edition_without_text_does_not_hide_the_one_before_it() {
    for (text, has_text) in [("![封面](cover.png)\n", false), (support::SAFETY, true)] {
        let mut newer = support::regulation("angui_2025", text);
        newer.info.supersedes = Some("angui_2024".parse().unwrap());
        newer.info.effective_from = Some("2025-01-01".to_owned());
        let older = support::regulation("angui_2024", support::SAFETY);
        let (_folder, toolbox) = support::toolbox_of([older, newer]);
        let client: &dyn ToolClient = &toolbox;
        let found = client.call(&SmartSearch::new("母线失压怎么处理", None, 5)).unwrap();
        let hits: Vec<&str> = found.hits.iter().map(|hit| hit.reg_id.as_str()).collect();
        assert_eq!(hits.contains(&"angui_2025"), has_text, "{hits:?}");
        assert!(!hits.contains(&"angui_2024"), "what is not in force stands apart: {hits:?}");
        let group = &found.superseded[0];
        assert_eq!((group.edition.reg_id.as_str(), group.newest_readable), ("angui_2024", !has_text));
        assert_eq!(group.warning.contains("no text that could be searched"), !has_text, "{}", group.warning);
    }
}

/// A library of one edition, which comes into force next year or was replaced by one that nobody has here, is still what there is.
#[test]
fn the_only_edition_answers_with_its_warning() {
    let mut upcoming = support::regulation("angui_2024", support::SAFETY);
    upcoming.info.effective_from = Some("2999-01-01".to_owned());
    let mut replaced = support::regulation("angui_2024", support::SAFETY);
    replaced.info.events.push(
        serde_json::from_value(json!({
            "kind": "replaced", "date": "2025-01-01", "by": "angui_2025", "recorded_at": "2025-01-01T00:00:00Z",
            "evidence": { "from": "person" },
        }))
        .unwrap(),
    );
    for (edition, warning) in [(upcoming, "not yet in force"), (replaced, "which is not in the library")] {
        let (_folder, toolbox) = support::toolbox_of([edition]);
        let client: &dyn ToolClient = &toolbox;
        let found = client.call(&SmartSearch::new("母线失压怎么处理", None, 5)).unwrap();
        assert!(found.hits.is_empty(), "it stands apart");
        let group = &found.superseded[0];
        assert!(group.newest_readable && !group.hits.is_empty());
        assert!(group.warning.contains(warning), "{}", group.warning);
    }
}

#[test]
fn a_table_is_given_whole_with_its_notes() {
    let (_folder, toolbox) = support::toolbox();
    let client: &dyn ToolClient = &toolbox;
    let table = client.call(&GetTable::new("wengui_2024", "表2-1")).unwrap();
    assert_eq!(table.col_headers, ["开机台数", "限额（万千瓦）"]);
    assert_eq!(table.rows.len(), 3);
    let asked = json!({ "reg_id": "wengui_2024", "annotation_id": "注1" });
    let note = client.call(&serde_json::from_value::<LookupAnnotation>(asked).unwrap()).unwrap();
    assert!(note.content.contains("降低 4%"));
    let asked = json!({ "reg_id": "wengui_2024", "reference_text": "见表2-1" });
    let place = client.call(&serde_json::from_value::<ResolveReference>(asked).unwrap()).unwrap();
    assert!(place.resolved && place.title.contains("限额"), "{place:?}");
}

#[test]
fn a_statement_stands_on_its_page_or_is_told_apart() {
    let (_folder, toolbox) = support::toolbox();
    let client: &dyn ToolClient = &toolbox;
    let check = |reg_id: &str, statement: &str| {
        let (reg_id, statement) = (reg_id.to_owned(), statement.to_owned());
        client.call(&VerifyCitation { reg_id, page_num: 1, statement, ..VerifyCitation::default() }).unwrap()
    };
    let right = check("wengui_2024", "超过限额时，应在 5 分钟内调整到位，不得拖延。");
    assert_eq!((right.verdict, right.level), (CheckVerdict::Supported, CheckLevel::Verbatim));
    let wrong = check("wengui_2024", "超过限额时，应在 15 分钟内调整到位，不得拖延。");
    assert_eq!((wrong.verdict, wrong.level), (CheckVerdict::NotOnPage, CheckLevel::Unproven));
    let elsewhere = check("angui_2024", "超过限额时，应在 5 分钟内调整到位，不得拖延。");
    assert_eq!(elsewhere.verdict, CheckVerdict::FoundElsewhere);
    assert_eq!(elsewhere.elsewhere[0].reg_id, "wengui_2024");
}

#[test]
fn what_is_not_there_is_an_error_with_a_next_step() {
    let (_folder, toolbox) = support::toolbox();
    let client: &dyn ToolClient = &toolbox;
    let missing = client.call(&GetTable::new("wengui_2024", "表9-9")).unwrap_err();
    assert!(missing.is_not_found() && missing.hint.is_some(), "{missing:?}");
    let missing = client.call(&GetToc::new("nowhere", 1)).unwrap_err();
    assert_eq!(missing.name, "RegulationNotFoundError");
    let range = json!({ "reg_id": "wengui_2024", "start_page": 1, "end_page": 60 });
    let range = client.call(&serde_json::from_value::<ReadPageRange>(range).unwrap()).unwrap_err();
    assert_eq!(range.name, "InvalidPageRangeError");
    assert_eq!(client.call_json("no_such_tool", json!({})).unwrap_err().name, "UnknownToolError");
    let unknown = client.call_json("get_toc", json!({ "reg_id": "wengui_2024", "depth": 1 })).unwrap_err();
    assert_eq!(unknown.name, "InvalidArgumentError", "a misspelt argument is not ignored");
}

#[test]
fn every_tool_describes_itself() {
    for tool in TOOLS {
        let schema = tool.input_schema();
        assert_eq!(schema["type"], "object", "{}", tool.name);
        for argument in tool.arguments {
            assert!(schema["properties"].get(argument.field).is_some(), "{} {}", tool.name, argument.field);
        }
        assert!(!tool.description.is_empty() && !tool.title.is_empty(), "{}", tool.name);
    }
}
