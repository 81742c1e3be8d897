//! Stores findings, so that they can be reproduced.

use std::fs;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

/// Returns the directory of findings, which is in the target directory.
fn findings_dir() -> PathBuf {
    let default = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target"));
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(default, PathBuf::from).join("fuzz-findings")
}

/// Stores an input and prints how to replay it.
pub(crate) fn store(target: &str, input: &[u8], message: &str) {
    let dir = findings_dir();
    let path = dir.join(format!("{target}-{:016x}", xxh3_64(input)));
    if let Err(error) = fs::create_dir_all(&dir).and_then(|()| fs::write(&path, input)) {
        eprintln!("cannot store a finding in {}: {error}", path.display());
    }
    let path = path.canonicalize().unwrap_or(path);
    println!("FINDING {target}: {message}");
    println!("  cargo run --release -p lodeward --example fuzz -- --target {target} --replay {}", path.display());
}

/// Shortens an input by removing parts as long as `holds` returns true, in at most `max_attempts`
/// attempts.
pub(crate) fn shorten(input: &[u8], max_attempts: usize, mut holds: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut attempts = 0;
    let mut length = best.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < best.len() && attempts < max_attempts {
            let mut shorter = best.clone();
            shorter.drain(at..best.len().min(at + length));
            attempts += 1;
            if holds(&shorter) {
                best = shorter;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    best
}
