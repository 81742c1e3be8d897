//! The API of CKAN catalogues.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Answer, Findings, Next};
use crate::fetch::Refusal;
use crate::model::Uri;

/// One request to a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The front page.
    pub root: Uri,
}

impl Step {
    /// The first step, taken at `target`.
    #[must_use]
    pub fn first(target: &Uri) -> Option<Self> {
        Some(Self { root: target.clone() })
    }

    pub(super) fn service(&self) -> &str {
        self.root.as_str()
    }

    pub(super) fn read(&self, _answer: Answer<'_>, _findings: &mut dyn Findings) -> &'static str {
        "ckan"
    }

    pub(super) fn after_failure(&self, _refusal: &Refusal) -> Vec<Next> {
        Vec::new()
    }

    pub(super) fn redirected(&self, _target: &Uri) -> Option<Self> {
        None
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CKAN catalogue {}", self.root)
    }
}
