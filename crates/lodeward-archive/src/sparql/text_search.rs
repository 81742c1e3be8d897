//! Search by plain words inside of queries: the predicate `lodeward:search`.
//!
//! ```sparql
//! ?e lodeward:search "gothic cathedral"
//! (?e ?score) lodeward:search ("gothic cathedral" 20)
//! ```
//!
//! The words and the limit are constants, so the search runs once, before the query is evaluated, and
//! its results take the place of the pattern as `VALUES`. Everything else of the query is evaluated as
//! usual, within its limits. The archive has no index of words: the caller provides the search
//! ([`TextSearch`]).

use std::sync::Arc;

use oxrdf::vocab::{rdf, xsd};
use oxrdf::{BlankNode, Literal, NamedNode, Variable};
use spargebra::algebra::GraphPattern;
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};

use super::algebra::{self, AlgebraRewrite};

/// The IRI of the predicate.
pub const SEARCH_PREDICATE: &str = "urn:lodeward:search";

/// Number of results, unless the query says another one, and their maximum.
const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 10_000;

/// Maximum number of searches of a query.
const MAX_SEARCHES: usize = 8;

/// Finds entities by plain words.
pub trait TextSearch: Send + Sync {
    /// Returns the best entities with their scores, best first.
    fn search(&self, words: &str, limit: usize) -> Result<Vec<(NamedNode, f64)>, TextSearchFailure>;
}

/// Why a search failed.
pub type TextSearchFailure = Box<dyn std::error::Error + Send + Sync>;

/// Why `lodeward:search` cannot be evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextSearchError {
    /// There is no search index.
    #[error("the search index is disabled (hint: set `search.index = true`)")]
    Disabled,
    /// The pattern has another form.
    #[error("{0} (hint: write ?e lodeward:search \"words\", or (?e ?score) lodeward:search (\"words\" 20))")]
    Form(&'static str),
    /// The limit is out of range.
    #[error("the limit {0} is not from 1 to {MAX_LIMIT}")]
    Limit(String),
    /// The query has too many searches.
    #[error("the query has more than {MAX_SEARCHES} searches")]
    TooMany,
    /// The search failed.
    #[error(transparent)]
    Failed(TextSearchFailure),
}

/// Replaces the searches of a pattern by their results.
pub(super) fn expand(pattern: &mut GraphPattern, search: Option<&Arc<dyn TextSearch>>) -> Result<(), TextSearchError> {
    let mut rewrite = SearchRewrite { search, searches: 0, error: None };
    algebra::rewrite(pattern, &mut rewrite);
    rewrite.error.map_or(Ok(()), Err)
}

struct SearchRewrite<'a> {
    search: Option<&'a Arc<dyn TextSearch>>,
    searches: usize,
    error: Option<TextSearchError>,
}

impl AlgebraRewrite for SearchRewrite<'_> {
    fn includes_services(&self) -> bool {
        false
    }

    fn rewrite_pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        let GraphPattern::Bgp { patterns } = pattern else { return pattern };
        if self.error.is_some() || !patterns.iter().any(is_search) {
            return GraphPattern::Bgp { patterns };
        }
        match self.expand_triples(patterns) {
            Ok(expanded) => expanded,
            Err(error) => {
                self.error = Some(error);
                GraphPattern::default()
            }
        }
    }
}

impl SearchRewrite<'_> {
    fn expand_triples(&mut self, mut patterns: Vec<TriplePattern>) -> Result<GraphPattern, TextSearchError> {
        let mut tables = Vec::new();
        while let Some(at) = patterns.iter().position(is_search) {
            let TriplePattern { subject, object, .. } = patterns.remove(at);
            let outputs = list_or_single(&mut patterns, subject);
            let inputs = list_or_single(&mut patterns, object);
            self.searches += 1;
            if self.searches > MAX_SEARCHES {
                return Err(TextSearchError::TooMany);
            }
            tables.push(self.run(&outputs, &inputs)?);
        }
        let rest = GraphPattern::Bgp { patterns };
        Ok(tables
            .into_iter()
            .fold(rest, |joined, table| GraphPattern::Join { left: Box::new(table), right: Box::new(joined) }))
    }

    /// Runs one search. Returns its results as `VALUES`.
    fn run(&self, outputs: &[TermPattern], inputs: &[TermPattern]) -> Result<GraphPattern, TextSearchError> {
        let (words, limit) = arguments(inputs)?;
        let search = self.search.ok_or(TextSearchError::Disabled)?;
        let found = search.search(&words, limit).map_err(TextSearchError::Failed)?;
        let (entity, score) = match outputs {
            [entity] => (entity, None),
            [entity, TermPattern::Variable(score)] => (entity, Some(score.clone())),
            _ => return Err(TextSearchError::Form("the subject of lodeward:search is not an entity and a score")),
        };
        let (entity, wanted) = match entity {
            TermPattern::Variable(variable) => (Some(variable.clone()), None),
            TermPattern::NamedNode(iri) => (None, Some(iri.clone())),
            // A blank node is a variable that is not selected.
            TermPattern::BlankNode(node) => (Some(blank_variable(node)), None),
            TermPattern::Literal(_) => {
                return Err(TextSearchError::Form("the subject of lodeward:search is a literal"));
            }
        };
        let found = found.into_iter().filter(|(iri, _)| wanted.as_ref().is_none_or(|wanted| wanted == iri));
        let has = (entity.is_some(), score.is_some());
        let row = |(iri, score): (NamedNode, f64)| {
            let entity = has.0.then_some(Some(GroundTerm::NamedNode(iri)));
            let score = has.1.then_some(Some(GroundTerm::Literal(Literal::from(score))));
            entity.into_iter().chain(score).collect()
        };
        let bindings = found.map(row).collect();
        Ok(GraphPattern::Values { variables: entity.into_iter().chain(score).collect(), bindings })
    }
}

fn is_search(pattern: &TriplePattern) -> bool {
    matches!(&pattern.predicate, NamedNodePattern::NamedNode(predicate) if predicate.as_str() == SEARCH_PREDICATE)
}

fn blank_variable(node: &BlankNode) -> Variable {
    Variable::new_unchecked(format!("search_{}", node.as_str()))
}

/// The words and the limit of a search.
fn arguments(inputs: &[TermPattern]) -> Result<(String, usize), TextSearchError> {
    let (words, limit) = match inputs {
        [words] => (words, None),
        [words, limit] => (words, Some(limit)),
        _ => return Err(TextSearchError::Form("lodeward:search needs words, and at most a limit")),
    };
    let TermPattern::Literal(words) = words else {
        return Err(TextSearchError::Form("the words of lodeward:search are not a string"));
    };
    let limit = match limit {
        None => DEFAULT_LIMIT,
        Some(TermPattern::Literal(limit)) if limit.datatype() == xsd::INTEGER => {
            let number = limit.value().parse().ok().filter(|number| (1..=MAX_LIMIT).contains(number));
            number.ok_or_else(|| TextSearchError::Limit(limit.value().to_owned()))?
        }
        Some(_) => return Err(TextSearchError::Form("the limit of lodeward:search is not an integer")),
    };
    Ok((words.value().to_owned(), limit))
}

/// The members of a list, whose triples are removed from the pattern; a term that is not a list, as
/// it is.
fn list_or_single(patterns: &mut Vec<TriplePattern>, term: TermPattern) -> Vec<TermPattern> {
    let mut members = Vec::new();
    let mut node = term.clone();
    while let Some(first) = take_object(patterns, &node, rdf::FIRST.as_str()) {
        members.push(first);
        match take_object(patterns, &node, rdf::REST.as_str()) {
            Some(rest) => node = rest,
            None => break,
        }
    }
    if members.is_empty() { vec![term] } else { members }
}

/// Removes the triple with this subject and predicate. Returns its object.
fn take_object(patterns: &mut Vec<TriplePattern>, subject: &TermPattern, predicate: &str) -> Option<TermPattern> {
    if !matches!(subject, TermPattern::BlankNode(_)) {
        return None;
    }
    let is_wanted = |pattern: &TriplePattern| {
        pattern.subject == *subject
            && matches!(&pattern.predicate, NamedNodePattern::NamedNode(name) if name.as_str() == predicate)
    };
    let at = patterns.iter().position(is_wanted)?;
    Some(patterns.remove(at).object)
}
