//! How many pictures are read at once.
//!
//! A picture in the models takes a few hundred megabytes, so their number is bounded; each lane has its share of the
//! cores. A caller that finds no lane free waits.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rten::ThreadPool;

/// More lanes than this only take memory.
const MAX_LANES: usize = 4;

/// Lanes, free or taken.
pub struct Lanes {
    count: usize,
    free: Mutex<Vec<Arc<ThreadPool>>>,
    returned: Condvar,
}

impl Lanes {
    /// Shares out `threads` cores.
    pub fn new(threads: usize) -> Self {
        let threads = threads.max(1);
        let count = threads.min(MAX_LANES);
        let pools = (0..count).map(|lane| {
            let share = threads / count + usize::from(lane < threads % count);
            Arc::new(ThreadPool::with_num_threads(share))
        });
        Self { count, free: Mutex::new(pools.collect()), returned: Condvar::new() }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Runs `work` on a lane of its own.
    pub fn with<R>(&self, work: impl FnOnce(&Arc<ThreadPool>) -> R) -> R {
        let lane = Taken { lanes: self, pool: self.take() };
        work(&lane.pool)
    }

    fn take(&self) -> Arc<ThreadPool> {
        // A panic elsewhere leaves the list as it was: it is whole between any two steps.
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(pool) = free.pop() {
                return pool;
            }
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A lane in use; given back when dropped, also by a panic.
struct Taken<'a> {
    lanes: &'a Lanes,
    pool: Arc<ThreadPool>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut free = self.lanes.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(Arc::clone(&self.pool));
        self.lanes.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_pictures_than_lanes_and_a_panic_gives_its_lane_back() {
        let lanes = Lanes::new(2);
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for n in 0..8 {
                let (lanes, inside, most) = (&lanes, &inside, &most);
                scope.spawn(move || {
                    let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        lanes.with(|_| {
                            let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                            most.fetch_max(now, Ordering::SeqCst);
                            std::thread::yield_now();
                            inside.fetch_sub(1, Ordering::SeqCst);
                            assert!(n != 3, "on purpose");
                        });
                    }));
                    assert_eq!(worked.is_err(), n == 3);
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 2);
        assert_eq!(lanes.free.lock().unwrap().len(), 2);
    }
}
