//! Measures searching: time, memory and speed of building, on the articles of Chinese statutes.
//!
//! ```sh
//! cargo xtask bench search CORPUS/stard                 # all of it but the growth
//! cargo xtask bench search CORPUS/stard --only library   # the engine over a library of 1,429 regulations
//! cargo xtask bench search CORPUS/stard --only backends  # each keyword index, with the flat index, alone
//! cargo xtask bench search CORPUS/stard --only earlier   # SQLite FTS5 `unicode61` and brute-force vectors, in Python
//! cargo xtask bench search CORPUS/stard --only growth    # 10,000 to 1,000,000 blocks
//! ```
//!
//! Times are of one thread: the shortest of several rounds for each question, so that what else the machine does counts
//! little. CPU seconds are of the whole process.

mod backends;
mod corpus;
mod earlier;
mod growth;
mod library;
mod measure;

use std::error::Error;
use std::path::PathBuf;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What goes wrong ends the measurement.
type Outcome<T> = Result<T, Box<dyn Error>>;

/// The command line.
struct Options {
    corpus: PathBuf,
    only: Option<String>,
    /// Folder to keep libraries and indexes in, so that a second run need not build them.
    keep: Option<PathBuf>,
    questions: usize,
    rounds: usize,
    /// Of `growth`: one size, in a process of its own.
    size: Option<usize>,
}

fn main() -> Outcome<()> {
    let options = read_options()?;
    if let Some(size) = options.size {
        return growth::one(&options, size);
    }
    let wanted = |name: &str| options.only.as_deref().is_none_or(|only| only == name);
    if wanted("library") {
        library::run(&options)?;
    }
    if wanted("backends") {
        backends::run(&options)?;
    }
    if wanted("earlier") {
        earlier::run(&options)?;
    }
    if options.only.as_deref() == Some("growth") {
        growth::run(&options)?;
    }
    Ok(())
}

fn read_options() -> Outcome<Options> {
    let mut options =
        Options { corpus: PathBuf::new(), only: None, keep: None, questions: 400, rounds: 3, size: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--only" => options.only = Some(value()?),
            "--keep" => options.keep = Some(PathBuf::from(value()?)),
            "--questions" => options.questions = value()?.parse()?,
            "--rounds" => options.rounds = value()?.parse()?,
            "--size" => options.size = Some(value()?.parse()?),
            _ => options.corpus = PathBuf::from(argument),
        }
    }
    if options.corpus.as_os_str().is_empty() {
        return Err(
            "usage: search_bench CORPUS/stard [--only PART] [--keep DIR] [--questions N] [--rounds N]".into(),
        );
    }
    Ok(options)
}
