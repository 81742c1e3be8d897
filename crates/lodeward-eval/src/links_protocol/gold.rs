//! The pages that link to RDF, as defined by the paper.

use crate::web::{GoldClass, PageId, RecordedWeb};

/// Maximum number of redirects that are followed from a link.
const MAX_REDIRECTS: usize = 10;

/// The pages of class HR by the definition of the paper: HTML with at least one link, by `href` or in an
/// embedded triple, to an RDF document.
pub(super) struct GoldHubPages(Vec<bool>);

impl GoldHubPages {
    pub(super) fn from_web(web: &RecordedWeb) -> Self {
        let is_hub = |(id, page): (PageId, &crate::web::WebPage)| {
            let is_html = matches!(page.class, GoldClass::Hr | GoldClass::H);
            is_html && web.targets(id).any(|(target, _)| target != id && ends_at_rdf(web, target))
        };
        Self(web.pages_with_ids().map(is_hub).collect())
    }

    pub(super) fn leads_to_rdf(&self, page: PageId) -> bool {
        self.0[page.index()]
    }
}

fn ends_at_rdf(web: &RecordedWeb, mut at: PageId) -> bool {
    for _ in 0..MAX_REDIRECTS {
        let page = web.page(at);
        match page.redirect.as_ref().and_then(|target| web.find(target)) {
            Some(next) if page.is_redirect() => at = next,
            _ => return page.class == GoldClass::R,
        }
    }
    false
}
