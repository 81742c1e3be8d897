//! XML sitemaps, indexes of them, and what semantic sitemaps say.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Answer, Findings};
use crate::model::Uri;

/// A sitemap that is to be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The origin it speaks for.
    pub origin: String,
    /// How many indexes led here.
    pub depth: u8,
}

impl Step {
    /// A sitemap that somebody named.
    #[must_use]
    pub fn first(target: &Uri) -> Self {
        Self { origin: target.origin().to_owned(), depth: 0 }
    }

    pub(super) fn service(&self) -> &str {
        &self.origin
    }

    pub(super) fn read(&self, _answer: Answer<'_>, _findings: &mut dyn Findings) -> &'static str {
        "sitemap"
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "sitemap of {}", self.origin)
    }
}
