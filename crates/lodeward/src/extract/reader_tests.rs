use oxrdf::{Quad, QuadRef};

use super::*;
use crate::fetch::CutShort;
use crate::model::{Link, Relevance, Via};

/// Keeps everything.
#[derive(Debug, Default)]
pub(in crate::extract) struct Basket {
    pub(in crate::extract) quads: Vec<Quad>,
    pub(in crate::extract) links: Vec<Link>,
    pub(in crate::extract) faults: Vec<Fault>,
}

impl Sink for Basket {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.quads.push(quad.into_owned());
    }

    fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}

impl Basket {
    pub(in crate::extract) fn targets(&self) -> Vec<&str> {
        self.links.iter().map(|link| link.target.as_str()).collect()
    }

    fn lines(&self) -> Vec<String> {
        self.quads.iter().map(ToString::to_string).collect()
    }
}

pub(in crate::extract) fn representation(uri: &str, content_type: Option<&str>, body: Body) -> Representation {
    Representation {
        uri: Uri::parse(uri).unwrap(),
        status: 200,
        content_type: content_type.map(str::to_owned),
        etag: None,
        last_modified: None,
        links: Vec::new(),
        body,
    }
}

/// Reads a document at `http://a.org/doc`, whole and as a stream, and checks
/// that this makes no difference.
pub(in crate::extract) fn read(options: &Options, content_type: Option<&str>, bytes: &[u8]) -> (Extracted, Basket) {
    let reader = Reader::new(options.clone());
    let extract = |body| {
        let mut basket = Basket::default();
        let extracted = reader.extract(representation("http://a.org/doc", content_type, body), &mut basket);
        (extracted, basket)
    };
    let whole = extract(Body::Whole { bytes: Bytes::copy_from_slice(bytes), cut: None });
    let stream = extract(Body::Stream(Box::new(io::Cursor::new(bytes.to_vec()))));
    assert_eq!(whole.1.quads, stream.1.quads);
    assert_eq!(whole.1.links, stream.1.links);
    // A stream that is given up is not read to its end.
    let bytes = stream.0.bytes;
    assert_eq!(Extracted { digest: 0, bytes, ..whole.0.clone() }, stream.0);
    whole
}

fn read_turtle(text: &str) -> (Extracted, Basket) {
    read(&Options::default(), Some("text/turtle"), text.as_bytes())
}

#[test]
fn statements_are_in_the_graph_of_their_document() {
    let (extracted, basket) = read_turtle("<#me> <http://p.org/> <x>, 1 .");

    assert_eq!(
        basket.lines(),
        [
            "<http://a.org/doc#me> <http://p.org/> <http://a.org/x> <http://a.org/doc>",
            "<http://a.org/doc#me> <http://p.org/> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> <http://a.org/doc>",
        ]
    );
    assert_eq!((extracted.syntax, extracted.relevance), ("turtle", Relevance::Rdf));
    assert_eq!(extracted.quads_by_syntax, [("turtle", 2)]);
    assert_eq!(basket.targets(), ["http://p.org/", "http://a.org/x"]);
}

#[test]
fn named_graphs_are_folded_unless_they_are_kept() {
    let quads = "<http://s.org/> <http://p.org/> _:a _:g .\n<http://s.org/> <http://p.org/> _:a .\n\
                 <http://s.org/> <http://p.org/> _:a <http://g.org/> .";
    let keep = Options { named_graphs: super::super::NamedGraphs::Keep, ..Options::default() };
    let graphs = |options: &Options| {
        let (_, basket) = read(options, Some("application/n-quads"), quads.as_bytes());
        basket.quads.iter().map(|quad| quad.graph_name.to_string()).collect::<Vec<_>>()
    };

    assert_eq!(graphs(&Options::default()), ["<http://a.org/doc>"; 3]);
    assert_eq!(graphs(&keep)[1..], ["<http://a.org/doc>", "<http://g.org/>"]);
    assert!(graphs(&keep)[0].starts_with("_:b"));
}

#[test]
fn blank_nodes_have_the_same_labels_in_every_run() {
    let json = br#"{"@context": {"p": "http://p.org/", "q": "http://q.org/"}, "p": [{"q": 1}, {"q": {"p": 2}}, {"@id": "_:x"}]}"#;
    let turtle = b"[] <p:> ( [ <p:> 1 ] [] _:a ) .";
    for (content_type, bytes) in [("application/ld+json", &json[..]), ("text/turtle", turtle)] {
        let first = read(&Options::default(), Some(content_type), bytes).1.quads;

        assert!(first.len() > 4);
        for _ in 0..5 {
            assert_eq!(read(&Options::default(), Some(content_type), bytes).1.quads, first);
        }
    }
}

#[test]
fn nothing_goes_out_that_a_strict_reader_would_refuse() {
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
        let (_, basket) = read(&Options::default(), Some(content_type), text.as_bytes());

        let written = basket.lines().join(" .\n") + " .\n";
        assert!(oxttl::NQuadsParser::new().for_slice(&written).all(|quad| quad.is_ok()), "{written}");
        assert_eq!(basket.quads.len(), 2, "{written}");
        assert!(!basket.faults.is_empty());
    }
}

#[test]
fn what_came_before_an_error_is_kept_and_what_can_be_read_after_it() {
    let check_kind = |content_type, text: &str, quads: usize, kind| {
        let (_, basket) = read(&Options::default(), Some(content_type), text.as_bytes());
        assert_eq!(basket.quads.len(), quads, "{text}");
        assert_eq!(basket.faults[0].kind, kind, "{text}");
    };
    let check = |content_type, text: &str, quads| check_kind(content_type, text, quads, FaultKind::Syntax);

    check("application/n-triples", "<a:a> <b:b> <c:c> .\n<a:a> <b:b> oops .\n<a:a> <b:b> <d:d> .", 2);
    check("text/turtle", "<a:a> <b:b> 1 . <a:a> no:prefix 2 . <a:a> <b:b> 3 .", 2);
    let xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e.org/'>
        <rdf:Description rdf:about='a'><e:p>1</e:p></rdf:Description><rdf:Description rdf:about='b'><e:p>&nbsp;</e:p>";
    check("application/rdf+xml", xml, 1);
    // Mended: a comma too many is no reason to lose anything.
    let repaired = r#"[{"@id": "a:a", "b:b": 1}, {"@id": "a:a", "b:b": 2,}]"#;
    check_kind("application/ld+json", repaired, 2, FaultKind::Repaired);
    check("application/ld+json", r#"[{"@id": "a:a", "b:b": 1}, {"@id": "a:a", "@type": {}}]"#, 1);
    let unknown = r#"{"@context": "http://c.org/", "@type": "T", "name": "x"}"#;
    check_kind("application/ld+json", unknown, 0, FaultKind::Context);
}

#[test]
fn a_hopeless_document_is_given_up() {
    let text = "<a:a> oops .\n".repeat(100_000);
    let (_, basket) = read(&Options::default(), Some("application/n-triples"), text.as_bytes());

    assert_eq!(basket.faults.len(), 20);
    assert_eq!(basket.faults[19].to_string(), "excess: 981 more faults");
}

/// All of a body at once, and then a break.
struct Cut(Option<Vec<u8>>);

impl Read for Cut {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let cut = || io::Error::other(CutShort(Fault::new(FaultKind::Bomb, "too much")));
        let bytes = self.0.take().ok_or_else(cut)?;
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

#[test]
fn what_is_missing_is_told_after_however_many_faults() {
    let mut basket = Basket::default();
    let body = Body::Stream(Box::new(Cut(Some("<a:a> oops .\n".repeat(100).into()))));

    let found = representation("http://a.org/", Some("application/n-triples"), body);
    Reader::new(Options::default()).extract(found, &mut basket);

    let told = basket.faults.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(told.iter().filter(|fault| *fault == "bomb: too much").count(), 1, "{told:?}");
    assert_eq!((told.len(), told.last().map(String::as_str)), (21, Some("excess: 81 more faults")));
}

#[test]
fn a_cut_body_tells_what_cut_it() {
    let text = "<a:a> <b:b> 1 . <a:a> <b:b> ";
    let cut = Some(Fault::new(FaultKind::Bomb, "too much"));
    for body in [Body::Whole { bytes: text.into(), cut }, Body::Stream(Box::new(Cut(Some(text.into()))))] {
        let mut basket = Basket::default();
        Reader::new(Options::default())
            .extract(representation("http://a.org/", Some("text/turtle"), body), &mut basket);

        assert_eq!(basket.quads.len(), 1);
        assert_eq!(basket.faults[0].to_string(), "bomb: too much");
    }
}

#[test]
fn depth_breaks_nothing() {
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
        read(&Options::default(), Some(content_type), text.as_bytes());
    }
}

#[test]
fn a_large_json_document_is_read_in_order_or_so_far() {
    let text = "x".repeat(1_000);
    let node = |number| format!("{{\"@id\": \"a:{number}\", \"b:b\": \"{text}\"}}");
    let large = (0..4_200).map(node).collect::<Vec<_>>().join(",\n");
    let in_order = format!("{{\"@context\": {{}}, \"@graph\": [{large}]}}");
    let out_of_order = format!("{{\"@graph\": [{large}], \"@context\": {{}}}}");
    assert!(in_order.len() > 4 << 20);

    let (_, basket) = read(&Options::default(), Some("application/ld+json"), in_order.as_bytes());
    assert_eq!((basket.quads.len(), basket.faults.len()), (4_200, 0));
    let (_, basket) = read(&Options::default(), Some("application/ld+json"), out_of_order.as_bytes());
    assert_eq!((basket.quads.len(), basket.faults.len()), (4_200, 1));
}

#[test]
fn link_headers_come_after_triples_and_before_anchors() {
    let page = r#"<a href="/anchor">x</a><a href="/both">x</a><a href="/header">x</a>
        <script type="application/ld+json">{"@id": "", "http://p.org/": {"@id": "/both"}}</script>"#;
    let mut given =
        representation("http://a.org/doc", Some("text/html"), Body::Whole { bytes: page.into(), cut: None });
    given.links = vec!["</header>; rel=alternate; type=\"text/turtle\"".to_owned()];
    let mut basket = Basket::default();

    let extracted = Reader::new(Options::default()).extract(given, &mut basket);

    let targets = ["http://p.org/", "http://a.org/both", "http://a.org/header", "http://a.org/anchor"];
    assert_eq!(basket.targets(), targets);
    assert!(matches!(&basket.links[2].via, Via::Header { rel, .. } if rel == "alternate"));
    assert_eq!(extracted.quads_by_syntax, [("json-ld-script", 1)]);
}

#[test]
fn links_are_bounded() {
    let options = Options { links_per_document_max: 3, ..Options::default() };
    let turtle = (0..10).map(|n| format!("<x> <http://p.org/> <http://{n}.org/> .")).collect::<Vec<_>>().concat();
    let html = (0..10).map(|n| format!("<a href='http://{n}.org/'>")).collect::<Vec<_>>().concat();
    for (content_type, text) in [("text/turtle", turtle), ("text/html", html)] {
        let (_, basket) = read(&options, Some(content_type), text.as_bytes());

        assert_eq!(basket.links.len(), 3);
        assert_eq!(basket.faults, [Fault::new(FaultKind::Excess, "more than 3 links")]);
    }
}

#[test]
fn other_documents_are_not_read() {
    let (extracted, basket) = read(&Options::default(), Some("image/png"), b"\x89PNG\r\n");

    assert_eq!((extracted.syntax, extracted.bytes, extracted.relevance), ("other", 6, Relevance::None));
    assert!(basket.faults.is_empty());
}

#[test]
fn text_in_other_encodings_is_read() {
    let xml =
        b"<?xml version='1.0' encoding='iso-8859-1'?><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
        xmlns:e='http://e.org/'><rdf:Description><e:p>\xe9</e:p></rdf:Description></rdf:RDF>";
    let (_, basket) = read(&Options::default(), Some("text/xml"), xml);
    assert!(basket.lines()[0].contains("\"é\"") && basket.faults.is_empty(), "{basket:?}");

    let (_, basket) = read(&Options::default(), Some("text/turtle"), b"<a:a> <b:b> \"\xe9\" .");
    assert_eq!((basket.quads.len(), basket.faults[0].kind), (1, FaultKind::Charset));
}

#[test]
fn what_is_packed_or_a_stream_may_have_to_wait() {
    let reader = Reader::new(Options::default());
    let check = |content_type: Option<&str>, body: Body, expected: bool| {
        assert_eq!(reader.may_wait(&representation("http://a.org/x", content_type, body)), expected);
    };
    let whole = |bytes: &'static [u8]| Body::Whole { bytes: Bytes::from_static(bytes), cut: None };

    check(Some("text/turtle"), whole(b"<> <#p> 1 ."), false);
    check(None, whole(b""), false);
    check(Some("text/turtle"), whole(b"\x28\xb5\x2f\xfd\x04"), true);
    check(Some("text/turtle"), whole(b"\x1f\x8b\x08"), true);
    check(Some("text/turtle"), Body::Stream(Box::new(std::io::empty())), true);
}
