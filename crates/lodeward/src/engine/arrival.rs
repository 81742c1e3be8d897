//! Handles the results of errands.

use std::collections::HashSet;
use std::time::Duration;

use super::CrawlError;
use super::conductor::Conductor;
use super::errand::{Errand, ErrandResult, ErrandReturn, ReadDocument, RunningErrand};
use super::refresh::{document_change, truncation_fault};
use super::steps::{is_from_step, step_offer};
use super::tally::TallyKey;
use super::wait_reasons::{DomainWait, WaitReason};
use crate::fetch::FetchFailure;
use crate::fetch::robots::{RobotsResponse, RobotsRules};
use crate::frontier::gates::GateKey;
use crate::frontier::{Offer, Settlement, SettlementKind};
use crate::model::link::StepLink;
use crate::model::outcome::DocumentSummary;
use crate::model::{
    ChangeKind, CrawlTime, DropReason, Fault, FaultKind, FeatureVector, FetchFacts, FoundBy, Lease, Link, LinkKind,
    Outcome, ProbeResult, Relevance, Uri,
};
use crate::select::{LinkContext, RequestEnd, RequestResult, breadth_first};

/// The first delay before an unreachable robots.txt is requested again.
const ROBOTS_RETRY_DELAY: Duration = Duration::from_secs(10);

/// Adds a margin to a delay. A busy server may consider its response finished a little later
/// than we received it.
pub(crate) fn with_margin(delay: Duration) -> Duration {
    const MARGIN: Duration = Duration::from_millis(10);
    if delay.is_zero() { delay } else { delay + MARGIN + delay / 100 }
}

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
            let delayed_until = now + with_margin(self.crawl.options.delay);
            self.gates.leave(&GateKey::IpAddress(address), sent.then_some(now), delayed_until);
        }
        if !sent {
            self.tally.uncount_request(&errand);
        }
        let delayed_until = if sent { now + self.delay(&lease.entry.target) } else { CrawlTime::ZERO };
        match result {
            Ok(ErrandResult::Address(address)) => {
                if let Errand::Resolve(requested) = &errand {
                    self.addresses.insert(requested.host(), address);
                }
                self.settle(lease, SettlementKind::Postponed(None), delayed_until).await
            }
            Ok(ErrandResult::Robots(response)) => self.handle_robots(lease, response, now, sent).await,
            // The probe has returned the target of the redirect, so no second request is needed.
            Ok(ErrandResult::Probe(ProbeResult { status, location: Some(target), .. })) => {
                self.handle_redirect(lease, weight, status, Ok(target), delayed_until).await
            }
            Ok(ErrandResult::Probe(probe)) => {
                self.settle(lease, SettlementKind::Postponed(Some(probe)), delayed_until).await
            }
            Ok(ErrandResult::Redirect { status, target }) => {
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

    /// The delay of a domain after a request: the maximum of the configured delay, the crawl
    /// delay of this host, and that of other hosts of its domain.
    pub(super) fn delay(&self, uri: &Uri) -> Duration {
        // A replay needs no delay, and its result must not depend on its speed.
        if self.crawl.options.in_order {
            return Duration::ZERO;
        }
        with_margin(self.servers.delay(&uri.pld()).max(self.robots.crawl_delay(uri).unwrap_or_default()))
    }

    async fn handle_robots(
        &mut self,
        mut lease: Lease,
        response: RobotsResponse,
        now: CrawlTime,
        sent: bool,
    ) -> Result<(), CrawlError> {
        let uri = lease.entry.target.clone();
        match response {
            RobotsResponse::Rules(robots) => self.store_robots(&uri, robots, now).await?,
            RobotsResponse::Redirect(target) => {
                self.robots.record_redirect(&uri, target, now);
            }
            RobotsResponse::Unreachable(failure) => {
                self.addresses.forget(uri.host());
                if self.record_robots_failure(&uri, &failure, now) {
                    let delayed_until = if sent { now + self.delay(&uri) } else { CrawlTime::ZERO };
                    // The status code is that of robots.txt and must not mark the document as
                    // deleted.
                    let failure = FetchFailure { status: None, ..failure };
                    let outcome = self.failure_outcome(&mut lease, &failure).await?;
                    return self.settle(lease, SettlementKind::Settled(outcome), delayed_until).await;
                }
            }
        }
        // A crawl delay in this robots.txt applies from this response on.
        let delayed_until = if sent { now + self.delay(&uri) } else { CrawlTime::ZERO };
        self.settle(lease, SettlementKind::Postponed(None), delayed_until).await
    }

    async fn store_robots(&mut self, uri: &Uri, robots: RobotsRules, now: CrawlTime) -> Result<(), CrawlError> {
        if let Some(requested) = robots.crawl_delay() {
            self.servers.record_crawl_delay(&uri.pld(), requested);
            self.crawl.frontier.set_crawl_delay(&uri.pld(), with_margin(requested)).await?;
        }
        self.offer_sitemaps(uri, &robots).await?;
        self.robots.insert(uri, robots, now);
        Ok(())
    }

    /// Records that a robots.txt cannot be fetched. Returns whether this was the last attempt: then
    /// the leased URI fails, and other URIs of the host will be dropped.
    fn record_robots_failure(&mut self, uri: &Uri, failure: &FetchFailure, now: CrawlTime) -> bool {
        let requested = Duration::from_secs(failure.retry_after_s.unwrap_or(0));
        let max_wait = self.crawl.options.max_retry_after;
        let is_final = self.crawl.options.in_order
            || requested > max_wait
            || matches!(failure.fault.kind, FaultKind::ForbiddenAddress | FaultKind::Tls);
        let wait = self.jitter(requested.max(ROBOTS_RETRY_DELAY.min(max_wait)));
        let was_last = self.robots.record_failure(uri, now, wait, is_final);
        if was_last {
            tracing::warn!(host = uri.host(), fault = %failure.fault, "robots.txt unreachable, host closed");
            self.tally.count_fault(if is_final { failure.fault.kind } else { FaultKind::RobotsUnreachable });
        }
        was_last
    }

    async fn handle_redirect(
        &mut self,
        mut lease: Lease,
        weight: f32,
        status: u16,
        target: Result<Uri, Fault>,
        delayed_until: CrawlTime,
    ) -> Result<(), CrawlError> {
        self.servers.record_response(&lease.entry.target);
        self.recent_redirects.record(&lease);
        let outcome = match target {
            Ok(target) => {
                let via = match lease.entry.step.as_ref().and_then(|step| step.redirect_to(&target)) {
                    Some(step) => LinkKind::Step(Box::new(StepLink { step, found_by: FoundBy::Redirect(status) })),
                    None => LinkKind::Redirect(status),
                };
                let link = Link { target: target.clone(), via };
                let source = lease.entry.target.clone();
                let redirects = lease.entry.redirects.saturating_add(1);
                let depth = lease.entry.depth;
                let relevance = Relevance::None;
                let found =
                    LinkContext { source: Some(&source), lease: Some(&lease), format: "", relevance, depth, redirects };
                let is_new = self.offer(&found, vec![link]).await? > 0;
                match lease.entry.revisit.clone() {
                    Some(revisit) => self.record_redirected_revisit(&mut lease, &revisit, status, &target).await?,
                    None => {
                        let end = RequestEnd::Redirect { target: &target, is_new };
                        self.crawl.strategy.learn(&RequestResult { lease: &lease, weight, end });
                    }
                }
                self.tally.redirects += 1;
                if let Some(step) = &lease.entry.step {
                    self.tally.count_step(step, 0);
                }
                Outcome::Redirected { status, target: Some(target) }
            }
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
        self.settle(lease, SettlementKind::Settled(outcome), delayed_until).await
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
        let ReadDocument { fetch, relevance, links, mut draft, facts } = reading;
        let uri = lease.entry.target.clone();
        self.servers.record_response(&uri);
        let step = lease.entry.step.as_deref();
        let is_first = lease.entry.revisit.is_none();
        match step {
            Some(step) => self.tally.count_step(step, draft.quads),
            None if is_first => self.traps.observe(&uri, relevance == Relevance::Rdf),
            None => {}
        }
        let is_step = step.is_some();
        let document = DocumentSummary {
            fetch: FetchFacts { fetched_at_ms: self.epoch_ms(), ..fetch },
            quads: draft.quads,
            links: u32::try_from(links.len()).unwrap_or(u32::MAX),
            relevance,
            statements_digest: draft.digest,
        };
        self.uncount_last_visit(&lease);
        self.tally.count_document(TallyKey::from_entry(&lease.entry), &document);
        let change = lease.entry.revisit.as_ref().map(|revisit| document_change(revisit, &document, is_step));
        self.documents_since_commit += 1;
        let end = RequestEnd::Document {
            relevance,
            media_type: document.fetch.declared_media_type.as_deref(),
            digest: document.fetch.digest,
        };
        if !is_step && is_first {
            self.crawl.strategy.learn(&RequestResult { lease: &lease, weight: departure.weight, end });
        }
        if let Some(facts) = &facts {
            self.crawl.strategy.read_facts(&lease, facts);
        }
        let depth = lease.entry.depth.saturating_add(1);
        let format = &document.fetch.format;
        let found = LinkContext { source: Some(&uri), lease: Some(&lease), format, relevance, depth, redirects: 0 };
        self.offer(&found, links).await?;
        if relevance == Relevance::Rdf && !is_step {
            self.offer_well_known(&lease).await?;
        }
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
        self.settle(lease, SettlementKind::Settled(Outcome::Document(document)), delayed_until).await
    }

    pub(super) async fn settle(
        &mut self,
        mut lease: Lease,
        kind: SettlementKind,
        delayed_until: CrawlTime,
    ) -> Result<(), CrawlError> {
        self.uncommitted = true;
        if let SettlementKind::Settled(outcome) = &kind {
            self.hops.count(&lease, outcome);
            self.record_first_visit(&mut lease, outcome);
        }
        let uri = &lease.entry.target;
        let response_end = (delayed_until > CrawlTime::ZERO).then(|| delayed_until.saturating_sub(self.delay(uri)));
        self.gates.leave(&GateKey::Domain(uri.pld()), response_end, delayed_until);
        self.record_waits(uri, &kind, delayed_until);
        let dropped = self.crawl.frontier.settle(lease, Settlement { kind, delayed_until }).await?;
        self.tally.drop(DropReason::DomainLimit, dropped);
        Ok(())
    }

    /// Records why a domain is delayed after a request, and why a URI waits for a retry.
    fn record_waits(&self, uri: &Uri, kind: &SettlementKind, delayed_until: CrawlTime) {
        let is_crawl_delay = self.delay(uri) > with_margin(self.crawl.options.delay);
        self.record_domain_wait(
            uri,
            delayed_until,
            if is_crawl_delay { WaitReason::CrawlDelay } else { WaitReason::Delay },
        );
        if let SettlementKind::Retry(due) = kind {
            let wait = DomainWait { until_ms: self.to_epoch_ms(*due), reason: WaitReason::Retry };
            self.crawl.wait_reasons.record_document(uri, wait, self.epoch_ms());
        }
    }

    /// Records why a domain is delayed until this time.
    pub(super) fn record_domain_wait(&self, uri: &Uri, delayed_until: CrawlTime, reason: WaitReason) {
        let wait = DomainWait { until_ms: self.to_epoch_ms(delayed_until), reason };
        self.crawl.wait_reasons.record_domain(uri, wait, self.epoch_ms());
    }

    /// Prioritises and offers new links, and records links out of scope as dropped. Returns how
    /// many were queued.
    pub(super) async fn offer(&mut self, found: &LinkContext<'_>, mut links: Vec<Link>) -> Result<u64, CrawlError> {
        links.retain(|link| {
            let is_allowed = link.via.step().is_none_or(|step| self.crawl.discover.allows(step));
            is_allowed && self.crawl.scope.is_followed_kind(link)
        });
        let promised = self.promised_services(&links);
        let mut links = self.crawl.frontier.sift(links).await?;
        if !promised.is_empty() {
            let new: HashSet<&Uri> = links.iter().map(|link| &link.target).collect();
            let known = promised.into_iter().filter(|(target, _)| !new.contains(target));
            let next_links = known.flat_map(|(_, next_links)| next_links).collect();
            links.extend(self.crawl.frontier.sift(next_links).await?);
        }
        if links.is_empty() {
            return Ok(0);
        }
        let mut offers = Vec::with_capacity(links.len());
        let mut for_strategy = Vec::with_capacity(links.len());
        for link in links {
            if let Some(reason) = self.reason_to_drop(found, &link) {
                let priority = breadth_first::depth_priority(found);
                let entry = breadth_first::queue_entry(found, link, priority, FeatureVector::default());
                offers.push(Offer::Drop(entry, reason));
                continue;
            }
            match self.first_step(link) {
                Link { target, via: via @ LinkKind::Step(_) } => offers.push(step_offer(found, Link { target, via })),
                link => for_strategy.push(link),
            }
        }
        offers.extend(self.crawl.strategy.offer_links(found, for_strategy, &mut self.rng));
        let offered = self.crawl.frontier.offer(offers).await?;
        for (reason, count) in offered.dropped {
            self.tally.drop(reason, count);
        }
        self.uncommitted = true;
        Ok(offered.queued)
    }

    fn reason_to_drop(&self, found: &LinkContext<'_>, link: &Link) -> Option<DropReason> {
        if found.redirects > self.crawl.options.max_redirects {
            return Some(DropReason::Redirects);
        }
        // The scope and the trap detection do not apply to steps of a service that are found in
        // another step of the same origin.
        let is_same_origin = found.source.is_some_and(|source| source.origin() == link.target.origin());
        if is_same_origin && link.via.step().is_some() && is_from_step(found) {
            return None;
        }
        let trapped = found.source.is_some_and(|source| self.traps.is_trap(source, &link.target));
        self.crawl.scope.reason_to_drop(link, found).or(trapped.then_some(DropReason::Trap))
    }
}
