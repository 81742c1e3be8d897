//! Entities by what they are called.
//!
//! A [`LabelIndex`] is asked for texts, and answers with the entities whose
//! labels match, the best first: those that are called exactly so, then those
//! that are if case, accents and spaces do not count, then those whose label has
//! all the words and more. Among equals the better label property comes first
//! (an `rdfs:label` before an alternative name), then the preferred language,
//! then the entity of which more is said, for that is likelier to be meant.
//!
//! The archive of a data directory is one ([`ArchiveLabels`]), a SPARQL endpoint
//! another ([`EndpointLabels`]).

use std::fmt;

use lodeward_archive::ArchiveError;
use lodeward_archive::sparql::ServiceError;
use oxrdf::LiteralRef;
use oxrdf::vocab::{rdf, xsd};
use serde::{Deserialize, Serialize};

use crate::rank::FactsOptions;
use crate::rank::facts::label_rank;

mod archive;
mod best;
mod endpoint;
mod fold;
mod question;

pub use archive::ArchiveLabels;
pub use endpoint::EndpointLabels;
pub use fold::folded;
pub(crate) use fold::spaced;

/// Finds entities by their labels.
pub trait LabelIndex {
    /// Looks up texts. For each, in the same order, there are the entities that are
    /// called so, the best match first, bounded in number. Where fewer than
    /// `matches` are called exactly so, those are looked for that are called
    /// something like it.
    fn look_up(&self, texts: &[String], matches: usize) -> Result<Vec<Vec<Match>>, LabelError>;

    /// For texts that were not found: who is called something else, but nearly so.
    /// Only the first few texts may have an answer.
    fn near_misses(&self, texts: &[String]) -> Result<Vec<Vec<Match>>, LabelError> {
        Ok(vec![Vec::new(); texts.len()])
    }
}

/// Labels cannot be looked up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// The archive cannot be read.
    #[error("cannot look up labels in the archive")]
    Archive(#[from] ArchiveError),
    /// The endpoint did not answer, or not what was asked.
    #[error("cannot look up labels at {endpoint}")]
    Endpoint {
        /// Which.
        endpoint: String,
        /// Why.
        #[source]
        source: ServiceError,
    },
}

/// An entity, and the label that speaks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// Its IRI, which can be dereferenced.
    pub entity: String,
    /// The label.
    pub label: String,
    /// The primary language subtag of the label; empty if there is none.
    pub language: String,
    /// How well the label fits.
    pub fit: Fit,
    /// How good a label its property gives, 0 for the best.
    pub label_rank: u8,
    /// The place of its language among those that are preferred.
    pub language_rank: u8,
    /// About how many statements there are about the entity; 0 if nobody looked.
    pub statements: u64,
}

impl Match {
    /// Whether only how much is said of them could tell them apart.
    fn is_as_good_as(&self, other: &Self) -> bool {
        let rank = |found: &Self| (found.fit, found.label_rank, found.language_rank);
        rank(self) == rank(other)
    }

    /// What orders matches of one text, the best first.
    fn order(&self) -> impl Ord + '_ {
        let Self { fit, label_rank, language_rank, statements, entity, .. } = self;
        (fit, label_rank, language_rank, std::cmp::Reverse(statements), entity)
    }
}

impl fmt::Display for Match {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (“{}”", self.entity, self.label)?;
        if !self.language.is_empty() {
            write!(formatter, "@{}", self.language)?;
        }
        formatter.write_str(")")
    }
}

/// How well a label fits a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// They are the same.
    Same,
    /// They are, if case, accents and spaces do not count.
    Folded,
    /// The label has all words of the text, and so many others.
    Words(u16),
    /// It is another label that looks like the text: so many per mille are
    /// different.
    Near(u16),
}

/// Which statements are labels, and which are better than others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// Properties that give labels, the best first, with their ranks.
    properties: Vec<(String, u8)>,
    /// Primary language subtags, the preferred one first; empty for all alike.
    languages: Vec<String>,
}

impl Naming {
    /// Labels as the ranking of entities has them.
    #[must_use]
    pub fn of(options: &FactsOptions) -> Self {
        let properties = options.text_properties.iter().enumerate();
        let labels = properties.filter_map(|(place, property)| Some((property.clone(), label_rank(property, place)?)));
        let languages = options.languages.iter().map(|language| language.to_ascii_lowercase()).collect();
        Self { properties: labels.collect(), languages }
    }

    /// A match, if this literal can be a label.
    fn found(&self, entity: &str, property_rank: u8, literal: LiteralRef<'_>, fit: Fit) -> Option<Match> {
        crate::model::Uri::parse(entity).ok()?;
        let language = primary_language(literal);
        let language_rank = self.language_rank(&language);
        let label = spaced(literal.value());
        Some(Match {
            entity: entity.to_owned(),
            label,
            language,
            fit,
            label_rank: property_rank,
            language_rank,
            statements: 0,
        })
    }

    /// What has no language is as good as the preferred one.
    fn language_rank(&self, language: &str) -> u8 {
        if language.is_empty() || self.languages.is_empty() {
            return 0;
        }
        let place = self.languages.iter().position(|known| known == language).unwrap_or(usize::MAX);
        u8::try_from(place).unwrap_or(u8::MAX)
    }
}

fn primary_language(literal: LiteralRef<'_>) -> String {
    literal.language().unwrap_or_default().split('-').next().unwrap_or_default().to_ascii_lowercase()
}

/// Numbers and dates are no labels.
fn is_text(literal: LiteralRef<'_>) -> bool {
    literal.datatype() == xsd::STRING || literal.datatype() == rdf::LANG_STRING
}
