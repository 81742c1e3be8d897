//! By which names this server answers.

use http::HeaderMap;
use http::header::HOST;

use crate::host;

/// Whom a request must be addressed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Door {
    /// An address, or `localhost`: names that others control are not ours, even if
    /// they lead here.
    LocalNames,
    /// Whatever a proxy or a name server says.
    AnyName,
}

impl Door {
    pub(super) fn lets_in(self, headers: &HeaderMap) -> bool {
        let Some(host) = headers.get(HOST) else { return true };
        let named = || host::named(host.to_str().ok()?);
        self == Self::AnyName || named().is_some_and(|host| host::is_local(&host))
    }
}
