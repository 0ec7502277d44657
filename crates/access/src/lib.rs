//! Who may call a server, and as what.
//!
//! A token file lists named tokens, each with a role and the hash of its secret. The secret itself is shown once, when
//! the token is made, and is stored nowhere. The MCP server and the web reader put the same [`Gate`] in front of their
//! routes: it turns an `Authorization` header into a [`Caller`], whose name goes into the audit log.
//!
//! ```
//! use regreader_access::{Gate, Role, TokenFile};
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("tokens.json");
//! let secret = TokenFile::add(&path, "control-room", Role::Reader, "2026-11-16").unwrap();
//!
//! let gate = Gate::new(None, Some(path));
//! let caller = gate.authorize(Some(&format!("Bearer {secret}"))).unwrap();
//! assert_eq!(caller.name, "control-room");
//! assert!(!caller.role.may_edit());
//! assert!(gate.authorize(None).is_err());
//! ```
//!
//! This crate knows no HTTP and no library; it reads and writes one file.

mod gate;
mod tokens;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use gate::{Denied, Gate};
pub use tokens::{AccessError, TokenEntry, TokenFile};

/// What the holder of a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Search, read and ask.
    Reader,
    /// The same, and change the library: upload, describe, delete.
    Editor,
}

impl Role {
    /// Every role, for help texts.
    pub const ALL: [Self; 2] = [Self::Reader, Self::Editor];

    /// Whether the library may be changed.
    pub fn may_edit(self) -> bool {
        self == Self::Editor
    }

    /// The name used in the token file and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Editor => "editor",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = AccessError;

    fn from_str(name: &str) -> Result<Self, AccessError> {
        Self::ALL
            .into_iter()
            .find(|role| role.name() == name)
            .ok_or_else(|| AccessError::UnknownRole { name: name.chars().take(40).collect() })
    }
}

/// Whoever sent a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Name of the token, or [`Caller::LOCAL`] where none is asked for.
    pub name: String,
    /// What the caller may do.
    pub role: Role,
}

impl Caller {
    /// Name of a caller on a server that asks for no token, which listens on this machine alone.
    pub const LOCAL: &'static str = "local";
    /// Name of the one token that stands in the settings rather than in a token file.
    pub const SETTING: &'static str = "mcp_token";
}
