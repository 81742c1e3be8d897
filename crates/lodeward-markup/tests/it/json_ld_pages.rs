//! JSON-LD in the scripts of real pages: all of it is read, or it is known why not.

use std::io::Read;
use std::sync::Arc;

use flate2::read::GzDecoder;
use lodeward_markup::json_ld::{self, Bundled, Contexts, Options};
use lodeward_markup::{Fault, FaultKind};
use toyweb::shared;

use crate::json_ld::Found;

/// What became of the scripts of a suite.
#[derive(Default)]
struct Tally {
    scripts: usize,
    quads: usize,
    repaired: usize,
    /// Faults that cost statements.
    lost: Vec<String>,
}

fn tally(suite: &str) -> Option<Tally> {
    let contexts: Arc<dyn Contexts> = Arc::new(Bundled);
    let mut tally = Tally::default();
    for (path, bytes) in shared::suite(suite)? {
        let page = text(&bytes);
        // The examples of schema.org are there once for each of its releases.
        let is_old = path.contains("/releases/") && !path.contains("/releases/30.0/");
        if is_old || !page.contains("ld+json") {
            continue;
        }
        let mut found = Found::default();
        json_ld::read_html(&page, "http://a.org/b", &Options::default(), &contexts, &mut found);
        tally.scripts += found.begun;
        tally.quads += found.quads;
        for Fault { kind, detail, .. } in found.faults {
            if kind == FaultKind::Repaired {
                tally.repaired += 1;
            } else {
                tally.lost.push(format!("{path}: {detail}"));
            }
        }
    }
    let Tally { scripts, quads, repaired, lost } = &tally;
    eprintln!("{suite}: {scripts} scripts, {quads} statements, {repaired} repaired, {} faults", lost.len());
    Some(tally)
}

fn text(bytes: &[u8]) -> String {
    let mut unpacked = Vec::new();
    if bytes.starts_with(b"\x1f\x8b") && GzDecoder::new(bytes).read_to_end(&mut unpacked).is_ok() {
        return String::from_utf8_lossy(&unpacked).into_owned();
    }
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads a suite, of whose scripts so many at most may have a fault.
fn check(suite: &str, lost_max: usize) {
    let Some(tally) = tally(suite) else { return };
    for fault in &tally.lost {
        eprintln!("  {fault}");
    }
    assert!(tally.scripts > 0 && tally.quads > tally.scripts, "{suite}");
    assert!(tally.lost.len() <= lost_max, "{suite}");
}

#[test]
fn scripts_of_real_pages_are_read() {
    check("readability-test-pages", 0);
    check("article-extraction-benchmark", 0);
    check("extruct-samples", 0);
}

#[test]
fn scripts_of_test_pages_are_read() {
    check("any23-test-resources", 0);
}

#[test]
fn scripts_of_the_examples_of_schema_org_are_read() {
    // The address of a server that is no IRI: an example that is there twice.
    check("schemaorg-examples", 2);
}
