//! How a query is answered.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};
use spareval::QueryResults;
use spargebra::Query;

use super::control::guarded;
use super::dataset::{Guarded, Reading};
use super::error::QueryError;
use super::options::QueryOptions;
use super::query::{Dataset, evaluator};
use super::{deep, plan, syntax};
use crate::Snapshot;

/// The plan of a query: a tree of operations, each of which feeds the one above.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// For people: an indented tree.
    pub text: String,
    /// For programs: a tree of objects with `name`, `children`, and for
    /// patterns `estimated rows`, by the constants in them alone. After
    /// [`Snapshot::profile`] also `number of results` and `duration in seconds`,
    /// the latter with that of the children.
    pub json: String,
}

impl Snapshot {
    /// How a query will be answered. No data is read for it, except for estimates,
    /// and no service is asked.
    pub fn explain(&self, sparql: &str, options: &QueryOptions) -> Result<Explanation, QueryError> {
        self.explained(sparql, options, Reading::Nothing)
    }

    /// How a query was answered: answers it, within its bounds, and tells the
    /// plan with the rows and the time of every operation.
    pub fn profile(&self, sparql: &str, options: &QueryOptions) -> Result<Explanation, QueryError> {
        self.explained(sparql, options, Reading::Data)
    }

    fn explained(&self, sparql: &str, options: &QueryOptions, reading: Reading) -> Result<Explanation, QueryError> {
        let (query, depth) = syntax::query(sparql, options.base_iri.as_deref()).map_err(QueryError::Syntax)?;
        let explain = move || self.explained_query(query, options, reading);
        match depth {
            None => explain(),
            Some(depth) => deep::scoped(depth, explain).map_err(QueryError::Thread)?,
        }
    }

    fn explained_query(
        &self,
        mut query: Query,
        options: &QueryOptions,
        reading: Reading,
    ) -> Result<Explanation, QueryError> {
        let control = options.control();
        let dataset = Dataset::of_query(&query, options);
        plan::prepare_query(&mut query, self, &dataset, options.lenient)?;
        let estimates = plan::estimates(&mut query, self, &dataset)?;
        let services = options.services.clone().filter(|_| reading == Reading::Data);
        let mut evaluator = evaluator(&control, services);
        if reading == Reading::Data {
            evaluator = evaluator.compute_statistics();
        }
        let plan = guarded(&control, || {
            let source = Guarded::new(self.reader(), Arc::clone(&control), dataset.view)?.reading(reading);
            let mut prepared = evaluator.prepare(&query);
            *prepared.dataset_mut() = dataset.specification;
            let (answer, plan) = prepared.explain(source);
            if reading == Reading::Data {
                exhaust(answer)?;
            }
            Ok::<_, QueryError>(plan)
        })??;
        let mut json = Vec::new();
        plan.write_in_json(&mut json).map_err(QueryError::Write)?;
        let Ok(mut tree) = serde_json::from_slice::<Value>(&json) else {
            // Deeper than serde_json reads: without our additions, then.
            return Ok(Explanation { text: format!("{plan:#?}"), json: String::from_utf8_lossy(&json).into_owned() });
        };
        add_estimates(&mut tree["plan"], &estimates);
        let mut text = String::new();
        draw(&tree["plan"], 0, &mut text);
        Ok(Explanation { text, json: tree.to_string() })
    }
}

fn exhaust(answer: Result<QueryResults<'static>, spareval::QueryEvaluationError>) -> Result<(), QueryError> {
    match answer.map_err(QueryError::Evaluation)? {
        QueryResults::Boolean(_) => Ok(()),
        QueryResults::Solutions(mut rows) => rows.try_for_each(|row| row.map(drop)).map_err(QueryError::Evaluation),
        QueryResults::Graph(mut rows) => rows.try_for_each(|row| row.map(drop)).map_err(QueryError::Evaluation),
    }
}

/// spareval names a pattern by its terms, and so do the estimates.
fn add_estimates(node: &mut Value, estimates: &[(String, u64)]) {
    let name = node["name"].as_str().unwrap_or_default();
    if name.starts_with("QuadPattern")
        && let Some((_, rows)) = estimates.iter().find(|(terms, _)| name.contains(terms))
    {
        node["estimated rows"] = json!(rows);
    }
    for child in node["children"].as_array_mut().into_iter().flatten() {
        add_estimates(child, estimates);
    }
}

fn draw(node: &Value, depth: usize, text: &mut String) {
    let name = node["name"].as_str().unwrap_or_default();
    let _ = write!(text, "{:1$}{name}", "", depth * 2);
    let mut figures = Vec::new();
    if let Some(rows) = node["estimated rows"].as_u64() {
        figures.push(format!("about {rows} quads"));
    }
    if let Some(rows) = node["number of results"].as_u64() {
        figures.push(format!("{rows} rows"));
    }
    if let Some(seconds) = node["duration in seconds"].as_f64() {
        figures.push(format!("{:.3} ms", seconds * 1000.0));
    }
    if !figures.is_empty() {
        let _ = write!(text, "  [{}]", figures.join(", "));
    }
    text.push('\n');
    for child in node["children"].as_array().into_iter().flatten() {
        draw(child, depth + 1, text);
    }
}
