//! How soon should this link be followed?
//!
//! A ranker sees all links of one document together, while their context is at
//! hand, and gives each its place in the queue. Which domain comes first is
//! part of that: see [`Order`].

pub mod breadth_first;

pub use breadth_first::BreadthFirst;

use crate::model::{Candidate, Link, Relevance, Uri, Visit};

/// Gives every link of a document its place in the queue.
pub trait Ranker: Send + Sync {
    /// Turns the links found in one document into candidates.
    fn rank(&mut self, found: Found<'_>, links: Vec<Link>) -> Vec<Candidate>;

    /// Notes how a visit ended, so that links like the one that led to it can
    /// be ranked better.
    fn observe(&mut self, _visit: &Visit, _relevance: Relevance) {}

    /// In which order domains are visited.
    fn order(&self) -> Order {
        Order::RoundRobin
    }
}

/// Where some links were found.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The document; `None` for seeds.
    pub source: Option<&'a Uri>,
    /// Whether it holds RDF itself.
    pub relevance: Relevance,
    /// How many hops from the nearest seed the targets are.
    pub depth: u16,
    /// How many redirects in a row led to the targets.
    pub redirects: u8,
}

/// The order across domains, among those that may politely be visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// One URI per domain and round, as LDCOC's Algorithm 2 and LDSpider do.
    #[default]
    RoundRobin,
    /// The domain whose best candidate has the highest priority
    /// (SELECTION-STUDY §7: worth 0.24–0.34 AUC).
    BestFirst,
}
