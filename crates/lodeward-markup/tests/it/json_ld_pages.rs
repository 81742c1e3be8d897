//! Tests of JSON-LD scripts in real pages: all are read without loss, except for known faults.

use std::io::Read;
use std::sync::Arc;

use flate2::read::GzDecoder;
use lodeward_markup::json_ld::{self, BundledContexts, ContextLoader, JsonLdOptions};
use lodeward_markup::{MarkupFault, MarkupFaultKind};
use toyweb::test_data;

use crate::json_ld::DatasetSink;

/// The result of reading the scripts of a suite.
#[derive(Default)]
struct Tally {
    scripts: usize,
    quads: usize,
    repaired: usize,
    /// Faults that omit statements.
    losses: Vec<String>,
}

fn tally(suite: &str) -> Option<Tally> {
    let contexts: Arc<dyn ContextLoader> = Arc::new(BundledContexts);
    let mut tally = Tally::default();
    for (path, bytes) in test_data::suite(suite)? {
        let page = text(&bytes);
        // The suite contains the examples of schema.org once per release.
        let is_old = path.contains("/releases/") && !path.contains("/releases/30.0/");
        if is_old || !page.contains("ld+json") {
            continue;
        }
        let mut found = DatasetSink::default();
        json_ld::read_html(&page, "http://a.org/b", &JsonLdOptions::default(), &contexts, &mut found);
        tally.scripts += found.started;
        tally.quads += found.quads;
        for MarkupFault { kind, detail, .. } in found.faults {
            if kind == MarkupFaultKind::Repaired {
                tally.repaired += 1;
            } else {
                tally.losses.push(format!("{path}: {detail}"));
            }
        }
    }
    let Tally { scripts, quads, repaired, losses } = &tally;
    eprintln!("{suite}: {scripts} scripts, {quads} statements, {repaired} repaired, {} faults", losses.len());
    Some(tally)
}

fn text(bytes: &[u8]) -> String {
    let mut unpacked = Vec::new();
    if bytes.starts_with(b"\x1f\x8b") && GzDecoder::new(bytes).read_to_end(&mut unpacked).is_ok() {
        return String::from_utf8_lossy(&unpacked).into_owned();
    }
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads a suite, and checks that at most `max_losses` faults omit statements.
fn check(suite: &str, max_losses: usize) {
    let Some(tally) = tally(suite) else { return };
    for fault in &tally.losses {
        eprintln!("  {fault}");
    }
    assert!(tally.scripts > 0 && tally.quads > tally.scripts, "{suite}");
    assert!(tally.losses.len() <= max_losses, "{suite}");
}

#[test]
fn scripts_of_real_pages_have_no_faults() {
    check("readability-test-pages", 0);
    check("article-extraction-benchmark", 0);
    check("extruct-samples", 0);
}

#[test]
fn scripts_of_test_pages_have_no_faults() {
    check("any23-test-resources", 0);
}

#[test]
fn scripts_of_schema_org_examples_have_only_known_faults() {
    // The URL of a server is not a valid IRI, in an example that occurs twice.
    check("schemaorg-examples", 2);
}
