//! Who is told of every request.
//!
//! A crawl keeps what it found, and of each URI what became of it. Whoever wants
//! the requests themselves, one by one as they end, is an [`Observer`]: access
//! logs, lists of redirects, the heads of answers as RDF. The conductor tells them
//! by itself, so an observer must be quick, and nothing that goes wrong with one
//! is a reason to stop a crawl: it says so at its end.

use std::time::Duration;

use super::conductor::Conductor;
use super::errand::{Brought, Errand, Return};
use crate::fetch::Refusal;
use crate::fetch::heard::Attention;
use crate::fetch::robots::RobotsAnswer;
use crate::model::{Fault, Relevance, Uri};

/// Is told of every request.
pub trait Observer: Send + Sync {
    /// Whether it wants the fields of answers.
    fn wants_fields(&self) -> bool {
        false
    }

    /// A request has ended.
    fn visited(&mut self, visited: &Visited<'_>);

    /// What was told so far is about to become durable: a process that is killed
    /// from now on does not repeat it.
    fn keep(&mut self) {}
}

/// A request that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Visited<'a> {
    /// What was asked for.
    pub uri: &'a Uri,
    /// For what.
    pub request: Request,
    /// How many hops from the nearest seed it is; for a robots.txt, whoever wanted
    /// to know what it allows.
    pub depth: u16,
    /// Where it was found; `None` for a seed.
    pub source: Option<&'a Uri>,
    /// When the request was sent, in milliseconds since the Unix epoch.
    pub departed_at_ms: u64,
    /// How long it took until all was read.
    pub elapsed: Duration,
    /// The status code, if there was an answer.
    pub status: Option<u16>,
    /// The `Content-Type` field.
    pub content_type: Option<&'a str>,
    /// How many bytes it had: of a document all that were read, decompressed; of
    /// other answers as many as they said.
    pub bytes: u64,
    /// Names and values of the answer's fields, if an observer wants them.
    pub fields: &'a [(String, String)],
    /// What came of it.
    pub came: Came<'a>,
}

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// A document (GET).
    Document,
    /// What a document would be (HEAD).
    Probe,
    /// What robots may do (GET).
    Robots,
}

impl Request {
    /// Its method.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Self::Document | Self::Robots => "GET",
            Self::Probe => "HEAD",
        }
    }
}

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Came<'a> {
    /// A document.
    Document {
        /// Quads read from it.
        quads: u64,
        /// Whether it holds RDF.
        relevance: Relevance,
    },
    /// A hint where to look instead; `None` if it leads nowhere.
    Redirect(Option<&'a Uri>),
    /// Nothing.
    Refusal(&'a Fault),
    /// An answer that is no document.
    Answer,
}

impl Conductor {
    /// How well the observers listen.
    pub(super) fn attention(&self) -> Attention {
        let observers = &self.crawl.observers;
        match observers.iter().any(|observer| observer.wants_fields()) {
            true => Attention::Fields,
            false if observers.is_empty() => Attention::None,
            false => Attention::Gist,
        }
    }

    pub(super) fn tell_observers(&mut self, back: &Return) {
        if self.crawl.observers.is_empty() || !is_sent(back) {
            return;
        }
        let Return { sent, result, heard } = back;
        let candidate = &sent.visit.candidate;
        let (uri, request) = match &sent.errand {
            Errand::Robots(location) => (location, Request::Robots),
            Errand::Probe => (&candidate.target, Request::Probe),
            _ => (&candidate.target, Request::Document),
        };
        let document = match result {
            Ok(Brought::Document(reading)) => Some(reading),
            _ => None,
        };
        let elapsed = Duration::from_millis(self.epoch_ms().saturating_sub(sent.departed_at_ms));
        let visited = Visited {
            uri,
            request,
            depth: candidate.depth,
            source: candidate.source.as_ref(),
            departed_at_ms: sent.departed_at_ms,
            elapsed,
            status: heard.status.or_else(|| status(result)),
            content_type: heard.content_type.as_deref().or_else(|| document?.content_type.as_deref()),
            bytes: document.map_or(heard.content_length.unwrap_or_default(), |reading| reading.extracted.bytes),
            fields: &heard.fields,
            came: came(result),
        };
        for observer in &mut self.crawl.observers {
            observer.visited(&visited);
        }
    }
}

/// Whether a request was made at all.
fn is_sent(back: &Return) -> bool {
    match &back.result {
        Ok(Brought::Address(_)) => false,
        Ok(Brought::Robots(RobotsAnswer::Unreachable(refusal))) | Err(refusal) => {
            refusal.sent && !matches!(back.sent.errand, Errand::Locate(_))
        }
        Ok(_) => true,
    }
}

/// The status, as far as what came back tells: not every fetcher says what the
/// head of an answer says.
fn status(result: &Result<Brought, Refusal>) -> Option<u16> {
    match result {
        Ok(Brought::Document(reading)) => Some(reading.status),
        Ok(Brought::Redirect { status, .. }) => Some(*status),
        Ok(Brought::Probe(probe)) => Some(probe.status),
        Ok(Brought::Robots(RobotsAnswer::Unreachable(refusal))) | Err(refusal) => refusal.status,
        _ => None,
    }
}

fn came(result: &Result<Brought, Refusal>) -> Came<'_> {
    match result {
        Ok(Brought::Document(reading)) => {
            Came::Document { quads: reading.draft.quads, relevance: reading.extracted.relevance }
        }
        Ok(Brought::Redirect { target, .. }) => Came::Redirect(target.as_ref().ok()),
        Ok(Brought::Probe(probe)) if probe.location.is_some() => Came::Redirect(probe.location.as_ref()),
        Ok(Brought::Robots(RobotsAnswer::Elsewhere(target))) => Came::Redirect(Some(target)),
        Ok(Brought::Robots(RobotsAnswer::Unreachable(refusal))) | Err(refusal) => Came::Refusal(&refusal.fault),
        _ => Came::Answer,
    }
}
