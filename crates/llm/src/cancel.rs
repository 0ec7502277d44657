//! Ending a call from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A flag that ends a turn. Clones share it; whoever waits looks at it several times a second.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// How long nobody looks at the flag.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

impl Cancel {
    /// A flag that is down.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends what watches this flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Lets the next turn run.
    pub fn reset(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Whether it was ended.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Waits, or returns false as soon as the flag goes up.
    pub(crate) fn wait(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while !self.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(SLICE));
        }
        false
    }
}
