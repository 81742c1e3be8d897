//! What to make of a visit that brought nothing.

use std::time::Duration;

use rand::Rng;

use super::CrawlError;
use super::conductor::Conductor;
use super::rests::Why;
use crate::fetch::Refusal;
use crate::fetch::retry::{self, Retry};
use crate::frontier::Fate;
use crate::model::{DropReason, FaultKind, Moment, Uri, Visit};
use crate::select::{End, Lesson};

/// How often a document is asked for again whose server says it is busy: it may
/// be this one that keeps it busy.
const BUSY_ATTEMPTS_MAX: u8 = 3;

impl Conductor {
    pub(super) async fn arrive_refusal(
        &mut self,
        mut visit: Visit,
        weight: f32,
        refusal: Refusal,
        now: Moment,
        rest_until: Moment,
    ) -> Result<(), CrawlError> {
        let uri = visit.candidate.target.clone();
        if refusal.status.is_none() {
            // The host may have moved to another address.
            self.addresses.forget(visit.candidate.target.host());
        }
        let failures = self.count_failure(&visit, &refusal);
        tracing::debug!(uri = %visit.candidate.target, attempt = visit.attempt, fault = %refusal.fault, "visit failed");
        let rested = rest_until;
        let (retry, rest_until) = self.judge(&visit, &refusal, failures, now, rest_until);
        let asked = refusal.retry_after_s.map(Duration::from_secs);
        let fate = match retry {
            Some(due) => Fate::Retry(due),
            None => {
                self.tally.fault(refusal.fault.kind);
                match visit.candidate.step.clone() {
                    Some(step) => self.step_failed(&visit, &step, &refusal).await?,
                    None if visit.candidate.again.is_some() => {}
                    None => self.crawl.strategy.learn(&Lesson { visit: &visit, weight, end: End::Failure }),
                }
                Fate::Done(self.lost(&mut visit, &refusal).await?)
            }
        };
        self.settle(visit, fate, rest_until).await?;
        if rest_until > rested {
            self.note_rest(&uri, rest_until, if asked.is_some() { Why::RetryAfter } else { Why::BackOff });
        }
        // A server that asks to be left alone for longer than the crawl will wait
        // is left alone for good.
        let too_long = asked.is_some_and(|asked| asked > self.crawl.settings.retry_after_max);
        if too_long || self.servers.is_hopeless(failures) {
            self.give_up(&uri, failures).await?;
        }
        Ok(())
    }

    /// How many visits to a server have failed in a row. An answer, even one
    /// that says no, ends the row; that a server is busy or broken does not.
    fn count_failure(&mut self, visit: &Visit, refusal: &Refusal) -> u32 {
        let uri = &visit.candidate.target;
        // A service that cannot answer a question is asked an easier one.
        let is_about_question = visit.candidate.step.is_some()
            && !matches!(
                refusal.fault.kind,
                FaultKind::Connect | FaultKind::Dns | FaultKind::Tls | FaultKind::Forbidden | FaultKind::Busy
            );
        if is_about_question {
            return 0;
        }
        let says_no = refusal.status.is_some_and(|status| status < 500);
        if says_no && refusal.fault.kind != FaultKind::Busy {
            self.servers.answered(uri);
            return 0;
        }
        self.servers.failed(uri)
    }

    /// When to try again, if at all, and until when the domain rests.
    fn judge(
        &mut self,
        visit: &Visit,
        refusal: &Refusal,
        failures: u32,
        now: Moment,
        rest_until: Moment,
    ) -> (Option<Moment>, Moment) {
        let wait_max = self.crawl.settings.retry_after_max;
        // A busy server is left alone for longer the longer it is busy, whoever
        // was to be visited; a document has only its own attempts.
        let attempt = match refusal.fault.kind {
            FaultKind::Busy => u8::try_from(failures.saturating_sub(1)).unwrap_or(u8::MAX),
            _ => visit.attempt,
        };
        match retry::verdict(refusal, attempt) {
            // Asking a recording again brings the same answer.
            _ if self.crawl.settings.in_order => (None, rest_until),
            Retry::GiveUp => (None, rest_until),
            Retry::Document { wait } => (Some(now + self.jitter(wait.min(wait_max))), rest_until),
            // The domain is about to be closed.
            Retry::Server { wait } if refusal.retry_after_s.is_some() && wait > wait_max => (None, rest_until),
            Retry::Server { wait } => {
                let due = now + self.jitter(wait.min(wait_max));
                ((visit.attempt < BUSY_ATTEMPTS_MAX).then_some(due), rest_until.max(due))
            }
        }
    }

    /// Gives up a server; and with it the domain, unless another of its servers
    /// has answered: a data set's endpoint may live next to a dead web server.
    async fn give_up(&mut self, uri: &Uri, failures: u32) -> Result<(), CrawlError> {
        let pld = uri.pld();
        if self.servers.give_up(uri) {
            tracing::warn!(server = uri.origin(), failures, "server is given up");
            return Ok(());
        }
        let dropped = self.crawl.frontier.close(&pld, DropReason::Unreachable).await?;
        tracing::warn!(%pld, failures, dropped, "domain is given up");
        self.tally.drop(DropReason::Unreachable, dropped);
        Ok(())
    }

    /// Spreads waits, so that those who failed together do not come back
    /// together. Never shorter than asked.
    pub(super) fn jitter(&mut self, wait: Duration) -> Duration {
        wait.mul_f64(self.rng.random_range(1.0..1.5))
    }
}
