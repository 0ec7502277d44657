//! `cargo xtask bench WHAT`: each benchmark is an example of its crate, built in release and run here, so that
//! BENCHMARKS.md can name one command per figure.

use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::programs::{cargo, target};
use crate::root;

/// Benchmarks: name, package, example.
const BENCHES: &[(&str, &str, &str)] = &[
    ("changes", "regreader-changes", "changes_bench"),
    ("context", "regreader-context", "context_bench"),
    ("embed", "regreader-embed", "embed_bench"),
    ("impact", "regreader-tools", "impact_bench"),
    ("search", "regreader-search", "search_bench"),
    ("vectors", HEAVY, "vector_bench"),
    ("icdar", "regreader-parse", "icdar_eval"),
    ("office", "regreader-parse", "office_eval"),
    ("parse", "regreader-parse", "pdf_bench"),
    ("text", "regreader-text", "text_bench"),
];

/// The package of the workspace in `backends/`.
const HEAVY: &str = "regreader-full";

/// `bench`
#[derive(Args)]
pub struct BenchArgs {
    /// Which one; without a name they are listed.
    name: Option<String>,
    /// Passed on to it.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Runs one benchmark.
pub fn run(args: &BenchArgs) -> Result<()> {
    let Some(name) = &args.name else {
        for (name, ..) in BENCHES {
            println!("{name}");
        }
        println!("damage\nmcp\nproof");
        return Ok(());
    };
    if name == "mcp" {
        // This one is several programs against each other, not an example of a crate.
        return crate::bench_mcp::run(&args.rest);
    }
    if name == "damage" {
        return damage(&args.rest);
    }
    if name == "proof" {
        return proof(&args.rest);
    }
    let Some((_, package, example)) = BENCHES.iter().find(|(known, ..)| known == name) else {
        let known: Vec<&str> = BENCHES.iter().map(|(name, ..)| *name).collect();
        bail!("no benchmark `{name}`; there are: {}", known.join(", "));
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = if *package == HEAVY { "backends/Cargo.toml" } else { "Cargo.toml" };
    let status = Command::new(cargo)
        .args(["run", "--release", "--quiet", "--manifest-path", manifest])
        .args(["--package", package, "--example", example, "--"])
        .args(&args.rest)
        .current_dir(root())
        .status()
        .context("cargo run")?;
    if !status.success() {
        bail!("benchmark {name} failed");
    }
    Ok(())
}

/// Attacks the program with a script that needs nothing but Python: damaged indexes, floods, crafted documents, load.
fn damage(rest: &[String]) -> Result<()> {
    let mut command = Command::new("python3");
    command.arg(root().join("benches/damage.py"));
    if !rest.iter().any(|argument| argument.starts_with("--binary")) {
        cargo(&["build", "--release", "--package", "regreader", "--bin", "regreader"])?;
        let program = target().join("release").join(format!("regreader{}", std::env::consts::EXE_SUFFIX));
        command.arg("--binary").arg(program);
    }
    let status = command.args(rest).status().context("python3 is needed for this benchmark")?;
    if !status.success() {
        bail!("a bar was missed");
    }
    Ok(())
}

/// The lie test on the samples and on the documents that are named: `bench proof [FILE …] [-- --count 1000 --seed 1]`.
fn proof(rest: &[String]) -> Result<()> {
    let split = rest.iter().position(|argument| argument.starts_with("--")).unwrap_or(rest.len());
    let (files, options) = rest.split_at(split);
    cargo(&["build", "--release", "--package", "regreader", "--bin", "regreader"])?;
    cargo(&["build", "--release", "--package", "regreader-tools", "--example", "proof_bench"])?;
    let program =
        |name: &str| target().join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let library = crate::programs::Library::build(&program("regreader"))?;
    let english = root().join("samples/en/pdf/rel_901_2.pdf");
    let status = Command::new(program("regreader"))
        .args(["--quiet", "--data-dir", &library.data(), "ingest"])
        .arg(english)
        .args(files)
        .status()
        .context("regreader ingest")?;
    // A document without usable text is reported and left out of the test.
    if status.code().is_none() {
        bail!("the documents could not be read");
    }
    let options = options.iter().filter(|option| *option != "--");
    let status = Command::new(program("examples/proof_bench"))
        .arg(library.data())
        .args(options)
        .status()
        .context("proof_bench")?;
    if !status.success() {
        bail!("the lie test failed");
    }
    Ok(())
}
