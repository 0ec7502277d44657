//! One HTTP exchange, read by a thread of its own so that waiting can be ended at any moment.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use regreader_messages::errors;

use crate::cancel::SLICE;
use crate::secret::scrub;
use crate::{Cancel, LlmConfig, LlmError};

/// Most bytes of one response.
const MAX_BODY: usize = 64 << 20;

/// What arrives, in order: a head, pieces of the body, the end.
#[derive(Debug)]
pub enum Piece {
    /// Status and headers.
    Head { status: u16, headers: Vec<(String, String)> },
    /// Bytes of the body.
    Data(Vec<u8>),
    /// The body is complete.
    End,
    /// The connection failed.
    Failed { reason: String },
}

/// A pool of connections.
#[derive(Debug, Clone)]
pub struct Transport {
    agent: ureq::Agent,
}

impl Transport {
    /// Connections as the configuration wants them.
    pub fn new(config: &LlmConfig) -> Result<Self, LlmError> {
        let mut builder = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would carry the key to wherever it points.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(Duration::from_secs(15).min(config.total)))
            .timeout_global(Some(config.total))
            .user_agent(concat!("regreader/", env!("CARGO_PKG_VERSION")));
        match config.proxy.reveal() {
            "" => {}
            "off" => builder = builder.proxy(None),
            address => {
                let proxy = ureq::Proxy::new(address).map_err(|error| LlmError::Config {
                    reason: scrub(&errors::proxy(error), config.secrets()),
                })?;
                builder = builder.proxy(Some(proxy));
            }
        }
        Ok(Self { agent: builder.build().into() })
    }

    /// Sends a request and starts to read.
    pub fn post(
        &self,
        config: &LlmConfig,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    ) -> Result<Exchange, LlmError> {
        let (sender, receiver) = sync_channel(64);
        let agent = self.agent.clone();
        let url = config.endpoint();
        std::thread::Builder::new()
            .name("llm".to_owned())
            .spawn(move || exchange(&agent, &url, &headers, &body, &sender))
            .map_err(|error| LlmError::Connect { reason: error.to_string() })?;
        Ok(Exchange { receiver, silence: config.silence })
    }
}

/// An exchange under way. Dropping it lets the reading thread end with its next piece.
#[derive(Debug)]
pub struct Exchange {
    receiver: Receiver<Piece>,
    silence: Duration,
}

impl Exchange {
    /// The next piece; an error when nothing comes for too long or the caller ends it.
    pub fn next(&self, cancel: &Cancel) -> Result<Piece, LlmError> {
        let since = Instant::now();
        loop {
            if cancel.is_cancelled() {
                return Err(LlmError::Cancelled);
            }
            match self.receiver.recv_timeout(SLICE) {
                Ok(piece) => return Ok(piece),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(LlmError::Cut { reason: errors::CLOSED.into() });
                }
                Err(RecvTimeoutError::Timeout) if since.elapsed() >= self.silence => {
                    return Err(LlmError::Silent { after: self.silence });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn exchange(
    agent: &ureq::Agent,
    url: &str,
    headers: &[(String, String)],
    body: &[u8],
    sender: &SyncSender<Piece>,
) {
    let mut request = agent.post(url);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let response = match request.send(body) {
        Ok(response) => response,
        Err(error) => {
            let _ = sender.send(Piece::Failed { reason: error.to_string() });
            return;
        }
    };
    let text = |value: &ureq::http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let headers =
        response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    // A receiver that is gone was cancelled; nobody is left to tell.
    if sender.send(Piece::Head { status: response.status().as_u16(), headers }).is_err() {
        return;
    }
    let mut reader = response.into_body().into_reader();
    let mut buffer = vec![0; 16 << 10];
    let mut seen = 0;
    loop {
        let piece = match reader.read(&mut buffer) {
            Ok(0) => Piece::End,
            Ok(_) if seen > MAX_BODY => Piece::Failed { reason: errors::LONG_BODY.into() },
            Ok(count) => Piece::Data(buffer.get(..count).unwrap_or_default().to_vec()),
            Err(error) => Piece::Failed { reason: error.to_string() },
        };
        let last = match &piece {
            Piece::Data(data) => {
                seen += data.len();
                false
            }
            _ => true,
        };
        if sender.send(piece).is_err() || last {
            return;
        }
    }
}
