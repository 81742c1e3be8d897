//! Errors of JSON-LD documents.

use super::json::{JsonSyntaxError, TOO_DEEP};
use crate::sink::{RdfFault, RdfFaultKind};

/// An error with its code in the JSON-LD API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsonLdError {
    pub(super) code: &'static str,
    pub(super) detail: String,
}

pub(super) const INVALID_SCRIPT: &str = "invalid script element";
pub(super) const LOADING_DOCUMENT_FAILED: &str = "loading document failed";
pub(super) const LOADING_CONTEXT_FAILED: &str = "loading remote context failed";
/// The code for an exceeded limit of this crate, after which reading stops. The JSON-LD API does
/// not define it.
pub(super) const LIMIT_EXCEEDED: &str = "limit exceeded";

impl JsonLdError {
    pub(super) fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }

    pub(super) fn limit_exceeded(detail: impl Into<String>) -> Self {
        Self::new(LIMIT_EXCEEDED, detail)
    }

    pub(super) fn from_syntax_error(error: &JsonSyntaxError) -> Self {
        if error.message == TOO_DEEP {
            return Self::new(TOO_DEEP, format!("at byte {}", error.at));
        }
        Self::new(LOADING_DOCUMENT_FAILED, format!("invalid JSON at byte {}: {}", error.at, error.message))
    }

    pub(super) fn into_fault(self) -> RdfFault {
        let kind = match self.code {
            LOADING_CONTEXT_FAILED => RdfFaultKind::Remote,
            LIMIT_EXCEEDED | TOO_DEEP => RdfFaultKind::Limit,
            _ => RdfFaultKind::Syntax,
        };
        let detail = if self.code == LIMIT_EXCEEDED { self.detail } else { format!("{}: {}", self.code, self.detail) };
        RdfFault::new(kind, detail)
    }
}

/// Short for `Err(JsonLdError::new(…))`.
pub(super) fn fail<T>(code: &'static str, detail: impl Into<String>) -> Result<T, JsonLdError> {
    Err(JsonLdError::new(code, detail))
}
