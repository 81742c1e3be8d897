//! Where the rest of a recorded web enters a site.

use std::collections::{BTreeSet, HashMap};

use lodeward::model::Uri;

use crate::web::{PageId, Web};

/// The pages of each host that other hosts link or redirect to, and its seeds.
pub(super) struct Gates(HashMap<String, BTreeSet<PageId>>);

impl Gates {
    pub(super) fn of(web: &Web) -> Self {
        let mut gates: HashMap<String, BTreeSet<PageId>> = HashMap::new();
        let mut add = |page: PageId| {
            gates.entry(web.page(page).uri.host().to_owned()).or_default().insert(page);
        };
        web.seeds.iter().filter_map(|seed| web.find(seed)).for_each(&mut add);
        for (id, page) in web.ids() {
            let redirect = page.redirect.as_ref().and_then(|target| web.find(target));
            let targets = web.targets(id).map(|(target, _)| target).chain(redirect);
            targets.filter(|target| web.page(*target).uri.host() != page.uri.host()).for_each(&mut add);
        }
        Self(gates)
    }

    /// Those of one host, in the order of the manifest.
    pub(super) fn of_host<'a>(&'a self, web: &'a Web, host: &str) -> impl Iterator<Item = &'a Uri> {
        self.0.get(host).into_iter().flatten().map(|page| &web.page(*page).uri)
    }
}
