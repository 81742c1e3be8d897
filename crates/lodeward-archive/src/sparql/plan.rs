//! What is done to the algebra of a query before spareval gets it.

use oxrdf::GraphName;
use spargebra::Query;
use spargebra::algebra::GraphPattern;

use super::dataset::DefaultView;
use super::query::Dataset;
use super::{lenient, order, services};
use crate::{ArchiveError, Snapshot};

/// Of so many default graphs, each is asked for its estimates; of more, all together.
const GRAPHS_ASKED: usize = 4;

/// Prepares the pattern of a query.
pub(super) fn prepare_query(
    query: &mut Query,
    snapshot: &Snapshot,
    dataset: &Dataset,
    is_lenient: bool,
) -> Result<(), ArchiveError> {
    let pattern = pattern_of(query);
    prepare(pattern, is_lenient);
    order::order(pattern, snapshot, places(&dataset.view))
}

/// Where the patterns outside of `GRAPH` are looked for.
fn places(view: &DefaultView) -> order::Places {
    match view {
        DefaultView::Own => Some(vec![GraphName::DefaultGraph]),
        DefaultView::Union => None,
        DefaultView::Graphs(names) if names.len() > GRAPHS_ASKED => None,
        DefaultView::Graphs(names) => Some(names.iter().map(|name| name.clone().into()).collect()),
    }
}

/// Prepares a pattern without an eye on statistics: that of an update.
pub(super) fn prepare(pattern: &mut GraphPattern, is_lenient: bool) {
    if is_lenient {
        lenient::rewrite(pattern);
    }
    services::rewrite(pattern);
}

/// The pattern of a query.
pub(super) fn pattern_of(query: &mut Query) -> &mut GraphPattern {
    match query {
        Query::Select { pattern, .. }
        | Query::Construct { pattern, .. }
        | Query::Describe { pattern, .. }
        | Query::Ask { pattern, .. } => pattern,
    }
}
