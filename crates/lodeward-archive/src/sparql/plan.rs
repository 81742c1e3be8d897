//! What is done to the algebra of a query before spareval gets it.

use spargebra::Query;
use spargebra::algebra::GraphPattern;

use super::query::Dataset;
use super::{lenient, services};
use crate::{ArchiveError, Snapshot};

/// Prepares the pattern of a query.
pub(super) fn prepare_query(
    query: &mut Query,
    _snapshot: &Snapshot,
    _dataset: &Dataset,
    is_lenient: bool,
) -> Result<(), ArchiveError> {
    let pattern = pattern_of(query);
    prepare(pattern, is_lenient);
    Ok(())
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
