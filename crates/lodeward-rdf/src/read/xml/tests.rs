//! Tests of the bounds of RDF/XML.

use super::*;
use crate::read::tests::Lines;
use crate::{RdfFaultKind, RdfFormat, RdfReader};

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// Statements and faults of a document, which are the same from memory and from a stream.
fn read(document: &str) -> Lines {
    let reader = RdfReader::new(RdfFormat::RdfXml).base("http://a.example/").raw();
    let mut slice = Lines::default();
    reader.read(document.as_bytes().into(), &mut slice).unwrap();
    let mut stream = Lines::default();
    // One byte at a time, so that every state spans two reads.
    let bytes = OneByte(document.as_bytes());
    reader.read(RdfInput::Stream(Box::new(bytes)), &mut stream).unwrap();
    // The labels of blank nodes are random.
    assert_eq!((slice.quads.len(), slice.faults.first()), (stream.quads.len(), stream.faults.first()));
    assert_eq!(reader.collect(document.as_bytes().into()).is_ok(), slice.faults.is_empty());
    slice
}

struct OneByte<'a>(&'a [u8]);

impl Read for OneByte<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.0.len().min(1).min(into.len());
        into[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        Ok(len)
    }
}

fn document(doctype: &str, attributes: &str, content: &str) -> String {
    format!(
        "<?xml version='1.0'?>{doctype}<r:RDF xmlns:r='{RDF}' xmlns='http://n/' xmlns:n='http://n/' {attributes}>{content}</r:RDF>"
    )
}

/// Asserts that a document is refused with this detail.
fn check_limit(document: &str, expected: &str) {
    let reader = RdfReader::new(RdfFormat::RdfXml).base("http://a.example/").raw();
    for input in [document.as_bytes().into(), RdfInput::Stream(Box::new(document.as_bytes()))] {
        let mut lines = Lines::default();
        reader.read(input, &mut lines).unwrap();
        let fault = lines.faults.first().cloned().unwrap_or_default();
        assert!(fault.starts_with(expected), "{fault}: {document:.300}");
        assert_eq!(lines.kinds.first(), Some(&RdfFaultKind::Limit));
    }
}

#[test]
fn entities_of_ontologies_are_expanded() {
    let lines = read(&document(
        "<!-- <!DOCTYPE x> --><?pi ?><!DOCTYPE r:RDF [<!ENTITY a 'http://e/'> <!ENTITY b \"&a;b?c&amp;d#\" >\
         <!-- <!ENTITY a \"x\"> --> <!ENTITY file SYSTEM 'file:///etc/passwd'> <!ENTITY % p \"q\"> %p; ]>",
        "xmlns:e='&a;' xml:base='&b;'",
        "<r:Description r:about='&a;s'><e:p r:resource='&b;o'/><e:q>1 &lt; &#50; &b;</e:q></r:Description>",
    ));

    assert_eq!(lines.faults, Vec::<String>::new());
    assert_eq!(
        lines.quads,
        ["<http://e/s> <http://e/p> <http://e/b?c&d#o>", "<http://e/s> <http://e/q> \"1 < 2 http://e/b?c&d#\""]
    );
}

#[test]
fn external_entities_are_never_resolved() {
    let doctype = "<!DOCTYPE r SYSTEM 'http://e/x.dtd' [<!ENTITY f SYSTEM 'file:///etc/hostname'>]>";
    let lines = read(&document(doctype, "", "<A><p>&f;</p></A>"));

    assert!(lines.quads.iter().all(|quad| !quad.contains("/p>")));
    assert_eq!(lines.faults.len(), 1);
}

#[test]
fn large_numbers_of_small_entities_are_legitimate() {
    let entities: String = (0..60)
        .map(|number| format!("<!ENTITY e{number} 'http://n{number}.example/ns#'>"))
        .collect::<Vec<_>>()
        .concat();
    let uses: String = (0..5_000)
        .map(|number| format!("<A r:about='&e{};x{number}'><p r:resource='&e1;y'/></A>", number % 60))
        .collect::<Vec<_>>()
        .concat();

    let lines = read(&document(&format!("<!DOCTYPE r:RDF [{entities}]>"), "", &uses));

    assert_eq!((lines.quads.len(), lines.faults.len()), (10_000, 0));
}

#[test]
fn entity_bombs_are_refused() {
    let laughs: String = (1..10)
        .map(|level| format!("<!ENTITY l{level} \"{}\">", format!("&l{};", level - 1).repeat(10)))
        .collect::<Vec<_>>()
        .concat();
    let laughs = format!("<!DOCTYPE r [<!ENTITY l0 \"lol\">{laughs}]>");
    check_limit(&document(&laughs, "", "<A><p>&l9;</p></A>"), "entity `l4` expands to more than 16384 bytes");

    let large = format!("<!DOCTYPE r [<!ENTITY e \"{}\">]>", "x".repeat(500_000));
    check_limit(&document(&large, "", &"<A><p>&e;</p></A>".repeat(5_000)), "entity `e` expands to more than");

    let small = format!("<!DOCTYPE r [<!ENTITY e \"{}\">]>", "x".repeat(16_000));
    let uses = [
        "<A><p>&e;</p></A>".repeat(5_000),
        "<A n:p='&e;'/>".repeat(5_000),
        format!("<A><p>{}</p></A>", "&e;".repeat(5_000)),
        format!("<A><p r:parseType='Literal'>{}</p></A>", "<b>&e;</b>".repeat(5_000)),
    ];
    for uses in uses {
        check_limit(&document(&small, "", &uses), "entities expand too much");
    }

    let unclosed = format!("<!DOCTYPE r [<!-- {}", "x".repeat(2 << 20));
    check_limit(&unclosed, "the document type is not closed");
    check_limit(&document("", "", "<A/><!DOCTYPE r [<!ENTITY a 'b'>]>"), "the document type is not");
}

#[test]
fn attributes_and_namespaces_take_linear_time() {
    let attributes = |count: usize, name: &str| -> String {
        (0..count).map(|number| format!(" {name}{number}='n:{number}'")).collect::<Vec<_>>().concat()
    };

    let lines = read(&document("", "", &format!("<A{}/>", attributes(3_000, "n:a"))));
    assert_eq!((lines.quads.len(), lines.faults.len()), (3_001, 0));
    let lines = read(&document("", &attributes(1_500, "xmlns:m"), &"<A><m7:p/></A>".repeat(100)));
    assert_eq!((lines.quads.len(), lines.faults.len()), (200, 0));

    check_limit(&document("", "", &format!("<A{}/>", attributes(100_000, "n:a"))), "too many attributes");
    let many = "<A><m7:p m9:a=''/></A>".repeat(50_000);
    check_limit(&document("", &attributes(4_000, "xmlns:m"), &many), "too many attributes or namespaces");
}

#[test]
fn inherited_values_are_bounded() {
    let long = "x".repeat(200_000);
    for attribute in ["xmlns:m='http://", "xml:base='http://", "xml:lang='"] {
        check_limit(&document("", &format!("{attribute}{long}'"), "<A/>"), "namespaces, bases and languages");
    }
    let base = format!("xml:base='http://e/{}'", "x".repeat(100_000));
    let ids: String = (0..1_000).map(|number| format!("<A r:ID='i{number}'/>")).collect::<Vec<_>>().concat();
    check_limit(&document("", &base, &ids), "values of rdf:ID are too long");
    let namespace = format!("xmlns:m='http://e/{}'", "x".repeat(100_000));
    let literal = format!("<A><p r:parseType='Literal'>{}</p></A>", "<b/>".repeat(1_000));
    check_limit(&document("", &namespace, &literal), "an XML literal is longer than");
}

#[test]
fn long_tokens_are_refused() {
    let long = "x".repeat(9 << 20);
    for content in [format!("<A><p>{long}</p></A>"), format!("<A n:p='{long}'/>"), format!("<!--{long}-->")] {
        check_limit(&document("", "", &content), "a tag, text or comment is longer than");
    }
    let parts = format!("<A><p r:parseType='Literal'>{}</p></A>", "<b>xxxxxxxxxxx</b>".repeat(500_000));
    check_limit(&document("", "", &parts), "an XML literal is longer than");
    let short = format!("<A><p r:parseType='Resource'>{}</p></A>", "<b>xxxxxxxxxxx</b>".repeat(500_000));
    let mut lines = Lines { max_quads: Some(10), ..Lines::default() };
    RdfReader::new(RdfFormat::RdfXml).read(document("", "", &short).as_bytes().into(), &mut lines).unwrap();
    assert!(lines.faults.is_empty());
}

/// Tags in comments, sections and quotes do not count; a scanner that differs from the parser
/// here could be bypassed.
#[test]
fn tokens_are_those_of_the_parser() {
    let many = "<b>".repeat(1_000);
    for content in [
        format!("<!--{many}--><!----><!-- - -->"),
        format!("<A><p><![CDATA[{many}]]></p></A>"),
        format!("<?pi {many}?>"),
        "<A/>".repeat(1_000),
        "<A q='>' ></A >".repeat(1_000).replace('q', "xmlns:q"),
    ] {
        assert_eq!(read(&document("", "", &content)).faults, Vec::<String>::new(), "{content:.80}");
    }
    check_limit(&document("", "", &format!("<!---->{}", "<A><p>".repeat(200))), "elements are nested too deep");
}
