//! The server as its clients meet it: the acceptance lines over stdio and HTTP on the sample library, the protocol on the
//! wire, the security of the HTTP face, and ten thousand calls that nobody should make.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

mod acceptance;
mod commands;
#[cfg(unix)]
mod ending;
mod hostile;
mod protocol;
mod security;
pub mod support;
