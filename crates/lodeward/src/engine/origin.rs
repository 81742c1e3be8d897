//! Where a document comes from, as far as the engine knows.

use std::collections::VecDeque;

use super::CrawlError;
use super::conductor::Conductor;
use crate::model::outcome::Document;
use crate::model::{Candidate, Fault, How, Uri, Visit};
use crate::provenance::{Problem, Provenance, Redirect};

/// Redirects that were themselves reached by a redirect, the last ones. The
/// frontier knows them all, but only from its next commit on, and a chain may be
/// quicker than that.
#[derive(Default)]
pub(super) struct RecentRedirects(VecDeque<(Uri, Redirect)>);

impl RecentRedirects {
    const MAX: usize = 256;

    /// Notes how somebody was reached who points elsewhere.
    pub(super) fn note(&mut self, visit: &Visit) {
        let Candidate { target, source, how, .. } = &visit.candidate;
        if let (Some(from), How::Redirect(status)) = (source, how) {
            self.0.truncate(Self::MAX - 1);
            self.0.push_front((target.clone(), Redirect { from: from.clone(), status: *status }));
        }
    }

    fn find(&self, uri: &Uri) -> Option<Redirect> {
        self.0.iter().find(|(known, _)| known == uri).map(|(_, redirect)| redirect.clone())
    }
}

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

    /// The redirects that led to a document, the first one first. A candidate
    /// knows the last of them, and how many there were.
    async fn redirects_to(&self, visit: &Visit) -> Result<Vec<Redirect>, CrawlError> {
        let Candidate { source, how, redirects, .. } = &visit.candidate;
        let mut chain = Vec::new();
        let mut next = redirect(source.clone(), how);
        while let Some(found) = next {
            // No more than were counted: nobody is asked in vain, and a circle
            // of redirects ends, too.
            let is_first = chain.len() + 1 >= usize::from(*redirects);
            next = if is_first { None } else { self.redirect_before(&found.from).await? };
            chain.push(found);
        }
        chain.reverse();
        Ok(chain)
    }

    async fn redirect_before(&self, uri: &Uri) -> Result<Option<Redirect>, CrawlError> {
        if let Some(redirect) = self.recent_redirects.find(uri) {
            return Ok(Some(redirect));
        }
        let life = self.crawl.frontier.recall(uri).await?;
        Ok(life.and_then(|life| redirect(life.source, &life.how)))
    }
}

fn redirect(source: Option<Uri>, how: &How) -> Option<Redirect> {
    match how {
        How::Redirect(status) => source.map(|from| Redirect { from, status: *status }),
        _ => None,
    }
}
