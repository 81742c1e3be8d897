//! Bounds what opening a database replays after a kill.
//!
//! fjall removes a journal when it has 64 MB and all its changes are in tables, and replays the
//! whole journal until then. A [`ReplayBound`] flushes the memtables after a limited number of bytes,
//! and then writes a mark next to the journals: the changes before it are in tables. [`crate::open`]
//! removes that part of the journals before fjall reads them.
//!
//! The mark is only a shortcut. It names the last batch before it by position and sequence number;
//! if the journal does not have this batch there, the mark is ignored, and the whole journal is
//! replayed. Sequence numbers are not reused, so a mark never fits a later journal.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use fjall::{Database, Keyspace};

use crate::creation::{MARK_FILE, journals};
use crate::journal::{cut, read_batch, read_written};
use crate::wait_for_flushes;

/// A position in the journals: the end of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct JournalPoint {
    /// Number of the journal.
    journal: u64,
    /// Begin and end of the batch.
    begin: u64,
    end: u64,
    /// Sequence number of the batch.
    sequence: u64,
}

impl JournalPoint {
    fn encode(self) -> String {
        format!("{} {} {} {}\n", self.journal, self.begin, self.end, self.sequence)
    }

    fn decode(text: &str) -> Option<Self> {
        // A file that was cut has no line end.
        let numbers: Option<Vec<u64>> = text.strip_suffix('\n')?.split(' ').map(|number| number.parse().ok()).collect();
        match numbers?[..] {
            [journal, begin, end, sequence] if begin < end => Some(Self { journal, begin, end, sequence }),
            _ => None,
        }
    }
}

/// Limits the journal of a database that is open.
#[derive(Debug)]
pub struct ReplayBound {
    directory: PathBuf,
    max_bytes: u64,
    /// The last batch that was seen.
    end: JournalPoint,
    /// Bytes of batches since the memtables were rotated.
    bytes: u64,
    /// The mark to write when the rotated memtables are on disk.
    flushing: Option<JournalPoint>,
}

impl ReplayBound {
    /// A bound for the database in this directory. Twice `max_bytes` are replayed at most, and what
    /// is committed after the last call of [`advance`](Self::advance).
    #[must_use]
    pub fn new(directory: &Path, max_bytes: u64) -> Self {
        Self { directory: directory.to_owned(), max_bytes, end: JournalPoint::default(), bytes: 0, flushing: None }
    }

    /// Flushes all keyspaces if there are enough changes, usually without waiting for it. Call this
    /// after every commit, with all keyspaces of the database.
    pub fn advance(&mut self, database: &Database, keyspaces: &[&Keyspace]) -> Result<(), fjall::Error> {
        self.read_journal()?;
        if self.flushing.is_some() {
            if self.bytes > self.max_bytes {
                wait_for_flushes(database, keyspaces, 0)?;
            }
            if keyspaces.iter().any(|keyspace| keyspace.sealed_memtable_count() > 0) {
                return Ok(());
            }
            self.write_mark();
        }
        if self.bytes > self.max_bytes {
            // fjall holds the lock of the journal until a batch is in the memtables, and rotating one
            // needs this lock: every batch that was read here is in the memtables that are flushed.
            for keyspace in keyspaces {
                keyspace.rotate_memtable()?;
            }
            self.flushing = Some(self.end);
            self.bytes = 0;
        }
        Ok(())
    }

    /// Reads the batches that were written since the last call.
    fn read_journal(&mut self) -> io::Result<()> {
        const READ_BYTES: u64 = 256 << 10;
        let Some((journal, path)) = newest_journal(&self.directory)? else { return Ok(()) };
        if journal != self.end.journal {
            self.end = JournalPoint { journal, ..JournalPoint::default() };
        }
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(self.end.end))?;
        let (mut bytes, mut offset) = (Vec::new(), 0);
        loop {
            match read_batch(&bytes[offset..]) {
                Ok(batch) => {
                    let begin = self.end.end;
                    let end = begin + batch.end as u64;
                    self.end = JournalPoint { journal, begin, end, sequence: batch.sequence };
                    self.bytes += batch.end as u64;
                    offset += batch.end;
                }
                Err(_) => {
                    // The rest is the begin of a batch, unless it is the end of the journal, which
                    // fjall fills with zeros.
                    let is_end = bytes.get(offset) == Some(&0);
                    bytes.drain(..offset);
                    offset = 0;
                    if is_end || (&mut file).take(READ_BYTES).read_to_end(&mut bytes)? == 0 {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Without the mark, more is replayed, so a failure is no error.
    fn write_mark(&mut self) {
        let Some(point) = self.flushing.take() else { return };
        let path = self.directory.join(MARK_FILE);
        let temporary = path.with_extension("new");
        let _ = fs::write(&temporary, point.encode()).and_then(|()| fs::rename(temporary, path));
    }
}

fn newest_journal(directory: &Path) -> io::Result<Option<(u64, PathBuf)>> {
    Ok(journals(directory)?.pop().and_then(|path| Some((journal_number(&path)?, path))))
}

fn journal_number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.parse().ok()
}

/// Removes the part of the journals that is in tables, as the mark says. The database must be
/// locked.
pub(crate) fn remove_flushed(directory: &Path) -> io::Result<()> {
    let text = fs::read_to_string(directory.join(MARK_FILE)).unwrap_or_default();
    let Some(mark) = JournalPoint::decode(&text) else { return Ok(()) };
    let path = directory.join(format!("{}.jnl", mark.journal));
    if !has_batch(&path, &mark)? {
        return Ok(());
    }
    for older in journals(directory)?.into_iter().filter(|path| journal_number(path) < Some(mark.journal)) {
        cut(&older, 0)?;
    }
    let rest = read_written(&path, mark.end)?;
    let temporary = path.with_extension("new");
    let mut file = File::create(&temporary)?;
    file.write_all(&rest)?;
    file.sync_all()?;
    fs::rename(temporary, &path)?;
    File::open(directory)?.sync_all()
}

/// Whether the journal has the batch of a mark.
fn has_batch(path: &Path, mark: &JournalPoint) -> io::Result<bool> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        file => file?,
    };
    file.seek(SeekFrom::Start(mark.begin))?;
    let mut bytes = Vec::new();
    file.take(mark.end - mark.begin).read_to_end(&mut bytes)?;
    Ok(read_batch(&bytes).is_ok_and(|batch| batch.end == bytes.len() && batch.sequence == mark.sequence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fjall::{KeyspaceCreateOptions, PersistMode};

    const MAX_BYTES: u64 = 20_000;

    fn open_tables(directory: &Path) -> (Database, [Keyspace; 2]) {
        let database = crate::open(directory, |builder| builder).unwrap();
        let tables = ["one", "two"].map(|name| database.keyspace(name, KeyspaceCreateOptions::default).unwrap());
        (database, tables)
    }

    /// Writes values. The database is closed without its journals being emptied, as by a kill.
    fn write_values(directory: &Path, values: u32) {
        let (database, tables) = open_tables(directory);
        let mut bound = ReplayBound::new(directory, MAX_BYTES);
        for number in 0..values {
            let mut batch = database.batch().durability(Some(PersistMode::Buffer));
            batch.insert(&tables[0], number.to_be_bytes(), "first");
            batch.insert(&tables[1], number.to_be_bytes(), "second".repeat(100));
            batch.commit().unwrap();
            bound.advance(&database, &tables.each_ref()).unwrap();
        }
    }

    fn journal_bytes(directory: &Path) -> u64 {
        journals(directory).unwrap().iter().map(|path| read_written(path, 0).unwrap().len() as u64).sum()
    }

    #[test]
    fn a_killed_database_replays_a_bounded_part_of_its_journal() {
        for values in [1, 40, 90, 300] {
            let directory = tempfile::tempdir().unwrap();
            write_values(directory.path(), values);
            let written = journal_bytes(directory.path());
            assert!(written > u64::from(values) * 600);

            let (_database, tables) = open_tables(directory.path());

            let batch = written / u64::from(values) + 1;
            assert!(journal_bytes(directory.path()) <= 2 * (MAX_BYTES + batch), "{values} values");
            for (table, length) in tables.iter().zip([5, 600]) {
                let value = |number: u32| table.get(number.to_be_bytes()).unwrap();
                assert!((0..values).all(|number| value(number).is_some_and(|value| value.len() == length)));
            }
        }
    }

    #[test]
    fn a_mark_that_does_not_fit_the_journal_is_ignored() {
        let directory = tempfile::tempdir().unwrap();
        write_values(directory.path(), 300);
        let mark = fs::read_to_string(directory.path().join(MARK_FILE)).unwrap();
        let point = JournalPoint::decode(&mark).unwrap();
        let written = journal_bytes(directory.path());
        let check = |mark: &str| {
            fs::write(directory.path().join(MARK_FILE), mark).unwrap();
            remove_flushed(directory.path()).unwrap();
            assert_eq!(journal_bytes(directory.path()), written, "{mark}");
        };

        check("");
        check(mark.trim());
        check(&JournalPoint { sequence: point.sequence + 1, ..point }.encode());
        check(&JournalPoint { begin: point.begin - 1, ..point }.encode());
        check(&JournalPoint { end: point.end + 1, ..point }.encode());
        check(&JournalPoint { journal: 7, ..point }.encode());

        fs::write(directory.path().join(MARK_FILE), &mark).unwrap();
        remove_flushed(directory.path()).unwrap();
        assert_eq!(journal_bytes(directory.path()), written - point.end);
        // The mark does not fit any more.
        remove_flushed(directory.path()).unwrap();
        assert_eq!(journal_bytes(directory.path()), written - point.end);
    }
}
