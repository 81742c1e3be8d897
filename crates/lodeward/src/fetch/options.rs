//! What can be set about fetching, and the reasons for the defaults.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::robots;

/// Settings of the [`super::HttpFetcher`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How we introduce ourselves; by default `lodeward/VERSION (+contact)`.
    pub user_agent: Option<String>,
    /// An address or page at which site owners can reach whoever crawls.
    pub contact: Option<String>,
    /// The `Accept` field, instead of every syntax we read by preference.
    pub accept: Option<String>,
    /// The longest wait for a connection, TLS and name included. Servers that
    /// are further away than this are down.
    pub connect_ms_max: u64,
    /// The longest wait for the next bytes.
    pub read_ms_max: u64,
    /// The longest time for one document, so that a server which sends a byte
    /// now and then cannot hold a slot for ever.
    pub document_ms_max: u64,
    /// The longest time for a dump, which is streamed while it is read.
    pub dump_ms_max: u64,
    /// The largest document, after decompression. Larger ones are cut here.
    pub body_bytes_max: u64,
    /// The largest dump, after decompression of the content coding: an archive
    /// by its type or extension, or RDF whose length was announced.
    pub dump_bytes_max: u64,
    /// The largest body that is held in memory; larger ones are streamed.
    pub memory_bytes_max: usize,
    /// How many bytes one compressed byte may become, once a body is larger
    /// than a megabyte. Text reaches 30, a bomb 1000.
    pub ratio_max: u64,
    /// The wait before the rest of a body is asked for that broke off, unless
    /// the visit is to have a longer one ([`super::pace`]): the crawl's delay,
    /// for that is a request, too.
    pub resume_wait_ms: u64,
    /// The largest header, names and values together.
    pub header_bytes_max: usize,
    /// The most header fields.
    pub header_fields_max: usize,
    /// A proxy for everything: `http://`, `https://`, `socks5://` or
    /// `socks5h://` with host and port. It may be at a private address.
    pub proxy: Option<String>,
    /// Whether `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` count.
    pub proxy_from_environment: bool,
    /// Names with an address of our own choosing, which may be private.
    pub resolve: Vec<ResolveRule>,
    /// Names whose addresses are remembered.
    pub resolved_names_max: usize,
    /// Uses of a remembered address before its name is looked up again: at one
    /// request per second and server, about a quarter of an hour.
    pub resolved_uses_max: u32,
    /// Files of PEM certificates to trust besides the web's own authorities.
    pub ca_certificates: Vec<PathBuf>,
    /// Whether private addresses may be reached: for tests, and for harvesting
    /// one's own intranet.
    pub allow_private: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            user_agent: None,
            contact: None,
            accept: None,
            connect_ms_max: 10_000,
            read_ms_max: 30_000,
            document_ms_max: 120_000,
            dump_ms_max: 3_600_000,
            body_bytes_max: 50_000_000,
            dump_bytes_max: 10_000_000_000,
            memory_bytes_max: 1 << 20,
            ratio_max: 100,
            resume_wait_ms: 1_000,
            header_bytes_max: 64 * 1_024,
            header_fields_max: 200,
            proxy: None,
            proxy_from_environment: true,
            resolve: Vec::new(),
            resolved_names_max: 20_000,
            resolved_uses_max: 1_000,
            ca_certificates: Vec::new(),
            allow_private: false,
        }
    }
}

impl Options {
    /// The `User-Agent` field.
    #[must_use]
    pub fn user_agent(&self) -> String {
        const PRODUCT: &str = concat!("lodeward/", env!("CARGO_PKG_VERSION"));
        match (&self.user_agent, &self.contact) {
            (Some(user_agent), _) => user_agent.clone(),
            (None, Some(contact)) => format!("{PRODUCT} (+{contact})"),
            (None, None) => PRODUCT.to_owned(),
        }
    }

    /// The name by which a robots.txt knows us: the user agent's first word,
    /// without its version.
    #[must_use]
    pub fn product_token(&self) -> String {
        String::from_utf8_lossy(robots::product_token(self.user_agent().as_bytes())).into_owned()
    }
}

/// `HOST:ADDRESS[:PORT]`: a host name, or `*` for all of them, and where to
/// find it. As with curl, a port in a URI wins over the one given here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResolveRule {
    /// The host name in lower case, or `*`.
    pub host: String,
    /// Its address; port 0 stands for that of the scheme.
    pub address: SocketAddr,
}

impl FromStr for ResolveRule {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        let parsed = text.split_once(':').and_then(|(host, address)| {
            let bare = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(address);
            let without_port = || bare.parse::<IpAddr>().map(|address| SocketAddr::new(address, 0));
            let address = address.parse().or_else(|_| without_port()).ok()?;
            (!host.is_empty()).then(|| Self { host: host.to_ascii_lowercase(), address })
        });
        parsed.ok_or_else(|| OptionsError::Resolve(text.to_owned()))
    }
}

impl TryFrom<String> for ResolveRule {
    type Error = OptionsError;

    fn try_from(text: String) -> Result<Self, OptionsError> {
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

/// Why no fetcher can be made of some [`Options`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// A header field with characters that cannot be sent.
    #[error("`{0}` cannot be sent in a header field")]
    HeaderValue(String),
    /// Not a proxy.
    #[error("`{0}` is not the address of a proxy")]
    Proxy(String),
    /// Not a rule.
    #[error("`{0}` does not read HOST:ADDRESS[:PORT]")]
    Resolve(String),
    /// A file without certificates.
    #[error("cannot read certificates from {}: {reason}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
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
    fn it_says_who_it_is() {
        let mut options = Options { contact: Some("https://a.org/bot".to_owned()), ..Options::default() };
        assert_eq!(options.user_agent(), concat!("lodeward/", env!("CARGO_PKG_VERSION"), " (+https://a.org/bot)"));
        assert_eq!(options.product_token(), "lodeward");

        options.user_agent = Some("our-bot/2 (of the library)".to_owned());
        assert_eq!(options.product_token(), "our-bot");
    }

    #[test]
    fn resolve_rules_are_read_and_written() {
        for text in ["a.org:127.0.0.1", "a.org:127.0.0.1:8080", "*:[::1]:80", "*:[::1]"] {
            assert_eq!(text.parse::<ResolveRule>().unwrap().to_string(), text);
        }
        assert_eq!("A.org:::1".parse::<ResolveRule>().unwrap().to_string(), "a.org:[::1]");
        for text in ["a.org", "a.org:b.org", ":127.0.0.1", "a.org:127.0.0.1:x", ""] {
            assert!(text.parse::<ResolveRule>().is_err(), "{text}");
        }
    }

    #[test]
    fn options_come_from_a_file_and_unknown_ones_are_errors() {
        let options: Options = toml::from_str("resolve = ['*:127.0.0.1:80']\nread_ms_max = 5").unwrap();
        assert_eq!((options.read_ms_max, options.resolve.len()), (5, 1));

        assert!(toml::from_str::<Options>("read_ms = 5").is_err());
    }
}
