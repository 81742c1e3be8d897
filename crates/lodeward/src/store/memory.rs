//! A harvest that lasts as long as its process: for tests, and for looking at
//! one document.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use foldhash::HashMap;
use oxrdf::QuadRef;
use xxhash_rust::xxh3::xxh3_64;

use super::nquads::LineWriter;
use super::{Draft, Exported, Finished, Store, StoreError};
use crate::model::Uri;

/// Keeps the harvest in memory.
#[derive(Default)]
pub struct MemoryStore {
    shelves: Mutex<Shelves>,
}

#[derive(Default)]
struct Shelves {
    /// Documents in the order in which they were put.
    documents: BTreeMap<u64, (Vec<u8>, u64)>,
    places: HashMap<Uri, u64>,
    place_next: u64,
    put: Vec<(Uri, Vec<u8>, u64)>,
}

impl MemoryStore {
    fn shelves(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn draft(&self, document: &Uri) -> Box<dyn Draft> {
        let writer = LineWriter::new(document.as_str());
        Box::new(MemoryDraft { document: document.clone(), quads: 0, lines: Vec::new(), writer })
    }

    async fn put(&self, draft: Finished) -> Result<(), StoreError> {
        let lines = *draft.content.downcast().expect("a draft is put into the store that made it");
        self.shelves().put.push((draft.document, lines, draft.quads));
        Ok(())
    }

    async fn commit(&self) -> Result<(), StoreError> {
        self.shelves().commit();
        Ok(())
    }

    async fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn export(&self, into: &mut dyn Write) -> Result<Exported, StoreError> {
        let mut exported = Exported::default();
        for (lines, quads) in self.shelves().documents.values() {
            into.write_all(lines).map_err(StoreError::Export)?;
            exported.documents += 1;
            exported.quads += quads;
        }
        Ok(exported)
    }
}

impl Shelves {
    fn commit(&mut self) {
        for (document, lines, quads) in std::mem::take(&mut self.put) {
            if let Some(place) = self.places.remove(&document) {
                self.documents.remove(&place);
            }
            if quads > 0 {
                self.documents.insert(self.place_next, (lines, quads));
                self.places.insert(document, self.place_next);
                self.place_next += 1;
            }
        }
    }
}

struct MemoryDraft {
    document: Uri,
    quads: u64,
    lines: Vec<u8>,
    writer: LineWriter,
}

impl Draft for MemoryDraft {
    fn append(&mut self, quad: QuadRef<'_>) {
        self.quads += 1;
        self.writer.write(&mut self.lines, quad);
    }

    fn finish(self: Box<Self>) -> Finished {
        let digest = if self.quads == 0 { 0 } else { xxh3_64(&self.lines) };
        Finished { document: self.document, quads: self.quads, digest, provenance: None, content: Box::new(self.lines) }
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryStore;

    crate::store::contract::store_contract!(async { ((), MemoryStore::default()) });
}
