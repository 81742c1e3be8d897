//! Names of users.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum length of a name.
const MAX_LENGTH: usize = 64;

/// The name of a user: letters, digits, `.`, `_` and `-`; the first character is a letter or
/// a digit. It needs no escaping in a path, in a log or on a command line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String, pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", example = "alice")]
pub struct UserName(String);

/// The name is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid user name: use 1 to 64 letters, digits, `.`, `_` or `-`, starting with a letter or a digit")]
pub struct UserNameError;

impl UserName {
    /// The name as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether two names differ at most in case. Such names are rejected, because users could confuse them.
    pub(super) fn eq_ignore_case(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl TryFrom<String> for UserName {
    type Error = UserNameError;

    fn try_from(text: String) -> Result<Self, UserNameError> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let is_start = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if is_start && text.len() <= MAX_LENGTH && text.bytes().all(is_allowed) {
            Ok(Self(text))
        } else {
            Err(UserNameError)
        }
    }
}

impl std::str::FromStr for UserName {
    type Err = UserNameError;

    fn from_str(text: &str) -> Result<Self, UserNameError> {
        Self::try_from(text.to_owned())
    }
}

impl From<UserName> for String {
    fn from(name: UserName) -> Self {
        name.0
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_needs_no_escaping_in_a_path_or_a_log() {
        for name in ["a", "alice", "Alice.B_c-1", "7", &"x".repeat(64)] {
            assert!(name.parse::<UserName>().is_ok(), "{name}");
        }
        for name in ["", ".", "..", "-x", "_", "a b", "a/b", "a\r\nX: y", "a\0", "ä", &"x".repeat(65)] {
            assert_eq!(name.parse::<UserName>(), Err(UserNameError), "{name:?}");
        }
    }
}
