//! The users of the service: passwords, tokens, sessions.
//!
//! All of them are in one small file, `service/users.json` of the data directory, which is
//! replaced atomically at every change. Changes are made under a lock, so the command line
//! may change users while the service runs; the service compares the file's stamp before
//! it uses its cached copy. Passwords, tokens and sessions are stored as hashes only.

mod auth_method;
mod error;
mod login_failures;
mod user_file;
mod user_name;
mod password;
mod password_check;
mod user_db;
mod token_secret;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use lodeward_app::crawl_dir::NowMs;
use lodeward_app::data_dir::FIRST_PASSWORD_FILE;

pub(crate) use self::auth_method::AuthMethod;
pub use self::error::UserError;
pub(crate) use self::password::PasswordDigest;
pub use self::password::{Password, PasswordPolicyError};
pub(crate) use self::password_check::PasswordChecker;
pub use self::token_secret::TokenSecret;
pub(crate) use self::token_secret::{Fingerprint, TOKEN_PREFIX};
pub(crate) use self::user_db::BrowserSession;
pub use self::user_db::{TokenRecord, UserDb, UserRecord};
pub use self::user_name::{UserName, UserNameError};

use self::user_db::UserChange;
use crate::role::Role;
use lodeward_app::json_file::FileStamp;

/// Name of the user that is created if there are no users.
const FIRST_ADMIN: &str = "admin";

/// Name of the file with the users.
const USERS_FILE: &str = "users.json";

/// Name of this file in earlier versions. A data directory that has only this file is rejected.
const OLD_USERS_FILE: &str = "people.json";

/// The maximum length of the description of a token.
const MAX_TOKEN_NAME_CHARS: usize = 64;

/// The users of a data directory.
pub struct UserStore {
    dir: PathBuf,
    /// The file with the password of the first admin.
    first_password: PathBuf,
    now: NowMs,
    cache: RwLock<CachedUsers>,
}

struct CachedUsers {
    stamp: Option<FileStamp>,
    db: Arc<UserDb>,
}

/// Options for a new token.
pub struct TokenSpec {
    /// The owner of the token.
    pub user: UserName,
    /// What the token is used for.
    pub name: String,
    /// The role of the token.
    pub role: Role,
    /// Days until the token expires.
    pub days: Option<u32>,
    /// ID of the token that authenticates the request, if there is one. It becomes the parent of the new token.
    pub parent: Option<u64>,
}

impl UserStore {
    /// Opens the users of this data directory. This method and all methods that change users block.
    pub fn open(data: &Path, now: NowMs) -> Result<Self, UserError> {
        let dir = data.join("service");
        user_file::create_private_dir(&dir)?;
        let path = dir.join(USERS_FILE);
        let old_path = dir.join(OLD_USERS_FILE);
        if old_path.exists() && !path.exists() {
            return Err(UserError::OldFormat(old_path));
        }
        let stamp = FileStamp::from_path(&path);
        let db = Arc::new(user_file::read(&path)?);
        let first_password = data.join(FIRST_PASSWORD_FILE);
        Ok(Self { dir, first_password, now, cache: RwLock::new(CachedUsers { stamp, db }) })
    }

    fn path(&self) -> PathBuf {
        self.dir.join(USERS_FILE)
    }

    /// The current users, including changes by other processes.
    #[must_use]
    pub fn snapshot(&self) -> Arc<UserDb> {
        let path = self.path();
        let stamp = FileStamp::from_path(&path);
        {
            let cache = self.cache.read().unwrap_or_else(PoisonError::into_inner);
            if cache.stamp == stamp {
                return Arc::clone(&cache.db);
            }
        }
        let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        match user_file::read(&path) {
            Ok(db) => cache.db = Arc::new(db),
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "reading users failed; the service keeps using the last version"
                );
            }
        }
        // The stamp was taken before the file was read, so a change in between is detected at the next call.
        cache.stamp = stamp;
        Arc::clone(&cache.db)
    }

    fn change<T>(&self, change: impl FnOnce(&mut UserDb) -> Result<T, UserError>) -> Result<T, UserError> {
        let _lock = user_file::lock(&self.dir)?;
        let path = self.path();
        let mut db = user_file::read(&path)?;
        let outcome = change(&mut db)?;
        user_file::replace(&path, &db)?;
        let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        *cache = CachedUsers { stamp: FileStamp::from_path(&path), db: Arc::new(db) };
        Ok(outcome)
    }

    /// Creates an admin if there are no users, and writes the password to a file that only
    /// the owner of the data directory can read.
    pub(crate) fn create_first_admin(&self) -> Result<(), UserError> {
        if !self.snapshot().users.is_empty() {
            return Ok(());
        }
        let secret = random_secret("")?;
        let user = self.new_user(Role::Admin, &Password::from(&secret))?;
        let path = &self.first_password;
        let name: UserName = FIRST_ADMIN.parse().expect("`admin` is a valid user name");
        self.change(|db| {
            if !db.users.is_empty() {
                return Ok(());
            }
            // The password is written first. Otherwise a kill in between would leave an admin whose
            // password is unknown.
            user_file::write_private(path, format!("{}\n", secret.reveal()).as_bytes())?;
            db.add(name, user)
        })
    }

    /// The file with the password of the first admin, until the password is changed.
    #[must_use]
    pub fn first_password_file(&self) -> Option<PathBuf> {
        Some(self.first_password.clone()).filter(|path| path.exists())
    }

    /// Removes the file with the password of the first admin, if `name` is this admin: the password is no longer valid.
    fn remove_first_password(&self, name: &UserName) -> Result<(), UserError> {
        if name.as_str() != FIRST_ADMIN {
            return Ok(());
        }
        user_file::remove(&self.first_password)
    }

    fn new_user(&self, role: Role, password: &Password) -> Result<UserRecord, UserError> {
        Ok(UserRecord { role, disabled: false, created_at_ms: (self.now)(), password: hash_password(password)? })
    }

    /// Adds a user.
    pub fn add(&self, name: &UserName, role: Role, password: &Password) -> Result<UserRecord, UserError> {
        let user = self.new_user(role, password)?;
        self.change(|db| db.add(name.clone(), user.clone()))?;
        Ok(user)
    }

    /// Changes the given properties of a user. Setting a new password or disabling the user ends
    /// all sessions of the user.
    pub fn update(
        &self,
        name: &UserName,
        role: Option<Role>,
        disabled: Option<bool>,
        password: Option<&Password>,
    ) -> Result<UserRecord, UserError> {
        let has_new_password = password.is_some();
        let password = password.map(hash_password).transpose()?;
        let user = self.change(|db| {
            db.change(name, UserChange { role, disabled, password })?;
            db.user(name).cloned().ok_or_else(|| UserError::NoSuchUser(name.clone()))
        })?;
        if has_new_password {
            self.remove_first_password(name)?;
        }
        Ok(user)
    }

    /// Removes a user, with all tokens and sessions.
    pub fn remove(&self, name: &UserName) -> Result<(), UserError> {
        self.change(|db| db.remove(name))?;
        self.remove_first_password(name)
    }

    /// Creates a token. Only this call returns the secret.
    pub fn issue_token(&self, spec: TokenSpec) -> Result<(TokenRecord, TokenSecret), UserError> {
        if !(1..=MAX_TOKEN_NAME_CHARS).contains(&spec.name.chars().count()) {
            return Err(UserError::BadTokenName);
        }
        let secret = random_secret(TOKEN_PREFIX)?;
        let now_ms = (self.now)();
        let TokenSpec { user, name, role, days, parent } = spec;
        let expires_at_ms = days.map(|days| now_ms + u64::from(days) * 24 * 3_600_000);
        let token =
            TokenRecord { id: 0, name, user, role, created_at_ms: now_ms, used_at_ms: None, expires_at_ms, parent };
        let fingerprint = Fingerprint::from_secret(secret.reveal());
        let token = self.change(|db| db.issue_token(fingerprint, token))?;
        Ok((token, secret))
    }

    /// Revokes a token, and the tokens created with it.
    pub fn revoke(&self, id: u64) -> Result<(), UserError> {
        self.change(|db| db.revoke(id))
    }

    /// Records the use of a token.
    pub(crate) fn record_token_use(&self, id: u64) -> Result<(), UserError> {
        let now_ms = (self.now)();
        self.change(|db| {
            db.record_token_use(id, now_ms);
            Ok(())
        })
    }

    /// Starts a session of a user whose password was verified against this digest.
    pub(crate) fn begin_session(
        &self,
        user: &UserName,
        password: &PasswordDigest,
        lifetime: Duration,
    ) -> Result<Option<(BrowserSession, TokenSecret)>, UserError> {
        let secret = random_secret("")?;
        let created_at_ms = (self.now)();
        let expires_at_ms = created_at_ms.saturating_add(u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX));
        let session = BrowserSession { user: user.clone(), created_at_ms, expires_at_ms };
        self.change(|db| {
            // The password may have been changed while it was checked.
            if db.enabled_user(user).is_none_or(|user| user.password != *password) {
                return Ok(None);
            }
            db.begin_session(Fingerprint::from_secret(secret.reveal()), session.clone());
            Ok(Some((session, secret)))
        })
    }

    /// Ends a session.
    pub(crate) fn end_session(&self, fingerprint: &Fingerprint) -> Result<(), UserError> {
        self.change(|db| {
            db.end_session(fingerprint);
            Ok(())
        })
    }
}

fn random_secret(prefix: &str) -> Result<TokenSecret, UserError> {
    TokenSecret::random(prefix).map_err(|error| UserError::Secret(error.to_string()))
}

fn hash_password(password: &Password) -> Result<PasswordDigest, UserError> {
    PasswordDigest::new(password).map_err(|error| UserError::Secret(error.to_string()))
}
