//! The user database: users, tokens, sessions, and the rules for changing them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Fingerprint, PasswordDigest, UserError, UserName};
use crate::role::Role;

/// The maximum number of users.
const MAX_USERS: usize = 1_000;

/// The maximum number of tokens of a user.
const MAX_TOKENS_PER_USER: usize = 100;

/// The maximum number of sessions of a user; the oldest ends first.
const MAX_SESSIONS_PER_USER: usize = 32;

/// The resolution of a token's `used_at_ms`. It is low, because every update writes the file.
const TOKEN_USE_RESOLUTION_MS: u64 = 3_600_000;

/// All users, tokens and sessions, as in the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserDb {
    pub(super) users: BTreeMap<UserName, UserRecord>,
    tokens_issued: u64,
    tokens: BTreeMap<Fingerprint, TokenRecord>,
    sessions: BTreeMap<Fingerprint, BrowserSession>,
}

/// A user.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserRecord {
    /// The role of the user.
    pub role: Role,
    /// Whether the user is disabled and cannot log in.
    pub disabled: bool,
    /// When the user was added, in milliseconds since the Unix epoch.
    pub created_at_ms: u64,
    pub(crate) password: PasswordDigest,
}

/// A token, for programs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRecord {
    /// The number of the token.
    pub id: u64,
    /// What the token is used for.
    pub name: String,
    /// The owner of the token.
    pub user: UserName,
    /// The role of the token. If the role of the owner is lower, it applies instead.
    pub role: Role,
    /// When the token was created, in milliseconds since the Unix epoch.
    pub created_at_ms: u64,
    /// When the token was last used, accurate to an hour.
    pub used_at_ms: Option<u64>,
    /// When the token expires; `None` if it never expires.
    pub expires_at_ms: Option<u64>,
    /// ID of the token that created this one, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
}

/// The session of a browser.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BrowserSession {
    pub(crate) user: UserName,
    pub(crate) created_at_ms: u64,
    pub(crate) expires_at_ms: u64,
}

impl UserDb {
    /// All users, by name.
    pub fn users(&self) -> impl Iterator<Item = (&UserName, &UserRecord)> {
        self.users.iter()
    }

    /// The user with this name.
    #[must_use]
    pub fn user(&self, name: &UserName) -> Option<&UserRecord> {
        self.users.get(name)
    }

    /// The tokens of a user, the oldest first.
    #[must_use]
    pub fn user_tokens(&self, user: &UserName) -> Vec<&TokenRecord> {
        let mut tokens: Vec<_> = self.tokens.values().filter(|token| token.user == *user).collect();
        tokens.sort_unstable_by_key(|token| token.id);
        tokens
    }

    /// The token with this ID.
    pub(crate) fn token(&self, id: u64) -> Option<&TokenRecord> {
        self.tokens.values().find(|token| token.id == id)
    }

    /// A valid token and its effective role.
    pub(crate) fn find_token(&self, fingerprint: &Fingerprint, now_ms: u64) -> Option<(&TokenRecord, Role)> {
        let token = self.tokens.get(fingerprint)?;
        self.enabled_user(&token.user)?;
        let has_expired = token.expires_at_ms.is_some_and(|end| end <= now_ms);
        (!has_expired).then(|| (token, self.token_role(token)))
    }

    /// The effective role of a token: the lower of its own role and that of its owner, disabled or not.
    pub(crate) fn token_role(&self, token: &TokenRecord) -> Role {
        self.users.get(&token.user).map_or(token.role, |user| token.role.min(user.role))
    }

    /// A valid session and the role of its user.
    pub(crate) fn find_session(&self, fingerprint: &Fingerprint, now_ms: u64) -> Option<(&BrowserSession, Role)> {
        let session = self.sessions.get(fingerprint)?;
        let user = self.enabled_user(&session.user)?;
        (session.expires_at_ms > now_ms).then_some((session, user.role))
    }

    /// A user that can log in.
    pub(crate) fn enabled_user(&self, name: &UserName) -> Option<&UserRecord> {
        self.users.get(name).filter(|user| !user.disabled)
    }

    fn user_mut(&mut self, name: &UserName) -> Result<&mut UserRecord, UserError> {
        self.users.get_mut(name).ok_or_else(|| UserError::NoSuchUser(name.clone()))
    }

    pub(super) fn add(&mut self, name: UserName, user: UserRecord) -> Result<(), UserError> {
        if self.users.keys().any(|other| other.eq_ignore_case(&name)) {
            return Err(UserError::NameTaken(name));
        }
        if self.users.len() >= MAX_USERS {
            return Err(UserError::TooManyUsers(MAX_USERS));
        }
        if self.users.is_empty() && user.role != Role::Admin {
            return Err(UserError::FirstIsAdmin);
        }
        self.users.insert(name, user);
        Ok(())
    }

    pub(super) fn change(&mut self, name: &UserName, change: UserChange) -> Result<(), UserError> {
        let user = self.user_mut(name)?;
        let UserChange { role, disabled, password } = change;
        let has_new_password = password.is_some();
        user.role = role.unwrap_or(user.role);
        user.disabled = disabled.unwrap_or(user.disabled);
        user.password = password.unwrap_or_else(|| user.password.clone());
        if user.disabled || has_new_password {
            self.sessions.retain(|_, session| session.user != *name);
        }
        self.require_admin()
    }

    pub(super) fn remove(&mut self, name: &UserName) -> Result<(), UserError> {
        self.users.remove(name).ok_or_else(|| UserError::NoSuchUser(name.clone()))?;
        self.tokens.retain(|_, token| token.user != *name);
        self.sessions.retain(|_, session| session.user != *name);
        self.require_admin()
    }

    /// At least one enabled admin must exist.
    fn require_admin(&self) -> Result<(), UserError> {
        let is_admin = |user: &UserRecord| user.role == Role::Admin && !user.disabled;
        if self.users.values().any(is_admin) { Ok(()) } else { Err(UserError::LastAdmin) }
    }

    pub(super) fn issue_token(
        &mut self,
        fingerprint: Fingerprint,
        mut token: TokenRecord,
    ) -> Result<TokenRecord, UserError> {
        let name = token.user.clone();
        if token.role > self.user_mut(&name)?.role {
            return Err(UserError::RoleAboveOwner(name));
        }
        if let Some(by) = token.parent {
            // A token with an expiry must not create a token that expires later.
            let by = self.token(by).ok_or(UserError::NoSuchToken(by))?;
            token.expires_at_ms = [token.expires_at_ms, by.expires_at_ms].into_iter().flatten().min();
        }
        if self.user_tokens(&name).len() >= MAX_TOKENS_PER_USER {
            return Err(UserError::TooManyTokens(MAX_TOKENS_PER_USER));
        }
        self.tokens_issued += 1;
        token.id = self.tokens_issued;
        self.tokens.insert(fingerprint, token.clone());
        Ok(token)
    }

    pub(super) fn revoke(&mut self, id: u64) -> Result<(), UserError> {
        if self.token(id).is_none() {
            return Err(UserError::NoSuchToken(id));
        }
        let mut children: Vec<_> = self.tokens.values().filter_map(|token| Some((token.id, token.parent?))).collect();
        // A child has a higher ID than its parent, so one pass finds all descendants.
        children.sort_unstable();
        let mut revoked = BTreeSet::from([id]);
        for (id, by) in children {
            if revoked.contains(&by) {
                revoked.insert(id);
            }
        }
        self.tokens.retain(|_, token| !revoked.contains(&token.id));
        Ok(())
    }

    /// Whether `used_at_ms` of a token should be updated.
    pub(crate) fn needs_use_update(token: &TokenRecord, now_ms: u64) -> bool {
        token.used_at_ms.is_none_or(|then| now_ms.saturating_sub(then) >= TOKEN_USE_RESOLUTION_MS)
    }

    pub(super) fn record_token_use(&mut self, id: u64, now_ms: u64) {
        if let Some(token) = self.tokens.values_mut().find(|token| token.id == id) {
            token.used_at_ms = Some(now_ms);
        }
    }

    pub(super) fn begin_session(&mut self, fingerprint: Fingerprint, session: BrowserSession) {
        let (now_ms, name) = (session.created_at_ms, session.user.clone());
        self.sessions.retain(|_, session| session.expires_at_ms > now_ms);
        let existing = self.sessions.iter().filter(|(_, session)| session.user == name);
        let mut existing: Vec<_> = existing.map(|(key, session)| (session.created_at_ms, key.clone())).collect();
        existing.sort_unstable();
        let surplus = (existing.len() + 1).saturating_sub(MAX_SESSIONS_PER_USER);
        for (_, key) in &existing[..surplus] {
            self.sessions.remove(key);
        }
        self.sessions.insert(fingerprint, session);
    }

    pub(super) fn end_session(&mut self, fingerprint: &Fingerprint) {
        self.sessions.remove(fingerprint);
    }
}

/// Changes to a user.
#[derive(Default)]
pub(super) struct UserChange {
    pub(super) role: Option<Role>,
    pub(super) disabled: Option<bool>,
    pub(super) password: Option<PasswordDigest>,
}
