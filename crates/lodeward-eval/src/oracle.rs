//! A crawler that knows the labels.
//!
//! It takes an RDF document whenever it knows of one, and otherwise the
//! shortest way, in requests, to one that it has not seen. So it is greedy, and
//! not provably the best there is; but nobody who does not know the labels has
//! come near it (SELECTION-STUDY §1).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use lodeward::model::Features;

use crate::graph::Graph;
use crate::ledger::{COST_GET, Kind, Ledger, Step};
use crate::web::PageId;

/// Crawls a graph by its labels, until no RDF document is left.
#[must_use]
pub fn crawl(graph: &Graph) -> Ledger {
    let mut oracle = Oracle::new(graph);
    for page in &graph.start {
        oracle.meet(*page);
    }
    while let Some(page) = oracle.next() {
        oracle.visit(page);
    }
    oracle.ledger
}

/// How many requests it takes to an unseen RDF document, itself included.
type Distance = u32;

/// No RDF document can be reached from there any more.
const NEVER: Distance = Distance::MAX;

struct Oracle<'a> {
    graph: &'a Graph,
    is_met: Vec<bool>,
    is_visited: Vec<bool>,
    /// At most the distance from each page. What is visited and what is closed
    /// is no target any more, so distances only grow, and one that was measured
    /// once stays a bound from below.
    at_least: Vec<Distance>,
    /// Pages that are known and were not visited, by that bound, oldest first.
    known: BinaryHeap<Reverse<(Distance, u64, PageId)>>,
    arrivals: u64,
    /// Documents of each domain so far.
    documents: Vec<u32>,
    search: Search,
    ledger: Ledger,
}

/// What one search after another needs.
#[derive(Default)]
struct Search {
    queue: VecDeque<(PageId, Distance)>,
    /// In which search each page was last met.
    met_in: Vec<u32>,
    number: u32,
}

impl<'a> Oracle<'a> {
    fn new(graph: &'a Graph) -> Self {
        let pages = graph.web.pages.len();
        let domains = graph.domains.iter().max().map_or(0, |last| *last as usize + 1);
        Self {
            graph,
            is_met: vec![false; pages],
            is_visited: vec![false; pages],
            at_least: vec![1; pages],
            known: BinaryHeap::new(),
            arrivals: 0,
            documents: vec![0; domains],
            search: Search { met_in: vec![0; pages], ..Search::default() },
            ledger: Ledger::default(),
        }
    }

    fn meet(&mut self, page: PageId) {
        if !std::mem::replace(&mut self.is_met[page.index()], true) {
            self.known.push(Reverse((self.at_least[page.index()], self.arrivals, page)));
            self.arrivals += 1;
        }
    }

    /// The known page that is nearest to an unseen RDF document.
    fn next(&mut self) -> Option<PageId> {
        while let Some(Reverse((bound, arrival, page))) = self.known.pop() {
            let distance = self.measure(page);
            if distance == bound {
                return Some(page);
            }
            if distance != NEVER {
                self.known.push(Reverse((distance, arrival, page)));
            }
        }
        None
    }

    fn visit(&mut self, id: PageId) {
        let page = self.graph.web.page(id);
        self.is_visited[id.index()] = true;
        let kind = match page {
            page if page.is_document() => Kind::Document,
            page if page.is_redirect() => Kind::Redirect,
            _ => Kind::Miss,
        };
        if kind == Kind::Document {
            self.documents[self.graph.domains[id.index()] as usize] += 1;
        }
        let cost = self.ledger.cost() + COST_GET;
        let (at, features) = (Duration::ZERO, Features::default());
        self.ledger.steps.push(Step { kind, page: Some(id), cost, at, score: None, features, source: None });
        for successor in self.graph.successors(id) {
            self.meet(*successor);
        }
    }

    fn is_open(&self, page: PageId) -> bool {
        let documents = self.documents[self.graph.domains[page.index()] as usize];
        !self.is_visited[page.index()] && self.graph.documents_per_pld_max.is_none_or(|max| documents < max)
    }

    /// The distance from a page, by a search from it. Where nothing is found,
    /// nothing can be found from anywhere that the search has been.
    fn measure(&mut self, from: PageId) -> Distance {
        if self.at_least[from.index()] == NEVER || !self.is_open(from) {
            return NEVER;
        }
        self.search.number += 1;
        let mut been = vec![from];
        self.search.queue.clear();
        self.search.queue.push_back((from, 1));
        self.search.met_in[from.index()] = self.search.number;
        while let Some((page, distance)) = self.search.queue.pop_front() {
            if self.graph.web.page(page).is_rdf() {
                self.at_least[from.index()] = distance;
                return distance;
            }
            for successor in self.graph.successors(page) {
                let index = successor.index();
                let is_new = self.search.met_in[index] != self.search.number;
                if is_new && self.at_least[index] != NEVER && self.is_open(*successor) {
                    self.search.met_in[index] = self.search.number;
                    self.search.queue.push_back((*successor, distance + 1));
                    been.push(*successor);
                }
            }
        }
        for page in been {
            self.at_least[page.index()] = NEVER;
        }
        NEVER
    }
}
