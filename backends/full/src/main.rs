//! RegReader with the vector backend that the default build leaves out.

use std::process::ExitCode;

use regreader_index::AddedBackend;

static BACKENDS: [&AddedBackend; 1] = [&regreader_lancedb::BACKEND];

fn main() -> ExitCode {
    regreader::main_with(&BACKENDS)
}
