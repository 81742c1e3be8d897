//! Checks the host name of requests to the endpoint.

use http::HeaderMap;
use http::header::HOST;

use crate::host_header;

/// The host names that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostCheck {
    /// Only IP addresses and `localhost`. Other names may be controlled by other sites, even if
    /// they resolve to this machine.
    LocalNames,
    /// All names.
    AnyName,
}

impl HostCheck {
    pub(super) fn allows(self, headers: &HeaderMap) -> bool {
        let Some(host) = headers.get(HOST) else { return true };
        let parsed = || host_header::parse_host(host.to_str().ok()?);
        self == Self::AnyName || parsed().is_some_and(|host| host_header::is_local(&host))
    }
}
