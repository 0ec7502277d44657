//! Six questions, three agents: the right tools in order, and an answer whose citations were verified.

use regreader_scripted_model::Step;
use serde_json::json;

use crate::agents::bench::{Bench, submit};

const BUSBAR: &str = "110kV 母线失压怎么处理？";
const BOTH: &str = "天中直流的稳定限额和安控措施？";
const TABLE: &str = "天中直流线路N-1、全压、开机 3 台、风电 200 万千瓦时的直流限额？（策略投入）";
const NOTE: &str = "表6-2 中注1的内容是什么？";
const NOWHERE: &str = "复奉直流的稳定限额是多少？";
const HELLO: &str = "你好，今天天气怎么样？";

fn route(regulations: &[&str], query: &str) -> Step {
    Step::call(
        "choose_route",
        json!({ "kind": "regulation", "regulations": regulations, "queries": [query] }),
    )
}

#[test]
fn claude_chooses_the_regulation_and_reads_before_it_answers() {
    let bench = Bench::new();
    let steps = vec![
        Step {
            thinking: Some("先看目录。".to_owned()),
            ..Step::call("get_toc", json!({ "reg_id": "angui_2024" }))
        },
        Step::call(
            "smart_search",
            json!({ "query": "110kV 母线失压", "reg_id": "angui_2024", "chapter_scope": "6.2" }),
        ),
        Step::call("read_page_range", json!({ "reg_id": "angui_2024", "start_page": 23, "end_page": 24 })),
        Step::text(
            "【来源】\n- 安规2024 P24 6.2.1\n\n【处置措施】\n1. 立即汇报国调和所属调度，说明失压母线、跳闸开关和保护动作情况 [来源: 安规2024 P24 6.2.1]\n2. 拉开失压母线上的全部开关 [来源: 安规2024 P24 6.2.1]\n\n【注意事项】\n- 充电前应投入充电保护，充电电源侧后备保护时限不大于 0.3 秒，且只允许充电一次 [来源: 安规2024 P24 表6-2]\n",
        ),
    ];
    let asked = bench.ask("claude", steps, BUSBAR, &[]);
    asked.assert_answered(&["[来源: 安规2024 P24 6.2.1]", "[来源: 安规2024 P24 表6-2]"]);
    assert_eq!(asked.calls(), ["get_toc", "smart_search", "read_page_range"]);
    assert_eq!(asked.answer["measures"].as_array().unwrap().len(), 2);
    assert_eq!(asked.answer["cautions"].as_array().unwrap().len(), 1);
    assert_eq!(asked.all("thinking")[0]["text"], "先看目录。");
    // The role lists the library and the protocols; page text is fenced.
    let requests = asked.model.asked();
    let role = requests[0].body["system"].to_string();
    assert!(
        role.contains("- **angui_2024**: ") && role.contains("规程选择原则") && role.contains("适用范围"),
        "{role}"
    );
    assert!(requests[3].last_message().contains("<document_data tool=\\\"read_page_range\\\">"));
    assert!(
        requests[0].offered().contains(&"smart_search") && !requests[0].offered().contains(&"search_context")
    );
    assert_eq!(asked.answer["usage"]["output_tokens"], 80, "four turns were counted");
}

#[test]
fn claude_joins_two_regulations_in_one_answer() {
    let bench = Bench::new();
    let steps = vec![
        Step::calls([
            ("get_toc", json!({ "reg_id": "wengui_2024" })),
            ("get_toc", json!({ "reg_id": "angui_2024" })),
        ]),
        Step::call("smart_search", json!({ "query": BOTH, "reg_id": ["angui_2024", "wengui_2024"] })),
        Step::calls([
            ("read_page_range", json!({ "reg_id": "wengui_2024", "start_page": 7, "end_page": 8 })),
            ("read_page_range", json!({ "reg_id": "angui_2024", "start_page": 10, "end_page": 10 })),
        ]),
        Step::text(
            "【处置措施】\n1. 任何情况下天中直流功率不得超过 800 万千瓦。[来源: 稳规2024 P7 3.1.1]\n2. 双极闭锁且闭锁前功率为 650～800 万千瓦的，切火电 264、切风电 260，动作时间 0.15 秒。[来源: 安规2024 P10 表2-3]\n",
        ),
    ];
    let asked = bench.ask("claude", steps, BOTH, &[]);
    asked.assert_answered(&["[来源: 稳规2024 P7 3.1.1]", "[来源: 安规2024 P10 表2-3]"]);
    assert_eq!(asked.calls(), ["get_toc", "get_toc", "smart_search", "read_page_range", "read_page_range"]);
    assert_eq!(asked.answer["regulations"], json!(["wengui_2024", "angui_2024"]));
}

#[test]
fn claude_reads_a_table_over_three_pages_and_a_note() {
    let bench = Bench::new();
    let steps = vec![
        Step::call(
            "search_tables",
            json!({ "query": "天中直流线路N-1方式限额表（全压）", "reg_id": "wengui_2024" }),
        ),
        Step::call("get_table_by_id", json!({ "reg_id": "wengui_2024", "table_id": "表3-3" })),
        Step::text(
            "【处置措施】\n1. 最小开机台数 3 台、风电出力 200 万千瓦、策略投入时，直流限额为 340 万千瓦。[来源: 稳规2024 P12 表3-3]\n\n【注意事项】\n- 风电出力指哈南、烟墩两站汇集的风电场出力之和，不含光伏。[来源: 稳规2024 P13 注1]\n",
        ),
    ];
    let asked = bench.ask("claude", steps, TABLE, &[]);
    asked.assert_answered(&["[来源: 稳规2024 P12 表3-3]", "[来源: 稳规2024 P13 注1]"]);
    assert_eq!(asked.calls(), ["search_tables", "get_table_by_id"]);
    let steps = vec![
        Step::call(
            "lookup_annotation",
            json!({ "reg_id": "angui_2024", "annotation_id": "注1", "table_hint": "表6-2" }),
        ),
        Step::text(
            "【处置措施】\n1. 注1：充电前应投入充电保护，充电电源侧后备保护时限不大于 0.3 秒，且只允许充电一次。[来源: 安规2024 P24 表6-2 注1]\n",
        ),
    ];
    let asked = bench.ask("claude", steps, NOTE, &[]);
    asked.assert_answered(&["[来源: 安规2024 P24 表6-2 注1]"]);
    assert_eq!(asked.calls(), ["lookup_annotation"]);
}

#[test]
fn claude_says_no_where_there_is_nothing_and_to_chit_chat() {
    let bench = Bench::new();
    let steps =
        vec![Step::call("smart_search", json!({ "query": "复奉直流" })), Step::text("未找到相关规定。")];
    let asked = bench.ask("claude", steps, NOWHERE, &[]);
    assert_eq!(
        (asked.code, &asked.answer["outcome"], &asked.answer["message"]),
        (1, &json!("not_found"), &json!("未找到相关规定。"))
    );
    let asked = bench.ask("claude", vec![Step::text("抱歉，我只能回答规程方面的问题。")], HELLO, &[]);
    assert_eq!((asked.code, &asked.answer["outcome"]), (1, &json!("declined")));
    let words = asked.answer["message"].as_str().unwrap();
    assert!(words.starts_with("我只回答与规程有关的问题"), "fixed words, not the model's: {words}");
    assert!(asked.calls().is_empty());
}

#[test]
fn typed_submits_an_answer_that_fits_the_schema() {
    let bench = Bench::new();
    let steps = vec![
        Step::call("smart_search", json!({ "query": "110kV 母线失压" })),
        Step::call("read_page_range", json!({ "reg_id": "angui_2024", "start_page": 23, "end_page": 24 })),
        // Twice not as the schema wants it, then well.
        Step::call(
            "submit_answer",
            json!({ "outcome": "answered", "measures": [{ "text": "立即汇报国调" }] }),
        ),
        submit(&[("立即汇报国调", "angui_2099", 24, "6.2.1")], &[]),
        submit(
            &[
                ("立即汇报国调和所属调度", "angui_2024", 24, "6.2.1"),
                ("拉开失压母线上的全部开关", "angui_2024", 24, "6.2.1"),
            ],
            &[],
        ),
    ];
    let asked = bench.ask("typed", steps, BUSBAR, &[]);
    asked.assert_answered(&["[来源: 安规2024 P24 6.2.1]"]);
    assert_eq!(asked.calls(), ["smart_search", "read_page_range"]);
    let requests = asked.model.asked();
    assert!(
        requests[3].last_message().contains("citations"),
        "told what is missing: {}",
        requests[3].last_message()
    );
    assert!(requests[4].last_message().contains("规程不存在: angui_2099"));
    assert_eq!(asked.answer["agent"], "typed");
}

/// `eval --agent typed`: a set is put to a model and judged with the measures of the offline agent.
#[test]
fn a_set_of_questions_scores_a_model() {
    let bench = Bench::new();
    let asked = [
        json!({ "id": "a", "kind": "single", "question": BUSBAR, "reg_ids": ["angui_2024"], "pages": { "angui_2024": [24] },
                "answer_contains": ["汇报国调"] }),
        json!({ "id": "b", "kind": "single", "question": BUSBAR, "reg_ids": ["angui_2024"], "pages": { "angui_2024": [24] },
                "answer_contains": ["汇报国调"] }),
        json!({ "id": "c", "kind": "unanswerable", "question": "食堂几点开门？", "refusal": true }),
    ];
    let lines: Vec<String> = asked.iter().map(ToString::to_string).collect();
    std::fs::write(bench.folder.path().join("set.jsonl"), lines.join("\n")).unwrap();
    let search = || Step::call("smart_search", json!({ "query": "110kV 母线失压" }));
    let steps = vec![
        search(),
        submit(&[("立即汇报国调和所属调度", "angui_2024", 24, "6.2.1")], &[]),
        // True, and not what was asked for.
        search(),
        submit(&[("拉开失压母线上的全部开关", "angui_2024", 24, "6.2.1")], &[]),
        search(),
        Step::call("submit_answer", json!({ "outcome": "not_found", "message": "" })),
    ];
    let model = regreader_scripted_model::ScriptedModel::with(steps).unwrap();
    let arguments = ["eval", "set.jsonl", "--answers", "--agent", "typed", "--json"];
    let output = bench.with_model(&model, "openai", &arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let answers = &report["answers"];
    let figures = ["right", "wrong", "refused"].map(|name| answers[name].as_f64());
    assert_eq!(figures, [Some(0.5), Some(0.5), Some(1.0)], "{answers}");
}

#[test]
fn typed_answers_the_other_questions() {
    let bench = Bench::new();
    let steps = vec![
        Step::call("smart_search", json!({ "query": BOTH, "reg_id": ["angui_2024", "wengui_2024"] })),
        Step::calls([
            ("read_page_range", json!({ "reg_id": "wengui_2024", "start_page": 7, "end_page": 7 })),
            ("read_page_range", json!({ "reg_id": "angui_2024", "start_page": 10, "end_page": 10 })),
        ]),
        submit(
            &[
                ("任何情况下天中直流功率不得超过 800 万千瓦", "wengui_2024", 7, "3.1.1"),
                ("双极闭锁且闭锁前功率为 650～800 万千瓦的，切火电 264", "angui_2024", 10, "表2-3"),
            ],
            &[],
        ),
    ];
    let asked = bench.ask("typed", steps, BOTH, &[]);
    asked.assert_answered(&["[来源: 稳规2024 P7 3.1.1]", "[来源: 安规2024 P10 表2-3]"]);
    assert_eq!(asked.calls(), ["smart_search", "read_page_range", "read_page_range"]);
    let steps = vec![
        Step::call("get_table_by_id", json!({ "reg_id": "wengui_2024", "table_id": "表3-3" })),
        submit(
            &[(
                "最小开机台数 3 台、风电出力 200 万千瓦、策略投入时，直流限额为 340 万千瓦",
                "稳规2024",
                12,
                "表3-3",
            )],
            &[("风电出力指哈南、烟墩两站汇集的风电场出力之和，不含光伏", "wengui_2024", 13, "注1")],
        ),
    ];
    bench
        .ask("typed", steps, TABLE, &[])
        .assert_answered(&["[来源: 稳规2024 P12 表3-3]", "[来源: 稳规2024 P13 注1]"]);
    let steps = vec![
        Step::call(
            "lookup_annotation",
            json!({ "reg_id": "angui_2024", "annotation_id": "注1", "table_hint": "表6-2" }),
        ),
        submit(
            &[(
                "充电前应投入充电保护，充电电源侧后备保护时限不大于 0.3 秒，且只允许充电一次",
                "angui_2024",
                24,
                "注1",
            )],
            &[],
        ),
    ];
    bench.ask("pydantic", steps, NOTE, &[]).assert_answered(&["[来源: 安规2024 P24 注1]"]);
    let steps = vec![
        Step::call("smart_search", json!({ "query": "复奉直流" })),
        Step::call("submit_answer", json!({ "outcome": "not_found", "message": "未找到相关规定" })),
    ];
    let asked = bench.ask("typed", steps, NOWHERE, &[]);
    assert_eq!((asked.code, &asked.answer["outcome"]), (1, &json!("not_found")));
    let steps =
        vec![Step::call("submit_answer", json!({ "outcome": "declined", "message": "我只回答规程问题。" }))];
    let asked = bench.ask("typed", steps, HELLO, &[]);
    assert_eq!((asked.code, &asked.answer["outcome"]), (1, &json!("declined")));
    assert!(asked.answer["message"].as_str().unwrap().starts_with("我只回答与规程有关的问题"));
}

#[test]
fn graph_goes_from_node_to_node_and_leaves_a_checkpoint_at_each() {
    let bench = Bench::new();
    let steps = vec![
        route(&["angui_2024"], "110kV 母线失压"),
        submit(
            &[("立即汇报国调和所属调度", "angui_2024", 24, "6.2.1")],
            &[(
                "充电前应投入充电保护，充电电源侧后备保护时限不大于 0.3 秒，且只允许充电一次",
                "angui_2024",
                24,
                "注1",
            )],
        ),
    ];
    let asked = bench.ask("langgraph", steps, BUSBAR, &[]);
    asked.assert_answered(&["[来源: 安规2024 P24 6.2.1]", "[来源: 安规2024 P24 注1]"]);
    let nodes: Vec<&str> =
        asked.all("checkpoint").iter().map(|event| event["node"].as_str().unwrap()).collect();
    assert_eq!(nodes, ["locate", "read", "trace", "answer", "verify", "end"]);
    let calls = asked.calls();
    assert_eq!(calls[..3], ["get_toc", "smart_search", "search_tables"]);
    assert!(
        calls.contains(&"read_page_range".to_owned()) && calls.contains(&"resolve_reference".to_owned()),
        "{calls:?}"
    );
    let requests = asked.model.asked();
    assert!(
        requests[1].last_message().contains("拉开失压母线上的全部开关"),
        "the model sees the page that was found"
    );
}

#[test]
fn graph_answers_the_other_questions() {
    let bench = Bench::new();
    let steps = vec![
        route(&["angui_2024", "wengui_2024"], BOTH),
        submit(
            &[
                ("任何情况下天中直流功率不得超过 800 万千瓦", "wengui_2024", 7, "3.1.1"),
                ("双极闭锁且闭锁前功率为 650～800 万千瓦的，切火电 264", "angui_2024", 10, "表2-3"),
            ],
            &[],
        ),
    ];
    bench
        .ask("graph", steps, BOTH, &[])
        .assert_answered(&["[来源: 稳规2024 P7 3.1.1]", "[来源: 安规2024 P10 表2-3]"]);
    let steps = vec![
        route(&["wengui_2024"], "天中直流"),
        // Not enough yet: back to locate.
        Step::call(
            "search_more",
            json!({ "queries": ["天中直流线路N-1方式限额表（全压）"], "regulations": ["wengui_2024"] }),
        ),
        submit(
            &[(
                "最小开机台数 3 台、风电出力 200 万千瓦、策略投入时，直流限额为 340 万千瓦",
                "wengui_2024",
                12,
                "表3-3",
            )],
            &[],
        ),
    ];
    let asked = bench.ask("graph", steps, TABLE, &[]);
    asked.assert_answered(&["[来源: 稳规2024 P12 表3-3]"]);
    let nodes: Vec<&str> =
        asked.all("checkpoint").iter().map(|event| event["node"].as_str().unwrap()).collect();
    assert_eq!(
        nodes,
        ["locate", "read", "trace", "answer", "locate", "read", "trace", "answer", "verify", "end"]
    );
    assert!(asked.calls().contains(&"get_table_by_id".to_owned()));
    let steps = vec![
        route(&["angui_2024"], "表6-2 母线故障处置表 注1 充电保护"),
        submit(
            &[(
                "充电前应投入充电保护，充电电源侧后备保护时限不大于 0.3 秒，且只允许充电一次",
                "angui_2024",
                24,
                "注1",
            )],
            &[],
        ),
    ];
    bench.ask("graph", steps, NOTE, &[]).assert_answered(&["[来源: 安规2024 P24 注1]"]);
    let steps = vec![
        route(&[], "复奉直流"),
        Step::call("submit_answer", json!({ "outcome": "not_found", "message": "未找到相关规定" })),
    ];
    let asked = bench.ask("graph", steps, NOWHERE, &[]);
    assert_eq!((asked.code, &asked.answer["outcome"]), (1, &json!("not_found")));
    let steps =
        vec![Step::call("choose_route", json!({ "kind": "chitchat", "message": "我只回答规程问题。" }))];
    let asked = bench.ask("graph", steps, HELLO, &[]);
    assert_eq!((asked.code, &asked.answer["outcome"]), (1, &json!("declined")));
    assert!(asked.calls().is_empty(), "chit-chat ends at the first node");
}

#[test]
fn a_question_comes_from_a_file_or_standard_input_and_the_offline_agent_needs_no_model() {
    let bench = Bench::new();
    let file = bench.folder.path().join("question.txt");
    std::fs::write(&file, BUSBAR).unwrap();
    let output = bench.command(&["ask", "--json", "--file", file.to_str().unwrap()]).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["agent"], &answer["outcome"]), (&json!("offline"), &json!("answered")));
    let input = std::fs::File::open(&file).unwrap();
    let output = bench.command(&["ask", "-"]).stdin(input).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("【处置措施】"));
    let output = bench.command(&["ask", "--agent", "claude", BUSBAR]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "an agent that needs a model says so");
    let output = bench.command(&["ask", "--agent", "nobody", BUSBAR]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
