//! The operations of a pattern. Each passes batches of rows on to the next one.

use super::row_test::RowTest;
use super::rows::RowBatch;
use super::triples::TripleStep;
use super::{BatchContext, BatchResult};

/// Receives the rows of an operation.
pub(super) type BatchSink<'a> = dyn FnMut(RowBatch) -> BatchResult<()> + 'a;

/// An operation, with those before it.
pub(super) enum PlanNode {
    /// The rows as they are.
    Input,
    Triple(TripleStep),
    /// The second operation on the rows of the first.
    Chain(Box<Self>, Box<Self>),
    Filter(Box<Self>, Vec<RowTest>),
    Optional(Box<OptionalNode>),
    /// The rows of both.
    Either(Box<Self>, Box<Self>),
    /// The rows of the first for which the second has none.
    Minus(Box<Self>, MatchTest),
}

/// An optional pattern.
pub(super) struct OptionalNode {
    pub(super) left: PlanNode,
    pub(super) right: PlanNode,
    pub(super) test: Option<RowTest>,
    /// The cell with the number of a row of the left side.
    pub(super) mark: usize,
}

/// Whether a pattern has rows for a row.
pub(super) struct MatchTest {
    pub(super) pattern: Box<PlanNode>,
    /// The cell with the number of the row.
    pub(super) mark: usize,
}

impl PlanNode {
    /// Removes the first triple pattern; `None` if the node does not begin with one.
    pub(super) fn take_first(&mut self) -> Option<TripleStep> {
        match self {
            Self::Triple(_) => match std::mem::replace(self, Self::Input) {
                Self::Triple(step) => Some(step),
                _ => None,
            },
            Self::Chain(left, _) | Self::Filter(left, _) | Self::Minus(left, _) => left.take_first(),
            Self::Optional(optional) => optional.left.take_first(),
            Self::Input | Self::Either(..) => None,
        }
    }

    /// Evaluates the operation on some rows.
    pub(super) fn apply(&self, input: RowBatch, context: &BatchContext, sink: &mut BatchSink<'_>) -> BatchResult<()> {
        if input.is_empty() {
            return Ok(());
        }
        match self {
            Self::Input => sink(input),
            Self::Triple(step) => step.apply(&input, context, sink),
            Self::Chain(left, right) => left.apply(input, context, &mut |rows| right.apply(rows, context, sink)),
            Self::Filter(inner, tests) => inner.apply(input, context, &mut |mut rows| {
                for test in tests {
                    test.filter(&mut rows, context)?;
                }
                if rows.is_empty() { Ok(()) } else { sink(rows) }
            }),
            Self::Optional(optional) => {
                optional.left.apply(input, context, &mut |rows| optional.extend(rows, context, sink))
            }
            Self::Either(one, other) => {
                one.apply(input.clone(), context, sink)?;
                other.apply(input, context, sink)
            }
            Self::Minus(left, right) => left.apply(input, context, &mut |mut rows| {
                let found = right.find(&rows, context)?;
                rows.retain(|at| !found[at]);
                if rows.is_empty() { Ok(()) } else { sink(rows) }
            }),
        }
    }
}

/// The rows with their numbers, from 1 on, in a cell.
fn number_rows(rows: &RowBatch, mark: usize) -> RowBatch {
    let mut numbered = rows.clone();
    for (row, number) in numbered.rows_mut().zip(1..) {
        row[mark] = number;
    }
    numbered
}

/// Marks the rows that have these numbers.
fn mark_found(found: &mut [bool], rows: &RowBatch, mark: usize) {
    for row in rows.rows() {
        if let Some(found) = usize::try_from(row[mark]).ok().and_then(|number| found.get_mut(number - 1)) {
            *found = true;
        }
    }
}

impl OptionalNode {
    fn extend(&self, rows: RowBatch, context: &BatchContext, sink: &mut BatchSink<'_>) -> BatchResult<()> {
        let mut found = vec![false; rows.len()];
        self.right.apply(number_rows(&rows, self.mark), context, &mut |mut extended| {
            if let Some(test) = &self.test {
                test.filter(&mut extended, context)?;
            }
            mark_found(&mut found, &extended, self.mark);
            if extended.is_empty() { Ok(()) } else { sink(extended) }
        })?;
        let mut unchanged = rows;
        unchanged.retain(|at| !found[at]);
        if unchanged.is_empty() { Ok(()) } else { sink(unchanged) }
    }
}

impl MatchTest {
    /// For each row, whether the pattern has rows.
    pub(super) fn find(&self, rows: &RowBatch, context: &BatchContext) -> BatchResult<Vec<bool>> {
        let mut found = vec![false; rows.len()];
        self.pattern.apply(number_rows(rows, self.mark), context, &mut |matching| {
            mark_found(&mut found, &matching, self.mark);
            Ok(())
        })?;
        Ok(found)
    }
}
