//! Who there is: what is kept of users, their tokens and their sessions.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Fingerprint, Hashed, Name, PeopleError};
use crate::role::Role;

/// The most users.
const USERS_MAX: usize = 1_000;

/// The most tokens of a user.
const TOKENS_MAX: usize = 100;

/// The most sessions of a user; the oldest goes.
const SESSIONS_MAX: usize = 32;

/// How exactly it is known when a token was used: every note of it is a write.
const USED_COARSENESS_MS: u64 = 3_600_000;

/// Everybody, as they stand in the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roster {
    pub(super) users: BTreeMap<Name, User>,
    tokens_given: u64,
    tokens: BTreeMap<Fingerprint, Token>,
    sessions: BTreeMap<Fingerprint, Session>,
}

/// Somebody who may sign in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// What they may do.
    pub role: Role,
    /// Whether they may not even sign in.
    pub disabled: bool,
    /// When they were added, in milliseconds since the Unix epoch.
    pub created_at_ms: u64,
    pub(crate) password: Hashed,
}

/// What lets a program in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Its number.
    pub id: u64,
    /// What it is for, in words.
    pub name: String,
    /// Whose it is.
    pub user: Name,
    /// What it is good for, unless its owner may do less.
    pub role: Role,
    /// When it was given, in milliseconds since the Unix epoch.
    pub created_at_ms: u64,
    /// When it was used last, give or take an hour.
    pub used_at_ms: Option<u64>,
    /// When it ends.
    pub expires_at_ms: Option<u64>,
    /// The token that it was made with, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u64>,
}

/// A browser in which somebody has signed in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    pub(crate) user: Name,
    pub(crate) created_at_ms: u64,
    pub(crate) expires_at_ms: u64,
}

impl Roster {
    /// Everybody, by name.
    pub fn users(&self) -> impl Iterator<Item = (&Name, &User)> {
        self.users.iter()
    }

    /// Somebody.
    #[must_use]
    pub fn user(&self, name: &Name) -> Option<&User> {
        self.users.get(name)
    }

    /// The tokens of somebody, the first given first.
    #[must_use]
    pub fn tokens_of(&self, user: &Name) -> Vec<&Token> {
        let mut tokens: Vec<_> = self.tokens.values().filter(|token| token.user == *user).collect();
        tokens.sort_unstable_by_key(|token| token.id);
        tokens
    }

    /// The token with this number.
    pub(crate) fn token(&self, id: u64) -> Option<&Token> {
        self.tokens.values().find(|token| token.id == id)
    }

    /// Whose token this is, and what it is good for now.
    pub(crate) fn by_token(&self, fingerprint: &Fingerprint, now_ms: u64) -> Option<(&Token, Role)> {
        let token = self.tokens.get(fingerprint)?;
        let user = self.enabled(&token.user)?;
        let has_ended = token.expires_at_ms.is_some_and(|end| end <= now_ms);
        (!has_ended).then(|| (token, token.role.min(user.role)))
    }

    /// Whose session this is, and what they may do now.
    pub(crate) fn by_session(&self, fingerprint: &Fingerprint, now_ms: u64) -> Option<(&Session, Role)> {
        let session = self.sessions.get(fingerprint)?;
        let user = self.enabled(&session.user)?;
        (session.expires_at_ms > now_ms).then_some((session, user.role))
    }

    /// Somebody who may sign in.
    pub(crate) fn enabled(&self, name: &Name) -> Option<&User> {
        self.users.get(name).filter(|user| !user.disabled)
    }

    fn user_mut(&mut self, name: &Name) -> Result<&mut User, PeopleError> {
        self.users.get_mut(name).ok_or_else(|| PeopleError::NoSuchUser(name.clone()))
    }

    pub(super) fn add(&mut self, name: Name, user: User) -> Result<(), PeopleError> {
        if self.users.keys().any(|other| other.looks_like(&name)) {
            return Err(PeopleError::NameTaken(name));
        }
        if self.users.len() >= USERS_MAX {
            return Err(PeopleError::TooManyUsers(USERS_MAX));
        }
        if self.users.is_empty() && user.role != Role::Admin {
            return Err(PeopleError::FirstIsAdmin);
        }
        self.users.insert(name, user);
        Ok(())
    }

    pub(super) fn change(&mut self, name: &Name, change: Change) -> Result<(), PeopleError> {
        let user = self.user_mut(name)?;
        let Change { role, disabled, password } = change;
        let has_new_password = password.is_some();
        user.role = role.unwrap_or(user.role);
        user.disabled = disabled.unwrap_or(user.disabled);
        user.password = password.unwrap_or_else(|| user.password.clone());
        if user.disabled || has_new_password {
            self.sessions.retain(|_, session| session.user != *name);
        }
        self.require_an_admin()
    }

    pub(super) fn remove(&mut self, name: &Name) -> Result<(), PeopleError> {
        self.users.remove(name).ok_or_else(|| PeopleError::NoSuchUser(name.clone()))?;
        self.tokens.retain(|_, token| token.user != *name);
        self.sessions.retain(|_, session| session.user != *name);
        self.require_an_admin()
    }

    /// Somebody must be able to let others in.
    fn require_an_admin(&self) -> Result<(), PeopleError> {
        let is_one = |user: &User| user.role == Role::Admin && !user.disabled;
        if self.users.values().any(is_one) { Ok(()) } else { Err(PeopleError::LastAdmin) }
    }

    pub(super) fn give_token(&mut self, fingerprint: Fingerprint, mut token: Token) -> Result<Token, PeopleError> {
        let name = token.user.clone();
        if token.role > self.user_mut(&name)?.role {
            return Err(PeopleError::AboveOwner(name));
        }
        if let Some(by) = token.by {
            // Who has found a token that ends must not make one that does not.
            let by = self.token(by).ok_or(PeopleError::NoSuchToken(by))?;
            token.expires_at_ms = [token.expires_at_ms, by.expires_at_ms].into_iter().flatten().min();
        }
        if self.tokens_of(&name).len() >= TOKENS_MAX {
            return Err(PeopleError::TooManyTokens(TOKENS_MAX));
        }
        self.tokens_given += 1;
        token.id = self.tokens_given;
        self.tokens.insert(fingerprint, token.clone());
        Ok(token)
    }

    pub(super) fn revoke(&mut self, id: u64) -> Result<(), PeopleError> {
        if self.token(id).is_none() {
            return Err(PeopleError::NoSuchToken(id));
        }
        let mut made: Vec<_> = self.tokens.values().filter_map(|token| Some((token.id, token.by?))).collect();
        // What a token has made has a higher number.
        made.sort_unstable();
        let mut gone = BTreeSet::from([id]);
        for (id, by) in made {
            if gone.contains(&by) {
                gone.insert(id);
            }
        }
        self.tokens.retain(|_, token| !gone.contains(&token.id));
        Ok(())
    }

    /// Whether it should be noted that a token was used.
    pub(crate) fn is_use_news(token: &Token, now_ms: u64) -> bool {
        token.used_at_ms.is_none_or(|then| now_ms.saturating_sub(then) >= USED_COARSENESS_MS)
    }

    pub(super) fn note_use(&mut self, id: u64, now_ms: u64) {
        if let Some(token) = self.tokens.values_mut().find(|token| token.id == id) {
            token.used_at_ms = Some(now_ms);
        }
    }

    pub(super) fn begin_session(&mut self, fingerprint: Fingerprint, session: Session) {
        let (now_ms, name) = (session.created_at_ms, session.user.clone());
        self.sessions.retain(|_, session| session.expires_at_ms > now_ms);
        let theirs = self.sessions.iter().filter(|(_, session)| session.user == name);
        let mut theirs: Vec<_> = theirs.map(|(key, session)| (session.created_at_ms, key.clone())).collect();
        theirs.sort_unstable();
        let surplus = (theirs.len() + 1).saturating_sub(SESSIONS_MAX);
        for (_, key) in &theirs[..surplus] {
            self.sessions.remove(key);
        }
        self.sessions.insert(fingerprint, session);
    }

    pub(super) fn end_session(&mut self, fingerprint: &Fingerprint) {
        self.sessions.remove(fingerprint);
    }
}

/// What becomes different about a user.
#[derive(Default)]
pub(super) struct Change {
    pub(super) role: Option<Role>,
    pub(super) disabled: Option<bool>,
    pub(super) password: Option<Hashed>,
}
