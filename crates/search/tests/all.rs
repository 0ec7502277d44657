//! All tests of the indexes and the engine in one program, because linking one program for each file took longer than the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

mod common;
mod damage;
mod engine;
