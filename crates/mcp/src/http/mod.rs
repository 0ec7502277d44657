//! The server over HTTP: streamable HTTP at `/mcp`, legacy SSE at `/sse` and `/message`, `/healthz` and `/metrics`.
//!
//! Every route passes the same guard, which checks Host, Origin and token. Connections are accepted here rather than by the framework,
//! because three things matter: TCP_NODELAY (without it an answer waits 40 ms for an acknowledgement), a bound on
//! connections, and a bound on the time a client takes to send its headers.

mod guard;
mod hosts;
mod places;
mod rate;
mod sse;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{io, panic, thread};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use http_body_util::BodyExt as _;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use regreader_access::Gate;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use self::places::Places;
use crate::metrics::Metrics;
use crate::{McpServer, ServeError, structured};

/// How the HTTP face is set up.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Name or address to listen on.
    pub host: String,
    /// Port; 0 takes a free one.
    pub port: u16,
    /// Token that clients must send as `Authorization: Bearer …`. Required off loopback.
    pub token: Option<String>,
    /// File of named tokens, which count beside it.
    pub tokens_file: Option<PathBuf>,
    /// Further names by which clients may call this server (`Host`).
    pub allowed_hosts: Vec<String>,
    /// Further web origins that may call this server (`Origin`), such as `https://reader.example`.
    pub allowed_origins: Vec<String>,
    /// Largest request body in bytes.
    pub max_body_bytes: usize,
    /// Requests per second and address; 0 for no limit.
    pub requests_per_second: u32,
    /// Connections at the same time.
    pub max_connections: usize,
    /// MCP sessions at the same time.
    pub max_sessions: usize,
    /// Longest time that running calls are waited for when the server ends.
    pub grace: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 8080,
            token: None,
            tokens_file: None,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            max_body_bytes: 1 << 20,
            requests_per_second: 200,
            max_connections: 512,
            max_sessions: 256,
            grace: Duration::from_secs(10),
        }
    }
}

impl HttpOptions {
    /// What decides who a request comes from.
    fn gate(&self) -> Gate {
        Gate::new(self.token.clone(), self.tokens_file.clone())
    }
}

/// The address of whoever sent a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerAddress(pub(crate) SocketAddr);

/// Longest time for a client to send its headers, or its body.
const SENDING: Duration = Duration::from_secs(15);
/// The same for a connection that may only ask whether the server lives.
const HURRYING: Duration = Duration::from_secs(2);
/// How often it is looked whether they are over.
const LOOKING: Duration = Duration::from_millis(20);
/// Time for the last answers to leave.
const FLUSHING: Duration = Duration::from_millis(300);

/// Serves until the process is told to end. `ready` is told the address once it listens.
///
/// There is one thread a core, each with connections of its own, whoever is free taking the next: a request is then read, run and
/// answered without waking another thread. What takes long has threads of its own.
pub fn serve(
    server: &McpServer,
    options: &HttpOptions,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    serve_beside(server, options, Router::new(), ready)
}

/// The same with further routes on the same address, such as the web reader's. They pass the check of the host name and
/// nothing else of the guard: who may call them is for the routes themselves to say.
pub fn serve_beside(
    server: &McpServer,
    options: &HttpOptions,
    beside: Router,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let end = Ending::new(options, CancellationToken::new(), server.stop());
    let first = lane()?;
    let metrics = Arc::clone(server.metrics());
    let face = first.block_on(Face::open(server.clone(), metrics, options, beside, &end))?;
    ready(face.address);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut others = Vec::new();
    for _ in 1..cores {
        let (runtime, face, end) = (lane()?, face.another()?, end.clone());
        others.push(thread::Builder::new().name("http".to_owned()).spawn(move || {
            let served = runtime.block_on(face.accept(&end));
            runtime.shutdown_background();
            served
        })?);
    }
    let mut served = first.block_on(async {
        let (ending, metrics) = (end.clone(), Arc::clone(server.metrics()));
        tokio::spawn(async move {
            told_to_end().await;
            ending.run(&metrics).await;
        });
        server.warm_up();
        face.accept(&end).await
    });
    end.closing.cancel();
    for other in others {
        served = other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)).and(served);
    }
    first.shutdown_background();
    Ok(served?)
}

fn lane() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Serves any handler behind the same guard: the conformance fixtures, which are no regulations, use it too.
#[doc(hidden)]
pub async fn serve_fixture(
    handler: impl ServerHandler + Clone,
    options: HttpOptions,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let end = Ending::new(&options, CancellationToken::new(), CancellationToken::new());
    serve_handler(handler, Arc::default(), options, end, ready).await
}

async fn serve_handler(
    handler: impl ServerHandler + Clone,
    metrics: Arc<Metrics>,
    options: HttpOptions,
    ending: Ending,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let face = Face::open(handler, Arc::clone(&metrics), &options, Router::new(), &ending).await?;
    ready(face.address);
    let (watched, closing) = (ending.clone(), ending.closing.clone());
    let watch = tokio::spawn(async move {
        closing.cancelled().await;
        watched.run(&metrics).await;
    });
    let served = face.accept(&ending).await;
    watch.abort();
    Ok(served?)
}

/// Where connections come in.
struct Face {
    listener: std::net::TcpListener,
    address: SocketAddr,
    router: Router,
    /// What answers a connection that found no other place: `/healthz` alone.
    health: Router,
    metrics: Arc<Metrics>,
    places: Places,
}

impl Face {
    /// Listens. Nobody is answered yet.
    async fn open(
        handler: impl ServerHandler + Clone,
        metrics: Arc<Metrics>,
        options: &HttpOptions,
        beside: Router,
        end: &Ending,
    ) -> Result<Self, ServeError> {
        let shown = format!("{}:{}", options.host, options.port);
        let listen = |source| ServeError::Listen { address: shown.clone(), source };
        let listener =
            TcpListener::bind((options.host.trim_matches(['[', ']']), options.port)).await.map_err(listen)?;
        let address = listener.local_addr()?;
        // The name may be anybody's; what counts is the address it stands for.
        if !is_loopback(address.ip()) && !options.gate().asks_for_token() {
            return Err(ServeError::TokenRequired { address: address.to_string() });
        }
        let (router, health) = router(handler, Arc::clone(&metrics), options, beside, address, end);
        let places = Places::new(options.max_connections);
        Ok(Self { listener: listener.into_std()?, address, router, health, metrics, places })
    }

    /// The same for another thread.
    fn another(&self) -> io::Result<Self> {
        let listener = self.listener.try_clone()?;
        // Not every system gives a copy the mode of what it is copied from.
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            address: self.address,
            router: self.router.clone(),
            health: self.health.clone(),
            metrics: Arc::clone(&self.metrics),
            places: self.places.clone(),
        })
    }

    /// Takes connections until `end`, then lets open requests finish for a while.
    async fn accept(self, end: &Ending) -> io::Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        let open = GracefulShutdown::new();
        loop {
            // Whoever comes when all places are taken, those for health checks too, waits in the system's queue.
            let next = async {
                self.places.wait().await;
                listener.accept().await
            };
            let accepted = tokio::select! {
                next = next => next,
                () = end.closing.cancelled() => break,
            };
            match accepted {
                Ok((stream, peer)) => {
                    // Another thread may have taken the place that was free: then the connection is closed.
                    let Some(place) = self.places.take(peer.ip()) else { continue };
                    let router = if place.is_spare() { &self.health } else { &self.router };
                    let patience = if place.is_spare() { HURRYING } else { SENDING };
                    let connection = open.watch(connection(stream, peer, router.clone(), patience));
                    let metrics = Arc::clone(&self.metrics);
                    metrics.connected();
                    tokio::spawn(async move {
                        let _place = place;
                        // A connection that breaks is the client's affair.
                        let _ = connection.await;
                        metrics.disconnected();
                    });
                }
                // Out of file handles, or reset before it was taken: wait a little rather than spin.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        // Whoever comes now is refused by the system at once, and does not wait for somebody to take the connection.
        drop(listener);
        // A session lives on the thread where it was opened, and its calls may come over connections of others: no thread
        // ends before the calls of all are over.
        let over = async {
            open.shutdown().await;
            end.cut.cancelled().await;
        };
        let _ = tokio::time::timeout(end.grace + FLUSHING * 2, over).await;
        Ok(())
    }
}

/// How a server ends: it takes nothing new from the first moment on, lets running calls finish for a while, ends those that
/// are left with an error that says so, and then cuts the streams.
#[derive(Debug, Clone)]
struct Ending {
    grace: Duration,
    closing: CancellationToken,
    /// Ends calls.
    stop: CancellationToken,
    /// Ends streams.
    cut: CancellationToken,
}

impl Ending {
    fn new(options: &HttpOptions, closing: CancellationToken, stop: CancellationToken) -> Self {
        Self { grace: options.grace, closing, stop, cut: CancellationToken::new() }
    }

    async fn run(&self, metrics: &Metrics) {
        self.closing.cancel();
        let over = async {
            while metrics.running() > 0 {
                tokio::time::sleep(LOOKING).await;
            }
        };
        let _ = tokio::time::timeout(self.grace, over).await;
        self.stop.cancel();
        // What was answered last is still on its way out.
        tokio::time::sleep(FLUSHING).await;
        self.cut.cancel();
    }
}

fn router(
    handler: impl ServerHandler + Clone,
    metrics: Arc<Metrics>,
    options: &HttpOptions,
    beside: Router,
    address: SocketAddr,
    end: &Ending,
) -> (Router, Router) {
    let sessions = Arc::new(LocalSessionManager::default());
    // Hosts and origins are the guard's business, for all routes alike.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(options.max_body_bytes)
        .with_cancellation_token(end.cut.child_token());
    let each = handler.clone();
    let streamable = StreamableHttpService::new(move || Ok(each.clone()), Arc::clone(&sessions), config);
    let legacy = sse::Sessions::new(handler, options.max_sessions, end.cut.clone());
    let guard = guard::Guard::new(options, address, metrics, sessions, legacy.count(), end.closing.clone());
    let healthz = || Router::new().route("/healthz", get(|| async { "ok\n" }));
    let busy = || async { (StatusCode::SERVICE_UNAVAILABLE, "too many connections\n") };
    let health = healthz().fallback(busy).layer(middleware::from_fn_with_state(guard.clone(), guard::check));
    let router = Router::new()
        .route_service("/mcp", streamable)
        .layer(middleware::map_response(filled_in))
        .merge(healthz())
        .route("/metrics", get(metrics_page).with_state(guard.clone()))
        .route("/sse", get(sse::open).with_state(legacy.clone()))
        .route("/message", post(sse::message).with_state(legacy))
        .layer(middleware::from_fn_with_state(guard.clone(), guard::check))
        .merge(beside.layer(middleware::from_fn_with_state(guard, guard::check_host)));
    (router, health)
}

/// Fills in the structured content of results. Every event and every answer is one frame of its body.
async fn filled_in(response: Response) -> Response {
    response.map(|body| {
        Body::new(
            body.map_frame(|frame| {
                frame.map_data(|data| structured::filled(&data).map_or(data, Bytes::from))
            }),
        )
    })
}

async fn metrics_page(State(guard): State<guard::Guard>) -> String {
    guard.metrics_page().await
}

type Connection = hyper::server::conn::http1::Connection<TokioIo<TcpStream>, TowerToHyperService<Addressed>>;

fn connection(stream: TcpStream, peer: SocketAddr, router: Router, patience: Duration) -> Connection {
    // Failing to set it costs time, not truth.
    let _ = stream.set_nodelay(true);
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(Addressed { router, peer }))
}

/// The router, with the peer's address put into every request.
#[derive(Clone)]
struct Addressed {
    router: Router,
    peer: SocketAddr,
}

impl tower_service::Service<hyper::Request<hyper::body::Incoming>> for Addressed {
    type Response = axum::response::Response;
    type Error = std::convert::Infallible;
    type Future = axum::routing::future::RouteFuture<std::convert::Infallible>;

    fn poll_ready(
        &mut self,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Result<(), std::convert::Infallible>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: hyper::Request<hyper::body::Incoming>) -> Self::Future {
        request.extensions_mut().insert(PeerAddress(self.peer));
        tower_service::Service::call(&mut self.router, request.map(axum::body::Body::new))
    }
}

/// Whether only this machine can reach an address.
fn is_loopback(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_loopback(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback()),
    }
}

/// Waits for Ctrl-C or the system's request to end.
pub(crate) async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Without a handler there is nothing to wait for but the end itself.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
