//! A database as one file, and back.
//!
//! What an LSM tree has on disk is many files that change while they are looked
//! at, and journals that are mostly holes. A dump is what they mean: the entries
//! of every table at one moment, in order. It can be read by any version that knows
//! the tables, whatever has become of the engine below. Whoever writes it may
//! compress it, and should have a checksum.
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

/// A database cannot be written as one file, or read from it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The file cannot be read or written.
    #[error("the file failed")]
    Io(#[from] io::Error),
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] fjall::Error),
    /// The file is no dump, or a damaged one.
    #[error("not a dump of a database: {0}")]
    Format(&'static str),
}

/// Writes what these tables hold in this view.
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

/// Reads a dump into the tables that `table` makes, which must be new.
pub fn read(from: impl Read, mut table: impl FnMut(&str) -> Result<Keyspace, fjall::Error>) -> Result<(), DumpError> {
    let mut input = BufReader::new(from);
    if &read_array::<8>(&mut input)? != MAGIC {
        return Err(DumpError::Format("it begins otherwise"));
    }
    let mut mark = read_mark(&mut input)?;
    while mark == TABLE {
        let name = String::from_utf8(read_bytes(&mut input)?).map_err(|_| DumpError::Format("the name of a table"))?;
        let table = table(&name)?;
        mark = read_entries(&mut input, &table)?;
    }
    if mark == END { Ok(()) } else { Err(DumpError::Format("an unknown mark")) }
}

/// Reads the entries of a table, and the mark after the last.
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
        // The engine panics at what is out of order.
        if last.is_some_and(|last| last >= key) {
            return Err(DumpError::Format("its keys are not in order"));
        }
        ingestion.write(&key[..], &value[..])?;
        last = Some(key);
    }
}

fn write_bytes(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::Error::other("an entry of 4 GB"))?;
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

/// Reads so many bytes as are said to come, and takes no memory for those that do
/// not.
fn read_bytes(input: &mut impl Read) -> Result<Vec<u8>, DumpError> {
    let length = u32::from_be_bytes(read_array(input)?);
    let mut bytes = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() == length as usize { Ok(bytes) } else { Err(DumpError::Format("it ends too early")) }
}
