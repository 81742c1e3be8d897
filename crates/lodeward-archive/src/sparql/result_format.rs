//! Result formats, and their negotiation.

use std::fmt;

use lodeward_rdf::RdfFormat;
use lodeward_rdf::accept::{Accept, MediaOffer};
use lodeward_rdf::media_type::essence;
use lodeward_rdf::write::WRITTEN_FORMATS;

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
    /// A format of RDF; one of [`WRITTEN_FORMATS`].
    Rdf(RdfFormat),
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
    pub fn formats(self) -> Vec<ResultFormat> {
        match self {
            Self::Solutions | Self::Boolean => TABLES.iter().map(|row| row.0).collect(),
            Self::Graph => WRITTEN_FORMATS.map(ResultFormat::Rdf).to_vec(),
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

/// Format of tables, name, media type, extension and other media types.
type TableRow = (ResultFormat, &'static str, &'static str, &'static str, &'static [&'static str]);

const TABLES: [TableRow; 4] = [
    (ResultFormat::Json, "json", "application/sparql-results+json", "srj", &["application/json"]),
    (ResultFormat::Xml, "xml", "application/sparql-results+xml", "srx", &["application/xml", "text/xml"]),
    (ResultFormat::Csv, "csv", "text/csv; charset=utf-8", "csv", &[]),
    (ResultFormat::Tsv, "tsv", "text/tab-separated-values; charset=utf-8", "tsv", &[]),
];

impl ResultFormat {
    /// The RDF format, or the properties of the format of tables.
    fn row(self) -> Result<&'static TableRow, RdfFormat> {
        match self {
            Self::Rdf(format) => Err(format),
            table => Ok(TABLES.iter().find(|row| row.0 == table).expect("every format of tables has a row")),
        }
    }

    /// A short name: `json`, `turtle`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().map_or_else(RdfFormat::short_name, |row| row.1)
    }

    /// The value of `Content-Type`.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self.row() {
            Ok(row) => row.2,
            Err(RdfFormat::Turtle) => "text/turtle; charset=utf-8",
            Err(format) => format.media_type(),
        }
    }

    /// The format with this name, file extension or media type (without parameters), ignoring case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is = |row: &&TableRow| [row.1, essence(row.2), row.3].contains(&&*name) || row.4.contains(&&*name);
        let rdf = || RdfFormat::from_name(&name).filter(|format| WRITTEN_FORMATS.contains(format)).map(Self::Rdf);
        TABLES.iter().find(is).map(|row| row.0).or_else(rdf)
    }

    /// Whether this is a format of RDF statements, not of tables.
    #[must_use]
    pub fn is_rdf(self) -> bool {
        matches!(self, Self::Rdf(_))
    }

    /// The best format of this kind for an `Accept` header; `None` if the client accepts none.
    /// Among formats of equal quality, the preferred one is selected.
    #[must_use]
    pub fn negotiate(accept: &Accept, kind: ResultKind) -> Option<Self> {
        accept.select(kind.formats())
    }
}

impl MediaOffer for ResultFormat {
    fn media_type(&self) -> &str {
        essence(ResultFormat::media_type(*self))
    }

    fn synonyms(&self) -> impl Iterator<Item = &str> {
        let (table, rdf) = match self {
            Self::Rdf(format) => (None, Some(format)),
            table => (table.row().ok(), None),
        };
        let of_table = table.into_iter().flat_map(|row| row.4).copied();
        of_table.chain(rdf.into_iter().flat_map(MediaOffer::synonyms))
    }
}

impl fmt::Display for ResultFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
