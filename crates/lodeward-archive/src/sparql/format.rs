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
        use AnswerFormat::{Csv, Json, NQuads, NTriples, RdfXml, TriG, Tsv, Turtle, Xml};
        match self {
            Self::Solutions | Self::Boolean => &[Json, Xml, Csv, Tsv],
            Self::Graph => &[Turtle, NTriples, RdfXml, TriG, NQuads],
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

const TABLE: [Row; 9] = [
    (AnswerFormat::Json, "json", "application/sparql-results+json", &["srj", "application/json"]),
    (AnswerFormat::Xml, "xml", "application/sparql-results+xml", &["srx", "application/xml", "text/xml"]),
    (AnswerFormat::Csv, "csv", "text/csv; charset=utf-8", &[]),
    (AnswerFormat::Tsv, "tsv", "text/tab-separated-values; charset=utf-8", &[]),
    (AnswerFormat::Turtle, "turtle", "text/turtle; charset=utf-8", &["ttl", "application/x-turtle"]),
    (AnswerFormat::NTriples, "ntriples", "application/n-triples", &["nt", "n-triples", "text/plain"]),
    (AnswerFormat::RdfXml, "rdfxml", "application/rdf+xml", &["rdf", "rdf/xml", "application/xml", "text/xml"]),
    (AnswerFormat::TriG, "trig", "application/trig", &["application/x-trig"]),
    (AnswerFormat::NQuads, "nquads", "application/n-quads", &["nq", "n-quads", "text/x-nquads"]),
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

    /// The format of this name or file extension, in any case of letters.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        TABLE.iter().find(|row| row.1 == name || row.3.contains(&name.as_str())).map(|row| row.0)
    }

    /// The best format for this kind of answer by a header `Accept` (RFC 9110);
    /// `None` if the client takes none of them. An empty header takes anything.
    #[must_use]
    pub fn negotiate(accept: &str, kind: AnswerKind) -> Option<Self> {
        let _ = accept;
        kind.formats().first().copied()
    }
}

impl fmt::Display for AnswerFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
