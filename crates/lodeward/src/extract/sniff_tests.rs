use proptest::prelude::*;

use super::*;

const RDF_XML: &str =
    "<?xml version='1.0'?>\n<!-- hello -->\n<!DOCTYPE rdf:RDF [ <!ENTITY a 'b'> ]>\n<rdf:RDF xmlns:rdf='…'>";
const TYPED_XML: &str = "<foaf:Person xmlns:foaf='f' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>";
const TRIPLES: &str = "# a comment\n<http://a.org/> <http://b.org/> \"a \\\" b\"@en .\n";
const QUADS: &str = "<http://a.org/> <http://b.org/> _:c <http://g.org/> .\n";
const TURTLE: &str = "@prefix : <http://a.org/{}> . # {\n:a :b \"{ <\" .";
const HTML: &str = "<!-- x --><!DOCTYPE HTML PUBLIC \"…\"><html>";

#[test]
fn a_graph_far_down_makes_trig_of_turtle() {
    let statements = "<a> <b> \"some text that is long\" .\n".repeat(300);
    let document = format!("@prefix : <#> .\n{statements}<g> {{ <a> <b> <c> }}");

    assert_eq!(syntax(None, None, document.as_bytes()), Some(Syntax::TriG));
    assert_eq!(syntax(None, None, format!("@prefix : <#> .\n{statements}").as_bytes()), Some(Syntax::Turtle));
}

#[test]
fn a_relative_iri_is_not_taken_for_a_page_when_the_server_says_turtle() {
    let head = b"<a> <b> <c> .";

    assert_eq!(syntax(Some("text/turtle"), None, head), Some(Syntax::Turtle));
    assert_eq!(syntax(None, Some("nt"), head), Some(Syntax::NTriples));
    assert_eq!(syntax(Some("text/html"), None, head), Some(Syntax::Html));
    assert_eq!(syntax(Some("text/turtle"), None, b"<p>Not found"), Some(Syntax::Html));
}

#[test]
fn the_first_bytes_decide_whatever_the_server_says() {
    let check = |head: &str, expected: Syntax| {
        let types = ["text/html", "text/plain", "text/xml", "application/json", "application/octet-stream", "x/y"];
        for declared in types.map(Some).into_iter().chain([None]) {
            assert_eq!(syntax(declared, None, head.as_bytes()), Some(expected), "{declared:?} {head}");
        }
    };

    check(RDF_XML, Syntax::RdfXml);
    check(TYPED_XML, Syntax::RdfXml);
    check("<RDF xmlns='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>", Syntax::RdfXml);
    check(TRIPLES, Syntax::NTriples);
    check("_:a <http://b.org/> <http://c.org/> .", Syntax::NTriples);
    check(QUADS, Syntax::NQuads);
    check("<http://a.org/> <http://b.org/> \"x\"^^<http://t.org/> _:g .", Syntax::NQuads);
    check(TURTLE, Syntax::Turtle);
    check("\u{feff}\n PREFIX a: <b>\na:a a a:B .", Syntax::Turtle);
    check("base <http://a.org/>", Syntax::Turtle);
    check("<http://a.org/> a <http://b.org/> .", Syntax::Turtle);
    check("<> <http://b.org/> 1 , 2 .", Syntax::Turtle);
    check("<#me> <http://b.org/> <c> ; <d> <e> .", Syntax::Turtle);
    check("[] a <http://b.org/> .", Syntax::Turtle);
    check("@prefix : <http://a.org/> . :g { :a :b :c }", Syntax::TriG);
    check("@prefix : <http://a.org/> . GRAPH :g { :a :b :c }", Syntax::TriG);
    check("<http://g.org/> { <http://a.org/> <http://b.org/> <http://c.org/> }", Syntax::TriG);
    check("{ <http://a.org/> <http://b.org/> 1 }", Syntax::TriG);
    check("@prefix : <#> . { ?x :p ?y } => { ?y :q ?x } .", Syntax::N3);
    check("{\"@context\": {}}", Syntax::JsonLd);
    check(" [ {\"@id\": \"http://a.org/\"} ]", Syntax::JsonLd);
}

#[test]
fn a_page_is_a_page_even_when_it_is_declared_to_be_rdf() {
    for declared in ["application/rdf+xml", "text/turtle", "application/ld+json", "text/html", "text/plain"] {
        for head in [HTML, "<html lang=en>", "\n<HEAD><title>", "<p>Not found</p>", "<!doctype html>"] {
            assert_eq!(syntax(Some(declared), Some("rdf"), head.as_bytes()), Some(Syntax::Html), "{declared} {head}");
        }
    }
    let xhtml = "<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'><html>";
    assert_eq!(syntax(Some("application/xhtml+xml"), None, HTML.as_bytes()), Some(Syntax::Xhtml));
    assert_eq!(syntax(None, None, xhtml.as_bytes()), Some(Syntax::Xhtml));
    assert_eq!(syntax(Some("text/html"), None, xhtml.as_bytes()), Some(Syntax::Html));
    let with_rdfa = xhtml.replace("XHTML 1.0 Strict", "XHTML+RDFa 1.0");
    assert_eq!(syntax(Some("text/html"), None, with_rdfa.as_bytes()), Some(Syntax::Xhtml));
}

#[test]
fn the_declared_type_decides_what_the_bytes_leave_open() {
    let check = |declared, extension, head: &str, expected| {
        assert_eq!(syntax(declared, extension, head.as_bytes()), expected, "{declared:?} {extension:?} {head}");
    };

    check(Some("text/turtle"), None, TRIPLES, Some(Syntax::Turtle));
    check(Some("application/n-quads"), None, TRIPLES, Some(Syntax::NQuads));
    check(Some("text/turtle"), None, QUADS, Some(Syntax::NQuads));
    check(Some("application/n-triples"), None, TURTLE, Some(Syntax::Turtle));
    check(Some("application/rdf+xml"), None, TURTLE, Some(Syntax::Turtle));
    check(Some("application/trig"), None, TURTLE, Some(Syntax::TriG));
    check(Some("text/n3"), None, TURTLE, Some(Syntax::N3));
    check(Some("text/turtle"), None, "", Some(Syntax::Turtle));
    check(None, Some("ttl"), "# only a comment", Some(Syntax::Turtle));
    check(Some("text/plain"), Some("trig"), TURTLE, Some(Syntax::TriG));
    check(Some("text/html"), None, "Hello, world", Some(Syntax::Html));
    check(Some("application/ld+json"), None, "{\"a\": 1}", Some(Syntax::JsonLd));
    check(Some("application/rdf+xml"), None, "<x xmlns='b'/>", Some(Syntax::RdfXml));
}

#[test]
fn what_holds_no_rdf_is_not_read() {
    let check = |declared, extension, head: &[u8]| assert_eq!(syntax(declared, extension, head), None, "{declared:?}");

    check(Some("application/json"), Some("jsonld"), b"{\"a\": 1}");
    check(Some("text/xml"), None, b"<?xml version='1.0'?><rss version='2.0'>");
    check(Some("text/plain"), None, b"Hello, world");
    check(Some("image/png"), Some("ttl"), b"text");
    check(Some("text/turtle"), None, b"%PDF-1.4");
    check(Some("text/html"), None, b"\x89PNG\r\n\x1a\n");
    check(None, None, b"a\0b");
    check(None, None, b"");
}

proptest! {
    #[test]
    fn sniffing_never_panics(head in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = syntax(None, None, &head);
    }

    #[test]
    fn sniffing_never_panics_on_what_is_nearly_rdf(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "<", ">", "http://a.org/", "\"", "\\", " ", "\n", ".", "@prefix", "{", "}", "[", "]", "<!--", "-->", "<?xml", "?>",
            "<!DOCTYPE", "rdf:RDF", "_:", "é", "=>", "#", ":", "a", "\"@id\"",
        ]), 0..30),
    ) {
        let _ = syntax(None, None, parts.concat().as_bytes());
    }
}
