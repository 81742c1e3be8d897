//! What is done to the algebra of a query before spareval gets it.

use oxrdf::GraphName;
use spargebra::Query;
use spargebra::algebra::GraphPattern;

use super::dataset::DefaultView;
use super::query::Dataset;
use super::{lenient, order, services, visible};
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
    rewrite(pattern, is_lenient);
    order::order(pattern, Some(snapshot), places(&dataset.view))
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

/// Prepares the pattern of an update.
pub(super) fn prepare_update(pattern: &mut GraphPattern, is_lenient: bool) -> Result<(), ArchiveError> {
    rewrite(pattern, is_lenient);
    order::order(pattern, None, None)
}

fn rewrite(pattern: &mut GraphPattern, is_lenient: bool) {
    if is_lenient {
        lenient::rewrite(pattern);
    }
    services::rewrite(pattern);
    visible::rewrite(pattern);
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

/// The triple patterns of a query, as texts, and about how many quads each matches.
pub(super) fn estimates(
    query: &mut Query,
    snapshot: &Snapshot,
    dataset: &Dataset,
) -> Result<Vec<(String, u64)>, ArchiveError> {
    order::estimates(pattern_of(query), snapshot, &places(&dataset.view))
}
