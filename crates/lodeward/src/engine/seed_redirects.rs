//! Adds the domains that seeds redirect to to the domains that a crawl stays on.
//!
//! They are found while the crawl runs, and read from the frontier when it is resumed. Links to such a domain that were
//! dropped before it was found are queued when nothing else waits, so the order of requests does not change what is
//! fetched.

use lodeward_markup::links::PageLink;

use super::CrawlError;
use super::conductor::Conductor;
use super::offer::readmit;
use crate::frontier::{Lease, UriRecord};
use crate::model::{DropReason, FoundBy, Link, LinkKind, Outcome, Relevance, Uri};
use crate::select::LinkContext;

/// Number of settled records examined at a time.
const PAGE_SIZE: usize = 1_024;

impl Conductor {
    /// Adds the domain of a redirect to the scope if it is the redirect of a seed and allowed.
    pub(super) fn record_seed_redirect(&mut self, lease: &Lease, found: &LinkContext<'_>, target: &Uri, status: u16) {
        let is_of_seed = lease.entry.depth == 0 && lease.entry.step.is_none();
        if is_of_seed && self.reason_to_drop(found, target, Some(&LinkKind::Redirect(status))).is_none() {
            self.scope_grew |= self.crawl.scope.add_seed_redirect(target);
        }
    }

    /// Adds the domains that seeds redirected to in earlier runs to the scope.
    pub(super) async fn restore_seed_redirects(&mut self, seeds: &[Uri]) -> Result<(), CrawlError> {
        if !self.crawl.scope.stays_with_seeds() {
            return Ok(());
        }
        for seed in seeds {
            let mut from = seed.clone();
            for redirects in 1..=self.crawl.options.max_redirects {
                let outcome = self.frontier().await?.uri_record(&from).await?.and_then(|record| record.outcome);
                let Some(Outcome::Redirected { status, target: Some(target) }) = outcome else { break };
                let found = LinkContext { redirects, ..link_context(Some(&from), 0) };
                if self.reason_to_drop(&found, &target, Some(&LinkKind::Redirect(status))).is_some() {
                    break;
                }
                self.scope_grew |= self.crawl.scope.add_seed_redirect(&target);
                from = target;
            }
        }
        Ok(())
    }

    /// If the scope has grown and nothing waits, queues the links that are in scope now. Returns whether a link was
    /// queued.
    pub(super) async fn queue_links_of_new_domains(&mut self) -> Result<bool, CrawlError> {
        if !self.scope_grew || self.flights.len() > 0 || self.is_stopping() {
            return Ok(false);
        }
        if self.frontier().await?.census().await?.uris_waiting > 0 {
            return Ok(false);
        }
        self.scope_grew = false;
        self.commit().await?;
        let (mut next, mut queued) = (0, 0);
        loop {
            let records = self.frontier().await?.settled_records(next, PAGE_SIZE).await?;
            let Some((last, _)) = records.last() else { return Ok(queued > 0) };
            next = last + 1;
            for (_, record) in records {
                if self.is_in_scope_now(&record) {
                    queued += self.queue_dropped_link(record).await?;
                }
            }
        }
    }

    /// Whether a link was dropped because of the scope, and is in scope now.
    fn is_in_scope_now(&self, record: &UriRecord) -> bool {
        match record.outcome {
            Some(Outcome::Dropped(DropReason::Scope)) => self.crawl.scope.is_near_seeds(&record.uri),
            Some(Outcome::Dropped(DropReason::Pattern | DropReason::Depth)) => {
                let found = link_context(record.source.as_ref(), record.depth);
                self.reason_to_drop(&found, &record.uri, Some(&link_kind(&record.found_by))).is_none()
            }
            _ => false,
        }
    }

    async fn queue_dropped_link(&mut self, record: UriRecord) -> Result<u64, CrawlError> {
        let found = link_context(record.source.as_ref(), record.depth);
        let link = Link { target: record.uri.clone(), via: link_kind(&record.found_by) };
        let offers = self.crawl.strategy.offer_links(&found, vec![link], &mut self.rng);
        self.offer_entries(offers.into_iter().map(readmit).collect()).await
    }
}

fn link_context(source: Option<&Uri>, depth: u16) -> LinkContext<'_> {
    LinkContext { source, lease: None, format: "", relevance: Relevance::None, depth, redirects: 0 }
}

/// The link that led to a URI, as far as its record has it.
fn link_kind(found_by: &FoundBy) -> LinkKind {
    match found_by {
        FoundBy::Triple(predicate) => LinkKind::Triple {
            properties: vec![predicate.as_str().into()],
            vocabulary: false,
            siblings: Vec::new(),
            type_hint: None,
        },
        FoundBy::Promised(found_by, _) => link_kind(found_by),
        FoundBy::Header(rel) => LinkKind::Header { rel: rel.clone(), media_type: None },
        FoundBy::Anchor(text) => LinkKind::Html(Box::new(PageLink { text: text.clone(), ..PageLink::default() })),
        _ => LinkKind::Html(Box::default()),
    }
}
