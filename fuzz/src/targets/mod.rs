//! Targets of the fuzzer.
//!
//! A target takes bytes and panics if a guarantee is violated. `make fuzz` runs the targets with
//! libFuzzer; a test of `make test` runs them with a few hundred mutated inputs. This directory is not
//! part of the product.

use tempfile::TempDir;

mod archives;
mod extract;
mod markup;
mod seeds;
mod segments;
mod sitemap;
mod text;
mod warc;

pub(crate) use seeds::DICTIONARY;

/// Maximum size of an input in bytes. Larger inputs are slower, and find nothing new.
pub(crate) const MAX_INPUT_BYTES: usize = 64 << 10;

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
pub(crate) fn all() -> Vec<Box<dyn Target>> {
    let formats = extract::FORMATS.iter().map(|format| Box::new(*format) as Box<dyn Target>);
    let readers: Vec<Box<dyn Target>> = vec![
        Box::new(extract::Documents),
        Box::new(archives::Archives),
        Box::new(markup::Pages),
        Box::new(text::RobotsFiles),
        Box::new(sitemap::Sitemaps),
        Box::new(text::LinkHeaders),
        Box::new(text::Urls),
        Box::new(warc::Recordings::new()),
        Box::new(segments::Segments::new()),
    ];
    readers.into_iter().chain(formats).collect()
}

/// A temporary directory: in memory where possible, because many files per second are synced.
pub(crate) fn scratch() -> TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).expect("a temporary directory")
}
