//! Writing what a document says, in every syntax.
//!
//! Small writers of our own rather than a library's: the syntaxes are to be
//! written as people write them (prefixes, lists, nesting, relative IRIs,
//! script elements), and a million documents are written on the fly.

mod escape;
pub(crate) mod flat;
pub(crate) mod html;
mod json_ld;
mod microdata;
mod rdf_xml;
mod rdfa;
mod turtle;

use super::content::Content;
use super::kind::Kind;

/// How a document is written.
pub(crate) struct Setting<'a> {
    /// The URL the document answers at.
    pub(crate) base: &'a str,
    /// Whether IRIs of the document itself are written relative to it.
    pub(crate) relative: bool,
    /// Which of several manners, where a syntax has some.
    pub(crate) manner: u8,
}

impl Setting<'_> {
    /// The IRI as it is to be written.
    fn shorten<'b>(&self, iri: &'b str) -> &'b str {
        match iri.strip_prefix(self.base) {
            Some(rest) if self.relative && (rest.is_empty() || rest.starts_with('#')) => rest,
            _ => iri,
        }
    }
}

/// Writes an RDF serialisation.
pub(crate) fn serialise(kind: Kind, content: &Content, setting: &Setting<'_>) -> String {
    let mut out = String::with_capacity(1024);
    match kind {
        Kind::RdfXml => rdf_xml::write(content, setting, &mut out),
        Kind::Turtle | Kind::TriG => turtle::write(content, setting, &mut out),
        Kind::NTriples | Kind::NQuads => flat::write(content, setting.base, &mut out),
        Kind::JsonLd => json_ld::write(content, setting, &mut out),
        _ => unreachable!("not a serialisation"),
    }
    out
}
