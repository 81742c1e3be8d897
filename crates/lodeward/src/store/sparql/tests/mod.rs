//! A remote store behind real sockets: our own endpoint with faults in front
//! of it, and a real server in another process.

mod again;
mod contract;
mod faults;
mod real;
mod refusals;
mod server;

use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, NamedNode, Quad};
use oxttl::NQuadsParser;
use tempfile::TempDir;

use super::super::follow::{Change, FollowError, Follower, Position, Statements};
use super::{Options, SparqlFollower};
use crate::fetch;
use crate::model::Uri;

/// Where the log stands after so many groups.
fn position(groups: u64) -> Position {
    Position { segment: 1, offset: groups, ordinal: 0, check: 0 }
}

fn change(number: usize, lines: &str) -> Change {
    let document = Uri::parse(&format!("http://a.example/document/{number}")).unwrap();
    let lines = lines.replace("<>", &format!("<{document}>"));
    Change {
        document,
        quads: lines.lines().count() as u64,
        statements: Statements::from_lines(&lines),
        provenance: None,
    }
}

/// A document of the given version: statements without blank nodes, a chain of
/// them, one that others share, and texts that want to break out.
fn sample(number: usize, version: &str) -> Change {
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

fn removal(number: usize) -> Change {
    change(number, "")
}

/// Everything these changes say, the last version of each document.
fn expected(changes: &[Change]) -> Dataset {
    let mut dataset = Dataset::new();
    for (index, change) in changes.iter().enumerate() {
        if changes[index + 1..].iter().any(|later| later.document == change.document) {
            continue;
        }
        for quad in change.statements.quads().unwrap() {
            dataset.insert(&apart(&quad.unwrap(), index));
        }
    }
    dataset
}

/// The same label in two documents is two nodes.
fn apart(quad: &Quad, index: usize) -> Quad {
    let text = format!("{quad} .").replace("_:", &format!("_:x{index}x"));
    NQuadsParser::new().for_slice(text.as_bytes()).next().unwrap().unwrap()
}

/// Whether two sets of quads are the same but for the labels of blank nodes.
fn assert_same(left: Dataset, right: Dataset) {
    assert_eq!(left.len(), right.len());
    let canonical = |mut dataset: Dataset| {
        dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
        dataset
    };
    assert_eq!(canonical(left), canonical(right));
}

fn options(update: Option<String>, graph_store: Option<String>) -> Options {
    Options { update, graph_store, batch_documents: 8, batch_bytes: 6_000, timeout_s: 20, ..Options::default() }
}

fn open(options: &Options, folder: &TempDir) -> SparqlFollower {
    let fetch = fetch::Options { proxy_from_environment: false, ..fetch::Options::default() };
    SparqlFollower::open(options.clone(), fetch, folder.path(), None).unwrap()
}

/// Applies groups from where the follower is, as whoever drives it does, but
/// without the waiting. Tells how often it was asked to wait, and for how long.
fn drive(follower: &mut SparqlFollower, changes: &[Change], group: usize) -> Result<Vec<FollowError>, FollowError> {
    let start = follower.position()?.map_or(0, |position| position.offset);
    let mut waits = Vec::new();
    for (number, changes) in changes.chunks(group).enumerate().skip(usize::try_from(start).unwrap()) {
        loop {
            match follower.apply(changes, position(number as u64 + 1)) {
                Ok(()) => break,
                Err(wait @ FollowError::Retry { .. }) => waits.push(wait),
                Err(error) => return Err(error),
            }
            assert!(waits.len() < 1_000, "it never gets better: {:?}", waits.last());
        }
    }
    Ok(waits)
}
