//! How a query will be answered.

use super::error::QueryError;
use super::options::QueryOptions;
use crate::Snapshot;

/// The plan of a query.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// For people: an indented tree.
    pub text: String,
    /// For programs.
    pub json: String,
}

impl Snapshot {
    /// How a query will be answered.
    pub fn explain(&self, sparql: &str, options: &QueryOptions) -> Result<Explanation, QueryError> {
        let query = super::syntax::query(sparql, options.base_iri.as_deref()).map_err(QueryError::Syntax)?;
        let evaluator = spareval::QueryEvaluator::new();
        let (answer, plan) = evaluator.prepare(&query).explain(self.reader());
        answer.map_err(QueryError::Evaluation)?;
        let mut json = Vec::new();
        plan.write_in_json(&mut json).map_err(QueryError::Write)?;
        Ok(Explanation { text: format!("{plan:#?}"), json: String::from_utf8_lossy(&json).into_owned() })
    }
}
