//! What went wrong, in our words: errors of the HTTP client become faults.

use std::error::Error;
use std::io::ErrorKind;

use super::resolver::LookupError;
use crate::model::{Fault, FaultKind};

/// The fault of a request that brought no answer.
pub(super) fn classify(error: &reqwest::Error) -> Fault {
    let kind = kind_of(error);
    Fault::new(kind, innermost(error))
}

fn kind_of(error: &reqwest::Error) -> FaultKind {
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
            return kind_of_exchange(error);
        }
    }
    if error.is_timeout() {
        return FaultKind::Timeout;
    }
    // A plain connection is refused or reset, but does not end early: that is
    // a handshake that was not understood.
    let ended = |cause: &(dyn Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::UnexpectedEof)
    };
    match error.is_connect() {
        true if causes(error).any(ended) => FaultKind::Tls,
        true => FaultKind::Connect,
        false => FaultKind::Protocol,
    }
}

/// What a broken exchange is, once there was a connection.
fn kind_of_exchange(error: &hyper::Error) -> FaultKind {
    let broke = error.is_incomplete_message() || error.is_canceled() || error.is_closed();
    let broke = broke || causes(error).any(<dyn Error>::is::<std::io::Error>);
    if broke && !error.is_parse() { FaultKind::Connect } else { FaultKind::Protocol }
}

/// An error and all that is inside. An [`std::io::Error`] hides the error it
/// carries: its source is that one's source.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let carried = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        carried.map_or_else(|| error.source(), |carried| Some(carried as &(dyn Error + 'static)))
    })
}

/// The innermost error says what happened; those around it say who told whom.
fn innermost<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    causes(error).last().unwrap_or(error)
}

/// The fault of a body that broke off.
pub(super) fn broken_body(error: &reqwest::Error) -> Fault {
    let kind = if error.is_timeout() { FaultKind::Timeout } else { FaultKind::Truncated };
    Fault::new(kind, innermost(error))
}
