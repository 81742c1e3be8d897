//! Focused crawls of small webs of entities, in virtual time.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, StatusCode};
use lodeward::crawl::CrawlBuilder;
use lodeward::discover::DiscoverPolicy;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, EngineOptions};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::Uri;
use lodeward::select::{BreadthFirstStrategy, Strategy};
use lodeward::store::MemoryStore;
use lodeward_focus::rank::terms::Tokeniser;
use lodeward_focus::rank::{FactBase, FactLimits, ranker_kind::RankerKind};
use lodeward_focus::strategy::{self as focus, DescriptionEndpoint, FocusStrategy};
use oxigraph::io::RdfFormat;
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use tokio::sync::{mpsc, watch};
use toyweb::entities::{EntityWeb, EntityWebSources};
use toyweb::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};

use crate::in_process::InProcessFetcher;

const CATHEDRAL: &str = "http://e.example/Cologne_Cathedral";

/// Links between entities of e.example: churches share a style, and a country connects everything.
const LINKS: &[(&str, &str, &str)] = &[
    ("Cologne_Cathedral", "country", "Germany"),
    ("Cologne_Cathedral", "style", "Gothic"),
    ("Cologne_Cathedral", "place", "Cologne"),
    ("Ulm_Cathedral", "style", "Gothic"),
    ("Cologne", "country", "Germany"),
    ("Beer", "country", "Germany"),
    ("Football", "country", "Germany"),
    ("Sausage", "country", "Germany"),
    ("Autobahn", "country", "Germany"),
    ("Beer", "made_of", "Malt"),
    ("Football", "played_on", "Lawn"),
    ("Sausage", "eaten_with", "Mustard"),
];

/// A web of these entities, each labelled with its name.
fn entities() -> Arc<dyn Web> {
    let dir = tempfile::tempdir().unwrap();
    let (mut table, mut links) = ("uri\tlabel\n".to_owned(), "subject\tpredicate\tobject\n".to_owned());
    let iri = |name: &str| format!("http://e.example/{name}");
    let mut names: Vec<&str> = LINKS.iter().flat_map(|(subject, _, object)| [*subject, *object]).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        writeln!(table, "{}\t{}", iri(name), name.replace('_', " ")).unwrap();
    }
    for (subject, predicate, object) in LINKS {
        writeln!(links, "{}\thttp://e.example/p/{predicate}\t{}", iri(subject), iri(object)).unwrap();
    }
    let [entities, links] = [("entities.tsv", table), ("links.tsv", links)].map(|(name, text)| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    });
    let sources = EntityWebSources { entities: vec![entities], links: vec![links], ..EntityWebSources::default() };
    Arc::new(EntityWeb::load(&sources).unwrap())
}

fn settings() -> focus::FocusOptions {
    focus::FocusOptions {
        ranking: lodeward_focus::rank::options::RankingOptions {
            ranker: Some(RankerKind::Ejsim),
            ..Default::default()
        },
        max_candidates_per_hop: 100,
        strict_hops: false,
        facts: Arc::default(),
        descriptions_endpoint: None,
    }
}

/// A new crawl, with the user's marks.
fn start(marks: Vec<(String, bool)>) -> focus::FocusStart {
    let fact_base = FactBase::new(FactLimits::default(), Tokeniser::default());
    focus::FocusStart { seeds: Vec::new(), seed_entities: Vec::new(), marks, fact_base, reference: None }
}

fn focus(change: impl FnOnce(&mut focus::FocusOptions)) -> Box<dyn Strategy> {
    let mut settings = settings();
    change(&mut settings);
    Box::new(FocusStrategy::new(settings, start(Vec::new())))
}

/// Crawls from the cathedral with one request at a time. Returns the fetched entities in order.
async fn fetched(strategy: Box<dyn Strategy>, web: Arc<dyn Web>) -> Vec<String> {
    let fetcher = Arc::new(InProcessFetcher::new(web));
    let crawl = CrawlBuilder {
        discover: DiscoverPolicy::default(),
        options: EngineOptions { delay: Duration::ZERO, max_concurrent_requests: 1, ..EngineOptions::default() },
        ..CrawlBuilder::new(
            Arc::new(MemoryFrontier::new(None)),
            strategy,
            Arc::clone(&fetcher) as _,
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            Arc::new(MemoryStore::default()),
        )
    }
    .build();
    let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, _watcher) = watch::channel(CrawlSnapshot::default());
    crawl.run(vec![Uri::parse(CATHEDRAL).unwrap()], commands, progress).await.unwrap();
    let log = std::mem::take(&mut *fetcher.log.lock().unwrap());
    let documents = log.iter().filter(|entry| entry.status == 200);
    documents.map(|entry| entry.url.rsplit('/').next().unwrap().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn entity_marked_as_irrelevant_is_not_fetched() {
    let settings = settings();
    let marks = vec![("http://e.example/Germany".to_owned(), false), ("http://e.example/Gothic".to_owned(), true)];
    let strategy = FocusStrategy::new(settings, start(marks));

    let fetched = fetched(Box::new(strategy), entities()).await;

    assert!(!fetched.contains(&"Germany".to_owned()) && fetched.contains(&"Gothic".to_owned()), "{fetched:?}");
    assert!(!fetched.contains(&"Beer".to_owned()), "nor entities linked from it only: {fetched:?}");
}

fn rank(fetched: &[String], name: &str) -> usize {
    fetched.iter().position(|other| other == name).unwrap_or_else(|| panic!("{name} is not in {fetched:?}"))
}

#[tokio::test(start_paused = true)]
async fn entities_similar_to_the_seed_are_fetched_first() {
    let focused = fetched(focus(|_| {}), entities()).await;
    let broad = fetched(Box::new(BreadthFirstStrategy), entities()).await;

    assert_eq!(focused[0], "Cologne_Cathedral");
    for other in ["Beer", "Football", "Sausage", "Autobahn"] {
        assert!(rank(&focused, "Ulm_Cathedral") < rank(&focused, other), "{focused:?}");
    }
    assert!(rank(&focused, "Ulm_Cathedral") < rank(&broad, "Ulm_Cathedral"), "{focused:?} {broad:?}");
}

#[tokio::test(start_paused = true)]
async fn entities_beyond_the_depth_are_not_fetched() {
    let check = async |depth: Option<u8>, has_malt: bool| {
        let fetched = fetched(focus(|settings| settings.ranking.max_hops = depth), entities()).await;
        assert_eq!(fetched.contains(&"Malt".to_owned()), has_malt, "depth {depth:?}: {fetched:?}");
        assert!(fetched.contains(&"Gothic".to_owned()));
    };

    check(Some(1), false).await;
    check(Some(2), false).await;
    check(Some(3), true).await;
    // Too few entities are within two links.
    check(None, true).await;
    // A crawl with a budget has no depth limit.
    let budgeted = fetched(focus(|settings| settings.ranking.is_budgeted = true), entities()).await;
    assert!(budgeted.contains(&"Malt".to_owned()), "{budgeted:?}");
}

#[tokio::test(start_paused = true)]
async fn best_entities_of_each_hop_are_fetched() {
    let check = async |strict_hops: bool| {
        let strategy = focus(|settings| (settings.max_candidates_per_hop, settings.strict_hops) = (2, strict_hops));
        let fetched = fetched(strategy, entities()).await;
        let of_first_hop = ["Gothic", "Cologne", "Germany"];
        let count = fetched.iter().filter(|name| of_first_hop.contains(&name.as_str())).count();
        assert_eq!(count, 2, "strict {strict_hops}: {fetched:?}");
        if strict_hops {
            assert!(fetched[1..3].iter().all(|name| of_first_hop.contains(&name.as_str())), "{fetched:?}");
        }
    };

    check(false).await;
    check(true).await;
}

/// A SPARQL endpoint with all entities.
struct Endpoint(Store);

impl Web for Endpoint {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        let plain = |status, media_type: &'static str, body: Vec<u8>| {
            let mut headers = HeaderMap::new();
            headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static(media_type));
            WebResponse { status, headers, body: WebBody::Whole(body.into()), delivery: DeliveryFault::Plain }
        };
        let query = request.url.query_pairs().find(|(key, _)| key == "query").map(|(_, query)| query.into_owned());
        let (Some(query), "/sparql") = (query, request.url.path()) else {
            return plain(StatusCode::NOT_FOUND, "text/plain", Vec::new());
        };
        let query = SparqlEvaluator::new().parse_query(&query).unwrap();
        let QueryResults::Graph(triples) = query.on_store(&self.0).execute().unwrap() else { panic!("no graph") };
        let mut text = String::new();
        for triple in triples {
            writeln!(text, "{} .", triple.unwrap()).unwrap();
        }
        plain(StatusCode::OK, "application/n-triples", text.into_bytes())
    }
}

#[tokio::test(start_paused = true)]
async fn endpoint_describes_entities_instead_of_documents() {
    let store = Store::new().unwrap();
    for (subject, predicate, object) in LINKS {
        let text = format!(
            "<http://e.example/{subject}> <http://e.example/p/{predicate}> <http://e.example/{object}> .\n\
             <http://e.example/{subject}> <http://www.w3.org/2000/01/rdf-schema#label> \"{subject}\" ."
        );
        store.load_from_reader(RdfFormat::NTriples, text.as_bytes()).unwrap();
    }
    let store = Arc::new(Endpoint(store));
    let strategy = |keep: usize| {
        focus(|settings| {
            settings.descriptions_endpoint = Some(DescriptionEndpoint::new("http://sparql.example/sparql").unwrap());
            settings.max_candidates_per_hop = keep;
        })
    };

    let few = fetched(strategy(1), Arc::clone(&store) as _).await;
    let fetched = fetched(strategy(100), store).await;

    // The seed and one entity of its hop, whose neighbours are all in that hop.
    assert_eq!(few.len(), 2, "{few:#?}");

    let queries_about = |name: &str| fetched.iter().filter(|query| query.contains(&format!("%2F{name}%3E"))).count();
    assert!(fetched.iter().all(|query| query.starts_with("sparql?query=")), "{fetched:?}");
    for name in ["Cologne_Cathedral", "Gothic", "Ulm_Cathedral", "Malt"] {
        assert_eq!(queries_about(name), 1, "{name}: {fetched:#?}");
    }
}
