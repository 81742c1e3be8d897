//! The initial corpus: a few documents of our own, and those of public test suites where
//! available.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;

use crate::hostile::Target;
use crate::hostile::mutate::MAX_INPUT_BYTES;

const SUITES: &[&str] = &[
    "w3c-rdf-tests",
    "any23-test-resources",
    "html5lib-tests",
    "json-ld-api-tests",
    "n3-tests",
    "extruct-samples",
    "robotstxt-spec-test",
    "wpt-url-mimesniff",
    "rdfa-test-suite",
    "microdata-rdf-tests",
];
/// Maximum number of documents per suite, so that the largest suite does not dominate.
const MAX_DOCUMENTS_PER_SUITE: usize = 800;

/// The corpus of each target.
pub(crate) fn gather(targets: &[Box<dyn Target>]) -> Vec<Vec<Vec<u8>>> {
    let mut corpora: Vec<Vec<Vec<u8>>> = targets.iter().map(|target| target.seeds()).collect();
    for suite in SUITES {
        let Some(path) = toyweb::test_data::find(&format!("suites/{suite}.tar.gz")) else { continue };
        let documents = match documents(&path) {
            Ok(documents) => documents,
            Err(error) => {
                eprintln!("cannot read {}: {error}", path.display());
                continue;
            }
        };
        for (target, corpus) in targets.iter().zip(&mut corpora) {
            let adopted = documents.iter().flat_map(|(path, document)| target.adopt(path, document));
            let adopted: Vec<Vec<u8>> = adopted.collect();
            // Documents are selected evenly, because neighbouring documents are similar.
            let step = adopted.len().div_ceil(MAX_DOCUMENTS_PER_SUITE).max(1);
            corpus.extend(adopted.into_iter().step_by(step));
        }
    }
    corpora
}

/// Returns the documents of a suite that are not too large, with their paths.
fn documents(path: &Path) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(path)?));
    let mut documents = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.display().to_string();
        let is_table = path.ends_with("urltestdata.json");
        if !is_table && entry.size() > MAX_INPUT_BYTES as u64 / 4 {
            continue;
        }
        let mut document = Vec::new();
        entry.read_to_end(&mut document)?;
        documents.push((path, document));
    }
    documents.sort();
    Ok(documents)
}
