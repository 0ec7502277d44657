//! From an address to a view: reads the request, asks the backend on a thread that may block, shows the result.

pub mod answers;
pub mod ask;
pub mod compare;
pub mod edit;
pub mod editions;
pub mod impact;
pub mod library;
pub mod quality;
pub mod reader;
pub mod search;
pub mod table;
pub mod upload;

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use regreader_messages::Language;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::access::{self, SESSION_COOKIE};
use crate::app::{Ctx, Shared, blocking};
use crate::form::Form;
use crate::views;

/// Preferences that a link sets: cookies of this browser, nothing on the server.
#[derive(Debug, Deserialize)]
pub struct Prefs {
    lang: Option<String>,
    theme: Option<String>,
    to: Option<String>,
}

/// Sets the language or the colours and goes back.
pub fn prefs(prefs: &Prefs) -> Response {
    let mut response = see_other(access::local_address(prefs.to.as_deref().unwrap_or("/")));
    let lang = prefs.lang.as_deref().and_then(Language::from_tag).map(|lang| ("lang", lang.name()));
    let theme = match prefs.theme.as_deref() {
        Some("dark") => Some(("theme", "dark")),
        Some("light") => Some(("theme", "light")),
        _ => None,
    };
    for (name, value) in lang.into_iter().chain(theme) {
        let cookie = format!("{name}={value}; Path=/; SameSite=Lax; Max-Age=31536000");
        if let Ok(cookie) = cookie.parse() {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
    }
    response
}

/// Where to go after signing in.
#[derive(Debug, Deserialize)]
pub struct LoginQuery {
    to: Option<String>,
}

/// The form for a token.
pub fn login(ctx: &Ctx, query: &LoginQuery) -> Html<String> {
    Html(views::login::page(ctx, query.to.as_deref().unwrap_or("/"), false).into_string())
}

/// A token, as typed.
#[derive(Deserialize)]
pub struct Credentials {
    token: String,
    to: Option<String>,
}

/// Exchanges a token for a session.
pub async fn sign_in(State(app): State<Shared>, ctx: Ctx, Form(form): Form<Credentials>) -> Response {
    let token = form.token.trim().to_owned();
    let to = access::local_address(form.to.as_deref().unwrap_or("/")).to_owned();
    let given = token.clone();
    // Hashing and reading the token file may block.
    let known = blocking(&app, move |app| Ok(app.backend.authenticate(&given))).await.ok().flatten();
    if known.is_none() {
        let page = views::login::page(&ctx, &to, true).into_string();
        return (StatusCode::UNAUTHORIZED, Html(page)).into_response();
    }
    let mut response = see_other(&to);
    if let Ok(cookie) = access::session_cookie(&app.sessions.open(&token)).parse() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// Ends the session.
pub fn sign_out(app: &Shared, headers: &HeaderMap) -> Response {
    if let Some(id) = access::cookie(headers, SESSION_COOKIE) {
        app.sessions.close(id);
    }
    let mut response = see_other("/login");
    if let Ok(cookie) = access::session_cookie("").parse() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// What a long call says as it gets on: one JSON object on a line.
fn json_lines(receive: mpsc::Receiver<Value>) -> Response {
    let lines = futures::stream::unfold(receive, |mut receive| async move {
        let value = receive.recv().await?;
        Some((Ok::<_, Infallible>(Bytes::from(format!("{value}\n"))), receive))
    });
    ([(CONTENT_TYPE, "application/x-ndjson; charset=utf-8")], Body::from_stream(lines)).into_response()
}

/// Goes elsewhere in the reader with a GET.
pub fn see_other(to: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(to) = to.parse() {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}
