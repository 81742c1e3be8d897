//! The oracle: a crawler that knows the labels.
//!
//! It fetches a known RDF document if there is one, and otherwise the first page of the shortest path, in
//! requests, to an RDF document. It is greedy and not provably optimal, but no strategy without labels
//! comes near it (docs/algorithms.md §2c).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use lodeward::frontier::FeatureVector;

use crate::graph::WebGraph;
use crate::ledger::{COST_GET, Ledger, LedgerEntry, LedgerEntryKind};
use crate::web::PageId;

/// Crawls a graph by its labels until no RDF document is reachable.
#[must_use]
pub fn crawl(graph: &WebGraph) -> Ledger {
    let mut oracle = Oracle::new(graph);
    for page in &graph.start {
        oracle.discover(*page);
    }
    while let Some(page) = oracle.next() {
        oracle.fetch(page);
    }
    oracle.ledger
}

/// The number of requests to the nearest RDF document, itself included.
type OracleDistance = u32;

/// The distance of a page from which no RDF document can be reached.
const UNREACHABLE: OracleDistance = OracleDistance::MAX;

struct Oracle<'a> {
    graph: &'a WebGraph,
    is_known: Vec<bool>,
    is_fetched: Vec<bool>,
    /// A lower bound of the distance from each page to the nearest RDF document that is not fetched yet.
    /// Fetching a document or closing a domain only removes targets, so distances never decrease, and a
    /// distance measured earlier remains a lower bound.
    at_least: Vec<OracleDistance>,
    /// Known pages that were not fetched, ordered by `at_least`; among equal bounds, the oldest first.
    known: BinaryHeap<Reverse<(OracleDistance, u64, PageId)>>,
    arrivals: u64,
    /// Number of documents fetched from each domain.
    documents: Vec<u32>,
    search: OracleSearch,
    ledger: Ledger,
}

/// The state of a search, reused by the next one.
#[derive(Default)]
struct OracleSearch {
    queue: VecDeque<(PageId, OracleDistance)>,
    /// The number of the search in which each page was last seen.
    seen_in: Vec<u32>,
    number: u32,
}

impl<'a> Oracle<'a> {
    fn new(graph: &'a WebGraph) -> Self {
        let pages = graph.web.pages.len();
        let domains = graph.domains.iter().max().map_or(0, |last| *last as usize + 1);
        Self {
            graph,
            is_known: vec![false; pages],
            is_fetched: vec![false; pages],
            at_least: vec![1; pages],
            known: BinaryHeap::new(),
            arrivals: 0,
            documents: vec![0; domains],
            search: OracleSearch { seen_in: vec![0; pages], ..OracleSearch::default() },
            ledger: Ledger::default(),
        }
    }

    fn discover(&mut self, page: PageId) {
        if !std::mem::replace(&mut self.is_known[page.index()], true) {
            self.known.push(Reverse((self.at_least[page.index()], self.arrivals, page)));
            self.arrivals += 1;
        }
    }

    /// The known page that is nearest to an RDF document that was not fetched.
    fn next(&mut self) -> Option<PageId> {
        while let Some(Reverse((bound, arrival, page))) = self.known.pop() {
            let distance = self.measure_distance(page);
            if distance == bound {
                return Some(page);
            }
            if distance != UNREACHABLE {
                self.known.push(Reverse((distance, arrival, page)));
            }
        }
        None
    }

    fn fetch(&mut self, id: PageId) {
        let page = self.graph.web.page(id);
        self.is_fetched[id.index()] = true;
        let kind = match page {
            page if page.is_document() => LedgerEntryKind::Document,
            page if page.is_redirect() => LedgerEntryKind::Redirect,
            _ => LedgerEntryKind::Miss,
        };
        if kind == LedgerEntryKind::Document {
            self.documents[self.graph.domains[id.index()] as usize] += 1;
        }
        let cost = self.ledger.cost() + COST_GET;
        let (at, features) = (Duration::ZERO, FeatureVector::default());
        self.ledger.steps.push(LedgerEntry { kind, page: Some(id), cost, at, score: None, features, source: None });
        for successor in self.graph.successors(id) {
            self.discover(*successor);
        }
    }

    fn is_open(&self, page: PageId) -> bool {
        let documents = self.documents[self.graph.domains[page.index()] as usize];
        !self.is_fetched[page.index()] && self.graph.max_documents_per_domain.is_none_or(|max| documents < max)
    }

    /// The distance of a page, by a breadth-first search. If nothing is found, no RDF document is
    /// reachable from any page of the search.
    fn measure_distance(&mut self, from: PageId) -> OracleDistance {
        if self.at_least[from.index()] == UNREACHABLE || !self.is_open(from) {
            return UNREACHABLE;
        }
        self.search.number += 1;
        let mut visited = vec![from];
        self.search.queue.clear();
        self.search.queue.push_back((from, 1));
        self.search.seen_in[from.index()] = self.search.number;
        while let Some((page, distance)) = self.search.queue.pop_front() {
            if self.graph.web.page(page).is_rdf() {
                self.at_least[from.index()] = distance;
                return distance;
            }
            for successor in self.graph.successors(page) {
                let index = successor.index();
                let is_new = self.search.seen_in[index] != self.search.number;
                if is_new && self.at_least[index] != UNREACHABLE && self.is_open(*successor) {
                    self.search.seen_in[index] = self.search.number;
                    self.search.queue.push_back((*successor, distance + 1));
                    visited.push(*successor);
                }
            }
        }
        for page in visited {
            self.at_least[page.index()] = UNREACHABLE;
        }
        UNREACHABLE
    }
}
