//! Reading documents for `LOAD`.

use std::sync::Arc;

use lodeward_rdf::blank_nodes::FreshBlankNodes;
use lodeward_rdf::media_type::essence;
use lodeward_rdf::write::WRITTEN_FORMATS;
use lodeward_rdf::{RdfFormat, RdfInput, RdfReader};
use oxrdf::Quad;

use super::query_control::QueryControl;
use super::service_handler::{ServiceCallError, ServiceCallResponse, ServiceHandler, StoppableBody};

/// The statements of a document, with new blank nodes. Statements without a graph name are in the
/// default graph.
pub(super) fn load(
    services: &dyn ServiceHandler,
    url: &str,
    control: &Arc<QueryControl>,
) -> Result<Vec<Quad>, ServiceCallError> {
    let ServiceCallResponse { media_type, body } = services.load(url)?;
    let reader = RdfReader::new(detect_format(media_type.as_deref(), url)?).base(url).raw();
    let body = StoppableBody { inner: body, control: Arc::clone(control) };
    let quads = reader.collect(RdfInput::Stream(Box::new(body)));
    let mut quads = quads.map_err(|error| ServiceCallError(error.into()))?;
    let mut fresh = FreshBlankNodes::default();
    for quad in &mut quads {
        fresh.rename(quad);
    }
    Ok(quads)
}

/// The format by the media type, or by the extension of the URL if the media type is not specific.
fn detect_format(media_type: Option<&str>, url: &str) -> Result<RdfFormat, ServiceCallError> {
    let essence = media_type.map(essence).unwrap_or_default();
    let format = match essence {
        "" | "text/plain" | "application/octet-stream" => {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
            extension.and_then(|extension| RdfFormat::from_extension(&extension)).or(Some(RdfFormat::Turtle))
        }
        essence => RdfFormat::from_generic_type(essence),
    };
    format.filter(|format| WRITTEN_FORMATS.contains(format)).ok_or_else(|| {
        let what = if essence.is_empty() { "detected by the extension of its URL" } else { essence };
        let expected = "expected Turtle, TriG, N-Triples, N-Quads, RDF/XML or JSON-LD";
        ServiceCallError(format!("unsupported document format ({what}): {expected}").into())
    })
}
