//! What can go wrong with an index.

use std::io;
use std::path::{Path, PathBuf};

use regreader_model::DomainError;
use regreader_store::StoreError;

/// An error of the index. The store is the truth, so most of these mend themselves by rebuilding.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// What was asked for is not in the library, or the question makes no sense.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The library could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refused.
    #[error("索引读写失败: {}: {source}", path.display())]
    Io {
        /// File or folder concerned.
        path: PathBuf,
        /// The system's own error.
        source: io::Error,
    },
    /// An index that is torn or from another version.
    #[error("索引已损坏: {}: {reason}", path.display())]
    Corrupt {
        /// File or folder concerned.
        path: PathBuf,
        /// Cause, for a person.
        reason: String,
    },
    /// The index was built with another embedding.
    #[error(
        "索引由嵌入模型 {built_with}（{built_dimension} 维）建立，而当前模型为 {model}（{dimension} 维）"
    )]
    ModelMismatch {
        /// Model of the index.
        built_with: String,
        /// Its dimension.
        built_dimension: usize,
        /// Model asked for.
        model: String,
        /// Its dimension.
        dimension: usize,
    },
    /// The embedding failed.
    #[error("嵌入失败: {0}")]
    Embedding(String),
    /// A backend that stands in a crate this program was built without.
    #[error("本程序未编入向量索引 {backend}")]
    NotInThisBuild {
        /// Backend concerned.
        backend: &'static str,
    },
    /// The library has changed, and the indexes do not hold all of it yet.
    #[error("索引正在更新：还有 {count} 部规程未编入或已过期")]
    Behind {
        /// How many regulations are missing or of another edition.
        count: usize,
    },
    /// A backend's own error.
    #[error("{backend}: {message}")]
    Backend {
        /// Which backend.
        backend: &'static str,
        /// What it said.
        message: String,
    },
}

impl IndexError {
    /// The system refused something at this place.
    pub fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    /// An index that cannot be used, and why.
    pub fn corrupt(path: &Path, reason: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_owned(), reason: reason.into() }
    }

    pub(crate) fn unknown_choice(name: &'static str, value: &str, known: &[&str]) -> Self {
        let shown: String = value.chars().take(40).collect();
        DomainError::InvalidArgument {
            name, reason: format!("没有 {shown:?}，可选: {}", known.join("、"))
        }
        .into()
    }

    /// A backend on a server, asked for without saying where the server is.
    pub(crate) fn needs_server(backend: &'static str) -> Self {
        Self::Backend { backend, message: "未设置服务器地址".to_owned() }
    }

    /// What a backend said of itself.
    pub fn backend(backend: &'static str, error: impl std::fmt::Display) -> Self {
        Self::Backend { backend, message: error.to_string() }
    }

    /// The same without the paths of this machine, for those who reach the library over a network.
    pub fn without_path(&self) -> String {
        match self {
            Self::Store(error) => error.without_path(),
            Self::Io { source, .. } => format!("索引读写失败: {}", source.kind()),
            Self::Corrupt { .. } => "索引已损坏".to_owned(),
            // What a library says about its files may name them.
            Self::Backend { backend, .. } if self.is_damage() => format!("{backend}: 索引读取失败"),
            other => other.to_string(),
        }
    }

    /// Whether building the index anew may mend this: it is torn, or a backend that keeps files failed on them.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Corrupt { .. } => true,
            Self::Backend { backend, .. } => matches!(*backend, "tantivy" | "fts5" | "bm25" | "flat"),
            _ => false,
        }
    }

    /// Whether the system refused because nothing can be written there.
    pub fn cannot_write(&self) -> bool {
        matches!(self, Self::Io { source, .. } if crate::storage::disk::cannot_write(source))
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Domain(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::Corrupt { .. } | Self::ModelMismatch { .. } => {
                Some("用 regreader reindex 重建索引".to_owned())
            }
            Self::Behind { .. } => Some("稍候片刻再查；若一直如此，运行 regreader reindex".to_owned()),
            Self::Io { source, .. } if crate::storage::disk::cannot_write(source) => {
                Some("用 REGREADER_INDEX_DIR 指定可写的目录".to_owned())
            }
            Self::NotInThisBuild { .. } => Some(
                "用带此索引的程序 regreader-full（cargo build --release --manifest-path backends/Cargo.toml）；\
                 或设 vector_index_backend=flat"
                    .to_owned(),
            ),
            Self::Backend { backend: "qdrant", .. } => Some(
                "检查 qdrant_url 和服务器状态；或设 keyword_index_backend=tantivy、vector_index_backend=flat"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}
