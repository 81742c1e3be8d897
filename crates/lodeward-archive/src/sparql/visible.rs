//! Rows without values.
//!
//! All work on rows copies terms, and copies are where a query can be stopped
//! (see [`control`](super::control)); but `VALUES () { () () }` and `{} UNION {}`
//! make rows that have none, and twenty of them side by side a million. Here
//! they get a value of their own, of a variable that nothing else has.

use oxrdf::{Literal, Variable};
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::GroundTerm;

use super::walk::{self, Rewrite};

/// Gives every row that can be multiplied a value.
pub(super) fn rewrite(pattern: &mut GraphPattern) {
    walk::rewrite(pattern, &mut Visible { made: 0 });
}

struct Visible {
    made: usize,
}

impl Visible {
    /// A variable that the parser would not take: a query cannot have it.
    fn variable(&mut self) -> Variable {
        self.made += 1;
        Variable::new_unchecked(format!(" row {}", self.made))
    }
}

impl Rewrite for Visible {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        match pattern {
            GraphPattern::Values { mut variables, mut bindings }
                if bindings.len() > 1 && bindings.iter().any(|row| row.iter().all(Option::is_none)) =>
            {
                variables.push(self.variable());
                for row in &mut bindings {
                    row.push(Some(GroundTerm::Literal(Literal::new_simple_literal(""))));
                }
                GraphPattern::Values { variables, bindings }
            }
            GraphPattern::Union { left, right } => {
                GraphPattern::Union { left: Box::new(self.branch(*left)), right: Box::new(self.branch(*right)) }
            }
            _ => pattern,
        }
    }
}

impl Visible {
    fn branch(&mut self, branch: GraphPattern) -> GraphPattern {
        if !matches!(&branch, GraphPattern::Bgp { patterns } if patterns.is_empty()) {
            return branch;
        }
        let expression = Expression::Literal(Literal::new_simple_literal(""));
        GraphPattern::Extend { inner: Box::new(branch), variable: self.variable(), expression }
    }
}
