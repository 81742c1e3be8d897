//! Reading the statements of an entity by numbers instead of terms.
//!
//! A reader that visits many entities, such as an index, decodes only the terms that it needs. The
//! number of a term never changes while the archive exists, and is never given to another term.

use fjall::Readable;
use oxrdf::{Term, TermRef};

use crate::Collection;
use crate::chunk::Chunk;
use crate::error::ArchiveError;
use crate::keys::{self, PostingKey};
use crate::scan::IdPattern;
use crate::snapshot::Snapshot;
use crate::term::TermId;

/// Number of terms that are read at once.
const TERMS_AHEAD: u64 = 32;

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

/// The statements that were read so far.
struct IncomingReading<'a> {
    found: IncomingStatements,
    bounds: &'a IncomingBounds,
    /// Number of predicates with statements.
    predicates: usize,
}

impl IncomingReading<'_> {
    /// Adds the statements of a chunk. Returns `false` if there are more of the predicate than are read.
    fn add_chunk(&mut self, chunk: &Chunk, predicate: u64, object: u64, known: &mut foldhash::HashSet<u64>) -> bool {
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
    fn end_predicate(&mut self, known: &mut foldhash::HashSet<u64>) {
        self.predicates += usize::from(!known.is_empty());
        self.found.is_cut |= self.predicates == self.bounds.max_predicates;
        known.clear();
    }
}

impl Snapshot {
    /// The term with this number.
    pub fn numbered_term(&self, number: u64) -> Result<Term, ArchiveError> {
        self.term(TermId(number))
    }

    /// As [`Snapshot::numbered_term`], for a reader that also needs the terms of neighbouring numbers,
    /// which are those of the same document: some of them are read at once.
    pub fn numbered_term_ahead(&self, number: u64) -> Result<Term, ArchiveError> {
        if TermId(number).is_in_dictionary() && !self.is_term_cached(number) {
            let keys = keys::number_key(number)..keys::number_key(number + TERMS_AHEAD);
            for entry in self.view().range(&self.tables().terms, keys) {
                let (key, packed) = entry.into_inner()?;
                self.cache_term(keys::parse_number_key(&key)?, &packed);
            }
        }
        self.numbered_term(number)
    }

    /// The number of a term; `None` if no quad ever contained it.
    pub fn term_number(&self, term: TermRef<'_>) -> Result<Option<u64>, ArchiveError> {
        Ok(self.find(term)?.map(|id| id.0))
    }

    /// Whether a number can be that of an IRI or a blank node. Short literals have numbers of their
    /// own.
    #[must_use]
    pub fn may_be_node(number: u64) -> bool {
        TermId(number).is_in_dictionary()
    }

    /// The quads with a subject, as numbers: graph, subject, predicate, object. The default graph is
    /// 0.
    pub fn numbered_quads(&self, subject: u64) -> impl Iterator<Item = Result<[u64; 4], ArchiveError>> + use<> {
        self.scan(IdPattern { terms: [Some(subject), None, None], graph: None })
    }

    /// Whether a document of a collection wrote into the graph with this number.
    pub fn is_in_collection(&self, graph: u64, collection: Collection) -> Result<bool, ArchiveError> {
        let prefix = keys::key(keys::MEMBER, &[graph, u64::from(collection.0)]);
        let first = self.view().prefix(&self.tables().graphs, prefix).next();
        Ok(first.map(fjall::Guard::key).transpose()?.is_some())
    }

    /// The numbers of all subjects, in ascending order.
    pub fn numbered_subjects(&self) -> impl Iterator<Item = Result<u64, ArchiveError>> + use<> {
        let snapshot = self.clone();
        let mut last = None;
        self.view().prefix(&self.tables().postings, PostingKey::SUBJECTS).filter_map(move |entry| {
            let read = || -> Result<Option<u64>, ArchiveError> {
                let parsed = keys::parse_numbers(&entry.key()?);
                let [subject, chunk] = parsed.ok_or_else(|| ArchiveError::corrupted("invalid posting key"))?;
                // A posting can refer to a removed chunk.
                if last == Some(subject) || snapshot.chunk(chunk)?.is_none() {
                    return Ok(None);
                }
                last = Some(subject);
                Ok(Some(subject))
            };
            read().transpose()
        })
    }

    /// The statements with an object, within bounds: the first of each predicate, in the order of
    /// their chunks.
    pub fn incoming(&self, object: u64, bounds: &IncomingBounds) -> Result<IncomingStatements, ArchiveError> {
        let mut reading = IncomingReading { found: IncomingStatements::default(), bounds, predicates: 0 };
        let mut next = keys::object_prefix(object);
        // Postings are sorted by predicate. They are read in one pass, except those of predicates that
        // need not be read to the end, which may be very many.
        while let Some(predicate) = self.read_incoming(object, next, &mut reading)? {
            next = keys::key(b'o', &[object, predicate + 1]);
        }
        Ok(reading.found)
    }

    /// Reads the postings of an object from a key on. Returns a predicate whose other postings are to be
    /// skipped; `None` at the end.
    fn read_incoming(
        &self,
        object: u64,
        from: Vec<u8>,
        reading: &mut IncomingReading<'_>,
    ) -> Result<Option<u64>, ArchiveError> {
        let end = keys::key(b'o', &[object + 1]);
        let mut last = None;
        let mut known = foldhash::HashSet::default();
        for entry in self.view().range(&self.tables().postings, from..end) {
            let parsed = keys::parse_numbers(&entry.key()?);
            let [_, predicate, number] = parsed.ok_or_else(|| ArchiveError::corrupted("invalid posting key"))?;
            if reading.bounds.skipped_predicate == Some(predicate) {
                return Ok(Some(predicate));
            }
            if last != Some(predicate) {
                last = Some(predicate);
                reading.end_predicate(&mut known);
                if reading.found.is_cut {
                    return Ok(None);
                }
            }
            // A posting can refer to a removed chunk.
            let Some(chunk) = self.chunk(number)? else { continue };
            if !reading.add_chunk(&chunk, predicate, object, &mut known) {
                reading.end_predicate(&mut known);
                return Ok(Some(predicate).filter(|_| !reading.found.is_cut));
            }
        }
        reading.end_predicate(&mut known);
        Ok(None)
    }
}
