//! Reading the statements of an entity by numbers instead of terms.
//!
//! A reader that visits many entities, such as an index, decodes only the terms that it needs. The
//! number of a term never changes while the archive exists, and is never given to another term.

use fjall::Readable;
use oxrdf::{Literal, Term, TermRef};

use crate::Collection;
use crate::error::ArchiveError;
use crate::keys;
use crate::scan::IdPattern;
use crate::snapshot::Snapshot;
use crate::term::TermId;

/// Number of terms that are read at once.
const TERMS_AHEAD: u64 = 32;

impl Snapshot {
    /// The term with this number.
    pub fn numbered_term(&self, number: u64) -> Result<Term, ArchiveError> {
        self.term(TermId(number))
    }

    /// As [`Snapshot::numbered_term`], for a reader that also needs the terms of neighbouring numbers,
    /// which are those of the same document: some of them are read at once.
    pub fn numbered_term_ahead(&self, number: u64) -> Result<Term, ArchiveError> {
        self.read_terms_ahead(number)?;
        self.numbered_term(number)
    }

    /// The literal with this number; `None` if it is the number of a node, which is not decoded. Reads
    /// terms ahead.
    pub fn numbered_literal(&self, number: u64) -> Result<Option<Literal>, ArchiveError> {
        self.read_terms_ahead(number)?;
        if TermId(number).is_in_dictionary() && self.is_node(TermId(number))? {
            return Ok(None);
        }
        Ok(match self.numbered_term(number)? {
            Term::Literal(literal) => Some(literal),
            _ => None,
        })
    }

    fn read_terms_ahead(&self, number: u64) -> Result<(), ArchiveError> {
        if TermId(number).is_in_dictionary() && !self.is_term_cached(number) {
            let keys = keys::number_key(number)..keys::number_key(number + TERMS_AHEAD);
            for entry in self.view().range(&self.tables().terms, keys) {
                let (key, packed) = entry.into_inner()?;
                self.cache_term(keys::parse_number_key(&key)?, &packed);
            }
        }
        Ok(())
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

    /// Whether a graph has a statement: subject, predicate, object, as numbers.
    pub fn has_statement(&self, statement: [u64; 3]) -> Result<bool, ArchiveError> {
        let found = self.scan(IdPattern { terms: statement.map(Some), graph: None }).next();
        Ok(found.transpose()?.is_some())
    }

    /// Whether a document of a collection wrote into the graph with this number.
    pub fn is_in_collection(&self, graph: u64, collection: Collection) -> Result<bool, ArchiveError> {
        let prefix = keys::key(keys::MEMBER, &[graph, u64::from(collection.0)]);
        let first = self.view().prefix(&self.tables().graphs, prefix).next();
        Ok(first.map(fjall::Guard::key).transpose()?.is_some())
    }
}
