//! Addresses of documents, and the domains they are paid for.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use url::Url;

/// The longest address we follow. Longer ones are session tokens and traps.
pub const URI_BYTES_MAX: usize = 2_048;

/// The longest question to a service. Servers and proxies take request lines of
/// at least 8,000 bytes (RFC 9112, 3).
pub const QUESTION_BYTES_MAX: usize = 7_800;

/// The address of a document we may dereference: absolute, `http` or `https`,
/// normalised as the WHATWG URL standard says, without fragment and without
/// credentials.
///
/// An RDF *resource* is named by an IRI; the *document* that describes it is
/// located by a `Uri`. `https://example.org/bob#me` is a fine name, and its
/// document is `https://example.org/bob`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Uri(Arc<str>);

impl Uri {
    /// Parses and normalises an absolute address.
    pub fn parse(text: &str) -> Result<Self, UriError> {
        Url::parse(text).map_err(UriError::Malformed).and_then(Self::from_url)
    }

    /// Resolves a reference found in the document at `base`.
    pub fn resolve(base: &Url, reference: &str) -> Result<Self, UriError> {
        base.join(reference).map_err(UriError::Malformed).and_then(Self::from_url)
    }

    /// The document at this address, whatever its fragment.
    pub fn from_url(url: Url) -> Result<Self, UriError> {
        Self::bounded(url, URI_BYTES_MAX)
    }

    /// The address of a question to a service, which may be longer than what
    /// others link to, for it is we who made it.
    pub fn of_question(url: Url) -> Result<Self, UriError> {
        Self::bounded(url, QUESTION_BYTES_MAX)
    }

    /// An address that was visited, and is read from where it was written down:
    /// of a document or of a question.
    pub fn recorded(text: &str) -> Result<Self, UriError> {
        Url::parse(text).map_err(UriError::Malformed).and_then(Self::of_question)
    }

    fn bounded(mut url: Url, bytes_max: usize) -> Result<Self, UriError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UriError::NotHttp(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UriError::Credentials);
        }
        url.set_fragment(None);
        if url.as_str().len() > bytes_max {
            return Err(UriError::TooLong(url.as_str().len()));
        }
        Ok(Self(url.as_str().into()))
    }

    /// The address as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address as a [`Url`], for resolving references against it.
    #[must_use]
    pub fn to_url(&self) -> Url {
        Url::parse(&self.0).expect("a Uri is a normalised URL")
    }

    /// The scheme: `http` or `https`.
    #[must_use]
    pub fn scheme(&self) -> &str {
        if self.0.starts_with("https:") { "https" } else { "http" }
    }

    /// Host and port as written: `example.org:8080`.
    #[must_use]
    pub fn authority(&self) -> &str {
        let rest = &self.0[self.scheme().len() + 3..];
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        &rest[..end]
    }

    /// The host: a name, an IPv4 address, or an IPv6 address in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        let authority = self.authority();
        if authority.starts_with('[') {
            return authority.find(']').map_or(authority, |end| &authority[..=end]);
        }
        authority.split_once(':').map_or(authority, |(host, _)| host)
    }

    /// Scheme, host and port: what a robots.txt speaks for.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.0[..self.scheme().len() + 3 + self.authority().len()]
    }

    /// Path and query, as a request line has them: `/data?id=7`.
    #[must_use]
    pub fn path_and_query(&self) -> &str {
        &self.0[self.origin().len()..]
    }

    /// The path alone.
    #[must_use]
    pub fn path(&self) -> &str {
        let path = self.path_and_query();
        path.split_once('?').map_or(path, |(path, _)| path)
    }

    /// The file extension of the last path segment, lower case: `rdf` for
    /// `/people/bob.RDF`.
    #[must_use]
    pub fn extension(&self) -> Option<String> {
        let file = self.path().rsplit('/').next()?;
        let (stem, extension) = file.rsplit_once('.')?;
        let plausible = !stem.is_empty() && (1..=8).contains(&extension.len());
        let plausible = plausible && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
        plausible.then(|| extension.to_ascii_lowercase())
    }

    /// The pay-level domain, the unit of politeness.
    #[must_use]
    pub fn pld(&self) -> Pld {
        Pld::of_host(self.host())
    }

    /// A 128-bit fingerprint, stable across versions and machines: two
    /// different addresses share one with probability 2⁻⁶⁴ at a billion billion.
    #[must_use]
    pub fn fingerprint(&self) -> u128 {
        xxhash_rust::xxh3::xxh3_128(self.0.as_bytes())
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why some text is not a [`Uri`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UriError {
    /// Not an absolute URL.
    #[error("not an absolute URL: {0}")]
    Malformed(url::ParseError),
    /// A scheme that we do not dereference.
    #[error("cannot dereference scheme `{0}`")]
    NotHttp(String),
    /// A user name or password inside the address: somebody's secret, which we
    /// neither send nor store.
    #[error("address contains credentials")]
    Credentials,
    /// Longer than [`URI_BYTES_MAX`].
    #[error(
        "address is {0} bytes long, longer than what we follow ({URI_BYTES_MAX}, for a question {QUESTION_BYTES_MAX})"
    )]
    TooLong(usize),
}

/// A pay-level domain: what somebody registered and pays for, `dbpedia.org`
/// for `fr.dbpedia.org`. A host that has none (an address, `localhost`) stands
/// for itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pld(Arc<str>);

impl Pld {
    /// The domain that pays for a host.
    #[must_use]
    pub fn of_host(host: &str) -> Self {
        let is_address = host.starts_with('[') || host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let domain = if is_address { None } else { psl::domain_str(host) };
        Self(domain.unwrap_or(host).into())
    }

    /// The domain as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Pld {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_normalised_and_has_no_fragment() {
        let uri = Uri::parse("HTTP://Example.ORG:80/a/../b c?q=1#me").unwrap();

        assert_eq!(uri.as_str(), "http://example.org/b%20c?q=1");
    }

    #[test]
    fn an_address_falls_into_its_parts() {
        let uri = Uri::parse("https://fr.dbpedia.org:8443/data/Paris.RDF?x=/y.ttl").unwrap();

        assert_eq!(uri.scheme(), "https");
        assert_eq!(uri.authority(), "fr.dbpedia.org:8443");
        assert_eq!(uri.host(), "fr.dbpedia.org");
        assert_eq!(uri.origin(), "https://fr.dbpedia.org:8443");
        assert_eq!(uri.path(), "/data/Paris.RDF");
        assert_eq!(uri.extension().as_deref(), Some("rdf"));
        assert_eq!(uri.pld().as_str(), "dbpedia.org");
    }

    #[test]
    fn the_unit_of_politeness_is_what_somebody_pays_for() {
        let check = |host: &str, pld: &str| assert_eq!(Pld::of_host(host).as_str(), pld);

        check("a.b.example.co.uk", "example.co.uk");
        check("someone.github.io", "someone.github.io");
        check("127.0.0.1", "127.0.0.1");
        check("[::1]", "[::1]");
        check("localhost", "localhost");
        check("h7.example", "h7.example");
        check("data.h7.example", "h7.example");
    }

    #[test]
    fn what_cannot_be_dereferenced_says_why() {
        let check = |text: &str, message: &str| assert_eq!(Uri::parse(text).unwrap_err().to_string(), message);

        check("urn:isbn:1", "cannot dereference scheme `urn`");
        check("ftp://a.org/x", "cannot dereference scheme `ftp`");
        check("http://user:secret@a.org/", "address contains credentials");
        check("/relative", "not an absolute URL: relative URL without a base");
    }
}
