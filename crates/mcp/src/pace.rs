//! Which tools are quick. A quick one is run where it is asked for: handing it to another thread and waking up again would take
//! longer than the call.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use regreader_tools::TOOLS;

/// A call that holds up its thread for no longer than this harms nobody.
const QUICK: Duration = Duration::from_millis(1);
/// So many quick calls in a row make a tool quick, until one is slow again.
const IN_A_ROW: u32 = 16;

/// How the last calls of each tool went.
#[derive(Default)]
pub struct Paces {
    quick_calls: [AtomicU32; TOOLS.len()],
}

impl Paces {
    /// Whether a tool's last calls were all quick.
    pub fn is_quick(&self, tool: &str) -> bool {
        self.of(tool).is_some_and(|calls| calls.load(Ordering::Relaxed) >= IN_A_ROW)
    }

    /// Takes note of a call.
    pub fn took(&self, tool: &str, time: Duration) {
        let Some(calls) = self.of(tool) else { return };
        if time > QUICK {
            calls.store(0, Ordering::Relaxed);
        } else if calls.load(Ordering::Relaxed) < IN_A_ROW {
            calls.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn of(&self, tool: &str) -> Option<&AtomicU32> {
        let at = TOOLS.iter().position(|known| known.name == tool)?;
        self.quick_calls.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_quick_until_a_call_is_slow() {
        let paces = Paces::default();
        for _ in 0..IN_A_ROW {
            assert!(!paces.is_quick("get_toc"));
            paces.took("get_toc", Duration::from_micros(50));
        }
        assert!(paces.is_quick("get_toc") && !paces.is_quick("smart_search") && !paces.is_quick("no_tool"));
        paces.took("get_toc", Duration::from_millis(20));
        assert!(!paces.is_quick("get_toc"));
    }
}
