//! What was found, kept so that it can be found again.

use std::fs;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

/// Beside what was built, wherever that is.
fn folder() -> PathBuf {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target"));
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(beside, PathBuf::from).join("fuzz-findings")
}

/// Keeps an input and says how to replay it.
pub(crate) fn keep(target: &str, input: &[u8], what: &str) {
    let folder = folder();
    let path = folder.join(format!("{target}-{:016x}", xxh3_64(input)));
    if let Err(error) = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, input)) {
        eprintln!("cannot keep a finding in {}: {error}", path.display());
    }
    let path = path.canonicalize().unwrap_or(path);
    println!("FINDING {target}: {what}");
    println!("  cargo run --release -p lodeward --example fuzz -- --target {target} --replay {}", path.display());
}

/// The shortest input, of those that leaving out parts of this one makes, for
/// which something still holds. Gives up after so many attempts.
pub(crate) fn shortened(input: &[u8], attempts_max: usize, mut holds: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut attempts = 0;
    let mut length = best.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < best.len() && attempts < attempts_max {
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
