//! Finds damage in the harvest of a crawl, and repairs it.
//!
//! The damaged documents are removed from the harvest and queued again. The archive follows,
//! because each removal is a record of the log. The order of the steps allows a repair to be
//! interrupted and repeated: documents are queued before they are removed, and damaged bytes are
//! set aside last.

use lodeward::engine::uncount_documents;
use lodeward::frontier::{FrontierError, UriRecord};
use lodeward::model::Uri;
use lodeward::store::StoreError;
use lodeward::store::segments::DamageReport;

use crate::crawl_dir::{OpenCrawl, wait};
use crate::damage_record::{self, DamageRecord};
use crate::data_dir::{DataDir, DataDirError};

/// What a repair found and, unless it was a dry run, repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairSummary {
    /// The damaged parts of segments.
    pub ranges: Vec<DamageRecord>,
    /// The documents whose statements cannot be read. They are queued again.
    pub documents: Vec<Uri>,
    /// Number of documents that the frontier does not know. They are removed from the index.
    pub unknown: u64,
    /// Number of documents that have lost only their provenance.
    pub without_provenance: u64,
}

/// A crawl cannot be repaired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// The harvest cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The frontier cannot be read or written.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The record of damage cannot be removed.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
}

/// Damage, and the records of the damaged documents.
struct HarvestDamage {
    report: DamageReport,
    records: Vec<Option<UriRecord>>,
}

impl HarvestDamage {
    /// Reads the whole harvest.
    fn find(crawl: &OpenCrawl) -> Result<Self, RepairError> {
        let report = crawl.segments.verify()?;
        let records = wait(crawl.frontier.find_records(&report.documents))?;
        Ok(Self { report, records })
    }

    fn summary(&self) -> RepairSummary {
        let mut documents: Vec<Uri> = self.records.iter().flatten().map(|record| record.uri.clone()).collect();
        documents.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        RepairSummary {
            ranges: self.report.ranges.iter().map(DamageRecord::from).collect(),
            unknown: (self.records.len() - documents.len()) as u64,
            documents,
            without_provenance: self.report.without_provenance,
        }
    }
}

/// Finds the damage of a crawl. Changes nothing.
pub fn inspect(crawl: &OpenCrawl) -> Result<RepairSummary, RepairError> {
    Ok(HarvestDamage::find(crawl)?.summary())
}

/// Repairs the damage of a crawl.
pub async fn repair(data_dir: &DataDir, crawl: &OpenCrawl) -> Result<RepairSummary, RepairError> {
    let damage = HarvestDamage::find(crawl)?;
    let summary = damage.summary();
    if !summary.ranges.is_empty() {
        queue_again(crawl, &damage.report.documents).await?;
        remove_documents(crawl, &summary.documents).await?;
        let unknown = damage.report.documents.iter().zip(&damage.records).filter(|(_, record)| record.is_none());
        let unknown: Vec<u128> = unknown.map(|(fingerprint, _)| *fingerprint).collect();
        crawl.segments.repair(&damage.report, &unknown)?;
    }
    damage_record::remove(data_dir, crawl.dir.id())?;
    Ok(summary)
}

/// Queues documents, and subtracts them from the counts of the crawl.
async fn queue_again(crawl: &OpenCrawl, documents: &[u128]) -> Result<(), RepairError> {
    let requeued = crawl.frontier.requeue_lost(documents).await?;
    let memo = crawl.frontier.memo().await?;
    if let Some(memo) = memo.filter(|_| !requeued.is_empty()) {
        let stored = crawl.store.commit().await?;
        crawl.frontier.commit(&uncount_documents(&memo, &requeued), stored).await?;
    }
    Ok(crawl.frontier.sync().await?)
}

/// Removes documents from the harvest, with a record for followers.
pub(crate) async fn remove_documents(crawl: &OpenCrawl, documents: &[Uri]) -> Result<(), StoreError> {
    for document in documents {
        // A document without statements is a removal.
        crawl.store.put(crawl.store.draft(document).finish()).await?;
    }
    crawl.store.commit().await?;
    crawl.store.sync().await
}
