//! Passwords and their hashes.

use std::fmt;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::TokenSecret;

/// The minimum length of a password, in characters.
const MIN_LENGTH: usize = 8;

/// The maximum length of a password, in characters. The time to hash a password grows with its
/// length.
const MAX_LENGTH: usize = 256;

/// The hash that is checked if the user does not exist, so that the response takes the same
/// time as for an existing user.
const DUMMY_HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGlzIGhlcmUhIQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A password of valid length.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(value_type = String, format = Password, min_length = 8, max_length = 256)]
pub struct Password(String);

/// The password is too short or too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a password must have 8 to 256 characters")]
pub struct PasswordPolicyError;

impl TryFrom<String> for Password {
    type Error = PasswordPolicyError;

    fn try_from(text: String) -> Result<Self, PasswordPolicyError> {
        let length = text.chars().count();
        if (MIN_LENGTH..=MAX_LENGTH).contains(&length) { Ok(Self(text)) } else { Err(PasswordPolicyError) }
    }
}

impl From<&TokenSecret> for Password {
    fn from(secret: &TokenSecret) -> Self {
        Self(secret.reveal().to_owned())
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Password(…)")
    }
}

/// The stored form of a password: argon2id with 19 MiB and two passes, as OWASP recommends,
/// with a salt.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PasswordDigest(String);

impl PasswordDigest {
    /// Hashes a password. Slow; blocks.
    pub(super) fn new(password: &Password) -> Result<Self, argon2::password_hash::Error> {
        let hash: PasswordHash = Argon2::default().hash_password(password.0.as_bytes())?;
        Ok(Self(hash.to_string()))
    }

    /// A hash that no password matches.
    pub(crate) fn dummy() -> Self {
        Self(DUMMY_HASH.to_owned())
    }

    /// Whether the password matches. Slow; blocks.
    pub(crate) fn verify(&self, password: &str) -> bool {
        let Ok(hash) = PasswordHash::new(&self.0) else { return false };
        Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
    }

    /// The encoded hash. It changes whenever the password changes.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PasswordDigest(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_password_matches_its_hash() {
        let digest = PasswordDigest::new(&Password::try_from("correct horse".to_owned()).unwrap()).unwrap();

        assert!(digest.verify("correct horse"));
        assert!(!digest.verify("correct horsf"));
        assert!(!digest.as_str().contains("correct"));
        assert_eq!(format!("{digest:?}"), "PasswordDigest(…)");
    }

    #[test]
    fn checking_an_unknown_user_costs_as_much_as_checking_a_known_one() {
        let digest = PasswordDigest::new(&Password::try_from("correct horse".to_owned()).unwrap()).unwrap();
        let parts = |digest: &str| digest.split('$').map(str::to_owned).collect::<Vec<_>>();

        let (known, unknown) = (parts(digest.as_str()), parts(DUMMY_HASH));

        assert_eq!(known[..4], unknown[..4]);
        let lengths = |parts: &[String]| parts.iter().map(String::len).collect::<Vec<_>>();
        assert_eq!(lengths(&known), lengths(&unknown));
        assert!(PasswordHash::new(DUMMY_HASH).is_ok());
        assert!(!PasswordDigest::dummy().verify(""));
    }

    #[test]
    fn passwords_that_are_too_short_or_too_long_are_rejected() {
        for text in [String::new(), "1234567".to_owned(), "x".repeat(257)] {
            assert_eq!(Password::try_from(text).unwrap_err(), PasswordPolicyError);
        }
        assert!(Password::try_from("pässwörd".to_owned()).is_ok());
    }
}
