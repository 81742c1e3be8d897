//! The part of a request that needs no crawl state: fetch, read, write a draft.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use oxrdf::QuadRef;
use xxhash_rust::xxh3::xxh3_64;

use crate::discover::{NextStep, Step};
use crate::extract::{ExtractSink, ExtractSummary, Extractor};
use crate::fetch::robots::{RobotsResponse, read_response};
use crate::fetch::{
    FetchOutcome, FetchPurpose, FetchRequest, FetchResponse, Fetcher, HeadDetail, Representation, ResponseBody,
    ResponseHead,
};
use crate::frontier::{Lease, QueueEntry};
use crate::model::outcome::DocumentSummary;
use crate::model::{Fault, FaultKind, FetchFacts, FetchFailure, Link, ProbeResult, Relevance, Uri, Validators};
use crate::select::facts::FactsReader;
use crate::select::{Facts, FactsOptions};
use crate::store::{Draft, FinishedDraft, Store};

/// Bodies up to this size are read on the async task. Larger bodies, streamed bodies, and bodies
/// for which the extractor may block are read on a blocking thread.
const MAX_INLINE_READ_BYTES: usize = 256 * 1_024;

/// One unit of work outside the conductor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Errand {
    /// Resolve the IP address of this URI's host. Sends no request.
    Resolve(Uri),
    /// Fetch a robots.txt.
    Robots(Uri),
    /// Send a HEAD request.
    Probe,
    /// Send a GET request and read the response.
    Fetch,
}

/// The parts of the crawl and the settings that an errand uses.
pub(super) struct ErrandTools {
    pub(super) fetcher: Arc<dyn Fetcher>,
    pub(super) extractor: Arc<dyn Extractor>,
    pub(super) store: Arc<dyn Store>,
    pub(super) product_token: String,
    /// The delay of the domain between two requests.
    pub(super) delay: Duration,
    /// How much of the response head to capture.
    pub(super) head_detail: HeadDetail,
    /// Which facts the strategy needs.
    pub(super) facts: Option<Arc<FactsOptions>>,
}

/// An errand in flight.
#[derive(Clone)]
pub(super) struct RunningErrand {
    pub(super) number: u64,
    /// Start time in milliseconds since the Unix epoch.
    pub(super) sent_at_ms: u64,
    pub(super) lease: Lease,
    pub(super) weight: f32,
    /// The IP address whose gate was passed.
    pub(super) address: Option<IpAddr>,
    pub(super) errand: Errand,
}

/// A finished errand.
pub(super) struct ErrandReturn {
    pub(super) sent: RunningErrand,
    pub(super) result: Result<ErrandResult, FetchFailure>,
    /// The response head, if captured.
    pub(super) response_head: Option<Box<ResponseHead>>,
}

/// The result of an errand.
pub(super) enum ErrandResult {
    Address(Option<IpAddr>),
    Robots(RobotsResponse),
    Probe(ProbeResult),
    Document(Box<ReadDocument>),
    Redirect {
        status: u16,
        target: Result<Uri, Fault>,
        retry_after_s: Option<u64>,
    },
    /// Not modified (304).
    Unchanged,
    /// Fetched, with the same bytes as before.
    SameBytes(Validators),
}

/// A document that has been read.
pub(super) struct ReadDocument {
    pub(super) fetch: FetchFacts,
    pub(super) relevance: Relevance,
    pub(super) links: Vec<Link>,
    pub(super) steps: Vec<NextStep>,
    pub(super) draft: FinishedDraft,
    /// The facts about entities, if the strategy needs them.
    pub(super) facts: Option<Facts>,
}

impl RunningErrand {
    /// Runs the errand. A panic is returned as a failure, because every lease must be settled.
    pub(super) async fn run(self, tools: ErrandTools) -> ErrandReturn {
        let work = AssertUnwindSafe(self.errand.run(&self.lease.entry, tools)).catch_unwind();
        let panicked = |_| {
            let fault = Fault::new(FaultKind::Panic, "the errand panicked");
            Err(FetchFailure { fault, status: None, retry_after_s: None, sent: true }).into()
        };
        let FetchResponse { head, result } = work.await.unwrap_or_else(panicked);
        ErrandReturn { sent: self, result, response_head: head }
    }
}

impl Errand {
    async fn run(&self, entry: &QueueEntry, tools: ErrandTools) -> FetchResponse<ErrandResult> {
        match self {
            Self::Resolve(requested) => tools.fetcher.locate(requested).await.map(ErrandResult::Address).into(),
            Self::Robots(location) => {
                let request = tools.request(location, FetchPurpose::Robots);
                let FetchResponse { head, result } = tools.fetcher.fetch(request).await;
                let robots = read_response(result, &tools.product_token);
                FetchResponse { head, result: Ok(ErrandResult::Robots(robots)) }
            }
            Self::Probe => {
                let request = tools.request(&entry.target, FetchPurpose::Harvest);
                let FetchResponse { head, result } = tools.fetcher.probe(request).await;
                FetchResponse { head, result: result.map(ErrandResult::Probe) }
            }
            Self::Fetch => fetch(entry, tools).await,
        }
    }
}

impl ErrandTools {
    fn request<'a>(&self, uri: &'a Uri, purpose: FetchPurpose) -> FetchRequest<'a> {
        let Self { delay, head_detail, .. } = *self;
        FetchRequest { resume_delay: delay, head_detail, ..FetchRequest::new(uri, purpose) }
    }
}

async fn fetch(entry: &QueueEntry, tools: ErrandTools) -> FetchResponse<ErrandResult> {
    let step = entry.step.clone();
    let known = entry.revisit.as_ref().and_then(|revisit| revisit.document()).filter(|_| step.is_none());
    let validators = known.map(|known| &known.fetch.validators).filter(|validators| !validators.is_empty());
    let purpose = step.as_ref().map_or(FetchPurpose::Harvest, |step| FetchPurpose::Step(step.accept_profile()));
    let request = FetchRequest { validators, ..tools.request(&entry.target, purpose) };
    let FetchResponse { head, result } = tools.fetcher.fetch(request).await;
    let result = match result {
        Err(failure) => Err(failure),
        Ok(FetchOutcome::Unchanged) => Ok(ErrandResult::Unchanged),
        Ok(FetchOutcome::Redirect { status, target, retry_after_s }) => {
            Ok(ErrandResult::Redirect { status, target, retry_after_s })
        }
        Ok(FetchOutcome::Representation(found)) if known.is_some_and(|known| is_unchanged(&found, known)) => {
            Ok(ErrandResult::SameBytes(found.fetch.validators))
        }
        Ok(FetchOutcome::Representation(found)) => {
            Ok(ErrandResult::Document(Box::new(read_document(step, *found, tools).await)))
        }
    };
    FetchResponse { head, result }
}

/// Reads a document on this task or, if that may take long, on a blocking thread.
async fn read_document(step: Option<Box<Step>>, found: Representation, tools: ErrandTools) -> ReadDocument {
    if is_small(&found.body) && !tools.extractor.may_block(&found) {
        return read(step.as_deref(), found, &tools);
    }
    let task = tokio::task::spawn_blocking(move || read(step.as_deref(), found, &tools));
    task.await.expect("`read` catches panics of the extractor")
}

fn is_small(body: &ResponseBody) -> bool {
    matches!(body, ResponseBody::Buffered { bytes, .. } if bytes.len() <= MAX_INLINE_READ_BYTES)
}

/// Whether a representation has the bytes of the stored document, so that it need not be read.
/// Returns `false` for truncated and streamed bodies, whose bytes cannot be compared before
/// reading.
fn is_unchanged(representation: &Representation, known: &DocumentSummary) -> bool {
    let ResponseBody::Buffered { bytes, truncation: None } = &representation.body else { return false };
    let (fetch, known) = (&representation.fetch, &known.fetch);
    known.digest != 0 && fetch.declared_media_type == known.declared_media_type && xxh3_64(bytes) == known.digest
}

fn read(step: Option<&Step>, representation: Representation, tools: &ErrandTools) -> ReadDocument {
    let fetch = representation.fetch.clone();
    let mut sink = DraftSink {
        draft: tools.store.draft(&representation.uri),
        links: Vec::new(),
        steps: Vec::new(),
        faults: Vec::new(),
        facts: tools.facts.clone().map(FactsReader::new),
    };
    // If a page makes the extractor panic, the crawl continues, and the quads extracted before the panic are stored.
    let read = catch_unwind(AssertUnwindSafe(|| match step {
        Some(step) => tools.extractor.extract_step(step, representation, &mut sink),
        None => tools.extractor.extract(representation, &mut sink),
    }));
    let extracted = read.unwrap_or_else(|_| {
        sink.faults.push(Fault::new(FaultKind::Panic, "the extractor panicked"));
        ExtractSummary { format: "other", ..ExtractSummary::default() }
    });
    let DraftSink { draft, links, steps, faults, facts } = sink;
    let (fetch, relevance) = (complete_facts(fetch, &extracted, faults), extracted.relevance);
    let facts = facts.map(FactsReader::finish);
    ReadDocument { fetch, relevance, links, steps, draft: draft.finish(), facts }
}

/// Adds to the facts of a response what the extractor found.
fn complete_facts(fetch: FetchFacts, extracted: &ExtractSummary, faults: Vec<Fault>) -> FetchFacts {
    let by_format = extracted.quads_by_format.iter();
    let mut fetch = FetchFacts {
        format: extracted.format.to_owned(),
        bytes: extracted.bytes,
        digest: extracted.digest,
        quads_by_format: by_format.map(|(name, quads)| ((*name).to_owned(), *quads)).collect(),
        faults,
        terms: Box::new(extracted.terms.clone()),
        ..fetch
    };
    // A truncated document is stored without validators. Otherwise the server could report it as
    // unchanged, and it would never be replaced by the complete one.
    if fetch.truncation().is_some() {
        fetch.validators = Validators::default();
    }
    fetch
}

/// Receives what an extractor finds.
struct DraftSink {
    draft: Box<dyn Draft>,
    links: Vec<Link>,
    steps: Vec<NextStep>,
    faults: Vec<Fault>,
    facts: Option<FactsReader>,
}

impl ExtractSink for DraftSink {
    fn quad(&mut self, quad: QuadRef<'_>) {
        if let Some(facts) = &mut self.facts {
            facts.add_quad(quad);
        }
        self.draft.append(quad);
    }

    fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    fn step(&mut self, next: NextStep) {
        self.steps.push(next);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}
