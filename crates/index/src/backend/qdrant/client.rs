//! Requests to one or several Qdrant nodes. Owns addresses, time limits, retries and the key; knows nothing of documents.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use regreader_messages::errors;
use serde_json::Value;

use crate::IndexError;

/// Where the server is, and how a collection is laid out on it.
#[derive(Clone)]
pub struct QdrantOptions {
    /// Addresses of the nodes (`http://127.0.0.1:6333`). Whichever answers is asked.
    pub urls: Vec<String>,
    /// Sent as `api-key`.
    pub api_key: Option<String>,
    /// How the names of our collections begin.
    pub collection: String,
    /// Parts that a new collection is split into.
    pub shards: u32,
    /// Nodes that hold each part.
    pub replicas: u32,
    /// Time for one request.
    pub timeout: Duration,
    /// How often all nodes are asked again when none can answer.
    pub retries: u32,
}

impl QdrantOptions {
    /// The usual for a server at these addresses: one shard on one node when there is one address, else as many shards
    /// as nodes, each on two.
    pub fn new(urls: Vec<String>) -> Self {
        let nodes = urls.len().max(1) as u32;
        Self {
            urls,
            api_key: None,
            collection: "regreader".to_owned(),
            shards: nodes,
            replicas: nodes.min(2),
            timeout: Duration::from_secs(30),
            retries: 6,
        }
    }
}

impl fmt::Debug for QdrantOptions {
    /// Without the key: options end up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QdrantOptions")
            .field("urls", &self.urls)
            .field("collection", &self.collection)
            .finish_non_exhaustive()
    }
}

/// How a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Put,
    Post,
}

/// A connection to the nodes.
pub(super) struct Client {
    agent: ureq::Agent,
    options: QdrantOptions,
    /// The node that answered last.
    preferred: AtomicUsize,
}

/// Largest answer that is read.
const MOST_BYTES: u64 = 256 << 20;
/// Longest message of the server that is passed on.
const SHOWN: usize = 300;
const PAUSE: Duration = Duration::from_millis(100);

impl Client {
    pub(super) fn new(options: QdrantOptions) -> Result<Self, IndexError> {
        if options.urls.is_empty() {
            return Err(failed(errors::NO_SERVER));
        }
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(options.timeout))
            .timeout_connect(Some(Duration::from_secs(3)))
            .http_status_as_error(false)
            .max_redirects(0)
            .build()
            .new_agent();
        Ok(Self { agent, options, preferred: AtomicUsize::new(0) })
    }

    pub(super) fn options(&self) -> &QdrantOptions {
        &self.options
    }

    /// The `result` of an answer; none when there is nothing at the path.
    ///
    /// Everything we send may be sent twice, so a request whose answer was lost is sent again, to the next node.
    pub(super) fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Option<Value>, IndexError> {
        let body = body.map(Value::to_string);
        let nodes = self.options.urls.len();
        let mut pause = PAUSE;
        let mut last = String::new();
        for round in 0..=self.options.retries {
            if round > 0 {
                thread::sleep(pause);
                pause = pause.saturating_mul(2).min(Duration::from_secs(3));
            }
            let first = self.preferred.load(Ordering::Relaxed);
            for node in (0..nodes).map(|step| (first + step) % nodes) {
                let Some(url) = self.options.urls.get(node) else { continue };
                match self.once(method, url, path, body.as_deref()) {
                    Ok((200..=299, mut answer)) => {
                        self.preferred.store(node, Ordering::Relaxed);
                        return Ok(Some(answer.get_mut("result").map(Value::take).unwrap_or_default()));
                    }
                    Ok((404, _)) => return Ok(None),
                    Ok((status @ (408 | 429 | 500..=599), answer)) => last = said(status, &answer),
                    Ok((status, answer)) => return Err(failed(said(status, &answer))),
                    Err(reason) => last = format!("{}: {reason}", url.trim_end_matches('/')),
                }
            }
        }
        Err(failed(last))
    }

    fn once(
        &self,
        method: Method,
        url: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<(u16, Value), ureq::Error> {
        let address = format!("{}{path}", url.trim_end_matches('/'));
        let mut response = match method {
            Method::Get => {
                let request = self.agent.get(&address);
                match &self.options.api_key {
                    Some(key) => request.header("api-key", key).call()?,
                    None => request.call()?,
                }
            }
            Method::Put | Method::Post => {
                let request =
                    if method == Method::Put { self.agent.put(&address) } else { self.agent.post(&address) };
                let request = match &self.options.api_key {
                    Some(key) => request.header("api-key", key),
                    None => request,
                };
                request.header("content-type", "application/json").send(body.unwrap_or("{}"))?
            }
        };
        let status = response.status().as_u16();
        let bytes = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec()?;
        Ok((status, serde_json::from_slice(&bytes).unwrap_or_default()))
    }
}

/// An error of this backend.
pub(super) fn failed(reason: impl fmt::Display) -> IndexError {
    IndexError::backend(super::NAME, reason)
}

fn said(status: u16, answer: &Value) -> String {
    let reason = answer.pointer("/status/error").and_then(Value::as_str).unwrap_or_default();
    format!("{status}: {}", reason.chars().take(SHOWN).collect::<String>())
}
