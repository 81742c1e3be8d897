//! The order of joins, by what the archive knows.
//!
//! sparopt orders patterns by their shape alone: a subject and a predicate that
//! are known stand for 10 rows, a predicate and an object for 1,000, and so on,
//! whatever the data. So `?x a :Person . ?x :name "…"` is a coin toss. It leaves
//! room for better: a `LATERAL` (SEP-0006) is evaluated as it stands, its right
//! side once for every row of the left, which is how sparopt joins patterns
//! anyway. Here the patterns of a group that are joined become such a chain,
//! ordered greedily: first the pattern with the fewest quads by
//! [`Snapshot::estimate`], then always the one that gives the fewest rows for a
//! row so far. How many that are is found out by trying: a few rows are carried
//! along as samples, and the estimate is asked with their values in place.
//!
//! Filters reach into the chain as far as into sparopt's own joins. Patterns
//! that have nothing in common stay a join (a cross product, built once).
//! Blank nodes are variables by another name to sparopt, the same in the whole
//! query, so a basic graph pattern may be taken apart. Sub-selects and the like
//! are left where they are, and sparopt joins them with the chain; inside
//! `EXISTS` and services, its order stays. Updates are ordered by the shape of
//! their patterns alone, since a transaction has no statistics of its changes.

mod chain;
mod slots;

use std::collections::HashSet;

use oxrdf::GraphName;
use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, TriplePattern};

use crate::{ArchiveError, Snapshot};

/// Which graphs a pattern is looked for in; `None`: all of them.
pub(super) type Places = Option<Vec<GraphName>>;

/// Orders the joins of a pattern.
pub(super) fn order(
    pattern: &mut GraphPattern,
    snapshot: Option<&Snapshot>,
    default: Places,
) -> Result<(), ArchiveError> {
    order_in(pattern, &Surroundings { snapshot, places: default, bound: HashSet::new() })
}

/// The triple patterns, as texts, and about how many quads match each by its constants.
pub(super) fn estimates(
    pattern: &mut GraphPattern,
    snapshot: &Snapshot,
    default: &Places,
) -> Result<Vec<(String, u64)>, ArchiveError> {
    let mut found = Vec::new();
    collect(pattern, default, &mut found);
    let estimated = |(pattern, places): (TriplePattern, Places)| {
        let rows = slots::estimate(snapshot, &places, &slots::slots(&pattern), &slots::Row::new())?;
        Ok((pattern.to_string(), rows))
    };
    found.into_iter().map(estimated).collect()
}

fn collect(pattern: &GraphPattern, places: &Places, found: &mut Vec<(TriplePattern, Places)>) {
    match pattern {
        GraphPattern::Bgp { patterns } => {
            found.extend(patterns.iter().map(|pattern| (pattern.clone(), places.clone())));
        }
        GraphPattern::Join { left, right }
        | GraphPattern::LeftJoin { left, right, .. }
        | GraphPattern::Lateral { left, right }
        | GraphPattern::Union { left, right }
        | GraphPattern::Minus { left, right } => {
            collect(left, places, found);
            collect(right, places, found);
        }
        GraphPattern::Graph { name, inner } => collect(inner, &places_of(name), found),
        GraphPattern::Filter { inner, .. }
        | GraphPattern::Extend { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Group { inner, .. }
        | GraphPattern::OrderBy { inner, .. } => collect(inner, places, found),
        GraphPattern::Service { .. } | GraphPattern::Values { .. } | GraphPattern::Path { .. } => {}
    }
}

fn places_of(name: &NamedNodePattern) -> Places {
    match name {
        NamedNodePattern::NamedNode(name) => Some(vec![name.clone().into()]),
        NamedNodePattern::Variable(_) => None,
    }
}

/// What is known around a pattern.
#[derive(Clone)]
struct Surroundings<'s> {
    /// Without, the order is by the shape of patterns alone.
    snapshot: Option<&'s Snapshot>,
    places: Places,
    /// The variables that may have values before it is evaluated.
    bound: HashSet<String>,
}

impl Surroundings<'_> {
    fn after(&self, left: &GraphPattern) -> Self {
        let mut after = self.clone();
        left.on_in_scope_variable(|variable| {
            after.bound.insert(variable.as_str().to_owned());
        });
        after
    }
}

fn order_in(pattern: &mut GraphPattern, around: &Surroundings<'_>) -> Result<(), ArchiveError> {
    match pattern {
        GraphPattern::Bgp { patterns } if patterns.len() < 2 => Ok(()),
        GraphPattern::Graph { inner, .. } if is_plain(inner) => {
            *pattern = joined(std::mem::take(pattern), around)?;
            Ok(())
        }
        GraphPattern::Bgp { .. } | GraphPattern::Join { .. } => {
            *pattern = joined(std::mem::take(pattern), around)?;
            Ok(())
        }
        GraphPattern::LeftJoin { left, right, .. } | GraphPattern::Lateral { left, right } => {
            order_in(left, around)?;
            order_in(right, &around.after(left))
        }
        GraphPattern::Union { left, right } | GraphPattern::Minus { left, right } => {
            order_in(left, around)?;
            order_in(right, around)
        }
        GraphPattern::Graph { name, inner } => {
            order_in(inner, &Surroundings { places: places_of(name), ..around.clone() })
        }
        GraphPattern::Filter { inner, .. }
        | GraphPattern::Extend { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Group { inner, .. }
        | GraphPattern::OrderBy { inner, .. } => order_in(inner, around),
        GraphPattern::Service { .. } | GraphPattern::Values { .. } | GraphPattern::Path { .. } => Ok(()),
    }
}

/// Something that can be anywhere in a chain.
struct Link {
    kind: Kind,
    /// The `GRAPH` that it stands in, if that is part of what is joined.
    graph: Option<NamedNodePattern>,
}

enum Kind {
    Triple(TriplePattern),
    /// A path, or `VALUES`.
    Other(GraphPattern),
}

impl Link {
    fn into_pattern(self) -> GraphPattern {
        let pattern = match self.kind {
            Kind::Triple(pattern) => GraphPattern::Bgp { patterns: vec![pattern] },
            Kind::Other(pattern) => pattern,
        };
        match self.graph {
            Some(name) => GraphPattern::Graph { name, inner: Box::new(pattern) },
            None => pattern,
        }
    }
}

/// Orders what is joined.
fn joined(pattern: GraphPattern, around: &Surroundings<'_>) -> Result<GraphPattern, ArchiveError> {
    let (mut links, mut others) = (Vec::new(), Vec::new());
    flatten(pattern, None, &mut links, &mut others);
    for other in &mut others {
        order_in(other, around)?;
    }
    let chain = if links.is_empty() { None } else { Some(chain::chain(links, around)?) };
    let join =
        |left: GraphPattern, right: GraphPattern| GraphPattern::Join { left: Box::new(left), right: Box::new(right) };
    Ok(chain.into_iter().chain(others).reduce(join).unwrap_or_default())
}

fn flatten(
    pattern: GraphPattern,
    graph: Option<&NamedNodePattern>,
    links: &mut Vec<Link>,
    others: &mut Vec<GraphPattern>,
) {
    let link = |kind| Link { kind, graph: graph.cloned() };
    match pattern {
        GraphPattern::Join { left, right } => {
            flatten(*left, graph, links, others);
            flatten(*right, graph, links, others);
        }
        GraphPattern::Bgp { patterns } => links.extend(patterns.into_iter().map(|pattern| link(Kind::Triple(pattern)))),
        GraphPattern::Path { .. } | GraphPattern::Values { .. } => links.push(link(Kind::Other(pattern))),
        // sparopt gives the name to every pattern inside anyway; a join of them
        // may be taken apart, since each of them binds it.
        GraphPattern::Graph { name, inner } if is_plain(&inner) => flatten(*inner, Some(&name), links, others),
        other => others.push(other),
    }
}

/// Whether it is triple patterns and paths, joined, and not nothing.
fn is_plain(pattern: &GraphPattern) -> bool {
    match pattern {
        GraphPattern::Bgp { patterns } => !patterns.is_empty(),
        GraphPattern::Path { .. } => true,
        GraphPattern::Join { left, right } => is_plain(left) && is_plain(right),
        _ => false,
    }
}
