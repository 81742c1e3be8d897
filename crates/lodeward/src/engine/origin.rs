//! Where a document comes from, as far as the engine knows.

use super::CrawlError;
use super::conductor::Conductor;
use crate::model::outcome::Document;
use crate::model::{Fault, How, Visit};
use crate::provenance::{Hop, Problem, Provenance};

impl Conductor {
    /// What is kept of how a document was had, if that is to be kept.
    pub(super) async fn provenance(
        &self,
        visit: &Visit,
        document: &Document,
        status: u16,
        requested_at_ms: u64,
    ) -> Result<Option<Provenance>, CrawlError> {
        let Some(user_agent) = self.crawl.settings.provenance.clone() else { return Ok(None) };
        let problem = |fault: &Fault| Problem { kind: fault.kind.name().to_owned(), detail: fault.detail.clone() };
        Ok(Some(Provenance {
            requested_at_ms,
            fetched_at_ms: document.fetched_at_ms,
            redirects: self.redirects_to(visit).await?,
            status,
            declared: document.declared.clone(),
            syntax: document.syntax.clone(),
            quads_by_syntax: document.quads_by_syntax.clone(),
            bytes: document.bytes,
            digest: document.digest,
            etag: document.etag.clone(),
            last_modified: document.last_modified.clone(),
            faults: document.faults.iter().map(problem).collect(),
            user_agent,
        }))
    }

    /// The redirects that led to a document, the first one first.
    ///
    /// A candidate knows the last of them. Those before it are asked of the
    /// frontier, which knows them from the next commit on: in a chain that is
    /// quicker than that, the first ones may be missing.
    async fn redirects_to(&self, visit: &Visit) -> Result<Vec<Hop>, CrawlError> {
        let mut hops = Vec::new();
        let (mut source, mut how) = (visit.candidate.source.clone(), visit.candidate.how.clone());
        while let (Some(from), How::Redirect(status)) = (source, how) {
            hops.push(Hop { from: from.clone(), status });
            // As many as were counted: a circle of redirects ends, too.
            if hops.len() >= usize::from(visit.candidate.redirects) {
                break;
            }
            let Some(life) = self.crawl.frontier.recall(&from).await? else { break };
            (source, how) = (life.source, life.how);
        }
        hops.reverse();
        Ok(hops)
    }
}
