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
use crate::fetch::response_head::{self, HeadDetail, ResponseHead};
use crate::fetch::robots::{RobotsResponse, read_response};
use crate::fetch::{FetchPurpose, FetchResponse, Fetcher, Representation, ResponseBody, Validators, pace};
use crate::frontier::{Lease, QueueEntry};
use crate::model::outcome::DocumentSummary;
use crate::model::{Fault, FaultKind, FetchFailure, Link, ProbeResult, Uri};
use crate::rank::facts::FactsReader;
use crate::rank::{Facts, FactsOptions};
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
    pub(super) response_head: ResponseHead,
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
    },
    /// Not modified (304).
    Unchanged,
    /// Fetched, with the same bytes as before.
    SameBytes(Validators),
}

/// A document that has been read.
pub(super) struct ReadDocument {
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    pub(super) extracted: ExtractSummary,
    pub(super) links: Vec<Link>,
    pub(super) steps: Vec<NextStep>,
    pub(super) faults: Vec<Fault>,
    pub(super) draft: FinishedDraft,
    /// The facts about entities, if the strategy needs them.
    pub(super) facts: Option<Facts>,
}

impl RunningErrand {
    /// Runs the errand. A panic is returned as a failure, because every lease must be settled.
    pub(super) async fn run(self, tools: ErrandTools) -> ErrandReturn {
        let head_detail = tools.head_detail;
        let delay = tools.delay;
        let work = AssertUnwindSafe(self.errand.run(&self.lease.entry, tools)).catch_unwind();
        let work = pace::with_delay(delay, work);
        let (result, response_head) = response_head::capture(head_detail, work).await;
        let panicked = || FetchFailure {
            fault: Fault::new(FaultKind::Panic, "the errand panicked"),
            status: None,
            retry_after_s: None,
            sent: true,
        };
        ErrandReturn { sent: self, result: result.unwrap_or_else(|_| Err(panicked())), response_head }
    }
}

impl Errand {
    async fn run(&self, entry: &QueueEntry, tools: ErrandTools) -> Result<ErrandResult, FetchFailure> {
        match self {
            Self::Resolve(requested) => tools.fetcher.locate(requested).await.map(ErrandResult::Address),
            Self::Robots(location) => {
                let response = tools.fetcher.fetch(location, FetchPurpose::Robots).await;
                Ok(ErrandResult::Robots(read_response(response, &tools.product_token)))
            }
            Self::Probe => tools.fetcher.probe(&entry.target).await.map(ErrandResult::Probe),
            Self::Fetch => fetch(entry, tools).await,
        }
    }
}

async fn fetch(entry: &QueueEntry, tools: ErrandTools) -> Result<ErrandResult, FetchFailure> {
    let step = entry.step.clone();
    let known = entry.revisit.as_ref().and_then(|revisit| revisit.document()).filter(|_| step.is_none());
    let validators = known.map(validators).unwrap_or_default();
    let purpose = match &step {
        Some(step) => FetchPurpose::Step(step.accept_profile()),
        None if validators == Validators::default() => FetchPurpose::Harvest,
        None => FetchPurpose::Revalidate(&validators),
    };
    Ok(match tools.fetcher.fetch(&entry.target, purpose).await? {
        FetchResponse::Unchanged => ErrandResult::Unchanged,
        FetchResponse::Redirect { status, target } => ErrandResult::Redirect { status, target },
        FetchResponse::Representation(representation)
            if known.is_some_and(|known| is_unchanged(&representation, known)) =>
        {
            let Representation { etag, last_modified, .. } = *representation;
            ErrandResult::SameBytes(Validators { etag, last_modified })
        }
        FetchResponse::Representation(representation) => {
            let in_place = is_small(&representation.body) && !tools.extractor.may_block(&representation);
            let reading = if in_place {
                read(step.as_deref(), *representation, &tools)
            } else {
                let task = tokio::task::spawn_blocking(move || read(step.as_deref(), *representation, &tools));
                task.await.expect("`read` catches panics of the extractor")
            };
            ErrandResult::Document(Box::new(reading))
        }
    })
}

fn is_small(body: &ResponseBody) -> bool {
    matches!(body, ResponseBody::Buffered { bytes, .. } if bytes.len() <= MAX_INLINE_READ_BYTES)
}

fn validators(known: &DocumentSummary) -> Validators {
    Validators { etag: known.etag.clone(), last_modified: known.last_modified.clone() }
}

/// Whether a representation has the bytes of the stored document, so that it need not be read.
/// Returns `false` for truncated and streamed bodies, whose bytes cannot be compared before
/// reading.
fn is_unchanged(representation: &Representation, known: &DocumentSummary) -> bool {
    let ResponseBody::Buffered { bytes, truncation: None } = &representation.body else { return false };
    known.digest != 0 && representation.content_type == known.declared_media_type && xxh3_64(bytes) == known.digest
}

fn read(step: Option<&Step>, mut representation: Representation, tools: &ErrandTools) -> ReadDocument {
    let status = representation.status;
    let content_type = representation.content_type.clone();
    let etag = representation.etag.take();
    let last_modified = representation.last_modified.take();
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
    let facts = facts.map(FactsReader::finish);
    // A truncated document is stored without validators. Otherwise the server could report it as
    // unchanged, and it would never be replaced by the complete one.
    let is_complete = !faults.iter().any(|fault| fault.kind.is_truncation());
    let (etag, last_modified) = (etag.filter(|_| is_complete), last_modified.filter(|_| is_complete));
    let draft = draft.finish();
    ReadDocument { status, content_type, etag, last_modified, extracted, links, steps, faults, draft, facts }
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
