//! Tests of JSON-LD scripts in pages: of the W3C suite, and of the web. Those of the web are read
//! without loss, except for known faults.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

use flate2::read::GzDecoder;
use lodeward_markup::RdfFaultKind;
use lodeward_markup::json_ld::{BundledContexts, ContextLoader, JsonLdOptions, ScriptSelection};
use lodeward_markup::json_ld_scripts::read_html;
use lodeward_rdf::RdfFault;
use serde_json::Value;
use toyweb::test_data;

use crate::json_ld_suite::{self, DatasetSink, Suite, assert_passed, id, input, passes};

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
        read_html(&page, "http://a.org/b", &JsonLdOptions::default(), &contexts, &mut found);
        tally.scripts += found.started;
        tally.quads += found.quads;
        for RdfFault { kind, detail, .. } in found.faults {
            if kind == RdfFaultKind::Repaired {
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

/// Reads the scripts of a page of the suite. A fragment of its path, which selects a script, is
/// added even if the base is another URL.
fn read_page(suite: &Suite, path: &str, option: &Value, is_all: bool) -> DatasetSink {
    let mut found = DatasetSink::default();
    let fragment = path.split_once('#').map_or("", |(_, fragment)| fragment);
    let mut base = option["base"].as_str().map_or_else(|| format!("{}{path}", suite.base_url), str::to_owned);
    if !fragment.is_empty() && !base.contains('#') {
        base = format!("{base}#{fragment}");
    }
    let is_all = option["extractAllScripts"].as_bool().unwrap_or(is_all);
    let scripts = if is_all { ScriptSelection::All } else { ScriptSelection::First };
    let options = JsonLdOptions { scripts, ..suite.options(option) };
    read_html(&json_ld_suite::text(suite.file(path)), &base, &options, &suite.contexts, &mut found);
    found
}

#[test]
fn pages_pass_the_html_suite() {
    let Some(suite) = Suite::api() else { return };
    let tests = suite.tests("html-manifest.jsonld");

    assert_passed(
        include_str!("expected_failures.txt"),
        "jsonld-html",
        tests.iter().map(|test| {
            // Only toRdf reads all scripts by default.
            let is_all = test["@type"].as_array().is_some_and(|types| types.iter().any(|it| it == "jld:ToRDFTest"));
            let found = read_page(&suite, input(test), &test["option"], is_all);
            (id(test), passes(&suite, test, &found))
        }),
    );
}

#[test]
fn scripts_are_selected_by_type_and_id() {
    let page = r#"<base href="/c/"><script type="Application/LD+JSON; charset=utf-8">{"@id": "x", "http://p": 1}</script>
        <script type="application/ld+json;profile=&quot;http://www.w3.org/ns/json-ld#frame&quot;">{"@id": "y", "http://p": 2}</script>
        <script>{"@id": "z", "http://p": 3}</script>
        <script id=q type="application/ld+json">{"@id": "q", "http://p": 4}</script>"#;
    let contexts: Arc<dyn ContextLoader> = Arc::new(BundledContexts);
    let check = |base: &str, scripts: ScriptSelection, expected: &[&str]| {
        let mut found = DatasetSink::default();
        read_html(page, base, &JsonLdOptions { scripts, ..JsonLdOptions::default() }, &contexts, &mut found);
        let lines = found.dataset.iter().map(|quad| quad.to_string());
        let lines = lines.chain(found.faults.iter().map(|fault| fault.detail.clone()));
        let subjects = lines.map(|line| line.split(' ').next().unwrap().to_owned());
        assert_eq!(subjects.collect::<BTreeSet<_>>(), expected.iter().map(|&line| line.to_owned()).collect());
    };

    check("http://a.org/b", ScriptSelection::All, &["<http://a.org/c/x>", "<http://a.org/c/q>"]);
    check("http://a.org/b", ScriptSelection::First, &["<http://a.org/c/x>"]);
    check("http://a.org/b#q", ScriptSelection::All, &["<http://a.org/c/q>"]);
    check("http://a.org/b#z", ScriptSelection::All, &["loading"]);
}
