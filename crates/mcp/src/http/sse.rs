//! The older HTTP transport: one event stream that the server writes to, one address that the client posts to.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt as _, stream};
use rmcp::model::{ClientJsonRpcMessage, GetExtensions as _, ServerJsonRpcMessage};
use rmcp::{ServerHandler, ServiceExt as _};
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, PollSender};

use crate::structured;

/// Messages that may wait in one direction.
const WAITING: usize = 64;

/// The open streams.
pub struct Sessions<H> {
    inner: Arc<Inner<H>>,
}

impl<H> Clone for Sessions<H> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

struct Inner<H> {
    handler: H,
    open: Mutex<HashMap<String, mpsc::Sender<ClientJsonRpcMessage>>>,
    count: Arc<AtomicUsize>,
    max: usize,
    end: CancellationToken,
}

impl<H> Sessions<H> {
    pub fn new(handler: H, max: usize, end: CancellationToken) -> Self {
        let inner = Inner { handler, open: Mutex::default(), count: Arc::default(), max, end };
        Self { inner: Arc::new(inner) }
    }

    /// How many streams are open.
    pub fn count(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.inner.count)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, mpsc::Sender<ClientJsonRpcMessage>>> {
        self.inner.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes a stream's entry when the stream is dropped, whoever drops it.
struct Leaving<H> {
    sessions: Sessions<H>,
    id: String,
}

impl<H> Drop for Leaving<H> {
    fn drop(&mut self) {
        self.sessions.open().remove(&self.id);
        self.sessions.inner.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// `GET /sse`: opens a stream, whose first event says where to post.
pub async fn open<H: ServerHandler + Clone>(State(sessions): State<Sessions<H>>) -> Response {
    let (to_server, from_client) = mpsc::channel(WAITING);
    let (to_client, from_server) = mpsc::channel::<ServerJsonRpcMessage>(WAITING);
    let id = uuid::Uuid::new_v4().simple().to_string();
    {
        let mut open = sessions.open();
        if open.len() >= sessions.inner.max {
            return (StatusCode::SERVICE_UNAVAILABLE, "too many sessions").into_response();
        }
        open.insert(id.clone(), to_server);
        sessions.inner.count.fetch_add(1, Ordering::Relaxed);
    }
    let leaving = Leaving { sessions: sessions.clone(), id: id.clone() };
    let transport = (PollSender::new(to_client), Box::pin(received(from_client)));
    let (handler, end) = (sessions.inner.handler.clone(), sessions.inner.end.child_token());
    tokio::spawn(async move {
        // A handshake that fails ends the stream; the client sees that.
        if let Ok(running) = handler.serve_with_ct(transport, end).await {
            let _ = running.waiting().await;
        }
    });
    let endpoint = Event::default().event("endpoint").data(format!("/message?sessionId={id}"));
    let messages = received(from_server).filter_map(|message| async move {
        let text = String::from_utf8(structured::written(&message).ok()?).ok()?;
        Some(Event::default().event("message").data(text))
    });
    let ended = sessions.inner.end.clone().cancelled_owned();
    let events = stream::once(async { endpoint }).chain(messages).take_until(ended).map(move |event| {
        // The stream owns its entry: gone with it.
        let _ = &leaving;
        Ok::<_, Infallible>(event)
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

/// Where a message is meant to go.
#[derive(Deserialize)]
pub struct Address {
    #[serde(rename = "sessionId")]
    session_id: String,
}

/// `POST /message?sessionId=…`: one message into a stream's session. The answer comes on the stream.
pub async fn message<H: ServerHandler + Clone>(
    State(sessions): State<Sessions<H>>,
    Query(address): Query<Address>,
    parts: Parts,
    body: Bytes,
) -> Response {
    let Some(session) = sessions.open().get(&address.session_id).cloned() else {
        return (StatusCode::NOT_FOUND, "no such session").into_response();
    };
    let Ok(mut message) = serde_json::from_slice::<ClientJsonRpcMessage>(&body) else {
        return (StatusCode::BAD_REQUEST, "not a JSON-RPC message").into_response();
    };
    if let ClientJsonRpcMessage::Request(request) = &mut message {
        request.request.extensions_mut().insert(parts);
    }
    match session.send(message).await {
        Ok(()) => (StatusCode::ACCEPTED, "accepted").into_response(),
        Err(_) => (StatusCode::NOT_FOUND, "the session is over").into_response(),
    }
}

fn received<T: Send + 'static>(receiver: mpsc::Receiver<T>) -> impl Stream<Item = T> + Send {
    stream::unfold(receiver, |mut receiver| async move { receiver.recv().await.map(|item| (item, receiver)) })
}
