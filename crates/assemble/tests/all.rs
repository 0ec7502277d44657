//! All tests of assembling pages into regulations in one program, because linking one program for each file took longer than the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

mod captions;
#[path = "../../../tests/support/case_files.rs"]
mod case_files;
mod cases;
mod chapters;
mod identity;
mod notes_and_references;
mod pages;
mod properties;
mod support;
mod tables;
