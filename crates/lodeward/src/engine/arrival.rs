//! Taking in what errands bring back.

use std::collections::HashSet;
use std::time::Duration;

use super::CrawlError;
use super::again::{cut_shorter, document_is};
use super::conductor::Conductor;
use super::errand::{Brought, Errand, Reading, Return, Sent};
use super::rests::{Rest, Why};
use super::services::{is_step, step_offer};
use super::tally::Place;
use crate::fetch::Refusal;
use crate::fetch::robots::{Robots, RobotsAnswer};
use crate::frontier::politeness::Server;
use crate::frontier::{Fate, Offer, Settlement};
use crate::model::link::StepLink;
use crate::model::outcome::Document;
use crate::model::{
    DropReason, Fault, FaultKind, Features, How, Link, Moment, Outcome, Probe, Relevance, Uri, Via, Visit, What,
};
use crate::select::{End, Found, Lesson, breadth_first};

/// How long a host whose robots.txt cannot be had is first left alone.
const ROBOTS_WAIT: Duration = Duration::from_secs(10);

/// A delay as a server measures it: what it takes for the end of its answer may
/// be a little later than when that reached us, because it is busy with others.
pub(crate) fn with_margin(delay: Duration) -> Duration {
    const MARGIN: Duration = Duration::from_millis(10);
    if delay.is_zero() { delay } else { delay + MARGIN + delay / 100 }
}

/// How a visit went on its way.
struct Way {
    weight: f32,
    departed_at_ms: u64,
}

impl Conductor {
    pub(super) async fn arrive(&mut self, back: Return) -> Result<(), CrawlError> {
        self.tell_observers(&back);
        let Return { sent: Sent { visit, weight, address, errand, departed_at_ms, .. }, result, .. } = back;
        let now = self.now();
        let sent = match &result {
            Ok(Brought::Address(_)) => false,
            Ok(Brought::Robots(RobotsAnswer::Unreachable(refusal))) | Err(refusal) => refusal.sent,
            Ok(_) => true,
        };
        if let Some(address) = address {
            let rest_until = now + with_margin(self.crawl.settings.delay);
            self.gates.leave(&Server::Address(address), sent.then_some(now), rest_until);
        }
        if !sent {
            self.tally.uncount_request(&errand);
        }
        let rest_until = if sent { now + self.delay(&visit.candidate.target) } else { Moment::ZERO };
        match result {
            Ok(Brought::Address(address)) => {
                if let Errand::Locate(asked) = &errand {
                    self.addresses.note(asked.host(), address);
                }
                self.settle(visit, Fate::Again(None), rest_until).await
            }
            Ok(Brought::Robots(answer)) => self.arrive_robots(visit, answer, now, sent).await,
            // Where to look instead needs no second request.
            Ok(Brought::Probe(Probe { status, location: Some(target), .. })) => {
                self.arrive_redirect(visit, weight, status, Ok(target), rest_until).await
            }
            Ok(Brought::Probe(probe)) => self.settle(visit, Fate::Again(Some(probe)), rest_until).await,
            Ok(Brought::Redirect { status, target }) => {
                self.arrive_redirect(visit, weight, status, target, rest_until).await
            }
            Ok(Brought::Unchanged) => self.arrive_unchanged(visit, None, rest_until).await,
            Ok(Brought::Same(validators)) => self.arrive_unchanged(visit, Some(validators), rest_until).await,
            Ok(Brought::Document(reading)) => {
                let way = Way { weight, departed_at_ms };
                self.arrive_document(visit, way, *reading, rest_until).await
            }
            Err(refusal) => self.arrive_refusal(visit, weight, refusal, now, rest_until).await,
        }
    }

    /// How long a domain rests after a request: the slowest of what we grant by
    /// ourselves, what this host asks for, and what others of its domain do.
    pub(super) fn delay(&self, uri: &Uri) -> Duration {
        // A recording needs no rest, and the same crawl must come out of it
        // however fast it is read.
        if self.crawl.settings.in_order {
            return Duration::ZERO;
        }
        with_margin(self.servers.delay(&uri.pld()).max(self.robots.crawl_delay(uri).unwrap_or_default()))
    }

    async fn arrive_robots(
        &mut self,
        mut visit: Visit,
        answer: RobotsAnswer,
        now: Moment,
        sent: bool,
    ) -> Result<(), CrawlError> {
        let uri = visit.candidate.target.clone();
        match answer {
            RobotsAnswer::Rules(robots) => self.learn_robots(&uri, robots, now).await?,
            RobotsAnswer::Elsewhere(target) => {
                self.robots.redirect(&uri, target, now);
            }
            RobotsAnswer::Unreachable(refusal) => {
                self.addresses.forget(uri.host());
                if self.fail_robots(&uri, &refusal, now) {
                    let rest_until = if sent { now + self.delay(&uri) } else { Moment::ZERO };
                    // Whatever the robots.txt is said to be, the document is not gone.
                    let refusal = Refusal { status: None, ..refusal };
                    let outcome = self.lost(&mut visit, &refusal).await?;
                    return self.settle(visit, Fate::Done(outcome), rest_until).await;
                }
            }
        }
        // What was just learned about the delay holds from this answer on.
        let rest_until = if sent { now + self.delay(&uri) } else { Moment::ZERO };
        self.settle(visit, Fate::Again(None), rest_until).await
    }

    async fn learn_robots(&mut self, uri: &Uri, robots: Robots, now: Moment) -> Result<(), CrawlError> {
        if let Some(asked) = robots.crawl_delay() {
            self.servers.slow_down(&uri.pld(), asked);
            self.crawl.frontier.slow_down(&uri.pld(), with_margin(asked)).await?;
        }
        self.offer_sitemaps(uri, &robots).await?;
        self.robots.learn(uri, robots, now);
        Ok(())
    }

    /// Notes that a robots.txt could not be had. Returns whether that is final:
    /// then the visit has failed, and others to its host will be dropped.
    fn fail_robots(&mut self, uri: &Uri, refusal: &Refusal, now: Moment) -> bool {
        let asked = Duration::from_secs(refusal.retry_after_s.unwrap_or(0));
        let wait_max = self.crawl.settings.retry_after_max;
        let is_final = self.crawl.settings.in_order
            || asked > wait_max
            || matches!(refusal.fault.kind, FaultKind::Forbidden | FaultKind::Tls);
        let wait = self.jitter(asked.max(ROBOTS_WAIT.min(wait_max)));
        let was_last = self.robots.fail(uri, now, wait, is_final);
        if was_last {
            tracing::warn!(host = uri.host(), fault = %refusal.fault, "robots.txt cannot be had: the host is closed");
            self.tally.fault(if is_final { refusal.fault.kind } else { FaultKind::RobotsUnreachable });
        }
        was_last
    }

    async fn arrive_redirect(
        &mut self,
        mut visit: Visit,
        weight: f32,
        status: u16,
        target: Result<Uri, Fault>,
        rest_until: Moment,
    ) -> Result<(), CrawlError> {
        self.servers.answered(&visit.candidate.target);
        self.recent_redirects.note(&visit);
        let outcome = match target {
            Ok(target) => {
                let via = match visit.candidate.step.as_ref().and_then(|step| step.redirected(&target)) {
                    Some(step) => Via::Step(Box::new(StepLink { step, how: How::Redirect(status) })),
                    None => Via::Redirect(status),
                };
                let link = Link { target: target.clone(), via };
                let source = visit.candidate.target.clone();
                let redirects = visit.candidate.redirects.saturating_add(1);
                let depth = visit.candidate.depth;
                let relevance = Relevance::None;
                let found =
                    Found { source: Some(&source), visit: Some(&visit), syntax: "", relevance, depth, redirects };
                let is_new = self.offer(&found, vec![link]).await? > 0;
                match visit.candidate.again.clone() {
                    Some(again) => self.redirected_again(&mut visit, &again, status, &target).await?,
                    None => {
                        let end = End::Redirect { target: &target, is_new };
                        self.crawl.strategy.learn(&Lesson { visit: &visit, weight, end });
                    }
                }
                self.tally.redirects += 1;
                if let Some(step) = &visit.candidate.step {
                    self.tally.step(step, 0);
                }
                Outcome::Redirected { status, target: Some(target) }
            }
            Err(fault) if visit.candidate.again.is_some() => {
                self.tally.fault(fault.kind);
                let refusal = Refusal { fault, status: Some(status), retry_after_s: None, sent: true };
                self.lost(&mut visit, &refusal).await?
            }
            Err(fault) => {
                self.tally.redirects += 1;
                self.tally.fault(fault.kind);
                self.crawl.strategy.learn(&Lesson { visit: &visit, weight, end: End::Failure });
                Outcome::Failed(fault)
            }
        };
        self.settle(visit, Fate::Done(outcome), rest_until).await
    }

    async fn arrive_document(
        &mut self,
        mut visit: Visit,
        way: Way,
        reading: Reading,
        rest_until: Moment,
    ) -> Result<(), CrawlError> {
        if let Some(fault) = visit.candidate.again.as_ref().and_then(|again| cut_shorter(again, &reading)) {
            return self.arrive_in_part(visit, fault.clone(), rest_until).await;
        }
        let Reading { status, content_type, etag, last_modified, extracted, links, faults, mut draft, facts } = reading;
        let uri = visit.candidate.target.clone();
        let relevance = extracted.relevance;
        self.servers.answered(&uri);
        let step = visit.candidate.step.as_deref();
        let is_first = visit.candidate.again.is_none();
        match step {
            Some(step) => self.tally.step(step, draft.quads),
            None if is_first => self.traps.observe(&uri, relevance == Relevance::Rdf),
            None => {}
        }
        let is_step = step.is_some();
        let document = Document {
            fetched_at_ms: self.epoch_ms(),
            declared: content_type,
            syntax: extracted.syntax.to_owned(),
            bytes: extracted.bytes,
            quads: draft.quads,
            quads_by_syntax: extracted
                .quads_by_syntax
                .iter()
                .map(|(name, quads)| ((*name).to_owned(), *quads))
                .collect(),
            links: u32::try_from(links.len()).unwrap_or(u32::MAX),
            relevance,
            digest: extracted.digest,
            statements: draft.digest,
            etag,
            last_modified,
            faults,
        };
        self.take_back_last(&visit);
        self.tally.document(Place::of(&visit.candidate), &document);
        let what = visit.candidate.again.as_ref().map(|again| document_is(again, &document, is_step));
        self.documents_since_commit += 1;
        let end = End::Document { relevance, media_type: document.declared.as_deref(), digest: document.digest };
        if !is_step && is_first {
            self.crawl.strategy.learn(&Lesson { visit: &visit, weight: way.weight, end });
        }
        if let Some(facts) = &facts {
            self.crawl.strategy.read(&visit, facts);
        }
        let depth = visit.candidate.depth.saturating_add(1);
        let syntax = extracted.syntax;
        let found = Found { source: Some(&uri), visit: Some(&visit), syntax, relevance, depth, redirects: 0 };
        self.offer(&found, links).await?;
        if relevance == Relevance::Rdf && !is_step {
            self.look_around(&visit).await?;
        }
        if draft.quads > 0 {
            draft.provenance = self.provenance(&visit, &document, status, way.departed_at_ms).await?;
        }
        // What is as it was need not be written again.
        if what != Some(What::Unchanged) {
            self.crawl.store.put(draft).await?;
        }
        if let Some(what) = what {
            self.note_visit(&mut visit, what);
        }
        // Settled last: a crash before the next commit repeats the visit, and
        // `Store::put` replaces, so that nothing is lost or doubled.
        self.settle(visit, Fate::Done(Outcome::Document(document)), rest_until).await
    }

    pub(super) async fn settle(&mut self, mut visit: Visit, fate: Fate, rest_until: Moment) -> Result<(), CrawlError> {
        self.uncommitted = true;
        if let Fate::Done(outcome) = &fate {
            self.hops.count(&visit, outcome);
            self.remember_first_visit(&mut visit, outcome);
        }
        let uri = &visit.candidate.target;
        let rested_from = (rest_until > Moment::ZERO).then(|| rest_until.saturating_sub(self.delay(uri)));
        self.gates.leave(&Server::Domain(uri.pld()), rested_from, rest_until);
        self.note_rests(uri, &fate, rest_until);
        let dropped = self.crawl.frontier.settle(visit, Settlement { fate, rest_until }).await?;
        self.tally.drop(DropReason::PldLimit, dropped);
        Ok(())
    }

    /// Notes why a domain rests after a visit, and a URI whose visit is tried again.
    fn note_rests(&self, uri: &Uri, fate: &Fate, rest_until: Moment) {
        let is_asked_for = self.delay(uri) > with_margin(self.crawl.settings.delay);
        self.note_rest(uri, rest_until, if is_asked_for { Why::CrawlDelay } else { Why::Delay });
        if let Fate::Retry(due) = fate {
            let rest = Rest { until_ms: self.epoch_ms_of(*due), why: Why::Failed };
            self.crawl.rests.note_document(uri, rest, self.epoch_ms());
        }
    }

    /// Notes why a domain rests until this moment.
    pub(super) fn note_rest(&self, uri: &Uri, rest_until: Moment, why: Why) {
        let rest = Rest { until_ms: self.epoch_ms_of(rest_until), why };
        self.crawl.rests.note_domain(uri, rest, self.epoch_ms());
    }

    /// Gives what is new its place and offers it, together with what is out of
    /// scope. Returns how many were queued.
    pub(super) async fn offer(&mut self, found: &Found<'_>, mut links: Vec<Link>) -> Result<u64, CrawlError> {
        links.retain(|link| {
            let is_allowed = link.via.step().is_none_or(|step| self.crawl.discover.allows(step));
            is_allowed && self.crawl.scope.is_of_interest(link)
        });
        let promised = self.promised(&links);
        let mut links = self.crawl.frontier.sift(links).await?;
        if !promised.is_empty() {
            let new: HashSet<&Uri> = links.iter().map(|link| &link.target).collect();
            let known = promised.into_iter().filter(|(target, _)| !new.contains(target));
            let nexts = known.flat_map(|(_, nexts)| nexts).collect();
            links.extend(self.crawl.frontier.sift(nexts).await?);
        }
        if links.is_empty() {
            return Ok(0);
        }
        let mut offers = Vec::with_capacity(links.len());
        let mut worthwhile = Vec::with_capacity(links.len());
        for link in links {
            if let Some(reason) = self.reason_to_drop(found, &link) {
                let priority = breadth_first::by_depth(found);
                let candidate = breadth_first::candidate(found, link, priority, Features::default());
                offers.push(Offer::Drop(candidate, reason));
                continue;
            }
            match self.first_step(link) {
                Link { target, via: via @ Via::Step(_) } => offers.push(step_offer(found, Link { target, via })),
                link => worthwhile.push(link),
            }
        }
        offers.extend(self.crawl.strategy.place(found, worthwhile, &mut self.rng));
        let offered = self.crawl.frontier.offer(offers).await?;
        for (reason, count) in offered.dropped {
            self.tally.drop(reason, count);
        }
        self.uncommitted = true;
        Ok(offered.queued)
    }

    fn reason_to_drop(&self, found: &Found<'_>, link: &Link) -> Option<DropReason> {
        if found.redirects > self.crawl.settings.redirects_max {
            return Some(DropReason::Redirects);
        }
        // Bounds are for documents: whoever reads a service may read all of it,
        // but not what it points to elsewhere.
        let is_at_home = found.source.is_some_and(|source| source.origin() == link.target.origin());
        if is_at_home && link.via.step().is_some() && is_step(found) {
            return None;
        }
        let trapped = found.source.is_some_and(|source| self.traps.holds(source, &link.target));
        self.crawl.scope.reason_to_drop(link, found).or(trapped.then_some(DropReason::Trap))
    }
}
