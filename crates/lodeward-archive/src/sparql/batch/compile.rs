//! Compiling a query: what is around its pattern.

use oxrdf::Variable;
use spargebra::Query;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern, OrderExpression};

use super::compile_body::PatternCompiler;
use super::group::{CountStep, GroupStep};
use super::order::OrderKey;
use super::triples::GraphSlot;
use super::{BatchFailure, BatchPlan, BatchResult};
use crate::Snapshot;
use crate::sparql::dataset::DefaultGraphView;

/// Compiles a query whose joins are ordered.
pub(in crate::sparql) fn compile(
    query: &Query,
    view: &DefaultGraphView,
    snapshot: &Snapshot,
) -> BatchResult<BatchPlan> {
    let graph = match view {
        DefaultGraphView::Own => GraphSlot::Default,
        DefaultGraphView::Union => GraphSlot::Union,
        DefaultGraphView::Graphs(_) => return Err(BatchFailure::Unsupported),
    };
    let mut compiler = QueryCompiler { patterns: PatternCompiler::new(snapshot, graph), plan: BatchPlan::default() };
    match query {
        Query::Select { pattern, .. } => compiler.compile_slice(pattern)?,
        Query::Ask { pattern, .. } => {
            compiler.patterns.with_copies = true;
            compiler.plan.limit = Some(1);
            compiler.compile_pattern(pattern)?;
        }
        Query::Construct { .. } | Query::Describe { .. } => return Err(BatchFailure::Unsupported),
    }
    // A row has at least one cell.
    compiler.plan.width = compiler.patterns.width.max(1);
    Ok(compiler.plan)
}

struct QueryCompiler<'a> {
    patterns: PatternCompiler<'a>,
    plan: BatchPlan,
}

impl QueryCompiler<'_> {
    fn compile_slice(&mut self, pattern: &GraphPattern) -> BatchResult<()> {
        let GraphPattern::Slice { inner, start, length } = pattern else { return self.compile_distinct(pattern) };
        self.plan.offset = *start;
        self.plan.limit = *length;
        self.compile_distinct(inner)
    }

    fn compile_distinct(&mut self, pattern: &GraphPattern) -> BatchResult<()> {
        let projection = match pattern {
            GraphPattern::Distinct { inner } => {
                self.plan.is_distinct = true;
                inner
            }
            other => other,
        };
        let GraphPattern::Project { inner, variables } = projection else { return Err(BatchFailure::Unsupported) };
        self.compile_order(inner)?;
        let columns = variables.iter().map(|name| (name.clone(), self.patterns.names.get(name.as_str()).copied()));
        self.plan.columns = columns.collect();
        Ok(())
    }

    fn compile_order(&mut self, pattern: &GraphPattern) -> BatchResult<()> {
        let GraphPattern::OrderBy { inner, expression } = pattern else { return self.compile_extend(pattern) };
        self.compile_extend(inner)?;
        for key in expression {
            let (value, is_descending) = match key {
                OrderExpression::Asc(value) => (value, false),
                OrderExpression::Desc(value) => (value, true),
            };
            let Expression::Variable(name) = value else { return Err(BatchFailure::Unsupported) };
            // A variable without values does not change the order.
            if let Some(&cell) = self.patterns.names.get(name.as_str()) {
                self.plan.order.push(OrderKey { cell, is_descending });
            }
        }
        Ok(())
    }

    /// A variable that is another name of a variable, as in `SELECT (COUNT(*) AS ?n)`.
    fn compile_extend(&mut self, pattern: &GraphPattern) -> BatchResult<()> {
        let GraphPattern::Extend { inner, variable, expression } = pattern else { return self.compile_group(pattern) };
        self.compile_extend(inner)?;
        let Expression::Variable(source) = expression else { return Err(BatchFailure::Unsupported) };
        let names = &mut self.patterns.names;
        let cell = names.get(source.as_str()).copied().ok_or(BatchFailure::Unsupported)?;
        match names.insert(variable.as_str().to_owned(), cell) {
            Some(_) => Err(BatchFailure::Unsupported),
            None => Ok(()),
        }
    }

    fn compile_group(&mut self, pattern: &GraphPattern) -> BatchResult<()> {
        let GraphPattern::Group { inner, variables, aggregates } = pattern else {
            self.patterns.with_copies = self.plan.is_distinct;
            return self.compile_pattern(pattern);
        };
        let counted: Vec<(&Variable, Option<&Variable>, bool)> = aggregates
            .iter()
            .map(|(result, aggregate)| {
                let (value, is_distinct) = counted_value(aggregate)?;
                Ok((result, value, is_distinct))
            })
            .collect::<BatchResult<_>>()?;
        self.patterns.with_copies = counted.iter().all(|(_, _, is_distinct)| *is_distinct);
        self.compile_pattern(inner)?;
        let keys: Vec<usize> = variables.iter().map(|name| self.patterns.cell(name.as_str())).collect();
        let counts = counted.iter().map(|(_, value, is_distinct)| CountStep {
            result: self.patterns.new_cell(),
            value: value.map(|name| self.patterns.cell(name.as_str())),
            is_distinct: *is_distinct,
        });
        let counts: Vec<CountStep> = counts.collect();
        let grouped = variables.iter().zip(&keys).map(|(name, cell)| (name.as_str().to_owned(), *cell));
        let results = counted.iter().zip(&counts).map(|((name, ..), count)| (name.as_str().to_owned(), count.result));
        self.patterns.names = grouped.chain(results).collect();
        self.plan.group = Some(GroupStep { keys, counts });
        Ok(())
    }

    fn compile_pattern(&mut self, pattern: &GraphPattern) -> BatchResult<()> {
        self.plan.branches = self.patterns.compile_branches(pattern)?;
        Ok(())
    }
}

/// The variable that is counted, `None` for `*`, and whether only its distinct values are.
fn counted_value(aggregate: &AggregateExpression) -> BatchResult<(Option<&Variable>, bool)> {
    match aggregate {
        AggregateExpression::CountSolutions { distinct: false } => Ok((None, false)),
        AggregateExpression::FunctionCall {
            name: AggregateFunction::Count,
            expr: Expression::Variable(name),
            distinct,
        } => Ok((Some(name), *distinct)),
        _ => Err(BatchFailure::Unsupported),
    }
}
