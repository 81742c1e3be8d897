//! Which pages lead to RDF, as the paper means it.

use crate::web::{Class, PageId, Web};

/// Redirects that are followed from a link.
const REDIRECTS_MAX: usize = 10;

/// The pages of class HR by the paper's definition: HTML with at least one link,
/// by `href` or in an embedded triple, to an RDF document.
pub(super) struct Gold(Vec<bool>);

impl Gold {
    pub(super) fn of(web: &Web) -> Self {
        let leads = |(id, page): (PageId, &crate::web::Page)| {
            let is_html = matches!(page.class, Class::Hr | Class::H);
            is_html && web.targets(id).any(|(target, _)| target != id && ends_at_rdf(web, target))
        };
        Self(web.ids().map(leads).collect())
    }

    pub(super) fn leads_to_rdf(&self, page: PageId) -> bool {
        self.0[page.index()]
    }
}

fn ends_at_rdf(web: &Web, mut at: PageId) -> bool {
    for _ in 0..REDIRECTS_MAX {
        let page = web.page(at);
        match page.redirect.as_ref().and_then(|target| web.find(target)) {
            Some(next) if page.is_redirect() => at = next,
            _ => return page.class == Class::R,
        }
    }
    false
}
