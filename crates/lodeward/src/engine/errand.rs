//! The part of a visit that needs no state: request, read, write a draft.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use oxrdf::QuadRef;
use xxhash_rust::xxh3::xxh3_64;

use crate::discover::Step;
use crate::extract::{Extracted, Extractor, Sink};
use crate::fetch::heard::{self, Attention, Heard};
use crate::fetch::pace;
use crate::fetch::robots::{RobotsAnswer, read_answer};
use crate::fetch::{Body, Fetched, Fetcher, Purpose, Refusal, Representation, Validators};
use crate::model::outcome::Document;
use crate::model::{Candidate, Fault, FaultKind, Link, Probe, Uri, Visit};
use crate::rank::facts::FactsReader;
use crate::rank::{Facts, FactsOptions};
use crate::store::{Draft, Finished, Store};

/// Bodies up to this size are read where they arrive; larger ones, streams, and
/// whatever may have to wait, on a thread that may block.
const READ_IN_PLACE_BYTES_MAX: usize = 256 * 1_024;

/// What somebody is sent out for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Errand {
    /// Find the address of this URI's host: no request.
    Locate(Uri),
    /// Fetch a robots.txt.
    Robots(Uri),
    /// HEAD.
    Probe,
    /// GET, and read.
    Fetch,
}

/// What an errand needs.
pub(super) struct Tools {
    pub(super) fetcher: Arc<dyn Fetcher>,
    pub(super) extractor: Arc<dyn Extractor>,
    pub(super) store: Arc<dyn Store>,
    pub(super) product_token: String,
    /// How long the domain rests between two requests.
    pub(super) delay: Duration,
    /// Whether somebody wants to know what the head of the answer says.
    pub(super) attention: Attention,
    /// Which facts the strategy wants to read.
    pub(super) facts: Option<Arc<FactsOptions>>,
}

/// Somebody on the way.
#[derive(Clone)]
pub(super) struct Sent {
    pub(super) departure: u64,
    /// In milliseconds since the Unix epoch.
    pub(super) departed_at_ms: u64,
    pub(super) visit: Visit,
    pub(super) weight: f32,
    /// The address whose gate was passed.
    pub(super) address: Option<IpAddr>,
    pub(super) errand: Errand,
}

/// An errand, done.
pub(super) struct Return {
    pub(super) sent: Sent,
    pub(super) result: Result<Brought, Refusal>,
    /// What the head of the answer said, if somebody wants to know.
    pub(super) heard: Heard,
}

/// What an errand brought back.
pub(super) enum Brought {
    Address(Option<IpAddr>),
    Robots(RobotsAnswer),
    Probe(Probe),
    Document(Box<Reading>),
    Redirect {
        status: u16,
        target: Result<Uri, Fault>,
    },
    /// It is still as its validators say.
    Unchanged,
    /// It came, byte by byte the same as before.
    Same(Validators),
}

/// A document that has been read.
pub(super) struct Reading {
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    pub(super) extracted: Extracted,
    pub(super) links: Vec<Link>,
    pub(super) faults: Vec<Fault>,
    pub(super) draft: Finished,
    /// What it says of entities, if the strategy wants to read that.
    pub(super) facts: Option<Facts>,
}

impl Sent {
    /// Does the errand. Whatever breaks on the way is a refusal: the lease must
    /// come back.
    pub(super) async fn run(self, tools: Tools) -> Return {
        let attention = tools.attention;
        let delay = tools.delay;
        let work = AssertUnwindSafe(self.errand.run(&self.visit.candidate, tools)).catch_unwind();
        let work = pace::keep(delay, work);
        let (result, heard) = heard::listen(attention, work).await;
        let broken = || Refusal {
            fault: Fault::new(FaultKind::Panic, "the errand broke"),
            status: None,
            retry_after_s: None,
            sent: true,
        };
        Return { sent: self, result: result.unwrap_or_else(|_| Err(broken())), heard }
    }
}

impl Errand {
    async fn run(&self, candidate: &Candidate, tools: Tools) -> Result<Brought, Refusal> {
        match self {
            Self::Locate(asked) => tools.fetcher.locate(asked).await.map(Brought::Address),
            Self::Robots(location) => {
                let answer = tools.fetcher.fetch(location, Purpose::Robots).await;
                Ok(Brought::Robots(read_answer(answer, &tools.product_token)))
            }
            Self::Probe => tools.fetcher.probe(&candidate.target).await.map(Brought::Probe),
            Self::Fetch => fetch(candidate, tools).await,
        }
    }
}

async fn fetch(candidate: &Candidate, tools: Tools) -> Result<Brought, Refusal> {
    let step = candidate.step.clone();
    let had = candidate.again.as_ref().and_then(|again| again.document()).filter(|_| step.is_none());
    let validators = had.map(validators).unwrap_or_default();
    let purpose = match &step {
        Some(step) => Purpose::Step(step.wish()),
        None if validators == Validators::default() => Purpose::Harvest,
        None => Purpose::Again(&validators),
    };
    Ok(match tools.fetcher.fetch(&candidate.target, purpose).await? {
        Fetched::Unchanged => Brought::Unchanged,
        Fetched::Redirect { status, target } => Brought::Redirect { status, target },
        Fetched::Representation(representation) if had.is_some_and(|had| is_same(&representation, had)) => {
            let Representation { etag, last_modified, .. } = *representation;
            Brought::Same(Validators { etag, last_modified })
        }
        Fetched::Representation(representation) => {
            let in_place = is_small(&representation.body) && !tools.extractor.may_wait(&representation);
            let reading = if in_place {
                read(step.as_deref(), *representation, &tools)
            } else {
                let task = tokio::task::spawn_blocking(move || read(step.as_deref(), *representation, &tools));
                task.await.expect("reading catches its panics")
            };
            Brought::Document(Box::new(reading))
        }
    })
}

fn is_small(body: &Body) -> bool {
    matches!(body, Body::Whole { bytes, .. } if bytes.len() <= READ_IN_PLACE_BYTES_MAX)
}

fn validators(had: &Document) -> Validators {
    Validators { etag: had.etag.clone(), last_modified: had.last_modified.clone() }
}

/// Whether a representation is what was had before, so that it need not be read.
/// One that came in part, or as a stream, may be; reading will tell.
fn is_same(representation: &Representation, had: &Document) -> bool {
    let Body::Whole { bytes, cut: None } = &representation.body else { return false };
    had.digest != 0 && representation.content_type == had.declared && xxh3_64(bytes) == had.digest
}

fn read(step: Option<&Step>, mut representation: Representation, tools: &Tools) -> Reading {
    let status = representation.status;
    let content_type = representation.content_type.clone();
    let etag = representation.etag.take();
    let last_modified = representation.last_modified.take();
    let mut basket = Basket {
        draft: tools.store.draft(&representation.uri),
        links: Vec::new(),
        faults: Vec::new(),
        facts: tools.facts.clone().map(FactsReader::new),
    };
    // A page that breaks the reader must not break the crawl: what came before
    // is kept.
    let read = catch_unwind(AssertUnwindSafe(|| match step {
        Some(step) => tools.extractor.take_step(step, representation, &mut basket),
        None => tools.extractor.extract(representation, &mut basket),
    }));
    let extracted = read.unwrap_or_else(|_| {
        basket.faults.push(Fault::new(FaultKind::Panic, "the reader broke"));
        Extracted { syntax: "other", ..Extracted::default() }
    });
    let Basket { draft, links, faults, facts } = basket;
    let facts = facts.map(FactsReader::finish);
    // What a whole is known by must not keep a part from being replaced.
    let is_whole = !faults.iter().any(|fault| fault.kind.cuts_short());
    let (etag, last_modified) = (etag.filter(|_| is_whole), last_modified.filter(|_| is_whole));
    Reading { status, content_type, etag, last_modified, extracted, links, faults, draft: draft.finish(), facts }
}

/// Takes what an extractor finds.
struct Basket {
    draft: Box<dyn Draft>,
    links: Vec<Link>,
    faults: Vec<Fault>,
    facts: Option<FactsReader>,
}

impl Sink for Basket {
    fn quad(&mut self, quad: QuadRef<'_>) {
        if let Some(facts) = &mut self.facts {
            facts.quad(quad);
        }
        self.draft.append(quad);
    }

    fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}
