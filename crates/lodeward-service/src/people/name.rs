//! What users are called.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The most characters of a name.
const LENGTH_MAX: usize = 64;

/// What a user is called: letters, digits, `.`, `_` and `-`, a letter or a digit
/// first. So a name can stand in a path, in a log and on a command line as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String, pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", example = "alice")]
pub struct Name(String);

/// A user cannot be called that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name has 1 to 64 letters, digits, `.`, `_` or `-`, and begins with a letter or a digit")]
pub struct NotAName;

impl Name {
    /// The name, as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether people would take one for the other.
    pub(super) fn looks_like(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl TryFrom<String> for Name {
    type Error = NotAName;

    fn try_from(text: String) -> Result<Self, NotAName> {
        let may_follow = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if begins && text.len() <= LENGTH_MAX && text.bytes().all(may_follow) { Ok(Self(text)) } else { Err(NotAName) }
    }
}

impl std::str::FromStr for Name {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Self, NotAName> {
        Self::try_from(text.to_owned())
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_stand_in_a_path_and_in_a_log() {
        for name in ["a", "alice", "Alice.B_c-1", "7", &"x".repeat(64)] {
            assert!(name.parse::<Name>().is_ok(), "{name}");
        }
        for name in ["", ".", "..", "-x", "_", "a b", "a/b", "a\r\nX: y", "a\0", "ä", &"x".repeat(65)] {
            assert_eq!(name.parse::<Name>(), Err(NotAName), "{name:?}");
        }
    }
}
