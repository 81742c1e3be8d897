//! Who stands between us and the web, if the user wants it so.

use hyper_util::client::proxy::matcher::Matcher;

use super::{Options, OptionsError};
use crate::model::Uri;

/// The proxies in use: the one in the options, or those of the environment.
pub(super) struct Proxies {
    /// Decides as the HTTP client does, which is built on the same matcher but
    /// does not tell.
    matcher: Option<Matcher>,
}

impl Proxies {
    /// The proxies the options ask for.
    pub(super) fn of(options: &Options) -> Result<Self, OptionsError> {
        let Some(proxy) = &options.proxy else {
            let environment = options.proxy_from_environment.then(Matcher::from_env);
            let matcher = environment.filter(|matcher| !hosts(matcher).is_empty());
            return Ok(Self { matcher });
        };
        let exceptions = if options.proxy_from_environment { exceptions() } else { String::new() };
        let matcher = Matcher::builder().all(proxy.as_str()).no(exceptions).build();
        // `NO_PROXY=*` is legal; otherwise a matcher that matches nothing has
        // not understood the address.
        if url::Url::parse(proxy).is_ok_and(|url| url.has_host()) {
            return Ok(Self { matcher: Some(matcher) });
        }
        Err(OptionsError::Proxy(proxy.clone()))
    }

    /// Makes the HTTP client use them.
    pub(super) fn set(
        &self,
        options: &Options,
        builder: reqwest::ClientBuilder,
    ) -> Result<reqwest::ClientBuilder, OptionsError> {
        match &options.proxy {
            Some(address) => {
                let proxy = reqwest::Proxy::all(address).map_err(|_| OptionsError::Proxy(address.clone()))?;
                let exceptions = if options.proxy_from_environment { reqwest::NoProxy::from_env() } else { None };
                Ok(builder.proxy(proxy.no_proxy(exceptions)))
            }
            None if self.matcher.is_some() => Ok(builder),
            None => Ok(builder.no_proxy()),
        }
    }

    /// Whether a document is asked for through a proxy.
    pub(super) fn cover(&self, uri: &Uri) -> bool {
        self.matcher
            .as_ref()
            .is_some_and(|matcher| uri.as_str().parse().is_ok_and(|uri: http::Uri| matcher.intercept(&uri).is_some()))
    }

    /// The proxies' own hosts.
    pub(super) fn hosts(&self) -> Vec<String> {
        self.matcher.as_ref().map(hosts).unwrap_or_default()
    }
}

fn hosts(matcher: &Matcher) -> Vec<String> {
    let anywhere = ["http://anywhere.invalid/", "https://anywhere.invalid/"].map(http::Uri::from_static);
    let proxies = anywhere.iter().filter_map(|uri| matcher.intercept(uri));
    proxies.filter_map(|proxy| proxy.uri().host().map(str::to_owned)).collect()
}

fn exceptions() -> String {
    std::env::var("NO_PROXY").or_else(|_| std::env::var("no_proxy")).unwrap_or_default()
}
