//! Keeps bytes that are removed from a segment.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Copies bytes of a segment to a new file next to it, such as `000003.nq.zst.torn-4711`, which
/// survives a power cut. Returns its path.
pub(super) fn set_aside(segment: &Path, bytes: Range<u64>, kind: &str) -> io::Result<PathBuf> {
    let (path, mut kept) = create(segment, bytes.start, kind)?;
    let mut source = File::open(segment)?;
    source.seek(SeekFrom::Start(bytes.start))?;
    io::copy(&mut source.take(bytes.end - bytes.start), &mut kept)?;
    kept.sync_all()?;
    segment.parent().map_or(Ok(()), sync_dir)?;
    Ok(path)
}

/// Syncs a directory, so that new names in it survive a power cut. Does nothing on platforms where
/// directories cannot be synced.
pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// Creates a file with a new name. Bytes at the same offset may have been set aside before.
fn create(segment: &Path, offset: u64, kind: &str) -> io::Result<(PathBuf, File)> {
    let mut number = 1;
    loop {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let mut name = segment.as_os_str().to_owned();
        name.push(format!(".{kind}-{offset}{suffix}"));
        let path = PathBuf::from(name);
        match OpenOptions::new().create_new(true).write(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}
