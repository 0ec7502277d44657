//! The agents as a person meets them: the program, a scripted model behind a real socket, the sample library.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

pub mod bench;
mod chat;
mod enrich;
mod faults;
mod lies;
mod program;
mod questions;
