//! Whether a document contains RDF, as far as its extension and media type decide it.

use lodeward_rdf::RdfFormat;
use lodeward_rdf::media_type::essence;

use super::Uri;

/// Extensions of files without RDF, which the crawl does not request.
const NON_RDF_EXTENSIONS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "tif", "tiff", "svgz", "psd", "avif", "heic", // images
    "mp3", "ogg", "oga", "wav", "flac", "m4a", "aac", "mid", "opus", // audio
    "mp4", "m4v", "avi", "mov", "mkv", "webm", "mpg", "mpeg", "wmv", "flv", "ogv", // video
    "css", "js", "mjs", "map", "wasm", "woff", "woff2", "ttf", "otf", "eot", // parts of pages
    "pdf", "ps", "eps", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "epub", "djvu", "exe",
    "msi", "dmg", "iso", "bin", "apk", "deb", "rpm", "jar", "war", "class", "so", "dll", // programs
    "bib", "tex", "vcf", "ics", "torrent",
];

/// Whether files with this lower-case extension cannot contain RDF.
#[must_use]
pub fn is_non_rdf_extension(extension: &str) -> bool {
    NON_RDF_EXTENSIONS.contains(&extension)
}

/// Extensions of archives and compressed files, which may contain RDF.
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

/// Whether files with this lower-case extension are archives or compressed.
#[must_use]
pub(crate) fn is_archive_extension(extension: &str) -> bool {
    ARCHIVE_EXTENSIONS.contains(&extension)
}

/// Whether documents of this media type are archives or compressed.
#[must_use]
pub(crate) fn is_archive_media_type(declared: &str) -> bool {
    ARCHIVE_MEDIA_TYPES.iter().any(|known| known.eq_ignore_ascii_case(essence(declared)))
}

/// Whether a document contains RDF, as far as its extension and media type decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RdfLikelihood {
    /// The document contains RDF.
    Rdf,
    /// The document contains no RDF.
    NonRdf,
    /// The document is declared as an archive. The paper counts archives as decided and without
    /// RDF, but an archive may contain RDF.
    Archive,
    /// Extension and media type do not decide whether the document contains RDF.
    Hard,
}

/// Whether a document contains RDF, as far as its extension and media type decide it (docs/algorithms.md, section 1). The extension
/// takes precedence: 17 % of RDF/XML is declared as another type.
#[must_use]
pub(crate) fn rdf_likelihood(uri: &Uri, declared: Option<&str>) -> RdfLikelihood {
    if let Some(extension) = uri.extension() {
        if RdfFormat::from_extension(&extension).is_some_and(RdfFormat::is_rdf) {
            return RdfLikelihood::Rdf;
        }
        if is_non_rdf_extension(&extension) {
            return RdfLikelihood::NonRdf;
        }
    }
    match declared {
        Some(declared) if RdfFormat::from_media_type(declared).is_some_and(RdfFormat::is_rdf) => RdfLikelihood::Rdf,
        Some(declared) if is_non_rdf_media_type(declared) => RdfLikelihood::NonRdf,
        // Other archive types are undecided in the paper and stay hard.
        Some(declared) if is_settled_archive(declared) => RdfLikelihood::Archive,
        _ => RdfLikelihood::Hard,
    }
}

/// Whether neither extension nor media type decides whether a document contains RDF (docs/algorithms.md, section 1). Only such URIs
/// count in LDCOC's `percentage`.
#[must_use]
pub(crate) fn is_hard(uri: &Uri, declared: Option<&str>) -> bool {
    rdf_likelihood(uri, declared) == RdfLikelihood::Hard
}

/// Whether the paper counts this archive type as decided.
fn is_settled_archive(declared: &str) -> bool {
    ["application/zip", "application/gzip"].iter().any(|known| known.eq_ignore_ascii_case(essence(declared)))
}

/// Whether documents of this media type cannot contain RDF.
fn is_non_rdf_media_type(declared: &str) -> bool {
    const FAMILIES: &[&str] = &["image/", "audio/", "video/", "font/"];
    const TYPES: &[&str] =
        &["text/css", "text/javascript", "application/javascript", "application/pdf", "application/msword"];
    let essence = essence(declared).to_ascii_lowercase();
    let is_office = essence.starts_with("application/vnd.") && !essence.ends_with("json") && !essence.ends_with("xml");
    // SVG may contain RDF in its metadata element.
    let is_picture = FAMILIES.iter().any(|family| essence.starts_with(family)) && essence != "image/svg+xml";
    is_picture || is_office || TYPES.contains(&essence.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uri_is_hard_if_extension_and_media_type_decide_nothing() {
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
    fn declared_archive_is_not_classified_as_non_rdf() {
        let check = |uri: &str, declared: &str, expected| {
            assert_eq!(rdf_likelihood(&Uri::parse(uri).unwrap(), Some(declared)), expected, "{uri} {declared}");
        };

        check("http://a.example/x", "application/zip", RdfLikelihood::Archive);
        check("http://a.example/x", "Application/GZip; x=y", RdfLikelihood::Archive);
        check("http://a.example/x.ttl", "application/gzip", RdfLikelihood::Rdf);
        check("http://a.example/x", "application/x-tar", RdfLikelihood::Hard);
        check("http://a.example/x", "application/pdf", RdfLikelihood::NonRdf);
        assert!(is_archive_extension("zst") && is_archive_media_type("application/x-tar"));
        assert!(!is_archive_extension("ttl") && !is_archive_media_type("text/turtle"));
    }
}
