//! Adding a value to rows without values.
//!
//! All work on rows copies terms, and copying a term is where a query can be stopped (see
//! [`query_control`](super::query_control)). But `VALUES () { () () }` and `{} UNION {}` make rows
//! without terms, and twenty such patterns in one group make a million rows. This rewrite adds a
//! value to such rows, in a new variable.

use oxrdf::{Literal, Variable};
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::GroundTerm;

use super::algebra::{self, AlgebraRewrite};

/// Adds a value to rows without values, so that all work on them copies terms.
pub(super) fn rewrite(pattern: &mut GraphPattern) {
    algebra::rewrite(pattern, &mut VisibleRewrite { count: 0 });
}

struct VisibleRewrite {
    count: usize,
}

impl VisibleRewrite {
    /// A variable with a name that the parser rejects, so that no query can contain it.
    fn new_variable(&mut self) -> Variable {
        self.count += 1;
        Variable::new_unchecked(format!(" row {}", self.count))
    }
}

impl AlgebraRewrite for VisibleRewrite {
    fn rewrite_pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        match pattern {
            GraphPattern::Values { mut variables, mut bindings }
                if bindings.len() > 1 && bindings.iter().any(|row| row.iter().all(Option::is_none)) =>
            {
                variables.push(self.new_variable());
                for row in &mut bindings {
                    row.push(Some(GroundTerm::Literal(Literal::new_simple_literal(""))));
                }
                GraphPattern::Values { variables, bindings }
            }
            GraphPattern::Union { left, right } => GraphPattern::Union {
                left: Box::new(self.make_visible(*left)),
                right: Box::new(self.make_visible(*right)),
            },
            _ => pattern,
        }
    }
}

impl VisibleRewrite {
    fn make_visible(&mut self, branch: GraphPattern) -> GraphPattern {
        if !matches!(&branch, GraphPattern::Bgp { patterns } if patterns.is_empty()) {
            return branch;
        }
        let expression = Expression::Literal(Literal::new_simple_literal(""));
        GraphPattern::Extend { inner: Box::new(branch), variable: self.new_variable(), expression }
    }
}
