//! Time and memory.

use std::time::{Duration, Instant};

use crate::Outcome;

/// Times of searches, shortest of some rounds each.
pub struct Times {
    sorted: Vec<Duration>,
    cpu_each: Duration,
}

impl Times {
    /// Asks every question once to warm up, then `rounds` times with the clock running.
    pub fn of<Q>(questions: &[Q], rounds: usize, mut ask: impl FnMut(&Q) -> Outcome<()>) -> Outcome<Self> {
        for question in questions {
            ask(question)?;
        }
        let mut times = vec![Duration::MAX; questions.len()];
        let cpu = cpu_time();
        for _ in 0..rounds {
            for (question, time) in questions.iter().zip(&mut times) {
                let began = Instant::now();
                ask(question)?;
                *time = (*time).min(began.elapsed());
            }
        }
        let asked = (questions.len() * rounds).max(1) as u32;
        times.sort_unstable();
        Ok(Self { sorted: times, cpu_each: cpu_time().saturating_sub(cpu) / asked })
    }

    /// A percentile in milliseconds.
    pub fn percentile(&self, share: f64) -> f64 {
        let at = ((self.sorted.len() as f64 * share) as usize).min(self.sorted.len().saturating_sub(1));
        self.sorted.get(at).copied().map_or(0.0, milliseconds)
    }

    /// Mean CPU time of one, in milliseconds: what waiting for a core does not change.
    pub fn cpu(&self) -> f64 {
        milliseconds(self.cpu_each)
    }

    /// All of it in words.
    pub fn show(&self) -> String {
        format!(
            "p50 {:.2} ms  p99 {:.2} ms  CPU {:.2} ms a search",
            self.percentile(0.5),
            self.percentile(0.99),
            self.cpu()
        )
    }
}

/// Does something and gives wall and CPU seconds.
pub fn timed<T>(what: impl FnOnce() -> Outcome<T>) -> Outcome<(T, f64, f64)> {
    let (wall, cpu) = (Instant::now(), cpu_time());
    let made = what()?;
    Ok((made, wall.elapsed().as_secs_f64(), cpu_time().saturating_sub(cpu).as_secs_f64()))
}

/// A time in milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// CPU time of this process, all threads; nothing where the system does not tell.
pub fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: u64 = stat.rsplit_once(')').map_or(0, |(_, rest)| {
        rest.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum()
    });
    // Linux counts in hundredths of a second on every machine of today.
    Duration::from_millis(ticks * 10)
}

/// A line of /proc/self/status in MiB: `VmHWM` is the most there ever was, files mapped and touched included, `RssAnon`
/// what is there now without files.
pub fn memory(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let found = status.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'));
    found.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib >> 10)
}

/// Bytes below a folder.
pub fn size_of(folder: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .filter_map(Result::ok)
        .map(|entry| match entry.metadata() {
            Ok(about) if about.is_dir() => size_of(&entry.path()),
            Ok(about) => about.len(),
            Err(_) => 0,
        })
        .sum()
}
