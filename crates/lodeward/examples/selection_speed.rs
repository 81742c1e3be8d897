//! What it costs to choose: CPU time per URI for features, prediction and update.
//!
//! `selection_speed [MINIWEB]` places, judges and learns every link of the mini
//! web once, in the order of its pages, with each strategy in turn; without the
//! mini web, links that are made up. The question is whether `ldcoc +t+r+p` at 2²²
//! coordinates stays below 10 µs (the paper's took 49.78 ms); beside it stands the
//! same as one would first write it: texts in a hash map.
#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "it is a measurement")]

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use flate2::read::GzDecoder;
use lodeward::extract::{Extractor, Options, Reader, Sink};
use lodeward::fetch::warc::Replay;
use lodeward::fetch::{Fetched, Fetcher, Purpose};
use lodeward::frontier::Offer;
use lodeward::model::{Fault, Features, Link, Probe, Relevance, Uri, Via, Visit};
use lodeward::select::breadth_first::{by_depth, candidate};
use lodeward::select::{
    BreadthFirst, Decision, End, Found, Judgement, Ldcoc, Learned, Lesson, Order, Strategy, ldcoc, learned,
};
use oxrdf::QuadRef;
use rand::SeedableRng;
use rand::rngs::SmallRng;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Documents whose links are placed, judged and learned together: enough that
/// looking at the clock costs nothing.
const GROUP: usize = 500;

/// A document, and the links in it that no document before it had.
struct Page {
    uri: Uri,
    links: Vec<Link>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = std::env::args().nth(1).map_or_else(|| toyweb::shared::find("data/miniweb"), |path| Some(path.into()));
    let (pages, relevant) = match &folder {
        Some(folder) => real(folder).await,
        None => made_up(),
    };
    let links: usize = pages.iter().map(|page| page.links.len()).sum();
    let source = if folder.is_some() { "the mini web" } else { "made up" };
    println!("{links} URIs in {} documents, {source}\n", pages.len());
    println!("| strategy | place | judge | learn | score again | µs of CPU per URI | times ldcoc |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let options = |features: &str| ldcoc::Options {
        features: features.parse().expect("a combination of feature sets"),
        ..ldcoc::Options::default()
    };
    let ldcoc = |features: &str| Ldcoc::new(options(features), None).expect("it begins from nothing");
    let named = learned::Options { names_max: 65_536, ..learned::Options::default() };
    let nameless = ldcoc::Options { names_max: 0, ..options("+t+r+p") };
    let contenders: Vec<(&str, Box<dyn Strategy>)> = vec![
        ("ldcoc +t+r+p", Box::new(ldcoc("+t+r+p"))),
        ("ldcoc +t+r+p, without names", Box::new(Ldcoc::new(nameless, None).expect("it begins from nothing"))),
        ("ldcoc +t", Box::new(ldcoc("+t"))),
        ("ldcoc +t+r+p+x", Box::new(ldcoc("+t+r+p+x"))),
        ("learned, 2^20", Box::new(Learned::new(named, None).expect("it begins from nothing"))),
        ("naive +t+r+p: texts in a hash map", Box::new(Naive::default())),
        ("bfs", Box::new(BreadthFirst)),
    ];
    let mut baseline = None;
    for (name, mut strategy) in contenders {
        let spent = run(&pages, &relevant, &mut *strategy).map(|seconds| seconds * 1e6 / links as f64);
        let total: f64 = spent.iter().sum();
        let baseline = *baseline.get_or_insert(total);
        let [place, judge, learn, score] = spent;
        let times = total / baseline;
        println!("| {name} | {place:.2} | {judge:.2} | {learn:.2} | {score:.2} | **{total:.2}** | {times:.2} |");
    }
}

/// How often a frontier asks again what a candidate is worth, for each visit: see
/// `frontier/schedule`.
const SCORED_AGAIN: usize = 20;

/// The CPU time to place, to judge and to learn every link once, and to score it
/// again as often as a frontier asks.
fn run(pages: &[Page], relevant: &HashSet<Uri>, strategy: &mut dyn Strategy) -> [f64; 4] {
    let mut rng = SmallRng::seed_from_u64(0);
    let mut spent = [0.0; 4];
    let again = if strategy.order() == Order::RoundRobin { 0 } else { SCORED_AGAIN };
    let mut fetched = 0_u64;
    for group in pages.chunks(GROUP) {
        let cloned: Vec<_> = group.iter().map(|page| (&page.uri, page.links.clone())).collect();
        let mut offers = Vec::with_capacity(group.len());
        let begin = cpu_seconds();
        for (uri, links) in cloned {
            offers.push(strategy.place(&found_in(uri), links, &mut rng));
        }
        let placed = cpu_seconds();
        let visits: Vec<Visit> = offers.into_iter().flatten().filter_map(probed).collect();
        let begin_judging = cpu_seconds();
        for visit in &visits {
            fetched += u64::from(strategy.judge(visit, &mut rng).decision == Decision::Fetch);
        }
        let judged = cpu_seconds();
        for visit in &visits {
            let is_relevant = relevant.contains(&visit.candidate.target);
            let relevance = if is_relevant { Relevance::Rdf } else { Relevance::None };
            let end = End::Document { relevance, media_type: Some("text/html"), digest: 0 };
            strategy.learn(&Lesson { visit, weight: 1.0, end });
        }
        let learned = cpu_seconds();
        for visit in std::iter::repeat_n(&visits, again).flatten() {
            std::hint::black_box(strategy.score(&visit.candidate, &mut rng));
        }
        let scored = cpu_seconds();
        let phases = [placed - begin, judged - begin_judging, learned - judged, scored - learned];
        for (spent, now) in spent.iter_mut().zip(phases) {
            *spent += now;
        }
    }
    std::hint::black_box(fetched);
    spent
}

fn found_in(uri: &Uri) -> Found<'_> {
    let relevance = Relevance::Rdf;
    Found { source: Some(uri), visit: None, syntax: "turtle", relevance, depth: 1, redirects: 0 }
}

/// A visit whose media type was asked for: the whole way of a hard URI.
fn probed(offer: Offer) -> Option<Visit> {
    let Offer::Queue(candidate) = offer else { return None };
    let probe = Probe { status: 200, media_type: Some("text/html".to_owned()), location: None };
    Some(Visit { lease: 0, candidate, attempt: 0, probe: Some(probe), verdict: None })
}

/// What this thread has used of a processor: other load does not count.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts CPU time");
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).expect("a number comes first") / 1e9
}

/// LDCOC +t+r+p as one would first write it.
#[derive(Default)]
struct Naive {
    states: HashMap<String, (f64, f64)>,
    waiting: HashMap<Uri, Vec<String>>,
}

impl Naive {
    fn features(role: &str, address: &str) -> Vec<String> {
        let Ok(url) = url::Url::parse(address) else { return Vec::new() };
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

    fn of_visit(&self, visit: &Visit) -> Vec<String> {
        let mut features = self.waiting.get(&visit.candidate.target).cloned().unwrap_or_default();
        let media_type = visit.probe.as_ref().and_then(|probe| probe.media_type.clone());
        features.push(format!("t.type={}", media_type.unwrap_or_default()));
        features
    }

    fn predict(&self, features: &[String]) -> f64 {
        let sum: f64 = features.iter().map(|feature| self.weight(feature)).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

impl Strategy for Naive {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        let mut offers = Vec::new();
        for link in links {
            let mut features = Self::features("t", link.target.as_str());
            features.extend(found.source.map_or_else(Vec::new, |source| Self::features("r", source.as_str())));
            if let Via::Triple { properties, .. } = &link.via {
                features.extend(properties.iter().flat_map(|property| Self::features("p", property)));
            }
            features.sort();
            features.dedup();
            self.waiting.insert(link.target.clone(), features);
            offers.push(Offer::Queue(candidate(found, link, by_depth(found), Features::default())));
        }
        offers
    }

    fn judge(&mut self, visit: &Visit, _: &mut SmallRng) -> Judgement {
        let positive = self.predict(&self.of_visit(visit)) > 0.5;
        Judgement::plain(if positive { Decision::Fetch } else { Decision::Skip })
    }

    fn learn(&mut self, lesson: &Lesson<'_>) {
        let features = self.of_visit(lesson.visit);
        let label = if lesson.end.is_rdf() { 1.0 } else { 0.0 };
        let gradient = f64::from(lesson.weight) * (self.predict(&features) - label);
        for feature in features {
            let weight = self.weight(&feature);
            let (z, n) = self.states.entry(feature).or_default();
            let sigma = ((*n + gradient * gradient).sqrt() - n.sqrt()) / 0.5;
            *z += gradient - sigma * weight;
            *n += gradient * gradient;
        }
        self.waiting.remove(&lesson.visit.candidate.target);
    }
}

#[derive(Default)]
struct Links(Vec<Link>);

impl Sink for Links {
    fn quad(&mut self, _: QuadRef<'_>) {}

    fn link(&mut self, link: Link) {
        self.0.push(link);
    }

    fn fault(&mut self, _: Fault) {}
}

/// Pages of the mini web, and the URIs that hold RDF.
async fn real(folder: &Path) -> (Vec<Page>, HashSet<Uri>) {
    let recordings = ["public-1.warc.gz", "public-2.warc.gz"].map(|name| folder.join(name));
    let replay = Replay::open(recordings.to_vec()).expect("recordings");
    let reader = Reader::new(Options { siblings_max: ldcoc::SIBLINGS_MAX, ..Options::default() });
    let manifest = File::open(folder.join("manifest.tsv.gz")).expect("a manifest");
    let (mut relevant, mut pages, mut known) = (HashSet::new(), Vec::new(), HashSet::new());
    for line in BufReader::new(GzDecoder::new(manifest)).lines().skip(1) {
        let line = line.expect("a whole manifest");
        let columns: Vec<&str> = line.split('\t').collect();
        let Ok(uri) = Uri::parse(columns[0]) else { continue };
        if columns[6] == "rdf" {
            relevant.insert(uri.clone());
        }
        if columns[3] != "200" {
            continue;
        }
        if let Ok(Fetched::Representation(representation)) = replay.fetch(&uri, Purpose::Harvest).await {
            let mut links = Links::default();
            reader.extract(*representation, &mut links);
            links.0.retain(|link| link.target.extension().is_none_or(|extension| is_hard(&extension)));
            links.0.retain(|link| known.insert(link.target.clone()));
            pages.push(Page { uri, links: links.0 });
        }
    }
    (pages, relevant)
}

fn is_hard(extension: &str) -> bool {
    !["ttl", "rdf", "owl", "nt", "nq", "trig", "n3", "jsonld", "png", "jpg", "css", "js", "pdf"].contains(&extension)
}

/// Documents that link to documents, on a hundred hosts, by a dozen properties.
fn made_up() -> (Vec<Page>, HashSet<Uri>) {
    let properties: Vec<Arc<str>> = (0..12).map(|n| format!("http://vocabulary.example/terms#{n}").into()).collect();
    let uri =
        |n: usize| Uri::parse(&format!("http://host-{}.example/data/items/{n}?v=1", n % 100)).expect("an address");
    let link = |n: usize| {
        let properties = (0..3).map(|place| Arc::clone(&properties[(n + place) % 12])).collect();
        Link { target: uri(n), via: Via::Triple { properties, vocabulary: false, siblings: Vec::new(), telling: None } }
    };
    let page = |n: usize| Page { uri: uri(n), links: (n * 40..(n + 1) * 40).map(link).collect() };
    let relevant = (0..100_000).filter(|n| n % 100 < 30).map(uri).collect();
    ((1..2_500).map(page).collect(), relevant)
}
