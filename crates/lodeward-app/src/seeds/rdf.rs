//! Reads RDF files as lists of seeds.

use std::io::Read;
use std::sync::Arc;

use lodeward_markup::json_ld::{self, BundledContexts, ContextLoader};
use lodeward_markup::{MarkupFault, MarkupFaultKind, PageSink};
use oxrdf::{NamedOrBlankNode, Quad, QuadRef, Term};
use oxrdfxml::RdfXmlParser;
use oxttl::n3::N3Term;
use oxttl::{N3Parser, NQuadsParser, NTriplesParser, TriGParser, TurtleParseError, TurtleParser};

use super::SeedCollector;
use lodeward::model::Uri;
use lodeward::model::format::RdfFormat;

/// The base of relative IRIs. It cannot be dereferenced, so relative IRIs are not used as seeds.
const BASE: &str = "file:///";

/// Reads an RDF file: first the subjects, then the objects. IRIs that cannot be
/// dereferenced are skipped: in RDF, an IRI need not be a URL.
pub(super) fn read(reader: impl Read, name: &str, syntax: RdfFormat, seeds: &mut SeedCollector) {
    const MAX_FAULTS: usize = 10;
    let mut objects = Vec::new();
    let mut faults = 0;
    for node in nodes(reader, syntax) {
        match node {
            Ok(StatementNodes { subject, object }) => {
                if let Some(subject) = subject {
                    seeds.add(subject);
                }
                objects.extend(object);
            }
            Err(SyntaxProblem { line, what }) => {
                seeds.add_problem(Some(line.map_or(name.to_owned(), |line| format!("{name}:{line}"))), what, None);
                faults += 1;
            }
        }
        if faults == MAX_FAULTS {
            break;
        }
    }
    for object in objects {
        seeds.add(object);
    }
}

/// The URIs of the documents of a statement's subject and object.
struct StatementNodes {
    subject: Option<Uri>,
    object: Option<Uri>,
}

/// A syntax error.
struct SyntaxProblem {
    line: Option<u64>,
    what: String,
}

impl From<TurtleParseError> for SyntaxProblem {
    fn from(error: TurtleParseError) -> Self {
        match error {
            TurtleParseError::Syntax(error) => {
                Self { line: Some(error.location().start.line + 1), what: error.message().to_owned() }
            }
            TurtleParseError::Io(error) => Self { line: None, what: error.to_string() },
        }
    }
}

impl SyntaxProblem {
    fn without_line(error: impl std::error::Error) -> Self {
        Self { line: None, what: error.to_string() }
    }
}

type NodeIterator<'a> = Box<dyn Iterator<Item = Result<StatementNodes, SyntaxProblem>> + 'a>;

fn nodes<'a>(reader: impl Read + 'a, syntax: RdfFormat) -> NodeIterator<'a> {
    const VALID_BASE: &str = "the base is an IRI";
    let of_triple = |triple: oxrdf::Triple| quad_nodes(&triple.in_graph(oxrdf::GraphName::DefaultGraph));
    match syntax {
        RdfFormat::Turtle => {
            let parser = TurtleParser::new().with_base_iri(BASE).expect(VALID_BASE).for_reader(reader);
            Box::new(parser.map(move |triple| Ok(of_triple(triple?))))
        }
        RdfFormat::NTriples => {
            Box::new(NTriplesParser::new().for_reader(reader).map(move |triple| Ok(of_triple(triple?))))
        }
        RdfFormat::NQuads => Box::new(NQuadsParser::new().for_reader(reader).map(|quad| Ok(quad_nodes(&quad?)))),
        RdfFormat::TriG => {
            let parser = TriGParser::new().with_base_iri(BASE).expect(VALID_BASE).for_reader(reader);
            Box::new(parser.map(|quad| Ok(quad_nodes(&quad?))))
        }
        RdfFormat::N3 => {
            let parser = N3Parser::new().with_base_iri(BASE).expect(VALID_BASE).for_reader(reader);
            Box::new(parser.map(|quad| {
                quad.map(|quad| StatementNodes { subject: n3(&quad.subject), object: n3(&quad.object) })
                    .map_err(SyntaxProblem::from)
            }))
        }
        RdfFormat::JsonLd => Box::new(json_ld_nodes(reader).into_iter()),
        RdfFormat::RdfXml => {
            let parser = RdfXmlParser::new().with_base_iri(BASE).expect(VALID_BASE).for_reader(reader);
            Box::new(parser.map(move |triple| triple.map(of_triple).map_err(SyntaxProblem::without_line)))
        }
        RdfFormat::Html | RdfFormat::Xhtml | RdfFormat::Svg => Box::new(std::iter::empty()),
    }
}

/// Returns the nodes of a JSON-LD document. They are collected in a list, because the JSON-LD
/// reader writes to a sink.
fn json_ld_nodes(reader: impl Read) -> Vec<Result<StatementNodes, SyntaxProblem>> {
    struct CollectedNodes(Vec<Result<StatementNodes, SyntaxProblem>>);
    impl PageSink for CollectedNodes {
        fn quad(&mut self, _: lodeward_markup::EmbeddedSyntax, quad: QuadRef<'_>) {
            self.0.push(Ok(quad_nodes(&quad.into_owned())));
        }

        fn fault(&mut self, fault: MarkupFault) {
            if fault.kind != MarkupFaultKind::Repaired {
                self.0.push(Err(SyntaxProblem { line: None, what: fault.detail }));
            }
        }

        fn begin(&mut self, _: lodeward_markup::EmbeddedSyntax) {}
    }
    let contexts: Arc<dyn ContextLoader> = Arc::new(BundledContexts);
    let mut collected = CollectedNodes(Vec::new());
    if let Err(error) = json_ld::read_from(reader, BASE, &json_ld::JsonLdOptions::default(), &contexts, &mut collected)
    {
        collected.0.push(Err(SyntaxProblem::without_line(error)));
    }
    collected.0
}

fn quad_nodes(quad: &Quad) -> StatementNodes {
    let subject = match &quad.subject {
        NamedOrBlankNode::NamedNode(node) => Uri::parse(node.as_str()).ok(),
        NamedOrBlankNode::BlankNode(_) => None,
    };
    let object = match &quad.object {
        Term::NamedNode(node) => Uri::parse(node.as_str()).ok(),
        _ => None,
    };
    StatementNodes { subject, object }
}

fn n3(term: &N3Term) -> Option<Uri> {
    match term {
        N3Term::NamedNode(node) => Uri::parse(node.as_str()).ok(),
        _ => None,
    }
}
