//! Pages that want to cost more than they have bytes.

use std::fmt::Write;

use oxrdf::{TermRef, vocab};
use proptest::prelude::*;

use super::*;

/// Counts, for what would be too much to keep.
#[derive(Default)]
struct Count {
    quads: usize,
    bytes: usize,
    faults: Vec<FaultKind>,
}

impl Sink for Count {
    fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
        self.quads += 1;
        self.bytes += match quad.object {
            TermRef::Literal(literal) => literal.value().len(),
            _ => 0,
        };
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault.kind);
    }

    fn begin(&mut self, _: Syntax) {}
}

fn count(document: &str, host: Host) -> Count {
    let mut found = Count::default();
    read(document, PAGE, host, &Options::default(), &mut found);
    found
}

#[test]
fn depth_is_no_matter() {
    let depth = 100_000;
    let page = "<a property='schema:a' content=''>".repeat(depth) + &"</a>".repeat(depth);

    assert_eq!(count(&page, Host::Xml).quads, depth);
}

#[test]
fn text_that_is_in_many_literals_is_bounded() {
    let depth = 20_000;
    let page = "<span property='schema:a'>".repeat(depth) + &"x".repeat(10_000);

    let found = count(&page, Host::Xhtml);

    assert_eq!(found.faults, [FaultKind::Excess]);
    assert!(found.bytes < (16 << 20) + 16 * page.len());
}

#[test]
fn markup_that_is_in_many_literals_is_bounded() {
    for datatype in ["rdf:HTML", "rdf:XMLLiteral"] {
        let page = format!("<span property='schema:a' datatype='{datatype}'>").repeat(3_000);
        assert_eq!(count(&page, Host::Xhtml).faults, [FaultKind::Excess]);
    }
}

#[test]
fn many_prefixes_cost_once() {
    let (mut prefixes, mut body) = (String::new(), String::new());
    for at in 0..50_000 {
        let _ = write!(prefixes, "p{at}: http://p.org/{at}/ ");
        let _ = write!(body, "<b prefix='p{at}: http://q.org/{at}/' property='p{at}:a' content=''>");
    }
    let page = format!("<a prefix='{prefixes}'>{body}");

    assert_eq!(count(&page, Host::Xml).quads, 50_000);
}

#[test]
fn prefixes_in_many_xml_literals_are_bounded() {
    let prefixes = (0..20_000).map(|at| format!("p{at}: http://p.org/ ")).collect::<Vec<_>>().concat();
    let literal = "<p property='schema:a' datatype='rdf:XMLLiteral'><b></b></p>".repeat(2_000);
    let page = format!("<body prefix='{prefixes}'>{literal}");

    assert_eq!(count(&page, Host::Xhtml).faults, [FaultKind::Excess]);
}

#[test]
fn links_that_wait_for_many_ends_are_bounded() {
    let links = (0..5_000).map(|at| format!("schema:{at} ")).collect::<Vec<_>>().concat();
    for inlist in ["", "inlist"] {
        let page = format!("<div rel='{links}' {inlist}>{}", "<a href='x'></a>".repeat(5_000));
        assert_eq!(count(&page, Host::Xhtml).faults, [FaultKind::Excess]);
    }
}

#[test]
fn long_names_are_bounded() {
    let long = "x".repeat(100_000);
    let terms = "<a property='a' href='b'></a>".repeat(2_000);
    let check = |page: String, host| assert_eq!(count(&page, host).faults, [FaultKind::Excess]);

    check(format!("<p vocab='http://{long}/'>{terms}"), Host::Html);
    check(format!("<base href='/{long}/'><p vocab='http://a/'>{terms}"), Host::Html);
    check(format!("<p xml:base='/{long}/' vocab='http://a/'>{terms}"), Host::Xml);
    check(format!("<p prefix='a: http://{long}/'>{}", terms.replace("'a'", "'a:a'")), Host::Html);
}

#[test]
fn patterns_in_circles_end() {
    check(
        "<p resource='#a' typeof='rdfa:Pattern'><a property='rdfa:copy' href='#b'></a><b property='x'>1</b></p>
         <p resource='#b' typeof='rdfa:Pattern'><a property='rdfa:copy' href='#a'></a><b property='y'>2</b></p>
         <p resource='#c'><a property='rdfa:copy' href='#a'></a></p>
         <p resource='#d' typeof='rdfa:Pattern'><b property='z'>3</b></p>",
        &[
            "page#c s:x \"1\"",
            "page#c s:y \"2\"",
            "page#d rdf:type http://www.w3.org/ns/rdfa#Pattern",
            "page#d s:z \"3\"",
        ],
    );
}

#[test]
fn patterns_that_are_copied_everywhere_are_bounded() {
    let properties = (0..2_000).map(|at| format!("<b property='schema:{at}'>x</b>")).collect::<Vec<_>>().concat();
    let copies = "<p typeof='schema:A'><a property='rdfa:copy' href='#a'></a></p>".repeat(2_000);
    let page = format!("<p resource='#a' typeof='rdfa:Pattern'>{properties}</p>{copies}");

    assert_eq!(count(&page, Host::Xhtml).faults, [FaultKind::Excess]);
}

#[test]
fn faults_are_told_a_few_times() {
    let page = "<a property='schema:a' href='http://['></a>".repeat(1_000);

    let found = count(&page, Host::Html);

    assert_eq!((found.quads, found.faults.len()), (0, 17));
}

/// Checks that all it takes is RDF.
struct Strict;

impl Sink for Strict {
    fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
        let text = quad.to_string();
        let parsed: Result<Vec<_>, _> = oxttl::NQuadsParser::new().for_slice(&format!("{text} .\n")).collect();
        assert!(parsed.is_ok_and(|parsed| parsed.len() == 1), "{text}");
        if let TermRef::Literal(literal) = quad.object {
            assert_eq!(literal.language().is_some(), literal.datatype() == vocab::rdf::LANG_STRING, "{text}");
        }
    }

    fn fault(&mut self, _: Fault) {}

    fn begin(&mut self, _: Syntax) {}
}

fn element() -> impl Strategy<Value = String> {
    let name =
        prop::sample::select(vec!["p", "a", "head", "body", "time", "data", "svg", "b:c", "base", "/p", "/a", "/svg"]);
    let attribute = prop::sample::select(vec![
        "about", "content", "datatype", "datetime", "href", "id", "inlist", "lang", "prefix", "property", "rel",
        "resource", "rev", "role", "src", "typeof", "value", "vocab", "xml:base", "xml:lang", "xmlns:a", "xmlns",
    ]);
    let value = prop::sample::select(vec![
        "",
        " ",
        "a",
        "a:b",
        ":",
        "_:",
        "_:x",
        "[_:x]",
        "[]",
        "[a:b]",
        "[:]",
        "#x",
        "http://a/{b}",
        "http://[",
        "a: http://b/",
        "_: x",
        "a: b",
        "de",
        "rdf:XMLLiteral",
        "rdf:HTML",
        "rdf:value license",
        "rdfa:copy",
        "rdfa:Pattern",
        "2012",
        "é:ü",
    ]);
    let attributes = prop::collection::vec((attribute, value), 0..5);
    (name, attributes, "[a-z<&é ]{0,4}").prop_map(|(name, attributes, text)| {
        let attributes =
            attributes.iter().map(|(name, value)| format!(" {name}=\"{value}\"")).collect::<Vec<_>>().concat();
        format!("<{name}{attributes}>{text}")
    })
}

proptest! {
    #[test]
    fn whatever_is_written_what_is_read_is_rdf(elements in prop::collection::vec(element(), 0..12)) {
        let page = elements.concat();
        for host in [Host::Html, Host::Xhtml, Host::Svg] {
            for version in [Version::V10, Version::V11] {
                let options = Options { version: Some(version), role: true, processor_graph: true, vocabularies: None };
                read(&page, PAGE, host, &options, &mut Strict);
            }
        }
    }
}
