//! What cannot be done about people.

use std::path::PathBuf;

use super::{Name, TOKEN_NAME_MAX};

/// Something about people cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeopleError {
    /// The file of users cannot be used.
    #[error("cannot use {}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file of users is not one.
    #[error("{} is damaged", path.display())]
    Format {
        /// Which file.
        path: PathBuf,
        /// How.
        source: serde_json::Error,
    },
    /// No chance can be had, or no memory.
    #[error("cannot make a secret: {0}")]
    Secret(String),
    /// There is nobody of that name.
    #[error("there is no user `{0}`")]
    NoSuchUser(Name),
    /// Somebody has that name, or one that looks like it.
    #[error("there is a user `{0}` already")]
    NameTaken(Name),
    /// There are as many as there can be.
    #[error("there can be {0} users, and they are there")]
    TooManyUsers(usize),
    /// Nobody could let others in.
    #[error("the first user has to be an admin")]
    FirstIsAdmin,
    /// Nobody would be left to let others in.
    #[error("this is the last admin who can sign in")]
    LastAdmin,
    /// There is no such token.
    #[error("there is no token {0}")]
    NoSuchToken(u64),
    /// A token cannot be called that.
    #[error("what a token is for has 1 to {TOKEN_NAME_MAX} characters")]
    BadTokenName,
    /// A token may not do more than its owner.
    #[error("a token of `{0}` cannot do more than they may")]
    AboveOwner(Name),
    /// They have as many as they can have.
    #[error("a user can have {0} tokens; revoke one")]
    TooManyTokens(usize),
}
