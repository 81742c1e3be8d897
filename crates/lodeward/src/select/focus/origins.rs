//! Where redirects began.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::model::Uri;

/// Redirects that are remembered. They are short-lived: whoever is redirected to
/// is mostly next.
const REMEMBERED_MAX: usize = 65_536;

/// Where redirects to an address began.
#[derive(Default)]
pub(super) struct Origins(HashMap<Uri, Uri, RandomState>);

impl Origins {
    /// Notes that one address led to another.
    pub(super) fn note(&mut self, target: &Uri, source: Option<&Uri>) {
        let Some(source) = source else { return };
        let origin = self.of(source).unwrap_or(source).clone();
        if self.0.len() >= REMEMBERED_MAX {
            self.0.clear();
        }
        self.0.insert(target.clone(), origin);
    }

    /// Where the redirects to an address began.
    pub(super) fn of(&self, target: &Uri) -> Option<&Uri> {
        self.0.get(target)
    }
}
