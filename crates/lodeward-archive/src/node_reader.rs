//! Reads the statements of many nodes, in ascending order of their numbers.
//!
//! The postings of subjects are sorted by subject, those of objects by object. A cursor follows
//! each list, so that the next node costs a few entries instead of a lookup in every table. Chunks
//! that were read last stay in memory: neighbouring numbers are those of one document, and
//! documents of one site link to each other.

use std::sync::Arc;

use fjall::Readable;
use foldhash::HashSet;

use crate::chunk::Chunk;
use crate::error::ArchiveError;
use crate::keys;
use crate::snapshot::Snapshot;

/// Number of postings that a cursor reads to get to another node. If that is not enough, it looks the
/// node up.
const MAX_STEPS: usize = 64;

/// Number of chunks in memory, at most 4 kB each.
const CACHED_CHUNKS: usize = 8_192;

/// How many statements with an object are read.
#[derive(Clone, Copy, Debug)]
pub struct IncomingBounds {
    /// Statements of one predicate.
    pub max_per_predicate: usize,
    /// Predicates.
    pub max_predicates: usize,
    /// A predicate that is skipped.
    pub skipped_predicate: Option<u64>,
}

/// Statements with the same object.
#[derive(Clone, Debug, Default)]
pub struct IncomingStatements {
    /// The subject and the predicate of each, as numbers; each once.
    pub statements: Vec<[u64; 2]>,
    /// Predicates with more statements than were read. Statements in new chunks come after those.
    pub cut_predicates: Vec<u64>,
    /// Whether there are more predicates.
    pub is_cut: bool,
}

/// Reads statements by the numbers of their nodes. Nodes can be read in any order; an ascending one is
/// fast.
pub struct NodeReader {
    snapshot: Snapshot,
    subjects: PostingCursor<2>,
    objects: PostingCursor<3>,
}

impl NodeReader {
    /// A reader of a snapshot.
    #[must_use]
    pub fn new(snapshot: &Snapshot) -> Self {
        snapshot.cache_chunks(CACHED_CHUNKS);
        Self {
            snapshot: snapshot.clone(),
            subjects: PostingCursor::new(snapshot, b's'),
            objects: PostingCursor::new(snapshot, b'o'),
        }
    }

    /// The first subject with at least this number. It may have lost its statements.
    pub fn subject_from(&mut self, number: u64) -> Result<Option<u64>, ArchiveError> {
        self.subjects.seek([number, 0])?;
        Ok(self.subjects.next.map(|[subject, _]| subject))
    }

    /// Calls `visit` with graph, predicate and object of the quads with a subject, up to a number of
    /// them. The default graph is 0.
    pub fn for_each_quad(
        &mut self,
        subject: u64,
        max: usize,
        mut visit: impl FnMut([u64; 3]),
    ) -> Result<(), ArchiveError> {
        let mut read = 0;
        self.subjects.seek([subject, 0])?;
        while let Some([_, number]) = self.subjects.next.filter(|[of, _]| *of == subject) {
            self.subjects.step()?;
            let Some(chunk) = self.snapshot.chunk(number)? else { continue };
            let Some(query) = chunk.query([Some(subject), None, None]) else { continue };
            let mut from = 0;
            while let Some(position) = chunk.find(query, from) {
                if read == max {
                    return Ok(());
                }
                (from, read) = (position + 1, read + 1);
                let [_, predicate, object] = chunk.triple(position);
                visit([chunk.graph, predicate, object]);
            }
        }
        Ok(())
    }

    /// The statements with an object, within bounds: the first of each predicate, in the order of
    /// their chunks.
    pub fn incoming(&mut self, object: u64, bounds: &IncomingBounds) -> Result<IncomingStatements, ArchiveError> {
        let mut reading = IncomingReading { found: IncomingStatements::default(), bounds, predicates: 0 };
        let mut known = HashSet::default();
        let mut last = None;
        self.objects.seek([object, 0, 0])?;
        while let Some([_, predicate, number]) = self.objects.next.filter(|[of, ..]| *of == object) {
            if last != Some(predicate) {
                last = Some(predicate);
                reading.end_predicate(&mut known);
                if reading.found.is_cut {
                    break;
                }
            }
            let is_skipped = bounds.skipped_predicate == Some(predicate);
            // A posting can refer to a removed chunk.
            let chunk = if is_skipped { None } else { self.snapshot.chunk(number)? };
            let is_open = chunk.is_none_or(|chunk| reading.add_chunk(&chunk, predicate, object, &mut known));
            if is_skipped || !is_open {
                // Its other postings may be very many.
                self.objects.seek([object, predicate + 1, 0])?;
            } else {
                self.objects.step()?;
            }
        }
        reading.end_predicate(&mut known);
        Ok(reading.found)
    }
}

/// The statements that were read so far.
struct IncomingReading<'a> {
    found: IncomingStatements,
    bounds: &'a IncomingBounds,
    /// Number of predicates with statements.
    predicates: usize,
}

impl IncomingReading<'_> {
    /// Adds the statements of a chunk. Returns `false` if there are more of the predicate than are read.
    fn add_chunk(&mut self, chunk: &Arc<Chunk>, predicate: u64, object: u64, known: &mut HashSet<u64>) -> bool {
        let Some(query) = chunk.query([None, Some(predicate), Some(object)]) else { return true };
        let mut from = 0;
        while let Some(position) = chunk.find(query, from) {
            from = position + 1;
            let [subject, ..] = chunk.triple(position);
            if known.insert(subject) {
                if known.len() > self.bounds.max_per_predicate {
                    self.found.cut_predicates.push(predicate);
                    return false;
                }
                self.found.statements.push([subject, predicate]);
            }
        }
        true
    }

    /// Counts the predicate whose subjects are `known`.
    fn end_predicate(&mut self, known: &mut HashSet<u64>) {
        self.predicates += usize::from(!known.is_empty());
        self.found.is_cut |= self.predicates == self.bounds.max_predicates;
        known.clear();
    }
}

/// A place in a sorted list of postings of `N` numbers.
struct PostingCursor<const N: usize> {
    snapshot: Snapshot,
    kind: u8,
    entries: Option<fjall::Iter>,
    /// The first posting that is not before `from`; `None` at the end.
    next: Option<[u64; N]>,
    from: [u64; N],
}

impl<const N: usize> PostingCursor<N> {
    fn new(snapshot: &Snapshot, kind: u8) -> Self {
        Self { snapshot: snapshot.clone(), kind, entries: None, next: None, from: [0; N] }
    }

    /// Moves to the first posting that is not before a target.
    fn seek(&mut self, target: [u64; N]) -> Result<(), ArchiveError> {
        if self.entries.is_some() && target >= self.from {
            for _ in 0..MAX_STEPS {
                if self.next.is_none_or(|next| next >= target) {
                    return Ok(());
                }
                self.step()?;
            }
        }
        let range = keys::key(self.kind, &target)..vec![self.kind + 1];
        self.entries = Some(self.snapshot.view().range(&self.snapshot.tables().postings, range));
        self.from = target;
        self.read_next()
    }

    /// Moves to the next posting.
    fn step(&mut self) -> Result<(), ArchiveError> {
        if let Some(mut passed) = self.next {
            passed[N - 1] += 1;
            self.from = passed;
        }
        self.read_next()
    }

    fn read_next(&mut self) -> Result<(), ArchiveError> {
        let entry = self.entries.as_mut().and_then(Iterator::next);
        let parse = |entry: fjall::Guard| {
            keys::parse_numbers(&entry.key()?).ok_or_else(|| ArchiveError::corrupted("invalid posting key"))
        };
        self.next = entry.map(parse).transpose()?;
        Ok(())
    }
}
