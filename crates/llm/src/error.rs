//! How a call fails.

use std::time::Duration;

/// A call that failed. No variant can hold a key: texts of the server are scrubbed before they get here.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The caller ended it.
    #[error("已中断")]
    Cancelled,
    /// The server cannot be reached.
    #[error("无法连接模型服务: {reason}")]
    Connect {
        /// What went wrong with the connection, as the transport reports it.
        reason: String,
    },
    /// The server said no.
    #[error("模型服务返回 {status}: {message}")]
    Status {
        /// HTTP status.
        status: u16,
        /// What it said.
        message: String,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// The stream broke off before the response was complete.
    #[error("模型的响应中断: {reason}")]
    Cut {
        /// What broke the stream, for example that it ended before `message_stop`.
        reason: String,
    },
    /// Nothing came for too long.
    #[error("模型在 {} 秒内没有响应", .after.as_secs())]
    Silent {
        /// How long.
        after: Duration,
    },
    /// A response that is none.
    #[error("无法读懂模型的响应: {reason}")]
    BadResponse {
        /// What is wrong with the response.
        reason: String,
    },
    /// The configuration cannot work.
    #[error("模型设置无效: {reason}")]
    Config {
        /// What is wrong with the configuration.
        reason: String,
    },
}

impl LlmError {
    /// Whether the same request may well succeed a little later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 409 | 425 | 429 | 500..=599),
            Self::Connect { .. } | Self::Cut { .. } | Self::Silent { .. } => true,
            Self::Cancelled | Self::BadResponse { .. } | Self::Config { .. } => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Status { status: 401 | 403, .. } => "检查 REGREADER_LLM_API_KEY",
            Self::Status { status: 404, .. } => "检查 REGREADER_LLM_BASE_URL 与 REGREADER_LLM_MODEL_NAME",
            Self::Status { status: 429, .. } => "服务限流，请稍后再试；或用 --agent offline",
            Self::Status { status: 500.., .. } | Self::Cut { .. } | Self::Silent { .. } => {
                "服务暂时不可用，请稍后再试；或用 --agent offline"
            }
            Self::Connect { .. } => "检查 REGREADER_LLM_BASE_URL 与代理设置；或用 --agent offline",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}
