//! Which model, where, and how patiently.

use std::path::PathBuf;
use std::time::Duration;

use crate::{Price, Secret};

/// Who runs the model, as far as its address tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Anthropic, or an address that speaks like it.
    Anthropic,
    /// OpenAI, or any other address that contains `openai`.
    OpenAi,
    /// Google, through its OpenAI-compatible address.
    Google,
    /// Anyone else: Qwen, DeepSeek, vLLM, Ollama, llama.cpp. They speak OpenAI's format.
    Unknown,
}

impl Provider {
    /// Reads the address, as the earlier system did.
    ///
    /// ```
    /// use regreader_llm::Provider;
    /// assert_eq!(Provider::infer("https://api.anthropic.com"), Provider::Anthropic);
    /// assert_eq!(Provider::infer("https://api.openai.com/v1"), Provider::OpenAi);
    /// assert_eq!(Provider::infer("https://generativelanguage.googleapis.com/v1beta/openai"), Provider::OpenAi);
    /// assert_eq!(Provider::infer("https://aiplatform.google.com/x"), Provider::Google);
    /// assert_eq!(Provider::infer("http://127.0.0.1:11434"), Provider::Unknown);
    /// ```
    pub fn infer(base_url: &str) -> Self {
        if base_url.contains("anthropic") {
            Self::Anthropic
        } else if base_url.contains("openai") {
            Self::OpenAi
        } else if base_url.contains("google") {
            Self::Google
        } else {
            Self::Unknown
        }
    }
}

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// `POST /v1/messages`.
    Anthropic,
    /// `POST /v1/chat/completions`.
    OpenAi,
}

/// Whether responses are streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Streaming {
    /// Yes, until a streamed tool call comes out broken; then no more.
    #[default]
    Auto,
    /// Every call is streamed, even after a broken tool call.
    On,
    /// Every response is fetched in one piece.
    Off,
}

/// A model and how to talk to it. Printing it shows no key and no header value.
#[derive(Debug, Clone)]
pub struct LlmConfig {
    /// Name of the model as the server knows it; sent with every request.
    pub model: String,
    /// Address of the server, with `http://` or `https://`; the path of the wire format is appended when missing.
    pub base_url: String,
    /// Key; none for servers that want none.
    pub api_key: Secret,
    /// Wire format; inferred from the address when not set.
    pub wire: Option<Wire>,
    /// Further headers. Values count as secrets: gateways take their keys there.
    pub headers: Vec<(String, Secret)>,
    /// Proxy: empty takes the environment's, `off` none. May hold a password.
    pub proxy: Secret,
    /// Whether responses are asked for as a stream or in one piece.
    pub streaming: Streaming,
    /// Longest silence before the call counts as dead.
    pub silence: Duration,
    /// Longest time of one call in all.
    pub total: Duration,
    /// How often a call is tried.
    pub attempts: u32,
    /// First pause between tries; doubles each time.
    pub backoff: Duration,
    /// Longest pause, also when the server asks for more.
    pub max_pause: Duration,
    /// Prices, when known.
    pub price: Option<Price>,
    /// File to which every exchange is written, secrets removed.
    pub record: Option<PathBuf>,
}

impl LlmConfig {
    /// A model at an address, with the usual patience.
    pub fn new(model: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            base_url: base_url.into(),
            api_key: Secret::default(),
            wire: None,
            headers: Vec::new(),
            proxy: Secret::default(),
            streaming: Streaming::Auto,
            silence: Duration::from_mins(2),
            total: Duration::from_mins(15),
            attempts: 4,
            backoff: Duration::from_millis(500),
            max_pause: Duration::from_mins(1),
            price: None,
            record: None,
        }
    }

    /// The same with a key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Secret::new(key);
        self
    }

    /// Who runs it.
    pub fn provider(&self) -> Provider {
        Provider::infer(&self.base_url)
    }

    /// How to speak.
    pub fn wire(&self) -> Wire {
        self.wire.unwrap_or(match self.provider() {
            Provider::Anthropic => Wire::Anthropic,
            Provider::OpenAi | Provider::Google | Provider::Unknown => Wire::OpenAi,
        })
    }

    /// The full address of a request.
    pub fn endpoint(&self) -> String {
        let base = self.base_url.trim_end_matches('/');
        let last = base.rsplit('/').next().unwrap_or_default();
        let versioned = last == "openai"
            || (last.starts_with('v') && last[1..].starts_with(|c: char| c.is_ascii_digit()));
        let path = match self.wire() {
            Wire::Anthropic => "messages",
            Wire::OpenAi => "chat/completions",
        };
        if base.ends_with(path) {
            base.to_owned()
        } else if versioned {
            format!("{base}/{path}")
        } else {
            format!("{base}/v1/{path}")
        }
    }

    /// Everything that must not be shown.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        [&self.api_key, &self.proxy].into_iter().chain(self.headers.iter().map(|(_, value)| value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_completed_as_people_write_them() {
        let endpoint = |url: &str| LlmConfig::new("m", url).endpoint();
        assert_eq!(endpoint("https://api.anthropic.com"), "https://api.anthropic.com/v1/messages");
        assert_eq!(
            endpoint("https://api.deepseek.com/anthropic/"),
            "https://api.deepseek.com/anthropic/v1/messages"
        );
        assert_eq!(endpoint("https://api.openai.com/v1"), "https://api.openai.com/v1/chat/completions");
        assert_eq!(endpoint("http://127.0.0.1:11434"), "http://127.0.0.1:11434/v1/chat/completions");
        assert_eq!(endpoint("http://h/v1/chat/completions"), "http://h/v1/chat/completions");
        assert_eq!(
            endpoint("https://g.example/v1beta/openai"),
            "https://g.example/v1beta/openai/chat/completions"
        );
    }

    #[test]
    fn printing_a_configuration_shows_no_secret() {
        let mut config = LlmConfig::new("m", "http://h").key("sk-aaaaaaaaaaaa");
        config.headers.push(("x-gateway".to_owned(), Secret::new("gateway-pass")));
        config.proxy = Secret::new("http://user:proxy-pass@p:1");
        let shown = format!("{config:?}");
        assert!(
            !shown.contains("sk-aaa") && !shown.contains("gateway-pass") && !shown.contains("proxy-pass"),
            "{shown}"
        );
    }
}
