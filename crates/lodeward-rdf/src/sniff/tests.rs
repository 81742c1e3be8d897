//! Tests of format detection.

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
fn graph_far_into_turtle_is_detected_as_trig() {
    let statements = "<a> <b> \"some text that is long\" .\n".repeat(300);
    let document = format!("@prefix : <#> .\n{statements}<g> {{ <a> <b> <c> }}");

    assert_eq!(detect_format(None, None, document.as_bytes()), Some(RdfFormat::TriG));
    assert_eq!(detect_format(None, None, format!("@prefix : <#> .\n{statements}").as_bytes()), Some(RdfFormat::Turtle));
}

#[test]
fn relative_iri_declared_as_turtle_is_not_html() {
    let head = b"<a> <b> <c> .";

    assert_eq!(detect_format(Some("text/turtle"), None, head), Some(RdfFormat::Turtle));
    assert_eq!(detect_format(Some("text/turtle"), None, b"<a> b <c> ."), Some(RdfFormat::Turtle), "with an error");
    assert_eq!(detect_format(None, Some("nt"), head), Some(RdfFormat::NTriples));
    assert_eq!(detect_format(Some("text/html"), None, head), Some(RdfFormat::Html));
    assert_eq!(detect_format(Some("text/turtle"), None, b"<p>Not found"), Some(RdfFormat::Html));
}

#[test]
fn unambiguous_first_bytes_decide() {
    let check = |head: &str, expected: RdfFormat| {
        let types = ["text/html", "text/plain", "text/xml", "application/json", "application/octet-stream", "x/y"];
        for declared in types.map(Some).into_iter().chain([None]) {
            assert_eq!(detect_format(declared, None, head.as_bytes()), Some(expected), "{declared:?} {head}");
        }
    };

    check(RDF_XML, RdfFormat::RdfXml);
    check(TYPED_XML, RdfFormat::RdfXml);
    check("<RDF xmlns='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>", RdfFormat::RdfXml);
    check(TRIPLES, RdfFormat::NTriples);
    check("_:a <http://b.org/> <http://c.org/> .", RdfFormat::NTriples);
    check(QUADS, RdfFormat::NQuads);
    check("<http://a.org/> <http://b.org/> \"x\"^^<http://t.org/> _:g .", RdfFormat::NQuads);
    check(TURTLE, RdfFormat::Turtle);
    check("\u{feff}\n PREFIX a: <b>\na:a a a:B .", RdfFormat::Turtle);
    check("base <http://a.org/>", RdfFormat::Turtle);
    check("<http://a.org/> a <http://b.org/> .", RdfFormat::Turtle);
    check("<> <http://b.org/> 1 , 2 .", RdfFormat::Turtle);
    check("<#me> <http://b.org/> <c> ; <d> <e> .", RdfFormat::Turtle);
    check("[] a <http://b.org/> .", RdfFormat::Turtle);
    check("@prefix : <http://a.org/> . :g { :a :b :c }", RdfFormat::TriG);
    check("@prefix : <http://a.org/> . GRAPH :g { :a :b :c }", RdfFormat::TriG);
    check("<http://g.org/> { <http://a.org/> <http://b.org/> <http://c.org/> }", RdfFormat::TriG);
    check("{ <http://a.org/> <http://b.org/> 1 }", RdfFormat::TriG);
    check("@prefix : <#> . { ?x :p ?y } => { ?y :q ?x } .", RdfFormat::N3);
    check("{\"@context\": {}}", RdfFormat::JsonLd);
    check(" [ {\"@id\": \"http://a.org/\"} ]", RdfFormat::JsonLd);
}

#[test]
fn page_declared_as_rdf_is_html() {
    for declared in ["application/rdf+xml", "text/turtle", "application/ld+json", "text/html", "text/plain"] {
        for head in [HTML, "<html lang=en>", "\n<HEAD><title>", "<p>Not found</p>", "<!doctype html>"] {
            assert_eq!(
                detect_format(Some(declared), Some("rdf"), head.as_bytes()),
                Some(RdfFormat::Html),
                "{declared} {head}"
            );
        }
    }
    let xhtml = "<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'><html>";
    assert_eq!(detect_format(Some("application/xhtml+xml"), None, HTML.as_bytes()), Some(RdfFormat::Xhtml));
    assert_eq!(detect_format(None, None, xhtml.as_bytes()), Some(RdfFormat::Xhtml));
    assert_eq!(detect_format(Some("text/html"), None, xhtml.as_bytes()), Some(RdfFormat::Html));
    let with_rdfa = xhtml.replace("XHTML 1.0 Strict", "XHTML+RDFa 1.0");
    assert_eq!(detect_format(Some("text/html"), None, with_rdfa.as_bytes()), Some(RdfFormat::Xhtml));
}

#[test]
fn declared_type_decides_ambiguous_content() {
    let check = |declared, extension, head: &str, expected| {
        assert_eq!(detect_format(declared, extension, head.as_bytes()), expected, "{declared:?} {extension:?} {head}");
    };

    check(Some("text/turtle"), None, TRIPLES, Some(RdfFormat::Turtle));
    check(Some("application/n-quads"), None, TRIPLES, Some(RdfFormat::NQuads));
    check(Some("text/turtle"), None, QUADS, Some(RdfFormat::NQuads));
    check(Some("application/n-triples"), None, TURTLE, Some(RdfFormat::Turtle));
    check(Some("application/rdf+xml"), None, TURTLE, Some(RdfFormat::Turtle));
    check(Some("application/trig"), None, TURTLE, Some(RdfFormat::TriG));
    check(Some("text/n3"), None, TURTLE, Some(RdfFormat::N3));
    check(Some("text/turtle"), None, "", Some(RdfFormat::Turtle));
    check(None, Some("ttl"), "# only a comment", Some(RdfFormat::Turtle));
    check(Some("text/plain"), Some("trig"), TURTLE, Some(RdfFormat::TriG));
    check(Some("text/html"), None, "Hello, world", Some(RdfFormat::Html));
    check(Some("application/ld+json"), None, "{\"a\": 1}", Some(RdfFormat::JsonLd));
    check(Some("application/rdf+xml"), None, "<x xmlns='b'/>", Some(RdfFormat::RdfXml));
}

#[test]
fn xml_with_attributes_of_rdfa_is_not_rdf_xml() {
    let check = |head: &str, expected| {
        assert_eq!(detect_format(Some("text/xml"), None, head.as_bytes()), Some(expected), "{head}");
    };
    let root = |rest: &str| format!("<root xmlns:rdf='{}' {rest}/>", "http://www.w3.org/1999/02/22-rdf-syntax-ns#");

    check(&root("typeof='rdf:List'"), RdfFormat::Xml);
    check(&root("rdf:about=''"), RdfFormat::RdfXml);
    check(&root("rdf:about='' rel='x'"), RdfFormat::RdfXml);
    check("<owl:Ontology xmlns:owl='http://www.w3.org/2002/07/owl#' rdf:about=''/>", RdfFormat::Xml);
    check("<!DOCTYPE Ontology [ <!ENTITY a 'b' >", RdfFormat::OwlXml);
    check("<feed xmlns='http://www.w3.org/2005/Atom'/>", RdfFormat::Xml);
    check("<x:TriX xmlns:x='http://www.w3.org/2004/03/trix/trix-1/'/>", RdfFormat::TriX);
}

#[test]
fn documents_without_rdf_have_no_format() {
    let check =
        |declared, extension, head: &[u8]| assert_eq!(detect_format(declared, extension, head), None, "{declared:?}");

    check(Some("application/json"), Some("jsonld"), b"{\"a\": 1}");
    check(Some("text/xml"), None, b"Not found");
    check(Some("application/xml"), None, b"{}");
    check(Some("text/plain"), None, b"<not XML, but text");
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
        let _ = detect_format(None, None, &head);
    }

    #[test]
    fn sniffing_never_panics_on_almost_valid_rdf(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "<", ">", "http://a.org/", "\"", "\\", " ", "\n", ".", "@prefix", "{", "}", "[", "]", "<!--", "-->", "<?xml", "?>",
            "<!DOCTYPE", "rdf:RDF", "_:", "é", "=>", "#", ":", "a", "\"@id\"",
        ]), 0..30),
    ) {
        let _ = detect_format(None, None, parts.concat().as_bytes());
    }
}

/// A document that is recognised without its media type. The compiler asks for one of every new format.
fn sample(format: RdfFormat) -> &'static str {
    match format {
        RdfFormat::RdfXml => "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
        RdfFormat::Turtle => "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n<#me> foaf:name 'Ada' .",
        RdfFormat::NTriples => "<http://a.example/s> <http://a.example/p> <http://a.example/o> .\n",
        RdfFormat::NQuads => "<http://a.example/s> <http://a.example/p> <http://a.example/o> <http://a.example/g> .\n",
        RdfFormat::TriG => "@prefix : <http://a.example/> .\n:g { :s :p :o . }",
        RdfFormat::N3 => "@prefix : <http://a.example/> .\n{ ?a :p ?b } => { ?b :p ?a } .",
        RdfFormat::JsonLd => r#"{"@context": {"@vocab": "http://a.example/"}, "@id": "http://a.example/s", "p": "o"}"#,
        RdfFormat::Html => "<!DOCTYPE html><html><head><title>A</title></head></html>",
        RdfFormat::Xhtml => "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head/></html>",
        RdfFormat::Svg => "<svg xmlns='http://www.w3.org/2000/svg'/>",
        RdfFormat::Xml => "<?xml version='1.0'?><rss version='2.0'/>",
        RdfFormat::OwlXml => "<Ontology xmlns='http://www.w3.org/2002/07/owl#' ontologyIRI='http://a.example/'/>",
        RdfFormat::TriX => "<TriX xmlns='http://www.w3.org/2004/03/trix/trix-1/'/>",
        RdfFormat::HexTuples => {
            r#"["http://a.example/s", "http://a.example/p", "a \"b\", c", "http://a.example/d", "", ""]"#
        }
        RdfFormat::YamlLd => "# a comment\n\"@context\": https://schema.org/\nname: Ada\n",
    }
}

#[test]
fn every_format_is_detected_from_the_beginning_of_a_document() {
    for format in RdfFormat::all() {
        assert_eq!(detect_format(None, None, sample(format).as_bytes()), Some(format), "{}", format.name());
    }
}
