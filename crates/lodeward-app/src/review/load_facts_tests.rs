//! Tests of loading facts from a harvest.

use oxrdf::vocab::rdfs;
use oxttl::NTriplesParser;
use tempfile::TempDir;

use super::*;
use crate::crawl_dir::{OpenCrawl, open_crawl};
use crate::data_dir::CrawlDir;
use lodeward::frontier::{
    FeatureVector, Frontier, LeaseRequest, Offer, QueueEntry, Settlement, SettlementKind, lease_scored,
};
use lodeward::model::{CrawlTime, FoundBy, Provenance, RedirectRecord, StoreReceipt};

/// A document: its URL, the redirects to it, and its statements.
pub(crate) type Document<'a> = (&'a str, &'a [&'a str], &'a str);

/// A crawl with these documents.
pub(crate) async fn harvest(dir: &TempDir, documents: &[Document<'_>]) -> OpenCrawl {
    harvest_in(&CrawlDir::new(dir.path(), 1), documents).await
}

/// A crawl with these documents, in this directory.
pub(crate) async fn harvest_in(dir: &CrawlDir, documents: &[Document<'_>]) -> OpenCrawl {
    let crawl = open_crawl(&Config::default(), dir, || 0).unwrap();
    for (url, redirects, statements) in documents {
        let mut draft = crawl.store.draft(&uri(url));
        for triple in NTriplesParser::new().for_slice(statements.as_bytes()) {
            let graph = oxrdf::NamedNode::new_unchecked(*url);
            draft.append(triple.unwrap().in_graph(graph).as_ref());
        }
        let redirects = redirects.iter().map(|from| RedirectRecord { from: uri(from), status: 303 }).collect();
        let mut finished = draft.finish();
        finished.provenance = Some(Provenance { redirects, ..Provenance::sample(1) });
        crawl.store.put(finished).await.unwrap();
    }
    crawl.store.commit().await.unwrap();
    crawl
}

pub(crate) fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn load(config: &Config, crawl: &OpenCrawl, redirects: &[(&str, &str)]) -> FactBase {
    let mut known = RedirectMap::default();
    for (from, to) in redirects {
        known.add(&uri(from), &uri(to));
    }
    load_fact_base(config, &crawl.segments, known, &RankingProgress::default()).unwrap()
}

#[tokio::test]
async fn facts_of_current_documents_are_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let label = format!("<http://a.example/x> {} \"Dom\"@de .", rdfs::LABEL);
    let crawl = harvest(
        &dir,
        &[
            ("http://a.example/x", &[], "<http://a.example/x> <urn:p> <http://a.example/old> ."),
            ("http://a.example/y", &[], &label),
            ("http://a.example/x", &[], "<http://a.example/x> <urn:p> <http://a.example/new> ."),
        ],
    )
    .await;

    let all = load(&Config::default(), &crawl, &[]);
    let mut config = Config::default();
    config.ranking.languages = vec!["de".to_owned()];
    config.ranking.stop_words = vec!["dom".to_owned()];
    let german = load(&config, &crawl, &[]);

    let x = all.find("http://a.example/x").unwrap();
    assert_eq!(all.label(x), Some("Dom"));
    assert!(all.find("http://a.example/new").is_some(), "the last version is current");
    assert_eq!(all.find("http://a.example/old"), None);
    assert_eq!((all.graph().terms(x).len(), german.graph().terms(x).len()), (1, 1));
    let term = |facts: &FactBase| {
        let graph = facts.graph();
        graph.term(graph.terms(x)[0].0).to_owned()
    };
    assert_eq!((term(&all).as_str(), term(&german).as_str()), ("dom", "x"), "a stop word is ignored");
}

#[tokio::test]
async fn an_entity_is_described_if_a_request_for_it_returns_a_document() {
    let dir = tempfile::tempdir().unwrap();
    let thing = |name: &str| format!("<{name}> <urn:p> <urn:o> .\n");
    let names = [
        ("http://a.example/plain", true),
        ("http://a.example/plain#fragment", true),
        ("http://A.example:80/plain", true),
        ("http://a.example/id/first", true),
        ("http://a.example/id/second", true),
        ("http://a.example/id/third#me", true),
        ("http://a.example/id/elsewhere", false),
        ("http://a.example/id/circle", false),
        ("http://a.example/unread", false),
        ("urn:o", false),
    ];
    let statements: String = names.iter().map(|(name, _)| thing(name)).collect();
    let crawl = harvest(&dir, &[("http://a.example/plain", &["http://a.example/id/first"], &statements)]).await;

    let redirects = [
        ("http://a.example/id/second", "http://a.example/plain"),
        ("http://a.example/id/third", "http://a.example/id/second"),
        ("http://a.example/id/elsewhere", "http://b.example/"),
        ("http://a.example/id/circle", "http://a.example/id/circle"),
    ];
    let facts = load(&Config::default(), &crawl, &redirects);

    for (name, is_described) in names {
        assert_eq!(facts.is_described(facts.find(name).unwrap()), is_described, "{name}");
    }
}

#[tokio::test]
async fn redirects_are_read_from_the_frontier() {
    let dir = tempfile::tempdir().unwrap();
    let [entity, other, document] = ["http://a.example/id", "http://b.example/id", "http://c.example/data"];
    let statements = format!("<{entity}> <urn:p> <{other}> .");
    let crawl = harvest(&dir, &[(document, &[], &statements)]).await;
    for (from, target) in [(entity, Some(uri(document))), (other, None)] {
        fetch(&*crawl.frontier, from, Outcome::Redirected { status: 303, target }).await;
    }
    crawl.frontier.commit(&[], StoreReceipt::issue()).await.unwrap();

    let redirects = RedirectMap::from_frontier(&*crawl.frontier, 9).await.unwrap();
    let facts = load_fact_base(&Config::default(), &crawl.segments, redirects, &RankingProgress::default()).unwrap();

    let is_described = |name: &str| facts.is_described(facts.find(name).unwrap());
    assert!(is_described(entity));
    assert!(!is_described(other));
    assert!(RedirectMap::from_frontier(&*crawl.frontier, 0).await.unwrap().0.is_empty(), "the maximum is 0");
    fetch(&*crawl.frontier, "http://d.example/id", Outcome::Redirected { status: 303, target: Some(uri(document)) })
        .await;
    crawl.frontier.commit(&[], StoreReceipt::issue()).await.unwrap();
    assert_eq!(RedirectMap::from_frontier(&*crawl.frontier, 1).await.unwrap().0.len(), 1, "not a page");
}

/// Fetches a seed with this outcome.
async fn fetch(frontier: &dyn Frontier, seed: &str, outcome: Outcome) {
    let candidate = QueueEntry {
        target: uri(seed),
        source: None,
        found_by: FoundBy::Seed,
        depth: 0,
        redirects: 0,
        priority: 0.0,
        features: FeatureVector::default(),
        step: None,
        revisit: None,
    };
    frontier.offer(vec![Offer::Queue(candidate)]).await.unwrap();
    let leased = lease_scored(frontier, LeaseRequest::new(CrawlTime::ZERO, 1), |_| {}).await.unwrap();
    let settlement = Settlement::new(SettlementKind::Settled(outcome), CrawlTime::ZERO);
    frontier.settle(leased.leases.into_iter().map(|lease| (lease, settlement.clone())).collect()).await.unwrap();
}
