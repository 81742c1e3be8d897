//! Running queries.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use oxrdf::{NamedNode, NamedOrBlankNode, Variable};
use spareval::{QueryDatasetSpecification, QueryEvaluator, QueryResults};
use spargebra::Query;
use spargebra::algebra::{GraphPattern, QueryDataset};

use super::batch::{self, BatchFailure, BatchRows, BatchStart};
use super::dataset::{DefaultGraphView, GuardedDataset};
use super::error::{QueryError, QueryLimit};
use super::options::{DefaultGraph, QueryOptions};
use super::output::{QueryOutput, QuerySolutions, QueryTriples, StoppableIter};
use super::plan::EvaluationPlan;
use super::provenance_graphs::ProvenanceScope;
use super::query_control::{QueryControl, run_guarded};
use super::query_thread::{QueryThread, ThreadRows, ThreadWork};
use super::service_handler::RemoteService;
use super::{plan, prologue, syntax, text_search, watchdog};
use crate::Snapshot;

impl Snapshot {
    /// Runs a query.
    pub fn query(&self, sparql: &str, options: &QueryOptions) -> Result<QueryOutput, QueryError> {
        // The time limit includes parsing.
        let control = options.new_control();
        let (query, depth) =
            syntax::parse_query(sparql, options.base_iri.as_deref(), options.usual_prefixes, &control)?;
        let parsed = ParsedQuery { snapshot: self.clone(), query, control, options: options.clone() };
        let prefixes = prologue::all_prefixes(sparql, options.usual_prefixes);
        let (control, max_rows) = (Arc::clone(&parsed.control), options.max_rows);
        if let Some(depth) = depth {
            return parsed.evaluate_on_thread(depth, prefixes);
        }
        let prepared = parsed.prepare()?;
        if let Some(output) = prepared.evaluate_in_batches()? {
            return Ok(output);
        }
        Ok(match prepared.evaluate()? {
            QueryResults::Solutions(inner) => {
                let variables = inner.variables().to_vec();
                QueryOutput::Solutions(QuerySolutions::new(
                    variables,
                    Box::new(StoppableIter { inner, control }),
                    max_rows,
                ))
            }
            QueryResults::Boolean(value) => QueryOutput::Boolean(value),
            QueryResults::Graph(inner) => {
                QueryOutput::Graph(QueryTriples::new(Box::new(StoppableIter { inner, control }), max_rows, prefixes))
            }
        })
    }
}

/// A parsed query with its options.
struct ParsedQuery {
    snapshot: Snapshot,
    query: Query,
    control: Arc<QueryControl>,
    options: QueryOptions,
}

impl ParsedQuery {
    /// Orders the joins.
    fn prepare(mut self) -> Result<PlannedQuery, QueryError> {
        text_search::expand(plan::query_pattern(&mut self.query), self.options.search.as_ref())?;
        let dataset = QueryGraphs::from_query(&mut self.query, &self.options);
        let plan = plan::prepare_query(&mut self.query, &self.snapshot, &dataset, self.options.lenient, &self.control)?;
        Ok(PlannedQuery { parsed: self, dataset, plan })
    }

    fn evaluate(self) -> Result<QueryResults<'static>, QueryError> {
        self.prepare()?.evaluate()
    }

    /// Evaluates on a thread of its own.
    fn evaluate_on_thread(self, depth: usize, prefixes: Vec<(String, String)>) -> Result<QueryOutput, QueryError> {
        let (control, max_rows) = (Arc::clone(&self.control), self.options.max_rows);
        let (send_head, head) = sync_channel(1);
        let (send_rows, rows) = sync_channel(ROW_CHANNEL_CAPACITY);
        let (send_triples, triples) = sync_channel(ROW_CHANNEL_CAPACITY);
        let work = move || {
            // If sending fails, the receiver was dropped and the result is not needed.
            let control = Arc::clone(&self.control);
            match self.evaluate() {
                Err(error) => drop(send_head.send(Err(error))),
                Ok(QueryResults::Boolean(value)) => drop(send_head.send(Ok(ResultHead::Boolean(value)))),
                Ok(QueryResults::Solutions(inner)) => {
                    drop(send_head.send(Ok(ResultHead::Solutions(inner.variables().to_vec()))));
                    let _ = StoppableIter { inner, control }.try_for_each(|row| send_rows.send(row).map_err(drop));
                }
                Ok(QueryResults::Graph(inner)) => {
                    drop(send_head.send(Ok(ResultHead::Graph)));
                    let _ = StoppableIter { inner, control }.try_for_each(|row| send_triples.send(row).map_err(drop));
                }
            }
        };
        let thread = QueryThread::spawn(&control, ThreadWork::Computation, depth, work);
        let mut thread = thread.map_err(QueryError::Thread)?;
        Ok(match thread.receive(&head)?.unwrap_or(Err(QueryError::Stopped(QueryLimit::Cancelled)))? {
            ResultHead::Boolean(value) => QueryOutput::Boolean(value),
            ResultHead::Solutions(variables) => {
                QueryOutput::Solutions(QuerySolutions::new(variables, Box::new(ThreadRows { rows, thread }), max_rows))
            }
            ResultHead::Graph => {
                let rows = Box::new(ThreadRows { rows: triples, thread });
                QueryOutput::Graph(QueryTriples::new(rows, max_rows, prefixes))
            }
        })
    }
}

/// A query that can be evaluated.
struct PlannedQuery {
    parsed: ParsedQuery,
    dataset: QueryGraphs,
    plan: EvaluationPlan,
}

impl PlannedQuery {
    /// Evaluates the query without spareval; `None` if it must be evaluated by it.
    fn evaluate_in_batches(&self) -> Result<Option<QueryOutput>, QueryError> {
        let ParsedQuery { snapshot, query, control, options } = &self.parsed;
        if !self.dataset.provenance.is_empty() || !self.dataset.specification.is_default_dataset() {
            return Ok(None);
        }
        let plan = match batch::compile(query, &self.dataset.view, snapshot) {
            Ok(plan) => plan,
            Err(BatchFailure::Archive(error)) => return Err(error.into()),
            Err(BatchFailure::Unsupported | BatchFailure::Aborted) => return Ok(None),
        };
        let mut rows = BatchRows::new(plan, snapshot.clone(), Arc::clone(control));
        let has_rows = match rows.start() {
            Ok(has_rows) => has_rows,
            Err(BatchStart::Unsupported) => return Ok(None),
            Err(BatchStart::Failed(error)) => return Err(error),
        };
        Ok(Some(match query {
            Query::Ask { .. } => QueryOutput::Boolean(has_rows),
            _ => QueryOutput::Solutions(QuerySolutions::new(rows.variables(), Box::new(rows), options.max_rows)),
        }))
    }

    /// Evaluates the query with spareval.
    fn evaluate(self) -> Result<QueryResults<'static>, QueryError> {
        let Self { parsed, dataset, plan } = self;
        let evaluator = build_evaluator(&parsed.control, &plan, parsed.options.services);
        run_guarded(&parsed.control, || {
            let reader = parsed.snapshot.reader();
            let guarded = GuardedDataset::new(reader, Arc::clone(&parsed.control), dataset.view, dataset.provenance)?;
            let mut prepared = evaluator.prepare(&parsed.query);
            *prepared.dataset_mut() = dataset.specification;
            prepared.execute(guarded).map_err(QueryError::Evaluation)
        })?
    }
}

/// The part of a result that is known before its rows.
enum ResultHead {
    Solutions(Vec<Variable>),
    Boolean(bool),
    Graph,
}

/// The capacity of the channel from the thread of a deep query.
const ROW_CHANNEL_CAPACITY: usize = 256;

impl QueryOptions {
    /// Creates the control of a query, which the limits and the token of these options can stop.
    pub(super) fn new_control(&self) -> Arc<QueryControl> {
        let control = Arc::new(QueryControl::new(self.max_memory_bytes));
        self.cancel.attach(&control);
        watchdog::watch(&control, self.timeout);
        control
    }
}

/// A stoppable evaluator with these services.
pub(super) fn build_evaluator(
    control: &Arc<QueryControl>,
    plan: &EvaluationPlan,
    services: Option<Arc<dyn super::ServiceHandler>>,
) -> QueryEvaluator {
    let mut evaluator = QueryEvaluator::new().with_cancellation_token(control.evaluator_token());
    evaluator = plan.functions.add_to(evaluator, control);
    if !plan.is_optimized {
        evaluator = evaluator.without_optimizations();
    }
    match services {
        Some(services) => {
            evaluator.with_default_service_handler(RemoteService { services, control: Arc::clone(control) })
        }
        None => evaluator,
    }
}

/// The graphs that a query sees.
pub(super) struct QueryGraphs {
    /// The default graph, as [`GuardedDataset`] presents it.
    pub(super) view: DefaultGraphView,
    /// The dataset for spareval: its own default graph, and the named graphs.
    pub(super) specification: QueryDatasetSpecification,
    /// The provenance graphs.
    pub(super) provenance: ProvenanceScope,
}

impl QueryGraphs {
    pub(super) fn from_query(query: &mut Query, options: &QueryOptions) -> Self {
        let from_options = (!options.default_graph_uris.is_empty() || !options.named_graph_uris.is_empty())
            .then_some((&*options.default_graph_uris, Some(&*options.named_graph_uris)));
        let dataset = query.dataset().cloned();
        let given = from_options.or(dataset.as_ref().map(dataset_graphs));
        Self::new(given, options.default_graph, options.with_provenance, plan::query_pattern(query))
    }

    /// Uses the `given` default and named graphs; without them, uses `default`. `None` as named
    /// graphs stands for all of them, as with `WITH`; `FROM` alone gives an empty list.
    pub(super) fn new(
        given: Option<(&[NamedNode], Option<&[NamedNode]>)>,
        default: DefaultGraph,
        with_provenance: bool,
        pattern: &mut GraphPattern,
    ) -> Self {
        let named_by_dataset = given.iter().flat_map(|(graphs, named)| graphs.iter().chain(named.unwrap_or_default()));
        let provenance = ProvenanceScope::new(with_provenance, pattern, named_by_dataset);
        let mut specification = QueryDatasetSpecification::new();
        let Some((graphs, named)) = given else {
            let view = match default {
                DefaultGraph::Own => DefaultGraphView::Own,
                DefaultGraph::Union => DefaultGraphView::Union,
            };
            return Self { view, specification, provenance };
        };
        if let Some(named) = named {
            let mut named_graphs: Vec<NamedOrBlankNode> = Vec::new();
            for name in named {
                if !named_graphs.contains(&name.clone().into()) {
                    named_graphs.push(name.clone().into());
                }
            }
            specification.set_available_named_graphs(named_graphs);
        }
        Self { view: DefaultGraphView::Graphs(graphs.to_vec()), specification, provenance }
    }
}

pub(super) fn dataset_graphs(dataset: &QueryDataset) -> (&[NamedNode], Option<&[NamedNode]>) {
    (&dataset.default, dataset.named.as_deref())
}
