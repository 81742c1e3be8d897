//! How answers are written.

use std::fmt;

/// A syntax for answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnswerFormat {
    /// SPARQL 1.1 Query Results JSON.
    Json,
    /// SPARQL Query Results XML.
    Xml,
    /// SPARQL 1.1 Query Results CSV: for spreadsheets; it forgets the types of terms.
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

/// What kind of answer a query has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerKind {
    /// `SELECT`: rows.
    Solutions,
    /// `ASK`: yes or no.
    Boolean,
    /// `CONSTRUCT` and `DESCRIBE`: triples.
    Graph,
}

impl AnswerKind {
    /// The formats for it, the preferred first.
    #[must_use]
    pub fn formats(self) -> &'static [AnswerFormat] {
        use AnswerFormat::{Csv, Json, JsonLd, NQuads, NTriples, RdfXml, TriG, Tsv, Turtle, Xml};
        match self {
            Self::Solutions | Self::Boolean => &[Json, Xml, Csv, Tsv],
            Self::Graph => &[Turtle, NTriples, RdfXml, JsonLd, TriG, NQuads],
        }
    }

    pub(super) fn format_names(self) -> String {
        self.formats().iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for AnswerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Solutions => "the answer to a SELECT",
            Self::Boolean => "the answer to an ASK",
            Self::Graph => "the answer to a CONSTRUCT or DESCRIBE",
        })
    }
}

/// Name, media type as sent, and other names and media types that mean it.
type Row = (AnswerFormat, &'static str, &'static str, &'static [&'static str]);

const TABLE: [Row; 10] = [
    (AnswerFormat::Json, "json", "application/sparql-results+json", &["srj", "application/json"]),
    (AnswerFormat::Xml, "xml", "application/sparql-results+xml", &["srx", "application/xml", "text/xml"]),
    (AnswerFormat::Csv, "csv", "text/csv; charset=utf-8", &[]),
    (AnswerFormat::Tsv, "tsv", "text/tab-separated-values; charset=utf-8", &[]),
    (AnswerFormat::Turtle, "turtle", "text/turtle; charset=utf-8", &["ttl", "application/x-turtle"]),
    (AnswerFormat::NTriples, "ntriples", "application/n-triples", &["nt", "n-triples", "text/plain"]),
    (AnswerFormat::RdfXml, "rdfxml", "application/rdf+xml", &["rdf", "rdf/xml", "application/xml", "text/xml"]),
    (AnswerFormat::TriG, "trig", "application/trig", &["application/x-trig"]),
    (AnswerFormat::NQuads, "nquads", "application/n-quads", &["nq", "n-quads", "text/x-nquads"]),
    (AnswerFormat::JsonLd, "jsonld", "application/ld+json", &["json-ld", "application/json"]),
];

impl AnswerFormat {
    fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.0 == self).expect("every format has a row")
    }

    /// A short name: `json`, `turtle`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What to send as `Content-Type`.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        self.row().2
    }

    /// The format of this name, file extension or media type (without
    /// parameters), in any case of letters.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is = |row: &&Row| row.1 == name || essence(row.2) == name || row.3.contains(&name.as_str());
        TABLE.iter().find(is).map(|row| row.0)
    }

    /// Whether it is one of RDF, rather than of tables.
    #[must_use]
    pub fn is_rdf(self) -> bool {
        AnswerKind::Graph.formats().contains(&self)
    }

    /// The best format for this kind of answer by a header `Accept` (RFC 9110);
    /// `None` if the client takes none of them. An empty header takes anything.
    /// Among equals, the one that we prefer wins.
    #[must_use]
    pub fn negotiate(accept: &str, kind: AnswerKind) -> Option<Self> {
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

    /// How much a client wants it: what the most specific range says that covers it.
    fn quality(self, ranges: &[Range<'_>]) -> u16 {
        let row = self.row();
        let own = ranges.iter().filter_map(|range| Some((range.covers(essence(row.2))?, range.quality)));
        // Its other names count only where they are named.
        let others = row.3.iter().flat_map(|name| ranges.iter().map(move |range| (range, name)));
        let others = others.filter(|(range, name)| range.covers(name) == Some(2)).map(|(range, _)| (2, range.quality));
        own.chain(others).max().map_or(0, |(_, quality)| quality)
    }
}

/// A media type without its parameters.
fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default()
}

/// One range of a header `Accept`, with its quality in thousandths.
struct Range<'a> {
    media_type: &'a str,
    quality: u16,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let media_type = parts.next().filter(|media_type| !media_type.is_empty())?;
        let quality = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        Some(Self { media_type, quality: quality.map_or(1000, thousandths) })
    }

    /// How specifically it covers a media type; `None` if it does not.
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

/// `0.8` as 800. What is no number is taken for 1, as if it were not there.
fn thousandths(quality: &str) -> u16 {
    let quality: f32 = quality.parse().ok().filter(|quality| (0.0..=1.0).contains(quality)).unwrap_or(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
    let thousandths = (quality * 1000.0).round() as u16;
    thousandths
}

impl fmt::Display for AnswerFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
