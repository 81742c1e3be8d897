//! Reading the statements of an entity by numbers instead of terms.
//!
//! A reader that visits many entities, such as an index, decodes only the terms that it needs. The
//! number of a term never changes while the archive exists, and is never given to another term.

use fjall::Readable;
use oxrdf::{Term, TermRef};

use crate::Collection;
use crate::error::ArchiveError;
use crate::keys::{self, PostingKey};
use crate::scan::IdPattern;
use crate::snapshot::Snapshot;
use crate::term::TermId;

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

impl Snapshot {
    /// The term with this number.
    pub fn numbered_term(&self, number: u64) -> Result<Term, ArchiveError> {
        self.term(TermId(number))
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
                if last == Some(subject) || !snapshot.is_published(chunk) || snapshot.encoded_chunk(chunk)?.is_none() {
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
        let mut found = IncomingStatements::default();
        let end = keys::key(b'o', &[object + 1]);
        let mut next = keys::object_prefix(object);
        let mut predicates = 0;
        while let Some(entry) = self.view().range(&self.tables().postings, next..end.clone()).next() {
            let parsed = keys::parse_numbers(&entry.key()?);
            let [_, predicate, _] = parsed.ok_or_else(|| ArchiveError::corrupted("invalid posting key"))?;
            next = keys::key(b'o', &[object, predicate + 1]);
            if bounds.skipped_predicate == Some(predicate) {
                continue;
            }
            let before = found.statements.len();
            let pattern = IdPattern { terms: [None, Some(predicate), Some(object)], graph: None };
            let mut known = foldhash::HashSet::default();
            for quad in self.scan(pattern) {
                let [_, subject, ..] = quad?;
                if known.insert(subject) {
                    if known.len() > bounds.max_per_predicate {
                        found.cut_predicates.push(predicate);
                        break;
                    }
                    found.statements.push([subject, predicate]);
                }
            }
            // A posting can refer to a removed chunk.
            predicates += usize::from(found.statements.len() > before);
            if predicates == bounds.max_predicates {
                found.is_cut = true;
                break;
            }
        }
        Ok(found)
    }
}
