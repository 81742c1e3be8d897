//! Header fields that state what a request accepts. A harvest accepts
//! [every RDF format](lodeward_rdf::accept::rdf_accept_field). `Accept-Language` is not sent: a harvest takes the default
//! language of the server.

/// The supported content codings, in order of preference.
pub(crate) const ACCEPT_ENCODING: &str = "gzip, br, zstd, deflate";

/// The `Accept` field of a robots.txt request.
pub(crate) const ACCEPT_ROBOTS: &str = "text/plain, */*;q=0.5";

/// The `Accept` field of a SPARQL query: results first, then RDF.
pub(crate) const ACCEPT_RESULTS: &str = "application/sparql-results+json, application/sparql-results+xml;q=0.9, \
     text/tab-separated-values;q=0.6, application/n-triples;q=0.5, text/turtle;q=0.5, application/rdf+xml;q=0.4, \
     */*;q=0.1";

/// The `Accept` field for JSON.
pub(crate) const ACCEPT_JSON: &str = "application/json, */*;q=0.1";

/// The `Accept` field for XML.
pub(crate) const ACCEPT_XML: &str = "application/xml, text/xml;q=0.9, */*;q=0.1";
