//! From what was typed to the tool's arguments.

use serde_json::{Value, json};

use super::super::Session;
use crate::cli::Command;
use crate::cli::tools::{DayArgs, RegulationArgs};
use crate::failure::Refusal;

/// Stands for every part of the chapter structure, one after another.
pub const WHOLE_CONTENTS: &str = "whole_contents";

/// The tool and its arguments.
#[expect(clippy::too_many_lines, reason = "one arm per command, nothing to share")]
pub fn of(session: &Session, command: Command) -> anyhow::Result<(&'static str, Value)> {
    let request = match command {
        Command::Search(args) => (
            "smart_search",
            on_day(
                json!({
                    "query": args.query,
                    "reg_id": regulations(&args.regulations),
                    "chapter_scope": args.chapter,
                    "block_types": (!args.types.is_empty()).then_some(args.types),
                    "section_number": args.section,
                    "limit": args.limit.unwrap_or(session.settings.search_top_k),
                }),
                &args.day,
            ),
        ),
        Command::SearchTables(args) => (
            "search_tables",
            on_day(
                json!({
                    "query": args.query,
                    "reg_id": regulations(&args.regulations),
                    "chapter_scope": args.chapter,
                    "search_mode": args.mode,
                    "limit": args.limit,
                    "conditions": conditions(&args.conditions)?,
                }),
                &args.day,
            ),
        ),
        // The tool cuts long contents for the sake of models; a person who wants all of them gets all.
        Command::Toc(args) if args.expand.as_deref() == Some("") => {
            (WHOLE_CONTENTS, on_day(json!({ "reg_id": args.reg_id }), &args.day))
        }
        Command::Toc(args) => (
            "get_toc",
            on_day(
                json!({ "reg_id": args.reg_id, "max_depth": args.level, "expand_section": args.expand }),
                &args.day,
            ),
        ),
        Command::ReadPages(args) => (
            "read_page_range",
            on_day(
                json!({
                    "reg_id": args.regulation.reg_id,
                    "start_page": args.start,
                    "end_page": args.end.unwrap_or(args.start),
                }),
                &args.day,
            ),
        ),
        Command::ReadChapter(args) => (
            "read_chapter_content",
            on_day(
                json!({
                    "reg_id": args.regulation.reg_id,
                    "section_number": args.section,
                    "include_children": !args.own_only,
                    "cursor": args.cursor,
                }),
                &args.day,
            ),
        ),
        Command::ChapterStructure(args) => {
            let arguments = json!({ "reg_id": args.reg_id, "include_blocks": args.include_blocks, "cursor": args.cursor });
            ("get_chapter_structure", on_day(arguments, &args.day))
        }
        Command::PageInfo(args) => {
            let arguments = json!({ "reg_id": args.regulation.reg_id, "page_num": args.page });
            ("get_page_chapter_info", on_day(arguments, &args.day))
        }
        Command::LookupAnnotation(args) => (
            "lookup_annotation",
            on_day(
                json!({
                    "reg_id": args.regulation.reg_id,
                    "annotation_id": args.label,
                    "page_hint": args.page,
                    "table_hint": args.table,
                }),
                &args.day,
            ),
        ),
        Command::SearchAnnotations(args) => (
            "search_annotations",
            on_day(
                json!({
                    "reg_id": args.regulation.reg_id,
                    "pattern": args.pattern,
                    "annotation_type": args.kind,
                }),
                &args.day,
            ),
        ),
        Command::GetTable(args) => (
            "get_table_by_id",
            on_day(
                json!({
                    "reg_id": args.regulation.reg_id,
                    "table_id": args.table,
                    "include_merged": !args.segment,
                }),
                &args.day,
            ),
        ),
        Command::ResolveReference(args) => (
            "resolve_reference",
            on_day(
                json!({ "reg_id": args.regulation.reg_id, "reference_text": args.text, "page_hint": args.page }),
                &args.day,
            ),
        ),
        Command::GetBlockContext(args) => (
            "get_block_with_context",
            on_day(
                json!({
                    "reg_id": args.regulation.reg_id,
                    "block_id": args.block_id,
                    "context_blocks": args.context,
                }),
                &args.day,
            ),
        ),
        Command::FindSimilar(args) => (
            "find_similar_content",
            on_day(
                json!({
                    "reg_id": regulations(&args.regulations).unwrap_or_else(|| json!("all")),
                    "query_text": args.text,
                    "source_block_id": args.block,
                    "limit": args.limit,
                }),
                &args.day,
            ),
        ),
        Command::CompareSections(args) => (
            "compare_sections",
            json!({
                "reg_id": args.regulation.reg_id,
                "section_a": args.section_a,
                "section_b": args.section_b,
                "reg_id_b": args.reg_b,
                "include_tables": !args.no_tables,
            }),
        ),
        Command::VerifyCitation(args) => (
            "verify_citation",
            json!({
                "reg_id": args.regulation.reg_id,
                "page_num": args.page,
                "statement": args.statement,
                "target": args.target,
            }),
        ),
        Command::McpTools(args) => ("get_tool_guide", json!({ "category": args.category })),
        other => anyhow::bail!("not a tool: {other:?}"),
    };
    Ok(request)
}

/// What `-r` and `--all` mean for a tool.
fn regulations(args: &RegulationArgs) -> Option<Value> {
    match args.reg_id.as_slice() {
        _ if args.all => Some(json!("all")),
        [] => None,
        [one] => Some(json!(one)),
        many => Some(json!(many)),
    }
}

fn conditions(pairs: &[String]) -> anyhow::Result<Vec<Value>> {
    let read = |pair: &String| match pair.split_once('=') {
        Some((column, value)) => Ok(json!({ "column": column.trim(), "value": value.trim() })),
        None => {
            Err(Refusal::usage(format!("`--where {pair}` has no `=`"), "write --where COLUMN=VALUE").into())
        }
    };
    pairs.iter().map(read).collect()
}

/// The arguments with the day, where one was given: a server of an earlier version does not know the name.
fn on_day(mut arguments: Value, day: &DayArgs) -> Value {
    if let Some(as_of) = &day.as_of {
        arguments["as_of"] = json!(as_of);
    }
    arguments
}
