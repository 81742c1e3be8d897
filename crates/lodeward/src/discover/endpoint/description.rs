//! Describes an endpoint as statements.
//!
//! Uses the service description vocabulary and `VoID`, as the endpoint itself could. The description is written only if
//! the endpoint is not harvested, because a harvest contains only the data of the endpoint.

use lodeward_rdf::iri::percent_encode;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{BlankNode, GraphNameRef, Literal, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use super::EndpointStep;
use super::question::CountedName;
use crate::discover::StepSink;

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
pub(super) fn describe_graphs(step: &EndpointStep, graphs: &[CountedName], findings: &mut dyn StepSink) {
    if graphs.is_empty() {
        return;
    }
    let mut writer = DescriptionWriter { findings };
    let dataset = writer.write_dataset(step);
    for graph in graphs {
        let named = BlankNode::default();
        writer.write_quad(&dataset, NAMED_GRAPH, named.as_ref());
        writer.write_quad(&named, rdf::TYPE, NAMED_GRAPH_CLASS);
        writer.write_quad(&named, NAME, NamedNodeRef::new_unchecked(&graph.name));
        if graph.rows > 0 {
            let described = BlankNode::default();
            writer.write_quad(&named, GRAPH, described.as_ref());
            writer.write_size(&described, graph.rows);
        }
    }
}

/// Describes the default graph of an endpoint.
pub(super) fn describe_default_graph(step: &EndpointStep, rows: u64, findings: &mut dyn StepSink) {
    let mut writer = DescriptionWriter { findings };
    let dataset = writer.write_dataset(step);
    let described = BlankNode::default();
    writer.write_quad(&dataset, DEFAULT_GRAPH, described.as_ref());
    writer.write_size(&described, rows);
}

struct DescriptionWriter<'f> {
    findings: &'f mut dyn StepSink,
}

impl DescriptionWriter<'_> {
    fn write_dataset(&mut self, step: &EndpointStep) -> BlankNode {
        let (service, dataset) = (BlankNode::default(), BlankNode::default());
        let endpoint = NamedNode::new_unchecked(percent_encode(step.endpoint.as_str()));
        self.write_quad(&service, rdf::TYPE, SERVICE);
        self.write_quad(&service, ENDPOINT, endpoint.as_ref());
        self.write_quad(&service, DEFAULT_DATASET, dataset.as_ref());
        self.write_quad(&dataset, rdf::TYPE, DATASET);
        dataset
    }

    fn write_size(&mut self, graph: &BlankNode, rows: u64) {
        let rows = Literal::new_typed_literal(rows.to_string(), xsd::INTEGER);
        self.write_quad(graph, rdf::TYPE, GRAPH_CLASS);
        self.write_quad(graph, TRIPLES, rows.as_ref());
    }

    fn write_quad<'a>(&mut self, subject: &'a BlankNode, predicate: NamedNodeRef<'a>, object: impl Into<TermRef<'a>>) {
        let subject = NamedOrBlankNodeRef::from(subject.as_ref());
        let result = self.findings.quad(QuadRef::new(subject, predicate, object, GraphNameRef::DefaultGraph));
        debug_assert!(result.is_ok(), "the IRIs of a description were validated before");
    }
}
