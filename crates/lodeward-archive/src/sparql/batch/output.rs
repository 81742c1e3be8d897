//! The rows of a query.

use std::sync::Arc;

use oxrdf::{Term, Variable};
use spareval::QuerySolution;

use super::group::RowGroups;
use super::keys::RowNumbers;
use super::nodes::PlanNode;
use super::order::sort_rows;
use super::rows::RowBatch;
use super::triples::{BATCH_ROWS, FirstStep};
use super::{BatchContext, BatchFailure, BatchPlan, BatchResult};
use crate::lookup::{self, LookupTables};
use crate::sparql::error::QueryError;
use crate::sparql::query_control::{QueryControl, run_guarded};
use crate::term::{self, TermId};
use crate::term_batch::TermBatch;
use crate::{ArchiveError, Snapshot};

/// The rows of a query, evaluated as they are read.
pub(in crate::sparql) struct BatchRows {
    context: BatchContext,
    plan: BatchPlan,
    variables: Arc<[Variable]>,
    stream: RowStream,
    /// Whether groups or a sort need all rows first.
    is_collected: bool,
    distinct: Option<RowNumbers>,
    offset: usize,
    limit: Option<usize>,
    /// Rows that are not decoded yet, and the position of the next one.
    ready: RowBatch,
    next: usize,
    decoded: std::vec::IntoIter<Vec<Option<Term>>>,
}

impl BatchRows {
    pub(in crate::sparql) fn new(mut plan: BatchPlan, snapshot: Snapshot, control: Arc<QueryControl>) -> Self {
        let max_quads = control.max_table_bytes() / lookup::BYTES_PER_QUAD;
        let lookups = LookupTables::new(snapshot.reader(), max_quads);
        Self {
            context: BatchContext { snapshot, control, lookups },
            variables: plan.columns.iter().map(|(variable, _)| variable.clone()).collect(),
            stream: RowStream { branches: std::mem::take(&mut plan.branches).into_iter(), current: None },
            is_collected: plan.group.is_some() || !plan.order.is_empty(),
            distinct: plan.is_distinct.then(RowNumbers::default),
            offset: plan.offset,
            limit: plan.limit,
            ready: RowBatch::new(plan.width),
            next: 0,
            decoded: Vec::new().into_iter(),
            plan,
        }
    }

    pub(in crate::sparql) fn variables(&self) -> Vec<Variable> {
        self.variables.to_vec()
    }

    /// Evaluates the first rows. Returns whether there are any.
    pub(in crate::sparql) fn start(&mut self) -> Result<bool, BatchStart> {
        let control = Arc::clone(&self.context.control);
        match run_guarded(&control, || self.decode_next()).map_err(|cause| BatchStart::Failed(cause.into()))? {
            Ok(found) => Ok(found),
            Err(BatchFailure::Unsupported) => Err(BatchStart::Unsupported),
            Err(failure) => Err(BatchStart::Failed(self.to_error(failure))),
        }
    }

    fn to_error(&self, failure: BatchFailure) -> QueryError {
        match failure {
            BatchFailure::Archive(error) => error.into(),
            // A sort is unsupported before the first row, if at all.
            BatchFailure::Unsupported => ArchiveError::corrupted("a value cannot be sorted").into(),
            BatchFailure::Aborted => match self.context.control.check_stopped() {
                Err(error) => error,
                Ok(()) => QueryError::Stopped(crate::sparql::QueryLimit::Cancelled),
            },
        }
    }

    /// Decodes the next rows. Returns whether there are any.
    fn decode_next(&mut self) -> BatchResult<bool> {
        while self.next == self.ready.len() {
            if self.limit == Some(0) {
                return Ok(false);
            }
            let Some(rows) = self.next_rows()? else { return Ok(false) };
            self.ready = self.sliced(rows);
            self.next = 0;
        }
        let end = (self.next + BATCH_ROWS).min(self.ready.len());
        let cells: Vec<usize> = self.plan.columns.iter().filter_map(|(_, cell)| *cell).collect();
        let mut part = RowBatch::new(self.plan.width);
        (self.next..end).for_each(|at| part.push(self.ready.row(at)));
        self.next = end;
        let terms = TermBatch::read(&self.context.snapshot, part.values(&cells))?;
        self.context.control.charge(terms.size())?;
        let decode = |id: u64| -> BatchResult<Option<Term>> {
            if id == 0 {
                return Ok(None);
            }
            let term = terms.get(id).and_then(term::decode);
            Ok(Some(term.ok_or_else(|| ArchiveError::corrupted(format!("cannot decode term {id}")))?))
        };
        let row =
            |row: &[u64]| self.plan.columns.iter().map(|(_, cell)| decode(cell.map_or(0, |cell| row[cell]))).collect();
        let decoded: Vec<Vec<Option<Term>>> = part.rows().map(row).collect::<BatchResult<_>>()?;
        self.decoded = decoded.into_iter();
        Ok(true)
    }

    /// The next rows before `OFFSET` and `LIMIT`.
    fn next_rows(&mut self) -> BatchResult<Option<RowBatch>> {
        let mut rows = if std::mem::take(&mut self.is_collected) {
            self.collect_rows()?
        } else {
            match self.stream.next(self.plan.width, &self.context)? {
                Some(rows) => rows,
                None => return Ok(None),
            }
        };
        let Some(seen) = &mut self.distinct else { return Ok(Some(rows)) };
        let cells: Vec<usize> = self.plan.columns.iter().filter_map(|(_, cell)| *cell).collect();
        let values = rows.values(&cells);
        rows.retain(|at| seen.number(&values[at * cells.len()..][..cells.len()]).1);
        Ok(Some(rows))
    }

    /// All rows, grouped and sorted.
    fn collect_rows(&mut self) -> BatchResult<RowBatch> {
        let Self { plan, stream, context, .. } = self;
        let mut all = RowBatch::new(plan.width);
        let mut groups = plan.group.as_ref().map(RowGroups::new);
        while let Some(rows) = stream.next(plan.width, context)? {
            match &mut groups {
                Some(groups) => groups.add(&rows),
                None => all.append(&rows),
            }
        }
        if let Some(groups) = groups {
            all = groups.finish(plan.width)?;
        }
        if plan.order.is_empty() || all.is_empty() {
            return Ok(all);
        }
        let limit = self.limit.filter(|_| self.distinct.is_none()).map(|limit| limit.saturating_add(self.offset));
        sort_rows(&all, &plan.order, limit, context)
    }

    fn sliced(&mut self, mut rows: RowBatch) -> RowBatch {
        let skipped = self.offset.min(rows.len());
        self.offset -= skipped;
        let kept = self.limit.unwrap_or(usize::MAX).min(rows.len() - skipped);
        if let Some(limit) = &mut self.limit {
            *limit -= kept;
        }
        if skipped > 0 || kept < rows.len() {
            rows.retain(|at| (skipped..skipped + kept).contains(&at));
        }
        rows
    }
}

/// Why the first rows are not available.
pub(in crate::sparql) enum BatchStart {
    /// Another evaluator must evaluate the query.
    Unsupported,
    Failed(QueryError),
}

impl Iterator for BatchRows {
    type Item = Result<QuerySolution, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.context.control.check_stopped() {
            return Some(Err(error));
        }
        loop {
            if let Some(row) = self.decoded.next() {
                return Some(Ok((Arc::clone(&self.variables), row).into()));
            }
            match self.start() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(BatchStart::Failed(error)) => return Some(Err(error)),
                Err(BatchStart::Unsupported) => return Some(Err(self.to_error(BatchFailure::Unsupported))),
            }
        }
    }
}

/// The rows of the branches of a pattern, one after the other.
struct RowStream {
    branches: std::vec::IntoIter<PlanNode>,
    /// The first pattern of a branch, and the operations after it.
    current: Option<(FirstStep, PlanNode)>,
}

impl RowStream {
    /// The next rows; `None` at the end.
    fn next(&mut self, width: usize, context: &BatchContext) -> BatchResult<Option<RowBatch>> {
        loop {
            let Some((first, rest)) = &mut self.current else {
                let Some(mut branch) = self.branches.next() else { return Ok(None) };
                match branch.take_first() {
                    Some(step) => self.current = Some((FirstStep::new(step, width, context)?, branch)),
                    None => return run_all(&branch, RowBatch::with_empty_row(width), context).map(Some),
                }
                continue;
            };
            let Some(rows) = first.next_batch(context)? else {
                self.current = None;
                continue;
            };
            let found = run_all(rest, rows, context)?;
            if !found.is_empty() {
                return Ok(Some(found));
            }
        }
    }
}

fn run_all(node: &PlanNode, rows: RowBatch, context: &BatchContext) -> BatchResult<RowBatch> {
    let mut all: Option<RowBatch> = None;
    let width = rows.width();
    node.apply(rows, context, &mut |found| {
        context.control.check()?;
        match &mut all {
            Some(all) => all.append(&found),
            None => all = Some(found),
        }
        Ok(())
    })?;
    Ok(all.unwrap_or_else(|| RowBatch::new(width)))
}

// The number 0 stands for no value in rows, and for the default graph in quads, which is no value.
const _: () = assert!(TermId::DEFAULT_GRAPH.0 == 0);
