//! Refresh rounds: settled URIs are requested again.
//!
//! A round begins before anything else. It examines all settled URIs once, page by page, and
//! queues those that are due, before URIs that were never requested. An unchanged document
//! costs one request and nothing else. A deleted document is removed from the harvest and
//! reported. A document that cannot be fetched for now, or only in part, stays and is reported
//! as stale.

use super::CrawlError;
use super::conductor::Conductor;
use super::errand::ReadDocument;
use super::tally::TallyKey;
use crate::frontier::{Lease, QueueEntry, REVISIT_PRIORITY, RefreshRound, RefreshSelection, SettlementKind, UriRecord};
use crate::model::outcome::DocumentSummary;
use crate::model::{
    ChangeKind, CrawlTime, DropReason, Fault, FaultKind, FetchFacts, FetchFailure, FetchHistory, Outcome, Revisit, Uri,
    Validators,
};

/// Number of settled records examined at a time.
const PAGE_SIZE: usize = 1_024;

/// Number of priority levels of revisits. It is small because strict hops wait for each level.
const PRIORITY_LEVELS: f64 = 4.0;

impl Conductor {
    /// Begins the requested round or resumes an interrupted one: queues the URIs to be
    /// requested again.
    pub(super) async fn begin_refresh(&mut self) -> Result<(), CrawlError> {
        let Some(round) = self.start_or_resume_round().await? else { return Ok(()) };
        self.refreshing = true;
        let mut next = round.next;
        while next < round.end {
            self.apply_pending_commands().await?;
            if self.is_stopping() {
                // The next run resumes the round and queues the rest.
                self.refreshing = false;
                break;
            }
            let mut records = self.frontier().await?.settled_records(next, PAGE_SIZE).await?;
            records.retain(|(age, _)| *age < round.end);
            next = records.last().map_or(round.end, |(age, _)| age + 1);
            let chosen: Vec<(u64, QueueEntry)> = records
                .into_iter()
                .filter_map(|(age, record)| Some((age, self.refresh_entry(record, &round)?)))
                .collect();
            if let Some(round) = self.frontier().await?.requeue(chosen, next).await? {
                self.tally.apply_round(&round);
            }
        }
        self.commit().await
    }

    /// The running round, or a new one if one was requested.
    async fn start_or_resume_round(&mut self) -> Result<Option<RefreshRound>, CrawlError> {
        let round = match (self.frontier().await?.current_round().await?, self.crawl.options.refresh) {
            (Some(running), _) => running,
            (None, Some(which)) => {
                let now_ms = self.epoch_ms();
                self.frontier().await?.begin_round(which, now_ms).await?
            }
            (None, None) => return Ok(None),
        };
        self.tally.apply_round(&round);
        self.commit().await?;
        Ok(Some(round))
    }

    /// The queue entry for a settled URI; `None` if the round does not select the URI.
    fn refresh_entry(&mut self, mut record: UriRecord, round: &RefreshRound) -> Option<QueueEntry> {
        let intervals = &self.crawl.options.intervals;
        let outcome = record.outcome.as_ref()?;
        let due_at_ms = intervals.due_at_ms(outcome, record.history.as_deref())?;
        if round.selection == RefreshSelection::Due && !intervals.is_due(due_at_ms, round.started_at_ms) {
            let next_due = &mut self.tally.refresh.next_due_at_ms;
            *next_due = Some(next_due.map_or(due_at_ms, |known| known.min(due_at_ms)));
            return None;
        }
        let probability = intervals.change_probability(outcome, record.history.as_deref(), round.started_at_ms);
        if let Some(step) = &mut record.step {
            step.forget_predictions();
        }
        Some(record.into_revisit(REVISIT_PRIORITY + priority_level(probability)))
    }

    /// Ends the round if no revisits are left. Returns whether the round ended: then first visits may start.
    pub(super) async fn end_refresh_if_done(&mut self) -> Result<bool, CrawlError> {
        let is_done = self.refreshing && self.frontier().await?.census().await?.revisits == 0;
        if is_done {
            self.refreshing = false;
            self.commit().await?;
            self.frontier().await?.end_round().await?;
        }
        Ok(is_done)
    }

    /// Settles the lease of a document that has not changed.
    pub(super) async fn handle_unchanged(
        &mut self,
        mut lease: Lease,
        new_validators: Option<Validators>,
        delayed_until: CrawlTime,
    ) -> Result<(), CrawlError> {
        self.hosts.record_response(&lease.entry.target);
        let Some(mut document) = lease.entry.revisit.as_ref().and_then(|revisit| revisit.document()).cloned() else {
            // The request had no validators, so 304 is a protocol error.
            let fault = Fault::new(FaultKind::Protocol, "304 Not Modified to an unconditional request");
            let failure = FetchFailure { fault, status: Some(304), retry_after_s: None, sent: true };
            let now = self.now();
            return self.handle_failure(lease, 1.0, failure, now, delayed_until).await;
        };
        match new_validators {
            None => self.tally.refresh.not_modified += 1,
            Some(validators) => {
                self.tally.refresh.same_bytes += 1;
                document.fetch.validators = validators;
            }
        }
        self.record_revisit(&mut lease, ChangeKind::Unchanged);
        self.settle(lease, SettlementKind::Settled(Outcome::Document(document)), delayed_until);
        Ok(())
    }

    /// Records the result of a revisit in the tally and in the history of the URI.
    pub(super) fn record_revisit(&mut self, lease: &mut Lease, change: ChangeKind) {
        let now_ms = self.epoch_ms();
        if let Some(revisit) = &mut lease.entry.revisit {
            self.tally.refresh.count(change);
            self.tally.uncount_last_failure(&revisit.history);
            revisit.history.record_fetch(now_ms, change);
        }
    }

    /// Subtracts the previous request of this URI from the counters.
    pub(super) fn uncount_last_visit(&mut self, lease: &Lease) {
        let Some(revisit) = &lease.entry.revisit else { return };
        match &revisit.last {
            Outcome::Document(document) => self.tally.uncount_document(TallyKey::from_entry(&lease.entry), document),
            Outcome::Redirected { .. } => {
                self.tally.redirects = self.tally.redirects.saturating_sub(1);
                if let Some(step) = &lease.entry.step {
                    self.tally.uncount_step(step, false);
                }
            }
            Outcome::Failed(_) => {
                self.tally.uris_failed = self.tally.uris_failed.saturating_sub(1);
                if let Some(step) = &lease.entry.step {
                    self.tally.uncount_step(step, true);
                }
            }
            Outcome::Deleted { fault, .. } => {
                self.tally.deleted = self.tally.deleted.saturating_sub(1);
                self.tally.uncount_fault(fault.kind);
            }
            Outcome::Dropped(reason) => self.tally.uncount_drops(*reason, 1),
        }
    }

    /// Returns the outcome of a URI after a failed request, and updates the tally and the history of the URI.
    pub(super) async fn failure_outcome(
        &mut self,
        lease: &mut Lease,
        failure: &FetchFailure,
    ) -> Result<Outcome, CrawlError> {
        let Some(last) = lease.entry.revisit.as_ref().map(|revisit| revisit.last.clone()) else {
            self.tally.uris_failed += 1;
            return Ok(Outcome::Failed(failure.fault.clone()));
        };
        let status = failure.status.filter(|status| matches!(status, 404 | 410));
        match (last, status) {
            (Outcome::Document(document), Some(status)) => self.mark_deleted(lease, &document, status, failure).await,
            (last @ Outcome::Deleted { .. }, Some(_)) => {
                self.record_revisit(lease, ChangeKind::Unchanged);
                // The tally already contains the fault of this deletion.
                self.tally.uncount_fault(failure.fault.kind);
                Ok(last)
            }
            (last @ (Outcome::Document(_) | Outcome::Deleted { .. } | Outcome::Redirected { .. }), None) => {
                self.record_revisit_failure(lease, &failure.fault);
                Ok(last)
            }
            (Outcome::Redirected { .. } | Outcome::Failed(_) | Outcome::Dropped(_), _) => {
                self.uncount_last_visit(lease);
                self.tally.uris_failed += 1;
                self.record_revisit_failure(lease, &failure.fault);
                Ok(Outcome::Failed(failure.fault.clone()))
            }
        }
    }

    /// Settles a revisit whose truncated response must not replace the stored document.
    pub(super) async fn handle_truncated(
        &mut self,
        mut lease: Lease,
        fault: Fault,
        delayed_until: CrawlTime,
    ) -> Result<(), CrawlError> {
        self.hosts.record_response(&lease.entry.target);
        self.tally.count_fault(fault.kind);
        let failure = FetchFailure { fault, status: None, retry_after_s: None, sent: true };
        let outcome = self.failure_outcome(&mut lease, &failure).await?;
        self.settle(lease, SettlementKind::Settled(outcome), delayed_until);
        Ok(())
    }

    /// Records that a document was deleted by its server. Its statements are removed from the
    /// harvest, unless deleted documents are kept.
    async fn mark_deleted(
        &mut self,
        lease: &mut Lease,
        document: &DocumentSummary,
        status: u16,
        failure: &FetchFailure,
    ) -> Result<Outcome, CrawlError> {
        let last_seen_ms = lease.entry.revisit.as_ref().map_or(0, |revisit| revisit.history.last_at_ms);
        self.uncount_last_visit(lease);
        self.tally.deleted += 1;
        self.record_revisit(lease, ChangeKind::Deleted);
        if !self.crawl.options.keep_deleted {
            self.remove_document(lease, document, status).await?;
        }
        Ok(Outcome::Deleted { since_ms: self.epoch_ms(), last_seen_ms, fault: failure.fault.clone() })
    }

    /// Records that a revisited URI redirects now. If the URI was a document, its statements are
    /// removed from the harvest.
    pub(super) async fn record_redirected_revisit(
        &mut self,
        lease: &mut Lease,
        revisit: &Revisit,
        status: u16,
        target: &Uri,
    ) -> Result<(), CrawlError> {
        self.uncount_last_visit(lease);
        self.record_revisit(lease, redirect_change(revisit, target));
        match revisit.document() {
            Some(document) => self.remove_document(lease, document, status).await,
            None => Ok(()),
        }
    }

    /// Removes the statements of a document from the harvest. Its provenance still records that it
    /// existed, and the last response of its server.
    async fn remove_document(&mut self, lease: &Lease, known: &DocumentSummary, status: u16) -> Result<(), CrawlError> {
        if known.quads == 0 {
            return Ok(());
        }
        let now_ms = self.epoch_ms();
        let mut draft = self.crawl.store.draft(&lease.entry.target).finish();
        let fetch = FetchFacts { status, fetched_at_ms: now_ms, ..known.fetch.clone() };
        draft.provenance = self.provenance(lease, &fetch, now_ms).await?;
        self.commits.record_document();
        Ok(self.crawl.store.put(draft).await?)
    }

    fn record_revisit_failure(&mut self, lease: &mut Lease, fault: &Fault) {
        let now_ms = self.epoch_ms();
        if let Some(revisit) = &mut lease.entry.revisit {
            self.tally.refresh.count(ChangeKind::Failed);
            self.tally.uncount_last_failure(&revisit.history);
            revisit.history.record_failure(now_ms, fault.clone());
        }
    }

    /// The outcome of a leased URI that is not requested. A URI that already has an outcome keeps
    /// it.
    pub(super) fn skipped_outcome(&mut self, lease: &mut Lease, reason: DropReason) -> Outcome {
        let last = lease.entry.revisit.as_ref().map(|revisit| revisit.last.clone());
        match last {
            None | Some(Outcome::Dropped(_)) => {
                self.uncount_last_visit(lease);
                self.tally.count_drops(reason, 1);
                Outcome::Dropped(reason)
            }
            Some(last) => {
                let kind = match reason {
                    DropReason::Robots => FaultKind::Disallowed,
                    DropReason::RobotsUnreachable => FaultKind::RobotsUnreachable,
                    _ => FaultKind::Connect,
                };
                self.tally.count_fault(kind);
                self.record_revisit_failure(lease, &Fault::new(kind, reason.name()));
                last
            }
        }
    }

    /// Stores the time of a first request if the outcome does not contain it.
    pub(super) fn record_first_visit(&self, lease: &mut Lease, outcome: &Outcome) {
        if lease.entry.revisit.is_some() {
            return;
        }
        let now_ms = self.epoch_ms();
        let mut history = FetchHistory::default();
        match outcome {
            Outcome::Redirected { .. } => history = FetchHistory::from_first_fetch(now_ms),
            // The detail is omitted because the outcome contains it.
            Outcome::Failed(fault) => history.record_failure(now_ms, Fault { kind: fault.kind, detail: String::new() }),
            Outcome::Document(_) | Outcome::Dropped(_) | Outcome::Deleted { .. } => return,
        }
        lease.entry.revisit = Some(Box::new(Revisit { last: outcome.clone(), history }));
    }
}

/// The kind of change when a revisited URI redirects.
fn redirect_change(revisit: &Revisit, to: &Uri) -> ChangeKind {
    match &revisit.last {
        Outcome::Redirected { target: Some(target), .. } if target == to => ChangeKind::Unchanged,
        Outcome::Redirected { .. } | Outcome::Document(_) => ChangeKind::Changed,
        Outcome::Deleted { .. } => ChangeKind::Restored,
        Outcome::Failed(_) | Outcome::Dropped(_) => ChangeKind::Added,
    }
}

/// The kind of change when a revisited URI returns a document. A document has changed only if
/// its statements have. A list of a service may have no statements, and has changed if its
/// bytes have.
pub(super) fn document_change(revisit: &Revisit, document: &DocumentSummary, is_step: bool) -> ChangeKind {
    let is_list = is_step && document.quads == 0;
    let bytes = (document.fetch.bytes, document.fetch.digest);
    match &revisit.last {
        Outcome::Document(known) if is_list && (known.fetch.bytes, known.fetch.digest) != bytes => ChangeKind::Changed,
        Outcome::Document(known)
            if (known.quads, known.statements_digest) == (document.quads, document.statements_digest) =>
        {
            ChangeKind::Unchanged
        }
        Outcome::Document(_) | Outcome::Redirected { .. } => ChangeKind::Changed,
        Outcome::Deleted { .. } => ChangeKind::Restored,
        Outcome::Failed(_) | Outcome::Dropped(_) => ChangeKind::Added,
    }
}

/// The fault that truncated a document, if the document must not replace the stored one, which is complete or larger.
pub(super) fn truncation_fault<'r>(revisit: &Revisit, reading: &'r ReadDocument) -> Option<&'r Fault> {
    let known = &revisit.document()?.fetch;
    let fault = reading.fetch.truncation()?;
    (known.truncation().is_none() || reading.fetch.bytes < known.bytes).then_some(fault)
}

#[expect(clippy::cast_possible_truncation, reason = "a level is below 4")]
fn priority_level(probability: f64) -> f32 {
    (probability * PRIORITY_LEVELS).floor().clamp(0.0, PRIORITY_LEVELS - 1.0) as f32
}
