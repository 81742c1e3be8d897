//! Users, passwords, tokens, sessions: who somebody is.
//!
//! Everybody stands in one small file, `service/people.json` of the data directory,
//! which is replaced as a whole at every change. Whoever changes it holds a lock, so
//! the command line may do so while the service runs; the service looks at the file's
//! stamp before it believes what it remembers. Of passwords, tokens and sessions the
//! file holds nothing that would let anybody in.

mod error;
mod file;
mod name;
mod password;
mod roster;
mod secret;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use lodeward::open::Now;

pub use self::error::PeopleError;
pub use self::name::{Name, NotAName};
pub(crate) use self::password::Hashed;
pub use self::password::{NotAPassword, Password};
pub(crate) use self::roster::Session;
pub use self::roster::{Roster, Token, User};
pub use self::secret::Secret;
pub(crate) use self::secret::{Fingerprint, TOKEN_PREFIX};

use self::file::Stamp;
use self::roster::Change;
use crate::role::Role;

/// Who is there before anybody else.
const FIRST_ADMIN: &str = "admin";

/// The most characters of what a token is for.
const TOKEN_NAME_MAX: usize = 64;

/// The people of a data directory.
pub struct People {
    folder: PathBuf,
    now: Now,
    known: RwLock<Known>,
}

struct Known {
    stamp: Option<Stamp>,
    roster: Arc<Roster>,
}

/// A token that is asked for.
pub struct Wanted {
    /// Whose it will be.
    pub user: Name,
    /// What it is for, in words.
    pub name: String,
    /// What it will be good for.
    pub role: Role,
    /// After how many days it ends.
    pub days: Option<u32>,
    /// The token that asks for it, if it is not its owner in person.
    pub by: Option<u64>,
}

impl People {
    /// The people of this data directory. Blocks, as all that changes something does.
    pub fn open(data: &Path, now: Now) -> Result<Self, PeopleError> {
        let folder = data.join("service");
        file::make_folder(&folder)?;
        let path = folder.join("people.json");
        let stamp = Stamp::of(&path);
        let roster = Arc::new(file::read(&path)?);
        Ok(Self { folder, now, known: RwLock::new(Known { stamp, roster }) })
    }

    fn path(&self) -> PathBuf {
        self.folder.join("people.json")
    }

    /// Who there is now, also if another process has changed it.
    #[must_use]
    pub fn roster(&self) -> Arc<Roster> {
        let path = self.path();
        let stamp = Stamp::of(&path);
        {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            if known.stamp == stamp {
                return Arc::clone(&known.roster);
            }
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        match file::read(&path) {
            Ok(roster) => known.roster = Arc::new(roster),
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "what was known of users before holds");
            }
        }
        // The stamp is older than what was read, or as old: a change in between is
        // seen the next time.
        known.stamp = stamp;
        Arc::clone(&known.roster)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Roster) -> Result<T, PeopleError>) -> Result<T, PeopleError> {
        let _lock = file::lock(&self.folder)?;
        let path = self.path();
        let mut roster = file::read(&path)?;
        let outcome = change(&mut roster)?;
        file::replace(&path, &roster)?;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        *known = Known { stamp: Stamp::of(&path), roster: Arc::new(roster) };
        Ok(outcome)
    }

    /// Makes an admin if there is nobody, and leaves a password where only the owner
    /// of the data directory finds it.
    pub(crate) fn welcome(&self) -> Result<(), PeopleError> {
        if !self.roster().users.is_empty() {
            return Ok(());
        }
        let secret = random("")?;
        let user = self.new_user(Role::Admin, &Password::from(&secret))?;
        let path = self.first_password_path();
        let name: Name = FIRST_ADMIN.parse().expect("it is a name");
        self.change(|roster| {
            if !roster.users.is_empty() {
                return Ok(());
            }
            // First the password: an admin whose password nobody knows is of no use.
            file::write_private(&path, format!("{}\n", secret.reveal()).as_bytes())?;
            roster.add(name, user)
        })
    }

    fn first_password_path(&self) -> PathBuf {
        self.folder.join("admin-password.txt")
    }

    /// Where the password of the first admin is, if they have not changed it.
    #[must_use]
    pub fn first_password_file(&self) -> Option<PathBuf> {
        Some(self.first_password_path()).filter(|path| path.exists())
    }

    /// It says nothing true any more.
    fn forget_first_password(&self, name: &Name) -> Result<(), PeopleError> {
        if name.as_str() != FIRST_ADMIN {
            return Ok(());
        }
        file::remove(&self.first_password_path())
    }

    fn new_user(&self, role: Role, password: &Password) -> Result<User, PeopleError> {
        Ok(User { role, disabled: false, created_at_ms: (self.now)(), password: hashed(password)? })
    }

    /// Adds somebody.
    pub fn add(&self, name: &Name, role: Role, password: &Password) -> Result<User, PeopleError> {
        let user = self.new_user(role, password)?;
        self.change(|roster| roster.add(name.clone(), user.clone()))?;
        Ok(user)
    }

    /// Changes what is given; the rest stays. A new password, or being disabled, ends
    /// all sessions of the user.
    pub fn amend(
        &self,
        name: &Name,
        role: Option<Role>,
        disabled: Option<bool>,
        password: Option<&Password>,
    ) -> Result<User, PeopleError> {
        let has_new_password = password.is_some();
        let password = password.map(hashed).transpose()?;
        let user = self.change(|roster| {
            roster.change(name, Change { role, disabled, password })?;
            roster.user(name).cloned().ok_or_else(|| PeopleError::NoSuchUser(name.clone()))
        })?;
        if has_new_password {
            self.forget_first_password(name)?;
        }
        Ok(user)
    }

    /// Takes somebody away, with their tokens and sessions.
    pub fn remove(&self, name: &Name) -> Result<(), PeopleError> {
        self.change(|roster| roster.remove(name))?;
        self.forget_first_password(name)
    }

    /// Gives a token. It is told here, and never again.
    pub fn give_token(&self, wanted: Wanted) -> Result<(Token, Secret), PeopleError> {
        if !(1..=TOKEN_NAME_MAX).contains(&wanted.name.chars().count()) {
            return Err(PeopleError::BadTokenName);
        }
        let secret = random(TOKEN_PREFIX)?;
        let now_ms = (self.now)();
        let Wanted { user, name, role, days, by } = wanted;
        let expires_at_ms = days.map(|days| now_ms + u64::from(days) * 24 * 3_600_000);
        let token = Token { id: 0, name, user, role, created_at_ms: now_ms, used_at_ms: None, expires_at_ms, by };
        let fingerprint = Fingerprint::of(secret.reveal());
        let token = self.change(|roster| roster.give_token(fingerprint, token))?;
        Ok((token, secret))
    }

    /// Ends a token, and those that were made with it.
    pub fn revoke(&self, id: u64) -> Result<(), PeopleError> {
        self.change(|roster| roster.revoke(id))
    }

    /// Notes that a token was used.
    pub(crate) fn note_use(&self, id: u64) -> Result<(), PeopleError> {
        let now_ms = (self.now)();
        self.change(|roster| {
            roster.note_use(id, now_ms);
            Ok(())
        })
    }

    /// Begins a session of somebody whose password was right: it was this one.
    pub(crate) fn begin_session(
        &self,
        user: &Name,
        password: &Hashed,
        hours: u64,
    ) -> Result<Option<(Session, Secret)>, PeopleError> {
        let secret = random("")?;
        let created_at_ms = (self.now)();
        let expires_at_ms = created_at_ms.saturating_add(hours.saturating_mul(3_600_000));
        let session = Session { user: user.clone(), created_at_ms, expires_at_ms };
        self.change(|roster| {
            // It may have been changed while it was checked.
            if roster.enabled(user).is_none_or(|user| user.password != *password) {
                return Ok(None);
            }
            roster.begin_session(Fingerprint::of(secret.reveal()), session.clone());
            Ok(Some((session, secret)))
        })
    }

    /// Ends a session.
    pub(crate) fn end_session(&self, fingerprint: &Fingerprint) -> Result<(), PeopleError> {
        self.change(|roster| {
            roster.end_session(fingerprint);
            Ok(())
        })
    }
}

fn random(prefix: &str) -> Result<Secret, PeopleError> {
    Secret::random(prefix).map_err(|error| PeopleError::Secret(error.to_string()))
}

fn hashed(password: &Password) -> Result<Hashed, PeopleError> {
    Hashed::new(password).map_err(|error| PeopleError::Secret(error.to_string()))
}
