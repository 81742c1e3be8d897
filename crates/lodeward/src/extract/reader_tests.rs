//! Tests of the document reader, with the sink that other tests use.

use oxrdf::{Quad, QuadRef};

use super::*;
use crate::discover::NextStep;
use crate::model::{Link, LinkKind, Relevance, StreamFault};

/// Collects everything.
#[derive(Debug, Default)]
pub(in crate::extract) struct TestSink {
    pub(in crate::extract) quads: Vec<Quad>,
    pub(in crate::extract) links: Vec<Link>,
    pub(in crate::extract) steps: Vec<NextStep>,
    pub(in crate::extract) faults: Vec<Fault>,
}

impl ExtractSink for TestSink {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.quads.push(quad.into_owned());
    }

    fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    fn step(&mut self, next: NextStep) {
        self.steps.push(next);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}

impl TestSink {
    pub(in crate::extract) fn targets(&self) -> Vec<&str> {
        self.links.iter().map(|link| link.target.as_str()).collect()
    }

    fn lines(&self) -> Vec<String> {
        self.quads.iter().map(ToString::to_string).collect()
    }
}

pub(in crate::extract) fn representation(uri: &str, content_type: Option<&str>, body: ResponseBody) -> Representation {
    Representation::new(Uri::parse(uri).unwrap(), content_type.map(str::to_owned), body)
}

/// Reads a document at `http://a.org/doc`, buffered and as a stream, and checks that the results are equal.
pub(in crate::extract) fn read(
    options: &ExtractOptions,
    content_type: Option<&str>,
    bytes: &[u8],
) -> (ExtractSummary, TestSink) {
    let reader = DocumentReader::new(options.clone());
    let extract = |body| {
        let mut sink = TestSink::default();
        let extracted = reader.extract(representation("http://a.org/doc", content_type, body), &mut sink);
        (extracted, sink)
    };
    let buffered = extract(ResponseBody::Buffered { bytes: Bytes::copy_from_slice(bytes), truncation: None });
    let stream = extract(ResponseBody::Stream(Box::new(io::Cursor::new(bytes.to_vec()))));
    assert_eq!(buffered.1.quads, stream.1.quads);
    assert_eq!(buffered.1.links, stream.1.links);
    // A rejected stream is not read to its end.
    let bytes = stream.0.bytes;
    assert_eq!(ExtractSummary { digest: 0, bytes, ..buffered.0.clone() }, stream.0);
    buffered
}

fn read_turtle(text: &str) -> (ExtractSummary, TestSink) {
    read(&ExtractOptions::default(), Some("text/turtle"), text.as_bytes())
}

#[test]
fn statements_are_in_the_graph_of_their_document() {
    let (extracted, sink) = read_turtle("<#me> <http://p.org/> <x>, 1 .");

    assert_eq!(
        sink.lines(),
        [
            "<http://a.org/doc#me> <http://p.org/> <http://a.org/x> <http://a.org/doc>",
            "<http://a.org/doc#me> <http://p.org/> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> <http://a.org/doc>",
        ]
    );
    assert_eq!((extracted.format, extracted.relevance), ("turtle", Relevance::Rdf));
    assert_eq!(extracted.quads_by_format, [("turtle", 2)]);
    assert_eq!(sink.targets(), ["http://p.org/", "http://a.org/x"]);
}

#[test]
fn named_graphs_are_merged_unless_preserved() {
    let quads = "<http://s.org/> <http://p.org/> _:a _:g .\n<http://s.org/> <http://p.org/> _:a .\n\
                 <http://s.org/> <http://p.org/> _:a <http://g.org/> .";
    let keep = ExtractOptions { named_graphs: super::super::NamedGraphPolicy::Keep, ..ExtractOptions::default() };
    let graphs = |options: &ExtractOptions| {
        let (_, sink) = read(options, Some("application/n-quads"), quads.as_bytes());
        sink.quads.iter().map(|quad| quad.graph_name.to_string()).collect::<Vec<_>>()
    };

    assert_eq!(graphs(&ExtractOptions::default()), ["<http://a.org/doc>"; 3]);
    assert_eq!(graphs(&keep)[1..], ["<http://a.org/doc>", "<http://g.org/>"]);
    assert!(graphs(&keep)[0].starts_with("_:b"));
}

#[test]
fn blank_nodes_have_the_same_labels_in_every_run() {
    let json = br#"{"@context": {"p": "http://p.org/", "q": "http://q.org/"}, "p": [{"q": 1}, {"q": {"p": 2}}, {"@id": "_:x"}]}"#;
    let turtle = b"[] <p:> ( [ <p:> 1 ] [] _:a ) .";
    for (content_type, bytes) in [("application/ld+json", &json[..]), ("text/turtle", turtle)] {
        let first = read(&ExtractOptions::default(), Some(content_type), bytes).1.quads;

        assert!(first.len() > 4);
        for _ in 0..5 {
            assert_eq!(read(&ExtractOptions::default(), Some(content_type), bytes).1.quads, first);
        }
    }
}

#[test]
fn output_is_accepted_by_a_strict_parser() {
    let n_quads = r#"
<http://a.org/ok> <http://p.org/> "ok"@en .
<relative> <http://p.org/> "x" .
<http://a.org/a b> <http://p.org/> "x" .
<http://a.org/%zz> <http://p.org/> "x" .
<http://a.org/\u003E> <http://p.org/> "x" .
<http://a.org/> <p> "x" .
<http://a.org/> <http://p.org/> <http://a.org/{x}> .
<http://a.org/> <http://p.org/> "x"^^<t> .
<http://a.org/> <http://p.org/> "x"@abcdefghijkl .
<http://a.org/ok> <http://p.org/> "ok\nok" ."#;
    let rdf_xml = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/" xmlns:bad="not an iri">
        <rdf:Description rdf:about="ok"><e:p xml:lang="en">ok</e:p><e:p xml:lang="en us">x</e:p></rdf:Description>
        <rdf:Description rdf:about="a b"><e:p>x</e:p></rdf:Description>
        <rdf:Description xml:base="no scheme" rdf:about="c"><e:p>x</e:p></rdf:Description>
        <rdf:Description rdf:about="d"><bad:p>x</bad:p></rdf:Description>
        <rdf:Description rdf:about="e"><e:p rdf:datatype="//[">x</e:p></rdf:Description>
        <rdf:Description rdf:about="ok"><e:p>ok</e:p></rdf:Description>
        <rdf:Description rdf:nodeID="b c"><e:p>x</e:p></rdf:Description></rdf:RDF>"#;
    for (content_type, text) in [("application/n-quads", n_quads), ("application/rdf+xml", rdf_xml)] {
        let (_, sink) = read(&ExtractOptions::default(), Some(content_type), text.as_bytes());

        let written = sink.lines().join(" .\n") + " .\n";
        assert!(oxttl::NQuadsParser::new().for_slice(&written).all(|quad| quad.is_ok()), "{written}");
        assert_eq!(sink.quads.len(), 2, "{written}");
        assert!(!sink.faults.is_empty());
    }
}

#[test]
fn statements_before_and_after_an_error_are_extracted() {
    let check_kind = |content_type, text: &str, quads: usize, kind| {
        let (_, sink) = read(&ExtractOptions::default(), Some(content_type), text.as_bytes());
        assert_eq!(sink.quads.len(), quads, "{text}");
        assert_eq!(sink.faults[0].kind, kind, "{text}");
    };
    let check = |content_type, text: &str, quads| check_kind(content_type, text, quads, FaultKind::Syntax);

    check("application/n-triples", "<a:a> <b:b> <c:c> .\n<a:a> <b:b> oops .\n<a:a> <b:b> <d:d> .", 2);
    check("text/turtle", "<a:a> <b:b> 1 . <a:a> no:prefix 2 . <a:a> <b:b> 3 .", 2);
    let xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e.org/'>
        <rdf:Description rdf:about='a'><e:p>1</e:p></rdf:Description><rdf:Description rdf:about='b'><e:p>&nbsp;</e:p>";
    check("application/rdf+xml", xml, 1);
    // JSON with a trailing comma is repaired and read.
    let repaired = r#"[{"@id": "a:a", "b:b": 1}, {"@id": "a:a", "b:b": 2,}]"#;
    check_kind("application/ld+json", repaired, 2, FaultKind::JsonRepaired);
    check("application/ld+json", r#"[{"@id": "a:a", "b:b": 1}, {"@id": "a:a", "@type": {}}]"#, 1);
    let unknown = r#"{"@context": "http://c.org/", "@type": "T", "name": "x"}"#;
    check_kind("application/ld+json", unknown, 0, FaultKind::Context);
}

#[test]
fn bundled_contexts_of_json_ld_are_read() {
    let document = br#"{"@context": "https://schema.org", "@id": "http://a.org/s", "name": "A"}"#;
    let (_, sink) = read(&ExtractOptions::default(), Some("application/ld+json"), document);

    assert_eq!(sink.lines(), ["<http://a.org/s> <http://schema.org/name> \"A\" <http://a.org/doc>"]);
}

#[test]
fn reading_stops_after_too_many_errors() {
    let text = "<a:a> oops .\n".repeat(100_000);
    let (_, sink) = read(&ExtractOptions::default(), Some("application/n-triples"), text.as_bytes());

    assert_eq!(sink.faults.len(), 20);
    assert_eq!(sink.faults[19].to_string(), "limit: 981 more faults");
}

/// Returns all of a body at once, then a fault.
struct TruncatedBody(Option<Vec<u8>>);

impl Read for TruncatedBody {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let fault = || io::Error::other(StreamFault(Fault::new(FaultKind::DecompressionBomb, "too much")));
        let bytes = self.0.take().ok_or_else(fault)?;
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

#[test]
fn truncation_is_reported_after_any_number_of_faults() {
    let mut sink = TestSink::default();
    let body = ResponseBody::Stream(Box::new(TruncatedBody(Some("<a:a> oops .\n".repeat(100).into()))));

    let document = representation("http://a.org/", Some("application/n-triples"), body);
    DocumentReader::new(ExtractOptions::default()).extract(document, &mut sink);

    let faults = sink.faults.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(faults.iter().filter(|fault| *fault == "decompression-bomb: too much").count(), 1, "{faults:?}");
    assert_eq!((faults.len(), faults.last().map(String::as_str)), (21, Some("limit: 81 more faults")));
}

#[test]
fn truncated_body_reports_its_fault() {
    let text = "<a:a> <b:b> 1 . <a:a> <b:b> ";
    let truncation = Some(Fault::new(FaultKind::DecompressionBomb, "too much"));
    for body in [
        ResponseBody::Buffered { bytes: text.into(), truncation },
        ResponseBody::Stream(Box::new(TruncatedBody(Some(text.into())))),
    ] {
        let mut sink = TestSink::default();
        DocumentReader::new(ExtractOptions::default())
            .extract(representation("http://a.org/", Some("text/turtle"), body), &mut sink);

        assert_eq!(sink.quads.len(), 1);
        assert_eq!(sink.faults[0].to_string(), "decompression-bomb: too much");
    }
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep =
        |open: &str, middle: &str, close: &str| format!("{}{middle}{}", open.repeat(20_000), close.repeat(20_000));
    let rdf = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e.org/'>";
    let cases = [
        ("application/ld+json", deep("[", "", "]")),
        ("application/ld+json", deep(r#"{"http://p.org/":"#, "1", "}")),
        ("application/ld+json", deep(r#"{"@context":"#, "{}", "}")),
        ("application/rdf+xml", format!("{rdf}{}</rdf:RDF>", deep("<e:C><e:p>", "x", "</e:p></e:C>"))),
        ("text/turtle", format!("<a:a> <b:b> {} .", deep("(", "1", ")"))),
        ("text/turtle", format!("<a:a> <b:b> {} .", deep("[ <c:c> ", "1", "]"))),
        ("text/turtle", deep("[", "", "]")),
        ("application/trig", deep("{", "", "}")),
        ("text/n3", format!("<a:a> <b:b> {} .", deep("{ <a:a> <b:b> ", "1", "}"))),
        ("text/n3", format!("<a:a> <b:b> {} .", deep("(", "1", ")"))),
        ("text/html", deep("<div>", "<a href=x>y</a>", "</div>")),
        ("text/html", deep("<p><b><i>", "<a href=x>y</a>", "")),
    ];
    for (content_type, text) in cases {
        read(&ExtractOptions::default(), Some(content_type), text.as_bytes());
    }
}

#[test]
fn bombs_are_limit_faults() {
    let entities = (1..10).map(|level| format!("<!ENTITY e{level} '{}'>", format!("&e{};", level - 1).repeat(10)));
    let doctype = format!("<!DOCTYPE r [<!ENTITY e0 'ha'>{}]>", entities.collect::<Vec<_>>().concat());
    let rdf = "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://e.org/'>";
    let cases = [
        ("application/rdf+xml", format!("{doctype}{rdf}<A><p>&e9;</p></A></r:RDF>")),
        ("image/svg+xml", format!("{doctype}<svg xmlns='http://www.w3.org/2000/svg' property='a:b'>&e9;</svg>")),
        ("text/turtle", format!("@prefix p: <http://e.org/{}> .\n{}", "x".repeat(1 << 20), "p: p: p: .\n".repeat(99))),
        ("text/turtle", format!("<a:a> <b:b> {}", "(".repeat(3 << 20))),
    ];
    for (content_type, text) in cases {
        let (_, sink) = read(&ExtractOptions::default(), Some(content_type), text.as_bytes());

        assert!(sink.faults.iter().any(|fault| fault.kind == FaultKind::Limit), "{content_type}: {:?}", sink.faults);
        assert!(sink.quads.len() < 200_000, "{content_type}");
    }
}

#[test]
fn large_json_document_out_of_order_is_read_with_a_fault() {
    let text = "x".repeat(1_000);
    let node = |number| format!("{{\"@id\": \"a:{number}\", \"b:b\": \"{text}\"}}");
    let large = (0..4_200).map(node).collect::<Vec<_>>().join(",\n");
    let in_order = format!("{{\"@context\": {{}}, \"@graph\": [{large}]}}");
    let out_of_order = format!("{{\"@graph\": [{large}], \"@context\": {{}}}}");
    assert!(in_order.len() > 4 << 20);

    let (_, sink) = read(&ExtractOptions::default(), Some("application/ld+json"), in_order.as_bytes());
    assert_eq!((sink.quads.len(), sink.faults.len()), (4_200, 0));
    let (_, sink) = read(&ExtractOptions::default(), Some("application/ld+json"), out_of_order.as_bytes());
    assert_eq!((sink.quads.len(), sink.faults.len()), (4_200, 1));
}

#[test]
fn header_links_come_after_triples_and_before_anchors() {
    let page = r#"<a href="/anchor">x</a><a href="/both">x</a><a href="/header">x</a>
        <script type="application/ld+json">{"@id": "", "http://p.org/": {"@id": "/both"}}</script>"#;
    let mut document = representation(
        "http://a.org/doc",
        Some("text/html"),
        ResponseBody::Buffered { bytes: page.into(), truncation: None },
    );
    document.links = vec!["</header>; rel=alternate; type=\"text/turtle\"".to_owned()];
    let mut sink = TestSink::default();

    let extracted = DocumentReader::new(ExtractOptions::default()).extract(document, &mut sink);

    let targets = ["http://p.org/", "http://a.org/both", "http://a.org/header", "http://a.org/anchor"];
    assert_eq!(sink.targets(), targets);
    assert!(matches!(&sink.links[2].via, LinkKind::Header { rel, .. } if rel == "alternate"));
    assert_eq!(extracted.quads_by_format, [("json-ld-script", 1)]);
}

#[test]
fn number_of_links_is_limited() {
    let options = ExtractOptions { max_links_per_document: 3, ..ExtractOptions::default() };
    let turtle = (0..10).map(|n| format!("<x> <http://p.org/> <http://{n}.org/> .")).collect::<Vec<_>>().concat();
    let html = (0..10).map(|n| format!("<a href='http://{n}.org/'>")).collect::<Vec<_>>().concat();
    for (content_type, text) in [("text/turtle", turtle), ("text/html", html)] {
        let (_, sink) = read(&options, Some(content_type), text.as_bytes());

        assert_eq!(sink.links.len(), 3);
        assert_eq!(sink.faults, [Fault::new(FaultKind::Limit, "more than 3 links")]);
    }
}

#[test]
fn documents_without_rdf_are_not_read() {
    let (extracted, sink) = read(&ExtractOptions::default(), Some("image/png"), b"\x89PNG\r\n");

    assert_eq!((extracted.format, extracted.bytes, extracted.relevance), ("other", 6, Relevance::None));
    assert!(sink.faults.is_empty());
}

#[test]
fn other_character_encodings_are_decoded() {
    let xml =
        b"<?xml version='1.0' encoding='iso-8859-1'?><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
        xmlns:e='http://e.org/'><rdf:Description><e:p>\xe9</e:p></rdf:Description></rdf:RDF>";
    let (_, sink) = read(&ExtractOptions::default(), Some("text/xml"), xml);
    assert!(sink.lines()[0].contains("\"é\"") && sink.faults.is_empty(), "{sink:?}");

    let (_, sink) = read(&ExtractOptions::default(), Some("text/turtle"), b"<a:a> <b:b> \"\xe9\" .");
    assert_eq!((sink.quads.len(), sink.faults[0].kind), (1, FaultKind::Charset));
}

#[test]
fn packed_or_streamed_document_may_block() {
    let reader = DocumentReader::new(ExtractOptions::default());
    let check = |content_type: Option<&str>, body: ResponseBody, expected: bool| {
        assert_eq!(reader.may_block(&representation("http://a.org/x", content_type, body)), expected);
    };
    let buffered = |bytes: &'static [u8]| ResponseBody::Buffered { bytes: Bytes::from_static(bytes), truncation: None };

    check(Some("text/turtle"), buffered(b"<> <#p> 1 ."), false);
    check(None, buffered(b""), false);
    check(Some("text/turtle"), buffered(b"\x28\xb5\x2f\xfd\x04"), true);
    check(Some("text/turtle"), buffered(b"\x1f\x8b\x08"), true);
    check(Some("text/turtle"), ResponseBody::Stream(Box::new(std::io::empty())), true);
}
