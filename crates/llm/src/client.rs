//! The client: one call, tried as often as it makes sense.

use std::sync::atomic::{AtomicBool, Ordering};

use regreader_messages::errors;
use serde_json::Value;

use crate::retry;
use crate::secret::scrub;
use crate::sse::SseReader;
use crate::transport::{Exchange, Piece, Transport};
use crate::wire::{self, Decoder};
use crate::{Cancel, ChatRequest, ChatResponse, Delta, LlmConfig, LlmError, Price, Streaming, record};

/// Bytes of an error's body that are read.
const MAX_ERROR: usize = 64 << 10;

/// Anything that can be talked to.
pub trait ChatModel {
    /// Its name.
    fn name(&self) -> &str;

    /// Sends a conversation and waits for the response, reporting it piece by piece.
    fn chat(
        &self,
        request: &ChatRequest,
        cancel: &Cancel,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<ChatResponse, LlmError>;

    /// What it costs, when that is known.
    fn price(&self) -> Option<Price> {
        None
    }
}

/// A model behind an address.
#[derive(Debug)]
pub struct Client {
    config: LlmConfig,
    transport: Transport,
    /// Streaming is no longer used with this model.
    unstreamed: AtomicBool,
    /// The server does not know `stream_options`.
    plain_stream: AtomicBool,
}

impl Client {
    /// A client. Nothing is sent yet.
    pub fn new(config: LlmConfig) -> Result<Self, LlmError> {
        if config.model.trim().is_empty() {
            return Err(LlmError::Config { reason: errors::NO_MODEL_NAME.into() });
        }
        if !config.base_url.starts_with("http://") && !config.base_url.starts_with("https://") {
            return Err(LlmError::Config { reason: errors::MODEL_ADDRESS.into() });
        }
        let transport = Transport::new(&config)?;
        let unstreamed = AtomicBool::new(config.streaming == Streaming::Off);
        Ok(Self { config, transport, unstreamed, plain_stream: AtomicBool::new(false) })
    }

    /// One try.
    fn attempt(
        &self,
        request: &ChatRequest,
        cancel: &Cancel,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<ChatResponse, LlmError> {
        let stream = !self.unstreamed.load(Ordering::Relaxed);
        let mut body = wire::encode(&self.config, request, stream);
        if self.plain_stream.load(Ordering::Relaxed)
            && let Some(object) = body.as_object_mut()
        {
            object.remove("stream_options");
        }
        let bytes =
            serde_json::to_vec(&body).map_err(|error| LlmError::BadResponse { reason: error.to_string() })?;
        let exchange = self.transport.post(&self.config, wire::headers(&self.config), bytes)?;
        let (status, headers) = match exchange.next(cancel)? {
            Piece::Head { status, headers } => (status, headers),
            Piece::Failed { reason } => return Err(LlmError::Connect { reason: self.scrub(&reason) }),
            _ => return Err(LlmError::BadResponse { reason: errors::NO_HEAD.into() }),
        };
        let content_type =
            headers.iter().find(|(name, _)| name == "content-type").map_or("", |(_, value)| value.as_str());
        let mut heard = Vec::new();
        let result = if status != 200 {
            Err(self.refusal(&exchange, cancel, status, &headers, &mut heard))
        } else if content_type.starts_with("text/event-stream") {
            self.streamed(&exchange, cancel, sink, &mut heard)
        } else {
            // Also what a server sends that was asked to stream and does not.
            self.whole(&exchange, cancel, &mut heard)
        };
        if let Some(path) = &self.config.record {
            record::append(path, &self.config, &body, status, content_type, &heard);
        }
        result
    }

    fn streamed(
        &self,
        exchange: &Exchange,
        cancel: &Cancel,
        sink: &mut dyn FnMut(Delta),
        heard: &mut Vec<u8>,
    ) -> Result<ChatResponse, LlmError> {
        let mut reader = SseReader::default();
        let mut decoder = Decoder::new(self.config.wire());
        let mut failed: Option<LlmError> = None;
        loop {
            match exchange.next(cancel)? {
                Piece::Data(bytes) => {
                    self.hear(heard, &bytes);
                    let fits = reader.feed(&bytes, |data| {
                        if failed.is_none()
                            && let Err(error) = decoder.event(data, sink)
                        {
                            failed = Some(error);
                        }
                    });
                    if let Some(error) = failed {
                        return Err(self.scrubbed(error));
                    }
                    if !fits {
                        return Err(LlmError::BadResponse { reason: errors::LONG_EVENT.into() });
                    }
                }
                Piece::End => return decoder.finish(sink),
                // What was complete before the connection broke is complete.
                Piece::Failed { reason } => {
                    return decoder.finish(sink).map_err(|_| LlmError::Cut { reason: self.scrub(&reason) });
                }
                Piece::Head { .. } => {
                    return Err(LlmError::BadResponse { reason: errors::TWO_HEADS.into() });
                }
            }
        }
    }

    fn whole(
        &self,
        exchange: &Exchange,
        cancel: &Cancel,
        heard: &mut Vec<u8>,
    ) -> Result<ChatResponse, LlmError> {
        let mut body = Vec::new();
        loop {
            match exchange.next(cancel)? {
                Piece::Data(bytes) => body.extend_from_slice(&bytes),
                Piece::End => break,
                Piece::Failed { reason } => return Err(LlmError::Cut { reason: self.scrub(&reason) }),
                Piece::Head { .. } => {
                    return Err(LlmError::BadResponse { reason: errors::TWO_HEADS.into() });
                }
            }
        }
        self.hear(heard, &body);
        let value: Value = serde_json::from_slice(&body)
            .map_err(|error| LlmError::BadResponse { reason: errors::not_json(error) })?;
        wire::decode(self.config.wire(), &value)
    }

    fn refusal(
        &self,
        exchange: &Exchange,
        cancel: &Cancel,
        status: u16,
        headers: &[(String, String)],
        heard: &mut Vec<u8>,
    ) -> LlmError {
        let mut body = Vec::new();
        while body.len() < MAX_ERROR {
            match exchange.next(cancel) {
                Ok(Piece::Data(bytes)) => body.extend_from_slice(&bytes),
                Err(LlmError::Cancelled) => return LlmError::Cancelled,
                _ => break,
            }
        }
        self.hear(heard, &body);
        let message = self.scrub(&wire::error_message(&body));
        LlmError::Status { status, message, retry_after: retry::retry_after(headers) }
    }

    fn hear(&self, heard: &mut Vec<u8>, bytes: &[u8]) {
        if self.config.record.is_some() {
            heard.extend_from_slice(bytes);
        }
    }

    fn scrub(&self, text: &str) -> String {
        scrub(text, self.config.secrets())
    }

    fn scrubbed(&self, error: LlmError) -> LlmError {
        match error {
            LlmError::Status { status, message, retry_after } => {
                LlmError::Status { status, message: self.scrub(&message), retry_after }
            }
            other => other,
        }
    }

    /// Whether a streamed response should be asked for once more in one piece.
    fn stream_was_bad(&self, response: &ChatResponse) -> bool {
        self.config.streaming == Streaming::Auto
            && !self.unstreamed.load(Ordering::Relaxed)
            && response.tool_calls().any(|call| call.malformed.is_some() || call.name.is_empty())
    }
}

impl ChatModel for Client {
    fn name(&self) -> &str {
        &self.config.model
    }

    fn price(&self) -> Option<Price> {
        self.config.price
    }

    fn chat(
        &self,
        request: &ChatRequest,
        cancel: &Cancel,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<ChatResponse, LlmError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let (reason, pause) = match self.attempt(request, cancel, sink) {
                Ok(response) if self.stream_was_bad(&response) => {
                    self.unstreamed.store(true, Ordering::Relaxed);
                    (errors::NOT_STREAMED.into(), None)
                }
                Ok(response) => return Ok(response),
                Err(LlmError::Status { status: 400, message, .. })
                    if message.contains("stream_options")
                        && !self.plain_stream.swap(true, Ordering::Relaxed) =>
                {
                    (message, None)
                }
                Err(error) => match retry::pause(&self.config, &error, tried) {
                    Some(pause) => (error.to_string(), Some(pause)),
                    None => return Err(error),
                },
            };
            // Also told when nothing was said yet: whoever waits learns why.
            sink(Delta::Restart { reason });
            if let Some(pause) = pause
                && !cancel.wait(pause)
            {
                return Err(LlmError::Cancelled);
            }
        }
    }
}
