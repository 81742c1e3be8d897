//! SPARQL endpoints.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Answer, Findings, Next, Policy, Wish};
use crate::fetch::Refusal;
use crate::model::Uri;

/// One request to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The endpoint's address, without a query.
    pub endpoint: Uri,
}

impl Step {
    /// The first step: to see what it is. Its address is the endpoint's own.
    #[must_use]
    pub fn first(endpoint: &Uri, _policy: &Policy) -> Option<Self> {
        Some(Self { endpoint: endpoint.clone() })
    }

    pub(super) fn service(&self) -> &str {
        self.endpoint.as_str()
    }

    pub(super) fn wish(&self) -> Wish {
        Wish::Document
    }

    pub(super) fn reads_document(&self) -> bool {
        true
    }

    pub(super) fn read(&self, _answer: Answer<'_>, _findings: &mut dyn Findings) -> &'static str {
        "other"
    }

    pub(super) fn after(&self) -> Vec<Next> {
        Vec::new()
    }

    pub(super) fn after_failure(&self, _refusal: &Refusal) -> Vec<Next> {
        Vec::new()
    }

    pub(super) fn redirected(&self, target: &Uri) -> Option<Self> {
        Some(Self { endpoint: target.clone() })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SPARQL endpoint {}", self.endpoint)
    }
}
