//! Visiting again what was visited before.
//!
//! A round of visits begins before anything else: all who were settled are looked
//! at once, page by page, and whoever is due is queued again, in front of those
//! who never were visited. A visit that finds its document unchanged costs a
//! request and nothing else. What is gone leaves the harvest and is told; what
//! cannot be had for now, or only in part, stays, and is told to be stale.

use super::CrawlError;
use super::conductor::Conductor;
use super::errand::Reading;
use super::tally::Place;
use crate::fetch::{Refusal, Validators};
use crate::frontier::{AGAIN_PRIORITY, Fate, Life, Round, Which};
use crate::model::outcome::Document;
use crate::model::{Again, Candidate, DropReason, Fault, FaultKind, History, Moment, Outcome, Uri, Visit, What};

/// How many of the settled are looked at at a time.
const PAGE: usize = 1_024;

/// How many steps there are in the urgency of those who are visited again. A few,
/// because with strict hops each is waited for.
const LEVELS: f64 = 4.0;

impl Conductor {
    /// Begins the round that was asked for, or goes on with one that was cut
    /// short: queues again whoever is to be visited.
    pub(super) async fn begin_refresh(&mut self) -> Result<(), CrawlError> {
        let Some(round) = self.round().await? else { return Ok(()) };
        self.refreshing = true;
        let mut next = round.next;
        while next < round.end {
            self.hear();
            if self.stopping.is_some() {
                // The rest is queued by the next run.
                self.refreshing = false;
                break;
            }
            let mut lives = self.crawl.frontier.settled(next, PAGE).await?;
            lives.retain(|(age, _)| *age < round.end);
            next = lives.last().map_or(round.end, |(age, _)| age + 1);
            self.tally.refresh.skip(lives.iter().filter_map(|(_, life)| service_skipped(life)));
            let chosen: Vec<(u64, Candidate)> =
                lives.into_iter().filter_map(|(age, life)| Some((age, self.choose(life, &round)?))).collect();
            if let Some(round) = self.crawl.frontier.requeue(chosen, next).await? {
                self.tally.follow_round(&round);
            }
        }
        self.commit().await
    }

    /// The round that is under way; a new one, if one was asked for and none is.
    async fn round(&mut self) -> Result<Option<Round>, CrawlError> {
        let round = match (self.crawl.frontier.round().await?, self.crawl.settings.refresh) {
            (Some(under_way), _) => under_way,
            (None, Some(which)) => self.crawl.frontier.begin_round(which, self.epoch_ms()).await?,
            (None, None) => return Ok(None),
        };
        self.tally.follow_round(&round);
        self.commit().await?;
        Ok(Some(round))
    }

    /// Whoever is to be visited again, as a candidate.
    fn choose(&self, life: Life, round: &Round) -> Option<Candidate> {
        let intervals = &self.crawl.settings.intervals;
        let outcome = life.outcome.as_ref()?;
        if service_skipped(&life).is_some() {
            return None;
        }
        let due_at_ms = intervals.due_at_ms(outcome, life.history.as_deref())?;
        if round.which == Which::Due && due_at_ms > round.began_at_ms {
            return None;
        }
        let chance = intervals.chance_of_change(outcome, life.history.as_deref(), round.began_at_ms);
        Some(life.again(AGAIN_PRIORITY + level(chance)))
    }

    /// Ends the round when everybody has been visited. Tells whether it has: then
    /// those may depart who had to wait for that.
    pub(super) async fn end_refresh_if_done(&mut self) -> Result<bool, CrawlError> {
        let is_done = self.refreshing && self.crawl.frontier.census().await?.again == 0;
        if is_done {
            self.refreshing = false;
            self.commit().await?;
            self.crawl.frontier.end_round().await?;
        }
        Ok(is_done)
    }

    /// Settles a visit that found its document as it was.
    pub(super) async fn arrive_unchanged(
        &mut self,
        mut visit: Visit,
        told: Option<Validators>,
        rest_until: Moment,
    ) -> Result<(), CrawlError> {
        self.servers.answered(&visit.candidate.target);
        let Some(mut document) = visit.candidate.again.as_ref().and_then(|again| again.document()).cloned() else {
            // Whoever says so was not asked.
            let fault = Fault::new(FaultKind::Protocol, "not modified, though it was never had");
            let refusal = Refusal { fault, status: Some(304), retry_after_s: None, sent: true };
            let now = self.now();
            return self.arrive_refusal(visit, 1.0, refusal, now, rest_until).await;
        };
        match told {
            None => self.tally.refresh.not_modified += 1,
            Some(Validators { etag, last_modified }) => {
                self.tally.refresh.same += 1;
                (document.etag, document.last_modified) = (etag, last_modified);
            }
        }
        self.note_visit(&mut visit, What::Unchanged);
        self.settle(visit, Fate::Done(Outcome::Document(document)), rest_until).await
    }

    /// Counts what a visit found that was not the first one.
    pub(super) fn note_visit(&mut self, visit: &mut Visit, what: What) {
        let now_ms = self.epoch_ms();
        if let Some(again) = &mut visit.candidate.again {
            self.tally.refresh.count(what);
            self.tally.take_back_failing(&again.history);
            again.history.note(now_ms, what);
        }
    }

    /// Takes back what was counted of a visit before this one.
    pub(super) fn take_back_last(&mut self, visit: &Visit) {
        let Some(again) = &visit.candidate.again else { return };
        match &again.last {
            Outcome::Document(document) => self.tally.take_back(Place::of(&visit.candidate), document),
            Outcome::Redirected { .. } => {
                self.tally.redirects = self.tally.redirects.saturating_sub(1);
                if let Some(step) = &visit.candidate.step {
                    self.tally.take_back_step(step, false);
                }
            }
            Outcome::Failed(_) => {
                self.tally.failed = self.tally.failed.saturating_sub(1);
                if let Some(step) = &visit.candidate.step {
                    self.tally.take_back_step(step, true);
                }
            }
            Outcome::Vanished { fault, .. } => {
                self.tally.vanished = self.tally.vanished.saturating_sub(1);
                self.tally.take_back_fault(fault.kind);
            }
            Outcome::Dropped(reason) => self.tally.take_back_drops(*reason, 1),
        }
    }

    /// What becomes of somebody who was visited again and could not be had.
    pub(super) async fn lost(&mut self, visit: &mut Visit, refusal: &Refusal) -> Result<Outcome, CrawlError> {
        let Some(last) = visit.candidate.again.as_ref().map(|again| again.last.clone()) else {
            self.tally.failed += 1;
            return Ok(Outcome::Failed(refusal.fault.clone()));
        };
        let status = refusal.status.filter(|status| matches!(status, 404 | 410));
        match (last, status) {
            (Outcome::Document(document), Some(status)) => self.vanish(visit, &document, status, refusal).await,
            (last @ Outcome::Vanished { .. }, Some(_)) => {
                self.note_visit(visit, What::Unchanged);
                // That it is gone was counted when it went.
                self.tally.take_back_fault(refusal.fault.kind);
                Ok(last)
            }
            (last @ (Outcome::Document(_) | Outcome::Vanished { .. } | Outcome::Redirected { .. }), None) => {
                self.fail_again(visit, &refusal.fault);
                Ok(last)
            }
            (Outcome::Redirected { .. } | Outcome::Failed(_) | Outcome::Dropped(_), _) => {
                self.take_back_last(visit);
                self.tally.failed += 1;
                self.fail_again(visit, &refusal.fault);
                Ok(Outcome::Failed(refusal.fault.clone()))
            }
        }
    }

    /// Settles a visit that had less of its document than the one before.
    pub(super) async fn arrive_in_part(
        &mut self,
        mut visit: Visit,
        fault: Fault,
        rest_until: Moment,
    ) -> Result<(), CrawlError> {
        self.servers.answered(&visit.candidate.target);
        self.tally.fault(fault.kind);
        let refusal = Refusal { fault, status: None, retry_after_s: None, sent: true };
        let outcome = self.lost(&mut visit, &refusal).await?;
        self.settle(visit, Fate::Done(outcome), rest_until).await
    }

    /// A document is gone: its statements leave the harvest, unless they are to be
    /// kept, and it is told.
    async fn vanish(
        &mut self,
        visit: &mut Visit,
        document: &Document,
        status: u16,
        refusal: &Refusal,
    ) -> Result<Outcome, CrawlError> {
        let last_had_ms = visit.candidate.again.as_ref().map_or(0, |again| again.history.last_at_ms);
        self.take_back_last(visit);
        self.tally.vanished += 1;
        self.note_visit(visit, What::Vanished);
        if !self.crawl.settings.keep_vanished {
            self.remove(visit, document, status).await?;
        }
        Ok(Outcome::Vanished { since_ms: self.epoch_ms(), last_had_ms, fault: refusal.fault.clone() })
    }

    /// Notes that somebody who was visited before points elsewhere by now. A
    /// document that does is no longer there.
    pub(super) async fn redirected_again(
        &mut self,
        visit: &mut Visit,
        again: &Again,
        status: u16,
        target: &Uri,
    ) -> Result<(), CrawlError> {
        self.take_back_last(visit);
        self.note_visit(visit, redirect_is(again, target));
        match again.document() {
            Some(document) => self.remove(visit, document, status).await,
            None => Ok(()),
        }
    }

    /// Takes what a document held out of the harvest. What is kept is that it was
    /// there, and what its server said in the end.
    async fn remove(&mut self, visit: &Visit, had: &Document, status: u16) -> Result<(), CrawlError> {
        if had.quads == 0 {
            return Ok(());
        }
        let now_ms = self.epoch_ms();
        let mut draft = self.crawl.store.draft(&visit.candidate.target).finish();
        let document = Document { fetched_at_ms: now_ms, ..had.clone() };
        draft.provenance = self.provenance(visit, &document, status, now_ms).await?;
        self.documents_since_commit += 1;
        Ok(self.crawl.store.put(draft).await?)
    }

    fn fail_again(&mut self, visit: &mut Visit, fault: &Fault) {
        let now_ms = self.epoch_ms();
        if let Some(again) = &mut visit.candidate.again {
            self.tally.refresh.count(What::Failed);
            self.tally.take_back_failing(&again.history);
            again.history.fail(now_ms, fault.clone());
        }
    }

    /// What becomes of somebody who was to be visited again and is not: nobody is
    /// dropped who is known.
    pub(super) fn passed_over(&mut self, visit: &mut Visit, reason: DropReason) -> Outcome {
        let last = visit.candidate.again.as_ref().map(|again| again.last.clone());
        match last {
            None | Some(Outcome::Dropped(_)) => {
                self.take_back_last(visit);
                self.tally.drop(reason, 1);
                Outcome::Dropped(reason)
            }
            Some(last) => {
                let kind = match reason {
                    DropReason::Robots => FaultKind::Disallowed,
                    DropReason::RobotsUnreachable => FaultKind::RobotsUnreachable,
                    _ => FaultKind::Connect,
                };
                self.tally.fault(kind);
                self.fail_again(visit, &Fault::new(kind, reason.name()));
                last
            }
        }
    }

    /// Remembers when a first visit was, where its outcome does not tell.
    pub(super) fn remember_first_visit(&self, visit: &mut Visit, outcome: &Outcome) {
        if visit.candidate.again.is_some() {
            return;
        }
        let now_ms = self.epoch_ms();
        let mut history = History::default();
        match outcome {
            Outcome::Redirected { .. } => history = History::begun(now_ms),
            // What went wrong is told by the outcome.
            Outcome::Failed(fault) => history.fail(now_ms, Fault { kind: fault.kind, detail: String::new() }),
            Outcome::Document(_) | Outcome::Dropped(_) | Outcome::Vanished { .. } => return,
        }
        visit.candidate.again = Some(Box::new(Again { last: outcome.clone(), history }));
    }
}

/// The service that somebody is a step of, if that cannot be repeated.
fn service_skipped(life: &Life) -> Option<String> {
    let step = life.step.as_ref().filter(|step| !step.can_be_repeated())?;
    Some(step.service().to_owned())
}

/// What a redirect is to somebody who was visited before.
fn redirect_is(again: &Again, to: &Uri) -> What {
    match &again.last {
        Outcome::Redirected { target: Some(target), .. } if target == to => What::Unchanged,
        Outcome::Redirected { .. } | Outcome::Document(_) => What::Changed,
        Outcome::Vanished { .. } => What::CameBack,
        Outcome::Failed(_) | Outcome::Dropped(_) => What::Appeared,
    }
}

/// What a document is to somebody who was visited before: another one only if its
/// statements are. A list of a service may have none, and is another one if its
/// bytes are.
pub(super) fn document_is(again: &Again, document: &Document, is_step: bool) -> What {
    let is_list = is_step && document.quads == 0;
    let bytes = (document.bytes, document.digest);
    match &again.last {
        Outcome::Document(had) if is_list && (had.bytes, had.digest) != bytes => What::Changed,
        Outcome::Document(had) if (had.quads, had.statements) == (document.quads, document.statements) => {
            What::Unchanged
        }
        Outcome::Document(_) | Outcome::Redirected { .. } => What::Changed,
        Outcome::Vanished { .. } => What::CameBack,
        Outcome::Failed(_) | Outcome::Dropped(_) => What::Appeared,
    }
}

/// Why what was read of a document must not replace what was had of it before:
/// it was cut, and that was not, or not so early.
pub(super) fn cut_shorter<'r>(again: &Again, reading: &'r Reading) -> Option<&'r Fault> {
    let had = again.document()?;
    let fault = reading.faults.iter().find(|fault| fault.kind.cuts_short())?;
    (had.cut().is_none() || reading.extracted.bytes < had.bytes).then_some(fault)
}

#[expect(clippy::cast_possible_truncation, reason = "a small number")]
fn level(chance: f64) -> f32 {
    (chance * LEVELS).floor().clamp(0.0, LEVELS - 1.0) as f32
}
