//! Asking.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use oxrdf::{NamedNode, NamedOrBlankNode, Variable};
use spareval::{QueryDatasetSpecification, QueryEvaluator, QueryResults};
use spargebra::Query;
use spargebra::algebra::QueryDataset;

use super::answer::{Answer, Solutions, Statements, Steps};
use super::control::{Control, guarded};
use super::dataset::{DefaultView, Guarded};
use super::deep::{self, FromThread};
use super::error::{QueryError, Stopped};
use super::options::{DefaultGraph, QueryOptions};
use super::services::Remote;
use super::{plan, prologue, syntax, watch};
use crate::Snapshot;

impl Snapshot {
    /// Answers a query.
    pub fn query(&self, sparql: &str, options: &QueryOptions) -> Result<Answer, QueryError> {
        let (query, depth) = syntax::query(sparql, options.base_iri.as_deref()).map_err(QueryError::Syntax)?;
        let asked = Asked { snapshot: self.clone(), query, control: options.control(), options: options.clone() };
        let prefixes = prologue::prefixes(sparql);
        let (control, rows_max) = (Arc::clone(&asked.control), options.rows_max);
        if let Some(depth) = depth {
            return asked.answered_deeply(depth, prefixes);
        }
        Ok(match asked.results()? {
            QueryResults::Solutions(inner) => {
                let variables = inner.variables().to_vec();
                Answer::Solutions(Solutions::new(variables, Box::new(Steps { inner, control }), rows_max))
            }
            QueryResults::Boolean(value) => Answer::Boolean(value),
            QueryResults::Graph(inner) => {
                Answer::Graph(Statements::new(Box::new(Steps { inner, control }), rows_max, prefixes))
            }
        })
    }
}

/// A query that has been parsed.
struct Asked {
    snapshot: Snapshot,
    query: Query,
    control: Arc<Control>,
    options: QueryOptions,
}

impl Asked {
    fn results(mut self) -> Result<QueryResults<'static>, QueryError> {
        let dataset = Dataset::of_query(&self.query, &self.options);
        plan::prepare_query(&mut self.query, &self.snapshot, &dataset, self.options.lenient)?;
        let evaluator = evaluator(&self.control, self.options.services);
        guarded(&self.control, || {
            let guarded = Guarded::new(self.snapshot.reader(), Arc::clone(&self.control), dataset.view)?;
            let mut prepared = evaluator.prepare(&self.query);
            *prepared.dataset_mut() = dataset.specification;
            prepared.execute(guarded).map_err(QueryError::Evaluation)
        })?
    }

    /// On a thread that has the stack for it.
    fn answered_deeply(self, depth: usize, prefixes: Vec<(String, String)>) -> Result<Answer, QueryError> {
        let (control, rows_max) = (Arc::clone(&self.control), self.options.rows_max);
        let (send_head, head) = sync_channel(1);
        let (send_rows, rows) = sync_channel(ROWS_AHEAD);
        let (send_triples, triples) = sync_channel(ROWS_AHEAD);
        let work = move || {
            // Whoever does not listen any more has no use for an answer.
            let control = Arc::clone(&self.control);
            match self.results() {
                Err(error) => drop(send_head.send(Err(error))),
                Ok(QueryResults::Boolean(value)) => drop(send_head.send(Ok(Head::Boolean(value)))),
                Ok(QueryResults::Solutions(inner)) => {
                    drop(send_head.send(Ok(Head::Solutions(inner.variables().to_vec()))));
                    let _ = Steps { inner, control }.try_for_each(|row| send_rows.send(row).map_err(drop));
                }
                Ok(QueryResults::Graph(inner)) => {
                    drop(send_head.send(Ok(Head::Graph)));
                    let _ = Steps { inner, control }.try_for_each(|row| send_triples.send(row).map_err(drop));
                }
            }
        };
        let thread = Some(deep::spawn(depth, work).map_err(QueryError::Thread)?);
        Ok(match head.recv().unwrap_or(Err(QueryError::Stopped(Stopped::Cancelled)))? {
            Head::Boolean(value) => Answer::Boolean(value),
            Head::Solutions(variables) => {
                Answer::Solutions(Solutions::new(variables, Box::new(FromThread { rows, control, thread }), rows_max))
            }
            Head::Graph => {
                let rows = FromThread { rows: triples, control, thread };
                Answer::Graph(Statements::new(Box::new(rows), rows_max, prefixes))
            }
        })
    }
}

/// What is known of an answer before its rows.
enum Head {
    Solutions(Vec<Variable>),
    Boolean(bool),
    Graph,
}

/// Rows on their way from the thread of a deep query.
const ROWS_AHEAD: usize = 256;

impl QueryOptions {
    /// A control that these options stop.
    pub(super) fn control(&self) -> Arc<Control> {
        let control = Arc::new(Control::default());
        self.cancel.attach(&control);
        watch::watch(&control, self.timeout, self.memory_bytes_max);
        control
    }
}

/// An evaluator that can be stopped, and that has our services.
pub(super) fn evaluator(control: &Arc<Control>, services: Option<Arc<dyn super::Services>>) -> QueryEvaluator {
    let evaluator = QueryEvaluator::new().with_cancellation_token(control.evaluator_token());
    match services {
        Some(services) => evaluator.with_default_service_handler(Remote { services, control: Arc::clone(control) }),
        None => evaluator,
    }
}

/// Which graphs a query sees.
pub(super) struct Dataset {
    /// What we show as the default graph.
    pub(super) view: DefaultView,
    /// What spareval is told: its own default graph, and the named graphs.
    pub(super) specification: QueryDatasetSpecification,
}

impl Dataset {
    pub(super) fn of_query(query: &Query, options: &QueryOptions) -> Self {
        let given = (!options.default_graph_uris.is_empty() || !options.named_graph_uris.is_empty())
            .then_some((&*options.default_graph_uris, Some(&*options.named_graph_uris)));
        let own = query.dataset().map(parts);
        Self::new(given.or(own), options.default_graph)
    }

    /// From what is given, or what is seen without. Named graphs that are not
    /// given are all of them: so says `WITH`, while `FROM` alone gives an empty list.
    pub(super) fn new(given: Option<(&[NamedNode], Option<&[NamedNode]>)>, default: DefaultGraph) -> Self {
        let mut specification = QueryDatasetSpecification::new();
        let Some((graphs, named)) = given else {
            let view = match default {
                DefaultGraph::Own => DefaultView::Own,
                DefaultGraph::Union => DefaultView::Union,
            };
            return Self { view, specification };
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
        Self { view: DefaultView::Graphs(graphs.to_vec()), specification }
    }
}

pub(super) fn parts(dataset: &QueryDataset) -> (&[NamedNode], Option<&[NamedNode]>) {
    (&dataset.default, dataset.named.as_deref())
}
