//! From terms to ids: looking up, and giving out new ones.
//!
//! A term is known by the xxh3-128 of its bytes. That two terms have the same
//! one is taken for impossible: among 10¹² terms it has a chance of 10⁻¹⁵.

use fjall::Slice;
use foldhash::HashMap;
use oxrdf::TermRef;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::ArchiveError;
use crate::number;
use crate::tables::Tables;
use crate::term::{self, TermId};

/// What a term is known by.
pub(crate) fn hash(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// The id in an entry of the table of ids.
pub(crate) fn id(entry: Option<Slice>) -> Result<Option<TermId>, ArchiveError> {
    let Some(bytes) = entry else { return Ok(None) };
    match number::take(&mut &bytes[..]) {
        Some(id) => Ok(Some(TermId(id))),
        None => Err(ArchiveError::corrupted("an entry of the dictionary")),
    }
}

/// Terms that have been given an id which is not yet on disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fresh {
    /// The first id that was given.
    pub(crate) first: u64,
    by_hash: HashMap<u128, u64>,
    /// The bytes of all of them, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Fresh {
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

    /// The bytes of a term, if it is one of these.
    pub(crate) fn term(&self, id: TermId) -> Option<&[u8]> {
        let place = usize::try_from(id.0.checked_sub(self.first)?).ok()?;
        let end = *self.ends.get(place)?;
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.bytes[begin..end])
    }

    /// All of them in the order of their ids.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (u64, &[u8])> {
        (self.first..self.next()).map(|id| (id, self.term(TermId(id)).expect("it is one of these")))
    }

    /// All of them, by hash.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = (u128, u64)> {
        self.by_hash.iter().map(|(&hash, &id)| (hash, id))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// Ids of terms that were used lately, so that most need no look at the disk.
#[derive(Default)]
pub(crate) struct Recent {
    ids: HashMap<u128, u64>,
    capacity: usize,
}

impl Recent {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { ids: HashMap::default(), capacity }
    }

    pub(crate) fn get(&self, hash: u128) -> Option<TermId> {
        self.ids.get(&hash).copied().map(TermId)
    }

    pub(crate) fn put(&mut self, hash: u128, id: u64) {
        if self.ids.len() >= self.capacity {
            // Rare, and what is in use comes back at once.
            self.ids.clear();
        }
        self.ids.insert(hash, id);
    }
}

/// Finds ids of terms, and gives out new ones.
pub(crate) struct Interner<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) recent: &'a mut Recent,
    pub(crate) scratch: &'a mut Vec<u8>,
}

impl Interner<'_> {
    /// The id of a term that is known.
    pub(crate) fn find(&mut self, term: TermRef<'_>, fresh: &Fresh) -> Result<Option<TermId>, ArchiveError> {
        match TermId::inline(term) {
            Some(id) => Ok(Some(id)),
            None => self.look_up(term, fresh).map(|found| found.1),
        }
    }

    /// The id of a term, which is a fresh one if need be.
    pub(crate) fn intern(&mut self, term: TermRef<'_>, fresh: &mut Fresh) -> Result<TermId, ArchiveError> {
        if let Some(id) = TermId::inline(term) {
            return Ok(id);
        }
        match self.look_up(term, fresh)? {
            (_, Some(id)) => Ok(id),
            (hash, None) => Ok(fresh.add(hash, self.scratch)),
        }
    }

    fn look_up(&mut self, term: TermRef<'_>, fresh: &Fresh) -> Result<(u128, Option<TermId>), ArchiveError> {
        term::encode(term, self.scratch);
        let hash = hash(self.scratch);
        if let Some(id) = self.recent.get(hash).or_else(|| fresh.get(hash)) {
            return Ok((hash, Some(id)));
        }
        let found = id(self.tables.ids.get(hash.to_be_bytes())?)?;
        if let Some(id) = found {
            self.recent.put(hash, id.0);
        }
        Ok((hash, found))
    }
}
