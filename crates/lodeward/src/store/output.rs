//! Files that appear under their name only when they are complete, and the
//! harvest as one of them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::write::GzEncoder;

use super::{Exported, Store, StoreError};
use crate::durable::{Beside, Readers};
use crate::provenance::Names;

/// Writes the whole harvest as N-Quads: to standard output if `path` is `-`,
/// otherwise to a file, compressed if its name ends in `.gz` or `.zst`.
///
/// The file appears under its name only when it is complete, and then replaces
/// what was there. Blocks the thread.
pub fn write_harvest(store: &dyn Store, path: &Path) -> Result<Exported, StoreError> {
    write_harvest_with(store, path, None)
}

/// The same, followed by where its documents come from, if names for that are
/// given.
pub fn write_harvest_with(store: &dyn Store, path: &Path, names: Option<&Names>) -> Result<Exported, StoreError> {
    let failed = |source| StoreError::Io { path: path.to_path_buf(), source };
    if path == Path::new("-") {
        let mut stdout = BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock());
        let exported = export(store, names, &mut stdout)?;
        stdout.flush().map_err(failed)?;
        return Ok(exported);
    }
    let mut file = OutputFile::create(path).map_err(failed)?;
    let exported = export(store, names, &mut file).map_err(|error| named(error, path))?;
    file.finish().map_err(failed)?;
    Ok(exported)
}

fn export(store: &dyn Store, names: Option<&Names>, into: &mut dyn Write) -> Result<Exported, StoreError> {
    let mut exported = store.export(into)?;
    if let Some(names) = names {
        exported.quads += store.export_provenance(names, into)?;
    }
    Ok(exported)
}

/// A store knows that it could not write, but not where to.
fn named(error: StoreError, path: &Path) -> StoreError {
    match error {
        StoreError::Export(source) => StoreError::Io { path: path.to_path_buf(), source },
        other => other,
    }
}

const BUFFER_BYTES: usize = 128 << 10;

/// A file in the making. Takes bytes, compresses them if its name ends in `.gz`
/// or `.zst`, and has that name only when it is [finished](Self::finish).
pub struct OutputFile {
    beside: Beside,
    compression: Compression,
}

impl OutputFile {
    /// Begins to write.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut beside = Beside::create(path, Readers::Anybody)?;
        let compression = Compression::begin(path, beside.file().try_clone()?)?;
        Ok(Self { beside, compression })
    }

    /// Puts what was written in its place, instead of what was there. Without
    /// this, it disappears.
    pub fn finish(self) -> io::Result<()> {
        self.compression.finish()?.sync_all()?;
        self.beside.take_its_place()
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.compression.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.compression.writer().flush()
    }
}

enum Compression {
    None(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
}

impl Compression {
    fn begin(path: &Path, file: File) -> io::Result<Self> {
        let file = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Self::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            Some("zst") => Self::Zstd(zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?),
            _ => Self::None(file),
        })
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::None(file) => file,
            Self::Gzip(encoder) => encoder,
            Self::Zstd(encoder) => encoder,
        }
    }

    fn finish(self) -> io::Result<File> {
        let file = match self {
            Self::None(file) => file,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
        };
        file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::store::MemoryStore;
    use crate::store::contract::{lines, uri, written};

    #[tokio::test]
    async fn a_harvest_is_compressed_as_its_name_says() {
        let folder = tempfile::tempdir().unwrap();
        let store = MemoryStore::default();
        store.put(written(&store, &uri(1), "first", 3)).await.unwrap();
        store.commit().await.unwrap();
        let write = |name: &str| {
            let path = folder.path().join(name);
            assert_eq!(write_harvest(&store, &path).unwrap(), Exported { documents: 1, quads: 3 });
            std::fs::read(path).unwrap()
        };

        let plain = write("harvest.nq");
        let mut gunzipped = Vec::new();
        flate2::read::GzDecoder::new(&*write("harvest.nq.gz")).read_to_end(&mut gunzipped).unwrap();
        let unzstd = zstd::decode_all(&*write("harvest.nq.zst")).unwrap();

        assert_eq!(String::from_utf8(plain.clone()).unwrap(), lines(&uri(1), "first", 3).join("\n") + "\n");
        assert_eq!(gunzipped, plain);
        assert_eq!(unzstd, plain);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[tokio::test]
    async fn provenance_is_written_after_the_harvest_if_it_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let database = fjall::Database::builder(folder.path().join("index")).open().unwrap();
        let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).unwrap();
        let options = crate::store::segments::Options::default();
        let store =
            crate::store::SegmentStore::open(folder.path().join("segments"), documents, database, options).unwrap();
        for (number, quads) in [(1, 3), (2, 3), (1, 2), (2, 0)] {
            let mut draft = written(&store, &uri(number), "first", quads);
            draft.provenance = Some(crate::provenance::Provenance::sample(9));
            store.put(draft).await.unwrap();
        }
        store.commit().await.unwrap();
        let path = folder.path().join("harvest.nq");
        let names = Names::new("urn:lodeward:", 1);

        assert_eq!(write_harvest(&store, &path).unwrap(), Exported { documents: 1, quads: 2 });
        let plain = std::fs::read_to_string(&path).unwrap();
        let exported = write_harvest_with(&store, &path, Some(&names)).unwrap();

        let whole = std::fs::read_to_string(&path).unwrap();
        let provenance = whole.strip_prefix(&plain).unwrap();
        let graph = format!("{} .", names.provenance_graph(&uri(1)));
        assert!(provenance.lines().count() > 10 && provenance.lines().all(|line| line.ends_with(&graph)));
        assert_eq!(exported, Exported { documents: 1, quads: whole.lines().count() as u64 });
    }

    #[test]
    fn a_harvest_that_cannot_be_written_names_its_place() {
        let error = write_harvest(&MemoryStore::default(), Path::new("/nowhere/harvest.nq")).unwrap_err();

        assert_eq!(error.to_string(), "cannot write /nowhere/harvest.nq");
    }
}
