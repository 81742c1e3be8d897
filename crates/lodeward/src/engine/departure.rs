//! Sending visits on their way.
//!
//! A leased visit passes, in this order: the strategy, robots.txt, the gate of
//! its address. Whatever stops it on the way gives the slot back or uses it for
//! what is missing (fetching robots.txt, finding the address), and the visit
//! waits its turn again; so every request, also these, is spaced out alike.

use std::net::IpAddr;

use rand::rngs::SmallRng;

use super::CrawlError;
use super::address_book::Whereabouts;
use super::arrival::with_margin;
use super::conductor::Conductor;
use super::errand::{Errand, Sent, Tools};
use super::rests::Why;
use super::robots_cache::Permission;
use crate::frontier::politeness::{Entry, Server};
use crate::frontier::{AGAIN_PRIORITY, Fate, Guide};
use crate::model::{Candidate, DropReason, Moment, Pld, Visit};
use crate::select::{Decision, Judgement, Strategy};

/// Visits leased before commands, arrivals and commits have their turn: a host
/// that forbids everything gives every slot back at once.
const LEASES_IN_A_ROW_MAX: usize = 256;

/// How urgent a step is where urgency is a probability.
const STEP_SCORE: f32 = 1.0;

impl Conductor {
    /// Leases and sends as many visits as may be under way. Returns when the
    /// next domain will have rested.
    pub(super) async fn depart(&mut self) -> Result<Option<Moment>, CrawlError> {
        let mut leases = 0;
        while leases < LEASES_IN_A_ROW_MAX {
            self.look_at_hop().await?;
            self.count_resumptions();
            let free = self.free();
            if free == 0 {
                return Ok(None);
            }
            let now = self.now();
            let held_until = self.last_departure + self.crawl.settings.hold_time;
            let holds = now < held_until;
            let others_max = self.free_for_new();
            let mut guide = Guided { strategy: &mut *self.crawl.strategy, rng: &mut self.rng, holds, others_max };
            let leased = self.crawl.frontier.lease(now, free, &mut guide).await?;
            if leased.visits.is_empty() {
                let held_until = leased.held.then_some(held_until);
                return Ok([leased.not_before, held_until].into_iter().flatten().min());
            }
            leases += leased.visits.len();
            for visit in leased.visits {
                self.send(visit).await?;
            }
        }
        Ok(Some(self.now()))
    }

    /// How many more errands may depart: a limit is never overshot, but for what
    /// bodies cost that break off while the last ones are under way.
    fn free(&self) -> usize {
        let settings = &self.crawl.settings;
        let under_way = self.under_way();
        let requests = left(settings.requests_max, self.tally.requests_counted());
        // Those who are visited again are counted already.
        let documents = if self.refreshing { usize::MAX } else { self.free_for_new() };
        settings.visits_max.saturating_sub(under_way).min(requests).min(documents).min(self.free_in_hop())
    }

    /// How many documents may still be had that never were.
    fn free_for_new(&self) -> usize {
        let settings = &self.crawl.settings;
        let documents = left(settings.documents_max, self.tally.documents);
        let relevant = left(settings.relevant_max, self.tally.relevant);
        documents.min(relevant).saturating_sub(self.under_way())
    }

    async fn send(&mut self, mut visit: Visit) -> Result<(), CrawlError> {
        let decision = match self.reason_against(&visit) {
            Some(reason) => return self.drop_visit(visit, reason).await,
            // What a service has next is no guess, nor what was there before.
            None if visit.candidate.step.is_some() || visit.candidate.again.is_some() => Decision::Fetch,
            None => {
                let Judgement { decision, verdict } = self.crawl.strategy.judge(&visit, &mut self.rng);
                visit.verdict = verdict.or(visit.verdict);
                decision
            }
        };
        let (errand, weight) = match decision {
            Decision::Fetch => (Errand::Fetch, 1.0),
            Decision::Explore { weight } => (Errand::Fetch, weight),
            Decision::Probe => {
                debug_assert!(visit.probe.is_none(), "a visit is probed at most once");
                (Errand::Probe, 1.0)
            }
            Decision::Skip => return self.drop_visit(visit, DropReason::Selector).await,
        };
        let now = self.now();
        let errand = match self.robots.ask(&visit.candidate.target, now) {
            Permission::Granted => errand,
            Permission::Denied => return self.drop_visit(visit, DropReason::Robots).await,
            Permission::Unreachable => return self.drop_visit(visit, DropReason::RobotsUnreachable).await,
            Permission::NotBefore(moment) => return self.postpone(visit, moment, Why::Robots).await,
            Permission::Unknown(uri) => Errand::Robots(uri),
        };
        self.pass_gate(visit, errand, weight).await
    }

    /// Why a visit is not made, although its turn has come.
    fn reason_against(&self, visit: &Visit) -> Option<DropReason> {
        let candidate = &visit.candidate;
        // It may have been queued under another policy.
        if !self.crawl.scope.domains.allows(&candidate.target) {
            return Some(DropReason::Policy);
        }
        if self.servers.is_given_up(&candidate.target) {
            return Some(DropReason::Unreachable);
        }
        let Some(step) = &candidate.step else { return self.beyond_hop(visit) };
        // Whoever is visited again has had its share before.
        if candidate.again.is_some() {
            return None;
        }
        let policy = &self.crawl.discover;
        let used = self.tally.services.get(step.service())?;
        (used.quads >= policy.quads_max || used.requests >= policy.requests_max).then_some(DropReason::Quota)
    }

    /// Passes the gate of the address, then that of the domain: other crawls may be
    /// inside.
    async fn pass_gate(&mut self, visit: Visit, errand: Errand, weight: f32) -> Result<(), CrawlError> {
        // Without a delay there is no rule for addresses, and none is needed.
        if self.crawl.settings.delay.is_zero() {
            return self.enter_domain(visit, errand, weight, None).await;
        }
        // A robots.txt may be on another host of the domain.
        let asked = match &errand {
            Errand::Robots(location) => location.clone(),
            _ => visit.candidate.target.clone(),
        };
        let address = match self.addresses.find(asked.host()) {
            Whereabouts::Unknown => {
                self.spawn(visit, Errand::Locate(asked), weight, None);
                return Ok(());
            }
            Whereabouts::Hidden => None,
            Whereabouts::At(address) => Some(address),
        };
        let delay = with_margin(self.crawl.settings.delay);
        match address.map(|address| self.gates.enter(&Server::Address(address), delay, self.now())) {
            Some(Entry::Wait(moment)) => self.postpone(visit, moment, Why::Shared).await,
            Some(Entry::Go) | None => self.enter_domain(visit, errand, weight, address).await,
        }
    }

    async fn enter_domain(
        &mut self,
        visit: Visit,
        errand: Errand,
        weight: f32,
        address: Option<IpAddr>,
    ) -> Result<(), CrawlError> {
        let uri = &visit.candidate.target;
        let domain = Server::Domain(uri.pld());
        match self.gates.enter(&domain, self.delay(uri), self.now()) {
            Entry::Go => {
                self.spawn(visit, errand, weight, address);
                Ok(())
            }
            Entry::Wait(moment) => {
                if let Some(address) = address {
                    self.gates.leave(&Server::Address(address), None, Moment::ZERO);
                }
                self.postpone(visit, moment, Why::Shared).await
            }
        }
    }

    fn spawn(&mut self, visit: Visit, errand: Errand, weight: f32, address: Option<IpAddr>) {
        self.tally.count_request(&errand);
        let tools = Tools {
            fetcher: self.crawl.fetcher.clone(),
            extractor: self.crawl.extractor.clone(),
            store: self.crawl.store.clone(),
            product_token: self.crawl.settings.product_token.clone(),
            delay: self.delay(&visit.candidate.target),
            attention: self.attention(),
            facts: self.crawl.strategy.wants(),
        };
        self.last_departure = self.now();
        let departure = self.departures;
        self.departures += 1;
        let sent = Sent { departure, departed_at_ms: self.epoch_ms(), visit, weight, address, errand };
        self.errands.spawn(sent.run(tools));
    }

    async fn drop_visit(&mut self, mut visit: Visit, reason: DropReason) -> Result<(), CrawlError> {
        let outcome = self.passed_over(&mut visit, reason);
        self.settle(visit, Fate::Done(outcome), Moment::ZERO).await
    }

    async fn postpone(&mut self, visit: Visit, moment: Moment, why: Why) -> Result<(), CrawlError> {
        let uri = visit.candidate.target.clone();
        self.settle(visit, Fate::Again(None), moment).await?;
        self.note_rest(&uri, moment, why);
        Ok(())
    }
}

/// What is left of a limit.
fn left(max: Option<u64>, used: u64) -> usize {
    max.map_or(usize::MAX, |max| usize::try_from(max.saturating_sub(used)).unwrap_or(usize::MAX))
}

/// A strategy, as the guide of a frontier.
struct Guided<'a> {
    strategy: &'a mut dyn Strategy,
    rng: &'a mut SmallRng,
    /// Whether those who are worth little still have to wait.
    holds: bool,
    /// How many new documents there is room for.
    others_max: usize,
}

impl Guide for Guided<'_> {
    fn score(&mut self, candidate: &Candidate) -> f32 {
        match candidate {
            Candidate { again: Some(_), priority, .. } => *priority,
            // The next step of a service is as good as certain.
            Candidate { step: Some(_), .. } => STEP_SCORE,
            _ => self.strategy.score(candidate, self.rng),
        }
    }

    fn has_new_order(&mut self) -> bool {
        self.strategy.has_new_order()
    }

    fn draw(&mut self, pld: &Pld, best: f32) -> f32 {
        self.strategy.draw(pld, best, self.rng)
    }

    fn floor(&self, best: f32) -> f32 {
        // What was there before is worth a visit, but not worth waiting for.
        if self.holds && best < AGAIN_PRIORITY { self.strategy.floor(best) } else { f32::NEG_INFINITY }
    }

    fn others_max(&self) -> usize {
        self.others_max
    }
}
