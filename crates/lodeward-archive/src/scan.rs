//! Finding quads.
//!
//! A pattern first gives *candidates*, chunks that may hold matching quads, by
//! the shortest way there is: the chunks of a small graph, the postings of a
//! subject, of an object (with its predicate), of a predicate, or all chunks.
//! Each is then looked through.

use std::iter::Peekable;
use std::sync::Arc;

use fjall::Readable;
use oxrdf::{GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, TermRef};

use crate::chunk::{Chunk, Wanted};
use crate::error::ArchiveError;
use crate::keys::{self, Posting};
use crate::snapshot::{Snapshot, unpack};
use crate::term::TermId;

/// A graph of no more chunks than this is looked through as a whole.
const SMALL_GRAPH: usize = 4;

/// What to look for; `None` is anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// Subject, predicate, object.
    pub(crate) terms: [Option<u64>; 3],
    pub(crate) graph: Option<TermId>,
}

impl Pattern {
    /// The pattern in ids; `None` if one of the terms has no id, so that
    /// nothing can match.
    pub(crate) fn find(
        snapshot: &Snapshot,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<TermRef<'_>>,
        graph: Option<GraphNameRef<'_>>,
    ) -> Result<Option<Self>, ArchiveError> {
        let mut pattern = Self::default();
        let terms = [subject.map(TermRef::from), predicate.map(TermRef::from), object];
        for (id, term) in pattern.terms.iter_mut().zip(terms) {
            if let Some(term) = term {
                let Some(found) = snapshot.find(term)? else { return Ok(None) };
                *id = Some(found.0);
            }
        }
        if let Some(graph) = graph {
            let Some(found) = snapshot.find_graph(graph)? else { return Ok(None) };
            pattern.graph = Some(found);
        }
        Ok(Some(pattern))
    }
}

/// Matching quads, as ids: graph, subject, predicate, object.
pub(crate) struct Scan {
    snapshot: Snapshot,
    pattern: Pattern,
    candidates: Option<Candidates>,
    /// The chunk that is being looked through, and from where.
    current: Option<(Arc<Chunk>, Wanted, usize)>,
}

type Entries = Box<dyn Iterator<Item = Result<u64, ArchiveError>>>;

enum Candidates {
    /// All chunks there are.
    All(fjall::Iter),
    /// These.
    Listed(Entries),
    /// Those that are in both lists, which are in order.
    Both(Peekable<Entries>, Peekable<Entries>),
}

impl Scan {
    pub(crate) fn new(snapshot: Snapshot, pattern: Pattern) -> Self {
        Self { snapshot, pattern, candidates: None, current: None }
    }

    /// The next chunk that may have something.
    fn next_chunk(&mut self) -> Result<Option<Arc<Chunk>>, ArchiveError> {
        let candidates = match &mut self.candidates {
            Some(candidates) => candidates,
            none => none.insert(candidates(&self.snapshot, self.pattern)?),
        };
        loop {
            let number = match candidates {
                Candidates::All(chunks) => return next_of_all(&self.snapshot, chunks),
                Candidates::Listed(numbers) => numbers.next().transpose()?,
                Candidates::Both(left, right) => next_of_both(left, right)?,
            };
            let Some(number) = number else { return Ok(None) };
            // A posting may point at what is gone.
            if let Some(chunk) = self.snapshot.chunk(number)? {
                return Ok(Some(chunk));
            }
        }
    }

    fn advance(&mut self) -> Result<Option<[u64; 4]>, ArchiveError> {
        loop {
            if let Some((chunk, wanted, from)) = &mut self.current {
                if let Some(place) = chunk.find(*wanted, *from) {
                    *from = place + 1;
                    let [subject, predicate, object] = chunk.triple(place);
                    return Ok(Some([chunk.graph, subject, predicate, object]));
                }
                self.current = None;
            }
            let Some(chunk) = self.next_chunk()? else { return Ok(None) };
            if self.pattern.graph.is_none_or(|graph| graph.0 == chunk.graph)
                && let Some(wanted) = chunk.wanted(self.pattern.terms)
            {
                self.current = Some((chunk, wanted, 0));
            }
        }
    }
}

impl Iterator for Scan {
    type Item = Result<[u64; 4], ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}

fn next_of_all(snapshot: &Snapshot, chunks: &mut fjall::Iter) -> Result<Option<Arc<Chunk>>, ArchiveError> {
    let Some(entry) = chunks.next() else { return Ok(None) };
    let (key, bytes) = entry.into_inner()?;
    let number = keys::plain_number(&key)?;
    // Those that are not published have the highest numbers.
    if snapshot.is_published(number) { unpack(number, &bytes).map(|chunk| Some(Arc::new(chunk))) } else { Ok(None) }
}

fn next_of_both(left: &mut Peekable<Entries>, right: &mut Peekable<Entries>) -> Result<Option<u64>, ArchiveError> {
    loop {
        let (one, other) = match (left.peek(), right.peek()) {
            (Some(Ok(one)), Some(Ok(other))) => (*one, *other),
            (Some(Err(_)), _) => return left.next().transpose(),
            (_, Some(Err(_))) => return right.next().transpose(),
            (None, _) | (_, None) => return Ok(None),
        };
        if one <= other {
            left.next();
        }
        if other <= one {
            right.next();
        }
        if one == other {
            return Ok(Some(one));
        }
    }
}

fn candidates(snapshot: &Snapshot, pattern: Pattern) -> Result<Candidates, ArchiveError> {
    let Pattern { terms: [subject, predicate, object], graph } = pattern;
    if let Some(graph) = graph {
        let first: Vec<_> = snapshot.graph_chunks(graph).take(SMALL_GRAPH + 1).collect::<Result<_, _>>()?;
        let wholly = subject.is_none() && predicate.is_none() && object.is_none();
        if first.len() <= SMALL_GRAPH {
            return Ok(Candidates::Listed(Box::new(first.into_iter().map(|entry| Ok(entry.0)))));
        }
        if wholly {
            return Ok(Candidates::Listed(graph_entries(snapshot, graph)));
        }
        if let (None, Some(predicate), None) = (subject, predicate, object) {
            let postings = posting_entries(snapshot, &Posting::Predicate(predicate).prefix());
            return Ok(Candidates::Both(postings.peekable(), graph_entries(snapshot, graph).peekable()));
        }
    }
    Ok(match (subject, predicate, object) {
        (Some(subject), predicate, Some(object)) => {
            let subjects = posting_entries(snapshot, &Posting::Subject(subject).prefix());
            match predicate {
                // Both are in order only where the predicate is known.
                Some(predicate) => {
                    let objects = posting_entries(snapshot, &Posting::Object(object, predicate).prefix());
                    Candidates::Both(subjects.peekable(), objects.peekable())
                }
                None => Candidates::Listed(subjects),
            }
        }
        (Some(subject), _, None) => Candidates::Listed(posting_entries(snapshot, &Posting::Subject(subject).prefix())),
        (None, Some(predicate), Some(object)) => {
            Candidates::Listed(posting_entries(snapshot, &Posting::Object(object, predicate).prefix()))
        }
        (None, None, Some(object)) => {
            // A chunk occurs once for each predicate.
            let mut seen = foldhash::HashSet::default();
            let entries = posting_entries(snapshot, &keys::object_prefix(object));
            Candidates::Listed(Box::new(entries.filter(move |entry| entry.as_ref().map_or(true, |&n| seen.insert(n)))))
        }
        (None, Some(predicate), None) => {
            Candidates::Listed(posting_entries(snapshot, &Posting::Predicate(predicate).prefix()))
        }
        (None, None, None) => Candidates::All(snapshot.view().iter(&snapshot.tables().chunks)),
    })
}

fn graph_entries(snapshot: &Snapshot, graph: TermId) -> Entries {
    Box::new(snapshot.graph_chunks(graph).map(|entry| entry.map(|entry| entry.0)))
}

/// The chunks that postings with this prefix point at.
pub(crate) fn posting_entries(snapshot: &Snapshot, prefix: &[u8]) -> Entries {
    Box::new(
        snapshot
            .view()
            .prefix(&snapshot.tables().postings, prefix)
            .map(|entry| keys::chunk(&entry.key()?).ok_or_else(|| ArchiveError::corrupted("the key of a posting"))),
    )
}
