//! Tool results for a person.

use serde_json::Value;

use super::wording;
use crate::grid::{self, columns};
use crate::markdown;
use crate::output::Output;

/// Prints a result in the form that suits the tool.
pub fn print(out: &Output, tool: &str, result: &Value) -> anyhow::Result<()> {
    // Before anything is read: the edition may not be in force.
    if let Some(notice) = result["edition_notice"].as_str() {
        eprintln!("warning: {notice}");
    }
    match tool {
        "smart_search" => {
            selection(out, result);
            hits(out, &result["hits"])?;
            superseded(out, result, |group| hits(out, &group["hits"]))?;
        }
        "find_similar_content" => {
            hits(out, &result["hits"])?;
            superseded(out, result, |group| hits(out, &group["hits"]))?;
        }
        "search_tables" => {
            selection(out, result);
            tables(out, &result["tables"])?;
            superseded(out, result, |group| tables(out, &group["tables"]))?;
        }
        "get_toc" => toc(out, result)?,
        "read_page_range" | "read_chapter_content" => {
            out.line(out.dim(text(&result["source"])))?;
            markdown::print(out, text(&result["content_markdown"]))?;
        }
        "get_table_by_id" => table(out, result)?,
        "lookup_annotation" => annotation(out, result)?,
        "search_annotations" => list(&result["annotations"]).try_for_each(|note| annotation(out, note))?,
        "resolve_reference" if result["resolved"] == true => {
            out.line(out.bold(text(&result["title"])))?;
            out.line(text(&result["location"]["citation"]))?;
            out.line(text(&result["preview"]))?;
        }
        "resolve_reference" => {
            out.line(format!("“{}”可能指以下几处：", text(&result["reference_text"])))?;
            for candidate in list(&result["candidates"]) {
                let citation = text(&candidate["location"]["citation"]);
                out.line(format!("  {} {citation}", text(&candidate["title"])))?;
            }
            out.hint("写明所在的表或章节（表6-2 注1、附录B 第13条），或用 --page 给出引用所在的页");
        }
        "get_block_with_context" => blocks(out, result)?,
        "get_chapter_structure" => structure(out, result)?,
        super::request::WHOLE_CONTENTS => contents(out, result)?,
        "get_page_chapter_info" => list(&result["active_chapters"]).try_for_each(|node| {
            out.line(format!(
                "{} {} (P{})",
                text(&node["section_number"]),
                text(&node["title"]),
                range(&node["page_range"])
            ))
        })?,
        "compare_sections" => comparison(out, result)?,
        "verify_citation" => verdict(out, result)?,
        "get_tool_guide" => guide(out, result)?,
        _ => out.json(result)?,
    }
    for notice in list(&result["notices"]) {
        eprintln!("warning: {}", text(notice));
    }
    if let Some(next) = result["next"].as_str() {
        out.hint(wording::for_people(next));
    }
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn joined(value: &Value, separator: &str) -> String {
    list(value).map(text).collect::<Vec<_>>().join(separator)
}

fn range(value: &Value) -> String {
    match (value[0].as_u64(), value[1].as_u64()) {
        (Some(start), Some(end)) if start == end => start.to_string(),
        (Some(start), Some(end)) => format!("{start}–{end}"),
        _ => String::new(),
    }
}

/// Which regulations were chosen and why, on stderr: it is not the result.
fn selection(out: &Output, result: &Value) {
    let selection = &result["selection"];
    if selection.is_null() {
        return;
    }
    if selection["fell_back"] == true {
        out.note(out.dim("没有特别匹配的规程，检索全部"));
        return;
    }
    for chosen in list(&selection["chosen"]) {
        let reasons = joined(&chosen["reasons"], "；");
        out.note(out.dim(&format!("选择 {}: {reasons}", text(&chosen["reg_id"]))));
    }
}

/// What editions say that are not in force: apart from the rest, each under its warning.
fn superseded(
    out: &Output,
    result: &Value,
    print: impl Fn(&Value) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for group in list(&result["superseded"]) {
        out.line(out.bold(&format!("⚠ {}", text(&group["warning"]))))?;
        print(group)?;
    }
    Ok(())
}

/// Hits grouped by regulation, groups in the order of their best hit.
fn hits(out: &Output, hits: &Value) -> anyhow::Result<()> {
    let mut groups: Vec<(&str, Vec<&Value>)> = Vec::new();
    for hit in list(hits) {
        let reg_id = text(&hit["reg_id"]);
        match groups.iter_mut().find(|(known, _)| *known == reg_id) {
            Some((_, group)) => group.push(hit),
            None => groups.push((reg_id, vec![hit])),
        }
    }
    if groups.is_empty() {
        out.note("未找到相关内容");
    }
    for (reg_id, group) in groups {
        out.line(out.bold(&format!("■ {reg_id}")))?;
        for hit in group {
            let table = hit["table_id"].as_str().map(|id| format!(" [{id}]")).unwrap_or_default();
            let path = joined(&hit["chapter_path"], " › ");
            let score = hit["score"].as_f64().unwrap_or_default();
            out.line(format!("  P{}  {path}{table}  {}", hit["page_num"], out.dim(&format!("{score:.3}"))))?;
            snippet(out, text(&hit["snippet"]))?;
        }
    }
    Ok(())
}

fn tables(out: &Output, tables: &Value) -> anyhow::Result<()> {
    if list(tables).next().is_none() {
        out.note("未找到相关表格");
    }
    for table in list(tables) {
        let caption = table["caption"].as_str().unwrap_or("（无标题）");
        let pages: Vec<String> = list(&table["pages"]).map(ToString::to_string).collect();
        out.line(out.bold(&format!("■ {} {} {caption}", text(&table["reg_id"]), text(&table["table_id"]))))?;
        out.line(format!(
            "  P{}  {} 行 × {} 列  {}",
            pages.join("、"),
            table["row_count"],
            table["col_count"],
            out.dim(&joined(&table["chapter_path"], " › ")),
        ))?;
        let rows: Vec<&Value> = list(&table["rows"]).collect();
        if rows.is_empty() {
            snippet(out, text(&table["snippet"]))?;
            continue;
        }
        let mut header = vec!["页".to_owned()];
        header.extend(list(&table["col_headers"]).map(|cell| text(cell).to_owned()));
        let cells = |row: &&Value| {
            let mut cells = vec![format!("P{}", row["page_num"])];
            cells.extend(list(&row["cells"]).map(|cell| text(cell).to_owned()));
            cells
        };
        let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
        for line in grid::draw(&header, &cells, out.width().saturating_sub(2)) {
            out.line(format!("  {line}"))?;
        }
        // Rows of one table were picked by the same rules.
        if let Some(why) = rows.first().map(|row| text(&row["matched_by"])).filter(|why| !why.is_empty()) {
            out.line(format!("  {}", out.dim(&format!("依据: {why}"))))?;
        }
    }
    Ok(())
}

/// What was found of a table: the rows that fit best under their header, and words around them.
fn snippet(out: &Output, snippet: &str) -> anyhow::Result<()> {
    const INDENT: &str = "      ";
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    for line in snippet.lines() {
        match grid::markdown_row(line) {
            // Marks would count as width and be cut in two by a line break.
            Some(cells) => rows.push(cells.iter().map(|cell| cell.replace("**", "")).collect()),
            None => words.push(line),
        }
    }
    for line in words {
        out.line(format!("{INDENT}{}", out.marked(line)))?;
    }
    let Some((header, rows)) = rows.split_first() else { return Ok(()) };
    for line in grid::draw(header, rows, out.width().saturating_sub(INDENT.len())) {
        out.line(format!("{INDENT}{line}"))?;
    }
    Ok(())
}

fn toc(out: &Output, result: &Value) -> anyhow::Result<()> {
    out.line(out.bold(&format!("{}（共 {} 页）", text(&result["title"]), result["total_pages"])))?;
    let mut stack: Vec<(usize, &Value)> = list(&result["items"]).map(|item| (0, item)).collect();
    stack.reverse();
    while let Some((depth, item)) = stack.pop() {
        let hidden =
            item["children_count"].as_u64().unwrap_or(0) > 0 && list(&item["children"]).next().is_none();
        let more = if hidden { format!(" (+{})", item["children_count"]) } else { String::new() };
        out.line(format!(
            "{}{} {}  {}",
            "  ".repeat(depth),
            text(&item["section_number"]),
            text(&item["title"]),
            out.dim(&format!("P{}{more}", range(&item["page_range"]))),
        ))?;
        let children: Vec<&Value> = list(&item["children"]).collect();
        stack.extend(children.into_iter().rev().map(|child| (depth + 1, child)));
    }
    Ok(())
}

fn table(out: &Output, result: &Value) -> anyhow::Result<()> {
    out.line(out.bold(result["caption"].as_str().unwrap_or("（无标题）")))?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut header: Vec<String> = vec!["页".to_owned()];
    header.extend(list(&result["col_headers"]).map(|cell| text(cell).to_owned()));
    for row in list(&result["rows"]) {
        let mut cells = vec![format!("P{}", row["page_num"])];
        cells.extend(list(&row["cells"]).map(|cell| text(cell).to_owned()));
        rows.push(cells);
    }
    for line in grid::draw(&header, &rows, out.width()) {
        out.line(line)?;
    }
    for note in list(&result["notes"]) {
        out.line(format!(
            "{}：{}（P{}）",
            text(&note["annotation_id"]),
            text(&note["content"]),
            note["page_num"]
        ))?;
    }
    out.line(out.dim(text(&result["source"])))
}

fn annotation(out: &Output, note: &Value) -> anyhow::Result<()> {
    out.line(format!(
        "{}：{}  {}",
        out.bold(text(&note["annotation_id"])),
        text(&note["content"]),
        text(&note["source"])
    ))?;
    let others = joined(&note["others"], "；");
    if !others.is_empty() {
        out.hint(format!("另有同名注释: {others}（用 --page 或 --table 指定）"));
    }
    Ok(())
}

fn blocks(out: &Output, result: &Value) -> anyhow::Result<()> {
    for (number, block) in list(&result["blocks"]).enumerate() {
        let line =
            format!("P{} {} [{}]", block["page_num"], text(&block["block_id"]), text(&block["block_type"]));
        let here = result["index"].as_u64() == Some(number as u64);
        out.line(if here { out.bold(&format!("▶ {line}")) } else { out.dim(&line) })?;
        out.line(text(&block["content_markdown"]))?;
    }
    Ok(())
}

fn contents(out: &Output, result: &Value) -> anyhow::Result<()> {
    for node in list(&result["nodes"]) {
        let depth = node["level"].as_u64().unwrap_or(1).saturating_sub(1) as usize;
        let pages = out.dim(&format!("P{}", range(&node["page_range"])));
        let (number, title) = (text(&node["section_number"]), text(&node["title"]));
        out.line(format!("{}{number} {title}  {pages}", "  ".repeat(depth)))?;
    }
    Ok(())
}

fn structure(out: &Output, result: &Value) -> anyhow::Result<()> {
    for node in list(&result["nodes"]) {
        let depth = node["level"].as_u64().unwrap_or(1).saturating_sub(1) as usize;
        out.line(format!(
            "{}{} {}  {}",
            "  ".repeat(depth),
            text(&node["section_number"]),
            text(&node["title"]),
            out.dim(&format!("P{} {}", range(&node["page_range"]), joined(&node["content_block_ids"], " "))),
        ))?;
    }
    Ok(())
}

fn comparison(out: &Output, result: &Value) -> anyhow::Result<()> {
    let side = |side: &Value| {
        format!(
            "{} {} {} (P{})",
            text(&side["reg_id"]),
            text(&side["section_number"]),
            text(&side["title"]),
            range(&side["page_range"])
        )
    };
    out.line(out.bold(&format!("{} ↔ {}", side(&result["a"]), side(&result["b"]))))?;
    out.line(format!("相同 {} 条", result["same"]))?;
    for change in list(&result["changed"]) {
        out.line(format!(
            "~ {} P{} → {} P{}",
            text(&change["a"]["section_number"]),
            change["a"]["page_num"],
            text(&change["b"]["section_number"]),
            change["b"]["page_num"]
        ))?;
        out.line(format!("    {}", text(&change["words"])))?;
    }
    for (mark, key) in [("-", "only_in_a"), ("+", "only_in_b")] {
        for clause in list(&result[key]) {
            out.line(format!(
                "{mark} {} P{} {}",
                text(&clause["section_number"]),
                clause["page_num"],
                text(&clause["text"])
            ))?;
        }
    }
    for table in list(&result["tables"]) {
        out.line(format!("表 {}", table["caption"].as_str().unwrap_or("（无标题）")))?;
        for cell in list(&table["cells"]) {
            out.line(format!(
                "    {} [{}]: {} (P{}) → {} (P{})",
                text(&cell["row"]),
                text(&cell["column"]),
                text(&cell["a"]),
                cell["page_a"],
                text(&cell["b"]),
                cell["page_b"],
            ))?;
        }
        for (mark, key) in [("-", "rows_only_in_a"), ("+", "rows_only_in_b")] {
            for row in list(&table[key]) {
                out.line(format!("    {mark} {} (P{})", joined(&row["cells"], " | "), row["page_num"]))?;
            }
        }
    }
    Ok(())
}

fn verdict(out: &Output, result: &Value) -> anyhow::Result<()> {
    let word = match (text(&result["verdict"]), text(&result["level"])) {
        ("supported", "verbatim") => "✓ 与原文逐字一致",
        ("supported", _) => "✓ 同一段落支持",
        ("found_elsewhere", _) => "✗ 未核实：不在该处，见他处",
        _ => "✗ 未核实：该处没有一个段落支持",
    };
    out.line(out.bold(word))?;
    if result["unseen_characters"] == true {
        out.line("  含有不可见字符")?;
    }
    for (name, key) in [("没有", "missing"), ("略去了", "left_out")] {
        list(&result[key]).try_for_each(|words| out.line(format!("  {name}: {}", text(words))))?;
    }
    if let Some(passage) = result["place"]["text"].as_str() {
        let name = if result["verdict"] == "supported" { "原文" } else { "最接近的原文" };
        out.line(format!("  {name}: {}", out.dim(passage)))?;
    }
    list(&result["elsewhere"]).try_for_each(|place| out.line(format!("  → {}", text(&place["citation"]))))
}

fn guide(out: &Output, result: &Value) -> anyhow::Result<()> {
    let rows: Vec<Vec<String>> = list(&result["tools"])
        .map(|tool| ["phase", "name", "title"].map(|key| text(&tool[key]).to_owned()).to_vec())
        .collect();
    for (line, tool) in columns(&rows).into_iter().zip(list(&result["tools"])) {
        out.line(line)?;
        out.line(format!("    {}", out.dim(text(&tool["description"]))))?;
    }
    for workflow in list(&result["workflows"]) {
        out.line(format!(
            "{}（{}）: {}",
            out.bold(text(&workflow["name"])),
            text(&workflow["when"]),
            joined(&workflow["steps"], " → ")
        ))?;
    }
    Ok(())
}
