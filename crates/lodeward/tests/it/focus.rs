//! Focused crawls of small webs of entities, in virtual time.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, StatusCode};
use lodeward::discover::Policy;
use lodeward::engine::{Command, Crawl, Scope, Settings, Snapshot};
use lodeward::extract::{Options, Reader};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::Uri;
use lodeward::rank::terms::Tokeniser;
use lodeward::rank::{Gathering, Limits, kind::RankerKind};
use lodeward::select::focus::{self, Describing, Focus};
use lodeward::select::{BreadthFirst, Strategy};
use lodeward::store::MemoryStore;
use lodeward::store::follow::Followers;
use oxigraph::io::RdfFormat;
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use tokio::sync::{mpsc, watch};
use toyweb::entities::{EntityWeb, Sources};
use toyweb::{Body, Conduct, Request, Response, Web};

use crate::in_process::InProcess;

const CATHEDRAL: &str = "http://e.example/Cologne_Cathedral";

/// Links between entities of e.example: churches share a style, and a country
/// connects everything.
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

/// A web of these entities, each called by its name.
fn entities() -> Arc<dyn Web> {
    let folder = tempfile::tempdir().unwrap();
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
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    });
    let sources = Sources { entities: vec![entities], links: vec![links], ..Sources::default() };
    Arc::new(EntityWeb::load(&sources).unwrap())
}

fn settings() -> focus::Settings {
    focus::Settings {
        ranking: lodeward::rank::options::Options { ranker: Some(RankerKind::Ejsim), ..Default::default() },
        keep: 100,
        strict_hops: false,
        facts: Arc::default(),
        describing: None,
    }
}

fn focus(change: impl FnOnce(&mut focus::Settings)) -> Box<dyn Strategy> {
    let mut settings = settings();
    change(&mut settings);
    Box::new(Focus::new(settings, Vec::new(), Gathering::new(Limits::default(), Tokeniser::default())))
}

/// Crawls from the cathedral, one visit after the other. Returns who was visited,
/// in that order.
async fn visited(strategy: Box<dyn Strategy>, web: Arc<dyn Web>) -> Vec<String> {
    let fetcher = Arc::new(InProcess::new(web));
    let crawl = Crawl {
        frontier: Arc::new(MemoryFrontier::new(strategy.order(), None)),
        strategy,
        notebook: None,
        fetcher: Arc::clone(&fetcher) as _,
        extractor: Arc::new(Reader::new(Options::default())),
        store: Arc::new(MemoryStore::default()),
        followers: Followers::default(),
        scope: Scope::default(),
        discover: Policy::default(),
        settings: Settings { delay: Duration::ZERO, visits_max: 1, ..Settings::default() },
        revived: Vec::new(),
        observers: Vec::new(),
        manners: Arc::default(),
        rests: Arc::default(),
    };
    let (_operator, commands) = mpsc::channel::<Command>(1);
    let (progress, _watcher) = watch::channel(Snapshot::default());
    crawl.run(vec![Uri::parse(CATHEDRAL).unwrap()], commands, progress).await.unwrap();
    let log = std::mem::take(&mut *fetcher.log.lock().unwrap());
    let documents = log.iter().filter(|entry| entry.status == 200);
    documents.map(|entry| entry.url.rsplit('/').next().unwrap().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn who_was_dropped_is_not_visited() {
    let settings = settings();
    let gathered = Gathering::new(Limits::default(), Tokeniser::default());
    let marks = vec![("http://e.example/Germany".to_owned(), false), ("http://e.example/Gothic".to_owned(), true)];
    let strategy = Focus::new(settings, Vec::new(), gathered).with_marks(marks);

    let visited = visited(Box::new(strategy), entities()).await;

    assert!(!visited.contains(&"Germany".to_owned()) && visited.contains(&"Gothic".to_owned()), "{visited:?}");
    assert!(!visited.contains(&"Beer".to_owned()), "nor who is known by it alone: {visited:?}");
}

fn place(visited: &[String], name: &str) -> usize {
    visited.iter().position(|other| other == name).unwrap_or_else(|| panic!("{name} is not in {visited:?}"))
}

#[tokio::test(start_paused = true)]
async fn what_is_like_the_seed_is_visited_first() {
    let focused = visited(focus(|_| {}), entities()).await;
    let broad = visited(Box::new(BreadthFirst), entities()).await;

    assert_eq!(focused[0], "Cologne_Cathedral");
    for other in ["Beer", "Football", "Sausage", "Autobahn"] {
        assert!(place(&focused, "Ulm_Cathedral") < place(&focused, other), "{focused:?}");
    }
    assert!(place(&focused, "Ulm_Cathedral") < place(&broad, "Ulm_Cathedral"), "{focused:?} {broad:?}");
}

#[tokio::test(start_paused = true)]
async fn nothing_beyond_the_depth_is_visited() {
    let check = async |depth: Option<u8>, has_malt: bool| {
        let visited = visited(focus(|settings| settings.ranking.depth = depth), entities()).await;
        assert_eq!(visited.contains(&"Malt".to_owned()), has_malt, "depth {depth:?}: {visited:?}");
        assert!(visited.contains(&"Gothic".to_owned()));
    };

    check(Some(1), false).await;
    check(Some(2), false).await;
    check(Some(3), true).await;
    // There are too few within two links to leave it at that.
    check(None, true).await;
    // A bounded crawl may go as far as it gets.
    let budgeted = visited(focus(|settings| settings.ranking.is_budgeted = true), entities()).await;
    assert!(budgeted.contains(&"Malt".to_owned()), "{budgeted:?}");
}

#[tokio::test(start_paused = true)]
async fn of_each_hop_the_best_are_visited() {
    let check = async |strict_hops: bool| {
        let strategy = focus(|settings| (settings.keep, settings.strict_hops) = (2, strict_hops));
        let visited = visited(strategy, entities()).await;
        let of_first_hop = ["Gothic", "Cologne", "Germany"];
        let kept = visited.iter().filter(|name| of_first_hop.contains(&name.as_str())).count();
        assert_eq!(kept, 2, "strict {strict_hops}: {visited:?}");
        if strict_hops {
            assert!(visited[1..3].iter().all(|name| of_first_hop.contains(&name.as_str())), "{visited:?}");
        }
    };

    check(false).await;
    check(true).await;
}

/// A SPARQL endpoint with everything there is.
struct Endpoint(Store);

impl Web for Endpoint {
    fn respond(&self, request: &Request) -> Response {
        let plain = |status, media_type: &'static str, body: Vec<u8>| {
            let mut headers = HeaderMap::new();
            headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static(media_type));
            Response { status, headers, body: Body::Whole(body.into()), conduct: Conduct::Plain }
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
async fn an_endpoint_describes_entities_in_their_place() {
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
            settings.describing = Some(Describing::new("http://sparql.example/sparql").unwrap());
            settings.keep = keep;
        })
    };

    let few = visited(strategy(1), Arc::clone(&store) as _).await;
    let visited = visited(strategy(100), store).await;

    // The seed, and one of its hop, whose neighbours are all of that hop.
    assert_eq!(few.len(), 2, "{few:#?}");

    let asked_about =
        |name: &str| visited.iter().filter(|question| question.contains(&format!("%2F{name}%3E"))).count();
    assert!(visited.iter().all(|question| question.starts_with("sparql?query=")), "{visited:?}");
    for name in ["Cologne_Cathedral", "Gothic", "Ulm_Cathedral", "Malt"] {
        assert_eq!(asked_about(name), 1, "{name}: {visited:#?}");
    }
}
