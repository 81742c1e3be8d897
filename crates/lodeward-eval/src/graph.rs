//! The link graph of a recorded web under the rules of a trial.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use lodeward::engine::FollowedLinks;
use lodeward::model::rdf_likelihood::is_non_rdf_extension;
use lodeward::model::{Pld, Uri};

use crate::trial::Trial;
use crate::web::{PageId, RecordedWeb};

/// The pages that a trial may fetch, and their successors.
pub struct WebGraph {
    /// The recorded web.
    pub web: Arc<RecordedWeb>,
    /// The pages where the trial starts.
    pub start: Vec<PageId>,
    /// The domain number of each page.
    pub domains: Vec<u32>,
    /// Maximum number of documents per domain.
    pub max_documents_per_domain: Option<u32>,
    successors: Vec<Box<[PageId]>>,
}

/// Counts of the pages that are reachable from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReachablePages {
    /// Number of documents. If the trial has a limit per domain, the other documents of a domain are not counted.
    pub documents: usize,
    /// Number of documents with RDF.
    pub rdf: usize,
    /// Number of hard documents.
    pub hard: usize,
    /// Number of hard documents with RDF.
    pub hard_rdf: usize,
    /// Number of documents and redirects.
    pub urls: usize,
}

impl WebGraph {
    /// Builds the graph of the pages that a trial may fetch.
    #[must_use]
    pub fn new(web: &Arc<RecordedWeb>, trial: &Trial) -> Self {
        let is_allowed = |uri: &Uri| !trial.obeys_robots || web.allows(uri);
        let may_fetch = |uri: &Uri| trial.is_in_scope(uri) && is_allowed(uri);
        let may_fetch: Vec<bool> = web.pages.iter().map(|page| may_fetch(&page.uri)).collect();
        let mut numbers: HashMap<Pld, u32, RandomState> = HashMap::default();
        let mut domain = |uri: &Uri| {
            let next = u32::try_from(numbers.len()).expect("there are no more domains than pages");
            *numbers.entry(uri.pld()).or_insert(next)
        };
        let successors = web.pages_with_ids().map(|(id, page)| {
            let targets = web.targets(id).filter(|(_, is_rdf)| *is_rdf || trial.links == FollowedLinks::All);
            let redirect = page.redirect.as_ref().filter(|target| !has_non_rdf_extension(target));
            let redirect = redirect.and_then(|target| web.find(target));
            let mut known = HashSet::new();
            let targets = targets.map(|(target, _)| target).chain(redirect);
            targets.filter(|target| may_fetch[target.index()] && known.insert(*target)).collect()
        });
        let start = trial.start_uris(web).into_iter().filter(is_allowed).filter_map(|uri| web.find(&uri)).collect();
        Self {
            start,
            successors: successors.collect(),
            domains: web.pages.iter().map(|page| domain(&page.uri)).collect(),
            max_documents_per_domain: trial.max_documents_per_domain,
            web: Arc::clone(web),
        }
    }

    /// The pages that a page links or redirects to, without those that the trial may not fetch.
    #[must_use]
    pub fn successors(&self, page: PageId) -> &[PageId] {
        &self.successors[page.index()]
    }

    /// All reachable pages, nearest first.
    #[must_use]
    pub fn reachable(&self) -> Vec<PageId> {
        let mut is_known = vec![false; self.web.pages.len()];
        let mut reached: Vec<PageId> = Vec::new();
        let mut discover = |page: PageId, reached: &mut Vec<PageId>| {
            if !std::mem::replace(&mut is_known[page.index()], true) {
                reached.push(page);
            }
        };
        for page in &self.start {
            discover(*page, &mut reached);
        }
        let mut next = 0;
        while let Some(page) = reached.get(next).copied() {
            next += 1;
            for successor in self.successors(page) {
                discover(*successor, &mut reached);
            }
        }
        reached
    }

    /// Counts the reachable pages. If the trial has a limit per domain, each count includes at most that
    /// many pages of a domain.
    #[must_use]
    pub fn count_reachable(&self) -> ReachablePages {
        let reachable = self.reachable();
        let pages = || reachable.iter().map(|id| (*id, self.web.page(*id)));
        let count = |of: &dyn Fn(&crate::web::WebPage) -> bool| {
            let mut counts: HashMap<u32, usize, RandomState> = HashMap::default();
            for (id, _) in pages().filter(|(_, page)| page.is_document() && of(page)) {
                *counts.entry(self.domains[id.index()]).or_default() += 1;
            }
            let max = self.max_documents_per_domain.map_or(usize::MAX, |max| max as usize);
            counts.values().map(|count| *count.min(&max)).sum()
        };
        ReachablePages {
            documents: count(&|_| true),
            rdf: count(&|page| page.is_rdf()),
            hard: count(&|page| page.is_hard),
            hard_rdf: count(&|page| page.is_hard && page.is_rdf()),
            urls: reachable.len(),
        }
    }
}

fn has_non_rdf_extension(uri: &Uri) -> bool {
    uri.extension().is_some_and(|extension| is_non_rdf_extension(&extension))
}
