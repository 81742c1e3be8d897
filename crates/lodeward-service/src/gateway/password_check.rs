//! Checks passwords, with limits on their number and rate, and a cache of correct passwords.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use blake2::Blake2sMac256;
use blake2::digest::{KeyInit as _, Mac as _};
use http::HeaderValue;
use http::header::RETRY_AFTER;
use tokio::sync::Semaphore;

use super::login_failures::LoginFailures;
use crate::problem::{Problem, ProblemCode};
use crate::state::Service;
use crate::users::{PasswordDigest, UserName, UserRecord};

/// Maximum number of concurrent checks. Each takes 19 MiB and a core.
const MAX_CONCURRENT_CHECKS: usize = 2;

/// The maximum number of waiting checks.
const MAX_WAITING: usize = 64;

/// How long a correct password is cached. Old clients send the password with every request.
const CACHE_TTL_MS: u64 = 300_000;

/// The maximum number of cached passwords.
const MAX_CACHED: usize = 1_000;

/// Maximum length of a password. Longer passwords are rejected without hashing them.
const MAX_PASSWORD_BYTES: usize = 1_024;

/// Checks passwords, and caches correct ones.
pub(crate) struct PasswordChecker {
    failures: LoginFailures,
    slots: Arc<Semaphore>,
    waiting: Semaphore,
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
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self {
            failures: LoginFailures::default(),
            slots: Arc::new(Semaphore::new(MAX_CONCURRENT_CHECKS)),
            waiting: Semaphore::new(MAX_WAITING),
            key,
            cached: Mutex::default(),
        })
    }

    /// Checks the password of a user. The check takes the same time whether the user exists or not.
    pub(crate) async fn check(
        service: &Arc<Service>,
        name: &str,
        password: &str,
        from: IpAddr,
    ) -> Result<VerifiedUser, Problem> {
        let passwords = &service.passwords;
        let name: Option<UserName> = name.parse().ok();
        passwords.check_backoff(service, name.as_ref(), from)?;
        let found = find_user(service, name.as_ref());
        if let Some(verified) = &found
            && passwords.is_cached(&passwords.seal(verified, password), (service.now)())
        {
            return found.ok_or_else(wrong_password);
        }
        let busy = |_| too_many_requests("too many concurrent logins", DEFAULT_RETRY_DELAY);
        let waiting = passwords.waiting.try_acquire().map_err(busy)?;
        let slot = Arc::clone(&passwords.slots).acquire_owned().await.expect("the semaphore is never closed");
        drop(waiting);
        // Other logins may have failed while this one was waiting.
        passwords.check_backoff(service, name.as_ref(), from)?;
        let (service, password) = (Arc::clone(service), password.to_owned());
        // If the client disconnects, the check still runs, counts as an attempt, and keeps its slot.
        let checking = tokio::task::spawn_blocking(move || {
            let outcome = verify(&service, name.as_ref(), &password, from);
            drop(slot);
            outcome
        });
        checking.await.expect("checking a password does not panic")
    }

    fn check_backoff(&self, service: &Service, name: Option<&UserName>, from: IpAddr) -> Result<(), Problem> {
        match self.failures.retry_after(name, from, (service.now)()) {
            Some(wait) => Err(too_many_requests("too many wrong passwords", wait)),
            None => Ok(()),
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

fn find_user(service: &Service, name: Option<&UserName>) -> Option<VerifiedUser> {
    let name = name?;
    let user = service.users.snapshot().enabled_user(name)?.clone();
    Some(VerifiedUser { name: name.clone(), user })
}

fn verify(service: &Service, name: Option<&UserName>, password: &str, from: IpAddr) -> Result<VerifiedUser, Problem> {
    let passwords = &service.passwords;
    let found = find_user(service, name);
    let digest = found.as_ref().map_or_else(PasswordDigest::dummy, |verified| verified.user.password.clone());
    let is_short = password.len() <= MAX_PASSWORD_BYTES;
    let matches = digest.verify(if is_short { password } else { "" }) && is_short;
    let now_ms = (service.now)();
    match found {
        Some(verified) if matches => {
            passwords.failures.record_success(&verified.name, from, now_ms);
            passwords.cache(passwords.seal(&verified, password), now_ms);
            Ok(verified)
        }
        _ => {
            passwords.failures.add(name, from, now_ms);
            Err(wrong_password())
        }
    }
}

fn wrong_password() -> Problem {
    Problem::new(ProblemCode::Unauthenticated, "wrong user name or password")
}

/// The problem for a client that must wait, with `Retry-After`.
pub(super) fn too_many_requests(what: &str, wait: Duration) -> Problem {
    let seconds = wait.as_millis().div_ceil(1_000).max(1);
    let value = HeaderValue::from_str(&seconds.to_string()).expect("digits are valid in a header field");
    Problem::new(ProblemCode::RateLimited, format!("{what}: retry in {seconds} s")).with_header(RETRY_AFTER, value)
}
