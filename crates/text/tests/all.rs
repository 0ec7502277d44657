//! All tests of the grammar of regulations in one program, because linking one program for each file took longer than the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

mod folding;
mod notes_and_captions;
mod numbering;
mod properties;
mod references;
mod tokens;
