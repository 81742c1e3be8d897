//! Writing a database to one file, and reading it back.
//!
//! The files of an LSM tree change while they are read, and its journals are preallocated and
//! mostly empty. A dump contains the logical content instead: the entries of every table in one
//! snapshot, in key order. Any version that knows the tables can read it, independent of the
//! storage engine's file format. A dump is not compressed and has no checksum; the caller adds
//! both.
//!
//! ```text
//! dump  := magic (table)* 0
//! table := 1 length:u32 name (2 length:u32 key length:u32 value)*
//! ```

use std::io::{self, BufReader, BufWriter, Read, Write};

use fjall::{Keyspace, Readable as _, Snapshot};

/// The first bytes of a dump, and the version of its format.
const MAGIC: &[u8; 8] = b"ldwdump1";

const END: u8 = 0;
const TABLE: u8 = 1;
const ENTRY: u8 = 2;

/// Why a dump cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The file cannot be read or written.
    #[error("cannot read or write the dump")]
    Io(#[from] io::Error),
    /// The database failed.
    #[error("database failed")]
    Database(#[from] fjall::Error),
    /// The file is not a dump, or is damaged.
    #[error("invalid database dump: {0}")]
    Format(&'static str),
}

/// Writes the entries of these tables in this snapshot.
pub fn write(view: &Snapshot, tables: &[(&str, &Keyspace)], into: impl Write) -> Result<(), DumpError> {
    let mut out = BufWriter::new(into);
    out.write_all(MAGIC)?;
    for (name, table) in tables {
        out.write_all(&[TABLE])?;
        write_bytes(&mut out, name.as_bytes())?;
        for entry in view.iter(table) {
            let (key, value) = entry.into_inner()?;
            out.write_all(&[ENTRY])?;
            write_bytes(&mut out, &key)?;
            write_bytes(&mut out, &value)?;
        }
    }
    out.write_all(&[END])?;
    Ok(out.flush()?)
}

/// Reads a dump into the tables that `table` returns, which must be empty.
pub fn read(from: impl Read, mut table: impl FnMut(&str) -> Result<Keyspace, fjall::Error>) -> Result<(), DumpError> {
    let mut input = BufReader::new(from);
    if &read_array::<8>(&mut input)? != MAGIC {
        return Err(DumpError::Format("wrong magic bytes"));
    }
    let mut mark = read_mark(&mut input)?;
    while mark == TABLE {
        let name =
            String::from_utf8(read_bytes(&mut input)?).map_err(|_| DumpError::Format("table name is not UTF-8"))?;
        let table = table(&name)?;
        mark = read_entries(&mut input, &table)?;
    }
    if mark == END { Ok(()) } else { Err(DumpError::Format("unknown record type")) }
}

/// Reads the entries of a table. Returns the mark after the last entry.
fn read_entries(input: &mut impl Read, table: &Keyspace) -> Result<u8, DumpError> {
    let mut ingestion = table.start_ingestion()?;
    let mut last: Option<Vec<u8>> = None;
    loop {
        let mark = read_mark(input)?;
        if mark != ENTRY {
            ingestion.finish()?;
            return Ok(mark);
        }
        let (key, value) = (read_bytes(input)?, read_bytes(input)?);
        // fjall panics if ingested keys are out of order.
        if last.is_some_and(|last| last >= key) {
            return Err(DumpError::Format("keys are not in order"));
        }
        ingestion.write(&key[..], &value[..])?;
        last = Some(key);
    }
}

fn write_bytes(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::Error::other("entry is larger than 4 GiB"))?;
    out.write_all(&length.to_be_bytes())?;
    out.write_all(bytes)
}

fn read_mark(input: &mut impl Read) -> io::Result<u8> {
    Ok(read_array::<1>(input)?[0])
}

fn read_array<const LENGTH: usize>(input: &mut impl Read) -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads as many bytes as the length states. Memory grows with the bytes that arrive, so a false
/// length allocates nothing.
fn read_bytes(input: &mut impl Read) -> Result<Vec<u8>, DumpError> {
    let length = u32::from_be_bytes(read_array(input)?);
    let mut bytes = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() == length as usize { Ok(bytes) } else { Err(DumpError::Format("file is truncated")) }
}
