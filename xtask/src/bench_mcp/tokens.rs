//! What a model pays for each tool, in tokens: its description, and a usual result.
//!
//! Counted with the o200k_base vocabulary (`gpt-tokenizer` from npm) over exactly the text that a model is given: name,
//! description and input schema of a tool as JSON, and the text content of its result.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::wire::{Pipe, call};
use crate::programs::quiet;
use crate::{clients, root};

/// Pages of the long regulation.
const PAGES: usize = 150;
/// What its contents may cost at the default depth.
const TOC_BAR: usize = 4_000;

/// Prints the table, and what the contents of a long regulation cost.
pub fn report(program: &Path, data: &str, folder: &Path) -> Result<()> {
    let mut pipe = Pipe::start(Command::new(program).args(["--data-dir", data, "serve"]))?;
    let listed: Value = serde_json::from_str(
        &pipe.request(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }))?,
    )?;
    let search = call("smart_search", &json!({ "query": "母线失压", "reg_id": "angui_2024" }));
    let found: Value = serde_json::from_str(&pipe.request(&search)?)?;
    let block = &found["result"]["structuredContent"]["hits"][0]["block_id"];
    let mut names = Vec::new();
    let mut texts = Vec::new();
    for tool in listed["result"]["tools"].as_array().context("no tools")? {
        let name = tool["name"].as_str().unwrap_or_default();
        names.push(name.to_owned());
        // The output schema stays with the client.
        texts.push(
            json!({ "name": name, "description": tool["description"], "inputSchema": tool["inputSchema"] })
                .to_string(),
        );
        texts.push(result(&mut pipe, name, &usual(name, block))?);
    }
    drop(pipe);
    let (long, entries) = long_contents(program, folder)?;
    texts.push(long);
    let counted = count_exactly(&texts);
    match &counted {
        Ok(_) => println!("tokens, o200k_base"),
        Err(reason) => println!(
            "skipped: tokenizer: {reason:#}\ntokens, estimated: one for each CJK character, one for four others"
        ),
    }
    let exact = counted.is_ok();
    let mut counts = counted.unwrap_or_else(|_| texts.iter().map(|text| estimate(text)).collect());
    let long = counts.pop().unwrap_or_default();
    println!("| tool | description | a usual result |\n|---|---|---|");
    for (name, pair) in names.iter().zip(counts.chunks(2)) {
        println!("| {name} | {} | {} |", pair.first().unwrap_or(&0), pair.get(1).unwrap_or(&0));
    }
    println!("| all | {} | |\n", counts.iter().step_by(2).sum::<usize>());
    println!(
        "get_toc of a made regulation of {PAGES} pages and {entries} chapters, default depth: {long} tokens\n"
    );
    ensure!(!exact || long <= TOC_BAR, "get_toc costs {long} tokens, more than {TOC_BAR}");
    Ok(())
}

/// The text content of a call's result.
fn result(pipe: &mut Pipe, tool: &str, arguments: &Value) -> Result<String> {
    let answer: Value = serde_json::from_str(&pipe.request(&call(tool, arguments))?)?;
    ensure!(answer["result"]["isError"] == false, "{tool}: {answer}");
    Ok(answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned())
}

/// The contents of a regulation of 150 pages: ten chapters of eight sections of five clauses, made as a Docling document,
/// which says for every line on which page it stands.
fn long_contents(program: &Path, folder: &Path) -> Result<(String, usize)> {
    let (chapters, sections) = (10, 8);
    let subjects =
        ["母线失压", "直流闭锁", "联络线过载", "低频减载", "安控装置投退", "无功电压", "黑启动", "继电保护"];
    let kinds = ["总体要求", "职责分工", "运行方式安排", "故障处置", "汇报与记录"];
    let total = chapters * sections * kinds.len();
    let mut lines: Vec<(String, usize, usize)> = Vec::new();
    for chapter in 0..chapters {
        for section in 0..sections {
            for (clause, kind) in kinds.iter().enumerate() {
                let number = (chapter * sections + section) * kinds.len() + clause;
                let page = 1 + number * PAGES / total;
                let subject = subjects[(chapter + section) % subjects.len()];
                if section + clause == 0 {
                    lines.push((format!("{} {subject}管理", chapter + 1), 1, page));
                }
                if clause == 0 {
                    let title = format!("{subject}的{}", subjects[(section + 3) % subjects.len()]);
                    lines.push((format!("{}.{} {title}运行规定", chapter + 1, section + 1), 2, page));
                }
                let heading = format!("{}.{}.{} {}", chapter + 1, section + 1, clause + 1, kind);
                lines.push((heading, 3, page));
                lines.push((
                    format!("{subject}时，值班调度员应在 {} 分钟内完成处置，并记录。", number % 50 + 5),
                    0,
                    page,
                ));
            }
        }
    }
    let texts: Vec<Value> = lines
        .iter()
        .enumerate()
        .map(|(index, (text, level, page))| {
            let place = json!([{ "page_no": page, "bbox": { "l": 72, "t": 780 - (index % 12) * 55, "r": 520, "b": 765 - (index % 12) * 55, "coord_origin": "BOTTOMLEFT" }, "charspan": [0, 0] }]);
            let label = if *level > 0 { "section_header" } else { "text" };
            json!({ "self_ref": format!("#/texts/{index}"), "label": label, "level": level.max(&1), "text": text, "orig": text, "prov": place })
        })
        .collect();
    let order: Vec<Value> =
        (0..lines.len()).map(|index| json!({ "$ref": format!("#/texts/{index}") })).collect();
    let pages: serde_json::Map<String, Value> = (1..=PAGES)
        .map(|page| (page.to_string(), json!({ "page_no": page, "size": { "width": 595, "height": 842 } })))
        .collect();
    let document = json!({
        "schema_name": "DoclingDocument", "version": "1.0.0", "name": "长规程", "pages": pages,
        "body": { "self_ref": "#/body", "children": order, "label": "unspecified" }, "texts": texts,
    });
    let (file, data) = (folder.join("long.json"), folder.join("long").display().to_string());
    fs::write(&file, document.to_string())?;
    let mut ingest = Command::new(program);
    ingest.args(["--quiet", "--data-dir", &data, "ingest", "--reg-id", "long_2024", "--file"]).arg(&file);
    quiet(&mut ingest)?;
    let mut pipe = Pipe::start(Command::new(program).args(["--data-dir", &data, "serve"]))?;
    let contents = result(&mut pipe, "get_toc", &json!({ "reg_id": "long_2024" }))?;
    let parsed: Value = serde_json::from_str(&contents)?;
    ensure!(parsed["total_pages"] == PAGES, "the made regulation has {} pages", parsed["total_pages"]);
    let tree: Value = serde_json::from_str(&result(
        &mut pipe,
        "get_chapter_structure",
        &json!({ "reg_id": "long_2024" }),
    )?)?;
    Ok((contents, tree["total"].as_u64().unwrap_or_default() as usize))
}

fn count_exactly(texts: &[String]) -> Result<Vec<usize>> {
    let node = clients::node()?;
    // The script must lie beside the packages it imports.
    let script = node.folder.join("tokens.mjs");
    fs::copy(root().join("xtask/clients/tokens.mjs"), &script)?;
    let mut child =
        node.run(&script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut input = child.stdin.take().context("no stdin")?;
    for text in texts {
        writeln!(input, "{}", json!(text))?;
    }
    drop(input);
    let output = child.wait_with_output()?;
    let counts: Vec<usize> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.parse().ok()).collect();
    ensure!(counts.len() == texts.len(), "the tokenizer counted {} of {}", counts.len(), texts.len());
    Ok(counts)
}

fn estimate(text: &str) -> usize {
    let wide = text.chars().filter(|c| *c >= '\u{2e80}').count();
    wide + (text.chars().count() - wide).div_ceil(4)
}

/// Arguments as an agent would give them.
fn usual(tool: &str, block: &Value) -> Value {
    match tool {
        "get_toc" | "get_chapter_structure" => json!({ "reg_id": "angui_2024" }),
        "smart_search" => json!({ "query": "母线失压怎么处理" }),
        "read_page_range" => json!({ "reg_id": "angui_2024", "start_page": 23, "end_page": 24 }),
        "search_tables" => json!({ "query": "天中直流 限额" }),
        "get_table_by_id" => json!({ "reg_id": "wengui_2024", "table_id": "表3-2" }),
        "lookup_annotation" => json!({ "reg_id": "wengui_2024", "annotation_id": "注1", "page_hint": 17 }),
        "search_annotations" => json!({ "reg_id": "wengui_2024", "pattern": "限额" }),
        "resolve_reference" => json!({ "reg_id": "angui_2024", "reference_text": "见第六章" }),
        "get_block_with_context" => json!({ "reg_id": "angui_2024", "block_id": block }),
        "read_chapter_content" => json!({ "reg_id": "angui_2024", "section_number": "6.1" }),
        "get_page_chapter_info" => json!({ "reg_id": "angui_2024", "page_num": 24 }),
        "find_similar_content" => json!({ "reg_id": "all", "query_text": "母线失压后的处置" }),
        "compare_sections" => {
            json!({ "reg_id": "angui_2023", "section_a": "2.1.4", "reg_id_b": "angui_2024" })
        }
        "verify_citation" => json!({ "reg_id": "angui_2024", "page_num": 24, "statement": "110kV 母线失压" }),
        "search_context" => json!({ "keywords": ["auth"] }),
        "list_changes" => json!({ "old": "angui_2023", "new": "angui_2024" }),
        "find_mentions" | "trace_impact" => json!({ "entity": "天中直流" }),
        _ => json!({}),
    }
}
