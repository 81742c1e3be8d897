//! What makes a document, or a part of it, unreadable.

use super::json::{NotJson, TOO_DEEP};
use crate::{Fault, FaultKind, Syntax};

/// An error under the name that the JSON-LD API gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Error {
    pub(super) code: &'static str,
    pub(super) detail: String,
}

pub(super) const INVALID_SCRIPT: &str = "invalid script element";
pub(super) const LOADING_DOCUMENT_FAILED: &str = "loading document failed";
pub(super) const LOADING_CONTEXT_FAILED: &str = "loading remote context failed";
/// Not of the API: a bound of ours was reached, and nothing more is read.
pub(super) const EXCESS: &str = "excess";

impl Error {
    pub(super) fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }

    pub(super) fn excess(detail: impl Into<String>) -> Self {
        Self::new(EXCESS, detail)
    }

    pub(super) fn not_json(error: &NotJson) -> Self {
        if error.what == TOO_DEEP {
            return Self::new(TOO_DEEP, format!("from byte {} on", error.at));
        }
        Self::new(LOADING_DOCUMENT_FAILED, format!("not JSON from byte {} on: {}", error.at, error.what))
    }

    pub(super) fn into_fault(self) -> Fault {
        let kind = match self.code {
            LOADING_CONTEXT_FAILED => FaultKind::Remote,
            EXCESS | TOO_DEEP => FaultKind::Excess,
            _ => FaultKind::Syntax,
        };
        let detail = if self.code == EXCESS { self.detail } else { format!("{}: {}", self.code, self.detail) };
        Fault { syntax: Syntax::JsonLd, kind, detail }
    }
}

/// Shorter than `Err(Error::new(…))`.
pub(super) fn fail<T>(code: &'static str, detail: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(code, detail))
}
