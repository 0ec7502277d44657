//! `verify_citation` over a small library: calculations with their operands, and quotations that leave something out.

use std::process::Command;
use std::sync::{Arc, LazyLock};

use regreader_search::{EngineOptions, SearchEngine};
use regreader_store::{Library, OpenOptions};
use regreader_tools::{ToolClient, Toolbox, ToolboxOptions};
use serde_json::{Value, json};

const RULES: &str = "\
# 甲直流运行规定

## 3 限额

### 3.1 直流限额

表3-1 直流限额

| 开机台数 | 限额（万千瓦） |
| --- | --- |
| 5 | 400 |
| 8 | 500 |

注1：环境温度高于 40℃ 时，每升高 5℃ 限额降低 4%。

注2：降压运行时限额乘以 0.8。
";

static LIBRARY: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jiagui_2024.md");
    std::fs::write(&file, RULES).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_regreader"))
        .arg("--data-dir")
        .arg(folder.path().join("library"))
        .args(["--quiet", "ingest", "--file"])
        .arg(&file)
        .args(["--reg-id", "jiagui_2024"])
        .env("HOME", folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
});

fn verify(arguments: Value) -> Value {
    static TOOLBOX: LazyLock<Toolbox> = LazyLock::new(|| {
        let library = Library::open(LIBRARY.path().join("library"), OpenOptions::new()).unwrap();
        let engine =
            SearchEngine::open(library.clone(), &LIBRARY.path().join("i"), EngineOptions::default(), None)
                .unwrap();
        engine.refresh(&mut |_| {}).unwrap();
        Toolbox::new(library, Arc::new(engine), ToolboxOptions::default())
    });
    (&*TOOLBOX as &dyn ToolClient).call_json("verify_citation", arguments).unwrap()
}

const ROW: &str = "开机台数 5，限额 400 万千瓦";
const FACTOR: &str = "注2：降压运行时限额乘以 0.8。";
const STEPS: &str = "注1：环境温度高于 40℃ 时，每升高 5℃ 限额降低 4%。";

fn calculated(statement: &str, operands: &[&str], given: &[&str]) -> Value {
    let operands: Vec<Value> =
        operands.iter().map(|text| json!({ "statement": text, "page_num": 1 })).collect();
    verify(json!({
        "reg_id": "jiagui_2024", "page_num": 1, "statement": statement, "operands": operands, "given": given,
    }))
}

#[test]
fn a_calculation_stands_on_proven_operands_and_says_where_each_is_from() {
    let check = calculated("400 万千瓦 × 0.8 = 320 万千瓦", &[ROW, FACTOR], &[]);
    assert_eq!((&check["verdict"], &check["level"]), (&json!("calculated"), &json!("calculated")), "{check}");
    let operands = check["operands"].as_array().unwrap();
    let origins: Vec<(&str, &str)> =
        operands.iter().map(|one| (one["text"].as_str().unwrap(), one["from"].as_str().unwrap())).collect();
    assert_eq!(origins, [("400 万千瓦", "passage"), ("0.8", "passage")]);
    assert_eq!(operands[0]["place"]["row"], 0, "{check}");
    assert!(operands.iter().all(|one| one["citation"].as_str().unwrap().contains("P1")), "{check}");

    let warm = "400 万千瓦 × (1 − (50℃ − 40℃) ÷ 5℃ × 4%) = 368 万千瓦";
    let check = calculated(warm, &[ROW, STEPS], &["50℃"]);
    assert_eq!(check["level"], "calculated", "{check}");
    assert_eq!(check["operands"][1]["from"], "given", "{check}");
}

#[test]
fn a_calculation_with_a_wrong_result_operand_operation_or_claim_does_not_stand() {
    let cases: [(&str, &[&str], &[&str], &str); 9] = [
        ("400 万千瓦 × 0.8 = 330 万千瓦", &[ROW, FACTOR], &[], "= 330 万千瓦"),
        ("400 万千瓦 × 0.8 = 320 千瓦", &[ROW, FACTOR], &[], "= 320 千瓦"),
        ("500 万千瓦 × 0.8 = 400 万千瓦", &["开机台数 5，限额 500 万千瓦", FACTOR], &[], "500 万千瓦"),
        ("400 万千瓦 × 0.9 = 360 万千瓦", &[ROW, FACTOR], &[], "0.9"),
        ("400 万千瓦 ÷ 0.8 = 500 万千瓦", &[ROW, FACTOR], &[], "0.8"),
        ("400 万千瓦 × (1 + (50℃ − 40℃) ÷ 5℃ × 4%) = 432 万千瓦", &[ROW, STEPS], &["50℃"], "4%"),
        ("400 万千瓦 × (1 − (50℃ − 40℃) ÷ 5℃ × 4%) = 368 万千瓦", &[ROW, STEPS], &[], "50℃"),
        ("400 万千瓦 × 0.8 = 320 万千瓦", &[], &["400 万千瓦", "0.8"], "400 万千瓦"),
        ("可以长期运行：400 万千瓦 × 0.8 = 320 万千瓦", &[ROW, FACTOR], &[], "may"),
    ];
    for (statement, operands, given, missing) in cases {
        let check = calculated(statement, operands, given);
        assert_eq!(check["level"], "unproven", "{statement}: {check}");
        assert_ne!(check["verdict"], "calculated");
        let said = check["missing"].as_array().unwrap().iter().any(|one| one == missing);
        assert!(said, "{statement}: {missing} is not among {}", check["missing"]);
    }
    let hidden = calculated("400 万千瓦 × 0.\u{200B}8 = 320 万千瓦", &[ROW, FACTOR], &[]);
    assert_eq!((&hidden["level"], &hidden["unseen_characters"]), (&json!("unproven"), &json!(true)));
}
