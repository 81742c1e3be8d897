//! RDF syntaxes, their media types and file extensions; and what cannot be RDF.

use super::Uri;

/// A syntax we can read RDF from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
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
    /// Notation 3, of which the RDF part is read.
    N3,
    /// JSON-LD.
    JsonLd,
    /// HTML, with whatever RDF is inside.
    Html,
    /// XHTML, with whatever RDF is inside.
    Xhtml,
    /// SVG, with whatever RDF is inside.
    Svg,
}

/// One row per syntax: name, media types (the first is its own), extensions.
const TABLE: &[(Syntax, &str, &[&str], &[&str])] = &[
    (Syntax::RdfXml, "rdf-xml", &["application/rdf+xml"], &["rdf", "owl", "rdfs", "rdfx"]),
    (Syntax::Turtle, "turtle", &["text/turtle", "application/x-turtle", "application/turtle"], &["ttl", "turtle"]),
    (Syntax::NTriples, "n-triples", &["application/n-triples", "text/ntriples", "text/n-triples"], &["nt"]),
    (Syntax::NQuads, "n-quads", &["application/n-quads", "text/nquads", "text/x-nquads", "text/n-quads"], &["nq"]),
    (Syntax::TriG, "trig", &["application/trig", "application/x-trig"], &["trig"]),
    (Syntax::N3, "n3", &["text/n3", "text/rdf+n3", "application/n3"], &["n3"]),
    (Syntax::JsonLd, "json-ld", &["application/ld+json"], &["jsonld", "json-ld"]),
    (Syntax::Html, "html", &["text/html"], &["html", "htm"]),
    (Syntax::Xhtml, "xhtml", &["application/xhtml+xml"], &["xhtml", "xht"]),
    (Syntax::Svg, "svg", &["image/svg+xml"], &["svg"]),
];

/// Extensions of files that hold no RDF: what the crawl does not ask for.
const BARREN_EXTENSIONS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "tif", "tiff", "svgz", "psd", "avif", "heic", // images
    "mp3", "ogg", "oga", "wav", "flac", "m4a", "aac", "mid", "opus", // audio
    "mp4", "m4v", "avi", "mov", "mkv", "webm", "mpg", "mpeg", "wmv", "flv", "ogv", // video
    "css", "js", "mjs", "map", "wasm", "woff", "woff2", "ttf", "otf", "eot", // parts of pages
    "pdf", "ps", "eps", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "epub", "djvu", "exe",
    "msi", "dmg", "iso", "bin", "apk", "deb", "rpm", "jar", "war", "class", "so", "dll", // programs
    "bib", "tex", "vcf", "ics", "torrent",
];

impl Syntax {
    /// Every syntax.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// The short name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Its registered media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        self.row().2[0]
    }

    /// The syntax with this media type; parameters and case do not matter.
    #[must_use]
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        let has = |types: &[&str]| types.iter().any(|known| known.eq_ignore_ascii_case(essence));
        TABLE.iter().find(|row| has(row.2)).map(|row| row.0)
    }

    /// The syntax of files with this extension, given in lower case.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.3.contains(&extension)).map(|row| row.0)
    }

    /// Whether documents in this syntax are RDF, rather than may contain some.
    #[must_use]
    pub fn is_rdf(self) -> bool {
        !matches!(self, Self::Html | Self::Xhtml | Self::Svg)
    }

    fn row(self) -> &'static (Self, &'static str, &'static [&'static str], &'static [&'static str]) {
        TABLE.iter().find(|row| row.0 == self).expect("every syntax has a row")
    }
}

/// Whether a file with this extension, given in lower case, cannot hold RDF.
#[must_use]
pub fn is_barren_extension(extension: &str) -> bool {
    BARREN_EXTENSIONS.contains(&extension)
}

/// Extensions of archives and compressed files, which may hold RDF.
const ARCHIVE_EXTENSIONS: &[&str] =
    &["gz", "tgz", "bz2", "tbz", "tbz2", "xz", "txz", "zst", "tzst", "br", "zip", "tar"];

/// Media types of archives and compressed files.
const ARCHIVE_MEDIA_TYPES: &[&str] = &[
    "application/zip",
    "application/gzip",
    "application/x-gzip",
    "application/x-zip-compressed",
    "application/x-bzip2",
    "application/x-bzip",
    "application/x-xz",
    "application/zstd",
    "application/x-zstd",
    "application/x-brotli",
    "application/x-tar",
    "application/x-gtar",
    "application/x-compressed-tar",
];

/// Whether files with this extension, given in lower case, are archives or
/// compressed.
#[must_use]
pub fn is_archive_extension(extension: &str) -> bool {
    ARCHIVE_EXTENSIONS.contains(&extension)
}

/// Whether documents of this media type are archives or compressed.
#[must_use]
pub fn is_archive_media_type(declared: &str) -> bool {
    let essence = declared.split(';').next().unwrap_or_default().trim();
    ARCHIVE_MEDIA_TYPES.iter().any(|known| known.eq_ignore_ascii_case(essence))
}

/// What extension and media type say of whether a document holds RDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ease {
    /// It is RDF.
    Rdf,
    /// It cannot hold RDF.
    Barren,
    /// It is declared to be an archive. The paper counts those among what is
    /// settled, and barren; but there may be RDF in them.
    Archive,
    /// They do not settle it.
    Hard,
}

/// What extension and media type say of whether a document holds RDF
/// (ALGORITHMS §1). The extension is believed first: 17 % of RDF/XML is declared
/// as something else.
#[must_use]
pub fn ease(uri: &Uri, declared: Option<&str>) -> Ease {
    if let Some(extension) = uri.extension() {
        if Syntax::of_extension(&extension).is_some_and(Syntax::is_rdf) {
            return Ease::Rdf;
        }
        if is_barren_extension(&extension) {
            return Ease::Barren;
        }
    }
    match declared {
        Some(declared) if Syntax::of_media_type(declared).is_some_and(Syntax::is_rdf) => Ease::Rdf,
        Some(declared) if is_barren_media_type(declared) => Ease::Barren,
        // Others were never settled, and so are as hard as ever.
        Some(declared) if is_settled_archive(declared) => Ease::Archive,
        _ => Ease::Hard,
    }
}

/// Whether neither extension nor media type settles whether a document holds
/// RDF (ALGORITHMS §1): only such URIs count in LDCOC's `percentage`.
#[must_use]
pub fn is_hard(uri: &Uri, declared: Option<&str>) -> bool {
    ease(uri, declared) == Ease::Hard
}

/// The media types of archives that count as settled.
fn is_settled_archive(declared: &str) -> bool {
    let essence = declared.split(';').next().unwrap_or_default().trim();
    ["application/zip", "application/gzip"].iter().any(|known| known.eq_ignore_ascii_case(essence))
}

/// Whether documents of this media type cannot hold RDF.
fn is_barren_media_type(declared: &str) -> bool {
    const FAMILIES: &[&str] = &["image/", "audio/", "video/", "font/"];
    const TYPES: &[&str] =
        &["text/css", "text/javascript", "application/javascript", "application/pdf", "application/msword"];
    let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_office = essence.starts_with("application/vnd.") && !essence.ends_with("json") && !essence.ends_with("xml");
    // SVG may carry RDF in its metadata element.
    let is_picture = FAMILIES.iter().any(|family| essence.starts_with(family)) && essence != "image/svg+xml";
    is_picture || is_office || TYPES.contains(&essence.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_syntax_is_known_by_its_own_media_type_and_extension() {
        for syntax in Syntax::all() {
            assert_eq!(Syntax::of_media_type(syntax.media_type()), Some(syntax));
            assert_eq!(Syntax::of_extension(syntax.row().3[0]), Some(syntax));
        }
    }

    #[test]
    fn a_uri_is_hard_when_nothing_settles_it() {
        let check = |uri: &str, declared: Option<&str>, hard| {
            assert_eq!(is_hard(&Uri::parse(uri).unwrap(), declared), hard, "{uri} {declared:?}");
        };

        check("http://a.example/x.ttl", None, false);
        check("http://a.example/x.png", None, false);
        check("http://a.example/x", Some("text/turtle; charset=utf-8"), false);
        check("http://a.example/x", Some("image/png"), false);
        check("http://a.example/x", Some("text/html"), true);
        check("http://a.example/x.html", Some("text/html"), true);
        check("http://a.example/x", None, true);
        check("http://a.example/x", Some("application/octet-stream"), true);
        check("http://a.example/x", Some("application/gzip"), false);
        check("http://a.example/x.nt.gz", None, true);
    }

    #[test]
    fn an_archive_is_settled_but_not_barren() {
        let check = |uri: &str, declared: &str, expected| {
            assert_eq!(ease(&Uri::parse(uri).unwrap(), Some(declared)), expected, "{uri} {declared}");
        };

        check("http://a.example/x", "application/zip", Ease::Archive);
        check("http://a.example/x", "Application/GZip; x=y", Ease::Archive);
        check("http://a.example/x.ttl", "application/gzip", Ease::Rdf);
        check("http://a.example/x", "application/x-tar", Ease::Hard);
        check("http://a.example/x", "application/pdf", Ease::Barren);
        assert!(is_archive_extension("zst") && is_archive_media_type("application/x-tar"));
        assert!(!is_archive_extension("ttl") && !is_archive_media_type("text/turtle"));
    }

    #[test]
    fn parameters_and_case_do_not_matter() {
        assert_eq!(Syntax::of_media_type("Text/Turtle; charset=utf-8"), Some(Syntax::Turtle));
        assert_eq!(Syntax::of_media_type("text/plain"), None);
    }
}
