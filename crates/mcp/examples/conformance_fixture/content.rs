//! The fixture's content: words, a pixel, a silent sound, schemas, resources and prompts, as the suite prescribes them.

use rmcp::model::{
    ContentBlock, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, ReadResourceResult,
    Resource, ResourceContents, ResourceTemplate, Role,
};
use serde_json::{Value, json};

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound of no length.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

pub fn image() -> ContentBlock {
    block(json!({ "type": "image", "data": PNG, "mimeType": "image/png" }))
}

pub fn audio() -> ContentBlock {
    block(json!({ "type": "audio", "data": WAV, "mimeType": "audio/wav" }))
}

pub fn embedded() -> ContentBlock {
    resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
}

pub fn mixed() -> Vec<ContentBlock> {
    vec![
        ContentBlock::text("Multiple content types test:"),
        image(),
        resource("test://mixed-content-resource", "application/json", "{\"test\":\"data\",\"value\":123}"),
    ]
}

fn resource(uri: &str, mime_type: &str, text: &str) -> ContentBlock {
    block(json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime_type, "text": text } }))
}

fn block(value: Value) -> ContentBlock {
    serde_json::from_value(value).unwrap_or_else(|error| ContentBlock::text(error.to_string()))
}

pub fn username() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    })
}

pub fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
        "required": [],
    })
}

pub fn enums() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = |word: &str| {
        json!([
            { "const": "value1", "title": format!("First {word}") },
            { "const": "value2", "title": format!("Second {word}") },
            { "const": "value3", "title": format!("Third {word}") },
        ])
    };
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": plain },
            "titledSingle": { "type": "string", "oneOf": titled("Option") },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
        },
        "required": [],
    })
}

/// Keywords that a server must hand on as they are.
pub fn modern_schema() -> JsonObject {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    });
    let Value::Object(schema) = schema else { return JsonObject::new() };
    schema
}

pub fn resources() -> Vec<Resource> {
    [
        ("test://static-text", "text/plain"),
        ("test://static-binary", "image/png"),
        ("test://watched-resource", "text/plain"),
    ]
    .into_iter()
    .map(|(uri, mime_type)| {
        Resource::new(uri, uri).with_description("Conformance fixture").with_mime_type(mime_type)
    })
    .collect()
}

pub fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new("test://template/{id}/data", "template");
    vec![template.with_description("Conformance fixture").with_mime_type("application/json")]
}

pub fn read(uri: &str) -> Option<ReadResourceResult> {
    let contents = match uri {
        "test://static-text" => {
            ResourceContents::text("This is the content of the static text resource.", uri)
        }
        "test://static-binary" => {
            serde_json::from_value(json!({ "uri": uri, "mimeType": "image/png", "blob": PNG })).ok()?
        }
        "test://watched-resource" => ResourceContents::text("Watched.", uri),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
        }
    };
    Some(ReadResourceResult::new(vec![contents]))
}

pub fn prompts() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments = arguments
            .iter()
            .map(|name| PromptArgument::new(*name).with_description("test").with_required(true));
        Prompt::new(name, Some("Conformance fixture"), Some(arguments.collect()))
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt("test_input_required_result_prompt", &[]),
    ]
}

pub fn prompt(name: &str, arguments: &JsonObject) -> Option<GetPromptResult> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let says = |words: &str| PromptMessage::new_text(Role::User, words);
    let messages = match name {
        "test_simple_prompt" => vec![says("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            vec![says(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                argument("arg1"),
                argument("arg2")
            ))]
        }
        "test_prompt_with_embedded_resource" => {
            let embedded =
                resource(argument("resourceUri"), "text/plain", "Embedded resource content for testing.");
            vec![
                PromptMessage::new(Role::User, embedded),
                says("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => {
            vec![PromptMessage::new(Role::User, image()), says("Please analyze the image above.")]
        }
        _ => return None,
    };
    Some(GetPromptResult::new(messages))
}
