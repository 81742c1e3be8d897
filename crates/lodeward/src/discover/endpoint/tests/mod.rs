//! Tests of harvests with endpoints in memory.

mod harvest;
mod hostile;
mod properties;
mod server;
mod query_text;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{Cursor, Read};

use oxigraph::model::{BlankNode, Dataset, GraphName, NamedOrBlankNode, Quad, QuadRef, Term};
use oxrdf::dataset::CanonicalizationAlgorithm;

use super::EndpointStep;
use crate::discover::{
    DiscoverPolicy, EndpointPolicy, NextStep, ServiceResponse, StatementRules, Step as AnyStep, StepSink,
};
use crate::fetch::retry::{self, RetryDecision};
use crate::model::{Fault, FaultKind, FetchFailure, Link, Uri};

/// Maximum number of requests: more than any harvest in a test needs.
const MAX_REQUESTS: usize = 5_000;

/// Responds to requests.
trait Web {
    fn get(&mut self, uri: &Uri) -> Result<Box<dyn Read>, FetchFailure>;
}

impl<F: FnMut(&Uri) -> Result<Box<dyn Read>, FetchFailure>> Web for F {
    fn get(&mut self, uri: &Uri) -> Result<Box<dyn Read>, FetchFailure> {
        self(uri)
    }
}

/// The output of a harvest.
#[derive(Default)]
struct Harvested {
    quads: Vec<Quad>,
    faults: Vec<Fault>,
    /// All requests, including retries.
    requests: Vec<Uri>,
    /// The purposes of the steps that failed permanently.
    lost: Vec<String>,
    /// The rules of the pages of statements.
    rules: Vec<StatementRules>,
}

impl Harvested {
    /// The statements as a set, with canonical blank node labels.
    fn dataset(&self) -> Dataset {
        canonical(&self.quads)
    }

    /// The texts of the queries.
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

fn policy(rows: u32) -> DiscoverPolicy {
    DiscoverPolicy { sparql_endpoints: EndpointPolicy::Harvest, page_rows: rows, ..DiscoverPolicy::default() }
}

/// Takes all steps of an endpoint like the engine: no step twice, and up to three attempts.
fn harvest(web: &mut dyn Web, policy: &DiscoverPolicy) -> Harvested {
    let first = EndpointStep::first(&endpoint(), true, policy);
    let mut waiting = VecDeque::from([NextStep { uri: endpoint(), step: AnyStep::from(first) }]);
    let mut seen = HashSet::from([endpoint()]);
    let mut harvested = Harvested::default();
    while let Some(next) = waiting.pop_front() {
        // Serialises and deserialises the step, as the frontier does.
        let step: AnyStep = postcard::from_bytes(&postcard::to_stdvec(&next.step).unwrap()).unwrap();
        assert_eq!(step, next.step);
        let steps = run_step(web, &next.uri, &step, &mut harvested);
        waiting.extend(steps.into_iter().filter(|next| seen.insert(next.uri.clone())));
    }
    harvested
}

fn run_step(web: &mut dyn Web, uri: &Uri, step: &AnyStep, harvested: &mut Harvested) -> Vec<NextStep> {
    for attempt in 0.. {
        harvested.requests.push(uri.clone());
        assert!(harvested.requests.len() < MAX_REQUESTS, "the harvest does not end: {step}");
        let refusal = match web.get(uri) {
            Ok(_) if step.reads_document() => return step.next_steps(),
            Ok(body) => {
                let mut collector = PageCollector { page: harvested.requests.len(), ..PageCollector::default() };
                step.read(ServiceResponse { uri, body }, &mut collector);
                harvested.quads.append(&mut collector.quads);
                harvested.faults.append(&mut collector.faults);
                harvested.rules.extend(collector.rules);
                return collector.steps;
            }
            Err(refusal) => refusal,
        };
        if retry::decide(&refusal, attempt) == RetryDecision::GiveUp {
            harvested.lost.push(step.to_string());
            return step.after_failure(&refusal);
        }
    }
    unreachable!("attempts are bounded");
}

/// Collects the output of one page.
#[derive(Default)]
struct PageCollector {
    page: usize,
    scope: usize,
    labels: HashMap<String, BlankNode>,
    quads: Vec<Quad>,
    faults: Vec<Fault>,
    steps: Vec<NextStep>,
    rules: Option<StatementRules>,
}

impl PageCollector {
    fn blank(&mut self, node: &str) -> BlankNode {
        let name = format!("p{}s{}n{}", self.page, self.scope, self.labels.len());
        self.labels.entry(node.to_owned()).or_insert_with(|| BlankNode::new(name).unwrap()).clone()
    }
}

impl StepSink for PageCollector {
    fn set_rules(&mut self, rules: StatementRules) {
        self.rules = Some(rules);
    }

    fn begin_syntax(&mut self, _: &'static str) {
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
        panic!("an endpoint has links in statements only: {link:?}");
    }

    fn step(&mut self, next: NextStep) {
        self.steps.push(next);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}

fn text(body: &str) -> Box<dyn Read> {
    Box::new(Cursor::new(body.to_owned()))
}

fn status(code: u16) -> FetchFailure {
    let kind = if matches!(code, 429 | 503) { FaultKind::Overloaded } else { FaultKind::Status };
    FetchFailure { fault: Fault::new(kind, code), status: Some(code), retry_after_s: None, sent: true }
}
