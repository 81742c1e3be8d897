//! A query language that selects candidates of a ranking.
//!
//! ```text
//! type = dbo:Building and (score >= 0.3 or marked = keep) and not domain = wikidata.org
//! ```
//!
//! [`CandidateFilter::parse`] parses a filter; a syntax error has a caret at its position. Most
//! conditions test fields of a [`RankingRow`]. Conditions on properties (`has`, `property`) need
//! the statements about an entity, which are read only for the candidates that satisfy the other
//! conditions: [`CandidateFilter::evaluate`] returns `None` if the result depends on them, and
//! [`CandidateFilter::record_evidence`] records which conditions a statement satisfies.

mod lexer;
mod error;
mod name;
mod parse;
#[cfg(test)]
mod tests;
mod value_test;

use std::cmp::Ordering;

use oxrdf::{NamedNodeRef, TermRef};
use regex::Regex;

pub use error::FilterError;
use name::FilterName;
use value_test::ValueTest;

use super::marks::MarkKind;
use super::ranking_file::RankingRow;
use lodeward::model::Uri;

/// A condition on candidates; by default it accepts all.
#[derive(Clone, Debug, Default)]
pub struct CandidateFilter {
    root: FilterNode,
    /// Conditions on properties; [`FilterNode::Property`] has their index.
    properties: Vec<PropertyCondition>,
}

/// Which conditions on properties an entity satisfies; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropertyEvidence(Vec<bool>);

/// A node of the syntax tree.
#[derive(Clone, Debug)]
enum FilterNode {
    All(Vec<FilterNode>),
    Any(Vec<FilterNode>),
    Not(Box<FilterNode>),
    Row(RowCondition),
    Property(usize),
}

impl Default for FilterNode {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

/// A condition on a row of the ranking.
#[derive(Clone, Debug)]
enum RowCondition {
    Type(FilterName),
    Measure(RowMeasure, FilterComparison, f64),
    Text(RowField, TextTest),
    /// `None` for entities without a mark.
    Marked(Option<MarkKind>),
    Described,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowMeasure {
    Score,
    Hop,
    Rank,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowField {
    Entity,
    Label,
    Domain,
}

#[derive(Clone, Debug)]
enum TextTest {
    Equals(String),
    Matches(Regex),
}

/// How two numbers or two texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FilterComparison {
    Equal,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// There is a statement with this property, and with a matching value if `value` is set.
#[derive(Clone, Debug)]
struct PropertyCondition {
    name: FilterName,
    value: Option<ValueTest>,
}

impl CandidateFilter {
    /// Parses a filter. An empty filter accepts all candidates.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        parse::parse_filter(text)
    }

    /// The conjunction of filters.
    #[must_use]
    pub fn all(filters: impl IntoIterator<Item = Self>) -> Self {
        let mut properties = Vec::new();
        let mut nodes = Vec::new();
        for mut filter in filters {
            filter.root.shift_properties(properties.len());
            nodes.push(filter.root);
            properties.append(&mut filter.properties);
        }
        Self { root: FilterNode::All(nodes), properties }
    }

    /// Whether it has no condition.
    #[must_use]
    pub fn is_unconditional(&self) -> bool {
        self.root.is_empty()
    }

    /// Whether the result may depend on statements.
    #[must_use]
    pub fn needs_statements(&self) -> bool {
        !self.properties.is_empty()
    }

    /// Whether it has a condition on marks.
    #[must_use]
    pub fn uses_marks(&self) -> bool {
        self.root.uses_marks()
    }

    /// Whether a candidate is accepted; `None` if that depends on statements and `evidence` is
    /// `None`.
    #[must_use]
    pub fn evaluate(
        &self,
        row: &RankingRow,
        mark: Option<MarkKind>,
        evidence: Option<&PropertyEvidence>,
    ) -> Option<bool> {
        self.root.evaluate(&CandidateFacts { row, mark, evidence })
    }

    /// Records which conditions a statement satisfies for its subject.
    pub fn record_evidence(&self, property: NamedNodeRef<'_>, value: TermRef<'_>, found: &mut PropertyEvidence) {
        found.0.resize(self.properties.len(), false);
        for (condition, is_found) in self.properties.iter().zip(&mut found.0) {
            *is_found |= condition.matches(property, value);
        }
    }
}

/// What is known of a candidate.
struct CandidateFacts<'a> {
    row: &'a RankingRow,
    mark: Option<MarkKind>,
    evidence: Option<&'a PropertyEvidence>,
}

impl FilterNode {
    fn evaluate(&self, known: &CandidateFacts<'_>) -> Option<bool> {
        match self {
            Self::All(nodes) => evaluate_nodes(nodes, known, false),
            Self::Any(nodes) => evaluate_nodes(nodes, known, true),
            Self::Not(node) => node.evaluate(known).map(|is| !is),
            Self::Row(condition) => Some(condition.is_true(known)),
            Self::Property(index) => known.evidence.map(|found| found.0.get(*index).copied().unwrap_or(false)),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::All(nodes) if nodes.iter().all(Self::is_empty))
    }

    fn uses_marks(&self) -> bool {
        match self {
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().any(Self::uses_marks),
            Self::Not(node) => node.uses_marks(),
            Self::Row(condition) => matches!(condition, RowCondition::Marked(_)),
            Self::Property(_) => false,
        }
    }

    /// Shifts the indices of conditions on properties.
    fn shift_properties(&mut self, by: usize) {
        match self {
            Self::All(nodes) | Self::Any(nodes) => nodes.iter_mut().for_each(|node| node.shift_properties(by)),
            Self::Not(node) => node.shift_properties(by),
            Self::Row(_) => {}
            Self::Property(index) => *index += by,
        }
    }
}

/// Searches for a node that decides: a false one in a conjunction, a true one in a disjunction.
fn evaluate_nodes(nodes: &[FilterNode], known: &CandidateFacts<'_>, decisive: bool) -> Option<bool> {
    let mut is_certain = true;
    for node in nodes {
        match node.evaluate(known) {
            Some(is) if is == decisive => return Some(decisive),
            Some(_) => {}
            None => is_certain = false,
        }
    }
    is_certain.then_some(!decisive)
}

impl RowCondition {
    fn is_true(&self, known: &CandidateFacts<'_>) -> bool {
        let row = known.row;
        match self {
            Self::Type(name) => row.types.iter().any(|class| name.matches(class)),
            Self::Measure(measure, comparison, number) => {
                measure.value(row).is_some_and(|value| comparison.holds(value.total_cmp(number)))
            }
            Self::Text(RowField::Entity, test) => test.matches(&row.entity),
            Self::Text(RowField::Label, test) => row.label.as_ref().is_some_and(|label| test.matches(label)),
            Self::Text(RowField::Domain, test) => {
                Uri::parse_stored(&row.entity).is_ok_and(|uri| test.matches_domain(&uri))
            }
            Self::Marked(kind) => known.mark == *kind,
            Self::Described => row.described,
        }
    }
}

impl RowMeasure {
    #[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^53")]
    fn value(self, row: &RankingRow) -> Option<f64> {
        match self {
            Self::Score => row.score,
            Self::Hop => row.hop.map(f64::from),
            Self::Rank => Some(row.rank as f64),
        }
    }
}

impl TextTest {
    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Equals(expected) => text == expected,
            Self::Matches(pattern) => pattern.is_match(text),
        }
    }

    /// Whether a URI is in a domain, including its subdomains: `fr.dbpedia.org` is in
    /// `dbpedia.org`, but not the reverse.
    fn matches_domain(&self, uri: &Uri) -> bool {
        match self {
            Self::Equals(domain) => {
                let rest = uri.host().strip_suffix(domain.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            Self::Matches(pattern) => pattern.is_match(uri.pld().as_str()),
        }
    }
}

impl FilterComparison {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::Less => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
            Self::More => ordering.is_gt(),
            Self::AtLeast => ordering.is_ge(),
        }
    }
}

impl PropertyCondition {
    fn matches(&self, property: NamedNodeRef<'_>, value: TermRef<'_>) -> bool {
        self.name.matches(property.as_str()) && self.value.as_ref().is_none_or(|test| test.matches(value))
    }
}
