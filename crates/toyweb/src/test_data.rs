//! Locates the shared test data: recorded webs, entity graphs, public test suites.
//!
//! The data is not part of the project. A test that needs missing data is skipped; `make test` prints the number of
//! skipped tests at the end.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use flate2::read::GzDecoder;

/// A file or directory of the shared test data, or `None`, which is recorded as a skipped test.
///
/// The base directory is `LODEWARD_SHARED`, by default `../shared` next to the project. Skipped tests are appended to
/// the file `LODEWARD_TEST_SKIPPED`, one line each.
#[must_use]
pub fn find(path: &str) -> Option<PathBuf> {
    let default_directory = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let directory = std::env::var_os("LODEWARD_SHARED").map_or_else(default_directory, PathBuf::from);
    let found = directory.join(path);
    if found.exists() {
        return Some(found);
    }
    note_skipped(path);
    None
}

/// Records that a test was skipped because a program or a property of this machine is missing.
pub fn note_missing_tool(name: &str) {
    note_skipped(&format!("tool: {name}"));
}

fn note_skipped(missing: &str) {
    eprintln!("skipped: {missing} not found");
    if let Some(path) = std::env::var_os("LODEWARD_TEST_SKIPPED")
        && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path)
    {
        // A lost line only makes the count too small, which is no reason to fail.
        let _ = writeln!(file, "{missing}");
    }
}

/// The files of a test suite by their paths, or `None` if it is not available.
#[must_use]
pub fn suite(name: &str) -> Option<HashMap<String, Vec<u8>>> {
    let file = File::open(find(&format!("suites/{name}.tar.gz"))?).expect("the file exists");
    let mut archive = tar::Archive::new(GzDecoder::new(file));
    let mut files = HashMap::new();
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("a complete archive");
        let path = entry.path().expect("a path").display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("a complete archive");
        let path = path.split_once('/').map_or(path.clone(), |(_, path)| path.to_owned());
        files.insert(path, bytes);
    }
    Some(files)
}

/// The decompressed pages of some suites, sorted by path: the files whose names end in `html` or `html.gz`.
#[must_use]
pub fn pages(suites: &[&str]) -> Vec<(String, Vec<u8>)> {
    let decompress = |(path, bytes): (String, Vec<u8>)| {
        if path.ends_with(".html.gz") {
            let mut page = Vec::new();
            GzDecoder::new(bytes.as_slice()).read_to_end(&mut page).expect("a complete page");
            return Some((path, page));
        }
        path.ends_with("html").then_some((path, bytes))
    };
    let mut pages: Vec<_> = suites.iter().filter_map(|name| suite(name)).flatten().filter_map(decompress).collect();
    pages.sort();
    pages
}

/// Compares the failures of a suite with the expected ones: lines of `suite test reason`.
pub fn assert_expected_failures(expected: &str, suite: &str, passed: usize, mut failures: Vec<String>) {
    eprintln!("{suite}: {passed} passed, {} failed", failures.len());
    failures.sort();
    assert_eq!(failures, expected_failures(expected, suite), "{suite}");
    assert!(passed > 0);
}

fn expected_failures(list: &str, suite: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let mut words = line.splitn(3, ' ');
        let (line_suite, name, reason) = (words.next(), words.next(), words.next());
        assert!(reason.is_some_and(|reason| !reason.is_empty()), "an expected failure needs a reason: {line}");
        if line_suite == Some(suite) {
            names.extend(name.map(str::to_owned));
        }
    }
    names.sort();
    names
}
