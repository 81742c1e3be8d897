//! Files to be loaded: found, opened and unpacked.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use lodeward::extract::decompressed;
use lodeward::model::media_type::Syntax;
use oxrdf::BlankNode;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::failure::Usage;

/// A file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// What it is called in messages.
    pub(crate) name: String,
    /// Its length as it is, compressed or not; 0 if that is not known.
    pub(crate) bytes: u64,
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Input,
    File(PathBuf),
}

const BUFFER_BYTES: usize = 256 << 10;

/// The files that were named, and those in folders that were named, by name.
/// Tells at once which of them are not there.
pub(crate) fn gather(paths: &[PathBuf]) -> Result<Vec<Source>, Usage> {
    let mut sources = Vec::new();
    let mut missing = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            sources.push(Source { name: "standard input".to_owned(), bytes: 0, place: Place::Input });
        } else if let Err(error) = find(path, &mut sources) {
            missing.push(format!("{}: {error}", path.display()));
        }
    }
    if !missing.is_empty() {
        return Err(Usage { message: format!("cannot read {}", missing.join("; ")), hint: None });
    }
    if sources.is_empty() {
        let hint = Some("files in folders are taken by their extensions: .nq .nt .ttl .trig .rdf .jsonld …".to_owned());
        return Err(Usage { message: "there is no RDF file in what was named".to_owned(), hint });
    }
    Ok(sources)
}

fn find(path: &Path, sources: &mut Vec<Source>) -> io::Result<()> {
    let about = fs::metadata(path)?;
    if !about.is_dir() {
        let name = path.display().to_string();
        sources.push(Source { name, bytes: about.len(), place: Place::File(path.to_owned()) });
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() || syntax_by_name(&entry).is_some() {
            find(&entry, sources)?;
        }
    }
    Ok(())
}

/// The syntax that the name of a file promises, before `.gz` and the like.
fn syntax_by_name(path: &Path) -> Option<Syntax> {
    let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    match extension(path)?.as_str() {
        "gz" | "bz2" | "xz" | "zst" | "br" => Syntax::of_extension(&extension(Path::new(path.file_stem()?))?),
        extension => Syntax::of_extension(extension),
    }
}

impl Source {
    /// The syntax its name promises.
    pub(super) fn syntax(&self) -> Option<Syntax> {
        match &self.place {
            Place::Input => None,
            Place::File(path) => syntax_by_name(path),
        }
    }

    /// Its address: what relative IRIs in it are relative to.
    pub(super) fn address(&self) -> String {
        const INPUT: &str = "file:///dev/stdin";
        match &self.place {
            Place::Input => INPUT.to_owned(),
            Place::File(path) => {
                let address = std::path::absolute(path).ok().and_then(|path| Url::from_file_path(path).ok());
                address.map_or_else(|| INPUT.to_owned(), String::from)
            }
        }
    }

    /// A number for this file as it is now. Once it has changed, its blank
    /// nodes may be others, and so is this number. Standard input is never the
    /// same twice.
    pub(super) fn identity(&self) -> u64 {
        let Place::File(path) = &self.place else {
            return xxh3_64(BlankNode::default().as_str().as_bytes());
        };
        let changed_at = fs::metadata(path).and_then(|about| about.modified()).unwrap_or(UNIX_EPOCH);
        let changed_at = changed_at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        xxh3_64(format!("{} {changed_at} {}", self.address(), self.bytes).as_bytes())
    }

    /// Its content, unpacked. Bytes are counted before that, as they are read.
    pub(super) fn open(&self, meter: &Arc<AtomicU64>) -> io::Result<Box<dyn Read>> {
        let raw: Box<dyn Read> = match &self.place {
            Place::Input => Box::new(io::stdin()),
            Place::File(path) => Box::new(File::open(path)?),
        };
        // Compressed or not is known by its first bytes, for names lie.
        let raw = BufReader::with_capacity(BUFFER_BYTES, Metered { inner: raw, meter: Arc::clone(meter) });
        Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, decompressed(Box::new(raw), &self.name)?)))
    }
}

/// Counts what is read.
struct Metered<R> {
    inner: R,
    meter: Arc<AtomicU64>,
}

impl<R: Read> Read for Metered<R> {
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
    fn a_name_promises_a_syntax_compressed_or_not() {
        let check = |name: &str, syntax| assert_eq!(syntax_by_name(Path::new(name)), syntax, "{name}");

        check("a/b.nq", Some(Syntax::NQuads));
        check("b.TTL", Some(Syntax::Turtle));
        check("b.nt.gz", Some(Syntax::NTriples));
        check("b.trig.zst", Some(Syntax::TriG));
        check("b.ttl.bz2", Some(Syntax::Turtle));
        check("b.gz", None);
        check("b.json", None);
        check("README", None);
    }

    #[test]
    fn of_a_folder_what_promises_rdf_is_taken_and_all_that_is_missing_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        for name in ["b.ttl", "a.nq.gz", "notes.txt", "deep/c.rdf"] {
            fs::write(folder.path().join(name), "").unwrap();
        }

        let found = gather(&[folder.path().to_owned()]).unwrap();
        let refused = gather(&["/nowhere/a.nq".into(), "/nowhere/b.nq".into()]).unwrap_err();

        let names: Vec<&str> = found.iter().map(|source| source.name.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, ["a.nq.gz", "b.ttl", "c.rdf"]);
        assert!(refused.message.contains("/nowhere/a.nq") && refused.message.contains("/nowhere/b.nq"), "{refused}");
    }
}
