//! Asking.

use spareval::{QueryEvaluator, QueryResults};
use spargebra::{Query, SparqlParser};

use super::answer::{Answer, Solutions, Statements};
use super::error::{QueryError, SyntaxError};
use super::options::{DefaultGraph, QueryOptions};
use crate::Snapshot;

impl Snapshot {
    /// Answers a query.
    pub fn query(&self, sparql: &str, options: &QueryOptions) -> Result<Answer, QueryError> {
        let query = parse(sparql, options.base_iri.as_deref()).map_err(QueryError::Syntax)?;
        let evaluator = QueryEvaluator::new();
        let mut prepared = evaluator.prepare(&query);
        if !options.default_graph_uris.is_empty() || !options.named_graph_uris.is_empty() {
            let dataset = prepared.dataset_mut();
            dataset.set_default_graph(options.default_graph_uris.iter().cloned().map(Into::into).collect());
            dataset.set_available_named_graphs(options.named_graph_uris.iter().cloned().map(Into::into).collect());
        } else if options.default_graph == DefaultGraph::Union && query.dataset().is_none() {
            prepared.dataset_mut().set_default_graph_as_union();
        }
        Ok(match prepared.execute(self.reader()).map_err(QueryError::Evaluation)? {
            QueryResults::Solutions(inner) => Answer::Solutions(Solutions { inner }),
            QueryResults::Boolean(value) => Answer::Boolean(value),
            QueryResults::Graph(inner) => Answer::Graph(Statements { inner }),
        })
    }
}

pub(super) fn parser(base_iri: Option<&str>) -> Result<SparqlParser, SyntaxError> {
    let Some(base_iri) = base_iri else { return Ok(SparqlParser::new()) };
    SparqlParser::new().with_base_iri(base_iri).map_err(|error| plain(format!("the base IRI is none: {error}")))
}

pub(super) fn plain(message: String) -> SyntaxError {
    SyntaxError { line: None, column: None, message, hint: None }
}

pub(super) fn parse(sparql: &str, base_iri: Option<&str>) -> Result<Query, SyntaxError> {
    parser(base_iri)?.parse_query(sparql).map_err(|error| plain(error.to_string()))
}
