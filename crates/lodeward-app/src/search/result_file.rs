//! Files with a header and many records, one JSON object per line; replaced as a whole.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, ErrorKind, Write as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic_file::{self, FileAccess};
use crate::json_file::FileError;

/// Replaces the file.
pub(super) fn write<H: Serialize, R: Serialize>(
    path: &Path,
    header: &H,
    records: impl IntoIterator<Item = R>,
) -> Result<(), FileError> {
    let written = atomic_file::parent_dir(path).to_owned();
    std::fs::create_dir_all(&written).map_err(FileError::for_path(&written))?;
    let replaced = atomic_file::replace_with(path, FileAccess::Umask, |file| {
        let mut out = BufWriter::new(file);
        serde_json::to_writer(&mut out, header)?;
        for record in records {
            out.write_all(b"\n")?;
            serde_json::to_writer(&mut out, &record)?;
        }
        out.write_all(b"\n")?;
        out.flush()
    });
    replaced.map_err(FileError::for_path(path))
}

/// Reads the header, and calls `visit` for every record. Returns `None` if the file does not exist.
pub(super) fn read<H: DeserializeOwned, R: DeserializeOwned>(
    path: &Path,
    mut visit: impl FnMut(R),
) -> Result<Option<H>, FileError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::for_path(path)(error)),
    };
    let damaged = |source| FileError::Format { path: path.to_owned(), source };
    let mut lines = BufReader::new(file).lines();
    let first = lines.next().transpose().map_err(FileError::for_path(path))?.unwrap_or_default();
    let header = serde_json::from_str(&first).map_err(damaged)?;
    for line in lines {
        let line = line.map_err(FileError::for_path(path))?;
        visit(serde_json::from_str(&line).map_err(damaged)?);
    }
    Ok(Some(header))
}
