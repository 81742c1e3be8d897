//! Where the shared test data is: real webs, entity graphs, public suites.
//!
//! They are not part of the project. A test that needs them asks here, and is
//! skipped where they are not; `make test` tells at the end how many were.

use std::io::Write;
use std::path::PathBuf;

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
    eprintln!("skipped: {path} is not there");
    if let Some(notes) = std::env::var_os("LODEWARD_SKIPPED")
        && let Ok(mut notes) = std::fs::OpenOptions::new().create(true).append(true).open(notes)
    {
        // A note that is lost is a skip that is not counted: no reason to fail.
        let _ = writeln!(notes, "{path}");
    }
    None
}
