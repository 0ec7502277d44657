//! Two programs, call by call in turn. Other work on the machine then slows both alike; runs one after the other differ by half.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::Result;

use super::wire::{Pipe, Session, call};
use super::{Running, Times, small_and_large};
use crate::programs::Library;

/// Starts of each program.
const STARTS: usize = 50;
/// Calls of each program for a row of the table.
const CALLS: usize = 3000;

/// Prints the median of each program and their ratio for the start and for every kind of call.
pub fn compare(before: &Path, now: &Path) -> Result<()> {
    // Each reads a library that it has built itself.
    let libraries = [Library::build(before)?, Library::build(now)?];
    let data = libraries.each_ref().map(Library::data);
    let programs = [before, now];
    let serve = |index: usize| {
        let mut command = Command::new(programs[index]);
        command.args(["--data-dir", &data[index], "serve"]);
        command
    };
    println!("milliseconds, p50\n| | {} | {} | ratio |\n|---|---|---|---|", before.display(), now.display());
    row("start to handshake", in_turn(STARTS, |index| Pipe::start(&mut serve(index)).map(drop))?);
    for (tool, arguments) in small_and_large() {
        let request = call(tool, &arguments);
        let mut pipes = [Pipe::start(&mut serve(0))?, Pipe::start(&mut serve(1))?];
        let times = in_turn(CALLS, |index| pipes[index].request(&request).map(drop))?;
        row(&format!("{tool} over stdio"), times);
        drop(pipes);
        let servers = [Running::regreader(before, &data[0])?, Running::regreader(now, &data[1])?];
        let mut sessions = [Session::open(&servers[0].address)?, Session::open(&servers[1].address)?];
        let times = in_turn(CALLS, |index| sessions[index].request(&request).map(drop))?;
        row(&format!("{tool} over HTTP"), times);
    }
    Ok(())
}

/// The times of both, which begin in turn. Every call is made twice and timed once: the first one finds the processor's caches full of
/// the other program.
fn in_turn(count: usize, mut call: impl FnMut(usize) -> Result<()>) -> Result<[Times; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..count + count / 10 {
        for turn in 0..2 {
            let index = (round + turn) % 2;
            call(index)?;
            let start = Instant::now();
            call(index)?;
            // The first calls open files and fill caches.
            if round >= count / 10 {
                times[index].push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    Ok(times.map(Times::sorted))
}

fn row(name: &str, times: [Times; 2]) {
    let [before, now] = times.map(|times| times.quantile(0.5));
    println!("| {name} | {before:.3} | {now:.3} | {:.2} |", now / before);
}
