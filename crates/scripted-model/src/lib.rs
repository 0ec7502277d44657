//! A language model that says what a script says, for tests.
//!
//! It listens on loopback and speaks both wire formats, streamed or in one piece, with thinking, text and tool calls,
//! and it can fail in the ways real servers do: refuse, break off in the middle, send arguments that are no JSON. What
//! it was asked is kept, so that a test can look at it; keys are not.
//!
//! It knows nothing of regulations, and nothing of the client that it tests: a format that both got wrong in the same
//! way would go unnoticed if they shared code.

mod anthropic;
mod http;
mod openai;
mod script;
mod server;

pub use script::{Call, Fault, Raw, Script, Step, When};
pub use server::{Asked, ScriptedModel};
