//! Tests with hostile pages, whose output is much larger than the page.

use std::fmt::Write;

use oxrdf::{TermRef, vocab};
use proptest::prelude::*;

use super::*;

/// Counts output that would be too large to store.
#[derive(Default)]
struct Count {
    quads: usize,
    bytes: usize,
    faults: Vec<RdfFaultKind>,
}

impl PageSink for Count {
    fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
        self.quads += 1;
        self.bytes += match quad.object {
            TermRef::Literal(literal) => literal.value().len(),
            _ => 0,
        };
    }

    fn fault(&mut self, fault: MarkupFault) {
        self.faults.push(fault.kind);
    }

    fn begin(&mut self, _: EmbeddedSyntax) {}
}

fn count(document: &str, host: HostLanguage) -> Count {
    let mut found = Count::default();
    read(document, PAGE, host, &RdfaOptions::default(), &mut found);
    found
}

#[test]
fn deep_nesting_is_read_completely() {
    let depth = 100_000;
    let page = "<a property='schema:a' content=''>".repeat(depth) + &"</a>".repeat(depth);

    assert_eq!(count(&page, HostLanguage::Xml).quads, depth);
}

#[test]
fn text_in_many_literals_is_limited() {
    let depth = 20_000;
    let page = "<span property='schema:a'>".repeat(depth) + &"x".repeat(10_000);

    let found = count(&page, HostLanguage::Xhtml);

    assert_eq!(found.faults, [RdfFaultKind::Limit]);
    assert!(found.bytes < (16 << 20) + 16 * page.len());
}

#[test]
fn markup_in_many_literals_is_limited() {
    for datatype in ["rdf:HTML", "rdf:XMLLiteral"] {
        let page = format!("<span property='schema:a' datatype='{datatype}'>").repeat(3_000);
        assert_eq!(count(&page, HostLanguage::Xhtml).faults, [RdfFaultKind::Limit]);
    }
}

#[test]
fn many_prefixes_take_linear_time() {
    let (mut prefixes, mut body) = (String::new(), String::new());
    for at in 0..50_000 {
        let _ = write!(prefixes, "p{at}: http://p.org/{at}/ ");
        let _ = write!(body, "<b prefix='p{at}: http://q.org/{at}/' property='p{at}:a' content=''>");
    }
    let page = format!("<a prefix='{prefixes}'>{body}");

    assert_eq!(count(&page, HostLanguage::Xml).quads, 50_000);
}

#[test]
fn prefixes_in_many_xml_literals_are_limited() {
    let prefixes = (0..20_000).map(|at| format!("p{at}: http://p.org/ ")).collect::<Vec<_>>().concat();
    let literal = "<p property='schema:a' datatype='rdf:XMLLiteral'><b></b></p>".repeat(2_000);
    let page = format!("<body prefix='{prefixes}'>{literal}");

    assert_eq!(count(&page, HostLanguage::Xhtml).faults, [RdfFaultKind::Limit]);
}

#[test]
fn incomplete_triples_with_many_targets_are_limited() {
    let links = (0..5_000).map(|at| format!("schema:{at} ")).collect::<Vec<_>>().concat();
    for inlist in ["", "inlist"] {
        let page = format!("<div rel='{links}' {inlist}>{}", "<a href='x'></a>".repeat(5_000));
        assert_eq!(count(&page, HostLanguage::Xhtml).faults, [RdfFaultKind::Limit]);
    }
}

#[test]
fn repeated_long_names_are_limited() {
    let long = "x".repeat(100_000);
    let terms = "<a property='a' href='b'></a>".repeat(2_000);
    let check = |page: String, host| assert_eq!(count(&page, host).faults, [RdfFaultKind::Limit]);

    check(format!("<p vocab='http://{long}/'>{terms}"), HostLanguage::Html);
    check(format!("<base href='/{long}/'><p vocab='http://a/'>{terms}"), HostLanguage::Html);
    check(format!("<p xml:base='/{long}/' vocab='http://a/'>{terms}"), HostLanguage::Xml);
    check(format!("<p prefix='a: http://{long}/'>{}", terms.replace("'a'", "'a:a'")), HostLanguage::Html);
}

#[test]
fn cyclic_patterns_terminate() {
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
fn copied_patterns_are_limited() {
    let properties = (0..2_000).map(|at| format!("<b property='schema:{at}'>x</b>")).collect::<Vec<_>>().concat();
    let copies = "<p typeof='schema:A'><a property='rdfa:copy' href='#a'></a></p>".repeat(2_000);
    let page = format!("<p resource='#a' typeof='rdfa:Pattern'>{properties}</p>{copies}");

    assert_eq!(count(&page, HostLanguage::Xhtml).faults, [RdfFaultKind::Limit]);
}

#[test]
fn the_number_of_reported_faults_is_limited() {
    let page = "<a property='schema:a' href='http://['></a>".repeat(1_000);

    let found = count(&page, HostLanguage::Html);

    assert_eq!((found.quads, found.faults.len()), (0, 17));
}

/// Checks that every quad is valid RDF.
struct ValidatingSink;

impl PageSink for ValidatingSink {
    fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
        let text = quad.to_string();
        let parsed: Result<Vec<_>, _> = oxttl::NQuadsParser::new().for_slice(&format!("{text} .\n")).collect();
        assert!(parsed.is_ok_and(|parsed| parsed.len() == 1), "{text}");
        if let TermRef::Literal(literal) = quad.object {
            assert_eq!(literal.language().is_some(), literal.datatype() == vocab::rdf::LANG_STRING, "{text}");
        }
    }

    fn fault(&mut self, _: MarkupFault) {}

    fn begin(&mut self, _: EmbeddedSyntax) {}
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
    fn random_markup_gives_only_valid_rdf(elements in prop::collection::vec(element(), 0..12)) {
        let page = elements.concat();
        for host in [HostLanguage::Html, HostLanguage::Xhtml, HostLanguage::Svg] {
            for version in [RdfaVersion::V10, RdfaVersion::V11] {
                let options = RdfaOptions { version: Some(version), role: true, processor_graph: true, vocabularies: None };
                read(&page, PAGE, host, &options, &mut ValidatingSink);
            }
        }
    }
}
