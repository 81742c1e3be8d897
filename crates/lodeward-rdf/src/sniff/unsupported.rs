//! Formats of RDF that are recognised, but not read.

use crate::format::RdfFormat;

/// A format that is not read.
struct UnsupportedFormat {
    title: &'static str,
    media_types: &'static [&'static str],
    extensions: &'static [&'static str],
    /// Whether a document begins as one in this format.
    is_start: fn(&[u8]) -> bool,
}

/// The formats, with the reasons why they are not read:
///
/// - HDT: the dictionary and the bitmaps of a file are addressed from everywhere in it, so it cannot be read in bounded
///   memory from a stream. Publishers of HDT also offer N-Triples or an endpoint.
/// - RDF Thrift: only a few programs of one family write it, for each other.
/// - The functional and the Manchester syntax of OWL, and OBO, have no mapping to RDF of their own, only by way of an
///   object model of OWL. Ontologies in them are published in RDF/XML or OWL/XML, too.
/// - RDF/JSON was superseded by JSON-LD (W3C Note, 2013).
const TABLE: &[UnsupportedFormat] = &[
    UnsupportedFormat {
        title: "HDT",
        media_types: &["application/vnd.hdt"],
        extensions: &["hdt"],
        is_start: |head| head.starts_with(b"$HDT"),
    },
    UnsupportedFormat {
        title: "RDF Thrift",
        media_types: &["application/rdf+thrift", "application/vnd.apache.thrift.binary"],
        extensions: &["rt", "trdf"],
        is_start: |_| false,
    },
    UnsupportedFormat {
        title: "OWL functional syntax",
        media_types: &["text/owl-functional"],
        extensions: &["ofn"],
        is_start: |head| {
            let first = first_line(head);
            (first.starts_with(b"Prefix(") && contains(first, b":=<") && contains(first, b">"))
                || (first.starts_with(b"Ontology(<") && contains(first, b">"))
        },
    },
    UnsupportedFormat {
        title: "OWL Manchester syntax",
        media_types: &["text/owl-manchester"],
        extensions: &["omn"],
        is_start: |head| {
            let first = first_line(head);
            (first.starts_with(b"Prefix: ") || first.starts_with(b"Ontology: ")) && contains(first, b"<")
        },
    },
    UnsupportedFormat {
        title: "OBO",
        media_types: &["text/obo"],
        extensions: &["obo"],
        is_start: |head| first_line(head).starts_with(b"format-version: "),
    },
    UnsupportedFormat {
        title: "RDF/JSON",
        media_types: &["application/rdf+json"],
        extensions: &["rj"],
        is_start: |_| false,
    },
];

/// The name of the format of a document that has no [`RdfFormat`], if it is known to be RDF.
///
/// The parameters are those of [`detect_format`](super::detect_format). The extension counts only if the document has no
/// media type that says more.
#[must_use]
pub fn unsupported_format(declared: Option<&str>, extension: Option<&str>, head: &[u8]) -> Option<&'static str> {
    let declared = declared.filter(|declared| !matches!(*declared, "text/plain" | "application/octet-stream"));
    let by_start = || TABLE.iter().find(|row| (row.is_start)(head));
    let by_type = |declared| TABLE.iter().find(|row| row.media_types.contains(&declared));
    let by_extension = |extension| TABLE.iter().find(|row| row.extensions.contains(&extension));
    let row = by_start().or_else(|| match declared {
        Some(declared) => by_type(declared),
        None => extension.and_then(by_extension),
    });
    debug_assert!(row.is_none_or(|row| row.media_types.iter().all(|it| RdfFormat::from_media_type(it).is_none())));
    row.map(|row| row.title)
}

/// The first line that is neither empty nor a comment.
fn first_line(head: &[u8]) -> &[u8] {
    let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(b"#")).unwrap_or_default()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sniff::detect_format;

    #[test]
    fn formats_that_are_not_read_are_recognised_by_name() {
        let check = |declared, extension, head: &str, expected| {
            assert_eq!(detect_format(declared, extension, head.as_bytes()), None, "{head}");
            assert_eq!(unsupported_format(declared, extension, head.as_bytes()), expected, "{head}");
        };

        check(None, None, "$HDT\u{1}<http://purl.org/HDT/hdt#HDTv1>\0", Some("HDT"));
        check(Some("application/rdf+thrift"), None, "\u{1c}\u{18}", Some("RDF Thrift"));
        check(None, Some("trdf"), "\u{1c}\u{18}", Some("RDF Thrift"));
        check(None, None, "Prefix(:=<http://a.org/>)\nOntology(<http://a.org/>\n)", Some("OWL functional syntax"));
        check(Some("text/plain"), None, "# x\n\nOntology(<http://a.org/>)", Some("OWL functional syntax"));
        check(None, None, "Prefix: : <http://a.org/>\nOntology: <http://a.org/>", Some("OWL Manchester syntax"));
        check(Some("text/owl-manchester"), None, "Class: A", Some("OWL Manchester syntax"));
        check(None, None, "format-version: 1.2\nontology: x\n", Some("OBO"));
        check(Some("application/rdf+json"), None, "{\"http://a.org/\": {}}", Some("RDF/JSON"));
        check(Some("text/plain"), None, "Prefix(es) are common", None);
        check(Some("image/png"), Some("rt"), "x", None);
    }
}
