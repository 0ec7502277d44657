//! `/upload`: a file from an editor into the library.
//!
//! The body is the file itself and `?name=` its name. It is streamed to a file of its own under a bound on size, read by
//! another process under bounds on memory and time, and removed whatever happens. What comes back is one JSON object on a
//! line: pages read so far, then the result.

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures::StreamExt as _;
use regreader_messages::web as w;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::app::{Ctx, Shared, blocking};
use crate::backend::{Failure, FailureKind, IngestEvent, Upload};

/// The name of the file.
#[derive(Debug, Deserialize)]
pub struct Name {
    #[serde(default)]
    name: String,
}

/// A file in a folder of its own, which goes away with this value. The regulation is named after the file, so that must
/// keep its name.
struct Staged {
    folder: PathBuf,
    file: PathBuf,
}

impl Drop for Staged {
    fn drop(&mut self) {
        // A file that cannot be removed is no reason to fail; the folder is our own and is emptied at the next start.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Receives a file.
pub async fn receive(
    State(app): State<Shared>,
    ctx: Ctx,
    Query(name): Query<Name>,
    request: Request,
) -> Response {
    if !ctx.may_edit() {
        return (StatusCode::FORBIDDEN, ctx.lang.say(w::EDITOR_ONLY)).into_response();
    }
    let Ok(place) = Arc::clone(&app.uploading).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, ctx.lang.say(w::BUSY)).into_response();
    };
    let name = file_name(&name.name);
    let staged = match stage(&app, &name, request.into_body()).await {
        Ok(staged) => staged,
        Err(failure) => {
            let status = if failure.kind == FailureKind::Invalid {
                StatusCode::PAYLOAD_TOO_LARGE
            } else {
                StatusCode::INTERNAL_SERVER_ERROR
            };
            return (status, failure.message).into_response();
        }
    };
    let by = ctx.identity.map_or_else(|| "web".to_owned(), |identity| identity.name);
    let (send, receive) = mpsc::channel::<Value>(64);
    tokio::task::spawn_blocking(move || {
        let _place = place;
        let upload = Upload { path: staged.file.clone(), name, by };
        let tell = |value: Value| {
            let _ = send.blocking_send(value);
        };
        let done = app.backend.ingest(&upload, &mut |event: IngestEvent| {
            tell(json!({ "event": "page", "done": event.done, "total": event.total }));
        });
        tell(match done {
            Ok(report) => {
                json!({ "event": "done", "reg_id": report.reg_id, "change": report.change, "pages": report.pages })
            }
            Err(failure) => json!({ "event": "failure", "message": failure.message, "hint": failure.hint }),
        });
        drop(staged);
    });
    super::json_lines(receive)
}

/// Writes the body to a file of its own, never more than allowed.
async fn stage(app: &Shared, name: &str, body: Body) -> Result<Staged, Failure> {
    let broken = |error: std::io::Error| Failure::new(FailureKind::Broken, error.kind().to_string());
    let folder = app.options.upload_dir.join(uuid::Uuid::new_v4().simple().to_string());
    let staged = Staged { file: folder.join(name), folder: folder.clone() };
    let path = staged.file.clone();
    let mut file = blocking(app, move |_| {
        std::fs::create_dir_all(&folder).map_err(broken)?;
        std::fs::File::create_new(&path).map_err(broken)
    })
    .await?;
    let mut left = app.options.max_upload_bytes;
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Failure::new(FailureKind::Broken, "the upload broke off"))?;
        left = left.checked_sub(chunk.len() as u64).ok_or_else(|| {
            Failure::new(FailureKind::Invalid, format!("> {} MiB", app.options.max_upload_bytes >> 20))
        })?;
        file = blocking(app, move |_| {
            std::io::Write::write_all(&mut file, &chunk).map_err(broken)?;
            Ok(file)
        })
        .await?;
    }
    Ok(staged)
}

/// The last part of a name, with nothing in it that a path, a shell or a log could trip over. The format is found from
/// the content; the name is kept for people.
fn file_name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ' | '(' | ')' | '（' | '）') {
                c
            } else {
                '_'
            }
        })
        .take(80)
        .collect();
    let plain = plain.trim_matches(['.', ' ']);
    if plain.is_empty() { "upload".to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_uploads_are_plain() {
        for (given, kept) in [
            ("规程（2024）.pdf", "规程（2024）.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\temp\\a.docx", "a.docx"),
            ("a\"><script>.pdf", "a___script_.pdf"),
            ("..", "upload"),
            ("", "upload"),
        ] {
            assert_eq!(file_name(given), kept, "{given}");
        }
    }
}
