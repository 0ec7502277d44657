//! C6 and C7: when Global documents come without being asked for, and what the message says.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use crate::common::{Project, short};
use regreader_context::{ContextType, SearchRequest, TaskType};

fn everything() -> Project {
    Project::with(&[
        "global/Architecture.md",
        "global/Tech_Stack.md",
        "global/Testing_Strategy.md",
        "global/Coding_Standard_Python.md",
        "global/Coding_Standard_Rust.md",
        "global/Notes.md",
        "epics/EPIC-01/Auth_Design.md",
        "epics/EPIC-01/Architecture.md",
    ])
}

fn unknown(task_type: TaskType) -> SearchRequest {
    SearchRequest::new(["unknown_keyword"], task_type)
}

#[test]
fn c6_each_task_type_has_its_own_documents() {
    let project = everything();
    for (task_type, expected) in [
        (TaskType::RequirementsReview, vec!["global/Architecture.md", "global/Tech_Stack.md"]),
        (TaskType::General, vec!["global/Architecture.md", "global/Tech_Stack.md"]),
        (
            TaskType::TaskGeneration,
            vec![
                "global/Architecture.md",
                "global/Coding_Standard_Python.md",
                "global/Coding_Standard_Rust.md",
            ],
        ),
        (TaskType::E2eTest, vec!["global/Architecture.md", "global/Testing_Strategy.md"]),
        (TaskType::PerformanceTest, vec!["global/Architecture.md", "global/Testing_Strategy.md"]),
        (TaskType::QuickChange, vec![]),
    ] {
        assert_eq!(short(&project.search(&unknown(task_type))), expected, "{task_type}");
    }
}

#[test]
fn c6_only_documents_that_are_there() {
    let project = Project::with(&["global/Tech_Stack.md", "global/Testing_Strategy.md"]);
    assert_eq!(short(&project.search(&unknown(TaskType::General))), ["global/Tech_Stack.md"]);
    let none = project.search(&unknown(TaskType::TaskGeneration)).result;
    assert_eq!(
        (none.total, none.message.as_str()),
        (0, "未找到精确匹配，任务类型建议的 Global Context 文件都不存在")
    );
}

#[test]
fn c6_one_match_brings_the_fallback_and_two_do_not() {
    let request = SearchRequest::new(["auth"], TaskType::General);
    let one = everything().search(&request);
    assert_eq!(
        short(&one),
        ["global/Architecture.md", "global/Tech_Stack.md", "epics/EPIC-01/Auth_Design.md"]
    );
    assert_eq!(one.result.message, "找到 3 个匹配的 Context");
    let two = everything().tagged("epics/EPIC-01/Sessions.md", "auth").search(&request);
    assert_eq!(short(&two), ["epics/EPIC-01/Auth_Design.md", "epics/EPIC-01/Sessions.md"]);
    assert_eq!(two.result.message, "找到 2 个匹配的 Context");
}

#[test]
fn c6_a_document_that_is_match_and_fallback_comes_once_and_first() {
    let project = Project::with(&["global/Architecture.md", "global/Tech_Stack.md"]);
    let report = project.search(&SearchRequest::new(["tech stack"], TaskType::General));
    assert_eq!(short(&report), ["global/Tech_Stack.md", "global/Architecture.md"]);
    assert_eq!(report.result.message, "找到 2 个匹配的 Context");
}

#[test]
fn c6_without_global_there_is_no_fallback() {
    let project = Project::with(&["epics/EPIC-01/Auth_Design.md"]);
    let none = project.search(&unknown(TaskType::General)).result;
    assert_eq!(
        (none.total, none.message.as_str()),
        (0, "项目尚未建立 Context，建议使用 @playbooks/context/add.md 创建")
    );
    // A quick change would not have fallen back anyhow.
    let quick = project.search(&unknown(TaskType::QuickChange)).result;
    assert_eq!(quick.message, "未找到精确匹配，quick_change 任务不使用保底返回");
    let one = project.search(&SearchRequest::new(["auth"], TaskType::General)).result;
    assert_eq!((one.total, one.message.as_str()), (1, "找到 1 个匹配的 Context"));
}

#[test]
fn the_type_filter_binds_the_fallback_too() {
    let project = everything();
    let report = project.search(&unknown(TaskType::TaskGeneration).of_type(ContextType::CodingStandard));
    assert_eq!(short(&report), ["global/Coding_Standard_Python.md", "global/Coding_Standard_Rust.md"]);
    let none = project.search(&unknown(TaskType::General).of_type(ContextType::DataModel)).result;
    assert_eq!(
        (none.total, none.message.as_str()),
        (0, "未找到精确匹配，类型过滤后没有可返回的 Global Context")
    );
}

#[test]
fn c7_messages_tell_what_is_special_about_a_result() {
    let search = |project: Project, epic: Option<&str>| {
        let mut request = SearchRequest::new(["auth"], TaskType::QuickChange);
        request.epic = epic.map(str::to_owned);
        project.search(&request).result.message
    };
    let named = || Project::with(&["epics/EPIC-01/Auth_Design.md"]);
    let mentioned = || named().doc("epics/EPIC-01/Log.md", "auth logs\n");
    assert_eq!(search(named(), None), "找到 1 个匹配的 Context");
    assert_eq!(search(named(), Some("EPIC-01")), "找到 1 个匹配的 Context");
    assert_eq!(search(named(), Some("EPIC-02")), "找到 1 个匹配的 Context（包含跨 Epic）");
    assert_eq!(search(mentioned(), Some("EPIC-01")), "找到 1 个高相关度匹配");
    assert_eq!(search(mentioned(), Some("EPIC-02")), "找到 1 个匹配的 Context（包含跨 Epic）");
    let by_tag = Project::empty().tagged("epics/EPIC-01/Notes.md", "auth");
    assert_eq!(search(by_tag, Some("EPIC-02")), "找到 1 个匹配的 Context（包含跨 Epic）");
}
