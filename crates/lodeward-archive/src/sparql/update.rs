//! Changing.
//!
//! One request is one transaction: its operations see what the ones before did,
//! and others see all of it or nothing. An operation with `WHERE` finds all its
//! changes before it makes the first, then removes, then adds.

use std::sync::Arc;

use oxrdf::{GraphName, GraphNameRef, NamedNode, NamedOrBlankNode, NamedOrBlankNodeRef, Quad, Term};
use spareval::{DeleteInsertQuad, QueryableDataset};
use spargebra::algebra::{GraphPattern, GraphTarget, QueryDataset};
use spargebra::term::{GroundQuadPattern, QuadPattern};
use spargebra::{GraphUpdateOperation, Update};

use super::control::{Control, Reason, guarded};
use super::dataset::Guarded;
use super::error::{QueryError, UpdateError};
use super::load::{Fresh, load};
use super::options::{QueryOptions, UpdateOptions};
use super::query::{Dataset, evaluator, parts};
use super::services::ServiceError;
use super::{deep, plan, syntax};
use crate::{Archive, ArchiveError, Committed, Transaction};

impl Archive {
    /// Does a SPARQL update, all of it or nothing.
    pub fn update(&self, sparql: &str, options: &UpdateOptions) -> Result<Committed, UpdateError> {
        let (update, depth) = syntax::update(sparql, options.base_iri.as_deref()).map_err(UpdateError::Syntax)?;
        if !options.using_graph_uris.is_empty() || !options.using_named_graph_uris.is_empty() {
            refuse_using(&update)?;
        }
        let control = options.control();
        // Waiting for another writer counts as running: a bound may come before our turn does.
        let mut work = Work { transaction: self.begin(), control, options, base_iri: update.base_iri, depth };
        for operation in update.operations {
            work.perform(operation)?;
        }
        if let Some(reason) = work.control.reason() {
            return Err(QueryError::from(reason).into());
        }
        Ok(work.transaction.commit()?)
    }
}

impl UpdateOptions {
    fn control(&self) -> Arc<Control> {
        QueryOptions {
            timeout: self.timeout,
            memory_bytes_max: self.memory_bytes_max,
            cancel: self.cancel.clone(),
            ..QueryOptions::default()
        }
        .control()
    }

    /// What `WHERE` sees: what the protocol gives, or the operation, or neither.
    fn dataset(&self, using: Option<&QueryDataset>) -> Dataset {
        let given = (!self.using_graph_uris.is_empty() || !self.using_named_graph_uris.is_empty())
            .then_some((&*self.using_graph_uris, Some(&*self.using_named_graph_uris)));
        Dataset::new(given.or(using.map(parts)), self.default_graph)
    }
}

/// SPARQL 1.1 Protocol, 2.2.3: not both.
fn refuse_using(update: &Update) -> Result<(), UpdateError> {
    let has_using = |operation: &GraphUpdateOperation| {
        matches!(operation, GraphUpdateOperation::DeleteInsert { using: Some(_), .. })
    };
    if update.operations.iter().any(has_using) { Err(UpdateError::UsingTwice) } else { Ok(()) }
}

/// What is done to a graph.
#[derive(Clone, Copy)]
enum Act {
    Clear,
    Drop,
}

/// A request that is being done.
struct Work<'a> {
    transaction: Transaction<'a>,
    control: Arc<Control>,
    options: &'a UpdateOptions,
    base_iri: Option<oxiri::Iri<String>>,
    /// How deep its operations are, if they are deep.
    depth: Option<usize>,
}

impl Work<'_> {
    fn perform(&mut self, operation: GraphUpdateOperation) -> Result<(), UpdateError> {
        match operation {
            GraphUpdateOperation::InsertData { data } => self.insert_data(data),
            GraphUpdateOperation::DeleteData { data } => {
                for quad in data {
                    let object: Term = quad.object.into();
                    self.remove(&Quad::new(quad.subject, quad.predicate, object, graph(quad.graph_name)))?;
                }
                Ok(())
            }
            GraphUpdateOperation::DeleteInsert { delete, insert, using, pattern } => {
                self.delete_insert(delete, insert, using.as_ref(), *pattern)
            }
            GraphUpdateOperation::Clear { silent, graph } => self.each(&graph, silent, Act::Clear),
            GraphUpdateOperation::Drop { silent, graph } => self.each(&graph, silent, Act::Drop),
            GraphUpdateOperation::Create { silent, graph } => {
                if !silent && self.has_graph(&graph)? {
                    return Err(UpdateError::GraphExists(graph));
                }
                Ok(self.transaction.create_graph(graph.as_ref().into())?)
            }
            GraphUpdateOperation::Load { silent, source, destination } => {
                self.load(silent, &source, &graph(destination))
            }
        }
    }

    fn insert_data(&mut self, data: Vec<spargebra::term::Quad>) -> Result<(), UpdateError> {
        // spargebra has renamed blank nodes already, but only within one request.
        let mut fresh = Fresh::default();
        for quad in data {
            let quad = Quad::new(quad.subject, quad.predicate, quad.object, graph(quad.graph_name));
            self.insert(&fresh.quad(quad))?;
        }
        Ok(())
    }

    fn insert(&mut self, quad: &Quad) -> Result<(), UpdateError> {
        self.alive()?;
        Ok(self.transaction.insert(quad.as_ref())?)
    }

    fn remove(&mut self, quad: &Quad) -> Result<(), UpdateError> {
        self.alive()?;
        Ok(self.transaction.remove(quad.as_ref())?)
    }

    fn alive(&self) -> Result<(), UpdateError> {
        match self.control.reason() {
            Some(reason) => Err(QueryError::from(reason).into()),
            None => Ok(()),
        }
    }

    fn delete_insert(
        &mut self,
        delete: Vec<GroundQuadPattern>,
        insert: Vec<QuadPattern>,
        using: Option<&QueryDataset>,
        mut pattern: GraphPattern,
    ) -> Result<(), UpdateError> {
        let Dataset { view, specification } = self.options.dataset(using);
        let reader = self.transaction.reader();
        let base_iri = self.base_iri.clone();
        let (control, options) = (&self.control, self.options);
        let find = move || {
            plan::prepare_update(&mut pattern, options.lenient)?;
            let evaluator = evaluator(control, options.services.clone());
            guarded(control, || {
                let dataset = Guarded::new(reader, Arc::clone(control), view)?;
                let mut prepared = evaluator.prepare_delete_insert(delete, insert, base_iri, None, &pattern);
                *prepared.dataset_mut() = specification;
                let changes = prepared.execute(dataset).and_then(Iterator::collect::<Result<Vec<_>, _>>);
                changes.map_err(QueryError::Evaluation)
            })
            .map_err(QueryError::from)?
        };
        let changes = match self.depth {
            None => find(),
            Some(depth) => deep::scoped(depth, find).map_err(UpdateError::Thread)?,
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
        let quads = match self.fetched(url, destination) {
            Ok(quads) => quads,
            Err(source) => {
                // A bound is no error of the document, silent or not.
                self.alive()?;
                return if silent { Ok(()) } else { Err(UpdateError::Load { url: url.to_owned(), source }) };
            }
        };
        for quad in &quads {
            self.insert(quad)?;
        }
        Ok(())
    }

    /// The whole document: of one that ends in an error, nothing is loaded.
    fn fetched(&self, url: &str, destination: &GraphName) -> Result<Vec<Quad>, ServiceError> {
        let services = self.options.services.as_deref();
        let services =
            services.ok_or_else(|| ServiceError("this archive was not lent a client to load with".into()))?;
        let mut quads = Vec::new();
        for quad in load(services, url, &self.control)? {
            let mut quad = quad?;
            if quad.graph_name.is_default_graph() {
                quad.graph_name = destination.clone();
            } else if !destination.is_default_graph() {
                let message = "it has named graphs of its own: leave INTO GRAPH out to keep them";
                return Err(ServiceError(message.into()));
            }
            quads.push(quad);
        }
        Ok(quads)
    }

    fn each(&mut self, target: &GraphTarget, silent: bool, act: Act) -> Result<(), UpdateError> {
        if let GraphTarget::NamedNode(name) = target {
            if self.has_graph(name)? {
                self.act(act, name.as_ref().into())?;
            } else if !silent {
                return Err(UpdateError::NoGraph(name.clone()));
            }
            return Ok(());
        }
        if matches!(target, GraphTarget::NamedGraphs | GraphTarget::AllGraphs) {
            for name in self.named_graphs()? {
                self.alive()?;
                let name = match name.as_ref() {
                    NamedOrBlankNodeRef::NamedNode(name) => name.into(),
                    NamedOrBlankNodeRef::BlankNode(name) => name.into(),
                };
                self.act(act, name)?;
            }
        }
        if matches!(target, GraphTarget::DefaultGraph | GraphTarget::AllGraphs) {
            self.act(act, GraphNameRef::DefaultGraph)?;
        }
        Ok(())
    }

    fn act(&mut self, act: Act, graph: GraphNameRef<'_>) -> Result<(), ArchiveError> {
        match act {
            Act::Clear => self.transaction.clear_graph(graph),
            Act::Drop => self.transaction.drop_graph(graph),
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
                Term::Literal(name) => return Err(ArchiveError::Corrupted(format!("a graph is named {name}"))),
            }
        }
        Ok(names)
    }
}

fn graph(name: spargebra::term::GraphName) -> GraphName {
    match name {
        spargebra::term::GraphName::NamedNode(name) => name.into(),
        spargebra::term::GraphName::DefaultGraph => GraphName::DefaultGraph,
    }
}

impl From<QueryError> for UpdateError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Syntax(error) => Self::Syntax(error),
            QueryError::Stopped(stopped) => Self::Stopped(stopped),
            QueryError::Archive(error) => Self::Archive(error),
            QueryError::Service { endpoint, source } => Self::Service { endpoint, source },
            QueryError::Thread(error) => Self::Thread(error),
            QueryError::Evaluation(error) => Self::Evaluation(error),
            QueryError::Format { .. } | QueryError::Write(_) => unreachable!("an update writes no answer"),
        }
    }
}

impl From<Reason> for QueryError {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Stopped(stopped) => Self::Stopped(stopped),
            Reason::Archive(error) => Self::Archive(error),
            Reason::Service { endpoint, source } => Self::Service { endpoint, source },
        }
    }
}
