//! RDF formats with their names, media types and file extensions.

use std::path::Path;

use crate::charset::CharsetSource;
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
    /// Any other XML with embedded RDF, feeds included.
    Xml,
    /// The XML syntax of OWL 2, read by its mapping to RDF.
    OwlXml,
    /// `TriX`.
    TriX,
    /// `HexTuples`.
    HexTuples,
    /// YAML-LD.
    YamlLd,
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

/// The names of a format: in reports, in text, and as the value of an option.
type FormatNames = [&'static str; 3];

/// The properties of a format.
struct FormatRow {
    format: RdfFormat,
    names: FormatNames,
    content: Content,
    /// The preference in requests, in tenths.
    ///
    /// Turtle is the best supported by servers. RDF/XML precedes JSON-LD, which may need an
    /// external context, and both precede Notation 3, of which only a subset is read. N-Quads and
    /// `TriG` are rarely negotiable; where they are, they return the whole data set rather than the
    /// document, and so follow Turtle. SVG is read if a server sends it, but every other format is
    /// preferred. The formats after it are read, too, but never requested.
    preference: u8,
    /// The name of its IRI below `http://www.w3.org/ns/formats/`, if it has one.
    w3c_name: Option<&'static str>,
    /// Where documents declare their encoding.
    charset: CharsetSource,
    /// Whether the reader needs only a part of a document in memory at a time.
    is_streamed: bool,
    extensions: &'static [&'static str],
    /// The registered media type, then others in use.
    media_types: &'static [&'static str],
    /// Media types of a more general format, for documents that are known to be RDF.
    generic_types: &'static [&'static str],
}

const fn row(
    (format, names, content, preference): (RdfFormat, FormatNames, Content, u8),
    (w3c_name, charset, is_streamed): (Option<&'static str>, CharsetSource, bool),
    extensions: &'static [&'static str],
    media_types: &'static [&'static str],
    generic_types: &'static [&'static str],
) -> FormatRow {
    FormatRow {
        format,
        names,
        content,
        preference,
        w3c_name,
        charset,
        is_streamed,
        extensions,
        media_types,
        generic_types,
    }
}

use CharsetSource::{Text, Xml};
use Content::{Dataset, Graph, Page};
use RdfFormat::{
    HexTuples, Html, JsonLd, N3, NQuads, NTriples, OwlXml, RdfXml, Svg, TriG, TriX, Turtle, Xhtml, YamlLd,
};

/// One row per format: format, names, content and preference; W3C name, declared encoding, whether it is streamed;
/// extensions; media types; generic types.
#[rustfmt::skip]
const TABLE: &[FormatRow] = &[
    row((RdfXml, ["rdf-xml", "RDF/XML", "rdfxml"], Graph, 9), (Some("RDF_XML"), Xml, true), &["rdf", "owl", "rdfs", "rdfx"],
        &["application/rdf+xml"], &["application/xml", "text/xml"]),
    row((Turtle, ["turtle", "Turtle", "turtle"], Graph, 10), (Some("Turtle"), Text, true), &["ttl", "turtle"],
        &["text/turtle", "application/x-turtle", "application/turtle"], &[]),
    row((NTriples, ["n-triples", "N-Triples", "ntriples"], Graph, 9), (Some("N-Triples"), Text, true), &["nt"],
        &["application/n-triples", "text/ntriples", "text/n-triples"], &[]),
    row((NQuads, ["n-quads", "N-Quads", "nquads"], Dataset, 8), (Some("N-Quads"), Text, true), &["nq"],
        &["application/n-quads", "text/nquads", "text/x-nquads", "text/n-quads"], &[]),
    row((TriG, ["trig", "TriG", "trig"], Dataset, 8), (Some("TriG"), Text, true), &["trig"], &["application/trig", "application/x-trig"], &[]),
    row((N3, ["n3", "N3", "n3"], Graph, 7), (Some("N3"), Text, false), &["n3"], &["text/n3", "text/rdf+n3", "application/n3"], &[]),
    row((JsonLd, ["json-ld", "JSON-LD", "jsonld"], Dataset, 8), (Some("JSON-LD"), Text, false), &["jsonld", "json-ld"],
        &["application/ld+json"], &["application/json"]),
    row((Html, ["html", "HTML", "html"], Page, 4), (None, CharsetSource::Html, false), &["html", "htm"], &["text/html"], &[]),
    row((Xhtml, ["xhtml", "XHTML", "xhtml"], Page, 5), (None, CharsetSource::Html, false), &["xhtml", "xht"], &["application/xhtml+xml"], &[]),
    row((Svg, ["svg", "SVG", "svg"], Page, 1), (None, Xml, false), &["svg"], &["image/svg+xml"], &[]),
    row((RdfFormat::Xml, ["xml", "XML", "xml"], Page, 1), (None, Xml, false), &["xml", "atom", "rss"],
        &["application/xml", "text/xml", "application/atom+xml", "application/rss+xml"], &[]),
    row((OwlXml, ["owl-xml", "OWL/XML", "owlxml"], Graph, 1), (Some("OWL_XML"), Xml, true), &["owx"], &["application/owl+xml"], &[]),
    row((TriX, ["trix", "TriX", "trix"], Dataset, 1), (None, Xml, true), &["trix"], &["application/trix", "application/trix+xml"], &[]),
    row((HexTuples, ["hextuples", "HexTuples", "hext"], Dataset, 1), (None, Text, true), &["hext"], &["application/hex+x-ndjson"], &[]),
    row((YamlLd, ["yaml-ld", "YAML-LD", "yamlld"], Dataset, 1), (None, Text, false), &["yamlld"], &["application/ld+yaml"], &[]),
];

impl RdfFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.format)
    }

    /// The name used in reports: `n-triples`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().names[0]
    }

    /// The name used in text: `N-Triples`.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.row().names[1]
    }

    /// The name used as the value of an option: `ntriples`.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        self.row().names[2]
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
        find(|row| has_type(row.generic_types, media_type)).or_else(|| Self::from_media_type(media_type))
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
        let by_name = find(|row| row.names.iter().any(|known| known.eq_ignore_ascii_case(name)));
        let name = name.to_ascii_lowercase();
        by_name.or_else(|| Self::from_extension(&name)).or_else(|| Self::from_media_type(&name))
    }

    /// The format of a file by its extension; that of a compression is ignored.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
        match extension(path)?.as_str() {
            "gz" | "bz2" | "xz" | "zst" | "br" => Self::from_extension(&extension(Path::new(path.file_stem()?))?),
            extension => Self::from_extension(extension),
        }
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

    /// The IRI that the W3C has assigned to the format, if there is one.
    #[must_use]
    pub fn w3c_iri(self) -> Option<String> {
        self.row().w3c_name.map(|name| format!("http://www.w3.org/ns/formats/{name}"))
    }

    /// Whether documents are read as a stream, in bounded memory.
    #[must_use]
    pub fn is_streamed(self) -> bool {
        self.row().is_streamed
    }

    pub(crate) fn preference(self) -> u8 {
        self.row().preference
    }

    fn row(self) -> &'static FormatRow {
        TABLE.iter().find(|row| row.format == self).expect("`TABLE` has a row for every format")
    }
}

impl From<RdfFormat> for CharsetSource {
    fn from(format: RdfFormat) -> Self {
        format.row().charset
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
            for name in row.names.iter().chain(row.extensions).chain(row.media_types) {
                assert_eq!(RdfFormat::from_name(name), format, "{name}");
            }
        }
    }

    #[test]
    fn the_format_is_taken_from_the_extension_before_the_compression() {
        let check = |name: &str, format| assert_eq!(RdfFormat::from_path(Path::new(name)), format, "{name}");

        check("a/b.nq", Some(RdfFormat::NQuads));
        check("b.TTL", Some(RdfFormat::Turtle));
        check("b.nt.gz", Some(RdfFormat::NTriples));
        check("b.trig.zst", Some(RdfFormat::TriG));
        check("b.ttl.bz2", Some(RdfFormat::Turtle));
        check("b.gz", None);
        check("b.json", None);
        check("README", None);
    }

    #[test]
    fn media_type_lookup_ignores_parameters_and_case() {
        assert_eq!(RdfFormat::from_media_type("Text/Turtle; charset=utf-8"), Some(RdfFormat::Turtle));
        assert_eq!(RdfFormat::from_media_type("text/plain"), None);
    }

    #[test]
    fn generic_media_types_are_rdf_only_if_the_document_is_known_to_be_rdf() {
        for (media_type, format) in [("text/xml", RdfFormat::RdfXml), ("application/json", RdfFormat::JsonLd)] {
            assert!(!RdfFormat::from_media_type(media_type).is_some_and(RdfFormat::is_rdf));
            assert_eq!(RdfFormat::from_generic_type(media_type), Some(format));
        }
        assert_eq!(RdfFormat::from_generic_type("text/turtle"), Some(RdfFormat::Turtle));
    }
}
