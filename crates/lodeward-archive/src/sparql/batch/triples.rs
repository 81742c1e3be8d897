//! Reading the quads of one triple pattern.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use super::nodes::BatchSink;
use super::rows::RowBatch;
use super::{BatchContext, BatchResult};
use crate::scan::{IdPattern, QuadScan};
use crate::term::TermId;

/// The number of rows after which they are passed on.
pub(super) const BATCH_ROWS: usize = 4_096;
/// The number of rows of the first batch, so that a query with a `LIMIT` reads little.
const FIRST_BATCH_ROWS: usize = 64;
/// The number of triples for which space is reserved.
const MAX_RESERVED_TRIPLES: u64 = 1 << 20;

/// A position of a triple pattern.
#[derive(Clone, Copy, Debug)]
pub(super) enum TermSlot {
    Known(u64),
    /// The cell of a variable.
    Variable(usize),
    /// A term that no quad contains.
    Missing,
}

/// The graph of a triple pattern.
#[derive(Clone, Copy, Debug)]
pub(super) enum GraphSlot {
    /// All graphs, as a set of triples.
    Union,
    /// The archive's default graph.
    Default,
    /// A named graph.
    Named(TermSlot),
}

/// A triple pattern.
#[derive(Clone, Debug)]
pub(super) struct TripleStep {
    pub(super) terms: [TermSlot; 3],
    pub(super) graph: GraphSlot,
    /// Whether a triple of several graphs may be returned several times.
    pub(super) with_copies: bool,
}

impl TripleStep {
    /// The pattern with the values of a row; `None` if nothing can match.
    fn pattern(&self, row: &[u64]) -> Option<IdPattern> {
        let value = |slot: TermSlot| match slot {
            TermSlot::Known(id) => Some(Some(id)),
            TermSlot::Variable(cell) => Some(Some(row[cell]).filter(|id| *id != 0)),
            TermSlot::Missing => None,
        };
        let [subject, predicate, object] = self.terms.map(value);
        let graph = match self.graph {
            GraphSlot::Union => None,
            GraphSlot::Default => Some(TermId::DEFAULT_GRAPH),
            GraphSlot::Named(name) => value(name)?.map(TermId),
        };
        Some(IdPattern { terms: [subject?, predicate?, object?], graph })
    }

    /// Adds the row with the values of a quad, unless a variable has another value.
    fn bind(&self, row: &[u64], quad: [u64; 4], into: &mut RowBatch) {
        let [graph, terms @ ..] = quad;
        into.push_with(row, |cells| {
            let mut set = |slot: TermSlot, id: u64| match slot {
                TermSlot::Variable(cell) if cells[cell] == 0 => {
                    cells[cell] = id;
                    true
                }
                TermSlot::Variable(cell) => cells[cell] == id,
                TermSlot::Known(_) | TermSlot::Missing => true,
            };
            let in_graph = match self.graph {
                GraphSlot::Named(name) => graph != TermId::DEFAULT_GRAPH.0 && set(name, graph),
                GraphSlot::Union | GraphSlot::Default => true,
            };
            in_graph && self.terms.into_iter().zip(terms).all(|(slot, id)| set(slot, id))
        });
    }

    fn removes_copies(&self) -> bool {
        matches!(self.graph, GraphSlot::Union) && !self.with_copies
    }

    /// Passes on each row with the values of each matching quad.
    pub(super) fn apply(&self, input: &RowBatch, context: &BatchContext, sink: &mut BatchSink<'_>) -> BatchResult<()> {
        let Some(first) = input.rows().next() else { return Ok(()) };
        if let Some(pattern) = self.pattern(first) {
            context.lookups.announce(pattern, input.len() as u64)?;
        }
        let mut found = RowBatch::new(first.len());
        let mut quads = Vec::new();
        for row in input.rows() {
            context.control.check()?;
            let Some(pattern) = self.pattern(row) else { continue };
            context.matches(pattern, self.removes_copies(), &mut quads)?;
            for quad in &quads {
                self.bind(row, *quad, &mut found);
            }
            if found.len() >= BATCH_ROWS {
                sink(std::mem::replace(&mut found, RowBatch::new(first.len())))?;
            }
        }
        if found.is_empty() { Ok(()) } else { sink(found) }
    }
}

impl BatchContext {
    /// Replaces `quads` by those that match.
    fn matches(&self, pattern: IdPattern, as_set: bool, quads: &mut Vec<[u64; 4]>) -> BatchResult<()> {
        quads.clear();
        if let Some(rows) = self.lookups.find(pattern, || self.control.is_stopped())? {
            quads.extend(rows);
            if as_set {
                quads.dedup_by_key(|[_, triple @ ..]| *triple);
            }
            return Ok(());
        }
        let mut scan = self.snapshot.scan(pattern);
        while scan.append_chunk(quads)? {
            self.control.check()?;
        }
        if as_set && quads.iter().any(|quad| quad[0] != quads[0][0]) {
            quads.sort_unstable_by_key(|[_, triple @ ..]| *triple);
            quads.dedup_by_key(|[_, triple @ ..]| *triple);
        }
        Ok(())
    }
}

/// The first pattern of a query, read in batches.
pub(super) struct FirstStep {
    step: TripleStep,
    scan: Option<QuadScan>,
    seen: Option<SeenTriples>,
    quads: Vec<[u64; 4]>,
    empty_row: Vec<u64>,
    batch_rows: usize,
}

impl FirstStep {
    pub(super) fn new(step: TripleStep, width: usize, context: &BatchContext) -> BatchResult<Self> {
        let empty_row = vec![0; width];
        let pattern = step.pattern(&empty_row);
        let seen = match pattern {
            Some(pattern) if step.removes_copies() => Some(SeenTriples::for_pattern(pattern, context)?),
            _ => None,
        };
        let scan = pattern.map(|pattern| context.snapshot.scan(pattern));
        Ok(Self { step, scan, seen, quads: Vec::new(), empty_row, batch_rows: FIRST_BATCH_ROWS })
    }

    /// The next rows; `None` at the end.
    pub(super) fn next_batch(&mut self, context: &BatchContext) -> BatchResult<Option<RowBatch>> {
        let Some(scan) = &mut self.scan else { return Ok(None) };
        let mut found = RowBatch::new(self.empty_row.len());
        while found.len() < self.batch_rows {
            context.control.check()?;
            self.quads.clear();
            if !scan.append_chunk(&mut self.quads)? {
                self.scan = None;
                break;
            }
            for quad in &self.quads {
                let [_, triple @ ..] = *quad;
                if self.seen.as_mut().is_none_or(|seen| seen.insert(triple)) {
                    self.step.bind(&self.empty_row, *quad, &mut found);
                }
            }
        }
        self.batch_rows = (self.batch_rows * 4).min(BATCH_ROWS);
        Ok(Some(found))
    }
}

/// A set of triples. Most fit into 128 bits.
#[derive(Default)]
struct SeenTriples {
    packed: HashSet<u128, FixedState>,
    wide: HashSet<[u64; 3], FixedState>,
}

impl SeenTriples {
    const MAX_SUBJECT: u64 = 1 << 40;
    const MAX_PREDICATE: u64 = 1 << 24;

    fn for_pattern(pattern: IdPattern, context: &BatchContext) -> BatchResult<Self> {
        let expected = match pattern.terms {
            [None, None, None] => context.snapshot.len()?,
            [None, Some(predicate), None] => context.snapshot.predicate_count(TermId(predicate))?,
            _ => 0,
        };
        let mut seen = Self::default();
        seen.packed.reserve(usize::try_from(expected.min(MAX_RESERVED_TRIPLES)).unwrap_or(0));
        Ok(seen)
    }

    /// Returns whether the triple is new.
    fn insert(&mut self, triple: [u64; 3]) -> bool {
        let [subject, predicate, object] = triple;
        if subject < Self::MAX_SUBJECT && predicate < Self::MAX_PREDICATE {
            let nodes = u128::from(subject << 24 | predicate);
            self.packed.insert(nodes << 64 | u128::from(object))
        } else {
            self.wide.insert(triple)
        }
    }
}
