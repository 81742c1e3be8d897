//! Errors of the user database.

use std::path::PathBuf;

use lodeward_app::json_file::FileError;

use super::{MAX_TOKEN_NAME_CHARS, UserName};

/// Why an operation on users failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UserError {
    /// The file of users cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file of users was written by an older version of the program.
    #[error("{} was written by an older version: this version uses users.json", .0.display())]
    OldFormat(PathBuf),
    /// A secret or a password hash cannot be created: the random number generator failed, or memory is exhausted.
    #[error("cannot create a secret: {0}")]
    Secret(String),
    /// The user does not exist.
    #[error("no such user: `{0}`")]
    NoSuchUser(UserName),
    /// The name is taken, or differs only in case from the name of another user.
    #[error("user `{0}` already exists")]
    NameTaken(UserName),
    /// The maximum number of users is reached.
    #[error("user limit reached ({0})")]
    TooManyUsers(usize),
    /// The first user is not an admin. Without an admin, no further users could be added.
    #[error("the first user must be an admin")]
    FirstIsAdmin,
    /// The change would leave no enabled admin.
    #[error("cannot disable, demote or remove the last enabled admin")]
    LastAdmin,
    /// The token does not exist.
    #[error("no such token: {0}")]
    NoSuchToken(u64),
    /// The description of a token is empty or too long.
    #[error("the description of a token must have 1 to {MAX_TOKEN_NAME_CHARS} characters")]
    BadTokenName,
    /// A token cannot have a higher role than its owner.
    #[error("a token cannot have a higher role than its owner `{0}`")]
    RoleAboveOwner(UserName),
    /// The user has reached the maximum number of tokens.
    #[error("token limit reached ({0} per user): revoke one")]
    TooManyTokens(usize),
}
