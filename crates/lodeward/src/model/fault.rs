//! Faults: why a document is missing or incomplete.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::stored_enum::stored_enum;

/// Why a document is missing or incomplete. A fault describes the web; it is not an error of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// Description for users, truncated.
    pub detail: String,
}

impl Fault {
    /// A fault with its detail truncated to 200 characters.
    #[must_use]
    pub fn new(kind: FaultKind, detail: impl fmt::Display) -> Self {
        const MAX_DETAIL_CHARS: usize = 200;
        let detail = detail.to_string();
        let detail = match detail.char_indices().nth(MAX_DETAIL_CHARS) {
            Some((end, _)) => format!("{}…", &detail[..end]),
            None => detail,
        };
        Self { kind, detail }
    }

    /// The status code of the response, if the fault is one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        let is_status = matches!(self.kind, FaultKind::Status | FaultKind::Overloaded);
        self.detail.get(..3).filter(|_| is_status)?.parse().ok()
    }

    /// Whether the fault may be gone at a later fetch of the document.
    #[must_use]
    pub(crate) fn is_transient(&self) -> bool {
        match self.kind {
            FaultKind::Status => self.detail.starts_with('5'),
            FaultKind::ForbiddenAddress | FaultKind::Redirect => false,
            _ => true,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.kind.name(), self.detail)
    }
}

stored_enum! {
    /// The kinds of fault. Stored by number: append only.
    #[non_exhaustive]
    FaultKind {
        /// The host name has no IP address.
        Dns = 0 "dns",
        /// The IP address is private, and private addresses are not allowed.
        ForbiddenAddress = 1 "forbidden-address",
        /// No connection, or the connection broke before a response.
        Connect = 2 "connect",
        /// The TLS handshake failed.
        Tls = 3 "tls",
        /// The response did not arrive, or not completely, within the timeout.
        Timeout = 4 "timeout",
        /// The response was not HTTP.
        Protocol = 5 "protocol",
        /// A status code of 400 or above.
        Status = 6 "status",
        /// Too many requests, or temporarily unavailable (429, 503).
        Overloaded = 7 "overloaded",
        /// A redirect without a usable target, or too many redirects.
        Redirect = 8 "redirect",
        /// The body ended before it was complete.
        Truncated = 9 "truncated",
        /// The header was larger than allowed, so the response was rejected; or the body, which was truncated.
        TooLarge = 10 "too-large",
        /// The body was decompressed beyond the allowed ratio and was truncated.
        DecompressionBomb = 11 "decompression-bomb",
        /// The body could not be decompressed.
        Encoding = 12 "encoding",
        /// The body does not match its declared character set.
        Charset = 13 "charset",
        /// A syntax error in RDF.
        Syntax = 14 "syntax",
        /// More links or faults than the limit.
        Limit = 15 "limit",
        /// The extractor or the errand panicked: a bug of the program. The crawl continues.
        Panic = 16 "panic",
        /// robots.txt could not be fetched, so the host is treated as disallowed.
        RobotsUnreachable = 17 "robots-unreachable",
        /// A JSON-LD context is not available. Statements that depend on it are not read.
        Context = 18 "context",
        /// Invalid JSON that was repaired and read.
        JsonRepaired = 19 "json-repaired",
        /// robots.txt disallows a URI that it allowed before.
        Disallowed = 20 "disallowed",
        /// Reading the document ended the process twice. It is not read any more.
        Quarantined = 21 "quarantined",
        /// The document is in a format of RDF that is not read.
        UnsupportedFormat = 22 "unsupported-format",
        /// The statements of the document are not stored, because its publisher excludes it.
        Excluded = 23 "excluded",
    }
}

impl FaultKind {
    /// Whether a document with this fault may be incomplete.
    #[must_use]
    pub(crate) fn is_truncation(self) -> bool {
        matches!(
            self,
            Self::Timeout
                | Self::Truncated
                | Self::TooLarge
                | Self::DecompressionBomb
                | Self::Encoding
                | Self::Panic
                | Self::Quarantined
        )
    }

    /// Whether the fault occurs before a request is sent, so that the server need not be delayed.
    #[must_use]
    pub(crate) fn is_before_request(self) -> bool {
        matches!(self, Self::Dns | Self::ForbiddenAddress)
    }

    /// Whether no request can reach the server, whatever it requests.
    #[must_use]
    pub(crate) fn is_server_unreachable(self) -> bool {
        matches!(self, Self::Dns | Self::ForbiddenAddress | Self::Tls)
    }

    /// Whether the fault is that of the server, not of the requested document.
    #[must_use]
    pub(crate) fn is_server_fault(self) -> bool {
        self.is_server_unreachable() || matches!(self, Self::Connect | Self::Overloaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_faults_on_disk_are_fixed() {
        let names: Vec<&str> = FaultKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(
            names,
            [
                "dns",
                "forbidden-address",
                "connect",
                "tls",
                "timeout",
                "protocol",
                "status",
                "overloaded",
                "redirect",
                "truncated",
                "too-large",
                "decompression-bomb",
                "encoding",
                "charset",
                "syntax",
                "limit",
                "panic",
                "robots-unreachable",
                "context",
                "json-repaired",
                "disallowed",
                "quarantined",
                "unsupported-format",
                "excluded"
            ]
        );
    }
}
