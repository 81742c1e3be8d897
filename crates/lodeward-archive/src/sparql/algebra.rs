//! Walking and rewriting the patterns and expressions of a query.

use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};

/// A part of a query.
pub(super) enum AlgebraNode<'a> {
    Pattern(&'a mut GraphPattern),
    Expression(&'a mut Expression),
}

impl<'a> AlgebraNode<'a> {
    /// The parts directly below this one.
    pub(super) fn children(self) -> Vec<AlgebraNode<'a>> {
        match self {
            Self::Pattern(pattern) => pattern_children(pattern),
            Self::Expression(expression) => expression_children(expression),
        }
    }
}

/// The patterns directly below a pattern; those in its expressions are left out.
pub(super) fn child_patterns(pattern: &mut GraphPattern) -> impl Iterator<Item = &mut GraphPattern> {
    pattern_children(pattern).into_iter().filter_map(|child| match child {
        AlgebraNode::Pattern(child) => Some(child),
        AlgebraNode::Expression(_) => None,
    })
}

fn pattern_children(pattern: &mut GraphPattern) -> Vec<AlgebraNode<'_>> {
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Path { .. } | GraphPattern::Values { .. } => Vec::new(),
        GraphPattern::Join { left, right }
        | GraphPattern::Lateral { left, right }
        | GraphPattern::Union { left, right }
        | GraphPattern::Minus { left, right } => vec![AlgebraNode::Pattern(left), AlgebraNode::Pattern(right)],
        GraphPattern::LeftJoin { left, right, expression } => {
            let sides = [AlgebraNode::Pattern(left), AlgebraNode::Pattern(right)];
            sides.into_iter().chain(expression.as_mut().map(AlgebraNode::Expression)).collect()
        }
        GraphPattern::Filter { expr: expression, inner } | GraphPattern::Extend { inner, expression, .. } => {
            vec![AlgebraNode::Pattern(inner), AlgebraNode::Expression(expression)]
        }
        GraphPattern::OrderBy { inner, expression } => {
            let keys = expression.iter_mut().map(|order| match order {
                OrderExpression::Asc(key) | OrderExpression::Desc(key) => AlgebraNode::Expression(key),
            });
            [AlgebraNode::Pattern(inner)].into_iter().chain(keys).collect()
        }
        GraphPattern::Group { inner, aggregates, .. } => {
            let arguments = aggregates.iter_mut().filter_map(|(_, aggregate)| match aggregate {
                AggregateExpression::FunctionCall { expr, .. } => Some(AlgebraNode::Expression(expr)),
                AggregateExpression::CountSolutions { .. } => None,
            });
            [AlgebraNode::Pattern(inner)].into_iter().chain(arguments).collect()
        }
        GraphPattern::Graph { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Service { inner, .. } => vec![AlgebraNode::Pattern(inner)],
    }
}

fn expression_children(expression: &mut Expression) -> Vec<AlgebraNode<'_>> {
    match expression {
        Expression::NamedNode(_) | Expression::Literal(_) | Expression::Variable(_) | Expression::Bound(_) => {
            Vec::new()
        }
        Expression::Or(left, right)
        | Expression::And(left, right)
        | Expression::Equal(left, right)
        | Expression::SameTerm(left, right)
        | Expression::Greater(left, right)
        | Expression::GreaterOrEqual(left, right)
        | Expression::Less(left, right)
        | Expression::LessOrEqual(left, right)
        | Expression::Add(left, right)
        | Expression::Subtract(left, right)
        | Expression::Multiply(left, right)
        | Expression::Divide(left, right) => vec![AlgebraNode::Expression(left), AlgebraNode::Expression(right)],
        Expression::UnaryPlus(inner) | Expression::UnaryMinus(inner) | Expression::Not(inner) => {
            vec![AlgebraNode::Expression(inner)]
        }
        Expression::If(condition, then, otherwise) => {
            [condition, then, otherwise].map(|part| AlgebraNode::Expression(part)).into()
        }
        Expression::In(needle, list) => [&mut **needle].into_iter().chain(list).map(AlgebraNode::Expression).collect(),
        Expression::Coalesce(list) | Expression::FunctionCall(_, list) => {
            list.iter_mut().map(AlgebraNode::Expression).collect()
        }
        Expression::Exists(pattern) => vec![AlgebraNode::Pattern(pattern)],
    }
}

/// A rewrite rule. It is applied bottom-up: to a node after its children.
pub(super) trait AlgebraRewrite {
    /// Whether the patterns that are sent to services are rewritten as well.
    fn includes_services(&self) -> bool {
        true
    }

    /// Replaces a pattern.
    fn rewrite_pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        pattern
    }

    /// Replaces an expression.
    fn rewrite_expression(&mut self, expression: Expression) -> Expression {
        expression
    }
}

/// Rewrites a pattern in place.
pub(super) fn rewrite(pattern: &mut GraphPattern, with: &mut impl AlgebraRewrite) {
    if matches!(pattern, GraphPattern::Service { .. }) && !with.includes_services() {
        return;
    }
    rewrite_children(pattern_children(pattern), with);
    *pattern = with.rewrite_pattern(std::mem::take(pattern));
}

fn rewrite_children(children: Vec<AlgebraNode<'_>>, with: &mut impl AlgebraRewrite) {
    for child in children {
        match child {
            AlgebraNode::Pattern(pattern) => rewrite(pattern, with),
            AlgebraNode::Expression(expression) => {
                rewrite_children(expression_children(expression), with);
                let taken = std::mem::replace(expression, Expression::Coalesce(Vec::new()));
                *expression = with.rewrite_expression(taken);
            }
        }
    }
}
