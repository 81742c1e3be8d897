//! Catalogues and sitemaps, crawled in virtual time.

use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use lodeward::discover::{Endpoints, Policy};
use lodeward::engine::{Command, Crawl, Ending, Scope, Settings, Snapshot};
use lodeward::extract::{Options, Reader};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::Uri;
use lodeward::select::{BreadthFirst, Learned, Strategy, learned};
use lodeward::store::follow::Followers;
use lodeward::store::{MemoryStore, Store as _};
use tokio::sync::{mpsc, watch};
use toyweb::orca::{OrcaWeb, Parameters, Score, Scorer, Weights};
use toyweb::{Response, Web};

use crate::in_process::{InProcess, Scripted, answer};

/// What a crawl left behind.
struct Outcome {
    last: Snapshot,
    harvest: String,
    requests: Vec<String>,
}

async fn crawl(web: Arc<dyn Web>, seeds: &[String], strategy: Box<dyn Strategy>) -> Outcome {
    let store = Arc::new(MemoryStore::default());
    let fetcher = Arc::new(InProcess::new(web));
    let order = strategy.order();
    let crawl = Crawl {
        frontier: Arc::new(MemoryFrontier::new(order, None)),
        strategy,
        notebook: None,
        fetcher: Arc::clone(&fetcher) as _,
        extractor: Arc::new(Reader::new(Options::default())),
        store: Arc::clone(&store) as _,
        followers: Followers::default(),
        scope: Scope::default(),
        discover: Policy { endpoints: Endpoints::Off, sitemaps: true, ..Policy::default() },
        settings: Settings { delay: Duration::ZERO, ..Settings::default() },
        revived: Vec::new(),
        observers: Vec::new(),
        manners: Arc::default(),
        rests: Arc::default(),
    };
    let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<Command>(1);
    let (progress, _watcher) = watch::channel(Snapshot::default());

    let (ending, last) = crawl.run(seeds, commands, progress).await.unwrap();

    assert_eq!(ending, Ending::Drained);
    let mut harvest = Vec::new();
    store.export(&mut harvest).unwrap();
    let requests = fetcher.log.lock().unwrap().iter().map(|entry| entry.url.clone()).collect();
    Outcome { last, harvest: String::from_utf8(harvest).unwrap(), requests }
}

async fn crawl_script(script: fn(&str) -> Response, seed: &str) -> Outcome {
    crawl(Arc::new(Scripted(script)), &[seed.to_owned()], Box::new(BreadthFirst)).await
}

/// A web of catalogues and dumps.
fn catalogues(change: impl FnOnce(&mut Parameters)) -> Arc<OrcaWeb> {
    let weights = Weights { ckan: 1.0, dereferencing: 0.0, dump: 1.0, rdfa: 0.0, sparql: 0.0 };
    let mut parameters = Parameters {
        nodes: 12,
        node_degree: 8,
        triples_per_node: 40,
        compressed_ratio: 0.0,
        weights,
        ..Parameters::default()
    };
    change(&mut parameters);
    Arc::new(OrcaWeb::new(parameters).unwrap())
}

fn score(web: &OrcaWeb, outcome: &Outcome) -> Score {
    let mut scorer = Scorer::new(web);
    scorer.quads(outcome.harvest.as_bytes());
    scorer.finish()
}

#[tokio::test(start_paused = true)]
async fn everything_that_catalogues_list_is_found() {
    let web = catalogues(|_| {});
    let learned = Learned::new(learned::Options::default(), None).unwrap();
    for strategy in [Box::new(BreadthFirst) as Box<dyn Strategy>, Box::new(learned)] {
        let outcome = crawl(Arc::clone(&web) as _, &web.seeds(), strategy).await;

        let score = score(&web, &outcome);
        assert!(score.kinds.contains_key("ckan") && score.kinds.contains_key("dump"));
        assert_eq!(score.recall.found, score.recall.expected, "{:?} {:?}", score.kinds, outcome.last.tally.faults);
        assert!(score.recall.expected > 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_catalogue_that_forbids_its_api_is_read_page_by_page() {
    let web = catalogues(|parameters| parameters.ckan.robots = true);

    let outcome = crawl(Arc::clone(&web) as _, &web.seeds(), Box::new(BreadthFirst)).await;

    assert!(!outcome.requests.iter().any(|url| url.contains("/api/3")), "what is forbidden is left alone");
    assert!(outcome.requests.iter().any(|url| url.contains("/dataset/")), "pages are crawled as ever");
    assert!(outcome.last.tally.drops["robots"] > 0);
}

fn html(text: &str) -> Response {
    answer(200, &[(CONTENT_TYPE, "text/html")], text)
}

fn json(text: &str) -> Response {
    answer(200, &[(CONTENT_TYPE, "application/json")], text)
}

#[tokio::test(start_paused = true)]
async fn a_catalogue_that_cannot_be_searched_is_asked_for_its_list() {
    let script = |url: &str| match url {
        "http://a.example/data/" => html(
            "<html><head><meta name=generator content='ckan 2.10.4'></head>\
             <body data-site-root='http://localhost:5000/data/'>Welcome",
        ),
        "http://a.example/data/api/3/action/package_search?rows=100&start=0&sort=id+asc" => {
            answer(409, &[(CONTENT_TYPE, "application/json")], r#"{"success": false}"#)
        }
        "http://a.example/data/api/3/action/package_list?limit=1000&offset=0" => {
            json(r#"{"success": true, "result": ["bees", "broken", "wasps"]}"#)
        }
        "http://a.example/data/api/3/action/package_show?id=bees" => json(
            r#"{"success": true, "result": {"id": "1", "name": "bees", "title": "Bees", "resources": [
                {"id": "2", "url": "http://b.example/bees", "format": "RDF"}]}}"#,
        ),
        "http://a.example/data/api/3/action/package_show?id=wasps" => {
            json(r#"{"success": true, "result": {"id": "3", "title": "Wasps"}}"#)
        }
        "http://b.example/bees" => answer(200, &[(CONTENT_TYPE, "text/turtle")], "<#bee> a <#Insect> ."),
        _ => answer(404, &[], ""),
    };

    let outcome = crawl_script(script, "http://a.example/data/").await;

    let says = |part: &str| assert!(outcome.harvest.contains(part), "{part}\n{}", outcome.harvest);
    says("<http://a.example/data/dataset/1> <http://purl.org/dc/terms/title> \"Bees\"");
    says("<http://a.example/data/dataset/3> <http://purl.org/dc/terms/title> \"Wasps\"");
    says("<http://b.example/bees#bee>");
}

#[tokio::test(start_paused = true)]
async fn the_sitemaps_of_a_robots_txt_lead_to_pages_and_data() {
    let script = |url: &str| match url {
        "http://a.example/robots.txt" => answer(
            200,
            &[(CONTENT_TYPE, "text/plain")],
            "User-agent: *\nDisallow: /secret\nSitemap: http://a.example/all.xml\nSitemap: http://b.example/x.xml\n",
        ),
        "http://a.example/all.xml" => answer(
            200,
            &[(CONTENT_TYPE, "application/xml")],
            "<sitemapindex><sitemap><loc>http://a.example/pages.xml</loc></sitemap>\
             <sitemap><loc>http://a.example/all.xml</loc></sitemap></sitemapindex>",
        ),
        "http://a.example/pages.xml" => answer(
            200,
            &[(CONTENT_TYPE, "application/xml")],
            "<urlset xmlns:sc='http://sw.deri.org/2007/07/sitemapextension/scschema.xsd'>\
             <url><loc>http://a.example/page</loc></url><url><loc>http://a.example/secret</loc></url>\
             <sc:dataset><sc:dataDumpLocation>http://a.example/dump</sc:dataDumpLocation></sc:dataset></urlset>",
        ),
        "http://a.example/" => html("<p>nothing"),
        "http://a.example/page" => html("<p property='http://p.example/q'>listed"),
        "http://a.example/dump" => answer(200, &[], "<http://a.example/s> <http://p.example/q> \"dumped\" .\n"),
        _ => answer(404, &[], ""),
    };

    let outcome = crawl_script(script, "http://a.example/").await;

    assert!(outcome.harvest.contains("\"listed\"") && outcome.harvest.contains("\"dumped\""), "{}", outcome.harvest);
    assert!(!outcome.requests.iter().any(|url| url.ends_with("/secret") || url.contains("x.xml")));
    let times = outcome.requests.iter().filter(|url| url.ends_with("/all.xml")).count();
    assert_eq!(times, 1, "an index that leads to itself is read once");
}
