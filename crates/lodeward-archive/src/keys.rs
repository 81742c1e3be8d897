//! The keys of all tables. Part of the format on disk.
//!
//! | table | key | value |
//! |---|---|---|
//! | `meta` | `format` | its version |
//! | | `counters` | the next term, the next chunk, how many quads there are |
//! | | `bulk` | the first chunk of a bulk load that is not finished |
//! | | `n` *name* | a note |
//! | | `p` *predicate* | how many quads have it |
//! | | `x` *chunk* | from this chunk to the one in the value, all are gone |
//! | `terms` | *term* | what it is |
//! | `ids` | xxh3-128 of what it is | *term* |
//! | `chunks` | *chunk* | its quads |
//! | `graphs` | `g` *graph* | there is such a graph, since this chunk if any |
//! | | `c` *graph chunk* | how many quads of the graph are in the chunk |
//! | | `d` *collection document graph* | the document wrote into the graph |
//! | | `m` *graph collection document* | the same, the other way round |
//! | `postings` | `s` *subject chunk*, `p` *predicate chunk*, `o` *object predicate chunk* | |
//!
//! Postings may point at chunks that are gone or that do not have the term any
//! more; a chunk never has a term without a posting. The number of a chunk is
//! never used again.

use crate::error::ArchiveError;
use crate::number;

pub(crate) const FORMAT: &[u8] = b"format";
pub(crate) const COUNTERS: &[u8] = b"counters";
pub(crate) const BULK: &[u8] = b"bulk";

pub(crate) const NOTE: u8 = b'n';
pub(crate) const PREDICATE: u8 = b'p';
pub(crate) const GRAVE: u8 = b'x';

pub(crate) const GRAPH: u8 = b'g';
pub(crate) const GRAPH_CHUNK: u8 = b'c';
pub(crate) const DOCUMENT: u8 = b'd';
pub(crate) const MEMBER: u8 = b'm';

/// A key of numbers.
pub(crate) fn key(kind: u8, numbers: &[u64]) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + 5 * numbers.len());
    key.push(kind);
    for &number in numbers {
        number::push_key(&mut key, number);
    }
    key
}

/// A key of one number and no kind: terms and chunks.
pub(crate) fn plain(number: u64) -> Vec<u8> {
    let mut key = Vec::with_capacity(9);
    number::push_key(&mut key, number);
    key
}

/// The number of such a key.
pub(crate) fn plain_number(mut key: &[u8]) -> Result<u64, ArchiveError> {
    number::take_key(&mut key).ok_or_else(|| ArchiveError::corrupted("a key is no number"))
}

/// The numbers of a key that has a kind.
pub(crate) fn numbers<const N: usize>(key: &[u8]) -> Option<[u64; N]> {
    let mut rest = key.get(1..)?;
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = number::take_key(&mut rest)?;
    }
    rest.is_empty().then_some(numbers)
}

/// What a posting is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Posting {
    /// An object and a predicate.
    Object(u64, u64),
    /// A predicate.
    Predicate(u64),
    /// A subject.
    Subject(u64),
}

/// The object alone begins the keys of all its predicates.
pub(crate) fn object_prefix(object: u64) -> Vec<u8> {
    key(b'o', &[object])
}

impl Posting {
    /// How its keys begin; the chunk follows.
    pub(crate) fn prefix(self) -> Vec<u8> {
        match self {
            Self::Object(object, predicate) => key(b'o', &[object, predicate]),
            Self::Predicate(predicate) => key(b'p', &[predicate]),
            Self::Subject(subject) => key(b's', &[subject]),
        }
    }

    /// Its key for a chunk.
    pub(crate) fn key(self, chunk: u64) -> Vec<u8> {
        let mut key = self.prefix();
        number::push_key(&mut key, chunk);
        key
    }
}

/// The chunk at the end of the key of a posting, or of a graph's chunk.
pub(crate) fn chunk(key: &[u8]) -> Option<u64> {
    if key.first() == Some(&b'o') {
        numbers::<3>(key).map(|[_, _, chunk]| chunk)
    } else {
        numbers::<2>(key).map(|[_, chunk]| chunk)
    }
}

/// All postings of some quads, in the order of their keys, each once.
pub(crate) fn postings(triples: impl Iterator<Item = [u64; 3]>) -> Vec<Posting> {
    let mut postings = Vec::new();
    for [subject, predicate, object] in triples {
        postings.push(Posting::Object(object, predicate));
        postings.push(Posting::Predicate(predicate));
        postings.push(Posting::Subject(subject));
    }
    postings.sort_unstable();
    postings.dedup();
    postings
}

#[cfg(test)]
mod tests {
    use super::{Posting, chunk, key, numbers, object_prefix, postings};

    #[test]
    fn postings_sort_like_their_keys() {
        let found = postings([[1, 300, 2], [1, 300, 70_000], [5, 2, 2]].into_iter());
        assert_eq!(found.len(), 3 + 2 + 2);
        assert!(found.iter().map(|posting| posting.key(7)).is_sorted());
    }

    #[test]
    fn the_chunk_is_at_the_end() {
        for posting in [Posting::Object(1 << 60, 3), Posting::Predicate(0), Posting::Subject(256)] {
            assert_eq!(chunk(&posting.key(1_000_000)), Some(1_000_000));
            assert!(posting.key(9).starts_with(&posting.prefix()));
        }
        assert!(Posting::Object(8, 9).key(1).starts_with(&object_prefix(8)));
        assert_eq!(numbers::<2>(&key(b'c', &[4, 5])), Some([4, 5]));
        assert_eq!(numbers::<1>(&key(b'c', &[4, 5])), None);
    }
}
