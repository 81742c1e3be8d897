//! The files of an import: collected, opened and decompressed.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use lodeward_rdf::RdfFormat;
use oxrdf::BlankNode;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::ImportError;

/// A file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportSource {
    /// Name in messages.
    pub name: String,
    /// Length in bytes, possibly compressed; 0 if unknown.
    pub bytes: u64,
    location: SourceLocation,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SourceLocation {
    Input,
    File(PathBuf),
}

pub(super) const BUFFER_BYTES: usize = 256 << 10;

/// The given files and the RDF files in the given directories, sorted by name. Reports all missing
/// files at once.
pub fn collect_sources(paths: &[PathBuf]) -> Result<Vec<ImportSource>, ImportError> {
    let mut sources = Vec::new();
    let mut missing = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            sources.push(ImportSource { name: "standard input".to_owned(), bytes: 0, location: SourceLocation::Input });
        } else if let Err(error) = collect_from(path, &mut sources) {
            missing.push(format!("{}: {error}", path.display()));
        }
    }
    if !missing.is_empty() {
        return Err(ImportError::Unreadable(missing.join("; ")));
    }
    if sources.is_empty() {
        return Err(ImportError::NoFiles);
    }
    Ok(sources)
}

fn collect_from(path: &Path, sources: &mut Vec<ImportSource>) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_dir() {
        let name = path.display().to_string();
        sources.push(ImportSource { name, bytes: metadata.len(), location: SourceLocation::File(path.to_owned()) });
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() || RdfFormat::from_path(&entry).is_some() || is_archive(&entry) {
            collect_from(&entry, sources)?;
        }
    }
    Ok(())
}

/// Whether a file is an archive by its name.
fn is_archive(path: &Path) -> bool {
    const EXTENSIONS: &[&str] = &[".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tzst"];
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.contains(".tar.") || EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}

impl ImportSource {
    /// The URL of the file, to which relative IRIs are resolved.
    pub(super) fn base_iri(&self) -> String {
        const STDIN_IRI: &str = "file:///dev/stdin";
        match &self.location {
            SourceLocation::Input => STDIN_IRI.to_owned(),
            SourceLocation::File(path) => {
                let url = std::path::absolute(path).ok().and_then(|path| Url::from_file_path(path).ok());
                url.map_or_else(|| STDIN_IRI.to_owned(), String::from)
            }
        }
    }

    /// A hash of the path, the modification time and the length. A changed file has
    /// another hash, because its blank nodes may have changed. Standard input gets a new hash each time.
    pub(super) fn identity(&self) -> u64 {
        let SourceLocation::File(path) = &self.location else {
            return xxh3_64(BlankNode::default().as_str().as_bytes());
        };
        let changed_at = fs::metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(UNIX_EPOCH);
        let changed_at = changed_at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        xxh3_64(format!("{} {changed_at} {}", self.base_iri(), self.bytes).as_bytes())
    }

    /// The content. `meter` counts its bytes.
    pub(super) fn open(&self, meter: &Arc<AtomicU64>) -> io::Result<Box<dyn Read>> {
        let raw: Box<dyn Read> = match &self.location {
            SourceLocation::Input => Box::new(io::stdin()),
            SourceLocation::File(path) => Box::new(File::open(path)?),
        };
        let raw = MeteredReader { inner: raw, meter: Arc::clone(meter) };
        Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, raw)))
    }

    /// The source as it is named in messages about a file in it.
    pub(super) fn inner(&self, path: &str) -> Self {
        Self { name: format!("{}/{path}", self.name), ..self.clone() }
    }
}

/// Counts the bytes that are read.
struct MeteredReader<R> {
    inner: R,
    meter: Arc<AtomicU64>,
}

impl<R: Read> Read for MeteredReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(into)?;
        self.meter.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rdf_files_of_a_directory_are_collected_and_all_missing_files_are_reported() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("deep")).unwrap();
        for name in ["b.ttl", "a.nq.gz", "notes.txt", "deep/c.rdf", "d.tar.xz", "e.ZIP"] {
            fs::write(directory.path().join(name), "").unwrap();
        }

        let found = collect_sources(&[directory.path().to_owned()]).unwrap();
        let error = collect_sources(&["/nowhere/a.nq".into(), "/nowhere/b.nq".into()]).unwrap_err().to_string();

        let names: Vec<&str> = found.iter().map(|source| source.name.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, ["a.nq.gz", "b.ttl", "d.tar.xz", "c.rdf", "e.ZIP"]);
        assert!(error.contains("/nowhere/a.nq") && error.contains("/nowhere/b.nq"), "{error}");
    }
}
