//! Writes large files, which appear under their name only when they are complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::write::GzEncoder;

use crate::atomic_file::{FileAccess, TempFile};

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
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_file_extension_selects_the_compression() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = dir.path().join(name);
            let mut file = OutputFile::create(&path).unwrap();
            file.write_all(b"some statements\n").unwrap();
            assert!(!path.exists(), "{name} is not complete yet");
            file.finish().unwrap();
            std::fs::read(path).unwrap()
        };

        let plain = write("harvest.nq");
        let mut gunzipped = Vec::new();
        flate2::read::GzDecoder::new(&*write("harvest.nq.gz")).read_to_end(&mut gunzipped).unwrap();
        let unzstd = zstd::decode_all(&*write("harvest.nq.zst")).unwrap();

        assert_eq!(plain, b"some statements\n");
        assert_eq!(gunzipped, plain);
        assert_eq!(unzstd, plain);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 3);
    }
}
