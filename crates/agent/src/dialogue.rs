//! One question's exchange with a model: turns, tool calls, budgets, the loop breaker, and a context that fits.

use std::collections::HashMap;

use regreader_llm::{
    ChatModel, ChatRequest, ChatResponse, Delta, Message, Part, Role, ToolCall, ToolChoice, ToolDefinition,
    Usage,
};
use regreader_messages::agents;
use regreader_tools::{Gist, TOOLS, Tool, arguments_of, read_result};
use serde_json::{Value, json};

use crate::agent::{Agent, AgentError};
use crate::check::{Checked, settled, unread};
use crate::prompt::fence;
use crate::{Conversation, Event, Memory, Outcome, Reply};

/// Most characters of one tool result that a model sees.
const MAX_RESULT: usize = 40_000;
/// The newest messages, which compaction leaves alone.
const RECENT: usize = 4;

/// What is heard while a model speaks.
pub enum Heard<'t> {
    /// More text.
    Text(&'t str),
    /// All text of this turn so far is void.
    Restart,
}

/// A listener: it may report events itself.
pub type Listener<'l> = dyn FnMut(&Heard<'_>, &mut dyn FnMut(Event)) + 'l;

/// Answers a call itself, with what the model is to read and whether that is an error; none leaves it to the tools.
pub type Special<'s> = dyn FnMut(&ToolCall) -> Result<Option<(String, bool)>, AgentError> + 's;

/// An exchange under way.
pub struct Dialogue<'a, 'r> {
    agent: &'a Agent<'a>,
    model: &'a dyn ChatModel,
    report: &'r mut dyn FnMut(Event),
    memory: &'r mut Memory,
    system: String,
    /// Everything said so far.
    pub messages: Vec<Message>,
    /// Calls of tools.
    pub calls: u32,
    /// Which budget is spent; from then on no tool is called any more.
    pub stopped: Option<String>,
    /// The tools were called before a checkpoint, in another process.
    pub resumed: bool,
    turns: u32,
    usage: Usage,
    seen: HashMap<String, u32>,
    /// Size of the context as the model last reported it.
    context: u64,
}

impl<'a, 'r> Dialogue<'a, 'r> {
    /// Begins with the history, what is remembered of earlier reading, and the question.
    pub fn new(
        agent: &'a Agent<'a>,
        model: &'a dyn ChatModel,
        system: String,
        question: &str,
        conversation: &'r mut Conversation,
        report: &'r mut dyn FnMut(Event),
    ) -> Self {
        let mut messages: Vec<Message> = Vec::new();
        for turn in &conversation.history {
            let message =
                if turn.from_user { Message::user(&turn.text) } else { Message::assistant(&turn.text) };
            messages.push(message);
        }
        // A history cut at its bound may begin with an answer, which no model accepts.
        while messages.first().is_some_and(|message| message.role == Role::Assistant) {
            messages.remove(0);
        }
        messages.push(Message::user(opening(question, &conversation.memory)));
        Self {
            agent,
            model,
            report,
            memory: &mut conversation.memory,
            system,
            messages,
            calls: 0,
            stopped: None,
            resumed: false,
            turns: 0,
            usage: Usage::default(),
            seen: HashMap::new(),
            context: 0,
        }
    }

    /// Reports an event.
    pub fn report(&mut self, event: Event) {
        (self.report)(event);
    }

    /// Whether only the answer may follow: a budget is spent.
    pub fn must_conclude(&mut self) -> bool {
        let budgets = &self.agent.options.budgets;
        let spent = if self.turns + 1 >= budgets.turns {
            Some(agents::turns_spent(budgets.turns))
        } else if self.calls >= budgets.tool_calls {
            Some(agents::calls_spent(budgets.tool_calls))
        } else if self.usage.total() >= budgets.tokens {
            Some(agents::tokens_spent(budgets.tokens))
        } else {
            None
        };
        if self.stopped.is_none()
            && let Some(reason) = spent
        {
            self.stop(reason);
        }
        self.stopped.is_some()
    }

    /// Whether not even an answer can be asked for any more.
    pub fn is_over(&self) -> bool {
        self.turns >= self.agent.options.budgets.turns + 2
    }

    fn stop(&mut self, reason: String) {
        self.report(Event::Notice { text: agents::answers_from_read(&reason) });
        self.stopped = Some(reason);
    }

    /// One turn of the model. Its message joins the conversation.
    pub fn turn(
        &mut self,
        tools: &[ToolDefinition],
        tool_choice: ToolChoice,
        listener: &mut Listener<'_>,
    ) -> Result<ChatResponse, AgentError> {
        self.compact(tools);
        self.turns += 1;
        let request = ChatRequest {
            system: self.system.clone(),
            messages: self.messages.clone(),
            tools: tools.to_vec(),
            tool_choice,
            max_output_tokens: self.agent.options.max_output_tokens,
            thinking_tokens: self.agent.options.thinking_tokens,
        };
        let report = &mut *self.report;
        let response = self.model.chat(&request, &self.agent.cancel, &mut |delta| match delta {
            Delta::Text(text) => listener(&Heard::Text(&text), report),
            Delta::Thinking(_) => {}
            Delta::Restart { reason } => {
                report(Event::Notice { text: agents::retries(reason) });
                listener(&Heard::Restart, report);
            }
        })?;
        self.usage += response.usage;
        self.context = response.usage.context_tokens() + response.usage.output_tokens;
        for part in &response.parts {
            if let Part::Thinking { text, .. } = part
                && !text.trim().is_empty()
            {
                (self.report)(Event::Thinking { text: text.trim().to_owned() });
            }
        }
        let mut parts = response.parts.clone();
        if parts.iter().all(|part| matches!(part, Part::Thinking { .. })) {
            // An empty message is refused by every provider.
            parts.push(Part::Text { text: "（空）".to_owned() });
        }
        self.messages.push(Message { role: Role::Assistant, parts });
        Ok(response)
    }

    /// Runs the tools that a response calls, all of them, and hands the results back. `special` may answer a call itself.
    pub fn run_tools(
        &mut self,
        response: &ChatResponse,
        special: &mut Special<'_>,
    ) -> Result<(), AgentError> {
        let mut results = Vec::new();
        for call in response.tool_calls() {
            if self.agent.cancel.is_cancelled() {
                return Err(AgentError::Interrupted);
            }
            let (content, is_error) = match special(call)? {
                Some(answered) => answered,
                None => self.run_tool(call),
            };
            results.push(Part::ToolResult { id: call.id.clone(), content, is_error });
        }
        self.messages.push(Message { role: Role::User, parts: results });
        Ok(())
    }

    /// Calls a tool for the agent itself. None when what it asks for is not there.
    pub fn fetch<T: Tool>(&mut self, request: &T) -> Result<Option<T::Response>, AgentError> {
        if self.agent.cancel.is_cancelled() {
            return Err(AgentError::Interrupted);
        }
        self.calls += 1;
        let (tool, arguments) = (T::NAME.to_owned(), arguments_of(request));
        self.report(Event::ToolCall { tool: tool.clone(), arguments: arguments.clone() });
        let result = self.agent.client.call_json(T::NAME, arguments).and_then(read_result::<T>);
        let (ok, summary) = match &result {
            Ok(response) => {
                let gist = T::gist(response);
                self.memory.keep_result(&gist);
                (true, gist.summary)
            }
            Err(failure) => (false, failure.message.clone()),
        };
        self.report(Event::ToolResult { tool, ok, summary });
        match result {
            Ok(response) => Ok(Some(response)),
            Err(failure) if failure.is_not_found() || failure.name.starts_with("Invalid") => Ok(None),
            Err(failure) => Err(failure.into()),
        }
    }

    fn run_tool(&mut self, call: &ToolCall) -> (String, bool) {
        let arguments = call.malformed.as_ref().map_or_else(|| call.arguments.clone(), |raw| json!(raw));
        self.report(Event::ToolCall { tool: call.name.clone(), arguments });
        let result = self.try_tool(call);
        let (ok, summary) = match &result {
            Ok(value) => {
                let gist = gist(&call.name, value);
                self.memory.keep_result(&gist);
                (true, gist.summary)
            }
            Err(refused) => (false, refused.message().to_owned()),
        };
        self.report(Event::ToolResult { tool: call.name.clone(), ok, summary });
        match result {
            Ok(value) => (fence(&call.name, &readable(&value)), false),
            Err(Refused::Here(message)) => (message, true),
            // A tool's error names what the document holds instead: headings, captions, labels.
            Err(Refused::ByTool(message)) => (fence(&call.name, &message), true),
        }
    }

    /// Calls a tool, or says why not; either is for the model to read.
    fn try_tool(&mut self, call: &ToolCall) -> Result<Value, Refused> {
        if let Some(raw) = &call.malformed {
            let shown: String = raw.chars().take(120).collect();
            return Err(Refused::Here(format!("参数不是 JSON 对象: {shown}。请用合法的 JSON 对象重新调用")));
        }
        if !self.agent.tools.iter().any(|tool| tool.name == call.name) {
            let names: Vec<&str> = self.agent.tools.iter().map(|tool| tool.name.as_str()).collect();
            let message = format!("工具不存在: {}。可用的工具: {}", call.name, names.join(", "));
            return Err(Refused::Here(message));
        }
        if self.calls >= self.agent.options.budgets.tool_calls {
            return Err(Refused::Here("工具调用次数已用完，请根据已读到的内容作答".to_owned()));
        }
        let arguments = self.within_scope(call).map_err(Refused::Here)?;
        let times = self.seen.entry(format!("{} {arguments}", call.name)).or_default();
        *times += 1;
        match *times {
            1 => {}
            2 => {
                let message = "与先前的调用完全相同，结果不变，见上文。请换用其他调用，或作答";
                return Err(Refused::Here(message.to_owned()));
            }
            _ => {
                self.stop(agents::same_call(&call.name));
                return Err(Refused::Here("反复进行相同的调用，已停止调用工具，请作答".to_owned()));
            }
        }
        self.calls += 1;
        if call.name == "get_toc"
            && let Some(toc) = self.memory.toc(&arguments)
        {
            return Ok(toc.clone());
        }
        let value = self.agent.client.call_json(&call.name, arguments.clone()).map_err(|failure| {
            Refused::ByTool(match failure.hint {
                Some(hint) => format!("{}。{hint}", failure.message),
                None => failure.message,
            })
        })?;
        if call.name == "get_toc" {
            self.memory.keep_toc(&arguments, value.clone());
        }
        Ok(value)
    }

    /// The arguments, held to the regulations that the person named.
    fn within_scope(&self, call: &ToolCall) -> Result<Value, String> {
        let mut arguments = call.arguments.clone();
        let only = &self.agent.options.regulations;
        if only.is_empty() {
            return Ok(arguments);
        }
        let searches =
            matches!(call.name.as_str(), "smart_search" | "search_tables" | "find_similar_content");
        if searches && (arguments["reg_id"].is_null() || arguments["reg_id"] == "all") {
            arguments["reg_id"] = json!(only);
        }
        for key in ["reg_id", "reg_id_b"] {
            let named = match &arguments[key] {
                Value::String(one) => vec![one.as_str()],
                Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
                _ => Vec::new(),
            };
            if let Some(outside) = named.into_iter().find(|id| !only.iter().any(|allowed| allowed == id)) {
                return Err(format!("本次只允许查阅 {}，不包括 {outside}", only.join(", ")));
            }
        }
        Ok(arguments)
    }

    /// Makes room when the context fills: old tool results give way to a note, then the oldest history goes.
    fn compact(&mut self, tools: &[ToolDefinition]) {
        let limit = self.agent.options.context_tokens * 3 / 4;
        let tool_size: u64 =
            tools.iter().map(|tool| estimate(&tool.schema.to_string()) + estimate(&tool.description)).sum();
        let base = tool_size + estimate(&self.system);
        let size = |messages: &[Message]| base + messages.iter().map(message_size).sum::<u64>();
        if size(&self.messages).max(self.context) <= limit {
            return;
        }
        let old = self.messages.len().saturating_sub(RECENT);
        let mut shortened = 0;
        for message in self.messages.iter_mut().take(old) {
            for part in &mut message.parts {
                if let Part::ToolResult { content, is_error: false, .. } = part
                    && content.chars().count() > 200
                {
                    "（内容已压缩；需要时请重新读取）".clone_into(content);
                    shortened += 1;
                }
            }
        }
        let mut dropped = 0;
        // Only whole exchanges from before this question may go: a tool result needs its call.
        while size(&self.messages) > limit
            && self.messages.len() > RECENT
            && is_plain(&self.messages[0])
            && is_plain(&self.messages[1])
        {
            self.messages.drain(..2);
            dropped += 2;
        }
        self.context = 0;
        if shortened > 0 {
            // What was taken away may be read again: that is no repetition.
            self.seen.clear();
        }
        if shortened + dropped > 0 {
            self.report(Event::Notice { text: agents::context_full(shortened, dropped) });
        }
    }

    /// A reply from checked statements.
    pub fn reply(
        &self,
        question: &str,
        outcome: Outcome,
        message: Option<String>,
        checked: Vec<Checked>,
    ) -> Reply {
        // A model that called no tool has read nothing: what it says is not verified, even where it happens to be true.
        let checked = if self.calls == 0 && !self.resumed { unread(checked) } else { checked };
        let (answer, removed) = settled(question, outcome, message, checked);
        Reply {
            answer,
            agent: self.agent.kind,
            model: Some(self.model.name().to_owned()),
            removed,
            turns: self.turns,
            tool_calls: self.calls,
            usage: self.usage,
            cost: self.model.price().map(|price| price.of(&self.usage)),
            stopped: self.stopped.clone(),
        }
    }
}

/// The question, with what is remembered of earlier reading before it.
fn opening(question: &str, memory: &Memory) -> String {
    if memory.chunks.is_empty() {
        return question.to_owned();
    }
    let read: Vec<String> =
        memory.chunks.iter().map(|chunk| format!("{}\n{}", chunk.source, chunk.text)).collect();
    format!("（工作记忆：先前读到的内容）\n{}\n\n{question}", fence("working_memory", &read.join("\n\n")))
}

/// What a tool gave, in short.
pub fn gist(tool: &str, result: &Value) -> Gist {
    TOOLS.iter().find(|spec| spec.name == tool).map(|spec| spec.gist(result)).unwrap_or_default()
}

/// A result as a model reads it best: its Markdown as it is, the rest as JSON.
pub fn readable(value: &Value) -> String {
    let mut rest = value.clone();
    let mut text = String::new();
    if let Some(object) = rest.as_object_mut() {
        for key in ["content_markdown", "markdown"] {
            if let Some(Value::String(markdown)) = object.remove(key) {
                text.push('\n');
                text.push_str(&markdown);
            }
        }
        if !text.is_empty() {
            // The rows say what the Markdown says.
            object.remove("rows");
        }
    }
    let whole = format!("{rest}{text}");
    if whole.chars().count() > MAX_RESULT {
        return whole.chars().take(MAX_RESULT).chain("…（过长，已截断）".chars()).collect();
    }
    whole
}

/// About how many tokens a text takes: one for a wide character, a quarter for others.
fn estimate(text: &str) -> u64 {
    let wide = text.chars().filter(|c| *c >= '\u{2e80}').count() as u64;
    wide + (text.len() as u64).saturating_sub(wide * 3) / 4
}

fn message_size(message: &Message) -> u64 {
    message
        .parts
        .iter()
        .map(|part| match part {
            Part::Text { text } | Part::Thinking { text, .. } => estimate(text),
            Part::ToolCall(call) => estimate(&call.arguments.to_string()) + 20,
            Part::ToolResult { content, .. } => estimate(content) + 20,
        })
        .sum()
}

fn is_plain(message: &Message) -> bool {
    message.parts.iter().all(|part| matches!(part, Part::Text { .. }))
}
/// Why a call gave no result.
enum Refused {
    /// The dialogue refused it, in words of ours.
    Here(String),
    /// The tool refused it, in words that may hold text of a document.
    ByTool(String),
}

impl Refused {
    fn message(&self) -> &str {
        match self {
            Self::Here(message) | Self::ByTool(message) => message,
        }
    }
}
