//! RDF formats with their names, media types and file extensions.

use crate::media_type::essence;

/// A format that RDF is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RdfFormat {
    /// RDF/XML.
    RdfXml,
    /// Turtle.
    Turtle,
    /// N-Triples.
    NTriples,
    /// N-Quads.
    NQuads,
    /// TriG.
    TriG,
    /// Notation 3; only its RDF subset is read.
    N3,
    /// JSON-LD.
    JsonLd,
    /// HTML with embedded RDF.
    Html,
    /// XHTML with embedded RDF.
    Xhtml,
    /// SVG with embedded RDF.
    Svg,
}

/// What a format can hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Triples.
    Graph,
    /// Triples, and named graphs of them.
    Dataset,
    /// A page that may contain embedded RDF.
    Page,
}

/// The properties of a format.
struct FormatRow {
    format: RdfFormat,
    /// The name in reports.
    name: &'static str,
    /// The name in text.
    title: &'static str,
    /// The value of options that select a format.
    short_name: &'static str,
    /// The registered media type, then others in use.
    media_types: &'static [&'static str],
    /// Media types of a more general format, for documents that are known to be RDF.
    generic_types: &'static [&'static str],
    extensions: &'static [&'static str],
    content: Content,
    /// The preference in requests, in tenths.
    ///
    /// Turtle is the best supported by servers. RDF/XML precedes JSON-LD, which may need an
    /// external context, and both precede Notation 3, of which only a subset is read. N-Quads and
    /// `TriG` are rarely negotiable; where they are, they return the whole data set rather than the
    /// document, and so follow Turtle. SVG is read if a server sends it, but every other format is
    /// preferred.
    preference: u8,
}

/// One row per format.
const TABLE: &[FormatRow] = &[
    FormatRow {
        format: RdfFormat::RdfXml,
        name: "rdf-xml",
        title: "RDF/XML",
        short_name: "rdfxml",
        media_types: &["application/rdf+xml"],
        generic_types: &["application/xml", "text/xml"],
        extensions: &["rdf", "owl", "rdfs", "rdfx"],
        content: Content::Graph,
        preference: 9,
    },
    FormatRow {
        format: RdfFormat::Turtle,
        name: "turtle",
        title: "Turtle",
        short_name: "turtle",
        media_types: &["text/turtle", "application/x-turtle", "application/turtle"],
        generic_types: &[],
        extensions: &["ttl", "turtle"],
        content: Content::Graph,
        preference: 10,
    },
    FormatRow {
        format: RdfFormat::NTriples,
        name: "n-triples",
        title: "N-Triples",
        short_name: "ntriples",
        media_types: &["application/n-triples", "text/ntriples", "text/n-triples"],
        generic_types: &[],
        extensions: &["nt"],
        content: Content::Graph,
        preference: 9,
    },
    FormatRow {
        format: RdfFormat::NQuads,
        name: "n-quads",
        title: "N-Quads",
        short_name: "nquads",
        media_types: &["application/n-quads", "text/nquads", "text/x-nquads", "text/n-quads"],
        generic_types: &[],
        extensions: &["nq"],
        content: Content::Dataset,
        preference: 8,
    },
    FormatRow {
        format: RdfFormat::TriG,
        name: "trig",
        title: "TriG",
        short_name: "trig",
        media_types: &["application/trig", "application/x-trig"],
        generic_types: &[],
        extensions: &["trig"],
        content: Content::Dataset,
        preference: 8,
    },
    FormatRow {
        format: RdfFormat::N3,
        name: "n3",
        title: "N3",
        short_name: "n3",
        media_types: &["text/n3", "text/rdf+n3", "application/n3"],
        generic_types: &[],
        extensions: &["n3"],
        content: Content::Graph,
        preference: 7,
    },
    FormatRow {
        format: RdfFormat::JsonLd,
        name: "json-ld",
        title: "JSON-LD",
        short_name: "jsonld",
        media_types: &["application/ld+json"],
        generic_types: &["application/json"],
        extensions: &["jsonld", "json-ld"],
        content: Content::Dataset,
        preference: 8,
    },
    FormatRow {
        format: RdfFormat::Html,
        name: "html",
        title: "HTML",
        short_name: "html",
        media_types: &["text/html"],
        generic_types: &[],
        extensions: &["html", "htm"],
        content: Content::Page,
        preference: 4,
    },
    FormatRow {
        format: RdfFormat::Xhtml,
        name: "xhtml",
        title: "XHTML",
        short_name: "xhtml",
        media_types: &["application/xhtml+xml"],
        generic_types: &[],
        extensions: &["xhtml", "xht"],
        content: Content::Page,
        preference: 5,
    },
    FormatRow {
        format: RdfFormat::Svg,
        name: "svg",
        title: "SVG",
        short_name: "svg",
        media_types: &["image/svg+xml"],
        generic_types: &[],
        extensions: &["svg"],
        content: Content::Page,
        preference: 1,
    },
];

impl RdfFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.format)
    }

    /// The name used in reports: `n-triples`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The name used in text: `N-Triples`.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// The name used as the value of an option: `ntriples`.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        self.row().short_name
    }

    /// The registered media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        self.row().media_types[0]
    }

    /// All media types, the registered one first.
    #[must_use]
    pub fn media_types(self) -> &'static [&'static str] {
        self.row().media_types
    }

    /// Media types of a more general format, such as `application/xml` for RDF/XML.
    #[must_use]
    pub fn generic_types(self) -> &'static [&'static str] {
        self.row().generic_types
    }

    /// The extensions of files, in lower case, the most common one first.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// The format with this media type; parameters and case are ignored.
    #[must_use]
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        find(|row| has_type(row.media_types, media_type))
    }

    /// The format of a document that is known to be RDF, by its media type, which may be one of the
    /// [generic types](Self::generic_types).
    #[must_use]
    pub fn from_generic_type(media_type: &str) -> Option<Self> {
        Self::from_media_type(media_type).or_else(|| find(|row| has_type(row.generic_types, media_type)))
    }

    /// The format of files with this lower-case extension.
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Self> {
        find(|row| row.extensions.contains(&extension))
    }

    /// The format with this name, in any of its forms: `n-triples`, `ntriples`, `nt`,
    /// `application/n-triples`. Case is ignored.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let by_name = find(|row| row.name == name || row.short_name == name || row.title.eq_ignore_ascii_case(&name));
        by_name.or_else(|| Self::from_extension(&name)).or_else(|| Self::from_media_type(&name))
    }

    /// Whether documents in this format are RDF, rather than pages that may contain embedded RDF.
    #[must_use]
    pub fn is_rdf(self) -> bool {
        self.row().content != Content::Page
    }

    /// Whether documents in this format can contain named graphs.
    #[must_use]
    pub fn has_graphs(self) -> bool {
        self.row().content == Content::Dataset
    }

    pub(crate) fn preference(self) -> u8 {
        self.row().preference
    }

    fn row(self) -> &'static FormatRow {
        TABLE.iter().find(|row| row.format == self).expect("`TABLE` has a row for every format")
    }
}

fn find(is_it: impl Fn(&FormatRow) -> bool) -> Option<RdfFormat> {
    TABLE.iter().find(|row| is_it(row)).map(|row| row.format)
}

fn has_type(types: &[&str], media_type: &str) -> bool {
    types.iter().any(|known| known.eq_ignore_ascii_case(essence(media_type)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_media_type_extension_and_names() {
        for row in TABLE {
            let format = Some(row.format);
            assert_eq!(RdfFormat::from_media_type(row.media_types[0]), format);
            assert_eq!(RdfFormat::from_extension(row.extensions[0]), format);
            for name in [row.name, row.title, row.short_name, row.extensions[0], row.media_types[0]] {
                assert_eq!(RdfFormat::from_name(name), format, "{name}");
            }
        }
    }

    #[test]
    fn media_type_lookup_ignores_parameters_and_case() {
        assert_eq!(RdfFormat::from_media_type("Text/Turtle; charset=utf-8"), Some(RdfFormat::Turtle));
        assert_eq!(RdfFormat::from_media_type("text/plain"), None);
    }

    #[test]
    fn generic_media_types_are_rdf_only_if_the_document_is_known_to_be_rdf() {
        for (media_type, format) in [("text/xml", RdfFormat::RdfXml), ("application/json", RdfFormat::JsonLd)] {
            assert_eq!(RdfFormat::from_media_type(media_type), None);
            assert_eq!(RdfFormat::from_generic_type(media_type), Some(format));
        }
        assert_eq!(RdfFormat::from_generic_type("text/turtle"), Some(RdfFormat::Turtle));
    }
}
