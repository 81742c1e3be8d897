//! Names of pages in `S_HR`, for the user.
//!
//! `Neighbourhood` stores fingerprints, which cannot be printed.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::model::Uri;

/// Maximum number of names. Older ones are removed.
const MAX_NAMES: usize = 1_000;

/// Maximum length of a name in bytes. Longer ones are counted only.
const MAX_NAME_BYTES: usize = 2 << 10;

/// The pages that lead to RDF: how many were added, and the names of the last ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RdfPageNames {
    /// Number of times that a page was added.
    pub(super) additions: u64,
    /// Names of pages, the last one last, without repetitions.
    pub(super) names: VecDeque<String>,
}

impl RdfPageNames {
    /// Adds a page; `None` if its name is not known.
    pub(super) fn add(&mut self, page: Option<&Uri>) {
        self.additions += 1;
        let Some(name) = page.map(Uri::as_str).filter(|name| name.len() <= MAX_NAME_BYTES) else { return };
        // Pages with many links to RDF are added again and again, one after the other.
        if self.names.iter().rev().take(8).any(|other| other == name) {
            return;
        }
        if self.names.len() == MAX_NAMES {
            self.names.pop_front();
        }
        self.names.push_back(name.to_owned());
    }
}
