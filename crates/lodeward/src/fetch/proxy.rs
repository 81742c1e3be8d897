//! Proxies between the crawler and the web.

use std::collections::BTreeSet;
use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use hyper_util::client::proxy::matcher::Matcher;

use super::{FetchOptions, FetchOptionsError};
use crate::model::Uri;

/// The proxies in use: the one in the options, or those set by environment variables.
pub(super) struct Proxies {
    /// Decides whether a URL is requested through a proxy. The HTTP client uses the same matcher but does not expose
    /// it.
    matcher: Option<Matcher>,
}

impl Proxies {
    /// Reads the proxies from the options and, if enabled, from the environment.
    pub(super) fn from_options(options: &FetchOptions) -> Result<Self, FetchOptionsError> {
        let Some(proxy) = &options.proxy else {
            let environment = options.proxy_from_environment.then(Matcher::from_env);
            let matcher = environment.filter(|matcher| !proxy_hosts(matcher).is_empty());
            return Ok(Self { matcher });
        };
        let exceptions = if options.proxy_from_environment { no_proxy_list() } else { String::new() };
        let matcher = Matcher::builder().all(proxy.as_str()).no(exceptions).build();
        // The URL is parsed separately: a matcher that matches nothing is not an error, because `NO_PROXY=*` is
        // allowed.
        if url::Url::parse(proxy).is_ok_and(|proxy| proxy.has_host()) {
            return Ok(Self { matcher: Some(matcher) });
        }
        Err(FetchOptionsError::Proxy(proxy.clone()))
    }

    /// Configures the HTTP client to use these proxies.
    pub(super) fn configure(
        &self,
        options: &FetchOptions,
        builder: reqwest::ClientBuilder,
    ) -> Result<reqwest::ClientBuilder, FetchOptionsError> {
        match &options.proxy {
            Some(url) => {
                let proxy = reqwest::Proxy::all(url).map_err(|_| FetchOptionsError::Proxy(url.clone()))?;
                let exceptions = if options.proxy_from_environment { reqwest::NoProxy::from_env() } else { None };
                Ok(builder.proxy(proxy.no_proxy(exceptions)))
            }
            None if self.matcher.is_some() => Ok(builder),
            None => Ok(builder.no_proxy()),
        }
    }

    /// Whether a document is requested through a proxy.
    pub(super) fn applies_to(&self, uri: &Uri) -> bool {
        self.matcher
            .as_ref()
            .is_some_and(|matcher| uri.as_str().parse().is_ok_and(|uri: http::Uri| matcher.intercept(&uri).is_some()))
    }

    /// Connects to the proxies of these URIs. Returns an error if all of them use proxies and none can be reached.
    /// Blocks.
    pub(super) fn require_reachable(&self, uris: &[Uri], options: &FetchOptions) -> Result<(), FetchOptionsError> {
        let Some(matcher) = &self.matcher else { return Ok(()) };
        let mut checked = BTreeSet::new();
        let mut unreachable = Ok(());
        for uri in uris {
            let uri: Option<http::Uri> = uri.as_str().parse().ok();
            let Some(proxy) = uri.and_then(|uri| matcher.intercept(&uri)) else { return Ok(()) };
            let Some((host, port)) = host_and_port(proxy.uri()) else { return Ok(()) };
            if !checked.insert((host.clone(), port)) {
                continue;
            }
            // The HTTP client connects to the address of the rule, which is not checked.
            if options.resolve.iter().any(|rule| rule.host == host) {
                return Ok(());
            }
            match connect(&host, port, Duration::from_millis(options.connect_timeout_ms)) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    let proxy = format!("{host}:{port}");
                    unreachable = Err(FetchOptionsError::ProxyUnreachable { proxy, reason: error.to_string() });
                }
            }
        }
        unreachable
    }

    /// The hosts of the proxies.
    pub(super) fn hosts(&self) -> Vec<String> {
        self.matcher.as_ref().map(proxy_hosts).unwrap_or_default()
    }
}

fn proxy_hosts(matcher: &Matcher) -> Vec<String> {
    let anywhere = ["http://anywhere.invalid/", "https://anywhere.invalid/"].map(http::Uri::from_static);
    let proxies = anywhere.iter().filter_map(|uri| matcher.intercept(uri));
    proxies.filter_map(|proxy| proxy.uri().host().map(str::to_owned)).collect()
}

/// Host and port of a proxy, without user name and password.
fn host_and_port(proxy: &http::Uri) -> Option<(String, u16)> {
    let host = proxy.host()?.trim_matches(['[', ']']).to_owned();
    let default_port = match proxy.scheme_str()? {
        "https" => 443,
        scheme if scheme.starts_with("socks") => 1080,
        _ => 80,
    };
    Some((host, proxy.port_u16().unwrap_or(default_port)))
}

/// Opens a connection and closes it.
fn connect(host: &str, port: u16, timeout: Duration) -> io::Result<()> {
    let mut result = Err(io::Error::other("the name has no IP address"));
    for address in (host, port).to_socket_addrs()? {
        result = TcpStream::connect_timeout(&address, timeout).map(drop);
        if result.is_ok() {
            break;
        }
    }
    result
}

fn no_proxy_list() -> String {
    std::env::var("NO_PROXY").or_else(|_| std::env::var("no_proxy")).unwrap_or_default()
}
