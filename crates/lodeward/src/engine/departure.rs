//! Starts the requests of leased URIs.
//!
//! A lease passes, in this order: the strategy, robots.txt, the gate of its IP address, the gate of
//! its domain. If one of them stops the lease, the slot is returned or used for what is missing
//! (fetching robots.txt, resolving the host), and the URI waits for its turn again. So these
//! requests obey the delay, too.

use std::net::IpAddr;

use rand::rngs::SmallRng;

use super::conductor::Conductor;
use super::errand::{Errand, ErrandTools, RunningErrand};
use super::hosts::{Admission, RobotsPermission, WaitReason};
use super::{CrawlBuilder, CrawlError};
use crate::frontier::{
    DomainOrder, HeadEntry, Lease, LeaseRequest, QueueEntry, ScoreBatch, SettlementKind, lease_scored,
};
use crate::model::{CrawlTime, DropReason};
use crate::select::{Decision, Judgement, Strategy};

/// Maximum number of leases before commands, results and commits are handled. Without this limit, a
/// host that forbids everything could keep the loop busy, because every slot is returned at once.
const MAX_LEASES_PER_TURN: usize = 256;

/// The score of a step of a service. Scores are probabilities, so this is the maximum.
const STEP_SCORE: f32 = 1.0;

impl Conductor {
    /// Leases URIs and starts their requests, as many as the limits allow. Returns when the next delay ends.
    pub(super) async fn dispatch(&mut self) -> Result<Option<CrawlTime>, CrawlError> {
        let mut leases = 0;
        while leases < MAX_LEASES_PER_TURN {
            self.update_hop().await?;
            self.count_resumptions();
            let free = self.free_slots();
            if free == 0 {
                return Ok(None);
            }
            let now = self.now();
            let held_until = self.flights.last_departure() + self.crawl.options.max_hold;
            let is_holding = now < held_until;
            let max_first_visits = self.free_document_slots();
            let request = LeaseRequest {
                now,
                max: free,
                scores_changed: domain_order(&self.crawl).is_scored() && self.crawl.strategy.scores_changed(),
                deferral_share: self.crawl.strategy.deferral_share().filter(|_| is_holding),
                max_first_visits,
            };
            self.frontier().await?;
            let CrawlBuilder { frontier, strategy, .. } = &mut self.crawl;
            let score = |scores: &mut ScoreBatch| rescore(&mut **strategy, scores, &mut self.rng);
            let leased = lease_scored(&**frontier, request, score).await?;
            if leased.leases.is_empty() {
                let held_until = leased.held_back.then_some(held_until);
                return Ok([leased.not_before, held_until].into_iter().flatten().min());
            }
            leases += leased.leases.len();
            for lease in leased.leases {
                self.send(lease);
            }
        }
        Ok(Some(self.now()))
    }

    /// The number of errands that may start. A limit is never exceeded, except by requests that
    /// resume interrupted bodies while the last errands run.
    fn free_slots(&self) -> usize {
        let settings = &self.crawl.options;
        let in_flight = self.flights.len();
        let requests = remaining(settings.max_requests, self.tally.requests_since_refresh());
        // Revisited documents are counted already.
        let documents = if self.refreshing { usize::MAX } else { self.free_document_slots() };
        settings
            .max_concurrent_requests
            .saturating_sub(in_flight)
            .min(requests)
            .min(documents)
            .min(self.free_hop_slots())
    }

    /// The number of new documents that may still be fetched.
    fn free_document_slots(&self) -> usize {
        let settings = &self.crawl.options;
        let documents = remaining(settings.max_documents, self.tally.documents);
        let relevant = remaining(settings.max_rdf_documents, self.tally.rdf_documents);
        documents.min(relevant).saturating_sub(self.flights.len())
    }

    fn send(&mut self, mut lease: Lease) {
        if let Some(until) = self.hosts.redirect_waits.take(&lease.entry.target, self.now()) {
            return self.settle(lease, SettlementKind::Retry(until), CrawlTime::ZERO);
        }
        let decision = match self.lease_drop_reason(&lease) {
            Some(reason) => return self.drop_lease(lease, reason),
            // The strategy decides neither on steps of a service nor on revisits.
            None if lease.entry.step.is_some() || lease.entry.revisit.is_some() => Decision::Fetch,
            None => {
                let Judgement { decision, verdict } = self.crawl.strategy.judge(&lease, &mut self.rng);
                lease.verdict = verdict.or(lease.verdict);
                decision
            }
        };
        let (errand, weight) = match decision {
            Decision::Fetch => (Errand::Fetch, 1.0),
            Decision::Explore { weight } => (Errand::Fetch, weight),
            Decision::Probe => {
                debug_assert!(lease.probe.is_none(), "a URI is probed at most once");
                (Errand::Probe, 1.0)
            }
            Decision::Skip => return self.drop_lease(lease, DropReason::Strategy),
        };
        let now = self.now();
        let errand = match self.hosts.permission(&lease.entry.target, now) {
            RobotsPermission::Granted => errand,
            RobotsPermission::Denied => return self.drop_lease(lease, DropReason::Robots),
            RobotsPermission::Unreachable => return self.drop_lease(lease, DropReason::RobotsUnreachable),
            RobotsPermission::NotBefore(time) => return self.postpone(lease, time, WaitReason::Robots),
            RobotsPermission::Unknown(uri) => Errand::Robots(uri),
        };
        self.pass_gate(lease, errand, weight);
    }

    /// Why a leased URI is dropped instead of requested.
    fn lease_drop_reason(&self, lease: &Lease) -> Option<DropReason> {
        let entry = &lease.entry;
        // The URI may have been queued under another domain policy.
        if !self.crawl.scope.domain_policy.allows(&entry.target) {
            return Some(DropReason::Policy);
        }
        if self.hosts.is_abandoned(&entry.target) {
            return Some(DropReason::Unreachable);
        }
        let Some(step) = &entry.step else { return self.hop_drop_reason(lease) };
        // Revisits are not limited, because their first request was counted.
        if entry.revisit.is_some() {
            return None;
        }
        let policy = &self.crawl.discover;
        let used = self.tally.services.get(step.service())?;
        (used.quads >= policy.max_quads_per_service || used.requests >= policy.max_requests_per_service)
            .then_some(DropReason::Quota)
    }

    /// Starts an errand if its server may be requested now; otherwise the URI waits again.
    fn pass_gate(&mut self, lease: Lease, errand: Errand, weight: f32) {
        let uri = &lease.entry.target;
        // A robots.txt may be on another host of the domain.
        let requested = match &errand {
            Errand::Robots(location) => location,
            _ => uri,
        };
        match self.hosts.enter(uri, requested, self.now()) {
            Admission::Granted(address) => self.spawn_errand(lease, errand, weight, address),
            Admission::Resolve => {
                let errand = Errand::Resolve(requested.clone());
                self.spawn_errand(lease, errand, weight, None);
            }
            Admission::NotBefore(time) => self.postpone(lease, time, WaitReason::Shared),
        }
    }

    fn spawn_errand(&mut self, lease: Lease, errand: Errand, weight: f32, address: Option<IpAddr>) {
        self.tally.count_request(&errand);
        let tools = ErrandTools {
            fetcher: self.crawl.fetcher.clone(),
            extractor: self.crawl.extractor.clone(),
            store: self.crawl.store.clone(),
            product_token: self.crawl.options.product_token.clone(),
            delay: self.hosts.delay(&lease.entry.target),
            head_detail: self.head_detail(),
            facts: self.crawl.strategy.facts_options(),
        };
        let sent = RunningErrand { number: 0, sent_at_ms: self.epoch_ms(), lease, weight, address, errand };
        self.flights.start(sent, tools, self.now());
    }
}

/// The number that may still be used of a limit; `usize::MAX` without a limit.
fn remaining(max: Option<u64>, used: u64) -> usize {
    max.map_or(usize::MAX, |max| usize::try_from(max.saturating_sub(used)).unwrap_or(usize::MAX))
}

/// The order in which a crawl visits domains.
pub(super) fn domain_order(crawl: &CrawlBuilder) -> DomainOrder {
    if crawl.options.strict_hops { DomainOrder::Hops } else { crawl.strategy.order() }
}

/// Scores waiting entries and domains by the current model of the strategy.
fn rescore(strategy: &mut dyn Strategy, scores: &mut ScoreBatch, rng: &mut SmallRng) {
    for HeadEntry { entry, .. } in &mut scores.entries {
        let score = match &*entry {
            QueueEntry { revisit: Some(_), priority, .. } => *priority,
            // The next step of a service is almost certain to succeed.
            QueueEntry { step: Some(_), .. } => STEP_SCORE,
            entry => strategy.score(entry, rng),
        };
        entry.priority = score;
    }
    for (pld, score) in &mut scores.domains {
        *score = strategy.sample_domain_score(pld, *score, rng);
    }
}
