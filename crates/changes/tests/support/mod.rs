//! Sample regulations as plain blocks that can be edited, read back through the real pipeline, and judged: the truth of an
//! edit is known because the edit was made here.

// The benchmark and the tests each use a part of this.
#![allow(dead_code, clippy::unwrap_used)]

pub mod judge;
pub mod markup;
pub mod mutate;

use regreader_assemble::{AssembleOptions, assemble};
use regreader_model::Regulation;
use regreader_parse::{ParseOptions, parse};

/// The folder of the samples.
pub fn samples() -> std::path::PathBuf {
    std::path::Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../samples")
}

/// Reads a document the way the program does.
pub fn read(bytes: &[u8], file_name: &str, reg_id: &str) -> Regulation {
    let parsed = parse(bytes, file_name, &ParseOptions::default()).unwrap();
    assemble(parsed.document, parsed.diagnostics, &AssembleOptions::new(reg_id.parse().unwrap(), file_name))
}
