//! Counters in the form that Prometheus reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper borders of the duration buckets, in seconds.
const BUCKETS: [f64; 10] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0];

/// What a server counts.
#[derive(Debug, Default)]
pub struct Metrics {
    calls: Mutex<BTreeMap<(&'static str, String), u64>>,
    durations: Mutex<BTreeMap<&'static str, Durations>>,
    responses: Mutex<BTreeMap<u16, u64>>,
    refused: Mutex<BTreeMap<&'static str, u64>>,
    connections: AtomicU64,
    running: AtomicU64,
}

#[derive(Debug, Default)]
struct Durations {
    buckets: [u64; BUCKETS.len()],
    count: u64,
    seconds: f64,
}

impl Metrics {
    /// A tool call is over.
    pub fn called(&self, tool: &'static str, outcome: &str, elapsed: Duration) {
        *locked(&self.calls).entry((tool, outcome.to_owned())).or_default() += 1;
        let mut durations = locked(&self.durations);
        let one = durations.entry(tool).or_default();
        let seconds = elapsed.as_secs_f64();
        for (count, border) in one.buckets.iter_mut().zip(BUCKETS) {
            *count += u64::from(seconds <= border);
        }
        one.count += 1;
        one.seconds += seconds;
    }

    /// A tool call begins; it is over when the guard is dropped, however it ends.
    pub fn begin(self: &Arc<Self>) -> Running {
        self.running.fetch_add(1, Ordering::AcqRel);
        Running(Arc::clone(self))
    }

    /// Tool calls that are being answered now.
    pub fn running(&self) -> u64 {
        self.running.load(Ordering::Acquire)
    }

    /// An HTTP response was given.
    pub fn responded(&self, status: u16) {
        *locked(&self.responses).entry(status).or_default() += 1;
    }

    /// A request was turned away.
    pub fn refused(&self, reason: &'static str) {
        *locked(&self.refused).entry(reason).or_default() += 1;
    }

    /// A connection was opened.
    pub fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// A connection was closed.
    pub fn disconnected(&self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }

    /// Everything, with the sessions that are open now.
    pub fn render(&self, sessions: usize) -> String {
        let mut text = String::new();
        head(&mut text, "regreader_tool_calls_total", "counter", "Tool calls by outcome.");
        for ((tool, outcome), count) in &*locked(&self.calls) {
            line(
                &mut text,
                &format!("regreader_tool_calls_total{{tool=\"{tool}\",outcome=\"{outcome}\"}} {count}"),
            );
        }
        let name = "regreader_tool_duration_seconds";
        head(&mut text, name, "histogram", "Time of a tool call, waiting included.");
        for (tool, one) in &*locked(&self.durations) {
            for (border, count) in BUCKETS.iter().zip(one.buckets) {
                line(&mut text, &format!("{name}_bucket{{tool=\"{tool}\",le=\"{border}\"}} {count}"));
            }
            line(&mut text, &format!("{name}_bucket{{tool=\"{tool}\",le=\"+Inf\"}} {}", one.count));
            line(&mut text, &format!("{name}_sum{{tool=\"{tool}\"}} {}", one.seconds));
            line(&mut text, &format!("{name}_count{{tool=\"{tool}\"}} {}", one.count));
        }
        head(&mut text, "regreader_http_responses_total", "counter", "HTTP responses by status.");
        for (status, count) in &*locked(&self.responses) {
            line(&mut text, &format!("regreader_http_responses_total{{status=\"{status}\"}} {count}"));
        }
        head(&mut text, "regreader_http_refused_total", "counter", "HTTP requests turned away, by reason.");
        for (reason, count) in &*locked(&self.refused) {
            line(&mut text, &format!("regreader_http_refused_total{{reason=\"{reason}\"}} {count}"));
        }
        head(&mut text, "regreader_http_connections", "gauge", "Open connections.");
        line(&mut text, &format!("regreader_http_connections {}", self.connections.load(Ordering::Relaxed)));
        head(&mut text, "regreader_tool_calls_running", "gauge", "Tool calls being answered.");
        line(&mut text, &format!("regreader_tool_calls_running {}", self.running()));
        head(&mut text, "regreader_mcp_sessions", "gauge", "Open MCP sessions.");
        line(&mut text, &format!("regreader_mcp_sessions {sessions}"));
        text
    }
}

/// A tool call that is being answered.
#[derive(Debug)]
pub struct Running(Arc<Metrics>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(text: &mut String, content: &str) {
    text.push_str(content);
    text.push('\n');
}
