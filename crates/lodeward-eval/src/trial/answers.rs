//! The rooms of a trial that need no web: who answers, who reads, and where
//! nothing is kept.

use std::collections::HashSet;
use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use lodeward::extract::{Extracted, Extractor, Sink};
use lodeward::fetch::{Body, Fetched, Fetcher, Purpose, Refusal, Representation};
use lodeward::model::{Fault, FaultKind, Probe, Uri};
use lodeward::store::{Draft, Exported, Finished, Store, StoreError};
use oxrdf::QuadRef;

use super::observed::Book;
use super::{Pace, Trial};
use crate::ledger::{COST_GET, COST_HEAD, Kind};
use crate::web::{Page, Web};

/// Answers from a recorded web, and enters every request into the book.
pub(super) struct Answers {
    web: Arc<Web>,
    trial: Trial,
    book: Arc<Book>,
    latency: Duration,
}

impl Answers {
    pub(super) fn new(web: &Arc<Web>, trial: &Trial, book: &Arc<Book>) -> Self {
        let latency = match trial.pace {
            Pace::AsFastAsPossible => Duration::ZERO,
            Pace::Polite { latency, .. } => latency,
        };
        Self { web: Arc::clone(web), trial: trial.clone(), book: Arc::clone(book), latency }
    }

    fn find(&self, uri: &Uri) -> Option<&Page> {
        let id = self.web.find(uri).filter(|_| self.trial.is_within(uri))?;
        Some(self.web.page(id))
    }

    #[expect(clippy::disallowed_methods, reason = "an answer takes its virtual time")]
    async fn travel(&self) {
        if !self.latency.is_zero() {
            tokio::time::sleep(self.latency).await;
        }
    }

    /// Where a redirect leads. One that leads out of the recording leads
    /// nowhere, unless misses count.
    fn target(&self, page: &Page) -> Result<Uri, Fault> {
        let target = page.redirect.as_ref();
        let target = target.filter(|target| self.trial.counts_misses || self.find(target).is_some());
        target.cloned().ok_or_else(|| Fault::new(FaultKind::Redirect, "it leads out of the recording"))
    }

    /// Enters a request, unless the budget is used up.
    fn spend(&self, uri: &Uri, kind: Kind, cost: f64) -> Result<(), Refusal> {
        let is_paid = self.book.enter(uri, kind, cost);
        let fault = || Fault::new(FaultKind::Connect, "the budget is used up");
        is_paid.then_some(()).ok_or_else(|| Refusal { fault: fault(), status: None, retry_after_s: None, sent: false })
    }

    fn document(uri: &Uri, content_type: Option<String>, bytes: Bytes) -> Fetched {
        Fetched::Representation(Box::new(Representation {
            uri: uri.clone(),
            status: 200,
            content_type,
            etag: None,
            last_modified: None,
            links: Vec::new(),
            body: Body::Whole { bytes, cut: None },
        }))
    }

    fn robots(&self, location: &Uri) -> Result<Fetched, Refusal> {
        self.book.count_robots();
        let file = self.web.robots(location).filter(|_| self.trial.obeys_robots && self.trial.is_within(location));
        file.map(|file| Self::document(location, None, file.clone())).ok_or_else(|| refusal(404))
    }
}

fn refusal(status: u16) -> Refusal {
    let fault = Fault::new(FaultKind::Status, format!("{status} (recorded)"));
    Refusal { fault, status: Some(status), retry_after_s: None, sent: true }
}

#[async_trait]
impl Fetcher for Answers {
    async fn locate(&self, _: &Uri) -> Result<Option<IpAddr>, Refusal> {
        Ok(None)
    }

    async fn probe(&self, uri: &Uri) -> Result<Probe, Refusal> {
        self.travel().await;
        let Some(page) = self.find(uri) else {
            self.spend(uri, Kind::Head, COST_HEAD)?;
            return Ok(Probe { status: 404, ..Probe::default() });
        };
        if page.is_redirect() {
            self.spend(uri, Kind::Redirect, COST_GET)?;
            let target = self.target(page);
            let nowhere = |fault| Refusal { fault, status: Some(page.status), retry_after_s: None, sent: true };
            return Ok(Probe { status: page.status, media_type: None, location: Some(target.map_err(nowhere)?) });
        }
        self.spend(uri, Kind::Head, COST_HEAD)?;
        Ok(Probe { status: page.status, media_type: page.media_type.clone(), location: None })
    }

    async fn fetch(&self, uri: &Uri, purpose: Purpose<'_>) -> Result<Fetched, Refusal> {
        self.travel().await;
        if purpose == Purpose::Robots {
            return self.robots(uri);
        }
        let Some(page) = self.find(uri) else {
            self.spend(uri, Kind::Miss, COST_GET)?;
            return Err(refusal(404));
        };
        if page.is_redirect() {
            self.spend(uri, Kind::Redirect, COST_GET)?;
            return Ok(Fetched::Redirect { status: page.status, target: self.target(page) });
        }
        if !page.is_document() {
            self.spend(uri, Kind::Miss, COST_GET)?;
            return Err(refusal(page.status));
        }
        self.spend(uri, Kind::Document, COST_GET)?;
        // What is in it has been read already.
        Ok(Self::document(uri, page.media_type.clone(), Bytes::new()))
    }
}

/// Knows by heart what documents hold.
pub(super) struct Memory {
    web: Arc<Web>,
    hosts: Option<HashSet<String>>,
    counts_misses: bool,
}

impl Memory {
    pub(super) fn new(web: &Arc<Web>, trial: &Trial) -> Self {
        Self { web: Arc::clone(web), hosts: trial.hosts.clone(), counts_misses: trial.counts_misses }
    }
}

impl Extractor for Memory {
    fn extract(&self, representation: Representation, sink: &mut dyn Sink) -> Extracted {
        let id = self.web.find(&representation.uri).expect("only recorded documents are read");
        self.web.statements(id).for_each(|statement| sink.quad(statement));
        let links = if self.counts_misses { self.web.links_and_misses(id) } else { self.web.links(id) };
        let is_within = |uri: &Uri| self.hosts.as_ref().is_none_or(|hosts| hosts.contains(uri.host()));
        for link in links {
            if self.counts_misses || is_within(&link.target) {
                sink.link(link);
            }
        }
        let Page { syntax, bytes, digest, relevance, .. } = *self.web.page(id);
        Extracted { syntax, bytes, digest, relevance, quads_by_syntax: Vec::new() }
    }
}

/// Keeps nothing.
pub(super) struct Nowhere;

struct NoDraft(Uri);

impl Draft for NoDraft {
    fn append(&mut self, _: QuadRef<'_>) {}

    fn finish(self: Box<Self>) -> Finished {
        Finished { document: self.0, quads: 0, digest: 0, provenance: None, content: Box::new(()) }
    }
}

#[async_trait]
impl Store for Nowhere {
    fn draft(&self, document: &Uri) -> Box<dyn Draft> {
        Box::new(NoDraft(document.clone()))
    }

    async fn put(&self, _: Finished) -> Result<(), StoreError> {
        Ok(())
    }

    async fn commit(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn export(&self, _: &mut dyn Write) -> Result<Exported, StoreError> {
        Ok(Exported::default())
    }
}
