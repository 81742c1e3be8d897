//! Crawls of catalogues and sitemaps, in virtual time.

use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use lodeward::crawl::CrawlBuilder;
use lodeward::discover::{DiscoverPolicy, EndpointPolicy};
use lodeward::engine::{CrawlCommand, CrawlSnapshot, EngineOptions, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::Uri;
use lodeward::select::{BreadthFirstStrategy, Strategy, StrategyOptions, learned};
use lodeward::store::{MemoryStore, Store as _};
use tokio::sync::{mpsc, watch};
use toyweb::orca::{NodeWeights, OrcaParameters, OrcaScore, OrcaScorer, OrcaWeb};
use toyweb::{Web, WebResponse};

use crate::in_process::{InProcessFetcher, ScriptedWeb, web_response};

/// The output of a crawl.
struct Outcome {
    last: CrawlSnapshot,
    harvest: String,
    requests: Vec<String>,
}

async fn crawl(web: Arc<dyn Web>, seeds: &[String], strategy: Box<dyn Strategy>) -> Outcome {
    let store = Arc::new(MemoryStore::default());
    let fetcher = Arc::new(InProcessFetcher::new(web));
    let crawl = CrawlBuilder {
        discover: DiscoverPolicy { sparql_endpoints: EndpointPolicy::Off, sitemaps: true, ..DiscoverPolicy::default() },
        options: EngineOptions { delay: Duration::ZERO, ..EngineOptions::default() },
        ..CrawlBuilder::new(
            Arc::new(MemoryFrontier::new(None)),
            strategy,
            Arc::clone(&fetcher) as _,
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            Arc::clone(&store) as _,
        )
    }
    .build();
    let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, _watcher) = watch::channel(CrawlSnapshot::default());

    let (ending, last) = crawl.run(seeds, commands, progress).await.unwrap();

    assert_eq!(ending, StopReason::Drained);
    let mut harvest = Vec::new();
    store.export(&mut harvest).unwrap();
    let requests = fetcher.log.lock().unwrap().iter().map(|entry| entry.url.clone()).collect();
    Outcome { last, harvest: String::from_utf8(harvest).unwrap(), requests }
}

async fn crawl_script(script: fn(&str) -> WebResponse, seed: &str) -> Outcome {
    crawl(Arc::new(ScriptedWeb(script)), &[seed.to_owned()], Box::new(BreadthFirstStrategy)).await
}

/// A web of catalogues and dumps.
fn catalogues(change: impl FnOnce(&mut OrcaParameters)) -> Arc<OrcaWeb> {
    let weights = NodeWeights { ckan: 1.0, dereferencing: 0.0, dump: 1.0, rdfa: 0.0, sparql: 0.0 };
    let mut parameters = OrcaParameters {
        nodes: 12,
        node_degree: 8,
        triples_per_node: 40,
        compressed_ratio: 0.0,
        weights,
        ..OrcaParameters::default()
    };
    change(&mut parameters);
    Arc::new(OrcaWeb::new(parameters).unwrap())
}

fn score(web: &OrcaWeb, outcome: &Outcome) -> OrcaScore {
    let mut scorer = OrcaScorer::new(web);
    scorer.read_quads(outcome.harvest.as_bytes());
    scorer.finish()
}

#[tokio::test(start_paused = true)]
async fn all_data_listed_in_catalogues_is_found() {
    let web = catalogues(|_| {});
    let learned = StrategyOptions::Learned(learned::LearnedOptions::default()).build(None).unwrap();
    for strategy in [Box::new(BreadthFirstStrategy) as Box<dyn Strategy>, learned] {
        let outcome = crawl(Arc::clone(&web) as _, &web.seeds(), strategy).await;

        let score = score(&web, &outcome);
        assert!(score.kinds.contains_key("ckan") && score.kinds.contains_key("dump"));
        assert_eq!(
            score.recall.found, score.recall.expected,
            "{:?} {:?}",
            score.kinds, outcome.last.tally.faults_by_kind
        );
        assert!(score.recall.expected > 0);
    }
}

#[tokio::test(start_paused = true)]
async fn catalogue_with_a_disallowed_api_is_read_page_by_page() {
    let web = catalogues(|parameters| parameters.ckan.robots = true);

    let outcome = crawl(Arc::clone(&web) as _, &web.seeds(), Box::new(BreadthFirstStrategy)).await;

    assert!(!outcome.requests.iter().any(|url| url.contains("/api/3")), "disallowed URLs are not requested");
    assert!(outcome.requests.iter().any(|url| url.contains("/dataset/")), "pages are crawled");
    assert!(outcome.last.tally.dropped_by_reason["robots"] > 0);
}

fn html(text: &str) -> WebResponse {
    web_response(200, &[(CONTENT_TYPE, "text/html")], text)
}

fn json(text: &str) -> WebResponse {
    web_response(200, &[(CONTENT_TYPE, "application/json")], text)
}

#[tokio::test(start_paused = true)]
async fn catalogue_without_search_is_read_by_its_list() {
    let script = |url: &str| match url {
        "http://a.example/data/" => html(
            "<html><head><meta name=generator content='ckan 2.10.4'></head>\
             <body data-site-root='http://localhost:5000/data/'>Welcome",
        ),
        "http://a.example/data/api/3/action/package_search?rows=100&start=0&sort=id+asc" => {
            web_response(409, &[(CONTENT_TYPE, "application/json")], r#"{"success": false}"#)
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
        "http://b.example/bees" => web_response(200, &[(CONTENT_TYPE, "text/turtle")], "<#bee> a <#Insect> ."),
        _ => web_response(404, &[], ""),
    };

    let outcome = crawl_script(script, "http://a.example/data/").await;

    let assert_contains = |part: &str| assert!(outcome.harvest.contains(part), "{part}\n{}", outcome.harvest);
    assert_contains("<http://a.example/data/dataset/1> <http://purl.org/dc/terms/title> \"Bees\"");
    assert_contains("<http://a.example/data/dataset/3> <http://purl.org/dc/terms/title> \"Wasps\"");
    assert_contains("<http://b.example/bees#bee>");
}

#[tokio::test(start_paused = true)]
async fn sitemaps_in_robots_txt_lead_to_pages_and_data() {
    let script = |url: &str| match url {
        "http://a.example/robots.txt" => web_response(
            200,
            &[(CONTENT_TYPE, "text/plain")],
            "User-agent: *\nDisallow: /secret\nSitemap: http://a.example/all.xml\nSitemap: http://b.example/x.xml\n",
        ),
        "http://a.example/all.xml" => web_response(
            200,
            &[(CONTENT_TYPE, "application/xml")],
            "<sitemapindex><sitemap><loc>http://a.example/pages.xml</loc></sitemap>\
             <sitemap><loc>http://a.example/all.xml</loc></sitemap></sitemapindex>",
        ),
        "http://a.example/pages.xml" => web_response(
            200,
            &[(CONTENT_TYPE, "application/xml")],
            "<urlset xmlns:sc='http://sw.deri.org/2007/07/sitemapextension/scschema.xsd'>\
             <url><loc>http://a.example/page</loc></url><url><loc>http://a.example/secret</loc></url>\
             <sc:dataset><sc:dataDumpLocation>http://a.example/dump</sc:dataDumpLocation></sc:dataset></urlset>",
        ),
        "http://a.example/" => html("<p>nothing"),
        "http://a.example/page" => html("<p property='http://p.example/q'>listed"),
        "http://a.example/dump" => web_response(200, &[], "<http://a.example/s> <http://p.example/q> \"dumped\" .\n"),
        _ => web_response(404, &[], ""),
    };

    let outcome = crawl_script(script, "http://a.example/").await;

    assert!(outcome.harvest.contains("\"listed\"") && outcome.harvest.contains("\"dumped\""), "{}", outcome.harvest);
    assert!(!outcome.requests.iter().any(|url| url.ends_with("/secret") || url.contains("x.xml")));
    let times = outcome.requests.iter().filter(|url| url.ends_with("/all.xml")).count();
    assert_eq!(times, 1, "an index that leads to itself is read once");
}
