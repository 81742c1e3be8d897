//! What we ask for: RDF first, pages that may contain some next, then anything.

use std::sync::LazyLock;

use crate::model::media_type::Syntax;

/// The content codings we decode, best first.
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

/// The `Accept` field of a harvest: every syntax we read, by preference.
///
/// `Accept-Language` is not sent: we want what the server has, in whatever
/// language it is.
#[must_use]
pub fn accept() -> &'static str {
    static ACCEPT: LazyLock<String> = LazyLock::new(|| {
        let wanted = Syntax::all().map(|syntax| (preference(syntax), syntax.media_type()));
        let mut ranges: Vec<_> = wanted.filter(|&(preference, _)| preference > 1).collect();
        ranges.sort_by_key(|&(preference, _)| std::cmp::Reverse(preference));
        let ranges = ranges.iter().map(|&(tenths, media_type)| match tenths {
            10 => media_type.to_owned(),
            tenths => format!("{media_type};q=0.{tenths}"),
        });
        ranges.chain(["*/*;q=0.1".to_owned()]).collect::<Vec<_>>().join(", ")
    });
    &ACCEPT
}

/// How much we want a syntax, in tenths.
///
/// Turtle is what servers do best. RDF/XML comes before JSON-LD, which may
/// need a context from elsewhere, and both before Notation 3, of which we read
/// a part. N-Quads and `TriG` are rarely negotiable; where they are, they are
/// the whole data set rather than this document, and so come after Turtle.
fn preference(syntax: Syntax) -> u8 {
    match syntax {
        Syntax::Turtle => 10,
        Syntax::NTriples | Syntax::RdfXml => 9,
        Syntax::NQuads | Syntax::TriG | Syntax::JsonLd => 8,
        Syntax::N3 => 7,
        Syntax::Xhtml => 5,
        Syntax::Html => 4,
        // Read when it comes, but never better than anything else.
        Syntax::Svg => 1,
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
