//! RDF in the bodies of requests and responses.

use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use lodeward_rdf::accept::Accept;
use lodeward_rdf::blank_nodes::FreshBlankNodes;
use lodeward_rdf::write::WRITTEN_FORMATS;
use lodeward_rdf::{MediaType, RdfFormat, RdfReader};
use oxrdf::{BlankNode, NamedNode, Quad};

use super::problem::ProtocolProblem;

/// The media type of a request body, if there is one.
pub(super) fn body_type(headers: &HeaderMap) -> Result<Option<MediaType>, ProtocolProblem> {
    let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(None) };
    let text = value.to_str().map_err(|_| ProtocolProblem::bad_request("the Content-Type is not ASCII"))?;
    let media_type = parse_type(text)?;
    match media_type.parameter("charset") {
        Some(charset) if !charset.eq_ignore_ascii_case("utf-8") && !charset.eq_ignore_ascii_case("us-ascii") => {
            Err(unsupported(format!("unsupported charset `{charset}`; send UTF-8")))
        }
        _ => Ok(Some(media_type)),
    }
}

pub(super) fn parse_type(text: &str) -> Result<MediaType, ProtocolProblem> {
    MediaType::parse(text).ok_or_else(|| unsupported(format!("invalid media type `{text}`")))
}

fn unsupported(detail: String) -> ProtocolProblem {
    ProtocolProblem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
}

/// The format of a body.
pub(super) fn body_format(media_type: &MediaType) -> Result<RdfFormat, ProtocolProblem> {
    let format = RdfFormat::from_generic_type(&media_type.essence);
    format.filter(|format| WRITTEN_FORMATS.contains(format)).ok_or_else(|| {
        let expected = "send text/turtle, application/n-triples, application/rdf+xml or application/ld+json";
        unsupported(format!("unsupported media type `{}`; {expected}", media_type.essence))
    })
}

/// Parses a body. Its blank nodes are distinct from all others. The whole body is parsed before
/// anything is stored: an invalid body changes nothing, and a slow parser does not block other
/// writers.
pub(super) fn parse_rdf(body: &[u8], media_type: &MediaType, base: &str) -> Result<Vec<Quad>, ProtocolProblem> {
    let reader = RdfReader::new(body_format(media_type)?).base(base).raw();
    let mut quads = reader
        .collect(body.into())
        .map_err(|error| ProtocolProblem::bad_request(format!("cannot parse the body: {error}")))?;
    let mut fresh = FreshBlankNodes::default();
    for quad in &mut quads {
        fresh.rename(quad);
    }
    Ok(quads)
}

/// The format of a response: with named graphs, or for one graph.
pub(super) fn response_format(accept: &Accept, has_graphs: bool) -> Result<RdfFormat, ProtocolProblem> {
    let offered: &[RdfFormat] = if has_graphs { &[RdfFormat::NQuads, RdfFormat::TriG] } else { &WRITTEN_FORMATS };
    accept.select(offered.iter().copied()).ok_or_else(|| {
        let offered: Vec<&str> = offered.iter().map(|format| format.media_type()).collect();
        let detail = format!("available media types: {}", offered.join(", "));
        ProtocolProblem::new(StatusCode::NOT_ACCEPTABLE, detail)
    })
}

/// A new graph IRI below this one.
pub(super) fn new_graph_name(below: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{}/{}", below.trim_end_matches('/'), BlankNode::default().as_str()))
}
