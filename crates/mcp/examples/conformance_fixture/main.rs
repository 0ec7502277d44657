//! A server with the tools, resources and prompts that the MCP conformance suite expects, behind the same HTTP face as
//! the real one. Only `cargo xtask conformance` runs it; regulations have no place here.
//!
//! `cargo run -p regreader-mcp --example conformance_fixture -- PORT`

#![expect(
    deprecated,
    reason = "the suite tests sampling, logging and subscriptions, which the protocol is leaving behind"
)]

mod content;
mod rounds;

use std::sync::Arc;
use std::time::Duration;

use regreader_mcp::http::{HttpOptions, serve_fixture};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CompleteRequestParams,
    CompleteResult, CompletionInfo, ContentBlock, ErrorData, GetPromptRequestParams, GetPromptResponse,
    JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    LoggingLevel, LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, ServerRequest,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::broadcast;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::args().nth(1).map_or(Ok(0), |port| port.parse())?;
    let options = HttpOptions { port, requests_per_second: 0, ..HttpOptions::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve_fixture(Fixture::new(), options, |address| {
        eprintln!("listening on http://{address}/mcp");
    }))?;
    Ok(())
}

#[derive(Clone)]
struct Fixture {
    /// Tells open subscriptions which list has changed.
    changes: broadcast::Sender<Change>,
}

#[derive(Clone, Copy)]
enum Change {
    Tools,
    Prompts,
}

impl Fixture {
    fn new() -> Self {
        Self { changes: broadcast::channel(16).0 }
    }

    fn changed(&self, change: Change) -> CallToolResult {
        // Nobody may be listening.
        let _ = self.changes.send(change);
        text("changed")
    }
}

type Context = RequestContext<RoleServer>;

/// Names and arguments of the tools.
const TOOLS: [(&str, &[&str]); 27] = [
    ("test_simple_text", &[]),
    ("test_image_content", &[]),
    ("test_audio_content", &[]),
    ("test_embedded_resource", &[]),
    ("test_multiple_content_types", &[]),
    ("test_tool_with_logging", &[]),
    ("test_logging_tool", &[]),
    ("test_error_handling", &[]),
    ("test_tool_with_progress", &[]),
    ("test_sampling", &["prompt"]),
    ("test_elicitation", &["message"]),
    ("test_elicitation_sep1034_defaults", &[]),
    ("test_elicitation_sep1330_enums", &[]),
    ("test_missing_capability", &[]),
    ("test_trigger_tool_change", &[]),
    ("test_trigger_prompt_change", &[]),
    ("test_custom_header", &["region"]),
    ("json_schema_2020_12_tool", &[]),
    ("test_streaming_elicitation", &[]),
    ("test_input_required_result_elicitation", &[]),
    ("test_input_required_result_sampling", &[]),
    ("test_input_required_result_list_roots", &[]),
    ("test_input_required_result_request_state", &[]),
    ("test_input_required_result_multiple_inputs", &[]),
    ("test_input_required_result_multi_round", &[]),
    ("test_input_required_result_tampered_state", &[]),
    ("test_input_required_result_capabilities", &[]),
];

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            TOOLS.iter().map(|(name, arguments)| tool(name, arguments)).collect(),
        ))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.iter().find(|(known, _)| *known == name).map(|(name, arguments)| tool(name, arguments))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // What a subscription did not ask for is refused by its sink, which is what is wanted.
            let _ = match change {
                Ok(Change::Tools) => subscription.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => subscription.sink().notify_prompt_list_changed().await,
                Err(broadcast::error::RecvError::Lagged(_)) => continue,
                Err(broadcast::error::RecvError::Closed) => return Ok(()),
            };
        }
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name.starts_with("test_input_required_result_")
            || request.name == "test_streaming_elicitation"
        {
            return rounds::call(&request, &context);
        }
        let argument = |name: &str| {
            request.arguments.as_ref().and_then(|all| all.get(name)?.as_str()).unwrap_or_default()
        };
        let result = match request.name.as_ref() {
            "test_simple_text" => text("This is a simple text response for testing."),
            "test_image_content" => CallToolResult::success(vec![content::image()]),
            "test_audio_content" => CallToolResult::success(vec![content::audio()]),
            "test_embedded_resource" => CallToolResult::success(vec![content::embedded()]),
            "test_multiple_content_types" => CallToolResult::success(content::mixed()),
            "test_error_handling" => CallToolResult::error(vec![ContentBlock::text(
                "This tool intentionally returns an error for testing",
            )]),
            "test_tool_with_logging" | "test_logging_tool" => log(&context).await,
            "test_tool_with_progress" => progress(&context).await,
            "test_trigger_tool_change" => self.changed(Change::Tools),
            "test_trigger_prompt_change" => self.changed(Change::Prompts),
            "test_custom_header" => text(argument("region")),
            "json_schema_2020_12_tool" => text("ok"),
            "test_missing_capability" => {
                let needed = ClientCapabilities::builder().enable_sampling().build();
                if context.client_capabilities().is_none_or(|declared| declared.sampling.is_none()) {
                    return Err(ErrorData::missing_required_client_capability(needed));
                }
                text("sampling is declared")
            }
            "test_sampling" => {
                let content = json!({ "type": "text", "text": argument("prompt") });
                let params =
                    json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": 100 });
                let answer = ask(&context, "sampling/createMessage", params).await?;
                text(&format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default()))
            }
            "test_elicitation" => elicit(&context, argument("message"), content::username()).await?,
            "test_elicitation_sep1034_defaults" => elicit(&context, "Defaults", content::defaults()).await?,
            "test_elicitation_sep1330_enums" => elicit(&context, "Choices", content::enums()).await?,
            _ => return Err(ErrorData::invalid_params("unknown tool", None)),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(content::resources()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(content::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        content::read(&request.uri).map(Into::into).ok_or_else(|| {
            ErrorData::resource_not_found("no such resource", Some(json!({ "uri": request.uri })))
        })
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(content::prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == "test_input_required_result_prompt" {
            return rounds::prompt(&request);
        }
        let arguments = request.arguments.unwrap_or_default();
        content::prompt(&request.name, &arguments)
            .map(Into::into)
            .ok_or_else(|| ErrorData::invalid_params("no such prompt", None))
    }

    async fn complete(&self, _: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        let values = vec!["paris".to_owned(), "park".to_owned(), "party".to_owned()];
        Ok(CompletionInfo::with_all_values(values).map(CompleteResult::new).unwrap_or_default())
    }
}

fn tool(name: &'static str, arguments: &[&str]) -> Tool {
    if name == "json_schema_2020_12_tool" {
        return Tool::new(name, "Tool with JSON Schema 2020-12 features", Arc::new(content::modern_schema()));
    }
    let properties: JsonObject =
        arguments.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(arguments));
    if name == "test_custom_header" {
        schema["properties"]["region"]["x-mcp-header"] = json!("Region");
    }
    Tool::new(name, format!("Conformance fixture {name}"), Arc::new(schema))
}

fn text(words: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(words)])
}

/// Three log messages, if the client may hear them.
async fn log(context: &Context) -> CallToolResult {
    // Requests of the sessionless protocol hear logs only when they ask.
    let silent = context.meta.protocol_version().is_some()
        && !context.meta.0.0.contains_key("io.modelcontextprotocol/logLevel");
    for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        if !silent {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(words));
            let _ = context.peer.notify_logging_message(message).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    text("logged")
}

async fn progress(context: &Context) -> CallToolResult {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let report = ProgressNotificationParam::new(token, done).with_total(100.0);
            let _ = context.peer.notify_progress(report).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    text("done")
}

/// A request to the client, as plain JSON both ways.
async fn ask(context: &Context, method: &str, params: Value) -> Result<Value, ErrorData> {
    let wrong = |error: String| ErrorData::internal_error(error, None);
    let request: ServerRequest = serde_json::from_value(json!({ "method": method, "params": params }))
        .map_err(|error| wrong(error.to_string()))?;
    let answer = context.peer.send_request(request).await.map_err(|error| wrong(error.to_string()))?;
    serde_json::to_value(answer).map_err(|error| wrong(error.to_string()))
}

async fn elicit(context: &Context, message: &str, schema: Value) -> Result<CallToolResult, ErrorData> {
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let answer = ask(context, "elicitation/create", params).await?;
    let action = answer["action"].as_str().unwrap_or_default();
    Ok(text(&format!("Elicitation completed: action={action}, content={}", answer["content"])))
}
