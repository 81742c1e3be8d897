//! The kinds of response that a request accepts.

/// The expected kind of response, which determines the `Accept` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptProfile {
    /// An RDF document, as for any harvest.
    Document,
    /// The results of a SPARQL query, or RDF.
    SparqlResults,
    /// JSON.
    Json,
    /// XML.
    Xml,
}
