//! A few threads for work that blocks. The runtime's own pool has as many as there are requests: every one of them keeps
//! memory of its own, and more than the machine has cores are no faster.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that are started when they are needed and stay. What finds none free waits in turn.
pub struct Pool {
    most: usize,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    woken: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    is_over: bool,
}

impl Pool {
    /// A pool of at most so many threads.
    pub fn new(most: usize) -> Self {
        Self { most, shared: Arc::default() }
    }

    /// Runs a job when a thread is free.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut state = self.shared.lock();
        state.jobs.push_back(Box::new(job));
        if state.jobs.len() > state.idle && state.threads < self.most {
            let shared = Arc::clone(&self.shared);
            let started = thread::Builder::new().name("web".to_owned()).spawn(move || shared.work());
            // A system without a thread to give leaves the job to those that run; without any it is dropped, which its
            // sender notices.
            match started {
                Ok(_) => state.threads += 1,
                Err(_) if state.threads == 0 => state.jobs.clear(),
                Err(_) => {}
            }
        }
        drop(state);
        self.shared.woken.notify_one();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.woken.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            // A job that panics is told to nobody but its sender, who finds the channel closed.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    /// The next job; none when the pool is gone and nothing is left to do.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            if state.is_over {
                return None;
            }
            state.idle += 1;
            state = self.woken.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Barrier;
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn as_many_run_at_once_as_allowed_and_no_more_threads_are_started() {
        let pool = Pool::new(3);
        let (tell, heard) = mpsc::channel();
        // Three wait for each other: with fewer threads this would never end.
        let meeting = Arc::new(Barrier::new(3));
        for _ in 0..60 {
            let (tell, meeting) = (tell.clone(), Arc::clone(&meeting));
            pool.run(move || {
                meeting.wait();
                let _ = tell.send(thread::current().id());
            });
        }
        drop(tell);
        let threads: Vec<thread::ThreadId> = heard.iter().collect();
        let distinct: BTreeSet<String> = threads.iter().map(|id| format!("{id:?}")).collect();
        assert_eq!((threads.len(), distinct.len()), (60, 3));
    }

    #[test]
    fn a_job_that_panics_costs_nobody_else_a_thread() {
        let pool = Pool::new(1);
        let (tell, heard) = mpsc::channel();
        let lost = tell.clone();
        pool.run(move || {
            let _held = lost;
            std::panic::resume_unwind(Box::new("on purpose"));
        });
        pool.run(move || {
            let _ = tell.send(7);
        });
        assert_eq!(heard.iter().collect::<Vec<i32>>(), [7]);
    }
}
