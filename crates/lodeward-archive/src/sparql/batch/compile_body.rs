//! Compiling graph patterns.
//!
//! A pattern on the right side of a join, of `OPTIONAL`, of `MINUS` or in `EXISTS` is evaluated for
//! the rows of the left side, with their values. For a join of triple patterns this gives the same
//! result as evaluating both sides on their own, so only such patterns are supported there. They must
//! share a variable with the left side that always has a value: otherwise all quads of the pattern
//! would be read for each row.

use std::collections::{BTreeSet, HashMap};

use oxrdf::TermRef;
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::nodes::{MatchTest, OptionalNode, PlanNode};
use super::row_test::RowTest;
use super::triples::{GraphSlot, TermSlot, TripleStep};
use super::{BatchFailure, BatchResult};
use crate::Snapshot;

/// Compiles patterns of one query.
pub(super) struct PatternCompiler<'a> {
    snapshot: &'a Snapshot,
    default: GraphSlot,
    /// The cells of variables; the name of a blank node begins with `_:`.
    pub(super) names: HashMap<String, usize>,
    pub(super) width: usize,
    /// Whether triples of several graphs need not be merged, as only distinct values count.
    pub(super) with_copies: bool,
    /// Tests that are added where their variables have values.
    pending: Vec<PendingTest>,
    filters: usize,
}

struct PendingTest {
    /// The number of the filter.
    filter: usize,
    cells: Vec<usize>,
    test: RowTest,
}

/// What is known about the rows before a pattern.
#[derive(Clone, Default)]
pub(super) struct RowsBefore {
    /// The cells that have a value in all rows.
    bound: BTreeSet<usize>,
    /// Whether there is a pattern before.
    has_rows: bool,
}

impl<'a> PatternCompiler<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, default: GraphSlot) -> Self {
        let (names, pending) = (HashMap::new(), Vec::new());
        Self { snapshot, default, names, width: 0, with_copies: false, pending, filters: 0 }
    }

    pub(super) fn new_cell(&mut self) -> usize {
        self.width += 1;
        self.width - 1
    }

    pub(super) fn cell(&mut self, name: &str) -> usize {
        if let Some(cell) = self.names.get(name) {
            return *cell;
        }
        let cell = self.new_cell();
        self.names.insert(name.to_owned(), cell);
        cell
    }

    /// Compiles the pattern of a query; each branch of a `UNION` on its own.
    pub(super) fn compile_branches(&mut self, pattern: &GraphPattern) -> BatchResult<Vec<PlanNode>> {
        if let GraphPattern::Union { left, right } = pattern {
            let mut branches = self.compile_branches(left)?;
            branches.extend(self.compile_branches(right)?);
            return Ok(branches);
        }
        Ok(vec![self.compile(pattern, &mut RowsBefore::default())?])
    }

    fn compile(&mut self, pattern: &GraphPattern, before: &mut RowsBefore) -> BatchResult<PlanNode> {
        match pattern {
            GraphPattern::Filter { expr, inner } => self.compile_filter(expr, inner, before),
            GraphPattern::Join { left, right } | GraphPattern::Lateral { left, right } => {
                let left = self.compile(left, before)?;
                let right = self.compile_joined(right, self.default, before)?;
                Ok(chain(left, right))
            }
            GraphPattern::LeftJoin { left, right, expression } => {
                let left = self.compile(left, before)?;
                let mark = self.new_cell();
                let mut after = before.clone();
                let right = self.compile_apart(right, &mut after)?;
                let test = match expression {
                    Some(expression) => Some(self.compile_test(expression, &after)?.0),
                    None => None,
                };
                Ok(PlanNode::Optional(Box::new(OptionalNode { left, right, test, mark })))
            }
            GraphPattern::Minus { left, right } => {
                let left = self.compile(left, before)?;
                Ok(PlanNode::Minus(Box::new(left), self.compile_match(right, before)?))
            }
            // The first pattern of a branch must be a triple pattern.
            GraphPattern::Union { .. } if !before.has_rows => Err(BatchFailure::Unsupported),
            _ => self.compile_joined(pattern, self.default, before),
        }
    }

    /// Compiles a pattern that is evaluated for rows, of which none is removed if it has no match.
    fn compile_apart(&mut self, pattern: &GraphPattern, before: &mut RowsBefore) -> BatchResult<PlanNode> {
        if !before.has_rows {
            return Err(BatchFailure::Unsupported);
        }
        let pending = std::mem::take(&mut self.pending);
        let node = self.compile_joined(pattern, self.default, before);
        self.pending = pending;
        node
    }

    /// Compiles a pattern of which only the existence of a match counts.
    pub(super) fn compile_match(&mut self, pattern: &GraphPattern, before: &RowsBefore) -> BatchResult<MatchTest> {
        let with_copies = std::mem::replace(&mut self.with_copies, true);
        let mark = self.new_cell();
        let node = self.compile_apart(pattern, &mut before.clone());
        self.with_copies = with_copies;
        Ok(MatchTest { pattern: Box::new(node?), mark })
    }

    /// Compiles a join of triple patterns, `GRAPH` and `UNION`.
    fn compile_joined(
        &mut self,
        pattern: &GraphPattern,
        graph: GraphSlot,
        before: &mut RowsBefore,
    ) -> BatchResult<PlanNode> {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                let mut node = PlanNode::Input;
                for pattern in patterns {
                    let step = self.compile_triple(pattern, graph, before)?;
                    node = self.add_tests(chain(node, PlanNode::Triple(step)), before);
                }
                Ok(node)
            }
            GraphPattern::Join { left, right } | GraphPattern::Lateral { left, right } => {
                let left = self.compile_joined(left, graph, before)?;
                Ok(chain(left, self.compile_joined(right, graph, before)?))
            }
            GraphPattern::Graph { name, inner } if is_basic(inner) => {
                let name = match name {
                    NamedNodePattern::NamedNode(name) => self.known(name.as_ref().into())?,
                    NamedNodePattern::Variable(name) => TermSlot::Variable(self.cell(name.as_str())),
                };
                self.compile_joined(inner, GraphSlot::Named(name), before)
            }
            GraphPattern::Union { left, right } if before.has_rows => {
                let (mut one, mut other) = (before.clone(), before.clone());
                let pending = std::mem::take(&mut self.pending);
                let left = self.compile_joined(left, graph, &mut one);
                let right = self.compile_joined(right, graph, &mut other);
                self.pending = pending;
                before.bound = one.bound.intersection(&other.bound).copied().collect();
                Ok(PlanNode::Either(Box::new(left?), Box::new(right?)))
            }
            _ => Err(BatchFailure::Unsupported),
        }
    }

    fn compile_triple(
        &mut self,
        pattern: &TriplePattern,
        graph: GraphSlot,
        before: &mut RowsBefore,
    ) -> BatchResult<TripleStep> {
        let subject = self.term_slot(&pattern.subject)?;
        let predicate = match &pattern.predicate {
            NamedNodePattern::NamedNode(node) => self.known(node.as_ref().into())?,
            NamedNodePattern::Variable(name) => TermSlot::Variable(self.cell(name.as_str())),
        };
        let terms = [subject, predicate, self.term_slot(&pattern.object)?];
        let graph_name = match graph {
            GraphSlot::Named(name) => Some(name),
            GraphSlot::Union | GraphSlot::Default => None,
        };
        let cells: Vec<usize> = terms.into_iter().chain(graph_name).filter_map(TermSlot::cell).collect();
        if before.has_rows && !cells.is_empty() && !cells.iter().any(|cell| before.bound.contains(cell)) {
            return Err(BatchFailure::Unsupported);
        }
        before.bound.extend(cells);
        before.has_rows = true;
        Ok(TripleStep { terms, graph, with_copies: self.with_copies })
    }

    fn term_slot(&mut self, term: &TermPattern) -> BatchResult<TermSlot> {
        match term {
            TermPattern::NamedNode(node) => self.known(node.as_ref().into()),
            TermPattern::Literal(literal) => self.known(literal.as_ref().into()),
            TermPattern::BlankNode(node) => Ok(TermSlot::Variable(self.cell(&format!("_:{}", node.as_str())))),
            TermPattern::Variable(name) => Ok(TermSlot::Variable(self.cell(name.as_str()))),
        }
    }

    pub(super) fn known(&self, term: TermRef<'_>) -> BatchResult<TermSlot> {
        Ok(self.snapshot.find(term)?.map_or(TermSlot::Missing, |id| TermSlot::Known(id.0)))
    }

    fn compile_filter(
        &mut self,
        expression: &Expression,
        inner: &GraphPattern,
        before: &mut RowsBefore,
    ) -> BatchResult<PlanNode> {
        self.filters += 1;
        let filter = self.filters;
        let (parts, matches): (Vec<_>, Vec<_>) = conjuncts(expression).into_iter().partition(|part| !has_exists(part));
        for part in parts {
            let (test, cells) = self.compile_test(part, before)?;
            self.pending.push(PendingTest { filter, cells, test });
        }
        let node = self.compile(inner, before)?;
        // Tests of variables that need not have a value are left.
        let (own, others) = std::mem::take(&mut self.pending).into_iter().partition(|test| test.filter == filter);
        self.pending = others;
        let own: Vec<PendingTest> = own;
        let mut tests: Vec<RowTest> = own.into_iter().map(|test| test.test).collect();
        for part in matches {
            tests.push(self.compile_test(part, before)?.0);
        }
        Ok(if tests.is_empty() { node } else { PlanNode::Filter(Box::new(node), tests) })
    }

    /// Adds the tests whose variables have values.
    fn add_tests(&mut self, node: PlanNode, before: &RowsBefore) -> PlanNode {
        let is_ready = |test: &PendingTest| test.cells.iter().all(|cell| before.bound.contains(cell));
        let (ready, pending): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending).into_iter().partition(is_ready);
        self.pending = pending;
        if ready.is_empty() {
            return node;
        }
        PlanNode::Filter(Box::new(node), ready.into_iter().map(|test| test.test).collect())
    }
}

impl TermSlot {
    fn cell(self) -> Option<usize> {
        match self {
            Self::Variable(cell) => Some(cell),
            Self::Known(_) | Self::Missing => None,
        }
    }
}

fn chain(left: PlanNode, right: PlanNode) -> PlanNode {
    match (left, right) {
        (PlanNode::Input, right) => right,
        (left, PlanNode::Input) => left,
        (left, right) => PlanNode::Chain(Box::new(left), Box::new(right)),
    }
}

/// Whether the pattern is a non-empty join of triple patterns.
fn is_basic(pattern: &GraphPattern) -> bool {
    match pattern {
        GraphPattern::Bgp { patterns } => !patterns.is_empty(),
        GraphPattern::Join { left, right } | GraphPattern::Lateral { left, right } => is_basic(left) && is_basic(right),
        _ => false,
    }
}

/// The parts of a conjunction.
fn conjuncts(expression: &Expression) -> Vec<&Expression> {
    match expression {
        Expression::And(left, right) => {
            let mut parts = conjuncts(left);
            parts.extend(conjuncts(right));
            parts
        }
        other => vec![other],
    }
}

fn has_exists(expression: &Expression) -> bool {
    match expression {
        Expression::Exists(_) => true,
        Expression::And(left, right) | Expression::Or(left, right) => has_exists(left) || has_exists(right),
        Expression::Not(inner) => has_exists(inner),
        _ => false,
    }
}
