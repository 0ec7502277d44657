//! A9–A16 and A19, and context search, over both transports.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use regreader_agent::{Agent, AgentKind, AgentOptions, Conversation, Outcome};
use regreader_llm::Cancel;
use regreader_mcp::Client;
use serde_json::{Value, json};

use crate::mcp::support::{Server, home, over_stdio, program, refused, truth};

/// Runs a story over stdio and over HTTP.
fn on_both(story: impl Fn(&Client)) {
    story(&over_stdio(&[]));
    let server = Server::start(&[]);
    story(&server.client());
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn regulations(hits: &Value) -> BTreeSet<&str> {
    list(&hits["hits"]).iter().map(|hit| hit["reg_id"].as_str().unwrap()).collect()
}

/// Short questions of the kind of A1, A2 and A7, with what must be chosen.
const CHOICES: [(&str, &[&str]); 18] = [
    ("母线失压", &["angui_2024"]),
    ("母线失压怎么处理", &["angui_2024"]),
    ("110kV母线失压处理", &["angui_2024"]),
    ("压板投退", &["angui_2024"]),
    ("三取二", &["angui_2024"]),
    ("低频减载", &["angui_2024"]),
    ("特高压稳定限额", &["wengui_2024"]),
    ("低频振荡", &["wengui_2024"]),
    ("豫鄂断面限额", &["wengui_2024"]),
    ("长南Ⅰ线北送限额", &["wengui_2024"]),
    ("静态稳定储备", &["wengui_2024"]),
    ("wengui_2024 电压", &["wengui_2024"]),
    ("2023版安规 低频减载", &["angui_2023"]),
    ("天中直流的稳定限额和安控措施", &["angui_2024", "wengui_2024"]),
    ("青豫直流的限额和解列措施", &["angui_2024", "wengui_2024"]),
    ("锦苏直流限额和安控切机", &["angui_2024", "wengui_2024"]),
    ("三峡左岸电厂的出力限额和安控", &["angui_2024", "wengui_2024"]),
    ("新旧版安规的低频减载有什么变化", &["angui_2023", "angui_2024"]),
];

fn choice(data: &Path, question: &str) -> BTreeSet<String> {
    let data = data.display().to_string();
    let found = program(home(), &["--data-dir", &data, "search", question, "--json"]).output().unwrap();
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    let chosen =
        list(&found["selection"]["chosen"]).iter().map(|one| one["reg_id"].as_str().unwrap().to_owned());
    chosen.collect()
}

/// A1, A2, A7 on the sample library as it ships, with aliases and subject words.
#[test]
fn a1_to_a7_exactly_the_right_regulations_are_chosen() {
    let data = home().join("data");
    for (question, wanted) in CHOICES {
        let wanted: BTreeSet<String> = wanted.iter().map(|id| (*id).to_owned()).collect();
        assert_eq!(choice(&data, question), wanted, "{question}");
    }
}

/// The same documents with nothing said about them: what must be chosen is, and no edition that nobody asked for.
#[test]
fn a1_to_a7_documents_speak_for_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for reg_id in ["angui_2023", "angui_2024", "wengui_2024"] {
        let file = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
            .join("../../samples/pdf")
            .join(format!("{reg_id}.pdf"));
        let (file, data) = (file.display().to_string(), data.display().to_string());
        let read =
            program(home(), &["--data-dir", &data, "ingest", "--file", &file, "--reg-id", reg_id]).output();
        assert!(read.unwrap().status.success());
    }
    for (question, wanted) in CHOICES {
        let chosen = choice(&data, question);
        assert!(wanted.iter().all(|id| chosen.contains(*id)), "{question}: {chosen:?}");
        let old = "angui_2023";
        assert_eq!(chosen.contains(old), wanted.contains(&old), "{question}: {chosen:?}");
    }
    // Places too are those of the edition in force.
    let data = data.display().to_string();
    let answer = program(home(), &["--data-dir", &data, "ask", "表6-2 中注1的内容是什么？", "--json"])
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(answer["measures"][0]["reg_id"], "angui_2024", "{answer}");
}

/// What was assumed, and what is not there, is said: a limit of another voltage or edition is a wrong limit.
#[test]
fn what_one_must_know_before_relying_on_a_result_is_said() {
    on_both(|client| {
        let call = |tool: &str, query: &str| client.call(tool, json!({ "query": query })).unwrap();
        let limit = "天中直流线路N-1、开机 3 台、风电 200 万千瓦时的直流限额？（策略投入）";
        assert_eq!(call("search_tables", limit)["notices"], json!(["未说明运行电压，按全压查表"]));
        let stated = call("search_tables", &limit.replace("开机", "全压、开机"));
        assert_eq!(stated["notices"], Value::Null, "nothing was assumed");
        let lacking = json!(["规程库中没有安规 2022 版，只有 angui_2023、angui_2024"]);
        assert_eq!(call("smart_search", "安规2022 母线失压")["notices"], lacking);
        let older = call("smart_search", "安规2023 母线失压")["notices"].to_string();
        assert!(older.contains("已不是现行版本，由 angui_2024 代替"), "{older}");
    });
    for question in ["2022版安规，110kV 母线失压怎么处理？", "安规2022 表6-2 中注1的内容是什么？"]
    {
        let answer = program(home(), &["ask", question, "--json"]).output().unwrap();
        let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
        assert_eq!(answer["outcome"], "answered", "{answer}");
        assert!(answer["message"].as_str().unwrap().contains("没有安规 2022 版"), "{answer}");
    }
}

#[test]
fn a9_search_takes_one_regulation_several_all_or_none() {
    on_both(|client| {
        let search = |reg_id: Value| {
            client.call("smart_search", json!({ "query": "母线失压", "reg_id": reg_id })).unwrap()
        };
        let one = search(json!("angui_2024"));
        assert_eq!(regulations(&one), BTreeSet::from(["angui_2024"]));
        assert!(one.get("selection").is_none());
        let two = client.call(
            "smart_search",
            json!({ "query": "天中直流 限额 安控", "reg_id": ["angui_2024", "wengui_2024"], "limit": 20 }),
        );
        assert_eq!(regulations(&two.unwrap()), BTreeSet::from(["angui_2024", "wengui_2024"]));
        let all = search(json!("all"));
        assert!(!list(&all["hits"]).is_empty());
        let scores: Vec<f64> = list(&all["hits"]).iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "one ranking: {scores:?}");
        let chosen = client.call("smart_search", json!({ "query": "母线失压" })).unwrap();
        assert_eq!(chosen["selection"]["chosen"][0]["reg_id"], "angui_2024");
        assert!(!list(&chosen["selection"]["chosen"][0]["reasons"]).is_empty());
    });
}

#[test]
fn a10_the_guide_knows_the_way_through_several_regulations() {
    on_both(|client| {
        let guide = client.call("get_tool_guide", json!({})).unwrap();
        assert!(guide.to_string().contains("跨规程查询"), "{guide}");
    });
}

#[test]
fn a11_what_the_commands_read_and_delete_is_what_every_transport_serves() {
    let folder = tempfile::tempdir().unwrap();
    let samples = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../samples/docx");
    fs::create_dir(folder.path().join("rules")).unwrap();
    for name in ["angui_2024.docx", "wengui_2024.docx"] {
        fs::copy(samples.join(name), folder.path().join("rules").join(name)).unwrap();
    }
    fs::write(folder.path().join("rules/extra.md"), "# 补充规定\n\n## 1. 总则\n\n1.1 应立即汇报。\n")
        .unwrap();
    let run = |arguments: &[&str]| {
        program(folder.path(), arguments).env("REGREADER_LIBREOFFICE", "off").output().unwrap()
    };
    let done = |arguments: &[&str]| {
        let output = run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    done(&["ingest", "--file", "rules/angui_2024.docx", "--reg-id", "angui"]);
    done(&["ingest", "--dir", "rules", "--format", "docx"]);
    let several = run(&["ingest", "--dir", "rules", "--reg-id", "one"]);
    assert_eq!(several.status.code(), Some(2), "one name for several files");
    let listed = |client: &Client| -> BTreeSet<String> {
        let all = client.call("list_regulations", json!({})).unwrap();
        list(&all["regulations"]).iter().map(|one| one["reg_id"].as_str().unwrap().to_owned()).collect()
    };
    let ids = |ids: &[&str]| -> BTreeSet<String> { ids.iter().map(|id| (*id).to_owned()).collect() };
    let data = folder.path().join("data").display().to_string();
    let stdio = || {
        let serve = ["--data-dir", &data, "serve", "--transport", "stdio"];
        Client::spawn(env!("CARGO_BIN_EXE_regreader"), &serve).unwrap()
    };
    assert_eq!(
        listed(&stdio()),
        ids(&["angui", "wengui_2024"]),
        "only the docx files, and one of them is known"
    );
    // Without a format, what a file holds decides.
    done(&["ingest", "--dir", "rules"]);
    let server = Server::start_in(folder.path(), &[]);
    let client = server.client();
    assert_eq!(listed(&client), ids(&["angui", "wengui_2024", "extra"]));
    let sse = ["serve", "--transport", "sse", "--host", "127.0.0.1", "--port", "0"];
    assert!(Server::start_with(program(folder.path(), &sse)).address.ends_with("/sse"));
    done(&["delete", "extra", "--force"]);
    assert_eq!(listed(&client), ids(&["angui", "wengui_2024"]), "a running server sees it");
    let shown = String::from_utf8(run(&["list"]).stdout).unwrap();
    assert!(shown.contains("wengui_2024") && !shown.contains("extra"), "{shown}");
    let toc = String::from_utf8(run(&["toc", "angui"]).stdout).unwrap();
    assert!(toc.contains("6.2 母线失压处理"), "{toc}");
}

#[test]
fn a11_every_tool_is_a_command_too() {
    for tool in regreader_tools::TOOLS {
        let help = program(home(), &[tool.command, "--help"]).output().unwrap();
        assert!(help.status.success(), "{} has no command `{}`", tool.name, tool.command);
    }
    on_both(|client| {
        let guide = client.call("get_tool_guide", json!({})).unwrap();
        let names: Vec<&str> =
            list(&guide["tools"]).iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, regreader_tools::TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>());
    });
}

#[test]
fn a12_reciprocal_rank_fusion_is_the_printed_formula() {
    the_formula(&over_stdio(&["fusion=rrf"]));
    the_formula(&Server::start(&[("fusion", "rrf")]).client());
}

fn the_formula(client: &Client) {
    let found = client.call("smart_search", json!({ "query": "母线失压处置", "reg_id": "all" })).unwrap();
    let ranks = || (0..200_i32).map(f64::from);
    let keyword: Vec<f64> = ranks().map(|rank| 0.4 / (60.0 + rank + 1.0)).chain([0.0]).collect();
    let vector: Vec<f64> = ranks().map(|rank| 0.6 / (60.0 + rank + 1.0)).chain([0.0]).collect();
    let hits = list(&found["hits"]);
    assert!(!hits.is_empty());
    for hit in hits {
        let score = hit["score"].as_f64().unwrap();
        let made = keyword.iter().any(|k| vector.iter().any(|v| (k + v - score).abs() < 1e-6));
        assert!(made, "{score} is no 0.4/(60+i+1) + 0.6/(60+j+1)");
    }
}

#[test]
fn a13_ten_pages_at_most_and_the_next_range_is_named() {
    on_both(|client| {
        let read = |start: u32, end: u32| {
            client.call(
                "read_page_range",
                json!({ "reg_id": "wengui_2024", "start_page": start, "end_page": end }),
            )
        };
        assert_eq!(read(3, 12).unwrap()["page_count"], 10);
        let (name, message, hint) = refused(read(3, 13));
        assert_eq!(name, "InvalidPageRangeError");
        assert!(message.contains("单次最多读取 10 页"), "{message}");
        assert!(hint.contains("3–12"), "{hint}");
    });
}

#[test]
fn a14_references_lead_to_their_page_or_to_an_error_with_candidates() {
    on_both(|client| {
        for reg_id in ["angui_2024", "wengui_2024"] {
            let truth = truth(reg_id);
            let stated = list(&truth["references"]).iter().filter(|one| !one["regulation"].is_null());
            for reference in stated {
                let request = json!({
                    "reg_id": reg_id, "reference_text": reference["text"], "page_hint": reference["page"],
                });
                let resolved = client.call("resolve_reference", request);
                if reference["resolved"] == true {
                    let resolved = resolved.unwrap_or_else(|error| panic!("{reference}: {error:?}"));
                    assert_eq!(
                        resolved["location"]["page_num"], reference["target_page"],
                        "{reference} {resolved}"
                    );
                } else {
                    let (name, ..) = refused(resolved);
                    assert!(name.ends_with("NotFoundError") || name == "ReferenceResolutionError", "{name}");
                }
            }
        }
        // However a note is written, it is the note of the table nearest to where it was met.
        for label in ["注1", "注 1", "注①", "注一", "（注1）"] {
            let request = json!({ "reg_id": "wengui_2024", "annotation_id": label, "page_hint": 17 });
            let note = client.call("lookup_annotation", request).unwrap();
            assert!(note.to_string().contains("4-1"), "{label}: {note}");
        }
        // Table 3-1 has a third note, table 4-1 has two: a named table is never left.
        let third = |table: &str| {
            let request = json!({ "reg_id": "wengui_2024", "annotation_id": "注3", "table_hint": table, "page_hint": 17 });
            client.call("lookup_annotation", request)
        };
        assert!(third("表3-1").unwrap().to_string().contains("3-1"));
        assert_eq!(refused(third("表4-1")).0, "AnnotationNotFoundError");
        let absent =
            client.call("lookup_annotation", json!({ "reg_id": "wengui_2024", "annotation_id": "注十一" }));
        assert_eq!(refused(absent).0, "AnnotationNotFoundError");
    });
}

#[test]
fn a15_answers_have_their_parts_and_chit_chat_and_the_unknown_are_refused() {
    on_both(|client| {
        let agent = Agent {
            kind: AgentKind::Offline,
            client,
            model: None,
            tools: &[],
            cancel: Cancel::new(),
            options: AgentOptions::default(),
        };
        let ask =
            |question: &str| agent.ask(question, &mut Conversation::default(), &mut |_| {}).unwrap().answer;
        let answer = ask("110kV 母线失压怎么处理？");
        assert_eq!(answer.outcome, Outcome::Answered);
        assert!(answer.statements().all(|statement| statement.verified), "{answer:?}");
        let text = answer.to_text();
        for part in ["【来源】", "【处置措施】", "【注意事项】", "[来源: 安规2024 P"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(ask("今天天气怎么样，讲个笑话吧").outcome, Outcome::Declined);
        let nothing = ask("核电站乏燃料后处理的临界安全系数是多少？");
        assert!(matches!(nothing.outcome, Outcome::NotFound | Outcome::Related), "{:?}", nothing.outcome);
        assert!(nothing.to_text().contains("未找到相关规定"), "{}", nothing.to_text());
    });
}

#[test]
fn a16_a_table_over_three_pages_comes_whole() {
    on_both(|client| {
        let truth = truth("wengui_2024");
        for table in list(&truth["tables"]) {
            let number = format!("表{}", table["number"].as_str().unwrap());
            let view = client
                .call("get_table_by_id", json!({ "reg_id": "wengui_2024", "table_id": number }))
                .unwrap();
            let pages: BTreeSet<u64> =
                list(&table["row_pages"]).iter().map(|page| page.as_u64().unwrap()).collect();
            let shown: BTreeSet<u64> =
                list(&view["segments"]).iter().map(|segment| segment["page_num"].as_u64().unwrap()).collect();
            assert_eq!(shown, pages, "{number}");
            let rows = view["row_count"].as_u64().unwrap();
            assert_eq!(rows, list(&table["grid"]).len() as u64, "{number}: rows");
        }
        let pages = json!({ "reg_id": "wengui_2024", "start_page": 8, "end_page": 10 });
        let read = client.call("read_page_range", pages).unwrap();
        assert_eq!(read["has_merged_tables"], true);
        assert!(read["content_markdown"].as_str().unwrap().contains("注3"));
    });
}

#[test]
fn a19_a_refusal_has_its_old_name_its_old_words_and_a_next_step() {
    on_both(|client| {
        let calls = [
            ("get_toc", json!({ "reg_id": "nowhere" }), "RegulationNotFoundError", "规程不存在: nowhere"),
            ("get_toc", json!({ "reg_id": "../secret" }), "InvalidIdError", ""),
            (
                "read_page_range",
                json!({ "reg_id": "angui_2024", "start_page": 99, "end_page": 99 }),
                "PageNotFoundError",
                "99",
            ),
            (
                "read_chapter_content",
                json!({ "reg_id": "angui_2024", "section_number": "9.9.9" }),
                "ChapterNotFoundError",
                "9.9.9",
            ),
            (
                "get_table_by_id",
                json!({ "reg_id": "angui_2024", "table_id": "表9-9" }),
                "TableNotFoundError",
                "9-9",
            ),
            (
                "get_block_with_context",
                json!({ "reg_id": "angui_2024", "block_id": "none" }),
                "BlockNotFoundError",
                "",
            ),
            ("get_toc", json!({ "reg_id": 7 }), "InvalidArgumentError", ""),
            (
                "get_toc",
                json!({ "reg_id": "angui_2024", "surprise": true }),
                "InvalidArgumentError",
                "surprise",
            ),
            ("no_such_tool", json!({}), "UnknownToolError", "no_such_tool"),
        ];
        for (tool, arguments, name, words) in calls {
            let (found, message, hint) = refused(client.call(tool, arguments.clone()));
            assert_eq!(found, name, "{tool} {arguments}: {message}");
            assert!(message.contains(words), "{message}");
            assert!(!hint.is_empty(), "{tool} {arguments} has no next step");
        }
    });
}

#[test]
fn search_context_is_reachable() {
    on_both(|client| {
        let found = client
            .call("search_context", json!({ "keywords": ["auth"], "task_type": "quick_change" }))
            .unwrap();
        assert!(found.to_string().contains("Auth_Design.md"), "{found}");
        assert_eq!(found["total"], 1, "{found}");
    });
}
