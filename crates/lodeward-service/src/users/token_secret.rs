//! Random secrets of tokens and sessions: shown once, stored as a hash.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use blake2::{Blake2s256, Digest as _};
use serde::{Deserialize, Serialize};

/// The prefix of tokens, by which a leaked token can be recognized.
pub(crate) const TOKEN_PREFIX: &str = "lw_";

/// The secret of a token or a session. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret(String);

impl TokenSecret {
    /// A secret with 256 random bits.
    pub(crate) fn random(prefix: &str) -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// The secret itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TokenSecret(…)")
    }
}

/// The hash of a secret, under which it is stored. A fast hash is sufficient here: 2²⁵⁶
/// secrets cannot be enumerated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Fingerprint(String);

impl Fingerprint {
    pub(crate) fn from_secret(secret: &str) -> Self {
        let digest = Blake2s256::digest(secret.as_bytes());
        Self(URL_SAFE_NO_PAD.encode(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_unique_and_debug_does_not_show_them() {
        let (one, other) = (TokenSecret::random("lw_").unwrap(), TokenSecret::random("lw_").unwrap());

        assert_ne!(one, other);
        assert!(one.reveal().starts_with("lw_") && one.reveal().len() == 3 + 43);
        assert_eq!(format!("{one:?}"), "TokenSecret(…)");
        assert_ne!(Fingerprint::from_secret(one.reveal()), Fingerprint::from_secret(other.reveal()));
    }
}
