//! What came of a list of checks: every one is said as it ends, and all are counted at the end.

use anyhow::{Result, bail};

/// Characters of a reason for skipping.
const MAX_REASON: usize = 300;

/// Checks that passed, failed, or could not be made.
#[derive(Default)]
pub struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Tally {
    /// A check held.
    pub fn passed(&mut self, name: &str, words: &str) {
        self.passed += 1;
        println!("ok: {name}{}{words}", if words.is_empty() { "" } else { ": " });
    }

    /// A check did not hold.
    pub fn failed(&mut self, name: &str, why: &str) {
        self.failed += 1;
        println!("FAILED: {name}: {why}");
    }

    /// Checks could not be made here; never to be taken for passed.
    pub fn skipped(&mut self, name: &str, why: &str) {
        self.skipped += 1;
        // Package managers can be talkative; the beginning says what is missing.
        let why: String = why.chars().take(MAX_REASON).collect();
        println!("skipped: {name}: {why}");
    }

    /// Takes a check's result.
    pub fn take(&mut self, name: &str, result: Result<String>) {
        match result {
            Ok(words) => self.passed(name, &words),
            Err(error) => self.failed(name, &format!("{error:#}")),
        }
    }

    /// Says the counts; an error when anything failed.
    pub fn finish(&self, what: &str) -> Result<()> {
        println!("{what}: {} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped);
        if self.failed > 0 {
            bail!("{what}: {} failed", self.failed);
        }
        Ok(())
    }
}
