//! The description of the endpoint in RDF (SPARQL 1.1 Service Description).

use std::io::Write;

use bytes::Bytes;
use http::Request;
use lodeward_rdf::QuadWriter;
use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, GraphName, GraphNameRef, Literal, NamedNode, NamedOrBlankNode, Quad, Term};

use super::problem::ProtocolProblem;
use super::rdf_body::response_format;
use super::response::{ProtocolResponse, write_problem};
use super::{ProtocolEndpoint, WriteAccess, accept_header, archive_problem};
use crate::sparql::{DefaultGraph, ResultFormat};

const SD: &str = "http://www.w3.org/ns/sparql-service-description#";
const VOID_TRIPLES: &str = "http://rdfs.org/ns/void#triples";
const RESULT_FORMATS: [&str; 10] = [
    "SPARQL_Results_JSON",
    "SPARQL_Results_XML",
    "SPARQL_Results_CSV",
    "SPARQL_Results_TSV",
    "Turtle",
    "N-Triples",
    "RDF_XML",
    "JSON-LD",
    "TriG",
    "N-Quads",
];
const INPUT_FORMATS: [&str; 6] = ["Turtle", "N-Triples", "RDF_XML", "JSON-LD", "TriG", "N-Quads"];

pub(super) fn response(
    endpoint: &ProtocolEndpoint,
    request: &Request<Bytes>,
    url: &str,
) -> Result<ProtocolResponse, ProtocolProblem> {
    let format = response_format(&accept_header(request), false)?;
    let quads = describe(endpoint, url)?;
    let body = move |into: &mut dyn Write| {
        let mut writer = QuadWriter::new(format, into).map_err(|error| write_problem(&error))?;
        quads.iter().try_for_each(|quad| writer.write(quad.as_ref())).map_err(|error| write_problem(&error))?;
        writer.finish().map(drop).map_err(|error| write_problem(&error))
    };
    Ok(ProtocolResponse::from_writer(ResultFormat::Rdf(format).media_type(), Box::new(body)))
}

fn describe(endpoint: &ProtocolEndpoint, url: &str) -> Result<Vec<Quad>, ProtocolProblem> {
    let snapshot = endpoint.archive.snapshot();
    let triples = snapshot.graph_len(GraphNameRef::DefaultGraph).map_err(|error| archive_problem(&error))?;
    let (service, dataset, graph) = (BlankNode::default(), BlankNode::default(), BlankNode::default());
    let mut quads = DescriptionQuads(Vec::new());
    quads.push(&service, rdf::TYPE.into_owned(), sd("Service"));
    quads.push(&service, sd("endpoint"), NamedNode::new_unchecked(url));
    quads.push(&service, sd("supportedLanguage"), sd("SPARQL11Query"));
    if endpoint.options.access == WriteAccess::ReadWrite {
        quads.push(&service, sd("supportedLanguage"), sd("SPARQL11Update"));
        for format in INPUT_FORMATS {
            quads.push(&service, sd("inputFormat"), format_iri(format));
        }
    }
    for format in RESULT_FORMATS {
        quads.push(&service, sd("resultFormat"), format_iri(format));
    }
    if endpoint.options.query.default_graph == DefaultGraph::Union {
        quads.push(&service, sd("feature"), sd("UnionDefaultGraph"));
    }
    if endpoint.options.query.services.is_some() {
        quads.push(&service, sd("feature"), sd("BasicFederatedQuery"));
    }
    quads.push(&service, sd("defaultDataset"), dataset.clone());
    quads.push(&dataset, rdf::TYPE.into_owned(), sd("Dataset"));
    quads.push(&dataset, sd("defaultGraph"), graph.clone());
    quads.push(&graph, rdf::TYPE.into_owned(), sd("Graph"));
    quads.push(&graph, NamedNode::new_unchecked(VOID_TRIPLES), Literal::from(triples));
    Ok(quads.0)
}

struct DescriptionQuads(Vec<Quad>);

impl DescriptionQuads {
    fn push(&mut self, subject: &BlankNode, predicate: NamedNode, object: impl Into<Term>) {
        let subject = NamedOrBlankNode::from(subject.clone());
        self.0.push(Quad::new(subject, predicate, object, GraphName::DefaultGraph));
    }
}

fn sd(name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{SD}{name}"))
}

fn format_iri(name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("http://www.w3.org/ns/formats/{name}"))
}
