//! Development tasks: `cargo xtask tidy | bless | bench | dist | browser | clients | conformance | interop | local-model`.

mod bench;
mod bench_mcp;
mod browser;
mod clients;
mod conformance;
mod dist;
mod fuzz;
mod generated;
mod interop;
mod local_model;
mod packages;
mod programs;
mod public;
mod supply;
mod tally;
mod tidy;
mod wording;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Development tasks.
#[derive(Parser)]
#[command(name = "xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Make what a release consists of: programs for each target, packages, container, air-gap bundle
    Dist(dist::DistArgs),
    /// Check what the compiler does not: crate table, dependencies, file lengths, charters, generated docs
    Tidy,
    /// Write the generated docs anew
    Bless,
    /// Run the programs of the agent frameworks against the server and a scripted model
    Interop,
    /// Run a benchmark and print its result
    Bench(bench::BenchArgs),
    /// Run the fuzz targets, guided by coverage, for a bounded time each
    Fuzz(fuzz::FuzzArgs),
    /// Drive a real browser through every screen of the web reader
    Browser(browser::BrowserArgs),
    /// Run real MCP clients against the server
    Clients,
    /// Run the MCP conformance suite against fixtures
    Conformance,
    /// Let a real small language model take a tool-calling turn (downloads 190 MB, computes for minutes)
    LocalModel,
}

fn main() -> Result<()> {
    match Cli::parse().task {
        Task::Dist(args) => dist::run(&args),
        Task::Tidy => tidy::run(),
        Task::Bless => generated::bless(),
        Task::Interop => interop::run(),
        Task::Bench(args) => bench::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Browser(args) => browser::run(&args),
        Task::Clients => clients::run(),
        Task::Conformance => conformance::run(),
        Task::LocalModel => local_model::run(),
    }
}

/// The root of the repository.
fn root() -> std::path::PathBuf {
    // As cargo says now: a build that is kept in a cache may have been made in another clone.
    let now = std::env::var_os("CARGO_MANIFEST_DIR").map(std::path::PathBuf::from);
    let manifest = now.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    // The manifest of this package lies one folder below the root.
    manifest.parent().unwrap_or(&manifest).to_owned()
}
