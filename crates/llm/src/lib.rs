//! Chat models over the Anthropic and OpenAI-compatible wire formats.
//!
//! This crate owns requests, streams, retries and usage. It must not know regulations, tools or prompts. The clients are
//! still to be written; nothing is offered here yet.
