//! Targets of the fuzzer and the generation of hostile input.
//!
//! A target takes bytes and panics if a guarantee is violated. An input is a function of a
//! seed, a target and a number, so that a run can be repeated and an input that crashed its
//! process can be generated again. There is no coverage feedback, which needs a nightly
//! compiler; the corpus is broad instead.
//!
//! The fuzzer (`make fuzz`) and a reduced test of `make test` share this directory. It is not
//! part of the product.

use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64_with_seed;

mod archives;
mod extract;
mod markup;
pub(crate) mod mutate;
mod seeds;
mod segments;
mod text;
mod warc;

use mutate::Mutator;

/// A reader of external input.
pub(crate) trait Target {
    fn name(&self) -> &'static str;

    /// The initial inputs.
    fn seeds(&self) -> Vec<Vec<u8>>;

    /// Reads an input; panics if a guarantee is violated.
    fn run(&self, input: &[u8]);

    /// Inputs from a document of a test suite, if it is useful here.
    fn adopt(&self, _path: &str, _document: &[u8]) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

/// All targets, in order.
pub(crate) fn targets() -> Vec<Box<dyn Target>> {
    vec![
        Box::new(extract::Documents),
        Box::new(archives::Archives),
        Box::new(markup::Pages),
        Box::new(text::RobotsFiles),
        Box::new(text::LinkHeaders),
        Box::new(text::Urls),
        Box::new(warc::Recordings::new()),
        Box::new(segments::Segments::new()),
    ]
}

/// The input with this number.
pub(crate) fn input(target: &str, corpus: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let input_seed = xxh3_64_with_seed(target.as_bytes(), seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    Mutator::new(input_seed).input(corpus)
}

/// A temporary directory: in memory where possible, because many files per second are synced.
fn scratch() -> TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).expect("a temporary directory")
}
