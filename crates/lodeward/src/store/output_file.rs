//! Writes the harvest to a file, which appears under its name only when it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::write::GzEncoder;

use super::{ExportSummary, Store, StoreError};
use crate::atomic_file::{FileAccess, TempFile};
use crate::provenance::GraphNames;

/// Writes the whole harvest as N-Quads, followed by the provenance of the documents if `names` is
/// given: to standard output if `path` is `-`, otherwise to a file, compressed if its name ends in
/// `.gz` or `.zst`.
///
/// The file appears under its name only when it is complete; an existing file is replaced. Blocks
/// the thread.
pub fn write_harvest_with_provenance(
    store: &dyn Store,
    path: &Path,
    names: Option<&GraphNames>,
) -> Result<ExportSummary, StoreError> {
    let failed = |source| StoreError::Write { path: path.to_path_buf(), source };
    if path == Path::new("-") {
        let mut stdout = BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock());
        let exported = export_with_provenance(store, names, &mut stdout)?;
        stdout.flush().map_err(failed)?;
        return Ok(exported);
    }
    let mut file = OutputFile::create(path).map_err(failed)?;
    let exported = export_with_provenance(store, names, &mut file).map_err(|error| with_path(error, path))?;
    file.finish().map_err(failed)?;
    Ok(exported)
}

fn export_with_provenance(
    store: &dyn Store,
    names: Option<&GraphNames>,
    into: &mut dyn Write,
) -> Result<ExportSummary, StoreError> {
    let mut exported = store.export(into)?;
    if let Some(names) = names {
        exported.quads += store.export_provenance(names, into)?;
    }
    Ok(exported)
}

/// Adds the path to an export error: the store does not know the path it writes to.
fn with_path(error: StoreError, path: &Path) -> StoreError {
    match error {
        StoreError::Export(source) => StoreError::Write { path: path.to_path_buf(), source },
        other => other,
    }
}

const BUFFER_BYTES: usize = 128 << 10;

/// An output file being written, compressed if its name ends in `.gz` or `.zst`. It gets that name
/// only when it is [finished](Self::finish).
pub struct OutputFile {
    temp_file: TempFile,
    compression: OutputCompression,
}

impl OutputFile {
    /// Creates a temporary file next to `path`.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut temp_file = TempFile::create(path, FileAccess::Umask)?;
        let compression = OutputCompression::new(path, temp_file.file().try_clone()?)?;
        Ok(Self { temp_file, compression })
    }

    /// Moves the file to its path, replacing an existing file. A file that is not finished is
    /// deleted.
    pub fn finish(self) -> io::Result<()> {
        self.compression.finish()?.sync_all()?;
        self.temp_file.persist()
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

enum OutputCompression {
    None(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
}

impl OutputCompression {
    fn new(path: &Path, file: File) -> io::Result<Self> {
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
    use crate::store::contract::{lines, sample_draft, uri};

    #[tokio::test]
    async fn the_file_extension_selects_the_compression() {
        let dir = tempfile::tempdir().unwrap();
        let store = MemoryStore::default();
        store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
        store.commit().await.unwrap();
        let write = |name: &str| {
            let path = dir.path().join(name);
            assert_eq!(
                write_harvest_with_provenance(&store, &path, None).unwrap(),
                ExportSummary { documents: 1, quads: 3 }
            );
            std::fs::read(path).unwrap()
        };

        let plain = write("harvest.nq");
        let mut gunzipped = Vec::new();
        flate2::read::GzDecoder::new(&*write("harvest.nq.gz")).read_to_end(&mut gunzipped).unwrap();
        let unzstd = zstd::decode_all(&*write("harvest.nq.zst")).unwrap();

        assert_eq!(String::from_utf8(plain.clone()).unwrap(), lines(&uri(1), "first", 3).join("\n") + "\n");
        assert_eq!(gunzipped, plain);
        assert_eq!(unzstd, plain);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 3);
    }

    #[tokio::test]
    async fn provenance_is_written_after_the_harvest_on_request() {
        let dir = tempfile::tempdir().unwrap();
        let database = fjall::Database::builder(dir.path().join("index")).open().unwrap();
        let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).unwrap();
        let options = crate::store::segments::SegmentOptions::default();
        let store =
            crate::store::SegmentStore::open(dir.path().join("segments"), documents, database, options).unwrap();
        for (number, quads) in [(1, 3), (2, 3), (1, 2), (2, 0)] {
            let mut draft = sample_draft(&store, &uri(number), "first", quads);
            draft.provenance = Some(crate::provenance::Provenance::sample(9));
            store.put(draft).await.unwrap();
        }
        store.commit().await.unwrap();
        let path = dir.path().join("harvest.nq");
        let names = GraphNames::new("urn:lodeward:", 1);

        assert_eq!(
            write_harvest_with_provenance(&store, &path, None).unwrap(),
            ExportSummary { documents: 1, quads: 2 }
        );
        let plain = std::fs::read_to_string(&path).unwrap();
        let exported = write_harvest_with_provenance(&store, &path, Some(&names)).unwrap();

        let whole = std::fs::read_to_string(&path).unwrap();
        let provenance = whole.strip_prefix(&plain).unwrap();
        let graph = format!("{} .", names.provenance_graph(&uri(1)));
        assert!(provenance.lines().count() > 10 && provenance.lines().all(|line| line.ends_with(&graph)));
        assert_eq!(exported, ExportSummary { documents: 1, quads: whole.lines().count() as u64 });
    }

    #[test]
    fn a_write_error_names_the_path() {
        let error =
            write_harvest_with_provenance(&MemoryStore::default(), Path::new("/nowhere/harvest.nq"), None).unwrap_err();

        assert_eq!(error.to_string(), "cannot write /nowhere/harvest.nq");
    }
}
