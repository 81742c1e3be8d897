//! An archive whose process is killed, again and again.
//!
//! The victim is this very test program, started again with a folder to write
//! to. It tells each batch on standard output before it begins and after it is
//! committed; when it is killed, what it told must be true.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use lodeward_archive::{Archive, Collection, Snapshot};
use oxrdf::Quad;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use crate::fixture::{everything, graph, node, object, options, quad};

const FOLDER: &str = "LODEWARD_VICTIM";
const QUADS: u64 = 260;
/// Older ones are dropped.
const BATCHES_KEPT: u64 = 12;
const LAST: &[u8] = b"last";

/// How many times the victim is killed.
fn kills() -> u32 {
    if std::env::var_os("LODEWARD_TORTURE").is_some() { 50 } else { 5 }
}

fn batch_graph(number: u64) -> String {
    format!("batch{number}")
}

fn batch(number: u64) -> Vec<Quad> {
    (0..QUADS).map(|n| quad(&batch_graph(number), n / 5, n % 5, object(number * 1_000 + n))).collect()
}

/// The document that every batch puts again.
fn document(number: u64) -> Vec<Quad> {
    (0..30).map(|n| quad("document", n, number % 3, object(number * 100 + n))).collect()
}

/// What every batch puts in the place of what the one before did.
fn replaced(number: u64) -> Vec<Quad> {
    (0..QUADS).map(|n| quad("replaced", n / 4, n % 2, object((number % 5) * 100 + n))).collect()
}

/// Writes until it is killed: transactions, every third batch a bulk load, each
/// replaces a graph, and drops what was written some batches before.
#[test]
#[ignore = "run by the test that kills it"]
fn victim() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let archive = Archive::open(folder, &options()).unwrap();
    let first = last(&archive.snapshot()).map_or(0, |last| last + 1);
    for number in first.. {
        say("begin", number);
        if number % 3 == 2 {
            let mut loader = archive.bulk_loader();
            for quad in batch(number) {
                loader.add(quad.as_ref()).unwrap();
            }
            loader.finish().unwrap();
        }
        // Sometimes in a transaction, sometimes in runs.
        let held_max = if number.is_multiple_of(2) { 30 } else { usize::MAX };
        let mut replacement = archive.replace_graph(node("replaced")).holding(held_max);
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
        if let Some(old) = number.checked_sub(BATCHES_KEPT) {
            transaction.drop_graph(graph(&batch_graph(old)).as_ref()).unwrap();
        }
        let quads = document(number);
        transaction.put_document(Collection(1), node("document").as_ref(), quads.iter().map(Quad::as_ref)).unwrap();
        transaction.note(LAST, Some(&number.to_be_bytes()));
        transaction.commit().unwrap();
        say("done", number);
        if number % 7 == 6 {
            archive.reclaim().unwrap();
        }
    }
}

fn say(what: &str, number: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{what} {number}").unwrap();
    out.flush().unwrap();
}

fn last(snapshot: &Snapshot) -> Option<u64> {
    snapshot.note(LAST).unwrap().map(|last| u64::from_be_bytes(last.try_into().unwrap()))
}

fn start(folder: &std::path::Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "survival::victim", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Lets a victim write for a while, kills it, and tells what it said last.
fn kill(folder: &std::path::Path, rng: &mut SmallRng) -> Option<u64> {
    let mut child = start(folder);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (mut patience, mut done) = (rng.random_range(1..24), None);
    for line in lines {
        let line = line.unwrap();
        if let Some(number) = line.strip_prefix("done ") {
            done = Some(number.parse().unwrap());
        }
        patience -= i32::from(line.starts_with("begin ") || line.starts_with("done "));
        if patience <= 0 {
            // Somewhere in the middle of what comes next.
            std::thread::sleep(std::time::Duration::from_micros(rng.random_range(0..20_000)));
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    done
}

/// What must be there after batch `last`, and what may be: the bulk load of the
/// next batch and what it replaces come before its transaction.
fn check(snapshot: &Snapshot, last: u64) {
    let mut expected: BTreeSet<String> = document(last).iter().map(Quad::to_string).collect();
    for number in (last + 1).saturating_sub(BATCHES_KEPT)..=last {
        expected.extend(batch(number).iter().map(Quad::to_string));
    }
    let mut found = everything(snapshot);
    let is_replaced = |quad: &String| quad.ends_with("/replaced>");
    let graph: BTreeSet<String> = found.iter().filter(|quad| is_replaced(quad)).cloned().collect();
    let is = |number| graph == replaced(number).iter().map(Quad::to_string).collect();
    assert!(is(last) || is(last + 1), "a graph is replaced as a whole, or not at all");
    found.retain(|quad| !is_replaced(quad));
    let next: BTreeSet<String> = batch(last + 1).iter().map(Quad::to_string).collect();
    if (last + 1) % 3 == 2 && next.is_subset(&found) {
        found.retain(|quad| !next.contains(quad));
    }
    assert_eq!(found.len(), expected.len(), "after batch {last}");
    assert!(found == expected, "after batch {last}");
}

#[test]
fn whatever_was_committed_survives_the_end_of_its_process_and_nothing_else_does() {
    let directory = tempfile::tempdir().unwrap();
    let rng = &mut SmallRng::seed_from_u64(50);
    let mut told: Option<u64> = None;
    let mut ahead = 0;
    for _ in 0..kills() {
        told = kill(directory.path(), rng).or(told);
        let archive = Archive::open(directory.path(), &options()).unwrap();
        let kept = last(&archive.snapshot());
        assert!(kept >= told, "what was told to be committed is there");
        ahead += u32::from(kept > told);
        if let Some(kept) = kept {
            check(&archive.snapshot(), kept);
        }
    }
    eprintln!(
        "{} kills, {} batches: all there that were told to be committed, none in part; {ahead} more were committed \
         and not yet told",
        kills(),
        told.map_or(0, |told| told + 1),
    );
    assert!(told.is_some(), "the victims have written something");
}
