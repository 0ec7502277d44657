//! C2, C3 and C8: how many points which keyword gives which document.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use crate::common::{Project, short};
use regreader_context::{ContextType, Rule, SearchRequest, TaskType};

#[test]
fn c3_names_scored_as_the_guide_prints_them() {
    for (keyword, name, points) in [
        ("auth", "Auth_Design.md", 10),
        ("auth", "Authentication.md", 10),
        ("user", "User_Management.md", 7),
        ("authentication", "Authentication_Design.md", 10),
        ("authentication", "Module_Design_Auth.md", 10),
        ("order", "Module_Design_Order.md", 10),
        ("payment", "Payment_Design.md", 10),
        ("transaction", "Transaction_Model.md", 10),
        // Integration and Management are subjects, not kinds.
        ("payment", "Payment_Integration.md", 7),
        ("order", "Order_Management.md", 7),
    ] {
        assert_eq!(Project::points(name, "", keyword), points, "{keyword} in {name}");
    }
}

#[test]
fn c3_a_keyword_is_exact_only_when_it_is_the_whole_subject() {
    for (keyword, name, points) in [
        ("AUTH", "auth_design.md", 10),
        ("order", "Data_Model_Order.md", 10),
        ("login", "API_Design_Login.md", 10),
        ("api", "API_Design_Login.md", 7),
        ("user auth", "Module_Design_User_Auth.md", 10),
        ("auth", "Module_Design_User_Auth.md", 7),
        ("message queue", "Msg_Queue_Design.md", 10),
        ("architecture", "Architecture.md", 10),
        ("tech stack", "Tech_Stack.md", 10),
        ("stack", "Tech_Stack.md", 7),
        ("python", "Coding_Standard_Python.md", 10),
        ("authorization", "Auth_Design.md", 0),
        ("auth", "Authorization_Design.md", 7),
        ("the auth", "Auth_Design.md", 10),
        ("C++", "Coding_Standard_C++.md", 10),
    ] {
        assert_eq!(Project::points(name, "", keyword), points, "{keyword} in {name}");
    }
}

#[test]
fn chinese_names_follow_the_same_rule() {
    for (keyword, name, points) in [
        ("认证", "认证设计.md", 10),
        ("认证", "模块设计_认证.md", 10),
        ("认证", "用户认证设计.md", 7),
        ("认证", "用户管理.md", 0),
        ("jwt", "JWT认证设计.md", 7),
        ("ＪＷＴ", "Jwt_Design.md", 10),
        ("架构", "架构.md", 10),
    ] {
        assert_eq!(Project::points(name, "", keyword), points, "{keyword} in {name}");
    }
}

#[test]
fn c2_front_matter_gives_six_and_content_three() {
    let front = "---\ntitle: \"用户认证与授权设计\"\ntags: [authentication, security, JWT]\n---\n# 概述 of RBAC\n\n缓存 cache\n";
    for (keyword, points) in [
        ("jwt", 6),
        ("auth", 6),
        ("认证", 6),
        ("授权", 6),
        ("rbac", 3),
        ("cache", 3),
        ("缓存", 3),
        ("kafka", 0),
    ] {
        assert_eq!(Project::points("Notes.md", front, keyword), points, "{keyword}");
    }
}

#[test]
fn c2_the_score_is_the_highest_and_never_a_sum() {
    let everywhere = "---\ntitle: payment\ntags: [payment]\n---\n# payment\n\npayment\n";
    assert_eq!(Project::points("Payment_Design.md", everywhere, "payment"), 10);
    assert_eq!(Project::points("Payment_Gateway.md", everywhere, "payment"), 7);
    assert_eq!(Project::points("Notes.md", everywhere, "payment"), 6);
}

#[test]
fn c2_content_beyond_500_characters_is_never_read() {
    let filler = "电".repeat(480);
    let within = format!("---\ntags: []\n---\n{filler}\n# redis\n");
    let beyond = format!("---\ntags: []\n---\n{filler}{filler}\n# redis\n");
    assert_eq!(Project::points("Notes.md", &within, "redis"), 3);
    assert_eq!(Project::points("Notes.md", &beyond, "redis"), 0);
    // The front matter is no content, however long it is.
    let front = format!("---\nabstract: {}\n---\n# redis\n", "x".repeat(6_000));
    assert_eq!(Project::points("Notes.md", &front, "redis"), 3);
}

#[test]
fn headings_are_told_from_the_rest_of_the_content() {
    let rule = |text: &str| {
        let report = Project::empty().doc("epics/EPIC-01/Notes.md", text).find(&["redis"]);
        report.candidates.first().map(|one| one.rule)
    };
    assert_eq!(rule("### Redis\n"), Some(Rule::Heading));
    assert_eq!(rule("#### Redis\n"), Some(Rule::Content));
    assert_eq!(rule("uses Redis\n"), Some(Rule::Content));
}

#[test]
fn c2_only_six_points_and_more_are_returned() {
    let report = Project::empty()
        .doc("epics/EPIC-01/Payment_Design.md", "")
        .tagged("epics/EPIC-01/Orders.md", "payment")
        .doc("epics/EPIC-01/Log.md", "payment\n")
        .find(&["payment"]);
    assert_eq!(short(&report), ["epics/EPIC-01/Payment_Design.md", "epics/EPIC-01/Orders.md"]);
}

#[test]
fn c8_synonyms_reach_both_ways_and_stop_words_find_nothing() {
    for (short, long) in [("auth", "authentication"), ("db", "database"), ("msg", "message")] {
        assert_eq!(Project::points(&format!("{long}_Design.md"), "", short), 10);
        assert_eq!(Project::points(&format!("{short}_Design.md"), "", long), 10);
        assert_eq!(Project::points("Notes.md", &format!("---\ntags: [{long}]\n---\n"), short), 6);
        assert_eq!(Project::points("Notes.md", &format!("---\ntitle: The {short} part\n---\n"), long), 6);
    }
    for stop in ["the", "a", "an", "of", "for", "to", "of the"] {
        assert_eq!(Project::points("The_Path_Of_A_Call.md", "the of for to a an", stop), 0, "{stop}");
    }
}

#[test]
fn c1_the_type_filter_goes_by_field_then_by_name() {
    let project = Project::empty()
        .doc("epics/EPIC-01/Module_Design_Auth.md", "")
        .doc("epics/EPIC-01/Data_Model_Auth.md", "")
        .doc("epics/EPIC-01/Auth_Notes.md", "---\ntype: data_model\n---\n");
    let request = SearchRequest::new(["auth"], TaskType::QuickChange);
    let of = |kind| project.search(&request.clone().of_type(kind));
    assert_eq!(short(&of(ContextType::ModuleDesign)), ["epics/EPIC-01/Module_Design_Auth.md"]);
    assert_eq!(
        short(&of(ContextType::DataModel)),
        ["epics/EPIC-01/Data_Model_Auth.md", "epics/EPIC-01/Auth_Notes.md"]
    );
    assert!(of(ContextType::TechStack).result.contexts.is_empty());
}
