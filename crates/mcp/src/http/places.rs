//! How many connections may be open: in all, for one address, and a few more that can only ask whether the server lives.
//!
//! A client that opens connections and sends nothing on them takes places. No address gets more than half of all, so
//! that others are still served; and whoever finds no place gets one of a few spare ones, on which `/healthz` is answered
//! and nothing else, so that a supervisor does not restart a server that is merely full.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places for health checks.
const SPARE: usize = 16;

/// The places of a server.
#[derive(Debug, Clone)]
pub struct Places {
    all: Arc<Semaphore>,
    spare: Arc<Semaphore>,
    each: usize,
    taken: Taken,
}

/// Connections of each address.
type Taken = Arc<Mutex<HashMap<IpAddr, usize>>>;

/// A place that is taken; free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    _permit: OwnedSemaphorePermit,
    /// Counted for this address, unless the place is a spare one.
    counted: Option<(IpAddr, Taken)>,
}

impl Places {
    /// So many places, half of them for one address.
    pub fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            all: Arc::new(Semaphore::new(most)),
            spare: Arc::new(Semaphore::new(SPARE)),
            each: most.div_ceil(2),
            taken: Arc::default(),
        }
    }

    /// Waits until some place is free.
    pub async fn wait(&self) {
        tokio::select! {
            _ = self.all.acquire() => {}
            _ = self.spare.acquire() => {}
        }
    }

    /// A place for a connection from this address: a full one, else a spare one; none when all are taken.
    pub fn take(&self, address: IpAddr) -> Option<Place> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.get(&address).copied().unwrap_or(0);
        if count < self.each
            && let Ok(permit) = Arc::clone(&self.all).try_acquire_owned()
        {
            taken.insert(address, count + 1);
            return Some(Place { _permit: permit, counted: Some((address, Arc::clone(&self.taken))) });
        }
        let permit = Arc::clone(&self.spare).try_acquire_owned().ok()?;
        Some(Place { _permit: permit, counted: None })
    }
}

impl Place {
    /// Whether only health checks are answered here.
    pub fn is_spare(&self) -> bool {
        self.counted.is_none()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some((address, taken)) = &self.counted else { return };
        let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(address) {
            *count -= 1;
            if *count == 0 {
                taken.remove(address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_takes_half_and_health_checks_still_pass() {
        let places = Places::new(10);
        let (greedy, other) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let held: Vec<Place> = (0..5).filter_map(|_| places.take(greedy)).collect();
        assert!(held.iter().all(|place| !place.is_spare()));
        let more: Vec<Place> = (0..100).filter_map(|_| places.take(greedy)).collect();
        assert_eq!(more.len(), SPARE);
        assert!(more.iter().all(Place::is_spare));
        assert!(places.take(other).is_some_and(|place| !place.is_spare()), "others are served");
        drop((held, more));
        assert!(places.take(greedy).is_some_and(|place| !place.is_spare()), "places come back");
        assert!(places.taken.lock().unwrap().is_empty(), "nothing is remembered of those who left");
    }
}
