//! Failed requests and interrupted streams.

use std::io;

use super::{Fault, FaultKind};

/// The fault that truncated a streamed body, passed through [`Read`](io::Read).
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct StreamFault(pub Fault);

/// Why a request failed, with the data for the retry decision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct FetchFailure {
    /// The fault.
    pub fault: Fault,
    /// The status code, if there was a response.
    pub status: Option<u16>,
    /// The `Retry-After` of the server, in seconds.
    pub retry_after_s: Option<u64>,
    /// Whether a request was sent. If not (for example, the name does not resolve), the server need not be delayed.
    pub sent: bool,
}

/// The fault that ended a stream.
#[must_use]
pub(crate) fn stream_fault(error: &io::Error) -> Fault {
    let mut source = error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
    while let Some(inner) = source {
        if let Some(StreamFault(fault)) = inner.downcast_ref::<StreamFault>() {
            return fault.clone();
        }
        source = inner.source();
    }
    match error.kind() {
        io::ErrorKind::InvalidData => Fault::new(FaultKind::Syntax, error),
        io::ErrorKind::OutOfMemory => Fault::new(FaultKind::Syntax, "a term is too long for the parser"),
        _ => Fault::new(FaultKind::Truncated, error),
    }
}
