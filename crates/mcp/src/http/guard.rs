//! What every request must pass, whatever its route: Host, Origin, token, rate, sessions, body.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use regreader_access::{Caller, Gate};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::json;

use super::hosts::Hosts;
use super::rate::Rate;
use super::{HttpOptions, PeerAddress, SENDING};
use crate::metrics::Metrics;

/// The rules, shared by all requests.
#[derive(Clone)]
pub struct Guard {
    inner: Arc<Inner>,
}

struct Inner {
    hosts: Hosts,
    gate: Gate,
    rate: Rate,
    max_body_bytes: usize,
    max_sessions: usize,
    sessions: Arc<LocalSessionManager>,
    legacy_sessions: Arc<AtomicUsize>,
    metrics: Arc<Metrics>,
}

/// Why a request is turned away.
struct Refusal {
    status: StatusCode,
    reason: &'static str,
    message: &'static str,
}

impl Guard {
    pub fn new(
        options: &HttpOptions,
        address: std::net::SocketAddr,
        metrics: Arc<Metrics>,
        sessions: Arc<LocalSessionManager>,
        legacy_sessions: Arc<AtomicUsize>,
    ) -> Self {
        let inner = Inner {
            hosts: Hosts::new(options, address),
            gate: options.gate(),
            rate: Rate::new(options.requests_per_second),
            max_body_bytes: options.max_body_bytes,
            max_sessions: options.max_sessions,
            sessions,
            legacy_sessions,
            metrics,
        };
        Self { inner: Arc::new(inner) }
    }

    /// The counters as a page.
    pub async fn metrics_page(&self) -> String {
        let sessions = self.inner.sessions.sessions.read().await.len();
        self.inner.metrics.render(sessions + self.inner.legacy_sessions.load(Ordering::Relaxed))
    }

    /// Whether a request calls this server by one of its names.
    fn names_this_server(&self, request: &Request) -> bool {
        let authority = request.uri().authority().map(axum::http::uri::Authority::as_str);
        let host = authority.or_else(|| text(request.headers(), HOST));
        host.is_some_and(|host| self.inner.hosts.allows_host(host))
    }

    /// The rules that need no body.
    fn refusal(&self, request: &mut Request, open_sessions: usize) -> Option<Refusal> {
        let mut caller: Option<Caller> = None;
        let headers = request.headers();
        if !self.names_this_server(request) {
            return refuse(StatusCode::FORBIDDEN, "host", "Host is not allowed");
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        if !origins.all(|origin| origin.to_str().is_ok_and(|origin| self.inner.hosts.allows_origin(origin))) {
            return refuse(StatusCode::FORBIDDEN, "origin", "Origin is not allowed");
        }
        let peer = request.extensions().get::<PeerAddress>().map(|PeerAddress(address)| address.ip());
        if !peer.is_some_and(|peer| self.inner.rate.allows(peer, Instant::now())) {
            return refuse(StatusCode::TOO_MANY_REQUESTS, "rate", "too many requests");
        }
        // Whether the server lives is no secret; everything else is behind the token.
        if request.uri().path() != "/healthz" {
            match self.inner.gate.authorize(text(headers, AUTHORIZATION)) {
                Ok(known) => caller = Some(known),
                Err(_) => return refuse(StatusCode::UNAUTHORIZED, "token", "a bearer token is required"),
            }
        }
        if opens_session(request) && open_sessions >= self.inner.max_sessions {
            return refuse(StatusCode::SERVICE_UNAVAILABLE, "sessions", "too many sessions");
        }
        if let Some(caller) = caller {
            request.extensions_mut().insert(caller);
        }
        None
    }
}

/// The middleware of routes that are no MCP: only the name of the host is checked, against DNS rebinding.
pub async fn check_host(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let response = if guard.names_this_server(&request) {
        next.run(request).await
    } else {
        let refusal =
            Refusal { status: StatusCode::FORBIDDEN, reason: "host", message: "Host is not allowed" };
        guard.turn_away(&refusal)
    };
    guard.inner.metrics.responded(response.status().as_u16());
    response
}

/// The middleware: checks, reads the body in bounds of size and time, passes on, counts.
pub async fn check(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    let open_sessions = guard.inner.sessions.sessions.read().await.len();
    let response = match guard.refusal(&mut request, open_sessions) {
        Some(refusal) => guard.turn_away(&refusal),
        None => match guard.read_body(request).await {
            Ok(request) => next.run(request).await,
            Err(refusal) => guard.turn_away(&refusal),
        },
    };
    guard.inner.metrics.responded(response.status().as_u16());
    response
}

impl Guard {
    /// The same request with its body in memory, so that no handler waits for a slow sender.
    async fn read_body(&self, request: Request) -> Result<Request, Refusal> {
        if *request.method() != Method::POST {
            let (parts, _) = request.into_parts();
            return Ok(Request::from_parts(parts, Body::empty()));
        }
        let (parts, body) = request.into_parts();
        let reading = axum::body::to_bytes(body, self.inner.max_body_bytes);
        match tokio::time::timeout(SENDING, reading).await {
            Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
            // Too long, or broken off: in the second case nobody hears the answer.
            Ok(Err(_)) => Err(Refusal {
                status: StatusCode::PAYLOAD_TOO_LARGE,
                reason: "body",
                message: "the request body is too large",
            }),
            Err(_) => Err(Refusal {
                status: StatusCode::REQUEST_TIMEOUT,
                reason: "time",
                message: "the request body took too long",
            }),
        }
    }

    fn turn_away(&self, refusal: &Refusal) -> Response {
        self.inner.metrics.refused(refusal.reason);
        let body = json!({ "error": refusal.reason, "message": refusal.message });
        let mut response = (refusal.status, axum::Json(body)).into_response();
        let headers = response.headers_mut();
        match refusal.status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}

/// Whether a request may open a session: it comes to `/mcp` and names none. Requests of the sessionless protocol
/// versions look the same from here; when the house is full they wait too.
fn opens_session(request: &Request) -> bool {
    request.method() == Method::POST
        && request.uri().path() == "/mcp"
        && !request.headers().contains_key("mcp-session-id")
}

#[expect(clippy::unnecessary_wraps, reason = "every caller returns it as it is")]
fn refuse(status: StatusCode, reason: &'static str, message: &'static str) -> Option<Refusal> {
    Some(Refusal { status, reason, message })
}

fn text(headers: &HeaderMap, name: axum::http::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
