//! So many requests a second for each address, with a short burst allowed.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// More addresses than this are not remembered: the emptiest are forgotten, which only favours them.
const MAX_ADDRESSES: usize = 4_096;

/// One bucket for each address.
#[derive(Debug)]
pub struct Rate {
    per_second: f64,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Rate {
    /// No limit with 0.
    pub fn new(per_second: u32) -> Self {
        Self { per_second: f64::from(per_second), buckets: Mutex::default() }
    }

    /// Whether a request from this address may pass now. A burst of two seconds' worth may.
    pub fn allows(&self, address: IpAddr, now: Instant) -> bool {
        if self.per_second <= 0.0 {
            return true;
        }
        let burst = self.per_second * 2.0;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_ADDRESSES && !buckets.contains_key(&address) {
            let full = |bucket: &Bucket| {
                bucket.left + now.duration_since(bucket.at).as_secs_f64() * self.per_second >= burst
            };
            buckets.retain(|_, bucket| !full(bucket));
            if buckets.len() >= MAX_ADDRESSES {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(address).or_insert(Bucket { left: burst, at: now });
        let gained = now.duration_since(bucket.at).as_secs_f64() * self.per_second;
        bucket.left = (bucket.left + gained).min(burst);
        bucket.at = now;
        let allowed = bucket.left >= 1.0;
        if allowed {
            bucket.left -= 1.0;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_passes_then_the_rate_holds_for_that_address_only() {
        let rate = Rate::new(5);
        let (one, other) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let start = Instant::now();
        assert_eq!((0..100).filter(|_| rate.allows(one, start)).count(), 10);
        assert!(rate.allows(other, start));
        let later = start + Duration::from_secs(1);
        assert_eq!((0..100).filter(|_| rate.allows(one, later)).count(), 5);
        assert!((0..100).all(|_| Rate::new(0).allows(one, start)));
    }
}
