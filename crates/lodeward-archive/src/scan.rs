//! Finding the quads that match a pattern.
//!
//! A pattern first selects *candidates*, chunks that can contain matching quads. The most selective
//! index is used: the chunks of a small graph, the postings of a subject, of an object (with its
//! predicate), of a predicate, or all chunks. Each candidate is then searched.

use std::iter::Peekable;
use std::sync::Arc;

use fjall::{Guard, Readable, UserKey};
use oxrdf::{GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, Quad, QuadRef, Term, TermRef};

use crate::chunk::{Chunk, ChunkQuery};
use crate::chunk_reader::ChunkReader;
use crate::error::ArchiveError;
use crate::keys::{self, PostingKey};
use crate::snapshot::{Snapshot, decode_chunk};
use crate::term::TermId;

/// If a graph has at most this many chunks, all of them are searched.
const MAX_SMALL_GRAPH_CHUNKS: usize = 4;

/// A pattern of ids; `None` matches anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct IdPattern {
    /// Subject, predicate, object.
    pub(crate) terms: [Option<u64>; 3],
    pub(crate) graph: Option<TermId>,
}

impl IdPattern {
    /// Translates a pattern to ids; `None` if one of the terms has no id, so that nothing can
    /// match.
    pub(crate) fn resolve(
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

impl Snapshot {
    pub(crate) fn scan(&self, pattern: IdPattern) -> QuadScan {
        QuadScan { snapshot: self.clone(), pattern, candidates: None, reader: ChunkReader::default(), current: None }
    }

    /// Whether the archive contains this quad.
    pub fn contains(&self, quad: QuadRef<'_>) -> Result<bool, ArchiveError> {
        let (subject, predicate) = (Some(quad.subject), Some(quad.predicate));
        match IdPattern::resolve(self, subject, predicate, Some(quad.object), Some(quad.graph_name))? {
            Some(pattern) => self.scan(pattern).next().transpose().map(|found| found.is_some()),
            None => Ok(false),
        }
    }

    /// The quads that match, in no particular order. `None` matches anything; as the graph, `None`
    /// also matches the default graph. Provenance is not included; [`Snapshot::provenance_graph`] and
    /// [`Snapshot::provenance_graphs`] return it.
    pub fn quads(
        &self,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<TermRef<'_>>,
        graph: Option<GraphNameRef<'_>>,
    ) -> impl Iterator<Item = Result<Quad, ArchiveError>> + use<> {
        let (scan, failure) = match IdPattern::resolve(self, subject, predicate, object, graph) {
            Ok(pattern) => (pattern.map(|pattern| self.scan(pattern)), None),
            Err(error) => (None, Some(Err(error))),
        };
        let snapshot = self.clone();
        let found = scan.into_iter().flatten().map(move |ids| snapshot.quad(ids?));
        failure.into_iter().chain(found)
    }

    /// The quads of a predicate whose object passes the filter, in no particular order. The subject
    /// and graph of other quads are not decoded, which is faster if few quads pass.
    pub fn quads_with_object(
        &self,
        predicate: NamedNodeRef<'_>,
        mut is_match: impl FnMut(&Term) -> bool,
    ) -> impl Iterator<Item = Result<Quad, ArchiveError>> {
        let (scan, failure) = match IdPattern::resolve(self, None, Some(predicate), None, None) {
            Ok(pattern) => (pattern.map(|pattern| self.scan(pattern)), None),
            Err(error) => (None, Some(Err(error))),
        };
        let found = scan.into_iter().flatten().filter_map(move |ids| {
            let matching = ids.and_then(|ids| Ok(is_match(&self.term(TermId(ids[3]))?).then_some(ids)));
            matching.and_then(|ids| ids.map(|ids| self.quad(ids)).transpose()).transpose()
        });
        failure.into_iter().chain(found)
    }
}

/// Matching quads, as ids: graph, subject, predicate, object.
pub(crate) struct QuadScan {
    snapshot: Snapshot,
    pattern: IdPattern,
    candidates: Option<ChunkCandidates>,
    reader: ChunkReader,
    /// The chunk that is being searched, and the next position in it.
    current: Option<(Arc<Chunk>, ChunkQuery, usize)>,
}

type ChunkEntries = Box<dyn Iterator<Item = Result<u64, ArchiveError>>>;

enum ChunkCandidates {
    /// All chunks.
    All(fjall::Iter),
    /// The chunks of a list.
    Listed(ChunkEntries),
    /// The chunks that are in both sorted lists.
    Intersection(Peekable<ChunkEntries>, Peekable<ChunkEntries>),
}

impl QuadScan {
    /// The next candidate.
    fn next_chunk(&mut self) -> Result<Option<Arc<Chunk>>, ArchiveError> {
        let candidates = match &mut self.candidates {
            Some(candidates) => candidates,
            none => none.insert(candidate_chunks(&self.snapshot, self.pattern)?),
        };
        loop {
            let number = match candidates {
                ChunkCandidates::All(chunks) => return next_in_full_scan(&self.snapshot, chunks),
                ChunkCandidates::Listed(numbers) => numbers.next().transpose()?,
                ChunkCandidates::Intersection(left, right) => next_in_intersection(left, right)?,
            };
            let Some(number) = number else { return Ok(None) };
            // A posting can refer to a removed chunk.
            if let Some(chunk) = self.reader.read(&self.snapshot, number)? {
                return Ok(Some(chunk));
            }
        }
    }

    fn advance(&mut self) -> Result<Option<[u64; 4]>, ArchiveError> {
        loop {
            if let Some((chunk, query, from)) = &mut self.current {
                if let Some(position) = chunk.find(*query, *from) {
                    *from = position + 1;
                    let [subject, predicate, object] = chunk.triple(position);
                    return Ok(Some([chunk.graph, subject, predicate, object]));
                }
                self.current = None;
            }
            let Some((chunk, query)) = self.next_match()? else { return Ok(None) };
            self.current = Some((chunk, query, 0));
        }
    }

    /// The next candidate that has all terms of the pattern.
    fn next_match(&mut self) -> Result<Option<(Arc<Chunk>, ChunkQuery)>, ArchiveError> {
        while let Some(chunk) = self.next_chunk()? {
            if self.pattern.graph.is_none_or(|graph| graph.0 == chunk.graph)
                && let Some(query) = chunk.query(self.pattern.terms)
            {
                return Ok(Some((chunk, query)));
            }
        }
        Ok(None)
    }

    /// Appends the quads of the next chunk that can have matching ones. Returns whether there is
    /// such a chunk.
    pub(crate) fn append_chunk(&mut self, into: &mut Vec<[u64; 4]>) -> Result<bool, ArchiveError> {
        let Some((chunk, query)) = self.next_match()? else { return Ok(false) };
        chunk.append_matches(query, into);
        Ok(true)
    }
}

impl Iterator for QuadScan {
    type Item = Result<[u64; 4], ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}

fn next_in_full_scan(snapshot: &Snapshot, chunks: &mut fjall::Iter) -> Result<Option<Arc<Chunk>>, ArchiveError> {
    let Some(entry) = chunks.next() else { return Ok(None) };
    let (key, bytes) = entry.into_inner()?;
    let number = keys::parse_number_key(&key)?;
    // Unpublished chunks have the highest numbers, so the scan ends at the first one.
    if snapshot.is_published(number) {
        decode_chunk(number, &bytes).map(|chunk| Some(Arc::new(chunk)))
    } else {
        Ok(None)
    }
}

fn next_in_intersection(
    left: &mut Peekable<ChunkEntries>,
    right: &mut Peekable<ChunkEntries>,
) -> Result<Option<u64>, ArchiveError> {
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

fn candidate_chunks(snapshot: &Snapshot, pattern: IdPattern) -> Result<ChunkCandidates, ArchiveError> {
    let IdPattern { terms: [subject, predicate, object], graph } = pattern;
    if let Some(graph) = graph {
        let first: Vec<_> = snapshot.graph_chunks(graph).take(MAX_SMALL_GRAPH_CHUNKS + 1).collect::<Result<_, _>>()?;
        let whole_graph = subject.is_none() && predicate.is_none() && object.is_none();
        if first.len() <= MAX_SMALL_GRAPH_CHUNKS {
            return Ok(ChunkCandidates::Listed(Box::new(first.into_iter().map(|entry| Ok(entry.0)))));
        }
        if whole_graph {
            return Ok(ChunkCandidates::Listed(graph_entries(snapshot, graph)));
        }
        if let (None, Some(predicate), None) = (subject, predicate, object) {
            let postings = posting_entries(snapshot, &PostingKey::Predicate(predicate).prefix());
            return Ok(ChunkCandidates::Intersection(postings.peekable(), graph_entries(snapshot, graph).peekable()));
        }
    }
    Ok(match (subject, predicate, object) {
        (Some(subject), predicate, Some(object)) => {
            let subjects = posting_entries(snapshot, &PostingKey::Subject(subject).prefix());
            match predicate {
                // Intersecting requires two lists sorted by chunk. The postings of an object are
                // sorted by chunk only within one predicate.
                Some(predicate) => {
                    let objects = posting_entries(snapshot, &PostingKey::Object(object, predicate).prefix());
                    ChunkCandidates::Intersection(subjects.peekable(), objects.peekable())
                }
                None => ChunkCandidates::Listed(subjects),
            }
        }
        (Some(subject), _, None) => {
            ChunkCandidates::Listed(posting_entries(snapshot, &PostingKey::Subject(subject).prefix()))
        }
        (None, Some(predicate), Some(object)) => {
            ChunkCandidates::Listed(posting_entries(snapshot, &PostingKey::Object(object, predicate).prefix()))
        }
        (None, None, Some(object)) => {
            // A chunk is listed once for each predicate, so repetitions are removed.
            let mut seen = foldhash::HashSet::default();
            let entries = posting_entries(snapshot, &keys::object_prefix(object));
            ChunkCandidates::Listed(Box::new(
                entries.filter(move |entry| entry.as_ref().map_or(true, |&n| seen.insert(n))),
            ))
        }
        (None, Some(predicate), None) => {
            ChunkCandidates::Listed(posting_entries(snapshot, &PostingKey::Predicate(predicate).prefix()))
        }
        (None, None, None) => ChunkCandidates::All(snapshot.view().iter(&snapshot.tables().chunks)),
    })
}

fn graph_entries(snapshot: &Snapshot, graph: TermId) -> ChunkEntries {
    Box::new(snapshot.graph_chunks(graph).map(|entry| entry.map(|entry| entry.0)))
}

/// The chunks that postings with this prefix refer to.
pub(crate) fn posting_entries(snapshot: &Snapshot, prefix: &[u8]) -> ChunkEntries {
    let prefix = prefix.to_vec();
    // Reading on from the first key and stopping after the last one costs half as much as
    // `Readable::prefix`, which also searches for the end of the range in every table.
    let entries = snapshot.view().range(&snapshot.tables().postings, prefix.clone()..).map(Guard::key);
    let in_range = move |key: &Result<UserKey, fjall::Error>| key.as_ref().map_or(true, |key| key.starts_with(&prefix));
    Box::new(
        entries
            .take_while(in_range)
            .map(|key| keys::parse_chunk(&key?).ok_or_else(|| ArchiveError::corrupted("invalid posting key"))),
    )
}
