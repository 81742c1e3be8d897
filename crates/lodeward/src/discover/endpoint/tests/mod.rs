//! Harvests of endpoints that are all in memory.

mod harvest;
mod hostile;
mod properties;
mod server;
mod words;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{Cursor, Read};

use oxigraph::model::{BlankNode, Dataset, GraphName, NamedOrBlankNode, Quad, QuadRef, Term};
use oxrdf::dataset::CanonicalizationAlgorithm;

use super::Step;
use crate::discover::{Answer, Endpoints, Findings, Next, Policy, Step as AnyStep};
use crate::fetch::Refusal;
use crate::fetch::retry::{self, Retry};
use crate::model::{Fault, FaultKind, Link, Uri};

/// More requests than any harvest of a test needs.
const REQUESTS_MAX: usize = 5_000;

/// Answers requests.
trait Web {
    fn get(&mut self, uri: &Uri) -> Result<Box<dyn Read>, Refusal>;
}

impl<F: FnMut(&Uri) -> Result<Box<dyn Read>, Refusal>> Web for F {
    fn get(&mut self, uri: &Uri) -> Result<Box<dyn Read>, Refusal> {
        self(uri)
    }
}

/// What came of a harvest.
#[derive(Default)]
struct Harvested {
    quads: Vec<Quad>,
    faults: Vec<Fault>,
    /// Every request that was made, attempts included.
    requests: Vec<Uri>,
    /// What steps that failed for good were for.
    lost: Vec<String>,
}

impl Harvested {
    /// The statements as a set, blank nodes by canonical names.
    fn dataset(&self) -> Dataset {
        canonical(&self.quads)
    }

    /// The texts of the queries that were asked.
    fn queries(&self) -> Vec<String> {
        self.requests.iter().filter_map(query_of).collect()
    }
}

fn canonical(quads: &[Quad]) -> Dataset {
    let mut dataset: Dataset = quads.iter().collect();
    dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
    dataset
}

fn query_of(uri: &Uri) -> Option<String> {
    uri.to_url().query_pairs().find(|(name, _)| name == "query").map(|(_, query)| query.into_owned())
}

fn endpoint() -> Uri {
    Uri::parse("http://data.example/sparql").unwrap()
}

fn policy(rows: u32) -> Policy {
    Policy { endpoints: Endpoints::Harvest, page_rows: rows, ..Policy::default() }
}

/// Takes all steps of an endpoint, as the engine does: nothing twice, and what
/// fails by itself three times.
fn harvest(web: &mut dyn Web, policy: &Policy) -> Harvested {
    let first = Step::first(&endpoint(), policy).unwrap();
    let mut waiting = VecDeque::from([Next { uri: endpoint(), step: AnyStep::Endpoint(first) }]);
    let mut seen = HashSet::from([endpoint()]);
    let mut harvested = Harvested::default();
    while let Some(next) = waiting.pop_front() {
        // Through its form on disk, where it waits.
        let step: AnyStep = postcard::from_bytes(&postcard::to_stdvec(&next.step).unwrap()).unwrap();
        assert_eq!(step, next.step);
        let found = take(web, &next.uri, &step, &mut harvested);
        waiting.extend(found.into_iter().filter(|next| seen.insert(next.uri.clone())));
    }
    harvested
}

fn take(web: &mut dyn Web, uri: &Uri, step: &AnyStep, harvested: &mut Harvested) -> Vec<Next> {
    for attempt in 0.. {
        harvested.requests.push(uri.clone());
        assert!(harvested.requests.len() < REQUESTS_MAX, "it does not end: {step}");
        let refusal = match web.get(uri) {
            Ok(_) if step.reads_document() => return step.after(),
            Ok(body) => {
                let mut basket = Basket { page: harvested.requests.len(), ..Basket::default() };
                step.read(Answer { uri, content_type: None, body }, &mut basket);
                harvested.quads.append(&mut basket.quads);
                harvested.faults.append(&mut basket.faults);
                return basket.steps;
            }
            Err(refusal) => refusal,
        };
        if retry::verdict(&refusal, attempt) == Retry::GiveUp {
            harvested.lost.push(step.to_string());
            return step.after_failure(&refusal);
        }
    }
    unreachable!("attempts are bounded");
}

/// Takes what is found on one page.
#[derive(Default)]
struct Basket {
    page: usize,
    scope: usize,
    labels: HashMap<String, BlankNode>,
    quads: Vec<Quad>,
    faults: Vec<Fault>,
    steps: Vec<Next>,
}

impl Basket {
    fn blank(&mut self, node: &str) -> BlankNode {
        let name = format!("p{}s{}n{}", self.page, self.scope, self.labels.len());
        self.labels.entry(node.to_owned()).or_insert_with(|| BlankNode::new(name).unwrap()).clone()
    }
}

impl Findings for Basket {
    fn begin(&mut self, _: &'static str) {
        self.scope += 1;
        self.labels.clear();
    }

    fn quad(&mut self, quad: QuadRef<'_>) -> Result<(), String> {
        let mut quad = quad.into_owned();
        let iris = [
            match &quad.subject {
                NamedOrBlankNode::NamedNode(node) => Some(node.as_str()),
                NamedOrBlankNode::BlankNode(_) => None,
            },
            Some(quad.predicate.as_str()),
            match &quad.object {
                Term::NamedNode(node) => Some(node.as_str()),
                _ => None,
            },
            match &quad.graph_name {
                GraphName::NamedNode(node) => Some(node.as_str()),
                _ => None,
            },
        ];
        if let Some(iri) = iris.into_iter().flatten().find(|iri| oxiri::Iri::parse(*iri).is_err()) {
            return Err(format!("`{iri}` is not an absolute IRI"));
        }
        if let NamedOrBlankNode::BlankNode(node) = &quad.subject {
            quad.subject = self.blank(node.as_str()).into();
        }
        if let Term::BlankNode(node) = &quad.object {
            quad.object = self.blank(node.as_str()).into();
        }
        self.quads.push(quad);
        Ok(())
    }

    fn link(&mut self, link: Link) {
        panic!("an endpoint has no links but in statements: {link:?}");
    }

    fn step(&mut self, next: Next) {
        self.steps.push(next);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}

fn text(body: &str) -> Box<dyn Read> {
    Box::new(Cursor::new(body.to_owned()))
}

fn status(code: u16) -> Refusal {
    let kind = if matches!(code, 429 | 503) { FaultKind::Busy } else { FaultKind::Status };
    Refusal { fault: Fault::new(kind, code), status: Some(code), retry_after_s: None, sent: true }
}
