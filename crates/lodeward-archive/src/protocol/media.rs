//! Media types of request bodies, and reading of RDF bodies.

use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use oxrdf::{BlankNode, GraphName, NamedNode, NamedOrBlankNode, Quad, Term};
use oxrdfxml::RdfXmlParser;
use oxttl::{NQuadsParser, NTriplesParser, TriGParser, TurtleParser};

use super::problem::ProtocolProblem;

/// A parsed `Content-Type`.
pub(super) struct MediaType {
    /// Type and subtype in lower case.
    pub(super) essence: String,
    parameters: Vec<(String, String)>,
}

impl MediaType {
    /// The media type of a request body, if there is one.
    pub(super) fn from_headers(headers: &HeaderMap) -> Result<Option<Self>, ProtocolProblem> {
        let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(None) };
        let text = value.to_str().map_err(|_| ProtocolProblem::bad_request("the Content-Type is not ASCII"))?;
        let media_type = Self::parse(text);
        match media_type.parameter("charset") {
            Some(charset) if !charset.eq_ignore_ascii_case("utf-8") && !charset.eq_ignore_ascii_case("us-ascii") => {
                let detail = format!("unsupported charset `{charset}`; send UTF-8");
                Err(ProtocolProblem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail))
            }
            _ => Ok(Some(media_type)),
        }
    }

    pub(super) fn parse(text: &str) -> Self {
        let mut parts = text.split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let parameters = parts.filter_map(|part| {
            let (name, value) = part.split_once('=')?;
            Some((name.trim().to_ascii_lowercase(), value.trim().trim_matches('"').to_owned()))
        });
        Self { essence, parameters: parameters.collect() }
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The RDF syntaxes that request bodies can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Turtle,
    NTriples,
    RdfXml,
    TriG,
    NQuads,
}

impl Syntax {
    /// The syntax with this media type.
    pub(super) fn from_media_type(essence: &str) -> Result<Self, ProtocolProblem> {
        match essence {
            "text/turtle" | "application/turtle" | "application/x-turtle" => Ok(Self::Turtle),
            "application/n-triples" => Ok(Self::NTriples),
            "application/rdf+xml" | "application/xml" | "text/xml" => Ok(Self::RdfXml),
            "application/trig" | "application/x-trig" => Ok(Self::TriG),
            "application/n-quads" | "text/x-nquads" => Ok(Self::NQuads),
            _ => Err(ProtocolProblem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                format!(
                    "unsupported media type `{essence}`; send text/turtle, application/n-triples or application/rdf+xml"
                ),
            )),
        }
    }

    /// Whether the syntax supports named graphs.
    pub(super) fn has_graphs(self) -> bool {
        matches!(self, Self::TriG | Self::NQuads)
    }

    /// Parses a body. The salt makes its blank nodes distinct from all others. The whole body is
    /// parsed before anything is stored: an invalid body changes nothing, and a slow parser does
    /// not block other writers.
    pub(super) fn read(self, body: &[u8], base: &str, salt: &str) -> Result<Vec<Quad>, ProtocolProblem> {
        let invalid = |error: String| ProtocolProblem::bad_request(format!("cannot parse the body: {error}"));
        let iri = |error: oxrdf::IriParseError| invalid(error.to_string());
        let in_default = |triple: oxrdf::Triple| triple.in_graph(GraphName::DefaultGraph);
        let parsed: Result<Vec<Quad>, String> = match self {
            Self::Turtle => {
                let parser = TurtleParser::new().with_base_iri(base).map_err(iri)?.for_slice(body);
                parser.map(|triple| triple.map(in_default).map_err(|error| error.to_string())).collect()
            }
            Self::NTriples => {
                let parser = NTriplesParser::new().for_slice(body);
                parser.map(|triple| triple.map(in_default).map_err(|error| error.to_string())).collect()
            }
            Self::RdfXml => {
                let parser = RdfXmlParser::new().with_base_iri(base).map_err(iri)?.for_slice(body);
                parser.map(|triple| triple.map(in_default).map_err(|error| error.to_string())).collect()
            }
            Self::TriG => {
                let parser = TriGParser::new().with_base_iri(base).map_err(iri)?.for_slice(body);
                parser.map(|quad| quad.map_err(|error| error.to_string())).collect()
            }
            Self::NQuads => {
                let parser = NQuadsParser::new().for_slice(body);
                parser.map(|quad| quad.map_err(|error| error.to_string())).collect()
            }
        };
        let mut quads = parsed.map_err(invalid)?;
        for quad in &mut quads {
            salt_quad(quad, salt);
        }
        Ok(quads)
    }
}

fn salt_quad(quad: &mut Quad, salt: &str) {
    let salted = |node: &BlankNode| BlankNode::new_unchecked(format!("{salt}x{}", node.as_str()));
    if let NamedOrBlankNode::BlankNode(node) = &mut quad.subject {
        *node = salted(node);
    }
    if let Term::BlankNode(node) = &mut quad.object {
        *node = salted(node);
    }
    if let GraphName::BlankNode(node) = &mut quad.graph_name {
        *node = salted(node);
    }
}

/// A salt that is unique to this request.
pub(super) fn new_salt() -> String {
    BlankNode::default().as_str().to_owned()
}

/// A new graph IRI below this one.
pub(super) fn new_graph_name(below: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{}/{}", below.trim_end_matches('/'), new_salt()))
}
