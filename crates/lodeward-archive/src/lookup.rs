//! Hash joins: lookups of one predicate are answered from memory when there are many of them.
//!
//! An evaluator joins two patterns row by row, with one lookup in the indexes of the archive for
//! each row, which costs about as much as reading a hundred quads in order. A [`LookupTables`]
//! counts these lookups by predicate. When they have cost as much as reading all quads of the
//! predicate, it reads them all into a hash table, and answers further lookups from it. So a join
//! costs at most about twice as much as the better of the two ways, a `LIMIT` ends early, and no
//! estimate of the number of rows is needed.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use foldhash::HashMap;

use crate::error::ArchiveError;
use crate::reader::QuadReader;
use crate::scan::IdPattern;
use crate::term::TermId;

/// The number of quads that can be read and stored in a table in the time of one lookup.
const QUADS_PER_LOOKUP: u64 = 128;
/// The number of lookups below which no table is built.
const MIN_LOOKUPS: u64 = 8;
/// Bytes of a quad in a table, with its share of the hash table.
pub(crate) const BYTES_PER_QUAD: u64 = 64;

/// The lookups of one query.
pub(crate) struct LookupTables {
    reader: QuadReader,
    max_quads: u64,
    states: RefCell<HashMap<(LookupRole, u64), LookupState>>,
}

/// The term that is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum LookupRole {
    Subject,
    Object,
}

enum LookupState {
    /// A table is built after this number of lookups.
    Counting(u64),
    Built(Rc<LookupTable>),
    TooLarge,
}

/// The quads of a predicate, by their subjects or by their objects.
struct LookupTable {
    /// The quads of each key, as a range of `quads`.
    ranges: HashMap<u64, Range<usize>>,
    /// The other term and the graph of each quad, sorted.
    quads: Vec<[u64; 2]>,
}

impl LookupTables {
    /// Creates a counter of lookups. A table has at most `max_quads` quads.
    pub(crate) fn new(reader: QuadReader, max_quads: u64) -> Self {
        Self { reader, max_quads, states: RefCell::default() }
    }

    /// The quads that match, sorted; `None` if there is no table for the pattern. `is_stopped` is
    /// called for every quad that is read for a table, and ends this.
    pub(crate) fn find(
        &self,
        pattern: IdPattern,
        is_stopped: impl Fn() -> bool,
    ) -> Result<Option<LookupRows>, ArchiveError> {
        let (role, predicate, key, other) = match pattern.terms {
            [Some(subject), Some(predicate), object] => (LookupRole::Subject, predicate, subject, object),
            [None, Some(predicate), Some(object)] => (LookupRole::Object, predicate, object, None),
            _ => return Ok(None),
        };
        let Some(table) = self.table(role, predicate, is_stopped)? else { return Ok(None) };
        let range = table.range(key, other);
        Ok(Some(LookupRows { table, range, role, predicate, key, graph: pattern.graph }))
    }

    /// Prepares for this number of lookups of the pattern, with other values: if they suffice for a
    /// table, the first one builds it.
    pub(crate) fn announce(&self, pattern: IdPattern, lookups: u64) -> Result<(), ArchiveError> {
        let role = match pattern.terms {
            [Some(_), Some(_), _] => LookupRole::Subject,
            [None, Some(_), Some(_)] => LookupRole::Object,
            _ => return Ok(()),
        };
        let Some(predicate) = pattern.terms[1] else { return Ok(()) };
        let first = self.first_state(predicate)?;
        let mut states = self.states.borrow_mut();
        if let LookupState::Counting(left) = states.entry((role, predicate)).or_insert(first)
            && *left <= lookups
        {
            *left = 0;
        }
        Ok(())
    }

    fn first_state(&self, predicate: u64) -> Result<LookupState, ArchiveError> {
        let quads = self.reader.snapshot().predicate_count(TermId(predicate))?;
        Ok(if quads > self.max_quads {
            LookupState::TooLarge
        } else {
            LookupState::Counting(MIN_LOOKUPS + quads / QUADS_PER_LOOKUP)
        })
    }

    fn table(
        &self,
        role: LookupRole,
        predicate: u64,
        is_stopped: impl Fn() -> bool,
    ) -> Result<Option<Rc<LookupTable>>, ArchiveError> {
        if let Some(state) = self.states.borrow_mut().get_mut(&(role, predicate)) {
            match state {
                LookupState::Built(table) => return Ok(Some(Rc::clone(table))),
                LookupState::TooLarge => return Ok(None),
                LookupState::Counting(left) if *left > 0 => {
                    *left -= 1;
                    return Ok(None);
                }
                LookupState::Counting(_) => {}
            }
        } else {
            let state = self.first_state(predicate)?;
            self.states.borrow_mut().insert((role, predicate), state);
            return Ok(None);
        }
        let Some(table) = LookupTable::build(&self.reader, role, predicate, is_stopped)? else { return Ok(None) };
        let table = Rc::new(table);
        self.states.borrow_mut().insert((role, predicate), LookupState::Built(Rc::clone(&table)));
        Ok(Some(table))
    }
}

impl LookupTable {
    /// Reads the quads of a predicate; `None` if this is stopped.
    fn build(
        reader: &QuadReader,
        role: LookupRole,
        predicate: u64,
        is_stopped: impl Fn() -> bool,
    ) -> Result<Option<Self>, ArchiveError> {
        let mut rows: Vec<[u64; 3]> = Vec::new();
        for quad in reader.quads(IdPattern { terms: [None, Some(predicate), None], graph: None }) {
            if is_stopped() {
                return Ok(None);
            }
            let [graph, subject, _, object] = quad?;
            rows.push(match role {
                LookupRole::Subject => [subject, object, graph],
                LookupRole::Object => [object, subject, graph],
            });
        }
        rows.sort_unstable();
        let mut ranges = HashMap::default();
        let mut begin = 0;
        for group in rows.chunk_by(|one, other| one[0] == other[0]) {
            ranges.insert(group[0][0], begin..begin + group.len());
            begin += group.len();
        }
        Ok(Some(Self { ranges, quads: rows.into_iter().map(|[_, other, graph]| [other, graph]).collect() }))
    }

    /// The quads with this key, and with this other term if it is given.
    fn range(&self, key: u64, other: Option<u64>) -> Range<usize> {
        let Some(range) = self.ranges.get(&key).cloned() else { return 0..0 };
        let Some(other) = other else { return range };
        let (begin, quads) = (range.start, &self.quads[range]);
        begin + quads.partition_point(|quad| quad[0] < other)..begin + quads.partition_point(|quad| quad[0] <= other)
    }
}

/// Quads from a table, as ids: graph, subject, predicate, object. Those of one triple follow each
/// other.
pub(crate) struct LookupRows {
    table: Rc<LookupTable>,
    range: Range<usize>,
    role: LookupRole,
    predicate: u64,
    key: u64,
    graph: Option<TermId>,
}

impl Iterator for LookupRows {
    type Item = [u64; 4];

    fn next(&mut self) -> Option<[u64; 4]> {
        for at in self.range.by_ref() {
            let [other, graph] = self.table.quads[at];
            if self.graph.is_none_or(|wanted| wanted.0 == graph) {
                return Some(match self.role {
                    LookupRole::Subject => [graph, self.key, self.predicate, other],
                    LookupRole::Object => [graph, other, self.predicate, self.key],
                });
            }
        }
        None
    }
}
