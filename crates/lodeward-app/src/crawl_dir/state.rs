//! Writes the state of a crawl to one file, and reads it back.

use std::io::{Read, Write};
use std::path::Path;

use fjall::PersistMode;
use lodeward_archive::dump::{self, DumpError};

use super::BackupError;
use crate::crawl_dir::{CrawlOpenError, OpenCrawl, documents_table};
use lodeward::frontier::embedded;

/// Cache size, in MiB, of a database that is only loaded.
const CACHE_MB: u64 = 8;

/// Writes a snapshot of the database of a crawl, with its frontier and its index. The crawl
/// may run meanwhile.
pub(super) fn dump_state(crawl: &OpenCrawl, into: impl Write) -> Result<(), DumpError> {
    let database = crawl.segments.database();
    let view = database.snapshot();
    let names = database.list_keyspace_names();
    let tables = names.iter().map(|name| Ok((&**name, database.keyspace(name, Default::default)?)));
    let tables: Vec<_> = tables.collect::<Result<_, fjall::Error>>()?;
    let tables: Vec<_> = tables.iter().map(|(name, table)| (*name, table)).collect();
    dump::write(&view, &tables, into)
}

/// Creates the database of a crawl from the output of [`dump_state`]. The directory must not have a
/// database.
pub(super) fn load_state(directory: &Path, from: impl Read) -> Result<(), BackupError> {
    let path = directory.join("state");
    let failed = |source| CrawlOpenError::Database { path: path.clone(), source };
    let database = embedded::open_database(&path, CACHE_MB).map_err(failed)?;
    // The tables are created before the dump is read, because a table keeps the options it was
    // created with.
    embedded::create_tables(&database).map_err(CrawlOpenError::from)?;
    documents_table(&database).map_err(failed)?;
    dump::read(from, |name| database.keyspace(name, Default::default))
        .map_err(|source| BackupError::Dump { path: path.clone(), source: source.into() })?;
    Ok(database.persist(PersistMode::SyncAll).map_err(failed)?)
}
