//! The parts of a trial that replace the network and the disk: fetcher, extractor and store.

use std::collections::HashSet;
use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use lodeward::extract::{ExtractSink, ExtractSummary, Extractor};
use lodeward::fetch::{FetchOutcome, FetchPurpose, FetchRequest, FetchResponse, Fetcher, Representation, ResponseBody};
use lodeward::model::{Fault, FaultKind, FetchFailure, ProbeResult, StoreReceipt, Uri};
use lodeward::store::{Draft, ExportSummary, FinishedDraft, Store, StoreError};
use oxrdf::QuadRef;

use super::observed_strategy::LedgerRecorder;
use super::{Trial, TrialPace};
use crate::ledger::{COST_GET, COST_HEAD, LedgerEntryKind};
use crate::web::{RecordedWeb, WebPage};

/// Responds from a recorded web, and records every request in the ledger.
pub(super) struct RecordedFetcher {
    web: Arc<RecordedWeb>,
    trial: Trial,
    recorder: Arc<LedgerRecorder>,
    latency: Duration,
}

impl RecordedFetcher {
    pub(super) fn new(web: &Arc<RecordedWeb>, trial: &Trial, recorder: &Arc<LedgerRecorder>) -> Self {
        let latency = match trial.pace {
            TrialPace::AsFastAsPossible => Duration::ZERO,
            TrialPace::Polite { latency, .. } => latency,
        };
        Self { web: Arc::clone(web), trial: trial.clone(), recorder: Arc::clone(recorder), latency }
    }

    fn find_page(&self, uri: &Uri) -> Option<&WebPage> {
        let id = self.web.find(uri).filter(|_| self.trial.is_in_scope(uri))?;
        Some(self.web.page(id))
    }

    #[expect(clippy::disallowed_methods, reason = "the clock is paused, so a sleep takes virtual time")]
    async fn simulate_latency(&self) {
        if !self.latency.is_zero() {
            tokio::time::sleep(self.latency).await;
        }
    }

    /// The target of a redirect; a fault if the target is not recorded and the trial does not count misses.
    fn redirect_target(&self, page: &WebPage) -> Result<Uri, Fault> {
        let target = page.redirect.as_ref();
        let target = target.filter(|target| self.trial.counts_misses || self.find_page(target).is_some());
        target.cloned().ok_or_else(|| Fault::new(FaultKind::Redirect, "the redirect target is not in the recording"))
    }

    /// Records a request, unless the budget is spent.
    fn charge(&self, uri: &Uri, kind: LedgerEntryKind, cost: f64) -> Result<(), FetchFailure> {
        let is_allowed = self.recorder.record_request(uri, kind, cost);
        let fault = || Fault::new(FaultKind::Connect, "the budget is spent");
        is_allowed.then_some(()).ok_or_else(|| FetchFailure {
            fault: fault(),
            status: None,
            retry_after_s: None,
            sent: false,
        })
    }

    fn fetched_document(uri: &Uri, content_type: Option<String>, bytes: Bytes) -> FetchOutcome {
        FetchOutcome::Representation(Box::new(Representation::new(
            uri.clone(),
            content_type,
            ResponseBody::Buffered { bytes, truncation: None },
        )))
    }

    fn fetch_robots(&self, location: &Uri) -> Result<FetchOutcome, FetchFailure> {
        self.recorder.count_robots();
        let file =
            self.web.robots_txt(location).filter(|_| self.trial.obeys_robots && self.trial.is_in_scope(location));
        file.map(|file| Self::fetched_document(location, None, file.clone())).ok_or_else(|| status_failure(404))
    }

    fn probe_page(&self, uri: &Uri) -> Result<ProbeResult, FetchFailure> {
        let Some(page) = self.find_page(uri) else {
            self.charge(uri, LedgerEntryKind::Head, COST_HEAD)?;
            return Ok(ProbeResult { status: 404, ..ProbeResult::default() });
        };
        if page.is_redirect() {
            self.charge(uri, LedgerEntryKind::Redirect, COST_GET)?;
            let target = self.redirect_target(page);
            let to_failure = |fault| FetchFailure { fault, status: Some(page.status), retry_after_s: None, sent: true };
            let location = Some(target.map_err(to_failure)?);
            return Ok(ProbeResult { status: page.status, media_type: None, location, retry_after_s: None });
        }
        self.charge(uri, LedgerEntryKind::Head, COST_HEAD)?;
        Ok(ProbeResult {
            status: page.status,
            media_type: page.media_type.clone(),
            location: None,
            retry_after_s: None,
        })
    }

    fn fetch_page(&self, request: FetchRequest<'_>) -> Result<FetchOutcome, FetchFailure> {
        let uri = request.uri;
        if request.purpose == FetchPurpose::Robots {
            return self.fetch_robots(uri);
        }
        let Some(page) = self.find_page(uri) else {
            self.charge(uri, LedgerEntryKind::Miss, COST_GET)?;
            return Err(status_failure(404));
        };
        if page.is_redirect() {
            self.charge(uri, LedgerEntryKind::Redirect, COST_GET)?;
            return Ok(FetchOutcome::Redirect {
                status: page.status,
                target: self.redirect_target(page),
                retry_after_s: None,
            });
        }
        if !page.is_document() {
            self.charge(uri, LedgerEntryKind::Miss, COST_GET)?;
            return Err(status_failure(page.status));
        }
        self.charge(uri, LedgerEntryKind::Document, COST_GET)?;
        // The body is empty: the extractor returns the links that were extracted when the web was loaded.
        Ok(Self::fetched_document(uri, page.media_type.clone(), Bytes::new()))
    }
}

fn status_failure(status: u16) -> FetchFailure {
    let fault = Fault::new(FaultKind::Status, format!("{status} (recorded)"));
    FetchFailure { fault, status: Some(status), retry_after_s: None, sent: true }
}

#[async_trait]
impl Fetcher for RecordedFetcher {
    async fn locate(&self, _: &Uri) -> Result<Option<IpAddr>, FetchFailure> {
        Ok(None)
    }

    async fn probe(&self, request: FetchRequest<'_>) -> FetchResponse<ProbeResult> {
        self.simulate_latency().await;
        self.probe_page(request.uri).into()
    }

    async fn fetch(&self, request: FetchRequest<'_>) -> FetchResponse {
        self.simulate_latency().await;
        self.fetch_page(request).into()
    }
}

/// Returns the links and statements that were extracted when the web was loaded.
pub(super) struct RecordedExtractor {
    web: Arc<RecordedWeb>,
    hosts: Option<HashSet<String>>,
    counts_misses: bool,
}

impl RecordedExtractor {
    pub(super) fn new(web: &Arc<RecordedWeb>, trial: &Trial) -> Self {
        Self { web: Arc::clone(web), hosts: trial.hosts.clone(), counts_misses: trial.counts_misses }
    }
}

impl Extractor for RecordedExtractor {
    fn extract(&self, representation: Representation, sink: &mut dyn ExtractSink) -> ExtractSummary {
        let id = self.web.find(&representation.uri).expect("the fetcher returns recorded documents only");
        self.web.statements(id).for_each(|statement| sink.quad(statement));
        let links = if self.counts_misses { self.web.links_including_unrecorded(id) } else { self.web.links(id) };
        let is_within = |uri: &Uri| self.hosts.as_ref().is_none_or(|hosts| hosts.contains(uri.host()));
        for link in links {
            if self.counts_misses || is_within(&link.target) {
                sink.link(link);
            }
        }
        let WebPage { format, bytes, digest, relevance, .. } = *self.web.page(id);
        ExtractSummary { format, bytes, digest, relevance, ..ExtractSummary::default() }
    }
}

/// A store that discards everything.
pub(super) struct NullStore;

struct NullDraft(Uri);

impl Draft for NullDraft {
    fn append(&mut self, _: QuadRef<'_>) {}

    fn finish(self: Box<Self>) -> FinishedDraft {
        FinishedDraft { document: self.0, quads: 0, digest: 0, provenance: None, content: Box::new(()) }
    }
}

#[async_trait]
impl Store for NullStore {
    fn draft(&self, document: &Uri) -> Box<dyn Draft> {
        Box::new(NullDraft(document.clone()))
    }

    async fn put(&self, _: FinishedDraft) -> Result<(), StoreError> {
        Ok(())
    }

    async fn commit(&self) -> Result<StoreReceipt, StoreError> {
        Ok(StoreReceipt::issue())
    }

    async fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn export(&self, _: &mut dyn Write) -> Result<ExportSummary, StoreError> {
        Ok(ExportSummary::default())
    }
}
