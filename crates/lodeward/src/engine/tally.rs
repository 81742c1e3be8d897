//! Counts. Kept with every commit, so that a resumed crawl goes on counting.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::errand::Errand;
use crate::discover::Step;
use crate::frontier::{Census, Life, Round};
use crate::model::media_type::is_hard;
use crate::model::outcome::Document;
use crate::model::{Candidate, DropReason, FaultKind, History, Relevance, Uri, What};
use crate::store::follow::Lag;

/// Services that are remembered by name.
const SERVICES_MAX: usize = 1_000;

/// What a crawl has done, over all its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// GET requests for documents, and for the rest of those that broke off.
    pub requests_get: u64,
    /// HEAD requests.
    pub requests_head: u64,
    /// Requests for robots.txt.
    pub requests_robots: u64,
    /// Bytes of documents, after decompression.
    pub bytes: u64,
    /// Documents had (status 200).
    pub documents: u64,
    /// Of them, those that hold RDF.
    pub relevant: u64,
    /// Documents by how many hops they are from the seeds: those of the seeds
    /// first.
    pub documents_by_hop: Vec<u64>,
    /// Documents by what they hold.
    pub by_relevance: BTreeMap<String, u64>,
    /// Documents by their syntax.
    pub by_syntax: BTreeMap<String, u64>,
    /// Documents whose URI and media type do not tell whether they hold RDF.
    pub hard: u64,
    /// Of them, those that do.
    pub hard_relevant: u64,
    /// Of them, those that hold nothing but metadata that any page may have:
    /// `og-only` and `xhv-only`.
    pub hard_metadata: u64,
    /// Redirects met.
    pub redirects: u64,
    /// URIs given up after a failure.
    pub failed: u64,
    /// Documents that were there once, and are no more.
    pub vanished: u64,
    /// Quads stored.
    pub quads: u64,
    /// Quads by the syntax they were written in.
    pub quads_by_syntax: BTreeMap<String, u64>,
    /// Faults by kind.
    pub faults: BTreeMap<String, u64>,
    /// URIs dropped, by reason.
    pub drops: BTreeMap<String, u64>,
    /// What was had from services, by their address: endpoints, catalogues.
    pub services: BTreeMap<String, ServiceTally>,
    /// What the last round of visits to known documents found.
    pub refresh: RefreshTally,
}

/// What a round of visits to known documents found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RefreshTally {
    /// When it began, in milliseconds since the Unix epoch; 0 if there was none.
    pub began_at_ms: u64,
    /// Requests that were made before it began.
    pub requests_before: u64,
    /// URIs that were queued again.
    pub queued: u64,
    /// URIs that wait again, though they had been dropped, by the reason for that:
    /// their domains were opened again.
    pub reopened: BTreeMap<String, u64>,
    /// Documents that were as before, all in all.
    pub unchanged: u64,
    /// Of them, those whose server said so (304).
    pub not_modified: u64,
    /// Of them, those that came once more, byte by byte the same.
    pub same: u64,
    /// Documents that hold other statements, or are elsewhere.
    pub changed: u64,
    /// Documents that are gone.
    pub vanished: u64,
    /// Documents that are there again.
    pub came_back: u64,
    /// What could be had that never could before.
    pub appeared: u64,
    /// What could not be had for now.
    pub failed: u64,
    /// Services that are as they were harvested before, by their address: their
    /// steps cannot be repeated one by one.
    pub services_skipped: BTreeSet<String>,
}

impl RefreshTally {
    /// Notes services that are left as they are, as many as are remembered.
    pub(super) fn skip(&mut self, services: impl Iterator<Item = String>) {
        for service in services {
            if self.services_skipped.len() < SERVICES_MAX {
                self.services_skipped.insert(service);
            }
        }
    }

    pub(super) fn count(&mut self, what: What) {
        let count = match what {
            What::Appeared => &mut self.appeared,
            What::Unchanged => &mut self.unchanged,
            What::Changed => &mut self.changed,
            What::Vanished => &mut self.vanished,
            What::CameBack => &mut self.came_back,
            What::Failed => &mut self.failed,
        };
        *count += 1;
    }
}

/// What was had from one service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServiceTally {
    /// Answers.
    pub requests: u64,
    /// Statements.
    pub quads: u64,
    /// Steps that failed for good.
    pub failed: u64,
}

/// A crawl at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// What it has done.
    pub tally: Tally,
    /// What its frontier holds.
    pub census: Census,
    /// Time since this run began.
    pub elapsed: Duration,
    /// How far those are behind who get the harvest from the segments.
    #[serde(default)]
    pub followers: Vec<Lag>,
}

/// Where a document is that is counted.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    uri: &'a Uri,
    depth: u16,
    step: Option<&'a Step>,
}

impl<'a> Place<'a> {
    pub(super) fn of(candidate: &'a Candidate) -> Self {
        Self { uri: &candidate.target, depth: candidate.depth, step: candidate.step.as_deref() }
    }

    pub(super) fn of_life(life: &'a Life) -> Self {
        Self { uri: &life.uri, depth: life.depth, step: life.step.as_deref() }
    }
}

impl Tally {
    /// All requests.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests_get + self.requests_head + self.requests_robots
    }

    /// The requests that a limit counts: those since the last round of visits to
    /// known documents began.
    pub(super) fn requests_counted(&self) -> u64 {
        self.requests().saturating_sub(self.refresh.requests_before)
    }

    /// Counts what a round has done so far. A process that was killed may not have
    /// counted all of that, nor even that it has begun.
    pub(super) fn follow_round(&mut self, round: &Round) {
        if self.refresh.began_at_ms != round.began_at_ms {
            let requests_before = self.requests();
            let began_at_ms = round.began_at_ms;
            self.refresh = RefreshTally { began_at_ms, requests_before, ..RefreshTally::default() };
        }
        self.refresh.queued = round.queued;
        for (reason, count) in &round.reopened {
            let known = self.refresh.reopened.insert(reason.name().to_owned(), *count).unwrap_or_default();
            self.take_back_drops(*reason, count.saturating_sub(known));
        }
    }

    pub(super) fn count_request(&mut self, errand: &Errand) {
        match errand {
            Errand::Locate(_) => {}
            Errand::Robots(_) => self.requests_robots += 1,
            Errand::Probe => self.requests_head += 1,
            Errand::Fetch => self.requests_get += 1,
        }
    }

    /// Takes back a request that was never sent.
    pub(super) fn uncount_request(&mut self, errand: &Errand) {
        match errand {
            Errand::Locate(_) => {}
            Errand::Robots(_) => self.requests_robots -= 1,
            Errand::Probe => self.requests_head -= 1,
            Errand::Fetch => self.requests_get -= 1,
        }
    }

    /// How many documents there are of a hop.
    #[must_use]
    pub fn documents_of_hop(&self, depth: u16) -> u64 {
        self.documents_by_hop.get(usize::from(depth)).copied().unwrap_or_default()
    }

    fn document_of_hop(&mut self, depth: u16) {
        let depth = usize::from(depth);
        if self.documents_by_hop.len() <= depth {
            self.documents_by_hop.resize(depth + 1, 0);
        }
        self.documents_by_hop[depth] += 1;
    }

    /// Takes back a document whose harvest was lost: it will be counted anew.
    pub(super) fn take_back(&mut self, place: Place<'_>, document: &Document) {
        if let Some(count) = self.documents_by_hop.get_mut(usize::from(place.depth)) {
            *count = count.saturating_sub(1);
        }
        let less = |count: &mut u64, by: u64| *count = count.saturating_sub(by);
        less(&mut self.documents, 1);
        less(&mut self.bytes, document.bytes);
        less(&mut self.quads, document.quads);
        let is_relevant = u64::from(document.relevance == Relevance::Rdf);
        less(&mut self.relevant, is_relevant);
        if place.step.is_none() && is_hard(place.uri, document.declared.as_deref()) {
            less(&mut self.hard, 1);
            less(&mut self.hard_relevant, is_relevant);
            less(&mut self.hard_metadata, is_metadata(document));
        }
        let less_of = |counts: &mut BTreeMap<String, u64>, name: &str, by: u64| {
            if let Some(count) = counts.get_mut(name) {
                less(count, by);
            }
        };
        less_of(&mut self.by_relevance, document.relevance.name(), 1);
        less_of(&mut self.by_syntax, &document.syntax, 1);
        for (syntax, quads) in &document.quads_by_syntax {
            less_of(&mut self.quads_by_syntax, syntax, *quads);
        }
        for fault in &document.faults {
            self.take_back_fault(fault.kind);
        }
        if let Some(service) = place.step.and_then(|step| self.services.get_mut(step.service())) {
            less(&mut service.requests, 1);
            less(&mut service.quads, document.quads);
        }
    }

    /// Counts a step that was taken.
    pub(super) fn step(&mut self, step: &Step, quads: u64) {
        let service = self.service(step);
        service.requests += 1;
        service.quads += quads;
    }

    /// Counts a step that failed for good.
    pub(super) fn step_failed(&mut self, step: &Step) {
        let service = self.service(step);
        service.requests += 1;
        service.failed += 1;
    }

    /// Takes back a step that brought nothing and is taken again.
    pub(super) fn take_back_step(&mut self, step: &Step, has_failed: bool) {
        if let Some(service) = self.services.get_mut(step.service()) {
            service.requests = service.requests.saturating_sub(1);
            service.failed = service.failed.saturating_sub(u64::from(has_failed));
        }
    }

    /// Makes room: of very many services, the one that was asked least is
    /// forgotten, for the tally is written down with every commit.
    fn forget_a_service(&mut self) {
        if self.services.len() >= SERVICES_MAX {
            let least = self.services.iter().min_by_key(|(_, had)| had.requests).map(|(service, _)| service.clone());
            self.services.remove(&least.unwrap_or_default());
        }
    }

    fn service(&mut self, step: &Step) -> &mut ServiceTally {
        if !self.services.contains_key(step.service()) {
            self.forget_a_service();
            self.services.insert(step.service().to_owned(), ServiceTally::default());
        }
        self.services.get_mut(step.service()).expect("it was just put there")
    }

    pub(super) fn fault(&mut self, kind: FaultKind) {
        add(&mut self.faults, kind.name(), 1);
    }

    /// Takes back a fault of a visit that was repeated.
    pub(super) fn take_back_fault(&mut self, kind: FaultKind) {
        if let Some(known) = self.faults.get_mut(kind.name()) {
            *known = known.saturating_sub(1);
        }
    }

    /// Takes back the fault for which somebody could not be had the last time. (The
    /// outcome of whoever never was had is that same fault.)
    pub(super) fn take_back_failing(&mut self, history: &History) {
        if let Some(failing) = &history.failing {
            self.take_back_fault(failing.fault.kind);
        }
    }

    /// Takes back drops of those who wait again.
    pub(super) fn take_back_drops(&mut self, reason: DropReason, count: u64) {
        if let Some(known) = self.drops.get_mut(reason.name()) {
            *known = known.saturating_sub(count);
        }
    }

    pub(super) fn drop(&mut self, reason: DropReason, count: u64) {
        if count > 0 {
            add(&mut self.drops, reason.name(), count);
        }
    }

    /// Counts a document. A step of a service is nobody's guess, and so not hard.
    pub(super) fn document(&mut self, place: Place<'_>, document: &Document) {
        self.document_of_hop(place.depth);
        self.documents += 1;
        self.bytes += document.bytes;
        self.quads += document.quads;
        let is_relevant = u64::from(document.relevance == Relevance::Rdf);
        self.relevant += is_relevant;
        if place.step.is_none() && is_hard(place.uri, document.declared.as_deref()) {
            self.hard += 1;
            self.hard_relevant += is_relevant;
            self.hard_metadata += is_metadata(document);
        }
        add(&mut self.by_relevance, document.relevance.name(), 1);
        add(&mut self.by_syntax, &document.syntax, 1);
        for (syntax, quads) in &document.quads_by_syntax {
            add(&mut self.quads_by_syntax, syntax, *quads);
        }
        for fault in &document.faults {
            self.fault(fault.kind);
        }
    }
}

fn is_metadata(document: &Document) -> u64 {
    u64::from(matches!(document.relevance, Relevance::OgOnly | Relevance::XhvOnly))
}

fn add(counts: &mut BTreeMap<String, u64>, name: &str, count: u64) {
    match counts.get_mut(name) {
        Some(known) => *known += count,
        None => {
            counts.insert(name.to_owned(), count);
        }
    }
}
