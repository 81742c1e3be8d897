//! The kinds of document.

use serde::{Deserialize, Serialize};

use super::chance_stream::ChanceStream;
use super::parameters::KindShares;

/// The syntax of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentKind {
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
    /// JSON-LD.
    JsonLd,
    /// HTML with RDFa.
    HtmlRdfa,
    /// HTML with Microdata.
    HtmlMicrodata,
    /// HTML with JSON-LD scripts.
    HtmlJsonLd,
    /// HTML with RDFa, Microdata and JSON-LD.
    HtmlSeveral,
    /// HTML without RDF.
    Html,
    /// Images and other binary data.
    Binary,
    /// The HTML page of an RDF document; without RDF itself.
    Page,
}

impl DocumentKind {
    /// The kinds that are drawn by share, in the order of [`KindShares::shares`].
    pub(crate) const WEIGHTED: [Self; 12] = [
        Self::RdfXml,
        Self::Turtle,
        Self::NTriples,
        Self::NQuads,
        Self::TriG,
        Self::JsonLd,
        Self::HtmlRdfa,
        Self::HtmlMicrodata,
        Self::HtmlJsonLd,
        Self::HtmlSeveral,
        Self::Html,
        Self::Binary,
    ];

    /// The syntaxes of a document with content negotiation.
    pub(crate) const NEGOTIATED: [Self; 4] = [Self::RdfXml, Self::Turtle, Self::NTriples, Self::JsonLd];

    /// Whether this is an RDF syntax.
    #[must_use]
    pub fn is_serialisation(self) -> bool {
        self <= Self::JsonLd
    }

    /// Whether documents of this kind contain RDF.
    #[must_use]
    pub fn holds_rdf(self) -> bool {
        self <= Self::HtmlSeveral
    }

    /// Whether documents of this kind have named graphs.
    pub(crate) fn has_graphs(self) -> bool {
        matches!(self, Self::NQuads | Self::TriG)
    }

    /// The correct content type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::RdfXml => "application/rdf+xml",
            Self::Turtle => "text/turtle",
            Self::NTriples => "application/n-triples",
            Self::NQuads => "application/n-quads",
            Self::TriG => "application/trig",
            Self::JsonLd => "application/ld+json",
            Self::Binary => "image/png",
            _ => "text/html; charset=utf-8",
        }
    }

    /// The content types of misconfigured servers for documents of this kind.
    pub(crate) fn wrong_media_types(self) -> &'static [&'static str] {
        match self {
            Self::RdfXml => &["text/xml", "application/xml", "text/plain"],
            Self::JsonLd => &["application/json", "text/plain"],
            _ => &["text/plain", "application/octet-stream"],
        }
    }

    /// The common name of the syntax.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::RdfXml => "RDF/XML",
            Self::Turtle => "Turtle",
            Self::NTriples => "N-Triples",
            Self::NQuads => "N-Quads",
            Self::TriG => "TriG",
            Self::JsonLd => "JSON-LD",
            Self::Binary => "image",
            _ => "HTML",
        }
    }

    /// The usual file extension.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::RdfXml => "rdf",
            Self::Turtle => "ttl",
            Self::NTriples => "nt",
            Self::NQuads => "nq",
            Self::TriG => "trig",
            Self::JsonLd => "jsonld",
            Self::Binary => "png",
            _ => "html",
        }
    }
}

/// Cumulative shares to draw kinds from.
pub(crate) struct KindTable {
    with_rdf: Vec<(f64, DocumentKind)>,
    without_rdf: Vec<(f64, DocumentKind)>,
    /// Share of documents with RDF.
    pub(crate) rdf_share: f64,
}

impl KindTable {
    pub(crate) fn new(kinds: &KindShares) -> Self {
        let shares = kinds.shares();
        let sum: f64 = shares.iter().sum();
        let table = |predicate: &dyn Fn(DocumentKind) -> bool| {
            let chosen =
                DocumentKind::WEIGHTED.into_iter().zip(shares).filter(|(kind, share)| predicate(*kind) && *share > 0.0);
            let mut cumulative = 0.0;
            chosen
                .map(|(kind, share)| {
                    cumulative += share;
                    (cumulative, kind)
                })
                .collect::<Vec<_>>()
        };
        let with_rdf = table(&DocumentKind::holds_rdf);
        let rdf_share = with_rdf.last().map_or(0.0, |(below, _)| below / sum);
        Self { with_rdf, without_rdf: table(&|kind| !kind.holds_rdf()), rdf_share }
    }

    /// A kind with RDF, if the world has one.
    pub(crate) fn draw_rdf_kind(&self, chance: &mut ChanceStream) -> DocumentKind {
        draw(&self.with_rdf, chance).unwrap_or(DocumentKind::Html)
    }

    /// A kind without RDF.
    pub(crate) fn draw_non_rdf_kind(&self, chance: &mut ChanceStream) -> DocumentKind {
        draw(&self.without_rdf, chance).unwrap_or(DocumentKind::Html)
    }
}

fn draw(table: &[(f64, DocumentKind)], chance: &mut ChanceStream) -> Option<DocumentKind> {
    let (sum, last) = *table.last()?;
    let point = chance.unit() * sum;
    Some(table.iter().find(|(cumulative, _)| point < *cumulative).map_or(last, |(_, kind)| *kind))
}
