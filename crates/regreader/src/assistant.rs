//! The agent that the settings describe: model, tools on offer, budgets, and the end by Ctrl-C.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use regreader_agent::{Agent, AgentKind, AgentOptions, Budgets, Program, ToolClient};
use regreader_llm::{Cancel, ChatModel, Client, LlmConfig, Price, Secret, Streaming, ToolDefinition, Wire};
use regreader_tools::TOOLS;
use serde_json::json;

use crate::cli::agents::AgentArgs;
use crate::failure::Refusal;
use crate::settings::{DEFINITIONS, Layers, Origin, Settings};

/// Everything an agent needs except the documents.
pub struct Assistant {
    /// Which agent.
    pub kind: AgentKind,
    /// The model, when one is set.
    pub model: Option<Client>,
    /// Ends a turn.
    pub cancel: Cancel,
    /// A turn is under way.
    pub busy: Arc<AtomicBool>,
    tools: Vec<ToolDefinition>,
    options: AgentOptions,
}

impl Assistant {
    /// The assistant that settings and flags describe.
    pub fn new(settings: &Settings, layers: &Layers, args: &AgentArgs) -> anyhow::Result<Self> {
        let mut settings = settings.clone();
        if let Some(model) = &args.model {
            settings.llm_model_name.clone_from(model);
        }
        let kind = kind(&settings, args.agent.as_deref())?;
        let program = program(kind, &settings, layers, args)?;
        let model = if kind == AgentKind::Offline || program.is_some() { None } else { model(&settings)? };
        // Development documents are no regulations.
        let tools = TOOLS.iter().filter(|tool| tool.name != "search_context");
        let tools = tools.map(|tool| ToolDefinition {
            name: tool.name.to_owned(),
            description: tool.description.to_owned(),
            schema: tool.input_schema(),
        });
        let options = AgentOptions {
            regulations: args.reg_id.clone(),
            threshold: None,
            full: false,
            weights: None,
            lexicon: crate::engine::lexicon(&settings)?,
            budgets: Budgets {
                turns: settings.agent_max_turns.max(2),
                tool_calls: settings.agent_max_tool_calls,
                tokens: settings.agent_max_tokens,
                ..Budgets::default()
            },
            thinking_tokens: settings.llm_thinking_tokens,
            max_output_tokens: settings.llm_max_output_tokens.max(256),
            context_tokens: settings.llm_context_tokens.max(8_000),
            program,
        };
        Ok(Self {
            kind,
            model,
            cancel: Cancel::new(),
            busy: Arc::new(AtomicBool::new(true)),
            tools: tools.collect(),
            options,
        })
    }

    /// Holds it to these regulations.
    pub fn limit_to(&mut self, regulations: Vec<String>) {
        self.options.regulations = regulations;
    }

    /// The agent over these documents.
    pub fn agent<'a>(&'a self, client: &'a dyn ToolClient) -> Agent<'a> {
        Agent {
            kind: self.kind,
            client,
            model: self.model.as_ref().map(|model| model as &dyn ChatModel),
            tools: &self.tools,
            cancel: self.cancel.clone(),
            options: self.options.clone(),
        }
    }

    /// Whether a turn takes long enough to be ended.
    pub fn can_take_long(&self) -> bool {
        self.model.is_some() || self.options.program.is_some()
    }

    /// Lets Ctrl-C end the turn. Between turns, and again while a turn is ending, it ends the program.
    pub fn end_on_interrupt(&self) {
        let cancel = self.cancel.clone();
        let busy = Arc::clone(&self.busy);
        // A handler that cannot be set leaves Ctrl-C as it was.
        let _ = ctrlc::set_handler(move || {
            if cancel.is_cancelled() || !busy.load(Ordering::SeqCst) {
                std::process::exit(i32::from(crate::failure::INTERRUPTED));
            }
            cancel.cancel();
        });
    }
}

/// The agent by flag, by setting, or by whether there is a model.
fn kind(settings: &Settings, flag: Option<&str>) -> anyhow::Result<AgentKind> {
    let name = flag.unwrap_or(&settings.agent);
    if name == "auto" {
        return Ok(if settings.has_llm() { AgentKind::Typed } else { AgentKind::Offline });
    }
    AgentKind::from_str(name).map_err(|error| Refusal::usage(error, "regreader ask --agent offline …").into())
}

/// The `claude` program with this library's server, where the agent `claude` is to drive it.
fn program(
    kind: AgentKind,
    settings: &Settings,
    layers: &Layers,
    args: &AgentArgs,
) -> anyhow::Result<Option<Program>> {
    if kind != AgentKind::Claude || settings.claude_program.is_empty() {
        return Ok(None);
    }
    let server = if settings.mcp_url.is_empty() {
        // The program starts the server wherever it likes and hands on little of its environment: every setting that
        // somebody made goes along.
        let mut environment = serde_json::Map::new();
        for definition in DEFINITIONS {
            if let Some((value, origin)) = layers.text(definition.name)
                && origin != Origin::Default
            {
                environment.insert(definition.variable(), json!(value));
            }
        }
        let data = std::path::absolute(&settings.data_dir)?;
        json!({
            "type": "stdio", "command": std::env::current_exe()?, "env": environment,
            "args": ["--quiet", "--data-dir", data, "serve", "--transport", "stdio"],
        })
    } else {
        let mut server = json!({ "type": "http", "url": regreader_mcp::endpoint(&settings.mcp_url) });
        if !settings.mcp_token.is_empty() {
            server["headers"] = json!({ "Authorization": format!("Bearer {}", settings.mcp_token) });
        }
        server
    };
    // A path is meant from here; a name is looked for on the PATH.
    let mut command = PathBuf::from(&settings.claude_program);
    if command.components().count() > 1 {
        command = std::path::absolute(command)?;
    }
    Ok(Some(Program {
        command,
        server: Secret::new(server.to_string()),
        model: args.model.clone(),
        silence: Duration::from_secs(settings.llm_timeout_s.max(1)),
    }))
}

/// The model that the settings describe; none when none is set.
pub fn model(settings: &Settings) -> anyhow::Result<Option<Client>> {
    if !settings.has_llm() {
        return Ok(None);
    }
    let mut config =
        LlmConfig::new(&settings.llm_model_name, &settings.llm_base_url).key(&settings.llm_api_key);
    config.wire = match settings.llm_provider.as_str() {
        "anthropic" => Some(Wire::Anthropic),
        "openai" => Some(Wire::OpenAi),
        _ => None,
    };
    config.streaming = match settings.llm_stream.as_str() {
        "on" => Streaming::On,
        "off" => Streaming::Off,
        _ => Streaming::Auto,
    };
    for header in settings.llm_headers.split(';').filter(|header| !header.trim().is_empty()) {
        let Some((name, value)) = header.split_once(':') else {
            return Err(Refusal::usage(
                "llm_headers: a header has no `:`",
                "write `name: value; name: value`",
            )
            .into());
        };
        config.headers.push((name.trim().to_owned(), Secret::new(value.trim())));
    }
    if !settings.llm_price.trim().is_empty() {
        let price = Price::from_str(&settings.llm_price).map_err(|error| {
            Refusal::usage(format!("llm_price: {error}"), "for example `3, 15, 0.3, 3.75`")
        })?;
        config.price = Some(price);
    }
    config.proxy = Secret::new(&settings.llm_proxy);
    config.silence = Duration::from_secs(settings.llm_timeout_s.max(1));
    config.attempts = settings.llm_attempts.max(1);
    config.backoff = Duration::from_millis(settings.llm_retry_ms);
    config.record = Settings::optional_path(&settings.llm_record).map(std::path::Path::to_owned);
    Ok(Some(Client::new(config)?))
}
