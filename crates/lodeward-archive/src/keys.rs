//! The keys of all tables. They are part of the on-disk format.
//!
//! | table | key | value |
//! |---|---|---|
//! | `meta` | `format` | the format version |
//! | | `counters` | the next term, the next chunk, the number of quads |
//! | | `bulk` | the first chunk of an unfinished bulk load |
//! | | `n` *name* | a note |
//! | | `p` *predicate* | the number of quads with it |
//! | | `x` *chunk* | the chunks from this one to the one in the value are removed |
//! | | `feed` | the identifier of the change feed, if changes are recorded |
//! | | `e` *number* | statements that a commit added to or removed from existing chunks |
//! | `terms` | *term* | the encoded term |
//! | `ids` | xxh3-128 of the encoded term | *term* |
//! | `chunks` | *chunk* | its quads |
//! | `graphs` | `g` *graph* | the graph exists, since this chunk if there is a value |
//! | | `c` *graph chunk* | the number of quads of the graph in the chunk |
//! | | `d` *collection document graph* | the document wrote into the graph |
//! | | `m` *graph collection document* | the same, indexed by graph |
//! | `postings` | `s` *subject chunk*, `p` *predicate chunk*, `o` *object predicate chunk* | |
//! | `provenance` | *collection* (4 bytes), *fingerprint* (16 bytes) | a provenance record |
//!
//! A posting can refer to a chunk that is removed or no longer contains the term. Every term of a
//! chunk has a posting. Chunk numbers are never reused.

use crate::error::ArchiveError;
use crate::varint;

pub(crate) const FORMAT: &[u8] = b"format";
pub(crate) const COUNTERS: &[u8] = b"counters";
pub(crate) const BULK: &[u8] = b"bulk";
pub(crate) const FEED: &[u8] = b"feed";

pub(crate) const NOTE: u8 = b'n';
pub(crate) const PREDICATE: u8 = b'p';
pub(crate) const TOMBSTONE: u8 = b'x';
pub(crate) const EDIT: u8 = b'e';

pub(crate) const GRAPH: u8 = b'g';
pub(crate) const GRAPH_CHUNK: u8 = b'c';
pub(crate) const DOCUMENT: u8 = b'd';
pub(crate) const MEMBER: u8 = b'm';

/// Encodes a key: its kind, then numbers.
pub(crate) fn key(kind: u8, numbers: &[u64]) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + 5 * numbers.len());
    key.push(kind);
    for &number in numbers {
        varint::push_key(&mut key, number);
    }
    key
}

/// Encodes a key of one number without a kind, as in `terms` and `chunks`.
pub(crate) fn number_key(number: u64) -> Vec<u8> {
    let mut key = Vec::with_capacity(9);
    varint::push_key(&mut key, number);
    key
}

/// Decodes a key of one number without a kind.
pub(crate) fn parse_number_key(mut key: &[u8]) -> Result<u64, ArchiveError> {
    varint::take_key(&mut key).ok_or_else(|| ArchiveError::corrupted("invalid numeric key"))
}

/// Decodes the numbers of a key with a kind.
pub(crate) fn parse_numbers<const N: usize>(key: &[u8]) -> Option<[u64; N]> {
    let mut rest = key.get(1..)?;
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = varint::take_key(&mut rest)?;
    }
    rest.is_empty().then_some(numbers)
}

/// The terms that a posting indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PostingKey {
    /// An object and a predicate.
    Object(u64, u64),
    /// A predicate.
    Predicate(u64),
    /// A subject.
    Subject(u64),
}

/// The prefix of all postings of an object, whatever the predicate.
pub(crate) fn object_prefix(object: u64) -> Vec<u8> {
    key(b'o', &[object])
}

impl PostingKey {
    /// The key without the chunk.
    pub(crate) fn prefix(self) -> Vec<u8> {
        match self {
            Self::Object(object, predicate) => key(b'o', &[object, predicate]),
            Self::Predicate(predicate) => key(b'p', &[predicate]),
            Self::Subject(subject) => key(b's', &[subject]),
        }
    }

    /// The key for a chunk.
    pub(crate) fn key(self, chunk: u64) -> Vec<u8> {
        let mut key = Vec::with_capacity(16);
        self.write_key(chunk, &mut key);
        key
    }

    /// Replaces the content of `into` with the key for a chunk.
    pub(crate) fn write_key(self, chunk: u64, into: &mut Vec<u8>) {
        into.clear();
        let (kind, numbers) = match self {
            Self::Object(object, predicate) => (b'o', &[object, predicate, chunk][..]),
            Self::Predicate(predicate) => (b'p', &[predicate, chunk][..]),
            Self::Subject(subject) => (b's', &[subject, chunk][..]),
        };
        into.push(kind);
        for &number in numbers {
            varint::push_key(into, number);
        }
    }
}

/// The chunk at the end of a posting key or of a graph's chunk key.
pub(crate) fn parse_chunk(key: &[u8]) -> Option<u64> {
    if key.first() == Some(&b'o') {
        parse_numbers::<3>(key).map(|[_, _, chunk]| chunk)
    } else {
        parse_numbers::<2>(key).map(|[_, chunk]| chunk)
    }
}

/// The distinct postings of some quads, in key order.
pub(crate) fn postings(triples: impl Iterator<Item = [u64; 3]>) -> Vec<PostingKey> {
    let mut postings = Vec::new();
    for [subject, predicate, object] in triples {
        postings.push(PostingKey::Object(object, predicate));
        postings.push(PostingKey::Predicate(predicate));
        postings.push(PostingKey::Subject(subject));
    }
    postings.sort_unstable();
    postings.dedup();
    postings
}

#[cfg(test)]
mod tests {
    use super::{PostingKey, key, object_prefix, parse_chunk, parse_numbers, postings};

    #[test]
    fn postings_sort_like_their_keys() {
        let found = postings([[1, 300, 2], [1, 300, 70_000], [5, 2, 2]].into_iter());
        assert_eq!(found.len(), 3 + 2 + 2);
        assert!(found.iter().map(|posting| posting.key(7)).is_sorted());
    }

    #[test]
    fn a_posting_key_ends_with_its_chunk() {
        for posting in [PostingKey::Object(1 << 60, 3), PostingKey::Predicate(0), PostingKey::Subject(256)] {
            assert_eq!(parse_chunk(&posting.key(1_000_000)), Some(1_000_000));
            assert!(posting.key(9).starts_with(&posting.prefix()));
        }
        assert!(PostingKey::Object(8, 9).key(1).starts_with(&object_prefix(8)));
        assert_eq!(parse_numbers::<2>(&key(b'c', &[4, 5])), Some([4, 5]));
        assert_eq!(parse_numbers::<1>(&key(b'c', &[4, 5])), None);
    }
}
