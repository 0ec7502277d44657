//! Calls that need something from the client before they can be answered, in rounds.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, InputRequiredResult, InputResponses, PromptMessage, Role,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

pub fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let none = InputResponses::new();
    let given = request.input_responses.as_ref().unwrap_or(&none);
    let name = elicitation("What is your name?", "name", "string");
    match request.name.trim_start_matches("test_input_required_result_") {
        "elicitation" | "test_streaming_elicitation" => match accepted(given, "user_name", "name") {
            Some(name) => Ok(says(&format!("Hello, {name}!"))),
            None => required(&json!({ "user_name": name }), None),
        },
        "sampling" => match given.get("capital_question") {
            Some(answer) => Ok(says(&answer.to_string())),
            None => required(
                &json!({ "capital_question": sampling("What is the capital of France?", 100) }),
                None,
            ),
        },
        "list_roots" => match given.get("client_roots") {
            Some(roots) => Ok(says(&roots.to_string())),
            None => required(&json!({ "client_roots": roots() }), None),
        },
        "request_state" | "tampered_state" => match &request.request_state {
            None => required(
                &json!({ "confirm": elicitation("Please confirm", "ok", "boolean") }),
                Some("confirm"),
            ),
            Some(state) => {
                checked(state, "confirm")?;
                Ok(says("state-ok"))
            }
        },
        "multiple_inputs" => match &request.request_state {
            Some(state) if given.len() >= 3 => {
                checked(state, "several")?;
                Ok(says("all there"))
            }
            _ => {
                let asked = json!({
                    "user_name": name, "greeting": sampling("Generate a greeting", 50), "client_roots": roots(),
                });
                required(&asked, Some("several"))
            }
        },
        "multi_round" => match request.request_state.as_deref() {
            Some(state) if checked(state, "round 2").is_ok() => Ok(says("both rounds done")),
            Some(state) => {
                checked(state, "round 1")?;
                let step = elicitation("Step 2: What is your favorite color?", "color", "string");
                required(&json!({ "step2": step }), Some("round 2"))
            }
            None => {
                let step = elicitation("Step 1: What is your name?", "name", "string");
                required(&json!({ "step1": step }), Some("round 1"))
            }
        },
        "capabilities" => {
            let declared = context.client_capabilities().unwrap_or_default();
            let mut asked = json!({});
            if declared.elicitation.is_some() {
                asked["user_name"] = name;
            }
            if declared.sampling.is_some() {
                asked["greeting"] = sampling("Generate a greeting", 50);
            }
            required(&asked, None)
        }
        _ => Err(ErrorData::invalid_params("unknown tool", None)),
    }
}

pub fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let given = request.input_responses.as_ref().and_then(|given| accepted(given, "user_context", "context"));
    match given {
        Some(context) => {
            let message = PromptMessage::new_text(Role::User, format!("Use this context: {context}"));
            Ok(GetPromptResult::new(vec![message]).into())
        }
        None => {
            let asked = elicitation("What context should the prompt use?", "context", "string");
            Ok(input_required(&json!({ "user_context": asked }), None)?.into())
        }
    }
}

/// What somebody typed into a form, if they did.
fn accepted(given: &InputResponses, key: &str, field: &str) -> Option<String> {
    let answer = given.get(key)?;
    (answer["action"] == "accept").then_some(())?;
    answer["content"][field].as_str().map(str::to_owned)
}

fn elicitation(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    json!({ "method": "elicitation/create", "params": { "mode": "form", "message": message, "requestedSchema": schema } })
}

fn sampling(words: &str, max_tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": words } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": max_tokens } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

fn says(words: &str) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(words)]).into()
}

fn required(asked: &Value, state: Option<&str>) -> Result<CallToolResponse, ErrorData> {
    Ok(input_required(asked, state)?.into())
}

fn input_required(asked: &Value, state: Option<&str>) -> Result<InputRequiredResult, ErrorData> {
    let mut result = json!({ "resultType": "input_required", "inputRequests": asked });
    if let Some(state) = state {
        result["requestState"] = json!(format!("{state}.{:016x}", seal(state)));
    }
    serde_json::from_value(result).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// The state that a client brings back must be one that was given out.
fn checked(state: &str, expected: &str) -> Result<(), ErrorData> {
    let genuine = state == format!("{expected}.{:016x}", seal(expected));
    genuine.then_some(()).ok_or_else(|| ErrorData::invalid_params("requestState is not one of ours", None))
}

/// Keyed with this process's own random key.
fn seal(state: &str) -> u64 {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    KEY.hash_one(state)
}
