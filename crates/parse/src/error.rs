//! Why a file could not be opened.

use regreader_model::SourceFormat;

/// A file that cannot be read at all. Damage to a part of it is a diagnostic instead.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// Zero bytes.
    #[error("文件为空 (0 bytes)")]
    Empty,
    /// Nothing we read.
    #[error("无法识别的文件格式 (unknown format)")]
    UnknownFormat,
    /// Damaged beyond reading.
    #[error("{} 文件已损坏: {reason}", format.name())]
    Malformed {
        /// What it looked like.
        format: SourceFormat,
        /// What is broken.
        reason: String,
    },
    /// Locked, and the password is missing or wrong.
    #[error("文件已加密，需要正确的密码 (encrypted)")]
    Encrypted,
    /// Opened, but there is nothing inside.
    #[error("文件中没有任何页面 (0 pages)")]
    NoPages,
    /// A limit that protects the machine was passed.
    #[error("超出限制: {what} (上限 {limit})")]
    LimitExceeded {
        /// What was limited, for example pages or bytes; shown to a person.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
}
