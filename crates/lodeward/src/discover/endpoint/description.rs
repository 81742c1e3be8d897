//! What was learned about an endpoint, as statements.
//!
//! In the words of the service description vocabulary and of VoID, as the
//! endpoint would say it itself; only written when nothing else is harvested,
//! for the harvest of an endpoint is what is in it.

use lodeward_markup::escape_iri;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{BlankNode, GraphNameRef, Literal, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use super::Step;
use super::question::Counted;
use crate::discover::Findings;

macro_rules! names {
    ($($name:ident = $iri:literal;)+) => { $(const $name: NamedNodeRef<'_> = NamedNodeRef::new_unchecked($iri);)+ };
}

names! {
    SERVICE = "http://www.w3.org/ns/sparql-service-description#Service";
    ENDPOINT = "http://www.w3.org/ns/sparql-service-description#endpoint";
    DEFAULT_DATASET = "http://www.w3.org/ns/sparql-service-description#defaultDataset";
    DATASET = "http://www.w3.org/ns/sparql-service-description#Dataset";
    DEFAULT_GRAPH = "http://www.w3.org/ns/sparql-service-description#defaultGraph";
    NAMED_GRAPH = "http://www.w3.org/ns/sparql-service-description#namedGraph";
    NAMED_GRAPH_CLASS = "http://www.w3.org/ns/sparql-service-description#NamedGraph";
    NAME = "http://www.w3.org/ns/sparql-service-description#name";
    GRAPH = "http://www.w3.org/ns/sparql-service-description#graph";
    GRAPH_CLASS = "http://www.w3.org/ns/sparql-service-description#Graph";
    TRIPLES = "http://rdfs.org/ns/void#triples";
}

/// Describes the graphs of an endpoint.
pub(super) fn graphs(step: &Step, graphs: &[Counted], findings: &mut dyn Findings) {
    if graphs.is_empty() {
        return;
    }
    let mut writer = Writer { findings };
    let dataset = writer.dataset(step);
    for graph in graphs {
        let named = BlankNode::default();
        writer.say(&dataset, NAMED_GRAPH, named.as_ref());
        writer.say(&named, rdf::TYPE, NAMED_GRAPH_CLASS);
        writer.say(&named, NAME, NamedNodeRef::new_unchecked(&graph.name));
        if graph.rows > 0 {
            let described = BlankNode::default();
            writer.say(&named, GRAPH, described.as_ref());
            writer.size(&described, graph.rows);
        }
    }
}

/// Describes the default graph of an endpoint.
pub(super) fn default_graph(step: &Step, rows: u64, findings: &mut dyn Findings) {
    let mut writer = Writer { findings };
    let dataset = writer.dataset(step);
    let described = BlankNode::default();
    writer.say(&dataset, DEFAULT_GRAPH, described.as_ref());
    writer.size(&described, rows);
}

struct Writer<'f> {
    findings: &'f mut dyn Findings,
}

impl Writer<'_> {
    fn dataset(&mut self, step: &Step) -> BlankNode {
        let (service, dataset) = (BlankNode::default(), BlankNode::default());
        let endpoint = NamedNode::new_unchecked(escape_iri(step.endpoint.as_str()));
        self.say(&service, rdf::TYPE, SERVICE);
        self.say(&service, ENDPOINT, endpoint.as_ref());
        self.say(&service, DEFAULT_DATASET, dataset.as_ref());
        self.say(&dataset, rdf::TYPE, DATASET);
        dataset
    }

    fn size(&mut self, graph: &BlankNode, rows: u64) {
        let rows = Literal::new_typed_literal(rows.to_string(), xsd::INTEGER);
        self.say(graph, rdf::TYPE, GRAPH_CLASS);
        self.say(graph, TRIPLES, rows.as_ref());
    }

    fn say<'a>(&mut self, subject: &'a BlankNode, predicate: NamedNodeRef<'a>, object: impl Into<TermRef<'a>>) {
        let subject = NamedOrBlankNodeRef::from(subject.as_ref());
        let said = self.findings.quad(QuadRef::new(subject, predicate, object, GraphNameRef::DefaultGraph));
        debug_assert!(said.is_ok(), "names were looked at before");
    }
}
