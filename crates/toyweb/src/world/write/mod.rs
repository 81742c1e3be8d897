//! Writes the statements of a document in every syntax.
//!
//! The writers are part of this crate because the output should look like that of real sites (prefixes, lists, nesting,
//! relative IRIs, script elements), and because a million documents are generated on the fly.

mod escape;
pub(crate) mod flat;
pub(crate) mod html;
mod json_ld;
mod microdata;
mod rdf_xml;
mod rdfa;
mod turtle;

use super::content::DocumentContent;
use super::kind::DocumentKind;

/// The context in which a document is written.
pub(crate) struct WriteContext<'a> {
    /// The URL of the document.
    pub(crate) base: &'a str,
    /// Whether IRIs of the document itself are written as relative references.
    pub(crate) relative: bool,
    /// Selects a style, if a syntax has several.
    pub(crate) style: u8,
}

impl WriteContext<'_> {
    /// The IRI, as a relative reference if possible.
    fn shorten<'b>(&self, iri: &'b str) -> &'b str {
        match iri.strip_prefix(self.base) {
            Some(rest) if self.relative && (rest.is_empty() || rest.starts_with('#')) => rest,
            _ => iri,
        }
    }
}

/// Writes an RDF serialisation.
pub(crate) fn serialise(kind: DocumentKind, content: &DocumentContent, context: &WriteContext<'_>) -> String {
    let mut out = String::with_capacity(1024);
    match kind {
        DocumentKind::RdfXml => rdf_xml::write(content, context, &mut out),
        DocumentKind::Turtle | DocumentKind::TriG => turtle::write(content, context, &mut out),
        DocumentKind::NTriples | DocumentKind::NQuads => flat::write(content, context.base, &mut out),
        DocumentKind::JsonLd => json_ld::write(content, context, &mut out),
        _ => unreachable!("the kind is not an RDF syntax"),
    }
    out
}
