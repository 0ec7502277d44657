//! All tests of reading documents in one program, because linking one program for each file took longer than the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

mod docx_pages;
mod docx_story;
mod hostile;
mod office_writer;
mod pdf_hostile;
mod pdf_support;
mod pdf_tables;
mod pdf_text;
