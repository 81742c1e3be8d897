//! What the service is, in RDF (SPARQL 1.1 Service Description).

use std::io::Write;

use bytes::Bytes;
use http::Request;
use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, GraphName, GraphNameRef, Literal, NamedNode, NamedOrBlankNode, Quad, Term};

use super::problem::Problem;
use super::reply::{Reply, gone};
use super::write::{Shape, Writer, negotiate};
use super::{Access, Endpoint, accepted, failed};
use crate::sparql::DefaultGraph;

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
const INPUT_FORMATS: [&str; 5] = ["Turtle", "N-Triples", "RDF_XML", "TriG", "N-Quads"];

pub(super) fn reply(endpoint: &Endpoint, request: &Request<Bytes>, url: &str) -> Result<Reply, Problem> {
    let format = negotiate(&accepted(request), Shape::Triples)?;
    let quads = describe(endpoint, url)?;
    let body = move |into: &mut dyn Write| {
        let mut writer = Writer::new(format, Shape::Triples, into);
        quads.iter().try_for_each(|quad| writer.write(quad.as_ref())).map_err(|error| gone(&error))?;
        writer.finish().map_err(|error| gone(&error))
    };
    Ok(Reply::written(format.media_type(), Box::new(body)))
}

fn describe(endpoint: &Endpoint, url: &str) -> Result<Vec<Quad>, Problem> {
    let snapshot = endpoint.archive.snapshot();
    let triples = snapshot.graph_len(GraphNameRef::DefaultGraph).map_err(|error| failed(&error))?;
    let (service, dataset, graph) = (BlankNode::default(), BlankNode::default(), BlankNode::default());
    let mut told = Told(Vec::new());
    told.tell(&service, rdf::TYPE.into_owned(), sd("Service"));
    told.tell(&service, sd("endpoint"), NamedNode::new_unchecked(url));
    told.tell(&service, sd("supportedLanguage"), sd("SPARQL11Query"));
    if endpoint.options.access == Access::ReadWrite {
        told.tell(&service, sd("supportedLanguage"), sd("SPARQL11Update"));
        for format in INPUT_FORMATS {
            told.tell(&service, sd("inputFormat"), format_iri(format));
        }
    }
    for format in RESULT_FORMATS {
        told.tell(&service, sd("resultFormat"), format_iri(format));
    }
    if endpoint.options.query.default_graph == DefaultGraph::Union {
        told.tell(&service, sd("feature"), sd("UnionDefaultGraph"));
    }
    if endpoint.options.query.services.is_some() {
        told.tell(&service, sd("feature"), sd("BasicFederatedQuery"));
    }
    told.tell(&service, sd("defaultDataset"), dataset.clone());
    told.tell(&dataset, rdf::TYPE.into_owned(), sd("Dataset"));
    told.tell(&dataset, sd("defaultGraph"), graph.clone());
    told.tell(&graph, rdf::TYPE.into_owned(), sd("Graph"));
    told.tell(&graph, NamedNode::new_unchecked(VOID_TRIPLES), Literal::from(triples));
    Ok(told.0)
}

struct Told(Vec<Quad>);

impl Told {
    fn tell(&mut self, subject: &BlankNode, predicate: NamedNode, object: impl Into<Term>) {
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
