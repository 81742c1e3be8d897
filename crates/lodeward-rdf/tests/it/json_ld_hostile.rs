//! Tests with hostile JSON-LD.
//!
//! Most of these would take hours, or all memory, if reading were not linear in their length.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lodeward_rdf::json_ld::{self, BundledContexts, ContextLoader, JsonLdOptions, ScriptSession};
use lodeward_rdf::{QuadSink, RdfFault, RdfFaultKind};
use oxrdf::QuadRef;
use proptest::prelude::*;

/// Counts the output.
#[derive(Default)]
struct OutputCounter {
    quads: usize,
    faults: Vec<RdfFault>,
}

impl QuadSink for OutputCounter {
    fn quad(&mut self, _: QuadRef<'_>) {
        self.quads += 1;
    }

    fn fault(&mut self, fault: RdfFault) {
        self.faults.push(fault);
    }
}

/// Returns the same context for every URL.
struct ConstantContext(String);

impl ContextLoader for ConstantContext {
    fn load(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.clone().into_bytes())
    }
}

fn read_with(document: &str, contexts: impl ContextLoader + 'static) -> OutputCounter {
    let contexts: Arc<dyn ContextLoader> = Arc::new(contexts);
    let mut found = OutputCounter::default();
    json_ld::read(document.as_bytes(), "http://a.org/", &JsonLdOptions::default(), &contexts, &mut found);
    found
}

fn read(document: &str) -> OutputCounter {
    read_with(document, BundledContexts)
}

#[track_caller]
fn check_limited(found: &OutputCounter) {
    assert_eq!(
        found.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(),
        [RdfFaultKind::Limit],
        "{:?}",
        found.faults
    );
}

/// `count` entries, each followed by a comma.
fn many(count: usize, entry: impl Fn(usize) -> String) -> String {
    (0..count).flat_map(|n| [entry(n), ",".to_owned()]).collect()
}

fn terms(count: usize) -> String {
    many(count, |n| format!("\"t{n}\": \"http://v/{n}\""))
}

#[test]
fn only_values_that_are_nested_too_deep_are_omitted() {
    let deep = format!("{}1{}", "{\"http://p\": [".repeat(100_000), "]}".repeat(100_000));
    check_limited(&read(&deep));
    for open in ["[", "{\"@graph\":", "{\"@context\": [{\"a\":"] {
        assert_ne!(read(&open.repeat(100_000)).faults, []);
    }

    let found = read(&format!("[{{\"http://p\": 1}}, {deep}, {{\"http://p\": 2}}]"));
    check_limited(&found);
    assert_eq!(found.quads, 2);
}

#[test]
fn values_up_to_the_maximum_depth_are_read() {
    check_nesting(JsonLdOptions::default().max_depth, 128);
}

#[test]
fn the_maximum_depth_is_limited_by_the_stack() {
    check_nesting(usize::MAX, 256);
    check_limited(&read_to_depth(
        usize::MAX,
        &format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        BundledContexts,
    ));
}

fn read_to_depth(max_depth: usize, document: &str, contexts: impl ContextLoader + 'static) -> OutputCounter {
    let contexts: Arc<dyn ContextLoader> = Arc::new(contexts);
    let options = JsonLdOptions { max_depth, ..JsonLdOptions::default() };
    let mut found = OutputCounter::default();
    json_ld::read(document.as_bytes(), "http://a.org/", &options, &contexts, &mut found);
    found
}

/// Reads values, and contexts, that are nested to this number of levels.
fn check_nesting(depth_max: usize, levels_max: usize) {
    let levels = levels_max - 1;
    for (open, close) in [
        ("{\"http://p\":", "}"),
        ("{\"@set\": [", "]}"),
        ("{\"@list\": [", "]}"),
        ("{\"@graph\": [", "]}"),
        ("{\"@included\": {\"http://p\":", "}}"),
        ("{\"@reverse\": {\"http://p\":", "}}"),
    ] {
        let levels = levels / open.matches(['{', '[']).count();
        let document = format!("{{\"http://p\": {}{{}}{}}}", open.repeat(levels - 1), close.repeat(levels - 1));
        assert_eq!(read_to_depth(depth_max, &document, BundledContexts).faults, [], "{open}");
    }
    // Nested contexts, the innermost of which refers to another one.
    let levels = (levels_max - 4) / 2;
    let open = "{\"a\": {\"@id\": \"http://a\", \"@context\":";
    let context = format!("{}\"x/\"{}", open.repeat(levels), "}}".repeat(levels));
    let nodes = levels_max - 1;
    let document = format!("{}{{\"@context\": \"x/\"}}{}", "{\"http://p\":".repeat(nodes), "}".repeat(nodes));
    let found = read_to_depth(depth_max, &document, ConstantContext(format!("{{\"@context\": {context}}}")));
    assert_eq!(found.faults.len(), 1, "{:?}", found.faults);
}

#[test]
fn wide_documents_are_read_completely() {
    let found = read(&format!("{{\"@id\": \"http://s\", \"http://p\": [{}0]}}", "0,".repeat(1_000_000)));
    assert_eq!((found.quads, found.faults), (1_000_001, vec![]));

    let entries = many(100_000, |n| format!("\"http://p/{n}\": 1"));
    assert_eq!(read(&format!("{{{entries} \"@id\": \"http://s\"}}")).quads, 100_000);
}

#[test]
fn copying_a_large_context_for_each_node_is_limited() {
    let context = format!("{{\"@context\": {{{}\"z\": \"http://z\"}}", terms(50_000));
    assert_eq!(read(&format!("{context}, \"z\": [1, 2]}}")).quads, 2);

    let nodes = "{\"@context\": {\"y\": \"http://y\"}, \"y\": 1},".repeat(20_000);
    check_limited(&read(&format!("{context}, \"z\": [{nodes}1]}}")));

    // An empty context is not copied.
    let nodes = "{\"@context\": {}, \"z\": 1},".repeat(50_000);
    assert_eq!(read(&format!("{context}, \"z\": [{nodes}1]}}")).quads, 100_001);
}

#[test]
fn a_repeated_context_is_processed_once() {
    let nodes = "{\"@context\": \"https://schema.org\", \"@type\": \"Thing\", \"name\": \"N\"},".repeat(20_000);
    assert_eq!(read(&format!("[{nodes}{{}}]")).quads, 40_000);

    let context = format!("{{\"@context\": [{}{{}}]}}", "\"https://schema.org\",".repeat(100_000));
    assert_eq!(read(&context).faults.len(), 1);
}

/// The bundled contexts, with a count of loads.
#[derive(Default)]
struct CountingLoader(AtomicUsize);

impl ContextLoader for CountingLoader {
    fn load(&self, url: &str) -> Result<Vec<u8>, String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        BundledContexts.load(url)
    }
}

#[test]
fn scripts_of_a_page_share_loaded_contexts() {
    let counted = Arc::new(CountingLoader::default());
    let contexts: Arc<dyn ContextLoader> = Arc::<CountingLoader>::clone(&counted);
    let options = JsonLdOptions::default();
    let mut session = ScriptSession::new(&options, &contexts);
    let mut found = OutputCounter::default();
    for _ in 0..2_000 {
        session.read_script(r#"{"@context":"https://schema.org","name":"N"}"#, "http://a.org/", &mut found);
        session.read_script(r#"{"@context":"http://not.org","name":"N"}"#, "http://a.org/", &mut found);
    }

    assert_eq!((found.quads, found.faults.len()), (2_000, 2_000));
    assert_eq!(counted.0.load(Ordering::Relaxed), 2);
}

#[test]
fn the_context_of_a_script_does_not_affect_the_next_one() {
    let (options, contexts): (_, Arc<dyn ContextLoader>) = (JsonLdOptions::default(), Arc::new(BundledContexts));
    let mut session = ScriptSession::new(&options, &contexts);
    let mut read = |script: &str, base: &str| {
        let mut found = OutputCounter::default();
        session.read_script(script, base, &mut found);
        found.quads
    };

    for base in ["http://a.org/", "http://b.org/", "http://a.org/"] {
        assert_eq!(read(r#"{"@context": "https://schema.org", "name": "N"}"#, base), 1);
        assert_eq!(read(r#"{"name": "N"}"#, base), 0);
        assert_eq!(read(r#"{"@context": ["https://schema.org", {"name": null}], "name": "N"}"#, base), 0);
    }
}

#[test]
fn many_scripts_share_one_budget() {
    let contexts: Arc<dyn ContextLoader> = Arc::new(BundledContexts);
    let options = JsonLdOptions::default();
    let pair = r#"{"a":"http://a/"},"https://www.w3.org/ns/odrl.jsonld","#;
    let script = format!(r#"{{"@context": [{}{{}}], "http://p": 1}}"#, pair.repeat(200));
    let mut session = ScriptSession::new(&options, &contexts);
    let mut found = OutputCounter::default();
    for _ in 0..100 {
        session.read_script(&script, "http://a.org/", &mut found);
    }

    assert!(found.faults.len() > 50, "{}", found.faults.len());
    assert!(found.faults.iter().all(|fault| fault.kind == RdfFaultKind::Limit));
    session.read_script(r#"{"http://p": 1}"#, "http://a.org/", &mut found);
    assert!(found.quads > 0);
}

#[test]
fn a_scoped_context_is_processed_once_per_term() {
    let context =
        format!("{{{} \"s\": {{\"@id\": \"http://s\", \"@context\": {{\"x\": \"http://x\"}}}}}}", terms(1_000));
    let values = "{\"x\": 1},".repeat(50_000);
    assert_eq!(read(&format!("{{\"@context\": {context}, \"s\": [{values}1]}}")).quads, 100_001);
}

#[test]
fn cyclic_contexts_terminate() {
    for context in ["[\"a\"]", "[\"a\", \"b\", \"c\", \"d\", \"e\"]", &format!("[{}{{}}]", "\"a\",".repeat(10_000))] {
        let found = read_with(
            "{\"@context\": \"x\", \"http://p\": 1}",
            ConstantContext(format!("{{\"@context\": {context}}}")),
        );
        assert_eq!((found.quads, found.faults.len()), (0, 1));
    }
    let scoped = many(200, |n| format!("\"t{n}\": {{\"@id\": \"http://t/{n}\", \"@context\": \"c{n}\"}}"));
    let found =
        read_with("{\"@context\": \"x\"}", ConstantContext(format!("{{\"@context\": {{{scoped} \"z\": null}}}}")));
    assert_eq!(found.quads, 0);
}

#[test]
fn chains_of_terms_and_long_iris_are_limited() {
    let chain = many(100_000, |n| format!("\"t{}\": \"t{n}:x/\"", n + 1));
    check_limited(&read(&format!("{{\"@context\": {{{chain} \"t0\": \"http://t/\"}}}}")));

    // Nodes, not terms, each with a long IRI.
    let prefix = "x".repeat(1 << 20);
    let nodes = "{\"@id\": \"p:a\"},".repeat(100_000);
    check_limited(&read(&format!("{{\"@context\": {{\"p\": \"http://{prefix}/\"}}, \"http://p\": [{nodes}1]}}")));
}

#[test]
fn chains_of_previous_contexts_are_limited() {
    let nulls = "null,".repeat(100_000);
    let context = format!("{{\"T\": {{\"@id\": \"http://t\", \"@context\": [{nulls} {{}}]}}}}");
    check_limited(&read(&format!("{{\"@context\": {context}, \"@type\": \"T\"}}")));
}

/// Each of these made another widely used parser panic.
#[test]
fn graph_containers_accept_any_value() {
    for (container, value) in [
        ("@graph", "{\"@list\": [1]}"),
        ("@graph", "{\"@set\": [{\"@id\": \"x\"}]}"),
        ("@id", "{\"x\": [\"y\", {\"@set\": []}]}"),
    ] {
        let context = format!("{{\"g\": {{\"@id\": \"http://g\", \"@container\": [\"@graph\", \"{container}\"]}}}}");
        assert_eq!(read(&format!("{{\"@context\": {context}, \"g\": {value}}}")).faults, [], "{value}");
    }
}

/// Random JSON of JSON-LD keywords and terms.
fn json() -> impl Strategy<Value = String> {
    const WORDS: [&str; 40] = [
        "@base",
        "@container",
        "@context",
        "@direction",
        "@graph",
        "@id",
        "@import",
        "@included",
        "@index",
        "@json",
        "@language",
        "@list",
        "@nest",
        "@none",
        "@prefix",
        "@propagate",
        "@protected",
        "@reverse",
        "@set",
        "@type",
        "@value",
        "@version",
        "@vocab",
        "@other",
        "a",
        "b",
        "c:d",
        "_:e",
        "http://f/",
        "a:b",
        "",
        ":",
        "en",
        "ltr",
        "https://schema.org",
        "name",
        "..",
        "#g",
        "//h",
        "é ",
    ];
    let word = prop::sample::select(&WORDS[..]).prop_map(|word| format!("\"{word}\""));
    let scalar = prop_oneof![word.clone(), Just("null".to_owned()), Just("true".to_owned()), Just("1.1".to_owned())];
    scalar.prop_recursive(6, 60, 5, move |inside| {
        let entry = (word.clone(), inside.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            prop::collection::vec(inside, 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            prop::collection::vec(entry, 0..5).prop_map(|entries| format!("{{{}}}", entries.join(","))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_documents_are_read_without_panic(context in json(), body in json()) {
        read(&body);
        read(&format!("{{\"@context\": {{\"@version\": 1.1, \"a\": {context}, \"b\": {{\"@id\": \"http://b/\", \"@container\": {body}}}}}, \"a\": {body}, \"b\": {context}, \"@graph\": {body}}}"));
        read(&format!("{{\"@context\": {context}, \"@type\": \"a\", \"name\": {body}}}"));
    }

    #[test]
    fn truncated_documents_are_read_without_panic(body in json(), from in 0..100_usize, to in 0..400_usize) {
        let whole = format!("{{\"@context\": \"https://schema.org\", \"@graph\": [{body}, {body}]}}");
        let cut: String = whole.chars().skip(from).take(to).collect();
        read(&cut);
        read(&whole.replace(':', ": \u{1}").replace('"', "'"));
    }
}
