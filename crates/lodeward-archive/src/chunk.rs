//! Some quads of one graph, packed.
//!
//! A chunk holds up to [`QUADS_MAX`] quads: the name of their graph, the ids of
//! the terms that occur in them, in order, as differences, and three columns
//! that say for each quad which of those terms are its subject, predicate and
//! object. A document of the web is mostly one chunk. Looking for a term is a
//! look through the ids, and one through a column of bytes.
//!
//! ```text
//! graph, terms (count, first id, difference, …), quads (count),
//! subject of each, predicate of each, object of each: one byte each,
//! or two if there are more than 256 terms
//! ```

use crate::number;

/// More quads than this are more chunks. Larger ones pack better, and cost more
/// to look something up in.
pub(crate) const QUADS_MAX: usize = 128;

/// Ids of subject, predicate and object.
pub(crate) type Triple = [u64; 3];

/// Packs quads of a graph. They must be in order, each once.
pub(crate) fn encode(graph: u64, triples: &[Triple]) -> Vec<u8> {
    debug_assert!(triples.is_sorted() && triples.len() <= QUADS_MAX);
    let mut terms: Vec<u64> = triples.iter().flatten().copied().collect();
    terms.sort_unstable();
    terms.dedup();
    let mut bytes = Vec::with_capacity(16 + 4 * terms.len() + 3 * triples.len());
    number::push(&mut bytes, graph);
    number::push(&mut bytes, terms.len() as u64);
    let mut last = 0;
    for &term in &terms {
        number::push(&mut bytes, term - last);
        last = term;
    }
    number::push(&mut bytes, triples.len() as u64);
    for role in 0..3 {
        for triple in triples {
            let place = terms.binary_search(&triple[role]).expect("all terms were gathered");
            #[expect(clippy::cast_possible_truncation, reason = "three times QUADS_MAX at most")]
            if terms.len() > 256 {
                bytes.extend_from_slice(&(place as u16).to_le_bytes());
            } else {
                bytes.push(place as u8);
            }
        }
    }
    bytes
}

/// The graph of a packed chunk, without unpacking it.
pub(crate) fn graph_of(mut bytes: &[u8]) -> Option<u64> {
    number::take(&mut bytes)
}

/// An unpacked chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) graph: u64,
    terms: Vec<u64>,
    /// Which terms, by role.
    columns: [Vec<u16>; 3],
}

impl Chunk {
    /// Unpacks; `None` if it is not a chunk.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let graph = number::take(&mut bytes)?;
        let terms = take_terms(&mut bytes)?;
        let quads = usize::try_from(number::take(&mut bytes)?).ok()?;
        let wide = terms.len() > 256;
        if bytes.len() != 3 * quads * if wide { 2 } else { 1 } {
            return None;
        }
        let mut columns = bytes.chunks_exact((bytes.len() / 3).max(1)).map(|column| column_of(column, wide));
        let mut next = || columns.next().unwrap_or_default();
        let chunk = Self { graph, columns: [next(), next(), next()], terms };
        let known = |column: &Vec<u16>| column.iter().all(|&place| usize::from(place) < chunk.terms.len());
        chunk.columns.iter().all(known).then_some(chunk)
    }

    /// How many quads there are.
    pub(crate) fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// A quad by its place.
    pub(crate) fn triple(&self, place: usize) -> Triple {
        [0, 1, 2].map(|role| self.terms[usize::from(self.columns[role][place])])
    }

    /// All quads, in order.
    pub(crate) fn triples(&self) -> impl Iterator<Item = Triple> + '_ {
        (0..self.len()).map(|place| self.triple(place))
    }

    /// What to look for in this chunk to find quads with these terms; `None` if
    /// one of the terms does not occur at all.
    pub(crate) fn wanted(&self, pattern: [Option<u64>; 3]) -> Option<Wanted> {
        let mut wanted = Wanted([None; 3]);
        for (place, term) in wanted.0.iter_mut().zip(pattern) {
            if let Some(term) = term {
                *place = Some(u16::try_from(self.terms.binary_search(&term).ok()?).ok()?);
            }
        }
        Some(wanted)
    }

    /// The place of the first quad at or after `from` that is wanted.
    pub(crate) fn find(&self, wanted: Wanted, from: usize) -> Option<usize> {
        let Wanted([subject, predicate, object]) = wanted;
        let is = |role: usize, want: Option<u16>, place: usize| want.is_none_or(|w| self.columns[role][place] == w);
        (from..self.len()).find(|&place| is(0, subject, place) && is(1, predicate, place) && is(2, object, place))
    }
}

/// Places of terms to look for, by role.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted([Option<u16>; 3]);

fn take_terms(bytes: &mut &[u8]) -> Option<Vec<u64>> {
    let count = usize::try_from(number::take(bytes)?).ok()?;
    // Each takes a byte at least: no allocation larger than what there is.
    let mut terms = Vec::with_capacity(count.min(bytes.len()));
    let mut last = 0_u64;
    for _ in 0..count {
        last = last.checked_add(number::take(bytes)?)?;
        terms.push(last);
    }
    Some(terms)
}

fn column_of(bytes: &[u8], wide: bool) -> Vec<u16> {
    if wide {
        bytes.as_chunks().0.iter().map(|&place| u16::from_le_bytes(place)).collect()
    } else {
        bytes.iter().map(|&place| u16::from(place)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Chunk, QUADS_MAX, Triple, encode, graph_of};

    fn triples(count: u64, spread: u64) -> Vec<Triple> {
        let mut triples: Vec<Triple> =
            (0..count).map(|n| [n % 7 * spread + 1, n % 3 + 1, u64::MAX - n * spread]).collect();
        triples.sort_unstable();
        triples
    }

    #[test]
    fn quads_come_back() {
        for triples in [triples(0, 1), triples(1, 1), triples(40, 1_000), triples(QUADS_MAX as u64, 1 << 40)] {
            let bytes = encode(9, &triples);
            let chunk = Chunk::decode(&bytes).unwrap();
            assert_eq!((chunk.graph, graph_of(&bytes)), (9, Some(9)));
            assert_eq!(chunk.triples().collect::<Vec<_>>(), triples);
        }
    }

    #[test]
    fn more_than_256_terms_take_two_bytes_each() {
        let triples: Vec<Triple> = (0..QUADS_MAX as u64).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
        let chunk = Chunk::decode(&encode(0, &triples)).unwrap();
        assert_eq!(chunk.terms.len(), 3 * QUADS_MAX);
        assert_eq!(chunk.triples().collect::<Vec<_>>(), triples);
    }

    #[test]
    fn a_pattern_finds_what_a_look_at_everything_finds() {
        let triples = triples(100, 3);
        let chunk = Chunk::decode(&encode(1, &triples)).unwrap();
        let [subject, predicate, object] = triples[50];
        for mask in 0..8 {
            let bound = |bit: u8, term| (mask & bit != 0).then_some(term);
            let pattern = [bound(1, subject), bound(2, predicate), bound(4, object)];
            let matches =
                |t: &&Triple| pattern.iter().zip(*t).all(|(want, term)| want.is_none_or(|want| want == *term));
            let expected: Vec<_> = triples.iter().filter(matches).copied().collect();

            let wanted = chunk.wanted(pattern).unwrap();
            let (mut found, mut from) = (Vec::new(), 0);
            while let Some(place) = chunk.find(wanted, from) {
                found.push(chunk.triple(place));
                from = place + 1;
            }
            assert_eq!(found, expected);
        }
        assert!(chunk.wanted([Some(999), None, None]).is_none());
    }

    #[test]
    fn what_is_cut_or_changed_is_no_chunk_or_another_one() {
        let bytes = encode(3, &triples(20, 5));
        for end in 0..bytes.len() {
            assert_eq!(Chunk::decode(&bytes[..end]), None);
        }
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut bytes = bytes.clone();
                bytes[place] ^= 1 << bit;
                let _ = Chunk::decode(&bytes);
            }
        }
    }
}
