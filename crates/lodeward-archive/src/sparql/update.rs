//! Changing.

use oxrdf::{GraphName, Quad, Term};
use spareval::{DeleteInsertQuad, QueryEvaluator};
use spargebra::GraphUpdateOperation;
use spargebra::algebra::GraphTarget;

use super::error::UpdateError;
use super::options::UpdateOptions;
use super::query::{parser, plain};
use crate::{Archive, ArchiveError, Committed, Transaction};

impl Archive {
    /// Does a SPARQL update, all of it or nothing.
    pub fn update(&self, sparql: &str, options: &UpdateOptions) -> Result<Committed, UpdateError> {
        let update = parser(options.base_iri.as_deref())
            .and_then(|parser| parser.parse_update(sparql).map_err(|error| plain(error.to_string())))
            .map_err(UpdateError::Syntax)?;
        let mut transaction = self.begin();
        for operation in update.operations {
            perform(&mut transaction, operation)?;
        }
        Ok(transaction.commit()?)
    }
}

fn perform(transaction: &mut Transaction<'_>, operation: GraphUpdateOperation) -> Result<(), UpdateError> {
    match operation {
        GraphUpdateOperation::InsertData { data } => {
            for quad in data {
                let quad = Quad::new(quad.subject, quad.predicate, quad.object, graph(quad.graph_name));
                transaction.insert(quad.as_ref())?;
            }
        }
        GraphUpdateOperation::DeleteData { data } => {
            for quad in data {
                let object: Term = quad.object.into();
                let quad = Quad::new(quad.subject, quad.predicate, object, graph(quad.graph_name));
                transaction.remove(quad.as_ref())?;
            }
        }
        GraphUpdateOperation::DeleteInsert { delete, insert, using, pattern } => {
            let evaluator = QueryEvaluator::new();
            let changes = evaluator
                .prepare_delete_insert(delete, insert, None, using, &pattern)
                .execute(transaction.reader())
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(UpdateError::Evaluation)?;
            for change in &changes {
                if let DeleteInsertQuad::Delete(quad) = change {
                    transaction.remove(quad.as_ref())?;
                }
            }
            for change in &changes {
                if let DeleteInsertQuad::Insert(quad) = change {
                    transaction.insert(quad.as_ref())?;
                }
            }
        }
        GraphUpdateOperation::Clear { graph: target, .. } => each(transaction, &target, Transaction::clear_graph)?,
        GraphUpdateOperation::Drop { graph: target, .. } => each(transaction, &target, Transaction::drop_graph)?,
        GraphUpdateOperation::Create { graph, .. } => transaction.create_graph(graph.as_ref().into())?,
        GraphUpdateOperation::Load { source, .. } => {
            let source_error = super::services::ServiceError("loading is not set up".into());
            return Err(UpdateError::Load { url: source.into_string(), source: source_error });
        }
    }
    Ok(())
}

fn graph(name: spargebra::term::GraphName) -> GraphName {
    match name {
        spargebra::term::GraphName::NamedNode(name) => name.into(),
        spargebra::term::GraphName::DefaultGraph => GraphName::DefaultGraph,
    }
}

fn each<'a>(
    transaction: &mut Transaction<'a>,
    target: &GraphTarget,
    act: impl Fn(&mut Transaction<'a>, oxrdf::GraphNameRef<'_>) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    match target {
        GraphTarget::NamedNode(name) => act(transaction, name.as_ref().into()),
        _ => act(transaction, oxrdf::GraphNameRef::DefaultGraph),
    }
}
