//! Verifies journals.
//!
//! A journal is a sequence of batches: a start entry (number of items, sequence number), items, and
//! an end entry (checksum of the items, trailer). fjall preallocates the file with zeros. It
//! truncates a journal at the first entry that it cannot decode, which is right for a write that was
//! interrupted, and wrong if complete batches follow.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use rustix::fs::seek;
use xxhash_rust::xxh3::Xxh3;

use crate::DatabaseOpenError;
use crate::creation::{journals, lock};

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const CLEAR: u8 = 4;
const TRAILER: &[u8] = &[b'F', b'J', b'L', 3];
const START_BYTES: usize = 13;
const END_BYTES: usize = 13;
const CLEAR_BYTES: usize = 9;
/// An item without its key and value.
const ITEM_HEADER_BYTES: usize = 21;

/// A batch of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JournalBatch {
    pub(crate) sequence: u64,
    /// Offset after the batch.
    pub(crate) end: usize,
}

/// End of the batches of a journal that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct JournalEnd {
    /// Offset after the last batch.
    offset: usize,
    /// The defect, if batches after it were written.
    damage: Option<&'static str>,
}

/// The result of [`cut_damage`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalCut {
    /// Path of the journal.
    pub path: PathBuf,
    /// Offset at which the journal was cut.
    pub offset: u64,
    /// Path of the copy of the whole journal.
    pub set_aside: PathBuf,
}

/// Returns an error if a journal is damaged, and changes nothing then. Cuts the torn end of a
/// journal. The database must be locked.
pub(crate) fn verify(directory: &Path) -> Result<(), DatabaseOpenError> {
    let mut torn = Vec::new();
    for path in journals(directory)? {
        let journal = read_written(&path, 0)?;
        let end = find_end(&journal);
        if let Some(what) = end.damage {
            return Err(DatabaseOpenError::Damaged { path, what: format!("{what} at byte {}", end.offset) });
        }
        if journal[end.offset..].iter().any(|byte| *byte != 0) {
            torn.push((path, end.offset));
        }
    }
    for (path, offset) in torn {
        cut(&path, offset)?;
    }
    Ok(())
}

/// Reads a journal from an offset on, without the zeros that fjall has reserved but not written: the
/// file system has no blocks for them.
pub(crate) fn read_written(path: &Path, from: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut end = from;
    // Without support for this, the file system reports that the whole file has data.
    while let Ok(data) = seek(&file, rustix::fs::SeekFrom::Data(end)) {
        end = seek(&file, rustix::fs::SeekFrom::Hole(data))?;
    }
    file.seek(SeekFrom::Start(from))?;
    let mut written = Vec::new();
    file.take(end - from).read_to_end(&mut written)?;
    Ok(written)
}

pub(crate) fn cut(path: &Path, offset: usize) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    file.set_len(offset as u64)?;
    file.sync_all()
}

/// Cuts the newest journal of a database at its damage, and keeps a copy of it. The database then
/// is as it was before the damaged batch was written. Returns `None` if no journal is damaged, and an
/// error if an older journal is: the changes after it may be in tables already.
///
/// The database must not be open.
pub fn cut_damage(directory: &Path) -> Result<Option<JournalCut>, DatabaseOpenError> {
    let _lock = lock(directory)?;
    let journals = journals(directory)?;
    for (index, path) in journals.iter().enumerate() {
        let JournalEnd { offset, damage: Some(what) } = find_end(&read_written(path, 0)?) else { continue };
        if index + 1 < journals.len() {
            let what = format!("{what} at byte {offset}; newer journals depend on it");
            return Err(DatabaseOpenError::Damaged { path: path.clone(), what });
        }
        let set_aside = path.with_extension(format!("damaged-{offset}"));
        fs::copy(path, &set_aside)?;
        File::open(&set_aside)?.sync_all()?;
        cut(path, offset)?;
        return Ok(Some(JournalCut { path: path.clone(), offset: offset as u64, set_aside }));
    }
    Ok(None)
}

/// Finds the first batch that cannot be read. An incomplete batch at the end is no damage.
fn find_end(journal: &[u8]) -> JournalEnd {
    let (mut offset, mut sequence) = (0, 0);
    let what = loop {
        match read_batch(&journal[offset..]) {
            Ok(batch) if batch.sequence < sequence => break "sequence numbers decrease",
            Ok(batch) => (offset, sequence) = (offset + batch.end, batch.sequence),
            Err(what) => break what,
        }
    };
    let rest = &journal[offset..];
    let written = rest.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let rest = &rest[..written];
    // If the end of the last batch was written, its beginning was, too.
    let has_end = rest.len() > END_BYTES && rest.ends_with(TRAILER) && rest[rest.len() - END_BYTES] == END;
    let has_batch = || (1..rest.len()).any(|from| rest[from] == START && is_nonempty_batch(&rest[from..]));
    JournalEnd { offset, damage: (has_end || has_batch()).then_some(what) }
}

/// Whether a batch with items begins here.
fn is_nonempty_batch(bytes: &[u8]) -> bool {
    let has_items = bytes.get(START_BYTES).is_some_and(|tag| [ITEM, CLEAR].contains(tag));
    has_items && read_batch(bytes).is_ok()
}

/// Reads a batch, or returns its defect.
pub(crate) fn read_batch(bytes: &[u8]) -> Result<JournalBatch, &'static str> {
    const INCOMPLETE: &str = "a batch is incomplete";
    if bytes.first() != Some(&START) {
        return Err("a batch has no start");
    }
    let count = u32::from_le_bytes(chunk(bytes, 1).ok_or(INCOMPLETE)?);
    let sequence = u64::from_le_bytes(chunk(bytes, 5).ok_or(INCOMPLETE)?);
    let mut at = START_BYTES;
    for _ in 0..count {
        at += match bytes.get(at) {
            Some(&CLEAR) => CLEAR_BYTES,
            Some(&ITEM) => {
                let key = u16::from_le_bytes(chunk(bytes, at + 11).ok_or(INCOMPLETE)?);
                let value = u32::from_le_bytes(chunk(bytes, at + 17).ok_or(INCOMPLETE)?);
                ITEM_HEADER_BYTES + usize::from(key) + value as usize
            }
            Some(_) => return Err("a batch has an invalid item"),
            None => return Err(INCOMPLETE),
        };
    }
    let end = bytes.get(at..at + END_BYTES).ok_or(INCOMPLETE)?;
    if end[0] != END || !end.ends_with(TRAILER) {
        return Err("a batch has no end");
    }
    let mut hash = Xxh3::new();
    hash.update(&bytes[START_BYTES..at]);
    if chunk(end, 1).map(u64::from_le_bytes) != Some(hash.digest()) {
        return Err("the checksum of a batch does not match");
    }
    Ok(JournalBatch { sequence, end: at + END_BYTES })
}

fn chunk<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}
