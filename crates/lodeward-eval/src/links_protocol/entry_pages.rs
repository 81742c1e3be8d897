//! The pages of a site that other sites link to.

use std::collections::{BTreeSet, HashMap};

use lodeward::model::Uri;

use crate::web::{PageId, RecordedWeb};

/// The pages of each host that other hosts link or redirect to, and the seeds.
pub(super) struct SiteEntryPages(HashMap<String, BTreeSet<PageId>>);

impl SiteEntryPages {
    pub(super) fn from_web(web: &RecordedWeb) -> Self {
        let mut entry_pages: HashMap<String, BTreeSet<PageId>> = HashMap::new();
        let mut add = |page: PageId| {
            entry_pages.entry(web.page(page).uri.host().to_owned()).or_default().insert(page);
        };
        web.seeds.iter().filter_map(|seed| web.find(seed)).for_each(&mut add);
        for (id, page) in web.pages_with_ids() {
            let redirect = page.redirect.as_ref().and_then(|target| web.find(target));
            let targets = web.targets(id).map(|(target, _)| target).chain(redirect);
            targets.filter(|target| web.page(*target).uri.host() != page.uri.host()).for_each(&mut add);
        }
        Self(entry_pages)
    }

    /// The entry pages of one host, in the order of the manifest.
    pub(super) fn for_host<'a>(&'a self, web: &'a RecordedWeb, host: &str) -> impl Iterator<Item = &'a Uri> {
        self.0.get(host).into_iter().flatten().map(|page| &web.page(*page).uri)
    }
}
