//! The baseline of trials: the reachable part of the web and the ledger of the oracle, computed once for
//! all strategies.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use lodeward::engine::FollowedLinks;

use super::harvest::{HarvestCounts, HarvestedDocument, LedgerHarvest};
use crate::graph::{ReachablePages, WebGraph};
use crate::ledger::Ledger;
use crate::numbers::{quotient, ratio, to_f64};
use crate::oracle;
use crate::trial::Trial;
use crate::web::{PageId, RecordedWeb};

/// The baseline of trials with the same settings.
pub struct EvalBaseline {
    /// The recorded web that the trials crawl.
    pub web: Arc<RecordedWeb>,
    /// Counts of the pages reachable by all links, which are also used for strategies that follow only some links.
    pub reach: ReachablePages,
    /// The requests of the oracle.
    pub oracle: Ledger,
    /// The host number of each page.
    pub hosts: Vec<u32>,
    /// Counts of the reachable documents of each host.
    pub by_host: Vec<HarvestCounts>,
    /// For each host, whether it is mixed: 10 to 90 % of its hard documents, reachable or not, have RDF
    /// (data/README.md).
    pub is_mixed: Vec<bool>,
    /// The area under the oracle's curve of RDF documents over requests.
    oracle_area: f64,
}

impl EvalBaseline {
    /// Computes the baseline of all trials that differ from `trial` only in their seed and in the links they follow.
    #[must_use]
    pub fn new(web: &Arc<RecordedWeb>, trial: &Trial) -> Self {
        let graph = WebGraph::new(web, &Trial { links: FollowedLinks::All, ..trial.clone() });
        let hosts = host_indices(web);
        let hosts_count = hosts.iter().max().map_or(0, |last| *last as usize + 1);
        let counts = |pages: &mut dyn Iterator<Item = PageId>| {
            let mut counts = vec![HarvestCounts::default(); hosts_count];
            for page in pages.filter(|page| web.page(*page).is_document()) {
                counts[hosts[page.index()] as usize].add(&HarvestedDocument::new(web, page, 0.0));
            }
            counts
        };
        let in_all = counts(&mut web.pages_with_ids().map(|(id, _)| id));
        let by_host = counts(&mut graph.reachable().into_iter());
        let is_mixed = in_all.iter().map(|counts| (0.1..=0.9).contains(&counts.hard_share())).collect();
        let oracle = oracle::crawl(&graph);
        let reach = graph.count_reachable();
        let oracle_area = LedgerHarvest::from_ledger(web, &oracle).area(to_f64(reach.documents));
        Self { web: Arc::clone(web), reach, oracle, hosts, by_host, is_mixed, oracle_area }
    }

    /// The number of requests equal to this share of the reachable documents.
    #[must_use]
    pub fn requests_for_share(&self, share: f64) -> f64 {
        to_f64(self.reach.documents) * share
    }

    /// The area under the curve of recall over requests, up to the number of reachable documents,
    /// divided by the same area of the oracle.
    #[must_use]
    pub fn auc(&self, harvest: &LedgerHarvest) -> f64 {
        quotient(harvest.area(self.requests_for_share(1.0)), self.oracle_area)
    }

    /// The area under the curve of the mean recall of hosts over requests; 1 means complete recall at once.
    /// It is not divided by the area of the oracle, because the oracle does not optimise recall by host.
    #[must_use]
    pub fn auc_by_host(&self, harvest: &LedgerHarvest) -> f64 {
        let requests = self.requests_for_share(1.0);
        let hosts = self.by_host.iter().filter(|counts| counts.rdf > 0).count();
        let of_host = |page| 1.0 / to_f64(self.by_host[self.host_index(page)].rdf.max(1));
        quotient(harvest.weighted_area(requests, of_host), requests * to_f64(hosts))
    }

    /// The share of the reachable RDF documents that these counts contain.
    #[must_use]
    pub fn recall(&self, counts: &HarvestCounts) -> f64 {
        ratio(counts.rdf, self.reach.rdf)
    }

    /// The host number of a page.
    #[must_use]
    pub fn host_index(&self, page: PageId) -> usize {
        self.hosts[page.index()] as usize
    }
}

/// The host number of each page. Hosts are numbered in the order of their first page.
fn host_indices(web: &RecordedWeb) -> Vec<u32> {
    let mut numbers: HashMap<&str, u32, RandomState> = HashMap::default();
    let number = |host| {
        let next = u32::try_from(numbers.len()).expect("there are no more hosts than pages");
        *numbers.entry(host).or_insert(next)
    };
    web.pages.iter().map(|page| page.uri.host()).map(number).collect()
}
