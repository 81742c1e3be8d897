//! Looks up entities by their labels.
//!
//! A [`LabelIndex`] returns the entities whose labels match a text, best match first:
//! exact matches, then matches that ignore case, accents and spaces, then labels that
//! contain all words of the text and others. Ties are broken by the label property (an
//! `rdfs:label` before an alternative name), then by the preferred language, then by the
//! number of statements about the entity: a well described entity is more likely to be
//! the intended one.
//!
//! There are two indexes: the archive of a data directory ([`ArchiveLabels`]) and a SPARQL
//! endpoint ([`EndpointLabels`]).

use std::fmt;

use lodeward_archive::ArchiveError;
use lodeward_archive::sparql::ServiceCallError;
use oxrdf::LiteralRef;
use oxrdf::vocab::{rdf, xsd};
use serde::{Deserialize, Serialize};

use lodeward::select::FactsOptions;
use lodeward::select::facts::label_rank;

mod archive;
mod best_matches;
mod endpoint;
mod fold;
mod queries;
mod source;

pub use archive::ArchiveLabels;
pub use endpoint::EndpointLabels;
pub use fold::{collapse_whitespace, fold_label};
pub use source::{archive_labels, endpoint_labels, labels_of_entities};

/// An index of entities by their labels.
pub trait LabelIndex {
    /// Looks up texts. The result has, for each text and in the same order, a bounded
    /// number of entities, best match first. If there are fewer than `matches` exact
    /// matches, inexact ones are searched, too.
    fn look_up(&self, texts: &[String], matches: usize) -> Result<Vec<Vec<LabelMatch>>, LabelError>;

    /// Entities with similar labels, for texts without a match. An implementation may
    /// search only for the first texts.
    fn near_misses(&self, texts: &[String]) -> Result<Vec<Vec<LabelMatch>>, LabelError> {
        Ok(vec![Vec::new(); texts.len()])
    }
}

/// An error of a label lookup.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// The archive cannot be read.
    #[error("cannot look up labels in the archive")]
    Archive(#[from] ArchiveError),
    /// The search index cannot be read.
    #[cfg(feature = "search")]
    #[error("cannot look up labels in the search index")]
    Index(#[from] crate::followers::search::SearchIndexError),
    /// The endpoint did not respond, or its response is not a result of the query.
    #[error("cannot look up labels at {endpoint}")]
    Endpoint {
        /// The URL of the endpoint.
        endpoint: String,
        /// Why the request failed.
        #[source]
        source: ServiceCallError,
    },
}

/// An entity and its label that matches best.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelMatch {
    /// The IRI of the entity, which can be dereferenced.
    pub entity: String,
    /// The label that matches.
    pub label: String,
    /// The primary language subtag of the label; empty if it has no language.
    pub language: String,
    /// How well the label matches.
    pub quality: MatchQuality,
    /// The rank of the label property, 0 for the best.
    pub label_rank: u8,
    /// The rank of the language among the preferred ones, 0 for the best.
    pub language_rank: u8,
    /// Approximate number of statements about the entity; 0 if not counted.
    pub statements: u64,
}

impl LabelMatch {
    /// Whether two matches differ only in their number of statements.
    fn is_as_good_as(&self, other: &Self) -> bool {
        let rank = |found: &Self| (found.quality, found.label_rank, found.language_rank);
        rank(self) == rank(other)
    }

    /// The sort key of the matches of one text, best match first.
    fn sort_key(&self) -> impl Ord + '_ {
        let Self { quality, label_rank, language_rank, statements, entity, .. } = self;
        (quality, label_rank, language_rank, std::cmp::Reverse(statements), entity)
    }
}

impl fmt::Display for LabelMatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (“{}”", self.entity, self.label)?;
        if !self.language.is_empty() {
            write!(formatter, "@{}", self.language)?;
        }
        formatter.write_str(")")
    }
}

/// How well a label matches a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatchQuality {
    /// Label and text are equal.
    Exact,
    /// Label and text are equal if case, accents and spaces are ignored.
    Folded,
    /// The label contains all words of the text, and this number of others.
    Words(u16),
    /// The label is similar to the text. The number is their distance in per mille.
    Near(u16),
}

/// The properties and languages of labels, with their preferences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelProperties {
    /// Label properties, best first, with their ranks.
    properties: Vec<(String, u8)>,
    /// Primary language subtags, preferred first; empty if no language is preferred.
    languages: Vec<String>,
}

impl LabelProperties {
    /// The labels that the ranking of entities uses.
    #[must_use]
    pub fn from_facts_options(options: &FactsOptions) -> Self {
        let properties = options.text_properties.iter().enumerate();
        let labels = properties.filter_map(|(index, property)| Some((property.clone(), label_rank(property, index)?)));
        let languages = options.languages.iter().map(|language| language.to_ascii_lowercase()).collect();
        Self { properties: labels.collect(), languages }
    }

    /// Returns a match, if the IRI of the entity can be dereferenced.
    fn label_match(
        &self,
        entity: &str,
        property_rank: u8,
        literal: LiteralRef<'_>,
        quality: MatchQuality,
    ) -> Option<LabelMatch> {
        lodeward::model::Uri::parse(entity).ok()?;
        let language = primary_language(literal);
        let language_rank = self.language_rank(&language);
        let label = collapse_whitespace(literal.value());
        Some(LabelMatch {
            entity: entity.to_owned(),
            label,
            language,
            quality,
            label_rank: property_rank,
            language_rank,
            statements: 0,
        })
    }

    /// Returns the rank of a language. A label without a language has the rank of the preferred
    /// language.
    fn language_rank(&self, language: &str) -> u8 {
        if language.is_empty() || self.languages.is_empty() {
            return 0;
        }
        let rank = self.languages.iter().position(|known| known == language).unwrap_or(usize::MAX);
        u8::try_from(rank).unwrap_or(u8::MAX)
    }
}

fn primary_language(literal: LiteralRef<'_>) -> String {
    literal.language().unwrap_or_default().split('-').next().unwrap_or_default().to_ascii_lowercase()
}

/// Whether a literal is a text. Numbers and dates are not labels.
fn is_text(literal: LiteralRef<'_>) -> bool {
    literal.datatype() == xsd::STRING || literal.datatype() == rdf::LANG_STRING
}
