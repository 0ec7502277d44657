//! The tools as MCP describes them.

use std::sync::{Arc, LazyLock};

use regreader_messages::{interface, tools};
use regreader_tools::{TOOLS, ToolFailure, ToolSpec};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// Where the error's data stand in a result's `_meta`. Not in `structuredContent`: clients check that against the
/// output schema, also for errors.
pub const ERROR_META: &str = "regreader/error";

/// Every tool, described once.
pub static CATALOG: LazyLock<Vec<Tool>> = LazyLock::new(|| TOOLS.iter().map(describe).collect());

/// A tool by name.
pub fn find(name: &str) -> Option<&'static Tool> {
    CATALOG.iter().find(|tool| tool.name == name)
}

fn describe(spec: &ToolSpec) -> Tool {
    // The title also belongs into the annotations: older clients look there.
    let annotations = ToolAnnotations::with_title(spec.title)
        .read_only(true)
        .idempotent(true)
        .destructive(false)
        .open_world(false);
    Tool::new(spec.name, spec.description, object(spec.input_schema()))
        .with_title(spec.title)
        .with_raw_output_schema(object(spec.output_schema()))
        .with_annotations(annotations)
}

/// A schema as an object; MCP wants `type: object` at the top, also where a struct has no fields.
fn object(schema: Value) -> Arc<JsonObject> {
    let Value::Object(mut object) = schema else { return Arc::new(JsonObject::new()) };
    object.entry("type").or_insert_with(|| json!("object"));
    Arc::new(object)
}

/// A tool's refusal: `isError`, readable by a model, with the typed error in `_meta`.
pub fn failure(report: &ToolFailure) -> CallToolResult {
    let hint = report.hint.as_deref().unwrap_or(interface().say(tools::SEE_TOOLS));
    let text = tools::failed(&report.name, &report.message, hint);
    let mut meta = JsonObject::new();
    meta.insert(
        ERROR_META.to_owned(),
        json!({ "error": report.name, "message": report.message, "hint": hint }),
    );
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(MetaObject(meta)))
}
