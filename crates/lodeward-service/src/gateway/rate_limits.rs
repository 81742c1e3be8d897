//! Limits the requests per minute of each user, and of each network without a user.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::client_address::network;
use crate::problem::Problem;

/// The number of requests after which keys without recent requests are removed.
const REQUESTS_PER_SWEEP: u64 = 4_096;

/// Maximum number of keys. If it is exceeded, all counts are reset.
const MAX_KEYS: usize = 50_000;

/// What requests are counted by: the user, or the network if there is no user.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum RateLimitKey {
    Caller(String),
    Address(IpAddr),
}

impl RateLimitKey {
    pub(super) fn from_address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }
}

type KeyedLimiter = DefaultKeyedRateLimiter<RateLimitKey>;

/// Counts requests. The allowed number per minute is a setting that may change.
pub(super) struct RateLimits {
    current: RwLock<(u32, Option<Arc<KeyedLimiter>>)>,
    requests: AtomicU64,
}

impl RateLimits {
    pub(super) fn new(per_minute: u32) -> Self {
        Self { current: RwLock::new((per_minute, new_limiter(per_minute))), requests: AtomicU64::new(0) }
    }

    /// Counts a request. After a minute without requests, a client may send as many requests at
    /// once as are allowed per minute.
    pub(super) fn check(&self, key: &RateLimitKey, per_minute: u32) -> Result<(), Problem> {
        let Some(limiter) = self.limiter(per_minute) else { return Ok(()) };
        if self.requests.fetch_add(1, Ordering::Relaxed) % REQUESTS_PER_SWEEP == REQUESTS_PER_SWEEP - 1 {
            self.sweep(&limiter, per_minute);
        }
        let rejected = |until: governor::NotUntil<_>| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            Problem::rate_limited(&format!("more than {per_minute} requests per minute"), wait)
        };
        limiter.check_key(key).map_err(rejected)
    }

    fn limiter(&self, per_minute: u32) -> Option<Arc<KeyedLimiter>> {
        {
            let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
            if current.0 == per_minute {
                return current.1.clone();
            }
        }
        self.reset(per_minute)
    }

    fn reset(&self, per_minute: u32) -> Option<Arc<KeyedLimiter>> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = (per_minute, new_limiter(per_minute));
        current.1.clone()
    }

    fn sweep(&self, limiter: &KeyedLimiter, per_minute: u32) {
        limiter.retain_recent();
        if limiter.len() > MAX_KEYS {
            self.reset(per_minute);
        }
    }
}

/// `None` if there is no limit.
fn new_limiter(per_minute: u32) -> Option<Arc<KeyedLimiter>> {
    let quota = Quota::per_minute(NonZeroU32::new(per_minute)?);
    Some(Arc::new(RateLimiter::keyed(quota)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::ProblemCode;

    #[test]
    fn the_limit_of_one_user_does_not_affect_others() {
        let limits = RateLimits::new(3);
        let (alice, bob) = (RateLimitKey::Caller("alice".to_owned()), RateLimitKey::Caller("bob".to_owned()));

        let outcomes: Vec<_> = (0..4).map(|_| limits.check(&alice, 3).map_err(|problem| problem.code())).collect();

        assert_eq!(outcomes, [Ok(()), Ok(()), Ok(()), Err(ProblemCode::RateLimited)]);
        assert_eq!(limits.check(&bob, 3), Ok(()));
    }

    #[test]
    fn a_changed_limit_takes_effect_immediately() {
        let limits = RateLimits::new(1);
        let key = RateLimitKey::from_address(IpAddr::from([192, 0, 2, 1]));
        assert!(limits.check(&key, 1).is_ok() && limits.check(&key, 1).is_err());

        assert!((0..5).all(|_| limits.check(&key, 5).is_ok()));
        assert!(limits.check(&key, 5).is_err());
        assert!((0..50).all(|_| limits.check(&key, 0).is_ok()));
    }
}
