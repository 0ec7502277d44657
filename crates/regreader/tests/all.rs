//! All tests of the program as its users meet it in one program, because linking one program for each file took longer than the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

mod agents;
#[path = "../../../tests/support/case_files.rs"]
mod case_files;
mod cases;
mod cli;
mod corpus;
mod editions;
mod eval;
mod manners;
mod mcp;
mod memory;
mod ocr;
#[cfg(feature = "pdfium")]
mod pdfium;
mod proof;
mod qdrant;
mod sample;
mod samples;
#[path = "../../index/tests/server/mod.rs"]
mod server;
mod upgrade;
mod web;
