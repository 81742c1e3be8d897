//! An archive whose write failed is opened again without losing anything.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lodeward_archive::{Archive, ArchiveError};
use oxrdf::Quad;

use crate::fixture::{archive, everything, insert, lines, object, quad};

fn quads(graph: &str, count: u64) -> Vec<Quad> {
    (0..count).map(|number| quad(graph, number, number % 3, object(number))).collect()
}

/// The directories into which the database writes its tables.
fn table_directories(archive: &Path) -> Vec<PathBuf> {
    let keyspaces = fs::read_dir(archive.join("keyspaces")).unwrap();
    keyspaces.map(|keyspace| keyspace.unwrap().path().join("tables")).filter(|path| path.is_dir()).collect()
}

/// Makes the next write of a table fail, and with it the thread of the database that writes tables,
/// as on a full disk. Afterwards tables can be written again.
fn fail_once(directory: &Path, archive: &Archive) {
    let tables = table_directories(directory);
    for path in &tables {
        fs::rename(path, path.with_extension("away")).unwrap();
    }
    let failed = archive.reclaim();
    for path in &tables {
        let _ = fs::remove_dir_all(path);
        fs::rename(path.with_extension("away"), path).unwrap();
    }
    assert!(matches!(failed, Err(ArchiveError::Database(_))), "{failed:?}");
}

#[test]
fn a_failed_write_makes_the_archive_read_only_until_it_is_opened_again() {
    let (keep, archive) = archive();
    let (first, second) = (quads("first", 40), quads("second", 20));
    insert(&archive, &first);
    assert!(archive.check_writable().is_ok());
    assert!(!archive.recover(Duration::ZERO).unwrap(), "there is nothing to recover from");
    fail_once(&keep.path().join("archive"), &archive);

    // Snapshots remain readable, and nothing can be written.
    assert_eq!(everything(&archive.snapshot()), lines(&first));
    assert!(archive.check_writable().is_err());
    let mut transaction = archive.begin();
    transaction.insert(second[0].as_ref()).unwrap();
    assert!(transaction.commit().is_err());
    let clone = archive.clone();
    assert!(archive.recover(Duration::ZERO).unwrap());

    assert!(archive.check_writable().is_ok());
    assert_eq!(everything(&clone.snapshot()), lines(&first), "nothing that was committed is lost");
    insert(&clone, &second);
    let both: Vec<Quad> = first.iter().chain(&second).cloned().collect();
    assert_eq!(everything(&archive.snapshot()), lines(&both));
    assert_eq!(archive.snapshot().check().unwrap().stale_postings, 0);
    archive.reclaim().unwrap();
}

#[test]
fn an_archive_is_not_closed_while_a_snapshot_reads_it() {
    let (keep, archive) = archive();
    let first = quads("first", 40);
    insert(&archive, &first);
    let snapshot = archive.snapshot();
    fail_once(&keep.path().join("archive"), &archive);

    let refused = archive.recover(Duration::from_millis(20));

    assert!(matches!(refused, Err(ArchiveError::BeingRead(1))), "{refused:?}");
    assert_eq!(everything(&snapshot), lines(&first));
    drop(snapshot);
    assert!(archive.recover(Duration::from_millis(20)).unwrap());
}

#[test]
fn a_failed_bulk_load_leaves_nothing_after_the_recovery() {
    let (keep, archive) = archive();
    let first = quads("first", 40);
    insert(&archive, &first);
    let mut loader = archive.bulk_loader();
    let tables = table_directories(&keep.path().join("archive"));
    for path in &tables {
        fs::rename(path, path.with_extension("away")).unwrap();
    }
    let loaded = quads("loaded", 400).iter().try_for_each(|quad| loader.add(quad.as_ref()));
    let loaded = loaded.and_then(|()| loader.finish().map(drop));
    for path in &tables {
        let _ = fs::remove_dir_all(path);
        fs::rename(path.with_extension("away"), path).unwrap();
    }
    assert!(loaded.is_err());

    archive.recover(Duration::ZERO).unwrap();

    assert_eq!(everything(&archive.snapshot()), lines(&first));
    let second = quads("second", 20);
    insert(&archive, &second);
    drop(archive);
    let archive = Archive::open(keep.path().join("archive"), &crate::fixture::options()).unwrap();
    let both: Vec<Quad> = first.iter().chain(&second).cloned().collect();
    assert_eq!(everything(&archive.snapshot()), lines(&both), "what was confirmed is kept");
}

#[test]
fn a_failed_large_transaction_leaves_nothing_after_the_recovery() {
    let (keep, archive) = archive();
    let first = quads("first", 40);
    insert(&archive, &first);
    let mut transaction = archive.begin();
    for quad in &quads("large", 400) {
        transaction.insert(quad.as_ref()).unwrap();
    }
    let tables = table_directories(&keep.path().join("archive"));
    for path in &tables {
        fs::rename(path, path.with_extension("away")).unwrap();
    }
    let committed = transaction.commit();
    for path in &tables {
        let _ = fs::remove_dir_all(path);
        fs::rename(path.with_extension("away"), path).unwrap();
    }
    assert!(committed.is_err());

    archive.recover(Duration::ZERO).unwrap();

    assert_eq!(everything(&archive.snapshot()), lines(&first));
    let second = quads("second", 200);
    insert(&archive, &second);
    let both: Vec<Quad> = first.iter().chain(&second).cloned().collect();
    assert_eq!(everything(&archive.snapshot()), lines(&both));
    archive.snapshot().check().unwrap();
}
