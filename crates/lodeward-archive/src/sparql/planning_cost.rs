//! The cost of optimising a query, estimated before it is optimised.
//!
//! sparopt cannot be interrupted, and its time grows with the fourth power of the number of
//! `OPTIONAL`s or joined groups, doubles with every nested `GROUP BY`, and `IN` copies its left
//! side for every element. So the number of its steps is estimated from its source (version 0.3).
//! A query that needs too many steps is evaluated as it is written; one that would fill the memory
//! is rejected.

use std::collections::HashSet;

use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression, PropertyPathExpression};

use super::algebra::AlgebraNode;
use super::error::QuerySyntaxError;

/// The maximum number of steps for which a query is optimised: about half a second.
const MAX_PLANNING_STEPS: u64 = 20_000_000;
/// The maximum number of steps for which a query is optimised on the thread of its caller: about 25
/// milliseconds, in which it cannot be stopped.
const MAX_SHORT_STEPS: u64 = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
/// The maximum weight of the expressions that `IN` copies: about 50 MB.
const MAX_COPIED_WEIGHT: u64 = 500_000;
/// The bytes of a constant that weigh as much as an operator.
const BYTES_PER_WEIGHT: usize = 64;

/// Whether sparopt can optimise a pattern in a short time.
pub(super) fn is_optimizable(pattern: &GraphPattern) -> bool {
    planning_steps(pattern) <= MAX_PLANNING_STEPS
}

/// Whether a pattern is optimised so fast that it need not be stopped meanwhile.
pub(super) fn is_short(pattern: &GraphPattern) -> bool {
    planning_steps(pattern) <= MAX_SHORT_STEPS
}

fn planning_steps(pattern: &GraphPattern) -> u64 {
    let mut variables = HashSet::new();
    pattern.on_in_scope_variable(|variable| {
        variables.insert(variable.clone());
    });
    let mut model = CostModel { variables: variables.len() as u64, leaves: 0, filter_weight: 0 };
    let cost = model.pattern(pattern);
    // A filter is copied into all branches that it applies to.
    cost.work.saturating_add(model.leaves.saturating_mul(model.filter_weight))
}

/// Rejects a pattern whose `IN`s copy too much.
pub(super) fn check_copies(pattern: &mut GraphPattern) -> Result<(), QuerySyntaxError> {
    let (written, expanded) = weights(AlgebraNode::Pattern(pattern));
    if expanded.saturating_sub(written) <= MAX_COPIED_WEIGHT {
        return Ok(());
    }
    Err(QuerySyntaxError {
        line: None,
        column: None,
        message: "an expression before IN is too long for the number of elements".to_owned(),
        hint: Some("use BIND for the expression before IN".to_owned()),
    })
}

/// The weight of a node as it is written, and after `IN` is expanded.
fn weights(node: AlgebraNode<'_>) -> (u64, u64) {
    let own = match &node {
        AlgebraNode::Expression(Expression::Literal(literal)) => text_weight(literal.value()),
        AlgebraNode::Expression(Expression::NamedNode(node)) => text_weight(node.as_str()),
        _ => 1,
    };
    let copies = match &node {
        AlgebraNode::Expression(Expression::In(_, list)) => list.len() as u64,
        _ => 1,
    };
    let mut total = (own, own);
    for (position, child) in node.children().into_iter().enumerate() {
        let (written, expanded) = weights(child);
        let copies = if position == 0 { copies.max(1) } else { 1 };
        total.0 = total.0.saturating_add(written);
        total.1 = total.1.saturating_add(expanded.saturating_mul(copies));
    }
    total
}

fn text_weight(text: &str) -> u64 {
    1 + (text.len() / BYTES_PER_WEIGHT) as u64
}

/// The steps of sparopt's functions for one pattern.
#[derive(Clone, Copy)]
struct PatternCost {
    /// Inferring the types of its variables.
    infer: u64,
    /// Estimating its size.
    estimate: u64,
    /// Checking whether it can be evaluated row by row.
    fit: u64,
    /// Everything that is done once: normalising, reordering, moving filters.
    work: u64,
}

struct CostModel {
    variables: u64,
    leaves: u64,
    filter_weight: u64,
}

impl CostModel {
    fn leaf(&mut self, infer: u64, estimate: u64) -> PatternCost {
        self.leaves += 1;
        PatternCost { infer, estimate, fit: 1, work: 1 }
    }

    fn pattern(&mut self, pattern: &GraphPattern) -> PatternCost {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                let leaves: Vec<_> = patterns.iter().map(|_| self.leaf(1, 1)).collect();
                self.join(&leaves)
            }
            GraphPattern::Path { path, .. } => self.leaf(1, path_steps(path)),
            GraphPattern::Values { variables, bindings } => self.leaf(1 + (variables.len() * bindings.len()) as u64, 1),
            GraphPattern::Join { .. } => {
                let mut members = Vec::new();
                self.members(pattern, &mut members);
                self.join(&members)
            }
            GraphPattern::Lateral { left, right } => {
                let (left, right) = (self.pattern(left), self.pattern(right));
                self.lateral(left, right)
            }
            GraphPattern::LeftJoin { left, right, expression } => {
                let (left, right) = (self.pattern(left), self.pattern(right));
                let condition = expression.as_ref().map_or(0, |expression| self.filter(expression));
                self.left_join(left, right).plus(condition)
            }
            GraphPattern::Union { left, right } | GraphPattern::Minus { left, right } => {
                let (left, right) = (self.pattern(left), self.pattern(right));
                PatternCost {
                    infer: sum([1, self.variables, left.infer, right.infer]),
                    estimate: sum([1, left.estimate, right.estimate]),
                    fit: sum([1, left.fit, right.fit]),
                    work: sum([1, left.work, right.work, left.infer, right.infer]),
                }
            }
            GraphPattern::Graph { inner, .. } => self.pattern(inner),
            pattern => self.modifier(pattern),
        }
    }

    /// The cost of an operator on the rows of one pattern.
    fn modifier(&mut self, pattern: &GraphPattern) -> PatternCost {
        match pattern {
            GraphPattern::Filter { expr, inner } => {
                let inner = self.pattern(inner);
                inner.inside().plus(self.filter(expr))
            }
            GraphPattern::Extend { inner, expression, .. } => {
                let inner = self.pattern(inner);
                let size = self.expression(expression);
                PatternCost { infer: inner.infer.saturating_add(size), ..inner }.inside().plus(size)
            }
            GraphPattern::OrderBy { inner, expression } => {
                let inner = self.pattern(inner);
                let keys = expression.iter().map(|order| match order {
                    OrderExpression::Asc(key) | OrderExpression::Desc(key) => self.expression(key),
                });
                let keys = keys.fold(0, u64::saturating_add);
                inner.inside().plus(keys)
            }
            GraphPattern::Group { inner, aggregates, .. } => {
                let inner = self.pattern(inner);
                let arguments = aggregates.iter().map(|(_, aggregate)| match aggregate {
                    AggregateExpression::FunctionCall { expr, .. } => self.expression(expr),
                    AggregateExpression::CountSolutions { .. } => 1,
                });
                let arguments = arguments.fold(0, u64::saturating_add);
                // The types are inferred twice.
                PatternCost { infer: inner.infer.saturating_mul(2), ..inner }.inside().plus(arguments)
            }
            GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. }
            | GraphPattern::Service { inner, .. } => self.pattern(inner).inside(),
            pattern => self.pattern(pattern),
        }
    }

    /// The members of a join, which sparopt flattens.
    fn members(&mut self, pattern: &GraphPattern, members: &mut Vec<PatternCost>) {
        match pattern {
            GraphPattern::Join { left, right } => {
                self.members(left, members);
                self.members(right, members);
            }
            GraphPattern::Bgp { patterns } => members.extend(patterns.iter().map(|_| self.leaf(1, 1))),
            pattern => members.push(self.pattern(pattern)),
        }
    }

    /// sparopt compares all members in every round, with the members joined so far.
    fn join(&self, members: &[PatternCost]) -> PatternCost {
        let count = members.len() as u64;
        let total = |figure: fn(&PatternCost) -> u64| members.iter().map(figure).fold(0, u64::saturating_add);
        let infer = total(|member| member.infer).saturating_add(if count > 1 { count * self.variables } else { 0 });
        let estimate = total(|member| member.estimate);
        let joined = estimate.saturating_add(count.saturating_mul(infer));
        let fit = total(|member| member.fit);
        let compare = if count > 1 { sum([product([count, count, joined]), product([count, fit])]) } else { 0 };
        PatternCost { infer, estimate: joined, fit, work: sum([1, total(|member| member.work), infer, infer, compare]) }
    }

    fn lateral(&self, left: PatternCost, right: PatternCost) -> PatternCost {
        PatternCost {
            infer: sum([1, left.infer, right.infer]),
            estimate: sum([1, left.estimate, right.estimate, left.infer]),
            fit: sum([1, left.fit, right.fit]),
            work: sum([left.work, right.work, product([3, left.infer.saturating_add(self.variables)])]),
        }
    }

    /// If the right side depends on the left one, it becomes a `LATERAL`; this is tried first, so
    /// the right side can be reordered twice.
    fn left_join(&self, left: PatternCost, right: PatternCost) -> PatternCost {
        let infer = sum([1, self.variables, left.infer, right.infer]);
        let estimate = sum([1, left.estimate, right.estimate, left.infer, right.infer]);
        let once = sum([product([4, infer]), product([2, estimate]), right.fit]);
        PatternCost {
            infer,
            estimate,
            fit: sum([left.fit, infer]),
            work: sum([left.work, product([2, right.work]), once]),
        }
    }

    fn filter(&mut self, expression: &Expression) -> u64 {
        let size = self.expression(expression);
        self.filter_weight = self.filter_weight.saturating_add(size);
        size
    }

    /// The steps for an expression: its weight, and the types of both sides of `=`, which are
    /// inferred again for each `=` around them.
    fn expression(&mut self, expression: &Expression) -> u64 {
        self.expression_cost(expression).1
    }

    /// The weight of an expression, and the steps.
    fn expression_cost(&mut self, expression: &Expression) -> (u64, u64) {
        let add = |(weight, steps): (u64, u64), (more, more_steps): (u64, u64)| {
            (weight.saturating_add(more), steps.saturating_add(more_steps))
        };
        match expression {
            Expression::NamedNode(node) => (text_weight(node.as_str()), text_weight(node.as_str())),
            Expression::Literal(literal) => (text_weight(literal.value()), text_weight(literal.value())),
            Expression::Variable(_) | Expression::Bound(_) => (1, 1),
            Expression::Equal(left, right) | Expression::SameTerm(left, right) => {
                let (weight, steps) = add(self.expression_cost(left), self.expression_cost(right));
                (weight.saturating_add(1), steps.saturating_add(weight))
            }
            Expression::Or(left, right)
            | Expression::And(left, right)
            | Expression::Greater(left, right)
            | Expression::GreaterOrEqual(left, right)
            | Expression::Less(left, right)
            | Expression::LessOrEqual(left, right)
            | Expression::Add(left, right)
            | Expression::Subtract(left, right)
            | Expression::Multiply(left, right)
            | Expression::Divide(left, right) => {
                add((1, 1), add(self.expression_cost(left), self.expression_cost(right)))
            }
            Expression::UnaryPlus(inner) | Expression::UnaryMinus(inner) | Expression::Not(inner) => {
                add((1, 1), self.expression_cost(inner))
            }
            Expression::If(condition, then, otherwise) => [condition, then, otherwise]
                .into_iter()
                .fold((1, 1), |total, part| add(total, self.expression_cost(part))),
            Expression::In(needle, list) => {
                let (weight, steps) = self.expression_cost(needle);
                let copies = (list.len() as u64).max(1);
                let needles = (weight.saturating_mul(copies), steps.saturating_add(weight).saturating_mul(copies));
                list.iter().fold(needles, |total, part| add(total, self.expression_cost(part)))
            }
            Expression::Coalesce(list) | Expression::FunctionCall(_, list) => {
                list.iter().fold((1, 1), |total, part| add(total, self.expression_cost(part)))
            }
            Expression::Exists(pattern) => {
                let inner = self.pattern(pattern);
                (inner.infer.saturating_add(1), inner.work.saturating_add(1))
            }
        }
    }
}

impl PatternCost {
    /// The cost of a pattern with one operator around it.
    fn inside(self) -> Self {
        Self {
            infer: self.infer.saturating_add(1),
            estimate: self.estimate.saturating_add(1),
            fit: sum([1, self.fit, self.infer]),
            work: sum([1, self.work, self.infer, self.infer]),
        }
    }

    fn plus(self, work: u64) -> Self {
        Self { work: self.work.saturating_add(work), ..self }
    }
}

/// The steps to estimate the size of a path: both parts of a sequence are estimated twice.
fn path_steps(path: &PropertyPathExpression) -> u64 {
    match path {
        PropertyPathExpression::NamedNode(_) | PropertyPathExpression::NegatedPropertySet(_) => 1,
        PropertyPathExpression::Reverse(inner)
        | PropertyPathExpression::ZeroOrMore(inner)
        | PropertyPathExpression::OneOrMore(inner)
        | PropertyPathExpression::ZeroOrOne(inner) => path_steps(inner).saturating_add(1),
        PropertyPathExpression::Alternative(left, right) => sum([1, path_steps(left), path_steps(right)]),
        PropertyPathExpression::Sequence(left, right) => {
            product([2, path_steps(left).saturating_add(path_steps(right))])
        }
    }
}

fn sum<const N: usize>(parts: [u64; N]) -> u64 {
    parts.into_iter().fold(0, u64::saturating_add)
}

fn product<const N: usize>(parts: [u64; N]) -> u64 {
    parts.into_iter().fold(1, u64::saturating_mul)
}

#[cfg(test)]
mod tests {
    use spargebra::SparqlParser;

    use super::*;
    use crate::sparql::plan::query_pattern;

    fn pattern(sparql: &str) -> GraphPattern {
        let mut query = SparqlParser::new().parse_query(sparql).unwrap();
        std::mem::take(query_pattern(&mut query))
    }

    fn optionals(count: usize) -> String {
        let optional = |n: usize| format!("OPTIONAL {{ ?s <urn:{n}> ?o{n} }} ");
        format!("SELECT * {{ ?s ?p ?o {} }}", (0..count).map(optional).collect::<String>())
    }

    #[test]
    fn usual_queries_are_optimised() {
        assert!(is_optimizable(&pattern("SELECT * { ?s ?p ?o . ?o ?q ?x FILTER(?x > 3) }")));
        assert!(is_optimizable(&pattern(&optionals(30))));
        let unions = "{ ?s <urn:a> ?a } UNION { ?s <urn:b> ?b } FILTER(?s != <urn:c>) ".repeat(10);
        assert!(is_optimizable(&pattern(&format!("SELECT * {{ {unions} }}"))));
        let values = "1 ".repeat(20_000);
        assert!(is_optimizable(&pattern(&format!("SELECT * {{ VALUES ?x {{ {values} }} ?s ?p ?x }}"))));
    }

    #[test]
    fn the_steps_grow_as_those_of_sparopt() {
        let steps = |count| planning_steps(&pattern(&optionals(count)));
        assert!(steps(200) / steps(100) >= 12, "the fourth power: {} {}", steps(100), steps(200));
        assert!(!is_optimizable(&pattern(&optionals(300))));
        let groups = |levels: usize| {
            let open = "{ SELECT ?s (COUNT(?s) AS ?n) { ?s ?p ?o ".repeat(levels);
            pattern(&format!("SELECT * {{ {open} {} }}", "} GROUP BY ?s }".repeat(levels)))
        };
        assert!(is_optimizable(&groups(5)));
        assert!(!is_optimizable(&groups(25)));
    }

    #[test]
    fn copies_of_in_are_bounded() {
        let nested = |levels: usize| {
            let inner = (0..levels).fold("?x".to_owned(), |inner, _| format!("({inner} IN (1, 2))"));
            check_copies(&mut pattern(&format!("SELECT * {{ ?s ?p ?x FILTER({inner}) }}")))
        };
        assert!(nested(3).is_ok());
        assert!(nested(40).is_err());
        let list = vec!["1"; 100_000].join(",");
        assert!(check_copies(&mut pattern(&format!("SELECT * {{ ?s ?p ?x FILTER(?x IN ({list})) }}"))).is_ok());
        let long = "x".repeat(100_000);
        let needle = format!("SELECT * {{ ?s ?p ?x FILTER(CONCAT(?x, '{long}') IN ({})) }}", vec!["1"; 1000].join(","));
        assert!(check_copies(&mut pattern(&needle)).is_err());
    }
}
