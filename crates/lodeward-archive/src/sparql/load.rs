//! Reading documents for `LOAD`.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use oxjsonld::JsonLdParser;
use oxrdf::{BlankNode, GraphName, NamedOrBlankNode, Quad, Term};
use oxrdfxml::RdfXmlParser;
use oxttl::{NQuadsParser, NTriplesParser, TriGParser, TurtleParser};

use super::query_control::QueryControl;
use super::result_format::ResultFormat;
use super::service_handler::{ServiceCallError, ServiceCallResponse, ServiceHandler, StoppableBody};

type LoadedQuads = Box<dyn Iterator<Item = Result<Quad, ServiceCallError>>>;

/// The statements of a document, with new blank nodes. Statements without a graph name are in the
/// default graph.
pub(super) fn load(
    services: &dyn ServiceHandler,
    url: &str,
    control: &Arc<QueryControl>,
) -> Result<LoadedQuads, ServiceCallError> {
    let ServiceCallResponse { media_type, body } = services.load(url)?;
    let format = detect_format(media_type.as_deref(), url)?;
    let body = StoppableBody { inner: body, control: Arc::clone(control) };
    let quads = parse(format, url, body)?;
    let mut fresh = FreshBlankNodes::default();
    Ok(Box::new(quads.map(move |quad| quad.map(|quad| fresh.relabel_quad(quad)))))
}

/// The format by the media type, or by the extension of the URL if the media type is not specific.
fn detect_format(media_type: Option<&str>, url: &str) -> Result<ResultFormat, ServiceCallError> {
    let essence = media_type.map(|media_type| media_type.split(';').next().unwrap_or_default().trim());
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let by_extension = || path.rsplit_once('.').and_then(|(_, extension)| ResultFormat::from_name(extension));
    let found = match essence {
        None | Some("" | "text/plain" | "application/octet-stream") => by_extension().or(Some(ResultFormat::Turtle)),
        Some("application/xml" | "text/xml") => Some(ResultFormat::RdfXml),
        Some("application/json") => Some(ResultFormat::JsonLd),
        Some(essence) => ResultFormat::from_name(essence),
    };
    found.filter(|format| format.is_rdf()).ok_or_else(|| {
        let what = essence.filter(|essence| !essence.is_empty()).unwrap_or("detected by the extension of its URL");
        ServiceCallError(
            format!(
                "unsupported document format ({what}): expected Turtle, TriG, N-Triples, N-Quads, RDF/XML or JSON-LD"
            )
            .into(),
        )
    })
}

fn parse(format: ResultFormat, base: &str, body: impl Read + 'static) -> Result<LoadedQuads, ServiceCallError> {
    fn boxed_quads<T: Into<Quad>, E: std::error::Error + Send + Sync + 'static>(
        statements: impl Iterator<Item = Result<T, E>> + 'static,
    ) -> LoadedQuads {
        Box::new(statements.map(|statement| statement.map(Into::into).map_err(|error| ServiceCallError(error.into()))))
    }
    let no_base = |error: oxiri::IriParseError| ServiceCallError(error.into());
    let triple = |triple: oxrdf::Triple| triple.in_graph(GraphName::DefaultGraph);
    Ok(match format {
        ResultFormat::NQuads => boxed_quads(NQuadsParser::new().for_reader(body)),
        ResultFormat::NTriples => boxed_quads(NTriplesParser::new().for_reader(body).map(move |t| t.map(triple))),
        ResultFormat::TriG => boxed_quads(TriGParser::new().with_base_iri(base).map_err(no_base)?.for_reader(body)),
        ResultFormat::RdfXml => {
            let parser = RdfXmlParser::new().with_base_iri(base).map_err(no_base)?;
            boxed_quads(parser.for_reader(body).map(move |t| t.map(triple)))
        }
        ResultFormat::JsonLd => boxed_quads(JsonLdParser::new().with_base_iri(base).map_err(no_base)?.for_reader(body)),
        _ => {
            let parser = TurtleParser::new().with_base_iri(base).map_err(no_base)?;
            boxed_quads(parser.for_reader(body).map(move |t| t.map(triple)))
        }
    })
}

/// Replaces the blank nodes of a document or a request by new ones.
#[derive(Default)]
pub(super) struct FreshBlankNodes(HashMap<BlankNode, BlankNode>);

impl FreshBlankNodes {
    fn relabel_node(&mut self, node: BlankNode) -> BlankNode {
        self.0.entry(node).or_default().clone()
    }

    fn relabel_subject(&mut self, subject: NamedOrBlankNode) -> NamedOrBlankNode {
        match subject {
            NamedOrBlankNode::BlankNode(node) => self.relabel_node(node).into(),
            named @ NamedOrBlankNode::NamedNode(_) => named,
        }
    }

    pub(super) fn relabel_quad(&mut self, quad: Quad) -> Quad {
        let subject = self.relabel_subject(quad.subject);
        let object = match quad.object {
            Term::BlankNode(node) => self.relabel_node(node).into(),
            other => other,
        };
        let graph_name = match quad.graph_name {
            GraphName::BlankNode(node) => self.relabel_node(node).into(),
            other => other,
        };
        Quad { subject, predicate: quad.predicate, object, graph_name }
    }
}
