//! Options of the fetcher, with the reasons for their defaults.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::robots;
use crate::model::DEFAULT_MAX_DUMP_BYTES;

/// Options of the [`super::HttpFetcher`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FetchOptions {
    /// The `User-Agent` field; by default `lodeward/VERSION (+contact)`.
    pub user_agent: Option<String>,
    /// An email address or web page at which site owners can reach the operator.
    pub contact: Option<String>,
    /// The `Accept` field, instead of the default list of formats.
    pub accept: Option<String>,
    /// Timeout for a connection, including name resolution and TLS. A slower server is treated as unreachable.
    pub connect_timeout_ms: u64,
    /// Timeout for receiving the next bytes.
    pub read_timeout_ms: u64,
    /// Timeout for one document, so that a server that sends single bytes cannot occupy a slot forever.
    pub document_timeout_ms: u64,
    /// Timeout for a dump, which is streamed while it is read.
    pub dump_timeout_ms: u64,
    /// Maximum size of a document, after decompression. Larger ones are truncated.
    pub max_body_bytes: u64,
    /// Maximum size of a dump, after removal of the content coding: an archive by its type or extension, or RDF with a
    /// declared length.
    pub max_dump_bytes: u64,
    /// Maximum size of a body buffered in memory; larger ones are streamed.
    pub max_memory_bytes: usize,
    /// Maximum decompression ratio of a body larger than a megabyte. Text reaches 30, a decompression bomb 1000.
    pub max_decompression_ratio: u64,
    /// Minimum delay before the rest of an interrupted body is requested; if the delay of the errand is
    /// longer, that one is used. The request is delayed because it is another request to the server.
    pub resume_delay_ms: u64,
    /// Maximum number of bytes of bodies received per second, over all requests.
    pub max_bytes_per_second: Option<u64>,
    /// Maximum size of a header, names and values together.
    pub max_header_bytes: usize,
    /// Maximum number of header fields.
    pub max_header_fields: usize,
    /// A proxy for all requests: `http://`, `https://`, `socks5://` or `socks5h://` with host and port. It may have a
    /// private address.
    pub proxy: Option<String>,
    /// Whether `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` apply.
    pub proxy_from_environment: bool,
    /// Host names with fixed IP addresses, which may be private.
    pub resolve: Vec<ResolveRule>,
    /// Maximum number of names in the address cache.
    pub max_resolved_names: usize,
    /// Number of uses of a cached address before its name is resolved again: at one request per second and server,
    /// about a quarter of an hour.
    pub max_resolved_uses: u32,
    /// PEM files with additional trusted certificates.
    pub ca_certificates: Vec<PathBuf>,
    /// Whether private addresses may be reached: for tests and for harvesting an intranet.
    pub allow_private_addresses: bool,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self {
            user_agent: None,
            contact: None,
            accept: None,
            connect_timeout_ms: 10_000,
            read_timeout_ms: 30_000,
            document_timeout_ms: 120_000,
            dump_timeout_ms: 3_600_000,
            max_body_bytes: 50_000_000,
            max_dump_bytes: DEFAULT_MAX_DUMP_BYTES,
            max_memory_bytes: 1 << 20,
            max_decompression_ratio: 100,
            resume_delay_ms: 1_000,
            max_bytes_per_second: None,
            max_header_bytes: 64 * 1_024,
            max_header_fields: 200,
            proxy: None,
            proxy_from_environment: true,
            resolve: Vec::new(),
            max_resolved_names: 20_000,
            max_resolved_uses: 1_000,
            ca_certificates: Vec::new(),
            allow_private_addresses: false,
        }
    }
}

impl FetchOptions {
    /// The `User-Agent` field.
    #[must_use]
    pub(crate) fn user_agent(&self) -> String {
        const PRODUCT: &str = concat!("lodeward/", env!("CARGO_PKG_VERSION"));
        match (&self.user_agent, &self.contact) {
            (Some(user_agent), _) => user_agent.clone(),
            (None, Some(contact)) => format!("{PRODUCT} (+{contact})"),
            (None, None) => PRODUCT.to_owned(),
        }
    }

    /// The product token for robots.txt: the first word of the user agent without its version.
    #[must_use]
    pub fn product_token(&self) -> String {
        String::from_utf8_lossy(robots::product_token(self.user_agent().as_bytes())).into_owned()
    }
}

/// `HOST:ADDRESS[:PORT]`: a host name, or `*` for all names, with its IP address. As in curl, a port in the URI takes
/// precedence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResolveRule {
    /// The host name in lower case, or `*`.
    pub host: String,
    /// The IP address of the host; port 0 stands for the default port of the scheme.
    pub address: SocketAddr,
}

impl FromStr for ResolveRule {
    type Err = FetchOptionsError;

    fn from_str(text: &str) -> Result<Self, FetchOptionsError> {
        let parsed = text.split_once(':').and_then(|(host, address)| {
            let bare = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(address);
            let without_port = || bare.parse::<IpAddr>().map(|address| SocketAddr::new(address, 0));
            let address = address.parse().or_else(|_| without_port()).ok()?;
            (!host.is_empty()).then(|| Self { host: host.to_ascii_lowercase(), address })
        });
        parsed.ok_or_else(|| FetchOptionsError::Resolve(text.to_owned()))
    }
}

impl TryFrom<String> for ResolveRule {
    type Error = FetchOptionsError;

    fn try_from(text: String) -> Result<Self, FetchOptionsError> {
        text.parse()
    }
}

impl fmt::Display for ResolveRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address.port() {
            0 if self.address.is_ipv6() => write!(formatter, "{}:[{}]", self.host, self.address.ip()),
            0 => write!(formatter, "{}:{}", self.host, self.address.ip()),
            _ => write!(formatter, "{}:{}", self.host, self.address),
        }
    }
}

impl From<ResolveRule> for String {
    fn from(rule: ResolveRule) -> Self {
        rule.to_string()
    }
}

/// Why a fetcher cannot be built from [`FetchOptions`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchOptionsError {
    /// A header field with characters that cannot be sent.
    #[error("`{0}` cannot be sent in a header field")]
    HeaderValue(String),
    /// An invalid proxy URL.
    #[error("`{0}` is not the URL of a proxy")]
    Proxy(String),
    /// A proxy that cannot be reached.
    #[error("cannot connect to the proxy {proxy}: {reason}")]
    ProxyUnreachable {
        /// Host and port of the proxy.
        proxy: String,
        /// Why the connection failed.
        reason: String,
    },
    /// An invalid [`ResolveRule`].
    #[error("`{0}` does not have the form HOST:ADDRESS[:PORT]")]
    Resolve(String),
    /// A certificate file that cannot be read.
    #[error("cannot read certificates from {}: {reason}", path.display())]
    Certificates {
        /// The certificate file.
        path: PathBuf,
        /// Why the file cannot be used.
        reason: String,
    },
    /// The HTTP client could not be built.
    #[error("cannot build an HTTP client: {0}")]
    Client(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agent_names_product_and_contact() {
        let mut options = FetchOptions { contact: Some("https://a.org/bot".to_owned()), ..FetchOptions::default() };
        assert_eq!(options.user_agent(), concat!("lodeward/", env!("CARGO_PKG_VERSION"), " (+https://a.org/bot)"));
        assert_eq!(options.product_token(), "lodeward");

        options.user_agent = Some("our-bot/2 (of the library)".to_owned());
        assert_eq!(options.product_token(), "our-bot");
    }

    #[test]
    fn resolve_rules_are_parsed_and_formatted() {
        for text in ["a.org:127.0.0.1", "a.org:127.0.0.1:8080", "*:[::1]:80", "*:[::1]"] {
            assert_eq!(text.parse::<ResolveRule>().unwrap().to_string(), text);
        }
        assert_eq!("A.org:::1".parse::<ResolveRule>().unwrap().to_string(), "a.org:[::1]");
        for text in ["a.org", "a.org:b.org", ":127.0.0.1", "a.org:127.0.0.1:x", ""] {
            assert!(text.parse::<ResolveRule>().is_err(), "{text}");
        }
    }

    #[test]
    fn options_are_read_from_toml_and_unknown_keys_are_rejected() {
        let options: FetchOptions = toml::from_str("resolve = ['*:127.0.0.1:80']\nread_timeout_ms = 5").unwrap();
        assert_eq!((options.read_timeout_ms, options.resolve.len()), (5, 1));

        assert!(toml::from_str::<FetchOptions>("read_ms = 5").is_err());
    }
}
