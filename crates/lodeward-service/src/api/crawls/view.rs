//! A crawl, as answers tell it.

use std::collections::BTreeMap;

use lodeward::engine::{Ending, Snapshot};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::CRAWLS;
use crate::api::moment::Moment;
use crate::fleet::{State, View};

/// A crawl.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Crawl {
    /// Its number.
    #[schema(minimum = 1)]
    id: u32,
    /// Its name.
    name: String,
    /// Who began it; nobody here if it was begun on the command line.
    user: Option<String>,
    /// For whom, if that is somebody whom only they know.
    on_behalf_of: Option<String>,
    /// Where its requests are spent.
    strategy: String,
    /// How it is doing.
    state: State,
    /// When it was begun.
    created_at: Moment,
    /// The template that its seeds come from.
    template: Option<String>,
    /// How many seeds it has.
    seeds: usize,
    /// Its own settings, section by section: those of its template, too.
    settings: BTreeMap<String, BTreeMap<String, Value>>,
    /// Whether it records what it is answered.
    warc: bool,
    /// Its counts over all its runs; none if it never ran.
    counters: Option<Counters>,
    /// Requests in a second, while it runs.
    #[schema(minimum = 0)]
    requests_per_second: Option<f64>,
    /// As of when its counts are.
    updated_at: Option<Moment>,
    /// Why its last run ended.
    ending: Option<Why>,
    /// Why it could not go on.
    failure: Option<String>,
    /// Why the service has stopped it, if that was not somebody's wish, and when it can
    /// be resumed.
    stopped_because: Option<String>,
    /// Where more is told of it.
    links: Links,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = Ending)]
pub(crate) enum Why {
    /// Everything that was found has been dealt with.
    Drained,
    /// The allowed number of requests was made.
    MaxRequests,
    /// The allowed number of documents was had.
    MaxDocuments,
    /// The allowed number of documents with RDF was had.
    MaxRelevant,
    /// Somebody said so, or the service was stopped.
    Stopped,
}

/// Where more is told of a crawl.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CrawlLinks)]
pub(crate) struct Links {
    /// The crawl itself.
    #[serde(rename = "self")]
    own: String,
    /// Its seeds.
    seeds: String,
    /// Its candidates, the best first.
    candidates: String,
    /// What it has harvested.
    documents: String,
    /// What became of every URI.
    journal: String,
    /// What happens, as it happens.
    events: String,
}

/// What a crawl has done, over all its runs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Counters {
    /// All requests.
    requests: u64,
    /// GET requests for documents.
    requests_get: u64,
    /// HEAD requests.
    requests_head: u64,
    /// Requests for robots.txt.
    requests_robots: u64,
    /// Documents had.
    documents: u64,
    /// Of them, those that hold RDF.
    relevant: u64,
    /// Documents by how many hops they are from the seeds, those of the seeds first.
    documents_by_hop: Vec<u64>,
    /// Documents by their syntax.
    documents_by_syntax: BTreeMap<String, u64>,
    /// Quads stored.
    quads: u64,
    /// Bytes of documents, after decompression.
    bytes: u64,
    /// Redirects met.
    redirects: u64,
    /// URIs given up after a failure.
    failed: u64,
    /// Documents that were there once, and are no more.
    vanished: u64,
    /// What went wrong with documents, by kind.
    faults: BTreeMap<String, u64>,
    /// URIs that were not visited, by reason.
    drops: BTreeMap<String, u64>,
    /// URIs ever found.
    known: u64,
    /// URIs that wait for their turn.
    waiting: u64,
    /// URIs that are being visited.
    under_way: u64,
    /// Pay-level domains ever seen.
    plds: u64,
    /// Seconds since its last run began.
    #[schema(minimum = 0)]
    elapsed_s: f64,
}

impl Crawl {
    pub(crate) fn of(view: View, seeds: usize) -> Self {
        let View {
            id,
            name,
            user,
            on_behalf_of,
            strategy,
            state,
            template,
            warc,
            failure,
            stopped_because,
            requests_per_second,
            ..
        } = view;
        Self {
            id,
            name,
            user,
            on_behalf_of,
            strategy,
            state,
            created_at: Moment::of_ms(view.created_at_ms),
            template,
            seeds,
            settings: settings(&view.settings),
            warc,
            counters: view.snapshot.as_ref().map(Counters::of),
            requests_per_second,
            updated_at: view.updated_at_ms.map(Moment::of_ms),
            ending: view.ending.map(Why::of),
            failure,
            stopped_because,
            links: Links::of(id),
        }
    }
}

impl Why {
    fn of(ending: Ending) -> Self {
        match ending {
            Ending::Drained => Self::Drained,
            Ending::MaxRequests => Self::MaxRequests,
            Ending::MaxDocuments => Self::MaxDocuments,
            Ending::MaxRelevant => Self::MaxRelevant,
            Ending::Stopped => Self::Stopped,
        }
    }
}

impl Links {
    fn of(id: u32) -> Self {
        let part = |part: &str| format!("{CRAWLS}/{id}/{part}");
        Self {
            own: format!("{CRAWLS}/{id}"),
            seeds: part("seeds"),
            candidates: part("candidates"),
            documents: part("documents"),
            journal: part("journal"),
            events: part("events"),
        }
    }
}

impl Counters {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let Snapshot { tally, census, elapsed, .. } = snapshot;
        Self {
            requests: tally.requests(),
            requests_get: tally.requests_get,
            requests_head: tally.requests_head,
            requests_robots: tally.requests_robots,
            documents: tally.documents,
            relevant: tally.relevant,
            documents_by_hop: tally.documents_by_hop.clone(),
            documents_by_syntax: tally.by_syntax.clone(),
            quads: tally.quads,
            bytes: tally.bytes,
            redirects: tally.redirects,
            failed: tally.failed,
            vanished: tally.vanished,
            faults: tally.faults.clone(),
            drops: tally.drops.clone(),
            known: census.known,
            waiting: census.waiting,
            under_way: census.leased,
            plds: census.plds,
            elapsed_s: elapsed.as_secs_f64(),
        }
    }
}

fn settings(table: &toml::Table) -> BTreeMap<String, BTreeMap<String, Value>> {
    let json = |value: &toml::Value| serde_json::to_value(value).unwrap_or_default();
    let section = |(name, keys): (&String, &toml::Value)| {
        let keys = keys.as_table()?.iter().map(|(key, value)| (key.clone(), json(value))).collect();
        Some((name.clone(), keys))
    };
    table.iter().filter_map(section).collect()
}
