//! `Accept` header fields: RDF first, then pages that may contain RDF, then anything.

use std::sync::LazyLock;

use crate::model::format::RdfFormat;

/// The supported content codings, in order of preference.
pub const ACCEPT_ENCODING: &str = "gzip, br, zstd, deflate";

/// The `Accept` field of a robots.txt request.
pub const ACCEPT_ROBOTS: &str = "text/plain, */*;q=0.5";

/// The `Accept` field of a SPARQL query: results first, then RDF.
pub const ACCEPT_RESULTS: &str = "application/sparql-results+json, application/sparql-results+xml;q=0.9, \
     text/tab-separated-values;q=0.6, application/n-triples;q=0.5, text/turtle;q=0.5, application/rdf+xml;q=0.4, \
     */*;q=0.1";

/// The `Accept` field for JSON.
pub const ACCEPT_JSON: &str = "application/json, */*;q=0.1";

/// The `Accept` field for XML.
pub const ACCEPT_XML: &str = "application/xml, text/xml;q=0.9, */*;q=0.1";

/// The `Accept` field of a harvest: every supported format, in order of preference.
///
/// `Accept-Language` is not sent: a harvest takes the default language of the server.
#[must_use]
pub fn accept() -> &'static str {
    static ACCEPT: LazyLock<String> = LazyLock::new(|| {
        let weighted = RdfFormat::all().map(|format| (preference(format), format.media_type()));
        let mut ranges: Vec<_> = weighted.filter(|&(preference, _)| preference > 1).collect();
        ranges.sort_by_key(|&(preference, _)| std::cmp::Reverse(preference));
        let ranges = ranges.iter().map(|&(tenths, media_type)| match tenths {
            10 => media_type.to_owned(),
            tenths => format!("{media_type};q=0.{tenths}"),
        });
        ranges.chain(["*/*;q=0.1".to_owned()]).collect::<Vec<_>>().join(", ")
    });
    &ACCEPT
}

/// Preference of a format, in tenths.
///
/// Turtle is the best supported by servers. RDF/XML precedes JSON-LD, which may need an external context, and both
/// precede Notation 3, of which only a subset is read. N-Quads and `TriG` are rarely negotiable; where they are, they
/// return the whole data set rather than the document, and so follow Turtle.
fn preference(format: RdfFormat) -> u8 {
    match format {
        RdfFormat::Turtle => 10,
        RdfFormat::NTriples | RdfFormat::RdfXml => 9,
        RdfFormat::NQuads | RdfFormat::TriG | RdfFormat::JsonLd => 8,
        RdfFormat::N3 => 7,
        RdfFormat::Xhtml => 5,
        RdfFormat::Html => 4,
        // SVG is read if a server sends it, but every other format is preferred.
        RdfFormat::Svg => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rdf_is_preferred_to_pages_and_pages_to_anything() {
        assert_eq!(
            accept(),
            "text/turtle, application/rdf+xml;q=0.9, application/n-triples;q=0.9, application/n-quads;q=0.8, \
             application/trig;q=0.8, application/ld+json;q=0.8, text/n3;q=0.7, application/xhtml+xml;q=0.5, \
             text/html;q=0.4, */*;q=0.1"
        );
    }
}
