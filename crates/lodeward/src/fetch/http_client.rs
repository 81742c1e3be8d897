//! Configuration shared by all HTTP clients.

use std::time::Duration;

use reqwest::{Client, ClientBuilder};

use super::options::{FetchOptions, FetchOptionsError};
use super::proxy::Proxies;
use super::resolver::Resolver;
use super::tls;

/// A client with the configured certificates and the guarded resolver. It follows no redirects, because every hop must
/// pass politeness and guard, and it retries nothing, because only the caller knows whether a request may be repeated.
pub(super) fn builder(
    options: &FetchOptions,
    proxies: &Proxies,
    resolver: &Resolver,
) -> Result<ClientBuilder, FetchOptionsError> {
    let builder = Client::builder()
        .tls_backend_preconfigured(tls::configuration(options)?)
        .dns_resolver(resolver.clone())
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(Duration::from_millis(options.connect_timeout_ms))
        .pool_idle_timeout(Duration::from_secs(15))
        .tcp_nodelay(true)
        .http1_max_headers(options.max_header_fields)
        .http2_max_header_list_size(u32::try_from(options.max_header_bytes).unwrap_or(u32::MAX));
    proxies.configure(options, builder)
}
