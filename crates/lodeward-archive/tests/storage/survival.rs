//! An archive whose process is killed repeatedly.
//!
//! The victim is this test program, started again with a directory to write to. It reports each
//! batch on standard output before it starts and after it is committed. After a kill, all reported
//! batches must exist.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use lodeward_archive::{Archive, Collection, Snapshot};
use oxrdf::Quad;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use crate::fixture::{everything, graph, node, object, options, quad};

const DIRECTORY: &str = "LODEWARD_TEST_VICTIM";
const QUADS: u64 = 260;
/// The number of batches in the archive; older ones are dropped.
const STORED_BATCHES: u64 = 12;
const LAST: &[u8] = b"last";

/// The number of kills.
fn kills() -> u32 {
    if std::env::var_os("LODEWARD_TEST_TORTURE").is_some() { 50 } else { 5 }
}

fn batch_graph(number: u64) -> String {
    format!("batch{number}")
}

fn batch(number: u64) -> Vec<Quad> {
    (0..QUADS).map(|n| quad(&batch_graph(number), n / 5, n % 5, object(number * 1_000 + n))).collect()
}

/// The document that every batch stores again.
fn document(number: u64) -> Vec<Quad> {
    (0..30).map(|n| quad("document", n, number % 3, object(number * 100 + n))).collect()
}

/// The content that every batch writes into the replaced graph.
fn replaced(number: u64) -> Vec<Quad> {
    (0..QUADS).map(|n| quad("replaced", n / 4, n % 2, object((number % 5) * 100 + n))).collect()
}

/// Writes until it is killed: transactions, and a bulk load in every third batch. Each batch
/// replaces a graph, and drops an older batch.
#[test]
#[ignore = "run by the test that kills it"]
fn victim() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    let archive = Archive::open(directory, &options()).unwrap();
    let first = last_batch(&archive.snapshot()).map_or(0, |last| last + 1);
    for number in first.. {
        report("begin", number);
        if number % 3 == 2 {
            let mut loader = archive.bulk_loader();
            for quad in batch(number) {
                loader.add(quad.as_ref()).unwrap();
            }
            loader.finish().unwrap();
        }
        // Even batches exceed the buffer and use a bulk load; odd ones use a transaction.
        let max_buffered = if number.is_multiple_of(2) { 30 } else { usize::MAX };
        let mut replacement = archive.replace_graph(node("replaced")).with_max_buffered(max_buffered);
        for quad in replaced(number) {
            replacement.add(quad.as_ref().into()).unwrap();
        }
        replacement.finish().unwrap();
        let mut transaction = archive.begin();
        if number % 3 != 2 {
            for quad in batch(number) {
                transaction.insert(quad.as_ref()).unwrap();
            }
        }
        if let Some(old) = number.checked_sub(STORED_BATCHES) {
            transaction.drop_graph(graph(&batch_graph(old)).as_ref()).unwrap();
        }
        let quads = document(number);
        transaction.put_document(Collection(1), node("document").as_ref(), quads.iter().map(Quad::as_ref)).unwrap();
        transaction.set_note(LAST, Some(&number.to_be_bytes()));
        transaction.commit().unwrap();
        report("done", number);
        if number % 7 == 6 {
            archive.reclaim().unwrap();
        }
    }
}

fn report(what: &str, number: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{what} {number}").unwrap();
    out.flush().unwrap();
}

fn last_batch(snapshot: &Snapshot) -> Option<u64> {
    snapshot.note(LAST).unwrap().map(|last| u64::from_be_bytes(last.try_into().unwrap()))
}

fn start(directory: &std::path::Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "survival::victim", "--ignored", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Lets a victim write for a while, kills it, and returns the last batch it reported as committed.
fn kill(directory: &std::path::Path, rng: &mut SmallRng) -> Option<u64> {
    let mut child = start(directory);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (mut reports_left, mut committed) = (rng.random_range(1..24), None);
    for line in lines {
        let line = line.unwrap();
        if let Some(number) = line.strip_prefix("done ") {
            committed = Some(number.parse().unwrap());
        }
        reports_left -= i32::from(line.starts_with("begin ") || line.starts_with("done "));
        if reports_left <= 0 {
            // Somewhere in the middle of the next step.
            std::thread::sleep(std::time::Duration::from_micros(rng.random_range(0..20_000)));
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    committed
}

/// Checks the content after batch `last`. The bulk load and the replacement of the next batch may
/// exist already, as they come before its transaction.
fn check(snapshot: &Snapshot, last: u64) {
    let mut expected: BTreeSet<String> = document(last).iter().map(Quad::to_string).collect();
    for number in (last + 1).saturating_sub(STORED_BATCHES)..=last {
        expected.extend(batch(number).iter().map(Quad::to_string));
    }
    let mut found = everything(snapshot);
    let is_replaced = |quad: &String| quad.ends_with("/replaced>");
    let graph: BTreeSet<String> = found.iter().filter(|quad| is_replaced(quad)).cloned().collect();
    let is = |number| graph == replaced(number).iter().map(Quad::to_string).collect();
    assert!(is(last) || is(last + 1), "a graph is replaced completely or not at all");
    found.retain(|quad| !is_replaced(quad));
    let next: BTreeSet<String> = batch(last + 1).iter().map(Quad::to_string).collect();
    if (last + 1) % 3 == 2 && next.is_subset(&found) {
        found.retain(|quad| !next.contains(quad));
    }
    assert_eq!(found.len(), expected.len(), "after batch {last}");
    assert!(found == expected, "after batch {last}");
}

#[test]
fn committed_changes_survive_a_kill_and_uncommitted_ones_do_not() {
    let directory = tempfile::tempdir().unwrap();
    let rng = &mut SmallRng::seed_from_u64(50);
    let mut reported: Option<u64> = None;
    let (mut ahead, mut marks) = (0, 0);
    for _ in 0..kills() {
        reported = kill(directory.path(), rng).or(reported);
        marks += u32::from(directory.path().join("flushed").exists());
        let archive = Archive::open(directory.path(), &options()).unwrap();
        let stored = last_batch(&archive.snapshot());
        assert!(stored >= reported, "a batch reported as committed exists");
        ahead += u32::from(stored > reported);
        if let Some(stored) = stored {
            check(&archive.snapshot(), stored);
        }
    }
    assert!(marks > 0, "a kill leaves a journal with a mark");
    eprintln!(
        "{} kills, {} batches: every batch reported as committed exists, none is partial; {ahead} more were \
         committed but not yet reported",
        kills(),
        reported.map_or(0, |last| last + 1),
    );
    assert!(reported.is_some(), "the victims have committed batches");
}
