//! The command line: one binary under two names, `regreader` and `gridcode`.
//!
//! This crate owns the commands, the settings, the ingest pipeline and the wiring of the library crates; only it joins
//! parsing to the store. What a command computes lives in the crates below; what it prints lives here.
//!
//! A run is: arguments are parsed, settings resolved from four layers ([`settings`]), the command opens the library and the
//! indexes as far as it needs them, and prints data to stdout and everything else to stderr. An error becomes one line
//! `error:`, a line `hint:` and an exit code.
//!
//! ```
//! use regreader::settings::{Layers, Settings};
//!
//! let flags = vec![("mcp_port".to_owned(), "9000".to_owned())];
//! let layers = Layers::from_parts(flags, Default::default(), Vec::new()).unwrap();
//! let settings = Settings::resolve(&layers).unwrap();
//! assert_eq!((settings.mcp_port, settings.fusion.as_str()), (9000, "adaptive"));
//! assert!(Layers::from_parts(vec![("prot".into(), "1".into())], Default::default(), Vec::new()).is_err());
//! ```

mod allocator;
mod assistant;
mod cli;
mod commands;
mod embedding;
mod engine;
mod failure;
mod grid;
mod markdown;
pub mod models;
mod output;
pub mod pipeline;
mod samples;
pub mod settings;
mod source;
mod web;

use std::process::ExitCode;

use clap::Parser;
use regreader_index::AddedBackend;

/// Pages, indexes and results are made of very many small strings.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the program: parses arguments, runs the command, prints errors as `error:` and `hint:`.
pub fn main() -> ExitCode {
    main_with(&[])
}

/// A panic in an index is caught and the index built anew; what it would print looks like a crash and is none.
fn keep_caught_panics_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !regreader_index::catches_panics() {
            usual(panic);
        }
    }));
}

/// The same for a program that links further vector indexes.
pub fn main_with(backends: &'static [&'static AddedBackend]) -> ExitCode {
    engine::add_backends(backends);
    keep_caught_panics_quiet();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    match commands::run(cli) {
        Ok(code) => code,
        Err(error) => failure::report(&error),
    }
}
