//! What trials are measured against: the web as far as it can be reached, and
//! what the oracle makes of it. Worked out once for all strategies.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use lodeward::engine::LinkKinds;

use crate::graph::{Graph, Reach};
use crate::ledger::Ledger;
use crate::metrics::harvest::{Counts, Harvest, Harvested, ratio};
use crate::oracle;
use crate::trial::Trial;
use crate::web::{PageId, Web};

/// What trials of one kind are measured against.
pub struct Ground {
    /// The web.
    pub web: Arc<Web>,
    /// What can be reached by all links, also for those who follow some only.
    pub reach: Reach,
    /// What the oracle did.
    pub oracle: Ledger,
    /// The host of each page, by number.
    pub hosts: Vec<u32>,
    /// What can be reached of each host.
    pub by_host: Vec<Counts>,
    /// Hosts of whose hard documents between a tenth and nine tenths hold RDF,
    /// whether they can be reached or not (data/README.md).
    pub is_mixed: Vec<bool>,
    /// The area under the oracle's curve.
    oracle_area: f64,
}

impl Ground {
    /// What trials like this one are measured against, whatever their seed.
    #[must_use]
    pub fn new(web: &Arc<Web>, trial: &Trial) -> Self {
        let graph = Graph::new(web, &Trial { links: LinkKinds::All, ..trial.clone() });
        let hosts = hosts(web);
        let hosts_count = hosts.iter().max().map_or(0, |last| *last as usize + 1);
        let counts = |pages: &mut dyn Iterator<Item = PageId>| {
            let mut counts = vec![Counts::default(); hosts_count];
            for page in pages.filter(|page| web.page(*page).is_document()) {
                counts[hosts[page.index()] as usize].add(&Harvested::new(web, page, 0.0));
            }
            counts
        };
        let in_all = counts(&mut web.ids().map(|(id, _)| id));
        let by_host = counts(&mut graph.reachable().into_iter());
        let is_mixed = in_all.iter().map(|counts| (0.1..=0.9).contains(&counts.hard_share())).collect();
        let oracle = oracle::crawl(&graph);
        let reach = graph.reach();
        let oracle_area = Harvest::of(web, &oracle).area(to_f64(reach.documents));
        Self { web: Arc::clone(web), reach, oracle, hosts, by_host, is_mixed, oracle_area }
    }

    /// The number of requests that make this share of the reachable documents.
    #[must_use]
    pub fn requests(&self, share: f64) -> f64 {
        to_f64(self.reach.documents) * share
    }

    /// The area under the curve of recall over requests, from none to as many
    /// as there are reachable documents; the oracle's is 1.
    #[must_use]
    pub fn auc(&self, harvest: &Harvest) -> f64 {
        quotient(harvest.area(self.requests(1.0)), self.oracle_area)
    }

    /// The same for the mean of the hosts' recalls; 1 is to have everything at
    /// once. Not divided by the oracle's, who does not aim at it.
    #[must_use]
    pub fn auc_by_host(&self, harvest: &Harvest) -> f64 {
        let requests = self.requests(1.0);
        let hosts = self.by_host.iter().filter(|counts| counts.rdf > 0).count();
        let of_host = |page| 1.0 / to_f64(self.by_host[self.host(page)].rdf.max(1));
        quotient(harvest.weighted_area(requests, of_host), requests * to_f64(hosts))
    }

    /// The share of the reachable RDF documents.
    #[must_use]
    pub fn recall(&self, counts: &Counts) -> f64 {
        ratio(counts.rdf, self.reach.rdf)
    }

    /// The host of a page, by number.
    #[must_use]
    pub fn host(&self, page: PageId) -> usize {
        self.hosts[page.index()] as usize
    }
}

/// The number of each page's host, in the order in which they occur.
fn hosts(web: &Web) -> Vec<u32> {
    let mut numbers: HashMap<&str, u32, RandomState> = HashMap::default();
    let number = |host| {
        let next = u32::try_from(numbers.len()).expect("fewer hosts than pages");
        *numbers.entry(host).or_insert(next)
    };
    web.pages.iter().map(|page| page.uri.host()).map(number).collect()
}

fn quotient(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// A count as a number to reckon with.
#[expect(clippy::cast_precision_loss, reason = "counts of documents are small")]
#[must_use]
pub(crate) fn to_f64(count: usize) -> f64 {
    count as f64
}
