//! The kinds of document.

use serde::{Deserialize, Serialize};

use super::chance::Chance;
use super::parameters::Kinds;

/// What a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
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
    /// Images and such.
    Binary,
    /// The HTML page beside an RDF document; without RDF itself.
    Page,
}

impl Kind {
    /// The kinds that are drawn by share, in the order of `Kinds::shares`.
    pub(crate) const DRAWN: [Self; 12] = [
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

    /// The syntaxes a negotiating document comes in.
    pub(crate) const NEGOTIATED: [Self; 4] = [Self::RdfXml, Self::Turtle, Self::NTriples, Self::JsonLd];

    /// Whether this is an RDF syntax of its own.
    #[must_use]
    pub fn is_serialisation(self) -> bool {
        self <= Self::JsonLd
    }

    /// Whether such a document holds RDF.
    #[must_use]
    pub fn holds_rdf(self) -> bool {
        self <= Self::HtmlSeveral
    }

    /// Whether such a document has named graphs.
    pub(crate) fn has_graphs(self) -> bool {
        matches!(self, Self::NQuads | Self::TriG)
    }

    /// The right content type.
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

    /// Content types that such documents are wrongly served with.
    pub(crate) fn wrong_media_types(self) -> &'static [&'static str] {
        match self {
            Self::RdfXml => &["text/xml", "application/xml", "text/plain"],
            Self::JsonLd => &["application/json", "text/plain"],
            _ => &["text/plain", "application/octet-stream"],
        }
    }

    /// What people call it.
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

/// Shares made ready to draw from.
pub(crate) struct KindTable {
    bearing: Vec<(f64, Kind)>,
    barren: Vec<(f64, Kind)>,
    /// Share of RDF-bearing documents.
    pub(crate) share_bearing: f64,
}

impl KindTable {
    pub(crate) fn new(kinds: &Kinds) -> Self {
        let shares = kinds.shares();
        let sum: f64 = shares.iter().sum();
        let of = |wanted: &dyn Fn(Kind) -> bool| {
            let chosen = Kind::DRAWN.into_iter().zip(shares).filter(|(kind, share)| wanted(*kind) && *share > 0.0);
            let mut below = 0.0;
            chosen
                .map(|(kind, share)| {
                    below += share;
                    (below, kind)
                })
                .collect::<Vec<_>>()
        };
        let bearing = of(&Kind::holds_rdf);
        let share_bearing = bearing.last().map_or(0.0, |(below, _)| below / sum);
        Self { bearing, barren: of(&|kind| !kind.holds_rdf()), share_bearing }
    }

    /// A kind that holds RDF, where the world has one.
    pub(crate) fn bearing(&self, chance: &mut Chance) -> Kind {
        draw(&self.bearing, chance).unwrap_or(Kind::Html)
    }

    /// A kind that holds none.
    pub(crate) fn barren(&self, chance: &mut Chance) -> Kind {
        draw(&self.barren, chance).unwrap_or(Kind::Html)
    }
}

fn draw(table: &[(f64, Kind)], chance: &mut Chance) -> Option<Kind> {
    let (sum, last) = *table.last()?;
    let point = chance.unit() * sum;
    Some(table.iter().find(|(below, _)| point < *below).map_or(last, |(_, kind)| *kind))
}
