//! What somebody shows to be let in: drawn at random, told once, kept as a
//! fingerprint.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use blake2::{Blake2s256, Digest as _};
use serde::{Deserialize, Serialize};

/// How tokens begin, so that they are known for what they are wherever they leak.
pub(crate) const TOKEN_PREFIX: &str = "lw_";

/// Something that lets its owner in. It shows itself to nobody who does not ask for
/// it by name.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret of 256 bits of chance.
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

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// By what a secret is known again. A quick hash is right here, and only here: nobody
/// goes through 2²⁵⁶ secrets, however quick it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Fingerprint(String);

impl Fingerprint {
    pub(crate) fn of(secret: &str) -> Self {
        let digest = Blake2s256::digest(secret.as_bytes());
        Self(URL_SAFE_NO_PAD.encode(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_do_not_show_themselves() {
        let (one, other) = (Secret::random("lw_").unwrap(), Secret::random("lw_").unwrap());

        assert_ne!(one, other);
        assert!(one.reveal().starts_with("lw_") && one.reveal().len() == 3 + 43);
        assert_eq!(format!("{one:?}"), "Secret(…)");
        assert_ne!(Fingerprint::of(one.reveal()), Fingerprint::of(other.reveal()));
    }
}
