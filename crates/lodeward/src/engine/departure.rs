//! Starts the requests of leased URIs.
//!
//! A lease passes, in this order: the strategy, robots.txt, the gate of its IP address, the gate of
//! its domain. If one of them stops the lease, the slot is returned or used for what is missing
//! (fetching robots.txt, resolving the host), and the URI waits for its turn again. So these
//! requests obey the delay, too.

use std::net::IpAddr;

use rand::rngs::SmallRng;

use super::CrawlError;
use super::conductor::Conductor;
use super::errand::{Errand, ErrandTools, RunningErrand};
use super::hosts::{Admission, RobotsPermission, WaitReason};
use crate::frontier::{Guide, Lease, QueueEntry, REVISIT_PRIORITY};
use crate::model::{CrawlTime, DropReason, Pld};
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
            let mut guide =
                StrategyGuide { strategy: &mut *self.crawl.strategy, rng: &mut self.rng, is_holding, max_first_visits };
            let leased = self.crawl.frontier.lease(now, free, &mut guide).await?;
            if leased.leases.is_empty() {
                let held_until = leased.held_back.then_some(held_until);
                return Ok([leased.not_before, held_until].into_iter().flatten().min());
            }
            leases += leased.leases.len();
            for lease in leased.leases {
                self.send(lease).await?;
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

    async fn send(&mut self, mut lease: Lease) -> Result<(), CrawlError> {
        let decision = match self.lease_drop_reason(&lease) {
            Some(reason) => return self.drop_lease(lease, reason).await,
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
            Decision::Skip => return self.drop_lease(lease, DropReason::Strategy).await,
        };
        let now = self.now();
        let errand = match self.hosts.permission(&lease.entry.target, now) {
            RobotsPermission::Granted => errand,
            RobotsPermission::Denied => return self.drop_lease(lease, DropReason::Robots).await,
            RobotsPermission::Unreachable => return self.drop_lease(lease, DropReason::RobotsUnreachable).await,
            RobotsPermission::NotBefore(time) => return self.postpone(lease, time, WaitReason::Robots).await,
            RobotsPermission::Unknown(uri) => Errand::Robots(uri),
        };
        self.pass_gate(lease, errand, weight).await
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
    async fn pass_gate(&mut self, lease: Lease, errand: Errand, weight: f32) -> Result<(), CrawlError> {
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
            Admission::NotBefore(time) => return self.postpone(lease, time, WaitReason::Shared).await,
        }
        Ok(())
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

/// Adapts a strategy to the guide of a frontier.
struct StrategyGuide<'a> {
    strategy: &'a mut dyn Strategy,
    rng: &'a mut SmallRng,
    /// Whether low-priority entries are held back.
    is_holding: bool,
    /// The number of new documents that may be leased.
    max_first_visits: usize,
}

impl Guide for StrategyGuide<'_> {
    fn score(&mut self, entry: &QueueEntry) -> f32 {
        match entry {
            QueueEntry { revisit: Some(_), priority, .. } => *priority,
            // The next step of a service is almost certain to succeed.
            QueueEntry { step: Some(_), .. } => STEP_SCORE,
            _ => self.strategy.score(entry, self.rng),
        }
    }

    fn scores_changed(&mut self) -> bool {
        self.strategy.scores_changed()
    }

    fn sample_domain_score(&mut self, pld: &Pld, best: f32) -> f32 {
        self.strategy.sample_domain_score(pld, best, self.rng)
    }

    fn deferral_threshold(&self, best: f32) -> f32 {
        // A delayed revisit does not hold back other entries.
        if self.is_holding && best < REVISIT_PRIORITY {
            self.strategy.deferral_threshold(best)
        } else {
            f32::NEG_INFINITY
        }
    }

    fn max_first_visits(&self) -> usize {
        self.max_first_visits
    }
}
