//! The join order, from the archive's statistics.
//!
//! sparopt orders patterns by their shape alone: a known subject and predicate count as 10 rows, a
//! predicate and an object as 1,000, and so on, whatever the data. For
//! `?x a :Person . ?x :name "…"` that is arbitrary. But sparopt does not reorder a `LATERAL`
//! (SEP-0006): its right side is evaluated once for every row of the left side, which is how
//! sparopt joins patterns anyway. So this module turns the joined patterns of a group into a chain
//! of `LATERAL`, ordered greedily. The first pattern is the one with the fewest quads by
//! [`Snapshot::estimate`]; each next one gives the fewest rows per row so far. To find that number,
//! a few sample rows are extended along the chain, and the estimate uses their values.
//!
//! sparopt builds a hash table only if two sides have no variable in common, or if one is not a plain
//! pattern; two large patterns are joined row by row. The lookups of such a join are answered from a
//! table in memory once there are many of them (`crate::lookup`).
//!
//! - Filters are pushed into the chain as far as into sparopt's own joins.
//! - Patterns without a common variable stay a join (a cross product, built once).
//! - Blank nodes are variables to sparopt, with the same scope as the whole query, so a basic graph
//!   pattern can be split.
//! - Sub-selects and similar patterns stay in place, and sparopt joins them with the chain.
//! - Inside `EXISTS` and services, sparopt's order is kept.
//! - Updates are ordered by the shape of their patterns alone, as a transaction has no statistics
//!   of its changes.

mod chain;
mod slots;

use std::collections::HashSet;

use oxrdf::GraphName;
use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, TriplePattern};

use super::algebra::child_patterns;
use super::error::QueryError;
use super::query_control::QueryControl;
use crate::ArchiveError;

pub(super) use slots::QuadStatistics;

/// The graphs in which a pattern is evaluated; `None` stands for all of them.
pub(super) type GraphSet = Option<Vec<GraphName>>;

/// Orders the joins of a pattern.
pub(super) fn order_joins(
    pattern: &mut GraphPattern,
    statistics: Option<QuadStatistics<'_>>,
    default: GraphSet,
    control: &QueryControl,
) -> Result<(), QueryError> {
    order_pattern(pattern, &PatternContext { statistics, control, graphs: default, bound: HashSet::new() })
}

/// The triple patterns as text, each with its estimated number of quads, from its constants.
pub(super) fn estimate_patterns(
    pattern: &mut GraphPattern,
    statistics: QuadStatistics<'_>,
    default: &GraphSet,
) -> Result<Vec<(String, u64)>, ArchiveError> {
    let mut found = Vec::new();
    collect_patterns(pattern, default, &mut found);
    let estimated = |(pattern, graphs): (TriplePattern, GraphSet)| {
        let rows = slots::estimate(statistics, &graphs, &slots::pattern_slots(&pattern), &slots::BindingRow::new())?;
        Ok((pattern.to_string(), rows))
    };
    found.into_iter().map(estimated).collect()
}

fn collect_patterns(pattern: &mut GraphPattern, graphs: &GraphSet, found: &mut Vec<(TriplePattern, GraphSet)>) {
    match pattern {
        GraphPattern::Bgp { patterns } => {
            found.extend(patterns.iter().map(|pattern| (pattern.clone(), graphs.clone())));
        }
        GraphPattern::Graph { name, inner } => collect_patterns(inner, &graph_set(name), found),
        GraphPattern::Service { .. } => {}
        _ => child_patterns(pattern).for_each(|child| collect_patterns(child, graphs, found)),
    }
}

fn graph_set(name: &NamedNodePattern) -> GraphSet {
    match name {
        NamedNodePattern::NamedNode(name) => Some(vec![name.clone().into()]),
        NamedNodePattern::Variable(_) => None,
    }
}

/// The context in which a pattern is evaluated.
#[derive(Clone)]
struct PatternContext<'s> {
    /// Without statistics, the order depends only on the shape of patterns.
    statistics: Option<QuadStatistics<'s>>,
    control: &'s QueryControl,
    graphs: GraphSet,
    /// Variables that can have values before the pattern is evaluated.
    bound: HashSet<String>,
}

impl PatternContext<'_> {
    fn with_bound_by(&self, left: &GraphPattern) -> Self {
        let mut after = self.clone();
        left.on_in_scope_variable(|variable| {
            after.bound.insert(variable.as_str().to_owned());
        });
        after
    }
}

fn order_pattern(pattern: &mut GraphPattern, around: &PatternContext<'_>) -> Result<(), QueryError> {
    around.control.check_stopped()?;
    match pattern {
        GraphPattern::Bgp { patterns } if patterns.len() < 2 => Ok(()),
        GraphPattern::Graph { inner, .. } if is_basic_pattern(inner) => {
            *pattern = order_join(std::mem::take(pattern), around)?;
            Ok(())
        }
        GraphPattern::Bgp { .. } | GraphPattern::Join { .. } => {
            *pattern = order_join(std::mem::take(pattern), around)?;
            Ok(())
        }
        GraphPattern::LeftJoin { left, right, .. } | GraphPattern::Lateral { left, right } => {
            order_pattern(left, around)?;
            order_pattern(right, &around.with_bound_by(left))
        }
        GraphPattern::Graph { name, inner } => {
            order_pattern(inner, &PatternContext { graphs: graph_set(name), ..around.clone() })
        }
        GraphPattern::Service { .. } => Ok(()),
        _ => child_patterns(pattern).try_for_each(|child| order_pattern(child, around)),
    }
}

/// A joined pattern that can be evaluated at any position of the chain.
struct ChainLink {
    kind: ChainLinkKind,
    /// The `GRAPH` around the pattern, if it is part of the join.
    graph: Option<NamedNodePattern>,
}

enum ChainLinkKind {
    Triple(TriplePattern),
    /// A path, or `VALUES`.
    Other(GraphPattern),
}

impl ChainLink {
    fn into_pattern(self) -> GraphPattern {
        let pattern = match self.kind {
            ChainLinkKind::Triple(pattern) => GraphPattern::Bgp { patterns: vec![pattern] },
            ChainLinkKind::Other(pattern) => pattern,
        };
        match self.graph {
            Some(name) => GraphPattern::Graph { name, inner: Box::new(pattern) },
            None => pattern,
        }
    }
}

/// Orders the joined patterns.
fn order_join(pattern: GraphPattern, around: &PatternContext<'_>) -> Result<GraphPattern, QueryError> {
    let (mut links, mut others) = (Vec::new(), Vec::new());
    flatten(pattern, None, &mut links, &mut others);
    for other in &mut others {
        order_pattern(other, around)?;
    }
    let chain = if links.is_empty() { None } else { Some(chain::order_links(links, around)?) };
    let join =
        |left: GraphPattern, right: GraphPattern| GraphPattern::Join { left: Box::new(left), right: Box::new(right) };
    Ok(chain.into_iter().chain(others).reduce(join).unwrap_or_default())
}

fn flatten(
    pattern: GraphPattern,
    graph: Option<&NamedNodePattern>,
    links: &mut Vec<ChainLink>,
    others: &mut Vec<GraphPattern>,
) {
    let link = |kind| ChainLink { kind, graph: graph.cloned() };
    match pattern {
        GraphPattern::Join { left, right } => {
            flatten(*left, graph, links, others);
            flatten(*right, graph, links, others);
        }
        GraphPattern::Bgp { patterns } => {
            links.extend(patterns.into_iter().map(|pattern| link(ChainLinkKind::Triple(pattern))));
        }
        GraphPattern::Path { .. } | GraphPattern::Values { .. } => links.push(link(ChainLinkKind::Other(pattern))),
        // sparopt applies the graph name to every inner pattern anyway. A join inside can be split,
        // as each part binds the name.
        GraphPattern::Graph { name, inner } if is_basic_pattern(&inner) => flatten(*inner, Some(&name), links, others),
        other => others.push(other),
    }
}

/// Whether the pattern is a non-empty join of triple patterns and paths.
fn is_basic_pattern(pattern: &GraphPattern) -> bool {
    match pattern {
        GraphPattern::Bgp { patterns } => !patterns.is_empty(),
        GraphPattern::Path { .. } => true,
        GraphPattern::Join { left, right } => is_basic_pattern(left) && is_basic_pattern(right),
        _ => false,
    }
}
