//! RDF files as lists of seeds.

use std::io::Read;
use std::sync::Arc;

use lodeward_markup::json_ld::{self, Bundled, Contexts};
use lodeward_markup::{Fault, FaultKind, Sink};
use oxrdf::{NamedOrBlankNode, Quad, QuadRef, Term};
use oxrdfxml::RdfXmlParser;
use oxttl::n3::N3Term;
use oxttl::{N3Parser, NQuadsParser, NTriplesParser, TriGParser, TurtleParseError, TurtleParser};

use super::Gathering;
use crate::model::Uri;
use crate::model::media_type::Syntax;

/// The base of relative IRIs: nothing that could be dereferenced.
const BASE: &str = "file:///";

/// Reads an RDF file: first the documents of what it describes, then those of
/// what it points at. What cannot be dereferenced is no problem here, for names
/// need not be addresses.
pub(super) fn read(reader: impl Read, name: &str, syntax: Syntax, seeds: &mut Gathering) {
    const FAULTS_MAX: usize = 10;
    let mut objects = Vec::new();
    let mut faults = 0;
    for node in nodes(reader, syntax) {
        match node {
            Ok(Nodes { subject, object }) => {
                if let Some(subject) = subject {
                    seeds.add(subject);
                }
                objects.extend(object);
            }
            Err(Broken { line, what }) => {
                seeds.problem(Some(line.map_or(name.to_owned(), |line| format!("{name}:{line}"))), what, None);
                faults += 1;
            }
        }
        if faults == FAULTS_MAX {
            break;
        }
    }
    for object in objects {
        seeds.add(object);
    }
}

/// The documents of a statement.
struct Nodes {
    subject: Option<Uri>,
    object: Option<Uri>,
}

/// A syntax error.
struct Broken {
    line: Option<u64>,
    what: String,
}

impl From<TurtleParseError> for Broken {
    fn from(error: TurtleParseError) -> Self {
        match error {
            TurtleParseError::Syntax(error) => {
                Self { line: Some(error.location().start.line + 1), what: error.message().to_owned() }
            }
            TurtleParseError::Io(error) => Self { line: None, what: error.to_string() },
        }
    }
}

impl Broken {
    fn somewhere(error: impl std::error::Error) -> Self {
        Self { line: None, what: error.to_string() }
    }
}

type NodeIterator<'a> = Box<dyn Iterator<Item = Result<Nodes, Broken>> + 'a>;

fn nodes<'a>(reader: impl Read + 'a, syntax: Syntax) -> NodeIterator<'a> {
    const VALID: &str = "the base is an IRI";
    let of_triple = |triple: oxrdf::Triple| of_quad(&triple.in_graph(oxrdf::GraphName::DefaultGraph));
    match syntax {
        Syntax::Turtle => {
            let parser = TurtleParser::new().with_base_iri(BASE).expect(VALID).for_reader(reader);
            Box::new(parser.map(move |triple| Ok(of_triple(triple?))))
        }
        Syntax::NTriples => {
            Box::new(NTriplesParser::new().for_reader(reader).map(move |triple| Ok(of_triple(triple?))))
        }
        Syntax::NQuads => Box::new(NQuadsParser::new().for_reader(reader).map(|quad| Ok(of_quad(&quad?)))),
        Syntax::TriG => {
            let parser = TriGParser::new().with_base_iri(BASE).expect(VALID).for_reader(reader);
            Box::new(parser.map(|quad| Ok(of_quad(&quad?))))
        }
        Syntax::N3 => {
            let parser = N3Parser::new().with_base_iri(BASE).expect(VALID).for_reader(reader);
            Box::new(parser.map(|quad| {
                quad.map(|quad| Nodes { subject: n3(&quad.subject), object: n3(&quad.object) }).map_err(Broken::from)
            }))
        }
        Syntax::JsonLd => Box::new(json_ld_nodes(reader).into_iter()),
        Syntax::RdfXml => {
            let parser = RdfXmlParser::new().with_base_iri(BASE).expect(VALID).for_reader(reader);
            Box::new(parser.map(move |triple| triple.map(of_triple).map_err(Broken::somewhere)))
        }
        Syntax::Html | Syntax::Xhtml | Syntax::Svg => Box::new(std::iter::empty()),
    }
}

/// The nodes of a JSON-LD document, gathered: its reader hands them over.
fn json_ld_nodes(reader: impl Read) -> Vec<Result<Nodes, Broken>> {
    struct Gathered(Vec<Result<Nodes, Broken>>);
    impl Sink for Gathered {
        fn quad(&mut self, _: lodeward_markup::Syntax, quad: QuadRef<'_>) {
            self.0.push(Ok(of_quad(&quad.into_owned())));
        }

        fn fault(&mut self, fault: Fault) {
            if fault.kind != FaultKind::Repaired {
                self.0.push(Err(Broken { line: None, what: fault.detail }));
            }
        }

        fn begin(&mut self, _: lodeward_markup::Syntax) {}
    }
    let contexts: Arc<dyn Contexts> = Arc::new(Bundled);
    let mut gathered = Gathered(Vec::new());
    if let Err(error) = json_ld::read_from(reader, BASE, &json_ld::Options::default(), &contexts, &mut gathered) {
        gathered.0.push(Err(Broken::somewhere(error)));
    }
    gathered.0
}

fn of_quad(quad: &Quad) -> Nodes {
    let subject = match &quad.subject {
        NamedOrBlankNode::NamedNode(node) => Uri::parse(node.as_str()).ok(),
        NamedOrBlankNode::BlankNode(_) => None,
    };
    let object = match &quad.object {
        Term::NamedNode(node) => Uri::parse(node.as_str()).ok(),
        _ => None,
    };
    Nodes { subject, object }
}

fn n3(term: &N3Term) -> Option<Uri> {
    match term {
        N3Term::NamedNode(node) => Uri::parse(node.as_str()).ok(),
        _ => None,
    }
}
