//! Tests of repairs, faults and streams.

use std::io::{self, Read};
use std::sync::Arc;

use lodeward_rdf::json_ld::{self, BundledContexts, ContextLoader, JsonLdOptions};
use lodeward_rdf::{QuadSink, RdfFault, RdfFaultKind};
use oxrdf::QuadRef;

/// Statements and faults as lines, in order.
#[derive(Default)]
struct Lines(Vec<String>);

impl QuadSink for Lines {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.0.push(quad.to_string());
    }

    fn fault(&mut self, fault: RdfFault) {
        let is_plain = matches!(fault.kind, RdfFaultKind::Syntax | RdfFaultKind::Repaired);
        let kind = if is_plain { String::new() } else { format!("{:?}: ", fault.kind) };
        self.0.push(kind + &fault.detail);
    }

    fn begin_scope(&mut self) {
        self.0.push("begin".to_owned());
    }
}

fn contexts() -> Arc<dyn ContextLoader> {
    Arc::new(BundledContexts)
}

#[track_caller]
fn check_script(text: &str, expected: &[&str]) {
    let mut lines = Lines::default();
    json_ld::read_script(text, "http://a.org/b", &JsonLdOptions::default(), &contexts(), &mut lines);
    assert_eq!(lines.0[0], "begin");
    assert_eq!(lines.0[1..], *expected);
}

#[test]
fn repairs_are_reported() {
    check_script(
        "<!-- {'@context': 'schema.org', '@id': ' x y ', 'url': 'http://b.org/a b',} -->",
        &[
            "repaired: comment, single quotes, trailing comma",
            "<http://a.org/x%20y> <http://schema.org/url> <http://b.org/a%20b>",
            "repaired: context URL without scheme",
        ],
    );
    check_script("  ", &[]);
    check_script("null", &[]);
}

#[test]
fn an_unreadable_element_does_not_affect_others() {
    check_script(
        r#"[{"@id": "http://s", "http://p": 1}, {"@id": 2}, {"@context": "http://c.org/"}, {"@id": "http://s", "http://p": 3}]"#,
        &[
            "<http://s> <http://p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
            "invalid @id value: not a string",
            "Remote: loading remote context failed: <http://c.org/>: not available",
            "<http://s> <http://p> \"3\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        ],
    );
    check_script(
        r#"{"@graph": [{"@id": "http://s", "http://p": "{{ x }}"}, {"@id": "http://s", "http://p": {{ y }}}]}"#,
        &["<http://s> <http://p> \"{{ x }}\"", "invalid script element: invalid JSON at byte 89: missing key"],
    );
}

#[test]
fn an_unreadable_value_does_not_affect_others() {
    let check = |value: &str, expected: &[&str]| {
        let text = format!(r#"{{"@context": {{"@vocab": "http://v/"}}, "@id": "http://s", "p": {value}, "q": "z"}}"#);
        let lines = expected.iter().filter(|line| line.starts_with('<')).copied();
        let faults = expected.iter().filter(|line| !line.starts_with('<')).copied();
        let lines: Vec<&str> = lines.chain(["<http://s> <http://v/q> \"z\""]).chain(faults).collect();
        check_script(&text, &lines);
    };

    let not_a_value = "invalid value object: other entries next to @value";
    check(r#"{"@value": "v", "extra": 1}"#, &[not_a_value]);
    check(r#"[{"@value": "v", "extra": 1}, "w"]"#, &["<http://s> <http://v/p> \"w\"", not_a_value]);
    check(
        r#"[{"@id": 5, "name": "x"}, {"@id": "/y", "name": "y"}, {"@id": 6}]"#,
        &[
            "<http://s> <http://v/p> <http://a.org/y>",
            "<http://a.org/y> <http://v/name> \"y\"",
            "invalid @id value: not a string",
        ],
    );
    check(r#"{"@list": 1, "@id": "x"}"#, &["invalid set or list object: @list has other entries next to it"]);
    // A context applies only inside its node.
    check(
        r#"{"@context": "http://c.org/", "@id": "http://t", "name": "x"}"#,
        &["Remote: loading remote context failed: <http://c.org/>: not available"],
    );

    let text = r#"{"@context": 1, "@id": "http://s", "http://p": [{"http://q": 1}]}"#;
    check_script(text, &["invalid local context: it must be a URL, an object or null"]);
    let mut lines = Lines::default();
    let options = JsonLdOptions { repair: false, ..JsonLdOptions::default() };
    let text = r#"{"http://p": [{"@id": 5}, 1]}"#;
    json_ld::read_script(text, "http://a.org/b", &options, &contexts(), &mut lines);
    assert_eq!(lines.0, ["begin", "invalid @id value: not a string"]);
}

#[test]
fn invalid_iris_are_escaped_or_reported() {
    check_script(
        r#"{"@context": {"@vocab": "http://v.org/a b/"}, "@id": "http://s", "p": {"@value": "x", "@type": "d|e"}}"#,
        &["<http://s> <http://v.org/a%20b/p> \"x\"^^<http://v.org/a%20b/d%7Ce>"],
    );
    check_script(
        r#"{"@context": "https://schema.org", "@id": "http://[x/", "name": "P", "url": "http://[x/", "image": "//[y/"}"#,
        &["invalid IRI: `http://[x/`", "invalid IRI: `//[y/`"],
    );
    let many: Vec<String> = (0..100).map(|n| format!("\"http://[x/{n}\"")).collect();
    let text = format!(r#"{{"@context": "https://schema.org", "@id": "/s", "url": [{}]}}"#, many.join(","));
    let mut lines = Lines::default();
    json_ld::read_script(&text, "http://a.org/b", &JsonLdOptions::default(), &contexts(), &mut lines);
    assert_eq!(lines.0.len(), 1 + 8);

    // As specified by JSON-LD, this makes no statements.
    check_script(r#"{"name": "N", "@id": "/s"}"#, &[]);
    let mut lines = Lines::default();
    json_ld::read_script(r#"{"@id": "s", "http://p": 1}"#, "", &JsonLdOptions::default(), &contexts(), &mut lines);
    assert_eq!(lines.0, ["begin"]);
}

#[test]
fn every_omission_is_reported() {
    for iri in ["http://e.org/?a[]=1", "http://e.org/50%-off", "http://e.org/%zz", "http://[::1/", "x:[", "//["] {
        for text in [
            format!(r#"{{"@context": "https://schema.org", "@id": "{iri}", "name": "P"}}"#),
            format!(r#"{{"@context": "https://schema.org", "url": "{iri}"}}"#),
            format!(r#"{{"@context": {{"@vocab": "http://v.org/"}}, "@type": "{iri}"}}"#),
            format!(r#"{{"@context": {{"@base": "{iri}"}}, "@id": "", "http://p": 1}}"#),
            format!(r#"{{"@context": {{"p": {{"@id": "http://p", "@type": "{iri}"}}}}, "p": "x"}}"#),
        ] {
            let mut lines = Lines::default();
            json_ld::read_script(&text, "http://a.org/b", &JsonLdOptions::default(), &contexts(), &mut lines);
            assert_eq!(lines.0.len(), 2, "{text}: {:?}", lines.0);
        }
    }
}

#[test]
fn an_invalid_language_omits_only_the_language() {
    let check = |language: &str, name: &str| {
        let text = format!(
            r#"{{"@context": {{"@vocab": "http://v/", "@language": "{language}"}}, "@id": "http://s", "name": "b"}}"#
        );
        check_script(&text, &[&format!("<http://s> <http://v/name> {name}"), "repaired: invalid language tag"]);
    };

    check("en_US", "\"b\"@en-us");
    check(" de ", "\"b\"@de");
    check("English (US)", "\"b\"");
    check("", "\"b\"");

    let text = r#"{"http://p": {"@value": "b", "@language": "en_US"}}"#;
    let mut lines = Lines::default();
    let options = JsonLdOptions { repair: false, ..JsonLdOptions::default() };
    json_ld::read_script(text, "http://a.org/b", &options, &contexts(), &mut lines);
    assert_eq!(lines.0, ["begin"]);
}

#[test]
fn truncated_scripts_are_read_up_to_the_end() {
    check_script(
        r#"{"@context": "https://schema.org", "@id": "a", "name": "N", "image": "http://b.org/i"#,
        &["repaired: end missing", "<http://a.org/a> <http://schema.org/name> \"N\""],
    );
}

#[test]
fn stream_errors_are_returned() {
    struct FailingReader;

    impl Read for FailingReader {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("connection reset"))
        }
    }

    let elements =
        br#"{"@graph": [{"@id": "http://s", "http://p": true}, {"@id": "http://s", "http://p": false}, {"@id""#;
    for max_bytes in [64, 640] {
        let mut lines = Lines::default();
        let options = JsonLdOptions { max_bytes, ..JsonLdOptions::default() };
        let result = json_ld::read_from(elements.chain(FailingReader), "", &options, &contexts(), &mut lines);

        assert_eq!(result.map_err(|error| error.to_string()), Err("connection reset".to_owned()));
        assert_eq!(lines.0.iter().filter(|line| line.starts_with('<')).count(), 2);
    }
}
