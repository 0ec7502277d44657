//! `cargo xtask conformance`: the protocol's own suite against the fixtures, which stand behind the same HTTP face as the
//! real server. What it may find wanting is listed, each with its reason, in `xtask/clients/expected_failures.yaml`.

use std::fs;
use std::process::Command;

use anyhow::{Result, bail};

use crate::clients::{node, said};
use crate::packages::Node;
use crate::programs::{Programs, Server};
use crate::root;
use crate::tally::Tally;

/// Protocol versions that the suite is run at.
const VERSIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Runs the suite.
pub fn run() -> Result<()> {
    let mut tally = Tally::default();
    match node() {
        Ok(node) => {
            let programs = Programs::build()?;
            let server = Server::start(&mut Command::new(programs.conformance_fixture()))?;
            for version in VERSIONS {
                tally.take(&format!("conformance {version}"), check(&node, &server, version));
            }
        }
        Err(reason) => tally.skipped("conformance suite", &format!("{reason:#}")),
    }
    tally.finish("conformance")
}

/// One version: its scenarios and checks in one line, or everything that the suite said.
fn check(node: &Node, server: &Server, version: &str) -> Result<String> {
    let suite = node.folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let results = tempfile::tempdir()?;
    let mut command = node.run(&suite);
    // It tries names of this machine against the server's Host check: it must be called by its name.
    let url = server.http().replace("127.0.0.1", "localhost");
    command.args(["server", "--url", &url, "--requirements", version, "--expected-failures"]);
    command.arg(root().join("xtask/clients/expected_failures.yaml"));
    command.arg("--output-dir").arg(results.path()).current_dir(results.path());
    let (ended_well, said) = said(&mut command)?;
    // What the suite does not score it does not compare with the list either; we do.
    let expected = fs::read_to_string(root().join("xtask/clients/expected_failures.yaml"))?;
    let listed = |name: &str| expected.lines().any(|line| line.trim() == format!("- {name}"));
    let failed: Vec<&str> = said
        .lines()
        .filter_map(|line| line.trim().strip_prefix("✗ ")?.split_once(':').map(|(name, _)| name))
        .collect();
    let unexpected: Vec<&str> = failed.iter().copied().filter(|name| !listed(name)).collect();
    let total = said.lines().rev().find_map(|line| line.trim().strip_prefix("Total: "));
    match total {
        Some(total) if ended_well && unexpected.is_empty() => {
            let scenarios = said.lines().filter(|line| line.starts_with("✓ ")).count();
            Ok(format!("{scenarios} scenarios passed, {} failed as listed ({total})", failed.len()))
        }
        _ => bail!("not listed: {}\n{said}", unexpected.join(", ")),
    }
}
