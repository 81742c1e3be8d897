//! What a link says its target is.

use crate::model::Link;

/// What a link promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promise {
    /// An RDF document.
    Rdf,
    /// A dump, perhaps compressed.
    Dump,
    /// A description of data sets: VoID, DCAT.
    Description,
    /// A SPARQL endpoint.
    Endpoint,
    /// The front page of a catalogue.
    Catalogue,
    /// A sitemap.
    Sitemap,
}

/// What a link promises, if anything: by the property or relation that leads to
/// it, by its media type, by the shape of its address.
#[must_use]
pub fn of(_link: &Link) -> Option<Promise> {
    None
}
