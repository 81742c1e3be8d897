//! Asking.

use std::sync::Arc;

use oxrdf::{NamedNode, NamedOrBlankNode};
use spareval::{QueryDatasetSpecification, QueryEvaluator, QueryResults};
use spargebra::Query;
use spargebra::algebra::QueryDataset;

use super::answer::{Answer, Solutions, Statements};
use super::control::{Control, guarded};
use super::dataset::{DefaultView, Guarded};
use super::error::QueryError;
use super::options::{DefaultGraph, QueryOptions};
use super::services::Remote;
use super::{plan, prologue, syntax, watch};
use crate::Snapshot;

impl Snapshot {
    /// Answers a query.
    pub fn query(&self, sparql: &str, options: &QueryOptions) -> Result<Answer, QueryError> {
        let mut query = syntax::query(sparql, options.base_iri.as_deref()).map_err(QueryError::Syntax)?;
        let control = options.control();
        let dataset = Dataset::of_query(&query, options);
        plan::prepare_query(&mut query, self, &dataset, options.lenient)?;
        let evaluator = evaluator(&control, options.services.as_ref().map(Arc::clone));
        let results = guarded(&control, || {
            let guarded = Guarded::new(self.reader(), Arc::clone(&control), dataset.view)?;
            let mut prepared = evaluator.prepare(&query);
            *prepared.dataset_mut() = dataset.specification;
            prepared.execute(guarded).map_err(QueryError::Evaluation)
        })??;
        Ok(match results {
            QueryResults::Solutions(rows) => Answer::Solutions(Solutions::new(rows, control, options.rows_max)),
            QueryResults::Boolean(value) => Answer::Boolean(value),
            QueryResults::Graph(triples) => {
                let prefixes = prologue::prefixes(sparql);
                Answer::Graph(Statements::new(triples, control, options.rows_max, prefixes))
            }
        })
    }
}

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
