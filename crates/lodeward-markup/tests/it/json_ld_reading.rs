//! What is promised of JSON-LD that is not quite right, or not quite there.

use std::io::{self, Read};
use std::sync::Arc;

use lodeward_markup::json_ld::{self, Bundled, Contexts, Options, Scripts};
use lodeward_markup::{Fault, FaultKind, Sink, Syntax};
use oxrdf::QuadRef;

/// Statements and faults as lines, in the order in which they came.
#[derive(Default)]
struct Lines(Vec<String>);

impl Sink for Lines {
    fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
        self.0.push(quad.to_string());
    }

    fn fault(&mut self, fault: Fault) {
        let is_plain = matches!(fault.kind, FaultKind::Syntax | FaultKind::Repaired);
        let kind = if is_plain { String::new() } else { format!("{:?}: ", fault.kind) };
        self.0.push(kind + &fault.detail);
    }

    fn begin(&mut self, _: Syntax) {
        self.0.push("begin".to_owned());
    }
}

fn contexts() -> Arc<dyn Contexts> {
    Arc::new(Bundled)
}

#[track_caller]
fn check_script(text: &str, expected: &[&str]) {
    let mut lines = Lines::default();
    json_ld::read_script(text, "http://a.org/b", &Options::default(), &contexts(), &mut lines);
    assert_eq!(lines.0[0], "begin");
    assert_eq!(lines.0[1..], *expected);
}

#[test]
fn what_was_repaired_is_told() {
    check_script(
        "<!-- {'@context': 'schema.org', '@id': ' x y ', 'url': 'http://b.org/a b',} -->",
        &[
            "repaired: comment, single quotes, trailing comma",
            "<http://a.org/x%20y> <http://schema.org/url> <http://b.org/a%20b>",
            "repaired: a context without scheme",
        ],
    );
    check_script("  ", &[]);
    check_script("null", &[]);
}

#[test]
fn what_cannot_be_read_costs_only_itself() {
    check_script(
        r#"[{"@id": "http://s", "http://p": 1}, {"@id": 2}, {"@context": "http://c.org/"}, {"@id": "http://s", "http://p": 3}]"#,
        &[
            "<http://s> <http://p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
            "invalid @id value: not a string",
            "Remote: loading remote context failed: <http://c.org/>: not at hand",
            "<http://s> <http://p> \"3\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        ],
    );
    check_script(
        r#"{"@graph": [{"@id": "http://s", "http://p": "{{ x }}"}, {"@id": "http://s", "http://p": {{ y }}}]}"#,
        &["<http://s> <http://p> \"{{ x }}\"", "invalid script element: not JSON from byte 89 on: a key is missing"],
    );
}

#[test]
fn a_value_that_cannot_be_read_costs_only_itself() {
    let check = |value: &str, expected: &[&str]| {
        let text = format!(r#"{{"@context": {{"@vocab": "http://v/"}}, "@id": "http://s", "p": {value}, "q": "z"}}"#);
        let lines = expected.iter().filter(|line| line.starts_with('<')).copied();
        let faults = expected.iter().filter(|line| !line.starts_with('<')).copied();
        let lines: Vec<&str> = lines.chain(["<http://s> <http://v/q> \"z\""]).chain(faults).collect();
        check_script(&text, &lines);
    };

    let not_a_value = "invalid value object: there is more than a value";
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
    check(r#"{"@list": 1, "@id": "x"}"#, &["invalid set or list object: @list is not alone"]);
    // What a context says of terms is in force in its node, and not outside.
    check(
        r#"{"@context": "http://c.org/", "@id": "http://t", "name": "x"}"#,
        &["Remote: loading remote context failed: <http://c.org/>: not at hand"],
    );

    let text = r#"{"@context": 1, "@id": "http://s", "http://p": [{"http://q": 1}]}"#;
    check_script(text, &["invalid local context: neither an address nor an object nor null"]);
    let mut lines = Lines::default();
    let options = Options { repair: false, ..Options::default() };
    let text = r#"{"http://p": [{"@id": 5}, 1]}"#;
    json_ld::read_script(text, "http://a.org/b", &options, &contexts(), &mut lines);
    assert_eq!(lines.0, ["begin", "invalid @id value: not a string"]);
}

#[test]
fn what_is_no_iri_is_mended_or_told() {
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
    json_ld::read_script(&text, "http://a.org/b", &Options::default(), &contexts(), &mut lines);
    assert_eq!(lines.0.len(), 1 + 8);

    // By the letter of JSON-LD, this says nothing.
    check_script(r#"{"name": "N", "@id": "/s"}"#, &[]);
    let mut lines = Lines::default();
    json_ld::read_script(r#"{"@id": "s", "http://p": 1}"#, "", &Options::default(), &contexts(), &mut lines);
    assert_eq!(lines.0, ["begin"]);
}

#[test]
fn nothing_is_lost_in_silence() {
    for iri in ["http://e.org/?a[]=1", "http://e.org/50%-off", "http://e.org/%zz", "http://[::1/", "x:[", "//["] {
        for text in [
            format!(r#"{{"@context": "https://schema.org", "@id": "{iri}", "name": "P"}}"#),
            format!(r#"{{"@context": "https://schema.org", "url": "{iri}"}}"#),
            format!(r#"{{"@context": {{"@vocab": "http://v.org/"}}, "@type": "{iri}"}}"#),
            format!(r#"{{"@context": {{"@base": "{iri}"}}, "@id": "", "http://p": 1}}"#),
            format!(r#"{{"@context": {{"p": {{"@id": "http://p", "@type": "{iri}"}}}}, "p": "x"}}"#),
        ] {
            let mut lines = Lines::default();
            json_ld::read_script(&text, "http://a.org/b", &Options::default(), &contexts(), &mut lines);
            assert_eq!(lines.0.len(), 2, "{text}: {:?}", lines.0);
        }
    }
}

#[test]
fn a_language_that_is_none_costs_the_language_only() {
    let check = |language: &str, name: &str| {
        let text = format!(
            r#"{{"@context": {{"@vocab": "http://v/", "@language": "{language}"}}, "@id": "http://s", "name": "b"}}"#
        );
        check_script(&text, &[&format!("<http://s> <http://v/name> {name}"), "repaired: a language that is none"]);
    };

    check("en_US", "\"b\"@en-us");
    check(" de ", "\"b\"@de");
    check("English (US)", "\"b\"");
    check("", "\"b\"");

    let text = r#"{"http://p": {"@value": "b", "@language": "en_US"}}"#;
    let mut lines = Lines::default();
    let options = Options { repair: false, ..Options::default() };
    json_ld::read_script(text, "http://a.org/b", &options, &contexts(), &mut lines);
    assert_eq!(lines.0, ["begin"]);
}

#[test]
fn what_breaks_off_is_read_so_far() {
    check_script(
        r#"{"@context": "https://schema.org", "@id": "a", "name": "N", "image": "http://b.org/i"#,
        &["repaired: end missing", "<http://a.org/a> <http://schema.org/name> \"N\""],
    );
}

#[test]
fn an_error_of_the_stream_is_one_of_the_reading() {
    struct Broken;

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("cut"))
        }
    }

    let elements =
        br#"{"@graph": [{"@id": "http://s", "http://p": true}, {"@id": "http://s", "http://p": false}, {"@id""#;
    for bytes_max in [64, 640] {
        let mut lines = Lines::default();
        let options = Options { bytes_max, ..Options::default() };
        let result = json_ld::read_from(elements.chain(Broken), "", &options, &contexts(), &mut lines);

        assert_eq!(result.map_err(|error| error.to_string()), Err("cut".to_owned()));
        assert_eq!(lines.0.iter().filter(|line| line.starts_with('<')).count(), 2);
    }
}

#[test]
fn scripts_are_found_by_type_and_name() {
    let page = r#"<base href="/c/"><script type="Application/LD+JSON; charset=utf-8">{"@id": "x", "http://p": 1}</script>
        <script type="application/ld+json;profile=&quot;http://www.w3.org/ns/json-ld#frame&quot;">{"@id": "y", "http://p": 2}</script>
        <script>{"@id": "z", "http://p": 3}</script>
        <script id=q type="application/ld+json">{"@id": "q", "http://p": 4}</script>"#;
    let check = |base: &str, scripts: Scripts, expected: &[&str]| {
        let mut lines = Lines::default();
        json_ld::read_html(page, base, &Options { scripts, ..Options::default() }, &contexts(), &mut lines);
        let subjects = lines.0.iter().filter(|line| *line != "begin").map(|line| line.split(' ').next().unwrap());
        assert_eq!(subjects.collect::<Vec<_>>(), expected);
    };

    check("http://a.org/b", Scripts::All, &["<http://a.org/c/x>", "<http://a.org/c/q>"]);
    check("http://a.org/b", Scripts::First, &["<http://a.org/c/x>"]);
    check("http://a.org/b#q", Scripts::All, &["<http://a.org/c/q>"]);
    check("http://a.org/b#z", Scripts::All, &["loading"]);
}
