//! The state of a crawl as one file, and back.

use std::io::{Read, Write};
use std::path::Path;

use fjall::PersistMode;
use lodeward_archive::dump::{self, DumpError};

use super::{OpenError, Shelf, documents};
use crate::frontier::embedded;

/// The write buffers of a database that is only loaded.
const CACHE_MB: u64 = 8;

/// Writes what a crawl has in its database, its frontier and its index, as it is at
/// this moment. The crawl may run meanwhile.
pub fn dump_state(shelf: &Shelf, into: impl Write) -> Result<(), DumpError> {
    let database = shelf.segments.database();
    let view = database.snapshot();
    let names = database.list_keyspace_names();
    let tables = names.iter().map(|name| Ok((&**name, database.keyspace(name, Default::default)?)));
    let tables: Vec<_> = tables.collect::<Result<_, fjall::Error>>()?;
    let tables: Vec<_> = tables.iter().map(|(name, table)| (*name, table)).collect();
    dump::write(&view, &tables, into)
}

/// Makes the database of a crawl in this folder, which has none, from what
/// [`dump_state`] has written.
pub fn load_state(directory: &Path, from: impl Read) -> Result<(), OpenError> {
    let path = directory.join("state");
    let failed = |source| OpenError::Database { path: path.clone(), source };
    let database = embedded::open_database(&path, CACHE_MB).map_err(failed)?;
    // With their own options, which they keep for ever.
    embedded::make_tables(&database)?;
    documents(&database).map_err(failed)?;
    dump::read(from, |name| database.keyspace(name, Default::default))
        .map_err(|source| OpenError::Dump { path: path.clone(), source })?;
    database.persist(PersistMode::SyncAll).map_err(failed)
}
