//! Converts errors of the HTTP client into faults.

use std::error::Error;
use std::io::ErrorKind;

use super::resolver::LookupError;
use crate::model::{Fault, FaultKind};

/// The fault of a request without a response.
pub(super) fn classify(error: &reqwest::Error) -> Fault {
    let kind = fault_kind(error);
    Fault::new(kind, root_cause(error))
}

fn fault_kind(error: &reqwest::Error) -> FaultKind {
    for cause in causes(error) {
        if let Some(error) = cause.downcast_ref::<LookupError>() {
            return Fault::from(error.clone()).kind;
        }
        if cause.is::<rustls::Error>() {
            return FaultKind::Tls;
        }
        if let Some(error) = cause.downcast_ref::<hyper::Error>()
            && !error.is_timeout()
        {
            return exchange_fault_kind(error);
        }
    }
    if error.is_timeout() {
        return FaultKind::Timeout;
    }
    // A failed TCP connection is refused or reset and never reports an unexpected end, so an unexpected end means that
    // the TLS handshake failed.
    let ended = |cause: &(dyn Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::UnexpectedEof)
    };
    match error.is_connect() {
        true if causes(error).any(ended) => FaultKind::Tls,
        true => FaultKind::Connect,
        false => FaultKind::Protocol,
    }
}

/// The kind of a fault that occurs after the connection was established.
fn exchange_fault_kind(error: &hyper::Error) -> FaultKind {
    if error.is_parse_too_large() {
        return FaultKind::TooLarge;
    }
    let broke = error.is_incomplete_message() || error.is_canceled() || error.is_closed();
    let broke = broke || causes(error).any(<dyn Error>::is::<std::io::Error>);
    if broke && !error.is_parse() { FaultKind::Connect } else { FaultKind::Protocol }
}

/// An error and its causes. The error that an [`std::io::Error`] wraps is included: `source()` would skip it.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let carried = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        carried.map_or_else(|| error.source(), |carried| Some(carried as &(dyn Error + 'static)))
    })
}

/// The innermost error, which names the cause; the outer ones only add layers.
fn root_cause<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    causes(error).last().unwrap_or(error)
}

/// The fault of an interrupted body.
pub(super) fn body_fault(error: &reqwest::Error) -> Fault {
    let kind = if error.is_timeout() { FaultKind::Timeout } else { FaultKind::Truncated };
    Fault::new(kind, root_cause(error))
}
