//! `cargo xtask fuzz`: the fuzz targets under `fuzz/`, guided by coverage, for a bounded time each.
//!
//! Needs no nightly compiler and no cargo-fuzz: the coverage that libFuzzer is guided by comes from LLVM flags that the
//! stable compiler takes. What needs nightly is the address sanitiser; our code has no `unsafe`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::root;

// Not vocabulary: the fuzz targets.
const TARGETS: [&str; 10] =
    ["pdf", "docx", "pptx", "xlsx", "html", "markdown", "plain", "docling", "image", "any"];
const COVERAGE: &str = "--cfg fuzzing -Cdebug-assertions -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// What to fuzz, and for how long.
#[derive(Args)]
pub struct FuzzArgs {
    /// Targets; all when none is named
    targets: Vec<String>,
    /// Seconds for each target
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Seconds that one input may take
    #[arg(long, default_value_t = 10)]
    timeout: u64,
}

/// Builds the targets, writes seeds and runs each target. Fails when any of them finds an input that panics, hangs or
/// takes too much memory.
pub fn run(args: &FuzzArgs) -> Result<()> {
    let wanted: Vec<&str> = match args.targets.as_slice() {
        [] => TARGETS.to_vec(),
        named => named.iter().map(String::as_str).collect(),
    };
    if let Some(unknown) = wanted.iter().find(|target| !TARGETS.contains(target)) {
        bail!("no target `{unknown}`; there are {}", TARGETS.join(", "));
    }
    let home = root().join("fuzz");
    seeds(&home.join("corpus"))?;
    let programs = build(&home)?;
    let mut failed = Vec::new();
    for target in wanted {
        let corpus = home.join("corpus").join(target);
        let artifacts = home.join("artifacts").join(target);
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&artifacts)?;
        let ended = Command::new(programs.join(target))
            .arg(&corpus)
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .arg(format!("-max_total_time={}", args.seconds))
            .arg(format!("-timeout={}", args.timeout))
            .args(["-max_len=65536", "-rss_limit_mb=1024", "-print_final_stats=1", "-verbosity=0"])
            .status()
            .with_context(|| format!("starting {target}"))?;
        println!("{target}: {}", if ended.success() { "nothing found" } else { "FAILED" });
        if !ended.success() {
            failed.push(target);
        }
    }
    if !failed.is_empty() {
        bail!("{} found something: see fuzz/artifacts", failed.join(", "));
    }
    Ok(())
}

/// Small sound files of every format, written by the tests that damage them.
fn seeds(corpus: &Path) -> Result<()> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["test", "--quiet", "--package", "regreader-parse", "--test", "all", "--"])
        .args(["--ignored", "seeds_for_the_fuzz_targets"])
        .env("REGREADER_FUZZ_SEEDS", corpus)
        .current_dir(root())
        .status()?;
    if !status.success() {
        bail!("the seeds could not be written");
    }
    Ok(())
}

fn build(home: &Path) -> Result<PathBuf> {
    let target_dir = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| home.join("target"), |dir| PathBuf::from(dir).join("fuzz"));
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let host = host()?;
    // Naming the target keeps the flags from build scripts, which have nothing to report coverage to.
    let status = Command::new(cargo)
        .args(["build", "--release", "--bins", "--target", &host, "--manifest-path"])
        .arg(home.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", &target_dir)
        .env("RUSTFLAGS", COVERAGE)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()?;
    if !status.success() {
        bail!("the fuzz targets could not be built");
    }
    Ok(target_dir.join(host).join("release"))
}

fn host() -> Result<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc does not say what it compiles for")?.to_owned())
}
