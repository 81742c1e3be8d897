//! The manifest of a recording: one row per response.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::CONTENT_TYPE;

use super::{TruthLabel, host_of};
use crate::message::WebResponse;

const HEADINGS: &str = "url\thost\tsplit\tstatus\tcontent_type\tbytes\tlabel\tlabel_http\thard\tclass\tfmt\ttriples\trdfa\t\
                        microdata\tjsonld\tog\txhv\tmf\tstub\torig_bytes\tnote\trepo\tpath\tredirect";

/// Extensions that show that a document is RDF, or that it is not.
const RDF_EXTENSIONS: [&str; 8] = ["rdf", "owl", "ttl", "nt", "nq", "trig", "n3", "jsonld"];
const OTHER_EXTENSIONS: [&str; 1] = ["png"];
/// Media types that show whether a document is RDF.
const EASY_TYPES: [&str; 7] = [
    "application/rdf+xml",
    "text/turtle",
    "application/n-triples",
    "application/n-quads",
    "application/trig",
    "application/ld+json",
    "image/png",
];

/// The class of a document in the link-analysis paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ManifestClass {
    Rdf,
    /// HTML that embeds RDF or links to it.
    LeadsToRdf,
    Html,
    Other,
    Redirect,
}

impl ManifestClass {
    fn name(self) -> &'static str {
        match self {
            Self::Rdf => "R",
            Self::LeadsToRdf => "HR",
            Self::Html => "H",
            Self::Other => "N",
            Self::Redirect => "-",
        }
    }
}

/// One line of the manifest.
pub(super) struct ManifestRow<'a> {
    pub(super) url: &'a str,
    pub(super) response: &'a WebResponse,
    pub(super) bytes: usize,
    pub(super) class: ManifestClass,
    pub(super) label: TruthLabel,
    pub(super) format: &'a str,
    pub(super) redirect: Option<String>,
}

impl ManifestRow<'_> {
    /// Whether neither the extension nor the *declared* media type shows what the document is. A wrong media type
    /// counts as declared.
    pub(super) fn is_hard(&self) -> bool {
        let file = self.url.rsplit('/').next().unwrap_or_default();
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        let essence = self.content_type().split(';').next().unwrap_or_default().trim();
        let settled = RDF_EXTENSIONS.contains(&extension)
            || OTHER_EXTENSIONS.contains(&extension)
            || EASY_TYPES.contains(&essence);
        !settled
    }

    fn content_type(&self) -> &str {
        self.response.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// Writes the manifest, row by row.
pub(super) struct RecordingManifest(GzEncoder<BufWriter<File>>);

impl RecordingManifest {
    pub(super) fn new(file: BufWriter<File>) -> io::Result<Self> {
        let mut out = GzEncoder::new(file, Compression::default());
        writeln!(out, "{HEADINGS}")?;
        Ok(Self(out))
    }

    /// Columns that do not apply to a generated world (the origin of a body, metadata of a page) are 0 or empty.
    pub(super) fn write_row(&mut self, row: &ManifestRow<'_>) -> io::Result<()> {
        let ManifestRow { url, bytes, label, format, .. } = row;
        let (host, status, content_type) = (host_of(url), row.response.status.as_u16(), row.content_type());
        let (label, class) = (label.name(), row.class.name());
        let (label_http, hard) = match row.class {
            ManifestClass::Redirect => ("redirect", ""),
            _ => (label, if row.is_hard() { "1" } else { "0" }),
        };
        let redirect = row.redirect.as_deref().unwrap_or_default();
        writeln!(
            self.0,
            "{url}\t{host}\tpublic\t{status}\t{content_type}\t{bytes}\t{label}\t{label_http}\t{hard}\t{class}\t{format}\t\
             0\t0\t0\t0\t0\t0\t0\t0\t{bytes}\t\t\t\t{redirect}"
        )
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.0.try_finish()?;
        self.0.get_mut().flush()
    }
}
