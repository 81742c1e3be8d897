//! `OPTIONAL` as a `LATERAL`, for queries that sparopt does not optimise.
//!
//! Without sparopt, an `OPTIONAL` compares all rows of its two sides. As a `LATERAL`, its right side
//! is evaluated once for each row of the left side, as sparopt would do it.

use std::collections::HashSet;

use oxrdf::Variable;
use spargebra::algebra::GraphPattern;

use super::algebra::{self, AlgebraRewrite};

/// Rewrites the `OPTIONAL`s of a pattern whose right side is a basic pattern that depends on the
/// left side.
pub(super) fn rewrite(pattern: &mut GraphPattern) {
    algebra::rewrite(pattern, &mut OptionalRewrite);
}

struct OptionalRewrite;

impl AlgebraRewrite for OptionalRewrite {
    fn includes_services(&self) -> bool {
        false
    }

    fn rewrite_pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        match pattern {
            GraphPattern::LeftJoin { left, right, expression } if is_basic(&right) && have_common(&left, &right) => {
                let right = GraphPattern::LeftJoin { left: Box::default(), right, expression };
                GraphPattern::Lateral { left, right: Box::new(right) }
            }
            pattern => pattern,
        }
    }
}

/// Whether the pattern consists of triple patterns and paths.
fn is_basic(pattern: &GraphPattern) -> bool {
    match pattern {
        GraphPattern::Bgp { patterns } => !patterns.is_empty(),
        GraphPattern::Path { .. } => true,
        GraphPattern::Graph { inner, .. } => is_basic(inner),
        GraphPattern::Lateral { left, right } => is_basic(left) && is_basic(right),
        _ => false,
    }
}

fn have_common(left: &GraphPattern, right: &GraphPattern) -> bool {
    let variables = |pattern: &GraphPattern| {
        let mut variables: HashSet<Variable> = HashSet::new();
        pattern.on_in_scope_variable(|variable| {
            variables.insert(variable.clone());
        });
        variables
    };
    !variables(left).is_disjoint(&variables(right))
}
