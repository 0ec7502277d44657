//! Chat models over the Anthropic Messages and the OpenAI-compatible wire formats.
//!
//! This crate owns requests, streams, tool calls on the wire, retries, timeouts, usage and cost, and keeps keys out of
//! everything that can be printed. It must not know regulations, prompts or what a tool does.
//!
//! A [`Client`] is built from an [`LlmConfig`]; whoever talks to a model takes a [`ChatModel`]. The client blocks: the
//! callers are synchronous, and a thread that reads the socket makes both the silence timeout and the end by
//! [`Cancel`] independent of what the connection is doing.
//!
//! ```
//! use regreader_llm::{LlmConfig, Provider};
//! let config = LlmConfig::new("qwen-max", "https://dashscope.aliyuncs.com/compatible-mode/v1").key("sk-very-secret");
//! assert_eq!(config.provider(), Provider::Unknown);
//! assert_eq!(config.endpoint(), "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions");
//! assert!(!format!("{config:?}").contains("very-secret"));
//! ```

mod cancel;
mod client;
mod config;
mod error;
mod message;
mod record;
mod retry;
mod secret;
mod sse;
mod transport;
mod usage;
mod wire;

pub use cancel::Cancel;
pub use client::{ChatModel, Client};
pub use config::{LlmConfig, Provider, Streaming, Wire};
pub use error::LlmError;
pub use message::{
    ChatRequest, ChatResponse, Delta, Message, Part, Role, StopReason, ToolCall, ToolChoice, ToolDefinition,
};
pub use secret::Secret;
pub use usage::{Price, Usage};
