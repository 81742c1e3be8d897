//! Test suites of others, which are too large to be kept with the source.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;

use flate2::read::GzDecoder;

/// The files of a suite by their paths, or `None` where it is not at hand.
pub(crate) fn suite(name: &str) -> Option<HashMap<String, Vec<u8>>> {
    let path = toyweb::shared::find(&format!("suites/{name}.tar.gz"))?;
    let file = File::open(&path).unwrap();
    let mut archive = tar::Archive::new(GzDecoder::new(file));
    let mut files = HashMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let path = path.split_once('/').map_or(path.clone(), |(_, path)| path.to_owned());
        files.insert(path, bytes);
    }
    Some(files)
}

/// The tests that are known to fail, each with its reason: lines of
/// `suite test reason`.
pub(crate) fn expected_failures(suite: &str) -> Vec<String> {
    let lines = include_str!("expected_failures.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut names = Vec::new();
    for line in lines {
        let mut words = line.splitn(3, ' ');
        let (of_suite, name) = (words.next().unwrap(), words.next().unwrap());
        assert!(words.next().is_some_and(|reason| !reason.is_empty()), "a failure is expected for a reason: {line}");
        if of_suite == suite {
            names.push(name.to_owned());
        }
    }
    names.sort();
    names
}

/// Checks the failures of a suite against those that are expected.
pub(crate) fn settle(suite: &str, passed: usize, mut failures: Vec<String>) {
    println!("{suite}: {passed} passed, {} failed", failures.len());
    failures.sort();
    assert_eq!(failures, expected_failures(suite), "{suite}");
    assert!(passed > 0);
}
