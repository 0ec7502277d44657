//! The router: which address is answered by what, and what every request must pass.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Path, Query, Request, State};
use axum::http::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use regreader_messages::{Language, chosen, web as w};
use tokio::sync::{Semaphore, oneshot};

use crate::access::{self, SESSION_COOKIE, Sessions};
use crate::assets;
use crate::backend::{Backend, Failure, FailureKind, Identity, Role};
use crate::handlers::{self, answers::Answers};
use crate::pool::Pool;
use crate::views;

/// How the reader is set up.
#[derive(Debug, Clone)]
pub struct WebOptions {
    /// Largest upload in bytes.
    pub max_upload_bytes: u64,
    /// Folder for uploads on their way into the library.
    pub upload_dir: std::path::PathBuf,
}

/// What all requests share.
pub struct App {
    pub backend: Arc<dyn Backend>,
    pub options: WebOptions,
    pub sessions: Sessions,
    pub answers: Answers,
    /// One upload at a time: reading a file takes all cores.
    pub uploading: Arc<Semaphore>,
    threads: Threads,
}

/// The threads that work for readers. Pictures and answers have threads of their own, so that a view never waits for a page
/// to be drawn or for a language model.
struct Threads {
    views: Pool,
    pictures: Pool,
    answers: Pool,
}

/// Answers that are made at the same time: mostly they wait for a model.
const MAX_ANSWERS: usize = 8;

impl Threads {
    fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self { views: Pool::new(cores + 1), pictures: Pool::new(cores + 1), answers: Pool::new(MAX_ANSWERS) }
    }
}

pub type Shared = Arc<App>;

/// Nothing but our own files; no inline script or style, no frame, no plugin, no form to elsewhere.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// Forms are small.
const MAX_FORM_BYTES: usize = 64 << 10;

/// The reader over a backend.
pub fn router(backend: Arc<dyn Backend>, options: WebOptions) -> Router {
    let app = Arc::new(App {
        backend,
        options,
        sessions: Sessions::default(),
        answers: Answers::default(),
        uploading: Arc::new(Semaphore::new(1)),
        threads: Threads::new(),
    });
    Router::new()
        .route("/", get(handlers::library::show))
        .route("/search", get(handlers::search::show))
        .route("/ask", get(handlers::ask::show).post(handlers::ask::post))
        .route("/ask/stream", post(handlers::ask::stream))
        .route("/ask/{id}", get(handlers::ask::kept))
        .route(
            "/ask/{id}/{file}",
            get(|State(app): State<Shared>, ctx: Ctx, Path((id, file)): Path<(String, String)>| async move {
                handlers::ask::export(&app, &ctx, &id, &file)
            }),
        )
        .route("/compare", get(handlers::compare::show))
        .route("/compare/{file}", get(handlers::compare::document))
        .route("/impact", get(handlers::impact::show))
        .route("/r/{reg}", get(|Path(reg): Path<String>| async move { handlers::reader::first(&reg) }))
        .route("/r/{reg}/p", get(handlers::reader::jump))
        .route("/r/{reg}/p/{page}", get(handlers::reader::show))
        .route("/r/{reg}/p/{page}/sheet", get(handlers::reader::sheet))
        .route("/r/{reg}/p/{page}/picture", get(handlers::reader::picture))
        .route("/r/{reg}/peek", get(handlers::reader::peek))
        .route("/r/{reg}/go", get(handlers::reader::follow))
        .route("/r/{reg}/t", get(handlers::table::list))
        .route("/r/{reg}/t/{table}", get(handlers::table::show))
        .route("/r/{reg}/t/{table}/{file}", get(handlers::table::download))
        .route("/r/{reg}/quality", get(handlers::quality::show).post(handlers::quality::review))
        .route("/r/{reg}/edit", get(handlers::edit::show).post(handlers::edit::save))
        .route("/r/{reg}/in/{other}", get(handlers::editions::same_place))
        .route("/prefs", get(|Query(prefs): Query<handlers::Prefs>| async move { handlers::prefs(&prefs) }))
        .route(
            "/login",
            get(|ctx: Ctx, Query(query): Query<handlers::LoginQuery>| async move {
                handlers::login(&ctx, &query)
            })
            .post(handlers::sign_in),
        )
        .route(
            "/logout",
            post(|State(app): State<Shared>, headers: HeaderMap| async move {
                handlers::sign_out(&app, &headers)
            }),
        )
        .route(
            "/static/{version}/{name}",
            get(
                |Path((version, name)): Path<(String, String)>| async move { assets::serve(&version, &name) },
            ),
        )
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
        // Streamed to disk with a bound of its own.
        .route("/upload", post(handlers::upload::receive).layer(DefaultBodyLimit::disable()))
        .fallback(|ctx: Ctx| async move {
            ctx.failure(&Failure::new(FailureKind::NotFound, ctx.lang.say(w::NOT_FOUND)))
        })
        .layer(middleware::from_fn_with_state(Arc::clone(&app), check))
        .with_state(app)
}

/// What every request passes: who asks, whether another site made them, and the headers of the answer.
async fn check(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_free = path.starts_with("/static/") || path == "/login" || path == "/prefs";
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let identity = identify(&app, request.headers());
    let mut response = if !is_read && !access::is_same_origin(request.headers()) {
        StatusCode::FORBIDDEN.into_response()
    } else if identity.is_none() && !is_free {
        if is_read {
            let ctx = Ctx::of(request.headers(), request.uri(), None);
            let to = ctx.here.clone();
            (StatusCode::UNAUTHORIZED, Html(views::login::page(&ctx, &to, false).into_string()))
                .into_response()
        } else {
            StatusCode::UNAUTHORIZED.into_response()
        }
    } else {
        request.extensions_mut().insert(Asker(identity));
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // Not `no-referrer`: browsers then send `Origin: null` with the reader's own forms.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static("same-origin"));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
    response
}

fn identify(app: &App, headers: &HeaderMap) -> Option<Identity> {
    let session = access::cookie(headers, SESSION_COOKIE).and_then(|id| app.sessions.token(id));
    session.and_then(|token| app.backend.authenticate(&token)).or_else(|| app.backend.anonymous())
}

/// Who asks, as the check found out.
#[derive(Clone)]
struct Asker(Option<Identity>);

/// The language that the browser asks for, Chinese when it asks for neither. Weights are honoured only by order, which is
/// how browsers send them.
fn of_browser(headers: &HeaderMap) -> Language {
    let wanted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    wanted.split(',').find_map(|tag| Language::from_tag(tag.trim())).unwrap_or_default()
}

/// What a view needs to know about the request: language, colours, who asks and where they are.
#[derive(Debug, Clone)]
pub struct Ctx {
    pub lang: Language,
    /// `dark` or `light` where it was chosen; else the system decides.
    pub theme: Option<&'static str>,
    pub identity: Option<Identity>,
    /// Path and query of this view.
    pub here: String,
    /// A page of another site led here, or is fetching this.
    pub cross_site: bool,
}

impl Ctx {
    /// The context of a request.
    fn of(headers: &HeaderMap, uri: &axum::http::Uri, identity: Option<Identity>) -> Self {
        let lang = access::cookie(headers, "lang").and_then(Language::from_tag);
        let theme = match access::cookie(headers, "theme") {
            Some("dark") => Some("dark"),
            Some("light") => Some("light"),
            _ => None,
        };
        Self {
            lang: lang.or_else(chosen).unwrap_or_else(|| of_browser(headers)),
            theme,
            identity,
            here: uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string),
            cross_site: access::is_cross_site(headers),
        }
    }

    /// Whether uploads and reviews are allowed.
    pub fn may_edit(&self) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.role >= Role::Editor)
    }

    /// A failure as a page.
    pub fn failure(&self, failure: &Failure) -> Response {
        let status = match failure.kind {
            FailureKind::NotFound | FailureKind::NotDrawable => StatusCode::NOT_FOUND,
            FailureKind::Invalid => StatusCode::BAD_REQUEST,
            FailureKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
            FailureKind::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Html(views::error::page(self, failure).into_string())).into_response()
    }
}

impl FromRequestParts<Shared> for Ctx {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Self::Rejection> {
        let identity = parts.extensions.get::<Asker>().and_then(|asker| asker.0.clone());
        Ok(Self::of(&parts.headers, &parts.uri, identity))
    }
}

/// Makes a view on a thread that may block.
pub async fn blocking<T: Send + 'static>(
    app: &Shared,
    work: impl FnOnce(&App) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    on_a_thread(app, &app.threads.views, work).await
}

/// The same for the picture of a page.
pub async fn drawing<T: Send + 'static>(
    app: &Shared,
    work: impl FnOnce(&App) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    on_a_thread(app, &app.threads.pictures, work).await
}

/// The same for an answer.
pub async fn answering<T: Send + 'static>(
    app: &Shared,
    work: impl FnOnce(&App) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    on_a_thread(app, &app.threads.answers, work).await
}

async fn on_a_thread<T: Send + 'static>(
    app: &Shared,
    threads: &Pool,
    work: impl FnOnce(&App) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (send, done) = oneshot::channel();
    let own = Arc::clone(app);
    threads.run(move || {
        // A reader who has gone away needs no answer.
        let _ = send.send(work(&own));
    });
    done.await.unwrap_or_else(|_| Err(Failure::new(FailureKind::Broken, "a worker thread failed")))
}

/// A view, or the failure as a page.
pub fn page(ctx: &Ctx, view: Result<maud::Markup, Failure>) -> Response {
    match view {
        Ok(markup) => Html(markup.into_string()).into_response(),
        Err(failure) => ctx.failure(&failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_chooses_the_language_by_order() {
        let mut headers = HeaderMap::new();
        assert_eq!(of_browser(&headers), Language::Chinese);
        for (value, language) in [
            ("zh-CN,zh;q=0.9,en;q=0.8", Language::Chinese),
            ("en-GB,en;q=0.9", Language::English),
            ("de,en;q=0.5", Language::English),
            ("fr", Language::Chinese),
        ] {
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(value));
            assert_eq!(of_browser(&headers), language, "{value}");
        }
    }
}
