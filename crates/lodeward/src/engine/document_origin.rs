//! Provenance of documents, as far as the engine knows it.

use std::collections::VecDeque;

use super::CrawlError;
use super::conductor::Conductor;
use crate::frontier::{Lease, QueueEntry};
use crate::model::{FetchFacts, FoundBy, Provenance, RedirectRecord, Uri};

/// The latest redirects whose target redirects again. The frontier stores every redirect, but only
/// at its next commit, and a redirect chain may continue before that commit.
#[derive(Default)]
pub(super) struct RecentRedirects(VecDeque<(Uri, RedirectRecord)>);

impl RecentRedirects {
    const CAPACITY: usize = 256;

    /// Records how a redirecting URI was reached.
    pub(super) fn record(&mut self, lease: &Lease) {
        let QueueEntry { target, source, found_by, .. } = &lease.entry;
        if let (Some(from), FoundBy::Redirect(status)) = (source, found_by) {
            self.0.truncate(Self::CAPACITY - 1);
            self.0.push_front((target.clone(), RedirectRecord { from: from.clone(), status: *status }));
        }
    }

    fn find(&self, uri: &Uri) -> Option<RedirectRecord> {
        self.0.iter().find(|(known, _)| known == uri).map(|(_, redirect)| redirect.clone())
    }
}

impl Conductor {
    /// The provenance of a document, if provenance is stored.
    pub(super) async fn provenance(
        &mut self,
        lease: &Lease,
        fetch: &FetchFacts,
        requested_at_ms: u64,
    ) -> Result<Option<Provenance>, CrawlError> {
        let Some(user_agent) = self.crawl.options.provenance_agent.clone() else { return Ok(None) };
        let redirects = self.redirect_chain(lease).await?;
        Ok(Some(Provenance { requested_at_ms, redirects, fetch: fetch.clone(), user_agent }))
    }

    /// The redirects that led to a document, in order. A queue entry stores only the last redirect
    /// and the number of redirects.
    async fn redirect_chain(&mut self, lease: &Lease) -> Result<Vec<RedirectRecord>, CrawlError> {
        let QueueEntry { source, found_by, redirects, .. } = &lease.entry;
        let mut chain = Vec::new();
        let mut next = redirect(source.clone(), found_by);
        while let Some(found) = next {
            // Stops at the counted number of redirects: this avoids useless lookups and ends
            // redirect loops.
            let is_first = chain.len() + 1 >= usize::from(*redirects);
            next = if is_first { None } else { self.previous_redirect(&found.from).await? };
            chain.push(found);
        }
        chain.reverse();
        Ok(chain)
    }

    async fn previous_redirect(&mut self, uri: &Uri) -> Result<Option<RedirectRecord>, CrawlError> {
        if let Some(redirect) = self.recent_redirects.find(uri) {
            return Ok(Some(redirect));
        }
        let record = self.frontier().await?.uri_record(uri).await?;
        Ok(record.and_then(|record| redirect(record.source, &record.found_by)))
    }
}

fn redirect(source: Option<Uri>, how: &FoundBy) -> Option<RedirectRecord> {
    match how {
        FoundBy::Redirect(status) => source.map(|from| RedirectRecord { from, status: *status }),
        _ => None,
    }
}
