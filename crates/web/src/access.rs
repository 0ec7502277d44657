//! Who asks, and whether the request may be answered: sessions, cookies, cross-site requests.
//!
//! A token is typed once and exchanged for an HttpOnly, SameSite=Strict cookie, because neither an `<img>` nor a plain
//! link can carry a bearer token. The cookie is a random name for a session that is kept in memory; the token itself is
//! checked again with every request, so that a token which is withdrawn ends its sessions.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName};

/// Sessions at the same time; the oldest goes first.
const MAX_SESSIONS: usize = 1_000;
/// A shift, and some.
const LIFETIME: Duration = Duration::from_hours(12);
/// Name of the session cookie.
pub const SESSION_COOKIE: &str = "regreader_session";

/// Sessions by the value of their cookie.
#[derive(Debug, Default)]
pub struct Sessions {
    open: Mutex<HashMap<String, Session>>,
}

#[derive(Debug)]
struct Session {
    token: String,
    since: Instant,
}

impl Sessions {
    /// Opens a session for a token that was found right, and gives the value of its cookie.
    pub fn open(&self, token: &str) -> String {
        let id = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, session| session.since.elapsed() < LIFETIME);
        while open.len() >= MAX_SESSIONS {
            let oldest = open.iter().min_by_key(|(_, session)| session.since).map(|(id, _)| id.clone());
            let Some(oldest) = oldest else { break };
            open.remove(&oldest);
        }
        open.insert(id.clone(), Session { token: token.to_owned(), since: Instant::now() });
        id
    }

    /// The token of a session.
    pub fn token(&self, id: &str) -> Option<String> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.get(id).filter(|session| session.since.elapsed() < LIFETIME).map(|session| session.token.clone())
    }

    /// Ends a session.
    pub fn close(&self, id: &str) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

/// The value of a cookie.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(';')).find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        (key.trim() == name).then(|| value.trim())
    })
}

/// The `Set-Cookie` line of a session; an empty value ends it.
pub fn session_cookie(id: &str) -> String {
    let age = if id.is_empty() { 0 } else { LIFETIME.as_secs() };
    format!("{SESSION_COOKIE}={id}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}")
}

/// Whether a request that changes something comes from a page of this very reader. Browsers send `Origin` with every
/// post; a request without one, or with another one, is refused.
pub fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let (Some(origin), Some(host)) = (text(ORIGIN), text(HOST)) else { return false };
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

/// Whether a browser says that the request was caused by a page of another site.
pub fn is_cross_site(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    site.is_some_and(|site| site != "same-origin" && site != "none")
}

/// An address to go back to: within the reader only.
pub fn local_address(wanted: &str) -> &str {
    let is_local = wanted.starts_with('/')
        && !wanted.starts_with("//")
        && !wanted.contains('\\')
        && !wanted.chars().any(char::is_control);
    if is_local { wanted } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_pages_of_this_reader_may_change_something() {
        assert!(is_same_origin(&headers(&[("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080")])));
        for (origin, host) in [
            ("http://evil.example", "127.0.0.1:8080"),
            ("http://127.0.0.1:8081", "127.0.0.1:8080"),
            ("null", "127.0.0.1:8080"),
            ("http://127.0.0.1:8080.evil.example", "127.0.0.1:8080"),
        ] {
            assert!(!is_same_origin(&headers(&[("origin", origin), ("host", host)])), "{origin}");
        }
        assert!(!is_same_origin(&headers(&[("host", "127.0.0.1:8080")])), "no Origin at all");
    }

    #[test]
    fn sessions_are_unguessable_end_and_are_bounded() {
        let sessions = Sessions::default();
        let first = sessions.open("secret");
        assert_eq!(first.len(), 64);
        assert_eq!(sessions.token(&first).as_deref(), Some("secret"));
        assert_eq!(sessions.token("forged"), None);
        sessions.close(&first);
        assert_eq!(sessions.token(&first), None);
        let ids: Vec<String> = (0..MAX_SESSIONS + 5).map(|_| sessions.open("t")).collect();
        assert!(sessions.token(&ids[0]).is_none() && sessions.token(&ids[MAX_SESSIONS]).is_some());
    }

    #[test]
    fn cookies_and_ways_back() {
        let headers = headers(&[("cookie", "a=1; regreader_session=abc ; lang=en")]);
        assert_eq!(cookie(&headers, SESSION_COOKIE), Some("abc"));
        assert_eq!(cookie(&headers, "session"), None);
        assert_eq!(local_address("/r/a/p/3?b=x"), "/r/a/p/3?b=x");
        for bad in ["https://evil.example", "//evil.example", "/\\evil", "", "javascript:x", "/a\r\nb"] {
            assert_eq!(local_address(bad), "/", "{bad:?}");
        }
    }
}
