use oxrdf::vocab::rdfs;
use oxttl::NTriplesParser;
use tempfile::TempDir;

use super::*;
use crate::frontier::{AsQueued, Fate, Offer, Settlement};
use crate::model::{Candidate, Features, How, Moment};
use crate::open::{Shelf, shelf};
use crate::provenance::{Provenance, Redirect};

/// A document: its address, who pointed to it, and its statements.
pub(in crate::open) type Document<'a> = (&'a str, &'a [&'a str], &'a str);

/// A crawl with these documents.
pub(in crate::open) async fn harvest(folder: &TempDir, documents: &[Document<'_>]) -> Shelf {
    harvest_in(folder.path(), documents).await
}

/// The same, in this folder.
pub(in crate::open) async fn harvest_in(folder: &std::path::Path, documents: &[Document<'_>]) -> Shelf {
    let shelf = shelf(&Config::default(), folder, || 0).unwrap();
    for (address, redirects, statements) in documents {
        let mut draft = shelf.store.draft(&uri(address));
        for triple in NTriplesParser::new().for_slice(statements.as_bytes()) {
            let graph = oxrdf::NamedNode::new_unchecked(*address);
            draft.append(triple.unwrap().in_graph(graph).as_ref());
        }
        let redirects = redirects.iter().map(|from| Redirect { from: uri(from), status: 303 }).collect();
        let mut finished = draft.finish();
        finished.provenance = Some(Provenance { redirects, ..Provenance::sample(1) });
        shelf.store.put(finished).await.unwrap();
    }
    shelf.store.commit().await.unwrap();
    shelf
}

pub(in crate::open) fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn gathered(config: &Config, shelf: &Shelf, redirects: &[(&str, &str)]) -> Gathering {
    let mut known = Redirects::default();
    for (from, to) in redirects {
        known.add(&uri(from), &uri(to));
    }
    gathering(config, &shelf.segments, known).unwrap()
}

#[tokio::test]
async fn what_current_documents_say_is_gathered() {
    let folder = tempfile::tempdir().unwrap();
    let label = format!("<http://a.example/x> {} \"Dom\"@de .", rdfs::LABEL);
    let shelf = harvest(
        &folder,
        &[
            ("http://a.example/x", &[], "<http://a.example/x> <urn:p> <http://a.example/old> ."),
            ("http://a.example/y", &[], &label),
            ("http://a.example/x", &[], "<http://a.example/x> <urn:p> <http://a.example/new> ."),
        ],
    )
    .await;

    let all = gathered(&Config::default(), &shelf, &[]);
    let mut config = Config::default();
    config.focus.languages = vec!["de".to_owned()];
    config.focus.stop_words = vec!["dom".to_owned()];
    let german = gathered(&config, &shelf, &[]);

    let x = all.find("http://a.example/x").unwrap();
    assert_eq!(all.label(x), Some("Dom"));
    assert!(all.find("http://a.example/new").is_some(), "the last version counts");
    assert_eq!(all.find("http://a.example/old"), None);
    assert_eq!((all.graph().terms(x).len(), german.graph().terms(x).len()), (1, 1));
    let term = |gathering: &Gathering| {
        let graph = gathering.graph();
        graph.term(graph.terms(x)[0].0).to_owned()
    };
    assert_eq!((term(&all).as_str(), term(&german).as_str()), ("dom", "x"), "a word that is not counted is none");
}

#[tokio::test]
async fn who_asks_for_a_described_entity_gets_a_document() {
    let folder = tempfile::tempdir().unwrap();
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
    let shelf = harvest(&folder, &[("http://a.example/plain", &["http://a.example/id/first"], &statements)]).await;

    let redirects = [
        ("http://a.example/id/second", "http://a.example/plain"),
        ("http://a.example/id/third", "http://a.example/id/second"),
        ("http://a.example/id/elsewhere", "http://b.example/"),
        ("http://a.example/id/circle", "http://a.example/id/circle"),
    ];
    let gathered = gathered(&Config::default(), &shelf, &redirects);

    for (name, is_described) in names {
        assert_eq!(gathered.is_described(gathered.find(name).unwrap()), is_described, "{name}");
    }
}

#[tokio::test]
async fn the_frontier_knows_who_pointed_where() {
    let folder = tempfile::tempdir().unwrap();
    let [entity, other, document] = ["http://a.example/id", "http://b.example/id", "http://c.example/data"];
    let statements = format!("<{entity}> <urn:p> <{other}> .");
    let shelf = harvest(&folder, &[(document, &[], &statements)]).await;
    for (from, target) in [(entity, Some(uri(document))), (other, None)] {
        visit(&*shelf.frontier, from, Outcome::Redirected { status: 303, target }).await;
    }
    shelf.frontier.commit(&[]).await.unwrap();

    let redirects = Redirects::of(&*shelf.frontier, 9).await.unwrap();
    let gathered = gathering(&Config::default(), &shelf.segments, redirects).unwrap();

    let is_described = |name: &str| gathered.is_described(gathered.find(name).unwrap());
    assert!(is_described(entity));
    assert!(!is_described(other));
    assert!(Redirects::of(&*shelf.frontier, 0).await.unwrap().0.is_empty(), "as many as are wanted");
}

/// Visits a seed, and tells how that ended.
async fn visit(frontier: &dyn Frontier, seed: &str, outcome: Outcome) {
    let candidate = Candidate {
        target: uri(seed),
        source: None,
        how: How::Seed,
        depth: 0,
        redirects: 0,
        priority: 0.0,
        features: Features::default(),
        step: None,
        again: None,
    };
    frontier.offer(vec![Offer::Queue(candidate)]).await.unwrap();
    let leased = frontier.lease(Moment::ZERO, 1, &mut AsQueued).await.unwrap();
    let settlement = Settlement { fate: Fate::Done(outcome), rest_until: Moment::ZERO };
    frontier.settle(leased.visits.into_iter().next().unwrap(), settlement).await.unwrap();
}
