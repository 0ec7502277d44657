//! Forms as the reader's own pages send them.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::de::DeserializeOwned;

/// The fields of a form. A body that is too long or no form is refused.
pub struct Form<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Form<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let body =
            Bytes::from_request(request, state).await.map_err(axum::response::IntoResponse::into_response)?;
        let fields = serde_urlencoded::from_bytes(&body);
        fields
            .map(Self)
            .map_err(|error| (StatusCode::UNPROCESSABLE_ENTITY, error.to_string()).into_response())
    }
}
