//! Where the shared test data is: real webs, entity graphs, public suites.
//!
//! They are not part of the project. A test that needs them asks here, and is
//! skipped where they are not; `make test` tells at the end how many were.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use flate2::read::GzDecoder;

/// A file or folder of the shared test data, or `None`, which is noted.
///
/// Looks under `LODEWARD_SHARED`, by default `../shared` beside the project.
/// Notes go to the file that `LODEWARD_SKIPPED` names, a line each.
#[must_use]
pub fn find(path: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let folder = std::env::var_os("LODEWARD_SHARED").map_or_else(beside, PathBuf::from);
    let found = folder.join(path);
    if found.exists() {
        return Some(found);
    }
    note_skipped(path);
    None
}

/// Notes that a test was skipped for want of something that tests have beside shared
/// data: a program, or something about this machine.
pub fn without_tool(name: &str) {
    note_skipped(&format!("tool: {name}"));
}

fn note_skipped(for_want_of: &str) {
    eprintln!("skipped: {for_want_of} is not there");
    if let Some(notes) = std::env::var_os("LODEWARD_SKIPPED")
        && let Ok(mut notes) = std::fs::OpenOptions::new().create(true).append(true).open(notes)
    {
        // A note that is lost is a skip that is not counted: no reason to fail.
        let _ = writeln!(notes, "{for_want_of}");
    }
}

/// The files of a test suite by their paths, or `None` where it is not at hand.
#[must_use]
pub fn suite(name: &str) -> Option<HashMap<String, Vec<u8>>> {
    let file = File::open(find(&format!("suites/{name}.tar.gz"))?).expect("it was found");
    let mut archive = tar::Archive::new(GzDecoder::new(file));
    let mut files = HashMap::new();
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("a whole archive");
        let path = entry.path().expect("a path").display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("a whole archive");
        let path = path.split_once('/').map_or(path.clone(), |(_, path)| path.to_owned());
        files.insert(path, bytes);
    }
    Some(files)
}

/// The pages of some suites, unpacked, in the order of their paths: the files
/// whose names end in `html`, or in `html.gz`.
#[must_use]
pub fn pages(suites: &[&str]) -> Vec<(String, Vec<u8>)> {
    let unpacked = |(path, bytes): (String, Vec<u8>)| {
        if path.ends_with(".html.gz") {
            let mut page = Vec::new();
            GzDecoder::new(bytes.as_slice()).read_to_end(&mut page).expect("a whole page");
            return Some((path, page));
        }
        path.ends_with("html").then_some((path, bytes))
    };
    let mut pages: Vec<_> = suites.iter().filter_map(|name| suite(name)).flatten().filter_map(unpacked).collect();
    pages.sort();
    pages
}

/// Checks the failures of a suite against those that are expected: lines of
/// `suite test reason`.
pub fn settle(expected: &str, suite: &str, passed: usize, mut failures: Vec<String>) {
    eprintln!("{suite}: {passed} passed, {} failed", failures.len());
    failures.sort();
    assert_eq!(failures, expected_failures(expected, suite), "{suite}");
    assert!(passed > 0);
}

fn expected_failures(list: &str, suite: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let mut words = line.splitn(3, ' ');
        let (of_suite, name, reason) = (words.next(), words.next(), words.next());
        assert!(reason.is_some_and(|reason| !reason.is_empty()), "a failure is expected for a reason: {line}");
        if of_suite == Some(suite) {
            names.extend(name.map(str::to_owned));
        }
    }
    names.sort();
    names
}
