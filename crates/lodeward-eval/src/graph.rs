//! What a crawl could do: which page leads to which, under which rules.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use lodeward::engine::LinkKinds;
use lodeward::model::media_type::is_barren_extension;
use lodeward::model::{Pld, Uri};

use crate::trial::Trial;
use crate::web::{PageId, Web};

/// A web as a graph: pages that a trial may visit, and what each leads to.
pub struct Graph {
    /// The web.
    pub web: Arc<Web>,
    /// Where the trial begins.
    pub start: Vec<PageId>,
    /// The domain of each page, by number.
    pub domains: Vec<u32>,
    /// Documents after which a domain is closed.
    pub documents_per_pld_max: Option<u32>,
    successors: Vec<Box<[PageId]>>,
}

/// What can be reached from a start by all links that are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Documents. With a bound for each domain: what is left of them under it.
    pub documents: usize,
    /// Of them, those that hold RDF.
    pub rdf: usize,
    /// Documents of which nothing tells beforehand.
    pub hard: usize,
    /// Of them, those that hold RDF.
    pub hard_rdf: usize,
    /// Documents and redirects.
    pub addresses: usize,
}

impl Graph {
    /// The graph that a trial is on.
    #[must_use]
    pub fn new(web: &Arc<Web>, trial: &Trial) -> Self {
        let is_allowed = |uri: &Uri| !trial.obeys_robots || web.allows(uri);
        let may_visit = |uri: &Uri| trial.is_within(uri) && is_allowed(uri);
        let may_visit: Vec<bool> = web.pages.iter().map(|page| may_visit(&page.uri)).collect();
        let mut numbers: HashMap<Pld, u32, RandomState> = HashMap::default();
        let mut domain = |uri: &Uri| {
            let next = u32::try_from(numbers.len()).expect("fewer domains than pages");
            *numbers.entry(uri.pld()).or_insert(next)
        };
        let successors = web.ids().map(|(id, page)| {
            let targets = web.targets(id).filter(|(_, is_rdf)| *is_rdf || trial.links == LinkKinds::All);
            let redirect = page.redirect.as_ref().filter(|target| !is_barren(target));
            let redirect = redirect.and_then(|target| web.find(target));
            let mut known = HashSet::new();
            let targets = targets.map(|(target, _)| target).chain(redirect);
            targets.filter(|target| may_visit[target.index()] && known.insert(*target)).collect()
        });
        let start = trial.start_of(web).into_iter().filter(is_allowed).filter_map(|uri| web.find(&uri)).collect();
        Self {
            start,
            successors: successors.collect(),
            domains: web.pages.iter().map(|page| domain(&page.uri)).collect(),
            documents_per_pld_max: trial.documents_per_pld_max,
            web: Arc::clone(web),
        }
    }

    /// What a page leads to.
    #[must_use]
    pub fn successors(&self, page: PageId) -> &[PageId] {
        &self.successors[page.index()]
    }

    /// Every page that can be reached, nearest first.
    #[must_use]
    pub fn reachable(&self) -> Vec<PageId> {
        let mut is_known = vec![false; self.web.pages.len()];
        let mut reached: Vec<PageId> = Vec::new();
        let mut meet = |page: PageId, reached: &mut Vec<PageId>| {
            if !std::mem::replace(&mut is_known[page.index()], true) {
                reached.push(page);
            }
        };
        for page in &self.start {
            meet(*page, &mut reached);
        }
        let mut next = 0;
        while let Some(page) = reached.get(next).copied() {
            next += 1;
            for successor in self.successors(page) {
                meet(*successor, &mut reached);
            }
        }
        reached
    }

    /// How much can be reached. Under a bound for each domain, that much of
    /// every sort at most counts of it.
    #[must_use]
    pub fn reach(&self) -> Reach {
        let reachable = self.reachable();
        let pages = || reachable.iter().map(|id| (*id, self.web.page(*id)));
        let count = |of: &dyn Fn(&crate::web::Page) -> bool| {
            let mut counts: HashMap<u32, usize, RandomState> = HashMap::default();
            for (id, _) in pages().filter(|(_, page)| page.is_document() && of(page)) {
                *counts.entry(self.domains[id.index()]).or_default() += 1;
            }
            let max = self.documents_per_pld_max.map_or(usize::MAX, |max| max as usize);
            counts.values().map(|count| *count.min(&max)).sum()
        };
        Reach {
            documents: count(&|_| true),
            rdf: count(&|page| page.is_rdf()),
            hard: count(&|page| page.is_hard),
            hard_rdf: count(&|page| page.is_hard && page.is_rdf()),
            addresses: reachable.len(),
        }
    }
}

fn is_barren(uri: &Uri) -> bool {
    uri.extension().is_some_and(|extension| is_barren_extension(&extension))
}
