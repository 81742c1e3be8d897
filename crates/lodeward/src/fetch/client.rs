//! What all our clients have in common.

use std::time::Duration;

use reqwest::{Client, ClientBuilder};

use super::options::{Options, OptionsError};
use super::proxy::Proxies;
use super::resolver::Resolver;
use super::tls;

/// A client that trusts whom it is told to trust, reaches what the guard lets
/// it reach, and does nothing twice or by itself: every hop of a redirect has
/// to pass politeness and guard, and whether a request may be sent again, its
/// sender knows.
pub(super) fn builder(
    options: &Options,
    proxies: &Proxies,
    resolver: &Resolver,
) -> Result<ClientBuilder, OptionsError> {
    let builder = Client::builder()
        .tls_backend_preconfigured(tls::configuration(options)?)
        .dns_resolver(resolver.clone())
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(Duration::from_millis(options.connect_ms_max))
        .pool_idle_timeout(Duration::from_secs(15))
        .tcp_nodelay(true)
        .http1_max_headers(options.header_fields_max)
        .http2_max_header_list_size(u32::try_from(options.header_bytes_max).unwrap_or(u32::MAX));
    proxies.set(options, builder)
}
