//! Preparing the algebra of a query for spareval.

use oxrdf::GraphName;
use spargebra::Query;
use spargebra::algebra::GraphPattern;

use super::dataset::DefaultGraphView;
use super::error::QueryError;
use super::functions::BoundedFunctions;
use super::join_order::QuadStatistics;
use super::query::QueryGraphs;
use super::query_control::QueryControl;
use super::{join_order, lenient, optionals, planning_cost, service_handler, visible_rows};
use crate::{ArchiveError, Snapshot};

/// Maximum number of default graphs that are estimated separately. For more, the estimates cover
/// all graphs of the archive.
const MAX_ESTIMATED_GRAPHS: usize = 4;

/// How a prepared pattern is evaluated.
pub(super) struct EvaluationPlan {
    pub(super) functions: BoundedFunctions,
    /// Whether sparopt optimises the pattern.
    pub(super) is_optimized: bool,
}

/// Prepares the pattern of a query.
pub(super) fn prepare_query(
    query: &mut Query,
    snapshot: &Snapshot,
    dataset: &QueryGraphs,
    is_lenient: bool,
    control: &QueryControl,
) -> Result<EvaluationPlan, QueryError> {
    let statistics = QuadStatistics { snapshot, with_provenance: dataset.provenance.is_all() };
    prepare(query_pattern(query), Some(statistics), default_graphs(&dataset.view), is_lenient, control)
}

/// The graphs in which patterns outside of `GRAPH` are evaluated.
fn default_graphs(view: &DefaultGraphView) -> join_order::GraphSet {
    match view {
        DefaultGraphView::Own => Some(vec![GraphName::DefaultGraph]),
        DefaultGraphView::Union => None,
        DefaultGraphView::Graphs(names) if names.len() > MAX_ESTIMATED_GRAPHS => None,
        DefaultGraphView::Graphs(names) => Some(names.iter().map(|name| name.clone().into()).collect()),
    }
}

/// Prepares the pattern of an update.
pub(super) fn prepare_update(
    pattern: &mut GraphPattern,
    is_lenient: bool,
    control: &QueryControl,
) -> Result<EvaluationPlan, QueryError> {
    prepare(pattern, None, None, is_lenient, control)
}

fn prepare(
    pattern: &mut GraphPattern,
    statistics: Option<QuadStatistics<'_>>,
    graphs: join_order::GraphSet,
    is_lenient: bool,
    control: &QueryControl,
) -> Result<EvaluationPlan, QueryError> {
    if is_lenient {
        lenient::rewrite(pattern);
    }
    service_handler::rewrite(pattern);
    visible_rows::rewrite(pattern);
    let functions = BoundedFunctions::replace_in(pattern);
    join_order::order_joins(pattern, statistics, graphs, control)?;
    let mut is_optimized = planning_cost::is_optimizable(pattern);
    if !is_optimized {
        optionals::rewrite(pattern);
        is_optimized = planning_cost::is_optimizable(pattern);
    }
    Ok(EvaluationPlan { functions, is_optimized })
}

/// The pattern of a query.
pub(super) fn query_pattern(query: &mut Query) -> &mut GraphPattern {
    match query {
        Query::Select { pattern, .. }
        | Query::Construct { pattern, .. }
        | Query::Describe { pattern, .. }
        | Query::Ask { pattern, .. } => pattern,
    }
}

/// The triple patterns of a query as text, each with its estimated number of quads.
pub(super) fn estimate_patterns(
    query: &mut Query,
    snapshot: &Snapshot,
    dataset: &QueryGraphs,
) -> Result<Vec<(String, u64)>, ArchiveError> {
    let statistics = QuadStatistics { snapshot, with_provenance: dataset.provenance.is_all() };
    join_order::estimate_patterns(query_pattern(query), statistics, &default_graphs(&dataset.view))
}
