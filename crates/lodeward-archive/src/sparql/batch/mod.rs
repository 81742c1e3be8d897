//! Evaluation in batches of ids.
//!
//! spareval evaluates row by row: each row is a list of its own, each value a term that is copied and
//! checked, and a sort or a filter decodes terms again and again. For the most common patterns this
//! module evaluates the query itself: rows are numbers in one block of memory, the terms of a batch
//! are read from the dictionary together, in its order, and only where a filter, a sort or the result
//! needs their text.
//!
//! It evaluates triple patterns, `GRAPH`, joins, `OPTIONAL`, `UNION`, `MINUS`, `EXISTS`, filters of
//! texts, `COUNT` with `GROUP BY`, `DISTINCT`, `ORDER BY` of variables, `LIMIT` and `OFFSET`. A query
//! with anything else is evaluated by spareval ([`compile`]), and so is one whose sort meets values
//! that are neither nodes nor texts nor integers ([`BatchFailure::Unsupported`]). Results are the
//! same.
//!
//! The first pattern of a query is read in batches, and each batch is passed through the other
//! operations ([`nodes`]), so that a `LIMIT` ends early, and a result of many rows needs little
//! memory.

mod compile;
mod compile_body;
mod compile_test;
mod group;
mod keys;
mod nodes;
mod order;
mod output;
mod rows;
mod row_test;
mod triples;

use std::sync::Arc;

pub(super) use compile::compile;
pub(super) use output::{BatchRows, BatchStart};

use self::nodes::PlanNode;
use super::query_control::{EvaluationAborted, QueryControl};
use crate::lookup::LookupTables;
use crate::{ArchiveError, Snapshot};

/// Why an evaluation in batches ended.
#[derive(Debug)]
pub(super) enum BatchFailure {
    /// The query, or a value in it, is not supported.
    Unsupported,
    /// The query was stopped; its control has the cause.
    Aborted,
    Archive(ArchiveError),
}

impl From<ArchiveError> for BatchFailure {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}

impl From<EvaluationAborted> for BatchFailure {
    fn from(_: EvaluationAborted) -> Self {
        Self::Aborted
    }
}

type BatchResult<T> = Result<T, BatchFailure>;

/// What the operations of a query read.
struct BatchContext {
    snapshot: Snapshot,
    control: Arc<QueryControl>,
    lookups: LookupTables,
}

/// A compiled query.
#[derive(Default)]
pub(super) struct BatchPlan {
    /// Evaluated one after the other: the branches of a `UNION`.
    branches: Vec<PlanNode>,
    /// The number of cells of a row.
    width: usize,
    group: Option<group::GroupStep>,
    order: Vec<order::OrderKey>,
    is_distinct: bool,
    /// The rows that are skipped, and the maximum number of rows after them.
    offset: usize,
    limit: Option<usize>,
    /// The variables of the result, each with its cell; `None` for a variable without values.
    columns: Vec<(oxrdf::Variable, Option<usize>)>,
}

#[cfg(test)]
mod tests {
    use oxrdf::Quad;
    use spargebra::SparqlParser;

    use super::compile;
    use crate::sparql::dataset::DefaultGraphView;
    use crate::{Archive, Options};

    /// Whether queries are evaluated in batches.
    fn is_supported(snapshot: &crate::Snapshot, query: &str) -> bool {
        let query = SparqlParser::new().parse_query(query).unwrap();
        compile(&query, &DefaultGraphView::Union, snapshot).is_ok()
    }

    #[test]
    fn common_queries_are_evaluated_in_batches() {
        let directory = tempfile::tempdir().unwrap();
        let archive = Archive::open(directory.path(), &Options::default()).unwrap();
        let mut transaction = archive.begin();
        let term = |name: &str| oxrdf::NamedNode::new_unchecked(name);
        transaction.insert(Quad::new(term("s:"), term("p:"), term("o:"), term("g:")).as_ref()).unwrap();
        transaction.commit().unwrap();
        let snapshot = archive.snapshot();
        for query in [
            "SELECT * { ?s <p:> ?o . ?o <p:> ?t }",
            "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }",
            "SELECT ?s (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o } GROUP BY ?s ORDER BY DESC(?n) LIMIT 3",
            "SELECT DISTINCT ?s { ?s <p:> ?o FILTER(CONTAINS(?o, 'a')) }",
            "SELECT ?s ?l { ?s <p:> ?o OPTIONAL { ?s <l:> ?l } MINUS { ?s <x:> ?y } FILTER NOT EXISTS { ?s <z:> ?o } }",
            "SELECT * { { ?s <p:> ?o } UNION { ?s <q:> ?o } }",
        ] {
            assert!(is_supported(&snapshot, query), "{query}");
        }
        for query in [
            "SELECT * { ?s <p:>+ ?o }",
            "SELECT * { ?s <p:> ?o . ?t <q:> ?u }",
            "SELECT (SUM(?o) AS ?n) { ?s <p:> ?o }",
            "SELECT * { ?s <p:> ?o FILTER(?o > 3) }",
            "SELECT * { ?s <p:> ?o BIND(STR(?o) AS ?t) }",
            "SELECT * { ?s <p:> ?o OPTIONAL { ?s <q:> ?t OPTIONAL { ?t <q:> ?u } } }",
            "SELECT * { ?s <p:> ?o { SELECT ?o { ?o <q:> ?x } } }",
        ] {
            assert!(!is_supported(&snapshot, query), "{query}");
        }
    }
}
