//! Writing exchanges down, so that real traffic can be replayed in tests.
//!
//! One JSON object on a line: what was asked, and the response as the scripted model server can play it back. Headers
//! that were sent are not written at all; keys that a body or a response quotes are masked.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::LlmConfig;
use crate::secret::scrub;

/// Appends an exchange. What cannot be written is lost without disturbing the call: a recording is an aid, not a
/// record of anything.
pub fn append(
    path: &Path,
    config: &LlmConfig,
    request: &Value,
    status: u16,
    content_type: &str,
    body: &[u8],
) {
    let hide = |text: &str| scrub(text, config.secrets());
    let request = serde_json::from_str::<Value>(&hide(&request.to_string())).unwrap_or(Value::Null);
    let line = json!({
        "request": { "path": path_of(&config.endpoint()), "body": request },
        "raw": { "status": status, "content_type": content_type, "body": hide(&String::from_utf8_lossy(body)) },
    });
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    // What was asked and answered is nobody else's to read.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if let Ok(mut file) = options.open(path) {
        // The mode counts for a new file only; one of an earlier version may be open to everybody.
        #[cfg(unix)]
        let _ = file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600));
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

/// The address without host, user and query.
fn path_of(url: &str) -> String {
    let after = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after.split_once('/').map_or("", |(_, path)| path);
    format!("/{}", path.split(['?', '#']).next().unwrap_or_default())
}
