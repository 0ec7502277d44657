//! All tests of the embedding models in one program, because linking one program for each file took longer than the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

mod http;
mod onnx;
mod static_model;
