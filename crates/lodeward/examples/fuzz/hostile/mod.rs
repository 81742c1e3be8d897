//! Hostile input, and what it is thrown at.
//!
//! A target takes bytes and panics where a promise is broken. An input is a
//! function of a seed, a target and a number, so that a run can be repeated and
//! an input that killed its process can be made again. There is no feedback
//! from coverage, which needs a nightly compiler; the corpus is broad instead.
//!
//! Both the fuzzer (`make fuzz`) and a reduced test of `make test` use this
//! folder, and neither puts it into the product.

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

/// Something that reads what others wrote.
pub(crate) trait Target {
    fn name(&self) -> &'static str;

    /// Inputs to begin with.
    fn seeds(&self) -> Vec<Vec<u8>>;

    /// Reads an input, and panics where a promise is broken.
    fn run(&self, input: &[u8]);

    /// An input made of a document of some test suite, if it is of use here.
    fn adopt(&self, _path: &str, _document: &[u8]) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

/// All targets, in the order of their turns.
pub(crate) fn targets() -> Vec<Box<dyn Target>> {
    vec![
        Box::new(extract::Documents),
        Box::new(archives::Archives),
        Box::new(markup::Pages),
        Box::new(text::RobotsFiles),
        Box::new(text::LinkHeaders),
        Box::new(text::Addresses),
        Box::new(text::Configurations),
        Box::new(warc::Recordings::new()),
        Box::new(segments::Segments::new()),
    ]
}

/// The input of this number.
pub(crate) fn input(target: &str, corpus: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let chance = xxh3_64_with_seed(target.as_bytes(), seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    Mutator::new(chance).input(corpus)
}

/// A folder for files of a moment: in memory where that is easy, as many inputs
/// a second are synced to it.
fn scratch() -> TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).expect("a temporary folder")
}
