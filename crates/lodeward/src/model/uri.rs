//! URIs of documents and their pay-level domains.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use url::Url;

/// Maximum length in bytes of a URI that is followed. Longer URIs are usually session tokens or traps.
pub const MAX_URI_BYTES: usize = 2_048;

/// Maximum length of a query URL in bytes. Servers and proxies accept request lines of at least
/// 8,000 bytes (RFC 9112, 3).
pub(crate) const MAX_QUERY_URI_BYTES: usize = 7_800;

/// The URL of a document that can be dereferenced: absolute, `http` or `https`, normalised by the WHATWG URL standard,
/// without fragment and credentials.
///
/// An RDF *resource* is named by an IRI; the *document* that describes it is located by a `Uri`.
/// `https://example.org/bob#me` names a resource; its document is `https://example.org/bob`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Uri(Arc<str>);

impl Uri {
    /// Parses and normalises an absolute URL.
    pub fn parse(text: &str) -> Result<Self, UriError> {
        Url::parse(text).map_err(UriError::Malformed).and_then(Self::from_url)
    }

    /// Resolves a reference found in the document at `base`.
    pub fn resolve(base: &Url, reference: &str) -> Result<Self, UriError> {
        base.join(reference).map_err(UriError::Malformed).and_then(Self::from_url)
    }

    /// The document at this URL; the fragment is removed.
    pub fn from_url(url: Url) -> Result<Self, UriError> {
        Self::from_url_bounded(url, MAX_URI_BYTES)
    }

    /// The URL of a query to a service. It may be longer than a linked URL, because the crawler builds it itself.
    pub fn from_query_url(url: Url) -> Result<Self, UriError> {
        Self::from_url_bounded(url, MAX_QUERY_URI_BYTES)
    }

    /// Parses a URI read back from disk: of a document or of a query.
    pub fn parse_stored(text: &str) -> Result<Self, UriError> {
        Url::parse(text).map_err(UriError::Malformed).and_then(Self::from_query_url)
    }

    fn from_url_bounded(mut url: Url, max_bytes: usize) -> Result<Self, UriError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UriError::NotHttp(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UriError::Credentials);
        }
        url.set_fragment(None);
        if url.as_str().len() > max_bytes {
            return Err(UriError::TooLong(url.as_str().len()));
        }
        Ok(Self(url.as_str().into()))
    }

    /// The URI as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The URI as a [`Url`], for resolving references against it.
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

    /// Scheme, host and port: the scope of a robots.txt.
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

    /// The pay-level domain: the unit of rate limits.
    #[must_use]
    pub fn pld(&self) -> Pld {
        Pld::from_host(self.host())
    }

    /// The name of the graph of the document with this URL: the URL, as an IRI.
    #[must_use]
    pub fn document_graph(&self) -> oxrdf::NamedNode {
        oxrdf::NamedNode::new_unchecked(lodeward_rdf::iri::percent_encode(self.as_str()).into_owned())
    }

    /// A 128-bit fingerprint, stable across versions and machines. Among 10¹⁸ URIs a collision has a probability of
    /// about 10⁻³.
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

fn describe_malformed(error: url::ParseError) -> String {
    match error {
        url::ParseError::RelativeUrlWithoutBase => format!("not an absolute URL: {error}"),
        url::ParseError::IdnaError | url::ParseError::InvalidDomainCharacter => {
            "invalid host name: a host contains letters, digits, hyphens and dots only".to_owned()
        }
        error => format!("invalid URL: {error}"),
    }
}

/// Why a text is not a [`Uri`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UriError {
    /// Not a URL, or a relative one.
    #[error("{}", describe_malformed(*.0))]
    Malformed(url::ParseError),
    /// A scheme that cannot be dereferenced.
    #[error("cannot dereference scheme `{0}`")]
    NotHttp(String),
    /// A user name or password in the URL. Credentials are neither sent nor stored.
    #[error("URL contains credentials")]
    Credentials,
    /// Longer than [`MAX_URI_BYTES`].
    #[error("URL is {0} bytes long, more than the limit ({MAX_URI_BYTES}, for a query {MAX_QUERY_URI_BYTES})")]
    TooLong(usize),
}

/// A pay-level domain: the registered domain of a host, `dbpedia.org` for `fr.dbpedia.org`. A host without one (an IP
/// address, `localhost`) is its own pay-level domain.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pld(Arc<str>);

impl Pld {
    /// The pay-level domain of a host.
    #[must_use]
    pub fn from_host(host: &str) -> Self {
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
    fn uri_is_normalised_and_has_no_fragment() {
        let uri = Uri::parse("HTTP://Example.ORG:80/a/../b c?q=1#me").unwrap();

        assert_eq!(uri.as_str(), "http://example.org/b%20c?q=1");
    }

    #[test]
    fn uri_is_split_into_its_parts() {
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
    fn pld_is_the_registered_domain_or_the_host() {
        let check = |host: &str, pld: &str| assert_eq!(Pld::from_host(host).as_str(), pld);

        check("a.b.example.co.uk", "example.co.uk");
        check("someone.github.io", "someone.github.io");
        check("127.0.0.1", "127.0.0.1");
        check("[::1]", "[::1]");
        check("localhost", "localhost");
        check("h7.example", "h7.example");
        check("data.h7.example", "h7.example");
    }

    #[test]
    fn error_states_why_a_uri_cannot_be_dereferenced() {
        let check = |text: &str, message: &str| assert_eq!(Uri::parse(text).unwrap_err().to_string(), message);

        check("urn:isbn:1", "cannot dereference scheme `urn`");
        check("ftp://a.org/x", "cannot dereference scheme `ftp`");
        check("http://user:secret@a.org/", "URL contains credentials");
        check("/relative", "not an absolute URL: relative URL without a base");
        check("http://a b/", "invalid host name: a host contains letters, digits, hyphens and dots only");
        check("http://", "invalid URL: empty host");
    }
}
