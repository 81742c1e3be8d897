//! Passwords, checked: not too many at a time, not too often, and not twice.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use blake2::Blake2sMac256;
use blake2::digest::{KeyInit as _, Mac as _};
use http::HeaderValue;
use http::header::RETRY_AFTER;
use tokio::sync::Semaphore;

use super::failures::Failures;
use crate::people::{Hashed, Name, User};
use crate::problem::{Code, Problem};
use crate::service::Service;

/// Passwords that are checked at a time: each takes 19 MiB and a core.
const AT_A_TIME: usize = 2;

/// Those that may wait for their turn.
const WAITING_MAX: usize = 64;

/// How long a password that was right is not checked again. Old clients send theirs
/// with every request.
const REMEMBERED_MS: u64 = 300_000;

/// The most that are remembered.
const REMEMBERED_MAX: usize = 1_000;

/// Longer ones nobody has.
const PASSWORD_BYTES_MAX: usize = 1_024;

/// Checks passwords.
pub(crate) struct Passwords {
    failures: Failures,
    turns: Arc<Semaphore>,
    places: Semaphore,
    /// Nothing that is remembered says anything to whoever has not this key.
    key: [u8; 32],
    remembered: Mutex<HashMap<Seal, u64>>,
}

/// A name, a password and what is kept of it, under a key.
type Seal = [u8; 32];

/// Somebody whose password was right.
pub(crate) struct Proven {
    pub(crate) name: Name,
    pub(crate) user: User,
}

impl Passwords {
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self {
            failures: Failures::default(),
            turns: Arc::new(Semaphore::new(AT_A_TIME)),
            places: Semaphore::new(WAITING_MAX),
            key,
            remembered: Mutex::default(),
        })
    }

    /// Whether this is the password of somebody. It takes as long whether there is
    /// somebody or not.
    pub(crate) async fn check(
        service: &Arc<Service>,
        name: &str,
        password: &str,
        from: IpAddr,
    ) -> Result<Proven, Problem> {
        let passwords = &service.passwords;
        let name: Option<Name> = name.parse().ok();
        passwords.require_patience(service, name.as_ref(), from)?;
        let found = find(service, name.as_ref());
        if let Some(proven) = &found
            && passwords.remembers(&passwords.seal(proven, password), (service.now)())
        {
            return found.ok_or_else(wrong);
        }
        let place = passwords.places.try_acquire().map_err(|_| too_many("too many people sign in", WAIT))?;
        let turn = Arc::clone(&passwords.turns).acquire_owned().await.expect("it is never closed");
        drop(place);
        // Others may have failed while this one waited.
        passwords.require_patience(service, name.as_ref(), from)?;
        let (service, password) = (Arc::clone(service), password.to_owned());
        // Who hangs up does not take back that they have tried, nor begins another.
        let checking = tokio::task::spawn_blocking(move || {
            let outcome = check_now(&service, name.as_ref(), &password, from);
            drop(turn);
            outcome
        });
        checking.await.expect("a check does not panic")
    }

    fn require_patience(&self, service: &Service, name: Option<&Name>, from: IpAddr) -> Result<(), Problem> {
        match self.failures.wait(name, from, (service.now)()) {
            Some(wait) => Err(too_many("too many wrong passwords", wait)),
            None => Ok(()),
        }
    }

    fn seal(&self, proven: &Proven, password: &str) -> Seal {
        let mut mac = Blake2sMac256::new_from_slice(&self.key).expect("it takes keys of 32 bytes");
        for part in [proven.name.as_str(), proven.user.password.as_str(), password] {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }

    fn remembers(&self, seal: &Seal, now_ms: u64) -> bool {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.get(seal).is_some_and(|until| now_ms < *until)
    }

    fn remember(&self, seal: Seal, now_ms: u64) {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= REMEMBERED_MAX {
            remembered.retain(|_, until| now_ms < *until);
        }
        if remembered.len() >= REMEMBERED_MAX {
            remembered.clear();
        }
        remembered.insert(seal, now_ms.saturating_add(REMEMBERED_MS));
    }
}

/// What to wait where nobody knows better.
const WAIT: Duration = Duration::from_secs(1);

fn find(service: &Service, name: Option<&Name>) -> Option<Proven> {
    let name = name?;
    let user = service.people.roster().enabled(name)?.clone();
    Some(Proven { name: name.clone(), user })
}

fn check_now(service: &Service, name: Option<&Name>, password: &str, from: IpAddr) -> Result<Proven, Problem> {
    let passwords = &service.passwords;
    let found = find(service, name);
    let hashed = found.as_ref().map_or_else(Hashed::of_nobody, |proven| proven.user.password.clone());
    let is_short = password.len() <= PASSWORD_BYTES_MAX;
    let fits = hashed.fits(if is_short { password } else { "" }) && is_short;
    let now_ms = (service.now)();
    match found {
        Some(proven) if fits => {
            passwords.failures.forgive(&proven.name, from, now_ms);
            passwords.remember(passwords.seal(&proven, password), now_ms);
            Ok(proven)
        }
        _ => {
            passwords.failures.add(name, from, now_ms);
            Err(wrong())
        }
    }
}

fn wrong() -> Problem {
    Problem::new(Code::Unauthenticated, "the name or the password is wrong")
}

/// Not now, but after a while.
pub(super) fn too_many(what: &str, wait: Duration) -> Problem {
    let seconds = wait.as_millis().div_ceil(1_000).max(1);
    let value = HeaderValue::from_str(&seconds.to_string()).expect("digits are visible");
    Problem::new(Code::TooManyRequests, format!("{what}: try again in {seconds} s")).with(RETRY_AFTER, value)
}
