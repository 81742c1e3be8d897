//! How often somebody may ask.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::address::network;
use super::passwords::too_many;
use crate::problem::Problem;

/// After how many requests those are forgotten who have not asked for a while.
const SWEEP_EVERY: u64 = 4_096;

/// The most who are told apart.
const KEYS_MAX: usize = 50_000;

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Caller(String),
    Address(IpAddr),
}

impl Key {
    pub(super) fn address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }
}

type Limiter = DefaultKeyedRateLimiter<Key>;

/// How often somebody may ask: as often as the settings say, which may change.
pub(super) struct Rates {
    current: RwLock<(u32, Option<Arc<Limiter>>)>,
    asked: AtomicU64,
}

impl Rates {
    pub(super) fn new(per_minute: u32) -> Self {
        Self { current: RwLock::new((per_minute, limiter(per_minute))), asked: AtomicU64::new(0) }
    }

    /// Counts a request. Who has not asked for a minute may ask as often at once as
    /// in a minute.
    pub(super) fn check(&self, key: &Key, per_minute: u32) -> Result<(), Problem> {
        let Some(limiter) = self.limiter(per_minute) else { return Ok(()) };
        if self.asked.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            self.sweep(&limiter, per_minute);
        }
        let refused = |until: governor::NotUntil<_>| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            too_many(&format!("more than {per_minute} requests in a minute"), wait)
        };
        limiter.check_key(key).map_err(refused)
    }

    fn limiter(&self, per_minute: u32) -> Option<Arc<Limiter>> {
        {
            let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
            if current.0 == per_minute {
                return current.1.clone();
            }
        }
        self.begin_anew(per_minute)
    }

    fn begin_anew(&self, per_minute: u32) -> Option<Arc<Limiter>> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = (per_minute, limiter(per_minute));
        current.1.clone()
    }

    fn sweep(&self, limiter: &Limiter, per_minute: u32) {
        limiter.retain_recent();
        if limiter.len() > KEYS_MAX {
            self.begin_anew(per_minute);
        }
    }
}

/// `None` if there is no limit.
fn limiter(per_minute: u32) -> Option<Arc<Limiter>> {
    let quota = Quota::per_minute(NonZeroU32::new(per_minute)?);
    Some(Arc::new(RateLimiter::keyed(quota)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Code;

    #[test]
    fn who_asks_too_often_is_told_when_and_others_are_not_held_up() {
        let rates = Rates::new(3);
        let (alice, bob) = (Key::Caller("alice".to_owned()), Key::Caller("bob".to_owned()));

        let outcomes: Vec<_> = (0..4).map(|_| rates.check(&alice, 3).map_err(|problem| problem.code())).collect();

        assert_eq!(outcomes, [Ok(()), Ok(()), Ok(()), Err(Code::TooManyRequests)]);
        assert_eq!(rates.check(&bob, 3), Ok(()));
    }

    #[test]
    fn a_limit_that_is_changed_holds_at_once() {
        let rates = Rates::new(1);
        let key = Key::address(IpAddr::from([192, 0, 2, 1]));
        assert!(rates.check(&key, 1).is_ok() && rates.check(&key, 1).is_err());

        assert!((0..5).all(|_| rates.check(&key, 5).is_ok()));
        assert!(rates.check(&key, 5).is_err());
        assert!((0..50).all(|_| rates.check(&key, 0).is_ok()));
    }
}
