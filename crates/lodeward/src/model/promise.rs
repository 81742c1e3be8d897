//! What a link promises about its target.

use std::fmt;

use super::stored_enum::stored_enum;

stored_enum! {
    /// What a link promises. Stored by number: append only.
    Promise {
        /// An RDF document.
        Rdf = 0 "rdf",
        /// A dump, perhaps compressed.
        Dump = 1 "dump",
        /// A description of data sets: `VoID`, DCAT.
        Description = 2 "description",
        /// A SPARQL endpoint.
        Endpoint = 3 "endpoint",
        /// The API or front page of a catalogue.
        Catalogue = 4 "catalogue",
        /// A sitemap.
        Sitemap = 5 "sitemap",
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
