//! Measures the CPU time of URI selection: features, prediction and update.
//!
//! `selection_speed [MINIWEB]` offers, judges and learns every link of the mini web once, in the
//! order of its pages, with each strategy. If there is no mini web, links are generated. Target:
//! `ldcoc +t+r+p` with 2²² coordinates takes less than 10 µs per URI (paper: 49.78 ms). For
//! comparison, it measures a naive implementation with strings in a hash map.
#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "it is a measurement")]

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use flate2::read::GzDecoder;
use lodeward::extract::{DocumentReader, ExtractOptions, ExtractSink, Extractor};
use lodeward::fetch::warc::WarcReplay;
use lodeward::fetch::{FetchOutcome, FetchRequest, Fetcher};
use lodeward::frontier::{DomainOrder, FeatureVector, Lease, LeaseToken, Offer};
use lodeward::model::{Fault, Link, LinkKind, ProbeResult, Relevance, Uri};
use lodeward::select::breadth_first::{depth_priority, queue_entry};
use lodeward::select::{
    BreadthFirstStrategy, Decision, Judgement, LinkContext, RequestEnd, RequestResult, Strategy, StrategyOptions,
    ldcoc, learned,
};
use oxrdf::QuadRef;
use rand::SeedableRng;
use rand::rngs::SmallRng;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number of documents per measurement, large enough that the cost of reading the clock is
/// negligible.
const GROUP: usize = 500;

/// A document, and its links that no earlier document had.
struct Page {
    uri: Uri,
    links: Vec<Link>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let dir = std::env::args().nth(1).map_or_else(|| toyweb::test_data::find("data/miniweb"), |path| Some(path.into()));
    let (pages, rdf_uris) = match &dir {
        Some(dir) => mini_web(dir).await,
        None => generated_web(),
    };
    let links: usize = pages.iter().map(|page| page.links.len()).sum();
    let source = if dir.is_some() { "the mini web" } else { "generated" };
    println!("{links} URIs in {} documents, {source}\n", pages.len());
    println!("| strategy | offer | judge | learn | rescore | µs of CPU per URI | times ldcoc |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let options = |features: &str| ldcoc::LdcocOptions {
        features: features.parse().expect("a combination of feature sets"),
        ..ldcoc::LdcocOptions::default()
    };
    let build = |options: StrategyOptions| options.build(None).expect("a new model is valid");
    let ldcoc = |features: &str| build(StrategyOptions::Ldcoc(options(features)));
    let named = learned::LearnedOptions { max_names: 65_536, ..learned::LearnedOptions::default() };
    let nameless = ldcoc::LdcocOptions { max_names: 0, ..options("+t+r+p") };
    let contenders: Vec<(&str, Box<dyn Strategy>)> = vec![
        ("ldcoc +t+r+p", ldcoc("+t+r+p")),
        ("ldcoc +t+r+p, without names", build(StrategyOptions::Ldcoc(nameless))),
        ("ldcoc +t", ldcoc("+t")),
        ("ldcoc +t+r+p+x", ldcoc("+t+r+p+x")),
        ("learned, 2^20", build(StrategyOptions::Learned(named))),
        ("naive +t+r+p: strings in a hash map", Box::new(NaiveStrategy::default())),
        ("bfs", Box::new(BreadthFirstStrategy)),
    ];
    let mut baseline = None;
    for (name, mut strategy) in contenders {
        let spent = run(&pages, &rdf_uris, &mut *strategy).map(|seconds| seconds * 1e6 / links as f64);
        let total: f64 = spent.iter().sum();
        let baseline = *baseline.get_or_insert(total);
        let [place, judge, learn, score] = spent;
        let times = total / baseline;
        println!("| {name} | {place:.2} | {judge:.2} | {learn:.2} | {score:.2} | **{total:.2}** | {times:.2} |");
    }
}

/// Number of times a frontier rescores an entry per lease: see `frontier/schedule`.
const RESCORES_PER_LEASE: usize = 20;

/// The CPU time to offer, judge and learn every link once, and to rescore it as often as a
/// frontier does.
fn run(pages: &[Page], rdf_uris: &HashSet<Uri>, strategy: &mut dyn Strategy) -> [f64; 4] {
    let mut rng = SmallRng::seed_from_u64(0);
    let mut spent = [0.0; 4];
    let rescores = if strategy.order() == DomainOrder::RoundRobin { 0 } else { RESCORES_PER_LEASE };
    let mut fetched = 0_u64;
    for group in pages.chunks(GROUP) {
        let cloned: Vec<_> = group.iter().map(|page| (&page.uri, page.links.clone())).collect();
        let mut offers = Vec::with_capacity(group.len());
        let begin = cpu_seconds();
        for (uri, links) in cloned {
            offers.push(strategy.offer_links(&link_context(uri), links, &mut rng));
        }
        let offered = cpu_seconds();
        let leases: Vec<Lease> = offers.into_iter().flatten().filter_map(probed).collect();
        let begin_judging = cpu_seconds();
        for lease in &leases {
            fetched += u64::from(strategy.judge(lease, &mut rng).decision == Decision::Fetch);
        }
        let judged = cpu_seconds();
        for lease in &leases {
            let is_relevant = rdf_uris.contains(&lease.entry.target);
            let relevance = if is_relevant { Relevance::Rdf } else { Relevance::None };
            let end = RequestEnd::Document { relevance, media_type: Some("text/html"), digest: 0 };
            strategy.learn(&RequestResult { lease, weight: 1.0, end });
        }
        let learned = cpu_seconds();
        for lease in std::iter::repeat_n(&leases, rescores).flatten() {
            std::hint::black_box(strategy.score(&lease.entry, &mut rng));
        }
        let scored = cpu_seconds();
        let phases = [offered - begin, judged - begin_judging, learned - judged, scored - learned];
        for (spent, now) in spent.iter_mut().zip(phases) {
            *spent += now;
        }
    }
    std::hint::black_box(fetched);
    spent
}

fn link_context(uri: &Uri) -> LinkContext<'_> {
    let relevance = Relevance::Rdf;
    LinkContext { source: Some(uri), lease: None, format: "turtle", relevance, depth: 1, redirects: 0 }
}

/// The lease of a probed URI, with all features of a hard URI.
fn probed(offer: Offer) -> Option<Lease> {
    let Offer::Queue(entry) = offer else { return None };
    let probe =
        ProbeResult { status: 200, media_type: Some("text/html".to_owned()), location: None, retry_after_s: None };
    Some(Lease { token: LeaseToken::default(), entry, attempt: 0, probe: Some(probe), verdict: None })
}

/// CPU time of this thread, which is independent of other load.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts CPU time");
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).expect("a number comes first") / 1e9
}

/// A naive implementation of LDCOC +t+r+p.
#[derive(Default)]
struct NaiveStrategy {
    states: HashMap<String, (f64, f64)>,
    waiting: HashMap<Uri, Vec<String>>,
}

impl NaiveStrategy {
    fn features(role: &str, url_text: &str) -> Vec<String> {
        let Ok(url) = url::Url::parse(url_text) else { return Vec::new() };
        let mut features = vec![
            format!("{role}.scheme={}", url.scheme()),
            format!("{role}.authority={}", url.authority()),
            format!("{role}.host={}", url.host_str().unwrap_or_default()),
            format!("{role}.path={}", url.path()),
        ];
        features.extend(url.query().map(|query| format!("{role}.query={query}")));
        features.extend(url.fragment().map(|fragment| format!("{role}.fragment={fragment}")));
        features
    }

    fn weight(&self, feature: &str) -> f64 {
        let (z, n) = self.states.get(feature).copied().unwrap_or_default();
        if z.abs() <= 0.1 { 0.0 } else { -(z - z.signum() * 0.1) / ((1.0 + n.sqrt()) / 0.5 + 0.1) }
    }

    fn lease_features(&self, lease: &Lease) -> Vec<String> {
        let mut features = self.waiting.get(&lease.entry.target).cloned().unwrap_or_default();
        let media_type = lease.probe.as_ref().and_then(|probe| probe.media_type.clone());
        features.push(format!("t.type={}", media_type.unwrap_or_default()));
        features
    }

    fn predict(&self, features: &[String]) -> f64 {
        let sum: f64 = features.iter().map(|feature| self.weight(feature)).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

impl Strategy for NaiveStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        let mut offers = Vec::new();
        for link in links {
            let mut features = Self::features("t", link.target.as_str());
            features.extend(found.source.map_or_else(Vec::new, |source| Self::features("r", source.as_str())));
            if let LinkKind::Triple { properties, .. } = &link.via {
                features.extend(properties.iter().flat_map(|property| Self::features("p", property)));
            }
            features.sort();
            features.dedup();
            self.waiting.insert(link.target.clone(), features);
            offers.push(Offer::Queue(queue_entry(found, link, depth_priority(found), FeatureVector::default())));
        }
        offers
    }

    fn judge(&mut self, lease: &Lease, _: &mut SmallRng) -> Judgement {
        let positive = self.predict(&self.lease_features(lease)) > 0.5;
        Judgement::without_verdict(if positive { Decision::Fetch } else { Decision::Skip })
    }

    fn learn(&mut self, result: &RequestResult<'_>) {
        let features = self.lease_features(result.lease);
        let label = if result.end.is_rdf() { 1.0 } else { 0.0 };
        let gradient = f64::from(result.weight) * (self.predict(&features) - label);
        for feature in features {
            let weight = self.weight(&feature);
            let (z, n) = self.states.entry(feature).or_default();
            let sigma = ((*n + gradient * gradient).sqrt() - n.sqrt()) / 0.5;
            *z += gradient - sigma * weight;
            *n += gradient * gradient;
        }
        self.waiting.remove(&result.lease.entry.target);
    }
}

#[derive(Default)]
struct LinkSink(Vec<Link>);

impl ExtractSink for LinkSink {
    fn quad(&mut self, _: QuadRef<'_>) {}

    fn link(&mut self, link: Link) {
        self.0.push(link);
    }

    fn fault(&mut self, _: Fault) {}
}

/// Pages of the mini web, and its URIs with RDF.
async fn mini_web(dir: &Path) -> (Vec<Page>, HashSet<Uri>) {
    let recordings = ["public-1.warc.gz", "public-2.warc.gz"].map(|name| dir.join(name));
    let replay = WarcReplay::open(recordings.to_vec()).expect("recordings");
    let reader = DocumentReader::new(ExtractOptions { max_siblings: ldcoc::MAX_SIBLINGS, ..ExtractOptions::default() });
    let manifest = File::open(dir.join("manifest.tsv.gz")).expect("a manifest");
    let (mut rdf_uris, mut pages, mut known) = (HashSet::new(), Vec::new(), HashSet::new());
    for line in BufReader::new(GzDecoder::new(manifest)).lines().skip(1) {
        let line = line.expect("a whole manifest");
        let columns: Vec<&str> = line.split('\t').collect();
        let Ok(uri) = Uri::parse(columns[0]) else { continue };
        if columns[6] == "rdf" {
            rdf_uris.insert(uri.clone());
        }
        if columns[3] != "200" {
            continue;
        }
        let response = replay.fetch(FetchRequest::harvest(&uri)).await;
        if let Ok(FetchOutcome::Representation(representation)) = response.result {
            let mut links = LinkSink::default();
            reader.extract(*representation, &mut links);
            links.0.retain(|link| link.target.extension().is_none_or(|extension| is_hard(&extension)));
            links.0.retain(|link| known.insert(link.target.clone()));
            pages.push(Page { uri, links: links.0 });
        }
    }
    (pages, rdf_uris)
}

fn is_hard(extension: &str) -> bool {
    !["ttl", "rdf", "owl", "nt", "nq", "trig", "n3", "jsonld", "png", "jpg", "css", "js", "pdf"].contains(&extension)
}

/// Generated documents that link to each other: a hundred hosts, a dozen properties.
fn generated_web() -> (Vec<Page>, HashSet<Uri>) {
    let properties: Vec<Arc<str>> = (0..12).map(|n| format!("http://vocabulary.example/terms#{n}").into()).collect();
    let uri = |n: usize| Uri::parse(&format!("http://host-{}.example/data/items/{n}?v=1", n % 100)).expect("a URL");
    let link = |n: usize| {
        let properties = (0..3).map(|index| Arc::clone(&properties[(n + index) % 12])).collect();
        Link {
            target: uri(n),
            via: LinkKind::Triple { properties, vocabulary: false, siblings: Vec::new(), type_hint: None },
        }
    };
    let page = |n: usize| Page { uri: uri(n), links: (n * 40..(n + 1) * 40).map(link).collect() };
    let rdf_uris = (0..100_000).filter(|n| n % 100 < 30).map(uri).collect();
    ((1..2_500).map(page).collect(), rdf_uris)
}
