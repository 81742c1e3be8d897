//! Handles the results of errands.

use super::CrawlError;
use super::conductor::Conductor;
use super::errand::{Errand, ErrandResult, ErrandReturn, ReadDocument, RunningErrand};
use super::refresh::{document_change, truncation_fault};
use super::steps::found_by_step;
use super::tally::TallyKey;
use crate::discover::NextStep;
use crate::fetch::robots::RobotsResponse;
use crate::frontier::{Lease, SettlementKind};
use crate::model::outcome::DocumentSummary;
use crate::model::{
    ChangeKind, CrawlTime, Fault, FetchFacts, FetchFailure, FoundBy, Link, LinkKind, Outcome, ProbeResult, Relevance,
    Uri,
};
use crate::select::Facts;
use crate::select::{LinkContext, RequestEnd, RequestResult};

/// Data recorded when a request was sent.
struct DepartureInfo {
    weight: f32,
    sent_at_ms: u64,
}

impl Conductor {
    pub(super) async fn handle_return(&mut self, returned: ErrandReturn) -> Result<(), CrawlError> {
        self.notify_observers(&returned);
        let ErrandReturn { sent: RunningErrand { lease, weight, address, errand, sent_at_ms, .. }, result, .. } =
            returned;
        let now = self.now();
        let sent = match &result {
            Ok(ErrandResult::Address(_)) => false,
            Ok(ErrandResult::Robots(RobotsResponse::Unreachable(failure))) | Err(failure) => failure.sent,
            Ok(_) => true,
        };
        if let Some(address) = address {
            self.hosts.leave_address(address, sent, now);
        }
        if !sent {
            self.tally.uncount_request(&errand);
        }
        let delayed_until = if sent { now + self.hosts.delay(&lease.entry.target) } else { CrawlTime::ZERO };
        match result {
            Ok(ErrandResult::Address(address)) => {
                if let Errand::Resolve(requested) = &errand {
                    self.hosts.record_address(requested, address, now);
                }
                self.settle(lease, SettlementKind::Postponed(None), delayed_until);
                Ok(())
            }
            Ok(ErrandResult::Robots(response)) => self.handle_robots(lease, response, now, sent).await,
            // The probe has returned the target of the redirect, so no second request is needed.
            Ok(ErrandResult::Probe(ProbeResult { status, location: Some(target), retry_after_s, .. })) => {
                let delayed_until = self.delay_redirect(Some(&target), retry_after_s, now, delayed_until);
                self.handle_redirect(lease, weight, status, Ok(target), delayed_until).await
            }
            Ok(ErrandResult::Probe(probe)) => {
                self.settle(lease, SettlementKind::Postponed(Some(probe)), delayed_until);
                Ok(())
            }
            Ok(ErrandResult::Redirect { status, target, retry_after_s }) => {
                let delayed_until = self.delay_redirect(target.as_ref().ok(), retry_after_s, now, delayed_until);
                self.handle_redirect(lease, weight, status, target, delayed_until).await
            }
            Ok(ErrandResult::Unchanged) => self.handle_unchanged(lease, None, delayed_until).await,
            Ok(ErrandResult::SameBytes(validators)) => {
                self.handle_unchanged(lease, Some(validators), delayed_until).await
            }
            Ok(ErrandResult::Document(reading)) => {
                let departure = DepartureInfo { weight, sent_at_ms };
                self.handle_document(lease, departure, *reading, delayed_until).await
            }
            Err(failure) => self.handle_failure(lease, weight, failure, now, delayed_until).await,
        }
    }

    async fn handle_redirect(
        &mut self,
        mut lease: Lease,
        weight: f32,
        status: u16,
        target: Result<Uri, Fault>,
        delayed_until: CrawlTime,
    ) -> Result<(), CrawlError> {
        self.hosts.record_response(&lease.entry.target);
        self.recent_redirects.record(&lease);
        let outcome = match target {
            Ok(target) => self.follow_redirect(&mut lease, weight, status, target).await?,
            Err(fault) if lease.entry.revisit.is_some() => {
                self.tally.count_fault(fault.kind);
                let failure = FetchFailure { fault, status: Some(status), retry_after_s: None, sent: true };
                self.failure_outcome(&mut lease, &failure).await?
            }
            Err(fault) => {
                self.tally.redirects += 1;
                self.tally.count_fault(fault.kind);
                self.crawl.strategy.learn(&RequestResult { lease: &lease, weight, end: RequestEnd::Failure });
                Outcome::Failed(fault)
            }
        };
        self.settle(lease, SettlementKind::Settled(outcome), delayed_until);
        Ok(())
    }

    /// Offers the target of a redirect.
    async fn follow_redirect(
        &mut self,
        lease: &mut Lease,
        weight: f32,
        status: u16,
        target: Uri,
    ) -> Result<Outcome, CrawlError> {
        let found = LinkContext {
            source: Some(&lease.entry.target),
            lease: Some(lease),
            format: "",
            relevance: Relevance::None,
            depth: lease.entry.depth,
            redirects: lease.entry.redirects.saturating_add(1),
        };
        self.record_seed_redirect(lease, &found, &target, status);
        let uri = target.clone();
        let queued = match lease.entry.step.as_ref().and_then(|step| step.redirect_to(&target)) {
            Some(step) => {
                let steps = vec![(NextStep { uri, step }, FoundBy::Redirect(status))];
                self.offer_steps(&found, steps).await?
            }
            None => self.offer(&found, vec![Link { target: uri, via: LinkKind::Redirect(status) }]).await?,
        };
        let is_new = queued > 0;
        match lease.entry.revisit.clone() {
            Some(revisit) => self.record_redirected_revisit(lease, &revisit, status, &target).await?,
            None => {
                let end = RequestEnd::Redirect { target: &target, is_new };
                self.crawl.strategy.learn(&RequestResult { lease, weight, end });
            }
        }
        self.tally.redirects += 1;
        if let Some(step) = &lease.entry.step {
            self.tally.count_step(step, 0);
        }
        Ok(Outcome::Redirected { status, target: Some(target) })
    }

    async fn handle_document(
        &mut self,
        mut lease: Lease,
        departure: DepartureInfo,
        reading: ReadDocument,
        delayed_until: CrawlTime,
    ) -> Result<(), CrawlError> {
        if let Some(fault) = lease.entry.revisit.as_ref().and_then(|revisit| truncation_fault(revisit, &reading)) {
            return self.handle_truncated(lease, fault.clone(), delayed_until).await;
        }
        let ReadDocument { fetch, relevance, links, steps, mut draft, facts } = reading;
        let document = DocumentSummary {
            fetch: FetchFacts { fetched_at_ms: self.epoch_ms(), ..fetch },
            quads: draft.quads,
            links: u32::try_from(links.len() + steps.len()).unwrap_or(u32::MAX),
            relevance,
            statements_digest: draft.digest,
        };
        self.hosts.record_response(&lease.entry.target);
        self.count_document(&lease, &document);
        let is_step = lease.entry.step.is_some();
        let change = lease.entry.revisit.as_ref().map(|revisit| document_change(revisit, &document, is_step));
        self.learn_from_document(&lease, departure.weight, &document, facts.as_ref());
        self.offer_document_links(&lease, &document, links, steps).await?;
        if draft.quads > 0 {
            draft.provenance = self.provenance(&lease, &document.fetch, departure.sent_at_ms).await?;
        }
        // Unchanged statements need not be written again.
        if change != Some(ChangeKind::Unchanged) {
            self.crawl.store.put(draft).await?;
        }
        if let Some(change) = change {
            self.record_revisit(&mut lease, change);
        }
        // The lease is settled last: if the process crashes before the next commit, the request is
        // repeated and `Store::put` replaces the document, so nothing is lost or duplicated.
        self.settle(lease, SettlementKind::Settled(Outcome::Document(document)), delayed_until);
        Ok(())
    }

    fn count_document(&mut self, lease: &Lease, document: &DocumentSummary) {
        let entry = &lease.entry;
        match &entry.step {
            Some(step) => self.tally.count_step(step, document.quads),
            None if entry.revisit.is_none() => {
                self.traps.observe(&entry.target, document.relevance == Relevance::Rdf);
            }
            None => {}
        }
        self.uncount_last_visit(lease);
        self.tally.count_document(TallyKey::from_entry(entry), document);
        self.commits.record_document();
    }

    /// Strategies learn from first visits of documents, and read the facts of every response.
    fn learn_from_document(&mut self, lease: &Lease, weight: f32, document: &DocumentSummary, facts: Option<&Facts>) {
        if lease.entry.step.is_none() && lease.entry.revisit.is_none() {
            let FetchFacts { declared_media_type, digest, .. } = &document.fetch;
            let media_type = declared_media_type.as_deref();
            let end = RequestEnd::Document { relevance: document.relevance, media_type, digest: *digest };
            self.crawl.strategy.learn(&RequestResult { lease, weight, end });
        }
        if let Some(facts) = facts {
            self.crawl.strategy.read_facts(lease, facts);
        }
    }

    async fn offer_document_links(
        &mut self,
        lease: &Lease,
        document: &DocumentSummary,
        links: Vec<Link>,
        steps: Vec<NextStep>,
    ) -> Result<(), CrawlError> {
        let relevance = document.relevance;
        let found = LinkContext {
            source: Some(&lease.entry.target),
            lease: Some(lease),
            format: &document.fetch.format,
            relevance,
            depth: lease.entry.depth.saturating_add(1),
            redirects: 0,
        };
        self.offer_steps(&found, found_by_step(steps)).await?;
        self.offer(&found, links).await?;
        if relevance == Relevance::Rdf && lease.entry.step.is_none() {
            self.offer_well_known(lease).await?;
        }
        Ok(())
    }
}
