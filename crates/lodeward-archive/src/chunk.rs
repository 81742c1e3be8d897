//! Chunks: packed groups of quads of one graph.
//!
//! A chunk holds up to [`MAX_QUADS`] quads: the graph name, the sorted ids of the terms that occur,
//! delta-encoded, and three columns with the index of the subject, predicate and object of each
//! quad. Most documents of the web fit into one chunk. To find a term, the ids are searched, then
//! one column of bytes is scanned.
//!
//! ```text
//! graph, terms (count, first id, difference, …), quads (count),
//! subject of each, predicate of each, object of each: one byte each,
//! or two if there are more than 256 terms
//! ```

use crate::varint;

/// Maximum number of quads per chunk. Larger chunks compress better, but lookups cost more.
pub(crate) const MAX_QUADS: usize = 128;

/// Ids of subject, predicate and object.
pub(crate) type IdTriple = [u64; 3];

/// Packs quads of a graph. They must be sorted and distinct.
pub(crate) fn encode(graph: u64, triples: &[IdTriple]) -> Vec<u8> {
    debug_assert!(triples.is_sorted() && triples.len() <= MAX_QUADS);
    let mut terms: Vec<u64> = triples.iter().flatten().copied().collect();
    terms.sort_unstable();
    terms.dedup();
    let mut bytes = Vec::with_capacity(16 + 4 * terms.len() + 3 * triples.len());
    varint::push(&mut bytes, graph);
    varint::push(&mut bytes, terms.len() as u64);
    let mut last = 0;
    for &term in &terms {
        varint::push(&mut bytes, term - last);
        last = term;
    }
    varint::push(&mut bytes, triples.len() as u64);
    for role in 0..3 {
        for triple in triples {
            let index = terms.binary_search(&triple[role]).expect("the term list contains every term");
            #[expect(clippy::cast_possible_truncation, reason = "an index is below 3 * MAX_QUADS")]
            if terms.len() > 256 {
                bytes.extend_from_slice(&(index as u16).to_le_bytes());
            } else {
                bytes.push(index as u8);
            }
        }
    }
    bytes
}

/// Decodes only the graph of a packed chunk.
pub(crate) fn decode_graph(mut bytes: &[u8]) -> Option<u64> {
    varint::take(&mut bytes)
}

/// An unpacked chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) graph: u64,
    terms: Vec<u64>,
    /// Indexes into `terms`: subjects, predicates, objects.
    columns: [Vec<u16>; 3],
}

impl Chunk {
    /// Unpacks a chunk; `None` if the bytes are invalid.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let graph = varint::take(&mut bytes)?;
        let terms = take_terms(&mut bytes)?;
        let quads = usize::try_from(varint::take(&mut bytes)?).ok()?;
        let wide = terms.len() > 256;
        if bytes.len() != 3 * quads * if wide { 2 } else { 1 } {
            return None;
        }
        let mut columns = bytes.chunks_exact((bytes.len() / 3).max(1)).map(|column| decode_column(column, wide));
        let mut next = || columns.next().unwrap_or_default();
        let chunk = Self { graph, columns: [next(), next(), next()], terms };
        let in_range = |column: &Vec<u16>| column.iter().all(|&index| usize::from(index) < chunk.terms.len());
        chunk.columns.iter().all(in_range).then_some(chunk)
    }

    /// The number of quads.
    pub(crate) fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// The quad at this position.
    pub(crate) fn triple(&self, position: usize) -> IdTriple {
        [0, 1, 2].map(|role| self.terms[usize::from(self.columns[role][position])])
    }

    /// All quads, in order.
    pub(crate) fn triples(&self) -> impl Iterator<Item = IdTriple> + '_ {
        (0..self.len()).map(|position| self.triple(position))
    }

    /// Translates a pattern into term indexes of this chunk; `None` if one of the terms does not
    /// occur.
    pub(crate) fn query(&self, pattern: [Option<u64>; 3]) -> Option<ChunkQuery> {
        let mut query = ChunkQuery([None; 3]);
        for (index, term) in query.0.iter_mut().zip(pattern) {
            if let Some(term) = term {
                *index = Some(u16::try_from(self.terms.binary_search(&term).ok()?).ok()?);
            }
        }
        Some(query)
    }

    /// Appends the matching quads as graph, subject, predicate, object.
    pub(crate) fn append_matches(&self, query: ChunkQuery, into: &mut Vec<[u64; 4]>) {
        let [subjects, predicates, objects] = &self.columns;
        let quad = |((&subject, &predicate), &object): ((&u16, &u16), &u16)| {
            let term = |index: u16| self.terms[usize::from(index)];
            [self.graph, term(subject), term(predicate), term(object)]
        };
        let quads = subjects.iter().zip(predicates).zip(objects);
        match query.0 {
            [None, None, None] => into.extend(quads.map(quad)),
            [None, Some(wanted), None] => {
                into.extend(quads.filter(|((_, predicate), _)| **predicate == wanted).map(quad));
            }
            wanted => {
                let is = |index: u16, wanted: Option<u16>| wanted.is_none_or(|wanted| wanted == index);
                let matching = quads.filter(|((subject, predicate), object)| {
                    is(**subject, wanted[0]) && is(**predicate, wanted[1]) && is(**object, wanted[2])
                });
                into.extend(matching.map(quad));
            }
        }
    }

    /// The position of the first matching quad at or after `from`.
    pub(crate) fn find(&self, query: ChunkQuery, from: usize) -> Option<usize> {
        let ChunkQuery([subject, predicate, object]) = query;
        let is = |role: usize, want: Option<u16>, position: usize| {
            want.is_none_or(|want| self.columns[role][position] == want)
        };
        (from..self.len())
            .find(|&position| is(0, subject, position) && is(1, predicate, position) && is(2, object, position))
    }
}

/// The term indexes to search for: subject, predicate, object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkQuery([Option<u16>; 3]);

fn take_terms(bytes: &mut &[u8]) -> Option<Vec<u64>> {
    let count = usize::try_from(varint::take(bytes)?).ok()?;
    // Each id takes at least one byte, so the allocation is bounded by the input.
    let mut terms = Vec::with_capacity(count.min(bytes.len()));
    let mut last = 0_u64;
    for _ in 0..count {
        last = last.checked_add(varint::take(bytes)?)?;
        terms.push(last);
    }
    Some(terms)
}

fn decode_column(bytes: &[u8], wide: bool) -> Vec<u16> {
    if wide {
        bytes.as_chunks().0.iter().map(|&index| u16::from_le_bytes(index)).collect()
    } else {
        bytes.iter().map(|&index| u16::from(index)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Chunk, IdTriple, MAX_QUADS, decode_graph, encode};

    fn triples(count: u64, spread: u64) -> Vec<IdTriple> {
        let mut triples: Vec<IdTriple> =
            (0..count).map(|n| [n % 7 * spread + 1, n % 3 + 1, u64::MAX - n * spread]).collect();
        triples.sort_unstable();
        triples
    }

    #[test]
    fn encoded_quads_decode_to_the_same_quads() {
        for triples in [triples(0, 1), triples(1, 1), triples(40, 1_000), triples(MAX_QUADS as u64, 1 << 40)] {
            let bytes = encode(9, &triples);
            let chunk = Chunk::decode(&bytes).unwrap();
            assert_eq!((chunk.graph, decode_graph(&bytes)), (9, Some(9)));
            assert_eq!(chunk.triples().collect::<Vec<_>>(), triples);
        }
    }

    #[test]
    fn more_than_256_terms_take_two_bytes_each() {
        let triples: Vec<IdTriple> = (0..MAX_QUADS as u64).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
        let chunk = Chunk::decode(&encode(0, &triples)).unwrap();
        assert_eq!(chunk.terms.len(), 3 * MAX_QUADS);
        assert_eq!(chunk.triples().collect::<Vec<_>>(), triples);
    }

    #[test]
    fn a_pattern_finds_the_same_quads_as_a_full_scan() {
        let triples = triples(100, 3);
        let chunk = Chunk::decode(&encode(1, &triples)).unwrap();
        let [subject, predicate, object] = triples[50];
        for mask in 0..8 {
            let bound = |bit: u8, term| (mask & bit != 0).then_some(term);
            let pattern = [bound(1, subject), bound(2, predicate), bound(4, object)];
            let matches =
                |t: &&IdTriple| pattern.iter().zip(*t).all(|(want, term)| want.is_none_or(|want| want == *term));
            let expected: Vec<_> = triples.iter().filter(matches).copied().collect();

            let query = chunk.query(pattern).unwrap();
            let (mut found, mut from) = (Vec::new(), 0);
            while let Some(position) = chunk.find(query, from) {
                found.push(chunk.triple(position));
                from = position + 1;
            }
            assert_eq!(found, expected);
            let mut appended = Vec::new();
            chunk.append_matches(query, &mut appended);
            let expected: Vec<_> = expected.into_iter().map(|[s, p, o]| [1, s, p, o]).collect();
            assert_eq!(appended, expected);
        }
        assert!(chunk.query([Some(999), None, None]).is_none());
    }

    #[test]
    fn truncated_or_changed_bytes_never_panic() {
        let bytes = encode(3, &triples(20, 5));
        for end in 0..bytes.len() {
            assert_eq!(Chunk::decode(&bytes[..end]), None);
        }
        for position in 0..bytes.len() {
            for bit in 0..8 {
                let mut bytes = bytes.clone();
                bytes[position] ^= 1 << bit;
                let _ = Chunk::decode(&bytes);
            }
        }
    }
}
