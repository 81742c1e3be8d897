//! Running updates.
//!
//! One request is one transaction: an operation sees the changes of those before it, and other
//! readers see all changes or none. An operation with `WHERE` first computes all its changes, then
//! removes, then adds.

use std::sync::Arc;

use lodeward_rdf::blank_nodes::FreshBlankNodes;
use oxrdf::{GraphName, GraphNameRef, NamedNode, NamedOrBlankNode, NamedOrBlankNodeRef, Quad, Term};
use spareval::{DeleteInsertQuad, QueryableDataset};
use spargebra::algebra::{GraphPattern, GraphTarget, QueryDataset};
use spargebra::term::{GroundQuadPattern, QuadPattern};
use spargebra::{GraphUpdateOperation, Update};

use super::dataset::GuardedDataset;
use super::error::{QueryError, UpdateError};
use super::load::load;
use super::options::{QueryOptions, UpdateOptions};
use super::query::{QueryGraphs, build_evaluator, dataset_graphs};
use super::query_control::{QueryControl, StopCause, run_guarded};
use super::service_handler::ServiceCallError;
use super::{plan, query_thread, syntax, text_search};
use crate::{Archive, ArchiveError, CommitSummary, Transaction};

impl Archive {
    /// Runs a SPARQL update, atomically.
    pub fn update(&self, sparql: &str, options: &UpdateOptions) -> Result<UpdateSummary, UpdateError> {
        // The time limit includes parsing.
        let control = options.new_control();
        let (update, depth) =
            syntax::parse_update(sparql, options.base_iri.as_deref(), options.usual_prefixes, &control)?;
        if !options.using_graph_uris.is_empty() || !options.using_named_graph_uris.is_empty() {
            check_no_using(&update)?;
        }
        // Waiting for another writer counts as running: a limit can stop the update before it
        // starts.
        let transaction = self.begin_unless(|| control.check_stopped())?;
        let mut run = UpdateRun {
            transaction,
            control,
            options,
            base_iri: update.base_iri,
            depth,
            checked_graph: None,
            default_removal: None,
        };
        for operation in update.operations {
            run.perform(operation)?;
        }
        run.check_stopped()?;
        run.commit()
    }
}

impl UpdateOptions {
    /// Parses an update without running it.
    pub fn check(&self, sparql: &str) -> Result<(), UpdateError> {
        let control = self.new_control();
        syntax::parse_update(sparql, self.base_iri.as_deref(), self.usual_prefixes, &control)?;
        Ok(())
    }

    fn new_control(&self) -> Arc<QueryControl> {
        QueryOptions {
            timeout: self.timeout,
            max_memory_bytes: self.max_memory_bytes,
            cancel: self.cancel.clone(),
            ..QueryOptions::default()
        }
        .new_control()
    }

    /// The dataset of `WHERE`: from the protocol, else from the operation, else the default.
    fn dataset(&self, using: Option<&QueryDataset>, pattern: &mut GraphPattern) -> QueryGraphs {
        let from_protocol = (!self.using_graph_uris.is_empty() || !self.using_named_graph_uris.is_empty())
            .then_some((&*self.using_graph_uris, Some(&*self.using_named_graph_uris)));
        let given = from_protocol.or(using.map(dataset_graphs));
        QueryGraphs::new(given, self.default_graph, self.with_provenance, pattern)
    }
}

/// Checks that the update contains neither `USING` nor `WITH`: SPARQL 1.1 Protocol, section 2.2.3,
/// forbids them together with `using-graph-uri`.
fn check_no_using(update: &Update) -> Result<(), UpdateError> {
    let has_using = |operation: &GraphUpdateOperation| {
        matches!(operation, GraphUpdateOperation::DeleteInsert { using: Some(_), .. })
    };
    if update.operations.iter().any(has_using) { Err(UpdateError::ConflictingUsing) } else { Ok(()) }
}

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateSummary {
    /// The number of new quads.
    pub inserted: u64,
    /// The number of removed quads.
    pub removed: u64,
    /// Whether quads were to be removed from the default graph, and none was, because they are in named
    /// graphs only.
    pub matches_only_named_graphs: bool,
}

/// What `CLEAR` or `DROP` does to a graph.
#[derive(Clone, Copy)]
enum GraphAction {
    Clear,
    Drop,
}

/// A running update.
struct UpdateRun<'a> {
    transaction: Transaction<'a>,
    control: Arc<QueryControl>,
    options: &'a UpdateOptions,
    base_iri: Option<oxiri::Iri<String>>,
    /// The depth of the update's operations, if they need a thread of their own.
    depth: Option<usize>,
    /// A graph that can be changed.
    checked_graph: Option<NamedNode>,
    /// The first quad that was to be removed from the default graph.
    default_removal: Option<Quad>,
}

impl UpdateRun<'_> {
    fn commit(self) -> Result<UpdateSummary, UpdateError> {
        let snapshot = self.transaction.base().clone();
        let CommitSummary { inserted, removed } = self.transaction.commit()?;
        let mut summary = UpdateSummary { inserted, removed, matches_only_named_graphs: false };
        if let Some(Quad { subject, predicate, object, .. }) = self.default_removal.filter(|_| removed == 0) {
            let mut found =
                snapshot.quads(Some(subject.as_ref()), Some(predicate.as_ref()), Some(object.as_ref()), None);
            summary.matches_only_named_graphs = found.next().transpose()?.is_some();
        }
        Ok(summary)
    }

    fn perform(&mut self, operation: GraphUpdateOperation) -> Result<(), UpdateError> {
        match operation {
            GraphUpdateOperation::InsertData { data } => self.insert_data(data),
            GraphUpdateOperation::DeleteData { data } => {
                for quad in data {
                    let object: Term = quad.object.into();
                    self.remove(&Quad::new(quad.subject, quad.predicate, object, to_graph_name(quad.graph_name)))?;
                }
                Ok(())
            }
            GraphUpdateOperation::DeleteInsert { delete, insert, using, pattern } => {
                self.delete_insert(delete, insert, using.as_ref(), *pattern)
            }
            GraphUpdateOperation::Clear { silent, graph } => self.apply_to_target(&graph, silent, GraphAction::Clear),
            GraphUpdateOperation::Drop { silent, graph } => self.apply_to_target(&graph, silent, GraphAction::Drop),
            GraphUpdateOperation::Create { silent, graph } => {
                self.check_changeable(&graph)?;
                if !silent && self.has_graph(&graph)? {
                    return Err(UpdateError::GraphExists(graph));
                }
                Ok(self.transaction.create_graph(graph.as_ref().into())?)
            }
            GraphUpdateOperation::Load { silent, source, destination } => {
                self.load(silent, &source, &to_graph_name(destination))
            }
        }
    }

    fn insert_data(&mut self, data: Vec<spargebra::term::Quad>) -> Result<(), UpdateError> {
        // spargebra renames blank nodes, but they are unique only within one request.
        let mut fresh = FreshBlankNodes::default();
        for quad in data {
            let mut quad = Quad::new(quad.subject, quad.predicate, quad.object, to_graph_name(quad.graph_name));
            fresh.rename(&mut quad);
            self.insert(&quad)?;
        }
        Ok(())
    }

    fn insert(&mut self, quad: &Quad) -> Result<(), UpdateError> {
        self.check_stopped()?;
        self.check_graph(&quad.graph_name)?;
        Ok(self.transaction.insert(quad.as_ref())?)
    }

    fn remove(&mut self, quad: &Quad) -> Result<(), UpdateError> {
        self.check_stopped()?;
        self.check_graph(&quad.graph_name)?;
        if self.default_removal.is_none() && quad.graph_name.is_default_graph() {
            self.default_removal = Some(quad.clone());
        }
        Ok(self.transaction.remove(quad.as_ref())?)
    }

    /// Checks that a graph is not one of provenance. Quads of a graph usually follow each other.
    fn check_graph(&mut self, graph: &GraphName) -> Result<(), UpdateError> {
        let GraphName::NamedNode(name) = graph else { return Ok(()) };
        if self.checked_graph.as_ref() != Some(name) {
            self.check_changeable(name)?;
            self.checked_graph = Some(name.clone());
        }
        Ok(())
    }

    fn check_changeable(&self, graph: &NamedNode) -> Result<(), UpdateError> {
        match self.transaction.base().provenance_graph(graph.as_ref())? {
            Some(_) => Err(UpdateError::ProvenanceGraph(graph.clone())),
            None => Ok(()),
        }
    }

    fn check_stopped(&self) -> Result<(), UpdateError> {
        Ok(self.control.check_stopped()?)
    }

    fn delete_insert(
        &mut self,
        delete: Vec<GroundQuadPattern>,
        insert: Vec<QuadPattern>,
        using: Option<&QueryDataset>,
        mut pattern: GraphPattern,
    ) -> Result<(), UpdateError> {
        text_search::expand(&mut pattern, self.options.search.as_ref())?;
        let QueryGraphs { view, specification, provenance } = self.options.dataset(using, &mut pattern);
        let reader = self.transaction.reader();
        let base_iri = self.base_iri.clone();
        let (control, is_lenient) = (Arc::clone(&self.control), self.options.lenient);
        let services = self.options.services.clone();
        let find = move || {
            let plan = plan::prepare_update(&mut pattern, is_lenient, &control)?;
            let evaluator = build_evaluator(&control, &plan, services);
            run_guarded(&control, || {
                let dataset = GuardedDataset::new(reader, Arc::clone(&control), view, provenance)?;
                let mut prepared = evaluator.prepare_delete_insert(delete, insert, base_iri, None, &pattern);
                *prepared.dataset_mut() = specification;
                let changes = prepared.execute(dataset).and_then(Iterator::collect::<Result<Vec<_>, _>>);
                changes.map_err(QueryError::Evaluation)
            })
            .map_err(QueryError::from)?
        };
        let changes = match self.depth {
            None => find(),
            Some(depth) => query_thread::compute(&self.control, depth, find)?,
        }?;
        for change in &changes {
            if let DeleteInsertQuad::Delete(quad) = change {
                self.remove(quad)?;
            }
        }
        for change in &changes {
            if let DeleteInsertQuad::Insert(quad) = change {
                self.insert(quad)?;
            }
        }
        Ok(())
    }

    fn load(&mut self, silent: bool, source: &NamedNode, destination: &GraphName) -> Result<(), UpdateError> {
        let url = source.as_str();
        let quads = match self.fetch_quads(url, destination) {
            Ok(quads) => quads,
            Err(source) => {
                // A limit is not an error of the document, so `SILENT` does not hide it.
                self.check_stopped()?;
                return if silent { Ok(()) } else { Err(UpdateError::Load { url: url.to_owned(), source }) };
            }
        };
        for quad in &quads {
            self.insert(quad)?;
        }
        Ok(())
    }

    /// Reads the whole document: if it ends in an error, nothing is loaded.
    fn fetch_quads(&self, url: &str, destination: &GraphName) -> Result<Vec<Quad>, ServiceCallError> {
        let services = self.options.services.clone();
        let services = services
            .ok_or_else(|| ServiceCallError("LOAD is disabled: the archive has no client for other servers".into()))?;
        let (own_url, control) = (url.to_owned(), Arc::clone(&self.control));
        let quads = query_thread::call(&self.control, move || load(&*services, &own_url, &control));
        let mut quads = quads.map_err(|stopped| ServiceCallError(stopped.into()))??;
        for quad in &mut quads {
            if quad.graph_name.is_default_graph() {
                quad.graph_name = destination.clone();
            } else if !destination.is_default_graph() {
                let message = "the document contains named graphs: remove INTO GRAPH to keep them";
                return Err(ServiceCallError(message.into()));
            }
        }
        Ok(quads)
    }

    fn apply_to_target(&mut self, target: &GraphTarget, silent: bool, action: GraphAction) -> Result<(), UpdateError> {
        if let GraphTarget::NamedNode(name) = target {
            self.check_changeable(name)?;
            if self.has_graph(name)? {
                self.apply_action(action, name.as_ref().into())?;
            } else if !silent {
                return Err(UpdateError::GraphNotFound(name.clone()));
            }
            return Ok(());
        }
        if matches!(target, GraphTarget::NamedGraphs | GraphTarget::AllGraphs) {
            for name in self.named_graphs()? {
                self.check_stopped()?;
                let name = match name.as_ref() {
                    NamedOrBlankNodeRef::NamedNode(name) => name.into(),
                    NamedOrBlankNodeRef::BlankNode(name) => name.into(),
                };
                self.apply_action(action, name)?;
            }
        }
        if matches!(target, GraphTarget::DefaultGraph | GraphTarget::AllGraphs) {
            self.apply_action(action, GraphNameRef::DefaultGraph)?;
        }
        Ok(())
    }

    fn apply_action(&mut self, action: GraphAction, graph: GraphNameRef<'_>) -> Result<(), ArchiveError> {
        match action {
            GraphAction::Clear => self.transaction.clear_graph(graph),
            GraphAction::Drop => self.transaction.drop_graph(graph),
        }
    }

    fn has_graph(&mut self, name: &NamedNode) -> Result<bool, ArchiveError> {
        self.transaction.contains_named_graph(name.as_ref().into())
    }

    fn named_graphs(&self) -> Result<Vec<NamedOrBlankNode>, ArchiveError> {
        let reader = self.transaction.reader();
        let mut names = Vec::new();
        for name in reader.internal_named_graphs() {
            match reader.externalize_term(name?)? {
                Term::NamedNode(name) => names.push(name.into()),
                Term::BlankNode(name) => names.push(name.into()),
                Term::Literal(name) => {
                    return Err(ArchiveError::Corrupted(format!("literal {name} is used as a graph name")));
                }
            }
        }
        Ok(names)
    }
}

fn to_graph_name(name: spargebra::term::GraphName) -> GraphName {
    match name {
        spargebra::term::GraphName::NamedNode(name) => name.into(),
        spargebra::term::GraphName::DefaultGraph => GraphName::DefaultGraph,
    }
}

impl From<QueryError> for UpdateError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Syntax(error) => Self::Syntax(error),
            QueryError::Stopped(limit) => Self::Stopped(limit),
            QueryError::Archive(error) => Self::Archive(error),
            QueryError::Service { endpoint, source } => Self::Service { endpoint, source },
            QueryError::Thread(error) => Self::Thread(error),
            QueryError::Search(error) => Self::Search(error),
            QueryError::Evaluation(error) => Self::Evaluation(error),
            QueryError::Format { .. } | QueryError::Write(_) => unreachable!("an update writes no result"),
        }
    }
}

impl From<StopCause> for QueryError {
    fn from(cause: StopCause) -> Self {
        match cause {
            StopCause::Stopped(limit) => Self::Stopped(limit),
            StopCause::Archive(error) => Self::Archive(error),
            StopCause::Service { endpoint, source } => Self::Service { endpoint, source },
        }
    }
}
