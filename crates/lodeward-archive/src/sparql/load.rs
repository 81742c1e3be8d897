//! Reading a document for `LOAD`.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use oxjsonld::JsonLdParser;
use oxrdf::{BlankNode, GraphName, NamedOrBlankNode, Quad, Term};
use oxrdfxml::RdfXmlParser;
use oxttl::{NQuadsParser, NTriplesParser, TriGParser, TurtleParser};

use super::control::Control;
use super::format::AnswerFormat;
use super::services::{Fetched, ServiceError, Services, Stoppable};

type Quads = Box<dyn Iterator<Item = Result<Quad, ServiceError>>>;

/// The statements of a document, with blank nodes of their own. Their graph is
/// the default graph, except where the document names another.
pub(super) fn load(services: &dyn Services, url: &str, control: &Arc<Control>) -> Result<Quads, ServiceError> {
    let Fetched { media_type, body } = services.load(url)?;
    let format = format(media_type.as_deref(), url)?;
    let body = Stoppable { inner: body, control: Arc::clone(control) };
    let quads = parse(format, url, body)?;
    let mut fresh = Fresh::default();
    Ok(Box::new(quads.map(move |quad| quad.map(|quad| fresh.quad(quad)))))
}

/// The syntax by the media type, or by the end of the URL where the media type
/// says nothing.
fn format(media_type: Option<&str>, url: &str) -> Result<AnswerFormat, ServiceError> {
    let essence = media_type.map(|media_type| media_type.split(';').next().unwrap_or_default().trim());
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let by_extension = || path.rsplit_once('.').and_then(|(_, extension)| AnswerFormat::from_name(extension));
    let found = match essence {
        None | Some("" | "text/plain" | "application/octet-stream") => by_extension().or(Some(AnswerFormat::Turtle)),
        Some("application/xml" | "text/xml") => Some(AnswerFormat::RdfXml),
        Some("application/json") => Some(AnswerFormat::JsonLd),
        Some(essence) => AnswerFormat::from_name(essence),
    };
    found.filter(|format| format.is_rdf()).ok_or_else(|| {
        let what = essence.filter(|essence| !essence.is_empty()).unwrap_or("its name");
        ServiceError(format!("by {what}, it is not in Turtle, TriG, N-Triples, N-Quads, RDF/XML or JSON-LD").into())
    })
}

fn parse(format: AnswerFormat, base: &str, body: impl Read + 'static) -> Result<Quads, ServiceError> {
    fn own<T: Into<Quad>, E: std::error::Error + Send + Sync + 'static>(
        statements: impl Iterator<Item = Result<T, E>> + 'static,
    ) -> Quads {
        Box::new(statements.map(|statement| statement.map(Into::into).map_err(|error| ServiceError(error.into()))))
    }
    let no_base = |error: oxiri::IriParseError| ServiceError(error.into());
    let triple = |triple: oxrdf::Triple| triple.in_graph(GraphName::DefaultGraph);
    Ok(match format {
        AnswerFormat::NQuads => own(NQuadsParser::new().for_reader(body)),
        AnswerFormat::NTriples => own(NTriplesParser::new().for_reader(body).map(move |t| t.map(triple))),
        AnswerFormat::TriG => own(TriGParser::new().with_base_iri(base).map_err(no_base)?.for_reader(body)),
        AnswerFormat::RdfXml => {
            let parser = RdfXmlParser::new().with_base_iri(base).map_err(no_base)?;
            own(parser.for_reader(body).map(move |t| t.map(triple)))
        }
        AnswerFormat::JsonLd => own(JsonLdParser::new().with_base_iri(base).map_err(no_base)?.for_reader(body)),
        _ => {
            let parser = TurtleParser::new().with_base_iri(base).map_err(no_base)?;
            own(parser.for_reader(body).map(move |t| t.map(triple)))
        }
    })
}

/// New blank nodes in the place of those of a document or a request.
#[derive(Default)]
pub(super) struct Fresh(HashMap<BlankNode, BlankNode>);

impl Fresh {
    fn node(&mut self, node: BlankNode) -> BlankNode {
        self.0.entry(node).or_default().clone()
    }

    fn subject(&mut self, subject: NamedOrBlankNode) -> NamedOrBlankNode {
        match subject {
            NamedOrBlankNode::BlankNode(node) => self.node(node).into(),
            named @ NamedOrBlankNode::NamedNode(_) => named,
        }
    }

    pub(super) fn quad(&mut self, quad: Quad) -> Quad {
        let subject = self.subject(quad.subject);
        let object = match quad.object {
            Term::BlankNode(node) => self.node(node).into(),
            other => other,
        };
        let graph_name = match quad.graph_name {
            GraphName::BlankNode(node) => self.node(node).into(),
            other => other,
        };
        Quad { subject, predicate: quad.predicate, object, graph_name }
    }
}
