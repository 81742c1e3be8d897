//! Checks passwords, with limits on their number and rate, and a cache of correct passwords.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use blake2::Blake2sMac256;
use blake2::digest::{KeyInit as _, Mac as _};
use lodeward_app::crawl_dir::NowMs;

use super::login_failures::LoginFailures;
use super::{PasswordDigest, UserName, UserRecord, UserStore};
use crate::limits::{MAX_PASSWORD_CHECKS, MAX_WAITING_LOGINS, Slots};
use crate::problem::{Problem, ProblemCode};

/// How long a correct password is cached. Old clients send the password with every request.
const CACHE_TTL_MS: u64 = 300_000;

/// The maximum number of cached passwords.
const MAX_CACHED: usize = 1_000;

/// Maximum length of a password. Longer passwords are rejected without hashing them.
const MAX_PASSWORD_BYTES: usize = 1_024;

/// Checks passwords, and caches correct ones.
pub(crate) struct PasswordChecker {
    users: Arc<UserStore>,
    now: NowMs,
    failures: LoginFailures,
    slots: Slots,
    waiting: Slots,
    /// The key of the hashes in the cache. Without the key, guessed passwords cannot be compared
    /// with the hashes.
    key: [u8; 32],
    cached: Mutex<HashMap<PasswordSeal, u64>>,
}

/// Keyed hash of a user name, the stored password digest, and the password.
type PasswordSeal = [u8; 32];

/// A user whose password was verified.
pub(crate) struct VerifiedUser {
    pub(crate) name: UserName,
    pub(crate) user: UserRecord,
}

impl PasswordChecker {
    pub(crate) fn new(users: Arc<UserStore>, now: NowMs) -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self {
            users,
            now,
            failures: LoginFailures::default(),
            slots: Slots::new(MAX_PASSWORD_CHECKS),
            waiting: Slots::new(MAX_WAITING_LOGINS),
            key,
            cached: Mutex::default(),
        })
    }

    /// Checks the password of a user. The check takes the same time whether the user exists or not.
    pub(crate) async fn check(
        self: &Arc<Self>,
        name: &str,
        password: &str,
        from: IpAddr,
    ) -> Result<VerifiedUser, Problem> {
        let name: Option<UserName> = name.parse().ok();
        self.check_backoff(name.as_ref(), from)?;
        let found = self.find_user(name.as_ref());
        if let Some(verified) = &found
            && self.is_cached(&self.seal(verified, password), (self.now)())
        {
            return found.ok_or_else(wrong_password);
        }
        let busy = || Problem::rate_limited("too many concurrent logins", DEFAULT_RETRY_DELAY);
        let waiting = self.waiting.try_acquire().ok_or_else(busy)?;
        let slot = self.slots.acquire().await;
        drop(waiting);
        // Other logins may have failed while this one was waiting.
        self.check_backoff(name.as_ref(), from)?;
        let (checker, password) = (Arc::clone(self), password.to_owned());
        // If the client disconnects, the check still runs, counts as an attempt, and keeps its slot.
        let checking = tokio::task::spawn_blocking(move || {
            let outcome = checker.verify(name.as_ref(), &password, from);
            drop(slot);
            outcome
        });
        checking.await.expect("checking a password does not panic")
    }

    fn check_backoff(&self, name: Option<&UserName>, from: IpAddr) -> Result<(), Problem> {
        match self.failures.retry_after(name, from, (self.now)()) {
            Some(wait) => Err(Problem::rate_limited("too many wrong passwords", wait)),
            None => Ok(()),
        }
    }

    fn find_user(&self, name: Option<&UserName>) -> Option<VerifiedUser> {
        let name = name?;
        let user = self.users.snapshot().enabled_user(name)?.clone();
        Some(VerifiedUser { name: name.clone(), user })
    }

    fn verify(&self, name: Option<&UserName>, password: &str, from: IpAddr) -> Result<VerifiedUser, Problem> {
        let found = self.find_user(name);
        let digest = found.as_ref().map_or_else(PasswordDigest::dummy, |verified| verified.user.password.clone());
        let is_short = password.len() <= MAX_PASSWORD_BYTES;
        let matches = digest.verify(if is_short { password } else { "" }) && is_short;
        let now_ms = (self.now)();
        match found {
            Some(verified) if matches => {
                self.failures.record_success(&verified.name, from, now_ms);
                self.cache(self.seal(&verified, password), now_ms);
                Ok(verified)
            }
            _ => {
                self.failures.add(name, from, now_ms);
                Err(wrong_password())
            }
        }
    }

    fn seal(&self, verified: &VerifiedUser, password: &str) -> PasswordSeal {
        let mut mac = Blake2sMac256::new_from_slice(&self.key).expect("a key of 32 bytes is valid");
        for part in [verified.name.as_str(), verified.user.password.as_str(), password] {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }

    fn is_cached(&self, seal: &PasswordSeal, now_ms: u64) -> bool {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached.get(seal).is_some_and(|until| now_ms < *until)
    }

    fn cache(&self, seal: PasswordSeal, now_ms: u64) {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.len() >= MAX_CACHED {
            cached.retain(|_, until| now_ms < *until);
        }
        if cached.len() >= MAX_CACHED {
            cached.clear();
        }
        cached.insert(seal, now_ms.saturating_add(CACHE_TTL_MS));
    }
}

/// The value of `Retry-After` if too many checks are waiting.
const DEFAULT_RETRY_DELAY: Duration = Duration::from_secs(1);

fn wrong_password() -> Problem {
    Problem::new(ProblemCode::Unauthenticated, "wrong user name or password")
}
