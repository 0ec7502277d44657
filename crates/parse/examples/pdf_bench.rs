//! Pages per CPU second: `cargo run --release --example pdf_bench -- FILE...` (set `RAYON_NUM_THREADS=1` for one thread).

use std::time::Instant;

use regreader_parse::{ParseOptions, parse};

fn main() {
    let (mut all_pages, mut all_chars) = (0, 0);
    let (start, start_cpu) = (Instant::now(), cpu_seconds());
    for file in std::env::args().skip(1) {
        let bytes = match std::fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("error: {file}: {error}");
                continue;
            }
        };
        let (file_start, file_cpu) = (Instant::now(), cpu_seconds());
        match parse(&bytes, &file, &ParseOptions::default()) {
            Ok(parsed) => {
                let pages = parsed.document.pages.len();
                let chars =
                    parsed.document.pages.iter().flat_map(|page| &page.elements).map(count).sum::<usize>();
                let seconds = used(file_cpu, file_start);
                println!(
                    "{pages:5} pages {chars:8} chars {seconds:7.3} s {:7.1} pages/s  {file}",
                    pages as f64 / seconds
                );
                all_pages += pages;
                all_chars += chars;
            }
            Err(error) => println!("error: {file}: {error}"),
        }
    }
    let seconds = used(start_cpu, start);
    println!(
        "{all_pages} pages, {all_chars} characters, {seconds:.2} s: {:.1} pages/s",
        all_pages as f64 / seconds
    );
    if let Some(peak) = peak_memory() {
        println!("peak memory {peak} MB");
    }
}

fn count(element: &regreader_model::RawElement) -> usize {
    match element {
        regreader_model::RawElement::Text(text) => text.text.chars().count(),
        regreader_model::RawElement::Table(table) => {
            table.cells.iter().map(|cell| cell.content.chars().count()).sum()
        }
        regreader_model::RawElement::Picture(_) => 0,
    }
}

/// CPU seconds since, where the system tells; else seconds on the clock.
fn used(cpu: Option<f64>, clock: Instant) -> f64 {
    let elapsed = match (cpu, cpu_seconds()) {
        (Some(from), Some(to)) => to - from,
        _ => clock.elapsed().as_secs_f64(),
    };
    elapsed.max(0.01)
}

/// CPU seconds of this process, where the system has /proc.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kb| kb / 1024)
}
