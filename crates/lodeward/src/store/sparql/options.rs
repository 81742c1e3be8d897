//! What can be set about a remote store, and its secrets.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::HeaderValue;
use serde::{Deserialize, Serialize, Serializer};

use crate::model::{Uri, UriError};

/// Settings of a remote store: the section `[sparql]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Where SPARQL 1.1 updates are sent.
    pub update: Option<String>,
    /// Where its SPARQL 1.1 Graph Store is. Documents that are too large for
    /// one update go there as one stream; all of them do, if `update` is not set.
    pub graph_store: Option<String>,
    /// The user of Basic authentication.
    pub user: Option<String>,
    /// Their password.
    pub password: Option<Secret>,
    /// A file with their password, in its first line.
    pub password_file: Option<PathBuf>,
    /// A token for Bearer authentication.
    pub token: Option<Secret>,
    /// A file with the token, in its first line.
    pub token_file: Option<PathBuf>,
    /// Documents in one update, at most.
    pub batch_documents: usize,
    /// Bytes of one update, unless one blank node and what hangs together with
    /// it takes more.
    pub batch_bytes: usize,
    /// Seconds to wait for an answer.
    pub timeout_s: u64,
    /// After how many internal errors in a row (status 500) a batch is taken
    /// apart, to find the document the server stumbles over.
    pub server_errors_max: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            update: None,
            graph_store: None,
            user: None,
            password: None,
            password_file: None,
            token: None,
            token_file: None,
            batch_documents: 256,
            batch_bytes: 2 << 20,
            timeout_s: 120,
            server_errors_max: 5,
        }
    }
}

/// Why a remote store cannot be used as it was described.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// No address at all.
    #[error("a remote store needs `update` or `graph_store` in [sparql]")]
    NoAddress,
    /// Not an address.
    #[error("sparql.{key}: `{address}`: {source}")]
    Address {
        /// `update` or `graph_store`.
        key: &'static str,
        /// What was given.
        address: String,
        /// What is wrong with it.
        #[source]
        source: UriError,
    },
    /// A file with a secret cannot be read.
    #[error("sparql: cannot read {}: {source}", path.display())]
    SecretFile {
        /// Which.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: std::io::Error,
    },
    /// More than one way to say who we are.
    #[error("sparql: give either a user with a password, or a token, and each of them once")]
    Credentials,
    /// A secret with characters that no header field can hold.
    #[error("sparql: the credentials have characters that cannot be sent")]
    Characters,
}

impl Options {
    /// The address for updates.
    pub fn update_uri(&self) -> Result<Option<Uri>, OptionsError> {
        address("update", self.update.as_ref())
    }

    /// The address of the graph store.
    pub fn graph_store_uri(&self) -> Result<Option<Uri>, OptionsError> {
        address("graph_store", self.graph_store.as_ref())
    }

    /// The longest wait for an answer to a small request.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_s)
    }

    /// The `Authorization` field, which the HTTP client will not print.
    pub fn authorization(&self) -> Result<Option<HeaderValue>, OptionsError> {
        let password = one_of(self.password.as_ref(), self.password_file.as_deref())?;
        let token = one_of(self.token.as_ref(), self.token_file.as_deref())?;
        let value = match (&self.user, password, token) {
            (None, None, None) => return Ok(None),
            (Some(user), password, None) => {
                let Secret(password) = password.unwrap_or_default();
                format!("Basic {}", base64(format!("{user}:{password}").as_bytes()))
            }
            (None, None, Some(Secret(token))) => format!("Bearer {token}"),
            _ => return Err(OptionsError::Credentials),
        };
        let mut value = HeaderValue::from_str(&value).map_err(|_| OptionsError::Characters)?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

fn address(key: &'static str, address: Option<&String>) -> Result<Option<Uri>, OptionsError> {
    let Some(address) = address else { return Ok(None) };
    let parsed = Uri::parse(address);
    parsed.map(Some).map_err(|source| {
        let shown = if source == UriError::Credentials { Secret::SHOWN } else { address };
        OptionsError::Address { key, address: shown.to_owned(), source }
    })
}

fn one_of(given: Option<&Secret>, file: Option<&Path>) -> Result<Option<Secret>, OptionsError> {
    match (given, file) {
        (Some(_), Some(_)) => Err(OptionsError::Credentials),
        (given, None) => Ok(given.cloned()),
        (None, Some(path)) => {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|source| OptionsError::SecretFile { path: path.to_owned(), source })?;
            Ok(Some(Secret(text.lines().next().unwrap_or_default().to_owned())))
        }
    }
}

/// Text that is never shown: not in logs, not by `lodeward config`.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// What is shown instead.
    pub const SHOWN: &str = "***";
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Self::SHOWN)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(Self::SHOWN)
    }
}

/// Base64 as Basic authentication wants it (RFC 4648 §4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 0x3F;
            text.push(if digit > chunk.len() { '=' } else { char::from(DIGITS[value as usize]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_padded() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"), ("\u{ff}", "w78=")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn credentials_come_from_one_place_and_are_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "s3cret\nmore\n").unwrap();
        let check = |options: &Options, expected: Option<&str>| {
            let value = options.authorization().ok().flatten();
            assert_eq!(value.as_ref().map(|value| value.to_str().unwrap()), expected);
            assert!(!format!("{options:?}{value:?}{}", toml::to_string(options).unwrap()).contains("open sesame"));
        };
        let password = Some(Secret("open sesame".to_owned()));
        let user = Some("ali".to_owned());

        check(&Options::default(), None);
        check(&Options { token_file: Some(file.clone()), ..Options::default() }, Some("Bearer s3cret"));
        let basic = Options { user, password: password.clone(), ..Options::default() };
        check(&basic, Some("Basic YWxpOm9wZW4gc2VzYW1l"));
        for wrong in [
            Options { token_file: Some(file.clone()), ..basic.clone() },
            Options { password_file: Some(file), ..basic },
            Options { password, ..Options::default() },
            Options { token_file: Some(folder.path().join("none")), ..Options::default() },
        ] {
            assert!(wrong.authorization().is_err());
        }
    }

    #[test]
    fn addresses_are_checked() {
        let options = Options { update: Some("ftp://a.example/".to_owned()), ..Options::default() };
        let error = options.update_uri().unwrap_err().to_string();
        assert!(error.starts_with("sparql.update: `ftp://a.example/`"), "{error}");

        let options = Options { update: Some("http://ali:sesame@a.example/".to_owned()), ..Options::default() };
        assert!(!options.update_uri().unwrap_err().to_string().contains("sesame"));
    }
}
