//! The tests of this crate as one program.

#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up should fail")]

mod impact;
mod mutations;
mod samples;
mod support;
