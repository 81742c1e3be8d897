//! The initial corpus: a few documents of our own, and those of public test suites where
//! available.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use xxhash_rust::xxh3::xxh3_64;

use crate::targets::{DICTIONARY, MAX_INPUT_BYTES, Target};

const SUITES: &[&str] = &[
    "w3c-rdf-tests",
    "w3c-sparql-tests",
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

/// The file of the tokens.
const DICTIONARY_FILE: &str = "dictionary";

/// Writes the corpus of each target to a directory with its name, and a dictionary of tokens; prints the names.
pub(crate) fn write(directory: &Path, targets: &[Box<dyn Target>], suites: Option<&Path>) -> std::io::Result<()> {
    for (target, inputs) in targets.iter().zip(gather(targets, suites)) {
        let directory = directory.join(target.name());
        fs::create_dir_all(&directory)?;
        for input in inputs {
            fs::write(directory.join(format!("{:016x}", xxh3_64(&input))), input)?;
        }
        println!("{}", target.name());
    }
    fs::write(directory.join(DICTIONARY_FILE), dictionary())
}

/// The tokens as a libFuzzer dictionary: a quoted string per line.
fn dictionary() -> String {
    let escaped = |token: &str| token.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    DICTIONARY.iter().map(|token| format!("\"{}\"\n", escaped(token))).collect()
}

/// The corpus of each target.
fn gather(targets: &[Box<dyn Target>], suites: Option<&Path>) -> Vec<Vec<Vec<u8>>> {
    let mut corpora: Vec<Vec<Vec<u8>>> = targets.iter().map(|target| target.seeds()).collect();
    for suite in SUITES {
        let Some(path) = suites.map(|suites| suites.join(format!("{suite}.tar.gz"))).filter(|path| path.exists())
        else {
            continue;
        };
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
