//! Settings of a remote store, and its secrets.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;
use lodeward::model::{Uri, UriError};
use serde::{Deserialize, Serialize};

use crate::settings::{RemoteStoreSettings, SecretText};

/// Settings of a remote store: the section `[remote_store]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RemoteStoreOptions {
    /// URL of the SPARQL 1.1 Update endpoint.
    pub update_url: Option<String>,
    /// URL of the SPARQL 1.1 Graph Store. Documents too large for one update are streamed to it;
    /// all documents are, if `update_url` is not set.
    pub graph_store_url: Option<String>,
    /// User name of Basic authentication.
    pub username: Option<String>,
    /// Password of Basic authentication.
    pub password: Option<SecretText>,
    /// File with the password in its first line.
    pub password_file: Option<PathBuf>,
    /// Token of Bearer authentication.
    pub token: Option<SecretText>,
    /// File with the token in its first line.
    pub token_file: Option<PathBuf>,
    /// Maximum number of documents per update.
    pub max_batch_documents: usize,
    /// Maximum size of an update in bytes. A single component of blank nodes may exceed it.
    pub max_batch_bytes: usize,
    /// Timeout of a request, in seconds.
    pub timeout_s: u64,
    /// Number of consecutive internal errors (status 500) after which a batch is split, to find the
    /// document that causes them.
    pub max_server_errors: u32,
}

impl Default for RemoteStoreOptions {
    fn default() -> Self {
        let RemoteStoreSettings { max_batch_size, timeout, .. } = RemoteStoreSettings::default();
        Self {
            update_url: None,
            graph_store_url: None,
            username: None,
            password: None,
            password_file: None,
            token: None,
            token_file: None,
            max_batch_documents: 256,
            max_batch_bytes: max_batch_size.to_usize(),
            timeout_s: timeout.as_secs(),
            max_server_errors: 5,
        }
    }
}

/// Invalid settings of a remote store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteStoreOptionsError {
    /// No URL is set.
    #[error("no remote store configured; hint: set `remote_store.update_url` or `remote_store.graph_store_url`")]
    MissingUrl,
    /// A URL is invalid.
    #[error("invalid URL in remote_store.{key}: `{url}`: {source}")]
    InvalidUrl {
        /// `update_url` or `graph_store_url`.
        key: &'static str,
        /// The configured URL.
        url: String,
        /// Why the URL is invalid.
        #[source]
        source: UriError,
    },
    /// A file with a secret cannot be read.
    #[error("cannot read the credentials of the remote store from {}: {source}", path.display())]
    SecretFile {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// Conflicting credentials.
    #[error("conflicting credentials in [remote_store]; hint: set either `username` and one password, or one token")]
    Credentials,
    /// A secret has characters that are not allowed in a header field.
    #[error("the credentials of the remote store have characters that are not allowed in an HTTP header")]
    Characters,
}

impl RemoteStoreOptions {
    /// URL of the SPARQL Update endpoint.
    pub fn update_uri(&self) -> Result<Option<Uri>, RemoteStoreOptionsError> {
        parse_url("update_url", self.update_url.as_ref())
    }

    /// URL of the Graph Store.
    pub fn graph_store_uri(&self) -> Result<Option<Uri>, RemoteStoreOptionsError> {
        parse_url("graph_store_url", self.graph_store_url.as_ref())
    }

    /// Timeout of a request that is not a large upload.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_s)
    }

    /// Value of the `Authorization` header, marked as sensitive.
    pub fn authorization(&self) -> Result<Option<HeaderValue>, RemoteStoreOptionsError> {
        let password = resolve_secret(self.password.as_ref(), self.password_file.as_deref())?;
        let token = resolve_secret(self.token.as_ref(), self.token_file.as_deref())?;
        let value = match (&self.username, password, token) {
            (None, None, None) => return Ok(None),
            (Some(user), password, None) => {
                let password = password.unwrap_or_default();
                format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{}", password.expose())))
            }
            (None, None, Some(token)) => format!("Bearer {}", token.expose()),
            _ => return Err(RemoteStoreOptionsError::Credentials),
        };
        let mut value = HeaderValue::from_str(&value).map_err(|_| RemoteStoreOptionsError::Characters)?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

fn parse_url(key: &'static str, url: Option<&String>) -> Result<Option<Uri>, RemoteStoreOptionsError> {
    let Some(url) = url else { return Ok(None) };
    let parsed = Uri::parse(url);
    parsed.map(Some).map_err(|source| {
        let shown = if source == UriError::Credentials { SecretText::MASK } else { url };
        RemoteStoreOptionsError::InvalidUrl { key, url: shown.to_owned(), source }
    })
}

fn resolve_secret(
    value: Option<&SecretText>,
    file: Option<&Path>,
) -> Result<Option<SecretText>, RemoteStoreOptionsError> {
    match (value, file) {
        (Some(_), Some(_)) => Err(RemoteStoreOptionsError::Credentials),
        (value, None) => Ok(value.cloned()),
        (None, Some(path)) => {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|source| RemoteStoreOptionsError::SecretFile { path: path.to_owned(), source })?;
            Ok(Some(SecretText::from(text.lines().next().unwrap_or_default().to_owned())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_have_one_source_and_are_not_printed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("token");
        std::fs::write(&file, "s3cret\nmore\n").unwrap();
        let check = |options: &RemoteStoreOptions, expected: Option<&str>| {
            let value = options.authorization().ok().flatten();
            assert_eq!(value.as_ref().map(|value| value.to_str().unwrap()), expected);
            assert!(!format!("{options:?}{value:?}{}", toml::to_string(options).unwrap()).contains("open sesame"));
        };
        let password = Some(SecretText::from("open sesame".to_owned()));
        let username = Some("ali".to_owned());

        check(&RemoteStoreOptions::default(), None);
        check(
            &RemoteStoreOptions { token_file: Some(file.clone()), ..RemoteStoreOptions::default() },
            Some("Bearer s3cret"),
        );
        let basic = RemoteStoreOptions { username, password: password.clone(), ..RemoteStoreOptions::default() };
        check(&basic, Some("Basic YWxpOm9wZW4gc2VzYW1l"));
        for wrong in [
            RemoteStoreOptions { token_file: Some(file.clone()), ..basic.clone() },
            RemoteStoreOptions { password_file: Some(file), ..basic },
            RemoteStoreOptions { password, ..RemoteStoreOptions::default() },
            RemoteStoreOptions { token_file: Some(dir.path().join("none")), ..RemoteStoreOptions::default() },
        ] {
            assert!(wrong.authorization().is_err());
        }
    }

    #[test]
    fn urls_are_checked() {
        let options =
            RemoteStoreOptions { update_url: Some("ftp://a.example/".to_owned()), ..RemoteStoreOptions::default() };
        let error = options.update_uri().unwrap_err().to_string();
        assert!(error.starts_with("invalid URL in remote_store.update_url: `ftp://a.example/`"), "{error}");

        let options = RemoteStoreOptions {
            update_url: Some("http://ali:sesame@a.example/".to_owned()),
            ..RemoteStoreOptions::default()
        };
        assert!(!options.update_uri().unwrap_err().to_string().contains("sesame"));
    }
}
