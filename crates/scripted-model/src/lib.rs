//! A language model that says what a script says, for tests.
//!
//! It listens on loopback and speaks both wire formats, streamed or in one piece, with thinking, text and tool calls,
//! and it can fail in the ways real servers do: refuse, break off in the middle, send arguments that are no JSON. What
//! it was asked is kept, so that a test can look at it; keys are not.
//!
//! It knows nothing of regulations, and nothing of the client that it tests: a format that both got wrong in the same
//! way would go unnoticed if they shared code.
//!
//! ```
//! use std::io::{Read as _, Write as _};
//! use regreader_scripted_model::{ScriptedModel, Step};
//!
//! let model = ScriptedModel::with([Step::text("限额为 520 万千瓦")]).unwrap();
//! let body = r#"{"model": "m", "messages": [{"role": "user", "content": "限额？"}]}"#;
//! let host = model.url().replace("http://", "");
//! let mut connection = std::net::TcpStream::connect(&host).unwrap();
//! write!(
//!     connection,
//!     "POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
//!     body.len()
//! ).unwrap();
//! let mut reply = String::new();
//! connection.read_to_string(&mut reply).unwrap();
//! assert!(reply.contains("限额为 520 万千瓦"));
//! assert!(model.asked()[0].last_message().contains("限额？"));
//! ```

mod anthropic;
mod http;
mod openai;
mod script;
mod server;

pub use script::{Call, Fault, Raw, Script, Step, When};
pub use server::{Asked, ScriptedModel};
