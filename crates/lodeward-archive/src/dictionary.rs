//! The dictionary: looking up the ids of terms, and assigning new ones.
//!
//! A term is identified by the xxh3-128 hash of its bytes. Hash collisions are not handled: among
//! 10¹² terms, the probability of a collision is 10⁻¹⁵.

use fjall::Slice;
use foldhash::HashMap;
use oxrdf::TermRef;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::ArchiveError;
use crate::tables::ArchiveTables;
use crate::term::{self, TermId};
use crate::varint;

/// The hash that identifies a term.
pub(crate) fn hash(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Decodes an entry of the `ids` table.
pub(crate) fn decode_id(entry: Option<Slice>) -> Result<Option<TermId>, ArchiveError> {
    let Some(bytes) = entry else { return Ok(None) };
    match varint::take(&mut &bytes[..]) {
        Some(id) => Ok(Some(TermId(id))),
        None => Err(ArchiveError::corrupted("invalid dictionary entry")),
    }
}

/// Terms with a new id that is not on disk yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewTerms {
    /// The first of the new ids.
    pub(crate) first: u64,
    by_hash: HashMap<u128, u64>,
    /// The bytes of all terms, and the end offset of each.
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl NewTerms {
    pub(crate) fn new(first: u64) -> Self {
        Self { first, ..Self::default() }
    }

    pub(crate) fn next(&self) -> u64 {
        self.first + self.ends.len() as u64
    }

    pub(crate) fn get(&self, hash: u128) -> Option<TermId> {
        self.by_hash.get(&hash).copied().map(TermId)
    }

    pub(crate) fn add(&mut self, hash: u128, bytes: &[u8]) -> TermId {
        let id = self.next();
        self.by_hash.insert(hash, id);
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        TermId(id)
    }

    /// The bytes of a term, if it is new.
    pub(crate) fn term(&self, id: TermId) -> Option<&[u8]> {
        let index = usize::try_from(id.0.checked_sub(self.first)?).ok()?;
        let end = *self.ends.get(index)?;
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.bytes[begin..end])
    }

    /// All new terms, in the order of their ids.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (u64, &[u8])> {
        (self.first..self.next()).map(|id| (id, self.term(TermId(id)).expect("the id is in the range of new ids")))
    }

    /// The hashes of all new terms, with their ids.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = (u128, u64)> {
        self.by_hash.iter().map(|(&hash, &id)| (hash, id))
    }

    pub(crate) fn byte_len(&self) -> usize {
        self.bytes.len()
    }
}

/// The ids of recently used terms, which avoids most disk reads. Terms whose hashes map to the same
/// slot replace each other.
#[derive(Default)]
pub(crate) struct RecentTerms {
    /// One half of the hash, and the id; 0 in an empty slot. The other half selects the slot, so the
    /// compared bits are enough to tell terms apart.
    slots: Vec<[u64; 2]>,
    capacity: usize,
}

impl RecentTerms {
    /// Creates an empty cache. Memory is allocated when the first term is stored.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { slots: Vec::new(), capacity: capacity.max(1) }
    }

    fn slot(&self, low: u64) -> usize {
        usize::try_from(low % self.capacity as u64).unwrap_or(0)
    }

    pub(crate) fn get(&self, hash: u128) -> Option<TermId> {
        let [high, low] = halves(hash);
        match self.slots.get(self.slot(low))? {
            &[found, id] if found == high && id != 0 => Some(TermId(id)),
            _ => None,
        }
    }

    pub(crate) fn put(&mut self, hash: u128, id: u64) {
        if self.slots.is_empty() {
            self.slots.resize(self.capacity, [0; 2]);
        }
        let [high, low] = halves(hash);
        let slot = self.slot(low);
        self.slots[slot] = [high, id];
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the halves of a number")]
fn halves(hash: u128) -> [u64; 2] {
    [(hash >> 64) as u64, hash as u64]
}

/// Finds the ids of terms, and assigns new ones.
pub(crate) struct Interner<'a> {
    pub(crate) tables: &'a ArchiveTables,
    pub(crate) recent: &'a mut RecentTerms,
    pub(crate) scratch: &'a mut Vec<u8>,
}

impl Interner<'_> {
    /// The id of a known term.
    pub(crate) fn find(&mut self, term: TermRef<'_>, new_terms: &NewTerms) -> Result<Option<TermId>, ArchiveError> {
        match TermId::try_inline(term) {
            Some(id) => Ok(Some(id)),
            None => self.look_up(term, new_terms).map(|found| found.1),
        }
    }

    /// The id of a term; assigns a new one if needed.
    pub(crate) fn intern(&mut self, term: TermRef<'_>, new_terms: &mut NewTerms) -> Result<TermId, ArchiveError> {
        if let Some(id) = TermId::try_inline(term) {
            return Ok(id);
        }
        match self.look_up(term, new_terms)? {
            (_, Some(id)) => Ok(id),
            (hash, None) => Ok(new_terms.add(hash, self.scratch)),
        }
    }

    fn look_up(&mut self, term: TermRef<'_>, new_terms: &NewTerms) -> Result<(u128, Option<TermId>), ArchiveError> {
        term::encode(term, self.scratch);
        let hash = hash(self.scratch);
        if let Some(id) = self.recent.get(hash).or_else(|| new_terms.get(hash)) {
            return Ok((hash, Some(id)));
        }
        let found = decode_id(self.tables.ids.get(hash.to_be_bytes())?)?;
        if let Some(id) = found {
            self.recent.put(hash, id.0);
        }
        Ok((hash, found))
    }
}
