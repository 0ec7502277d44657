//! All tests of context search in one program, because linking one program for each file took longer than the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

mod common;
mod fallback;
mod keywords;
mod lint;
mod manifest;
mod ordering;
mod robustness;
mod scoring;
mod source_examples;
