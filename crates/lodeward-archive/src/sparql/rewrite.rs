//! Rewriting the patterns and expressions of a query.

use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};

/// A rewrite rule. It is applied bottom-up: to a node after its children.
pub(super) trait AlgebraRewrite {
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
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Path { .. } | GraphPattern::Values { .. } => {}
        GraphPattern::Join { left, right }
        | GraphPattern::Lateral { left, right }
        | GraphPattern::Union { left, right }
        | GraphPattern::Minus { left, right } => {
            rewrite(left, with);
            rewrite(right, with);
        }
        GraphPattern::LeftJoin { left, right, expression } => {
            rewrite(left, with);
            rewrite(right, with);
            if let Some(expression) = expression {
                rewrite_expression(expression, with);
            }
        }
        GraphPattern::Filter { expr, inner } => {
            rewrite(inner, with);
            rewrite_expression(expr, with);
        }
        GraphPattern::Extend { inner, expression, .. } => {
            rewrite(inner, with);
            rewrite_expression(expression, with);
        }
        GraphPattern::OrderBy { inner, expression } => {
            rewrite(inner, with);
            for order in expression {
                let (OrderExpression::Asc(expression) | OrderExpression::Desc(expression)) = order;
                rewrite_expression(expression, with);
            }
        }
        GraphPattern::Group { inner, aggregates, .. } => {
            rewrite(inner, with);
            for (_, aggregate) in aggregates {
                if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                    rewrite_expression(expr, with);
                }
            }
        }
        GraphPattern::Graph { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Service { inner, .. } => rewrite(inner, with),
    }
    *pattern = with.rewrite_pattern(std::mem::take(pattern));
}

fn rewrite_expression(expression: &mut Expression, with: &mut impl AlgebraRewrite) {
    match expression {
        Expression::NamedNode(_) | Expression::Literal(_) | Expression::Variable(_) | Expression::Bound(_) => {}
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
        | Expression::Divide(left, right) => {
            rewrite_expression(left, with);
            rewrite_expression(right, with);
        }
        Expression::UnaryPlus(inner) | Expression::UnaryMinus(inner) | Expression::Not(inner) => {
            rewrite_expression(inner, with);
        }
        Expression::If(condition, then, otherwise) => {
            for part in [condition, then, otherwise] {
                rewrite_expression(part, with);
            }
        }
        Expression::In(needle, list) => {
            rewrite_expression(needle, with);
            for part in list {
                rewrite_expression(part, with);
            }
        }
        Expression::Coalesce(list) | Expression::FunctionCall(_, list) => {
            for part in list {
                rewrite_expression(part, with);
            }
        }
        Expression::Exists(pattern) => rewrite(pattern, with),
    }
    let taken = std::mem::replace(expression, Expression::Coalesce(Vec::new()));
    *expression = with.rewrite_expression(taken);
}
