//! One router for all transports: tools, resources, prompts and completions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use regreader_access::Caller;
use regreader_tools::{Step, ToolFailure, ToolSpec, Toolbox};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, ErrorData,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::desk::{Desk, Limits};
use crate::http::PeerAddress;
use crate::metrics::Metrics;
use crate::source::{CallRecord, Source};
use crate::{completions, prompts, resources, structured, tools};

/// The server. Cheap to clone; every connection has its own clone of the same.
#[derive(Clone)]
pub struct McpServer {
    desk: Arc<Desk>,
}

/// What a client reads when it connects.
const INSTRUCTIONS: &str = "规程检索与阅读。先用 list_regulations 了解规程库，get_toc 锁定章节，smart_search 或 search_tables 检索，\
read_page_range、read_chapter_content、get_table_by_id 读全文；“见注X”“见表X”“按第X条”用 lookup_annotation、resolve_reference 追踪；\
新旧版本的差别用 list_changes，涉及某设备的全部条款用 find_mentions、trace_impact；问某一天适用的规定时各工具都给 as_of；\
答案的每句话都注明来源，用 verify_citation 核对。完整的回答规程见 prompt answer_question。";
/// A client that asked for progress hears from a long call so often.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// Arguments longer than this are cut in the record of a call.
const RECORDED_CHARS: usize = 500;

impl McpServer {
    /// A server over a source of toolboxes.
    pub fn new(source: impl Source, limits: Limits) -> Self {
        Self { desk: Arc::new(Desk::new(Arc::new(source), limits)) }
    }

    /// Opens the library in the background, ahead of the first call. Needs a running runtime.
    pub(crate) fn warm_up(&self) {
        self.desk.warm_up();
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.desk.metrics
    }

    /// Ends all running calls with an error, for a server that ends.
    pub(crate) fn stop(&self) -> CancellationToken {
        self.desk.stop.clone()
    }

    /// Runs something with the toolbox for a request that is no tool call.
    async fn with_toolbox<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Toolbox) -> Result<T, ToolFailure> + Send + 'static,
    ) -> Result<T, ToolFailure> {
        let _running = self.desk.metrics.begin();
        self.desk.run(&context.ct, None, move |toolbox, _| work(toolbox)).await
    }

    async fn call(
        &self,
        tool: &'static str,
        arguments: Value,
        context: &RequestContext<RoleServer>,
        said: Option<mpsc::UnboundedSender<Step>>,
    ) -> Result<String, ToolFailure> {
        let _running = self.desk.metrics.begin();
        let started = Instant::now();
        let caller = caller(context);
        let mut record = CallRecord {
            tool: tool.to_owned(),
            arguments: arguments.to_string().chars().take(RECORDED_CHARS).collect(),
            reg_ids: named_regulations(&arguments),
            caller,
            outcome: String::new(),
            elapsed: Duration::ZERO,
        };
        let result = self
            .desk
            .run_tool(tool, &context.ct, said, move |toolbox, source| {
                let result = toolbox.call_json(tool, arguments).map_err(|error| error.report());
                outcome(&result).clone_into(&mut record.outcome);
                record.elapsed = started.elapsed();
                source.record(&record);
                result
            })
            .await;
        self.desk.metrics.called(tool, outcome(&result), started.elapsed());
        result
    }

    /// The same for a client that wants to hear how the call gets on: at its beginning, with every step that the tool
    /// tells, at every beat of a long silence, at its end.
    async fn call_telling(
        &self,
        spec: &ToolSpec,
        arguments: Value,
        context: &RequestContext<RoleServer>,
        mut progress: Progress,
    ) -> Result<String, ToolFailure> {
        let (said, mut hears) = mpsc::unbounded_channel();
        let working = || Step { doing: format!("{} …", spec.title), done: 0, total: 0 };
        let call = self.call(spec.name, arguments, context, Some(said));
        tokio::pin!(call);
        progress.tell(working()).await;
        let mut beat = tokio::time::interval(HEARTBEAT);
        beat.tick().await;
        let result = loop {
            tokio::select! {
                // What was told before the result belongs before it.
                biased;
                Some(step) = hears.recv() => progress.tell(step).await,
                result = &mut call => break result,
                _ = beat.tick() => progress.tell(working()).await,
            }
        };
        while let Ok(step) = hears.try_recv() {
            progress.tell(step).await;
        }
        progress.end().await;
        result
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("regreader", env!("CARGO_PKG_VERSION"))
                    .with_title("RegReader 规程阅读器"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::CATALOG.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(spec) = regreader_tools::TOOLS.iter().find(|tool| tool.name == request.name) else {
            let unknown =
                regreader_tools::ToolError::UnknownTool { name: request.name.chars().take(80).collect() };
            return Err(invalid(&unknown.report()));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = match context.meta.get_progress_token() {
            Some(token) => {
                let progress = Progress::new(token, context.peer.clone());
                self.call_telling(spec, arguments, &context, progress).await
            }
            None => self.call(spec.name, arguments, &context, None).await,
        };
        Ok(match result {
            Ok(json) => structured::result(json),
            Err(report) => tools::failure(&report),
        }
        .into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let listed =
            self.with_toolbox(&context, move |toolbox| resources::list(toolbox, cursor.as_deref())).await;
        listed.map_err(|report| invalid(&report))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.with_toolbox(&context, move |toolbox| resources::read(toolbox, &request.uri)).await;
        match read {
            Ok(result) => Ok(result.into()),
            Err(report) => {
                let data = serde_json::to_value(&report).ok();
                Err(ErrorData::resource_not_found(report.message, data))
            }
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let made = self
            .with_toolbox(&context, move |toolbox| {
                prompts::get(toolbox, &request.name, &request.arguments.unwrap_or_default())
            })
            .await;
        made.map(Into::into).map_err(|report| invalid(&report))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let done =
            self.with_toolbox(&context, move |toolbox| Ok(completions::complete(toolbox, &request))).await;
        done.map_err(|report| invalid(&report))
    }
}

/// Tells a client how a call gets on. The number only ever grows: by the parts that are done where a tool counts them,
/// by a little where it does not.
struct Progress {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    told: f64,
    total: f64,
}

/// By how much a report grows that counts nothing.
const A_LITTLE: f64 = 0.001;

impl Progress {
    fn new(token: ProgressToken, peer: Peer<RoleServer>) -> Self {
        Self { token, peer, told: 0.0, total: 0.0 }
    }

    async fn tell(&mut self, step: Step) {
        self.told = (self.told + A_LITTLE).max(step.done as f64);
        self.total = self.total.max(step.total as f64);
        self.send(step.doing).await;
    }

    /// The call is over.
    async fn end(&mut self) {
        self.told = (self.told + A_LITTLE).max(self.total.max(1.0));
        self.total = self.told;
        self.send(regreader_messages::tools::DONE.into()).await;
    }

    async fn send(&self, message: String) {
        let mut report = ProgressNotificationParam::new(self.token.clone(), self.told).with_message(message);
        if self.total > 0.0 {
            report = report.with_total(self.total.max(self.told));
        }
        // A client that has gone needs no progress.
        let _ = self.peer.notify_progress(report).await;
    }
}

/// A refusal of something that is no tool call: a protocol error that carries the typed error.
fn invalid(report: &ToolFailure) -> ErrorData {
    let message = match &report.hint {
        Some(hint) => format!("{}（{hint}）", report.message),
        None => report.message.clone(),
    };
    ErrorData::invalid_params(message, serde_json::to_value(report).ok())
}

fn outcome<T>(result: &Result<T, ToolFailure>) -> &str {
    result.as_ref().map_or_else(|report| report.name.as_str(), |_| "ok")
}

fn caller(context: &RequestContext<RoleServer>) -> String {
    let client = context.client_info().map_or_else(|| "?".to_owned(), |client| client.name);
    let client: String = client.chars().filter(|c| !c.is_control()).take(40).collect();
    let parts = context.extensions.get::<axum::http::request::Parts>();
    let Some(parts) = parts else { return client };
    let address = parts.extensions.get::<PeerAddress>().map(|PeerAddress(address)| address.ip());
    // The token's name is what the server knows; the client's name is what the client says.
    let name = parts.extensions.get::<Caller>().map_or(Caller::LOCAL, |caller| caller.name.as_str());
    match address {
        Some(address) => format!("{name} ({client}@{address})"),
        None => format!("{name} ({client})"),
    }
}

/// The regulations that a call names, however it does.
fn named_regulations(arguments: &Value) -> Vec<String> {
    let mut named = Vec::new();
    for key in ["reg_id", "reg_id_b"] {
        match &arguments[key] {
            Value::String(one) => named.push(one.chars().take(64).collect()),
            Value::Array(many) => {
                named.extend(
                    many.iter().filter_map(Value::as_str).take(16).map(|id| id.chars().take(64).collect()),
                );
            }
            _ => {}
        }
    }
    named
}
