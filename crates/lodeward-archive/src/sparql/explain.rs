//! Query plans, with estimates or with measurements.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};
use spareval::QueryResults;
use spargebra::Query;

use super::dataset::{GuardedDataset, ReadMode};
use super::error::QueryError;
use super::options::QueryOptions;
use super::query::{QueryGraphs, build_evaluator};
use super::query_control::{QueryControl, run_guarded};
use super::{functions, plan, query_thread, syntax, text_search};
use crate::Snapshot;

/// The plan of a query: a tree of operations, in which each one reads from its children.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QueryPlan {
    /// An indented tree, for display.
    pub text: String,
    /// A tree of objects with `name` and `children`, for programs. Triple patterns have `estimated
    /// rows`, from their constants alone. After [`Snapshot::profile`], operations also have `number
    /// of results` and `duration in seconds`; a duration includes that of the children.
    pub json: String,
}

impl Snapshot {
    /// Plans a query without running it. Data is read only for estimates, and no service is called.
    pub fn explain(&self, sparql: &str, options: &QueryOptions) -> Result<QueryPlan, QueryError> {
        self.run_explain(sparql, options, ReadMode::Nothing)
    }

    /// Runs a query within its limits, and returns the plan with the rows and the time of every
    /// operation.
    pub fn profile(&self, sparql: &str, options: &QueryOptions) -> Result<QueryPlan, QueryError> {
        self.run_explain(sparql, options, ReadMode::Data)
    }

    fn run_explain(&self, sparql: &str, options: &QueryOptions, reading: ReadMode) -> Result<QueryPlan, QueryError> {
        let control = options.new_control();
        let (query, depth) =
            syntax::parse_query(sparql, options.base_iri.as_deref(), options.usual_prefixes, &control)?;
        let Some(depth) = depth else { return self.explain_parsed(query, options, &control, reading) };
        let (snapshot, options, own_control) = (self.clone(), options.clone(), Arc::clone(&control));
        query_thread::compute(&control, depth, move || snapshot.explain_parsed(query, &options, &own_control, reading))?
    }

    fn explain_parsed(
        &self,
        mut query: Query,
        options: &QueryOptions,
        control: &Arc<QueryControl>,
        reading: ReadMode,
    ) -> Result<QueryPlan, QueryError> {
        text_search::expand(plan::query_pattern(&mut query), options.search.as_ref())?;
        let dataset = QueryGraphs::from_query(&mut query, options);
        let prepared = plan::prepare_query(&mut query, self, &dataset, options.lenient, control)?;
        let estimates = plan::estimate_patterns(&mut query, self, &dataset)?;
        let services = options.services.clone().filter(|_| reading == ReadMode::Data);
        let mut evaluator = build_evaluator(control, &prepared, services);
        if reading == ReadMode::Data {
            evaluator = evaluator.compute_statistics();
        }
        let plan = run_guarded(control, || {
            let source = GuardedDataset::new(self.reader(), Arc::clone(control), dataset.view, dataset.provenance)?;
            let source = source.with_read_mode(reading);
            let mut prepared = evaluator.prepare(&query);
            *prepared.dataset_mut() = dataset.specification;
            let (results, plan) = prepared.explain(source);
            if reading == ReadMode::Data {
                drain(results)?;
            }
            Ok::<_, QueryError>(plan)
        })??;
        let mut json = Vec::new();
        plan.write_in_json(&mut json).map_err(QueryError::Write)?;
        let json = functions::restore_names(&String::from_utf8_lossy(&json));
        let Ok(mut tree) = serde_json::from_str::<Value>(&json) else {
            // The plan is nested deeper than serde_json can parse: return it without estimates.
            return Ok(QueryPlan { text: functions::restore_names(&format!("{plan:#?}")), json });
        };
        add_estimates(&mut tree["plan"], &estimates);
        let mut text = String::new();
        render_plan(&tree["plan"], 0, &mut text);
        Ok(QueryPlan { text, json: tree.to_string() })
    }
}

fn drain(results: Result<QueryResults<'static>, spareval::QueryEvaluationError>) -> Result<(), QueryError> {
    match results.map_err(QueryError::Evaluation)? {
        QueryResults::Boolean(_) => Ok(()),
        QueryResults::Solutions(mut rows) => rows.try_for_each(|row| row.map(drop)).map_err(QueryError::Evaluation),
        QueryResults::Graph(mut rows) => rows.try_for_each(|row| row.map(drop)).map_err(QueryError::Evaluation),
    }
}

/// Adds the estimates to the triple patterns of a plan, which are identified by their terms.
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

fn render_plan(node: &Value, depth: usize, text: &mut String) {
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
        render_plan(child, depth + 1, text);
    }
}
