//! Remembers which URL was requested before a chain of redirects.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use lodeward::model::Uri;

/// Maximum number of redirects stored. They are needed only briefly: the target of a redirect is
/// usually fetched next.
const MAX_REDIRECTS: usize = 65_536;

/// The first URL of the chain of redirects to each target.
#[derive(Default)]
pub(super) struct RedirectOrigins(HashMap<Uri, Uri, RandomState>);

impl RedirectOrigins {
    /// Records that `source` redirects to `target`.
    pub(super) fn record(&mut self, target: &Uri, source: Option<&Uri>) {
        let Some(source) = source else { return };
        let origin = self.origin(source).unwrap_or(source).clone();
        if self.0.len() >= MAX_REDIRECTS {
            self.0.clear();
        }
        self.0.insert(target.clone(), origin);
    }

    /// The first URL of the chain of redirects to a target.
    pub(super) fn origin(&self, target: &Uri) -> Option<&Uri> {
        self.0.get(target)
    }
}
