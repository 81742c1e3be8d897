//! Proxies between the crawler and the web.

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

fn no_proxy_list() -> String {
    std::env::var("NO_PROXY").or_else(|_| std::env::var("no_proxy")).unwrap_or_default()
}
