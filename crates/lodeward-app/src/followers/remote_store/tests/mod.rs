//! Tests of remote stores over real sockets: the archive's endpoint with injected faults, and a
//! real server in another process.

mod retries;
mod contract;
mod faults;
mod oxigraph;
mod rejections;
mod server;

use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, NamedNode, Quad};
use oxttl::NQuadsParser;
use tempfile::TempDir;

use super::{RemoteStoreOptions, SparqlFollower};
use lodeward::fetch;
use lodeward::model::Uri;
use lodeward::store::follow::{DocumentChange, DocumentStatements, Follower, FollowerError, Position};

/// The position of the log after `groups` groups.
fn position(groups: u64) -> Position {
    let bytes: Vec<u8> = [1, groups, 0, 0].map(u64::to_be_bytes).concat();
    Position::decode(&bytes[4..24]).unwrap()
}

fn change(number: usize, lines: &str) -> DocumentChange {
    let document = Uri::parse(&format!("http://a.example/document/{number}")).unwrap();
    let lines = lines.replace("<>", &format!("<{document}>"));
    DocumentChange {
        document,
        quads: lines.lines().count() as u64,
        statements: DocumentStatements::from_lines(&lines),
        provenance: None,
    }
}

/// A document of the given version: statements without blank nodes, a chain of blank nodes, a
/// shared one, and texts that try to break the syntax.
fn sample(number: usize, version: &str) -> DocumentChange {
    let p = "<http://a.example/p>";
    let mut lines = vec![format!("<http://a.example/s{number}> {p} \"{version}\" <> .\n")];
    for link in 0..number % 7 {
        lines.push(format!("_:b{link} {p} _:b{} <> .\n_:b{link} {p} \"{version} {link}\" <> .\n", link + 1));
    }
    lines.push(format!(
        "_:same {p} \"}} }}; DROP ALL; # \\\"\\\\\\n\\r\\t\\u0001\\u007F \\\\u0022 {version}\"@en <> .\n"
    ));
    lines.push(format!(
        "<http://a.example/é?a=b%20c#d> {p} \"{number}\"^^<http://www.w3.org/2001/XMLSchema#integer> <> .\n"
    ));
    change(number, &lines.concat())
}

fn removal(number: usize) -> DocumentChange {
    change(number, "")
}

/// The quads of the last version of each document.
fn expected(changes: &[DocumentChange]) -> Dataset {
    let mut dataset = Dataset::new();
    for (index, change) in changes.iter().enumerate() {
        if changes[index + 1..].iter().any(|later| later.document == change.document) {
            continue;
        }
        for quad in change.statements.quads().unwrap() {
            dataset.insert(&relabel(&quad.unwrap(), index));
        }
    }
    dataset
}

/// Relabels blank nodes: equal labels in two documents denote two nodes.
fn relabel(quad: &Quad, index: usize) -> Quad {
    let text = format!("{quad} .").replace("_:", &format!("_:x{index}x"));
    NQuadsParser::new().for_slice(text.as_bytes()).next().unwrap().unwrap()
}

/// Asserts that two datasets are equal up to the labels of blank nodes.
fn assert_same(left: Dataset, right: Dataset) {
    assert_eq!(left.len(), right.len());
    let canonical = |mut dataset: Dataset| {
        dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
        dataset
    };
    assert_eq!(canonical(left), canonical(right));
}

fn options(update_url: Option<String>, graph_store_url: Option<String>) -> RemoteStoreOptions {
    RemoteStoreOptions {
        update_url,
        graph_store_url,
        max_batch_documents: 8,
        max_batch_bytes: 6_000,
        timeout_s: 20,
        ..RemoteStoreOptions::default()
    }
}

fn open(options: &RemoteStoreOptions, dir: &TempDir) -> SparqlFollower {
    let fetch = fetch::FetchOptions { proxy_from_environment: false, ..fetch::FetchOptions::default() };
    SparqlFollower::open(options.clone(), fetch, dir.path(), None).unwrap()
}

/// Applies groups from the follower's position, without delays. Returns the retries that were
/// requested.
fn drive(
    follower: &mut SparqlFollower,
    changes: &[DocumentChange],
    group: usize,
) -> Result<Vec<FollowerError>, FollowerError> {
    let applied = follower.position()?;
    let mut waits = Vec::new();
    for (number, changes) in changes.chunks(group).enumerate() {
        if applied.is_some_and(|applied| position(number as u64 + 1) <= applied) {
            continue;
        }
        loop {
            match follower.apply(changes, position(number as u64 + 1)) {
                Ok(()) => break,
                Err(wait @ FollowerError::Retry { .. }) => waits.push(wait),
                Err(error) => return Err(error),
            }
            assert!(waits.len() < 1_000, "too many retries: {:?}", waits.last());
        }
    }
    Ok(waits)
}
