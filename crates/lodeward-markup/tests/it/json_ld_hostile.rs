//! JSON-LD that was written to break a reader.
//!
//! Most of these would take hours, or all memory, if they took more time than
//! their length allows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lodeward_markup::json_ld::{self, Bundled, Contexts, Options, Session};
use lodeward_markup::{Fault, FaultKind, Sink, Syntax};
use oxrdf::QuadRef;
use proptest::prelude::*;

/// Counts what is found.
#[derive(Default)]
struct Found {
    quads: usize,
    faults: Vec<Fault>,
}

impl Sink for Found {
    fn quad(&mut self, _: Syntax, _: QuadRef<'_>) {
        self.quads += 1;
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: Syntax) {}
}

/// Has the same context at any address.
struct Everywhere(String);

impl Contexts for Everywhere {
    fn load(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.clone().into_bytes())
    }
}

fn read_with(document: &str, contexts: impl Contexts + 'static) -> Found {
    let contexts: Arc<dyn Contexts> = Arc::new(contexts);
    let mut found = Found::default();
    json_ld::read(document.as_bytes(), "http://a.org/", &Options::default(), &contexts, &mut found);
    found
}

fn read(document: &str) -> Found {
    read_with(document, Bundled)
}

#[track_caller]
fn check_excess(found: &Found) {
    assert_eq!(
        found.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(),
        [FaultKind::Excess],
        "{:?}",
        found.faults
    );
}

/// So many entries, each with a comma behind it.
fn many(count: usize, entry: impl Fn(usize) -> String) -> String {
    (0..count).flat_map(|n| [entry(n), ",".to_owned()]).collect()
}

fn terms(count: usize) -> String {
    many(count, |n| format!("\"t{n}\": \"http://v/{n}\""))
}

#[test]
fn what_nests_too_deep_costs_itself_only() {
    let deep = format!("{}1{}", "{\"http://p\": [".repeat(100_000), "]}".repeat(100_000));
    check_excess(&read(&deep));
    for open in ["[", "{\"@graph\":", "{\"@context\": [{\"a\":"] {
        assert_ne!(read(&open.repeat(100_000)).faults, []);
    }

    let found = read(&format!("[{{\"http://p\": 1}}, {deep}, {{\"http://p\": 2}}]"));
    check_excess(&found);
    assert_eq!(found.quads, 2);
}

#[test]
fn what_may_nest_can_be_read() {
    check_nesting(Options::default().depth_max, 128);
}

#[test]
fn more_may_not_nest_than_the_stack_allows() {
    check_nesting(usize::MAX, 256);
    check_excess(&read_to_depth(usize::MAX, &format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)), Bundled));
}

fn read_to_depth(depth_max: usize, document: &str, contexts: impl Contexts + 'static) -> Found {
    let contexts: Arc<dyn Contexts> = Arc::new(contexts);
    let options = Options { depth_max, ..Options::default() };
    let mut found = Found::default();
    json_ld::read(document.as_bytes(), "http://a.org/", &options, &contexts, &mut found);
    found
}

/// Reads what nests to so many levels, and contexts that do so as well.
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
        assert_eq!(read_to_depth(depth_max, &document, Bundled).faults, [], "{open}");
    }
    // Contexts within contexts, the innermost of which names another such.
    let levels = (levels_max - 4) / 2;
    let open = "{\"a\": {\"@id\": \"http://a\", \"@context\":";
    let context = format!("{}\"x/\"{}", open.repeat(levels), "}}".repeat(levels));
    let nodes = levels_max - 1;
    let document = format!("{}{{\"@context\": \"x/\"}}{}", "{\"http://p\":".repeat(nodes), "}".repeat(nodes));
    let found = read_to_depth(depth_max, &document, Everywhere(format!("{{\"@context\": {context}}}")));
    assert_eq!(found.faults.len(), 1, "{:?}", found.faults);
}

#[test]
fn wide_documents_are_read_to_their_end() {
    let found = read(&format!("{{\"@id\": \"http://s\", \"http://p\": [{}0]}}", "0,".repeat(1_000_000)));
    assert_eq!((found.quads, found.faults), (1_000_001, vec![]));

    let entries = many(100_000, |n| format!("\"http://p/{n}\": 1"));
    assert_eq!(read(&format!("{{{entries} \"@id\": \"http://s\"}}")).quads, 100_000);
}

#[test]
fn large_contexts_are_read_but_not_for_each_node() {
    let context = format!("{{\"@context\": {{{}\"z\": \"http://z\"}}", terms(50_000));
    assert_eq!(read(&format!("{context}, \"z\": [1, 2]}}")).quads, 2);

    let nodes = "{\"@context\": {\"y\": \"http://y\"}, \"y\": 1},".repeat(20_000);
    check_excess(&read(&format!("{context}, \"z\": [{nodes}1]}}")));

    // Nothing is copied for a context that says nothing new.
    let nodes = "{\"@context\": {}, \"z\": 1},".repeat(50_000);
    assert_eq!(read(&format!("{context}, \"z\": [{nodes}1]}}")).quads, 100_001);
}

#[test]
fn the_same_context_again_and_again_is_read_once() {
    let nodes = "{\"@context\": \"https://schema.org\", \"@type\": \"Thing\", \"name\": \"N\"},".repeat(20_000);
    assert_eq!(read(&format!("[{nodes}{{}}]")).quads, 40_000);

    let context = format!("{{\"@context\": [{}{{}}]}}", "\"https://schema.org\",".repeat(100_000));
    assert_eq!(read(&context).faults.len(), 1);
}

/// The bundled contexts, and how often they were asked for.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Contexts for Counted {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Bundled.load(address)
    }
}

#[test]
fn the_scripts_of_a_page_share_their_contexts() {
    let counted = Arc::new(Counted::default());
    let contexts: Arc<dyn Contexts> = Arc::<Counted>::clone(&counted);
    let script = r#"<script type=application/ld+json>{"@context":"https://schema.org","name":"N"}</script>
        <script type=application/ld+json>{"@context":"http://not.org","name":"N"}</script>"#;
    let mut found = Found::default();
    json_ld::read_html(&script.repeat(2_000), "http://a.org/", &Options::default(), &contexts, &mut found);

    assert_eq!((found.quads, found.faults.len()), (2_000, 2_000));
    assert_eq!(counted.0.load(Ordering::Relaxed), 2);
}

#[test]
fn what_one_script_says_of_terms_is_nothing_to_the_next() {
    let (options, contexts): (_, Arc<dyn Contexts>) = (Options::default(), Arc::new(Bundled));
    let mut session = Session::new(&options, &contexts);
    let mut read = |script: &str, base: &str| {
        let mut found = Found::default();
        session.script(script, base, &mut found);
        found.quads
    };

    for base in ["http://a.org/", "http://b.org/", "http://a.org/"] {
        assert_eq!(read(r#"{"@context": "https://schema.org", "name": "N"}"#, base), 1);
        assert_eq!(read(r#"{"name": "N"}"#, base), 0);
        assert_eq!(read(r#"{"@context": ["https://schema.org", {"name": null}], "name": "N"}"#, base), 0);
    }
}

#[test]
fn many_scripts_may_not_ask_for_more_than_one_as_long() {
    let contexts: Arc<dyn Contexts> = Arc::new(Bundled);
    let options = Options::default();
    let pair = r#"{"a":"http://a/"},"https://www.w3.org/ns/odrl.jsonld","#;
    let script = format!(r#"{{"@context": [{}{{}}], "http://p": 1}}"#, pair.repeat(200));
    let mut session = Session::new(&options, &contexts);
    let mut found = Found::default();
    for _ in 0..100 {
        session.script(&script, "http://a.org/", &mut found);
    }

    assert!(found.faults.len() > 50, "{}", found.faults.len());
    assert!(found.faults.iter().all(|fault| fault.kind == FaultKind::Excess));
    session.script(r#"{"http://p": 1}"#, "http://a.org/", &mut found);
    assert!(found.quads > 0);
}

#[test]
fn contexts_for_single_terms_are_read_once_for_each() {
    let context =
        format!("{{{} \"s\": {{\"@id\": \"http://s\", \"@context\": {{\"x\": \"http://x\"}}}}}}", terms(1_000));
    let values = "{\"x\": 1},".repeat(50_000);
    assert_eq!(read(&format!("{{\"@context\": {context}, \"s\": [{values}1]}}")).quads, 100_001);
}

#[test]
fn contexts_that_name_each_other_come_to_an_end() {
    for context in ["[\"a\"]", "[\"a\", \"b\", \"c\", \"d\", \"e\"]", &format!("[{}{{}}]", "\"a\",".repeat(10_000))] {
        let found =
            read_with("{\"@context\": \"x\", \"http://p\": 1}", Everywhere(format!("{{\"@context\": {context}}}")));
        assert_eq!((found.quads, found.faults.len()), (0, 1));
    }
    let scoped = many(200, |n| format!("\"t{n}\": {{\"@id\": \"http://t/{n}\", \"@context\": \"c{n}\"}}"));
    let found = read_with("{\"@context\": \"x\"}", Everywhere(format!("{{\"@context\": {{{scoped} \"z\": null}}}}")));
    assert_eq!(found.quads, 0);
}

#[test]
fn terms_that_are_made_of_terms_come_to_an_end() {
    let chain = many(100_000, |n| format!("\"t{}\": \"t{n}:x/\"", n + 1));
    check_excess(&read(&format!("{{\"@context\": {{{chain} \"t0\": \"http://t/\"}}}}")));

    // Nodes, not terms, that are each made of a long IRI.
    let prefix = "x".repeat(1 << 20);
    let nodes = "{\"@id\": \"p:a\"},".repeat(100_000);
    check_excess(&read(&format!("{{\"@context\": {{\"p\": \"http://{prefix}/\"}}, \"http://p\": [{nodes}1]}}")));
}

#[test]
fn contexts_that_wait_for_another_to_be_over_are_few() {
    let nulls = "null,".repeat(100_000);
    let context = format!("{{\"T\": {{\"@id\": \"http://t\", \"@context\": [{nulls} {{}}]}}}}");
    check_excess(&read(&format!("{{\"@context\": {context}, \"@type\": \"T\"}}")));
}

/// Each of these made a parser panic that others use.
#[test]
fn graphs_may_have_anything_in_them() {
    for (container, value) in [
        ("@graph", "{\"@list\": [1]}"),
        ("@graph", "{\"@set\": [{\"@id\": \"x\"}]}"),
        ("@id", "{\"x\": [\"y\", {\"@set\": []}]}"),
    ] {
        let context = format!("{{\"g\": {{\"@id\": \"http://g\", \"@container\": [\"@graph\", \"{container}\"]}}}}");
        assert_eq!(read(&format!("{{\"@context\": {context}, \"g\": {value}}}")).faults, [], "{value}");
    }
}

/// JSON of the words of JSON-LD, put together by chance.
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
    fn whatever_it_says_it_is_read(context in json(), body in json()) {
        read(&body);
        read(&format!("{{\"@context\": {{\"@version\": 1.1, \"a\": {context}, \"b\": {{\"@id\": \"http://b/\", \"@container\": {body}}}}}, \"a\": {body}, \"b\": {context}, \"@graph\": {body}}}"));
        read(&format!("{{\"@context\": {context}, \"@type\": \"a\", \"name\": {body}}}"));
    }

    #[test]
    fn whatever_is_left_of_it_is_read(body in json(), from in 0..100_usize, to in 0..400_usize) {
        let whole = format!("{{\"@context\": \"https://schema.org\", \"@graph\": [{body}, {body}]}}");
        let cut: String = whole.chars().skip(from).take(to).collect();
        read(&cut);
        read(&whole.replace(':', ": \u{1}").replace('"', "'"));
    }
}
