//! What every request must pass, whatever its route: Host, Origin, token, rate, sessions, body.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION,
    CONTENT_TYPE, HOST, ORIGIN, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use regreader_access::{Caller, Gate};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::json;
use tokio_util::sync::CancellationToken;

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
    closing: CancellationToken,
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
        closing: CancellationToken,
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
            closing,
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
        if self.inner.closing.is_cancelled() && request.uri().path() != "/healthz" {
            return refuse(StatusCode::SERVICE_UNAVAILABLE, "closing", "the server is shutting down");
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
    let origin = request.headers().get(ORIGIN).cloned();
    if is_preflight(&request) {
        let response = guard.preflight(&request, origin.as_ref());
        guard.inner.metrics.responded(response.status().as_u16());
        return response;
    }
    let mut response = match guard.refusal(&mut request, open_sessions) {
        Some(refusal) => guard.turn_away(&refusal),
        None => match guard.read_body(request).await {
            Ok(request) => next.run(request).await,
            Err(refusal) => guard.turn_away(&refusal),
        },
    };
    guard.allow_reading(&mut response, origin.as_ref());
    guard.inner.metrics.responded(response.status().as_u16());
    response
}

/// A browser's question whether a page may send a request.
fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

impl Guard {
    /// Answers a browser for the origins that may call, and for no others. It carries no token: what it asks is no
    /// secret, and the request itself is checked when it comes.
    fn preflight(&self, request: &Request, origin: Option<&HeaderValue>) -> Response {
        let host = text(request.headers(), HOST);
        if !host.is_some_and(|host| self.inner.hosts.allows_host(host)) || self.allowed(origin).is_none() {
            return self.turn_away(&Refusal {
                status: StatusCode::FORBIDDEN,
                reason: "origin",
                message: "Origin is not allowed",
            });
        }
        let mut response = StatusCode::NO_CONTENT.into_response();
        self.allow_reading(&mut response, origin);
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
        headers.insert(
            ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static(
                "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, last-event-id",
            ),
        );
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
        response
    }

    /// Lets a page of an allowed origin read the response.
    fn allow_reading(&self, response: &mut Response, origin: Option<&HeaderValue>) {
        let Some(origin) = self.allowed(origin) else { return };
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id"));
        headers.append(VARY, HeaderValue::from_static("origin"));
    }

    fn allowed<'a>(&self, origin: Option<&'a HeaderValue>) -> Option<&'a HeaderValue> {
        origin.filter(|origin| origin.to_str().is_ok_and(|origin| self.inner.hosts.allows_origin(origin)))
    }

    /// The same request with its body in memory, so that no handler waits for a slow sender.
    async fn read_body(&self, request: Request) -> Result<Request, Refusal> {
        if *request.method() != Method::POST {
            let (parts, _) = request.into_parts();
            return Ok(Request::from_parts(parts, Body::empty()));
        }
        let (parts, body) = request.into_parts();
        let reading = axum::body::to_bytes(body, self.inner.max_body_bytes);
        match tokio::time::timeout(SENDING, reading).await {
            Ok(Ok(bytes)) if speaks_json_rpc(&parts) && !is_json(&bytes) => Err(Refusal {
                status: StatusCode::BAD_REQUEST,
                reason: "json",
                message: "Parse error: the request body is not JSON",
            }),
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
        let body = match refusal.reason {
            // The body was meant for JSON-RPC, so its error is what the client understands.
            "json" => json!({
                "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": refusal.message },
            }),
            reason => json!({ "error": reason, "message": refusal.message }),
        };
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

/// Whether a body should be a message of the protocol. One that declares another type is refused for that.
fn speaks_json_rpc(parts: &axum::http::request::Parts) -> bool {
    matches!(parts.uri.path(), "/mcp" | "/message")
        && text(&parts.headers, CONTENT_TYPE).is_none_or(|kind| kind.to_ascii_lowercase().contains("json"))
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
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
