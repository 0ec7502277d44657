//! Keywords out of Stories and sentences: technical terms, no general words, three to six.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use proptest::prelude::*;
use regreader_context::{extract_keywords, read_story};

#[test]
fn a_story_gives_its_terms_and_its_epic() {
    let story = "---\nid: STORY-03\nepic: EPIC-02\ntitle: 用 JWT 保护订单接口\ntags: [security]\n---\n\
        # 用户故事\n\n作为用户，我希望登录后才能访问订单 API，以便数据安全。\n\n\
        ## 技术说明\n\n- Python + Flask，令牌存 Redis\n- 令牌过期后返回 `401`，见 `TokenStore`\n\n```python\nimport Kafka\n```\n";
    let read = read_story(story);
    assert_eq!(read.epic.as_deref(), Some("EPIC-02"));
    assert_eq!(read.keywords.len(), 6);
    assert_eq!(read.keywords[..3], ["API", "security", "JWT"]);
    assert!(read.keywords.contains(&"token".to_owned()), "{:?}", read.keywords);
    assert!(!read.keywords.contains(&"Kafka".to_owned()), "code blocks are no prose");
}

#[test]
fn the_four_sorts_of_the_guide_are_known() {
    for (text, expected) in [
        ("Python Flask JWT Redis", vec!["Python", "Flask", "JWT", "Redis"]),
        ("authentication, payment, notification", vec!["authentication", "payment", "notification"]),
        ("API database cache message queue", vec!["API", "database", "cache", "message queue"]),
        ("factory pattern, singleton, repository", vec!["factory pattern", "singleton", "repository"]),
        ("消息队列、缓存和数据库", vec!["message queue", "cache", "database"]),
        ("用 C++ 重写 GraphQL 与 QUIC 网关", vec!["C++", "GraphQL", "gateway", "QUIC"]),
    ] {
        let mut found = extract_keywords(text);
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn general_words_are_no_keywords() {
    assert_eq!(extract_keywords("实现开发功能"), [""; 0]);
    assert_eq!(extract_keywords("Implement and develop the new feature for STORY-12 TODO"), [""; 0]);
    assert_eq!(extract_keywords(""), [""; 0]);
}

#[test]
fn few_terms_are_filled_up_and_many_are_cut() {
    assert_eq!(extract_keywords("Add shipment labels for customers"), ["customer", "shipment", "labels"]);
    assert_eq!(extract_keywords("实现母线失压处理"), ["母线失压"]);
    assert_eq!(extract_keywords("Redis Kafka MySQL Docker Flask Vue React Rust").len(), 6);
}

#[test]
fn what_is_said_often_comes_before_what_is_said_once() {
    let text = "A story\n\ncache, then Redis. Redis again: Redis and Docker.\n";
    assert_eq!(extract_keywords(text), ["Redis", "cache", "Docker"]);
}

#[test]
fn the_epic_is_also_found_in_the_text() {
    assert_eq!(read_story("Epic: EPIC-07, 登录").epic.as_deref(), Some("EPIC-07"));
    assert_eq!(read_story("EPIC-XX 登录").epic, None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_at_most_six_and_none_twice(text in "(?s)(.{0,80}|(登录|API|用户| |\n|`x_y`|支付|---\n|JWT2|的){0,30})") {
        let mut found = extract_keywords(&text);
        prop_assert!(found.len() <= 6);
        prop_assert_eq!(&found, &extract_keywords(&text));
        let all = found.len();
        found.sort();
        found.dedup();
        prop_assert_eq!(found.len(), all);
    }
}
