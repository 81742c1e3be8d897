//! A store in memory, for tests and for the inspection of a single document. The harvest is lost
//! when the process ends.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use foldhash::HashMap;
use oxrdf::QuadRef;
use xxhash_rust::xxh3::xxh3_64;

use super::{Draft, ExportSummary, FinishedDraft, Store, StoreError};
use crate::model::{StoreReceipt, Uri};
use lodeward_rdf::write::n_quads::NQuadsWriter;

/// Stores the harvest in memory.
#[derive(Default)]
pub struct MemoryStore {
    harvest: Mutex<MemoryHarvest>,
}

#[derive(Default)]
struct MemoryHarvest {
    /// Lines and quad counts by sequence number, in the order of `put`.
    documents: BTreeMap<u64, (Vec<u8>, u64)>,
    sequence_by_document: HashMap<Uri, u64>,
    next_sequence: u64,
    put: Vec<(Uri, Vec<u8>, u64)>,
}

impl MemoryStore {
    fn lock_harvest(&self) -> MutexGuard<'_, MemoryHarvest> {
        self.harvest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn draft(&self, document: &Uri) -> Box<dyn Draft> {
        let writer = NQuadsWriter::new(document.as_str());
        Box::new(MemoryDraft { document: document.clone(), quads: 0, lines: Vec::new(), writer })
    }

    async fn put(&self, draft: FinishedDraft) -> Result<(), StoreError> {
        let lines = *draft.content.downcast().expect("a draft is put into the store that made it");
        self.lock_harvest().put.push((draft.document, lines, draft.quads));
        Ok(())
    }

    async fn commit(&self) -> Result<StoreReceipt, StoreError> {
        self.lock_harvest().commit();
        Ok(StoreReceipt::issue())
    }

    async fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn export(&self, into: &mut dyn Write) -> Result<ExportSummary, StoreError> {
        let mut exported = ExportSummary::default();
        for (lines, quads) in self.lock_harvest().documents.values() {
            into.write_all(lines).map_err(StoreError::Export)?;
            exported.documents += 1;
            exported.quads += quads;
        }
        Ok(exported)
    }
}

impl MemoryHarvest {
    fn commit(&mut self) {
        for (document, lines, quads) in std::mem::take(&mut self.put) {
            if let Some(sequence) = self.sequence_by_document.remove(&document) {
                self.documents.remove(&sequence);
            }
            if quads > 0 {
                self.documents.insert(self.next_sequence, (lines, quads));
                self.sequence_by_document.insert(document, self.next_sequence);
                self.next_sequence += 1;
            }
        }
    }
}

struct MemoryDraft {
    document: Uri,
    quads: u64,
    lines: Vec<u8>,
    writer: NQuadsWriter,
}

impl Draft for MemoryDraft {
    fn append(&mut self, quad: QuadRef<'_>) {
        self.quads += 1;
        self.writer.write(&mut self.lines, quad);
    }

    fn finish(self: Box<Self>) -> FinishedDraft {
        let digest = if self.quads == 0 { 0 } else { xxh3_64(&self.lines) };
        FinishedDraft {
            document: self.document,
            quads: self.quads,
            digest,
            provenance: None,
            content: Box::new(self.lines),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryStore;

    crate::store::contract::store_contract!(async { ((), MemoryStore::default()) });
}
