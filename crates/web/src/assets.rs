//! The files that the browser gets besides pages: one style sheet, a few modules, an icon. Embedded as they are committed.
//!
//! Addresses carry a hash of the content, so browsers may keep a file for ever and never show an old one.

use std::sync::OnceLock;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! asset {
    ($name:literal, $kind:expr) => {
        Asset { name: $name, kind: $kind, bytes: include_bytes!(concat!("../static/", $name)) }
    };
}

const ASSETS: [Asset; 9] = [
    asset!("style.css", "text/css; charset=utf-8"),
    asset!("common.js", SCRIPT),
    asset!("library.js", SCRIPT),
    asset!("reader.js", SCRIPT),
    asset!("search.js", SCRIPT),
    asset!("ask.js", SCRIPT),
    asset!("table.js", SCRIPT),
    asset!("compare.js", SCRIPT),
    asset!("icon.svg", "image/svg+xml"),
];

/// Modules import each other by plain names, so one hash over all of them names every one: no file can be served with
/// an older version of another.
fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let mut hasher = blake3::Hasher::new();
        for asset in &ASSETS {
            hasher.update(asset.bytes);
        }
        hasher.finalize().to_hex().chars().take(12).collect()
    })
}

/// The address of an asset.
pub fn address(name: &str) -> String {
    format!("/static/{}/{name}", version())
}

/// Serves an asset. Only the current version is known.
pub fn serve(wanted: &str, name: &str) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name && wanted == version()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = asset.bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page, the style sheet and every module together must stay far below the bar of 60 kB compressed.
    #[test]
    fn assets_are_light_and_fetch_nothing() {
        let total: usize = ASSETS.iter().map(|asset| asset.bytes.len()).sum();
        assert!(total < 120_000, "{total} bytes of assets");
        for asset in &ASSETS {
            let text = std::str::from_utf8(asset.bytes).unwrap();
            let outside = text.matches("://").count() - text.matches("http://www.w3.org/2000/svg").count();
            assert_eq!(outside, 0, "{} names another host", asset.name);
            assert!(!text.contains("eval(") && !text.contains("document.write"), "{}", asset.name);
        }
    }

    #[test]
    fn only_the_current_version_is_served() {
        assert_eq!(serve(version(), "style.css").status(), StatusCode::OK);
        assert_eq!(serve("0", "style.css").status(), StatusCode::NOT_FOUND);
        assert_eq!(serve(version(), "../Cargo.toml").status(), StatusCode::NOT_FOUND);
    }
}
