//! A model behind an HTTP endpoint that speaks the OpenAI embeddings protocol (`POST …/embeddings`): a local server of
//! the site as well as a service.
//!
//! Owns the wire: batching, time limits, retries, and distrust of what comes back. Knows no settings file; the key is
//! given to it and never shown in an error.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::embedder::{DEFAULT_SPREAD, unit_length};
use crate::{EmbedError, Embedder};

/// Longest message of a server that is passed on in an error.
const SHOWN: usize = 300;

/// Where the model is and how it is asked.
#[derive(Clone)]
pub struct HttpOptions {
    /// Base address (`http://127.0.0.1:8080/v1`) or the whole address ending in `/embeddings`.
    pub url: String,
    /// Name of the model, as the server knows it.
    pub model: String,
    /// Sent as a bearer token.
    pub api_key: Option<String>,
    /// Put before every question (some models were trained so).
    pub query_prefix: String,
    /// Put before every passage.
    pub document_prefix: String,
    /// Length of the vectors; none asks the server for it.
    pub dimension: Option<usize>,
    /// How wide the model's cosines lie, see [`Embedder::spread`].
    pub spread: f32,
    /// Texts in one request.
    pub batch: usize,
    /// Time for one request, from connecting to the last byte.
    pub timeout: Duration,
    /// How often a request that failed in passing (no connection, 429, 5xx) is tried again.
    pub retries: u32,
    /// Pause before the first retry; it doubles.
    pub backoff: Duration,
    /// Largest response that is read.
    pub max_response: u64,
}

impl HttpOptions {
    /// The usual limits for a server at `url` with `model`.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            api_key: None,
            query_prefix: String::new(),
            document_prefix: String::new(),
            dimension: None,
            spread: DEFAULT_SPREAD,
            batch: 64,
            timeout: Duration::from_mins(1),
            retries: 2,
            backoff: Duration::from_millis(500),
            max_response: 64 << 20,
        }
    }
}

impl fmt::Debug for HttpOptions {
    /// Without the key: options end up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("url", &self.url)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// An embedding model at the other end of a connection.
pub struct HttpEmbedder {
    agent: ureq::Agent,
    url: String,
    /// The model, and what else its vectors depend on.
    name: String,
    options: HttpOptions,
    dimension: usize,
}

impl HttpEmbedder {
    /// Makes the embedder. When the dimension is not given the server is asked for one vector; when it is given nothing
    /// is sent yet, so that a server that is down does not keep anyone from searching by words.
    pub fn connect(options: HttpOptions) -> Result<Self, EmbedError> {
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(options.timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .build()
            .new_agent();
        let base = options.url.trim_end_matches('/');
        let url = if base.ends_with("/embeddings") { base.to_owned() } else { format!("{base}/embeddings") };
        let name = if options.document_prefix.is_empty() {
            options.model.clone()
        } else {
            let mark = blake3::hash(options.document_prefix.as_bytes()).to_hex();
            format!("{}-{}", options.model, mark.get(..8).unwrap_or_default())
        };
        let dimension = options.dimension.unwrap_or(0);
        let mut embedder = Self { agent, url, name, options, dimension };
        if embedder.dimension == 0 {
            let probe = embedder.request(&["规程"])?;
            embedder.dimension = probe.first().map_or(0, Vec::len);
        }
        if embedder.dimension == 0 { Err(embedder.failed("a vector without numbers")) } else { Ok(embedder) }
    }

    fn embed(&self, prefix: &str, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.options.batch.max(1)) {
            if prefix.is_empty() {
                vectors.extend(self.request(batch)?);
            } else {
                let prefixed: Vec<String> = batch.iter().map(|text| format!("{prefix}{text}")).collect();
                let prefixed: Vec<&str> = prefixed.iter().map(String::as_str).collect();
                vectors.extend(self.request(&prefixed)?);
            }
        }
        match vectors.iter().find(|vector| vector.len() != self.dimension) {
            Some(odd) => Err(self.failed(&format!(
                "{} dimensions instead of {}; is it another model?",
                odd.len(),
                self.dimension
            ))),
            None => Ok(vectors),
        }
    }

    /// One request, tried again when the failure may pass.
    fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let body =
            json!({ "model": self.options.model, "input": texts, "encoding_format": "float" }).to_string();
        let mut pause = self.options.backoff;
        let mut tries = 0;
        loop {
            match self.once(&body, texts.len()) {
                Ok(vectors) => return Ok(vectors),
                Err(Failure { reason, passing }) if !passing || tries >= self.options.retries => {
                    return Err(self.failed(&reason));
                }
                Err(_) => {
                    std::thread::sleep(pause);
                    pause = pause.saturating_mul(2);
                    tries += 1;
                }
            }
        }
    }

    fn once(&self, body: &str, count: usize) -> Result<Vec<Vec<f32>>, Failure> {
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        if let Some(key) = &self.options.api_key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let mut response = request.send(body).map_err(|error| Failure::passing(error.to_string()))?;
        let status = response.status().as_u16();
        let bytes = response
            .body_mut()
            .with_config()
            .limit(self.options.max_response)
            .read_to_vec()
            .map_err(|error| Failure::lasting(error.to_string()))?;
        if status != 200 {
            let said: String = String::from_utf8_lossy(&bytes).chars().take(SHOWN).collect();
            let passing = status == 429 || status >= 500;
            return Err(Failure { reason: format!("status {status}: {said}"), passing });
        }
        vectors(&bytes, count).map_err(Failure::lasting)
    }

    fn failed(&self, reason: &str) -> EmbedError {
        EmbedError::Backend { backend: self.url.clone(), reason: reason.to_owned() }
    }
}

impl Embedder for HttpEmbedder {
    fn model(&self) -> &str {
        &self.name
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn spread(&self) -> f32 {
        self.options.spread
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vectors = self.embed(&self.options.query_prefix, &[text])?;
        vectors.pop().ok_or_else(|| self.failed("no vector"))
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed(&self.options.document_prefix, texts)
    }
}

struct Failure {
    reason: String,
    passing: bool,
}

impl Failure {
    fn passing(reason: String) -> Self {
        Self { reason, passing: true }
    }

    fn lasting(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), passing: false }
    }
}

/// The vectors of a response in the order asked for, whatever order they came in.
fn vectors(bytes: &[u8], count: usize) -> Result<Vec<Vec<f32>>, String> {
    let response: Value = serde_json::from_slice(bytes).map_err(|error| format!("not JSON: {error}"))?;
    let data = response.get("data").and_then(Value::as_array).ok_or("no `data` in the response")?;
    if data.len() != count {
        return Err(format!("{} vectors for {count} texts", data.len()));
    }
    let mut out = vec![Vec::new(); count];
    for (place, item) in data.iter().enumerate() {
        let index = match item.get("index") {
            Some(index) => {
                index.as_u64().and_then(|i| usize::try_from(i).ok()).ok_or("an index is no number")?
            }
            None => place,
        };
        let numbers =
            item.get("embedding").and_then(Value::as_array).ok_or("no `embedding` in the response")?;
        let vector: Option<Vec<f32>> =
            numbers.iter().map(|n| n.as_f64().map(|n| n as f32).filter(|n| n.is_finite())).collect();
        let slot = out
            .get_mut(index)
            .filter(|slot| slot.is_empty())
            .ok_or("an index is out of range or twice there")?;
        *slot = unit_length(vector.ok_or("a vector has something that is no finite number")?);
    }
    Ok(out)
}
