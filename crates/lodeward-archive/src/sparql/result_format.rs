//! Result formats, and their negotiation.

use std::fmt;

/// A format of query results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResultFormat {
    /// SPARQL 1.1 Query Results JSON.
    Json,
    /// SPARQL Query Results XML.
    Xml,
    /// SPARQL 1.1 Query Results CSV, for spreadsheets. It omits the types of terms.
    Csv,
    /// SPARQL 1.1 Query Results TSV.
    Tsv,
    /// Turtle.
    Turtle,
    /// N-Triples.
    NTriples,
    /// RDF/XML.
    RdfXml,
    /// TriG.
    TriG,
    /// N-Quads.
    NQuads,
    /// JSON-LD, expanded, written as a stream.
    JsonLd,
}

/// The kind of a query result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultKind {
    /// `SELECT`: rows.
    Solutions,
    /// `ASK`: true or false.
    Boolean,
    /// `CONSTRUCT` and `DESCRIBE`: triples.
    Graph,
}

impl ResultKind {
    /// The formats of this kind, the preferred one first.
    #[must_use]
    pub fn formats(self) -> &'static [ResultFormat] {
        use ResultFormat::{Csv, Json, JsonLd, NQuads, NTriples, RdfXml, TriG, Tsv, Turtle, Xml};
        match self {
            Self::Solutions | Self::Boolean => &[Json, Xml, Csv, Tsv],
            Self::Graph => &[Turtle, NTriples, RdfXml, JsonLd, TriG, NQuads],
        }
    }

    pub(super) fn format_names(self) -> String {
        self.formats().iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for ResultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Solutions => "the result of a SELECT",
            Self::Boolean => "the result of an ASK",
            Self::Graph => "the result of a CONSTRUCT or DESCRIBE",
        })
    }
}

/// Name, media type, and accepted synonyms of both.
type FormatRow = (ResultFormat, &'static str, &'static str, &'static [&'static str]);

const FORMATS: [FormatRow; 10] = [
    (ResultFormat::Json, "json", "application/sparql-results+json", &["srj", "application/json"]),
    (ResultFormat::Xml, "xml", "application/sparql-results+xml", &["srx", "application/xml", "text/xml"]),
    (ResultFormat::Csv, "csv", "text/csv; charset=utf-8", &[]),
    (ResultFormat::Tsv, "tsv", "text/tab-separated-values; charset=utf-8", &[]),
    (ResultFormat::Turtle, "turtle", "text/turtle; charset=utf-8", &["ttl", "application/x-turtle"]),
    (ResultFormat::NTriples, "ntriples", "application/n-triples", &["nt", "n-triples", "text/plain"]),
    (ResultFormat::RdfXml, "rdfxml", "application/rdf+xml", &["rdf", "rdf/xml", "application/xml", "text/xml"]),
    (ResultFormat::TriG, "trig", "application/trig", &["application/x-trig"]),
    (ResultFormat::NQuads, "nquads", "application/n-quads", &["nq", "n-quads", "text/x-nquads"]),
    (ResultFormat::JsonLd, "jsonld", "application/ld+json", &["json-ld", "application/json"]),
];

impl ResultFormat {
    fn row(self) -> &'static FormatRow {
        FORMATS.iter().find(|row| row.0 == self).expect("every format has a row")
    }

    /// A short name: `json`, `turtle`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The value of `Content-Type`.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        self.row().2
    }

    /// The format with this name, file extension or media type (without parameters), ignoring case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is = |row: &&FormatRow| row.1 == name || essence(row.2) == name || row.3.contains(&name.as_str());
        FORMATS.iter().find(is).map(|row| row.0)
    }

    /// Whether this is a format of RDF statements, not of tables.
    #[must_use]
    pub fn is_rdf(self) -> bool {
        ResultKind::Graph.formats().contains(&self)
    }

    /// The best format of this kind for an `Accept` header (RFC 9110); `None` if the client accepts
    /// none. An empty header accepts all. Among formats of equal quality, the preferred one is
    /// selected.
    #[must_use]
    pub fn negotiate(accept: &str, kind: ResultKind) -> Option<Self> {
        let ranges: Vec<Range<'_>> = accept.split(',').filter_map(Range::parse).collect();
        if ranges.is_empty() {
            return kind.formats().first().copied();
        }
        let mut best = None;
        for &format in kind.formats() {
            let quality = format.quality(&ranges);
            if quality > best.map_or(0, |(quality, _)| quality) {
                best = Some((quality, format));
            }
        }
        best.map(|(_, format)| format)
    }

    /// The quality of this format: that of the most specific matching range.
    fn quality(self, ranges: &[Range<'_>]) -> u16 {
        let row = self.row();
        let own = ranges.iter().filter_map(|range| Some((range.covers(essence(row.2))?, range.quality)));
        // Synonyms match only if they are listed explicitly.
        let others = row.3.iter().flat_map(|name| ranges.iter().map(move |range| (range, name)));
        let others = others.filter(|(range, name)| range.covers(name) == Some(2)).map(|(range, _)| (2, range.quality));
        own.chain(others).max().map_or(0, |(_, quality)| quality)
    }
}

/// A media type without its parameters.
fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default()
}

/// One range of an `Accept` header, with its quality in thousandths.
struct Range<'a> {
    media_type: &'a str,
    quality: u16,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let media_type = parts.next().filter(|media_type| !media_type.is_empty())?;
        let quality = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        Some(Self { media_type, quality: quality.map_or(1000, parse_quality) })
    }

    /// How specifically the range matches a media type; `None` if it does not.
    fn covers(&self, media_type: &str) -> Option<u8> {
        if self.media_type.eq_ignore_ascii_case(media_type) {
            return Some(2);
        }
        let group = self.media_type.strip_suffix("/*")?;
        if group == "*" {
            return Some(0);
        }
        media_type.split_once('/').filter(|(own, _)| own.eq_ignore_ascii_case(group)).map(|_| 1)
    }
}

/// Parses `0.8` as 800. An invalid number is treated as missing, which means 1.
fn parse_quality(quality: &str) -> u16 {
    let quality: f32 = quality.parse().ok().filter(|quality| (0.0..=1.0).contains(quality)).unwrap_or(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the result is between 0 and 1000")]
    let thousandths = (quality * 1000.0).round() as u16;
    thousandths
}

impl fmt::Display for ResultFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
