//! Tests of new, interrupted and damaged databases.

use std::fs::{self, File};

use super::creation::{LOCK_FILE, VERSION_FILE};
use super::*;

fn open_and_write(directory: &Path) -> Result<(), DatabaseOpenError> {
    let database = open(directory, |builder| builder)?;
    let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default)?;
    Ok(table.insert("key", "value")?)
}

/// A database as it is after `kill -9` during its creation, before the version file is complete.
fn interrupted_creation(version: Option<&[u8]>) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    drop(open(directory.path(), |builder| builder).unwrap());
    fs::remove_dir_all(directory.path().join("keyspaces/0")).unwrap();
    fs::remove_file(directory.path().join(VERSION_FILE)).unwrap();
    if let Some(version) = version {
        fs::write(directory.path().join(VERSION_FILE), version).unwrap();
    }
    assert!(Database::builder(directory.path()).open().is_err(), "fjall can open it: `open` is not needed any more");
    directory
}

#[test]
fn a_database_whose_creation_was_interrupted_is_created_again() {
    for version in [None, Some(b"".as_slice()), Some(b"FJL")] {
        let directory = interrupted_creation(version);
        open_and_write(directory.path()).unwrap();
        open_and_write(directory.path()).unwrap();
    }
}

#[test]
fn a_database_without_its_first_keyspace_is_opened() {
    let directory = tempfile::tempdir().unwrap();
    drop(open(directory.path(), |builder| builder).unwrap());
    fs::remove_dir_all(directory.path().join("keyspaces/0")).unwrap();

    open_and_write(directory.path()).unwrap();
}

#[test]
fn a_database_that_another_process_is_creating_is_locked() {
    let directory = interrupted_creation(None);
    let lock = File::options().read(true).write(true).open(directory.path().join(LOCK_FILE)).unwrap();
    lock.try_lock().unwrap();

    assert!(matches!(open(directory.path(), |builder| builder), Err(DatabaseOpenError::Locked)));
    assert!(directory.path().join("0.jnl").exists());
}

#[test]
fn a_database_keeps_its_contents_and_other_files_stay() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("notes.txt"), "mine").unwrap();
    open_and_write(directory.path()).unwrap();
    let database = open(directory.path(), |builder| builder).unwrap();
    let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default).unwrap();

    assert_eq!(table.get("key").unwrap().as_deref(), Some(b"value".as_slice()));
    assert!(directory.path().join("notes.txt").exists());
}

/// Number of values in a database.
const VALUES: u32 = 20;

/// A database with values that are only in its journal.
fn database_with_values() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let database = open(directory.path(), |builder| builder).unwrap();
    let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default).unwrap();
    for number in 0..VALUES {
        let mut batch = database.batch();
        batch.insert(&table, number.to_be_bytes(), "first");
        batch.insert(&table, (VALUES + number).to_be_bytes(), "second".repeat(2_000));
        batch.commit().unwrap();
    }
    database.persist(fjall::PersistMode::SyncAll).unwrap();
    drop(table);
    drop(database);
    directory
}

/// The number of batches in a database, or why it cannot be opened.
fn batches(directory: &Path) -> Result<u32, DatabaseOpenError> {
    let database = open(directory, |builder| builder)?;
    let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default)?;
    let count = |from: u32, to: u32| (from..to).filter(|n| table.contains_key(n.to_be_bytes()).unwrap()).count();
    let first = count(0, VALUES);
    assert_eq!(first, count(VALUES, 2 * VALUES), "a batch is read as a whole or not at all");
    Ok(u32::try_from(first).unwrap())
}

/// The written part of the journal.
fn journal(directory: &Path) -> Vec<u8> {
    let bytes = fs::read(directory.join("0.jnl")).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    bytes[..end].to_vec()
}

#[test]
fn a_changed_bit_of_a_journal_is_reported_and_loses_nothing() {
    let directory = database_with_values();
    let whole = journal(directory.path());
    assert_eq!(batches(directory.path()).unwrap(), VALUES);
    let path = directory.path().join("0.jnl");
    // Every byte of the first batches, and some of each later one.
    for offset in (0..300).chain((300..whole.len()).step_by(211)) {
        let mut damaged = whole.clone();
        damaged[offset] ^= 1 << (offset % 8);
        fs::write(&path, &damaged).unwrap();

        let opened = batches(directory.path());

        match opened {
            Err(DatabaseOpenError::Damaged { .. }) => {
                assert!(fs::read(&path).unwrap() == damaged, "byte {offset}: a damaged journal is not changed");
            }
            // The sequence number of the batch has no checksum, and is only compared.
            Ok(VALUES) => {}
            other => panic!("byte {offset}: {other:?}"),
        }
    }
}

#[test]
fn a_journal_truncated_at_any_byte_is_opened_without_its_last_batch() {
    let directory = database_with_values();
    let whole = journal(directory.path());
    let path = directory.path().join("0.jnl");
    let last_batch = whole.len() - whole.len() / VALUES as usize;
    for cut in (last_batch + 1..whole.len()).step_by(3) {
        for padding in [0, 5_000] {
            fs::write(&path, [&whole[..cut], &vec![0; padding]].concat()).unwrap();
            assert_eq!(batches(directory.path()).unwrap(), VALUES - 1, "cut at {cut}");
        }
    }
}

#[test]
fn a_damaged_journal_is_cut_on_request_and_set_aside() {
    let directory = database_with_values();
    let mut damaged = journal(directory.path());
    let middle = damaged.len() / 2;
    damaged[middle..middle + 100].fill(0);
    fs::write(directory.path().join("0.jnl"), &damaged).unwrap();
    assert!(matches!(batches(directory.path()), Err(DatabaseOpenError::Damaged { .. })));

    let cut = cut_damage(directory.path()).unwrap().unwrap();

    let left = batches(directory.path()).unwrap();
    assert!((VALUES / 2 - 2..VALUES / 2 + 2).contains(&left), "{left} of {VALUES}");
    assert!(fs::read(cut.set_aside).unwrap() == damaged);
    assert_eq!(cut_damage(directory.path()).unwrap(), None);
}

#[test]
fn missing_files_are_not_taken_for_an_interrupted_creation() {
    let check = |remove: &dyn Fn(&Path)| {
        let directory = database_with_values();
        remove(directory.path());
        let opened = batches(directory.path());
        assert!(matches!(opened, Err(DatabaseOpenError::Damaged { .. })), "{opened:?}");
        assert!(directory.path().join("0.jnl").exists() && directory.path().join("keyspaces/1").exists());
    };

    check(&|path| fs::remove_file(path.join("version")).unwrap());
    check(&|path| fs::write(path.join("version"), "FJ").unwrap());
    check(&|path| fs::remove_dir_all(path.join("keyspaces/0")).unwrap());
    check(&|path| fs::remove_file(path.join("keyspaces/0/current")).unwrap());
    check(&|path| fs::remove_file(path.join("lock")).and(fs::remove_file(path.join("version"))).unwrap());
}

#[test]
fn a_keyspace_that_has_lost_its_current_version_is_not_deleted() {
    let directory = database_with_values();
    let database = open(directory.path(), |builder| builder).unwrap();
    let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default).unwrap();
    table.rotate_memtable_and_wait().unwrap();
    drop((table, database));
    let current = directory.path().join("keyspaces/1/current");
    fs::remove_file(&current).unwrap();

    let opened = batches(directory.path());

    assert!(matches!(opened, Err(DatabaseOpenError::Damaged { path, .. }) if path == current));
}

#[test]
fn a_database_that_was_flushed_and_closed_has_an_empty_journal() {
    let directory = tempfile::tempdir().unwrap();
    let mut cutter = JournalCutter::new(directory.path());
    let database = open(directory.path(), |builder| builder).unwrap();
    let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default).unwrap();
    table.insert("key", "value").unwrap();
    cutter.flush(&database, &[&table]).unwrap();
    drop((table, database));
    drop(cutter);

    assert_eq!(fs::metadata(directory.path().join("0.jnl")).unwrap().len(), 0);
    let database = open(directory.path(), |builder| builder).unwrap();
    let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default).unwrap();
    assert_eq!(table.get("key").unwrap().as_deref(), Some(b"value".as_slice()));
    // A change after that is newer than what the tables have.
    table.insert("key", "newer").unwrap();
    drop((table, database));
    let database = open(directory.path(), |builder| builder).unwrap();
    let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default).unwrap();
    assert_eq!(table.get("key").unwrap().as_deref(), Some(b"newer".as_slice()));
}

#[test]
fn a_journal_that_another_process_has_written_to_is_not_emptied() {
    let directory = tempfile::tempdir().unwrap();
    let mut cutter = JournalCutter::new(directory.path());
    let database = open(directory.path(), |builder| builder).unwrap();
    let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default).unwrap();
    cutter.flush(&database, &[&table]).unwrap();
    drop((table, database));
    open_and_write(directory.path()).unwrap();
    drop(cutter);

    let database = open(directory.path(), |builder| builder).unwrap();
    let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default).unwrap();
    assert_eq!(table.get("key").unwrap().as_deref(), Some(b"value".as_slice()));
}

#[test]
fn journals_with_changes_of_another_keyspace_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let mut cutter = JournalCutter::new(directory.path());
    let database = open(directory.path(), |builder| builder).unwrap();
    let flushed = database.keyspace("flushed", fjall::KeyspaceCreateOptions::default).unwrap();
    let other = database.keyspace("other", fjall::KeyspaceCreateOptions::default).unwrap();
    flushed.insert("key", "value").unwrap();
    other.insert("key", "value").unwrap();

    cutter.flush(&database, &[&flushed]).unwrap();
    drop((database, flushed, other));
    drop(cutter);

    let database = open(directory.path(), |builder| builder).unwrap();
    let other = database.keyspace("other", fjall::KeyspaceCreateOptions::default).unwrap();
    assert_eq!(other.get("key").unwrap().as_deref(), Some(b"value".as_slice()));
}
