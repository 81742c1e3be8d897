//! Passwords, and what is kept of them.

use std::fmt;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Secret;

/// The fewest characters of a password.
const LENGTH_MIN: usize = 8;

/// The most: whoever checks one reads all of it.
const LENGTH_MAX: usize = 256;

/// What is checked where there is nobody, so that it takes as long as where there
/// is somebody.
const OF_NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGlzIGhlcmUhIQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A password that somebody may have.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(value_type = String, format = Password, min_length = 8, max_length = 256)]
pub struct Password(String);

/// A password that nobody may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a password has 8 to 256 characters")]
pub struct NotAPassword;

impl TryFrom<String> for Password {
    type Error = NotAPassword;

    fn try_from(text: String) -> Result<Self, NotAPassword> {
        let length = text.chars().count();
        if (LENGTH_MIN..=LENGTH_MAX).contains(&length) { Ok(Self(text)) } else { Err(NotAPassword) }
    }
}

impl From<&Secret> for Password {
    fn from(secret: &Secret) -> Self {
        Self(secret.reveal().to_owned())
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Password(…)")
    }
}

/// What is kept of a password: argon2id with 19 MiB in two passes, as OWASP wants
/// it, and a salt.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hashed(String);

impl Hashed {
    /// Takes its time, and blocks.
    pub(super) fn new(password: &Password) -> Result<Self, argon2::password_hash::Error> {
        let hash: PasswordHash = Argon2::default().hash_password(password.0.as_bytes())?;
        Ok(Self(hash.to_string()))
    }

    /// What nobody's password fits.
    pub(crate) fn of_nobody() -> Self {
        Self(OF_NOBODY.to_owned())
    }

    /// Whether it is that of this password. Takes its time, and blocks.
    pub(crate) fn fits(&self, password: &str) -> bool {
        let Ok(hash) = PasswordHash::new(&self.0) else { return false };
        Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
    }

    /// It changes whenever the password does.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hashed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Hashed(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_fits_what_is_kept_of_it_and_no_other_does() {
        let hashed = Hashed::new(&Password::try_from("correct horse".to_owned()).unwrap()).unwrap();

        assert!(hashed.fits("correct horse"));
        assert!(!hashed.fits("correct horsf"));
        assert!(!hashed.as_str().contains("correct"));
        assert_eq!(format!("{hashed:?}"), "Hashed(…)");
    }

    #[test]
    fn looking_for_nobody_costs_as_much_as_looking_for_somebody() {
        let hashed = Hashed::new(&Password::try_from("correct horse".to_owned()).unwrap()).unwrap();
        let parts = |hashed: &str| hashed.split('$').map(str::to_owned).collect::<Vec<_>>();

        let (of_somebody, of_nobody) = (parts(hashed.as_str()), parts(OF_NOBODY));

        assert_eq!(of_somebody[..4], of_nobody[..4]);
        let lengths = |parts: &[String]| parts.iter().map(String::len).collect::<Vec<_>>();
        assert_eq!(lengths(&of_somebody), lengths(&of_nobody));
        assert!(PasswordHash::new(OF_NOBODY).is_ok());
        assert!(!Hashed::of_nobody().fits(""));
    }

    #[test]
    fn short_and_endless_passwords_are_refused() {
        for text in [String::new(), "1234567".to_owned(), "x".repeat(257)] {
            assert_eq!(Password::try_from(text).unwrap_err(), NotAPassword);
        }
        assert!(Password::try_from("pässwörd".to_owned()).is_ok());
    }
}
