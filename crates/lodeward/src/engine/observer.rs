//! Passes every finished request to observers.
//!
//! A crawl stores documents and the outcome of each URI, not the requests themselves. An
//! [`Observer`] receives each request when it ends: access logs, redirect logs, response heads
//! as RDF. The conductor calls observers on its own task, so an observer must return quickly. A
//! failure of an observer does not stop the crawl; the observer reports it at the end.

use std::time::Duration;

use super::conductor::Conductor;
use super::errand::{Errand, ErrandResult, ErrandReturn};
use crate::fetch::HeadDetail;
use crate::fetch::robots::RobotsResponse;
use crate::model::{Fault, FetchFailure, Relevance, Uri};

/// Receives every finished request.
pub trait Observer: Send + Sync {
    /// Whether it needs the header fields of responses.
    fn needs_fields(&self) -> bool {
        false
    }

    /// Called when a request has ended.
    fn request_finished(&mut self, request_record: &RequestRecord<'_>);

    /// Called before a commit. The requests passed so far are not repeated if the process is killed
    /// after the commit, so the observer should write them now.
    fn before_commit(&mut self) {}
}

/// A finished request.
#[derive(Clone, Copy, Debug)]
pub struct RequestRecord<'a> {
    /// The requested URI.
    pub uri: &'a Uri,
    /// The purpose of the request.
    pub kind: RequestKind,
    /// Hops from the nearest seed; for a robots.txt, those of the URI that needs it.
    pub depth: u16,
    /// The document it was found in; `None` for a seed.
    pub source: Option<&'a Uri>,
    /// When the request was sent, in milliseconds since the Unix epoch.
    pub sent_at_ms: u64,
    /// Duration until the body was read.
    pub elapsed: Duration,
    /// The status code, if there was a response.
    pub status: Option<u16>,
    /// The `Content-Type` field.
    pub content_type: Option<&'a str>,
    /// Size in bytes: for a document, the number of bytes read after decompression; for other
    /// responses, the `Content-Length`.
    pub bytes: u64,
    /// Names and values of the header fields, if an observer needs them.
    pub fields: &'a [(String, String)],
    /// The outcome.
    pub outcome: RequestOutcome<'a>,
}

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// A document (GET).
    Document,
    /// The headers of a document (HEAD).
    Probe,
    /// A robots.txt (GET).
    Robots,
}

impl RequestKind {
    /// The HTTP method.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Self::Document | Self::Robots => "GET",
            Self::Probe => "HEAD",
        }
    }
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RequestOutcome<'a> {
    /// A document.
    Document {
        /// Number of quads read from it.
        quads: u64,
        /// Whether it contains RDF.
        relevance: Relevance,
    },
    /// A redirect; `None` if its target is not a valid URI.
    Redirect(Option<&'a Uri>),
    /// The request failed.
    Failure(&'a Fault),
    /// A response that is not a document.
    Response,
}

impl Conductor {
    /// How much of the response head the observers need.
    pub(super) fn head_detail(&self) -> HeadDetail {
        let observers = &self.crawl.observers;
        match observers.iter().any(|observer| observer.needs_fields()) {
            true => HeadDetail::Fields,
            false if observers.is_empty() => HeadDetail::None,
            false => HeadDetail::Summary,
        }
    }

    pub(super) fn notify_observers(&mut self, returned: &ErrandReturn) {
        if self.crawl.observers.is_empty() || !is_sent(returned) {
            return;
        }
        let ErrandReturn { sent, result, response_head } = returned;
        let head = response_head.as_deref();
        let entry = &sent.lease.entry;
        let (uri, kind) = match &sent.errand {
            Errand::Robots(location) => (location, RequestKind::Robots),
            Errand::Probe => (&entry.target, RequestKind::Probe),
            _ => (&entry.target, RequestKind::Document),
        };
        let document = match result {
            Ok(ErrandResult::Document(reading)) => Some(reading),
            _ => None,
        };
        let elapsed = Duration::from_millis(self.epoch_ms().saturating_sub(sent.sent_at_ms));
        let request_record = RequestRecord {
            uri,
            kind,
            depth: entry.depth,
            source: entry.source.as_ref(),
            sent_at_ms: sent.sent_at_ms,
            elapsed,
            status: head.map(|head| head.status).or_else(|| status(result)),
            content_type: head
                .and_then(|head| head.content_type.as_deref())
                .or_else(|| document?.fetch.declared_media_type.as_deref()),
            bytes: document.map(|reading| reading.fetch.bytes).or_else(|| head?.content_length).unwrap_or_default(),
            fields: head.map_or(&[], |head| &head.fields),
            outcome: request_outcome(result),
        };
        for observer in &mut self.crawl.observers {
            observer.request_finished(&request_record);
        }
    }
}

/// Whether a request was sent.
fn is_sent(returned: &ErrandReturn) -> bool {
    match &returned.result {
        Ok(ErrandResult::Address(_)) => false,
        Ok(ErrandResult::Robots(RobotsResponse::Unreachable(failure))) | Err(failure) => {
            failure.sent && !matches!(returned.sent.errand, Errand::Resolve(_))
        }
        Ok(_) => true,
    }
}

/// Derives the status from the result, because not every fetcher captures the response head.
fn status(result: &Result<ErrandResult, FetchFailure>) -> Option<u16> {
    match result {
        Ok(ErrandResult::Document(reading)) => Some(reading.fetch.status),
        Ok(ErrandResult::Redirect { status, .. }) => Some(*status),
        Ok(ErrandResult::Probe(probe)) => Some(probe.status),
        Ok(ErrandResult::Robots(RobotsResponse::Unreachable(failure))) | Err(failure) => failure.status,
        _ => None,
    }
}

fn request_outcome(result: &Result<ErrandResult, FetchFailure>) -> RequestOutcome<'_> {
    match result {
        Ok(ErrandResult::Document(reading)) => {
            RequestOutcome::Document { quads: reading.draft.quads, relevance: reading.relevance }
        }
        Ok(ErrandResult::Redirect { target, .. }) => RequestOutcome::Redirect(target.as_ref().ok()),
        Ok(ErrandResult::Probe(probe)) if probe.location.is_some() => RequestOutcome::Redirect(probe.location.as_ref()),
        Ok(ErrandResult::Robots(RobotsResponse::Redirect { target, .. })) => RequestOutcome::Redirect(Some(target)),
        Ok(ErrandResult::Robots(RobotsResponse::Unreachable(failure))) | Err(failure) => {
            RequestOutcome::Failure(&failure.fault)
        }
        _ => RequestOutcome::Response,
    }
}
